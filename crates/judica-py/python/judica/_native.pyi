import os
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, final

__all__ = [
    "ArtifactError",
    "BadInputError",
    "GateFailed",
    "Hold",
    "Job",
    "JudicaError",
    "Protocol",
    "ProtocolError",
    "Records",
    "__version__",
    "call",
    "count_lines",
    "finish_pieces",
    "hold",
    "main",
    "settle",
    "write_lines",
]

def main(argv: Sequence[str]) -> int: ...
def call(
    argv: Sequence[str],
    tables: dict[str, object] | None = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[int, bytes, list[str]]: ...

@final
class Records:
    def __new__(cls, folder: str | os.PathLike[str]) -> Records: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Records], tuple[object]]: ...

@final
class Protocol:
    def __new__(cls, protocol: str | os.PathLike[str]) -> Protocol: ...
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def tasks(self) -> list[str]: ...
    @property
    def fields(self) -> list[str]: ...
    @property
    def rules(self) -> list[str]: ...
    @property
    def source(self) -> str: ...
    def evaluate(
        self,
        sample: dict[str, Any] | str,
        output: dict[str, Any] | str,
        *,
        task: str | None = None,
        model: str | None = None,
    ) -> dict[str, Any]: ...
    def __reduce__(self) -> tuple[type[Protocol], tuple[str]]: ...

class JudicaError(Exception):
    run: Any
    rejects: list[dict[str, Any]]

class BadInputError(JudicaError, ValueError): ...

class ProtocolError(BadInputError):
    file: str | None
    line: int | None
    column: int | None
    hint: str | None
    errors: Sequence[dict[str, Any]]

class ArtifactError(JudicaError, OSError): ...

class GateFailed(JudicaError, AssertionError):
    report: dict[str, Any]

__version__: str

_Range = tuple[int, int, int | None, int]
_Found = tuple[bytes, tuple[int, int] | None, tuple[int, int] | None, bool, str | None, str]

@final
class Hold:
    """A folder that is held until this is let go."""

    def release(self) -> None: ...

@final
class Job:
    """A command whose rows are dealt out to workers."""

    def __new__(cls, argv: list[str]) -> Job: ...
    @property
    def paths(self) -> list[pathlib.Path]: ...
    def ranges(self, bytes: int) -> list[_Range]: ...
    def digest(self, file: int) -> str: ...
    def scan(self, of: _Range) -> _Found: ...
    def all_facts(self, facts: list[str]) -> str: ...
    def deal(self, of: _Range, pieces: int) -> list[tuple[int, bytes]]: ...
    def piece(
        self,
        number: int,
        of: int,
        digests: list[str],
        facts: str,
        *,
        ranges: list[_Range] | None = None,
        rows: Iterable[bytes] | None = None,
    ) -> int: ...

def hold(folder: str) -> Hold: ...
def count_lines(path: str, start: int, end: int) -> int: ...
def settle(ranges: list[_Range], found: list[_Found]) -> tuple[list[_Range], bool]: ...
def write_lines(files: Sequence[str], to: str) -> None: ...
def finish_pieces(folder: str, as_they_stand: bool, threads: int | None) -> int: ...
