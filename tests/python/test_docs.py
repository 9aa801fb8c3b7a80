"""Every block of Python and SQL in the book runs, and prints what is shown below it."""

import io
import re
import shutil
from contextlib import redirect_stdout

import duckdb
import pytest
from conftest import ROOT

# Blocks that run elsewhere, by what they hold, and where.
ELSEWHERE = {
    "judica.spark": "test_spark.py",
    "judica.ray": "test_ray.py",
    "(judica_run)": "test_pytest_plugin.py",
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
PAGES = [
    page for page in sorted((ROOT / "docs").rglob("*.md")) if re.search(r"^```(python|sql)$", page.read_text(), re.M)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run(page, tmp_path, monkeypatch, cli, weather):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs", "docs")
    cli("demo")
    cli("eval", *(word for option, value in weather.items() for word in ("--" + option, value)), "--out", "weather-run")
    episodes = "docs/examples/episodes/"
    cli("episodes", "--episodes", episodes + "episodes.jsonl", "--predictions", episodes + "base.jsonl",
        "--mode", "coord", "--config-path", "c", "--backend", "b", "--out", "base.json")
    names, said = {}, None
    for language, block in FENCE.findall(page.read_text()):
        if language == "text" and said is not None:
            printed = [line.strip() for line in said.splitlines()]
            assert [line for line in block.splitlines() if line.strip() not in printed] == []
        said = None
        if language not in ("python", "sql") or any(part in block for part in ELSEWHERE):
            continue
        with redirect_stdout(io.StringIO()) as out:
            if language == "sql":
                print(duckdb.sql(block))
            else:
                exec(compile(block, page.name, "exec"), names)
        said = out.getvalue()
