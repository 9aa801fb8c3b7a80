"""Recorded episodes and predictions as the oracle of episodes reads them.

A row with anything wrong in it is refused whole. Coordinates are in 0–1; with a size of
the screen, a point or a box with a value above 1 is in pixels.
"""

import collections
import json
from pathlib import Path

TARGETED = {"coord": ("click", "drag"), "som": ("click", "drag", "type")}
Action = collections.namedtuple("Action", "type point box element")


class Refused(Exception):
    """A row that cannot be used."""


def no_constant(_):
    raise ValueError("NaN is not JSON")


def rows_of(path):
    """Line number and row of each line; a line that is not JSON stays bytes."""
    for number, line in enumerate(Path(path).read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line.decode(), parse_constant=no_constant)
        except ValueError:
            yield number, line


def kind(value, wanted):
    """A value of the wanted kind, or None for null."""
    right = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if value is not None and not right:
        raise Refused("wrong_type")
    return value


def number(value):
    return kind(value, (int, float))


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


def scaled(values, screen):
    """Values, x and y in turn, brought into 0–1."""
    if screen and any(value > 1 for value in values) and all(value >= 0 for value in values):
        values = [value / screen[at % 2] for at, value in enumerate(values)]
    if not all(0 <= value <= 1 for value in values):
        raise Refused("out_of_range")
    return values


def point_of(action, screen):
    x, y = number(action.get("x")), number(action.get("y"))
    named = numbers(action.get("normalized_coordinates"), 2)
    if x is not None and y is not None:
        try:
            return scaled([x, y], screen)
        except Refused:
            if named is None:
                raise
    elif named is None and (x, y) != (None, None):
        raise Refused("wrong_shape")
    return named and scaled(named, None)


def box_of(action, screen):
    """Left, top, right, bottom of the target."""
    corners = numbers(action.get("bbox"), 4)
    bounds = kind((action.get("element") or {}).get("bounds"), dict)
    if corners is not None:
        corners = scaled(corners, screen)
        if corners[0] > corners[2] or corners[1] > corners[3]:
            raise Refused("swapped_bbox")
        return corners
    if bounds is None:
        return None
    size = [number(bounds.get(name)) for name in ("x", "y", "width", "height")]
    if None in size:
        raise Refused("wrong_shape")
    if size[2] < 0 or size[3] < 0:
        raise Refused("swapped_bbox")
    x, y, width, height = scaled(size, screen)
    if max(x + width, y + height) > 1 + 1e-9:
        raise Refused("out_of_range")
    return [x, y, x + width, y + height]


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
    found = mark(action.get("element_index"))
    return mark((action.get("element") or {}).get("element_id")) if found is None else found


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
    return Action(name, point_of(action, screen), box_of(action, screen) if recorded else None, None)


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
    if kind(step.get("has_screenshot"), bool) is False:
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
    if kind(step, dict) is None:
        return None, None
    if "action" not in step:
        raise Refused("missing_action")
    state = step.get("state")
    said = state.get("success") if isinstance(state, dict) else None
    return action_of(step["action"], mode, screen, False), said if isinstance(said, bool) else None


def prediction_of(row, mode, screen):
    """The step that it is about, None for all, and the steps."""
    at, steps = index(row.get("step_index")), kind(row.get("steps"), list)
    if at is None and steps is None:
        raise Refused("missing_steps")
    read = [predicted_step(step, mode, screen) for step in ([row] if steps is None else steps)]
    if at is not None and steps is not None:
        raise Refused("ambiguous_prediction")
    return at, read
