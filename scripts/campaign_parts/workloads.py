"""Runs that take long enough to be disturbed, with what comes of them when nobody does.

Each has two sets of inputs, `a` and `b`, that lead to different results under the same names. A
folder with the link `a` or `b` and an empty `out` is all a run needs.
"""

import hashlib
import json
import os
import random
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from . import checks, tree
from .child import Child
from .mutated import without_calls
from .stock import REPOSITORY, NoStock

EXAMPLES = REPOSITORY / "docs" / "examples"
# Long against the time that a process takes to start, short enough for hundreds.
SECONDS = 0.25
# How slowly the server answers. A step of a release has to outlast the 0.7 seconds that an interrupted
# program takes to end.
MODES = {"judge": "slow40", "release": "slow400"}


@dataclass
class Load:
    """A command with its inputs in `<folder>/a` and `<folder>/b`."""

    command: str
    # Words with {in} for the inputs, {size} for how many rows they have, {tag} for a part of the names
    # of outputs, {url} for the server.
    argv: list
    folder: str
    sizes: dict
    # The files of a result belong together.
    coherent: bool = False
    seconds: float = 0.0

    def words(self, variant, tag="", url=""):
        holes = {"in": variant, "size": self.sizes[variant], "tag": tag, "url": url}
        return [word.format(**holes) for word in self.argv]

    def lay(self, folder, url):
        """Makes the folder of a case."""
        os.makedirs(os.path.join(folder, "out"))
        for variant in ("a", "b"):
            os.symlink(os.path.join(self.folder, variant), os.path.join(folder, variant))
            config = os.path.join(self.folder, variant, "release.toml")
            if os.path.exists(config):
                text = Path(config).read_text().replace("{url}", url)
                Path(folder, f"{variant}.toml").write_text(text)


TAGGED = {
    "eval": ["eval", "--protocol", "flight", "--samples", "{in}/samples.jsonl", "--outputs", "{in}/outputs.jsonl",
             "--out", "out/{tag}run"],
    "match": ["match", "--predictions", "{in}/rows.jsonl", "--out", "out/{tag}match.json", "--details",
              "out/{tag}details.jsonl", "--normalizer", "text"],
    "judge": ["judge", "--predictions", "{in}/asked.jsonl", "--model", "stand-in", "--base-url", "{url}",
              "--concurrency", "3", "--out", "out/{tag}judged"],
    "agree pairs": ["agree", "pairs", "--pairs", "{in}/pairs.jsonl", "--tsv", "out/{tag}differ.tsv", "--out",
                    "out/{tag}report.json", "--arbitrated", "out/{tag}final.jsonl", "--junit", "out/{tag}gates.xml"],
    "episodes": ["episodes", "--episodes", "{in}/episodes.jsonl", "--predictions", "{in}/done.jsonl", "--mode", "coord",
                 "--config-path", "c", "--backend", "b", "--out", "out/{tag}eval.json", "--details",
                 "out/{tag}details.jsonl"],
    "gate golden": ["gate", "golden", "--golden", "{in}/golden.json", "--outputs", "{in}/runs", "--report",
                    "out/{tag}golden.json", "--markdown", "out/{tag}golden.md", "--junit", "out/{tag}golden.xml"],
    "release": ["release", "--config", "{in}.toml", "--out", "out/{tag}release.json", "--markdown", "out/{tag}release.md"],
    "export": ["export", "{in}/run", "--format", "jsonl", "--out", "out/{tag}records.jsonl"],
    "synth": ["synth", "flight", "--samples", "{size}", "--models", "3", "--out", "out/{tag}data"],
    "aggregate": ["aggregate", "--files", "{in}/files", "--out", "out/{tag}means.json"],
    "agree ratings": ["agree", "ratings", "--input", "{in}/ratings.csv", "--level", "ordinal", "--out",
                      "out/{tag}ratings.json", "--heatmap", "out/{tag}map.svg"],
    "efficiency": ["efficiency", "--predictions", "{in}/rows.jsonl", "--out", "out/{tag}report"],
    "import": ["import", "{in}/scores.csv", "--as", "table", "--item", "item", "--subject", "model", "--metric", "acc",
               "--run", "out/{tag}run"],
    "report": ["report", "{in}/run", "--html", "out/{tag}run.html"],
}
COHERENT = ("eval", "synth", "import")


