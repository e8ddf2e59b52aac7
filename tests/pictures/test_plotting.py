"""`draw_kind`: matplotlib figures of every kind, and messages where they cannot be drawn."""

import sys
from pathlib import Path

import numpy as np
import pytest
from noisy_outcomes import ROWS
from pictured import noisy_pair, plain_outcome

from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.pictures import observe_arrays
from mosaic_sr.pictures.plotting import ENDINGS, KINDS, draw_kind, save_figure

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_kind_is_drawn_into_every_kind_of_file(kind, ending, tmp_path):
    outcome, rows = noisy_pair(outliers=(4,), sigma=np.full(50, 0.1))
    file = tmp_path / f"law{ending}"
    save_figure(file, draw_kind(kind, outcome, rows, outcome.law))
    starts = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    assert file.read_bytes().startswith(starts[ending])


def test_equal_numbers_give_equal_files(tmp_path):
    outcome, rows = noisy_pair()
    for name in ("a.svg", "b.svg"):
        save_figure(tmp_path / name, draw_kind("fit", outcome, rows, outcome.law))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_figures_show_the_numbers_of_the_pictures():
    outcome, rows = noisy_pair()
    (axes,) = draw_kind("response", outcome, rows, outcome.law).axes
    curve, points = axes.get_lines()[:2]
    np.testing.assert_allclose(curve.get_ydata(), 2.0 * curve.get_xdata() + 1.5)
    assert np.array_equal(points.get_ydata(), rows.target)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "y")
    assert len(draw_kind("residuals", outcome, rows, outcome.law).axes) == 6  # in order, x, z, w, bars, one left empty


def test_figures_leave_the_state_of_pyplot_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    had_pyplot = "matplotlib.pyplot" in sys.modules
    outcome, rows = noisy_pair()
    draw_kind("fit", outcome, rows, outcome.law)
    assert dict(matplotlib.rcParams) == before
    assert ("matplotlib.pyplot" in sys.modules) == had_pyplot


def test_names_with_dollars_are_no_formulas(tmp_path):
    names = ("$\\frac{", "a_$b$", "<b>")
    outcome = plain_outcome("2", "2*`a_$b$`", names=names, target="price, $")
    rows = observe_arrays(outcome, ROWS, 2.1 * ROWS[1])
    for kind in KINDS:
        save_figure(tmp_path / "law.svg", draw_kind(kind, outcome, rows, outcome.law))


def test_an_equation_without_values_gives_a_figure_that_states_it():
    outcome = plain_outcome("log(0 - x)")
    rows = observe_arrays(outcome, ROWS, ROWS[0])
    (axes,) = draw_kind("fit", outcome, rows, outcome.law).axes
    assert "nothing to draw" in axes.texts[0].get_text()


def test_misuse_is_refused_with_the_remedy(tmp_path, monkeypatch):
    outcome, rows = noisy_pair()
    with pytest.raises(InvalidSettings, match="fit, residuals, response or front, got 'pie'"):
        draw_kind("pie", outcome, rows, outcome.law)
    with pytest.raises(InvalidFile, match=r"\.png, \.svg, \.pdf"):
        save_figure(Path("law.jpg"), draw_kind("fit", outcome, rows, outcome.law))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InvalidSettings, match=r'pip install "mosaic-sr\[report\]"'):
        draw_kind("fit", outcome, rows, outcome.law)
