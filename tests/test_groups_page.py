"""The examples of docs/groups.md run, and print what the page shows."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from test_checking_page import run

PAGE = Path(__file__).parents[1] / "docs" / "groups.md"
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
TOPS = {"A": 2.0, "B": 3.0, "C": 4.0, "D": 4.5}


def write_tables(folder):
    rng = np.random.default_rng(0)
    lines = ["S,site,rate"]
    for site, top in TOPS.items():
        for S in rng.uniform(0.3, 9.0, 30).round(5):
            lines.append(f"{S:.5f},{site},{top * S / (1.7 + S):.12f}")
    (folder / "rates.csv").write_text("\n".join(lines) + "\n")
    (folder / "new.csv").write_text("S,site\n1.7,A\n1.7,E\n")


def test_the_examples_of_the_page_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_tables(tmp_path)
    names, printed = {}, []
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            continue
        for command, _ in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            printed.append(run(shlex.split(command)[1:], monkeypatch, capsys))
    assert len(printed) == 3
    model = names["model"]
    assert model.law_.is_exact
    assert model.group_constants_["c1"].to_list() == pytest.approx(list(TOPS.values()), rel=1e-6)
    assert names["known"].group_constants_["Vmax"].to_list() == pytest.approx(list(TOPS.values()), rel=1e-6)
    assert names["both"].law_.is_exact
    assert "form: rate = c1_g*S/(c2 + S)" in printed[0]
    assert "site  rows  c1" in printed[0]
    assert "S/(1.7" in printed[2]
    assert float(printed[1].split()[1]) == pytest.approx(1.0)
