"""Runs on Spark equal those of one machine, on a cluster of two worker processes."""

import datetime
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from decimal import Decimal

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if not shutil.which("java"):
    pytest.skip("Spark needs Java 17, and there is no java", allow_module_level=True)

import conftest
import hostile
from conftest import ROOT, STAMP
from pyspark.sql import SparkSession

import judica
import judica.spark
from judica import _engine

# Nothing of a test leaves this machine.
SETTINGS = {
    "spark.master": "local-cluster[2,1,1024]",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@pytest.fixture(scope="module")
def spark():
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.config(map=SETTINGS).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def engine(spark, tmp_path_factory):
    def on(function):
        return lambda **given: function(spark, **given)

    functions = {
        "eval": on(judica.spark.eval),
        "match": on(judica.spark.match),
        "agree_pairs": on(judica.spark.agree_pairs),
    }
    return hostile.Engine(functions, tmp_path_factory.mktemp("spark"))


@pytest.mark.parametrize("order", ["sorted", "mixed"])
def test_outputs_in_any_order_and_any_number_of_pieces(engine, order):
    engine.check("eval", order, [1, 2, 7, 16])


@pytest.mark.parametrize("command", ["match", "agree_pairs"])
def test_other_commands(engine, command):
    engine.check(command, "mixed", [2, 7])


def test_rows_that_belong_together_must_be_dealt_together(spark, tmp_path):
    """The identity test fails where the key is wrong: each range deals by another one."""

    def wrong(argv, of, pieces):
        dealt = _engine._deal(argv, of, pieces)
        return [((piece + of[1]) % pieces, rows) for piece, rows in dealt]

    given = hostile.outputs(tmp_path, "mixed")
    judica.eval(**given, run=tmp_path / "one", timestamp=STAMP)
    words = {**given, "timestamp": STAMP}
    with pytest.raises((AssertionError, judica.JudicaError)):
        run = judica.spark._Spark(spark)
        _engine.run(run, "eval", words, out=tmp_path / "many", partitions=7, deal=wrong)
        hostile.check_same(tmp_path / "one", tmp_path / "many")


def test_a_worker_is_killed_half_way(spark, tmp_path):
    given = hostile.outputs(tmp_path, "mixed", samples=3000)
    judica.eval(**given, run=tmp_path / "one", timestamp=STAMP)
    out = tmp_path / "many"
    killed = []

    def kill():
        until = time.monotonic() + 120
        while not list(out.glob("records/part-*.json")) and time.monotonic() < until:
            time.sleep(0.01)
        app = spark.sparkContext.applicationId
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    words = open(f"/proc/{entry}/cmdline", "rb").read().decode()
                except OSError:
                    continue
                if app in words and "CoarseGrainedExecutorBackend" in words:
                    os.kill(int(entry), signal.SIGKILL)
                    killed.append(entry)
                    return

    thread = threading.Thread(target=kill)
    thread.start()
    judica.spark.eval(spark, **given, out=out, partitions=16, timestamp=STAMP)
    thread.join()
    assert killed
    hostile.check_same(tmp_path / "one", out)


def test_a_data_frame_brings_an_order(spark, weather, tmp_path):
    rows = [
        (at, "north", f"mon-0{hour}", '{"humidity": 79}') for at, hour in enumerate([6, 7, 6])
    ]
    frame = spark.createDataFrame(rows, ["at", "model_name", "sample_id", "raw_response_text"])
    given = {**weather, "outputs": frame, "out": tmp_path / "run", "timestamp": STAMP}
    with pytest.raises(judica.BadInputError, match="order="):
        judica.spark.eval(spark, **given)
    with pytest.raises(judica.BadInputError, match="no column 'when'"):
        judica.spark.eval(spark, **given, order="when")
    with pytest.raises(judica.BadInputError, match="stands"):
        judica.spark.eval(spark, **given, order="model_name")
    two = judica.spark.eval(spark, **given, order="at", partitions=2)
    given["out"] = tmp_path / "other"
    other = judica.spark.eval(spark, **given, order="at", partitions=5)
    assert two.report["counts"]["outputs"] == 3
    # The second answer of a model to a question is the one that comes later.
    assert [(reject["line"], reject["reason"]) for reject in two.rejects] == [(3, "duplicate_output")]
    assert two.report == other.report
    # The column that says the order may be one that is needed, whatever it is called.
    for name in ["count", "a.b`c"]:
        named = spark.createDataFrame([("b", "1", "1"), ("a", "1", "2")], [name, "gold", "prediction"])
        run = judica.spark.match(spark, named, tmp_path / "names", order=name, item=name)
        assert [run.record(item)["verdict"] for item in ("a", "b")] == ["fail", "pass"]
        with pytest.raises(judica.BadInputError, match="stands 2 times"):
            judica.spark.match(spark, named.union(named), tmp_path / "names", order=name)
    named = spark.createDataFrame([("b", "1", "1"), ("a", "1", "2")], ["id", "gold", "prediction"])
    run = judica.spark.match(spark, named, tmp_path / "match", order="id")
    assert [run.record(item)["verdict"] for item in ("a", "b")] == ["fail", "pass"]


def test_values_of_a_data_frame_are_those_of_a_file(spark, tmp_path):
    at = [datetime.datetime(2400, 1, 1, 0, 0, 0, us) for us in (4, 5)]
    rows = [
        (at[0], float("nan"), bytearray(b"\xff"), Decimal("1.10"), {"k": 1}, (1, None), None, at[1] - at[0]),
        (at[1], float("inf"), bytearray(b"abc"), Decimal("2.00"), None, None, None, None),
    ]
    types = "ts timestamp_ntz, x double, b binary, d decimal(9,2), m map<string,int>"
    types += ", s struct<i:int,j:int>, n void, t interval day to second"
    frame = spark.createDataFrame(rows, types)
    path = str(tmp_path / "lines")
    judica.spark._inputs(frame, "predictions", "ts").write(path)
    first, second = conftest.rows(path)
    assert first.pop("t").startswith("INTERVAL")
    assert first == {
        "ts": "2400-01-01T00:00:00.000004",
        "x": None,
        "b": "ff",
        "d": 1.1,
        "m": {"k": 1},
        "s": {"i": 1},
        "n": None,
    }
    assert [second[name] for name in ("ts", "x", "b")] == ["2400-01-01T00:00:00.000005", "inf", "abc"]


def test_what_a_worker_refuses_is_told(spark, weather, tmp_path):
    with pytest.raises(judica.ArtifactError, match="nowhere.jsonl"):
        judica.spark.eval(spark, **{**weather, "outputs": "nowhere.jsonl"}, out=tmp_path / "run")
    with pytest.raises(judica.BadInputError):
        bad = {**weather, "samples": "docs/examples/weather/weather.toml"}
        judica.spark.eval(spark, **bad, out=tmp_path / "run")


def test_a_worker_without_the_wheel(tmp_path, weather):
    """In a process of its own: its workers run a Python that has nothing."""
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    program = f"""
        import os, sys
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ["PYSPARK_PYTHON"] = {str(bare / "bin/python")!r}
        os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        from pyspark.sql import SparkSession
        import judica, judica.spark
        settings = {SETTINGS!r}
        settings["spark.master"] = "local-cluster[1,1,1024]"
        spark = SparkSession.builder.config(map=settings).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        try:
            judica.spark.eval(spark, **{weather!r}, out={str(tmp_path / "run")!r})
        except judica.JudicaError as error:
            print("TOLD", error)
        spark.stop()
    """
    environment = {name: value for name, value in os.environ.items() if "SPARK" not in name}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert "TOLD a worker has no judica" in done.stdout, done.stdout + done.stderr[-2000:]


def test_the_tutorial_runs(spark, monkeypatch, tmp_path, capsys):
    """The block of the page on clusters, with the number that it promises."""
    page = (ROOT / "docs/tutorials/cluster.md").read_text()
    block = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs/examples", "docs/examples")
    exec(block, {"spark": spark})
    assert f"{float(capsys.readouterr().out):.2f}" in page
