#!/usr/bin/env python3
"""Answers against gold, decided a second time from the contract.

    python3 match_oracle.py [--normalizer NAME] [--tolerance X] [--relative-tolerance X] FILE…

Prints, under the report's keys, everything that follows from counting, and under `rows` how
each usable row is decided. Standard library only; slow and plain on purpose.
"""

import argparse
import gzip
import itertools
import json
import math
import re
import unicodedata
from collections import Counter
from decimal import Decimal, InvalidOperation
from pathlib import Path

import atl_oracle

LISTS = ("expected_options", "gold_options", "outputs")
GOLD = (*LISTS, "expected", "gold", "reference", "output")
PREDICTION = ("generated", "prediction", "model_output", "output_pred", "output")
INPUT = ("input", "nl")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.A)
Z = 1.959963984540054


class Refused(Exception):
    """A row that cannot be used."""


# Normalisers: equal(gold text, prediction text) is "exact", "structural" or None.

def atl(gold, prediction):
    if atl_oracle.spelling(gold) == atl_oracle.spelling(prediction):
        return "exact"
    gold, prediction = atl_oracle.read(gold), atl_oracle.read(prediction)
    return "structural" if gold is not None and gold == prediction else None


def text(gold, prediction):
    def form(value):
        value = unicodedata.normalize("NFC", value)
        # Folding twice around a decomposition is what Unicode calls canonical caseless.
        value = unicodedata.normalize("NFD", value.casefold()).casefold()
        return re.sub(f"[{atl_oracle.SPACE}]+", " ", unicodedata.normalize("NFC", value)).strip(" ")
    return "exact" if form(gold) == form(prediction) else None


def exact(gold, prediction):
    return "exact" if gold == prediction else None


def number(gold, prediction, absolute=0.0, relative=1e-9):
    def value(written):
        written = written.strip()
        found = float(written) if NUMBER.fullmatch(written) else math.inf
        return None if math.isinf(found) else found
    gold, prediction = value(gold), value(prediction)
    if gold is None or prediction is None:
        return None
    return "exact" if abs(gold - prediction) <= max(absolute, relative * abs(gold)) else None


def strict_json(written):
    def refuse(word):
        raise ValueError(word)

    def tagged(value):
        # Python holds True equal to 1.
        if isinstance(value, bool):
            return ("bool", value)
        if isinstance(value, list):
            return [tagged(element) for element in value]
        if isinstance(value, dict):
            return {key: tagged(element) for key, element in value.items()}
        return value
    return tagged(json.loads(written, parse_float=Decimal, parse_int=Decimal, parse_constant=refuse))


def structure(gold, prediction):
    try:
        return "exact" if strict_json(gold) == strict_json(prediction) else None
    except (ValueError, InvalidOperation):
        return None


def paired(equal, golds, predictions):
    """All golds and all predictions paired up: the best that any pairing gives."""
    if len(golds) != len(predictions):
        return None
    best = None
    for order in itertools.permutations(predictions):
        found = {equal(*pair) for pair in zip(golds, order)}
        if found <= {"exact"}:
            return "exact"
        if None not in found:
            best = "structural"
    return best


def lines(written):
    return [line.removesuffix("\r") for line in written.split("\n") if line.strip()]


def decided(name, equal, gold, prediction):
    if isinstance(gold, str) or len(gold) == 1:
        gold = gold if isinstance(gold, str) else gold[0]
        found = equal(gold, prediction)
        if name == "atl" and not found and len(lines(gold)) > 1 and all(map(atl_oracle.read, lines(gold))):
            found = paired(equal, lines(gold), lines(prediction))
        return found
    golds = [one for one in gold if one.strip()]
    if len(golds) == 1:
        return equal(golds[0], prediction)
    return paired(equal, golds, lines(prediction))


# Rows.

def first(row, names):
    return next((row[name] for name in names if row.get(name) is not None), None)


def gold_key(row):
    """The name that holds the gold: lists first, if they hold anything."""
    def says(key):
        value = row.get(key)
        if key == "outputs":
            return isinstance(value, list) and value != [] and all(
                isinstance(one, dict) and one.get("formula") is not None for one in value)
        return value is not None and not (key in LISTS and value == [])
    return next((key for key in GOLD if says(key)), None)


def gold_of(row, name):
    key = gold_key(row)
    if key is None:
        raise Refused("missing_gold")
    value = row[key]
    if key == "outputs":
        return [as_text(one["formula"], "bad_gold") for one in value]
    if name == "json" and isinstance(value, list) and key not in LISTS:
        return json.dumps(value, ensure_ascii=False)
    if value == []:
        raise Refused("missing_gold")
    return as_text(value, "bad_gold")


def prediction_of(row, name, gold):
    names = [key for key in PREDICTION if key != "output" or gold_key(row) not in (None, "output")]
    value = first(row, names)
    if value is None:
        raise Refused("missing_prediction")
    if name == "json" and (isinstance(gold, str) or len(gold) == 1) and isinstance(value, list):
        return value, json.dumps(value, ensure_ascii=False)
    said = as_text(value, "bad_prediction")
    return value, said if isinstance(said, str) else "\n".join(said)


