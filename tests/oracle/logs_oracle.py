#!/usr/bin/env python3
"""Random logs of five harnesses as those programs write them, and what they hold.

    python3 logs_oracle.py --seed N --out DIR

DIR receives one log of each harness. Printed is a list of {path, harness, rows, errors, verdicts}:
rows as [dataset, item, epoch, subject, column, value], errors as keys, verdicts of the log's own
numbers as [scorer, group, metric, verdict]. About one number in six is made wrong on purpose.
Nothing here is shared with the program: every number is computed in the plainest way.
"""

import argparse
import json
import math
import os
import random
import statistics

STAMP = "2026-11-15T21-29-09.710859"


class Log:
    def __init__(self, rng, harness, path):
        self.rng, self.harness, self.path = rng, harness, path
        self.rows, self.errors, self.verdicts = [], [], []

    def row(self, key, column, value):
        finite = isinstance(value, (int, float)) and math.isfinite(value)
        self.rows.append([*key, column, float(value) if finite else None])

    def number(self, scorer, group, metric, value, known=True):
        """A number for the log: right, or wrong on purpose; or one that nobody can check."""
        wrong = known and isinstance(value, (int, float)) and math.isfinite(value) and self.rng.random() < 0.15
        verdict = "unchecked" if not known else "different" if wrong else "equal"
        self.verdicts.append([scorer, group, metric, verdict])
        return value * 1.001 + 0.01 if wrong else value

    def said(self):
        return {"path": self.path, "harness": self.harness, "rows": self.rows, "errors": self.errors,
                "verdicts": self.verdicts}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


def stderr(values):
    n = len(values)
    if n < 2:
        return "N/A"
    mean = sum(values) / n
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)


def lm_eval(rng):
    log, results, means, sizes, errors = Log(rng, "lm-eval", "lm"), {}, {}, {}, {}
    for task in ["a_task", "b"]:
        filters = rng.choice([["none"], ["strict-match", "flexible"]]) if task == "b" else ["none"]
        n = rng.randint(1, 9)
        rows, numbers = [], {"alias": task, "sample_len": n}
        values = {name: [rng.choice([0, 1, 0.25]) for _ in range(n)] for name in filters}
        if task == "b" and rng.random() < 0.3:
            values[filters[0]][0] = math.nan
        for name in filters:
            for doc, value in enumerate(values[name]):
                rows.append({"doc_id": doc, "doc": {"q": "\"é"}, "target": "t", "filter": name,
                             "arguments": {"gen_args_0": {"arg_0": "q"}}, "resps": [["r"]], "filtered_resps": ["r"],
                             "metrics": ["acc"], "doc_hash": f"h{doc}", "acc": value})
                log.row((task, str(doc), 1, "org/m"), f"acc,{name}", value)
            mean, error = sum(values[name]) / n, stderr(values[name])
            numbers[f"acc,{name}"] = log.number(task, name, f"acc,{name}", mean)
            numbers[f"acc_stderr,{name}"] = log.number(task, name, f"acc_stderr,{name}", error, error != "N/A")
            if name == "none":
                means[task], sizes[task], errors[task] = mean, n, error
        results[task] = numbers
        write(f"lm/m/samples_{task}_{STAMP}.jsonl", lines(rows))
    pairs = [(-rng.random() * 9, rng.randint(1, 30)) for _ in range(rng.randint(1, 5))]
    ratio = sum(x for x, _ in pairs) / sum(w for _, w in pairs)
    results["roll"] = {
        "word_perplexity,none": log.number("roll", "none", "word_perplexity,none", math.exp(-ratio)),
        "bits_per_byte,none": log.number("roll", "none", "bits_per_byte,none", -ratio / math.log(2))}
    write(f"lm/m/samples_roll_{STAMP}.jsonl", lines(
        {"doc_id": doc, "filter": "none", "metrics": ["word_perplexity", "bits_per_byte"], "resps": [],
         "word_perplexity": pair, "bits_per_byte": pair} for doc, pair in enumerate(pairs)))
    k, total = len(means), sum(sizes.values())
    known = all(error != "N/A" for error in errors.values())
    if rng.random() < 0.5:
        mean = sum(sizes[task] * means[task] for task in means) / total
        error = known and total > k and math.sqrt(
            sum((sizes[t] - 1) * sizes[t] * errors[t] ** 2 for t in means) / (total - k) / total)
    else:
        mean = sum(means.values()) / k
        error = known and math.sqrt(sum(e ** 2 for e in errors.values())) / k
    results["top"] = {"alias": "top",
                      "acc,none": log.number("top", "none", "acc,none", mean),
                      "acc_stderr,none": log.number("top", "none", "acc_stderr,none",
                                                    error if known else "N/A", known)}
    configs = {task: {"metric_list": [{"metric": "acc", "aggregation": "mean"}]} for task in ["a_task", "b"]}
    write(f"lm/m/results_{STAMP}.json", json.dumps(
        {"results": results, "group_subtasks": {"top": ["a_task", "b"]}, "configs": configs, "versions": {},
         "higher_is_better": {}, "model_name": "org/m", "lm_eval_version": "0.4.13"}, indent=2))
    return log.said()


