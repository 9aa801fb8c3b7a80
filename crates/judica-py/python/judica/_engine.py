"""What Spark and Ray have in common: the rows of a command are dealt out to workers, each of which
makes a piece of the run, and the driver makes the run of the pieces.

Rows that belong together (of `eval` all outputs of a model for a task) must be in one piece, in
order. Files are cut at line ends; the cuts are moved to where rows that belong together end; and
only if some still stand in two ranges, lines are moved between workers.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import operator
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from . import _api, _native, agree
from ._call import arguments
from ._native import ArtifactError, BadInputError, JudicaError
from ._run import Run

# A range, as the native module has it: file, start, end, first line.
Range = tuple[int, int, "int | None", int]

# No range is longer: a worker holds what it deals out of one.
_LARGEST = 256 << 20

# Files of pieces, and what a worker has begun.
_PIECE = re.compile(r"part-\d{5}\.(json|parquet|[a-z-]+\.(jsonl|parquet))|\.\d+-\d+\.judica-tmp")
# Says that files of these names in its folder are pieces, whole or not.
_MARK = ".judica-pieces"
# Rows of a table stand in a folder that is named by their contents, so that those of the run that
# stands there are never touched.
_ROWS = re.compile(r"rows-([0-9a-f]{16}|new)")


# Keywords of the functions that make runs here, and why they are none of an engine's: nothing that
# was asked for is left out without a word.
_REFUSED = {
    "run": "the run's folder is `out`",
    "progress": "the engine shows how far its workers are",
    **dict.fromkeys(
        ["details", "figure", "width", "height", "theme", "font_size"]
        + ["tsv", "arbitrated", "junit", "markdown"],
        "workers write the run and nothing else",
    ),
    **dict.fromkeys(
        ["agent", "agent_model", "agent_records", "agent_limit", "base_url", "api", "api_version"]
        + ["api_key_env", "ca_file", "timeout", "attempts", "concurrency", "rpm", "tpm"]
        + ["max_output_tokens", "max_usd", "prices", "cache"],
        "a model reviews whole runs, those of judica.eval",
    ),
}
_FUNCTIONS: dict[str, Callable[..., Run]] = {
    "eval": _api.eval,
    "match": _api.match,
    "agree pairs": agree.pairs,
}
# Options whose files workers read.
_PATHS = {"eval": "confidence", "agree pairs": "policy"}


class Table(NamedTuple):
    """A table on many machines."""

    #: Writes its rows in their order, as JSON lines, to a file in a folder of its own.
    write: Callable[[str], None]


class Engine(Protocol):
    """Who runs functions on workers."""

    #: How many workers can work at once.
    parallelism: int

    def map(self, work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Calls the function with each tuple of arguments; the results are in their order."""
        ...

    def shuffle(
        self,
        deal: Callable[..., list[tuple[int, bytes]]],
        tasks: Sequence[tuple[Any, ...]],
        pieces: int,
        make: Callable[[int, Iterable[bytes]], int],
    ) -> None:
        """Deals out the rows of each task, and makes each piece of what is dealt to it, in the
        order of the tasks."""
        ...


class Work(NamedTuple):
    """A command, for workers."""

    #: Another for every run: files may change in between.
    run: str
    argv: tuple[str, ...]


@functools.lru_cache(maxsize=2)
def job(work: Work) -> _native.Job:
    """The command, as this process has it: what it has read for a run is not read again for it."""
    return _native.Job(list(work.argv))


def _version() -> str:
    return _native.__version__


def _count(path: str, start: int, end: int) -> int:
    return _native.count_lines(path, start, end)


def _digest(work: Work, file: int) -> str:
    return job(work).digest(file)


def _scan(work: Work, of: Range) -> Any:
    return job(work).scan(of)


def _deal(work: Work, of: Range, pieces: int) -> list[tuple[int, bytes]]:
    return job(work).deal(of, pieces)


def _piece(
    work: Work,
    known: tuple[list[str], str],
    of: int,
    number: int,
    ranges: list[Range] | None = None,
    rows: Iterable[bytes] | None = None,
) -> int:
    digests, facts = known
    return job(work).piece(number, of, digests, facts, ranges=ranges, rows=rows)


def run(
    engine: Engine,
    command: str,
    given: dict[str, Any],
    *,
    out: Any,
    partitions: int | None,
    deal: Callable[..., list[tuple[int, bytes]]] = _deal,
) -> Run:
    """Runs a command on workers."""
    pieces = engine.parallelism if partitions is None else _number("partitions", partitions)
    given = _taken(command, given)
    folder = local(out, "out")
    threads = given.pop("threads", None)
    if not os.access(os.path.dirname(folder) or "/", os.W_OK) and not os.path.isdir(folder):
        raise ArtifactError(f"{folder}: cannot be made")
    held = _native.hold(folder)
    try:
        files = {keyword: _file(folder, keyword, value) for keyword, value in given.items()}
        # A worker has a core to itself.
        argv = arguments(command, {**files, "run": folder, "threads": 1})
        ours = _native.Job(argv)
        # What is not there is told before anything is removed, or anybody is asked.
        ours.ranges(_LARGEST)
        _begin_pieces(folder)
        work = Work(uuid.uuid4().hex, tuple(argv))
        in_order = _make(engine, work, ours, pieces, deal)
        _native.finish_pieces(folder, in_order, threads)
    finally:
        _forget_pieces(folder)
        _forget_rows(folder)
        held.release()
    return Run(folder)


