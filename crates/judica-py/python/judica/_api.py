"""The commands as functions. A signature is the command's list of options; a test holds the two
against each other. What a command prints is its result here, so how it is printed is no option.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ._call import Column, Input, Inputs, Path, Progress, call
from ._native import GateFailed
from ._run import Run, measure

Theme = Literal["light", "dark"]


def eval(
    protocol: Path,
    samples: Inputs,
    outputs: Inputs,
    *,
    out: Path | None = None,
    run: Path | None = None,
    confidence: Path | None = None,
    records: Literal["parquet", "jsonl", "both", "none"] | None = None,
    task: str | None = None,
    model: str | None = None,
    allow_commands: bool = False,
    column: Column | None = None,
    gold_columns: str | Sequence[str] | None = None,
    keep_text: bool = False,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    agent: Literal["rules", "llm"] | None = None,
    agent_model: str | None = None,
    agent_records: Literal["failed", "all"] | None = None,
    agent_limit: int | None = None,
    base_url: str | None = None,
    api: Literal["openai", "azure"] | None = None,
    api_version: str | None = None,
    api_key_env: str | None = None,
    ca_file: Path | None = None,
    timeout: int | None = None,
    attempts: int | None = None,
    concurrency: int | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
    max_output_tokens: int | None = None,
    max_usd: float | None = None,
    prices: Path | None = None,
    cache: Path | None = None,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Verifies structured outputs against a protocol: `judica eval`.

    `out` and `run` are the same word: the folder to leave the run in.

    >>> import judica
    >>> answer = '{"temperature": 12, "humidity": 80, "dew_point": 8.7, "wind_direction": 5}'
    >>> outputs = [{"model": "mine", "sample_id": "mon-06", "task_id": "HOUR", "response": answer}]
    >>> weather = "docs/examples/weather/"
    >>> run = judica.eval(weather + "weather.toml", weather + "samples.jsonl", outputs)
    >>> run.report["leaderboard"][0]["mean_total"]
    100.0
    """
    return measure("eval", locals())[1]


