"""Every notebook runs from its own folder, and is stored without outputs."""

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

# The notebook of a cluster is run with the cluster, beside its other tests.
NOTEBOOKS = [path for path in sorted((ROOT / "docs/notebooks").glob("*.ipynb")) if "spark" not in path.name]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code), "strip the outputs"
    resources = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=60, resources=resources).execute()
    # The first thing that is shown is a table.
    assert "<table>" in code[0].outputs[0]["data"]["text/html"]
