#!/usr/bin/env python3
"""Holds a run of the program against the oracle's output.

    python3 compare.py ORACLE_DIR RUN_DIR [--limit N]

RUN_DIR needs records.jsonl, report.json, and rejects.jsonl if anything was
rejected. DIFF lines are disagreements (exit 1). NOTE lines are things that the
contract leaves open, or that could not be found to compare; they do not fail.
"""

import argparse
import json
import os
import sys
from collections import Counter

TOLERANCE = 1e-9
ATOM_KEYS = ("type", "rule", "field", "pass", "severity", "scope")
SCORES = ("availability_score", "constraint_satisfaction_score", "conditional_error_score", "total_score")
MISSING = object()


class Report:
    def __init__(self, limit):
        self.limit, self.diffs, self.kinds, self.notes = limit, 0, Counter(), Counter()

    def diff(self, kind, where, ours, theirs):
        self.diffs += 1
        self.kinds[kind] += 1
        if self.diffs <= self.limit:
            print(f"DIFF {where}: {kind}: oracle {short(ours)} | program {short(theirs)}")

    def note(self, text):
        self.notes[text] += 1

    def same(self, kind, where, ours, theirs):
        if not equal(ours, theirs):
            self.diff(kind, where, ours, theirs)


def short(value):
    text = "(absent)" if value is MISSING else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "…"


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def equal(a, b):
    if is_number(a) and is_number(b):
        return a == b or abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))
    return type(a) is type(b) and a == b


