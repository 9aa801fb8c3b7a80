"""Formulas of ATL, read a second time from the documented grammar.

`spelling` is the seed's normal form; `read` gives a tree in which equal formulas are equal,
or None. Recursive and plain: for formulas of a size that people write.
"""

import re

SYMBOLS = {"∧": "&&", "∨": "||", "¬": "!", "→": "->", "⇒": "->", "↔": "<->", "⇔": "<->"}
# White space as Unicode has it, which is a little less than what Python strips.
SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

TOKEN = re.compile(rf"""
    (?P<space>[{SPACE}]+)
  | (?P<iff><->|<=>|[↔⇔⟷⟺])
  | (?P<implies>->|=>|[→⇒⟶⟹])
  | (?P<open><<|⟨⟨|⟪) | (?P<close>>>|⟩⟩|⟫)
  | (?P<dual>\[\[) | (?P<undual>\]\])
  | (?P<compare><=|>=|==|!=|[<>=])
  | (?P<and>&&|&|/\\|∧) | (?P<or>\|\||\||\\/|∨)
  | (?P<not>[!~¬∼]) | (?P<X>○) | (?P<F>◇) | (?P<G>□)
  | (?P<true>⊤) | (?P<false>⊥)
  | (?P<left>\() | (?P<right>\)) | (?P<comma>,)
  | (?P<word>\w+)
""", re.X)

WORDS = {"and": "and", "or": "or", "not": "not", "implies": "implies", "iff": "iff"}
BEFORE = {"next": "X", "eventually": "F", "finally": "F", "always": "G", "globally": "G"}
BETWEEN = {"until": "U", "release": "R", "releases": "R"}
GLUED = re.compile(r"([XFG]+)([a-z]\d*)?")


class Unreadable(Exception):
    """No formula of this grammar."""


def spelling(text):
    """Operators in ASCII, no white space, lower case."""
    text = "".join(SYMBOLS.get(letter, letter) for letter in text)
    text = re.sub(r"(?i)\band\b", "&&", text)
    text = re.sub(r"(?i)\bor\b", "||", text)
    return re.sub(f"[{SPACE}]", "", text).lower()


def tokens(text):
    at, found, spaced = 0, [], True
    while at < len(text):
        token = TOKEN.match(text, at)
        if not token:
            raise Unreadable(text[at:])
        at = token.end()
        kind, word = token.lastgroup, token.group()
        if kind == "word" and word.lower() in WORDS:
            kind = WORDS[word.lower()]
        elif kind == "word" and word in ("U", "W", "R"):
            kind = "between"
        elif kind == "word" and (glued := GLUED.fullmatch(word)):
            found += [(letter, letter, spaced) for letter in glued[1]]
            kind, word = "word", glued[2]
        if kind != "space" and word:
            found.append((kind, word, spaced))
        spaced = kind == "space"
    return found + [("end", "", True)]


