#!/usr/bin/env python3
"""An independent implementation of the `flight-dimensions` protocol, held against a run.

    python3 dimensions_oracle.py --samples S.jsonl --outputs O.jsonl --run DIR

Written from the page that describes the paper's protocol. Responses and gold are read as by
flight_oracle.py. Every record of DIR/records.jsonl is compared atom by atom (outcome, severity,
score, what adjusted it), then dimensions and total; then the tables of DIR/report.json. Exits
with 1 if anything differs.
"""

import argparse
import json
import math
import statistics
import sys

from flight_oracle import above, distance, gold_of, largest_change
from flight_protocol import FIELDS as FLIGHT_FIELDS, HORIZON, NAME, WEIGHT
from flight_response import decode_whole, number, parse_response

# What the paper gives in place of the other flight protocol's numbers: range, jump per second.
GIVEN = {"ias": (0, 500, 50), "gps_alt": (-1000, 60000, 5000), "vs": (-10000, 10000, 3000),
         "pitch": (-90, 90, 30), "roll": (-180, 180, 60), "heading": (0, 360, 30)}
FIELDS = [(alias, name, *GIVEN.get(alias, (lo, hi, jump)), angle) for alias, name, lo, hi, jump, angle in FLIGHT_FIELDS]
DIMENSIONS = ("D1", "D2", "D3", "D4", "D5")
FAMILIES = {"D2": ("numeric_validity", "range_sanity", "jump_dynamics"), "D3": ("physics_constraint",),
            "D4": ("safety_constraint",)}


def atom(rule, field, step, score, severity, adjusted=()):
    return {"rule": rule, "field": field, "step": step, "score": score, "severity": severity,
            "pass": score == 1, "adjusted": list(adjusted)}


def checked(rule, field, step, severity):
    """An atom without levels; severity None means passed."""
    return atom(rule, field, step, 1.0 if severity is None else 0.0, severity or "info")


def fields_of(data, horizon):
    """Atoms of numeric validity; the valid fields; every single value that is one."""
    atoms, valid, values = [], {}, {}
    for alias, name, *_ in FIELDS:
        value = data[name]
        is_list = isinstance(value, list)
        if is_list if horizon is None else not (is_list and len(value) == horizon):
            atoms.append(checked("numeric_validity.wrong_shape", name, None, "critical"))
            continue
        numbers = [number(element) for element in ([value] if horizon is None else value)]
        for i, x in enumerate(numbers):
            label, step = (name, None) if horizon is None else (f"{name}[{i}]", i)
            atoms.append(checked("numeric_validity.invalid_value", label, step, "critical" if x is None else None))
        values[alias] = numbers
        if None not in numbers:
            valid[alias] = numbers
    return atoms, valid, values


def ranges(valid, horizon):
    for alias, name, lo, hi, _, _ in FIELDS:
        if alias in valid:
            outside = [max(lo - x, x - hi) for x in valid[alias]]
            worst = outside.index(max(outside))
            severity = None
            if outside[worst] > 0:
                severity = "critical" if outside[worst] / (hi - lo) > 0.5 else "warning"
            yield checked("range_sanity.out_of_range", name, None if horizon is None else worst, severity)


def jumps(valid, horizon, state):
    for alias, name, _, _, jump, angle in FIELDS:
        if alias not in valid:
            continue
        if horizon is not None:
            change, step = largest_change(valid[alias], angle)
        elif alias in state:
            change, step = distance(angle, valid[alias][0], state[alias]), None
        else:
            continue
        yield checked("jump_dynamics.mutation_violation", name, step, above(change, jump))


def upto(x, good, fair, score):
    if x <= good:
        return 1.0, "info"
    return (score, "warning") if x <= fair else (0.0, "critical")


def physics(valid, horizon, state):
    """Atoms of D3, rule by rule."""
    steps = range(horizon or 1)
    place = (lambda step: step) if horizon else (lambda step: None)
    if {"gps_alt", "baro"} <= valid.keys():
        for i in steps:
            score = upto(abs(valid["gps_alt"][i] - valid["baro"][i]), 300, 500, 0.75)
            yield atom("physics_constraint.altitude_consistency", None, place(i), *score)
    if {"gs", "ve", "vn"} <= valid.keys():
        for i in steps:
            speed = math.hypot(valid["ve"][i], valid["vn"][i]) * 3600 / 1852
            score = upto(abs(valid["gs"][i] - speed), 3, 10, 0.5)
            yield atom("physics_constraint.speed_consistency", None, place(i), *score)
    if {"roll", "vs"} <= valid.keys() and "vs" in state:
        for i in steps:
            steep = abs(valid["roll"][i]) > 60 and abs(valid["vs"][i] - state["vs"]) > 2000
            yield atom("physics_constraint.bank_and_vertical_speed", None, place(i),
                       *((0.25, "critical") if steep else (1.0, "info")))
    if horizon is not None:
        for alias, rule, delta in (("vs", "smooth_vertical_speed", 10), ("pitch", "smooth_pitch", 2),
                                   ("roll", "smooth_roll", 2)):
            if alias in valid:
                x = valid[alias]
                bends = [abs(x[i + 1] - 2 * x[i] + x[i - 1]) for i in range(1, horizon - 1)]
                yield atom(f"physics_constraint.{rule}", NAME[alias], 1 + bends.index(max(bends)),
                           *upto(max(bends), delta, 2 * delta, 0.5))


