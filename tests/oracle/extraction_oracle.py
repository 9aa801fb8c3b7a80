"""What `judica eval --protocol extraction` should find, from the protocol file and the design
alone: kinds, nulls, matched lists, scaled errors, rules.

extraction_oracle.py cases SAMPLES OUTPUTS   writes hostile answers to the samples
extraction_oracle.py check SAMPLES OUTPUTS RECORDS CSV PROTOCOL   prints what differs
"""
import csv
import datetime
import itertools
import json
import math
import random
import re
import sys
import tomllib
from collections import Counter

BAD = object()
GARBAGE = [None, "", "N/A", "x", 0, -1, 1.5, 2000000, True, [], [1], ["a", "a"], {}, {"a": [{}]},
           "2023-02-29", "2024-02-29", "20240229", "1999-12-31", "yes", "no", "eur", "EUR", "€",
           "HIGH", "high", "12", "AB-123456", [{}], [None], "[]", float("nan")]


def cases(samples, out):
    draw = random.Random(17)
    with open(out, "w") as file:
        for n, line in enumerate(open(samples)):
            sample = json.loads(line)
            for m in range(12):
                answer = json.loads(json.dumps(sample["gold"]))
                for _ in range(draw.choice([0, 1, 1, 2, 3])):
                    key = draw.choice(list(answer) or ["total"])
                    way = draw.randrange(6)
                    if way == 0:
                        answer.pop(key, None)
                    elif way == 1:
                        answer["extra"] = 1
                    elif way in (2, 3) and isinstance(answer.get("lines"), list) and answer["lines"]:
                        lines = answer["lines"]
                        one = draw.choice(lines)
                        do = draw.randrange(5)
                        if do == 0:
                            draw.shuffle(lines)
                        elif do == 1:
                            lines.remove(one)
                        elif do == 2:
                            lines.append(dict(one) if isinstance(one, dict) else one)
                        elif isinstance(one, dict) and one:
                            one[draw.choice(list(one))] = draw.choice([1, 3, 9.5, "Copy paper", "lamp", "7"])
                    else:
                        answer[key] = draw.choice(GARBAGE)
                text = json.dumps(answer, ensure_ascii=draw.random() < 0.5)
                if m == 10:
                    text = "Here:\n```json\n" + text + "\n```"
                if m == 11:
                    text = "I think " + text + " is right"
                row = {"model": f"m{m}", "id": sample["sample_id"], "response": text}
                file.write(json.dumps(row) + "\n")


def date(text):
    if not isinstance(text, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d|\d{8}", text):
        return None
    digits = text.replace("-", "")
    try:
        return datetime.date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).toordinal()
    except ValueError:
        return None


def scalar(field, value):
    """The value as its kind, None for null, BAD for what it cannot be."""
    kind = field.get("of", field.get("kind", "linear"))
    if value is None:
        return None
    if kind in ("linear", "integer"):
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                return BAD
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return BAD
        if kind == "integer" and value != int(value):
            return BAD
        if "/*/" in field.get("at", "") and not field["limit"][0] <= value <= field["limit"][1]:
            return BAD
        return float(value)
    if kind == "text":
        if not isinstance(value, str) or not re.search(field.get("pattern", ""), value):
            return BAD
        fits = field.get("min_length", 0) <= len(value) <= field.get("max_length", math.inf)
        return value if fits else BAD
    if kind == "enum":
        value = field.get("aliases", {}).get(value, value) if isinstance(value, str) else value
        return value if value in field["values"] and isinstance(value, str) else BAD
    if kind == "boolean":
        for truth in (True, False):
            if value is truth or (isinstance(value, str) and value in field["spellings"][str(truth).lower()]):
                return truth
        return BAD
    day = date(value)
    early, late = date(field.get("earliest")), date(field.get("latest"))
    if day is None or (early and day < early) or (late and day > late):
        return BAD
    return day


