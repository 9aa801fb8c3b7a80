"""The native module itself: calls, tables in memory, records, protocols, Ctrl-C."""

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import judica
from judica import _native

STAMP = "2025-01-19T10:30:00Z"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    argv = ["synth", "flight", "--samples", "40", "--models", "3", "--out", str(folder)]
    assert _native.call(argv)[0] == 0
    return folder


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def evaluate(data, out, outputs=None, samples=None, **more):
    """Runs `eval`; what is not given comes from its file. Gives the printed report."""
    tables = {}
    argv = ["eval", "--protocol", "flight", "--timestamp", STAMP, "--json", "--out", str(out)]
    for name, given in [("samples", samples), ("outputs", outputs)]:
        argv += [f"--{name}", name if given is not None else str(data / f"{name}.jsonl")]
        if given is not None:
            tables[name] = given
    code, printed, told = _native.call(argv, tables, **more)
    assert code == 0, told
    return printed


def test_nothing_is_printed_and_all_is_given(capfd, data, tmp_path):
    code, printed, told = _native.call(["rules", "--protocol", "flight", "--json"])
    assert code == 0 and json.loads(printed)
    assert evaluate(data, tmp_path / "run").startswith(b"{")
    assert _native.call(["--version"])[1].startswith(b"judica ")
    assert _native.call(["eval", "--help"])[0] == 0
    with pytest.raises(judica.BadInputError, match="--protocol"):
        _native.call(["eval"])
    assert capfd.readouterr() == ("", "")


def test_exceptions_are_also_those_of_python(tmp_path):
    for error, base in [
        (judica.BadInputError, ValueError),
        (judica.ArtifactError, OSError),
        (judica.GateFailed, AssertionError),
        (judica.ProtocolError, judica.BadInputError),
    ]:
        assert issubclass(error, base) and issubclass(error, judica.JudicaError)
        assert error.__module__ == "judica"
    with pytest.raises(judica.ArtifactError, match="manifest.json"):
        _native.call(["show", str(tmp_path), "x"])


def test_mistakes_of_a_protocol_have_their_places(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(_native.Protocol("flight").source.replace('name = "S1"', 'nome = "S1"', 1))
    with pytest.raises(judica.ProtocolError) as raised:
        _native.Protocol(path)
    error = raised.value
    assert error.file == str(path) and error.line > 1 and error.column >= 1
    assert len(error.errors) >= 1 and error.errors[0]["line"] == error.line
    assert f"{path}:{error.line}:{error.column}" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.line, str(again)) == (type(error), error.line, str(error))
    with pytest.raises(judica.ProtocolError, match="flight"):
        _native.Protocol("fligth")


def test_a_table_is_read_like_its_file(data, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    samples, outputs = rows(data / "samples.jsonl"), rows(data / "outputs.jsonl")
    from_files = evaluate(data, tmp_path / "files")
    lines = (data / "outputs.jsonl").read_bytes()
    table = pyarrow.Table.from_pylist(outputs)
    texts = {name: table[name].dictionary_encode() for name in ["model_name", "task_id"]}
    given = {
        "bytes": lines,
        "pyarrow": table,
        "batches": pyarrow.Table.from_batches(table.to_batches(max_chunksize=7)),
        "reader": table.to_reader(),
        "dictionary": pyarrow.table({**{n: table[n] for n in table.column_names}, **texts}),
        "large": table.cast(pyarrow.schema([(n, pyarrow.large_string()) for n in table.column_names])),
        "view": table.cast(pyarrow.schema([(n, pyarrow.string_view()) for n in table.column_names])),
        "null column": table.append_column("nothing", pyarrow.nulls(len(outputs))),
    }
    for name, outputs_given in given.items():
        out = tmp_path / name
        assert evaluate(data, out, outputs_given) == from_files, name
        entry = json.loads((out / "manifest.json").read_text())["inputs"][1]
        assert entry["path"] == "outputs" and "in memory" in entry["read_as"]
    # Nested columns are objects.
    nested = pyarrow.Table.from_pylist(samples)
    assert evaluate(data, tmp_path / "nested", table, nested) == from_files
    # The hash is that of the rows as JSON lines.
    import hashlib

    again = b"".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for row in outputs)
    entry = json.loads((tmp_path / "pyarrow/manifest.json").read_text())["inputs"][1]
    assert entry["sha256"] == hashlib.sha256(again).hexdigest()
    with pytest.raises(judica.ArtifactError, match="memory of another program"):
        _native.call(["reproduce", str(tmp_path / "pyarrow")])


