"""Pictures as SVG: well formed, labelled, and harmless whatever the names are."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from pictured import noisy_pair, plain_outcome

from mosaic_sr.pictures import examine, observe_arrays
from mosaic_sr.pictures.course import course_picture, front_picture
from mosaic_sr.pictures.distribution import distribution_picture
from mosaic_sr.pictures.numbers import fit_picture, residual_pictures, response_pictures
from mosaic_sr.pictures.picture import Curve, Picture, Points
from mosaic_sr.pictures.svg import HEIGHT, WIDTH, to_svg

NASTY = "<script>alert(\"x\")</script> & 'quotes' \x1b\u202e"


def all_pictures():
    outcome, rows = noisy_pair(outliers=(4,), sigma=np.full(50, 0.1))
    seen = examine(outcome, rows, outcome.law)
    yield fit_picture(seen)
    yield from residual_pictures(seen)
    yield from response_pictures(seen)
    yield distribution_picture(seen)
    yield front_picture(outcome)
    yield course_picture(outcome)


def test_every_picture_is_well_formed_and_inside_its_frame():
    for picture in all_pictures():
        drawn = ET.fromstring(to_svg(picture))
        assert drawn.get("role") == "img"
        assert drawn.get("aria-label").startswith(picture.title)
        assert len(list(drawn.iter("text"))) >= 6
        assert "nan" not in to_svg(picture)
        for element in drawn.iter("text"):
            if element.get("x"):
                assert 0.0 <= float(element.get("x")) <= WIDTH
                assert 0.0 <= float(element.get("y")) <= HEIGHT


def test_a_point_is_where_its_numbers_are():
    x = np.array([0.0, 1.0, 2.0])
    drawn = ET.fromstring(to_svg(Picture("fit", "t", "x", "y", points=Points(x, x, rows=np.array([2, 3, 4])))))
    path = next(element for element in drawn.iter("path") if element.get("class") == "rows")
    places = [tuple(map(float, dot.removesuffix("h0").split(" "))) for dot in path.get("d").split("M")[1:]]
    left, top, width, height, *ends = map(float, drawn.get("data-frame").split(" "))
    assert path.get("data-rows") == "2 3 4"
    for (across, down), value in zip(places, x, strict=True):
        assert ends[0] + (across - left) / width * (ends[1] - ends[0]) == pytest.approx(value, abs=0.01)
        assert ends[4] + (1.0 - (down - top) / height) * (ends[5] - ends[4]) == pytest.approx(value, abs=0.01)


def test_names_of_others_are_text():
    names = (NASTY, "z", "w")
    outcome = plain_outcome("2*z", names=names, target=NASTY)
    rows = observe_arrays(outcome, np.random.default_rng(0).uniform(size=(3, 20)), np.arange(20.0))
    for picture in residual_pictures(examine(outcome, rows, outcome.law)):
        text = to_svg(picture)
        assert "<script" not in text
        assert "\x1b" not in text
        ET.fromstring(text)


def test_a_curve_has_gaps_where_it_has_no_value():
    x = np.linspace(-1.0, 1.0, 5)
    y = np.array([1.0, 2.0, np.nan, 1.5, 1.0])
    drawn = ET.fromstring(to_svg(Picture("response", "t", "x", "y", curves=(Curve(x, y),))))
    (line,) = (element for element in drawn.iter("path") if element.get("class") == "line")
    assert line.get("d").count("M") == 2


def test_a_band_on_a_logarithmic_axis_reaches_the_bottom_where_it_is_negative():
    x = np.linspace(1.0, 2.0, 5)
    band = Curve(x, np.geomspace(1.0, 1e4, 5), np.full(5, -1.0), np.full(5, 1e5))
    text = to_svg(Picture("response", "t", "x", "y", curves=(band,), is_log_y=True))
    assert "nan" not in text
    assert 'class="band"' in text


def test_nothing_to_draw_gives_no_element():
    assert to_svg(Picture("fit", "t", "x", "y")) == ""
