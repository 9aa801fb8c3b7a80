judica match --predictions docs/examples/answers/predictions/large.json --run run
