"""Mutations of what a file holds: bytes, lines, JSON values, encodings, formats."""

import gzip
import io
import json
import re
import shutil
import subprocess
import zipfile

MARK = "INJECTED-BY-DATA"
# Raw JSON texts that stand in place of a value.
NASTY = [
    "null", '""', "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "-0", "-0.0", "5e-324", "1e-999",
    "9007199254740993", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
    "1" + "0" * 400, "0." + "3" * 2000, "01", "0x10", "1_000", "+1", ".5", "5.", "true", "false", "[]", "{}",
    "[[]]", "[null]", '["a", "b"]', '{"a": {"b": 1}}', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"',
    '"\\u001b[2J\\u001b]0;owned\\u0007"', '"\\u009b31m"', f'"\\n::warning::{MARK}"', f'"##[error]{MARK}"',
    '"\\u202e\\u2066"', '"\\ufeff"', '" "', '"NaN"', '"inf"', '"1e999"', '"yes"', '"no"', '"../../outside"',
    '"a/b"', '"."', '".."', '"CON"', '"' + "long" * 5000 + '"', '"é́"', '"' + "\U0001f469" * 3 + '"',
    "[" * 200 + "]" * 200, "[" * 20000 + "]" * 20000, '{"a":' * 150 + "1" + "}" * 150, "'single'", "undefined",
    "-", "[1,]", '{"a":1,}', "1 2",
]
ODD_KEYS = ["", "__proto__", "id", "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
            "x" * 3000, "Id", "key\nline", "\u001b[31m", "T+1", "prediction", "gold"]


def mutate(name, data, rng):
    """Changed bytes and what was done."""
    choices = [flip, cut, lines, encode, splice]
    weights = [2, 1, 2, 2, 1]
    if name.endswith((".json", ".jsonl")):
        choices.append(values)
        weights.append(9)
    elif name.endswith((".toml", ".yaml", ".csv", ".txt")):
        choices.append(words)
        weights.append(6)
    return rng.choices(choices, weights)[0](data, rng)


def flip(data, rng):
    changed = bytearray(data)
    count = rng.choice([1, 1, 1, 3, 20])
    for _ in range(count if changed else 0):
        at = rng.randrange(len(changed))
        new = rng.choice([changed[at] ^ (1 << rng.randrange(8)), rng.randrange(256)])
        # A slash could turn a word of a config into a path outside the case.
        changed[at] = new if new != 0x2F else 0x5F
    return bytes(changed), f"{count} bytes flipped"


def cut(data, rng):
    at = rng.randrange(len(data) + 1)
    return data[:at], f"cut at {at}"


