#!/usr/bin/env python3
"""Random recorded episodes and what an agent predicted for them.

    python3 episodes_cases.py --seeds FROM TO --episodes FEWEST MOST

For every seed, a folder of that name receives e.jsonl and p.jsonl and, for some seeds,
m.json; printed are the options that go with them, and what the oracle says in either mode.
The same seed gives the same bytes. Targets are given in every form, and
predictions as whole episodes or step by step, in any order; clicks land 0.05 away and on
the edges of boxes; steps are missing, left out and too many; rows are wrong in every way.
"""

import argparse
import json
import os
import random
from pathlib import Path

from episodes_oracle import scored

TYPES = ["click", "click", "click", "drag", "type", "type", "scroll", "done", "wait", "Zap", "öffnen", " CLICK "]
MARKS = [0, 1, 2, 3, 3.0, "3", " 3 ", "ok", "btn-1", -1]
SCREEN = (1000, 500)
BAD_ROWS = ["nonsense", "{", "[]", "3", "null", '{"episode_id":null,"steps":[]}', '{"steps":[]}',
            '{"episode_id":["a"],"steps":[]}', '{"episode_id":"cut","steps":[]']
BAD_ACTIONS = [{}, {"type": 3}, {"type": " "}, {"type": None}, [], {"type": "click", "x": -0.1, "y": 0.5},
               {"type": "click", "x": 1.0000001, "y": 0.5}, {"type": "click", "x": 5000, "y": 5000},
               {"type": "click", "x": 0.5}, {"type": "click", "normalized_coordinates": [0.5]},
               {"type": "click", "normalized_coordinates": [0.5, None]}, {"type": "drag", "x": "0.5", "y": 0.5},
               {"type": "click", "x": True, "y": 0.5}, {"type": "done", "normalized_coordinates": [0.5, 7]},
               {"type": "click", "bbox": [0.6, 0.1, 0.4, 0.2]}, {"type": "click", "bbox": [0.1, 0.2, 0.4, 0.1]},
               {"type": "click", "bbox": [0.1, 0.2, 0.4]}, {"type": "click", "bbox": [0, 0, 0.5, 1.5]},
               {"type": "click", "element": {"bounds": {"x": 0.5, "y": 0.5, "width": -0.1, "height": 0.1}}},
               {"type": "click", "element": {"bounds": {"x": 0.5, "y": 0.5, "width": 0.6, "height": 0.1}}},
               {"type": "click", "element": {"bounds": {"x": 0.5, "y": 0.5, "width": 0.1}}},
               {"type": "click", "element": 7}, {"type": "click", "element_index": 1.5},
               {"type": "type", "element_index": [1]}, {"type": "drag", "element": {"element_id": True}},
               "CLICK(0.5, 0.5)", 7, {"type": "click", "x": float("nan"), "y": 0.5}, {"type": "click", "x": 1e300, "y": 0},
               {"type": "click", "x": float("inf"), "y": 0.5}, {"type": "done", "x": "here", "y": 0.5},
               {"type": "click", "x": [0.5], "y": 0.5, "element_index": 1}]
BAD_MILESTONES = [{}, None, {"step_index": 0}, {"type": "click"}, {"step_index": -1, "type": "click"},
                  {"step_index": 0.5, "type": "click"}, {"step_index": 0, "type": "click", "coord_threshold": 0},
                  {"step_index": "0", "type": "click"}, 3]