def as_text(value, reason):
    if isinstance(value, list):
        if any(one is None or isinstance(one, list) for one in value):
            raise Refused(reason)
        return [as_text(one, reason) for one in value]
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def rows_of(path):
    data = Path(path).read_bytes()
    data = gzip.decompress(data) if str(path).endswith(".gz") else data
    data = data.removeprefix(b"\xef\xbb\xbf")
    if ".jsonl" not in str(path):
        whole = json.loads(data)
        return whole if isinstance(whole, list) else first(whole, ("predictions", "detailed_results"))
    return [line for line in data.split(b"\n") if line.strip()]


def parsed(row):
    if isinstance(row, bytes):
        try:
            row = json.loads(row.decode())
        except UnicodeDecodeError:
            raise Refused("invalid_utf8") from None
        except ValueError:
            raise Refused("malformed_json") from None
    if not isinstance(row, dict):
        raise Refused("not_an_object")
    return row


def used(row, seen, name="auto"):
    row = parsed(row)
    gold = gold_of(row, name)
    value, prediction = prediction_of(row, name, gold)
    parts = [first(row, INPUT), row[gold_key(row)], value]
    # A list and the text of that list say the same.
    said = json.dumps([part if isinstance(part, (str, type(None))) else json.dumps(part) for part in parts])
    called = row.get("id")
    if called is not None and called != "":
        if str(called) in seen["ids"]:
            raise Refused("duplicate_id")
        seen["ids"].add(str(called))
    else:
        seen["repeated"] += said in seen["texts"]
        seen["texts"].add(said)
    return row, gold, prediction


def chosen(rows):
    """The normaliser for a data set: what all its golds are, whatever else its rows lack."""
    golds = []
    for row in rows:
        try:
            gold = gold_of(parsed(row), "auto")
        except Refused:
            continue
        golds += [gold] if isinstance(gold, str) else gold
    return "atl" if atl_oracle.formulas(golds) else "text"


def tokens(row, key):
    usage = row.get("token_usage")
    usage = usage if isinstance(usage, dict) else {}
    value = first({0: row.get(key), 1: usage.get("_".join(reversed(key.split("_")))), 2: usage.get(key)}, (0, 1, 2))
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def wilson(hits, n):
    if not n:
        return None
    rate, z2 = hits / n, Z * Z
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    return [0.0 if hits == 0 else middle - half, 1.0 if hits == n else middle + half]


def summed(rows, refused, repeated):
    n = len(rows)
    methods = Counter(method for _, method in rows)
    known = {key: [tokens(row, key) for row, _ in rows if tokens(row, key) is not None]
             for key in ("tokens_input", "tokens_output")}
    both = [row for row, _ in rows if None not in (tokens(row, "tokens_input"), tokens(row, "tokens_output"))]
    counts = {"exact": methods["exact"], "structural": methods["structural"],
              "matched": methods["exact"] + methods["structural"], "undecided": methods[None]}
    totals = {f"total_{key}": sum(values) if values else None for key, values in known.items()}
    report = {"n_examples": n, "exact_match": counts["exact"] / n if n else None, **totals,
              "tokens_rows": len(both), "structural": counts["structural"] / n if n else None,
              "matched": counts["matched"] / n if n else None, "counts": counts,
              "intervals": {name: {"ci": wilson(counts[count], n)} for name, count in
                            (("exact_match", "exact"), ("structural", "structural"), ("matched", "matched"))},
              "inputs": n + len(refused), "rejects": len(refused),
              "rejects_by_reason": dict(Counter(refused)), "duplicates": repeated}
    if len(both) == n and n:
        report["total_tokens"] = sum(totals.values())
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--normalizer", default="auto")
    parser.add_argument("--tolerance", type=float, default=0.0)
    parser.add_argument("--relative-tolerance", type=float, default=1e-9)
    parser.add_argument("files", nargs="+")
    asked = parser.parse_args()

    def near(gold, prediction):
        return number(gold, prediction, asked.tolerance, asked.relative_tolerance)
    equals = {"atl": atl, "text": text, "exact": exact, "number": near, "json": structure}
    every, every_refusal, repeated, files = [], [], 0, []
    for path in asked.files:
        rows, refused, seen = [], [], {"ids": set(), "texts": set(), "repeated": 0}
        found = rows_of(path)
        name = chosen(found) if asked.normalizer == "auto" else asked.normalizer
        for row in found:
            try:
                row, gold, prediction = used(row, seen, name)
                rows.append((row, decided(name, equals[name], gold, prediction)))
            except Refused as reason:
                refused.append(str(reason))
        files.append({"file": path, "normalizer": name, **summed(rows, refused, seen["repeated"])})
        every += rows
        every_refusal += refused
        repeated += seen["repeated"]
    names = {file["normalizer"] for file in files}
    report = {**summed(every, every_refusal, repeated), "normalizer": names.pop() if len(names) == 1 else "auto",
              "files": files}
    print(json.dumps({"report": report, "rows": [method or "undecided" for _, method in every]}))


if __name__ == "__main__":
    main()
