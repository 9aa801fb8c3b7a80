"""What the one wheel must do on any Python, with nothing but the standard library."""

import subprocess
import sys

import judica

rows = [{"id": str(at), "gold": "1", "prediction": str(at % 2)} for at in range(10)]
with judica.match(rows, subject="mine") as run:
    assert run.report["counts"]["matched"] == 5
    assert len(run.records) == 10 and run.record("1")["verdict"] == "pass"
    assert type(run.records.__arrow_c_stream__()).__name__ == "PyCapsule"
    assert "<table>" in run._repr_html_()
weather = "docs/examples/weather/"
run = judica.eval(weather + "weather.toml", weather + "samples.jsonl", weather + "outputs.jsonl")
assert run.report["leaderboard"][0]["model_name"] == "north"
assert judica.Protocol("flight").name == "flight"
for wrong in ({}, None, (row for row in rows)):
    try:
        judica.match(wrong)
    except ValueError as error:
        assert isinstance(error, judica.BadInputError)
    else:
        raise SystemExit(f"{wrong} was taken for rows")
version = subprocess.run([sys.executable, "-m", "judica", "--version"], capture_output=True, text=True)
assert version.stdout.startswith("judica "), version
