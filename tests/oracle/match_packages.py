#!/usr/bin/env python3
"""Writes small random predictions with what well-known packages say of them.

    pip install numpy scipy scikit-learn
    python3 match_packages.py ../fixtures/match/packages.json

Not part of the test suite, which reads what this wrote. Which number is whose:

    classes        scikit-learn: precision_recall_fscore_support, matthews_corrcoef, confusion_matrix
    numbers        scikit-learn: mean_absolute_error, mean_squared_error, r2_score
    calibration    scikit-learn: brier_score_loss, calibration_curve; SciPy: Wilson's interval
    intervals      SciPy: BCa of the same resamples from 50 clusters, Student's t of the jackknife below
    repeats        binomial coefficients

A case is rows, options, and numbers by the JSON pointer at which they stand in the report. The
same seed gives the same file.
"""

import json
import math
import random
import sys
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve

SEED, RESAMPLES = 20250119, 1000


def rotate(x, n):
    return (x << np.uint32(n)) | (x >> np.uint32(32 - n))


def chacha8(resamples, blocks):
    """Words of ChaCha with 8 rounds for every resample: the seed is the key, its number the nonce."""
    words = []
    for block in range(blocks):
        start = np.zeros((16, resamples), dtype=np.uint32)
        start[:4] = np.array([0x61707865, 0x3320646E, 0x79622D32, 0x6B206574], dtype=np.uint32)[:, None]
        start[4], start[5] = SEED & 0xFFFFFFFF, SEED >> 32
        start[12] = block
        start[14] = np.arange(resamples, dtype=np.uint32)
        x = start.copy()

        def quarter(a, b, c, d):
            for p, q, r, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[p] += x[q]
                x[r] = rotate(x[r] ^ x[p], n)
        for _ in range(4):
            for a in range(4):
                quarter(a, 4 + a, 8 + a, 12 + a)
            for a in range(4):
                quarter(a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4)
        words.append(x + start)
    return np.concatenate(words).T


