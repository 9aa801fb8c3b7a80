#!/usr/bin/env python3
"""Means over eval files, worked out a second time from the contract.

    python3 aggregate_oracle.py --by POINTER FILE...

Prints, under the report's keys, what follows from the values alone. With --make N, first
writes N random eval files of every shape into `evals` and aggregates those.
"""

import argparse
import json
import random
import statistics
from fractions import Fraction
from pathlib import Path

KNOWN = ("num_episodes", "num_steps", "action_type_accuracy", "mean_coord_error", "coord_error_count",
         "episode_success_rate", "click_hit_rate", "bbox_hit_rate", "mean_episode_progress", "mean_episode_step_score",
         "weak_episode_success_rate", "state_success_rate", "element_accuracy")
SHORT = {"mean_action_accuracy": "action_type_accuracy", "mean_click_hit_rate": "click_hit_rate",
         "mean_episode_success": "episode_success_rate"}
DEFAULTS = {"/backend": "unknown", "/config_path": "unknown", "/dsl_mode": "coord"}


def make(count):
    """Random files: with and without a block of metrics, with nulls and gaps."""
    made = random.Random(count)
    Path("evals/deep").mkdir(parents=True, exist_ok=True)
    for at in range(count):
        metrics = {}
        for name in (*KNOWN, "click_distance_50th_percentile"):
            if made.random() < 0.2:
                continue
            value = made.randint(0, 50) if name.startswith("num_") or name.endswith("count") else made.random()
            metrics[name] = value if name in KNOWN[:2] or made.random() < 0.8 else None
        about = {"backend": made.choice(["qwen3", "claude", "openai"]), "run": {"seed": made.choice([1, 2, None, "x"])}}
        data = {**about, "metrics": metrics}
        if made.random() < 0.2:
            data = metrics
        folder = made.choice(["evals", "evals/deep"])
        Path(f"{folder}/{at:04}.json").write_text(json.dumps(data), encoding="utf-8")


def at(data, pointer):
    """What stands at a JSON pointer; None if nothing does."""
    for key in pointer.split("/")[1:]:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def summary(files, metric):
    listed = [file["metrics"] for file in files]
    values = [one[metric] for one in listed if one.get(metric) is not None]
    return {"mean": float(sum(map(Fraction, values)) / len(values)) if values else None, "n": len(values),
            "nulls": sum(metric in one and one[metric] is None for one in listed),
            "missing": sum(metric not in one for one in listed),
            "std": statistics.stdev(values) if len(values) > 1 else None,
            "min": min(values, default=None), "max": max(values, default=None)}


def summaries(files):
    names = {name for file in files for name in file["metrics"]}
    metrics = {name: summary(files, name) for name in sorted(names)}
    short = {key: metrics[name]["mean"] if name in metrics else None for key, name in SHORT.items()}
    return {"files": len(files), **short, "metrics": metrics}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--by", default="/backend")
    parser.add_argument("--make", type=int)
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.make)
        arguments.files = sorted(str(path) for path in Path("evals").rglob("*.json"))
    files, groups = [], {}
    for path in arguments.files:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        file = data if "metrics" in data else {"metrics": data}
        files.append(file)
        group = at(file, arguments.by)
        groups.setdefault(json.dumps(DEFAULTS.get(arguments.by) if group is None else group), []).append(file)
    print(json.dumps({**summaries(files), "inputs": len(files), "rejects": 0,
                      "groups": {name: summaries(of) for name, of in groups.items()}}))


if __name__ == "__main__":
    main()
