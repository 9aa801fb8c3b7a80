"""The object that stands for a run."""

import gc
import os
import pickle
import re
import shutil
import urllib.request
from pathlib import Path

import polars
import pyarrow
import pytest
from conftest import rows

import judica

HOSTILE = '<script>alert("x")</script>&\u202e'


@pytest.fixture
def run(weather):
    return judica.eval(**weather)


def test_what_a_run_holds(run):
    assert run.manifest["command"] == "eval" and run.report["leaderboard"]
    assert len(run.rejects) == run.manifest["counts"]["rejects"] == 3
    assert {"reason", "line"} <= set(run.rejects[0])
    whole = [of for of in run.metrics if of["subject"] is None and of["dataset"] is None]
    assert "total" in {of["metric"] for of in whole} and all("value" in of for of in whole)
    # A stream can be taken as often as one likes.
    records = run.records
    assert pyarrow.table(records).equals(pyarrow.table(records))
    assert polars.DataFrame(records).height == len(records) == 8
    item, subject = polars.DataFrame(records)["item"][0], polars.DataFrame(records)["subject"][0]
    assert run.record(item, subject)
    with pytest.raises(judica.BadInputError, match="north.*south"):
        run.record(item)
    with pytest.raises(judica.BadInputError):
        run.record("nobody")


def test_a_temporary_run_goes_with_its_object(weather):
    run = judica.eval(**weather)
    folder, records = run.folder, run.records
    del run
    gc.collect()
    # Records are still there for whoever has them.
    assert pyarrow.table(records).num_rows == 8
    del records
    gc.collect()
    assert not os.path.exists(Path(folder).parent)
    with judica.eval(**weather) as run:
        assert os.path.exists(run.folder)
    assert not os.path.exists(run.folder)
    for gone in ("report", "records", "rejects"):
        with pytest.raises(judica.ArtifactError):
            getattr(run, gone)


def test_only_a_run_that_stays_is_pickled(run, tmp_path, monkeypatch):
    with pytest.raises(judica.BadInputError, match="save"):
        pickle.dumps(run)
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(judica.open(run.save("run").folder))
    monkeypatch.chdir("/")
    assert pickle.loads(pickled).report == run.report


def test_save_keeps_it(run, weather, tmp_path):
    temporary, kept = run.folder, tmp_path / "a" / "run"
    records = run.records
    assert run.save(kept) is run and run.folder == str(kept)
    assert pyarrow.table(records).num_rows == 8
    run.close()
    assert judica.open(kept).report == run.report and kept.exists()
    del records
    gc.collect()
    assert not os.path.exists(temporary)
    # A run that stands there is replaced as a whole, and nothing else is.
    other = judica.match("docs/examples/answers/predictions")
    assert other.save(kept).manifest["command"] == judica.open(kept).manifest["command"] == "match"
    assert not (kept / "protocol.toml").exists() and os.listdir(tmp_path / "a") == ["run"]
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").write_text("all of it")
    with pytest.raises(judica.ArtifactError, match="no run"):
        judica.eval(**weather).save(precious)
    with pytest.raises(judica.ArtifactError):
        judica.eval(**weather).save(precious / "thesis.tex")
    assert os.listdir(precious) == ["thesis.tex"]
    # Other programs have manifests, too.
    (precious / "manifest.json").write_text('{"name": "app"}')
    with pytest.raises(judica.ArtifactError, match="no run"):
        judica.eval(**weather).save(precious)
    assert sorted(os.listdir(precious)) == ["manifest.json", "thesis.tex"]


def test_save_refuses_the_own_folder(run, tmp_path):
    for inside in (run.folder, Path(run.folder) / "copy", Path(run.folder).parent / "copy"):
        with pytest.raises(judica.ArtifactError, match="own folder"):
            run.save(inside)
    kept = run.save(tmp_path / "run")
    assert kept.save(tmp_path / "run") is kept
    with pytest.raises(judica.ArtifactError, match="own folder"):
        kept.save(tmp_path / "run" / "copy")
    assert not (tmp_path / "run" / "copy").exists()


def test_open_refuses_what_is_no_run(tmp_path, run):
    with pytest.raises(judica.ArtifactError, match="no run"):
        judica.open(tmp_path)
    for text in ("{", "[]", '{"schema_version": 7}', "[" * 100_000):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(judica.ArtifactError):
            judica.open(tmp_path)
    with pytest.raises(judica.BadInputError):
        judica.open(None)
    shutil.copytree(run.folder, tmp_path / "copy")
    (tmp_path / "copy/records.parquet").write_bytes(b"PAR1")
    with pytest.raises(judica.ArtifactError):
        judica.open(tmp_path / "copy").records


def test_a_run_is_a_path(run, tmp_path):
    assert os.fspath(run) == run.folder
    compared = run.compare(subjects=["north", "south"])
    assert compared["metrics"][0]["metric"] == "total"
    with pytest.raises(judica.GateFailed) as raised:
        better = [{"id": str(at), "gold": "1", "prediction": "1"} for at in range(20)]
        worse = [{**row, "prediction": "2"} for row in better]
        judica.match(better).compare(judica.match(worse), fail_if_worse=True)
    assert "matched" in str(raised.value) and raised.value.report["metrics"]


def test_html_is_small_and_escaped(weather):
    outputs = [{**row, "model_name": HOSTILE} for row in rows(weather["outputs"])]
    shown = judica.eval(weather["protocol"], weather["samples"], outputs)._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown
    shown = judica.eval(**weather)._repr_html_()
    assert "Leaderboard" in shown and "98.23 [96.84, 99.62]" in shown and len(shown) < 5000
    assert re.findall("<t[dh]", shown) and 'title="no eligible record' in shown


def test_view_serves_until_it_is_closed(run):
    view = run.view()
    assert view.startswith("http://127.0.0.1:") and view in view._repr_html_()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(view, timeout=10) as page:
        assert b"north" in page.read()
    run.close()
    with pytest.raises(OSError):
        urllib.request.urlopen(view, timeout=10)
    shutil.rmtree(run.folder, ignore_errors=True)
    with pytest.raises(judica.ArtifactError):
        run.view()


def test_only_records_that_stay_are_pickled(run, tmp_path, monkeypatch):
    with pytest.raises(judica.BadInputError, match="save"):
        pickle.dumps(run.records)
    monkeypatch.chdir(tmp_path)
    run.save("run")
    records = judica.open("run").records
    pickled = pickle.dumps(records)
    monkeypatch.chdir("/")
    assert len(pickle.loads(pickled)) == len(records)
    # Another run takes the place of the one that was there.
    rows = [{"id": str(at), "gold": "1", "prediction": "1"} for at in range(40)]
    judica.match(rows, run=tmp_path / "run")
    assert polars.DataFrame(records).height == len(records) == 40


def test_tables_that_are_none(run, tmp_path):
    run.save(tmp_path / "run")
    (tmp_path / "run/tables.json").write_text('[{"columns": 1}]')
    with pytest.raises(judica.ArtifactError, match="tables.json"):
        judica.open(tmp_path / "run")._repr_html_()
