"""The `judica` command of the wheel: the program, by its script and by `python -m`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import JUDICA

SCRIPT = [str(Path(sys.executable).with_name("judica"))]
GATE = 'version = 1\n[[gate]]\nname = "a"\nmetric = "/a"\nop = ">="\nthreshold = {}\n'


@pytest.fixture(params=[SCRIPT, [sys.executable, "-m", "judica"]], ids=["script", "module"])
def command(request):
    return request.param


def ran(command, *words, **options):
    return subprocess.run([*command, *words], capture_output=True, **options)


def test_it_is_the_program(command, tmp_path):
    for words in (["--version"], ["--help"], ["eval", "--help"], ["rules", "--source"]):
        ours, theirs = ran(command, *words), ran([JUDICA], *words)
        assert (ours.returncode, ours.stdout, ours.stderr) == (0, theirs.stdout, b"")
    demo = ["demo", "--samples", "20"]
    for folder, who in (("ours", command), ("theirs", [JUDICA])):
        (tmp_path / folder).mkdir()
        done = ran(who, *demo, cwd=tmp_path / folder)
        assert done.returncode == 0, done.stderr

    def files(folder):
        paths = [path for path in (tmp_path / folder).rglob("*") if path.is_file()]
        # A manifest has the time.
        return {path.name: path.read_bytes() for path in paths if path.name != "manifest.json"}

    assert files("ours") == files("theirs") and "records.parquet" in files("ours")


def test_exit_codes_are_passed_on(command, tmp_path):
    (tmp_path / "report.json").write_text('{"a": 0.5}')
    cases = [("report", 0.1, 0), ("report", 0.9, 1), ("report", "many", 2), ("none", 0.1, 3)]
    for report, threshold, code in cases:
        (tmp_path / "gates.toml").write_text(GATE.format(threshold))
        words = ["gate", "check", "--report", f"{report}.json", "--gates", "gates.toml"]
        done = ran(command, *words, cwd=tmp_path)
        assert done.returncode == code and done.stderr.startswith(b"judica: " if code > 1 else b"")
    assert ran(command, "no-such-command").returncode == 2


def test_rows_come_by_a_pipe_and_a_reader_may_go(command):
    rows = b'{"id": "a", "gold": "1", "prediction": "1"}\n' * 3
    done = ran(command, "look", "-", input=rows)
    assert done.returncode == 0 and b"gold" in done.stdout, done.stderr
    # The reader of the pipe goes before anything is written.
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*command, "rules", "--source"], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_ends_it(command, tmp_path):
    words = ["match", "--predictions", "-", "--run", "run"]
    process = subprocess.Popen(
        [*command, *words], cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # More than a pipe holds: once that is written, the program is reading.
    process.stdin.write('{"id": "a", "gold": "1", "prediction": "1"}\n' * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    assert "interrupted" in process.stderr.read()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    process.stdin.close()
    process.stderr.close()
