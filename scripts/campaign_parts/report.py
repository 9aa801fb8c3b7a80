"""What a campaign found, for people: a table, the violations, and the same as Markdown."""

from collections import Counter, defaultdict

from .mutated import shown

CODES = [0, 1, 2, 3, 130]
PARTS = {"run": "Mutated runs", "kill": "Kills", "pair": "Concurrent pairs", "full": "Full disks"}


class Tally:
    def __init__(self):
        self.codes = defaultdict(Counter)
        self.runs = Counter()
        self.bad = Counter()
        self.violations = []

    def add(self, told):
        key = (told["part"], told["command"])
        self.runs[key] += 1
        for code in told.get("codes", [told.get("code")]):
            self.codes[key][code if code in CODES else "other"] += 1
        if told["found"]:
            self.bad[key] += 1
            self.violations.append(told)

    def rows(self, part):
        """A row for each command, and their sum."""
        keys = sorted(key for key in self.runs if key[0] == part)
        rows = [[key[1], self.runs[key], *[self.codes[key][code] for code in [*CODES, "other"]], self.bad[key]]
                for key in keys]
        return rows + [["all", *[sum(column) for column in list(zip(*rows))[1:]]]] if rows else []

    def heading(self, part):
        other = "signal" if part == "kill" else "other"
        return ["command", "runs", *[f"exit {code}" for code in CODES], other, "violations"]

    def table(self):
        text = []
        for part, title in PARTS.items():
            rows = [self.heading(part), *[[str(cell) for cell in row] for row in self.rows(part)]]
            if len(rows) == 1:
                continue
            widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
            text.append(title)
            for row in rows:
                cells = [row[0].ljust(widths[0]), *[cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]]
                text.append("  ".join(cells).rstrip())
            text.append("")
        return "\n".join(text)

    def markdown(self):
        text = []
        for part, title in PARTS.items():
            rows = list(self.rows(part))
            if not rows:
                continue
            heading = self.heading(part)
            text += [f"**{title}**", "", "| " + " | ".join(heading) + " |", "|---|" + "---:|" * (len(heading) - 1)]
            text += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
            text.append("")
        return "\n".join(text)

    def by_invariant(self):
        counts = Counter()
        for told in self.violations:
            for what in {what for what, _ in told["found"]}:
                counts[(what, told["part"], told["command"])] += 1
        return counts


def violation(told, options):
    """One violation with the command that repeats it."""
    lines = [f"{told['part']} {told['index']}: judica {shown(told['words'])}"]
    if told["notes"]:
        lines.append(f"  made of: {'; '.join(told['notes'])}")
    lines += [f"  {what}: {detail}" for what, detail in dict.fromkeys(map(tuple, told["found"]))]
    lines.append(f"  again: scripts/campaign {options} --replay {told['part']}:{told['index']}")
    return "\n".join(line.encode("utf-8", "replace").decode() for line in lines)
