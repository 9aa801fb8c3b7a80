#!/usr/bin/env python3
"""Random samples and outputs that try to break an evaluator of `flight-dimensions`.

    python3 dimensions_cases.py --seed N --count K --out DIR

DIR receives samples.jsonl and outputs.jsonl. Errors against the truth, differences of
instruments, bends and jumps lie at the protocol's bounds and a hair on either side of them;
fields are missing, null, words, of the wrong shape or huge; gold and current state are missing
in part or altogether. The same seed gives the same bytes.
"""

import argparse
import json
import os
import random

from flight_protocol import HORIZON, NAME
from make_cases import World, around, object_text, pairs_of, text_without_object, wrap

MODELS = {"good": 0.0, "fair": 0.3, "nasty": 1.0, "Модель Ω": 1.0}
ERRORS = {"ias": (0.5, 1.0, 2.0, 5.0), "gps_alt": (1.0, 3.0, 5.0, 10.0, 200.0),
          "vs": (50.0, 100.0, 200.0, 500.0, 1000.0)}
BENDS = {"vs": 10.0, "pitch": 2.0, "roll": 2.0}
RANGES = {"ias": (0.0, 500.0), "gps_alt": (-1000.0, 60000.0), "vs": (-10000.0, 10000.0), "pitch": (-90.0, 90.0),
          "roll": (-180.0, 180.0), "heading": (0.0, 360.0)}
JUMPS = {"ias": 50.0, "gps_alt": 5000.0, "vs": 3000.0, "pitch": 30.0, "roll": 60.0, "heading": 30.0}


def truth_of(rng, world, horizon):
    """True states, of which what D4 looks at are often round numbers, so that errors are exact."""
    states = [world.step() for _ in range(horizon or 1)]
    if rng.random() < 0.7:
        for state in states:
            state["ias"] = rng.choice([90.0, 64.0, 0.5, 1.0, 0.0, 49.0, 50.0, 151.0, 160.0, -0.25, 2.0])
            state["gps_alt"] = rng.choice([3000.0, 499.0, 500.0, 400.0, 0.0, -8.0])
            state["vs"] = rng.choice([0.0, 100.0, -2000.0, -2001.0, -3000.0])
            state["baro"] = state["gps_alt"]
    return states


def spoilt(rng, truth, state):
    """A prediction: the truth, with something at a bound."""
    s = dict(truth)
    kind = rng.randrange(12)
    if kind < 4:
        alias = rng.choice(list(ERRORS))
        s[alias] = truth[alias] + rng.choice([-1, 1]) * around(rng, rng.choice(ERRORS[alias]))
    elif kind == 4:
        s["ias"] = rng.choice([around(rng, 100.0), 110.0, 99.0, truth["ias"] * 1.5, truth["ias"] + 0.3])
    elif kind == 5:
        s["baro"] = 2000.0
        s["gps_alt"] = 2000 + rng.choice([-1, 1]) * around(rng, rng.choice([300.0, 500.0]))
    elif kind == 6:
        s["ve"] = s["vn"] = 0.0
        s["gs"] = around(rng, rng.choice([3.0, 10.0]))
    elif kind == 7:
        s["roll"] = rng.choice([-1, 1]) * around(rng, 60.0)
        s["vs"] = state.get("vs", 0.0) + rng.choice([-1, 1]) * around(rng, 2000.0)
    elif kind == 8:
        alias = rng.choice(list(RANGES))
        lo, hi = RANGES[alias]
        s[alias] = around(rng, rng.choice([lo, hi, lo - (hi - lo) / 2, hi + (hi - lo) / 2]))
    elif kind == 9:
        alias = rng.choice(list(JUMPS))
        s[alias] = around(rng, state.get(alias, 0.0) + rng.choice([-1, 1]) * JUMPS[alias] * rng.choice([1, 1.5]))
    elif kind == 10:
        s[rng.choice(["heading", "track"])] = rng.choice([0.0, 360.0, 359.5, 0.5, -0.0, 180.0, 719.0])
    else:
        s[rng.choice(list(s))] = rng.choice([-1, 1]) * rng.choice([1e9, 1e154, 1e300, 1.7e308])
    return s


def bent(rng, states):
    """Three seconds whose bend lies at a bound."""
    alias = rng.choice(list(BENDS))
    start, slope = float(rng.randrange(-4, 4)), float(rng.randrange(-3, 4))
    bend = rng.choice([-1, 1]) * around(rng, BENDS[alias] * rng.choice([1, 2]))
    for state, x in zip(states, (start, start + slope, start + 2 * slope + bend)):
        state[alias] = x


def sample_row(rng, ident, task, truth, state):
    horizon = HORIZON[task]
    row = {"sample_id": ident, "task_id": task, "context": {}}
    gold = {NAME[a]: truth[0][a] if horizon is None else [s[a] for s in truth] for a in NAME}
    for name in rng.sample(list(gold), rng.choice([0, 0, 0, 0, 1, 3, 18])):
        if horizon is not None and rng.random() < 0.5:
            gold[name] = [*gold[name][:2], rng.choice([None, "x", "5"])]
        elif rng.random() < 0.5:
            del gold[name]
        else:
            gold[name] = rng.choice([None, "x", "12.5", [1], {}, True])
    if rng.random() < 0.9:
        row["gold"] = {"next_second": gold, "available": True}
    if state:
        shown = {NAME[a]: x for a, x in state.items()}
        for name in rng.sample(list(shown), rng.choice([0, 0, 1, 5])):
            shown[name] = rng.choice([None, "x", "12.5", True])
        row["context"]["current_state"] = shown
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    world = World(rng)
    os.makedirs(args.out, exist_ok=True)
    with open(f"{args.out}/samples.jsonl", "w", encoding="utf-8") as samples, \
            open(f"{args.out}/outputs.jsonl", "w", encoding="utf-8") as outputs:
        for index in range(args.count):
            task = rng.choice(list(HORIZON))
            horizon, ident = HORIZON[task], f"{task}_{index:03d}"
            state = world.step() if rng.random() < 0.85 else {}
            if state and rng.random() < 0.5:
                state["vs"], state["heading"] = 0.0, rng.choice([350.0, 10.0])
            truth = truth_of(rng, world, horizon)
            row = sample_row(rng, ident, task, truth, state)
            samples.write(json.dumps(row, ensure_ascii=False) + "\n")
            for model, nasty in MODELS.items():
                states = [dict(s) for s in truth]
                for i, true in enumerate(truth):
                    if rng.random() < 0.2 + 0.6 * nasty:
                        states[i] = spoilt(rng, true, state)
                if horizon is not None and rng.random() < 0.5:
                    bent(rng, states)
                text = object_text(rng, pairs_of(rng, task, states, True, nasty))
                if rng.random() < 0.06 * nasty:
                    text = text_without_object(rng)
                elif rng.random() < 0.3 * nasty:
                    text = wrap(rng, text)
                line = {"model_name": model, "sample_id": ident, "raw_response_text": text}
                outputs.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
