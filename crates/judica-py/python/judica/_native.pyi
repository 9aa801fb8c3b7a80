from collections.abc import Callable, Sequence
from typing import Any

def main(argv: Sequence[str]) -> int: ...
def call(
    argv: Sequence[str],
    tables: dict[str, object] | None = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[int, bytes, list[str]]: ...

class Records:
    def __new__(cls, folder: str) -> Records: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...

class Protocol:
    name: str
    version: str

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