def splice(data, rng):
    at = rng.randrange(len(data) + 1)
    junk = rng.choice([b"\0" * 9, b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\xc0\xaf", b"\x1b[31m", b"\n\n\n", b"{" * 300,
                       b"\xf4\x90\x80\x80", bytes(rng.randrange(128, 256) for _ in range(12)), b" " * 70000,
                       b"\xe2\x80\xa8", b"\r", b"\x1a"])
    return data[:at] + junk + data[at:], f"{junk[:6]!r} put in at {at}"


def lines(data, rng):
    rows = data.splitlines(keepends=True)
    if not rows:
        return data, "nothing to do to no line"
    at, other = rng.randrange(len(rows)), rng.randrange(len(rows))
    what = rng.choice(["duplicated", "dropped", "swapped", "shuffled", "all duplicated", "joined", "blank between",
                       "many", "one million blanks", "no end"])
    if what == "duplicated":
        rows.insert(other, rows[at])
    elif what == "dropped":
        del rows[at]
    elif what == "swapped":
        rows[at], rows[other] = rows[other], rows[at]
    elif what == "shuffled":
        rng.shuffle(rows)
    elif what == "all duplicated":
        rows += rows
    elif what == "joined":
        rows[at] = rows[at].rstrip(b"\r\n")
    elif what == "blank between":
        rows = [part for row in rows for part in (row, b" \t \n")]
    elif what == "many":
        rows = rows * rng.choice([5, 40])
    elif what == "one million blanks":
        rows[at] = b" " * 1_000_000 + rows[at]
    elif what == "no end":
        rows[-1] = rows[-1].rstrip(b"\r\n")
    return b"".join(rows), f"lines {what}"


def words(data, rng):
    """A number or a quoted word of a text format becomes something else."""
    spots = list(re.finditer(rb'"[^"\n]*"|-?\d+(?:\.\d+)?|(?<==)\s*[^\s"]+', data))
    if not spots:
        return flip(data, rng)
    spot = rng.choice(spots)
    new = rng.choice([b"nan", b"inf", b"-inf", b"1e999", b"-1", b"0", b"''", b'""', b'"\\u001b[31m"', b"[]", b"{}",
                      b"true", b"null", b"18446744073709551616", b"9" * 400, b'"' + b"x" * 3000 + b'"', b"~", b"!!binary x",
                      b"*x", b"&a [*a]", b"\x1b[31m", f'"##[error]{MARK}"'.encode(), b"", b"1979-05-27", b"[" * 300,
                      b"=cmd()", b"1,5"])
    return data[:spot.start()] + new + data[spot.end():], f"{spot.group()[:20]!r} became {new[:20]!r}"


def encode(data, rng):
    text = data.decode("utf-8", "replace")
    kind = rng.choice(["bom", "crlf", "utf-16", "utf-16-be", "latin-1", "cr", "nul", "gzip", "zstd", "gzip twice",
                       "gzip cut", "gzip in parts", "gzip and junk", "zstd cut", "two boms", "trailing blank"])
    if kind == "bom":
        data = b"\xef\xbb\xbf" + data
    elif kind == "two boms":
        data = b"\xef\xbb\xbf" * 2 + data
    elif kind == "crlf":
        data = data.replace(b"\n", b"\r\n")
    elif kind == "cr":
        data = data.replace(b"\n", b"\r")
    elif kind == "utf-16":
        data = text.encode("utf-16")
    elif kind == "utf-16-be":
        data = text.encode("utf-16-be")
    elif kind == "latin-1":
        data = (text + "é").encode("latin-1", "replace")
    elif kind == "nul":
        data += b"\0" * 512
    elif kind == "trailing blank":
        data += b"\n \n\t\n"
    elif kind == "gzip":
        data = packed(data)
    elif kind == "gzip twice":
        data = packed(packed(data))
    elif kind == "gzip cut":
        data = packed(data)[:-rng.randrange(1, 20)]
    elif kind == "gzip in parts":
        half = len(data) // 2
        data = packed(data[:half]) + packed(data[half:])
    elif kind == "gzip and junk":
        data = packed(data) + b"junk after the end"
    elif kind.startswith("zstd"):
        data = zstd(data)
        if kind == "zstd cut":
            data = data[:-rng.randrange(1, 9)]
    return data, kind


def packed(data):
    return gzip.compress(data, 6, mtime=0)


def zstd(data):
    """By the program of that name, where there is one; else gzip has to do."""
    if not shutil.which("zstd"):
        return packed(data)
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def values(data, rng):
    """A value, a key or a whole object of JSON becomes something else; the rest stays as it was."""
    rows = data.decode("utf-8", "replace").split("\n")
    whole = len(rows) < 3 or not rows[0].strip().endswith("}")
    at = 0 if whole else rng.randrange(len(rows))
    try:
        document = json.loads("\n".join(rows) if whole else rows[at])
        places = list(walk(document))
    except (ValueError, RecursionError):
        # An earlier mutation may have made it no JSON, or too deep.
        return flip(data, rng)
    if not places:
        return flip(data, rng)
    parent, key = rng.choice(places)
    what = rng.choices(["replaced", "renamed", "dropped", "wrapped", "twice", "swapped", "added", "text"],
                       [10, 3, 3, 2, 1, 1, 1, 2])[0]
    marks = {}

    def raw(text):
        mark = f"@@raw{len(marks)}@@"
        marks[json.dumps(mark)] = text
        return mark

    told = ""
    if what == "replaced":
        told = rng.choice(NASTY)
        parent[key] = raw(told)
    elif what == "renamed" and isinstance(parent, dict):
        told = rng.choice(ODD_KEYS + [str(key).upper(), f"{key} ", f"x_{key}"])
        parent[told] = parent.pop(key)
    elif what == "dropped":
        del parent[key]
    elif what == "wrapped":
        parent[key] = [parent[key]]
    elif what == "text":
        parent[key] = json.dumps(parent[key])
    elif what == "swapped":
        other_parent, other = rng.choice(places)
        parent[key], other_parent[other] = json.loads(json.dumps(other_parent[other])), json.loads(json.dumps(parent[key]))
    elif what == "twice" and isinstance(parent, dict):
        told = rng.choice(NASTY)
        parent[raw(f'{json.dumps(str(key))}: {told}, "z"')] = 1
    elif isinstance(parent, dict):
        parent[rng.choice(ODD_KEYS)] = raw(rng.choice(NASTY))
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5, indent=2 if whole and rng.random() < 0.5 else None)
    for mark, value in marks.items():
        text = text.replace(mark, value)
    encoded = text.encode("utf-8", "surrogatepass")
    if not whole:
        before, after = "\n".join(rows[:at]).encode(), "\n".join(rows[at + 1:]).encode()
        encoded = b"\n".join(part for part in (before, encoded, after) if part) + b"\n"
    return encoded, f"{str(key)[:20]!r} {what} {told[:24]}".rstrip()


def walk(value):
    """Every place in a JSON value: the container and the key or index."""
    if isinstance(value, dict):
        for key in list(value):
            yield value, key
            yield from walk(value[key])
    elif isinstance(value, list):
        for at in range(len(value)):
            yield value, at
            yield from walk(value[at])


def foreign(rng):
    """A file of another kind altogether, and whether nobody could find a row in it."""
    kind = rng.choice(["png", "parquet", "zip", "html", "empty", "blank", "csv", "random", "bomb of blanks",
                       "bomb of one line", "numbers", "null", "columns", "pretty", "text"])
    return kind, FOREIGN[kind](rng), kind in ("png", "parquet", "zip", "html", "random", "text")


def zipped(_):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("data.jsonl"), '{"id": 1}\n')
    return held.getvalue()


FOREIGN = {
    "png": lambda _: b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + bytes(60),
    "parquet": lambda rng: b"PAR1" + bytes(rng.randrange(256) for _ in range(200)) + b"PAR1",
    "zip": zipped,
    "html": lambda _: b"<!doctype html>\n<html><body>Sign in</body></html>\n",
    "empty": lambda _: b"",
    "blank": lambda _: b"\n \n\t\n",
    "csv": lambda _: b"name,score,remark\na,1,fine\nb,2,\"so, so\"\n",
    "random": lambda rng: b"\xfe" + bytes(rng.randrange(1, 256) for _ in range(400)),
    "bomb of blanks": lambda _: packed(b" " * (48 << 20)),
    "bomb of one line": lambda _: packed(b'{"a": "' + b"x" * (48 << 20) + b'"}\n'),
    "numbers": lambda _: b"1\n2\n3\n",
    "null": lambda _: b"null\n",
    "columns": lambda _: b'{"input": {"0": "a", "1": "b"}, "gold": {"0": "a", "1": "b"}}',
    "pretty": lambda _: b'[\n  {\n    "a": 1\n  },\n  {\n    "a": 2\n  }\n]\n',
    "text": lambda _: b"Dear reader,\nthis is a letter.\n",
}
