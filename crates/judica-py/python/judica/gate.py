"""Numbers held against thresholds: `judica gate`. What fails raises `judica.GateFailed`."""

from __future__ import annotations

from typing import Any

from ._api import failed, reported
from ._call import Path, Progress
from ._run import Run, measure

__all__ = ["check", "golden"]


def golden(
    outputs: Path,
    *,
    golden: Path | None = None,
    run: Path | None = None,
    out: Path | None = None,
    gates: Path | None = None,
    baseline: Path | None = None,
    min_coverage: float | None = None,
    min_recall: float | None = None,
    min_abstention: float | None = None,
    min_manifests: float | None = None,
    subject: str | None = None,
    dataset: str | None = None,
    keep_text: bool = False,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    junit: Path | None = None,
    markdown: Path | None = None,
    allow_undefined: bool = False,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Runs of an agent against golden queries: `judica gate golden`.

    >>> import judica
    >>> try:
    ...     judica.gate.golden("docs/examples/gates/runs", golden="docs/examples/gates/golden_queries.json")
    ... except judica.GateFailed as error:
    ...     print(error)
    evidence_coverage_rate is 0.75, must be >= 0.95 (3 of 4; interval [0.00688824, 0.99923]; broken by limit-1)
    """
    code, made = measure("gate golden", locals())
    if code == 1:
        report = made.report
        raise failed(broken(report), report, made)
    return made


def check(
    run: Path | None = None,
    *,
    gates: Path,
    report: Path | None = None,
    baseline: Path | None = None,
    out: Path | None = None,
    junit: Path | None = None,
    markdown: Path | None = None,
    allow_undefined: bool = False,
    max_line: int | str | None = None,
) -> dict[str, Any]:
    """A run, or any report, against a gates file: `judica gate check`; gives the report.

    >>> import judica
    >>> report = judica.gate.check(report="docs/examples/gates/none.json", gates="docs/examples/gates/gates.toml")
    Traceback (most recent call last):
    judica.ArtifactError: SYSTEM_ERROR: docs/examples/gates/none.json: no such file
    """
    given = locals()
    return reported("gate check", given, {"run": given.pop("run")}, broken)


def broken(report: dict[str, Any]) -> str:
    """The gates that fail, in words."""
    return "\n".join(words(gate) for gate in report["gates"] if not gate["pass"])


def words(gate: dict[str, Any]) -> str:
    """What a gate found: metric, value, threshold, n and interval."""
    named = "" if gate["metric"].endswith(gate["name"]) else f" ({gate['metric']})"
    value = "undefined" if gate["value"] is None else f"{gate['value']:g}"
    note = f" ({gate['note']})" if gate["note"] else ""
    return f"{gate['name']}{named} is {value}, must be {gate['op']} {_limit(gate['threshold'])}{note}"


def _limit(threshold: Any) -> str:
    if isinstance(threshold, list):
        return " and ".join(f"{end:g}" for end in threshold)
    return f"{threshold:g}" if isinstance(threshold, (int, float)) else str(threshold)
