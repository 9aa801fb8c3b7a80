#!/usr/bin/env python3
"""An independent implementation of the evaluation contract, used by the tests
to check the program atom for atom.

It covers the `flight` protocol only, with its default numbers written out here
by hand, and reads plain JSONL (UTF-8, an optional BOM, LF or CRLF). It favours
being obvious over being fast, and needs nothing beyond Python 3.11.

    python3 flight_oracle.py --samples S.jsonl --outputs O.jsonl \
        [--outputs O2.jsonl] [--task T] [--confidence C.json] --out DIR

DIR receives records.jsonl, rejects.jsonl and report.json. compare.py holds
them against a run of the program.
"""

import argparse
import json
import math
import os
import sys

from flight_protocol import CAP, FAMILIES, FIELDS, HORIZON, MAE_CURVE, NAME, RANK, RMSE_CURVE, WEIGHT
from flight_response import Malformed, decode_whole, number, parse_response
from flight_summary import exact_sum, summarise

# -------------------------------------------------------------- verifiers


def arc(a, b):
    d = abs(a - b)
    if math.isinf(d):
        d = abs(math.fmod(a, 360) - math.fmod(b, 360))
    d = math.fmod(d, 360)
    return min(d, 360 - d)


def distance(angle, a, b):
    return arc(a, b) if angle else abs(a - b)


def above(x, warning, critical=None):
    if critical is None:
        critical = 1.5 * warning
    return "critical" if x > critical else "warning" if x > warning else None


def altitude_consistency(v):
    x = abs(v["gps_alt"] - v["baro"])
    return x, above(x, 500, 1000)


def speed_consistency(v):
    x = abs(v["gs"] - math.hypot(v["ve"], v["vn"]) * 3600 / 1852)
    return x, above(x, 5, 15)


def track_consistency(v):
    if math.hypot(v["ve"], v["vn"]) < 1:
        return None
    x = arc(v["track"], math.degrees(math.atan2(v["ve"], v["vn"])))
    return x, above(x, 10, 30)


def velocity_altitude_consistency(v):
    x = abs(v["vs"])
    return x, above(x, 2000 if v["gps_alt"] < 1000 else 5000)


def attitude_velocity_consistency(v):
    roll, pitch = abs(v["roll"]), abs(v["pitch"])
    x = max(roll, pitch)
    if roll > 60 or pitch > 60:
        return x, "critical"
    if pitch > 15 and abs(v["vu"]) < 0.3 * (pitch / 30 * 5):
        return x, "warning"
    return x, None


def rapid_descent(v):
    return v["vs"], above(-v["vs"], 2000, 3000)


def extreme_speed(v):
    x = v["ias"]
    return x, "critical" if x < 30 else above(x, 180, 270)


def extreme_altitude(v):
    x = v["gps_alt"]
    return x, "critical" if x < 0 else above(x, 15000, 22500)


def stall_condition(v):
    stalled = v["ias"] < 50 and v["pitch"] > 15 and v["vs"] < 500
    return v["ias"], "critical" if stalled else None


#  family, rule, aliases it reads; None = once per field (array continuity)
RULES = [
    ("cross_field_consistency", altitude_consistency, ("gps_alt", "baro")),
    ("cross_field_consistency", speed_consistency, ("gs", "ve", "vn")),
    ("cross_field_consistency", track_consistency, ("track", "ve", "vn")),
    ("physics_constraint", None, None),
    ("physics_constraint", velocity_altitude_consistency, ("vs", "gps_alt")),
    ("physics_constraint", attitude_velocity_consistency, ("roll", "pitch", "vu")),
    ("safety_constraint", rapid_descent, ("vs",)),
    ("safety_constraint", extreme_speed, ("ias",)),
    ("safety_constraint", extreme_altitude, ("gps_alt",)),
    ("safety_constraint", stall_condition, ("ias", "pitch", "vs")),
]


def atom(rule, field, severity, scope, step, observed):
    """severity None means passed."""
    return {
        "type": rule.split(".")[0], "rule": rule, "field": field,
        "pass": severity is None, "severity": severity or "info",
        "scope": scope, "step": step, "observed": observed,
    }


