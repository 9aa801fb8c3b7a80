#!/usr/bin/env python3
"""Random pairs of judgments that try to break whoever measures their agreement.

    python3 pairs_cases.py --seed N --count K --out DIR [--alike]

DIR receives pairs.jsonl (both validators on each line), scholar.jsonl and auditor.jsonl.
The same seed gives the same bytes. Every way to write the same JSON is used: order of
keys, blanks, escapes, repeated keys. With --alike the merged lines are all written in one
way instead, as by a program, and some of them are damaged in a place or two: readers that
expect the next line to be like the last one are tried by that.

Evidence that cannot be read stands beside equal, known labels only, and none stands beside
a single validator, since the contract does not say how such pairs are decided.
"""

import argparse
import json
import os
import random

from pairs_oracle import Refused, evidence_of, parse

LABELS = ["VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"]
UNKNOWN = ["valid", "VALID ", " VALID", "", "OK", "REJECTED", "V\u0430LID", "VALID\tREJECT", "not in context",
           "VALID\u0000", "🙂", "NULL", "REJECT\nVALID", "ABSTAINED" * 30]
NOT_LABELS = [1, 0, True, False, [], ["VALID"], {}, {"label": "VALID"}, 0.5]
NASTY = ["", " ", "a\tb", "a\nb", "a\r", "\\t", "\\", "\"", "'", "q\u2028r", "é", "e\u0301", "🙂🙃", "\u0000",
         "\x7f", "<&>", "A" * 300, "null", "12", "-", ",", "{}", "\ufeff", "中文", "A1 ", "a1"]
# Flags and whether they are raised is told by truth as Python has it.
FLAGS = [True, 1, -0.5, "no", [0], {"a": 0}, False, 0, 0.0, None, "", [], {}]
IDS = ["p1#1", "p1#2", "p2#1", "é#1", "a\"b", "\\", "", 7, 8, None, True]
BAD_LINES = [b"oops", b"{", b"}", b"[1, 2]", b"17", b"null", b"\"text\"", b"{\"qid\": \"x\",}", b"{'qid': 'x'}",
             b"\xff\xfe", b"{\"qid\": \"\xc3\x28\"}", b"{} {}", b"{\"qid\": 01}", b"{\"qid\": \"a\x01\"}",
             b"\xed\xa0\x80", b"[",
             b"{\"qid\": tru}", b"{\"qid\" \"x\"}", b"//", b"{\"qid\": \"\\x\"}"]


# What a damaged line may have too much, or instead of something else.
CRUMBS = [b'"', b"{", b"}", b"[", b"]", b":", b",", b"\\", b" ", b"\t", b"0", b"1", b"-", b".", b"e", b"t", b"V",
          b"\xff", b"\xc3\xa9", b"\x01", b"\\u0041", b"null", b"true", b"VALID", b',"qid":"again"',
          b',"label":"REJECT"',
          b',"flags":{"provenance_violation":true}', b',"citations":["no"]', b',"retrieved_ids":[]', b',7', b',"p1#1"']


class Writer:
    """Writes JSON in every way that means the same."""

    def __init__(self, rng):
        self.rng = rng

    def blank(self):
        return self.rng.choice(["", "", "", "", " ", "  ", "\t"])

    def text(self, text):
        if self.rng.random() < 0.8:
            return json.dumps(text, ensure_ascii=self.rng.random() < 0.5)
        units = text.encode("utf-16-be")
        codes = [units[i] << 8 | units[i + 1] for i in range(0, len(units), 2)]
        form = self.rng.choice(["\\u%04x", "\\u%04X"])
        return '"' + "".join(form % code for code in codes) + '"'

    def value(self, value):
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return "[" + self.blank() + ("," + self.blank()).join(map(self.value, value)) + "]"
        if isinstance(value, dict):
            return self.members(list(value.items()))
        return json.dumps(value)

    def members(self, members):
        if self.rng.random() < 0.3:
            self.rng.shuffle(members)
        if members and self.rng.random() < 0.05:
            # The last of equal keys is the one that counts.
            key, _ = self.rng.choice(members)
            members.insert(0, (key, self.rng.choice([None, "REJECT", {"label": "ABSTAIN"}, [1]])))
        parts = [self.blank() + self.text(k) + self.blank() + ":" + self.blank() + self.value(v) + self.blank()
                 for k, v in members]
        return "{" + ",".join(parts) + "}"

    def line(self, row):
        ends = self.rng.choice(["", "", "", " ", "\t"])
        return (ends + self.value(row) + self.rng.choice(["", "", " "])).encode("utf-8")