def match(
    predictions: Inputs,
    *,
    run: Path | None = None,
    column: Column | None = None,
    item: str | Sequence[str] | None = None,
    gold: str | None = None,
    prediction: str | Sequence[str] | None = None,
    cluster: str | None = None,
    normalizer: Literal["auto", "atl", "text", "exact", "number", "json"] | None = None,
    tolerance: float | None = None,
    relative_tolerance: float | None = None,
    classes: bool = False,
    confidence: str | None = None,
    figure: Path | None = None,
    width: int | None = None,
    height: int | None = None,
    theme: Theme | None = None,
    font_size: float | None = None,
    by: str | None = None,
    k: int | Sequence[int] | None = None,
    out: Path | None = None,
    details: Path | None = None,
    subject: str | None = None,
    dataset: str | None = None,
    keep_text: bool = False,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Holds predictions against their gold: `judica match`.

    >>> import judica
    >>> rows = [
    ...     {"id": "sum", "gold": "4", "prediction": "4.0"},
    ...     {"id": "product", "gold": "6", "prediction": "8"},
    ... ]
    >>> judica.match(rows, normalizer="number").report["matched"]
    0.5
    """
    return measure("match", locals())[1]


def episodes(
    episodes: Input,
    predictions: Input | None = None,
    *,
    mode: Literal["coord", "som"],
    config_path: str,
    backend: str,
    run: Path | None = None,
    column: Column | None = None,
    milestones: Path | None = None,
    screen: str | None = None,
    out: Path | None = None,
    details: Path | None = None,
    training_timestamp: str | None = None,
    device: str | None = None,
    gpu_model: str | None = None,
    memory_gb: float | None = None,
    checkpoint_path: str | None = None,
    subject: str | None = None,
    dataset: str | None = None,
    keep_text: bool = False,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Scores an agent's actions against recorded episodes: `judica episodes`.

    >>> import judica
    >>> folder = "docs/examples/episodes/"
    >>> run = judica.episodes(
    ...     folder + "episodes.jsonl", folder + "base.jsonl",
    ...     mode="coord", config_path="configs/base.yaml", backend="qwen3",
    ... )
    >>> run.report["metrics"]["num_episodes"]
    12
    """
    return measure("episodes", locals())[1]


def import_log(
    logs: Path | Sequence[Path],
    *,
    run: Path | None = None,
    as_: Literal["inspect", "lm-eval", "promptfoo", "deepeval", "helm", "openai-evals", "table"]
    | None = None,
    keep_all: bool = False,
    cluster: str | None = None,
    no_text: bool = False,
    item: str | Sequence[str] | None = None,
    metric: str | Sequence[str] | None = None,
    subject: str | None = None,
    dataset: str | None = None,
    timestamp: str | None = None,
    strict: bool = False,
    threads: int | None = None,
    max_line: int | str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Makes a run of the logs of another harness, or of a table of scores: `judica import`.

    >>> import judica
    >>> ratings = "docs/examples/agreement/ratings.csv"
    >>> run = judica.import_log(ratings, as_="table", item="item", subject="rater", metric="value")
    >>> len(run.records), len(run.rejects)
    (29, 0)
    """
    given = locals()
    return measure("import", given, {"logs": given.pop("logs")})[1]


def compare(
    *runs: Path,
    files: Path | Sequence[Path] | None = None,
    labels: str | Sequence[str] | None = None,
    details: Path | Sequence[Path] | None = None,
    subjects: str | Sequence[str] | None = None,
    one_each: bool = False,
    matrix: bool = False,
    unpaired: bool = False,
    metric: str | None = None,
    margin: float | None = None,
    difference: float | None = None,
    fail_if_worse: bool = False,
    alpha: float | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    forest: Path | None = None,
    width: int | None = None,
    height: int | None = None,
    theme: Theme | None = None,
    font_size: float | None = None,
    out: Path | None = None,
    max_line: int | str | None = None,
) -> dict[str, Any]:
    """Compares runs item by item, or subjects of one run: `judica compare`; gives its report.

    With `fail_if_worse`, what is worse raises `GateFailed`, whose `report` is the same.

    >>> import judica
    >>> weather = "docs/examples/weather/"
    >>> run = judica.eval(weather + "weather.toml", weather + "samples.jsonl", weather + "outputs.jsonl")
    >>> judica.compare(run, subjects=["north", "south"])["metrics"][0]["verdict"]
    'no difference'
    """
    given = locals()
    return reported("compare", given, {"runs": given.pop("runs")}, _worse)


def plan(
    *runs: Path,
    difference: float,
    metric: str | None = None,
    subjects: str | Sequence[str] | None = None,
    alpha: float | None = None,
    power: float | None = None,
    correlation: float | None = None,
    out: Path | None = None,
    max_line: int | str | None = None,
) -> dict[str, Any]:
    """Says how many items would show a difference: `judica plan`; gives its report.

    >>> import judica
    >>> run = judica.match("docs/examples/answers/predictions")
    >>> judica.plan(run, difference=0.1, subjects="medium")["metric"]
    'matched'
    """
    given = locals()
    return reported("plan", given, {"runs": given.pop("runs")}, _worse)


def reported(
    command: str, given: Mapping[str, Any], positional: Mapping[str, Any], told: Any
) -> dict[str, Any]:
    """The report of a command that leaves no run; one that fails its gates is raised."""
    code, printed = call(command, {**given, "json": True}, positional)
    report: dict[str, Any] = json.loads(printed)
    if code == 1:
        raise failed(told(report), report)
    return report


def failed(words: str, report: dict[str, Any], run: Run | None = None) -> GateFailed:
    """What is raised where a gate fails, with the report to look at."""
    error = GateFailed(words)
    error.report, error.run = report, run
    return error


def _worse(report: dict[str, Any]) -> str:
    return "\n".join(
        f"{row['metric']}: {row['verdict']}" for row in report["metrics"] if row["primary"]
    )
