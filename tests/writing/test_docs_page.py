"""The examples of the page on writing."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "writing.md"


def test_the_examples_of_the_page_run():
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0
