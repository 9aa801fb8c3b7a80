"""Recorded episodes and predictions as the oracle of episodes reads them.

A recorded row with anything wrong in it is refused whole; a predicted one only if it cannot
be told what it is about. A predicted action that cannot be read is UNREADABLE. Coordinates
are in 0–1; with a size of the screen, a point with a value beyond 1, or a box with one
beyond 2 (it may reach over the edge), is in pixels. Without a size, such a recorded point
is refused, unless it stands under `coordinates`; like such a box it then counts for none.
"""

import collections
import json
import math
from pathlib import Path

TARGETED = {"coord": ("click", "drag"), "som": ("click", "drag", "type")}
Action = collections.namedtuple("Action", "type point box element")
UNREADABLE = Action(None, None, None, None)


class Refused(Exception):
    """A row that cannot be used."""


def rows_of(path):
    """Line number and row of each line; a line that is not JSON stays bytes."""
    for number, line in enumerate(Path(path).read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line.decode())
        except ValueError:
            yield number, line


def kind(value, wanted):
    """A value of the wanted kind, or None for null."""
    right = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if value is not None and not right:
        raise Refused("wrong_type")
    return value


def number(value):
    value = kind(value, (int, float))
    if value is not None and not math.isfinite(value):
        raise Refused("not_a_number")
    return value


def index(value):
    """A place in a list; null is none."""
    value = number(value)
    if value is not None and (value < 0 or value != int(value)):
        raise Refused("bad_index")
    return value if value is None else int(value)


def type_name(value):
    if not isinstance(value, str):
        raise Refused("wrong_type")
    if not value.strip():
        raise Refused("missing_type")
    return value.strip().lower()


def numbers(values, count):
    values = kind(values, list)
    if values is None:
        return None
    if any(value is None for value in map(number, values)):
        raise Refused("wrong_type")
    if len(values) != count:
        raise Refused("wrong_shape")
    return values


def in_pixels(values, most):
    return any(abs(value) > most for value in values)


def scaled(values, screen):
    return [value / screen[at % 2] for at, value in enumerate(values)]


def on_screen(point):
    return all(0 <= value <= 1 for value in point)


def point_of(action, screen, recorded):
    """Where an action is aimed at; a recorded one at the screen, a predicted one anywhere."""
    x, y = number(action.get("x")), number(action.get("y"))
    named = numbers(action.get("normalized_coordinates"), 2)
    coordinates = numbers(action.get("coordinates"), 2)
    if named is None and (x is None) != (y is None):
        raise Refused("wrong_shape")
    found = []
    if x is not None and y is not None:
        found.append(scaled([x, y], screen) if screen and in_pixels([x, y], 1) else [x, y])
    found += [named] * (named is not None)
    if not found:
        pair = coordinates
        if pair and in_pixels(pair, 1):
            pair = scaled(pair, screen) if screen else None if recorded else pair
        return seen(pair, recorded)
    return seen(found[0] if len(found) == 1 or on_screen(found[0]) else found[1], recorded)


def seen(point, recorded):
    if point is not None and recorded and not on_screen(point):
        raise Refused("out_of_range")
    if point is not None and in_pixels(point, 1e100):
        raise Refused("not_a_number")
    return point


def boxes_of(action):
    """All that is said about the target's box, the best first: corners, or with `True` a corner and a size."""
    raw = action.get("raw") if isinstance(action.get("raw"), dict) else {}
    kept = numbers(raw["bbox"], 4) if isinstance(raw.get("bbox"), list) else None
    bounds = kind((action.get("element") or {}).get("bounds"), dict)
    size = bounds and [number(bounds.get(name)) for name in ("x", "y", "width", "height")]
    if bounds == {} or size and None in size:
        raise Refused("wrong_shape")
    found = [(numbers(action.get("bbox"), 4), False), (kept, False), (size, True)]
    return [(values, sized) for values, sized in found if values is not None]


def box_of(action, screen):
    """Left, top, right, bottom of the target."""
    for values, sized in boxes_of(action):
        a, b, c, d = values
        if sized and (c < 0 or d < 0) or not sized and (a > c or b > d):
            raise Refused("swapped_bbox")
        if in_pixels(values, 2):
            if not screen:
                continue
            a, b, c, d = scaled(values, screen)
        return [a, b, a + c, b + d] if sized else [a, b, c, d]
    return None


