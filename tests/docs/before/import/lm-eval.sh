mkdir -p results/org__model
cat > results/org__model/samples_sums_2026-11-15T21-29-09.710859.jsonl <<'END'
{"doc_id": 0, "target": "t", "arguments": {"gen_args_0": {"arg_0": "q"}}, "resps": [["t"]], "filtered_resps": ["t"], "filter": "none", "metrics": ["em"], "em": 1}
END
cat > results/org__model/results_2026-11-15T21-29-09.710859.json <<'END'
{"results": {"sums": {"alias": "sums", "em,none": 1.0}}, "configs": {"sums": {}}, "model_name": "org/model", "lm_eval_version": "0.4.13"}
END