def test_polars_and_pandas(data, tmp_path):
    outputs = rows(data / "outputs.jsonl")
    from_files = evaluate(data, tmp_path / "files")
    polars = pytest.importorskip("polars")
    assert evaluate(data, tmp_path / "polars", polars.DataFrame(outputs)) == from_files
    nothing = polars.DataFrame({"model_name": ["a"], "raw_response_text": [None]})
    with pytest.raises(judica.BadInputError, match="raw_response_text|cannot be used"):
        evaluate(data, tmp_path / "nothing", nothing)
    pandas = pytest.importorskip("pandas")
    assert evaluate(data, tmp_path / "pandas", pandas.DataFrame(outputs)) == from_files


def test_a_name_in_memory_goes_before_what_stands_in_the_folder(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("outputs").mkdir()
    lines = (data / "outputs.jsonl").read_bytes()
    assert evaluate(data, "run", lines) == evaluate(data, "files")


def test_tables_that_will_not_do(data, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows(data / "outputs.jsonl"))
    consumed = table.__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return consumed

    evaluate(data, tmp_path / "once", Once())
    duplicate = pyarrow.table([table["model_name"], table["model_name"]], ["model_name"] * 2)
    for given, words in [
        (5, "an? int is no table"),
        ((row for row in []), "generator"),
        (Once(), "released"),
        (table.slice(0, 0), "no row"),
        (b"", "no row"),
        (pyarrow.table({}), "no row"),
        (table["model_name"], "outputs:"),
        (table.drop_columns(["raw_response_text"]), "missing_response"),
        (pyarrow.table({n: pyarrow.nulls(2) for n in table.column_names}), "outputs: "),
        (duplicate, "two columns are called"),
    ]:
        with pytest.raises(judica.JudicaError, match=words):
            evaluate(data, tmp_path / "bad", given)


EXAMPLES = Path(__file__).parents[2] / "docs/examples"
EPISODES = ["--mode", "coord", "--config-path", "c.yaml", "--backend", "base"]
MATCHED = [{"id": str(n), "gold": "a", "prediction": "ab"[n % 2]} for n in range(20)]
RATINGS = [{"item": f"q{n // 2}", "rater": "xy"[n % 2], "value": n % 3} for n in range(40)]


@pytest.mark.parametrize(
    ("argv", "files"),
    [
        (["match", "--predictions", "rows"], {"rows": MATCHED}),
        (["agree", "ratings", "--input", "rows", "--level", "nominal"], {"rows": RATINGS}),
        (["agree", "pairs", "--pairs", "rows"], {"rows": "agreement/pairs.jsonl"}),
        (
            ["episodes", "--episodes", "episodes", "--predictions", "rows", *EPISODES],
            {"episodes": "episodes/episodes.jsonl", "rows": "episodes/base.jsonl"},
        ),
    ],
    ids=lambda given: " ".join(given[:2]) if isinstance(given, list) else "",
)
def test_other_commands_read_what_is_in_memory(tmp_path, monkeypatch, argv, files):
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    given = {}
    for name, rows in files.items():
        text = isinstance(rows, list) and "".join(json.dumps(row) + "\n" for row in rows)
        given[name] = text.encode() if text else (EXAMPLES / rows).read_bytes()
    argv = [*argv, "--json", "--timestamp", STAMP, "--run"]
    from_memory = _native.call([*argv, "memory"], given)
    tables = {
        name: pyarrow.Table.from_pylist([json.loads(line) for line in lines.splitlines() if line.strip()])
        for name, lines in given.items()
    }
    from_tables = _native.call([*argv, "tables"], tables)
    for name, lines in given.items():
        Path(name).write_bytes(lines)
    from_files = _native.call([*argv, "files"])
    reports = [json.loads(printed) for _, printed, _ in [from_files, from_memory, from_tables]]
    for report in reports:
        report.pop("read", None)
        # Those of a table are hashed as the door writes them.
        for file in report.get("files", []):
            file.pop("sha256")
    assert reports[0] == reports[1] == reports[2]
    assert from_files[0] == from_memory[0] == from_tables[0]


def test_records_can_be_taken_repeatedly(data, tmp_path):
    evaluate(data, tmp_path / "run")
    records = _native.Records(str(tmp_path / "run"))
    assert len(records) == 120
    assert len(pickle.loads(pickle.dumps(records))) == 120
    pyarrow = pytest.importorskip("pyarrow")
    first, second = pyarrow.table(records), pyarrow.table(records)
    assert first.equals(second) and first.num_rows == 120
    assert pyarrow.schema(records).equals(first.schema)
    with pytest.raises(judica.ArtifactError):
        _native.Records(tmp_path / "nothing")


def test_one_row_in_memory(data, tmp_path):
    protocol = _native.Protocol("flight")
    assert protocol.name == "flight" and "S1" in protocol.tasks and len(protocol.fields) == 19
    assert pickle.loads(pickle.dumps(protocol)).source == protocol.source
    mine = _native.Protocol(protocol.source)
    assert pickle.loads(pickle.dumps(mine)).name == "flight"
    samples = {row["sample_id"]: row for row in rows(data / "samples.jsonl")}
    output = rows(data / "outputs.jsonl")[0]
    record = protocol.evaluate(samples[output["sample_id"]], output)
    as_text = protocol.evaluate(json.dumps(samples[output["sample_id"]]), json.dumps(output))
    assert record["score"] == as_text["score"] and record["decision"] == "eligible"
    pyarrow = pytest.importorskip("pyarrow")
    evaluate(data, tmp_path / "run")
    stored = pyarrow.table(_native.Records(tmp_path / "run")).slice(0, 1).to_pylist()[0]
    places = {"input_file", "input_offset", "input_bytes", "input_hash"}
    same = {key for key in stored if stored[key] == record[key]}
    assert set(stored) - same <= places
    for sample, row in [({}, {}), ([], {}), ("{", "{"), (samples[output["sample_id"]], {"id": "x"})]:
        with pytest.raises(judica.BadInputError):
            protocol.evaluate(sample, row)


def test_progress_is_told_on_the_calling_thread(data, tmp_path):
    told = []
    here = threading.get_ident()
    evaluate(data, tmp_path / "run", progress=lambda n: told.append((n, threading.get_ident())))
    assert told and told[-1] == (120, here)
    assert [n for n, _ in told] == sorted(n for n, _ in told)

    def refuse(_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        evaluate(data, tmp_path / "refused", progress=refuse)


def test_calls_at_once_do_not_disturb_each_other(data, tmp_path):
    lines = (data / "outputs.jsonl").read_bytes()
    first = b"\n".join(lines.splitlines()[:40]) + b"\n"
    alone = [evaluate(data, tmp_path / f"alone{n}", given) for n, given in enumerate([lines, first])]
    found = {}

    def work(n, given):
        found[n] = [evaluate(data, tmp_path / f"run{n}-{again}", given) for again in range(3)]

    threads = [threading.Thread(target=work, args=(n, [lines, first][n % 2])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in range(4):
        assert found[n] == [alone[n % 2]] * 3


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_raises_soon_and_leaves_nothing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys, time
            from judica import _native
            folder, out = sys.argv[1:]
            _native.call(["synth", "flight", "--samples", "4000", "--models", "5", "--out", folder])
            def begun(_):
                print("begun", flush=True)
            try:
                for n in range(1000):
                    _native.call(["eval", "--protocol", "flight", "--samples", folder + "/samples.jsonl",
                        "--outputs", folder + "/outputs.jsonl", "--out", out], progress=begun)
            except KeyboardInterrupt:
                print("stopped", time.time(), flush=True)
            """
        )
    )
    out = tmp_path / "run"
    child = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "data"), str(out)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "begun\n"
    asked = time.time()
    child.send_signal(signal.SIGINT)
    said = [line for line in child.communicate(timeout=60)[0].splitlines() if line != "begun"]
    assert child.returncode == 0 and said[0].startswith("stopped")
    # A build without optimisation takes longer for what it has begun.
    took = float(said[0].split()[1]) - asked
    assert took < (0.3 if os.environ.get("JUDICA_WHEEL") == "release" else 5), took
    left = [path for path in tmp_path.rglob("*") if "judica-tmp" in path.name]
    assert left == [] and (not out.exists() or (out / "manifest.json").exists())


def test_the_command_is_the_same_program(data, tmp_path):
    command = [sys.executable, "-m", "judica"]
    ran = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.startswith("judica ")
    ran = subprocess.run([*command, "show", str(tmp_path), "x"], capture_output=True, text=True)
    assert ran.returncode == 3 and "SYSTEM_ERROR" in ran.stderr
    ran = subprocess.run([*command, "eval"], capture_output=True, text=True)
    assert ran.returncode == 2
