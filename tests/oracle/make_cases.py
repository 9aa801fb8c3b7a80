#!/usr/bin/env python3
"""Random samples and outputs that try to break an evaluator of the flight protocol.

    python3 make_cases.py --seed N --count K --out DIR [--ambiguous]

DIR receives samples.jsonl (about K samples), outputs.jsonl and outputs2.jsonl
(every model answers about every sample; the second file goes on where the first
stops) and confidence.json. The same seed gives the same bytes. Cases whose
outcome the contract leaves open are made only with --ambiguous.
"""

import argparse
import json
import math
import os
import random

from flight_protocol import FIELDS, HORIZON, NAME
from flight_response import API_KEYWORDS

SPEC = {f[0]: f[2:] for f in FIELDS}
MODELS = ["alpha", "beta-2", "Модель Ω", "delta \"q\" \\ x"]

NASTINESS = [0.15, 0.5, 1.0, 1.0]           # how much of what follows befalls each model

# Raw JSON tokens for one value.
LEGAL_STRINGS = ["{v}", " {v} ", "+{a}", "{v}e0", "{v}E+0", "{v}e-0", "{i}.", ".5", "-.5", "+.5", "0005",
                 "{i}.e0", "5.", "-0.0", "1e-400", "  7  ", "1E2"]
ILLEGAL_STRINGS = ["", " ", "N/A", "nan", "NaN", "inf", "-inf", "Infinity", "-Infinity", "0x1F", "1_000",
                   "1,000", "12 kt", "1e", "e5", ".", "+", "-", "--5", "+-5", "1e5.0", "1.2.3", "5 5", "1e400",
                   "-1e999", "٣", "５", "½", "0b1", "1f", "1d", "true", "null", "$5", "1e+", "\u0000"]
INVALID_TOKENS = ["null", "true", "false", "NaN", "Infinity", "-Infinity", "1e400", "-1e400", "{}", '{"v": 1}',
                  "9" * 400, '{"value": [1, 2, 3]}']
ODD_TOKENS = ["0", "-0", "-0.0", "0e0", "1e300", "-1e300", "1E5", "1e-320", "123456789012345678901234567890",
              "0.1e1", "1.0000000000000000000000001", "-1e5", "2e+3"]
BAD_TOKENS = ["+5", ".5", "5.", "01", "1e", "nan", "None", "True", "undefined", "'5'", "-NaN", "+Infinity",
              "0x10", "1_0", "--1", "-", "inf"]


def step_up(x):
    return math.nextafter(x, math.inf)


def step_down(x):
    return math.nextafter(x, -math.inf)


def around(rng, x):
    return rng.choice([x, x, step_up(x), step_down(x)])


class World:
    """A slow flight: each step stays inside every default threshold."""

    def __init__(self, rng):
        self.rng = rng
        self.lat, self.lon, self.alt = 47.0, 8.5, 3000.0
        self.track, self.speed, self.vs = 350.0, 50.0, 0.0

    def step(self):
        r = self.rng
        self.lat += r.uniform(-0.0002, 0.0002)
        self.lon += r.uniform(-0.0002, 0.0002)
        self.track = (self.track + r.uniform(-2, 3)) % 360
        self.speed = min(60.0, max(35.0, self.speed + r.uniform(-0.7, 0.7)))
        self.vs = min(400.0, max(-400.0, self.vs + r.uniform(-120, 120)))
        self.alt = min(5000.0, max(1500.0, self.alt + self.vs / 200))
        ve = self.speed * math.sin(math.radians(self.track))
        vn = self.speed * math.cos(math.radians(self.track))
        vals = dict(lat=self.lat, lon=self.lon, gps_alt=self.alt, track=self.track,
                    heading=(self.track + 3) % 360, ve=ve, vn=vn, vu=self.vs * 0.00508,
                    gs=self.speed * 3600 / 1852, roll=r.uniform(-8, 8), pitch=r.uniform(-4, 4),
                    turn=r.uniform(-2, 2), slip=r.uniform(-0.5, 0.5), ng=1 + r.uniform(-0.1, 0.1),
                    lg=r.uniform(-0.1, 0.1), vs=self.vs, ias=self.speed * 3600 / 1852 - 2,
                    baro=self.alt - 120, press=self.alt - 90)
        digits = r.choice([2, 3, 6, 17])
        return {k: round(v, 7 if k in ("lat", "lon") else digits) for k, v in vals.items()}