def largest_change(values, angle):
    """(change, index of the later element); the first of equals."""
    best = None
    for i in range(1, len(values)):
        change = distance(angle, values[i], values[i - 1])
        if best is None or change > best[0]:
            best = (change, i)
    return best


def verify(data, task, previous):
    """Atoms of one parsed response, and the valid values per alias."""
    horizon = HORIZON[task]
    atoms, valid = [], {}

    for alias, name, *_ in FIELDS:
        if name not in data:
            atoms.append(atom("numeric_validity.missing_field", name, "critical", "field", None, None))
            continue
        value = data[name]
        is_list = isinstance(value, list)
        if is_list if horizon is None else not (is_list and len(value) == horizon):
            atoms.append(atom("numeric_validity.wrong_shape", name, "critical", "field", None, None))
            continue
        numbers = []
        for i, element in enumerate([value] if horizon is None else value):
            x = number(element)
            numbers.append(x)
            atoms.append(atom(
                "numeric_validity.invalid_value", name if horizon is None else f"{name}[{i}]",
                "critical" if x is None else None, "field", None if horizon is None else i, x))
        if None not in numbers:
            valid[alias] = numbers

    for alias, name, lo, hi, _, _ in FIELDS:
        if alias in valid:
            outside = [max(lo - x, x - hi) for x in valid[alias]]
            worst = outside.index(max(outside))
            severity = None
            if outside[worst] > 0:
                severity = "critical" if outside[worst] / (hi - lo) > 0.5 else "warning"
            atoms.append(atom("range_sanity.out_of_range", name, severity, "field",
                              None if horizon is None else worst, valid[alias][worst]))

    for alias, name, _, _, jump, angle in FIELDS:
        if alias not in valid:
            continue
        if horizon is None:
            if alias not in previous:
                continue
            change, step = distance(angle, valid[alias][0], previous[alias]), None
        else:
            change, step = largest_change(valid[alias], angle)
        atoms.append(atom("jump_dynamics.mutation_violation", name, above(change, jump),
                          "field", step, change))

    for family, check, reads in RULES:
        if check is None:
            if horizon is not None:
                for alias, name, _, _, jump, angle in FIELDS:
                    if alias in valid:
                        change, step = largest_change(valid[alias], angle)
                        atoms.append(atom(f"{family}.m3_array_continuity", name,
                                          above(change, 2 * jump), "field", step, change))
            continue
        if any(alias not in valid for alias in reads):
            continue
        for step in range(horizon or 1):
            result = check({alias: valid[alias][step] for alias in reads})
            if result is not None:
                single = len(reads) == 1
                atoms.append(atom(f"{family}.{check.__name__}", NAME[reads[0]] if single else None,
                                  result[1], "field" if single else "cross_field",
                                  None if horizon is None else step, result[0]))
    return atoms, valid

# ------------------------------------------------- agent, gating, scores


def checklist_of(atoms):
    items = []
    for i, family in enumerate(FAMILIES, 1):
        mine = [a for a in atoms if a["type"] == family]
        status = "unknown" if not mine else "pass" if all(a["pass"] for a in mine) else "fail"
        items.append({
            "item_id": f"CHECK_{i:03d}", "constraint_id": family.upper(),
            "evidence_id": mine[0]["id"] if mine else None,
            "evidence_ids": [a["id"] for a in mine], "status": status,
        })
    return items


def attribution_of(atoms):
    groups = {}
    for a in atoms:
        if not a["pass"]:
            groups.setdefault((a["rule"], a["field"]), []).append(a)
    ordered = sorted(groups.items(), key=lambda g: min(RANK[a["severity"]] for a in g[1]))
    return [{
        "rank": rank, "rule": rule, "field": field,
        "severity": min((a["severity"] for a in mine), key=RANK.get),
        "evidence_ids": [a["id"] for a in mine], "count": len(mine),
    } for rank, ((rule, field), mine) in enumerate(ordered[:5], 1)]


def curve(points, x):
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return float(points[-1][1])


