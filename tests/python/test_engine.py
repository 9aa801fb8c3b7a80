"""What Spark and Ray have in common, with workers that are this process."""

import inspect
import json
import shutil
import threading

import pyarrow
import pytest
from conftest import STAMP, files, rows

import judica
from judica import _engine, _native


class Here:
    """An engine without any other process."""

    parallelism = 2

    def map(self, work, tasks):
        return [work(*task) for task in tasks]

    def shuffle(self, deal, tasks, pieces, make):
        dealt = [dict(deal(*task)) for task in tasks]
        for piece in range(pieces):
            make(piece + 1, [streams[piece] for streams in dealt])


class Broken(Here):
    def map(self, work, tasks):
        raise judica.ArtifactError("the cluster is gone")


def evaluate(given, out, engine=None):
    words = {**given, "timestamp": STAMP}
    return _engine.run(engine or Here(), "eval", words, out=out, partitions=None)


@pytest.fixture
def copied(weather, tmp_path):
    """The weather example in files that may be changed."""
    return {name: shutil.copy(path, tmp_path) for name, path in weather.items()}


def table(path):
    """The rows of a file as a table of an engine."""

    def write(target):
        with open(target, "w") as whole:
            whole.writelines(json.dumps(row) + "\n" for row in rows(path))

    return _engine.Table(write)


def test_a_protocol_that_changed_is_read_again(copied, tmp_path):
    before = evaluate(copied, tmp_path / "run").report
    protocol = open(copied["protocol"]).read()
    assert "limit = [-60, 60]" in protocol
    with open(copied["protocol"], "w") as changed:
        changed.write(protocol.replace("limit = [-60, 60]", "limit = [-60, 5]"))
    after = evaluate(copied, tmp_path / "run").report
    assert after != before
    assert after == judica.eval(**copied, timestamp=STAMP).report


def test_what_is_no_piece_stays(copied, tmp_path):
    out = tmp_path / "run"
    (out / "records").mkdir(parents=True)
    for name in ["part-00000-c000.snappy.parquet", "part-00001.parquet"]:
        (out / "records/.hidden").write_text("all of it")
        (out / "records" / name).write_text("all of it")
        left = files(out / "records")
        with pytest.raises(judica.ArtifactError, match="nowhere.jsonl"):
            evaluate({**copied, "outputs": "nowhere.jsonl"}, out)
        with pytest.raises(judica.ArtifactError, match=f"{name}.*move it away"):
            evaluate(copied, out)
        assert files(out / "records") == left
        (out / "records" / name).unlink()
    evaluate(copied, out)
    assert list(files(out / "records")) == [".hidden"]


def test_a_run_that_fails_leaves_nothing(copied, tmp_path):
    with pytest.raises(judica.ArtifactError, match="gone"):
        evaluate(copied, tmp_path / "run", Broken())
    assert not (tmp_path / "run").exists()


def test_pieces_that_are_left_make_room(copied, tmp_path):
    out = tmp_path / "run"
    (out / "records").mkdir(parents=True)
    piece = {"schema_version": "judica.piece/1"}
    (out / "records/part-00001.json").write_text(json.dumps(piece))
    for name in ["part-00001.parquet", "part-00001.whole-rejects.jsonl", ".17-0.judica-tmp"]:
        (out / "records" / name).write_text("half of it")
    evaluate(copied, out)
    assert not (out / "records").exists()
    # A driver that was killed has said that what is there are pieces.
    (out / "records").mkdir()
    (out / "records" / _engine._MARK).touch()
    (out / "records/part-00007.parquet").write_text("half of it")
    evaluate(copied, out)
    assert not (out / "records").exists()


def test_rows_of_a_table_stay_with_their_run(copied, tmp_path):
    out = tmp_path / "run"
    given = {**copied, "outputs": table(copied["outputs"])}

    def whole():
        return {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}

    def written():
        (path,) = (out / "inputs").glob("*/outputs.jsonl")
        return rows(path)

    evaluate(given, out)
    first = whole()
    assert written() == rows(copied["outputs"])
    # The same rows again are the same run.
    evaluate(given, out)
    assert whole() == first
    # A run that fails leaves the one that stands there as it was, with its rows.
    with open(copied["outputs"], "a") as more:
        more.write(json.dumps({"model_name": "new", "sample_id": "mon-06"}) + "\n")
    with pytest.raises(judica.ArtifactError, match="gone"):
        evaluate(given, out, Broken())
    assert whole() == first
    # One that is made takes the place of it and of its rows.
    evaluate(given, out)
    assert written() == rows(copied["outputs"])
    evaluate(copied, out)
    assert not (out / "inputs").exists()


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("eval", {"agent": "llm"}),
        ("eval", {"base_url": "http://127.0.0.1:1"}),
        ("eval", {"run": "elsewhere"}),
        ("eval", {"progress": print}),
        ("match", {"details": "details.jsonl"}),
        ("match", {"figure": "figure.svg"}),
        ("agree pairs", {"tsv": "pairs.tsv"}),
        ("agree pairs", {"junit": "gates.xml"}),
        ("agree pairs", {"arbitrated": "pairs.jsonl"}),
        ("agree pairs", {"markdown": "gates.md"}),
    ],
)
def test_what_an_engine_does_not_do_is_refused(command, options, tmp_path):
    (keyword,) = options
    with pytest.raises(judica.BadInputError, match=f"`{keyword}` is not for an engine"):
        _engine.run(Here(), command, options, out=tmp_path / "run", partitions=None)
    assert not (tmp_path / "run").exists()


