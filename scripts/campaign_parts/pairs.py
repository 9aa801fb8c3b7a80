"""The third part: two processes at once, with the same outputs or with others in the same folder."""

import os
import re
import shutil
import time

from . import case as cases
from . import tree
from .child import Child
from .kills import broken, references
from .workloads import TAGGED, fingerprint

# A release is made of the others.
COMMANDS = [command for command in TAGGED if command != "release"]
IN_USE = re.compile(rb"in use|locked|another|hold|busy|already|running", re.I)


def run(context, index):
    rng = cases.rng_for(context.seed, "pair", index)
    load = context.workloads[COMMANDS[index % len(COMMANDS)]]
    inputs = rng.choice([("a", "a"), ("a", "b")])
    tags = rng.choice([("", ""), ("", ""), ("1-", "2-")])
    gap = rng.choice([0, 0, rng.uniform(0, load.seconds)])
    token = f"p{index}"
    url = context.server.address("slow20" if load.command == "judge" else "ok", token)
    wanted = [references(context).get(load, variant, tag) for variant, tag in zip(inputs, tags)]
    folder = os.path.join(context.scratch, token)
    load.lay(folder, url)
    cache = ["--cache", "out/replies.sqlite3"] if load.command == "judge" and rng.random() < 0.5 else []
    words = [load.words(variant, tag, url) + cache for variant, tag in zip(inputs, tags)]
    first = Child([context.binary, *words[0]], folder, context.scratch, name="first")
    time.sleep(gap)
    second = Child([context.binary, *words[1]], folder, context.scratch, name="second")
    ends = [first.wait(60), second.wait(60)]
    out = os.path.join(folder, "out")
    found = list(codes(ends, wanted))
    found += [("temporary", path) for path in tree.temporaries(folder)[:1]]
    found += broken(out)
    found += files(load, fingerprint(out), ends, wanted, tags)
    twice = context.server.asked_twice(token)
    if twice and (tags[0] == tags[1] or cache):
        found.append(("asked twice", f"{twice} questions"))
    context.server.forget(token)
    told = {"part": "pair", "index": index, "command": load.command, "codes": [end.code for end in ends],
            "seconds": max(end.seconds for end in ends), "found": found, "words": words[0],
            "notes": [f"inputs {inputs[0]} and {inputs[1]}", "same outputs" if tags[0] == tags[1] else "same folder",
                      f"{gap * 1000:.0f} ms apart", *(["one cache"] if cache else [])]}
    if found:
        context.keep(told, folder, None, ends[1])
    shutil.rmtree(folder, ignore_errors=True)
    return told


def refused(end, code):
    """Whether a process gave way to the other, and said so."""
    return end.code != code and end.code in (2, 3) and IN_USE.search(end.stderr)


def codes(ends, wanted):
    for end, (code, _, _) in zip(ends, wanted):
        if end.timed_out:
            yield "time", "still running after 60 s"
        elif end.code != code and not refused(end, code):
            said = end.stderr.decode(errors="replace").strip()[-160:]
            yield "exit code", f"exit {end.code}, not {code}: {said}"
        if b"panicked at" in end.stderr:
            yield "panic", end.stderr.decode(errors="replace")[:200]
    if all(refused(end, code) for end, (code, _, _) in zip(ends, wanted)):
        yield "exit code", "each gave way to the other"


def files(load, now, ends, wanted, tags):
    """Every file is one of the two results, and nothing of a success is missing."""
    results = [fingerprints for _, fingerprints, _ in wanted]
    for path, what in sorted(now.items()):
        if "judica-tmp" not in path and what not in [result.get(path) for result in results]:
            yield "mixed up", f"{path} is neither result"
            return
    for end, (code, result, _) in zip(ends, wanted):
        if end.code == code:
            for path in sorted(result):
                elsewhere = path.endswith("rejects.jsonl") and any(path not in other for other in results)
                if path not in now and not elsewhere:
                    yield "missing", f"{path}, although exit {end.code}"
                    return
    if load.coherent and tags[0] == tags[1] and now and now not in results:
        yield "mixed up", "files of both results in one folder"