def errors_of(valid, task, gold):
    """(MAE, RMSE) over every step valid on both sides, or (None, None)."""
    horizon, errors = HORIZON[task], []
    for alias, name, _, _, _, angle in FIELDS:
        if alias not in valid or name not in gold:
            continue
        truth = gold[name]
        if horizon is None:
            truth = [truth]
        elif not isinstance(truth, list) or len(truth) != horizon:
            continue
        for p, g in zip(valid[alias], map(number, truth)):
            if g is not None:
                errors.append(distance(angle, p, g))
    if not errors:
        return None, None
    return (exact_sum(errors) / len(errors),
            math.sqrt(exact_sum(e * e for e in errors) / len(errors)))


def evaluate(sample, model, response, previous):
    task = sample["task_id"]
    data, failure = parse_response(response)
    valid = {}
    if failure:
        atoms = [atom(failure, None, "critical", "sample", None, None)]
    else:
        atoms, valid = verify(data, task, previous)
        if HORIZON[task] is None:
            previous.update({alias: x[0] for alias, x in valid.items()})
    for i, a in enumerate(atoms, 1):
        a["id"] = f"EVID_{i:03d}"
    present = 0 if failure else sum(name in data for name in NAME.values())

    passed = not any(a["severity"] == "critical" and not a["pass"] for a in atoms)
    availability = constraint = error = total = mae = rmse = grade = None
    if passed:
        availability = 100 * present / len(FIELDS)
        constraint = 100 * exact_sum(WEIGHT[a["severity"]] for a in atoms if a["pass"]) \
            / exact_sum(WEIGHT[a["severity"]] for a in atoms)
        mae, rmse = errors_of(valid, task, sample["gold"])
        if mae is not None:
            error = 0.6 * curve(MAE_CURVE, mae) + 0.4 * curve(RMSE_CURVE, rmse)
            total = 0.2 * availability + 0.3 * constraint + 0.5 * error
            grade = next((g for g, lo in zip("SABC", (90, 80, 70, 60)) if total >= lo), "D")
    else:
        grade = "X"
    return {
        "sample_id": sample["sample_id"], "model_name": model, "task_id": task,
        "present": present, "atoms": atoms, "checklist": checklist_of(atoms),
        "adjudication": "eligible" if passed else "ineligible",
        "attribution": attribution_of(atoms),
        "optional_scores": {
            "availability_score": availability, "constraint_satisfaction_score": constraint,
            "conditional_error_score": error, "total_score": total,
            "gating": {"passed": passed, "cap": CAP, "grade": grade},
        },
        "mae": mae, "rmse": rmse, "has_gold": has_gold(sample["gold"], task),
    }

# ------------------------------------------------------------------ input


class Reject(Exception):
    pass


def lines_of(path):
    """(0-based physical index, text) of lines that are not blank; text None if not UTF-8."""
    with open(path, "rb") as f:
        raw = f.read()
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    for i, line in enumerate(raw.split(b"\n")):
        if line.strip():
            try:
                yield i, line.decode("utf-8")
            except UnicodeDecodeError:
                yield i, None


def line_object(text):
    if text is None:
        raise Reject("malformed_json")
    try:
        row = decode_whole(text)
    except Malformed:
        raise Reject("malformed_json") from None
    if not isinstance(row, dict):
        raise Reject("not_an_object")
    return row


def text_key(row, *keys):
    """The first of the keys that is there and not null; None if none is. An id may be an integer."""
    for key in keys:
        value = row.get(key)
        if value is None:
            continue
        if keys[0] == "sample_id" and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value:
            raise Reject("bad_" + keys[0])
        return value
    return None


def gold_of(row, task):
    """Gold values by field name; empty when there is no usable gold. A window ("T+1") begins with
    the second that a scalar task asks for."""
    gold = row.get("gold")
    for place in (gold if isinstance(gold, dict) else {}, row):
        for key in ("next_second", "T+1"):
            if isinstance(place.get(key), dict):
                available = gold.get("available") if isinstance(gold, dict) else None
                found = {} if available is False else place[key]
                if key == "T+1" and HORIZON[task] is None:
                    found = {name: value[0] if isinstance(value, list) and value else value
                             for name, value in found.items()}
                return found
    return {}


