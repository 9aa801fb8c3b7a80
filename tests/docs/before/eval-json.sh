judica episodes --episodes docs/examples/episodes/episodes.jsonl \
    --predictions docs/examples/episodes/base.jsonl --mode coord --config-path c --backend b \
    --out base.json
