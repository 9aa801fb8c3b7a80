"""Every notebook runs from its own folder, and is stored without outputs."""

import shutil

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    if "spark" in path.name and not shutil.which("java"):
        pytest.skip("Spark needs Java 17, and there is no java")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code), "strip the outputs"
    resources = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=180, resources=resources).execute()
    # The first thing that is shown is a table.
    shown = [output.get("data", {}) for cell in code for output in cell.outputs]
    assert "<table>" in next(data["text/html"] for data in shown if "text/html" in data)
