"""The generated dispatch."""

from __future__ import annotations

import pytest

from mosaic_sr.kernel.generate import DESTINATION, partial_statements, source, value_statements


def test_the_dispatch_in_the_repository_is_a_fresh_generation():
    assert DESTINATION.read_text() == source(), "run: python -m mosaic_sr.kernel.generate"


def test_functions_without_a_vector_instruction_become_blocks():
    assert value_statements("sin(a)", {"a"}) == "sin_block(a, out, count)"
    assert value_statements("sqrt(a) + b", {"a"}) == "for i in range(count):\n    out[i] = np.sqrt(a[i]) + b"


def test_blocks_inside_a_partial_go_through_temporaries():
    statements = partial_statements("v * log(abs(a))", {"a"})
    assert statements.splitlines()[2] == "log_block(t1, t2, count)"
    assert statements.splitlines()[-1] == "    out[i] = g[i] * (v[i] * t2[i])"


def test_a_block_inside_a_value_stands_where_the_value_will():
    statements = value_statements("1.0 / cosh(a)", {"a"})
    assert statements == "cosh_block(a, out, count)\nfor i in range(count):\n    out[i] = 1.0 / out[i]"


@pytest.mark.parametrize(
    ("formula", "statement"),
    [
        ("exp(-a * a)", "out[i] = np.exp(-a[i] * a[i])"),
        ("sin(a) * cos(a)", "out[i] = np.sin(a[i]) * np.cos(a[i])"),
        ("erf(a)", "out[i] = math.erf(a[i])"),
        ("cbrt(a)", "out[i] = np.cbrt(a[i])"),
        ("a if a > b else 0.0", "out[i] = a[i] if a[i] > b else 0.0"),
    ],
)
def test_what_has_no_room_or_no_block_is_computed_row_by_row(formula, statement):
    assert value_statements(formula, {"a"}) == f"for i in range(count):\n    {statement}"


def test_a_partial_with_more_blocks_than_temporaries_is_computed_row_by_row():
    assert partial_statements("sin(a) * cos(a) * exp(a)", {"a"}).endswith(
        "out[i] = g[i] * ((np.sin(a[i]) * np.cos(a[i])) * np.exp(a[i]))"
    )


@pytest.mark.parametrize("formula", ["a if b else 1.0", "a % 2.0", "j0(a)", "max(a, 0.0)", "a[0]"])
def test_what_the_generator_does_not_know_is_refused(formula):
    with pytest.raises(ValueError, match="does not know"):
        value_statements(formula, {"a"})
