#!/usr/bin/env python3
"""Which model is worth its cost, worked out a second time from the contract and the seed.

    python3 efficiency_oracle.py --predictions DIR [--judged DIR] [--prices FILE.json]
                                 [--by model|run] [--weights A,C,L]

Prints, under the report's keys, every number that follows. Standard library only; slow and
plain on purpose. Of judged folders it knows the one with one judge.
"""

import argparse
import json
import math
import statistics
from fractions import Fraction
from pathlib import Path

import match_oracle

PRICES = ("price_input_per_1k", "price_output_per_1k", "gpu_hour_usd")
VERDICTS = {"yes": True, "true": True, "1": True, "correct": True,
            "no": False, "false": False, "0": False, "incorrect": False}


def add(values):
    """The sum, rounded once."""
    return float(sum(map(Fraction, values), Fraction(0)))


def usable(rows):
    seen, used = {"ids": set(), "texts": set(), "repeated": 0}, []
    for row in rows:
        try:
            row, gold, prediction = match_oracle.used(row, seen)
        except match_oracle.Refused:
            continue
        if match_oracle.first(row, match_oracle.INPUT) is not None:
            used.append((row, gold, prediction))
    return used


def document(path):
    whole = json.loads(path.read_text())
    about = {} if isinstance(whole, list) else whole
    rows = whole if isinstance(whole, list) else match_oracle.first(whole, ("predictions", "detailed_results"))
    return about, usable(rows), rows


def milliseconds(row):
    value = row.get("latency_ms")
    known = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
    return float(value) if known else None


def correct(name, row, gold, prediction):
    said = row.get("exact_match")
    if isinstance(said, bool) or said in (0, 1) and said is not None:
        return bool(said)
    equal = {"atl": match_oracle.atl, "text": match_oracle.text}[name]
    return match_oracle.decided(name, equal, gold, prediction) == "exact"


def judged(folder, path, count):
    """Right and decided, the same of unmatched rows, and rows without a verdict; None if nobody judged."""
    if folder is None:
        return None
    judge = next(one for one in sorted(folder.iterdir()) if one.is_dir())
    about = {other: json.loads(other.read_text()) for other in judge.iterdir()}
    mine = [other for other in about if other.name == path.name or about[other].get("source_file") == path.name]
    if not mine:
        return None
    rows = about[mine[0]]["detailed_results"]
    if any(row.get("decision_method") == "no_llm" for row in rows):
        return None
    verdicts = [(VERDICTS.get(str(row.get("correct")).strip().lower()), row.get("decision_method")) for row in rows]
    decided = [verdict for verdict, _ in verdicts if verdict is not None]
    unmatched = [verdict for verdict, method in verdicts if verdict is not None and method == "unmatched"]
    # Predictions that the judge was not shown are missing as well.
    missing = len(rows) - len(decided) + max(0, count - len(rows))
    return sum(decided), len(decided), sum(unmatched), len(unmatched), missing


def run(path, folder):
    about, rows, every = document(path)
    name = match_oracle.chosen(every)
    right = [correct(name, *row) for row in rows]
    rows = [row for row, _, _ in rows]
    tokens = [(match_oracle.tokens(row, "tokens_input"), match_oracle.tokens(row, "tokens_output")) for row in rows]
    latencies = [milliseconds(row) for row in rows if milliseconds(row) is not None]
    seconds = about["hours_used"] * 3600 if about.get("hours_used") else about.get("total_seconds")
    return {"model": about.get("model") or path.stem, "run": about.get("run_name") or path.stem, "n": len(rows),
            "exact": (sum(right), len(right)), "judged": judged(folder, path, len(rows)), "normalizer": name, "latencies": latencies,
            "tokens": [both for both in tokens if None not in both],
            "seconds": seconds or add(latencies) / 1000, "stated": bool(seconds),
            "timed": len(rows) if seconds else len(latencies),
            "untimed": 0 if seconds else sum(None not in both and milliseconds(row) is None
                                             for row, both in zip(rows, tokens))}