def draws(clusters):
    """Which clusters each resample takes, by Lemire's method."""
    taken = []
    for words in chacha8(RESAMPLES, clusters // 16 + 3):
        products = words.astype(np.uint64) * np.uint64(clusters)
        kept = products[(products & np.uint64(0xFFFFFFFF)) >= (2 ** 32 % clusters)] >> np.uint64(32)
        taken.append(kept[:clusters].astype(int))
    return np.array(taken)


def interval(clusters, value_of):
    """The interval of a function of rows, over clusters of them."""
    def statistic(chosen):
        return value_of([row for at in np.asarray(chosen, dtype=int) for row in clusters[at]])
    count = len(clusters)
    everything = np.arange(count)
    if count >= 50:
        resampled = np.array([statistic(chosen) for chosen in draws(count)])
        known = SimpleNamespace(bootstrap_distribution=resampled[np.isfinite(resampled)])
        found = stats.bootstrap((everything,), statistic, n_resamples=0, bootstrap_result=known,
                                vectorized=False, method="BCa")
        return list(found.confidence_interval)
    value = statistic(everything)
    left = np.array([statistic(np.delete(everything, at)) for at in everything])
    error = math.sqrt((count - 1) / count * ((left - value) ** 2).sum())
    reach = stats.t.ppf(0.975, count - 1) * error
    return [value - reach, value + reach]


def wilson(hits, n):
    found = stats.binomtest(int(hits), int(n)).proportion_ci(method="wilson")
    return [found.low, found.high]


def rate(pairs):
    """A share over clusters of rows (right, of): Wilson's with the effective number of rows."""
    clusters = [(sum(pair), len(pair)) for pair in pairs if pair]
    above, below = sum(a for a, _ in clusters), sum(b for _, b in clusters)
    value = above / below
    if all(b == 1 for _, b in clusters):
        return value, wilson(above, below)
    count = len(clusters)
    left = np.array([(above - a) / (below - b) for a, b in clusters])
    error = (count - 1) / count * ((left - value) ** 2).sum()
    effective, z = count, stats.norm.ppf(0.975)
    if error > 1e-24:
        effective = min(below, below * (value * (1 - value) / (below - 1)) / error)
        z = stats.t.ppf(0.975, count - 1)
    middle = (value + z * z / (2 * effective)) / (1 + z * z / effective)
    half = z / (1 + z * z / effective) * math.sqrt(value * (1 - value) / effective + z * z / (4 * effective ** 2))
    return value, [max(0.0, middle - half) if value > 0 else 0.0, min(1.0, middle + half) if value < 1 else 1.0]


class Expected(dict):
    """Numbers by their place in a report."""

    def value(self, at, value, ci=None):
        self[f"{at}/value"] = None if value is None or not math.isfinite(value) else float(value)
        if ci is not None:
            self[f"{at}/ci/0"], self[f"{at}/ci/1"] = map(float, ci)


def by_item(rows):
    items = {}
    for row in rows:
        items.setdefault(row["id"], []).append(row)
    return [items[name] for name in sorted(items)]


def cut(ci, least):
    return [min(1.0, max(least, end)) for end in ci]


def classes(rng, items, labels, others, epochs):
    """Golds among some labels, predictions among these and others."""
    rows = []
    for item in range(items):
        truth = rng.choice(labels)
        for epoch in range(1, rng.randint(1, epochs) + 1):
            said = truth if rng.random() < 0.6 else rng.choice(labels[:-1] + others)
            rows.append({"id": f"i{item:03}", "epoch": epoch, "gold": truth, "prediction": said.upper()})
    clusters = by_item(rows)
    known = sorted({row["gold"] for row in rows})

    def sides(rows):
        said = [row["prediction"].lower() for row in rows]
        return [row["gold"] for row in rows], [one if one in known else "zz other" for one in said]
    true, said = sides(rows)
    expected = Expected()

    def scores(true, said, average):
        return metrics.precision_recall_fscore_support(true, said, labels=known, average=average, zero_division=np.nan)
    each = scores(true, said, None)
    for at, label in enumerate(known):
        expected[f"/classes/classes/{at}/support"] = int(each[3][at])
        for name, values in zip(("precision", "recall", "f1"), each):
            expected.value(f"/classes/classes/{at}/{name}", values[at])
        recall = rate([[row["prediction"].lower() == label for row in rows if row["gold"] == label] for rows in clusters])
        expected.value(f"/classes/classes/{at}/recall", *recall)

        def f1(rows, label=label):
            true, said = sides(rows)
            right = sum(t == s == label for t, s in zip(true, said))
            both = sum(t == label for t in true) + sum(s == label for s in said)
            return 2 * right / both if both else math.nan
        expected.value(f"/classes/classes/{at}/f1", each[2][at], cut(interval(clusters, f1), 0.0))
    for name in ("macro", "weighted", "micro"):
        for at, score in enumerate(("precision", "recall", "f1")):
            expected.value(f"/classes/{name}/{score}", scores(true, said, name)[at])

    def matthews(rows):
        true, said = sides(rows)
        return metrics.matthews_corrcoef(true, said)
    expected.value("/classes/matthews", matthews(rows), cut(interval(clusters, matthews), -1.0))

    def macro_f1(rows):
        found = []
        true, said = sides(rows)
        for label in known:
            both = true.count(label) + said.count(label)
            if both:
                found.append(2 * sum(t == s == label for t, s in zip(true, said)) / both)
        return sum(found) / len(found)
    expected.value("/classes/macro/f1", macro_f1(rows), cut(interval(clusters, macro_f1), 0.0))
    matrix = metrics.confusion_matrix(true, said, labels=known + ["zz other"])
    for gold, row in enumerate(matrix[:-1]):
        for at, count in enumerate(row):
            expected[f"/classes/confusion/{gold}/{at}"] = int(count)
    return {"options": "--classes", "rows": rows, "expected": expected}


def numbers(rng, items, offset):
    rows = []
    for item in range(items):
        truth = round(offset + rng.gauss(0, 4), 3)
        for epoch in range(1, rng.randint(1, 2) + 1):
            said = round(truth + rng.gauss(0.5, 2), 3)
            rows.append({"id": f"i{item:03}", "epoch": epoch, "gold": truth, "prediction": str(said)})
    clusters = by_item(rows)

    def sides(rows):
        return [row["gold"] for row in rows], [float(row["prediction"]) for row in rows]
    expected = Expected()

    def mae(rows):
        return metrics.mean_absolute_error(*sides(rows))

    def mse(rows):
        return metrics.mean_squared_error(*sides(rows))

    def bias(rows):
        true, said = sides(rows)
        return float(np.mean(np.array(said) - np.array(true)))

    def r2(rows):
        return metrics.r2_score(*sides(rows))
    expected.value("/numbers/mae", mae(rows), interval(clusters, mae))
    root = [math.sqrt(max(0.0, end)) for end in interval(clusters, mse)]
    expected.value("/numbers/rmse", math.sqrt(mse(rows)), root)
    expected.value("/numbers/bias", bias(rows), interval(clusters, bias))
    expected.value("/numbers/r2", r2(rows), [min(1.0, end) for end in interval(clusters, r2)])
    return {"options": "--normalizer number", "rows": rows, "expected": expected}


def calibration(rng, items):
    rows = []
    for item in range(items):
        sure = round(rng.random(), rng.choice([1, 3]))
        right = rng.random() < 0.2 + 0.6 * sure
        rows.append({"id": f"i{item:03}", "gold": "a", "prediction": "a" if right else "b", "p": sure})
    clusters = by_item(rows)

    def sides(rows):
        return [int(row["prediction"] == "a") for row in rows], [row["p"] for row in rows]
    true, sure = sides(rows)
    expected = Expected()

    def brier(rows):
        return metrics.brier_score_loss(*sides(rows), pos_label=1)

    def apart(rows):
        return float(np.mean([(right - sure) ** 2 for right, sure in zip(*sides(rows))]))
    assert abs(brier(rows) - apart(rows)) < 1e-12
    expected.value("/calibration/brier", brier(rows), interval(clusters, apart))
    edges = [at / 10 for at in range(11)]
    bins = [max(0, sum(edge < one for edge in edges[1:-1])) for one in sure]
    share, mean = calibration_curve(true, sure, n_bins=10)
    error, at = 0.0, 0
    for number in range(10):
        inside = [right for right, of in zip(true, bins) if of == number]
        if not inside:
            expected[f"/calibration/curve/{number}/confidence"] = None
            continue
        expected[f"/calibration/curve/{number}/confidence"] = float(mean[at])
        ci = wilson(sum(inside), len(inside))
        expected.value(f"/calibration/curve/{number}/matched", share[at], ci)
        error += len(inside) / len(rows) * abs(share[at] - mean[at])
        at += 1
    expected.value("/calibration/ece", error)
    return {"options": "--confidence p", "rows": rows, "expected": expected}


def repeats(rng, items):
    rows = []
    for item in range(items):
        ease = rng.random()
        for epoch in range(1, rng.randint(1, 6) + 1):
            said = "a" if rng.random() < ease else "b"
            rows.append({"id": f"i{item:03}", "epoch": epoch, "gold": "a", "prediction": said})
    clusters = by_item(rows)
    expected = Expected()
    for at, k in enumerate((1, 3, 7)):
        tries = [(len(rows), sum(row["prediction"] == "a" for row in rows)) for rows in clusters if len(rows) >= k]
        expected[f"/repeats/passes/{at}/left_out"] = len(clusters) - len(tries)
        one = [1 - math.comb(n - c, k) / math.comb(n, k) for n, c in tries]
        every = [math.comb(c, k) / math.comb(n, k) for n, c in tries]
        expected.value(f"/repeats/passes/{at}/pass_at_k", float(np.mean(one)) if tries else None)
        expected.value(f"/repeats/passes/{at}/pass_all_k", float(np.mean(every)) if tries else None)
    value, ci = rate([[row["prediction"] == "a" for row in rows] for rows in clusters])
    expected.value("/intervals/matched", value, ci)
    return {"options": "--k 1,3,7", "rows": rows, "expected": expected}


def main():
    rng = random.Random(13)
    cases = [
        classes(rng, 70, ["ant", "bee", "cow"], ["yak"], 3),
        classes(rng, 90, ["no", "yes"], ["maybe", "unsure", "later"], 1),
        classes(rng, 14, ["a", "b", "c", "d"], [], 2),
        numbers(rng, 80, 0.0),
        numbers(rng, 60, 1e6),
        numbers(rng, 9, -3.0),
        calibration(rng, 120),
        calibration(rng, 12),
        repeats(rng, 60),
    ]
    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        json.dump({"packages": packages, "cases": cases}, out, indent=None, separators=(",", ":"), sort_keys=True)
        out.write("\n")


main()
