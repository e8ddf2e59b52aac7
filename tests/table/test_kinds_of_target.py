"""Counts and proportions get a note; ordinary targets do not."""

import numpy as np
import pytest

from mosaic_sr.table import Table
from mosaic_sr.table.kinds_of_target import COUNTS, PROPORTIONS, notes_on_target

RNG = np.random.default_rng(0)
POISSON = RNG.poisson(8.0, size=60).astype(float)
SHARES = np.linspace(0.0, 1.0, 60)


@pytest.mark.parametrize(
    ("target", "note"), [(POISSON, COUNTS), (SHARES, PROPORTIONS), (np.round(SHARES), PROPORTIONS)]
)
def test_counts_and_proportions_are_noted_once(target, note):
    assert notes_on_target(target, has_sigma=False) == [note]


def test_counts_with_stated_errors_need_no_note():
    assert notes_on_target(POISSON, has_sigma=True) == []


@pytest.mark.parametrize(
    "target",
    [
        POISSON[:19],
        POISSON - 5.0,
        POISSON + 0.5,
        np.tile([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 10),
        np.tile([0.0, 50.0], 30),
        0.06 + 0.9 * SHARES,
        SHARES - 0.01,
        SHARES + 0.01,
        RNG.normal(size=60),
    ],
)
def test_ordinary_targets_get_no_note(target):
    assert notes_on_target(target, has_sigma=False) == []


def test_the_table_keeps_the_note():
    table = Table.from_arrays(RNG.normal(size=(60, 2)), POISSON, rng=RNG)
    assert COUNTS in table.notes
