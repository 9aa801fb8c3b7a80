#!/usr/bin/env python3
"""Scores of episodes, worked out a second time from the contract.

    python3 episodes_oracle.py --episodes F --predictions F --mode coord|som [--milestones F] [--screen WxH]

Prints, under the keys of the eval file, all that follows from counting; the same for each
episode under the keys of its details; and which rows are refused, with the reason.
Standard library only; slow and plain on purpose.
"""

import argparse
import collections
import json
import math
import sys
from fractions import Fraction

from episodes_reading import (TARGETED, UNREADABLE, Refused, episode_of, milestone_of, named, on_screen, prediction_of,
                              rows_of)
from intervals import clustered

RADIUS = 0.05


def share(hits, n):
    return hits / n if n else None


def mean(values):
    """The exact sum, rounded once, over the number."""
    return float(sum(map(Fraction, values))) / len(values) if values else None


def compare_step(gold, action, mode):
    """One recorded step against the action predicted for it, None if there is none."""
    unreadable = action is UNREADABLE
    same = action is not None and action.type == gold.type
    error = hit = in_box = element = None
    if gold.type in TARGETED[mode] and mode == "coord":
        point = action and action.point
        if gold.point and point:
            error = math.sqrt((point[0] - gold.point[0]) ** 2 + (point[1] - gold.point[1]) ** 2)
            # Nothing outside the screen is hit, however near.
            hit = error < RADIUS and on_screen(point)
        if gold.box:
            left, top, right, bottom = gold.box
            in_box = bool(point) and on_screen(point) and left <= point[0] <= right and top <= point[1] <= bottom
    elif gold.type in TARGETED[mode] and gold.element is not None:
        element = action is not None and action.element == gold.element
    # A target is a point, else a box, or a mark.
    aimed = gold.type in TARGETED[mode]
    wanted = hit if aimed and gold.point else in_box if aimed and gold.box else element
    has_target = aimed and (gold.point or gold.box or gold.element is not None)
    return {"gold_type": gold.type, "predicted_type": action and action.type, "unreadable": unreadable,
            "outside": bool(gold.type in TARGETED[mode] and (gold.point or gold.box) and action and action.point
                            and not on_screen(action.point)),
            "type_match": same,
            "full": same and (bool(wanted) if has_target else True),
            "coord_error": error, "hit": hit, "bbox_hit": in_box, "element_hit": element}


class Predicted:
    """What was predicted for one episode; what came first counts."""

    def __init__(self):
        self.steps, self.whole = {}, False

    def add(self, at, steps):
        if self.whole or at is None and self.steps:
            raise Refused("duplicate_prediction")
        if at in self.steps:
            raise Refused("duplicate_step")
        self.whole = at is None
        self.steps.update(enumerate(steps, at or 0))


def reached(milestone, gold, steps):
    at, name, threshold = milestone
    step = steps.get(at)
    if step is None or step["gold_type"] != name or step["predicted_type"] != name:
        return False
    return threshold is None or step["coord_error"] is not None and step["coord_error"] < threshold


def compare_episode(name, gold, milestones, predicted, mode):
    """A line of the details."""
    actions = {at: action for at, (action, _) in predicted.steps.items() if action is not None}
    left_out = [at for at, action in enumerate(gold) if action is None]
    said = [success for at, (_, success) in sorted(predicted.steps.items()) if success is not None and at not in left_out]
    steps = {at: compare_step(action, actions.get(at), mode) for at, action in enumerate(gold) if action is not None}

    def count(key, value=True):
        return sum(step[key] == value for step in steps.values())

    def told(key):
        return sum(step[key] is not None for step in steps.values())

    n, errors = len(steps), [step["coord_error"] for step in steps.values() if step["coord_error"] is not None]
    return {
        "episode_id": name, "n_steps": n, "type_matches": count("type_match"), "full_steps": count("full"),
        "missing_steps": count("predicted_type", None) - count("unreadable"),
        "unreadable_steps": count("unreadable"), "extra_steps": sum(at >= len(gold) for at in actions),
        "progress": share(count("type_match"), n), "step_score": share(count("full"), n),
        "success": count("type_match") == n if n else None,
        "weak_success": all(reached(one, gold, steps) for one in milestones) if milestones else None,
        "state_success": said[-1] if said else None,
        "coord_error_sum": float(sum(map(Fraction, errors))) if errors else None, "coord_error_count": len(errors),
        "click_hits": count("hit"), "bbox_targets": told("bbox_hit"), "bbox_hits": count("bbox_hit"),
        "element_targets": told("element_hit"), "element_hits": count("element_hit"),
        "steps": [{"index": at, **{key: value for key, value in step.items() if key != "outside"}}
                  for at, step in steps.items()],
        "outside": count("outside"),
    }


