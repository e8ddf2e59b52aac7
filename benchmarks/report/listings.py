"""What was printed: for data of Taylor polynomials, and for the equations whose predictions the paper lists."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.paper_rows import LISTED
from benchmarks.report.lines import by_entrant, commands_for, leading, shares_skeleton
from benchmarks.report.section import ABSENT, Section, code, markdown_table
from benchmarks.results_file import Result

# The functions behind the polynomials of the Taylor study, by the middle part of the problems' names.
TAYLOR_FUNCTIONS = {
    "log": "log(x0 + 1)",
    "sin": "sin(x0)",
    "feynman-i.18.12": "x0*x1*sin(x2)",
    "feynman-i.12.11": "x0*(x1 + x2*x3*sin(x4))",
}


def listing_sections(results: Sequence[Result]) -> list[Section]:
    """The Taylor table and the listed predictions."""
    usual = leading(results)
    return [*_taylor(usual), *_predictions(usual)]


def _taylor(results: Sequence[Result]) -> list[Section]:
    """A row per function, order and method, with the equation of the first seed."""
    runs = [result for result in results if result.suite == "taylor"]
    if not runs:
        return []
    rows = []
    for problem in sorted({result.problem for result in runs}, key=_taylor_order):
        function, order = _function_and_order(problem)
        for entrant, own in by_entrant(result for result in runs if result.problem == problem).items():
            first = min(own, key=lambda result: result.seed)
            names = [TAYLOR_FUNCTIONS.get(function, function), str(order), entrant.label]
            hits = [sum(result.strict for result in own), sum(_is_function(result, function) for result in own)]
            rows.append([*names, code(first.equation), *(f"{count}/{len(own)}" for count in hits)])
    header = ["Function", "Order", "Method", "Found", "Polynomial", "Function"]
    words = (
        "The rows follow the Taylor polynomial of the given order, so the polynomial is the true law. *Polynomial*"
        " counts the seeds that returned it, *Function* those that returned the expanded function instead.\n\n"
    )
    return [Section("Taylor orders", words + markdown_table(header, rows, 4), commands_for(runs))]


def _function_and_order(problem: str) -> tuple[str, int]:
    function, _, order = problem.removeprefix("taylor-").rpartition("-")
    return function, int(order)


def _taylor_order(problem: str) -> tuple[int, str, int]:
    """The functions in the order of the study, each by rising order."""
    function, order = _function_and_order(problem)
    known = list(TAYLOR_FUNCTIONS)
    return known.index(function) if function in known else len(known), function, order


def _is_function(result: Result, function: str) -> bool:
    """Whether the equation is the function but for its numbers, and not the polynomial, which it can equal."""
    formula = TAYLOR_FUNCTIONS.get(function, "")
    return not result.strict and bool(formula) and shares_skeleton(result, formula)


def _predictions(results: Sequence[Result]) -> list[Section]:
    """A table per listed equation."""
    parts: list[str] = []
    used: list[Result] = []
    for suite, listed in LISTED.items():
        for problem in listed:
            runs = [result for result in results if (result.suite, result.problem) == (suite, problem)]
            if runs:
                reason = runs[0].unidentifiable
                remark = f" (unidentifiable: {reason})" if reason else ""
                parts.append(f"{suite}, {problem}: {code(runs[0].truth)}{remark}\n\n" + _prediction_table(runs))
                used += runs
    return [Section("Predictions", "\n".join(parts), commands_for(used))] if parts else []


def _prediction_table(runs: Sequence[Result]) -> str:
    rows = []
    for entrant, own in by_entrant(runs).items():
        first = min(own, key=lambda result: result.seed)
        error = ABSENT if first.nmse is None else f"{first.nmse:.1e}"
        hits = f"{sum(result.strict for result in own)}/{len(own)}"
        rows.append([entrant.label, code(first.equation), error, hits])
    return markdown_table(["Method", "First seed", "Test NMSE", "Strict seeds"], rows, 2)