def boundary(rng, state):
    """Puts one rule, limit or threshold exactly at, just under or just over its edge."""
    s = dict(state)
    kind = rng.randrange(17)
    alias = rng.choice(list(SPEC))
    lo, hi, jump, angle = SPEC[alias]
    if kind == 0:
        s[alias] = around(rng, float(rng.choice([lo, hi])))
    elif kind == 1:
        s[alias] = around(rng, float(rng.choice([lo - 0.5 * (hi - lo), hi + 0.5 * (hi - lo)])))
    elif kind == 2:
        s["baro"] = 2000.0
        s["gps_alt"] = 2000 + rng.choice([-1, 1]) * around(rng, rng.choice([500.0, 1000.0]))
    elif kind == 3:
        s["ve"] = s["vn"] = 0.0
        s["gs"] = around(rng, rng.choice([5.0, 15.0, 0.0]))
    elif kind == 4:
        s["ve"], s["vn"] = rng.choice([(0.6, 0.8), (1.0, 0.0), (0.0, -1.0), (0.0, step_down(1.0)), (-0.999, 0.0)])
        s["gs"], s["track"] = 2.0, rng.choice([0.0, 90.0, 180.0, 200.0, 360.0])
    elif kind == 5:
        s["ve"], s["vn"], base = rng.choice([(0.0, 50.0, 0), (50.0, 0.0, 90), (0.0, -50.0, 180), (-50.0, 0.0, 270)])
        s["gs"] = 50 * 3600 / 1852
        s["track"] = around(rng, (base + rng.choice([-30, -10, 0, 10, 30])) % 360.0)
    elif kind == 6:
        s["gps_alt"] = rng.choice([around(rng, 1000.0), 500.0, 1500.0])
        s["baro"] = s["gps_alt"]
        s["vs"] = rng.choice([-1, 1]) * around(rng, rng.choice([2000.0, 3000.0, 5000.0, 7500.0]))
    elif kind == 7:
        s[rng.choice(["roll", "pitch"])] = rng.choice([-1, 1]) * around(rng, 60.0)
        s["vu"] = 20.0
    elif kind == 8:
        p = rng.choice([step_down(15.0), 15.0, step_up(15.0), 18.0, 30.0, 59.0])
        s["pitch"] = rng.choice([-1, 1]) * p
        s["vu"] = rng.choice([-1, 1]) * around(rng, 0.3 * (p / 30 * 5))
    elif kind == 9:
        s["vs"] = around(rng, rng.choice([-2000.0, -3000.0, -4000.0, -6000.0]))
    elif kind == 10:
        s["ias"] = around(rng, rng.choice([30.0, 180.0, 270.0, 50.0, 0.0]))
    elif kind == 11:
        s["gps_alt"] = rng.choice([around(rng, 15000.0), around(rng, 22500.0), 0.0, -0.0, -5e-324])
        s["baro"] = s["gps_alt"]
    elif kind == 12:
        s["ias"], s["pitch"], s["vs"] = around(rng, 50.0), around(rng, 15.0), around(rng, 500.0)
        s["vu"] = 5.0
    elif kind == 13:
        s["ias"], s["pitch"], s["vs"], s["vu"] = 45.0, 18.0, -100.0, 5.0
    elif kind == 14:
        s[alias] = rng.choice([-1, 1]) * rng.choice([1e9, 1e150, 1e300])
    elif kind == 15:
        a = rng.choice(["track", "heading"])
        s[a] = rng.choice([0.0, 360.0, -0.0, step_down(360.0), 359.999, 0.001, 720.0, -180.0, 540.0])
    else:
        s[alias] = s[alias] + rng.choice([-1, 1]) * rng.choice([1, 1.2, 1.5, 2, 3, 4]) * jump
    return s


def jump_pair(rng):
    """(alias, value before, value after) with the change at a threshold or 1.5 times it."""
    alias = rng.choice(list(SPEC))
    jump, angle = SPEC[alias][2:]
    times = rng.choice([1, 1.5, 2, 3])
    if angle:
        before = float(rng.choice([0, 350, 10, 359, 180, 355.5]))
        after = around(rng, (before + rng.choice([-1, 1]) * rng.choice([jump * times, 180.0])) % 360)
        return alias, before, after
    before = float(rng.choice([0, 1, 40, 0.25]))
    after = before + rng.choice([-1, 1]) * jump * times
    return alias, before, around(rng, after)


# ---------------------------------------------------------------- responses

