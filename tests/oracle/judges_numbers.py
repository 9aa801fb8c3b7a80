"""Coefficients of agreement and votes on rows of verdicts.

A row has everybody's verdict on an item, None where there is none. Numbers are exact
fractions until `metric` prints them, so that no order of summation and no rounding plays
a part.
"""

import collections
from fractions import Fraction
from itertools import combinations

NO, YES = 0, 1


def ratio(numerator, denominator):
    return None if denominator == 0 else Fraction(numerator) / Fraction(denominator)


def metric(value, n):
    """A number and how many items it rests on, or that there is no such number."""
    return {"value": None} if value is None else {"value": float(value), "n": n}


def rate(name, count, n):
    return {name: count, f"{name}_rate": metric(ratio(count, n), n)}


def corrected(observed, expected):
    """For chance."""
    return ratio(observed - expected, 1 - expected)


def tally(row):
    """How many said no, and yes."""
    return row.count(NO), row.count(YES)


def rated(rows, enough):
    return [row for row in rows if sum(tally(row)) >= enough]


def agreeing(rows):
    """The share of pairs of ratings of an item that are equal, on average."""
    shares = [Fraction(no * (no - 1) + yes * (yes - 1), (no + yes) * (no + yes - 1)) for no, yes in map(tally, rows)]
    return ratio(sum(shares), len(shares))


def cohen(pairs):
    if not pairs:
        return None
    a, b = (Fraction(sum(side), len(pairs)) for side in zip(*pairs))
    return corrected(agreeing(pairs), a * b + (1 - a) * (1 - b))


def fleiss(rows):
    """Of rows with equally many ratings, None of others; with two raters this is Scott's pi."""
    rows = [[said for said in row if said is not None] for row in rated(rows, 1)]
    if len(set(map(len, rows))) != 1 or len(rows[0]) < 2:
        return None
    yes = Fraction(sum(map(sum, rows)), sum(map(len, rows)))
    return corrected(agreeing(rows), yes**2 + (1 - yes) ** 2)


def alpha(rows):
    """Krippendorff's alpha for names: what was observed, and what pairing all values gives."""
    tallies = [tally(row) for row in rated(rows, 2)]
    no, yes = (sum(side) for side in zip(*tallies)) if tallies else (0, 0)
    observed = sum(Fraction(2 * a * b, a + b - 1) for a, b in tallies)
    return None if 0 in (no, yes) else 1 - observed / Fraction(2 * no * yes, no + yes - 1)


def gwet(rows):
    """AC1; an item with a single rating also tells what is said how often."""
    shares = [Fraction(yes, no + yes) for no, yes in map(tally, rated(rows, 1))]
    yes = ratio(sum(shares), len(shares))
    observed = agreeing(rated(rows, 2))
    return None if None in (yes, observed) else corrected(observed, 2 * yes * (1 - yes))


def coefficients(rows):
    """Of those raters who say anything at all."""
    columns = [column for column in zip(*rows) if set(column) != {None}]
    rows = list(zip(*columns)) if len(columns) > 1 else []
    complete = rated(rows, len(columns))
    two = complete if len(columns) == 2 else []
    paired = len(rated(rows, 2))
    return {
        "percent_agreement": metric(agreeing(rated(rows, 2)), paired),
        "cohen_kappa": metric(cohen(two), len(two)),
        "scott_pi": metric(fleiss(two), len(two)),
        "fleiss_kappa": metric(fleiss(rows), len(rated(rows, 1))),
        "krippendorff_alpha": metric(alpha(rows), paired),
        "gwet_ac1": metric(gwet(rows), paired),
    }


def pairwise(raters, rows):
    speaking = [at for at in range(len(raters)) if any(row[at] is not None for row in rows)]
    for a, b in combinations(speaking, 2):
        both = rated([(row[a], row[b]) for row in rows], 2)
        n = len(both)
        yes = [ratio(sum(pair[side] for pair in both), n) for side in (0, 1)]
        yield {
            "raters": [raters[a], raters[b]],
            "n": n,
            "percent_agreement": metric(agreeing(both), n),
            "cohen_kappa": metric(cohen(both), n),
            "labels": ["no", "yes"],
            "confusion": [[both.count((x, y)) for y in (NO, YES)] for x in (NO, YES)],
            "rates": [[] if share is None else [float(1 - share), float(share)] for share in yes],
        }


def accuracy(pairs):
    right = sum(said == truth for said, truth in pairs)
    return {"n": len(pairs), "correct": right, "accuracy": metric(ratio(right, len(pairs)), len(pairs))}


def against_people(judges, rows, people):
    known = [(row, truth) for row, truth in zip(rows, people) if truth is not None]
    singly, tests = [], []
    for at, judge in enumerate(judges):
        both = rated([(row[at], truth) for row, truth in known], 2)
        singly.append({"judge": judge, **accuracy(both), "kappa": metric(cohen(both), len(both))})
    for a, b in combinations(range(len(judges)), 2):
        right = [(row[a] == truth, row[b] == truth) for row, truth in known if None not in (row[a], row[b])]
        only = {"only_first_correct": right.count((True, False)), "only_second_correct": right.count((False, True))}
        tests.append({"judges": [judges[a], judges[b]], "n": len(right), **only})
    votes = {}
    voting = [(tally(row), truth) for row, truth in known if sum(tally(row)) >= 2]
    decided = {"majority_vote": lambda no, yes: no != yes, "unanimous_vote": lambda no, yes: 0 in (no, yes)}
    for name, is_decided in decided.items():
        cast = [(YES if yes > no else NO, truth) for (no, yes), truth in voting if is_decided(no, yes)]
        votes[name] = {**accuracy(cast), "no_vote": len(voting) - len(cast)}
    return {"accuracy": singly, "pair_tests": tests, **votes}


def correlation(pairs):
    """Of two marks, each true or false; None if one of them does not vary."""
    both, first, second, neither = (pairs.count(marks) for marks in ((1, 1), (1, 0), (0, 1), (0, 0)))
    below = (both + first) * (second + neither) * (both + second) * (first + neither)
    return (both * neither - first * second) / below**0.5 if below else None


def effective(rows, truths, min_common):
    """How many independent judges those are worth who err together; None where it is not told by people."""
    known = [(row, truth) for row, truth in zip(rows, truths) if truth is not None]
    speaking = [at for at in range(len(rows[0]) if rows else 0) if any(row[at] is not None for row, _ in known)]
    wrong = [[None if said is None else int(said != truth) for said in row] for row, truth in known]
    if len(speaking) < 2 or not any(1 in row for row in wrong):
        return None
    found = []
    for a, b in combinations(speaking, 2):
        pairs = [(row[a], row[b]) for row in wrong if None not in (row[a], row[b])]
        found.append(correlation(pairs) if len(pairs) >= min_common else None)
    sure = [rho for rho in found if rho is not None]
    if 2 * len(sure) < len(found):
        return None
    j, mean = len(speaking), sum(sure) / len(sure)
    value = j if mean <= 0 else max(1.0, j / (1 + (j - 1) * mean))
    return {"value": float(value), "basis": "human", "experimental": False, "judges": j, "pairs": len(found),
            "known_pairs": len(sure), "mean_error_correlation": mean}


def grouped(rows, keys):
    """Rows by key, keys in order."""
    groups = collections.defaultdict(list)
    for row, key in zip(rows, keys):
        groups[key].append(row)
    return sorted(groups.items())
