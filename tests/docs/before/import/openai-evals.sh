cat > my.jsonl <<'END'
{"spec": {"completion_fns": ["dummy"], "eval_name": "x.dev.v0", "base_eval": "x", "split": "dev", "run_config": {}, "created_by": "", "run_id": "r", "created_at": "2026-01-01 00:00:00"}}
{"run_id": "r", "event_id": 0, "sample_id": "s.0", "type": "match", "data": {"correct": true, "expected": "a", "picked": "a", "sampled": "a", "options": ["a"]}, "created_by": "", "created_at": "2026-01-01 00:00:00"}
{"final_report": {"accuracy": 1.0}}
END