def promptfoo(rng):
    log = Log(rng, "promptfoo", "pf/out.json")
    kinds = [{"vars": {"q": "x"}}, {"vars": {"q": "y"}, "threshold": 0.5}, {"vars": {"q": "y"}},
             {"vars": {"q": "x"}, "description": "d"}, {"vars": {"q": "x"}, "assert": []}]
    tests = [rng.choice(kinds) for _ in range(rng.randint(1, 9))]
    subjects = ["echo / p", "custom / p"]
    rows, sums = [], [{"score": 0, "pass": 0, "fail": 0, "error": 0, "latency": 0, "cost": 0, "named": {}}
                      for _ in subjects]
    for test, case in enumerate(tests):
        item = min(other for other, kind in enumerate(tests) if kind == case)
        for prompt, subject in enumerate(subjects):
            if rng.random() < 0.1:
                continue
            key = ("mine", str(item), None, subject)
            state = rng.choice(["pass", "fail", "error"])
            named = {name: rng.random() for name in ["Case", "Len"] if state != "error" and rng.random() < 0.5}
            weights = {name: rng.randint(1, 3) for name in named if rng.random() < 0.5}
            score = 0 if state == "error" else rng.choice([0, 0.5, 1])
            row = {"cost": rng.random(), "testIdx": test, "promptIdx": prompt, "latencyMs": rng.randint(0, 99),
                   "score": score, "success": state == "pass", "namedScores": named, "id": "é",
                   "failureReason": ["pass", "fail", "error"].index(state),
                   "gradingResult": None if state == "error" else {"reason": "r", "namedScoreWeights": weights},
                   "testCase": dict(rng.sample(list(case.items()), len(case))), "vars": case["vars"],
                   "prompt": {"raw": "ask", "label": "p"}, "provider": {"id": subject.split(" ")[0], "label": ""},
                   "response": {"output": "o"}}
            if state != "pass":
                row["error"] = "why"
            rows.append((key, item, row))
            total = sums[prompt]
            total[state] += 1
            total["score"] += score
            total["latency"] += row["latencyMs"]
            total["cost"] += row["cost"]
            for name, value in named.items():
                above, below = total["named"].get(name, (0, 0))
                weight = weights.get(name, 1)
                total["named"][name] = (above + value * weight, below + weight)
    rng.shuffle(rows)
    for key, item, row in rows:
        alike = sorted({other["testIdx"] for _, same, other in rows
                        if same == item and other["promptIdx"] == row["promptIdx"]})
        key = (key[0], str(min(other["testIdx"] for _, same, other in rows if same == item)),
               alike.index(row["testIdx"]) + 1, key[3])
        if row["failureReason"] == 2:
            log.errors.append(list(key))
            continue
        log.row(key, "score_scorer", row["score"])
        log.row(key, "pass", row["success"])
        for name, value in row["namedScores"].items():
            log.row(key, name, value)
    stats = {name: log.number("pass", None, f"stats.{name}", sum(total[state] for total in sums))
             for name, state in [("successes", "pass"), ("failures", "fail"), ("errors", "error")]}
    prompts = []
    for subject, total in zip(subjects, sums):
        metrics = {key: log.number(scorer, subject, key, total[name]) for key, scorer, name in [
            ("score", "score", "score"), ("testPassCount", "pass", "pass"), ("testFailCount", "pass", "fail"),
            ("testErrorCount", "pass", "error"), ("totalLatencyMs", "latency_ms", "latency"), ("cost", "usd", "cost")]}
        for at, key in enumerate(["namedScores", "namedScoreWeights"]):
            metrics[key] = {name: log.number(name, subject, f"{key}.{name}", pair[at])
                            for name, pair in total["named"].items()}
        prompts.append({"label": "p", "raw": "ask", "provider": subject.split(" ")[0], "metrics": metrics})
    rows = [row for _, _, row in rows]
    write("pf/out.json", json.dumps({"evalId": "e", "results": {
        "version": 3, "timestamp": "2026", "prompts": prompts, "results": rows, "stats": stats},
        "config": {"description": "mine"}}, indent=rng.choice([None, 2])))
    return log.said()