def make(binary, server, folder):
    """All workloads, scaled to this machine: command → load."""
    made = {}
    for command, argv in TAGGED.items():
        size, load = START[command], None
        for attempt in range(4):
            place = os.path.join(folder, command.replace(" ", "-"), str(attempt))
            sizes = {"a": size, "b": size + 3}
            load = Load(command, argv, place, sizes, command in COHERENT)
            for variant, seed in (("a", 1), ("b", 2)):
                os.makedirs(os.path.join(place, variant))
                INPUTS[command](binary, Path(place, variant), sizes[variant], seed)
            load.seconds = measure(binary, server, load, os.path.join(place, "measured"))
            if load.seconds > SECONDS * 0.6 or command in MODES:
                break
            size = int(size * min(8, SECONDS / max(load.seconds - 0.005, 0.005)))
        made[command] = load
    return made


def measure(binary, server, load, folder):
    url = server.address(MODES.get(load.command, "ok"), f"measured-{load.command}".replace(" ", "-"))
    load.lay(folder, url)
    began = time.monotonic()
    result = Child([binary, *load.words("a", url=url)], folder, os.path.dirname(folder)).wait(120)
    if result.code not in (0, 1):
        raise NoStock(f"judica {' '.join(load.words('a'))}: exit {result.code}: {result.stderr.decode(errors='replace')}")
    shutil.rmtree(folder)
    return time.monotonic() - began


def fingerprint(folder):
    """What a run left in its folder: path → hash, without what documents itself as not the same."""
    found = {}
    for path, data in tree.read_files(folder).items():
        if ".judica" in path.split(os.sep) or "sqlite3" in path or path.endswith("judge_report.json"):
            continue
        if "release" in path:
            # A release names the commands it ran, and those name the server.
            data = re.sub(rb"http://127[^\s\"']*", b"URL", data)
        if "judged" in path and path.endswith(".json"):
            try:
                data = json.dumps(without_calls(checks.parse(data))).encode()
            except ValueError:
                data = b"broken"
        found[path] = hashlib.sha256(data).hexdigest()
    return found


class References:
    """Undisturbed results, made when they are first asked for."""

    def __init__(self, context):
        self.context = context
        self.known = {}

    def get(self, load, variant, tag=""):
        """Exit code, fingerprint of `out`, and a folder that holds it."""
        key = (load.command, variant, tag)
        if key not in self.known:
            context = self.context
            folder = os.path.join(context.scratch, "reference-" + "-".join(key).replace(" ", "-"))
            url = context.server.address("ok", "reference")
            load.lay(folder, url)
            result = Child([context.binary, *load.words(variant, tag, url)], folder, context.scratch).wait(120)
            out = os.path.join(folder, "out")
            self.known[key] = (result.code, fingerprint(out), out)
        return self.known[key]


def rows(_, folder, size, seed):
    rng = random.Random(seed)
    with open(folder / "rows.jsonl", "w") as handle:
        for at in range(size):
            gold = f"the {rng.choice(['red', 'green', 'blue'])} answer {at % 97} of {rng.randrange(50)}"
            said = gold.upper() if rng.random() < 0.6 else gold + "?" * rng.randrange(2) + "x"
            handle.write(json.dumps({"id": at, "input": f"question {at}", "gold": gold, "prediction": said,
                                     "model": f"m{at % 3}", "latency_ms": rng.randrange(100, 900)}) + "\n")
        if seed == 2:
            handle.write("not a row\n")


def asked(_, folder, size, seed):
    with open(folder / "asked.jsonl", "w") as handle:
        for at in range(size):
            handle.write(json.dumps({"id": at, "input": f"q{at}", "gold": f"g{at}", "prediction": f"p{at} by {seed}"}) + "\n")


def pairs(_, folder, size, seed):
    rng = random.Random(seed)
    labels = ["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"]
    with open(folder / "pairs.jsonl", "w") as handle:
        for at in range(size):
            one = rng.choice(labels)
            two = one if rng.random() < 0.8 else rng.choice(labels)
            handle.write(json.dumps({"qid": f"Q{at}", "scholar": {"label": one}, "auditor": {"label": two},
                                     "answer_json": {"citations": []}, "retrieved_ids": [], "flags": {}}) + "\n")
        if seed == 2:
            handle.write("{\n")


def flights(binary, folder, size, seed):
    program(binary, folder, "synth", "flight", "--samples", str(size), "--models", "3", "--seed", str(seed), "--out", ".")


