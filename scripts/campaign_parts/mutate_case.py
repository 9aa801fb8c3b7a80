"""Mutations of everything but content: where files stand, what options say, where output goes."""

import os

from .mutate_content import foreign, mutate
from .scenarios import Token

ODD_NUMBERS = ["nan", "NaN", "inf", "-inf", "-1", "0", "-0", "18446744073709551615", "18446744073709551616",
               "9223372036854775808", "4294967296", "1e999", "1e-999", "", " 1", "1 ", "0x10", "1_000", "½", "1,5",
               "true", "--", "0.0000000001", "2", "1"]
ODD_NAMES = ["", " ", "-", "--", "nan", "\u001b[31mred", "a\nb", "x" * 300, "x" * 5000, ".", "..", "a/b", "é", "\ud83d",
             "/", "a\tb", "*", "0", "null", "K\u202eR"]


def apply(case, rng, devices):
    """One to three mutations; a few cases stay valid."""
    count = rng.choices([0, 1, 2, 3], [4, 60, 25, 11])[0]
    for _ in range(count):
        kind = rng.choices([content, kinds, places, numbers, names, outputs, words],
                           [52, 12, 9, 9, 4, 12, 2])[0]
        kind(case, rng, devices)
    for name, (data, told) in case.hopeless.items():
        # A later mutation may have made something else of it, or of the command line.
        if case.files.get(name) == data and name in case.argv and not any(path == name for _, path, _ in case.specials):
            case.unusable = f"{name} is {told}"
    streams(case, rng)
    case.threads_twin = case.stdout == case.stderr == "file" and "--threads" in case.argv and rng.random() < 0.15


def content(case, rng, _):
    spots = case.input_files()
    if spots:
        _, name = rng.choice(spots)
        case.files[name], told = mutate(name, case.files[name], rng)
        case.notes.append(f"{name}: {told}")


def kinds(case, rng, _):
    spots = case.input_files()
    if not spots:
        return
    at, name = rng.choice(spots)
    told, data, hopeless = foreign(rng)
    if rng.random() < 0.25:
        # All that an input leads to is of another kind.
        for other_at, other in spots:
            if other_at == at:
                case.files[other] = data
    case.files[name] = data
    case.notes.append(f"{name}: is {told}")
    if (hopeless or told == "empty") and case.argv[at].vital and case.argv[at] == name:
        case.hopeless[name] = (data, told)


def places(case, rng, _):
    spots = case.input_files()
    if not spots:
        return
    at, name = rng.choice(spots)
    single = case.argv[at] == name
    kind = rng.choice(["missing", "folder", "symlink", "dangling", "loop", "fifo", "stdin", "null", "twice"])
    data = case.files[name]
    if kind == "missing":
        del case.files[name]
        if single and case.argv[at].vital:
            case.hopeless[name] = (None, "missing")
    elif kind == "folder":
        del case.files[name]
        case.specials.append(("folder", name, None))
    elif kind == "symlink":
        del case.files[name]
        case.files["elsewhere/real"] = data
        case.specials.append(("symlink", name, os.path.relpath("elsewhere/real", os.path.dirname(name) or ".")))
    elif kind == "dangling":
        case.specials.append(("symlink", name, "nowhere"))
    elif kind == "loop":
        case.specials.append(("symlink", name, os.path.basename(name)))
    elif kind == "fifo":
        del case.files[name]
        case.specials.append(("fifo-in", name, data))
    elif kind == "stdin" and single and "-" not in case.argv:
        del case.files[name]
        case.files["elsewhere/stdin"] = data
        case.stdin = "elsewhere/stdin"
        replace(case, at, "-")
    elif kind == "null" and single:
        replace(case, at, "/dev/null")
    elif kind == "twice" and single:
        case.argv.insert(at + 1, case.argv[at])
        if case.argv[at - 1].startswith("-"):
            case.argv.insert(at + 1, case.argv[at - 1])
    case.notes.append(f"{name}: {kind}")


def numbers(case, rng, _):
    spots = case.tokens("number")
    if spots:
        at, old = rng.choice(spots)
        # Whoever asks for one call a minute waits for minutes, and rightly so.
        pace = case.argv[at - 1] in ("--rpm", "--tpm")
        replace(case, at, rng.choice([odd for odd in ODD_NUMBERS if not (pace and odd in ("1", "2"))]))
        case.notes.append(f"{case.argv[at - 1]} {old} became {case.argv[at]!r}")