def _number(keyword: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise BadInputError(f"`{keyword}` is {value!r}: a whole number is needed") from None
    if number < 1:
        raise BadInputError(f"`{keyword}` is {number}: at least 1 is needed")
    return number


def _taken(command: str, given: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a command that workers can do something with."""
    given = {keyword: value for keyword, value in given.items() if value is not None}
    # Python says it where one is unknown.
    inspect.signature(_FUNCTIONS[command]).bind_partial(**given)
    if given.get("agent") == "rules":
        given.pop("agent")
    for keyword in filter(_REFUSED.__contains__, given):
        raise BadInputError(f"`{keyword}` is not for an engine: {_REFUSED[keyword]}")
    path = _PATHS.get(command)
    if path in given:
        given[path] = local(given[path], path)
    return given


def _make(engine: Engine, work: Work, ours: _native.Job, pieces: int, deal: Any) -> bool:
    """Makes all pieces; says whether they stand one behind the other."""
    paths = [os.fspath(path) for path in ours.paths]
    total = sum(os.path.getsize(path) for path in paths)
    ranges = ours.ranges(min(max(1, total // (2 * pieces)), _LARGEST))
    _same_version(engine)
    digests = engine.map(_digest, [(work, file) for file in range(len(paths))])
    ranges = _numbered(engine, paths, ranges)
    found = engine.map(_scan, [(work, of) for of in ranges])
    facts = ours.all_facts([one[-1] for one in found])
    known = (digests, facts)
    dealt, meet = _native.settle(ranges, found)
    if not meet:
        groups = _balanced(dealt, pieces, paths)
        of = len(groups)
        tasks = [(work, known, of, at, group) for at, group in enumerate(groups, 1)]
        engine.map(_piece, tasks)
        return True
    if all(one[4] is None for one in found):
        make = functools.partial(_made, work, known, pieces)
        engine.shuffle(deal, [(work, of, pieces) for of in ranges], pieces, make)
    else:
        # What cannot be moved is read whole by every piece, which takes its own of it.
        engine.map(_piece, [(work, known, pieces, at) for at in range(1, pieces + 1)])
    return False


def _made(
    work: Work, known: tuple[list[str], str], of: int, number: int, rows: Iterable[bytes]
) -> int:
    return _piece(work, known, of, number, rows=rows)


def _numbered(engine: Engine, paths: list[str], ranges: list[Range]) -> list[Range]:
    """The ranges with their first lines: lines are counted by workers, and added up here."""
    cut = [(at, of) for at, of in enumerate(ranges) if of[2] is not None]
    counts = engine.map(_count, [(paths[of[0]], of[1], of[2]) for _, of in cut])
    lines = dict(zip((at for at, _ in cut), counts))
    numbered: list[Range] = []
    line = 1
    for at, (file, start, end, _) in enumerate(ranges):
        line = 1 if start == 0 else line
        numbered.append((file, start, end, line))
        line += lines.get(at, 0)
    return numbered


def _balanced(ranges: list[Range], pieces: int, paths: list[str]) -> list[list[Range]]:
    """Ranges one behind the other, in at most so many groups of about the same size."""
    sizes = [os.path.getsize(paths[of[0]]) if of[2] is None else of[2] - of[1] for of in ranges]
    each = max(1, -(-sum(sizes) // pieces))
    groups: list[list[Range]] = []
    filled = 0
    for of, size in zip(ranges, sizes):
        if not groups or (filled >= each * len(groups) and len(groups) < pieces):
            groups.append([])
        groups[-1].append(of)
        filled += size
    return groups


def _same_version(engine: Engine) -> None:
    versions = set(engine.map(_version, [()] * engine.parallelism))
    if versions - {_native.__version__}:
        raise BadInputError(
            f"workers have judica {', '.join(sorted(versions))}, the driver has "
            f"{_native.__version__}: install one wheel everywhere"
        )


def _begin_pieces(folder: str) -> None:
    """Makes room for pieces, of pieces alone: who else has files there keeps them."""
    pieces = os.path.join(folder, "records")
    mark = os.path.join(pieces, _MARK)
    os.makedirs(pieces, exist_ok=True)
    names = sorted(os.listdir(pieces))
    # Where no mark is, the names alone do not say whose they are.
    whole = [name for name in names if _is_piece(os.path.join(pieces, name))]
    marked = os.path.exists(mark)
    ours = ("part-",) if marked else tuple(name.removesuffix("json") for name in whole)
    for name in names:
        if not name.startswith(".") and not (_PIECE.fullmatch(name) and name.startswith(ours)):
            raise ArtifactError(
                f"{os.path.join(pieces, name)}: stands among the pieces of the run, and is none; "
                "move it away"
            )
    open(mark, "w").close()
    _remove_pieces(pieces)


def _is_piece(path: str) -> bool:
    if not path.endswith(".json"):
        return False
    try:
        with open(path, "rb") as file:
            version = json.load(file)["schema_version"]
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return False
    return str(version).startswith("judica.piece/")


def _forget_pieces(folder: str) -> None:
    """Removes what is left of pieces that were begun here, by lost workers, too."""
    pieces = os.path.join(folder, "records")
    mark = os.path.join(pieces, _MARK)
    if os.path.exists(mark):
        _remove_pieces(pieces)
        os.remove(mark)
        _remove_empty(pieces)


def _remove_pieces(pieces: str) -> None:
    for name in os.listdir(pieces):
        if _PIECE.fullmatch(name):
            # A worker may just have given it another name.
            with suppress(FileNotFoundError):
                os.remove(os.path.join(pieces, name))


def _remove_empty(folder: str) -> None:
    with suppress(OSError):
        os.rmdir(folder)


def _file(folder: str, keyword: str, value: Any) -> Any:
    """The file in the run's folder to which the rows of a table are written; else the value."""
    if not isinstance(value, Table):
        return value
    rows = os.path.join(folder, "inputs")
    new = os.path.join(rows, "rows-new")
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    name = f"{keyword}.jsonl"
    value.write(os.path.join(new, name))
    place = os.path.join(rows, f"rows-{_contents(os.path.join(new, name))}")
    # The same rows again stand there already.
    if not os.path.isdir(place):
        os.replace(new, place)
    return [os.path.join(place, name)]


def _contents(path: str) -> str:
    """A short name for a file and what it holds."""
    hash = hashlib.sha256(os.path.basename(path).encode())
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            hash.update(block)
    return hash.hexdigest()[:16]


def _forget_rows(folder: str) -> None:
    """Removes rows of tables that are not those of the run that stands there."""
    rows = os.path.join(folder, "inputs")
    if not os.path.isdir(rows):
        return
    try:
        inputs = Run(folder).manifest["inputs"]
        named = {os.path.basename(os.path.dirname(input["path"])) for input in inputs}
    except ArtifactError:
        named = set()
    for name in os.listdir(rows):
        if _ROWS.fullmatch(name) and name not in named:
            shutil.rmtree(os.path.join(rows, name), ignore_errors=True)
    _remove_empty(rows)


def local(path: Any, keyword: str) -> str:
    """A path that every worker can read: absolute. Of URIs only `file:` is one."""
    if not isinstance(path, (str, os.PathLike)):
        raise BadInputError(
            f"`{keyword}` is a {type(path).__name__}: workers read paths (judica.{{eval, match}} "
            "take tables in memory)"
        )
    text = os.fspath(path)
    if not isinstance(text, str):
        raise BadInputError(f"`{keyword}`: a path is text, not bytes")
    uri = urlsplit(text)
    if uri.scheme == "file":
        return unquote(uri.path)
    if len(uri.scheme) > 1 and "://" in text:
        raise BadInputError(
            f"`{keyword}`: workers read files, not {uri.scheme}:// ; mount it where all of them "
            "see it, and give that path"
        )
    return os.path.abspath(text)


def inputs(value: Any, keyword: str) -> list[str]:
    """Paths of one input, or of a list of them."""
    several = value if isinstance(value, (list, tuple)) else [value]
    return [local(one, keyword) for one in several]


def protocol(value: Any) -> str:
    """A protocol's path, which workers read, or the name of one that all have."""
    text = os.fspath(value)
    if isinstance(text, str) and (os.path.exists(text) or text.startswith("file:")):
        return local(text, "protocol")
    return text


def check_order(order: str | None, columns: Sequence[str], keyword: str) -> None:
    """Rows of a table on many machines have no order but by a column."""
    if order is None:
        raise BadInputError(
            f"`{keyword}` is a table on many machines, whose rows have no order: name a column "
            "that says it (order=…)"
        )
    if order not in columns:
        raise BadInputError(f"`{keyword}` has no column {order!r}; it has {', '.join(columns)}")


def meant(error: BaseException) -> BaseException | None:
    """What a worker raised, told by its last words instead of the engine's own pages."""
    text = str(error)
    if "No module named 'judica" in text or "No module named judica" in text:
        return JudicaError(
            "a worker has no judica: install the wheel of this version on every worker "
            "(pip install judica), in the Python that the engine starts there"
        )
    cause = getattr(error, "cause", None)
    if isinstance(cause, JudicaError):
        return cause
    for kind in (_native.ProtocolError, BadInputError, _native.ArtifactError):
        mark = f"judica.{kind.__name__}: "
        if mark in text:
            return kind(text.rsplit(mark, 1)[1].split("\n\n", 1)[0].split("\n\tat ", 1)[0].strip())
    return None
