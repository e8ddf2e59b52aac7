"""What earlier releases offered is still there, and positional arguments keep their places."""

import re
from pathlib import Path

import pytest

import mosaic_sr
from tests.promised import offered, promised

ROOT = Path(__file__).parents[1]
# Their arguments may be given without names.
POSITIONAL = ("MosaicRegressor.fit", "MosaicRegressor.predict")


@pytest.mark.parametrize("part", promised())
def test_nothing_that_was_promised_is_missing(part):
    assert sorted(set(promised()[part]) - set(offered()[part])) == []


@pytest.mark.parametrize("part", POSITIONAL)
def test_new_arguments_come_last(part):
    assert offered()[part][: len(promised()[part])] == promised()[part]


def test_one_version_is_stated_everywhere():
    version = mosaic_sr.__version__
    for name, pattern in (
        ("pyproject.toml", r'(?m)^version = "(.+)"$'),
        ("CITATION.cff", r"(?m)^version: (.+)$"),
        ("CHANGELOG.md", r"(?m)^## (\d.+?) - "),
    ):
        assert re.search(pattern, (ROOT / name).read_text(encoding="utf-8"))[1] == version, name
