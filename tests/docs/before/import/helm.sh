mkdir -p benchmark_output/runs/my-suite/sums
cd benchmark_output/runs/my-suite/sums
cat > run_spec.json <<'END'
{"name": "sums:model=org_m", "adapter_spec": {"model": "org/m"}}
END
cat > per_instance_stats.json <<'END'
[{"instance_id": "id1", "train_trial_index": 0, "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": 1, "mean": 1}]}]
END
cat > scenario_state.json <<'END'
{"request_states": [{"instance": {"id": "id1", "references": []}, "train_trial_index": 0, "request": {"prompt": "ask"}, "result": {"success": true, "completions": [{"text": "said"}]}}]}
END
echo '[]' > stats.json
