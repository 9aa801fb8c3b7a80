def plane(axes, values, against, what):
    """Accuracy against something that should be small, and the frontier between them."""
    axes.set_title(f"accuracy and {what}")
    points = pd.DataFrame({"x": values, "y": column("accuracy")}).dropna()
    if points.empty:
        axes.text(0.5, 0.5, "no model has both", ha="center", va="center")
        axes.set_axis_off()
        return
    best = [point["model"] for point in report["pareto"][against]["frontier"]]
    line = pd.DataFrame(report["pareto"][against]["frontier"])
    if not line.empty:
        axes.plot(line["value"], line["accuracy"], drawstyle="steps-post", color="#c4622d")
    colors = ["#c4622d" if name in best else "#8a8a8a" for name in points.index]
    axes.scatter(points["x"], points["y"], c=colors, zorder=3)
    for name, point in points.iterrows():
        place = (point["x"], point["y"])
        axes.annotate(shown(name), place, xytext=(5, 5), textcoords="offset points")
    if points["x"].min() > 0 and points["x"].max() / points["x"].min() > 30:
        axes.set_xscale("log")
    axes.set_xlabel(what)
    axes.set_ylabel("accuracy")
    axes.margins(0.15)
    for out in report["pareto"][against]["left_out"]:
        print(f"{what}: {out['model']} is left out: {out['why']}")


figure, axes = plt.subplots(1, 2, figsize=(12, 5))
plane(axes[0], column("cost.avg_usd"), "accuracy_cost", "cost per row (USD)")
plane(axes[1], column("latency_ms.mean"), "accuracy_latency", "mean latency (ms)")
figure.tight_layout()
plt.show()
