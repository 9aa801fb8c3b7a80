"""Hostile rows for runs on many machines, and what it means that two runs are the same."""

import json
import random
import subprocess
from pathlib import Path

import pyarrow.parquet
from conftest import JUDICA, ROOT, STAMP

import judica

PAIRS = "docs/examples/agreement/pairs.jsonl"
BROKEN = [b"", b"   ", b"{", b"\xc3\x28", b"[]", b"null", b'{"model_name": 1}']


def outputs(folder, order, samples=60):
    """Two files of outputs of five models, `sorted` by model, in `turns` or `mixed`: second
    answers, broken and blank lines among them, and no end of the last line."""
    words = ["synth", "flight", "--samples", samples, "--models", 5, "--out", folder / "made"]
    subprocess.run([JUDICA, *map(str, words)], check=True, capture_output=True)
    lines = (folder / "made/outputs.jsonl").read_bytes().splitlines()
    if order == "turns":
        lines.sort(key=lambda line: json.loads(line)["sample_id"])
    files = written(folder, "outputs", hostile(lines, order == "mixed"))
    return {"protocol": "flight", "samples": str(folder / "made/samples.jsonl"), "outputs": files}


def predictions(folder, _order):
    """Predictions, some of them twice, with and without ids."""
    rows = [
        {"id": f"q{at % 190}", "gold": f"answer {at % 7}", "prediction": f"answer {at % 5}"}
        for at in range(200)
    ]
    for row in rows[::9]:
        row.pop("id")
    lines = [json.dumps(row).encode() for row in rows]
    return {"predictions": written(folder, "predictions", hostile(lines, True))[0]}


def pairs(folder, _order):
    """Judgments of two validators, of which the example has some."""
    rows = [json.loads(line) for line in (ROOT / PAIRS).read_text().splitlines() if line]
    lines = [
        json.dumps({**row, "qid": f"{row['qid']}-{turn}"}).encode() for turn in range(20) for row in rows
    ]
    return {"pairs": written(folder, "pairs", hostile(lines, True))[1]}


def hostile(lines, mixed):
    chance = random.Random(1)
    if mixed:
        chance.shuffle(lines)
    found = []
    for line in lines:
        found.append(line)
        if chance.random() < 0.02:
            found.append(chance.choice(found))
        if chance.random() < 0.03:
            found.append(chance.choice([*BROKEN, line[: len(line) // 2]]))
    return found


def written(folder, name, lines):
    third = len(lines) // 3
    files = [folder / f"{name}-{at}.jsonl" for at in range(2)]
    files[0].write_bytes(b"\n".join(lines[:third]) + b"\n")
    files[1].write_bytes(b"\n".join(lines[third:]))
    return [str(file) for file in files]


def check_same(one, other):
    """Report and rejects are the same bytes, records the same rows in the same order."""
    for name in ["report.json", "tables.json", "rejects.jsonl"]:
        assert (one / name).exists() == (other / name).exists(), name
        if (one / name).exists():
            assert (one / name).read_bytes() == (other / name).read_bytes(), name
    tables = [pyarrow.parquet.read_table(run / "records.parquet") for run in (one, other)]
    assert tables[0].num_rows > 0
    assert tables[0].equals(tables[1])
    manifests = [json.loads((run / "manifest.json").read_text()) for run in (one, other)]
    for key in ["inputs", "options", "counts", "metrics", "trace"]:
        assert manifests[0].get(key) == manifests[1].get(key), key
    assert not (other / "records").exists(), "pieces are left"
    assert judica.open(other).report == judica.open(one).report


class Engine:
    """Checks runs of an engine, given how its functions are called."""

    def __init__(self, functions, folder):
        self.functions, self.folder = functions, folder

    def check(self, command, order, partitions):
        makes = {"eval": outputs, "match": predictions, "agree_pairs": pairs}
        folder = self.folder / f"{command}-{order}"
        alone = {"eval": judica.eval, "match": judica.match, "agree_pairs": judica.agree.pairs}
        folder.mkdir()
        given = makes[command](folder, order)
        given["timestamp"] = STAMP
        alone[command](**given, run=folder / "one")
        for number in partitions:
            out = folder / f"many-{number}"
            self.functions[command](**given, out=out, partitions=number)
            check_same(folder / "one", out)
        return folder, given