class Scores:
    def __init__(self, arguments):
        self.files, self.mode = (arguments.episodes, arguments.predictions), arguments.mode
        self.screen = arguments.screen and [int(size) for size in arguments.screen.split("x")]
        self.refused, self.rows = [], collections.Counter()
        self.episodes, self.names, self.predicted = {}, set(), collections.defaultdict(Predicted)
        common = None
        if arguments.milestones:
            with open(arguments.milestones, encoding="utf-8") as file:
                common = [milestone_of(one) for one in json.load(file)]
        self.each(self.files[0], self.recorded)
        self.each(self.files[1], self.prediction)
        self.details = [
            compare_episode(name, steps, milestones if common is None else common, self.predicted[name], self.mode)
            for name, (steps, milestones) in self.episodes.items()]

    def each(self, path, use):
        for line, row in rows_of(path):
            self.rows[path] += 1
            try:
                use(row)
            except Refused as refusal:
                self.refused.append([path, line, str(refusal)])

    def recorded(self, row):
        name = named(row)
        seen = name in self.names
        self.names.add(name)
        episode = episode_of(row, self.mode, self.screen)
        if seen:
            raise Refused("duplicate_episode")
        self.episodes[name] = episode

    def prediction(self, row):
        name = named(row)
        at, steps = prediction_of(row, self.mode, self.screen)
        if name not in self.episodes:
            raise Refused("refused_episode" if name in self.names else "unknown_episode")
        self.predicted[name].add(at, steps)

    def total(self, key):
        return sum(one[key] or 0 for one in self.details)

    def told(self, key):
        return sum(one[key] is not None for one in self.details)

    def metrics(self):
        n, coord = self.total("n_steps"), self.mode == "coord"
        errors = [step["coord_error"] for one in self.details for step in one["steps"] if step["coord_error"] is not None]
        rates = {
            "action_type_accuracy": self.terms("type_matches", "n_steps"),
            "episode_success_rate": self.terms("success"),
            "click_hit_rate": self.terms("click_hits", "coord_error_count"),
            "bbox_hit_rate": self.terms("bbox_hits", "bbox_targets"),
            "weak_episode_success_rate": self.terms("weak_success"),
            "state_success_rate": self.terms("state_success"),
            "element_accuracy": self.terms("element_hits", "element_targets"),
        }
        assert coord and not self.total("element_targets") or not coord and not errors
        return {
            "num_episodes": len(self.details), "num_steps": n, "extra_steps": self.total("extra_steps"),
            "mean_coord_error": mean(errors), "coord_error_count": len(errors),
            "mean_episode_progress": mean([one["progress"] for one in self.details if one["n_steps"]]),
            "mean_episode_step_score": mean([one["step_score"] for one in self.details if one["n_steps"]]),
            **{name: share(*map(sum, zip(*of))) if of else None for name, of in rates.items()},
            **{f"{name}_ci": clustered(of) for name, of in rates.items()},
        }

    def terms(self, hits, of=None):
        """What every episode adds to a rate; of none it is one thing that is so, is not, or is not told."""
        if of is None:
            return [(int(one[hits]), 1) for one in self.details if one[hits] is not None]
        return [(one[hits] or 0, one[of] or 0) for one in self.details]

    def by_type(self):
        kinds = collections.defaultdict(list)
        for one in self.details:
            for name in {step["gold_type"] for step in one["steps"]}:
                kinds[name].append([step for step in one["steps"] if step["gold_type"] == name])
        return {name: type_metrics(kinds[name]) for name in sorted(kinds)}

    def counts(self):
        left_out = sum(steps.count(None) for steps, _ in self.episodes.values())
        return {
            "episodes": len(self.details), "episodes_with_steps": self.told("success"),
            "episodes_without_predictions": sum(not self.has_rows(name) for name in self.episodes),
            "successful_episodes": self.total("success"), "episodes_with_milestones": self.told("weak_success"),
            "weakly_successful_episodes": self.total("weak_success"), "episodes_with_state": self.told("state_success"),
            "state_successes": self.total("state_success"), "steps": self.total("n_steps"), "left_out_steps": left_out,
            "coord_errors": self.total("coord_error_count"), "points_outside": self.total("outside"),
            "steps_without_index": sum(action.type in TARGETED["som"] and action.element is None
                                       for steps, _ in self.episodes.values() for action in steps
                                       if action and self.mode == "som"),
            **{key: self.total(key) for key in ("missing_steps", "unreadable_steps", "extra_steps", "type_matches", "full_steps", "click_hits",
                                                "bbox_targets", "bbox_hits", "element_targets", "element_hits")},
        }

    def has_rows(self, name):
        return self.predicted[name].whole or bool(self.predicted[name].steps)

    def inputs(self):
        rejects = collections.Counter(path for path, _, _ in self.refused)
        return {what: {"inputs": self.rows[path], "records": self.rows[path] - rejects[path], "rejects": rejects[path]}
                for what, path in zip(("episodes", "predictions"), self.files)}


def type_metrics(episodes):
    """The metrics of one type, from its steps in every episode that has any."""
    steps = [step for one in episodes for step in one]

    def told(key, steps=steps):
        return [step[key] for step in steps if step[key] is not None]

    rates = {"action_type_accuracy": "type_match", "step_score": "full", "click_hit_rate": "hit",
             "bbox_hit_rate": "bbox_hit", "element_accuracy": "element_hit"}
    terms = {name: [(sum(told(key, one)), len(told(key, one))) for one in episodes] for name, key in rates.items()}
    return {"num_steps": len(steps),
            "mean_coord_error": mean(told("coord_error")), "coord_error_count": len(told("coord_error")),
            **{name: share(sum(told(key)), len(told(key))) for name, key in rates.items()},
            **{f"{name}_ci": clustered(of) for name, of in terms.items()}}


def scored(arguments):
    """All that is said about the files that the arguments name."""
    parser = argparse.ArgumentParser()
    for name in ("episodes", "predictions", "mode", "milestones", "screen"):
        parser.add_argument(f"--{name}")
    scores = Scores(parser.parse_args(arguments))
    return {"eval": {"dsl_mode": scores.mode, "metrics": scores.metrics(), "metrics_by_action_type": scores.by_type(),
                     "counts": scores.counts(), "inputs": scores.inputs()},
            "details": [{key: value for key, value in one.items() if key != "outside"} for one in scores.details],
            "refused": sorted(scores.refused)}


if __name__ == "__main__":
    print(json.dumps(scored(sys.argv[1:])))