def together(runs):
    by_judge = all(one["judged"] is not None for one in runs)
    verdicts = [one["judged"] if by_judge else (*one["exact"], 0, 0, 0) for one in runs]
    right, decided, right_unmatched, unmatched, missing = (sum(part) for part in zip(*verdicts))
    names = {one["normalizer"] for one in runs}
    timed = sum(one["timed"] for one in runs)
    return {"model": runs[0]["model"], "runs": [one["run"] for one in runs], "n": sum(one["n"] for one in runs),
            "right": right, "decided": decided, "source": "judge" if by_judge else "exact_match",
            "right_unmatched": right_unmatched, "unmatched": unmatched, "missing": missing,
            "normalizer": names.pop() if len(names) == 1 else "auto",
            "latencies": [value for one in runs for value in one["latencies"]],
            "tokens": [both for one in runs for both in one["tokens"]],
            "seconds": add(one["seconds"] for one in runs) if timed else 0, "timed": timed,
            "same": timed == sum(len(one["tokens"]) for one in runs) and not any(one["untimed"] for one in runs)}


def quantile(values, part):
    values = sorted(values)
    place = (len(values) - 1) * part
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def latency(values):
    if not values:
        return {"n": 0, "mean": None}
    return {"n": len(values), "mean": add(values) / len(values), "median": statistics.median(values),
            "p95": quantile(values, 0.95), "p99": quantile(values, 0.99), "min": min(values), "max": max(values),
            "std": statistics.pstdev(values)}


def cost(subject, price):
    """Dollars: of GPU hours where they are known and have a price, else of tokens."""
    none = {"avg_usd": None, "total_usd": None}
    tokens = [sum(side) for side in zip(*subject["tokens"])] or [0, 0]
    # Without any time, what the tokens cost is the next best that is known.
    if price.get("gpu_hour_usd") is not None and subject["seconds"]:
        hours = subject["seconds"] / 3600
        total = hours * price["gpu_hour_usd"]
        found = {"source": "gpu_hour", "n": subject["timed"], "total_usd": total, "avg_usd": total / subject["timed"],
                 "hours_used": hours}
        if sum(tokens) and subject["same"]:
            per_hour = sum(tokens) / hours
            found |= {"tokens_per_hour": per_hour, "per_1k_tokens_usd": price["gpu_hour_usd"] / per_hour * 1000}
        return found
    sides = [price.get("price_input_per_1k"), price.get("price_output_per_1k")]
    if not subject["tokens"] or any(many and side is None for many, side in zip(tokens, sides)) or sides == [None] * 2:
        return none
    total = add(many / 1000 * (side or 0) for many, side in zip(tokens, sides))
    found = {"source": "tokens", "n": len(subject["tokens"]), "total_usd": total,
             "avg_usd": total / len(subject["tokens"])}
    if sum(tokens):
        found["per_1k_tokens_usd"] = total / sum(tokens) * 1000
    return found


def places(values, more_is_better):
    known = [value for value in values if value is not None]
    if not known or min(known) == max(known):
        return [None] * len(values)
    worst, best = (min(known), max(known)) if more_is_better else (max(known), min(known))
    return [None if value is None else (value - worst) / (best - worst) for value in values]


def composite(terms, weights):
    known = [(weight, term) for weight, term in zip(weights, terms) if term is not None]
    weight = sum(weight for weight, _ in known)
    return sum(weight * term for weight, term in known) / weight if weight else None


def ranked(models, value, less=False):
    known = [(value(model), name) for name, model in models if value(model) is not None]
    known.sort(key=lambda one: one[0] if less else -one[0])
    return [{"rank": 1 + sum((other < found) if less else (other > found) for other, _ in known), "name": name,
             "value": found} for found, name in known]


