#!/usr/bin/env python3
"""Agreement of judges and people, worked out a second time from the contract.

    python3 judges_oracle.py --eval-dir DIR [--human FILE]... [--human-reference HOW]
        [--min-common N] [--include-deterministic]

Prints, under the report's keys, everything that follows from counting, and the rows that
are not used with the reason. Standard library only; slow and plain on purpose.
"""

import argparse
import collections
import gzip
import json
import sys
from pathlib import Path

from judges_numbers import (NO, YES, against_people, agreeing, alpha, coefficients, effective, grouped, metric,
                            pairwise, rate, rated, tally)

YES_WORDS = ["yes", "y", "true", "t", "1", "1.0", "correct", "right", "valid", "pass", "passed", "ok"]
NO_WORDS = ["no", "n", "false", "f", "0", "0.0", "incorrect", "wrong", "invalid", "fail", "failed", "not ok"]
WORDS = {**dict.fromkeys(YES_WORDS, YES), **dict.fromkeys(NO_WORDS, NO)}
WITHOUT_JUDGE = ["exact", "structural", "no_llm", "unmatched"]
NOT_CALLED = {"not_called_exact_match": "exact", "not_called_no_llm": "no_llm", "not_called_missing_data": "unmatched"}
DECLINED = ["refused", "refusal", "content_filter", "content_filtered", "declined"]
RATERS = [name + end for name in ("annotator", "rater", "worker", "reviewer", "user") for end in ("", "_id")] + ["name"]
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
    name = next((name.removesuffix(end) for end in (".jsonl", ".json") if name.endswith(end)), name)
    return name.rsplit("__judge-", 1)[0] or name


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


def gold_and_prediction(row):
    """Lists before single texts; `output` is whichever of the two stands nowhere else."""
    outputs = row.get("outputs")
    formulas = isinstance(outputs, list) and all(isinstance(each, dict) and "formula" in each for each in outputs)
    lists = [row.get("expected_options"), row.get("gold_options"), [o["formula"] for o in outputs] if formulas else None]
    lists = [each for each in lists if isinstance(each, (list, str))]
    golds = lists + [row.get(name) for name in ("expected", "gold", "reference")]
    golds = ["\n".join(map(text, gold)) if isinstance(gold, list) else text(gold) for gold in golds if gold not in (None, [])]
    prediction = text(first(row, "generated", "prediction", "model_output", "output_pred"))
    output = row.get("output")
    if golds:
        return golds[0], text(output) if prediction is None else prediction
    return "\n".join(map(text, output)) if isinstance(output, list) and output else text(output) if output != [] else None, prediction


def read_row(row):
    """Input, gold and prediction; id, source, verdict, method, rater. No verdict of a judge who declined."""
    if isinstance(row, bytes):
        raise Refused("malformed_json")
    if not isinstance(row, dict):
        raise Refused("not_an_object")
    asked = text(first(row, "input", "nl"))
    if asked is None:
        raise Refused("missing_input")
    status = (first(row, "parse_status", "judge_parse_status", "status") or "").strip().lower()
    method = (row.get("decision_method") or NOT_CALLED.get(status, "")).strip().lower()
    correct = first(row, "correct", "label")
    if status in DECLINED or method == "content_filtered":
        verdict = None
    elif correct is None:
        raise Refused("missing_verdict")
    else:
        verdict = WORDS.get(text(correct).strip().lower())
        if verdict is None:
            raise Refused("unknown_verdict")
    gold, prediction = gold_and_prediction(row)
    source, rater = row.get("source_file"), text(first(row, *RATERS))
    return (asked, gold, prediction), text(row.get("id")), source and stem(source), verdict, method, rater


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
        content, name, own_source, verdict, method, _ = read_row(row)
        item = Item(own_source or source, name, *content)
        self.items[item] = None
        if method in WITHOUT_JUDGE and not self.include_deterministic:
            judge.counts[method] += 1
            return
        if verdict is None:
            judge.counts["declined"] += 1
            return
        if item in judge.verdicts:
            raise again(judge.verdicts[item] == verdict)
        judge.verdicts[item] = verdict
        judge.counts["used"] += 1

    def summary(self, name):
        judge = self.judges[name]
        yes, n = sum(judge.verdicts.values()), len(judge.verdicts)
        counted = judge.counted("files", "rows", "used", "refused_rows", "duplicates")
        return {"name": name, **counted, "left_out": judge.counted(*WITHOUT_JUDGE, "declined"), **rate("yes", yes, n)}


