"""The second part: a run is killed at a random moment, then run again."""

import os
import shutil
import signal
import time

from . import case as cases
from . import checks, tree
from .child import Child
from .workloads import MODES, References, fingerprint

# Twice where there is more to go wrong: folders, children, a cache.
COMMANDS = ["eval", "match", "judge", "agree pairs", "episodes", "gate golden", "release", "export", "synth",
            "aggregate", "agree ratings", "efficiency", "release", "eval", "judge"]
SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
# Work may take 0.7 seconds to stop by itself; a busy machine takes longer.
PATIENCE = 15


def references(context):
    if not hasattr(context, "references"):
        context.references = References(context)
    return context.references


def pace(context, load, seconds=None):
    """How long a run takes at present, by the last undisturbed ones: the machine may be busy."""
    if not hasattr(context, "paces"):
        context.paces = {}
    held = context.paces.setdefault(load.command, [load.seconds])
    if seconds is not None:
        held.append(seconds)
        del held[:-5]
    return sorted(held)[len(held) // 2]


def run(context, index):
    rng = cases.rng_for(context.seed, "kill", index)
    load = context.workloads[COMMANDS[index % len(COMMANDS)]]
    name = rng.choice(list(SIGNALS))
    earlier = rng.random() < 0.5
    share = rng.uniform(0, 0.95)
    code, wanted, _ = references(context).get(load, "a")
    _, older, older_folder = references(context).get(load, "b")
    folder = os.path.join(context.scratch, f"k{index}")
    token = f"k{index}"
    url = context.server.address(MODES.get(load.command, "ok"), token)
    load.lay(folder, url)
    out = os.path.join(folder, "out")
    if earlier:
        shutil.copytree(older_folder, out, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".judica"))
    words = load.words("a", url=url)
    usual = pace(context, load)
    child = Child([context.binary, *words], folder, context.scratch)
    time.sleep(share * usual)
    child.signal(SIGNALS[name])
    result = settle(child, name)
    found = []
    if result.timed_out:
        found.append(("time", f"still running {PATIENCE} s after {name}"))
    elif result.code not in (code, -SIGNALS[name], *((130, 143) if name != "SIGKILL" else ())):
        found.append(("exit code", f"exit {result.code} after {name}"))
    if b"panicked at" in result.stderr:
        found.append(("panic", result.stderr.decode(errors="replace")[:200]))
    if name != "SIGKILL":
        found += [("temporary", f"{path} after {name}") for path in tree.temporaries(folder)[:1]]
        found += [("processes", f"left running after {name}: {orphan}") for orphan in result.orphans[:1]]
    now = fingerprint(out)
    for path, what in sorted(now.items()):
        hidden = "judica-tmp" in path
        if not hidden and what not in (wanted.get(path), older.get(path) if earlier else None):
            found.append(("half a file", f"{path} is neither new nor old after {name}"))
            break
    found += broken(out)
    again = Child([context.binary, *words], folder, context.scratch).wait(60)
    if load.command not in MODES:
        # A rerun of the judge has a cache, and is faster than the run that was killed.
        pace(context, load, again.seconds)
    if again.code != code:
        said = again.stderr.decode(errors="replace").strip()[-160:]
        found.append(("rerun", f"exit {again.code}, not {code}, when run again after {name}: {said}"))
    else:
        found += [("temporary", f"{path} after a rerun after {name}") for path in tree.temporaries(folder)[:1]]
        end = fingerprint(out)
        for path in sorted(end.keys() | wanted.keys()):
            # What an older run over other inputs refused is not this run's to remove.
            stays = earlier and path.endswith(("rejects.jsonl", "refused.jsonl")) and path not in wanted
            if end.get(path) != wanted.get(path) and not stays and "judica-tmp" not in path:
                found.append(("rerun", f"{path} differs from an undisturbed run after {name}"))
                break
    context.server.forget(token)
    told = {"part": "kill", "index": index, "command": load.command, "code": result.code, "seconds": result.seconds,
            "notes": [f"{name} after {share * usual * 1000:.0f} of {usual * 1000:.0f} ms",
                      "over older outputs" if earlier else "into an empty folder"],
            "found": found, "words": words}
    if found:
        context.keep(told, folder, None, result)
    shutil.rmtree(folder, ignore_errors=True)
    return told


def settle(child, name):
    """Waits for the end. What a killed process could not end itself is not held against it."""
    result = child.wait(PATIENCE)
    if name == "SIGKILL":
        result.orphans = []
    return result


def broken(out):
    """Files that a reader would meet and could not read."""
    for path, data in sorted(tree.read_files(out).items()):
        if "judica-tmp" not in path and ".judica" not in path.split(os.sep):
            why = checks.whole(path, data)
            if why:
                return [("broken output", f"{path}: {why}")]
    return []
