cp docs/examples/schema/* .
