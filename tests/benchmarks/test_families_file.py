"""`python -m benchmarks families`: drawn laws become families, and the file of the package is what it writes."""

import numpy as np

from benchmarks.families import OUTPUT, SEED, family_of, written_formulas
from benchmarks.suites.measured_laws import MeasuredLaw, draw_law
from benchmarks.suites.sampling import Axis
from mosaic_sr.pretraining.families import parse_families


def test_free_numbers_become_constants_and_simple_ones_stay() -> None:
    law = MeasuredLaw("5.313*(x0 - 12.89 + abs(x0 - 12.89))^2", (Axis("even-log", 1.0, 30.0),))
    line = family_of(law)
    assert line == "c0*(x0 - c1 + abs(x0 - c1))^2 | x0 = 1..30 log | c0 = 3.72..7.44, c1 = 9.02..18"
    (family,) = parse_families(line, "line")
    assert family.formula.names == ("c0", "c1")


def test_the_file_of_the_package_is_what_the_command_writes() -> None:
    lines = OUTPUT.read_text(encoding="utf-8").splitlines()[1:]
    rng = np.random.default_rng(SEED)
    with np.errstate(all="ignore"):
        drawn = [family_of(draw_law(rng)) for _ in range(20)]
    assert lines[:20] == drawn
    assert lines[-5:] == list(written_formulas())[-5:]
