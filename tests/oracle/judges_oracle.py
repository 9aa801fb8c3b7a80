#!/usr/bin/env python3
"""Agreement of judges and people, worked out a second time from the contract.

    python3 judges_oracle.py --eval-dir DIR [--human FILE] [--include-deterministic]

Prints, under the report's keys, everything that follows from counting, and the rows that
are not used with the reason. Standard library only; slow and plain on purpose.
"""

import argparse
import collections
import gzip
import json
import sys
from pathlib import Path

from judges_numbers import (NO, YES, against_people, agreeing, alpha, coefficients, grouped, metric, pairwise, rate,
                            rated, tally)

WORDS = {"no": NO, "false": NO, "0": NO, "0.0": NO, "yes": YES, "true": YES, "1": YES, "1.0": YES}
WITHOUT_JUDGE = ["exact", "structural", "no_llm", "unmatched"]
# How a refusal is counted, if not as a row that cannot be read.
COUNTED_AS = {"duplicate_row": "duplicates", "conflicting_row": "duplicates",
              "unmatched_annotation": "unmatched", "annotation_of_left_out_row": "unmatched"}
Item = collections.namedtuple("Item", "source id input gold prediction")


class Refused(Exception):
    """A row that is not used."""


def first(row, *names):
    """What stands under the first of the names that has anything."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def text(value):
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def stem(name):
    """The name of a data set: no folders, no extensions of data files."""
    name = name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gz")
    return next((name.removesuffix(end) for end in (".jsonl", ".json") if name.endswith(end)), name)


def rows_of(path, *keys):
    """What a file says about itself, and its rows; a line that is no JSON is kept as bytes."""
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    data = data.removeprefix(b"\xef\xbb\xbf")
    if ".jsonl" not in path.name:
        try:
            whole = json.loads(data)
        except json.JSONDecodeError:
            pass  # One row after the other.
        else:
            if isinstance(whole, list):
                return {}, whole
            rows = first(whole, *keys)
            return (whole, rows) if isinstance(rows, list) else ({}, [whole])
    rows = []
    for line in filter(None, map(bytes.strip, data.split(b"\n"))):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            rows.append(line)
    return {}, rows


def read_row(row):
    """Input, gold and prediction; id, source, verdict, method."""
    if isinstance(row, bytes):
        raise Refused("malformed_json")
    if not isinstance(row, dict):
        raise Refused("not_an_object")
    asked = text(first(row, "input", "nl"))
    if asked is None:
        raise Refused("missing_input")
    if row.get("correct") is None:
        raise Refused("missing_verdict")
    verdict = WORDS.get(text(row["correct"]).strip().lower())
    if verdict is None:
        raise Refused("unknown_verdict")
    gold = text(first(row, "gold", "expected", "reference", "output", "expected_options"))
    content = asked, gold, text(first(row, "prediction", "generated", "model_output"))
    source = row.get("source_file")
    return content, text(row.get("id")), source and stem(source), verdict, row.get("decision_method", "").lower()


def again(same):
    return Refused("duplicate_row" if same else "conflicting_row")


class Reader:
    """Counts what becomes of rows."""

    def __init__(self):
        self.verdicts = {}
        self.counts = collections.Counter()

    def counted(self, *names):
        return {name: self.counts[name] for name in names}

    def attempt(self, use, row, file, refused):
        """Uses a row, or notes why it cannot be used."""
        try:
            use(row)
        except Refused as refusal:
            why = str(refusal)
            self.counts[COUNTED_AS.get(why, "refused_rows")] += 1
            refused.append([file, why, row.decode() if isinstance(row, bytes) else row])


class Panel:
    """The judges, and everything they looked at, rows that are left out included."""

    def __init__(self, folder, include_deterministic):
        self.judges = collections.defaultdict(Reader)
        self.items = {}
        self.refused = []
        self.include_deterministic = include_deterministic
        inner = [(path.parent.name, path) for path in folder.glob("*/*.json*") if path.parent.name != "human"]
        for owner, path in sorted([("", path) for path in folder.glob("*.json*")] + inner):
            about, rows = rows_of(path, "detailed_results", "predictions", "annotations")
            judge = self.judges[owner or about["judge_model"].strip()]
            judge.counts.update(files=1, rows=len(rows))
            source, name = stem(about.get("source_file") or path.name), str(path.relative_to(folder))
            for row in rows:
                judge.attempt(lambda row: self.use(judge, source, row), row, name, self.refused)

    def use(self, judge, source, row):
        content, name, own_source, verdict, method = read_row(row)
        item = Item(own_source or source, name, *content)
        self.items[item] = None
        if method in WITHOUT_JUDGE and not self.include_deterministic:
            judge.counts[method] += 1
            return
        if item in judge.verdicts:
            raise again(judge.verdicts[item] == verdict)
        judge.verdicts[item] = verdict
        judge.counts["used"] += 1

    def summary(self, name):
        judge = self.judges[name]
        yes, n = sum(judge.verdicts.values()), len(judge.verdicts)
        counted = judge.counted("files", "rows", "used", "refused_rows", "duplicates")
        return {"name": name, **counted, "left_out": judge.counted(*WITHOUT_JUDGE), **rate("yes", yes, n)}


class People(Reader):
    """What people said of the items that judges rated."""

    def __init__(self, files, panel, rated):
        super().__init__()
        self.panel, self.rated = panel, rated
        self.sources = {item.source for item in panel.items}
        self.refused = []
        for name, path, own_name in files:
            about, rows = rows_of(path, "annotations", "detailed_results", "predictions")
            named = map(stem, filter(None, [about.get("source_file"), about.get("run_name"), own_name]))
            source = next((name for name in named if name in self.sources), None)
            for row in rows:
                self.counts["annotations"] += 1
                self.attempt(lambda row: self.use(row, source), row, name, self.refused)

    def use(self, row, source):
        content, name, own_source, verdict, _ = read_row(row)
        source = own_source if own_source in self.sources else source
        about = [item for item in self.panel.items if item[2:] == content]
        about = [item for item in about if source in (None, item.source)]
        about = [item for item in about if None in (name, item.id) or name == item.id]
        if not about:
            raise Refused("unmatched_annotation")
        about = [item for item in about if item in self.rated]
        if not about:
            raise Refused("annotation_of_left_out_row")
        new = [item for item in about if item not in self.verdicts]
        if not new:
            raise again(all(self.verdicts[item] == verdict for item in about))
        self.verdicts.update(dict.fromkeys(new, verdict))

    def summary(self):
        counted = self.counted("annotations", "unmatched", "refused_rows", "duplicates")
        return {**counted, "matched_items": len(self.verdicts)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--eval-dir", type=Path, required=True)
    parser.add_argument("--human", type=Path)
    parser.add_argument("--include-deterministic", action="store_true")
    options = parser.parse_args()

    panel = Panel(options.eval_dir, options.include_deterministic)
    judges = sorted(panel.judges)
    items = [item for item in panel.items if any(item in panel.judges[name].verdicts for name in judges)]
    files = [(f"human/{path.name}", path, path.name) for path in sorted(options.eval_dir.glob("human/*.json*"))]
    files = [(options.human.name, options.human, None)] if options.human else files
    people = People(files, panel, set(items)) if files else None

    rows = [tuple(panel.judges[name].verdicts.get(item) for name in judges) for item in items]
    truths = [people.verdicts.get(item) for item in items] if people else []
    everybody = [(*row, truth) for row, truth in zip(rows, truths)] if people else rows
    by_source = grouped(everybody, [item.source for item in items])
    by_size = grouped(everybody, [sum(tally(row)) for row in everybody])
    report = {
        "judges": [panel.summary(name) for name in judges],
        "items": len(items),
        "sources": len(by_source),
        "overall": coefficients(everybody),
        "judges_only": coefficients(rows) if people else None,
        "pairwise": list(pairwise(judges + ["human"] if people else judges, everybody)),
        "per_source": [{"source": s, "items": len(r), "coefficients": coefficients(r)} for s, r in by_source],
        "coverage": [
            {
                "raters": size,
                "items": len(rows),
                "percent_agreement": metric(agreeing(rated(rows, 2)), len(rows)),
                "krippendorff_alpha": metric(alpha(rows), len(rows)),
            }
            for size, rows in by_size
        ],
        "human": {**people.summary(), **against_people(judges, rows, truths)} if people else None,
        "disagreement_items": sum(0 not in tally(row) for row in everybody),
    }
    refused = panel.refused + (people.refused if people else [])
    json.dump({"report": report, "refused": refused}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
