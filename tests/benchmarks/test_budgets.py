"""The laws that fewer paths or steps of one run would have led to."""

from benchmarks.budgets import laws_at_budgets


def stand(path, steps, equation, nmse, operators=3):
    law = {"equation": equation, "validation_nmse": nmse, "operators": operators}
    return {"path": path, "steps": steps, **law}


def test_the_first_paths_are_read_where_they_stood_after_so_many_steps():
    trace = [
        stand(0, 100, "a", 0.5),
        stand(0, 300, "b", 0.1),
        stand(5, 100, "c", 0.2),
        stand(6, 500, "d", 0.01),
    ]
    laws = laws_at_budgets(trace)
    assert (laws[1, 100], laws[1, 300], laws[1, 500]) == ("a", "b", "b")
    assert (laws[6, 100], laws[6, 300]) == ("c", "b")
    assert (laws[12, 300], laws[12, 500], laws[48, 500]) == ("b", "d", "d")


def test_among_exact_laws_the_one_of_fewest_operators_is_chosen():
    trace = [stand(0, 100, "long", 0.0, 9), stand(1, 100, "short", 1e-16, 4), stand(2, 100, "near", 1e-9, 1)]
    assert laws_at_budgets(trace)[6, 100] == "short"


def test_budgets_without_a_law_are_left_out():
    assert laws_at_budgets([]) == {}
    laws = laws_at_budgets([stand(0, 100, "a", float("nan")), stand(0, 300, "b", 0.1)])
    assert (1, 100) not in laws
    assert laws[1, 300] == "b"
