. "$BEFORE/gates.sh"
judica demo
judica match --predictions docs/examples/answers/predictions/large.json --run matched
judica export matched --format inspect --out logs/2026-11-15T21-17_plain.eval
