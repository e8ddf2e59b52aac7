"""Random numbers inside compiled code: a stream is one 64-bit state, so that a path carries its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import compiled

State = NDArray[np.uint64]
Floats = NDArray[np.float64]
OUT_STATE = "uint64[::1]"  # its word in signatures

# The constants of the splitmix64 generator (Steele, Lea and Flood, 2014).
GAMMA, FIRST_MIX, SECOND_MIX = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
S11, S27, S30, S31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
UNIT = 2.0**-53


def make_state(rng: np.random.Generator) -> State:
    """A stream that starts where the generator says."""
    return rng.integers(0, 2**63, size=1, dtype=np.uint64)


@compiled()
def mixed(bits: np.uint64) -> np.uint64:
    """The bits scattered, so that near inputs have unrelated outputs."""
    bits = (bits ^ (bits >> S30)) * FIRST_MIX
    bits = (bits ^ (bits >> S27)) * SECOND_MIX
    return bits ^ (bits >> S31)


@compiled()
def uniform(state: State) -> float:
    """A number in [0, 1)."""
    state[0] += GAMMA
    return float(mixed(state[0]) >> S11) * UNIT


@compiled()
def below(state: State, count: int) -> int:
    """An integer in [0, count)."""
    return int(uniform(state) * count)


@compiled()
def drawn(state: State, cumulative: Floats, count: int) -> int:
    """An index below `count`, drawn with chances whose running sums are given; the last sum is 1."""
    value = uniform(state)
    index = 0
    while index < count - 1 and value >= cumulative[index]:
        index += 1
    return index
