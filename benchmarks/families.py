"""`python -m benchmarks families`: write the families of laws that the learned prior is trained on beside random ones.

Two sources, as for the structure prior: laws drawn by the generator of `measured` with a seed of their own, and the
formulas of `formulas.txt`. None is a problem of a benchmark.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.run_options import Parser
from benchmarks.simple_numbers import is_simple
from benchmarks.structure_prior import FORMULAS
from benchmarks.suites.measured_laws import MeasuredLaw, draw_law
from benchmarks.suites.sampling import Axis

# No suite and no other count has this seed.
SEED = 20_261_121
NUM_LAWS = 2_500
# How far a constant may be from the one that was drawn with the law, so that the curve still bends inside its range.
NARROWER, WIDER = 0.7, 1.4
OUTPUT = Path("src/mosaic_sr/pretraining/families.txt")
ABOUT = "# Families of laws, written by `python -m benchmarks families`: formula | columns | constants.\n"
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def main(given: Sequence[str]) -> int:
    """Write the families."""
    parser = Parser(prog="python -m benchmarks families", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=OUTPUT, metavar="FILE.txt", help="the file of the package")
    options: argparse.Namespace = parser.parse_args(given)
    rng = np.random.default_rng(SEED)
    with np.errstate(all="ignore"):
        lines = [*dict.fromkeys(family_of(draw_law(rng)) for _ in range(NUM_LAWS)), *written_formulas()]
    options.out.write_text(ABOUT + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{options.out}: {len(lines)} families")
    return 0


def family_of(law: MeasuredLaw) -> str:
    """A drawn law as a line: its free numbers become constants."""
    names: dict[str, str] = {}  # a number that stands twice, as in a ramp, is one constant

    def named(match: re.Match[str]) -> str:
        return match[0] if is_simple(float(match[0])) else names.setdefault(match[0], f"c{len(names)}")

    formula = _NUMBER.sub(named, law.formula)
    columns = ", ".join(f"x{index} = {_range(axis)}" for index, axis in enumerate(law.axes))
    constants = (f"{name} = {NARROWER * float(n):.3g}..{WIDER * float(n):.3g}" for n, name in names.items())
    return f"{formula} | {columns} | {', '.join(constants)}"


def _range(axis: Axis) -> str:
    return f"{axis.low:g}..{axis.high:g}{' log' if 'log' in axis.kind else ''}"


def written_formulas() -> Iterator[str]:
    """The formulas as scientists write them; where their columns and constants lie is open."""
    for line in FORMULAS.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            formula = line.split("|")[1].strip()
            yield f"{formula} | {', '.join(sorted(set(re.findall(r'x[0-9]', formula))))}"