def read_jsonl(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def get(value, *path):
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return MISSING
        value = value[key]
    return value

# ---------------------------------------------------------------- records


def compare_atoms(report, where, ours, theirs):
    if len(ours) != len(theirs):
        only = Counter((a["rule"], a["field"], a["pass"]) for a in ours)
        only.subtract((a.get("rule"), a.get("field"), a.get("pass")) for a in theirs)
        report.diff("number of atoms", f"{where} (oracle {len(ours)}, program {len(theirs)})",
                    [k for k, n in only.items() if n > 0], [k for k, n in only.items() if n < 0])
    for i, (a, b) in enumerate(zip(ours, theirs)):
        left = {k: a[k] for k in (*ATOM_KEYS, "id")}
        right = {k: b.get(k) for k in (*ATOM_KEYS, "id")}
        meta = b.get("meta") or {}
        left["step"], right["step"] = a["step"], meta.get("step")
        if left != right:
            keys = [k for k in left if left[k] != right[k]]
            report.diff("atom " + "/".join(keys), f"{where} atom {i + 1} {a['rule']} {a['field']}",
                        {k: left[k] for k in keys} | {"observed": a["observed"]},
                        {k: right[k] for k in keys} | {"meta": meta})
            if "rule" in keys or "field" in keys:
                return                       # out of step: the rest would only repeat it
        observed = next((meta[k] for k in ("observed", "observed_value", "value") if k in meta), MISSING)
        if is_number(observed) and is_number(a["observed"]) and not equal(a["observed"], observed):
            report.note(f"meta observed differs: {a['rule']} (first: {where} {short(a['observed'])} | {short(observed)})"
                        if not any(n.startswith(f"meta observed differs: {a['rule']} ") for n in report.notes)
                        else f"meta observed differs again: {a['rule']}")


def compare_record(report, ours, theirs):
    where = f"{ours['model_name']} / {ours['sample_id']}"
    report.same("task_id", where, ours["task_id"], theirs.get("task_id"))
    atoms = get(theirs, "evidence_pack", "atoms")
    if atoms is MISSING:
        report.diff("evidence_pack.atoms", where, "a list", MISSING)
        return
    compare_atoms(report, where, ours["atoms"], atoms)
    agent = theirs.get("agent_output") or {}
    report.same("adjudication", where, ours["adjudication"], agent.get("adjudication"))

    keys = ("item_id", "constraint_id", "status", "evidence_id", "evidence_ids")
    report.same("checklist", where, [[c[k] for k in keys] for c in ours["checklist"]],
                [[c.get(k) for k in keys] for c in agent.get("checklist") or []])
    keys = ("rank", "rule", "field", "severity", "evidence_ids", "count")
    report.same("attribution", where, [[c[k] for k in keys] for c in ours["attribution"]],
                [[c.get(k) for k in keys] for c in agent.get("attribution") or []])
    if any(not c.get("reason") for c in agent.get("attribution") or []):
        report.diff("attribution reason", where, "a text", None)
    known = {a.get("id") for a in atoms}
    cited = {e for part in ("checklist", "attribution") for c in agent.get(part) or []
             for e in c.get("evidence_ids") or []}
    if cited - known:
        report.diff("cited ids that do not exist", where, [], sorted(cited - known))

    scores, mine = theirs.get("optional_scores") or {}, ours["optional_scores"]
    for key in SCORES:
        report.same(key, where, mine[key], scores.get(key, MISSING))
    gating = scores.get("gating") or {}
    for key in ("passed", "grade"):
        report.same("gating." + key, where, mine["gating"][key], gating.get(key, MISSING))
    if not mine["gating"]["passed"]:
        report.same("gating.cap", where, mine["gating"]["cap"], gating.get("cap", MISSING))
        if not gating.get("reasons"):
            report.diff("gating.reasons", where, "at least one", gating.get("reasons"))
    elif gating.get("reasons"):
        report.diff("gating.reasons", where, [], gating["reasons"])
    for key in ("mae", "rmse"):
        found = [v for v in (get(theirs, key), get(scores, key), get(scores, "conditional_error", key),
                             get(scores, "details", key), get(scores, "errors", key)) if v is not MISSING]
        if not found:
            report.note(f"records: no {key} found (tried the record, optional_scores, and inside them)")
        elif mine["gating"]["passed"]:
            report.same(key, where, ours[key], found[0])


def compare_records(report, ours, theirs):
    if theirs is None:
        report.diff("records.jsonl", "run", "a file", MISSING)
        return
    left = [(r["model_name"], r["sample_id"]) for r in ours]
    right = [(r.get("model_name"), r.get("sample_id")) for r in theirs]
    if left != right:
        missing, extra = Counter(left) - Counter(right), Counter(right) - Counter(left)
        first = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
        report.diff("records and their order", f"records ({len(left)} | {len(right)}), first at {first + 1}",
                    list(missing)[:10], list(extra)[:10])
    by_key = {(r.get("model_name"), r.get("sample_id")): r for r in theirs}
    for record in ours:
        other = by_key.get((record["model_name"], record["sample_id"]))
        if other is not None:
            compare_record(report, record, other)

# ---------------------------------------------------------------- rejects


def compare_rejects(report, ours, theirs):
    def place(row):
        file = row.get("file") or row.get("path") or ""
        line = next((row[k] for k in ("line", "line_number", "line_no") if k in row), None)
        return os.path.basename(file), line

    theirs = theirs or []
    left, right = {place(r): r for r in ours}, {place(r): r for r in theirs}
    if len(ours) != len(theirs):
        report.diff("number of rejects", "rejects", len(ours), len(theirs))
    for key in [k for k in left if k not in right]:
        report.diff("reject missing from the program", f"{key[0]}:{key[1]}", left[key]["reason"], MISSING)
    for key in [k for k in right if k not in left]:
        report.diff("reject missing from the oracle", f"{key[0]}:{key[1]}", MISSING, right[key].get("reason"))
    pairs = Counter()
    for key in left.keys() & right.keys():
        reason = right[key].get("code") or right[key].get("reason_code") or right[key].get("reason")
        if isinstance(reason, dict):
            reason = reason.get("code") or reason.get("kind")
        pairs[left[key]["reason"], str(reason).split(":")[0][:60]] += 1
    for (mine, other), n in sorted(pairs.items()):
        report.note(f"reject reason {mine} is called {other!r} by the program ({n} times)")
    # The contract: each of these has its own reason.
    usual = {}
    for mine in ("unknown_sample", "duplicate_output", "unknown_task", "malformed_json"):
        counts = Counter({other: n for (m, other), n in pairs.items() if m == mine})
        if counts:
            usual[mine] = counts.most_common(1)[0][0]
    if len(set(usual.values())) != len(usual):
        report.diff("reject reasons are not distinct", "rejects", list(usual), usual)

# ---------------------------------------------------------------- summary


def unwrap(value):
    """A number may stand alone or as {value: …} or {count: …}."""
    for key in ("value", "count"):
        if isinstance(value, dict) and key in value:
            return value[key]
    return value


class Walker:
    """Compares known paths of one part of the summary."""

    def __init__(self, report, where, pattern, ours, theirs):
        self.report, self.where, self.pattern, self.ours, self.theirs = report, where, pattern, ours, theirs

    def check(self, *path, candidates=(), rate=False, soft=False):
        mine = get(self.ours, *path)
        other = MISSING
        for option in (path, *candidates):
            other = get(self.theirs, *option)
            if other is not MISSING:
                break
        name = ".".join(path)
        if other is MISSING:
            self.report.note(f"summary: not found: {self.pattern}.{name}")
            return
        if not isinstance(mine, (dict, list)):
            other = unwrap(other)
            if is_number(mine) and isinstance(other, list):
                other = len(other)
        if equal(mine, other):
            return
        if rate and is_number(mine) and is_number(other) and equal(mine, other * 100):
            self.report.note(f"summary: {self.pattern}.{name} is a fraction in the program, a percentage here")
        elif soft:
            self.report.note(f"summary: {self.pattern}.{name} differs ({self.where}: {short(mine)} | {short(other)})")
        else:
            self.report.diff("summary " + name, self.where, mine, other)

    def statistics(self, *path, candidates=()):
        for key in ("count", "mean", "median", "std", "min", "max", "p95", "p99"):
            self.check(*path, key, candidates=[(*c, key) for c in candidates])

    def families(self, key, inner=(None,), candidates=(), rate=False):
        for family in self.ours[key]:
            for leaf in inner:
                tail = (family,) if leaf is None else (family, leaf)
                if get(self.theirs, key, *tail) is MISSING and not any(
                        get(self.theirs, *c, *tail) is not MISSING for c in candidates) \
                        and get(self.ours, key, *tail) in (0, None) \
                        and any(get(self.theirs, *c) is not MISSING for c in ((key,), *candidates)):
                    continue                 # nothing to report, and nothing reported
                self.check(key, *tail, candidates=[(*c, *tail) for c in candidates], rate=rate)


def rows_of(part):
    """Rows of a list, or of objects keyed by name, however deep."""
    if isinstance(part, list):
        return [r for r in part if isinstance(r, dict)]
    rows = []
    if isinstance(part, dict):
        for key, value in part.items():
            if isinstance(value, dict) and ({"total", "eligible", "eligibility_rate"} & value.keys()):
                rows.append({"_key": key, **value})
                for nested in ("models", "by_model", "per_model"):
                    rows += [{"task_id": value.get("task_id", key), **r} for r in rows_of(value.get(nested, {}))]
            else:
                rows += rows_of(value)
    return rows


def named(row, *keys):
    return next((row[k] for k in keys if row.get(k) is not None), None)


def compare_summary(report, ours, theirs):
    tasks = theirs.get("tasks")
    rows = rows_of(tasks) + rows_of(theirs.get("task_models") or theirs.get("tasks_by_model") or [])
    table = {}
    for row in rows:
        model = named(row, "model_name", "model")
        task = named(row, "task_id", "task", "name", "_key")
        table.setdefault((task, None if model in ("*", "all") else model), row)
        for nested in ("models", "by_model", "per_model") if isinstance(tasks, list) else ():
            for sub in rows_of(row.get(nested, [])):
                table.setdefault((task, named(sub, "model_name", "model", "_key")), sub)
    for mine in ours["tasks"]:
        key = (mine["task_id"], mine["model_name"])
        pattern = "tasks[task]" if key[1] is None else "tasks[task, model]"
        if key not in table:
            report.note(f"summary: not found: {pattern} (for example {key})" if not any(
                n.startswith(f"summary: not found: {pattern} (") for n in report.notes)
                else f"summary: not found: more {pattern}")
            continue
        w = Walker(report, f"{key[0]} / {key[1] or 'all models'}", pattern, mine, table[key])
        for name in ("total", "eligible", "ineligible", "api_errors"):
            w.check(name, candidates=[(name + "_count",), ("count_" + name,)])
        w.check("availability_rate", rate=True)
        w.families("compliance_rate", rate=True)
        w.families("constraint_satisfaction", ("total_violations", "critical", "warning"))
        w.statistics("conditional_error")
        w.families("failure_modes")
        for name in ("p95", "p99"):
            w.check("tail_risk", name)
        for name in ("below_50", "below_70", "below_90"):
            w.check("tail_risk", "exceedance_rates", name, rate=True)
        for name in ("mae_p95", "mae_p99"):
            w.check("tail_risk", name, candidates=[("tail_risk", "mae", name[4:])])
        w.check("tail_risk", "worst_samples", soft=True, candidates=[("tail_risk", "worst_sample_ids"),
                                                                     ("tail_risk", "worst")])

    models = {named(r, "model_name", "model", "name", "_key"): r for r in rows_of(theirs.get("models"))}
    for mine in ours["models"]:
        if mine["model_name"] not in models:
            report.diff("summary models", mine["model_name"], "a profile", MISSING)
            continue
        w = Walker(report, mine["model_name"], "models[model]", mine, models[mine["model_name"]])
        w.check("eligibility_rate", rate=True)
        for name in SCORES:
            plain = name.removesuffix("_score")
            w.statistics("scores", name, candidates=[("scores", plain), (name,), ("score_statistics", name),
                                                     ("score_statistics", plain)])
        w.families("violations", ("total_violations", "critical", "warning"),
                   candidates=[("constraint_violations",), ("constraint_satisfaction",)])
        w.families("failure_modes")
        w.statistics("conditional_error")
        for name in ("p95", "p99", "high_risk_samples"):
            w.check("tail_risk", name)
        w.check("tail_risk", "high_risk_rate", rate=True)
        prior = get(w.theirs, "model_confidence_prior")
        if mine["model_confidence_prior"] is None:
            w.check("model_confidence_prior")
        else:
            report.same("model_confidence_prior.confidence_m", mine["model_name"],
                        mine["model_confidence_prior"].get("confidence_m"),
                        get(prior, "confidence_m"))

    Walker(report, "summary", "summary", ours, theirs).check("scored_samples")
    board = theirs.get("leaderboard")
    if isinstance(board, dict):
        board = next((v for v in board.values() if isinstance(v, list)), [])
    board = {named(r, "model_name", "model", "name"): (i, r) for i, r in enumerate(board or [])}
    order = []
    for mine in ours["leaderboard"]:
        if mine["model_name"] not in board:
            report.diff("leaderboard", mine["model_name"], mine["mean_total"], MISSING)
            continue
        position, row = board[mine["model_name"]]
        order.append((position, mine["mean_total"], mine["model_name"]))
        w = Walker(report, f"leaderboard {mine['model_name']}", "leaderboard[model]", mine, row)
        for name in ("rank", "n", "n_eligible"):
            w.check(name)
        w.check("mean_total", candidates=[("mean_total_score",), ("mean",), ("score",), ("mean_total_capped",),
                                          ("total",)])
        w.check("mean_total_eligible", candidates=[("eligible_mean_total",), ("eligible_mean",), ("mean_eligible",),
                                                   ("eligible_only_mean",), ("mean_total_eligible_only",),
                                                   ("eligible_mean_total_score",)])
    order.sort(key=lambda o: o[0])
    for (_, a, left), (_, b, right) in zip(order, order[1:]):
        if b is not None and (a is None or (a < b and not equal(a, b))):
            report.diff("leaderboard order", f"{left} before {right}", a, b)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("oracle_dir")
    parser.add_argument("run_dir")
    parser.add_argument("--limit", type=int, default=20, help="differences to print (default 20)")
    args = parser.parse_args()
    report = Report(args.limit)
    ours = read_jsonl(os.path.join(args.oracle_dir, "records.jsonl"))
    compare_records(report, ours, read_jsonl(os.path.join(args.run_dir, "records.jsonl")))
    compare_rejects(report, read_jsonl(os.path.join(args.oracle_dir, "rejects.jsonl")),
                    read_jsonl(os.path.join(args.run_dir, "rejects.jsonl")))
    with open(os.path.join(args.oracle_dir, "report.json"), encoding="utf-8") as f:
        mine = json.load(f)
    path = os.path.join(args.run_dir, "report.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            compare_summary(report, mine, json.load(f))
    else:
        report.diff("report.json", "run", "a file", MISSING)
    for text, n in report.notes.items():
        print(f"NOTE {text}" + (f" (x{n})" if n > 1 else ""))
    atoms = sum(len(r["atoms"]) for r in ours)
    print(f"{len(ours)} records, {atoms} atoms: {report.diffs} differences"
          + "".join(f"\n  {n:6} {kind}" for kind, n in report.kinds.most_common()))
    sys.exit(1 if report.diffs else 0)


if __name__ == "__main__":
    main()
