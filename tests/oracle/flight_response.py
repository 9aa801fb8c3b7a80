"""Reading a model's response: a lenient JSON decoder without recursion, the search
for an object in free text, and what counts as a number. Part of flight_oracle.py."""

import json
import math
import re

API_KEYWORDS = [
    "api error", "api request failed", "timeout", "time out", "http error",
    "status code", "forbidden", "access denied", "unauthorized",
    "internal server error", "rate limit exceeded", "connection error",
    "network error", "failed to connect", "service unavailable", "bad request",
    "invalid request", "authentication failed", "quota exceeded",
]

MAX_DEPTH = 128
MAX_BYTES = 16 * 1024 * 1024

# ---------------------------------------------------------------- decoder

WS = re.compile(r"[ \t\n\r]*+")
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
WORDS = {"true": True, "false": False, "null": None}
NONFINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Malformed(Exception):
    """The text is not JSON at this place."""


class TooDeep(Exception):
    """The nesting limit was reached."""


def decode(text, pos, max_depth=None, nonfinite=False):
    """One JSON value from text[pos:], without recursion. Returns (value, end)."""
    stack, keys = [], []
    expect = "value"
    i = pos
    while True:
        i = WS.match(text, i).end()
        c = text[i:i + 1]
        if expect in ("key", "first_key") and not (c == "}" and expect == "first_key"):
            m = STRING.match(text, i)
            if not m:
                raise Malformed
            i = WS.match(text, m.end()).end()
            if text[i:i + 1] != ":":
                raise Malformed
            keys.append(json.loads(m.group()))
            i += 1
            expect = "value"
            continue
        if c in ("{", "[") and expect in ("value", "first_value"):
            stack.append({} if c == "{" else [])
            if max_depth is not None and len(stack) > max_depth:
                raise TooDeep
            i += 1
            expect = "first_key" if c == "{" else "first_value"
            continue
        if (c == "]" and expect == "first_value") or (c == "}" and expect == "first_key"):
            value = stack.pop()
            i += 1
        else:
            value, i = decode_scalar(text, i, nonfinite)
        # A complete value: hand it to its parent, closing parents that end here.
        while stack:
            parent = stack[-1]
            if isinstance(parent, list):
                parent.append(value)
            else:
                parent[keys.pop()] = value          # a repeated key: last wins
            i = WS.match(text, i).end()
            c = text[i:i + 1]
            i += 1
            if c == ",":
                expect = "value" if isinstance(parent, list) else "key"
                break
            if c != ("]" if isinstance(parent, list) else "}"):
                raise Malformed
            value = stack.pop()
        else:
            return value, i


def decode_scalar(text, i, nonfinite):
    m = STRING.match(text, i)
    if m:
        return json.loads(m.group()), m.end()
    for table in (WORDS, NONFINITE if nonfinite else {}):
        for word, value in table.items():
            if text.startswith(word, i):
                return value, i + len(word)
    m = NUMBER.match(text, i)
    if not m:
        raise Malformed
    token = m.group()
    if len(token) <= 15 and token.lstrip("-").isdigit() and token != "-0":
        return int(token), m.end()
    return float(token), m.end()


def decode_whole(text, **options):
    value, end = decode(text, 0, **options)
    if WS.match(text, end).end() != len(text):
        raise Malformed
    return value


def depth_of(value):
    deepest, todo = 0, [(value, 1)]
    while todo:
        v, d = todo.pop()
        if isinstance(v, (dict, list)):
            deepest = max(deepest, d)
            todo.extend((x, d + 1) for x in (v.values() if isinstance(v, dict) else v))
    return deepest

# ----------------------------------------------------- response parsing


def fenced_bodies(text):
    """Bodies of ``` blocks. The rest of the opening line is the info string."""
    pos = 0
    while True:
        start = text.find("```", pos)
        close = text.find("```", start + 3) if start >= 0 else -1
        if close < 0:
            return
        newline = text.find("\n", start + 3, close)
        if newline >= 0:
            yield text[newline + 1:close]
        else:
            yield re.sub(r"^[A-Za-z0-9_+.-]*", "", text[start + 3:close])
        pos = close + 3


def parse_response(response):
    """(object, None), or (None, the protocol rule that failed)."""
    if isinstance(response, dict):
        if depth_of(response) > MAX_DEPTH:
            return None, "protocol.parse_failure"
        return response, None
    if len(response.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return None, "protocol.parse_failure"
    lenient = {"max_depth": MAX_DEPTH, "nonfinite": True}
    try:
        for candidate in [response, *fenced_bodies(response)]:
            candidate = candidate.strip()
            if candidate.startswith("{"):
                try:
                    return decode_whole(candidate, **lenient), None
                except Malformed:
                    pass
        at = response.find("{")
        while at >= 0:
            try:
                return decode(response, at, **lenient)[0], None
            except Malformed:
                at = response.find("{", at + 1)
    except TooDeep:
        return None, "protocol.parse_failure"
    lowered = response.lower()
    if any(word in lowered for word in API_KEYWORDS):
        return None, "protocol.api_error"
    return None, "protocol.parse_failure"


NUMERIC_STRING = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def number(value):
    """The finite float that a JSON value stands for, or None."""
    if isinstance(value, bool) or value is None or isinstance(value, (dict, list)):
        return None
    if isinstance(value, str):
        value = value.strip()
        if not NUMERIC_STRING.fullmatch(value):
            return None
    value = float(value)
    return value if math.isfinite(value) else None
