"""Tables of a law's constants."""

import math
from dataclasses import replace

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.text import parse
from mosaic_sr.report import constants_table, described_constants


def test_physical_constants_are_named():
    expression = parse("299792458.0*t + 0.5", ["t"])
    law = Equation(expression, ("t",), UNKNOWN, UNKNOWN, "test", standard_errors=(0.0, 0.1), constant_names=("c", ""))
    table = constants_table(law)
    assert table["name"].tolist() == ["c", ""]
    assert table["value"].tolist() == [299792458.0, 0.5]
    assert math.isclose(table["standard_error"].iloc[1], 0.1)


def test_intervals_are_columns_where_they_were_asked_for():
    expression = parse("2.5*t + 0.5", ["t"])
    plain = Equation(expression, ("t",), UNKNOWN, UNKNOWN, "test", standard_errors=(0.1, 0.2))
    ends = ((2.4, 2.6, 2.3, 2.7), (0.3, 0.7, 0.1, math.inf))
    assert "low_68" not in constants_table(plain)
    table = constants_table(replace(plain, intervals=ends))
    assert [tuple(row) for row in table[["low_68", "high_68", "low_95", "high_95"]].to_numpy()] == list(ends)
    lines = described_constants(replace(plain, intervals=ends))
    assert lines[0].endswith("68 %: 2.4 to 2.6   95 %: 2.3 to 2.7")
    assert lines[1].endswith("95 %: above 0.1, no upper bound")
