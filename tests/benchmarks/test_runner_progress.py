"""What is said of a run when it ends."""

import io

from rich.console import Console

from benchmarks.progress import Progress
from tests.benchmarks.result_lines import make_result


def test_a_line_tells_the_law_from_its_structure_and_from_a_miss():
    console = Console(file=io.StringIO(), width=200)
    results = [
        make_result("a", strict=True, structure=True),
        make_result("b", strict=False, structure=True),
        make_result("c", strict=False, structure=False),
        make_result("d", strict=False, structure=False, error="crashed"),
    ]
    with Progress(["nguyen"] * 4, console) as progress:
        for result in results:
            progress.note(result)
    lines = console.file.getvalue().splitlines()
    outcomes = [line.split(": ")[1].split(",")[0] for line in lines if line.startswith("[")]
    assert outcomes == ["found", "right structure", "missed", "crashed"]
    assert "(strict 25.0 %  structure 50.0 %  Acc 25.0 %)" in lines[-1]
