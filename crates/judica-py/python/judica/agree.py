"""Agreement between validators, judges or raters: `judica agree`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ._api import Theme
from ._call import Column, Input, Inputs, Path, Progress
from ._run import Run, measure

__all__ = ["judges", "pairs", "ratings"]


def pairs(
    pairs: Input | None = None,
    *,
    scholar: Input | None = None,
    auditor: Input | None = None,
    run: Path | None = None,
    policy: Path | None = None,
    tsv: Path | None = None,
    arbitrated: Path | None = None,
    out: Path | None = None,
    pa_gate: float | None = None,
    kappa_gate: float | None = None,
    abstain_gate: float | None = None,
    allow_undefined: bool = False,
    hygiene: bool = False,
    junit: Path | None = None,
    markdown: Path | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    confidence: float | None = None,
    subject: str | None = None,
    dataset: str | None = None,
    keep_text: bool = False,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Two validators of the same answers: `judica agree pairs`.

    Gates that fail are said in the report, and raise nothing: this measures.

    >>> import judica
    >>> run = judica.agree.pairs("docs/examples/agreement/pairs.jsonl")
    >>> run.report["gates_pass"]
    False
    """
    return measure("agree pairs", locals())[1]


def judges(
    eval_dir: Path,
    *,
    human: Path | Sequence[Path] | None = None,
    human_reference: Literal["majority", "first", "unanimous", "dawid-skene"] | None = None,
    run: Path | None = None,
    column: Column | None = None,
    include_deterministic: bool = False,
    drop_invalid: bool = False,
    min_common: int | None = None,
    disagreements: int | None = None,
    prices: Path | None = None,
    prior: float | None = None,
    aggregate: Literal["dawid-skene"] | None = None,
    out: Path | None = None,
    heatmap: Path | None = None,
    width: int | None = None,
    height: int | None = None,
    theme: Theme | None = None,
    font_size: float | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    confidence: float | None = None,
    subject: str | None = None,
    dataset: str | None = None,
    keep_text: bool = False,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Judges, and people, who said yes or no to the same predictions: `judica agree judges`.

    >>> import judica
    >>> run = judica.agree.judges("docs/examples/agreement/judges", human="docs/examples/agreement/human.json")
    >>> [judge["name"] for judge in run.report["judges"]]
    ['aspen', 'birch', 'cedar']
    """
    return measure("agree judges", locals())[1]


def ratings(
    input: Inputs,
    *,
    level: Literal["nominal", "ordinal", "interval", "ratio"],
    run: Path | None = None,
    column: Column | None = None,
    item: str | Sequence[str] | None = None,
    rater: str | None = None,
    value: str | None = None,
    rater_columns: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    order: str | Sequence[str] | None = None,
    categories: str | Sequence[str] | None = None,
    weights: str | None = None,
    pairwise: bool = False,
    heatmap: Path | None = None,
    width: int | None = None,
    height: int | None = None,
    theme: Theme | None = None,
    font_size: float | None = None,
    out: Path | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    confidence: float | None = None,
    subject: str | None = None,
    dataset: str | None = None,
    keep_text: bool = False,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Any table of item, rater and value: `judica agree ratings`.

    >>> import judica
    >>> run = judica.agree.ratings("docs/examples/agreement/ratings.csv", level="ordinal")
    >>> run.report["raters"], run.report["items"]
    (3, 10)
    """
    return measure("agree ratings", locals())[1]