def together(said, how):
    """One verdict of several, in the order in which they were given."""
    if how == "first":
        return next(iter(said.values()))
    no, yes = tally(list(said.values()))
    if how == "unanimous" and 0 not in (no, yes):
        return None
    return None if no == yes else YES if yes > no else NO


class People(Reader):
    """What people said of the items that judges rated."""

    def __init__(self, files, panel, rated, how):
        super().__init__()
        self.panel, self.rated, self.how = panel, rated, how
        self.said = collections.defaultdict(dict)
        self.sources = {item.source for item in panel.items}
        self.refused = []
        for name, path, own_name, whose in files:
            about, rows = rows_of(path, "annotations", "items", "data", "detailed_results", "predictions")
            named = map(stem, filter(None, [about.get("source_file"), about.get("run_name"), own_name]))
            source = next((name for name in named if name in self.sources), None)
            for row in rows:
                self.counts["annotations"] += 1
                self.attempt(lambda row: self.use(row, source, whose), row, name, self.refused)
        self.verdicts = {item: verdict for item, said in self.said.items()
                         if (verdict := together(said, how)) is not None}

    def use(self, row, source, whose):
        content, name, own_source, verdict, _, rater = read_row(row)
        if verdict is None:
            raise Refused("missing_verdict")
        source = own_source if own_source in self.sources else source
        about = [item for item in self.panel.items if item[2:] == content]
        if not about:  # A file may have kept the first of several golds only.
            about = [item for item in self.panel.items if "\n" in (item.gold or "")
                     and (item.input, item.gold.split("\n")[0], item.prediction) == content]
        about = [item for item in about if source in (None, item.source)]
        about = [item for item in about if None in (name, item.id) or name == item.id]
        if not about:
            raise Refused("unmatched_annotation")
        about = [item for item in about if item in self.rated]
        if not about:
            raise Refused("annotation_of_left_out_row")
        rater = rater or whose
        new = [item for item in about if rater is None or rater not in self.said[item]]
        if not new:
            raise again(all(self.said[item][rater] == verdict for item in about))
        for item in new:
            nobody = next(name for name in map("human_{}".format, range(1, 10**9)) if name not in self.said[item])
            self.said[item][rater or nobody] = verdict

    def summary(self):
        counted = self.counted("annotations", "unmatched", "refused_rows", "duplicates")
        names = sorted({name for said in self.said.values() for name in said})
        table = [tuple(said.get(name) for name in names) for said in self.said.values()]
        return {**counted, "matched_items": len(self.said), "no_reference": len(self.said) - len(self.verdicts),
                "reference": self.how, "agreement": coefficients(table)}

    def each(self):
        """Every person by name; the report has them as they came up."""
        names = sorted({name for said in self.said.values() for name in said})
        for name in names:
            theirs = [said[name] for said in self.said.values() if name in said]
            yield {"name": name, "items": len(theirs), **rate("yes", sum(theirs), len(theirs))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--eval-dir", type=Path, required=True)
    parser.add_argument("--human", type=Path, action="append", default=[])
    parser.add_argument("--human-reference", default="majority")
    parser.add_argument("--min-common", type=int, default=20)
    parser.add_argument("--include-deterministic", action="store_true")
    options = parser.parse_args()

    panel = Panel(options.eval_dir, options.include_deterministic)
    judges = sorted(panel.judges)
    items = [item for item in panel.items if any(item in panel.judges[name].verdicts for name in judges)]
    files = [(f"human/{path.name}", path, path.name, None) for path in sorted(options.eval_dir.glob("human/*.json*"))]
    own = [stem(path.name) if len(options.human) > 1 else None for path in options.human]
    files = [(path.name, path, None, whose) for path, whose in zip(options.human, own)] or files
    people = People(files, panel, set(items), options.human_reference) if files else None

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
    # Only what is worked out against people follows from counting.
    worth = effective(rows, truths, options.min_common) if people else None
    said = sorted(people.each(), key=lambda person: person["name"]) if people else []
    json.dump({"report": report, "refused": refused, "worth": worth, "people": said}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