def token_of(rng, value):
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") and rng.random() < 0.5 else text


def string_token(rng, pattern, value):
    return json.dumps(pattern.format(v=repr(value), a=repr(abs(value)), i=int(value) if abs(value) < 1e15 else 7)
                      if "{" in pattern else pattern, ensure_ascii=rng.random() < 0.5)


def odd_token(rng, value, text_only):
    """A raw token in place of a number, and whether it is strict JSON."""
    kind = rng.random()
    if kind < 0.4:
        return string_token(rng, rng.choice(LEGAL_STRINGS), value)
    if kind < 0.6:
        return string_token(rng, rng.choice(ILLEGAL_STRINGS), value)
    if kind < 0.85:
        token = rng.choice(INVALID_TOKENS)
        if not text_only and (token[-1] in "Ny" or "e400" in token or len(token) > 300):
            return "null"
        return token
    return rng.choice(ODD_TOKENS)


def pairs_of(rng, task, states, text_only, nasty):
    """[(key, raw token)] for a prediction: states is one state, or three for M3."""
    horizon = HORIZON[task]
    pairs = []
    for alias, name in NAME.items():
        tokens = [token_of(rng, s[alias]) for s in states]
        pairs.append([name, tokens[0] if horizon is None else "[" + ", ".join(tokens) + "]", tokens])
    damage = 0 if rng.random() > 0.45 * nasty else rng.choice([1, 1, 1, 2, 4, 19])
    for i in rng.sample(range(len(pairs)), damage):
        name, _, tokens = pairs[i]
        value = states[0][list(NAME)[i]]
        kind = rng.random()
        if kind < 0.15:
            pairs[i] = None
        elif kind < 0.3:
            pairs[i][1] = rng.choice(["[]", "[1]", "[1, 2]", "[1, 2, 3, 4]", "[1, 2, 3]", "[[1], [2], [3]]", "5",
                                      '"5"', "null", "{}", "[null, null, null]", '["1", "2", "3"]', "[[]]"])
        elif horizon is None:
            pairs[i][1] = odd_token(rng, value, text_only)
        else:
            tokens = list(tokens)
            tokens[rng.randrange(3)] = odd_token(rng, value, text_only)
            pairs[i][1] = "[" + ", ".join(tokens) + "]"
    pairs = [[p[0], p[1]] for p in pairs if p]
    if rng.random() < 0.15:
        rng.shuffle(pairs)
    if rng.random() < 0.15:
        pairs.insert(rng.randrange(len(pairs) + 1),
                     rng.choice([["note", '"brace } { \\" ``"'], ["Latitude", "1"], ["", "{}"], ["x", "[{}]"],
                                 ["confidence", "0.9"], ["emoji", '"\\ud83d\\ude00 \U0001F600"']]))
    if text_only and pairs and rng.random() < 0.08:     # a repeated key: last wins
        pairs.append([rng.choice(pairs)[0], rng.choice(["1", "null", '"7"', "[1, 2, 3]"])])
    return pairs


def object_text(rng, pairs):
    comma, colon, pad = rng.choice([(", ", ": ", ""), (",", ":", ""), (",\n  ", ": ", "\n"), (" ,\t", " :\r\n", " ")])
    ascii_keys = rng.random() < 0.7
    keys = [json.dumps(k, ensure_ascii=ascii_keys) for k, _ in pairs]
    if rng.random() < 0.05:
        keys = [k.replace("a", "\\u0061") for k in keys]
    return "{" + pad + comma.join(k + colon + t for k, (_, t) in zip(keys, pairs)) + pad + "}"


def nested(depth):
    """An object whose deepest value is `depth` levels down, the outer object being 1."""
    return '{"deep": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


