"""The picture in characters: rows and line are where they should be."""

import numpy as np
from pictured import noisy_pair

from mosaic_sr.pictures import examine
from mosaic_sr.pictures.numbers import response_pictures
from mosaic_sr.pictures.picture import Curve, Picture, Points
from mosaic_sr.pictures.terminal import CURVE, HEIGHT, LABEL_WIDTH, WIDTH, draw_text


def lines_of(picture):
    return ["".join(piece for piece, _ in pieces) for pieces in draw_text(picture)]


def test_a_law_of_one_column_has_fifteen_lines_of_sixty_characters():
    outcome, rows = noisy_pair()
    (picture,) = response_pictures(examine(outcome, rows, outcome.law))
    lines = lines_of(picture)
    assert len(lines) == HEIGHT + 3
    assert lines[0].strip() == "y"
    assert lines[-1].strip() == "x"
    assert max(map(len, lines)) <= WIDTH + 2 * LABEL_WIDTH
    body = "".join(lines[1 : HEIGHT + 1])
    assert any(0x2800 < ord(letter) <= 0x28FF for letter in body)


def test_a_rising_line_goes_from_the_lower_left_to_the_upper_right():
    x = np.linspace(0.0, 1.0, 50)
    picture = Picture("response", "t", "x", "y", points=Points(x[:1], x[:1]), curves=(Curve(x, x),))
    body = list(draw_text(picture))[1 : HEIGHT + 1]
    ends = [next(("".join(p for p, _ in pieces[:i]) for i, (_, mark) in enumerate(pieces) if mark == CURVE), None)
            for pieces in body]  # fmt: skip
    starts = [len(before) for before in ends if before is not None]
    assert starts == sorted(starts, reverse=True)
    assert starts[-1] < LABEL_WIDTH + 6
    assert starts[0] > WIDTH


def test_a_name_with_escapes_does_not_reach_the_terminal():
    x = np.linspace(0.0, 1.0, 5)
    assert "\x1b" not in "".join(lines_of(Picture("response", "t", "\x1b[31m", "y\x07", points=Points(x, x))))


def test_nothing_to_draw_prints_nothing():
    assert not lines_of(Picture("response", "t", "x", "y"))
