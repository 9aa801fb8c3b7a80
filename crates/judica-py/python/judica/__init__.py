"""Decide, from stored artifacts, whether an AI system's outputs can be trusted.

Each function is a command of the same name, its keywords the command's long options. Inputs are
paths, tables (polars, pandas, pyarrow, DuckDB) or lists of dicts.

>>> import judica
>>> weather = "docs/examples/weather/"
>>> run = judica.eval(weather + "weather.toml", weather + "samples.jsonl", weather + "outputs.jsonl")
>>> [(row["rank"], row["model_name"]) for row in run.report["leaderboard"]]
[(1, 'north'), (2, 'south')]
"""

from . import agree, gate
from ._api import compare, episodes, eval, import_log, match, plan
from ._native import (
    ArtifactError,
    BadInputError,
    GateFailed,
    JudicaError,
    Protocol,
    ProtocolError,
    __version__,
)
from ._run import Records, Run, View
from ._run import open_run as open

__all__ = [
    "ArtifactError",
    "BadInputError",
    "GateFailed",
    "JudicaError",
    "Protocol",
    "ProtocolError",
    "Records",
    "Run",
    "View",
    "__version__",
    "agree",
    "compare",
    "episodes",
    "eval",
    "gate",
    "import_log",
    "match",
    "open",
    "plan",
]
