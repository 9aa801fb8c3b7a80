#!/usr/bin/env python3
"""An independent reading of the contract on pairs: what `judica agree pairs` must say.

    python3 pairs_oracle.py (--pairs F | --scholar F --auditor F) --tsv T --arbitrated A

Prints a JSON report, writes the table of disagreements and every decision on a pair that
counts. Standard library only; slow and plain on purpose.
"""

import argparse
import json
import sys

LABELS = ["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"]
WHYS = ["hard_flag", "citation_out_of_scope", "auditor_veto", "auditor_ok", "incoherent_pair"]


class Number(str):
    """A JSON number as it was written: 1 and 1.0 are different names."""


class Refused(Exception):
    """A line, or a pair, that does not count."""


def lines_of(path):
    """(line number, bytes) of every line that is not blank."""
    with open(path, "rb") as f:
        data = f.read()
    data = data.removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip(b" \t\r"):
            yield number, line


def parse(line):
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("invalid_utf8") from None
    try:
        row = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number)
    except json.JSONDecodeError:
        raise Refused("malformed_json") from None
    if not isinstance(row, dict):
        raise Refused("not_an_object")
    return row


def name_of(row):
    """The question's name; a number is the text it is written as."""
    name = row.get("qid")
    if name is None:
        raise Refused("missing_qid")
    if not isinstance(name, str) or name in ("NaN", "Infinity", "-Infinity") and isinstance(name, Number):
        raise Refused("wrong_type")
    return str(name)


def holds(value):
    """Whether a value is anything: the sense in which a flag is raised."""
    return float(value) != 0.0 if isinstance(value, Number) else bool(value)


def identifiers(value):
    """A list of identifiers as a set that tells 1 from "1"."""
    if not holds(value):
        return set()
    if isinstance(value, str) and not isinstance(value, Number):
        value = [value]
    if not isinstance(value, list):
        raise Refused("bad_shape")
    return {(type(v).__name__, json.dumps(v, sort_keys=True)) for v in value}


def evidence_of(row):
    """(flag raised, cited, retrieved) of a merged line."""
    flags, answer = row.get("flags"), row.get("answer_json")
    if any(holds(value) and not isinstance(value, dict) for value in (flags, answer)):
        raise Refused("bad_shape")
    flags, answer = (value if isinstance(value, dict) else {} for value in (flags, answer))
    raised = any(holds(flags.get(name)) for name in ("provenance_violation", "constraints_mismatch"))
    return raised, identifiers(answer.get("citations")), identifiers(row.get("retrieved_ids"))


def decide(scholar, auditor, evidence):
    """The conflict policy: (final label, why)."""
    raised, cited, retrieved = evidence
    if raised:
        return "REJECT", "hard_flag"
    if cited - retrieved:
        return "REJECT", "citation_out_of_scope"
    if auditor != "VALID":
        return "REJECT", "auditor_veto"
    if scholar in ("VALID", "NOT_IN_CONTEXT"):
        return "VALID", "auditor_ok"
    return "REJECT", "incoherent_pair"


def label_of(side):
    label = side.get("label")
    if label is None:
        raise Refused("missing_label")
    if not isinstance(label, str) or isinstance(label, Number):
        raise Refused("wrong_type")
    return label


