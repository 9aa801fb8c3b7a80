"""From keywords to the arguments of a command, and from its exit code to what a caller gets.

Every keyword is the long option of the command line, so this page knows none of them: the
program's own parser reads what is made here.
"""

from __future__ import annotations

import io
import itertools
import json
import logging
import numbers
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, Union

from . import _native
from ._native import ArtifactError, BadInputError


class Stream(Protocol):
    """A table that gives itself away as an Arrow stream: polars, pandas, pyarrow, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class Bar(Protocol):
    """A progress bar like tqdm's."""

    n: Any
    total: Any

    def update(self, n: Any) -> Any: ...
    def refresh(self) -> Any: ...


Path = Union[str, os.PathLike[str]]
Rows = Union[Stream, Sequence[Mapping[str, Any]]]
Input = Union[Path, Rows]
Inputs = Union[Input, Sequence[Input]]
Column = Union[str, Sequence[str], Mapping[str, str]]
Progress = Union[Callable[[int], Any], Bar]

# Keywords whose rows may be in memory.
_ROWS = {
    "samples",
    "outputs",
    "predictions",
    "episodes",
    "pairs",
    "scholar",
    "auditor",
    "input",
}

# Keywords whose options take names with commas between.
_NAMES = {"categories", "gold_columns", "item", "metric", "order", "rater_columns", "subjects"}

_told = logging.getLogger("judica")


