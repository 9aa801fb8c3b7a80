"""What Python leaves is what the command line leaves."""

import threading

import pytest
from conftest import STAMP, files

import judica

AGREEMENT = "docs/examples/agreement/"
EPISODES = "docs/examples/episodes/"
WEATHER = "docs/examples/weather/"

CASES = [
    (
        "eval --protocol {w}weather.toml --samples {w}samples.jsonl --outputs {w}outputs.jsonl",
        lambda **o: judica.eval(
            WEATHER + "weather.toml", WEATHER + "samples.jsonl", WEATHER + "outputs.jsonl", **o
        ),
    ),
    (
        "match --predictions docs/examples/answers/predictions --normalizer atl",
        lambda **o: judica.match("docs/examples/answers/predictions", normalizer="atl", **o),
    ),
    (
        "agree pairs --pairs {a}pairs.jsonl --hygiene",
        lambda **o: judica.agree.pairs(AGREEMENT + "pairs.jsonl", hygiene=True, **o),
    ),
    (
        "agree judges --eval-dir {a}judges --human {a}human.json",
        lambda **o: judica.agree.judges(AGREEMENT + "judges", human=AGREEMENT + "human.json", **o),
    ),
    (
        "agree ratings --input {a}ratings.csv --level ordinal --column item=item",
        lambda **o: judica.agree.ratings(
            [AGREEMENT + "ratings.csv"], level="ordinal", column={"item": "item"}, **o
        ),
    ),
    (
        "episodes --episodes {e}episodes.jsonl --predictions {e}base.jsonl --mode coord "
        "--config-path c.yaml --backend q --memory-gb 24.5",
        lambda **o: judica.episodes(
            EPISODES + "episodes.jsonl",
            EPISODES + "base.jsonl",
            mode="coord",
            config_path="c.yaml",
            backend="q",
            memory_gb=24.5,
            **o,
        ),
    ),
    (
        "gate golden --golden docs/examples/gates/golden_queries.json "
        "--outputs docs/examples/gates/runs --min-coverage 0.5",
        lambda **o: judica.gate.golden(
            "docs/examples/gates/runs",
            golden="docs/examples/gates/golden_queries.json",
            min_coverage=0.5,
            **o,
        ),
    ),
]


@pytest.mark.parametrize(("words", "function"), CASES, ids=[words.split(" --")[0] for words, _ in CASES])
def test_files_are_the_same_bytes(words, function, cli, tmp_path):
    words = words.format(w=WEATHER, a=AGREEMENT, e=EPISODES).split()
    code = 1 if words[:2] == ["agree", "pairs"] else 0
    cli(*words, "--run", tmp_path / "cli", "--timestamp", STAMP, code=code)
    run = function(run=tmp_path / "python", timestamp=STAMP)
    assert files(run) == files(tmp_path / "cli")
    # A run without a folder is the same, too, for any number of threads.
    for threads in (1, 3):
        assert files(function(timestamp=STAMP, threads=threads)) == files(run)


def test_import_and_reports(cli, tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("q,m,acc\n1,a,1\n2,a,0\n1,b,1\n2,b,1\n")
    table = {"as_": "table", "item": "q", "subject": "m", "metric": "acc"}
    run = judica.import_log(scores, run=tmp_path / "python", timestamp=STAMP, **table)
    words = "--as table --item q --subject m --metric acc --timestamp".split()
    cli("import", scores, *words, STAMP, "--run", tmp_path / "cli")
    assert files(run) == files(tmp_path / "cli")
    judica.compare(run, subjects=["a", "b"], out=tmp_path / "python.json")
    cli("compare", run.folder, "--subjects", "a,b", "--out", tmp_path / "cli.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()
    plan = judica.plan(run, difference=0.25, subjects="b")
    assert plan == judica.plan(run, difference=0.25, subjects=["b"])


def test_two_threads_at_once(flight, cli, tmp_path):
    data = flight(300, 5)
    cli(
        *("eval", "--protocol", "flight", "--samples", data / "samples.jsonl"),
        *("--outputs", data / "outputs.jsonl", "--out", tmp_path / "cli", "--timestamp", STAMP),
    )
    made, failed = {}, []

    def work(name):
        try:
            made[name] = judica.eval(
                "flight", data / "samples.jsonl", data / "outputs.jsonl", timestamp=STAMP
            )
        except BaseException as error:
            failed.append(error)

    def fail():
        with pytest.raises(judica.BadInputError):
            judica.eval("flight", [], data / "outputs.jsonl")

    threads = [threading.Thread(target=work, args=[name]) for name in "ab"]
    threads.append(threading.Thread(target=fail))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert files(made["a"]) == files(made["b"]) == files(tmp_path / "cli")
