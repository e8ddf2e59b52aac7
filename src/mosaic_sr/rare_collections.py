"""Python looks for cycles of garbage seldom while a search runs, which makes many objects and hardly any cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Objects made between two looks, and how many looks pass before older objects are looked at again. With Python's own
# 700, a third of the time in which forms are enumerated went into walks over all objects that were ever made; garbage
# without cycles is freed at once at any rate.
OBJECTS_BETWEEN, LOOKS_BETWEEN = 50_000, 20


@contextmanager
def rare_collections() -> Iterator[None]:
    """Within it, Python looks for cycles seldom; a user who looks for them even less, or not at all, is left alone."""
    before = gc.get_threshold()
    if gc.isenabled() and 0 < before[0] < OBJECTS_BETWEEN:
        gc.set_threshold(OBJECTS_BETWEEN, LOOKS_BETWEEN, LOOKS_BETWEEN)
    try:
        yield
    finally:
        gc.set_threshold(*before)
