#!/usr/bin/env python3
"""Whether eval files are what the published Pydantic model of the eval JSON takes.

    python3 eval_model.py FILE...

Says for each file what is wrong and exits with 1 if anything is. The model is checked by
hand; where Pydantic is installed, the model itself is asked too and must agree.
"""

import json
import sys

COUNTS = ("num_episodes", "num_steps", "coord_error_count")
RATES = ("action_type_accuracy", "episode_success_rate")
RATES_OR_NULL = ("click_hit_rate", "bbox_hit_rate", "mean_episode_progress", "mean_episode_step_score",
                 "weak_episode_success_rate", "state_success_rate", "element_accuracy")


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def problems(data):
    """Where a document differs from the model."""
    if not isinstance(data, dict):
        return ["not an object"]
    found = [key for key in ("config_path", "backend") if not isinstance(data.get(key), str)]
    if not isinstance(data.get("dsl_mode", "coord"), str):
        found.append("dsl_mode")
    metrics = data.get("metrics")
    if not isinstance(metrics, dict):
        return [*found, "metrics"]
    for key in COUNTS:
        value = metrics.get(key)
        if not (is_number(value) and value == int(value) and value >= 0):
            found.append(key)
    for key in (*RATES, *RATES_OR_NULL, "mean_coord_error"):
        value = metrics.get(key)
        if value is None and key not in RATES:
            continue
        if not (is_number(value) and value >= 0 and (value <= 1 or key == "mean_coord_error")):
            found.append(key)
    return found


def model():
    """The published model, or None without Pydantic."""
    try:
        from typing import Optional

        from pydantic import BaseModel, Field, create_model
    except ImportError:
        return None
    rate, optional = (float, Field(ge=0.0, le=1.0)), (Optional[float], Field(default=None, ge=0.0, le=1.0))
    fields = {**{key: (int, Field(ge=0)) for key in COUNTS}, **{key: rate for key in RATES},
              **{key: optional for key in RATES_OR_NULL},
              "mean_coord_error": (Optional[float], Field(default=None, ge=0.0))}
    metrics = create_model("EvalMetrics", __base__=BaseModel, **fields)
    return create_model("EvalOutput", __base__=BaseModel, config_path=(str, ...), backend=(str, ...),
                        dsl_mode=(str, "coord"), metrics=(metrics, ...))


def main():
    output, wrong = model(), False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            data = json.load(file, parse_constant=no_constant)
        found = problems(data)
        if found:
            wrong = True
            print(f"{path}: {', '.join(found)}")
        if output is not None:
            try:
                output.model_validate(data)
                taken = True
            except ValueError:
                taken = False
            # The model itself is laxer in one way: it reads text as numbers.
            if taken != (not found) and not any(isinstance(value, str) for value in data.get("metrics", {}).values()):
                sys.exit(f"{path}: Pydantic and the checks here do not agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
