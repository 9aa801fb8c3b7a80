#!/usr/bin/env python3
"""Makes folders of predictions, judged documents and prices for the oracle of efficiency.

    python3 efficiency_cases.py --seed N --out DIR

Writes `preds`, and by chance `judged/gpt` and `prices.json`, and prints the options that
name them.
"""

import argparse
import json
import random
from pathlib import Path

MODELS = ["qwen-3b", "gpt-5.2", "llama 8b", "phi", "ü-model"]


def rows(rng, count, habits):
    made = []
    for number in range(count):
        gold = rng.choice(habits["golds"])
        right = rng.random() < habits["skill"]
        row = {"id": number, "input": f"question {number}", "gold": gold,
               "prediction": gold.replace(" ", "  ") if right else "<<A>>X r"}
        if rng.random() < habits["timed"]:
            row["latency_ms"] = rng.choice([0, 100, 250.5, round(rng.uniform(1, 900), 3)])
        if rng.random() < habits["counted"]:
            row |= {"tokens_input": rng.randint(0, 400), "tokens_output": rng.randint(0, 90)}
        if rng.random() < 0.1:
            row |= rng.choice([{"tokens_input": None}, {"latency_ms": None}, {"latency_ms": -3}, {"tokens_output": -1}])
        if rng.random() < habits["says"]:
            row["exact_match"] = rng.choice([True, False, 0, 1, None])
        if rng.random() < 0.04:
            row.pop(rng.choice(["gold", "prediction", "input"]))
        made.append(row)
    return made


def verdicts(rng, predictions):
    judged = []
    # A server that fell silent leaves some documents with rows that have no verdict.
    said = ["yes", "no", "No", True, 0, "correct", "incorrect"] + ([None, "maybe"] if rng.random() < 0.3 else [])
    for row in predictions:
        how = {"correct": rng.choice(said), "decision_method": rng.choice(["llm", "llm", "exact", "unmatched"])}
        judged.append({**row, **how})
    if rng.random() < 0.1 and judged:
        judged[0]["decision_method"] = "no_llm"
    if rng.random() < 0.1 and len(judged) > 1:
        judged.pop()
    return judged


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    for folder in ("preds", "judged/gpt"):
        (asked.out / folder).mkdir(parents=True, exist_ok=True)
    models = rng.sample(MODELS, rng.randint(1, len(MODELS)))
    any_judged, all_judged = rng.random() < 0.5, rng.random() < 0.5
    number = 0
    for model in models:
        part = [0, 0.5, 1, 1]
        habits = {"skill": rng.choice([0, 0.3, 0.5, 1]), "timed": rng.choice(part), "counted": rng.choice(part),
                  "says": rng.choice([0, 0, 0.3]),
                  "golds": rng.choice([["<<A>>F p", "<<A,B>>G(p && q)", "p U q"], ["p U q", "p"], ["to be", "<<A>>X r"]])}
        for _ in range(rng.choice([1, 1, 2])):
            made = rows(rng, rng.choice([1, 2, 4, 9, 20]), habits)
            number += 1
            about = {"model": model, "run_name": f"run-{number}"}
            if rng.random() < 0.2:
                stated = [{"hours_used": 0.25}, {"total_seconds": 12.5}, {"hours_used": 2, "total_seconds": 1}]
                about |= rng.choice(stated)
            name = f"f{number}.json"
            whole = about | {rng.choice(["predictions", "detailed_results"]): made}
            below = asked.out / "preds" / rng.choice([".", ".", "deep/er"])
            below.mkdir(parents=True, exist_ok=True)
            (below / name).write_text(json.dumps(whole))
            if any_judged and (all_judged or rng.random() < 0.5):
                judged = about | {"judge_model": "gpt", "detailed_results": verdicts(rng, made)}
                if rng.random() < 0.3:
                    # As another tool names its documents.
                    judged["source_file"], name = name, f"f{number}__judge-gpt.json"
                (asked.out / "judged/gpt" / name).write_text(json.dumps(judged))
    options = ["--predictions preds", f"--by {rng.choice(['model', 'run'])}"]
    if any_judged and list((asked.out / "judged/gpt").iterdir()):
        options.append("--judged judged")
    if rng.random() < 0.8:
        choices = [{"price_input_per_1k": 0.01, "price_output_per_1k": 0.03}, {"gpu_hour_usd": 1.5}, {},
                   {"price_input_per_1k": 0.002}, {"price_input_per_1k": 0, "price_output_per_1k": 0},
                   {"price_input_per_1k": 0.5, "price_output_per_1k": 1, "gpu_hour_usd": 2}]
        prices = {model: rng.choice(choices) for model in MODELS if rng.random() < 0.9}
        (asked.out / "prices.json").write_text(json.dumps({"models": prices}))
        options.append("--prices prices.json")
    if rng.random() < 0.3:
        options.append(f"--weights {rng.choice(['1,0,0', '1,1,1', '0,2,1', '0.2,0.3,0.5'])}")
    print(" ".join(options))


if __name__ == "__main__":
    main()
