def bars(axes, values, title, interval=None):
    """Horizontal bars; a model without a value keeps its place and says so."""
    axes.set_title(title)
    if values.notna().sum() == 0:
        axes.text(0.5, 0.5, "no model has this", ha="center", va="center")
        axes.set_axis_off()
        return
    places = range(len(values))
    error = None
    if interval is not None:
        error = [
            [0 if pd.isna(v) or not ci else max(0, v - ci[0]) for v, ci in zip(values, interval)],
            [0 if pd.isna(v) or not ci else max(0, ci[1] - v) for v, ci in zip(values, interval)],
        ]
    axes.barh(places, values.fillna(0), xerr=error, color="#3b6ea5", capsize=3)
    for place, value in zip(places, values):
        if pd.isna(value):
            axes.text(0, place, " n/a", va="center", color="gray")
    axes.set_yticks(list(places), [shown(name) for name in values.index])
    axes.invert_yaxis()


intervals = [model.get("accuracy_ci") for model in report["models"]]
height = 1.5 + 0.4 * max(1, len(models))
figure, axes = plt.subplots(2, 2, figsize=(12, 2 * height))
bars(axes[0][0], column("accuracy"), "accuracy (95 % interval)", intervals)
bars(axes[0][1], column("cost.avg_usd"), "cost per row (USD)")
bars(axes[1][0], column("latency_ms.mean"), "mean latency (ms)")
bars(axes[1][1], column("composite.score"), "composite")
figure.tight_layout()
plt.show()
