import json
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

report = json.loads(Path(REPORT_FILE).read_text(encoding="utf-8"))
models = pd.json_normalize(report["models"])
models.index = [model.get("run") or model["model"] for model in report["models"]]


def column(name):
    """A column of numbers; empty where the report says nothing."""
    if name not in models:
        return pd.Series(float("nan"), index=models.index, dtype=float)
    return pd.to_numeric(models[name], errors="coerce").astype(float)


def shown(name):
    """A name as it is: matplotlib takes what stands between two dollars for a formula."""
    return str(name).replace("$", r"\$")
