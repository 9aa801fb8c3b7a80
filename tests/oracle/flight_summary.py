"""Summaries over records: tasks, models, leaderboard (without bootstrap intervals).
Part of flight_oracle.py."""

import math

from flight_protocol import CAP, FAMILIES, FIELDS, HORIZON


def exact_sum(values):
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def quantile(ordered, q):
    if not ordered:
        return None
    at = (len(ordered) - 1) * q
    i = int(at)
    j = min(i + 1, len(ordered) - 1)
    return ordered[i] + (ordered[j] - ordered[i]) * (at - i)


def statistics(values):
    v, n = sorted(values), len(values)
    out = dict.fromkeys(("mean", "median", "std", "min", "max", "p95", "p99"))
    if n:
        mean = exact_sum(v) / n
        out.update(mean=mean, median=quantile(v, 0.5), min=v[0], max=v[-1],
                   std=math.sqrt(exact_sum((x - mean) ** 2 for x in v) / n),
                   p95=quantile(v, 0.95), p99=quantile(v, 0.99))
    return {"count": n, **out}


def percent(part, whole):
    return 100 * part / whole if whole else None


def scores(records, key):
    return [r["optional_scores"][key] for r in records if r["optional_scores"][key] is not None]


def violations(records):
    out = {f: {"total_violations": 0, "critical": 0, "warning": 0} for f in FAMILIES}
    for r in records:
        for a in r["atoms"]:
            if not a["pass"]:
                out[a["type"]]["total_violations"] += 1
                out[a["type"]][a["severity"]] += 1
    return out


def failure_modes(records):
    out = dict.fromkeys(FAMILIES, 0)
    for r in records:
        if r["adjudication"] == "ineligible":
            for reason in r["attribution"]:
                out[reason["rule"].split(".")[0]] += 1
    return out


def task_summary(task, model, records):
    eligible = [r for r in records if r["adjudication"] == "eligible"]
    error = scores(records, "conditional_error_score")
    maes = sorted(r["mae"] for r in eligible if r["mae"] is not None)
    compliance = {}
    for family in FAMILIES:
        mine = [a["pass"] for r in records for a in r["atoms"] if a["type"] == family]
        compliance[family] = percent(sum(mine), len(mine))
    worst = sorted((r for r in eligible if r["mae"] is not None),
                   key=lambda r: r["optional_scores"]["conditional_error_score"])
    stats = statistics(error)
    return {
        "task_id": task, "model_name": model, "total": len(records), "eligible": len(eligible),
        "ineligible": len(records) - len(eligible),
        "api_errors": sum(r["atoms"][0]["rule"] == "protocol.api_error" for r in records),
        "availability_rate": percent(sum(r["present"] for r in records), len(records) * len(FIELDS)),
        "compliance_rate": compliance, "constraint_satisfaction": violations(records),
        "conditional_error": stats,
        "tail_risk": {
            "p95": stats["p95"], "p99": stats["p99"],
            "exceedance_rates": {f"below_{t}": percent(sum(x < t for x in error), len(error))
                                 for t in (50, 70, 90)},
            "mae_p95": quantile(maes, 0.95), "mae_p99": quantile(maes, 0.99),
            "worst_samples": [r["sample_id"] for r in worst[:5]],
        },
        "failure_modes": failure_modes(records),
    }


def model_profile(model, records, confidence, scored):
    eligible = sum(r["adjudication"] == "eligible" for r in records)
    error = scores(records, "conditional_error_score")
    high_risk = sum(x < 50 for x in error)
    stats = statistics(error)
    keys = ("availability_score", "constraint_satisfaction_score",
            "conditional_error_score", "total_score")
    return {
        "model_name": model, "total": len(records), "eligible": eligible,
        "eligibility_rate": percent(eligible, len(records)),
        "scores": {key: statistics(scores(
            [r for r in records if r["sample_id"] in scored] if key == "total_score" else records, key))
            for key in keys},
        "violations": violations(records), "failure_modes": failure_modes(records),
        "conditional_error": stats,
        "tail_risk": {"p95": stats["p95"], "p99": stats["p99"], "high_risk_samples": high_risk,
                      "high_risk_rate": percent(high_risk, len(error))},
        "model_confidence_prior": confidence.get(model),
    }


def scored_samples(records):
    """The samples that every mean of totals runs over: those with usable gold on which no eligible
    record is without a total."""
    with_gold = {r["sample_id"] for r in records if r["has_gold"]}
    undecided = {r["sample_id"] for r in records
                 if r["adjudication"] == "eligible" and r["optional_scores"]["total_score"] is None}
    return with_gold - undecided


def leaderboard_of(by_model, samples):
    """Over the same samples for every model, an ineligible record counting as CAP. Without any
    there is no mean and no rank; equal means share one."""
    rows = []
    for model, records in by_model.items():
        records = [r for r in records if r["sample_id"] in samples]
        good = scores(records, "total_score")
        capped = good + [CAP for r in records if r["adjudication"] == "ineligible"]
        assert len(capped) == len(records)
        rows.append({
            "model_name": model, "n": len(capped), "n_eligible": len(good),
            "mean_total": exact_sum(capped) / len(capped) if capped else None,
            "mean_total_eligible": exact_sum(good) / len(good) if good else None,
        })
    rows.sort(key=lambda r: (r["mean_total"] is None, -(r["mean_total"] or 0), r["model_name"]))
    means = [r["mean_total"] for r in rows if r["mean_total"] is not None]
    return [{"rank": None if r["mean_total"] is None else 1 + sum(m > r["mean_total"] for m in means), **r}
            for r in rows]


def summarise(records, rejects, counts, confidence):
    by_model, by_task = {}, {}
    for r in records:
        by_model.setdefault(r["model_name"], []).append(r)
        by_task.setdefault(r["task_id"], []).append(r)
    scored = scored_samples(records)
    tasks = []
    for task in (t for t in HORIZON if t in by_task):
        tasks.append(task_summary(task, None, by_task[task]))
        for model, mine in by_model.items():
            mine = [r for r in mine if r["task_id"] == task]
            if mine:
                tasks.append(task_summary(task, model, mine))
    return {
        "counts": {**counts, "records": len(records), "rejects": len(rejects)},
        "tasks": tasks,
        "models": [model_profile(m, mine, confidence, scored) for m, mine in by_model.items()],
        "leaderboard": leaderboard_of(by_model, scored),
        "scored_samples": len(scored),
    }