def exported(binary, folder, size, seed):
    flights(binary, folder, size, seed)
    program(binary, folder, "eval", "--protocol", "flight", "--samples", "samples.jsonl", "--outputs", "outputs.jsonl",
            "--out", "run")


def episodes(_, folder, size, seed):
    for source, target in (("episodes", "episodes"), ("base", "done")):
        lines = (EXAMPLES / "episodes" / f"{source}.jsonl").read_text().splitlines()
        with open(folder / f"{target}.jsonl", "w") as handle:
            for at in range(size):
                row = json.loads(lines[at % len(lines)])
                row["episode_id"] = f"s{seed}-{at}"
                handle.write(json.dumps(row) + "\n")
            if seed == 2:
                handle.write("[1]\n")


def golden(_, folder, size, seed):
    one = json.loads((EXAMPLES / "gates" / "runs" / "limit.json").read_text())
    queries = json.loads((EXAMPLES / "gates" / "golden_queries.json").read_text())
    (folder / "golden.json").write_text(json.dumps(queries))
    (folder / "runs").mkdir()
    for at in range(size):
        one["run_id"] = f"limit-{seed}-{at}"
        (folder / "runs" / f"limit-{at}.json").write_text(json.dumps(one))


def release(binary, folder, size, seed):
    pairs(binary, folder, size, seed)
    golden(binary, folder, max(1, size // 40), seed)
    rows(binary, folder, size, seed)
    asked(binary, folder, 8, seed)
    of = folder.name
    steps = {
        "golden": f"gate golden --golden {of}/golden.json --outputs {of}/runs",
        "pairs": f"agree pairs --pairs {of}/pairs.jsonl --tsv out/steps/differ.tsv",
        "judge": f"judge --predictions {of}/asked.jsonl --model stand-in --base-url {{url}} --concurrency 2 --out out/steps/judged",
        "match": f"match --predictions {of}/rows.jsonl --normalizer text --details out/steps/details.jsonl --rejects out/steps/refused.jsonl",
    }
    (folder / "release.toml").write_text('version = 1\nname = "r"\n' + "".join(
        f'\n[[step]]\nname = "{name}"\nrun = "{run}"\nreport = "out/steps/{name}_report.json"\n' for name, run in steps.items()))


def evals(binary, folder, size, seed):
    base = EXAMPLES / "episodes"
    program(binary, folder, "episodes", "--episodes", str(base / "episodes.jsonl"), "--predictions",
            str(base / "base.jsonl"), "--mode", "coord", "--config-path", "c", "--backend", "b", "--out", "one.json")
    one = json.loads((folder / "one.json").read_text())
    (folder / "files").mkdir()
    for at in range(size):
        one["backend"] = f"b{at % 5}-{seed}"
        (folder / "files" / f"{at:05}.json").write_text(json.dumps(one))


def ratings(_, folder, size, seed):
    rng = random.Random(seed)
    with open(folder / "ratings.csv", "w") as handle:
        handle.write("item,rater,value\n")
        for at in range(size):
            base = rng.randrange(1, 5)
            for rater in ("ana", "ben", "cho"):
                handle.write(f"i{at},{rater},{base + rng.randrange(2)}\n")


def scores(_, folder, size, seed):
    rng = random.Random(seed)
    with open(folder / "scores.csv", "w") as handle:
        handle.write("item,model,acc\n")
        handle.writelines(f"q{at},m{at % 3},{rng.random():.3f}\n" for at in range(size))


def nothing(*_):
    pass


def program(binary, folder, *argv):
    result = Child([binary, *argv], folder, folder.parent).wait(120)
    if result.code not in (0, 1):
        raise NoStock(f"judica {' '.join(argv)}: exit {result.code}: {result.stderr.decode(errors='replace')}")


INPUTS = {"eval": flights, "match": rows, "judge": asked, "agree pairs": pairs, "episodes": episodes,
          "gate golden": golden, "release": release, "export": exported, "synth": nothing, "aggregate": evals,
          "agree ratings": ratings, "efficiency": rows, "import": scores, "report": exported}
START = {"eval": 1000, "match": 20000, "judge": 20, "agree pairs": 5000, "episodes": 3000, "gate golden": 500,
         "release": 3000, "export": 1000, "synth": 3000, "aggregate": 500, "agree ratings": 500, "efficiency": 5000,
         "import": 5000, "report": 200}
