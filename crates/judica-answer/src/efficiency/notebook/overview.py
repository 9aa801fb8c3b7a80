overview = pd.DataFrame(
    {
        "rows": column("n").astype("Int64"),
        "accuracy": column("accuracy"),
        "judged by": models.get("accuracy_source"),
        "USD per row": column("cost.avg_usd"),
        "USD total": column("cost.total_usd"),
        "USD per 1k tokens": column("cost.per_1k_tokens_usd"),
        "mean ms": column("latency_ms.mean"),
        "p95 ms": column("latency_ms.p95"),
        "rows per second": column("throughput.rows_per_second"),
        "composite": column("composite.score"),
    }
)
overview