def wrap(rng, body):
    """The response text around an object."""
    kind = rng.randrange(40)
    if kind < 16:
        return body
    if kind < 18:
        return f"\n\t  {body} \r\n"
    if kind < 21:
        return f"Here is the prediction:\n```json\n{body}\n```\nHope it helps."
    if kind == 21:
        return f"```\n{body}\n```"
    if kind == 22:
        return f"First a sketch {{\"a\": 1}} and then\n```JSON\n{body}\n```\n"
    if kind == 23:
        return f"```python\nx = {{'a': 1}}\n```\nand\n```json\n{body}\n```\n```json\n{{}}\n```"
    if kind == 24:
        return f"The answer is {body}. The rest {{ is noise."
    if kind == 25:
        return f"set {{x}} and {{{{y}}}} then {{ \"broken\": }} {body}"
    if kind == 26:
        return f"{body}{body}"
    if kind == 27:
        return f"{{}} {body}"
    if kind == 28:
        return body[:rng.randrange(len(body))]
    if kind == 29:
        return f"{{\"result\": {body}}}"
    if kind == 30:
        return f"[{body}]"
    if kind == 31:
        return body[:-1] + ",}"
    if kind == 32:
        return body.replace('"', "'")
    if kind == 33:
        return "{" + body
    if kind == 34:
        return body + rng.choice(["}", ",", "null", "\u0000", " ```"])
    if kind == 35:
        return body.replace(": ", ": " + rng.choice(BAD_TOKENS) + ", \"x\": ", 1)
    if kind == 36:
        depth = rng.choice([100, 126, 127, 128, 129, 130, 1000, 20000])
        return rng.choice([nested(depth), "noise " + nested(depth) + body, body + nested(depth),
                           '{"a":' * depth, '{"a":' * depth + "1" + "}" * depth, "[" * depth + body])
    if kind == 37:
        return "{" * rng.choice([1, 200, 5000]) + rng.choice(["", body])
    if kind == 38:
        return "// {\"a\": \"" + body
    return "\ufeff" + body


def text_without_object(rng):
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(["", " ", "\n\t", "null", "[]", "3", "true", "NaN", '"text"', "{", "}", "{]", "[1, 2"])
    if kind <= 3:
        word = rng.choice(API_KEYWORDS)
        word = rng.choice([word, word.upper(), word.title()])
        return rng.choice(["Error: {}", "{}", "503 {} (retry)", "x{}x", "[{}]", "{{{}}}", "```\n{}\n```"]).format(word)
    if kind == 4:
        return rng.choice(["I cannot help with that.", "time  out", "rate-limit exceeded", "API_ERROR", "timed out",
                           "status: code", "Ошибка сети", "api\nerror", "quota  exceeded", "connection  error"])
    if kind == 5:
        return "".join(rng.choice("{}[]\":, \\\n`0aé\U0001F600") for _ in range(rng.randrange(200)))
    if kind == 6:
        return '{"error": "rate limit exceeded", "status code": 429}'
    return '{"Latitude (WGS84 deg)": "' + "a{" * rng.randrange(50)


def ambiguous_text(rng, body):
    return rng.choice([
        f"{{\"a\": 1}}\n```json\n{body}", f"{{\"a\": 1}} ~~~\n{body}\n~~~", f"{{\"a\":1}} ```json {body}```",
        f"{{\"a\": 1}} ````\n{body}\n````", "timeout " + nested(300), body.replace("{", '{"s": "\\ud800", ', 1),
        body.replace(":", ':"\u00a05", "q":', 1), body.replace(":", ':"\\t5\\n", "q":', 1),
        "networ\u212a error", body.replace(":", ": 1.7e308, \"q\":", 1),
        f"{{\"a\": 1}} ```json\n{body[:-1]}, \"z\": \"```\"}}\n```"])


# -------------------------------------------------------------------- lines

