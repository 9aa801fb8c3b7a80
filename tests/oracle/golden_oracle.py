#!/usr/bin/env python3
"""An independent reading of the contract on golden queries: what `judica gate golden` must
say.

    python3 golden_oracle.py --golden F --outputs DIR [--allow-undefined]
        [--coverage 0.95] [--recall 0.8] [--abstention 0.9] [--manifests 1.0]

Prints a JSON report with the keys of the program's, without intervals, notes and the words
of reasons, and ends with 0, 1 or 3. Standard library only; slow and plain on purpose.
"""

import argparse
import json
import os
import sys

GATES = ["evidence_coverage_rate", "golden_recall", "abstention_accuracy", "manifest_integrity"]
METRICS = ["evidence_coverage_rate", *GATES[1:]]
# What Unicode calls white space; Python's own idea of it is a little wider.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200b)))


class SystemError_(Exception):
    """The golden artifact, or the folder, cannot be used."""


class Malformed(Exception):
    """A run cannot be used: (file, reason)."""


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def name_of(value):
    """A name: text, or a whole number as it is written; else None."""
    if isinstance(value, str):
        return value
    return str(value) if whole(value) else None


def id_of(item, other):
    """What an item is called: its `id`, else what stands under the other name; None if neither will do."""
    named = [item[key] for key in ("id", other) if item.get(key) is not None]
    return name_of(named[0]) if named and None not in map(name_of, named) else None


def something(value):
    if isinstance(value, str):
        return value.strip(SPACE) != ""
    return isinstance(value, (list, dict)) and len(value) > 0


def valid_span(span):
    if isinstance(span, dict):
        span = [span.get("start"), span.get("end")]
    if not isinstance(span, list) or len(span) != 2 or not all(map(whole, span)):
        return False
    return 0 <= span[0] < span[1]


def usable(record):
    quote = record.get("quote")
    quoted = isinstance(quote, str) and something(quote)
    return (quoted or valid_span(record.get("span"))) and something(record.get("provenance"))


def read_json(path):
    with open(path, "rb") as f:
        return json.loads(f.read().removeprefix(b"\xef\xbb\xbf").decode("utf-8"))


# ---------------------------------------------------------------- golden queries

def load_queries(path):
    try:
        data = read_json(path)
    except (OSError, ValueError) as error:
        raise SystemError_(str(error)) from None
    if isinstance(data, dict):
        data = data.get("queries")
    if not isinstance(data, list) or not data:
        raise SystemError_("no list of queries")
    queries = []
    for at, row in enumerate(data):
        if not isinstance(row, dict):
            raise SystemError_(f"{at}: not an object")
        objective, ids = row.get("objective"), row.get("required_evidence_ids")
        if not isinstance(objective, str) or not objective.strip(SPACE):
            raise SystemError_(f"{at}: objective")
        if not isinstance(ids, list) or not all(isinstance(i, str) for i in ids):
            raise SystemError_(f"{at}: required_evidence_ids")
        if not isinstance(row.get("evidence_sufficient"), bool):
            raise SystemError_(f"{at}: evidence_sufficient")
        own = row.get("id")
        if own is not None and name_of(own) is None:
            raise SystemError_(f"{at}: id")
        query = {"query": name_of(own), "objective": objective.strip(SPACE),
                 "required": list(dict.fromkeys(ids)), "sufficient": row["evidence_sufficient"], "runs": []}
        for other in queries:
            if query["query"] is not None and query["query"] == other["query"]:
                raise SystemError_(f"{at}: id used twice")
            if query["objective"] == other["objective"] and None in (query["query"], other["query"]):
                raise SystemError_(f"{at}: objective used twice")
        queries.append(query)
    return queries


def answered(queries, run):
    """The query a run answers, or None."""
    for key in ("query_id", "golden_id"):
        own = name_of(run.get(key))
        for query in queries:
            if own is not None and query["query"] == own:
                return query
    objective = run.get("objective")
    if not isinstance(objective, str):
        return None
    same = [query for query in queries if query["objective"] == objective.strip(SPACE)]
    return same[0] if len(same) == 1 else None


# ---------------------------------------------------------------- one run

def need(good, file, reason):
    if not good:
        raise Malformed(file, reason)


