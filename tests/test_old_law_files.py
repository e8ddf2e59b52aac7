"""Law files of earlier releases are read, and their laws give the numbers that they gave then (`docs/stability.md`).

A file stays here as it was written; a release that changes the format adds one.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.law_file import VERSION, read_law

FOLDER = Path(__file__).with_name("law_files")
# For each file a row of its columns, and the value of its law there.
VALUES = {
    # The fields of the first law files, before ties, scatter and sampled ranges.
    "first-1.json": ([2.0, 9.81, 1.0], 2.837006706885775),
    # 1.0.0, a law of noisy rows.
    "noisy-1.json": ([2.0, 7.0], 2.6986309552654095),
    # 1.0.0, a law with an operator of the user.
    "own-operator-2.json": ([0.5], 2.751209170642162),
}


def test_every_stored_file_has_a_value_and_every_version_a_file():
    assert {file.name for file in FOLDER.iterdir()} == VALUES.keys()
    versions = {json.loads((FOLDER / name).read_text(encoding="utf-8"))["version"] for name in VALUES}
    assert versions == set(range(1, VERSION + 1))


@pytest.mark.parametrize("name", VALUES)
def test_an_old_law_file_gives_the_same_law_and_the_same_values(name):
    row, value = VALUES[name]
    content = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    outcome, _ = read_law(FOLDER / name)
    assert outcome.law.text() == content["equation"]
    assert len(outcome.front) == len(content["front"])
    model = MosaicRegressor.load(FOLDER / name)
    assert model.law_.predict(np.array([row]).T)[0] == pytest.approx(value, rel=1e-12)


def test_fields_of_later_releases_are_ignored(tmp_path):
    content = json.loads((FOLDER / "first-1.json").read_text(encoding="utf-8"))
    content["front"][0]["of_a_later_release"] = content["of_a_later_release"] = {"any": ["thing"]}
    (tmp_path / "law.json").write_text(json.dumps(content), encoding="utf-8")
    outcome, _ = read_law(tmp_path / "law.json")
    assert outcome.law.text() == content["equation"]