def sample_line(rng, index, task, ident, truth, ambiguous):
    """One line of samples.jsonl; truth is a list of states."""
    horizon = HORIZON[task]
    if rng.random() < 0.4:                                # spread the errors over the score curves
        off = rng.choice([0.5, 5, 10, 20, 50, 100, 200, 300, 400, rng.uniform(0, 450)])
        truth = [{a: v + rng.choice([-1, 1]) * off for a, v in s.items()} for s in truth]
    gold = {NAME[a]: truth[0][a] if horizon is None else [s[a] for s in truth] for a in NAME}
    for name in rng.sample(list(gold), rng.choice([0, 0, 0, 1, 3, 18])):
        bad = rng.choice([None, True, "", "x", "12.5", " 3 ", [1, 2], [1, 2, 3], {}, 1e9, -0.0, [None, "2", 3]])
        if rng.random() < 0.3:
            del gold[name]
        elif horizon is not None and rng.random() < 0.6:
            gold[name] = list(gold[name])
            gold[name][rng.randrange(3)] = rng.choice([None, False, "nan", "4", [], 1e9])
        else:
            gold[name] = bad
    row = {"sample_id": ident, "task_id": task, "context": {"question": "¿next?", "record_idx": index}}
    key = rng.choice(["next_second", "T+1"])
    if key == "T+1" and horizon is None and rng.random() < 0.4:   # a window, of which the first second is meant
        gold = {name: rng.choice([[v, 1, "x"], [v], [v, None], []] if rng.random() < 0.1 else [[v, 1, 2]])
                for name, v in gold.items()}
    kind = rng.randrange(24)
    if kind < 14:
        row["gold"] = {key: gold, "available": True}
    elif kind == 14:
        row["gold"] = {key: gold}
    elif kind == 15:
        row["gold"] = {key: gold, "available": False}
    elif kind == 16:
        row["gold"] = {key: rng.choice([{}, {n: None for n in gold}, {n: "x" for n in gold}]), "available": True}
    elif kind == 17:
        row["gold"] = {"available": rng.random() < 0.5}
    elif kind == 18:
        pass
    elif kind == 19:
        row["id"] = row.pop("sample_id")
        row["gold"] = {key: gold, "available": True}
    elif kind == 20:
        row = {"task_id": task, key: gold, "id": ident}
    elif kind == 21:
        row = {"task_id": task, key: gold}
    elif kind == 22:
        row.pop("task_id")
        row["gold"] = {key: gold}
    else:
        row["task_id"] = rng.choice(["S2", "s1", "M3 ", "XX"])
        row["gold"] = {key: gold}
    if ambiguous and rng.random() < 0.2:
        odd = rng.randrange(6)
        if odd == 0:
            row["gold"] = {key: gold, "available": rng.choice([None, 0, "false"])}
        elif odd == 1:
            row["gold"] = rng.choice([None, [], "x", 5, {key: [gold]}])
        elif odd == 2:
            row["sample_id"] = index
        elif odd == 3:
            row["gold"] = {"next_second": None, "T+1": gold}
        elif odd == 4:
            row["gold"] = {key: {**gold, NAME["lat"]: math.nan}}
        else:
            row["context"] = rng.choice([None, 5, []])
    return json.dumps(row, ensure_ascii=rng.random() < 0.5)


def output_line(rng, model, ident, task, response_token, ambiguous):
    """One line of outputs.jsonl; response_token is raw JSON."""
    row = {"model_name": json.dumps(model), "sample_id": json.dumps(ident), "raw_response_text": response_token,
           "timestamp": '"2025-01-19T10:30:00"', "task_id": json.dumps(task)}
    kind = rng.randrange(60)

    def rename(old, new):
        row[new] = row.pop(old)

    if kind < 6:
        rename("model_name", "model")
        rename("sample_id", "id")
        rename("raw_response_text", "response")
    elif kind < 9:
        row.pop("task_id")
        row.pop("timestamp")
    elif kind == 9:
        row.pop("sample_id")
    elif kind == 10:
        row.pop("sample_id")
        row.pop("task_id")
    elif kind == 11:
        row["sample_id"] = '"nowhere_001"'
    elif kind == 12:
        row["task_id"] = json.dumps(rng.choice(["S9", "m1", ""]) or "S1 ")
    elif kind == 13:
        row["task_id"] = json.dumps({"S1": "M1", "M1": "M3", "M3": "S1"}[task])
    elif kind == 14:
        row.pop("model_name")
    elif kind == 15:
        row["extra"] = '{"nested": [1, {"a": null}]}'
    if ambiguous and rng.random() < 0.15:
        odd = rng.randrange(7)
        if odd == 0:
            row.pop("raw_response_text", None)
            row.pop("response", None)
        elif odd == 1:
            row["raw_response_text"] = rng.choice(["null", "5", "[]", "true", '{"a": NaN}', '{"a": 1e400}',
                                                   nested(128), nested(129), nested(300), '"\\ud800"'])
        elif odd == 2:
            row["model_name"] = rng.choice(['""', "null", "5"])
        elif odd == 3:
            row["sample_id"] = rng.choice(["5", '""', "null", "true", "1.0"])
        elif odd == 4:
            row["task_id"] = rng.choice(['""', "null", "3"])
        elif odd == 5:
            row["response"] = '"{}"'
        else:
            row["note"] = rng.choice(["NaN", "1e400", "[" * 200 + "]" * 200, '"\\ud800"'])
    items = list(row.items())
    rng.shuffle(items)
    return "{" + ", ".join(json.dumps(k) + ": " + v for k, v in items) + "}"


