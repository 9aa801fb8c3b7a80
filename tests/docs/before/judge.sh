cp -r docs/examples/answers/predictions preds