def check_shape(run, file):
    need(isinstance(run.get("objective"), str), file, "objective")
    for key in ("run_id", "query_id", "golden_id"):
        need(run.get(key) is None or name_of(run[key]) is not None, file, key)
    need(run.get("stop_reason") is None or isinstance(run["stop_reason"], str), file, "stop_reason")
    for key in ("claims", "evidence"):
        need(isinstance(run.get(key), list), file, key)
    need(run.get("steps") is None or isinstance(run["steps"], list), file, "steps")
    for key in ("claims", "evidence", "steps"):
        need(all(isinstance(item, dict) for item in run.get(key) or []), file, key)
    for claim in run["claims"]:
        cited = claim.get("evidence_ids")
        need(id_of(claim, "claim_id") is not None, file, "claim id")
        need(isinstance(claim.get("status"), str), file, "claim status")
        need(cited is None or isinstance(cited, list) and all(isinstance(i, str) for i in cited),
             file, "evidence_ids")
    ledger = {}
    for record in run["evidence"]:
        name = id_of(record, "evidence_id")
        need(name is not None and not any(whole(record.get(key)) for key in ("id", "evidence_id")), file, "evidence id")
        text = json.dumps(record, sort_keys=True)
        need(ledger.setdefault(name, text) == text, file, "evidence id used twice")
    for step in run.get("steps") or []:
        need(id_of(step, "step_id") is not None, file, "step id")


def events(path, file):
    """The steps among a run's events."""
    with open(path, "rb") as f:
        data = f.read().removeprefix(b"\xef\xbb\xbf")
    steps = []
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            event = json.loads(line.decode("utf-8"))
        except ValueError:
            raise Malformed(file, "event") from None
        need(isinstance(event, dict), file, "event")
        if event.get("type") == "step":
            step = name_of(event.get("step_id"))
            step = name_of(event.get("id")) if step is None else step
            need(step is not None, file, "step id")
            steps.append({"id": step, "manifest": event.get("manifest")})
    return steps


def parses(path):
    try:
        read_json(path)
        return True
    except ValueError:
        return False


