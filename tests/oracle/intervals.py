"""Intervals of shares over clusters, worked out a second time from the contract.

Fractions until the last step, and Student's t by its finite series, so that nothing is shared
with how the program does it. Standard library only; slow and plain on purpose.
"""

import math
import statistics
from fractions import Fraction

Z = statistics.NormalDist().inv_cdf(0.975)


def wilson(share, n, z=Z):
    """Wilson's score interval of a share of n items."""
    zz = z * z / n
    middle = (share + zz / 2) / (1 + zz)
    half = z * math.sqrt(share * (1 - share) / n + zz / (4 * n)) / (1 + zz)
    return [0.0 if share == 0 else middle - half, 1.0 if share == 1 else middle + half]


def student(degrees, tail=0.975):
    """The quantile of Student's t with whole degrees, by halving."""
    low, high = 0.0, 1.0
    while inside(high, degrees) < 2 * tail - 1:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle, degrees) < 2 * tail - 1 else (low, middle)
    return (low + high) / 2


def inside(t, degrees):
    """The probability of lying between -t and t: Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    if degrees == 1:
        return 2 * angle / math.pi
    term, total = (cosine, cosine) if degrees % 2 else (1.0, 1.0)
    for k in range(3 if degrees % 2 else 2, degrees - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + sine * total) if degrees % 2 else sine * total


def clustered(terms):
    """The interval of a share from (hits, of) of records that are clusters of their own."""
    terms = [(Fraction(above), Fraction(below)) for above, below in terms if below]
    n = len(terms)
    if n == 0:
        return None
    above, below = (sum(term[side] for term in terms) for side in (0, 1))
    share = above / below
    if all(of == 1 and hits in (0, 1) for hits, of in terms):
        return wilson(float(share), n)
    if n == 1:
        return None
    left = [(above - a) / (below - b) for a, b in terms]
    variance = float(Fraction(n - 1, n) * sum((one - share) ** 2 for one in left))
    if variance == 0:
        return wilson(float(share), n)
    share = float(share)
    effective = min(n, n * (share * (1 - share) / (n - 1)) / variance)
    return wilson(share, effective, student(n - 1))