def frontier(models, value):
    points = [(name, model["accuracy"], value(model)) for name, model in models]
    points = [point for point in points if None not in point]

    def beats(one, other):
        return one[1] >= other[1] and one[2] <= other[2] and one[1:] != other[1:]
    front = [point for point in points if not any(beats(other, point) for other in points)]
    front.sort(key=lambda point: (point[2], point[0]))
    lost = [point for point in points if point not in front]
    return {"frontier": [{"model": name, "accuracy": accuracy, "value": found} for name, accuracy, found in front],
            "dominated": [{"model": point[0], "by": sorted(one[0] for one in front if beats(one, point))}
                          for point in sorted(lost)]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--judged", type=Path)
    parser.add_argument("--prices", type=Path)
    parser.add_argument("--by", default="model")
    parser.add_argument("--weights", default="0.5,0.25,0.25")
    asked = parser.parse_args()
    prices = json.loads(asked.prices.read_text())["models"] if asked.prices else {}
    runs = [run(path, asked.judged) for path in sorted(asked.predictions.rglob("*.json"))]
    groups = {}
    for one in runs:
        groups.setdefault(one[asked.by], []).append(one)
    models = []
    for name, group in sorted(groups.items(), key=lambda one: (one[1][0]["model"], one[0])):
        subject = together(group)
        missing, n = subject["missing"], subject["decided"]
        accuracy = subject["right"] / n if n and not missing else None
        times, dollars = latency(subject["latencies"]), cost(subject, prices.get(subject["model"], {}))
        seconds, average = subject["seconds"], dollars["avg_usd"]
        made = {"model": subject["model"], "n": subject["n"], "accuracy": accuracy, "accuracy_n": subject["decided"],
                "accuracy_ci": match_oracle.wilson(subject["right"], n) if not missing else None,
                "latency_ms": times, "cost": dollars, "tokens": {"n": len(subject["tokens"])},
                "throughput": {"rows_per_second": subject["timed"] / seconds if seconds else None},
                "accuracy_per_dollar": None if accuracy is None or not average else accuracy / average,
                "accuracy_per_second": None if accuracy is None or not times["mean"] else
                accuracy / (times["mean"] / 1000)}
        if n or missing:
            made["accuracy_source"] = subject["source"]
        if subject["source"] == "judge" and (n or missing):
            others = n - subject["unmatched"]
            made |= {"accuracy_missing": missing, "accuracy_unmatched": subject["unmatched"],
                     "accuracy_without_unmatched": (subject["right"] - subject["right_unmatched"]) / others
                     if others and not missing else None}
            if missing:
                made["accuracy_bounds"] = [subject["right"] / (n + missing),
                                           (subject["right"] + missing) / (n + missing)]
        elif n:
            made["normalizer"] = subject["normalizer"]
        if seconds and subject["same"]:
            made["throughput"]["tokens_per_second"] = sum(map(sum, subject["tokens"])) / seconds
        models.append((name, made))
    terms = {"accuracy": places([model["accuracy"] for _, model in models], True),
             "cost": places([model["cost"]["avg_usd"] for _, model in models], False),
             "latency": places([model["latency_ms"]["mean"] for _, model in models], False)}
    weights = [float(weight) for weight in asked.weights.split(",")]
    for index, (_, model) in enumerate(models):
        mine = {name: values[index] for name, values in terms.items()}
        model["composite"] = {"score": composite(mine.values(), weights), "terms": mine}
    rankings = {"cheapest": ranked(models, lambda model: model["cost"]["avg_usd"], True),
                "fastest": ranked(models, lambda model: model["latency_ms"]["mean"], True),
                "most_accurate": ranked(models, lambda model: model["accuracy"]),
                "accuracy_per_dollar": ranked(models, lambda model: model["accuracy_per_dollar"]),
                "accuracy_per_second": ranked(models, lambda model: model["accuracy_per_second"]),
                "composite": ranked(models, lambda model: model["composite"]["score"])}
    report = {"models": [model for _, model in models], "rankings": rankings,
              "pareto": {"accuracy_cost": frontier(models, lambda model: model["cost"]["avg_usd"]),
                         "accuracy_latency": frontier(models, lambda model: model["latency_ms"]["mean"])}}
    # Ranks go by the model or by the run.
    print(json.dumps(report).replace('"name": ', f'"{asked.by}": '))


if __name__ == "__main__":
    main()