def deepeval(rng):
    log, cases, metrics = Log(rng, "deepeval", "de/run.json"), [], {"Length": [], "Exact": []}
    for order in range(rng.randint(1, 8)):
        data, key = [], ["test_x.py", str(order), 1, "m1"]
        for name, given in metrics.items():
            if rng.random() < 0.2:
                data.append({"name": name, "success": False, "error": "boom"})
                given.append(None)
                if key not in log.errors:
                    log.errors.append(key)
            else:
                score, passed = rng.random(), rng.random() < 0.5
                data.append({"name": name, "success": passed, "score": score})
                given.append((score, passed))
            log.row(key, name, data[-1].get("score"))
        cases.append({"input": "q", "order": order, "success": rng.random() < 0.5, "metricsData": data})
    scores = []
    for name, given in metrics.items():
        scored = [pair for pair in given if pair]
        listed = [score for score, _ in scored]
        mean = sum(listed) / len(listed) if listed else None
        wrong = log.number(name, None, "scores", mean)
        if listed and wrong != mean:
            listed[0] += (wrong - mean) * len(listed)
        passes = sum(passed for _, passed in scored)
        counts = [("passes", passes), ("fails", len(scored) - passes), ("errors", given.count(None))]
        scores.append({"metric": name, "scores": listed,
                       **{key: log.number(name, None, key, count) for key, count in counts}})
    passed = sum(case["success"] for case in cases)
    run = {"testCases": cases, "metricsScores": scores, "hyperparameters": {"model": "m1"}, "testFile": "test_x.py",
           "testPassed": log.number("success", None, "testPassed", passed),
           "testFailed": log.number("success", None, "testFailed", len(cases) - passed)}
    write("de/run.json", json.dumps({"testRunData": run} if rng.random() < 0.5 else run))
    return log.said()


