"""A run: the folder that a command leaves, and everything that can be asked of it."""

from __future__ import annotations

import atexit
import html
import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from typing import Any

from . import _native
from ._call import Path, Progress, call
from ._native import ArtifactError, BadInputError, GateFailed, JudicaError

# What a notebook shows of a table.
_MOST_ROWS = 50

_TEMPORARY = (
    "this run is in a temporary folder, which goes with it: save(DIR) it before it is copied, "
    "pickled or sent to another process"
)


class Folder:
    """A temporary folder that goes with the last object that needs it."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="judica-")
        # A forked process must not take it from its parent.
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: str, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(path, ignore_errors=True)


class Records:
    """The records of a run as an Arrow stream, which can be taken as often as you like.

    >>> import judica, polars
    >>> run = judica.match("docs/examples/answers/predictions")
    >>> polars.DataFrame(run.records)["verdict"].null_count()
    0
    """

    def __init__(self, folder: str, keep: Folder | None) -> None:
        self._keep = keep
        self._folder = os.path.abspath(folder)
        # What is not there is told at once.
        self._open()

    def _open(self) -> _native.Records:
        """Opened anew each time: another run may have taken the place of the one that was there."""
        return _native.Records(self._folder)

    def __reduce__(self) -> tuple[type[Records], tuple[str, None]]:
        if self._keep:
            raise BadInputError(_TEMPORARY)
        return Records, (self._folder, None)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._open().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._open().__arrow_c_schema__()

    def __len__(self) -> int:
        return len(self._open())

    def __repr__(self) -> str:
        return f"<judica.Records: {len(self)} rows; polars.DataFrame(…) or pyarrow.table(…) reads them>"


class View(str):
    """The address of a viewer, which serves until it is closed or this process ends."""

    _process: subprocess.Popen[str]

    def close(self) -> None:
        """Ends the viewer."""
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self)}" target="_blank">{html.escape(self)}</a>'


class Run:
    """A run that a command left in a folder; `judica.open(DIR)` gives it again.

    A run that was made without a folder lives in a temporary one, which goes with this object, at
    the end of a `with` block, or by `close()`; `save(DIR)` keeps it.

    >>> import judica
    >>> run = judica.match([{"id": "q1", "gold": "Rome", "prediction": "rome "}], subject="mine")
    >>> run.report["matched"]
    1.0
    >>> run.record("q1")["verdict"]
    'pass'
    """

    folder: str
    manifest: dict[str, Any]

    def __init__(self, folder: Path, _keep: Folder | None = None) -> None:
        self.folder = os.fspath(folder)
        self._keep = _keep
        self._views: list[View] = []
        self.manifest = self._read("manifest.json")
        version = self.manifest.get("schema_version") if isinstance(self.manifest, dict) else None
        if not str(version).startswith("judica.run/"):
            raise ArtifactError(f"{self.folder}: not the folder of a run")

    def __fspath__(self) -> str:
        return self.folder

    def __reduce__(self) -> tuple[type[Run], tuple[str]]:
        if self._keep:
            raise BadInputError(_TEMPORARY)
        return Run, (os.path.abspath(self.folder),)

    def __repr__(self) -> str:
        counts = self.manifest["counts"]
        return (
            f"<judica.Run: {self.manifest['command']}, {counts['records']} records, "
            f"{counts['rejects']} rejects, in {self.folder}>"
        )

    def _read(self, name: str) -> Any:
        path = os.path.join(self.folder, name)
        try:
            with open(path, "rb") as file:
                return json.load(file)
        except FileNotFoundError:
            missing = "no run there" if name == "manifest.json" else "no such file"
            raise ArtifactError(f"{path}: {missing}") from None
        except (OSError, ValueError, RecursionError) as error:
            raise ArtifactError(f"{path}: {error}") from error

    @property
    def report(self) -> dict[str, Any]:
        """What the command reports with `--json`."""
        report: dict[str, Any] = self._read("report.json")
        return report

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """The metrics of every subject and data set: value, n, clusters, standard error, interval."""
        _, printed = call("show", {"json": True, "metrics": True}, {"run": self})
        metrics: list[dict[str, Any]] = json.loads(printed)["metrics"]
        return metrics

    @property
    def records(self) -> Records:
        """One row for each record, as an Arrow stream that can be taken repeatedly."""
        return Records(self.folder, self._keep)

    @property
    def rejects(self) -> list[dict[str, Any]]:
        """The rows that could not be used, each with file, line, reason and raw text."""
        # A run without the file has none; of a run that is gone nobody knows.
        self._read("manifest.json")
        return _rejects(self.folder)

    def record(
        self,
        item: str,
        subject: str | None = None,
        *,
        dataset: str | None = None,
        epoch: int | None = None,
        inputs: Path | None = None,
    ) -> dict[str, Any]:
        """The one record of an item, with its evidence; more than one is an error that names them."""
        given = {"json": True, "subject": subject, "dataset": dataset, "epoch": epoch, "inputs": inputs}
        _, printed = call("show", given, {"run": self, "item": item})
        found = [json.loads(line) for line in printed.splitlines() if line]
        if len(found) == 1:
            return dict(found[0])
        seen = sorted({_whose(one) for one in found})
        raise BadInputError(
            f"{item}: {len(found)} records; say whose by `subject`, `dataset` or `epoch`: "
            + ", ".join(seen[:10])
        )

    def compare(self, *others: Path, **options: Any) -> dict[str, Any]:
        """Holds others against this run: `judica.compare(run, other, …)`."""
        from ._api import compare

        return compare(self, *others, **options)

    def save(self, folder: Path) -> Run:
        """Keeps the run in a folder, in which a run may stand that is replaced as a whole."""
        target = os.path.abspath(os.fspath(folder))
        if self._keep is None and os.path.realpath(target) == os.path.realpath(self.folder):
            return self
        # What is copied into itself has no end, and a temporary folder goes.
        own = self._keep.path if self._keep else self.folder
        if _is_in(target, own):
            raise ArtifactError(f"{folder}: is in the run's own folder")
        if os.path.lexists(target) and not _is_replaceable(target):
            raise ArtifactError(f"{folder}: something that is no run stands there")
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            made = tempfile.mkdtemp(suffix=".judica-tmp", prefix=".", dir=os.path.dirname(target))
            try:
                shutil.copytree(self.folder, os.path.join(made, "new"))
                if os.path.lexists(target):
                    os.replace(target, os.path.join(made, "old"))
                os.replace(os.path.join(made, "new"), target)
            finally:
                shutil.rmtree(made, ignore_errors=True)
        except OSError as error:
            raise ArtifactError(f"{folder}: {error}") from error
        # Streams that were taken keep the temporary folder until they are read.
        self.folder, self._keep = target, None
        return self

    def view(self, other: Path | None = None) -> View:
        """Starts the viewer on this machine and gives its address; `close()` ends it."""
        command = [sys.executable, "-m", "judica", "view", "--no-open", "--", self.folder]
        if other is not None:
            command.append(os.fspath(other))
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        assert process.stdout and process.stderr
        address = process.stdout.readline().strip()
        if not address:
            _, told = process.communicate()
            raise ArtifactError(told.strip() or "the viewer did not start")
        # Nobody reads on: a pipe that is full must not stop it.
        process.stderr.close()
        view = View(address)
        view._process = process
        atexit.register(view.close)
        self._views.append(view)
        return view

    def close(self) -> None:
        """Ends viewers, and removes the run if it is a temporary one."""
        while self._views:
            self._views.pop().close()
        if self._keep:
            self._keep.remove()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        tables = self._read("tables.json")
        try:
            shown = _table(tables[0]) if tables else ""
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            path = os.path.join(self.folder, "tables.json")
            raise ArtifactError(f"{path}: no tables of a run: {error}") from error
        return f"{shown}<p><small>{html.escape(repr(self))}</small></p>"


def _is_in(path: str, folder: str) -> bool:
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    return os.path.commonpath([path, folder]) == folder


def _is_replaceable(folder: str) -> bool:
    """Whether nothing but a run is lost with what stands there."""
    if os.path.isdir(folder) and not os.listdir(folder):
        return True
    try:
        Run(folder)
    except ArtifactError:
        return False
    return True


def open_run(folder: Path) -> Run:
    """Opens the run that a command left in a folder.

    >>> import judica, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = judica.match("docs/examples/answers/predictions", run=folder + "/run")
    ...     judica.open(folder + "/run").manifest["command"]
    'match'
    """
    try:
        return Run(folder)
    except TypeError as error:
        raise BadInputError(f"the folder of a run is needed: {error}") from error


# What an exception may bring, where it brings nothing.
JudicaError.run, JudicaError.rejects = None, []
GateFailed.report = {}


def measure(
    command: str, given: dict[str, Any], positional: Mapping[str, Any] | None = None
) -> tuple[int, Run]:
    """Runs a command that leaves a run, in a temporary folder if nobody names one."""
    progress: Progress | None = given.pop("progress")
    names = ("out", "run") if command == "eval" else ("run",)
    named = [given[name] for name in names if given[name] is not None]
    keep = None if named else Folder()
    if keep:
        given["run"] = os.path.join(keep.path, "run")
    folder = os.fspath(named[0] if named else given["run"])
    try:
        code, _ = call(command, given, positional, progress)
        return code, Run(folder, keep)
    except BaseException as error:
        if keep and isinstance(error, JudicaError):
            error.rejects = _rejects(folder)
            # The folder goes, and with it the file that the message names.
            kept = os.path.join(folder, "rejects.jsonl")
            error.args = tuple(str(one).replace(kept, "`rejects` of this error") for one in error.args)
            # A run of which something is missing, such as reviews: what was paid for stays.
            if os.path.exists(os.path.join(folder, "manifest.json")):
                error.run, keep = Run(folder, keep), None
        if keep:
            keep.remove()
        raise


def _rejects(folder: str) -> list[dict[str, Any]]:
    try:
        with open(os.path.join(folder, "rejects.jsonl"), "rb") as lines:
            return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []


def _whose(record: Mapping[str, Any]) -> str:
    parts = (record.get(key) for key in ("subject", "model_name", "dataset", "epoch"))
    return " ".join(str(part) for part in parts if part is not None)


def _table(table: Mapping[str, Any]) -> str:
    """A table of `tables.json` as HTML; names in it are anybody's, and escaped."""
    columns, rows = table["columns"], table["rows"]
    head = "".join(f"<th>{html.escape(column['name'])}</th>" for column in columns)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{"right" if column["align"] == "right" else "left"}">{_cell(cell)}</td>'
            for column, cell in zip(columns, row)
        )
        + "</tr>"
        for row in rows[:_MOST_ROWS]
    )
    more = len(rows) - _MOST_ROWS
    rest = f"<p><small>and {more} more rows</small></p>" if more > 0 else ""
    title = html.escape(table["title"])
    return f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(cell: Mapping[str, Any]) -> str:
    ((kind, value),) = cell.items()
    if kind == "missing":
        return f'<span title="{html.escape(value)}">n/a</span>'
    if kind == "integer":
        return f"{value:,}"
    if kind == "text":
        return html.escape(value)
    at = value["decimals"]
    text = f"{value['value']:.{at}f}"
    if kind == "percent":
        return f"{text} %"
    if kind == "interval":
        return f"{text} [{value['lo']:.{at}f}, {value['hi']:.{at}f}]"
    return text
