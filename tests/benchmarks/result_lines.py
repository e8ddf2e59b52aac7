"""Results made up for tests of files and reports."""

from benchmarks.results_file import Result


def make_result(problem="Nguyen-1", suite="nguyen", seed=0, strict=True, **changes):
    facts = {
        "equation": "x0 + 1.0",
        "truth": "x0 + 1",
        "srbench": strict,
        "r2": 1.0 if strict else 0.5,
        "nmse": 0.0 if strict else 0.5,
        "complexity": 3,
        "true_operators": 1,
        "decoded_operators": None,
        "seconds": 2.0,
        "stage_seconds": {"refinement": 1.5},
        "evaluations": 10,
        "found_by": "grammar",
        "settings": {"time_limit": 10.0},
        "commit": "abc1234",
        "machine": {"cpu": "some cpu", "cores": 2},
    }
    named = {"suite": suite, "problem": problem, "method": "mosaic", "seed": seed, "strict": strict}
    return Result(**{**named, **facts, **changes})


def cells_of(report, label):
    (row,) = [line for line in report.splitlines() if line.startswith(f"| {label} |")]
    return [cell.strip() for cell in row.strip("|").split("|")][1:]
