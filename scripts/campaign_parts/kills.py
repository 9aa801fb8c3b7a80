"""The second part: a run is killed at a random moment, then run again."""

import os
import shutil
import signal
import time

from . import case as cases
from . import checks, tree
from .child import Child
from .workloads import MODES, TAGGED, References, fingerprint

# Twice where there is more to go wrong: folders, children, a cache.
COMMANDS = [*TAGGED, "release", "eval", "judge"]
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
    name = rng.choice(list(SIGNALS))
    case = Disturbed(context, "kill", index, COMMANDS[index % len(COMMANDS)], rng.random() < 0.5)
    share, usual = rng.uniform(0, 0.95), pace(context, case.load)
    child = Child([context.binary, *case.words], case.folder, context.scratch)
    time.sleep(share * usual)
    child.signal(SIGNALS[name])
    result = settle(child, name)
    if result.timed_out:
        case.found.append(("time", f"still running {PATIENCE} s after {name}"))
    elif result.code not in (case.code, -SIGNALS[name], *((130, 143) if name != "SIGKILL" else ())):
        case.found.append(("exit code", f"exit {result.code} after {name}"))
    if name != "SIGKILL":
        case.found += [("temporary", f"{path} after {name}") for path in tree.temporaries(case.folder)[:1]]
        case.found += [("processes", f"left running after {name}: {orphan}") for orphan in result.orphans[:1]]
    return case.told(result, name, f"{name} after {share * usual * 1000:.0f} of {usual * 1000:.0f} ms")


class Disturbed:
    """A workload that something happens to; then the same command is run again."""

    def __init__(self, context, part, index, command, earlier):
        self.context, self.part, self.index, self.earlier = context, part, index, earlier
        self.load = context.workloads[command]
        self.code, self.wanted, self.reference = references(context).get(self.load, "a")
        _, self.older, older_folder = references(context).get(self.load, "b")
        self.token = f"{part}{index}"
        self.folder = os.path.join(context.scratch, self.token)
        url = context.server.address(MODES.get(command, "ok"), self.token)
        self.load.lay(self.folder, url)
        self.out = os.path.join(self.folder, "out")
        if earlier:
            shutil.copytree(older_folder, self.out, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".judica"))
        self.words = self.load.words("a", url=url)
        self.found = []

    def told(self, result, name, note):
        """What is checked after it has happened, and after a rerun."""
        if b"panicked at" in result.stderr:
            self.found.append(("panic", result.stderr.decode(errors="replace")[:200]))
        for path, what in sorted(fingerprint(self.out).items()):
            old = self.older.get(path) if self.earlier else None
            if "judica-tmp" not in path and what not in (self.wanted.get(path), old):
                self.found.append(("half a file", f"{path} is neither new nor old after {name}"))
                break
        self.found += broken(self.out)
        self.found += self.rerun(name)
        self.context.server.forget(self.token)
        told = {"part": self.part, "index": self.index, "command": self.load.command, "code": result.code,
                "seconds": result.seconds, "found": self.found, "words": self.words,
                "notes": [note, "over older outputs" if self.earlier else "into an empty folder"]}
        if self.found:
            self.context.keep(told, self.folder, None, result)
        shutil.rmtree(self.folder, ignore_errors=True)
        return told

    def rerun(self, name):
        again = Child([self.context.binary, *self.words], self.folder, self.context.scratch).wait(60)
        if self.load.command not in MODES:
            # A rerun of the judge has a cache, and is faster than the run that was disturbed.
            pace(self.context, self.load, again.seconds)
        if again.code != self.code:
            said = again.stderr.decode(errors="replace").strip()[-160:]
            yield "rerun", f"exit {again.code}, not {self.code}, when run again after {name}: {said}"
            return
        for path in tree.temporaries(self.folder)[:1]:
            yield "temporary", f"{path} after a rerun after {name}"
        end = fingerprint(self.out)
        for path in sorted(end.keys() | self.wanted.keys()):
            # What an older run over other inputs refused is not this run's to remove.
            stays = self.earlier and path.endswith(("rejects.jsonl", "refused.jsonl")) and path not in self.wanted
            if end.get(path) != self.wanted.get(path) and not stays and "judica-tmp" not in path:
                yield "rerun", f"{path} differs from an undisturbed run after {name}"
                return


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
