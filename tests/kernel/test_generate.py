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


def test_what_the_generator_does_not_know_is_refused():
    with pytest.raises(ValueError, match="does not know"):
        value_statements("a if b else 1.0", {"a"})
