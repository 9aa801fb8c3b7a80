"""Hostile outputs of several models: second answers, broken and blank lines, in any order."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
import sys

#: As people use the program.
JUDICA = [sys.executable, "-m", "judica"]


def outputs(folder: pathlib.Path, order: str, samples: int = 60, seed: int = 1) -> tuple[str, list[str]]:
    """Samples and files of outputs in a folder: `sorted` by model, `mixed`, or `turns`."""
    made = folder / "made"
    synth = ["synth", "flight", "--samples", str(samples), "--models", "5", "--out", str(made)]
    subprocess.run([*JUDICA, *synth], check=True, capture_output=True)
    lines = (made / "outputs.jsonl").read_bytes().splitlines()
    chance = random.Random(seed)
    if order == "mixed":
        chance.shuffle(lines)
    if order == "turns":
        lines.sort(key=lambda line: json.loads(line)["sample_id"])
    hostile: list[bytes] = []
    for line in lines:
        hostile.append(line)
        if chance.random() < 0.02:
            hostile.append(chance.choice(lines[: len(hostile)]))
        if chance.random() < 0.03:
            hostile.append(
                chance.choice([b"", b"   ", b"{", b"\xff\xfe", b"[]", line[: len(line) // 2], b"null"])
            )
    third = len(hostile) // 3
    files = []
    for at, part in enumerate([hostile[:third], hostile[third:]]):
        path = folder / f"outputs-{at}.jsonl"
        # The last line of the second file has no end.
        path.write_bytes(b"\n".join(part) + (b"\n" if at == 0 else b""))
        files.append(str(path))
    return str(made / "samples.jsonl"), files


def records(folder: str) -> object:
    """All records of a run, in their order."""
    import pyarrow.parquet

    return pyarrow.parquet.read_table(pathlib.Path(folder) / "records.parquet").to_pylist()


def check_same(expected: str, found: str) -> None:
    """The report and the rejects are the same bytes, the records the same rows."""
    one, other = pathlib.Path(expected), pathlib.Path(found)
    for name in ["report.json", "tables.json", "rejects.jsonl"]:
        assert (one / name).exists() == (other / name).exists(), name
        if (one / name).exists():
            assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert records(expected) == records(found)
    counts = [json.loads((run / "manifest.json").read_text()) for run in (one, other)]
    for key in ["inputs", "options", "counts", "metrics", "trace"]:
        assert counts[0][key] == counts[1][key], key
    assert not (other / "records").exists(), "pieces are left"