def broken_line(rng, line):
    return rng.choice([line[:rng.randrange(1, len(line))], line + "}", line[:-1], "not json", "[1, 2]", '"text"',
                       "17", "null", "{'a': 1}", line.replace(": ", "= ", 1), line + " trailing",
                       line[:-1] + ",}", "{}{}"])


def write_lines(path, lines, rng):
    """BOM, CRLF and blank lines come at random; some lines are not UTF-8."""
    out = bytearray(b"\xef\xbb\xbf" if rng.random() < 0.5 else b"")
    ending = rng.choice([b"\n", b"\r\n", None])
    for i, line in enumerate(lines):
        raw = line.encode("utf-8")
        if line and rng.random() < 0.004:
            raw = raw[:-1] + b'"\xff\xfe}'
        out += raw
        if i + 1 < len(lines) or rng.random() < 0.5:
            out += ending or rng.choice([b"\n", b"\r\n"])
    with open(path, "wb") as f:
        f.write(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--ambiguous", action="store_true")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    world = World(rng)

    samples, sample_lines = [], []
    while len(samples) < args.count:
        if rng.random() < 0.03:
            sample_lines.append(rng.choice(["", "   ", "\t"]))
        index = len(sample_lines)
        task = rng.choice(list(HORIZON))
        ident = f"{task}_{index:03d}" if rng.random() < 0.7 else rng.choice(["x", "é/", "a b "]) + str(index)
        truth = [world.step() for _ in range(HORIZON[task] or 1)]
        line = sample_line(rng, index, task, ident, truth, args.ambiguous)
        samples.append((ident, task, truth))
        if rng.random() < 0.02:
            line = broken_line(rng, line)
        sample_lines.append(line)
        if rng.random() < 0.02:
            sample_lines.append(line)                     # a duplicate sample

    output_lines, pending = [], {}
    for ident, task, truth in samples:
        for model, nasty in zip(MODELS, NASTINESS):
            if rng.random() < 0.05:
                continue
            states = [{a: v + rng.gauss(0, 1) * SPEC[a][2] * rng.choice([0, 0.02, 0.05]) for a, v in s.items()}
                      for s in truth]
            for alias, value in pending.pop((model, task), []):
                states[0][alias] = value                  # the second half of a jump
            if rng.random() < 0.3 * nasty:
                i = rng.randrange(len(states))
                states[i] = boundary(rng, states[i])
            if rng.random() < 0.12 * nasty:
                alias, before, after = jump_pair(rng)
                if HORIZON[task] is None:
                    states[0][alias] = before
                    pending[model, task] = [(alias, after)]
                else:
                    i = rng.randrange(2)
                    for k, s in enumerate(states):
                        s[alias] = before if k <= i else after
            as_object = rng.random() < 0.15
            pairs = pairs_of(rng, task, states, not as_object, nasty)
            body = object_text(rng, pairs)
            if as_object:
                token = body.replace("\n", " ").replace("\r", " ")
            else:
                text = body
                if rng.random() < 0.08 * nasty:
                    text = text_without_object(rng)
                elif rng.random() < nasty:
                    text = wrap(rng, body)
                if args.ambiguous and rng.random() < 0.1:
                    text = ambiguous_text(rng, body)
                token = json.dumps(text, ensure_ascii=rng.random() < 0.5)
            line = output_line(rng, model, ident, task, token, args.ambiguous)
            if rng.random() < 0.015:
                line = broken_line(rng, line)
            if rng.random() < 0.02:
                output_lines.append(rng.choice(["", "  "]))
            output_lines.append(line)
            if rng.random() < 0.02:
                output_lines.append(output_line(rng, model, ident, task, json.dumps(body), args.ambiguous))

    os.makedirs(args.out, exist_ok=True)
    write_lines(os.path.join(args.out, "samples.jsonl"), sample_lines, rng)
    cut = len(output_lines) * 4 // 5
    write_lines(os.path.join(args.out, "outputs.jsonl"), output_lines[:cut], rng)
    write_lines(os.path.join(args.out, "outputs2.jsonl"), output_lines[cut:], rng)
    confidence = [{"model_name": m, "confidence_m": {f"{t}_score": round(rng.uniform(0, 100), 2) for t in HORIZON},
                   "calculation_source": "make_cases.py", "version": "1.0", "metadata": {}} for m in MODELS[:2]]
    with open(os.path.join(args.out, "confidence.json"), "w", encoding="utf-8") as f:
        json.dump(confidence, f, indent=2)


if __name__ == "__main__":
    main()
