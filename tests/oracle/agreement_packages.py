#!/usr/bin/env python3
"""Writes small random tables of ratings with what well-known packages say of them.

    pip install numpy pandas scipy scikit-learn statsmodels krippendorff irrCAC
    python3 agreement_packages.py ../fixtures/agreement/packages.json

Not part of the test suite, which reads what this wrote. Which number is whose:

    percent_agreement                     irrCAC, observed agreement with identity weights
    cohen_kappa, _linear, _quadratic      scikit-learn, on the items that both rated, with all labels
    scott_pi                              statsmodels, Fleiss' kappa of two raters
    fleiss_kappa                          statsmodels, where every item has equally many ratings
    krippendorff_alpha                    krippendorff
    gwet_ac1, gwet_ac2                    irrCAC; AC2 with the weights named in the case
    pairwise                              scikit-learn, Cohen's kappa of every two raters

A number that a package does not define is null, and so is what needs two raters where
there are more. The same seed gives the same file.
"""

import json
import math
import random
import sys
import warnings
from importlib.metadata import version
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

PACKAGES = ["numpy", "pandas", "scipy", "scikit-learn", "statsmodels", "krippendorff", "irrCAC"]
AC2_WEIGHTS = {"nominal": "identity", "ordinal": "ordinal", "interval": "quadratic", "ratio": "ratio"}
NAMES = ["yes", "no", "maybe", "ünsure", "n/a, really", "\"quoted\"", "Zebra"]
ORDER = ["awful", "poor", "fair", "good", "great", "superb", "perfect"]


def values_of(rng, level, count):
    """Different values that fit a level, rising."""
    if level == "interval":
        return sorted(rng.sample([-7, -2.5, -1, 0, 0.5, 1, 2, 3.25, 10], count))
    if level == "ratio":
        return sorted(rng.sample([0.25, 0.5, 1, 1.5, 2, 3, 7, 12], count))
    if level == "ordinal" and rng.random() < 0.5:
        return sorted(rng.sample([-1, 0, 1, 2, 5, 9, 20], count))
    return list(range(1, count + 1))


def table(rng, raters, items, values, missing):
    """Ratings that agree more or less: a truth for each item, and slips of the raters."""
    slip = rng.choice([0.1, 0.3, 0.6, 0.9])
    rows = []
    for _ in range(items):
        truth = rng.randrange(len(values))
        row = []
        for _ in range(raters):
            value = values[rng.randrange(len(values)) if rng.random() < slip else truth]
            row.append(None if rng.random() < missing else value)
        rows.append(row)
    return rows


def number(value):
    """A JSON number; None for what is no number."""
    return float(value) if math.isfinite(value) else None


def kappa(pairs, codes, weights=None):
    """Cohen's kappa of pairs of values."""
    if not pairs:
        return None
    first, second = ([codes[pair[side]] for pair in pairs] for side in (0, 1))
    return number(cohen_kappa_score(first, second, labels=list(codes.values()), weights=weights))


def fleiss(rows, codes):
    """Of rows with equally many ratings, whosoever; None of others."""
    rows = [[codes[value] for value in row if value is not None] for row in rows]
    rows = [row for row in rows if row]
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return None
    counts, _ = aggregate_raters(np.array(rows))
    return number(fleiss_kappa(counts, method="fleiss"))


def alpha(rows, values, codes, level):
    counts = np.array([[sum(v is not None and codes[v] == code for v in row) for code in range(len(values))]
                       for row in rows])
    domain = np.arange(len(values)) if level == "nominal" else np.array(values, dtype=float)
    return number(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))


def gwet(rows, weights, categories):
    """(AC, observed agreement)"""
    frame = pd.DataFrame([[np.nan if value is None else value for value in row] for row in rows])
    found = CAC(frame, weights=weights, categories=categories, digits=15).gwet()["est"]
    return number(found["coefficient_value"]), number(found["pa"])


def expected(case, numbers):
    """What the packages say of a case; `numbers` are its values as they count."""
    rows = [[None if value is None else numbers[value] for value in row] for row in case["ratings"]]
    used = sorted({value for row in rows for value in row if value is not None})
    # What was declared counts, chosen or not.
    if case["order"]:
        used = sorted(numbers.values())
    codes = {value: code for code, value in enumerate(used)}
    raters = len(rows[0])
    both = {pair: [(row[pair[0]], row[pair[1]]) for row in rows if None not in (row[pair[0]], row[pair[1]])]
            for pair in combinations(range(raters), 2)}
    complete = [row for row in rows if None not in row]
    two = both[0, 1] if raters == 2 else []
    ac1, agreement = gwet(rows, "identity", used)
    level = case["level"]
    return {
        "percent_agreement": agreement,
        "cohen_kappa": kappa(two, codes),
        "cohen_kappa_linear": kappa(two, codes, "linear"),
        "cohen_kappa_quadratic": kappa(two, codes, "quadratic"),
        "scott_pi": fleiss(complete, codes) if raters == 2 else None,
        "fleiss_kappa": fleiss(rows, codes),
        "krippendorff_alpha": alpha(rows, used, codes, level),
        "gwet_ac1": ac1,
        "gwet_ac2": gwet(rows, case["weights"], used)[0],
        "pairwise": [[f"r{a + 1}", f"r{b + 1}", kappa(pairs, codes)] for (a, b), pairs in both.items()],
    }


def make(rng, level, raters, missing, kind="numbers", weights=None):
    count = rng.randrange(2, 8)
    items = rng.randrange(6, 26)
    case = {"level": level, "weights": weights or AC2_WEIGHTS[level], "order": None}
    if kind == "names":
        values = sorted(rng.sample(NAMES, count))
        numbers = {value: value for value in values}
    elif kind == "order":
        # Often more than anybody chooses.
        values = case["order"] = ORDER[:min(count + 2, 7)]
        items = rng.randrange(5, 9)
        numbers = {value: rank for rank, value in enumerate(values, 1)}
    else:
        values = values_of(rng, level, count)
        numbers = {value: value for value in values}
    while True:
        case["ratings"] = table(rng, raters, items, values, missing)
        used = {value for row in case["ratings"] for value in row} - {None}
        silent = any(all(row[r] is None for row in case["ratings"]) for r in range(raters))
        # With fewer the packages warn, differ or divide by zero.
        if len(used) > 1 and not silent and any(len([v for v in row if v is not None]) > 1 for row in case["ratings"]):
            break
    case["expected"] = expected(case, numbers)
    return case


def main():
    warnings.simplefilter("ignore")
    rng = random.Random(20250119)
    cases = []
    for level in ("nominal", "ordinal", "interval", "ratio"):
        for raters, missing in ((2, 0), (2, 0.2), (3, 0), (4, 0.15), (5, 0.4), (6, 0), (6, 0.7)):
            cases.append(make(rng, level, raters, missing))
    for raters, missing in ((2, 0), (2, 0.2), (3, 0.1), (6, 0)):
        cases.append(make(rng, "nominal", raters, missing, "names"))
        cases.append(make(rng, "ordinal", raters, missing, "order"))
    for weights in ("linear", "quadratic", "radical", "circular", "bipolar", "ordinal"):
        cases.append(make(rng, "interval", rng.choice([2, 3, 5]), rng.choice([0, 0.2]), weights=weights))
    cases.append(make(rng, "ratio", 2, 0, weights="linear"))
    cases = [{"name": f"{index}: {case['level']}, {len(case['ratings'][0])} raters, {case['weights']}", **case}
             for index, case in enumerate(cases)]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    packages = json.dumps({name: version(name) for name in PACKAGES})
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write(f'{{"packages": {packages}, "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