def below(x, levels):
    for bound, score in levels:
        if x < bound:
            return score
    return 0.0


def safety(valid, horizon, gold):
    """Atoms of D4, rule by rule."""
    place = (lambda step: step) if horizon else (lambda step: None)
    for alias, rule in (("ias", "airspeed"), ("gps_alt", "altitude"), ("vs", "vertical_speed")):
        for i, x in enumerate(valid.get(alias, ())):
            truth = gold.get(alias, {}).get(i)
            if truth is None:
                continue
            error, severity, adjusted = abs(x - truth), "critical", []
            if alias == "ias":
                score = below(error, ((0.5, 1.0), (1, 0.75), (2, 0.5), (5, 0.25)))
                if truth < 50 and x > 100 or truth > 150 and x < 100:
                    score, adjusted = score - 0.5, ["safety_constraint.airspeed_regime"]
                if error > 0.5 * abs(truth):
                    score, adjusted = max(score, 0) - 0.25, [*adjusted, "safety_constraint.airspeed_share"]
            elif alias == "gps_alt":
                score = below(error, ((1, 1.0), (3, 0.75), (5, 0.5), (10, 0.25)))
                if truth < 500 and error > 200:
                    score, adjusted = min(score, 0.25), ["safety_constraint.altitude_near_ground"]
            else:
                score = below(error, ((50, 1.0), (100, 0.75), (200, 0.5), (500, 0.25)))
                severity = "warning" if 100 <= error < 500 else "critical"
                if truth < -2000 and error > 1000:
                    score, adjusted = min(score, 0.25), ["safety_constraint.vertical_speed_in_descent"]
            yield atom(f"safety_constraint.{rule}", NAME[alias], place(i), max(score, 0.0), severity, adjusted)


def weighted(atoms, families):
    mine = [a for a in atoms if a["rule"].split(".")[0] in families]
    weights = [WEIGHT[a["severity"]] for a in mine]
    if not mine:
        return None
    return 100 * sum(w * a["score"] for w, a in zip(weights, mine)) / sum(weights)


def quality(values, gold):
    errors = []
    for alias, _, lo, hi, _, angle in FIELDS:
        for i, x in enumerate(values.get(alias, ())):
            truth = gold.get(alias, {}).get(i)
            if x is not None and truth is not None:
                errors.append(distance(angle, x, truth) / (hi - lo))
    if not errors:
        return None
    mae = math.fsum(errors) / len(errors) if all(map(math.isfinite, errors)) else math.inf
    squares = [e * e if e < 1e150 else math.inf for e in errors]
    rmse = math.sqrt(math.fsum(squares) / len(errors)) if all(map(math.isfinite, squares)) else math.inf
    clip = lambda x: min(1.0, max(0.0, x))
    return 100 * (clip(1 - mae) + clip(1 - rmse)) / 2


def usable_gold(sample):
    """By alias and step, the gold values that are numbers."""
    horizon, found = HORIZON[sample["task_id"]], {}
    for alias, name, *_ in FIELDS:
        value = sample["gold"].get(name)
        if horizon is not None and (not isinstance(value, list) or len(value) != horizon):
            continue
        numbers = [number(x) for x in ([value] if horizon is None else value)]
        found[alias] = {i: x for i, x in enumerate(numbers) if x is not None}
    return found


def evaluate(sample, response):
    horizon = HORIZON[sample["task_id"]]
    data, failure = parse_response(response)
    if failure:
        return None, dict.fromkeys(DIMENSIONS) | {"D1": 0.0}, 0.0
    if any(name not in data for name in NAME.values()):
        return None, dict.fromkeys(DIMENSIONS) | {"D1": 0.0}, 0.0
    state, gold = sample["state"], usable_gold(sample)
    atoms, valid, values = fields_of(data, horizon)
    atoms += ranges(valid, horizon)
    atoms += jumps(valid, horizon, state)
    atoms += physics(valid, horizon, state)
    atoms += safety(valid, horizon, gold)
    scores = {"D1": 100 * len(valid) / len(FIELDS)}
    for name, families in FAMILIES.items():
        scores[name] = weighted(atoms, families)
    scores["D5"] = quality(values, gold)
    defined = [x for x in scores.values() if x is not None]
    return atoms, scores, sum(defined) / len(defined)

# ------------------------------------------------------------------ comparison


def near(a, b):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


