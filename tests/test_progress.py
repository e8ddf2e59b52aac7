"""What a person sees while the search runs."""

import io

from rich.console import Console

from mosaic_sr import progress
from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.kernel.jit import COMPILATION


def test_compilation_is_one_line_in_a_log(capsys):
    progress._announce_compilation.cache_clear()
    for name in ("walk", "fit", "measure"):
        progress.print_compilation(f"compiling {name}, once per version")
    assert capsys.readouterr().err.count("\n") == 1


def test_compilation_is_one_changing_line_in_a_terminal(capsys):
    screen = io.StringIO()
    before = COMPILATION.report
    with progress._live(Console(file=screen, force_terminal=True), start_clock(Budget(1)), lambda snapshot: ""):
        COMPILATION.report("compiling walk, once per version")
        COMPILATION.report("compiling fit, once per version")
    assert "compiling fit" in screen.getvalue()
    assert "compiling walk" not in screen.getvalue()  # drawn over before it was seen
    assert capsys.readouterr().err == ""
    assert COMPILATION.report is before