class Reader:
    """Descends through the precedences, loosest first."""

    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0

    def kind(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][0]

    def word(self, ahead):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1].lower()

    def take(self, kind):
        if self.kind() != kind:
            raise Unreadable(f"{kind} expected at {self.tokens[self.at:]}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def chain(self, kind, part):
        parts = [part()]
        while self.kind() == kind:
            self.take(kind)
            parts.append(part())
        return parts

    def whole(self):
        formula = self.iff()
        self.take("end")
        return formula

    def iff(self):
        parts = self.chain("iff", self.implies)
        return parts[0] if len(parts) == 1 else ("iff", *parts)

    def implies(self):
        left = self.either()
        if self.kind() != "implies":
            return left
        self.take("implies")
        return ("implies", left, self.implies())

    def either(self):
        return gathered("or", self.chain("or", self.both))

    def both(self):
        return gathered("and", self.chain("and", self.until))

    def until(self):
        loose = [self.begins_with_coalition()]
        parts, operators = [self.unary()], []
        while operator := self.between():
            operators.append(operator)
            loose.append(self.begins_with_coalition())
            parts.append(self.unary())
        if not operators:
            return parts[0]
        if len(set(operators)) > 1:
            raise Unreadable("a chain of different operators")
        # Where authors disagree about the grouping, the text is the same as itself only.
        return (operators[0], *zip(loose[:-1], parts), parts[-1])

    def between(self):
        kind, word, _ = self.tokens[self.at]
        if kind == "between" or kind == "word" and word.lower() in BETWEEN:
            self.at += 1
            return BETWEEN.get(word.lower(), word)
        return None

    def begins_with_coalition(self):
        ahead = 0
        while self.kind(ahead) in ("not", "X", "F", "G") or self.word(ahead) in BEFORE:
            ahead += 1
        return self.kind(ahead) in ("open", "dual")

    def unary(self):
        kind, word, _ = self.tokens[self.at]
        if kind == "not" and self.kind(1) == "word" and self.kind(2) == "compare":
            self.at += 1
            return ("loose not", self.comparison())
        if kind in ("not", "X", "F", "G"):
            self.at += 1
            return (kind, self.unary())
        if kind in ("open", "dual"):
            coalition = (kind, *self.agents({"open": "close", "dual": "undual"}[kind]))
            return ("coalition", coalition, self.unary())
        if kind == "word" and word.lower() in BEFORE and self.operand_follows():
            self.at += 1
            return (BEFORE[word.lower()], self.unary())
        if kind == "left":
            self.at += 1
            inner = self.iff()
            self.take("right")
            return inner
        return self.comparison()

    def operand_follows(self):
        begins = ("word", "left", "not", "X", "F", "G", "open", "dual", "true", "false")
        return self.kind(1) in begins and self.word(1) not in BETWEEN

    def agents(self, close):
        self.at += 1
        names = []
        while self.kind() != close:
            if names:
                self.take("comma")
            names.append(self.take("word").lower())
        self.at += 1
        return names

    def comparison(self):
        left = self.term()
        if self.kind() != "compare":
            return left
        return ("compare", self.take("compare"), left, self.term())

    def term(self):
        for constant in ("true", "false"):
            if self.kind() == constant:
                self.at += 1
                return ("atom", constant)
        name = self.take("word").lower()
        if self.kind() != "left" or self.tokens[self.at][2]:
            return ("atom", name)
        self.at += 1
        arguments = self.chain("comma", self.term)
        self.take("right")
        return ("atom", name, *arguments)


def gathered(operator, parts):
    """Operands of one operator in an order of their own, however they were grouped."""
    if len(parts) == 1:
        return parts[0]
    flat = []
    for part in parts:
        flat += part[1:] if part[0] == operator else [part]
    return (operator, *sorted(flat, key=repr))


def read(text):
    try:
        return Reader(text).whole()
    except Unreadable:
        return None


# Spellings that no prose has which can be read as a formula: all but words, letters and & | ~.
SIGN = re.compile(r"<<|⟨⟨|⟪|\[\[|&&|/\\|∧|\|\||\\/|∨|!(?!=)|¬|->|=>|[→⇒⟶⟹↔⇔⟷⟺○◯◇◊⋄□◻⊤⊥]")
LETTER = re.compile(r"(?<![\w.'-])([XFG]+(?=[\s(!~¬<\[⟨⟪○◇□])|[UWR])(?![\w'])")


def looks(text):
    """What a gold says of itself: other, plain, temporal or marked."""
    if read(text) is None:
        lines = [line for line in re.split(r"\r?\n", text) if line.strip()]
        if len(lines) < 2:
            return {"other"}
        return set().union(*({"other"} if read(line) is None else looks(line) for line in lines))
    return {"marked" if SIGN.search(text) else "temporal" if LETTER.search(text) else "plain"}


def formulas(texts):
    """Whether golds are formulas: all can be read, and they show that they are meant so."""
    found = set().union(*(looks(text) for text in texts if text.strip())) if texts else set()
    return "other" not in found and ("marked" in found or found == {"temporal"})
