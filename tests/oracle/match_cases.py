#!/usr/bin/env python3
"""Makes files of predictions for the oracle of matches: plausible, nearly right, hostile.

    python3 match_cases.py --seed N --rows N --normalizer NAME --out FILE

The name of the file decides its shape. A formula is written from a tree twice, or from a
tree and a changed one; that the oracle's reader finds the tree again is checked here.
"""

import argparse
import gzip
import json
import random
from pathlib import Path

import atl_oracle
from match_oracle import GOLD, INPUT, PREDICTION

ATOMS = ["p", "q", "r1", "stop", "door_open", "at", "Fstop", "android", "order", "x2", "true", "höhe"]
AGENTS = ["A", "User", "cobot", "robot_1", "System2"]
SPELLED = {
    "and": ["&&", "&", "∧", "/\\", " and ", " AND "], "or": ["||", "|", "∨", "\\/", " or ", " Or "],
    "implies": ["->", "=>", "→", "⇒", " implies "], "iff": ["<->", "<=>", "↔", "⇔", " iff "],
    "not": ["!", "¬", "~", " not "], "X": [" X ", "○", " next "], "F": [" F ", "◇", " eventually ", " finally "],
    "G": [" G ", "□", " always ", " globally "], "U": [" U ", " until "], "W": [" W "], "R": [" R ", " releases "],
}
PLAIN = {name: spelled[0] for name, spelled in SPELLED.items()}
STRENGTH = {"iff": 0, "implies": 1, "or": 2, "and": 3, "U": 4, "W": 4, "R": 4}
UNARY = 5