def call(
    command: str,
    given: Mapping[str, Any],
    positional: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> tuple[int, bytes]:
    """Runs a command; gives its exit code, 0 or 1, and what it would print."""
    positional = positional or {}
    tables = _Tables([*given.values(), *positional.values()])
    argv = arguments(command, given, positional, tables)
    with _shown(progress) as tell:
        code, printed, told = _native.call(argv, tables.rows or None, tell)
    if code == 130:
        raise KeyboardInterrupt
    if code not in (0, 1):
        kind = BadInputError if code == 2 else ArtifactError
        raise kind("\n".join(told) or f"exit code {code}")
    for line in told:
        _told.warning("%s", line)
    return code, printed


def arguments(
    command: str,
    given: Mapping[str, Any],
    positional: Mapping[str, Any] | None = None,
    tables: _Tables | None = None,
) -> list[str]:
    """The arguments of a command; `tables` takes inputs that are in memory."""
    positional = positional or {}
    tables = tables or _Tables([*given.values(), *positional.values()])
    argv = command.split()
    for keyword, value in given.items():
        option = "--" + keyword.rstrip("_").replace("_", "-")
        argv += _words(keyword, value, tables, option)
    argv.append("--")
    for keyword, value in positional.items():
        argv += _words(keyword, value, tables)
    return argv


class _Tables:
    """Inputs in memory by the names under which the arguments name them."""

    def __init__(self, given: Sequence[Any]) -> None:
        self.rows: dict[str, object] = {}
        several = (one for one in given if isinstance(one, (list, tuple)))
        words = [*given, *(one for some in several for one in some)]
        # A path is never taken for a table of the same name.
        self._taken = {os.fspath(one) for one in words if isinstance(one, (str, os.PathLike))}

    def add(self, name: str, rows: object) -> str:
        names = (name if at == 1 else f"{name}-{at}" for at in itertools.count(1))
        name = next(one for one in names if one not in self._taken)
        self._taken.add(name)
        self.rows[name] = rows
        return name


def _words(
    keyword: str, value: Any, tables: _Tables, option: str | None = None
) -> list[str]:
    """The arguments that say a keyword's value."""
    if value is None or value is False:
        return []
    if value is True and option:
        return [option]
    if keyword in _ROWS:
        words = [_place(keyword, one, tables) for one in _several(keyword, value)]
    elif isinstance(value, Mapping):
        words = [f"{field}={_word(keyword, name)}" for field, name in value.items()]
    elif isinstance(value, (list, tuple)):
        words = [_word(keyword, one) for one in value]
        if keyword in _NAMES:
            # Quoted as in a CSV, so that no comma in a name ends it.
            words = ['"' + word.replace('"', '""') + '"' for word in words]
            # The command may take the option once.
            words = [",".join(words)] if words else []
    else:
        words = [_word(keyword, value)]
    return [f"{option}={word}" for word in words] if option else words


def _word(keyword: str, value: object) -> str:
    if isinstance(value, (str, os.PathLike)):
        value = os.fspath(value)
        if isinstance(value, str):
            try:
                os.fsencode(value)
            except UnicodeEncodeError as error:
                raise BadInputError(f"`{keyword}` is no text: {error}") from error
            return value
    # Numbers of NumPy are written as Python's own.
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return repr(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return repr(float(value))
    raise BadInputError(f"`{keyword}` cannot be of type {type(value).__name__}: {value!r:.80}")


def _several(keyword: str, value: Any) -> Sequence[Any]:
    """One input, or each of a list of them; a list of dicts is one."""
    if not isinstance(value, (list, tuple)):
        return [value]
    rows = sum(isinstance(one, Mapping) for one in value)
    if rows == len(value):
        return [value]
    if rows:
        raise BadInputError(
            f"`{keyword}` has {rows} dicts among {len(value)} elements: rows are dicts, all of them"
        )
    return value


def _place(keyword: str, value: Any, tables: _Tables) -> str:
    """The path of an input, or the name under which its rows are handed over."""
    if isinstance(value, (str, os.PathLike)):
        path = _word(keyword, value)
        if path == "-":
            raise BadInputError(f"`{keyword}`: there is no standard input here; `-` cannot be read")
        return path
    if hasattr(value, "__arrow_c_stream__"):
        rows = _typed(value)
    elif isinstance(value, (list, tuple)):
        rows = b"".join(_line(keyword, at, row) for at, row in enumerate(value, 1))
    else:
        raise BadInputError(f"`{keyword}` {_unusable(value)}")
    return tables.add(keyword, rows)


def _typed(table: Any) -> Any:
    """A table of polars hands over columns that hold nothing in a form that is none of Arrow's."""
    if not type(table).__module__.startswith("polars.") or not hasattr(table, "with_columns"):
        return table
    from polars import Null, String, col

    return table.with_columns(col(Null).cast(String))


def _unusable(value: object) -> str:
    kind = type(value).__name__
    if value is None:
        return "is None: a path, a table or a list of dicts is needed"
    if isinstance(value, Mapping):
        return f"is one {kind}: a list with a dict for each row is needed"
    if isinstance(value, io.IOBase):
        state = "a closed" if value.closed else "an open"
        return f"is {state} file: give its path"
    if isinstance(value, Iterator):
        return f"is a {kind}, which can be read only once: give list(…) of it"
    hint = ": collect() it first" if hasattr(value, "collect") else ""
    return f"is a {kind}, not a path, a table with __arrow_c_stream__ or a list of dicts{hint}"


def _line(keyword: str, at: int, row: object) -> bytes:
    if not isinstance(row, Mapping):
        raise BadInputError(f"`{keyword}`, row {at}: a {type(row).__name__}, not a dict")
    try:
        return json_of(row) + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInputError(f"`{keyword}`, row {at}: {error}") from error


def json_of(row: object) -> bytes:
    """A row as JSON."""
    try:
        return json.dumps(row, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError:
        # Half of a letter, which is read as it is in a file.
        return json.dumps(row, default=_plain).encode()


def _plain(value: Any) -> object:
    """Numbers and arrays of NumPy as Python's own, its times as text, mappings as dicts."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        is_time = getattr(getattr(value, "dtype", None), "kind", "") == "M"
        return (value.astype(str) if is_time else value).tolist()
    raise TypeError(f"a value of type {type(value).__name__} is no JSON: {value!r:.80}")


@contextmanager
def _shown(progress: Any) -> Iterator[Callable[[int], object] | None]:
    """What a command calls with the number of records so far."""
    if not hasattr(progress, "update"):
        if progress is not None and not callable(progress):
            raise BadInputError(f"`progress` is a {type(progress).__name__}, no tqdm or callable")
        yield progress
        return
    ours = isinstance(progress, type)
    bar = progress(unit=" records") if ours else progress
    # A bar may have counted something before.
    before = bar.n
    try:
        yield lambda records: bar.update(before + records - bar.n)
        if bar.total is None:
            bar.total = bar.n
        bar.refresh()
    finally:
        if ours:
            bar.close()
