"""A fit in the kernel of a notebook: one output that changes in place, and the law with its pictures."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

# The packages of the kernel warn of things in their own code.
pytestmark = pytest.mark.filterwarnings("default")

FIT = """
import os; os.environ["MPLBACKEND"] = "agg"
import numpy as np
import pandas as pd
from mosaic_sr import MosaicRegressor
import mosaic_sr.notebook_output
mosaic_sr.notebook_output.SECONDS_BETWEEN_UPDATES = 0.01

x = np.linspace(1.0, 9.0, 40)
X, y = pd.DataFrame({"x": x}), pd.Series(3.0 * x / (2.0 + x), name="rate")
model = MosaicRegressor(random_state=0, max_evaluations=200).fit(X, y)
"""


class Client(nbclient.NotebookClient):
    """Runs a notebook and keeps what its kernel sends to be shown."""

    def process_message(self, message, cell, index):
        self.__dict__.setdefault("shown", []).append((message["msg_type"], message["content"]))
        return super().process_message(message, cell, index)


@pytest.fixture(scope="module")
def client():
    cells = [nbformat.v4.new_code_cell(source) for source in (FIT, "model")]
    client = Client(nbformat.v4.new_notebook(cells=cells), timeout=240, kernel_name="python3")
    client.execute()
    return client


def test_progress_is_one_output_that_changes_in_place(client):
    [first] = [content for kind, content in client.shown if kind == "display_data"]
    changes = [content for kind, content in client.shown if kind == "update_display_data"]
    assert len(changes) >= 2
    assert {one["transient"]["display_id"] for one in changes} == {first["transient"]["display_id"]}
    assert any("best so far: rate = " in one["data"]["text/plain"] for one in changes)
    [left] = client.nb.cells[0].outputs
    assert re.fullmatch(r"[\d,]+ candidates in [\d.]+ s", left["data"]["text/plain"])


def test_the_model_shows_its_law_and_pictures(client):
    [output] = client.nb.cells[1].outputs
    page = output["data"]["text/html"]
    assert page.count("<svg") >= 2
    assert "rate over x" in page
    assert "<math" in page
    assert "http" not in page[: page.index("sk-")]  # before scikit-learn's diagram: nothing is loaded
    assert "text/plain" in output["data"]