class Cases:
    def __init__(self, seed, count):
        self.rng = random.Random(seed)
        self.count = count
        self.writer = Writer(self.rng)
        # From nearly perfect to worse than chance, so that gates fall on both sides.
        self.agreement = self.rng.choice([0.1, 0.5, 0.9, 0.97])
        self.nastiness = self.rng.choice([0.0, 0.02, 0.1, 0.3])
        self.shares = [self.rng.random() ** 2 + 0.01 for _ in LABELS]
        self.shares[3] *= self.rng.choice([0.02, 1])

    def some(self, share):
        return self.rng.random() < share * self.nastiness

    def name(self, index):
        if self.some(0.5):
            return self.rng.choice(NASTY) + self.rng.choice(["", "", str(index)])
        if self.some(0.3):
            return self.rng.choice([index, -index, index + 0.5, 10 ** 20 + index])
        if self.some(0.1):
            return self.rng.choice([None, [], {}, True])
        return f"A{index:05}"

    def label(self):
        return self.rng.choices(LABELS, self.shares)[0]

    def labels(self):
        scholar = self.label()
        auditor = scholar if self.rng.random() < self.agreement else self.label()
        pair = [scholar, auditor]
        for side in range(2):
            if self.some(0.5):
                pair[side] = self.rng.choice(UNKNOWN)
            elif self.some(0.2):
                pair[side] = self.rng.choice(NOT_LABELS)
        return pair

    def side(self, label):
        side = {"label": label}
        if self.some(0.1):
            del side["label"]
        if self.rng.random() < 0.5:
            side["reason"] = self.rng.choice(["ok", "cites p1#2", "é \"quoted\" \\ 🙂", "", None, 7,
                                              {"label": "REJECT"}])
        if self.rng.random() < 0.05:
            side["model"] = {"name": "m", "scores": [0.1, {"label": "VALID"}]}
        return side

    def evidence(self, row, labels):
        ids = self.rng.sample(IDS, self.rng.randrange(5))
        if self.rng.random() < 0.7:
            row["retrieved_ids"] = self.rng.choice([ids, ids, ids, None]) if self.nastiness else ids
        answer = {"claim": "X", "constraints_echo": ["X"]}
        if self.rng.random() < 0.6:
            cited = [i for i in ids if self.rng.random() < 0.5]
            if self.rng.random() < 0.2:
                cited.append(self.rng.choice(IDS))
            answer["citations"] = cited
        if self.rng.random() < 0.8:
            row["answer_json"] = answer
        elif self.some(1):
            row["answer_json"] = self.rng.choice([None, {}, [], "", 0, False])
        if self.rng.random() < 0.5:
            names = ["provenance_violation", "constraints_mismatch", "other"]
            row["flags"] = {name: self.rng.random() < 0.1 for name in names if self.rng.random() < 0.7}
            if self.some(1):
                row["flags"][self.rng.choice(names)] = self.rng.choice(FLAGS)
        readable = labels[0] == labels[1] and labels[0] in LABELS
        if readable and self.some(0.3):
            key, bad = self.rng.choice([("flags", [1]), ("flags", "yes"), ("flags", 1), ("answer_json", "text"),
                                        ("answer_json", [1]), ("retrieved_ids", {"a": 1}), ("retrieved_ids", 3),
                                        ("answer_json", {"citations": {"p1#1": 1}}),
                                        ("answer_json", {"citations": True})])
            row[key] = bad

    def merged(self, index):
        labels = self.labels()
        row = {"qid": self.name(index), "scholar": self.side(labels[0]), "auditor": self.side(labels[1])}
        for key in ("qid", "scholar", "auditor"):
            if self.some(0.1):
                del row[key]
            elif key != "qid" and self.some(0.1):
                row[key] = self.rng.choice([None, "VALID", [], [{"label": "VALID"}], 1, True])
        sides = [row.get("scholar"), row.get("auditor")]
        if all(isinstance(side, dict) and "label" in side for side in sides):
            self.evidence(row, labels)
        if self.rng.random() < 0.05:
            row["extra"] = {"scholar": {"label": "REJECT"}, "deep": [[[{"qid": "no"}]]]}
        return row

    def alike(self):
        """Lines that one program wrote, and what became of some of them."""
        separators = self.rng.choice([(",", ":"), (", ", ": ")])
        keys = self.rng.choice([[], ["flags"], ["answer_json", "retrieved_ids"],
                                ["retrieved_ids", "answer_json", "flags"]])
        if self.rng.random() < 0.5:
            keys = self.rng.sample(["qid", "scholar", "auditor", *keys], 3 + len(keys))
        else:
            keys = ["qid", "scholar", "auditor", *keys]
        ascii_only = self.rng.random() < 0.5
        lines = []
        for index in range(self.count):
            ids = self.rng.sample(IDS, self.rng.randrange(1, 5))
            cited = self.rng.sample(IDS, self.rng.choice([0, 1, 1, 1, 2, 3]))
            labels = self.labels() if self.rng.random() < 0.1 else [self.label(), self.label()]
            reason = self.rng.choice(["é", "ok", "\\ \""])
            row = {"qid": f"A{index}", "scholar": {"label": labels[0], "reason": reason},
                   "auditor": {"label": labels[1]}, "retrieved_ids": ids,
                   "answer_json": {"claim": "X", "citations": cited},
                   "flags": {"provenance_violation": self.rng.random() < 0.1, "constraints_mismatch": False}}
            row = {key: row[key] for key in keys}
            line = json.dumps(row, separators=separators, ensure_ascii=ascii_only).encode("utf-8")
            lines.append(self.damaged(line) if self.rng.random() < 0.3 else line)
        return lines

    def damaged(self, whole):
        line = whole
        for _ in range(self.rng.choice([1, 1, 2])):
            at = self.rng.randrange(len(line))
            until = at + self.rng.choice([0, 0, 1, 2])
            line = line[:at] + self.rng.choice([b"", line[at:at + 1], *CRUMBS]) + line[until:]
        try:
            row = parse(line)
            sides = [side for side in (row.get("scholar"), row.get("auditor")) if isinstance(side, dict)]
            beside = any(key in side for side in sides for key in ("flags", "answer_json", "retrieved_ids"))
            evidence_of(row)
            return whole if beside else line
        except Refused as reason:
            return whole if str(reason) == "bad_shape" else line

    def lines(self, rows):
        """Rows and what stands between them."""
        out = []
        for row in rows:
            if self.some(0.4):
                out.append(self.rng.choice(BAD_LINES))
            if self.some(0.3):
                out.append(self.rng.choice([b"", b"  ", b"\t"]))
            out.append(self.writer.line(row))
            if self.some(0.3):
                out.append(self.rng.choice(out))
        return out

    def file(self, lines):
        end = self.rng.choice([b"\n", b"\r\n"])
        mark = self.rng.choice([b"", b"\xef\xbb\xbf"])
        return mark + end.join(lines) + self.rng.choice([b"", end, end + end])

    def separate(self):
        sides = [[], []]
        for index in range(self.count):
            name, labels = self.name(index), self.labels()
            for rows, label in zip(sides, labels):
                row = {"qid": name, **self.side(label)}
                if self.some(0.1):
                    del row["qid"]
                if not self.some(0.3):
                    rows.append(row)
        for rows in sides:
            if self.rng.random() < 0.7:
                self.rng.shuffle(rows)
        return [self.file(self.lines(rows)) for rows in sides]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--out", required=True)
    parser.add_argument("--alike", action="store_true")
    args = parser.parse_args()
    cases = Cases(args.seed, args.count)
    os.makedirs(args.out, exist_ok=True)
    if args.alike:
        pairs = cases.file(cases.alike())
    else:
        pairs = cases.file(cases.lines([cases.merged(i) for i in range(args.count)]))
    for name, data in zip(("pairs", "scholar", "auditor"), (pairs, *cases.separate())):
        with open(os.path.join(args.out, name + ".jsonl"), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
