# SPDX-License-Identifier: Apache-2.0
# timeout: 180
"""The notebook of examples/ runs from its first cell to its last, and shows what it says."""

import os
import shutil
from pathlib import Path

import nbclient
import nbformat
import numpy as np
import xarray
from output import built

NOTEBOOK = Path(os.environ["WEIR_SOURCE_DIR"]) / "examples" / "python" / "first_file.ipynb"
built.need("Python module")


def test_notebook(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are made by whoever runs it"
    shutil.copy(NOTEBOOK, tmp_path)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs), "it draws no picture"
    told = "".join(output.get("text", "") for output in outputs)
    assert "output took" in told and "4 ranks on 1 host" in told, told
    with xarray.open_dataset(tmp_path / "waves.nc") as waves:
        lat, lon = np.deg2rad(waves.lat.values)[:, np.newaxis], np.deg2rad(waves.lon.values)
        for hour in range(waves.sizes["time"]):
            assert np.allclose(waves.height[hour], np.cos(lat) * np.sin(3 * lon - 0.5 * hour)), f"hour {hour}"
