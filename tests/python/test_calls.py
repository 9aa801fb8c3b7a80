"""While a call is at work: progress, Ctrl-C, what is told, and where gates fail."""

import os
import subprocess
import sys
import tempfile
import time

import pytest

import judica

INTERRUPTED = """
import os, signal, sys, tempfile, threading, time
import judica

folder, samples, outputs = sys.argv[1:]
tempfile.tempdir = folder
sent = []
def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
judica.match([{"id": "a", "gold": "1", "prediction": "1"}])
threading.Timer(0.4, send).start()
try:
    judica.eval("flight", samples, [outputs] * 1)
except KeyboardInterrupt:
    print("stopped", time.monotonic() - sent[0])
else:
    print("finished")
assert os.listdir(folder) == [], os.listdir(folder)
# The next call is not disturbed by the one before.
print(judica.match([{"id": "a", "gold": "1", "prediction": "1"}]).report["counts"]["matched"])
"""


def test_ctrl_c_stops_it_and_leaves_nothing(flight, tmp_path):
    data = flight(3000, 6)
    words = [str(tmp_path), str(data / "samples.jsonl"), str(data / "outputs.jsonl")]
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told, matched = done.stdout.splitlines()
    assert told.split()[0] == "stopped" and matched == "1"
    # A build without optimisation takes longer for what it has begun.
    assert float(told.split()[1]) < (0.3 if os.environ.get("JUDICA_WHEEL") == "release" else 5)


def test_progress_is_told_at_most_twenty_times_a_second(flight):
    data = flight(3000, 6)
    seen = []
    judica.eval(
        "flight",
        data / "samples.jsonl",
        data / "outputs.jsonl",
        progress=lambda records: seen.append((time.monotonic(), records)),
    )
    times, records = zip(*seen)
    assert list(records) == sorted(set(records)) and records[-1] > 0
    # The last one is told at the end, whenever that is.
    assert all(later - earlier > 0.04 for earlier, later in zip(times[:-1], times[1:-1]))


def test_progress_takes_a_tqdm(flight):
    from tqdm import tqdm

    data = flight(300, 5)
    with open(os.devnull, "w") as nowhere, tqdm(file=nowhere) as bar:
        judica.eval("flight", data / "samples.jsonl", data / "outputs.jsonl", progress=bar)
        assert bar.n > 0 and bar.total == bar.n
    judica.eval("flight", data / "samples.jsonl", data / "outputs.jsonl", progress=tqdm)


def test_what_progress_raises_ends_the_call(flight):
    data = flight(3000, 6)

    def stop(records):
        raise LookupError(records)

    before = set(os.listdir(tempfile.gettempdir()))
    with pytest.raises(LookupError):
        judica.eval("flight", data / "samples.jsonl", data / "outputs.jsonl", progress=stop)
    left = set(os.listdir(tempfile.gettempdir())) - before
    assert not [name for name in left if name.startswith("judica-")]


def test_what_is_told_is_logged(weather, tmp_path, caplog):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("not json\n")
    judica.eval(weather["protocol"], weather["samples"], [weather["outputs"], empty])
    assert any("empty.jsonl" in line for line in caplog.messages)


def test_gates(weather, tmp_path):
    run = judica.eval(**weather)
    gates = tmp_path / "gates.toml"
    gate = '[[gate]]\nname = "{}"\nmetric = "total"\nsubject = "north"\nop = ">="\nthreshold = {}\n'
    gates.write_text("version = 1\n" + gate.format("low", 90))
    assert judica.gate.check(run, gates=gates)["gates_pass"] is True
    gates.write_text("version = 1\n" + gate.format("low", 90) + gate.format("high", 99))
    with pytest.raises(judica.GateFailed) as raised:
        judica.gate.check(run, gates=gates, junit=tmp_path / "gates.xml")
    assert str(raised.value) == (
        "high (total[subject=north]) is 98.2281, must be >= 99 (n 3; interval [96.8352, 99.621])"
    )
    assert len(raised.value.report["gates"]) == 2 and (tmp_path / "gates.xml").exists()
    with pytest.raises(judica.GateFailed, match="evidence_coverage_rate") as raised:
        judica.gate.golden("docs/examples/gates/runs", golden="docs/examples/gates/golden_queries.json")
    assert raised.value.run.report == raised.value.report
    gates.write_text("version = 1\n" + gate.format("none", 90).replace("total", "no_such_metric"))
    with pytest.raises(judica.BadInputError, match="no_such_metric"):
        judica.gate.check(run, gates=gates)


def test_what_fails_leaves_an_older_run_alone(weather, tmp_path):
    before = judica.eval(**weather, out=tmp_path / "run")
    with pytest.raises(judica.BadInputError) as raised:
        judica.eval(weather["protocol"], weather["samples"], [{"sample_id": "nobody"}], out=tmp_path / "run")
    assert raised.value.run is None and before.report["leaderboard"]


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    rows = [{"id": "a", "gold": "1", "prediction": "1.4"}]
    for number in (numpy.float64(0.5), numpy.float32(0.5), numpy.int64(1)):
        assert judica.match(rows, normalizer="number", tolerance=number).report["matched"] == 1.0