def has_gold(gold, task):
    """Whether there is a single value that a prediction could be compared with."""
    for name in NAME.values():
        value, horizon = gold.get(name), HORIZON[task]
        if horizon is not None and (not isinstance(value, list) or len(value) != horizon):
            continue
        if any(number(x) is not None for x in ([value] if horizon is None else value)):
            return True
    return False


def read_sample(row, index, default_task, samples):
    task = text_key(row, "task_id") or default_task
    if task is None:
        raise Reject("missing_task_id")
    if task not in HORIZON:
        raise Reject("unknown_task")
    sample_id = text_key(row, "sample_id", "id") or f"{task}_{index:03d}"
    if sample_id in samples:
        raise Reject("duplicate_sample")
    samples[sample_id] = {"sample_id": sample_id, "task_id": task, "gold": gold_of(row, task)}


def read_output(row, index, default_task, samples, seen):
    model = text_key(row, "model_name", "model")
    if model is None:
        raise Reject("missing_model_name")
    task = text_key(row, "task_id")
    if task is not None and task not in HORIZON:
        raise Reject("unknown_task")
    sample_id = text_key(row, "sample_id", "id")
    if sample_id is None:
        if (task or default_task) is None:
            raise Reject("missing_sample_id")
        sample_id = f"{task or default_task}_{index:03d}"
    response = row.get("raw_response_text")
    if response is None:
        response = row.get("response")
    if not isinstance(response, (str, dict)):
        raise Reject("bad_raw_response_text")
    if sample_id not in samples:
        raise Reject("unknown_sample")
    if task is not None and task != samples[sample_id]["task_id"]:
        raise Reject("task_mismatch")
    if (model, sample_id) in seen:
        raise Reject("duplicate_output")
    seen.add((model, sample_id))
    return samples[sample_id], model, response


def run(samples_path, output_paths, default_task=None):
    samples, seen, previous, records, rejects = {}, set(), {}, [], []
    outputs = 0
    for index, text in lines_of(samples_path):
        try:
            read_sample(line_object(text), index, default_task, samples)
        except Reject as why:
            rejects.append({"file": samples_path, "line": index + 1, "reason": str(why)})
    for path in output_paths:
        for index, text in lines_of(path):
            outputs += 1
            try:
                sample, model, response = read_output(
                    line_object(text), index, default_task, samples, seen)
            except Reject as why:
                rejects.append({"file": path, "line": index + 1, "reason": str(why)})
                continue
            memory = previous.setdefault((model, sample["task_id"]), {})
            records.append(evaluate(sample, model, response, memory))
    return records, rejects, {"samples": len(samples), "outputs": outputs}


def read_confidence(path):
    """A list of ModelConfidence (alone or under "results"), one alone, or an object of them by model name."""
    if path is None:
        return {}
    with open(path, encoding="utf-8-sig") as f:
        data = json.load(f)
    if isinstance(data, dict) and isinstance(data.get("results"), list):
        data = data["results"]
    if isinstance(data, dict):
        data = [data] if "model_name" in data else \
            [{"model_name": name, **value} for name, value in data.items()]
    return {entry["model_name"]: entry for entry in data}

# ------------------------------------------------------------------- main


def plain(value):
    """JSON has no infinities: write them as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def main():
    parser = argparse.ArgumentParser(description="Reference evaluation of the flight protocol.")
    parser.add_argument("--samples", required=True)
    parser.add_argument("--outputs", required=True, action="append")
    parser.add_argument("--task", choices=list(HORIZON))
    parser.add_argument("--confidence")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    records, rejects, counts = run(args.samples, args.outputs, args.task)
    summary = summarise(records, rejects, counts, read_confidence(args.confidence))
    os.makedirs(args.out, exist_ok=True)
    for name, rows in (("records.jsonl", records), ("rejects.jsonl", rejects)):
        with open(os.path.join(args.out, name), "w", encoding="utf-8") as f:
            f.writelines(json.dumps(plain(row)) + "\n" for row in rows)
    with open(os.path.join(args.out, "report.json"), "w", encoding="utf-8") as f:
        json.dump(plain(summary), f, indent=2)
        f.write("\n")
    print(f"{counts['samples']} samples, {counts['outputs']} outputs, "
          f"{len(records)} records, {len(rejects)} rejects", file=sys.stderr)


if __name__ == "__main__":
    main()
