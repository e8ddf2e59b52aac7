"""Paths on their way to workers elsewhere and back: without what is empty, and back only with what a round changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.refinement.bests import Bests
from mosaic_sr.refinement.chance import State
from mosaic_sr.refinement.path import Fixed, Path, advanced
from mosaic_sr.refinement.programs import Program
from mosaic_sr.refinement.vocabulary import Vocabulary

Places = NDArray[np.uint32]
# What a place of 16 bits can say.
MOST_PLACES = 1 << 16


@dataclass(frozen=True, eq=False)
class Filled:
    """An array by the elements whose bits are not all 0; a path that has tried little is mostly 0.

    places: None where the array is so full that all its elements take fewer bytes.
    """

    places: NDArray[np.uint16] | None
    values: NDArray[Any]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, array: NDArray[Any]) -> Filled:
        """The array by its elements; -0.0 is one of them."""
        flat = array.reshape(-1)
        places = np.flatnonzero(_bits(flat)).astype(np.uint16)
        if len(places) * (places.itemsize + flat.itemsize) >= flat.nbytes or len(flat) > MOST_PLACES:
            return cls(None, flat, array.shape)
        return cls(places, flat[places], array.shape)

    def array(self) -> NDArray[Any]:
        """The array itself, writable."""
        if self.places is None:
            return self.values.copy().reshape(self.shape)
        flat = np.zeros(int(np.prod(self.shape)), self.values.dtype)
        flat[self.places] = self.values
        return flat.reshape(self.shape)


@dataclass(frozen=True, eq=False)
class SentPath:
    """A path as it is sent."""

    program: Program
    losses: NDArray[np.float64]
    state: State
    seen: Filled
    counts: NDArray[np.int64]
    bests: tuple[Filled, ...]
    found_by: str

    @classmethod
    def of(cls, path: Path) -> SentPath:
        """The path, packed."""
        bests = tuple(Filled.of(own) for own in _arrays(path.bests))
        return cls(path.program, path.losses, path.state, Filled.of(path.seen), path.counts, bests, path.found_by)

    def path(self) -> Path:
        """The path itself."""
        bests = Bests(*(one.array() for one in self.bests))
        return Path(self.program, self.losses, self.state, self.seen.array(), self.counts, bests, self.found_by)


@dataclass(frozen=True, eq=False)
class Move:
    """What a round has changed in a path: places in what it has tried, and sizes with a new best program."""

    program: Program
    losses: NDArray[np.float64]
    state: State
    counts: NDArray[np.int64]
    places: Places
    tried: NDArray[np.uint32]
    sizes: NDArray[np.intp]
    bests: Bests

    @classmethod
    def between(cls, before: Path, after: Path) -> Move:
        """The difference of two paths."""
        places = np.flatnonzero(after.seen != before.seen).astype(np.uint32)
        pairs = zip(_arrays(before.bests), _arrays(after.bests), strict=True)
        sizes = np.flatnonzero(np.any([_differ(old, new) for old, new in pairs], axis=0))
        bests = Bests(*(own[sizes] for own in _arrays(after.bests)))
        return cls(after.program, after.losses, after.state, after.counts, places, after.seen[places], sizes, bests)

    def after(self, before: Path) -> Path:
        """The path that was moved."""
        seen, bests = before.seen.copy(), before.bests.copied()
        seen[self.places] = self.tried
        for own, changed in zip(_arrays(bests), _arrays(self.bests), strict=True):
            own[self.sizes] = changed
        return Path(self.program, self.losses, self.state, seen, self.counts, bests, before.found_by)


def _arrays(bests: Bests) -> tuple[NDArray[Any], ...]:
    """The arrays of bests, which have different kinds."""
    return tuple(bests)


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    """The elements as whole numbers, which tell 0.0 from -0.0."""
    return np.asarray(array.view(f"u{array.itemsize}"))


def _differ(old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows of two arrays differ."""
    return np.asarray(np.any((_bits(old) != _bits(new)).reshape(len(new), -1), axis=1))


def move(fixed: Fixed, vocabulary: Vocabulary, sent: SentPath) -> Move:
    """What one round of edits changes in a path; a pure function."""
    before = sent.path()
    return Move.between(before, advanced(fixed, vocabulary, before))