class Measurement:
    def __init__(self):
        self.inputs = self.records = 0
        self.rejects = []                    # (file, line, reason)
        self.confusion = [[0] * 4 for _ in LABELS]
        self.why = dict.fromkeys(WHYS, 0)
        self.final = {"VALID": 0, "REJECT": 0}
        self.tsv, self.arbitrated = [], []

    def refuse(self, file, line, reason):
        self.rejects.append((file, line, str(reason)))

    def judge(self, name, scholar, auditor, evidence):
        """Decides a pair; says why it does not count, if it does not."""
        labels = [label_of(scholar), label_of(auditor)]
        final, why = decide(*labels, evidence)
        if labels[0] != labels[1]:
            self.tsv.append([name, *labels, final, why])
        if any(label not in LABELS for label in labels):
            raise Refused("unknown_label")
        self.confusion[LABELS.index(labels[0])][LABELS.index(labels[1])] += 1
        self.why[why] += 1
        self.final[final] += 1
        self.arbitrated.append(dict(qid=name, scholar=labels[0], auditor=labels[1], final=final, why=why))

    def merged(self, path):
        seen = set()
        for number, line in lines_of(path):
            self.inputs += 1
            try:
                row = parse(line)
                name = name_of(row)
                if name in seen:
                    raise Refused("duplicate_qid")
                seen.add(name)
                sides = [row.get("scholar"), row.get("auditor")]
                for side in sides:
                    if side is None:
                        raise Refused("missing_side")
                    if not isinstance(side, dict):
                        raise Refused("wrong_type")
                for side in sides:
                    label_of(side)
                self.judge(name, *sides, evidence_of(row))
                self.records += 1
            except Refused as reason:
                self.refuse(path, number, reason)

    def separate(self, paths):
        sides = []
        for path in paths:
            known = {}
            for number, line in lines_of(path):
                self.inputs += 1
                try:
                    row = parse(line)
                    name = name_of(row)
                    if name in known:
                        raise Refused("duplicate_qid")
                    known[name] = number, row
                except Refused as reason:
                    self.refuse(path, number, reason)
            sides.append(known)
        for this, other, path in ((0, 1, paths[0]), (1, 0, paths[1])):
            for name in sides[this].keys() - sides[other].keys():
                self.refuse(path, sides[this][name][0], "one_side_only")
        for name in sorted(sides[0].keys() & sides[1].keys()):
            pair = [side[name] for side in sides]
            try:
                self.judge(name, pair[0][1], pair[1][1], (False, set(), set()))
                self.records += 2
            except Refused as reason:
                for path, (number, _) in zip(paths, pair):
                    self.refuse(path, number, reason)
        self.rejects.sort(key=lambda r: (paths.index(r[0]), r[1]))

    def report(self, gates):
        confusion = self.confusion
        n = sum(map(sum, confusion))
        rows = [sum(row) for row in confusion]
        columns = [sum(row[j] for row in confusion) for j in range(4)]
        agreement = kappa = abstain = 0.0
        undefined = True
        if n:
            agreement = sum(confusion[i][i] for i in range(4)) / n
            chance = 0.0
            for r, c in zip(rows, columns):
                chance += (r / n) * (c / n)
            undefined = 1 - chance <= 1e-12
            kappa = 0.0 if undefined else (agreement - chance) / (1 - chance)
            abstain = rows[3] / n
        reached = [agreement >= gates["pa"], kappa >= gates["kappa"], abstain <= gates["abstain"]]
        tested = [n > 0, not undefined, n > 0]
        reasons = {}
        for _, _, reason in self.rejects:
            reasons[reason] = reasons.get(reason, 0) + 1
        return {
            "n": n, "percent_agreement": round(agreement, 4), "kappa": round(kappa, 4),
            "abstain_rate": round(abstain, 4), "disagreements": len(self.tsv), "gates": gates,
            "pass": all(reached), "kappa_undefined": undefined,
            "inputs": self.inputs, "records": self.records, "rejects": len(self.rejects),
            "confusion": confusion, "final_labels": self.final, "final_why": self.why,
            "gates_pass": all(r and t for r, t in zip(reached, tested)),
            "auditor_abstain_rate": columns[3] / n if n else None,
            "refused": reasons, "reject_lines": self.rejects,
        }


def cell(text):
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--pairs", "--scholar", "--auditor"):
        parser.add_argument(name)
    parser.add_argument("--tsv", required=True)
    parser.add_argument("--arbitrated", required=True)
    for name, default in (("pa", 0.90), ("kappa", 0.75), ("abstain", 0.02)):
        parser.add_argument(f"--{name}-gate", type=float, default=default, dest=name)
    args = parser.parse_args()
    measured = Measurement()
    if args.pairs:
        measured.merged(args.pairs)
    else:
        measured.separate([args.scholar, args.auditor])
    with open(args.tsv, "w", encoding="utf-8", newline="") as f:
        f.write("qid\tscholar\tauditor\tfinal\twhy\n")
        for row in measured.tsv:
            f.write("\t".join(map(cell, row)) + "\n")
    with open(args.arbitrated, "w", encoding="utf-8", newline="") as f:
        for row in measured.arbitrated:
            f.write(json.dumps(row) + "\n")
    gates = {name: getattr(args, name) for name in ("pa", "kappa", "abstain")}
    json.dump(measured.report(gates), sys.stdout)


if __name__ == "__main__":
    main()