class Run:
    def __init__(self, folder, entry, queries, report):
        self.run_id, self.objective, self.query, self.counts = entry, None, None, None
        path = os.path.join(folder, entry)
        if os.path.isdir(path):
            self.file = f"{entry}/output.json"
            for name in ("output.json", "events.jsonl", "manifests"):
                if os.path.islink(os.path.join(path, name)):
                    report["skipped_links"].append(f"{entry}/{name}")
            if not os.path.lexists(os.path.join(path, "output.json")):
                others = [name for name in os.listdir(path) if name.endswith(".json") and not name.startswith(".")
                          and os.path.isfile(os.path.join(path, name)) and not os.path.islink(os.path.join(path, name))]
                if len(others) == 1:
                    self.file = f"{entry}/{others[0]}"
        else:
            self.file, self.run_id = entry, entry.removesuffix(".json")
        self.folder, self.inner = folder, os.path.isdir(path)
        self.manifests = self.list_manifests(entry, report)
        try:
            self.read(queries)
            self.check(report)
        except Malformed as error:
            file = error.args[0]
            report["malformed_runs"].append({"run_id": self.run_id, "file": file})
        if self.query is not None:
            self.query["runs"].append(self)
        elif self.objective is not None:
            report["unmatched_runs"].append(
                {"run_id": self.run_id, "file": self.file, "objective": self.objective})

    def list_manifests(self, entry, report):
        path = os.path.join(self.folder, entry, "manifests")
        if not self.inner or os.path.islink(path) or not os.path.isdir(path):
            return {}
        found = {}
        for name in sorted(os.listdir(path), key=os.fsencode):
            file = os.path.join(path, name)
            if os.path.islink(file):
                report["skipped_links"].append(f"{entry}/manifests/{name}")
            elif os.path.isfile(file) and name.endswith(".json"):
                found[name.removesuffix(".json")] = file
        return found

    def read(self, queries):
        path = os.path.join(self.folder, self.file)
        need(os.path.isfile(path) and not os.path.islink(path), self.file, "no output")
        try:
            run = read_json(path)
        except ValueError:
            raise Malformed(self.file, "not JSON") from None
        need(isinstance(run, dict), self.file, "not an object")
        own = name_of(run.get("id") if run.get("run_id") is None else run["run_id"])
        self.run_id = self.run_id if own is None else own
        if isinstance(run.get("objective"), str):
            self.objective = run["objective"].strip(SPACE)
        self.query = answered(queries, run)
        check_shape(run, self.file)
        self.output = run

    def steps(self):
        if self.output.get("steps"):
            return [{"id": id_of(step, "step_id"), "manifest": step.get("manifest")}
                    for step in self.output["steps"]]
        if not self.inner:
            return []
        file = os.path.dirname(self.file) + "/events.jsonl"
        path = os.path.join(self.folder, file)
        need(not os.path.islink(path), file, "a link")
        return events(path, file) if os.path.isfile(path) else []

    def check(self, report):
        run, who = self.output, {"run_id": self.run_id, "file": self.file}
        steps = self.steps()
        self.ledger = {id_of(record, "evidence_id"): usable(record) for record in run["evidence"]}
        verified = covered = with_manifest = 0
        for claim in run["claims"]:
            cited, claim_id = claim.get("evidence_ids") or [], id_of(claim, "claim_id")
            for i in cited:
                if i not in self.ledger:
                    report["unknown_evidence"].append({**who, "claim": claim_id, "evidence_id": i})
            if claim["status"].encode().lower() != b"verified":
                continue
            verified += 1
            if any(self.ledger.get(i) for i in cited):
                covered += 1
                continue
            known = any(i in self.ledger for i in cited)
            problem = "unusable_evidence" if known else "unknown_evidence" if cited else "no_evidence_cited"
            report["offenders"]["claims"].append(
                {**who, "claim": claim_id, "evidence_ids": cited, "problem": problem})
        for step in steps:
            file = self.manifests.get(step["id"])
            if something(step["manifest"]) or file is not None and parses(file):
                with_manifest += 1
            else:
                problem = "no_manifest" if file is None else "not_json"
                report["offenders"]["steps"].append({**who, "step": step["id"], "problem": problem})
        ids = {step["id"] for step in steps}
        for step_id in sorted(self.manifests, key=str.encode):
            if step_id not in ids:
                folder = os.path.dirname(self.file)
                report["stray_manifests"].append(
                    {"run_id": self.run_id, "file": f"{folder}/manifests/{step_id}.json"})
        required = self.query["required"] if self.query else []
        self.stop = run.get("stop_reason")
        self.abstained = self.stop == "NO_EVIDENCE" and verified == 0
        self.verified = verified
        self.counts = {
            "claims": len(run["claims"]), "verified": verified, "covered": covered,
            "required": len(required) if self.query else None,
            "found": sum(bool(self.ledger.get(i)) for i in required) if self.query else None,
            "abstained": self.abstained, "steps": len(steps), "with_manifest": with_manifest,
        }

    def ratios(self):
        """How many of how many, for each gate, of this run alone."""
        c = self.counts
        should_abstain = self.query is not None and not self.query["sufficient"]
        return [(c["covered"], c["verified"]), (c["found"] or 0, c["required"] or 0),
                (int(should_abstain and self.abstained), int(should_abstain)),
                (c["with_manifest"], c["steps"])]


# ---------------------------------------------------------------- all runs

def passes(value, gate, threshold):
    if gate == "manifest_integrity" and threshold == 1.0:
        return value == 1.0
    return value >= threshold


def list_runs(folder, report):
    if not os.path.isdir(folder):
        raise SystemError_("no folder of runs")
    runs = []
    for name in sorted(os.listdir(folder), key=os.fsencode):
        path = os.path.join(folder, name)
        if os.path.islink(path):
            report["skipped_links"].append(name)
        elif name.startswith(".") or not (os.path.isdir(path) or name.endswith(".json")):
            report["ignored"].append(name)
        else:
            runs.append(name)
    return runs