class Maker:
    """Random trees, and ways to write them."""

    def __init__(self, rng):
        self.rng = rng
        self.golds_are_text = rng.random() < 0.5

    def tree(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return self.leaf()
        kind = rng.choice(["not", "X", "F", "G", "U", "W", "R", "and", "and", "or", "or", "implies", "iff",
                           "coalition", "coalition"])
        if kind == "coalition":
            names = rng.sample(AGENTS, rng.randint(0, 3))
            return (kind, (rng.choice(["open", "open", "dual"]), *names), self.tree(depth - 1))
        if kind in ("not", "X", "F", "G"):
            return (kind, self.tree(depth - 1))
        many = rng.randint(2, 4) if kind in ("and", "or") else 2
        return (kind, *(self.tree(depth - 1) for _ in range(many)))

    def leaf(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.1:
            return ("compare", rng.choice([">=", "<", "=", "!="]), ("atom", rng.choice(ATOMS)), ("atom", "3"))
        if roll < 0.2:
            return ("atom", "at", ("atom", rng.choice(ATOMS)), ("atom", "hall"))
        return ("atom", rng.choice(ATOMS))

    def changed(self, tree):
        """The tree with one thing done to it that may change what it says."""
        rng = self.rng
        inside = [index for index, part in enumerate(tree) if index and isinstance(part, tuple)
                  and tree[0] not in ("atom", "compare") and part[0] not in ("open", "dual")]
        if inside and rng.random() < 0.6:
            index = rng.choice(inside)
            return (*tree[:index], self.changed(tree[index]), *tree[index + 1:])
        kind = tree[0]
        if kind == "coalition":
            quantifier, *names = tree[1]
            choices = [("dual" if quantifier == "open" else "open", *names), (quantifier, *names, "Eve"),
                       (quantifier, *names[1:]), (quantifier, *reversed(names))]
            return (kind, rng.choice(choices), tree[2])
        if kind in ("not", "X", "F", "G"):
            if tree[1][0] in ("and", "or", "U") and rng.random() < 0.5:
                inner = tree[1]
                return (inner[0], (kind, inner[1]), *inner[2:])
            return rng.choice([tree[1], (rng.choice("XFG"), tree[1]), (kind, tree)])
        if kind in STRENGTH:
            return rng.choice([(kind, *reversed(tree[1:])), (rng.choice(list(STRENGTH)), *tree[1:3]),
                               (kind, *tree[1:], tree[1]) if kind in ("and", "or") else tree[1], tree[1]])
        return rng.choice([("not", tree), self.leaf()])

    def write(self, tree, plain=False, above=-1):
        rng = self.rng
        kind = tree[0]
        spelled = (PLAIN[kind] if plain else rng.choice(SPELLED[kind])) if kind in SPELLED else None
        if kind == "atom":
            name = tree[1] if plain or rng.random() < 0.8 else tree[1].upper()
            written = self.padded(name if len(name) > 1 else name.lower(), plain)
            if len(tree) > 2:
                comma = ", " if plain else self.space() + "," + self.space()
                written = f" {name}({comma.join(self.write(part, True).strip() for part in tree[2:])})"
            strength = 9
        elif kind == "compare":
            written, strength = f"{self.write(tree[2], True)} {tree[1]} {self.write(tree[3], True)}", 8
        elif kind == "coalition":
            (quantifier, *names), inner = tree[1:]
            brackets = {"open": ["<<>>", "⟪⟫"], "dual": ["[[]]"]}[quantifier]
            brackets = brackets[0] if plain else rng.choice(brackets)
            half = len(brackets) // 2
            names = ",".join(names if plain else [rng.choice([name, name.lower()]) + self.space() for name in names])
            written = brackets[:half] + names + brackets[half:] + self.write(inner, plain, UNARY)
            strength = UNARY
        elif kind in ("not", "X", "F", "G"):
            # Comparisons after `!` are read in two ways, hence with parentheses.
            written = spelled + self.write(tree[1], plain, 9 if kind == "not" else UNARY)
            strength = UNARY
        elif kind in ("and", "or"):
            parts = list(tree[1:])
            if not plain:
                rng.shuffle(parts)
            written, strength = spelled.join(self.write(part, plain, STRENGTH[kind]) for part in parts), STRENGTH[kind]
        else:
            strength = STRENGTH[kind]
            # A chain is bound by parentheses on both sides, but for `->`, which groups to the right.
            left = self.write(tree[1], plain, 9 if kind in ("U", "W", "R") else strength + 1)
            right = self.write(tree[2], plain, strength + (kind != "implies"))
            written = left + spelled + right
        if strength < above or (not plain and rng.random() < 0.15):
            written = f"({written})"
            if not plain and rng.random() < 0.2:
                written = f"({self.space()}{written})"
        return written

    def padded(self, name, plain):
        # Never glued to a letter before it, which could be an operator.
        return name if plain and len(name) > 1 else f" {name}" + ("" if plain else self.space())

    def space(self):
        return self.rng.choice(["", "", "", " ", "\t", "  ", "\u00a0"])

    # Pairs of texts, by normaliser.

    def auto(self):
        """Mostly formulas, so that whole files of them come about; else words that might be some."""
        if self.golds_are_text and self.rng.random() < 0.2:
            some = ["yes", "Paris", "salt and pepper", "not sure", "the rapist", "X ray", "AT&T", "3", "x = 3", "Go"]
            gold = self.rng.choice(some)
            return gold, self.rng.choice([gold.upper(), gold.replace(" ", ""), "therapist", gold])
        tree = self.tree(self.rng.randint(0, 3)) if self.rng.random() < 0.8 else self.leaf()
        return self.write(tree, plain=True), self.write(tree)

    def atl(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.08:
            return self.soup(), self.soup()
        tree = self.tree(rng.randint(1, 4))
        other = tree if rng.random() < 0.5 else self.changed(tree)
        gold, prediction = self.write(tree, plain=rng.random() < 0.5), self.write(other, plain=rng.random() < 0.3)
        for written, meant in ((gold, tree), (prediction, other)):
            again = atl_oracle.read(written)
            assert again is not None and again == atl_oracle.read(self.write(meant, plain=True)), (written, meant)
        if roll < 0.14:
            prediction = self.broken(prediction)
        if roll > 0.85:
            prediction = rng.choice([gold.upper(), gold.replace(" ", ""), f"({gold})", f" {gold}\n", gold.lower()])
            if " " in gold and prediction != f"({gold})":
                prediction = gold.replace(" ", "  ")
        return gold, prediction

    def soup(self):
        some = ["p", "q", "&&", "||", "!", "->", "<->", " U ", " F ", " G ", "(", ")", "<<A>>", "[[B]]", ",", "and",
                " or ", " not ", "=", " W ", "<<", ">>"]
        return " ".join(self.rng.choice(some) for _ in range(self.rng.randint(0, 6)))

    def broken(self, written):
        at = self.rng.randrange(len(written) + 1)
        return written[:at] + self.rng.choice(["", "(", ")", "#", "..", "<<", "&& "]) + written[at + 1:]

    def text(self):
        rng = self.rng
        words = ["Straße", "STRASSE", "straße", "café", "cafe\u0301", "ﬁre", "fire", "Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", "a", "A",
                 "İ", "i̇", "ΐ", "ᾳ", "ΑΙ", "ß", "ss", "Å", "Å", "", "\u200b", "가", "가"]
        gold = [rng.choice(words) for _ in range(rng.randint(1, 3))]
        other = [rng.choice([word, word.upper(), word.lower(), word.title()]) for word in gold]
        if rng.random() < 0.5:
            other[rng.randrange(len(other))] = rng.choice(words)
        gap = rng.choice([" ", "  ", "\n", "\u00a0", "\u3000", "\t "])
        return " ".join(gold), rng.choice(["", " "]) + gap.join(other)

    def exact(self):
        some = ["p", "P", " p", "p ", "", "é", "e\u0301", "p\n"]
        return self.rng.choice(some), self.rng.choice(some)

    def number(self):
        rng = self.rng
        value = rng.choice([0.0, 1.0, -2.5, 1e-12, 3e10, 1e308, 0.1, 7.0])
        near = value * (1 + rng.choice([0, 1e-10, 1e-8, -1e-9, 0.5]))
        odd = ["NaN", "inf", "1e999", "0x10", "1_000", "five", "", "1,000", "--1", "1e", ".", "+", "٣", "1 2"]
        ways = [str(near), f" {near} ", f"{near:.12g}", f"{near:+e}", f"{near:.1f}", rng.choice(odd), "-0", "5.", ".1"]
        return rng.choice([str(value), repr(value), rng.choice(odd)]), rng.choice(ways)

    def json(self):
        rng = self.rng
        value = self.value(3)
        other = value if rng.random() < 0.6 else self.value(2)
        written = json.dumps(other, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1]))
        if rng.random() < 0.1:
            written = written[:-1]
        if rng.random() < 0.2:
            written = written.replace("1.0", "10e-1").replace("100", "1e2")
        return json.dumps(value), written

    def value(self, depth):
        rng = self.rng
        if depth and rng.random() < 0.3:
            return [self.value(depth - 1) for _ in range(rng.randint(0, 3))]
        if depth and rng.random() < 0.4:
            keys = rng.sample(["a", "b", "ü", ""], rng.randint(0, 3))
            return {key: self.value(depth - 1) for key in keys}
        return rng.choice([0, -0.0, 1, 1.0, True, False, None, "1", "", "é", 1e300, 12345678901234567890, 0.1, 100])


def row(maker, normalizer, number):
    rng = maker.rng
    pair = getattr(maker, normalizer)
    roll = rng.random()
    if roll < 0.15:
        pairs = [pair() for _ in range(rng.randint(0, 3))]
        gold = [gold for gold, _ in pairs]
        answers = [prediction for _, prediction in pairs]
        if normalizer in ("number", "text", "json", "exact"):
            answers = [rng.choice([gold, answer]) for (gold, answer) in pairs]
        rng.shuffle(answers)
        prediction = rng.choice([answers, rng.choice(["\n", "\n\n", "\r\n"]).join(answers)])
        if normalizer in ("text", "exact", "json") and isinstance(prediction, str):
            gold = [one.replace("\n", " ") for one in gold]
    else:
        gold, prediction = pair()
        if roll > 0.97 and normalizer == "atl":
            gold = "\n".join([gold.strip(), "q"])
            prediction = "\n".join(["q", prediction])
    golden = rng.choice(GOLD)
    said = rng.choice([key for key in PREDICTION if key != golden])
    if golden == "outputs":
        gold = [{"formula": one, "n": 1} for one in (gold if isinstance(gold, list) else [gold])]
    made = {rng.choice(INPUT): f"question {number % 17}", golden: gold, said: prediction}
    if rng.random() < 0.1:
        made[rng.choice(["gold", "reference", "output", "outputs", "gold_options"])] = rng.choice([[], None, "p", ["q"]])
    if rng.random() < 0.1:
        made["token_usage"] = rng.choice([{"input_tokens": 3, "output_tokens": 4}, {"tokens_input": 5}, {}, None])
    if rng.random() < 0.6:
        made["tokens_input"] = rng.choice([0, 5, 12, 1000])
    if rng.random() < 0.6:
        made["tokens_output"] = rng.choice([0, 5, 12, None])
    if rng.random() < 0.3:
        made["id"] = rng.choice([number, f"row-{number}", 7, "7", None, ""])
    if rng.random() < 0.08:
        made.pop(rng.choice(list(made)))
    if rng.random() < 0.02:
        made[GOLD[0]] = rng.choice([[None], [["p"]], None])
    if rng.random() < 0.02:
        made[PREDICTION[0]] = rng.choice([[None], [["p"]], None, 3, True, {"a": [1]}])
    if rng.random() < 0.02:
        made = rng.choice([[made], "row", 3, None, {}])
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--normalizer", default="atl")
    parser.add_argument("--out", required=True)
    asked = parser.parse_args()
    maker = Maker(random.Random(asked.seed))
    rows = [row(maker, asked.normalizer, number) for number in range(asked.rows)]
    if ".jsonl" in asked.out:
        end = maker.rng.choice(["\n", "\r\n"])
        escaped = maker.rng.random() < 0.5
        made = [json.dumps(one, ensure_ascii=escaped) for one in rows]
        made += maker.rng.sample(["{", "nonsense", '{"input": "x"} {}', "", "[1"], 2)
        maker.rng.shuffle(made)
        data = maker.rng.choice(["", "\ufeff"]) + end.join(made) + maker.rng.choice(["", end])
    else:
        whole = maker.rng.choice([rows, {"model": "m", "predictions": rows}, {"detailed_results": rows, "seed": 4}])
        data = json.dumps(whole, indent=maker.rng.choice([None, 1]))
    data = data.encode()
    Path(asked.out).write_bytes(gzip.compress(data) if asked.out.endswith(".gz") else data)


if __name__ == "__main__":
    main()