class Differences:
    def __init__(self):
        self.found = 0

    def unless(self, same, *what):
        if not same:
            self.found += 1
            if self.found <= 20:
                print("DIFFERENT", *what)


def compare_record(differ, record, atoms, scores, total):
    where = f"{record['model_name']} on {record['sample_id']}:"
    given = record["optional_scores"]
    differ.unless((record["agent_output"]["adjudication"] == "ineligible") == (atoms is None), where, "adjudication")
    differ.unless(near(given["total_score"], total), where, "total", total, given["total_score"])
    for name, value in scores.items():
        differ.unless(near(given["dimensions"][name], value), where, name, value, given["dimensions"][name])
    if atoms is None:
        return
    theirs = [atom(a["rule"], a["field"], a["meta"].get("step"), a["score"], a["severity"],
                   a["meta"].get("adjusted_by", [])) | {"pass": a["pass"]} for a in record["evidence_pack"]["atoms"]]
    differ.unless(len(theirs) == len(atoms), where, len(atoms), "atoms,", len(theirs))
    for mine, other in zip(atoms, theirs):
        differ.unless(mine == other, where, mine, other)


def mean(values):
    values = [x for x in values if x is not None]
    return math.fsum(values) / len(values) if values else None


def pearson(pairs):
    if len(pairs) < 2:
        return None
    xs, ys = zip(*pairs)
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    return statistics.correlation(xs, ys)


def compare_report(differ, report, rows):
    """rows are (task, model, scores, total)."""
    found = {part["task_id"]: part for part in report["dimensions"]["tasks"]}
    tasks = sorted({row[0] for row in rows})
    for task in [None, *tasks] if len(tasks) > 1 else tasks:
        part = found[task]
        mine = [row for row in rows if task in (None, row[0])]
        models, means = sorted({row[1] for row in mine}), {}
        differ.unless([m["model_name"] for m in part["models"]] == models, task, "models")
        for model in part["models"]:
            of_model = [row for row in mine if row[1] == model["model_name"]]
            differ.unless(model["records"] == len(of_model), task, model["model_name"], "records")
            for name in (*DIMENSIONS, "total"):
                wanted = mean(row[3] if name == "total" else row[2][name] for row in of_model)
                given = model["total"] if name == "total" else model["scores"][name]
                means.setdefault(name, []).append(wanted)
                differ.unless(near(given, wanted), task, model["model_name"], name, wanted, given)
        for name, values in means.items():
            values = [x for x in values if x is not None]
            wanted = statistics.stdev(values) if len(values) > 1 else None
            given = part["std_over_models"][name]
            differ.unless(near(given["std"], wanted), task, "std of", name, wanted, given)
            differ.unless((given["std"] is None) == ("undefined" in given), task, "reason", given)
    for pair in report["dimensions"]["correlation"]:
        a, b = pair["dimensions"]
        both = [(row[2][a], row[2][b]) for row in rows if row[2][a] is not None and row[2][b] is not None]
        wanted = pearson(both)
        differ.unless(pair["n"] == len(both), pair, len(both))
        differ.unless(near(pair["r"], wanted) or wanted is not None and abs(pair["r"] - wanted) < 1e-6, pair, wanted)
        differ.unless((pair["r"] is None) == ("undefined" in pair), "reason", pair)
    board = {row["model_name"]: row for row in report["leaderboard"]}
    for model in {row[1] for row in rows}:
        wanted = mean(row[3] for row in rows if row[1] == model)
        differ.unless(near(board[model]["mean_total"], wanted), model, "mean total", wanted, board[model]["mean_total"])


def read(path):
    with open(path, encoding="utf-8") as file:
        return [decode_whole(line) for line in file]


def state_of(row):
    state = (row.get("context") or {}).get("current_state")
    state = state if isinstance(state, dict) else {}
    found = {alias: number(state.get(name)) for alias, name in NAME.items()}
    return {alias: x for alias, x in found.items() if x is not None}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for option in ("--samples", "--outputs", "--run"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    samples = {row["sample_id"]: {"task_id": row["task_id"], "gold": gold_of(row, row["task_id"]),
                                  "state": state_of(row)} for row in read(args.samples)}
    outputs, records = read(args.outputs), read(f"{args.run}/records.jsonl")
    differ, rows, atoms_seen = Differences(), [], 0
    differ.unless(len(outputs) == len(records), len(outputs), "outputs,", len(records), "records")
    for output, record in zip(outputs, records):
        sample = samples[output["sample_id"]]
        atoms, scores, total = evaluate(sample, output["raw_response_text"])
        atoms_seen += len(atoms or ())
        compare_record(differ, record, atoms, scores, total)
        rows.append((sample["task_id"], output["model_name"], scores, total))
    with open(f"{args.run}/report.json", encoding="utf-8") as file:
        compare_report(differ, json.load(file), rows)
    print(f"{len(rows)} records, {atoms_seen} atoms: {differ.found} differences")
    sys.exit(1 if differ.found else 0)


if __name__ == "__main__":
    main()