def evaluate(args):
    report = {key: [] for key in ("missing_runs", "unmatched_runs", "malformed_runs", "unknown_evidence",
                                  "stray_manifests", "skipped_links", "ignored", "per_run")}
    report["offenders"] = {key: [] for key in ("claims", "evidence", "abstentions", "steps")}
    queries = load_queries(args.golden)
    entries = list_runs(args.outputs, report)
    runs = [Run(args.outputs, entry, queries, report) for entry in entries]
    thresholds = [args.coverage, args.recall, args.abstention, args.manifests]
    readable = [run for run in runs if run.counts is not None]

    totals = [[0, 0] for _ in GATES]
    for run in readable:
        for at in (0, 3):
            totals[at][0] += run.ratios()[at][0]
            totals[at][1] += run.ratios()[at][1]
    for run in runs:
        query = run.query
        if query is None or query["sufficient"]:
            continue
        good = run.counts is not None and run.abstained
        totals[2][0] += good
        totals[2][1] += 1
        if not good:
            verified = None if run.counts is None else run.verified
            report["offenders"]["abstentions"].append({
                "query": query["query"], "objective": query["objective"], "run_id": run.run_id,
                "file": run.file, "stop_reason": None if run.counts is None else run.stop,
                "verified": verified,
                "problem": "malformed_run" if verified is None else "verified_claims" if verified else "stop_reason"})
    for query in queries:
        named = {"query": query["query"], "objective": query["objective"]}
        if not query["runs"]:
            report["missing_runs"].append(named)
            if not query["sufficient"]:
                totals[2][1] += 1
                report["offenders"]["abstentions"].append(
                    {**named, "run_id": None, "file": None, "stop_reason": None, "verified": None,
                     "problem": "no_run"})
        ledgers = [run.ledger for run in query["runs"] if run.counts is not None]
        for i in query["required"]:
            totals[1][1] += 1
            if any(ledger.get(i) for ledger in ledgers):
                totals[1][0] += 1
                continue
            problem = ("no_run" if not query["runs"] else "malformed_run" if not ledgers
                       else "unusable" if any(i in ledger for ledger in ledgers) else "missing")
            report["offenders"]["evidence"].append({**named, "evidence_id": i, "problem": problem})

    for run in runs:
        failed = list(GATES)
        if run.counts is not None:
            ratios = zip(GATES, run.ratios(), thresholds)
            failed = [gate for gate, (k, n), bar in ratios if n and not passes(k / n, gate, bar)]
        empty = dict.fromkeys(("claims", "verified", "covered", "required", "found", "abstained",
                               "steps", "with_manifest"))
        report["per_run"].append({"run_id": run.run_id, "file": run.file, "objective": run.objective,
                                  **(run.counts or empty), "gates_failed": failed})

    report["metrics"], report["gates"] = {}, []
    # Nothing to count is right only where the queries ask for nothing of the kind: claims
    # where some query can be answered, evidence, abstaining; steps are always asked for.
    asked = [any(query["sufficient"] for query in queries), any(query["required"] for query in queries),
             not all(query["sufficient"] for query in queries), True]
    for (good, n), metric, gate, bar, wanted in zip(totals, METRICS, GATES, thresholds, asked):
        value = good / n if n else None
        report["metrics"][metric] = {"numerator": good, "denominator": n, "value": value}
        op = "==" if gate == "manifest_integrity" and bar == 1.0 else ">="
        report["gates"].append({
            "name": gate, "metric": metric, "value": value, "op": op, "threshold": bar,
            "pass": passes(value, gate, bar) if n else args.allow_undefined or not wanted, "vacuous": not n})
    broken = len(report["malformed_runs"])
    report["gates"].append({
        "name": "well_formed_runs", "metric": "malformed_runs", "value": float(broken) if runs else None,
        "op": "==", "threshold": 0.0, "pass": broken == 0 and bool(runs),
        "vacuous": not runs})
    report["gates_pass"] = all(gate["pass"] for gate in report["gates"])
    report["status"] = "PASS" if report["gates_pass"] else "FAIL"
    report["queries"], report["runs"] = len(queries), len(runs)
    # The program names links of the folder itself first, then those of each run by name.
    report["skipped_links"].sort(key=lambda link: ("/" in link, link.encode()))
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--golden", required=True)
    parser.add_argument("--outputs", required=True)
    parser.add_argument("--allow-undefined", action="store_true")
    for name, default in zip(("coverage", "recall", "abstention", "manifests"), (0.95, 0.8, 0.9, 1.0)):
        parser.add_argument(f"--{name}", type=float, default=default)
    args = parser.parse_args()
    try:
        report = evaluate(args)
    except SystemError_ as error:
        print(json.dumps({"status": "SYSTEM_ERROR", "reason": str(error)}))
        return 3
    print(json.dumps(report, indent=1))
    return 0 if report["gates_pass"] else 1


if __name__ == "__main__":
    sys.exit(main())
