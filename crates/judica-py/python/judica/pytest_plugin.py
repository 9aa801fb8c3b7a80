"""The plugin for pytest: one test for each gate of the project's gates files.

    [tool.pytest.ini_options]
    judica_gates = "gates.toml"
    judica_run = "run"
    judica_baseline = "main-run"    # only for gates that compare

Paths are relative to the file that says so. Gates are tests of a `pytest` without arguments, and of
one that names the gates file or a folder above it, also where pytest passes the folder over. A gates file that is missing, empty or malformed
is an error of the collection, as is a run that is not there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from . import GateFailed, JudicaError, Run, gate
from . import open as open_run


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("judica_gates", "gates files: a test for each gate", type="linelist", default=[])
    parser.addini("judica_run", "the run that gates and the fixture judica_run look at", default="")
    parser.addini("judica_baseline", "the run that gates compare with", default="")


def _path(config: pytest.Config, name: str) -> Path:
    """A path of the configuration."""
    base = config.inipath.parent if config.inipath else config.rootpath
    return Path(os.path.abspath(base / name))


def _gates(config: pytest.Config) -> list[Path]:
    return [_path(config, name) for name in config.getini("judica_gates")]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    for path in _gates(session.config):
        if not path.is_file():
            raise pytest.UsageError(f"judica_gates: {path}: no such file")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    # One that is found in a folder comes with all others.
    if parent.session.isinitpath(file_path) and file_path in _gates(parent.config):
        return GatesFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Adds gates whatever folders pytest passes over: a gate must not be left out unseen."""
    seen = [config.invocation_params.dir / arg for arg in config.args]
    # Whoever asks for no test in particular asks for the gates, wherever their file stands.
    all_asked = config.args_source is not pytest.Config.ArgsSource.ARGS
    for path in dict.fromkeys(_gates(config)):
        asked = all_asked or any(path.is_relative_to(folder) for folder in seen)
        if asked and not session.isinitpath(path):
            items.extend(session.genitems(GatesFile.from_parent(session, path=path)))


class GatesFile(pytest.File):
    """A gates file, held against the run while tests are collected."""

    def collect(self) -> Iterable[pytest.Item]:
        run, baseline = (self.config.getini(name) for name in ("judica_run", "judica_baseline"))
        if not run:
            raise self.CollectError("judica_gates needs judica_run, the run that gates look at")
        try:
            report = gate.check(
                _path(self.config, run),
                gates=self.path,
                baseline=_path(self.config, baseline) if baseline else None,
            )
        except GateFailed as failed:
            report = failed.report
        except JudicaError as error:
            raise self.CollectError(str(error)) from error
        for found in report["gates"]:
            yield Gate.from_parent(self, name=found["name"], found=found)


class Gate(pytest.Item):
    """One gate."""

    def __init__(self, *, found: dict[str, Any], **more: Any) -> None:
        super().__init__(**more)
        self.found = found

    def runtest(self) -> None:
        if not self.found["pass"]:
            raise GateFailed(gate.words(self.found))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, GateFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"gate {self.name}"


@pytest.fixture(scope="session")
def judica_run(pytestconfig: pytest.Config) -> Run:
    """The run that `judica_run` of the project's configuration names."""
    run = pytestconfig.getini("judica_run")
    if not run:
        raise pytest.UsageError("the fixture judica_run needs judica_run in the configuration")
    return open_run(_path(pytestconfig, run))
