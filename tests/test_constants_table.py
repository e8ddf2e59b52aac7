"""Tables of a law's constants."""

import math

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.text import parse
from mosaic_sr.report import constants_table


def test_physical_constants_are_named():
    expression = parse("299792458.0*t + 0.5", ["t"])
    law = Equation(expression, ("t",), UNKNOWN, UNKNOWN, "test", standard_errors=(0.0, 0.1), constant_names=("c", ""))
    table = constants_table(law)
    assert table["name"].tolist() == ["c", ""]
    assert table["value"].tolist() == [299792458.0, 0.5]
    assert math.isclose(table["standard_error"].iloc[1], 0.1)