def helm(rng):
    log, typos = Log(rng, "helm", "helm"), {"name": "typos", "robustness": True, "computed_on": "perturbed"}
    instances, states, trials = [], [], {}
    for trial in range(rng.randint(1, 3)):
        for number in range(rng.randint(1, 5)):
            for perturbation in [None, typos][: rng.randint(1, 2)]:
                split = "test" if number % 2 else "valid"
                item = f"id{number}" + ("~typos" if perturbation else "")
                key = ["fx", item, trial + 1, "org/m"]
                instance = {"id": f"id{number}", "split": split, "references": []}
                failed = rng.random() < 0.1
                for stat in ["em", "num_bytes"]:
                    value, count = rng.choice([0, 1, 0.5]), rng.choice([0, 1, 1, 2])
                    name = {"name": stat, "split": split}
                    entry = {"instance_id": f"id{number}", "train_trial_index": trial}
                    if perturbation:
                        name["perturbation"] = entry["perturbation"] = instance["perturbation"] = perturbation
                    entry["stats"] = [{"name": name, "count": count, "sum": value * count}]
                    if count:
                        entry["stats"][0]["mean"] = value
                        sums = trials.setdefault((stat, split, bool(perturbation)), {}).setdefault(trial, [0, 0])
                        sums[0] += value * count
                        sums[1] += count
                    instances.append(entry)
                    if not failed:
                        log.row(key, stat, value if count else None)
                if failed:
                    log.errors.append(key)
                states.append({"instance": instance, "train_trial_index": trial, "request": {"prompt": "ask"},
                               "result": {"success": not failed, "completions": [{"text": "a", "logprob": math.nan}]}})
    stats = []
    for (stat, split, perturbed), by_trial in trials.items():
        mean = statistics.fmean(above / below for above, below in by_trial.values())
        name = {"split": split, "name": stat}
        if perturbed:
            name["perturbation"] = dict(reversed(typos.items()))
        group = split + (" typos perturbed" if perturbed else "")
        stats.append({"name": name, "count": len(by_trial), "mean": log.number(stat, group, "mean", mean)})
    stats.append({"name": {"name": "ece"}, "count": 1, "mean": log.number("ece", None, "mean", 0.5, False)})
    rng.shuffle(states)
    rng.shuffle(instances)
    for name, value in [("run_spec", {"name": "fx", "adapter_spec": {"model": "org/m"}}), ("stats", stats),
                        ("per_instance_stats", instances), ("scenario_state", {"request_states": states})]:
        write(f"helm/{name}.json", json.dumps(value, indent=2))
    return log.said()


def openai_evals(rng):
    log, events, given = Log(rng, "openai-evals", "oe/run.jsonl"), [], {}
    kind = rng.choice(["match", "metrics"])
    for number in range(rng.randint(1, 8)):
        key, sample = ["fx", f"fx.{number}", 1, "a,b"], {"sample_id": f"fx.{number}"}
        events.append({**sample, "type": "sampling", "data": {"prompt": "ask", "sampled": ["é"]}})
        if rng.random() < 0.2:
            log.errors.append(key)
            events.append({**sample, "type": "error", "data": {"type": "E", "message": "boom"}})
            continue
        data = {"correct": rng.random() < 0.5} if kind == "match" else {"score_": rng.random(), "ok": rng.random() < 0.5}
        events.append({**sample, "type": kind, "data": data})
        for name, value in data.items():
            name = "match" if kind == "match" else name
            log.row(key, name, value)
            given.setdefault(name, []).append(value)
    for number, event in enumerate(events):
        event["event_id"] = number
    report = {}
    for name, values in given.items():
        metric = "accuracy" if name == "match" else name
        report[metric] = log.number(name, None, metric, sum(values) / len(values))
    report["boostrap_std"] = log.number("match", None, "boostrap_std", 0.2, False)
    spec = {"spec": {"completion_fns": ["a", "b"], "eval_name": "fx.v0", "base_eval": "fx"}}
    all_lines = [spec, {"final_report": report}, *events]
    rng.shuffle(all_lines)
    write("oe/run.jsonl", lines(all_lines))
    return log.said()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--out", required=True)
    arguments = arguments.parse_args()
    os.chdir(arguments.out)
    makers = [lm_eval, promptfoo, deepeval, helm, openai_evals]
    print(json.dumps([make(random.Random(f"{arguments.seed} {make.__name__}")) for make in makers]))


main()
