"""Counts the symbols of formulas as scientists write them, for the structure prior of the package.

Two sources: laws drawn by the generator of `measured`, and the formulas of `formulas.txt`. None is a problem of a
benchmark: the laws are drawn with a seed of their own, and `formulas.txt` has no skeleton that is kept from training.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.run_options import Parser
from benchmarks.suites.measured_laws import draw_law
from mosaic_sr import Expression, count_symbols, parse

# No suite has this seed.
SEED = 20_261_120
NUM_LAWS = 12_000
FORMULAS = Path(__file__).with_name("formulas.txt")
# Together the formulas weigh somewhat less than the laws, so that neither source hides the other.
SHARE_OF_FORMULAS = 0.6
MAX_COLUMNS = 4
# Numbers that nobody would take for simple ones stand for the free constants of the formulas.
LETTERS = {"a": "1.3713", "b": "0.7371", "c": "2.2917", "d": "5.3137", "f": "0.4393", "g": "3.1769"}
# A fragment that was drawn once says little.
LEAST_WEIGHT = 1.0
OUTPUT = Path("src/mosaic_sr/evidence/structure_prior.json")


def main(given: Sequence[str]) -> int:
    """Write the counts of the structure prior."""
    parser = Parser(prog="python -m benchmarks structure-prior", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=OUTPUT, metavar="FILE.json", help="the file of the package")
    options: argparse.Namespace = parser.parse_args(given)
    formulas = list(read_formulas())
    weight = SHARE_OF_FORMULAS * NUM_LAWS / max(len(formulas), 1)
    weighted = [*((law, 1.0) for law in draw_laws()), *((formula, weight) for formula in formulas)]
    counted = count_symbols(weighted)
    content = {
        "about": "counts of symbols (by symbol two above, symbol above, place, operand before) and of fragments",
        "laws": NUM_LAWS,
        "seed": SEED,
        "formulas": len(formulas),
        **counted.to_json(LEAST_WEIGHT),
    }
    options.out.write_text(json.dumps(content, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{options.out}: {len(counted.symbols)} contexts from {NUM_LAWS} drawn laws and {len(formulas)} formulas")
    return 0


def draw_laws() -> Iterator[Expression]:
    """Laws as `measured` draws them."""
    rng = np.random.default_rng(SEED)
    for _ in range(NUM_LAWS):
        law = draw_law(rng)
        yield parse(law.formula, _names(len(law.axes)))


def read_formulas() -> Iterator[Expression]:
    """The formulas of the corpus, with numbers in the place of their free constants."""
    for line in FORMULAS.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            formula = line.split("|")[1].strip()
            yield parse(re.sub(r"\b[a-dfg]\b", lambda match: LETTERS[match[0]], formula), _names(MAX_COLUMNS))


def _names(count: int) -> list[str]:
    return [f"x{column}" for column in range(count)]