def read(fields, answer):
    """Per field: its state (missing, null, shape, bad, ok) and its value."""
    found = {}
    for field in fields:
        name = field["name"]
        if "at" in field:
            key = field["at"].split("/")[-1]
            lines = answer.get("lines", BAD)
            if isinstance(lines, str):
                try:
                    inner = json.loads(lines)
                    lines = inner if isinstance(inner, (list, dict)) else lines
                except ValueError:
                    pass
            if "lines" not in answer:
                found[name] = ("missing", None)
            elif lines is None:
                found[name] = ("null", None)
            elif not isinstance(lines, list):
                found[name] = ("shape", None)
            else:
                items, state = [], "ok"
                for line in lines:
                    if isinstance(line, dict):
                        value = scalar(field, line[key]) if key in line else None
                    else:
                        value = None
                        state = state if line is None else "shape"
                    if value is None or value is BAD:
                        state = "bad" if state == "ok" else state
                    items.append(None if value is BAD else value)
                found[name] = (state, items)
            continue
        value = answer.get(name, BAD)
        if value is BAD:
            found[name] = ("missing", None)
        elif value is None:
            found[name] = ("null", None)
        elif isinstance(value, list) != (field.get("kind") == "list"):
            found[name] = ("shape", None)
        elif isinstance(value, list):
            items = [scalar(field, item) for item in value]
            state = "bad" if any(item is None or item is BAD for item in items) else "ok"
            if state == "ok" and (len(items) > field["max_items"] or len(set(items)) < len(items)):
                state = "shape"
            found[name] = (state, [None if item is BAD else item for item in items])
        else:
            value = scalar(field, value)
            found[name] = ("bad", None) if value is BAD else ("ok", value)
    return found


def tokens(text):
    return Counter(re.findall(r"\w+", text.lower()))


def element(field, said, truth):
    if said is None or truth is None:
        return float((said is None) != (truth is None))
    kind = field.get("of", field.get("kind", "linear"))
    if kind in ("linear", "integer", "date"):
        return min(1.0, abs(said - truth) / field["scale"])
    if kind == "enum" and field.get("order"):
        place = field["values"].index
        return abs(place(said) - place(truth)) / (len(field["values"]) - 1)
    if field.get("compare") == "token_f1":
        a, b = tokens(said), tokens(truth)
        both = sum((a & b).values())
        return 1 - (2 * both / (sum(a.values()) + sum(b.values())) if a or b else 1.0)
    if field.get("compare") == "text":
        clean = lambda text: " ".join(text.lower().split())
        return float(clean(said) != clean(truth))
    return float(said != truth)


def compare(fields, answer, gold):
    """Per field (error, right, given, wanted), or nothing where the gold says nothing."""
    found = {}
    objects = [field for field in fields if "at" in field]
    sides = [max(len(side[f["name"]][1] or []) for f in objects) for side in (answer, gold)]
    at = lambda side, f, i: (side[f["name"]][1] or [])[i] if i < len(side[f["name"]][1] or []) else None
    cost = lambda i, j: sum(element(f, at(answer, f, i), at(gold, f, j)) for f in objects)
    small, large = min(sides), max(sides)
    best = None
    for chosen in itertools.permutations(range(large), small):
        pairs = [(i, j) if sides[0] == small else (j, i) for i, j in enumerate(chosen)]
        total = sum(cost(i, j) for i, j in pairs)
        if best is None or total < best[0] - 1e-12:
            best = (total, pairs)
    for field in fields:
        name = field["name"]
        if gold[name][0] == "missing":
            continue
        said, truth = answer[name][1], gold[name][1]
        if "at" in field:
            errors = [(element(field, at(answer, field, i), at(gold, field, j)), at(gold, field, j)) for i, j in best[1]]
            alike = sum(1 - error for error, _ in errors)
            right = sum(error == 0 and value is not None for error, value in errors)
            error = 1 - (2 * alike / sum(sides) if sum(sides) else 1.0)
            count = lambda items: sum(item is not None for item in items or [])
            found[name] = (error, right, count(said), count(truth))
        elif field.get("kind") == "list":
            if said is None:
                found[name] = (1.0, 0, 0, len(truth))
                continue
            bag = lambda items: Counter(" ".join(i.lower().split()) for i in items if i is not None)
            right = sum((bag(said) & bag(truth)).values())
            both = len(said) + len(truth)
            found[name] = (1 - (2 * right / both if both else 1.0), right, len(said), len(truth))
        else:
            error = element(field, said, truth)
            # What is not of its kind is no null, either: it was invented.
            if answer[name][0] in ("bad", "shape"):
                error = 1.0
            here = said is not None
            found[name] = (error, here and truth is not None and error == 0, here, truth is not None)
    return found


