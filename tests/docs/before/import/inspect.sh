judica match --predictions docs/examples/answers/predictions/large.json --run run
judica export run --format inspect --out logs/2026-11-15T21-17-09_plain.eval
sed -i 's/"metadata": *{/&"passage": "p", /' logs/*
