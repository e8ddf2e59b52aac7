"""The suites of long laws."""

from benchmarks.suites import load


def test_laws_have_more_than_eight_operators_and_another_seed_draws_others():
    first, second = (load(name).problems for name in ("long-1", "long-2"))
    assert len(first) == len(second) == 40
    assert all(9 <= problem.true_operators <= 12 for problem in (*first, *second))
    assert not {problem.formula for problem in first} & {problem.formula for problem in second}
