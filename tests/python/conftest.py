"""What the tests share: the command line beside the package, and small data."""

import json
import os
import subprocess
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
STAMP = "2025-01-19T10:30:00Z"
# The program of the same build; a person who runs pytest has it from `cargo build`.
JUDICA = os.environ.get("JUDICA", str(ROOT / "target/debug/judica"))


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    """Paths in tests and examples are those of the repository."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def cli():
    """Runs the command line."""

    def run(*words, code=0):
        done = subprocess.run([JUDICA, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


@pytest.fixture
def weather():
    """The weather example as arguments of `eval`."""
    folder = "docs/examples/weather/"
    return {
        "protocol": folder + "weather.toml",
        "samples": folder + "samples.jsonl",
        "outputs": folder + "outputs.jsonl",
    }


@pytest.fixture(scope="session")
def flight(tmp_path_factory):
    """Synthetic data, of any size."""

    def made(samples, models):
        folder = tmp_path_factory.getbasetemp() / f"flight-{samples}-{models}"
        if not folder.exists():
            words = ["synth", "flight", "--samples", samples, "--models", models, "--out", folder]
            subprocess.run([JUDICA, *map(str, words)], check=True, capture_output=True)
        return folder

    return made


def rows(path):
    """The usable lines of a file."""
    found = []
    for line in Path(path).read_text().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def files(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}
