mkdir eval
for n in 1 2 3 4; do
    for label in VALID REJECT; do
        side="{\"label\": \"$label\"}"
        echo "{\"qid\": \"$label$n\", \"scholar\": $side, \"auditor\": $side}"
    done
done > eval/pairs.jsonl
echo '{"accuracy": 0.75}' > report.json
cat > gates.toml <<'END'
version = 1
[[gate]]
name = "a"
metric = "/accuracy"
op = ">="
threshold = 0.5
END
cat > release.toml <<'END'
version = 1
name = "a"
[[step]]
name = "pairs"
run = "agree pairs --pairs eval/pairs.jsonl"
END
