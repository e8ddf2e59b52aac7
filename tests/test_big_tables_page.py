"""The examples of docs/big-tables.md run, and print what the page shows."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from test_checking_page import check_shown, run

from mosaic_sr.big_tables import blocks

PAGE = Path(__file__).parents[1] / "docs" / "big-tables.md"
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def write_table(path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    rng = np.random.default_rng(0)
    voltage, current = rng.uniform(1.0, 9.0, (2, 15_000))
    write_table(pa.table({"voltage": voltage, "current": current, "power": voltage * current}), path)


def test_the_examples_of_the_page_run_and_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blocks, "MOST_NUMBERS", 1_000)
    write_table(tmp_path / "sensors.parquet")
    names = {}
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            continue
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            check_shown(shown, run(shlex.split(command)[1:], monkeypatch, capsys))
    assert names["model"].outcome_.confirmation.sentence().startswith("confirmed on all 15,000 rows")
    assert str(names["model"].law_) == "voltage*current"