def names(case, rng, _):
    spots = case.tokens("name")
    if spots:
        at, old = rng.choice(spots)
        new = rng.choice(ODD_NAMES)
        # What the command line cannot carry as text is carried as bytes.
        replace(case, at, os.fsdecode(b"\xff\xfe") if new == "\ud83d" else new)
        case.notes.append(f"{case.argv[at - 1]} {old} became {case.argv[at][:30]!r}")


def words(case, rng, _):
    """A word of the command line is lost or said twice, or one nobody knows is there."""
    at = rng.randrange(1, len(case.argv))
    what = rng.choice(["lost", "twice", "unknown"])
    if what == "lost":
        del case.argv[at]
    elif what == "twice":
        case.argv.insert(at, case.argv[at])
    else:
        case.argv.insert(at, rng.choice(["--nothing", "-Z", "extra", "--help=1", "--"]))
    # Which words are outputs can no longer be told.
    case.notes.append(f"word {at} {what}")


def outputs(case, rng, devices):
    spots = case.tokens("output", "folder")
    if not spots:
        return
    at, path = rng.choice(spots)
    taken = [name for _, name in case.input_files()]
    kinds = ["folder there", "file there", "deep", "odd name", "symlink elsewhere", "fifo", "dangling", "dash",
             "file for folder", "long name"]
    if taken:
        kinds += ["same", "same, spelt otherwise", "hard link", "symlink", "inside input", "case"] * 2
    others = [word for other, word in spots if other != at]
    if others:
        kinds += ["another output"] * 2
    if devices:
        kinds += ["device full", "device null"]
    kind = rng.choice(kinds)
    target = rng.choice(taken) if taken else None
    if kind == "same":
        replace(case, at, target)
    elif kind == "same, spelt otherwise":
        folder, name = os.path.split(target)
        folder = folder or "."
        back = os.path.relpath(target, os.path.join(folder, ".."))
        replace(case, at, rng.choice([f"./{target}", f"{folder}/./{name}", f"{folder}/../{back}", f".//{target}"]))
    elif kind == "hard link":
        case.specials.append(("hardlink", path, target))
    elif kind in ("symlink", "symlink elsewhere"):
        if kind == "symlink elsewhere":
            target = "elsewhere/kept"
            case.files[target] = b"an older output\n"
            case.replaceable.add(target)
        case.specials.append(("symlink", path, os.path.relpath(target, os.path.dirname(path) or ".")))
    elif kind == "inside input":
        replace(case, at, os.path.join(os.path.dirname(target), "new-output"))
    elif kind == "case":
        replace(case, at, target.upper())
    elif kind == "another output":
        replace(case, at, rng.choice(others))
    elif kind == "folder there":
        case.specials.append(("folder", path, None))
    elif kind in ("file there", "file for folder"):
        if path not in case.files:
            case.files[path] = b"an older output\n"
            case.replaceable.add(str(path))
    elif kind == "deep":
        replace(case, at, f"new/deeper/{path}")
    elif kind == "odd name":
        odd = rng.choice(["a b", "é", "\u001b[31m", "new\nline", "%s"])
        replace(case, at, os.path.join(os.path.dirname(path), odd + os.path.splitext(path)[1]))
    elif kind == "long name":
        replace(case, at, os.path.join(os.path.dirname(path), "n" * rng.choice([240, 250, 255, 256, 3000])))
    elif kind == "fifo":
        case.specials.append(("fifo-out", path, None))
    elif kind == "dangling":
        case.specials.append(("symlink", path, "nowhere/at/all"))
    elif kind == "dash":
        replace(case, at, "-")
    elif kind.startswith("device"):
        case.specials.append(("device", path, 7 if kind == "device full" else 3))
    case.notes.append(f"{path}: {kind}" + (f" ({target})" if target and "link" in kind or kind.startswith("same") else ""))


def streams(case, rng):
    if rng.random() < 0.18:
        which = rng.choice(["stdout", "stdout", "stderr", "both"])
        how = rng.choice(["closed", "full", "broken"])
        if which in ("stdout", "both"):
            case.stdout = how
        if which in ("stderr", "both"):
            case.stderr = how
        case.stream_twin = True
        case.notes.append(f"{which} {how}")


def replace(case, at, text):
    old = case.argv[at]
    new = Token(text)
    new.kind = old.kind
    case.argv[at] = new