class Maker:
    def __init__(self, seed, episodes):
        self.random = random.Random(seed)
        self.skill = self.random.choice([0.0, 0.5, 0.9, 1.0])
        self.wrong = self.random.choice([0, 0, 0.1, 0.3])
        self.pixels = self.random.random() < 0.2
        self.names = [self.random.choice([f"e{at}", f"é {at}", f"\"{at}\\", at, f"e{at}\n"]) for at in range(episodes)]
        self.marked = self.random.choice([0, 0.5, 1])

    def chance(self, probability):
        return self.random.random() < probability

    def grid(self):
        """Some numbers with few digits, so that distances of 0.05 are common."""
        pick = self.random.choice([self.random.random(), self.random.randint(0, 20) / 20, self.random.randint(0, 100) / 100])
        return self.random.choice([pick, pick, pick, 0, 1])

    def shown(self, pair):
        """A point or a box as it is written."""
        if not self.pixels or self.chance(0.3):
            return list(pair)
        return [round(value * SCREEN[at % 2]) for at, value in enumerate(pair)]

    def point(self, action, x, y):
        form = self.random.choice(["xy", "xy", "list", "both", "null"])
        if form == "list":
            action["normalized_coordinates"] = [x, y]
        else:
            action["x"], action["y"] = self.shown([x, y])
        if form == "both":
            action["normalized_coordinates"] = [y, x]
        if form == "null":
            action["normalized_coordinates"] = None

    def gold(self):
        action = {"type": self.random.choice(TYPES)}
        if self.chance(0.8):
            self.point(action, self.grid(), self.grid())
        if self.chance(0.5):
            x0, x1 = sorted([self.grid(), self.grid() + self.random.choice([0, 0, 0, 0.1])])
            y0, y1 = sorted([self.grid(), self.grid()])
            if self.chance(0.5):
                action["bbox"] = self.shown([x0, y0, x1, y1])
            if self.chance(0.5):
                x, y, width, height = self.shown([x0, y0, x1 - x0, y1 - y0])
                action["element"] = {"bounds": {"x": x, "y": y, "width": width, "height": height}}
        if self.chance(0.6):
            if self.chance(0.7):
                action["element_index"] = self.random.choice([*MARKS, None])
            if self.chance(0.5):
                action.setdefault("element", {})["element_id"] = self.random.choice([*MARKS, None, ""])
        if self.chance(0.2):
            # As another recorder writes it; what it keeps as it came may be anything.
            action["raw"] = self.random.choice([None, "click", {}, {"bbox": [0.1, 0.1, 1.2, 0.9], "element_index": 4},
                                                {"bbox": "all", "element_index": True}, {"element_index": "2"}])
        if self.chance(0.2):
            action["coordinates"] = self.random.choice([None, [0.5, 0.5], [480, 270], "there", [1]])
        if self.chance(0.3):
            action["text"] = self.random.choice(["hi", "", "\u0000", 5, None])
        return action

    def near(self, value):
        step = self.random.choice([0, 0.05, -0.05, 0.04, 0.03, 0.1, 0.049999, 0.0500001, 0.3, 0.2])
        near = self.random.choice([value + step, round(value + step, 4)])
        # Now and then a model aims at nothing on the screen.
        return near if self.chance(0.1) else min(1, max(0, near))

    def prediction(self, gold):
        if self.chance(0.05):
            return None
        action = {"type": gold["type"] if self.chance(self.skill) else self.random.choice(TYPES)}
        box = gold.get("bbox") or [0.5, 0.5, 0.5, 0.5]
        if max(box) > 1:
            box = [value / SCREEN[at % 2] for at, value in enumerate(box)]
        center = gold.get("normalized_coordinates") or [gold.get("x", 0.5), gold.get("y", 0.5)]
        if max(center) > 1:
            center = [center[0] / SCREEN[0], center[1] / SCREEN[1]]
        if self.chance(0.85):
            where = self.random.choice(["near", "near", "edge"])
            x, y = (self.near(center[0]), self.near(center[1])) if where == "near" else \
                (self.random.choice([box[0], box[2]]), self.random.choice([box[1], box[3], (box[1] + box[3]) / 2]))
            self.point(action, x, y)
        if self.chance(0.7):
            action["element_index"] = gold.get("element_index") if self.chance(self.skill) else self.random.choice(MARKS)
        elif self.chance(0.5):
            action["element"] = {"element_id": self.random.choice(MARKS), "bounds": "not looked at"}
        return action

    def state(self):
        return self.random.choice([None, {}, {"success": True}, {"success": False}, {"success": "yes"}, {"success": None},
                                   {"success": 1}, [True], {"success": True, "more": {"success": False}}])

    def milestones(self, steps, some):
        listed = []
        for _ in range(self.random.randint(0 if some else 1, 3)):
            at = self.random.randint(0, max(0, len(steps)))
            name = steps[at]["action"]["type"] if at < len(steps) and self.chance(0.8) else "click"
            listed.append({"name": f"m{at}", "step_index": at, "type": name if self.chance(0.9) else "wait",
                           **({"coord_threshold": self.random.choice([0.05, 0.1, 1e-9, 2, None])} if self.chance(0.5) else {})})
        return listed

    def episode(self, name):
        steps = []
        for _ in range(self.random.choice([0, 1, 1, 2, 3, 5, 8])):
            step = {"action": self.gold()}
            if self.chance(0.3):
                step["has_screenshot"] = self.random.choice([True, False, False, None])
            if self.chance(0.2):
                step["observation"] = self.random.choice([{"screenshot_path": "a.png"}, {"screenshot_path": None}, {}, None])
            steps.append(step)
        row = {"episode_id": name, "goal": self.random.choice(["log in", "", None]), "steps": steps,
               "success": self.random.choice([True, False, None])}
        if self.chance(self.marked):
            row["milestones"] = self.milestones(steps, True)
        return row

    def predicted(self, row):
        """The rows for one episode."""
        steps = row["steps"]
        actions = [self.prediction(step["action"]) for step in steps]
        form = self.random.choice(["whole", "whole", "steps", "steps", "none"])
        if form == "none":
            return []
        cut = self.random.choice([len(actions)] * 3 + [self.random.randint(0, len(actions))])
        actions = actions[:cut]
        if self.chance(0.2):
            actions += [self.prediction({"type": "done"}) for _ in range(len(steps) + 2 - cut)]
        made = [{"action": action, **({"state": self.state()} if self.chance(0.4) else {})} for action in actions]
        if form == "whole":
            rows = [{"episode_id": row["episode_id"], "steps": [None if self.chance(0.02) else step for step in made]}]
        else:
            rows = [{"episode_id": row["episode_id"], "step_index": at, **step} for at, step in enumerate(made)
                    if self.chance(0.9)]
        if rows and self.chance(self.wrong):
            rows.append(self.random.choice(rows))
            if self.chance(0.5):
                rows.append({"episode_id": row["episode_id"], "steps": made})
                rows.append({"episode_id": row["episode_id"], "step_index": 0, "action": {"type": "click"}})
        return rows

    def spoil(self, rows, recorded):
        """Makes some rows wrong, each in one way, and adds some that are."""
        for at in range(len(rows)):
            if not self.chance(self.wrong):
                continue
            row = json.loads(json.dumps(rows[at]))
            way = self.random.choice(["action", "action", "milestone", "shape", "key"])
            if way == "action" and row.get("steps"):
                step = self.random.choice([step for step in row["steps"] if step] or [{}])
                step["action"] = self.random.choice(BAD_ACTIONS)
            elif way == "action" and "action" in row:
                row["action"] = self.random.choice(BAD_ACTIONS)
            elif way == "milestone" and recorded:
                row["milestones"] = [self.random.choice(BAD_MILESTONES)]
            elif way == "shape":
                row["steps"] = self.random.choice([None, {}, "x", [3], [{}]])
            elif way == "key":
                del row[self.random.choice(list(row))]
            rows[at] = row
        lines = [json.dumps(row, ensure_ascii=self.chance(0.5)) for row in rows]
        if self.wrong:
            lines += [self.random.choice(BAD_ROWS) for _ in range(self.random.randint(0, 3))]
            lines += [json.dumps({"episode_id": "nobody", "step_index": 0, "action": None})] * (not recorded)
            lines += self.random.sample(lines, min(1, len(lines)))
        return lines

    def write(self, folder):
        recorded = [self.episode(name) for name in self.names]
        predicted = [row for one in recorded for row in self.predicted(one)]
        self.random.shuffle(recorded)
        self.random.shuffle(predicted)
        options = []
        for name, lines in (("e", self.spoil(recorded, True)), ("p", self.spoil(predicted, False))):
            (folder / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        if self.chance(0.2):
            (folder / "m.json").write_text(json.dumps(self.milestones([], False)), encoding="utf-8")
            options.append("--milestones m.json")
        if self.pixels:
            options.append(f"--screen {SCREEN[0]}x{SCREEN[1]}")
        return " ".join(options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs=2, required=True)
    parser.add_argument("--episodes", type=int, nargs=2, required=True)
    arguments = parser.parse_args()
    (first, end), (fewest, most) = arguments.seeds, arguments.episodes
    cases = []
    for seed in range(first, end):
        folder = Path(str(seed))
        folder.mkdir()
        options = Maker(seed, fewest + seed % (most - fewest + 1)).write(folder)
        case = {"folder": folder.name, "options": options}
        os.chdir(folder)
        for mode in ("coord", "som"):
            case[mode] = scored(f"--episodes e.jsonl --predictions p.jsonl --mode {mode} {options}".split())
        os.chdir("..")
        cases.append(case)
    print(json.dumps(cases))


if __name__ == "__main__":
    main()