def failures(protocol, answer, raw):
    """The failed atoms: (family, field, severity)."""
    failed = Counter()
    fields = {field["name"]: field for field in protocol["field"]}
    for name, field in fields.items():
        state = answer[name][0]
        family = "numeric_validity" if name == "total" else "type_validity"
        fine = state == "ok" or (state == "missing" and not field.get("required", True))
        # Null is an answer of a field that may also be left out.
        nullable = field.get("nullable", not field.get("required", True))
        if not fine and not (state == "null" and nullable):
            failed[family, name, "critical"] += 1
    known = {field.get("at", "/" + name).split("/")[1] for name, field in fields.items()}
    inside = {"description", "quantity", "price"}
    lines = raw.get("lines") if isinstance(raw.get("lines"), list) else []
    if set(raw) - known or any(isinstance(line, dict) and set(line) - inside for line in lines):
        failed["type_validity", "", "warning"] += 1
    ok = lambda *names: all(answer[name][0] == "ok" for name in names)
    total = answer["total"][1]
    if ok("total") and not 0 <= total <= 1e6:
        away = max(-total, total - 1e6) / 1e6
        failed["range_sanity", "total", "critical" if away > 0.5 else "warning"] += 1
    if ok("total", "line quantity", "line price"):
        value = abs(total - sum(q * p for q, p in zip(answer["line quantity"][1], answer["line price"][1])))
        if value > 0.01:
            failed["consistency", "", "critical" if value > 1000 else "warning"] += 1
    if ok("issued", "due"):
        days = answer["due"][1] - answer["issued"][1]
        if days < 0:
            failed["plausibility", "", "critical"] += 1
        if days > 365:
            failed["plausibility", "", "critical" if days > 3650 else "warning"] += 1
    if ok("vendor"):
        vendor = answer["vendor"][1]
        if vendor.lower() in ("n/a", "unknown", "none", "vendor"):
            failed["plausibility", "", "critical"] += 1
        elif not re.search("[A-Za-zÀ-ÿ]", vendor):
            failed["plausibility", "", "warning"] += 1
    return failed


def curve(points, x):
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[-1][1]


def check(samples, outputs, records, table, file):
    protocol = tomllib.load(open(file, "rb"))
    fields, wrong = protocol["field"], []
    gold = {row["sample_id"]: row["gold"] for row in map(json.loads, open(samples))}
    rows = zip(map(json.loads, open(outputs)), map(json.loads, open(records)), csv.DictReader(open(table)))
    count = 0
    for output, record, flat in rows:
        text = output["response"]
        raw = json.JSONDecoder().raw_decode(text[text.index("{"):])[0]
        answer, truth = read(fields, raw), read(fields, gold[output["id"]])
        said = lambda what, mine, theirs: mine == theirs or wrong.append((output["id"], output["model"], what, mine, theirs, text[:400]))
        failed = failures(protocol, answer, raw)
        theirs = Counter()
        for atom in record["evidence_pack"]["atoms"]:
            if not atom["pass"]:
                family = atom["rule"].split(".")[0]
                own = family in ("numeric_validity", "type_validity", "range_sanity") and not atom["rule"].endswith("extra_keys")
                theirs[family, atom["field"] if own else "", atom["severity"]] += 1
        said("failed", failed, theirs)
        eligible = not any(severity == "critical" for _, _, severity in failed)
        said("eligible", eligible, record["agent_output"]["adjudication"] == "eligible")
        compared = compare(fields, answer, truth)
        near = lambda what, mine: said(what, None if mine is None else round(mine, 9), round(float(flat[what]), 9) if flat[what] else None)
        for field in fields:
            _, right, given, wanted = compared.get(field["name"], (0, 0, 0, 0))
            alias = field.get("alias", field["name"])
            # The design leaves open whether what is not of its kind was given.
            if answer[field["name"]][0] not in ("bad", "shape"):
                near("precision_" + alias, right / given if given else None)
            near("recall_" + alias, right / wanted if wanted else None)
        near("wholly_right", float(all(error == 0 for error, *_ in compared.values())))
        if eligible:
            weights = {field["name"]: field.get("weight", 1) for field in fields}
            whole = sum(weights[name] for name in compared)
            mae = sum(weights[name] * c[0] for name, c in compared.items()) / whole
            rmse = math.sqrt(sum(weights[name] * c[0] ** 2 for name, c in compared.items()) / whole)
            near("mae", mae)
            near("rmse", rmse)
            scores = protocol["scores"]
            near("error", scores["mae_weight"] * curve(scores["mae_curve"], mae) + scores["rmse_weight"] * curve(scores["rmse_curve"], rmse))
        count += 1
    for one in wrong[:20]:
        print(*one, sep=" | ")
    print(f"{count} records, {len(wrong)} differences")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit({"cases": cases, "check": check}[sys.argv[1]](*sys.argv[2:]))
