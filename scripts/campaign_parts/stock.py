"""Small valid inputs of every kind: the examples of the documentation, and what the program makes of them."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from . import tree
from .child import Child

# Commands without a scenario: a page in a browser (tests/view), and the help itself.
ELSEWHERE = {"view", "help"}
REPOSITORY = Path(__file__).resolve().parent.parent.parent


class NoStock(Exception):
    """The valid inputs could not be made: a campaign over them would show nothing."""


def make(binary, server, folder):
    """Makes the stock in `folder` and returns it: relative path → bytes."""
    folder = Path(folder)
    shutil.copytree(REPOSITORY / "docs" / "examples", folder, dirs_exist_ok=True)
    os.remove(folder / "answers" / "server.py")
    write_own(folder)

    def run(*argv, codes=(0,)):
        child = Child([binary, *argv], folder, folder.parent, name="stock")
        result = child.wait(120)
        if result.code not in codes or result.timed_out:
            words = " ".join(argv)
            raise NoStock(f"judica {words}: exit {result.code}\n{result.stderr.decode(errors='replace')}")

    run("synth", "flight", "--samples", "12", "--models", "2", "--seed", "7", "--out", "flight")
    run("eval", "--protocol", "flight", "--samples", "flight/samples.jsonl", "--outputs",
        "flight/outputs.jsonl", "--confidence", "flight/confidence.json", "--records", "both",
        "--out", "run")
    for name, mode in (("base", "coord"), ("tuned", "som")):
        run("episodes", "--episodes", "episodes/episodes.jsonl", "--predictions",
            f"episodes/{name}.jsonl", "--mode", mode, "--config-path", f"{name}.yaml", "--backend",
            name, "--details", f"scored/{name}.details.jsonl", "--out", f"scored/{name}.json")
    run("judge", "--predictions", "answers/predictions", "--model", "stand-in", "--base-url",
        server.address("ok", "stock"), "--out", "judged")
    shutil.rmtree(folder / "judged" / ".judica")
    run("gate", "golden", "--golden", "gates/golden_queries.json", "--outputs", "gates/runs",
        "--report", "reports/golden.json", codes=(0, 1))
    run("agree", "judges", "--eval-dir", "agreement/judges", "--out", "reports/judges.json")
    for name, predictions in (("first", "small"), ("second", "medium")):
        run("match", "--predictions", f"answers/predictions/{predictions}.json", "--run", f"runs/{name}",
            "--subject", "m")
    run("agree", "pairs", "--pairs", "agreement/pairs.jsonl", "--tsv", "reports/differ.tsv", "--run", "runs/pairs",
        codes=(0, 1))
    run("import", "logs/inspect.json", "--run", "runs/imported")
    for part in ("1/2", "2/2"):
        run("eval", "--protocol", "flight", "--samples", "flight/samples.jsonl", "--outputs", "flight/outputs.jsonl",
            "--out", "pieces", "--part", part)
    files = tree.read_files(folder)
    left = [name for name in files if "judica-tmp" in name]
    if left:
        raise NoStock(f"temporary files beside the stock: {left}")
    return files


def every_command(binary, known):
    """A command that the program has and no scenario runs is one that nobody throws anything at."""
    def commands(*of):
        help_screen = subprocess.run([binary, *of, "--help"], capture_output=True, text=True, check=True).stdout
        return re.findall(r"^  ([a-z][a-z-]*)(?=  |$)", help_screen, re.M)

    tried = {word for command in known for word in (command, command.split()[0])}
    missing = set(commands()) - tried - ELSEWHERE
    for group in {command.split()[0] for command in known if " " in command}:
        missing |= {f"{group} {command}" for command in commands(group)} - tried - {f"{group} help"}
    if missing:
        raise NoStock(f"no scenario runs: {', '.join(sorted(missing))}")


def write_own(folder):
    """What the examples lack: other shapes that the commands read."""
    pairs = [json.loads(line) for line in (folder / "agreement/pairs.jsonl").read_text().splitlines()]
    for side in ("scholar", "auditor"):
        lines = [json.dumps({"qid": p["qid"], **p[side]}) for p in pairs if isinstance(p.get(side), dict)]
        (folder / "agreement" / f"{side}.jsonl").write_text("\n".join(lines) + "\n")
    rows = (folder / "agreement/ratings.csv").read_text().splitlines()
    head = rows[0].split(",")
    lines = [json.dumps(dict(zip(head, row.split(",")))) for row in rows[1:]]
    (folder / "agreement/ratings.jsonl").write_text("\n".join(lines) + "\n")
    answers = json.loads((folder / "answers/predictions/small.json").read_text())["predictions"]
    (folder / "answers/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    sums = [{"input": "7/2", "gold": "3.5", "prediction": "3.50"},
            {"input": "2+2", "gold": "4", "prediction": "5"},
            {"input": "1/3", "gold": ["0.333", "1/3"], "prediction": "0.3330"}]
    (folder / "answers/sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in sums))
    write_logs(folder / "logs")
    gates = [("hits", "/metrics/click_hit_rate", ">=", 0.1), ("types", "/metrics/action_type_accuracy", ">=", 0.2),
             ("error", "/metrics/mean_coord_error", "<=", 0.5)]
    (folder / "own.toml").write_text("version = 1\n" + "".join(
        f'\n[[gate]]\nname = "{name}"\nmetric = "{metric}"\nop = "{op}"\nthreshold = {limit}\n'
        for name, metric, op, limit in gates))
    (folder / "runs.toml").write_text(
        'version = 1\n\n[[gate]]\nname = "matched"\nmetric = "matched"\nsubject = "m"\nop = ">="\nthreshold = 0.1\n'
        '\n[[gate]]\nname = "holds"\nmetric = "matched"\nsubject = "m"\nop = "no_worse_than"\nthreshold = 0.5\n')


def write_logs(folder):
    """Small logs of other harnesses, and a table of scores."""
    folder.mkdir()
    samples = [{"id": at, "epoch": 1, "input": f"q{at}", "target": "a", "output": {"completion": said},
                "scores": {"match": {"value": "C" if said == "a" else "I"}}, "metadata": {"group": at % 2}}
               for at, said in enumerate("aaba")]
    inspect = {"version": 2, "status": "success", "samples": samples,
               "eval": {"task": "t", "model": "m", "created": "2026-01-01T00:00:00+00:00", "dataset": {}, "config": {}},
               "results": {"total_samples": 4, "completed_samples": 4, "scores": [
                   {"name": "match", "scorer": "match", "metrics": {"accuracy": {"name": "accuracy", "value": 0.75}}}]}}
    (folder / "inspect.json").write_text(json.dumps(inspect))
    events = [{"spec": {"completion_fns": ["m"], "eval_name": "e", "base_eval": "e"}},
              *[{"sample_id": f"s{at}", "type": "match", "event_id": at, "data": {"correct": at != 1}} for at in range(4)],
              {"final_report": {"accuracy": 0.75}}]
    (folder / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    (folder / "scores.csv").write_text("item,model,acc\n" + "".join(f"q{at},m{at % 2},{at / 8}\n" for at in range(8)))
