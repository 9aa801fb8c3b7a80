"""What must hold after every run, whatever it was given."""

import json
import os
import re
import xml.etree.ElementTree as xml

from . import tree
from .child import MIB

PEAK = 1024 * MIB
COUNTS = re.compile(rb"inputs ([\d,]+) = records ([\d,]+) \+ rejects ([\d,]+)")
GATED = ("agree pairs", "gate golden", "gate check", "release")
SECRET = b"not-a-secret"


def no_constant(text):
    raise ValueError(f"holds {text}")


def parse(data):
    return json.loads(data.decode("utf-8"), parse_constant=no_constant)


def parse_lines(data):
    return [parse(line) for line in data.split(b"\n") if line.strip()]


def whole(path, data):
    """Why a file under a final name is no whole file of its kind, or None."""
    try:
        if path.endswith((".json", ".ipynb")):
            parse(data)
        elif path.endswith(".jsonl"):
            parse_lines(data)
            if data and not data.endswith(b"\n"):
                return "the last line has no end"
        elif path.endswith((".svg", ".xml")):
            xml.fromstring(data)
        elif path.endswith(".png") and not (data.startswith(b"\x89PNG") and b"IEND" in data[-16:]):
            return "no whole PNG"
        elif path.endswith(".parquet") and not (data.startswith(b"PAR1") and data.endswith(b"PAR1") and len(data) > 12):
            return "no whole Parquet"
        elif path.endswith(".toml"):
            import tomllib
            tomllib.loads(data.decode("utf-8"))
    except ImportError:
        pass
    except RecursionError:
        return "nested too deep to read"
    except (ValueError, xml.ParseError) as error:
        return str(error)[:120]
    return None


def ending(result, limit):
    """Exit code, time, memory, panic, processes left behind."""
    if result.timed_out:
        yield "time", f"still running after {limit} s"
    elif result.code not in (0, 1, 2, 3):
        yield "exit code", f"exit {result.code}"
    if b"panicked at" in result.stderr:
        at = re.search(rb"panicked at [^\n]*\n?[^\n]*", result.stderr).group()
        yield "panic", at.decode(errors="replace")
    if result.peak_bytes > PEAK:
        yield "memory", f"peak of {result.peak_bytes // MIB} MiB"
    if result.orphans:
        yield "processes", f"left running: {result.orphans[0]}"
    if result.code in (2, 3) and not result.timed_out and not result.stdout and not result.stderr:
        yield "silence", f"exit {result.code} without a word"


def folder(case, laid):
    """Inputs as they were, nothing half-written, every output whole. Returns documents too."""
    after = tree.snapshot(laid.folder)
    found, documents = [], {}
    for path, was in laid.before.items():
        now = after.get(path)
        if now == was or path in case.replaceable or was[0] == "folder":
            continue
        if was[0] == "other" or was[0] == "link":
            found.append(("replaced", f"{path} was a {was[0]}, is {now and now[0]}"))
        elif now is None:
            found.append(("input gone", path))
        else:
            found.append(("input changed", path))
    for path, now in after.items():
        if "judica-tmp" in os.path.basename(path) and path not in laid.before:
            found.append(("temporary", path))
        elif now[0] == "file" and laid.before.get(path) != now:
            data = open(os.path.join(laid.folder, path), "rb").read()
            # What an output leads to by a link has the name of something else.
            named = path not in laid.before or path in case.replaceable and path in case.argv
            why = whole(path, data) if named else None
            if why:
                found.append(("broken output", f"{path}: {why}"))
            elif path.endswith(".json") and path not in laid.before:
                documents[path] = parse(data)
            if SECRET in data:
                found.append(("secret", f"the key stands in {path}"))
    return found, documents


def screen(case, result):
    """Standard output and error where they were caught. Returns a document, if one was printed."""
    found, document = [], None
    for name, data in (("stdout", result.stdout), ("stderr", result.stderr)):
        # JSON has to escape ESC, and may hold its younger sibling U+009B as it is.
        for_people = not case.json_wanted() and not case.scenario.delivers
        if b"\x1b" in data or (for_people and b"\xc2\x9b" in data):
            found.append(("escape", f"{name} holds a terminal escape"))
        if SECRET in data:
            found.append(("secret", f"the key is on {name}"))
        for line in data.split(b"\n"):
            told = b"INJECTED-BY-DATA" in line
            if told and (line.strip().startswith(b"::warning::INJECTED") or b"##[error]" in line):
                if for_people:
                    found.append(("github", f"{name} holds a command that came from data"))
                    break
    if case.json_wanted() and case.stdout == "file" and result.code in (0, 1):
        try:
            # A report is one document; records are one on each line.
            lines = case.argv[0] == "show" and len([word for word in case.argv if not word.startswith("-")]) > 2
            document = parse_lines(result.stdout) if lines else parse(result.stdout)
        except (ValueError, RecursionError) as error:
            found.append(("broken output", f"stdout with --json: {str(error)[:100]}"))
    return found, document


def dicts(value, depth=0):
    if depth > 12:
        return
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from dicts(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from dicts(inner, depth + 1)


def meaning(case, result, documents):
    """What reports say has to fit the exit code, and the counts have to add up."""
    triples, gates = [], []
    for document in documents:
        for part in dicts(document):
            # A run counts rows that were used; several may make one record.
            used = "used" if "used" in part else "records"
            counts = [part.get(key) for key in ("inputs", used, "rejects")]
            if counts[0] is None and "outputs" in part:
                counts[0] = part["outputs"]
            if all(isinstance(n, int) and not isinstance(n, bool) for n in counts):
                triples.append(tuple(counts))
            if isinstance(part.get("pass"), bool) and "threshold" in part and "metric" in part:
                gates.append(part)
    for match in COUNTS.finditer(result.stdout):
        triples.append(tuple(int(n.replace(b",", b"")) for n in match.groups()))
    for given, records, rejects in set(triples):
        if given != records + rejects:
            yield "counts", f"inputs {given}, records {records}, rejects {rejects}"
        if records == 0 and result.code == 0:
            yield "empty success", f"exit 0 with inputs {given}, records 0, rejects {rejects}"
        elif records == 0 and given > 0 and result.code == 1:
            yield "empty verdict", f"exit 1, not 2, with inputs {given}, records 0, rejects {rejects}"
    if case.unusable and result.code in ((0,) if "empty" in case.unusable else (0, 1)):
        yield "unusable input", f"exit {result.code} although {case.unusable}"
    failing = [gate["name"] for gate in gates if not gate["pass"]]
    # A report that is shown again holds gates, and holds nobody to them.
    if failing and result.code == 0 and case.scenario.command != "show":
        yield "gate", f"exit 0 although {str(failing[0])[:40]!r} failed"
    for gate in gates:
        hollow = gate["pass"] and gate.get("value") is None and not gate.get("vacuous")
        if hollow or (gate["pass"] and gate.get("value") is None and case.scenario.command in ("agree pairs", "gate check")):
            yield "hollow gate", f"{str(gate['name'])[:40]!r} passes over an undefined number"
            break
    if case.scenario.command in GATED and result.code == 1 and gates and not failing:
        yield "gate", "exit 1 although no gate failed"


def run(case, laid, result, limit):
    """Everything about one run: a list of (invariant, detail)."""
    found = list(ending(result, limit))
    if case.stderr != "file" or case.stdout != "file":
        found = [pair for pair in found if pair[0] != "silence"]
    of_folder, documents = folder(case, laid)
    of_screen, printed = screen(case, result)
    found += of_folder + of_screen
    documents = list(documents.values()) + ([printed] if printed is not None else [])
    return found + list(meaning(case, result, documents))
