"""Rows in memory: every kind of table, and what a table may lack."""

import json

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import ROOT, STAMP, files, rows

import judica


def rows_of(folder):
    """Samples and outputs whose every line can be used, as lists of dicts."""
    samples, outputs = rows(folder / "samples.jsonl"), rows(folder / "outputs.jsonl")
    # A column has one type.
    for row in samples + outputs:
        for key, value in row.items():
            if isinstance(value, (dict, list)):
                row[key] = json.dumps(value)
    return samples, outputs


KINDS = {
    "list": lambda rows: rows,
    "tuple": tuple,
    "polars": polars.DataFrame,
    "pandas": pandas.DataFrame,
    "pyarrow": pyarrow.Table.from_pylist,
    "batch": pyarrow.RecordBatch.from_pylist,
    "reader": lambda rows: pyarrow.Table.from_pylist(rows).to_reader(max_chunksize=7),
    "duckdb": lambda rows: duckdb.connect().from_arrow(pyarrow.Table.from_pylist(rows)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_table_gives_the_same_records(kind, flight, tmp_path):
    samples, outputs = rows_of(flight(30, 3))
    made = judica.eval("flight", samples, outputs, timestamp=STAMP)
    table = KINDS[kind]
    run = judica.eval("flight", table(samples), table(outputs), timestamp=STAMP)
    assert run.report == made.report
    assert run.report["leaderboard"][0]["model_name"] == "accurate-1"
    assert len(run.records) == len(outputs) and run.rejects == made.rejects
    names = [given["path"] for given in run.manifest["inputs"]]
    assert names == ["samples", "outputs"]
    again = judica.eval("flight", table(samples), table(outputs), timestamp=STAMP, threads=1)
    assert files(again) == files(run)


def test_two_relations_of_one_connection(flight):
    samples, outputs = rows_of(flight(30, 3))
    connection = duckdb.connect()
    tables = (connection.from_arrow(pyarrow.Table.from_pylist(rows)) for rows in (samples, outputs))
    assert judica.eval("flight", *tables).report["leaderboard"]


def test_several_inputs_of_several_kinds(weather, tmp_path):
    all_rows = rows(weather["outputs"])
    half = tmp_path / "outputs"
    half.write_text("".join(json.dumps(row) + "\n" for row in all_rows[:2]))
    parts = [str(half), all_rows[2:5], [dict(row) for row in all_rows[5:]]]
    run = judica.eval(weather["protocol"], weather["samples"], parts)
    whole = judica.eval(weather["protocol"], weather["samples"], all_rows)
    assert run.report["leaderboard"] == whole.report["leaderboard"]
    names = [given["path"] for given in run.manifest["inputs"] if given["role"] == "outputs"]
    assert names == [str(half), "outputs", "outputs-2"]


def test_a_path_is_never_taken_for_a_table(weather, tmp_path, monkeypatch):
    protocol, samples = ROOT / weather["protocol"], ROOT / weather["samples"]
    lines = rows(weather["outputs"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outputs").write_text(json.dumps(lines[0]) + "\n")
    run = judica.eval(protocol, samples, ["outputs", lines[1:]])
    names = [given["path"] for given in run.manifest["inputs"] if given["role"] == "outputs"]
    assert names == ["outputs", "outputs-2"]


def test_nulls_nested_and_dictionary_columns():
    nested = pyarrow.table(
        {
            "id": pyarrow.array(["a", "b", "c"]).dictionary_encode(),
            "gold": pyarrow.array(["1", "2", None]),
            "prediction": pyarrow.array(["1", None, "3"]),
            "meta": pyarrow.array([{"x": [1, 2]}, {"x": []}, None]),
        }
    )
    run = judica.match(nested, normalizer="text", keep_text=True)
    table = polars.DataFrame(run.records)
    assert dict(zip(table["item"], table["verdict"])).get("a") == "pass"
    # Neither an answer nor a gold that is missing is lost: all rows are accounted for.
    counts = run.manifest["counts"]
    assert counts["inputs"] == 3 == counts["used"] + counts["rejects"]
    frame = polars.DataFrame(
        {"id": ["a", "b"], "gold": ["1", "2"], "prediction": ["1", "3"]},
        schema_overrides={"id": polars.Categorical},
    )
    assert judica.match(frame).report["counts"]["matched"] == 1


@pytest.mark.parametrize("empty", [[], polars.DataFrame({"id": [], "gold": []}), pyarrow.table({})])
def test_no_rows_are_no_success(empty):
    with pytest.raises(judica.BadInputError):
        judica.match(empty)


def test_columns_that_are_missing_are_said():
    with pytest.raises(judica.BadInputError) as raised:
        judica.match(polars.DataFrame({"id": ["a", "b"], "anything": ["1", "2"]}))
    assert raised.value.rejects and raised.value.rejects[0]["reason"]
    run = judica.match(polars.DataFrame({"q": ["a"], "label": ["1"], "answer": ["1"]}), item="q", gold="label", prediction="answer")
    assert run.record("a")["verdict"] == "pass"


def test_numbers_of_numpy_are_numbers():
    rated = [
        {"item": "a", "rater": who, "value": numpy.int64(value)} for who, value in zip("xy", (1, 1))
    ] + [{"item": "b", "rater": who, "value": numpy.float64(value)} for who, value in zip("xy", (2, 3))]
    assert judica.agree.ratings(rated, level="ordinal").report["items"] == 2


def test_names_in_a_list_may_hold_commas():
    rows = [{"item": 1, "Ann, first": "no, never", 'Bob, "B"': "no, never"}]
    rows += [{"item": 2, "Ann, first": "yes, always", 'Bob, "B"': "no, never"}]
    run = judica.agree.ratings(
        rows,
        level="ordinal",
        rater_columns=["Ann, first", 'Bob, "B"'],
        order=["no, never", "yes, always"],
    )
    assert run.report["raters"] == 2
    assert run.report["percent_agreement"]["value"] == 0.5


def test_items_are_named_by_several_columns():
    rows = [{"q": 1, "t": turn, "gold": "1", "prediction": "1"} for turn in (1, 2)]
    run = judica.match(rows, item=["q", "t"])
    assert run.record("1/2")["verdict"] == "pass"
    rated = [{"q": 1, "t": t, "rater": who, "value": 1} for t in (1, 2) for who in "xy"]
    assert judica.agree.ratings(rated, level="ordinal", item=["q", "t"]).report["items"] == 2


def test_half_a_letter_is_read_as_in_a_file(tmp_path):
    rows = [{"id": "a", "gold": "\ud800", "prediction": "é"}, {"id": "b", "gold": "1", "prediction": "1"}]
    file = tmp_path / "predictions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [judica.match(given, keep_text=True).record("a")["target"] for given in (rows, file)]
    assert found[0] == found[1]


def test_times_of_numpy_are_text():
    times = numpy.array([1, 2], "datetime64[ns]")
    rows = [{"id": at, "gold": "1", "prediction": "1"} for at in times]
    run = judica.match([{**row, "when": times} for row in rows])
    assert run.record("1970-01-01T00:00:00.000000002")["verdict"] == "pass"


def test_a_column_that_holds_nothing():
    rows = {"id": ["a"], "gold": ["1"], "prediction": ["1"], "note": [None]}
    assert judica.match(polars.DataFrame(rows)).report["matched"] == 1