def mark(value):
    """An element: 3, 3.0 and "3" are the same."""
    if value is None or isinstance(value, str):
        text = (value or "").strip()
        try:
            return int(text)
        except ValueError:
            return text or None
    value = number(value)
    if value != int(value):
        raise Refused("bad_index")
    return int(value)


def element_of(action):
    own, named = mark(action.get("element_index")), mark((action.get("element") or {}).get("element_id"))
    raw = action.get("raw") if isinstance(action.get("raw"), dict) else {}
    try:
        kept = mark(raw.get("element_index"))
    except Refused:
        kept = None
    for found in (own, named if isinstance(named, int) else None, kept, named):
        if found is not None:
            return found
    return None


def action_of(action, mode, screen, recorded):
    """An action, as far as the mode needs it; None for null."""
    if kind(action, dict) is None:
        return None
    if "type" not in action:
        raise Refused("missing_type")
    name = type_name(action["type"])
    kind(action.get("element"), dict)
    if mode == "som":
        return Action(name, None, None, element_of(action))
    return Action(name, point_of(action, screen, recorded), box_of(action, screen) if recorded else None, None)


def predicted_of(action, mode, screen):
    """What a model did: an action, nothing, or something unreadable."""
    try:
        return action_of(action, mode, screen, False)
    except Refused:
        pass
    try:
        name = type_name(action["type"])
    except (Refused, KeyError, TypeError):
        return UNREADABLE
    # Where nothing is aimed at, a target that cannot be read is none.
    return UNREADABLE if name in TARGETED[mode] else Action(name, None, None, None)


def milestone_of(milestone):
    if kind(milestone, dict) is None or milestone.get("step_index") is None or "type" not in milestone:
        raise Refused("bad_milestone")
    threshold = number(milestone.get("coord_threshold"))
    if threshold is not None and threshold <= 0:
        raise Refused("bad_milestone")
    return index(milestone["step_index"]), type_name(milestone["type"]), threshold


def named(row):
    """A row's episode."""
    if isinstance(row, bytes):
        raise Refused("malformed_json")
    if not isinstance(row, dict):
        raise Refused("not_an_object")
    name = row.get("episode_id")
    if name is None:
        raise Refused("missing_episode_id")
    if isinstance(name, (bool, list, dict)):
        raise Refused("wrong_type")
    return str(name)


def recorded_step(step, mode, screen):
    """The action; None for a step that is left out."""
    if kind(step, dict) is None:
        raise Refused("missing_action")
    has_screenshot = kind(step.get("has_screenshot"), bool)
    observation = step.get("observation")
    if has_screenshot is None and isinstance(observation, dict):
        path = observation.get("screenshot_path")
        has_screenshot = isinstance(path, str) and bool(path.strip())
    if has_screenshot is False:
        return None
    action = action_of(step.get("action"), mode, screen, True)
    if action is None:
        raise Refused("missing_action")
    return action


def episode_of(row, mode, screen):
    """Steps and milestones of a recorded episode."""
    steps = kind(row.get("steps"), list)
    if steps is None:
        raise Refused("missing_steps")
    steps = [recorded_step(step, mode, screen) for step in steps]
    return steps, [milestone_of(one) for one in kind(row.get("milestones"), list) or []]


def predicted_step(step, mode, screen):
    """The action and what was said about success."""
    if not isinstance(step, dict):
        return None if step is None else UNREADABLE, None
    state = step.get("state")
    said = state.get("success") if isinstance(state, dict) else None
    return predicted_of(step.get("action"), mode, screen), said if isinstance(said, bool) else None


def prediction_of(row, mode, screen):
    """The step that it is about, None for all, and the steps."""
    at, steps = index(row.get("step_index")), kind(row.get("steps"), list)
    if at is None and steps is None:
        raise Refused("missing_steps")
    read = [predicted_step(step, mode, screen) for step in ([row] if steps is None else steps)]
    if at is not None and steps is not None:
        raise Refused("ambiguous_prediction")
    return at, read
