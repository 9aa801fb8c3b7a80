"""The first part: mutated runs of every command."""

import copy
import os
import shlex
import shutil

from . import case as cases
from . import checks, mutate_case, tree
from .child import Child
from .scenarios import SCENARIOS, slot
from .stock import NoStock

LIMIT = 20
# Calls and waits of the judge take time that is not the program's.
ASKING_LIMIT = 60


def make(context, index):
    """The case of an index."""
    rng = cases.rng_for(context.seed, "run", index)
    made = cases.valid(slot(index), context.stock, rng)
    mutate_case.apply(made, rng, context.devices)
    if made.scenario.command == "schema migrate":
        # The only command that may write over its input: that is what it is for.
        made.replaceable |= {name for _, name in made.input_files()}
    return made


def rehearse(context, only=None):
    """Every scenario as it is, and with each extra: a command that knows no such option tests nothing."""
    for at, scenario in enumerate(SCENARIOS):
        for extra in [[], *scenario.extras] if only in (None, scenario.command) else []:
            files = cases.stock_of(scenario, context.stock)
            made = cases.Case(scenario, scenario.argv + extra, files)
            folder = os.path.join(context.scratch, "rehearsal")
            _, result, words, _ = execute(context, made, f"v{at}", folder)
            unknown = b"unexpected argument" in result.stderr
            if unknown or (not extra and result.code not in (0, 1)):
                raise NoStock(f"judica {shown(words)}: exit {result.code}\n{result.stderr.decode(errors='replace')}")
            shutil.rmtree(folder)


def execute(context, made, name, folder):
    """Lays a case out and runs it. Returns it laid out, its result, its command line."""
    laid = cases.Laid(made, folder)
    words = made.words(lambda mode: context.server.address(mode, name))
    stdin = os.path.join(folder, made.stdin) if made.stdin else None
    limit = ASKING_LIMIT if "--base-url" in words else LIMIT
    try:
        child = Child([context.binary, *words], folder, context.scratch, made.stdout, made.stderr, stdin)
        result = child.wait(limit)
    finally:
        laid.close()
    return laid, result, words, limit


def results_of(laid):
    """What a run left behind, without what holds clocks: caches, and how replies came."""
    found = {}
    for path, what in tree.snapshot(laid.folder).items():
        hidden = ".judica" in path.split(os.sep) or "sqlite3" in path
        if not hidden and laid.before.get(path) != what and what[0] != "folder":
            found[path] = what
    return found


def run(context, index):
    made = make(context, index)
    name = f"r{index}"
    folder = os.path.join(context.scratch, name)
    laid, result, words, limit = execute(context, made, name, folder)
    found = checks.run(made, laid, result, limit)
    if not result.timed_out and (made.stream_twin or made.threads_twin):
        found += twin(context, made, name, laid, result)
    context.server.forget(name)
    told = {"part": "run", "index": index, "command": made.scenario.command, "code": result.code,
            "seconds": result.seconds, "notes": made.notes, "found": found, "words": words}
    if found:
        context.keep(told, laid.folder, made, result)
    shutil.rmtree(folder, ignore_errors=True)
    return told


def twin(context, made, name, laid, result):
    """The same case again with open streams, or another number of threads: the same must come of it."""
    other = copy.deepcopy(made)
    if made.threads_twin:
        what = "threads"
        at = other.argv.index("--threads") + 1
        if at >= len(other.argv) or other.argv[at] != "2":
            return []
        other.argv[at] = cases.type_number("1")
    else:
        what = "streams"
        other.stdout = other.stderr = "file"
    if made.mode != "ok" or made.scenario.command == "judge" and made.threads_twin:
        return []
    context.server.forget(name)
    again, second, _, _ = execute(context, other, name, os.path.join(context.scratch, f"{name}t"))
    found = []
    lost = made.stdout == "full" and made.scenario.delivers and result.code == 3
    if second.code != result.code and not lost:
        found.append((what, f"exit {result.code}, and {second.code} with {'one thread' if made.threads_twin else 'open streams'}"))
    elif not lost:
        mine, its = results_of(laid), results_of(again)
        differ = sorted(path for path in mine.keys() | its.keys() if mine.get(path) != its.get(path))
        differ = [path for path in differ if not same_replies(laid.folder, again.folder, path)]
        if differ:
            found.append((what, f"{differ[0]} differs"))
        if made.threads_twin and result.stdout != second.stdout:
            found.append((what, "standard output differs"))
    shutil.rmtree(again.folder, ignore_errors=True)
    return found


def same_replies(one, two, path):
    """Whether two documents are equal but for how replies came, which the documentation exempts."""
    try:
        pair = [checks.parse(open(os.path.join(folder, path), "rb").read()) for folder in (one, two)]
    except (OSError, ValueError):
        return False
    return without_calls(pair[0]) == without_calls(pair[1])


def without_calls(value):
    if isinstance(value, dict):
        return {key: without_calls(inner) for key, inner in value.items() if key not in ("call", "n_from_cache", "calls")}
    if isinstance(value, list):
        return [without_calls(inner) for inner in value]
    return value


def shown(words):
    """A command line that a shell takes, shortened where a word is very long."""
    return " ".join(shlex.quote(word if len(word) < 200 else word[:60] + "…") for word in words)