def test_keywords_are_those_of_the_functions(copied, tmp_path):
    known = {name for of in _engine._FUNCTIONS.values() for name in inspect.signature(of).parameters}
    assert _engine._REFUSED.keys() <= known
    with pytest.raises(TypeError, match="json"):
        evaluate({**copied, "json": True}, tmp_path / "run")
    for partitions, why in [("2", "whole number"), (2.0, "whole number"), (0, "at least 1")]:
        with pytest.raises(judica.BadInputError, match=f"`partitions`.*{why}"):
            _engine.run(Here(), "eval", copied, out=tmp_path / "run", partitions=partitions)
    # What says nothing is not refused.
    evaluate({**copied, "agent": "rules", "progress": None, "threads": 1}, tmp_path / "run")


def test_workers_find_files_of_options_wherever_they_start(tmp_path, monkeypatch, cli):
    """A worker has another folder to work in than the driver."""
    policy, pairs = tmp_path / "policy.toml", tmp_path / "pairs.jsonl"
    policy.write_text(cli("agree", "pairs", "--print-policy"))
    shutil.copy("docs/examples/agreement/pairs.jsonl", pairs)
    monkeypatch.chdir(tmp_path)

    class Elsewhere(Here):
        def map(self, work, tasks):
            monkeypatch.chdir("/")
            found = super().map(work, tasks)
            monkeypatch.chdir(tmp_path)
            return found

    given = {"pairs": str(pairs), "policy": "policy.toml"}
    _engine.run(Elsewhere(), "agree pairs", given, out=tmp_path / "run", partitions=2)
    assert judica.open(tmp_path / "run").report["policy"]["file"]


def test_two_drivers_write_their_rows_one_after_the_other(copied, tmp_path):
    out = tmp_path / "run"
    inside, failed = [], []

    def write(target):
        inside.append(1)
        if len(inside) > 1:
            failed.append("both at once")
        table(copied["outputs"]).write(target)
        threading.Event().wait(0.2)
        inside.pop()

    def drive():
        evaluate({**copied, "outputs": _engine.Table(write)}, out)

    threads = [threading.Thread(target=drive) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and judica.open(out).report["counts"]["outputs"] == len(rows(copied["outputs"]))


ROWS = [
    {"id": f"q{at}", "gold": f"G(p{at} -> F q{at})", "prediction": f"G( p{at}  ->  F q{at} )"}
    for at in range(6)
]


@pytest.mark.parametrize(
    "document",
    [ROWS, {"dataset": "x", "predictions": ROWS}, {"results": ROWS, "model": "mine"}],
)
def test_rows_of_a_document_are_seen_before_they_are_decided(document, tmp_path):
    """What golds look like hangs on all of them, wherever they stand."""
    file, lines = tmp_path / "x.json", tmp_path / "y.jsonl"
    file.write_text(json.dumps(document, indent=1))
    lines.write_text("".join(json.dumps({**row, "dataset": "x"}) + "\n" for row in ROWS))
    for given in [[file], [file, lines]]:
        one = judica.match(given, timestamp=STAMP)
        words = {"predictions": list(map(str, given)), "timestamp": STAMP}
        many = _engine.run(Here(), "match", words, out=tmp_path / "run", partitions=3)
        assert many.report == one.report
        assert [many.rejects, one.report["files"][0]["normalizer"]] == [one.rejects, "atl"]


def test_rows_of_tables_are_written_as_tables_are_read(tmp_path):
    table = pyarrow.table(
        {
            "at": pyarrow.array([4, 5], pyarrow.timestamp("us")),
            "x": pyarrow.array([float("nan"), float("-inf")]),
            "bytes": pyarrow.array([b"abc", b"\xff"]),
            "decimal": pyarrow.array([1, 2], pyarrow.decimal128(5, 2)),
            "duration": pyarrow.array([1500, 0], pyarrow.duration("ms")),
            "map": pyarrow.array([[("k", 1)], []], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
            "nothing": pyarrow.nulls(2),
        }
    )
    parts = [str(tmp_path / f"part-{at}") for at in range(2)]
    for at, part in enumerate(parts):
        with pyarrow.ipc.new_stream(part, table.schema) as stream:
            stream.write_table(table.slice(at, 1))
    _native.write_lines(parts, str(tmp_path / "lines"))
    first, second = rows(tmp_path / "lines")
    assert first == {
        "at": "1970-01-01T00:00:00.000004",
        "x": None,
        "bytes": "abc",
        "decimal": 1.0,
        "duration": "PT1.5S",
        "map": {"k": 1},
        "nothing": None,
    }
    assert [second[name] for name in ("at", "x", "bytes")] == [
        "1970-01-01T00:00:00.000005",
        "-inf",
        "ff",
    ]
    _native.write_lines([], str(tmp_path / "lines"))
    assert not rows(tmp_path / "lines")
