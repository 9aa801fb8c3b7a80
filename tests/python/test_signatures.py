"""Keywords are the options of the command line: all of them, and no other."""

import doctest
import inspect
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import judica
from judica import _api, _call, _run, agree, gate

COMMANDS = {
    "eval": judica.eval,
    "match": judica.match,
    "episodes": judica.episodes,
    "import": judica.import_log,
    "compare": judica.compare,
    "plan": judica.plan,
    "agree pairs": agree.pairs,
    "agree judges": agree.judges,
    "agree ratings": agree.ratings,
    "gate golden": gate.golden,
    "gate check": gate.check,
}
# How a command prints, where rejects go that a run holds, what only prints, and pieces of runs.
NOT_HERE = {"help", "json", "format", "github", "print_policy", "part", "rejects"}


def options(command):
    """The long options of a command, each with the values that it may have."""
    words = [sys.executable, "-m", "judica", *command.split(), "--help"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    # Examples name options, and say nothing of them.
    text = text.split("\nExamples:\n")[0]
    found, option = {}, None
    for line in text.splitlines():
        if named := re.match(r" +(?:-\w, )?--([a-z-]+)", line):
            option = named[1].replace("-", "_")
            found[option] = set()
        elif option and (value := re.match(r" +- ([a-z-]+):", line)):
            found[option].add(value[1])
        elif option and (values := re.search(r"\[possible values: (.*)\]", line)):
            found[option].update(values[1].split(", "))
        elif line and not line.startswith(" "):
            option = None
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_signatures_are_the_options(command):
    signature = inspect.signature(COMMANDS[command])
    said = options(command)
    # Arguments without a name on the command line, the alias of `run`, and what is Python's own.
    own = {"runs", "logs", "progress"}
    own |= {"out"} if command == "eval" else set()
    own |= {"run"} if command == "gate check" else set()
    names = {name.rstrip("_") for name in signature.parameters}
    assert names - own == set(said) - NOT_HERE
    hints = typing.get_type_hints(COMMANDS[command])
    for name, hint in hints.items():
        for kind in [hint, *typing.get_args(hint)]:
            values = said.get(name.rstrip("_"), set())
            if typing.get_origin(kind) is typing.Literal and values:
                assert set(typing.get_args(kind)) == values, name
    for name, parameter in signature.parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            assert parameter.default in (None, False), name


def test_options_exist_where_flags_are(tmp_path):
    with pytest.raises(judica.BadInputError):
        judica.match([{"item": "a", "gold": "1", "prediction": "1"}], figure=tmp_path / "x.svg")


@pytest.mark.parametrize("module", [judica, _api, _call, _run, agree, gate], ids=lambda one: one.__name__)
def test_examples_run(module):
    failed, _ = doctest.testmod(module)
    assert not failed


def test_every_function_has_an_example():
    public = [*COMMANDS.values(), judica.open, judica.Run, judica.Records]
    assert all(">>> " in (one.__doc__ or "") for one in public)


def mypy(*words, cwd):
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_what_was_compiled(tmp_path):
    mypy("mypy.stubtest", "judica._native", cwd=tmp_path)


def test_types_are_strict(tmp_path):
    package = Path(judica.__file__).parent
    assert (package / "py.typed").exists()
    # What other packages call the types of their own is theirs: nothing is asked of what they give.
    config = tmp_path / "mypy.ini"
    config.write_text(
        "[mypy]\nstrict = True\n"
        "[mypy-pandas.*,pyarrow.*]\nignore_missing_imports = True\n"
        "[mypy-pyspark.*,ray.*]\nfollow_imports = skip\n"
        "[mypy-judica.spark,judica.ray,judica._engine]\nwarn_return_any = False\n"
    )
    user = tmp_path / "user.py"
    user.write_text(
        "import judica\n"
        "run = judica.eval('flight', 's.jsonl', [{'id': 1}], threads=2)\n"
        "reveal = run.report['leaderboard']\n"
        "n: int = len(run.records)\n"
    )
    mypy("mypy", "--config-file", config, "-p", "judica", cwd=tmp_path)
    mypy("mypy", "--config-file", config, user, cwd=tmp_path)
