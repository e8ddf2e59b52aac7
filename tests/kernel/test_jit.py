"""Compilation: entry points, the cache on disk, and the same code without compilation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from kernel_reference import IS_COMPILED

from mosaic_sr.kernel import jit, workspace
from mosaic_sr.kernel.jit import FLOATS, OUT, bits_float, compiled, float_bits, multiply_add, part, unowned

needs_compiler = pytest.mark.skipif(not IS_COMPILED, reason="compilation is switched off")


@compiled(f"float64({FLOATS})")
def total(numbers):
    """Sum the numbers."""
    result = 0.0
    for number in numbers:
        result += number
    return result


@compiled(f"void({FLOATS}, {OUT})")
def write_running_total(numbers, out):
    """Call the entry point above once per element."""
    for stop in range(len(out)):
        out[stop] = total(numbers[: stop + 1])


def test_entry_points_accept_arrays_that_may_not_be_written():
    numbers = np.arange(4.0)
    numbers.flags.writeable = False
    assert total(numbers) == 6.0


def test_compiled_code_calls_entry_points():
    out = np.empty(4)
    write_running_total(np.arange(4.0), out)
    assert out.tolist() == [0.0, 1.0, 3.0, 6.0]


@needs_compiler
def test_entry_points_refuse_other_types():
    with pytest.raises(TypeError):
        total(np.arange(4))


def test_multiply_add_rounds_once_where_the_processor_can():
    @compiled("float64(float64, float64, float64)")
    def apply(a, b, c):
        return multiply_add(a, b, c)

    a = np.float64(1.0 + 2.0**-30)
    assert apply(a, a, -1.0 - 2.0**-29) in (2.0**-60, 0.0)


def test_bits_go_there_and_back():
    @compiled("float64(float64)")
    def there_and_back(x):
        return bits_float(float_bits(x))

    for number in (1.5, -0.0, 5e-324, np.inf):
        assert there_and_back(number) == number


def test_views_share_memory():
    @compiled("void(float64[:, ::1])")
    def fill(table):
        part(table, 2, 3)[:] = 1.0

    table = np.zeros((2, 3))
    fill(table)
    assert table.tolist() == [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]


FIRST_USE = """
from mosaic_sr.kernel import jit, workspace
said = []
jit.warm_up(said.append)
print(len(said), workspace.work_size(2))
"""


@pytest.fixture
def script(tmp_path: Path):
    """A function that runs a file of its own with an empty cache: what ends in a signal must not end the tests."""

    def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "script.py").write_text(code)
        environment = {**os.environ, "MOSAIC_CACHE_DIR": str(tmp_path / "cache"), **variables}
        command = [sys.executable, str(tmp_path / "script.py")]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200, check=False)

    return run


def run_python(code: str, **variables: str) -> subprocess.Popen[str]:
    environment = {**os.environ, **variables}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)


@needs_compiler
def test_processes_that_start_together_share_one_cache(tmp_path: Path):
    first_users = [run_python(FIRST_USE, MOSAIC_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    # How many each compiles depends on who is first; the values do not.
    assert all(user.communicate(timeout=200)[0].endswith(" 1552\n") for user in first_users)
    late_user = run_python(FIRST_USE, MOSAIC_CACHE_DIR=str(tmp_path))
    assert late_user.communicate(timeout=200)[0] == "0 1552\n"


@needs_compiler
def test_the_same_code_in_another_place_is_not_compiled_again(tmp_path: Path):
    package = Path(jit.__file__).parents[1]
    shutil.copytree(package, tmp_path / "elsewhere" / package.name)
    variables = {"MOSAIC_CACHE_DIR": str(tmp_path / "cache")}
    said = [run_python(FIRST_USE, **variables).communicate(timeout=200)[0]]
    variables["PYTHONPATH"] = str(tmp_path / "elsewhere")
    said += [run_python(f"{FIRST_USE}print(jit.__file__)", **variables).communicate(timeout=200)[0]]
    assert said[0].split()[0] != "0"
    assert said[1].split()[0] == "0"
    assert said[1].split()[-1].startswith(str(tmp_path))


NESTED = """
import sys, threading
from mosaic_sr.kernel import compiler, jit
from mosaic_sr.kernel.jit import compiled

@compiled("float64(float64)")
def inner(x):
    return x + 1.0

@compiled("float64(float64)")
def middle(x):
    return 2.0 * inner(x)

@compiled("float64(float64)")
def outer(x):
    return middle(x) - 1.0

"""

FAILURES = """
class Alarm(BaseException):
    pass

prepare, failures = inner.prepare, [KeyboardInterrupt, Alarm, MemoryError]

def fail():
    if failures:
        raise failures.pop(0)("while " + inner.symbol + " was prepared")
    return prepare()

inner.prepare = fail
told = []

def call():
    while True:
        try:
            told.append(outer(3.0))
            return
        except BaseException as error:
            told.append(f"{type(error).__name__}: {error}")

"""


@needs_compiler
@pytest.mark.parametrize("thread", ["call()", "t = threading.Thread(target=call); t.start(); t.join()"])
def test_an_exception_while_an_entry_is_prepared_reaches_the_caller_and_the_next_call_asks_again(thread, script):
    done = script(f"{NESTED}{FAILURES}{thread}\nprint(*told, sep='\\n')")
    said = [f"{name}: while __main__.inner was prepared" for name in ("KeyboardInterrupt", "Alarm", "MemoryError")]
    assert (done.returncode, done.stdout.splitlines()) == (0, [*said, "7.0"]), done.stderr


BROKEN = """
from mosaic_sr.kernel.jit import compiled

@compiled("float64(float64)")
def inner(x):
    return x.there_is_no_such_thing()

@compiled("float64(float64)")
def outer(x):
    return 2.0 * inner(x)

for _ in range(2):
    try:
        outer(1.0)
    except Exception as error:
        print(type(error).__name__)
"""


@needs_compiler
def test_a_compile_error_below_compiled_code_is_raised(script):
    assert script(BROKEN).stdout.split() == ["TypingError", "TypingError"]


INTERRUPTED = """
import os, signal
from numba.core.event import Listener, install_listener

class Interrupt(Listener):
    def on_start(self, event):
        if not came:
            came.append(signal.getsignal(signal.SIGINT) is not signal.default_int_handler)
            os.kill(os.getpid(), signal.SIGINT)
    def on_end(self, event):
        pass

came = []
with install_listener("numba:run_pass", Interrupt()):
    try:
        outer(3.0)
    except KeyboardInterrupt:
        came.append("interrupted")
print(*came, outer(3.0), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


@needs_compiler
def test_ctrl_c_inside_numba_waits_for_the_end_of_a_step_and_the_entry_can_be_compiled_afterwards(script):
    assert script(NESTED + INTERRUPTED).stdout == "True interrupted 7.0 True\n"


@needs_compiler
def test_files_beside_the_user_are_not_imported_by_the_second_process(tmp_path: Path, monkeypatch):
    (tmp_path / "numpy.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jit, "_HELPERS", [])
    monkeypatch.setattr(jit, "ENTRY_POINTS", [workspace.work_size])
    monkeypatch.setattr(workspace.work_size, "is_slow", True)
    monkeypatch.setattr(workspace.work_size, "is_kept", lambda: False)
    jit.compile_beside()
    (helper,) = jit._HELPERS
    assert helper.wait(timeout=200) == 0
    assert not (tmp_path / "ran").exists()


def test_compiling_stops_the_clock_of_the_search(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("mosaic_sr.kernel.jit.time.monotonic", lambda: now[0])
    compilation = jit.Compilation()
    monkeypatch.setattr(jit, "COMPILATION", compilation)

    def compile_until_interrupted() -> None:
        with compilation.timed():
            now[0] = 40.0  # a clock that is shown meanwhile does not move either
            assert (compilation.seconds, jit.time_without_compiling()) == (40.0, 0.0)
            now[0] = 50.0
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_until_interrupted()
    now[0] = 53.0
    assert (compilation.seconds, jit.time_without_compiling()) == (50.0, 3.0)


WITHOUT_COMPILER = """
import numpy as np
from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.kernel.derivatives import block_jacobian, work_size
e = apply("mul", constant(2.0), apply("sin", apply("mul", constant(3.0), variable(0))))
x = np.linspace(-1.0, 1.0, 5)
values, jacobian = np.empty(5), np.empty((2, 5))
work, wanted = np.empty(work_size(len(e))), np.ones(2, np.int64)
block_jacobian(e.codes, e.slots, e.constants, wanted, x[None], 0, 5, work, values, jacobian)
print(np.allclose(values, 2 * np.sin(3 * x)), np.allclose(jacobian, [np.sin(3 * x), 2 * x * np.cos(3 * x)]))
"""


def test_the_same_code_runs_without_compilation():
    assert run_python(WITHOUT_COMPILER, NUMBA_DISABLE_JIT="1").communicate(timeout=60)[0] == "True True\n"


@compiled(f"float64({FLOATS})")
def total_unowned(numbers):
    """Sum numbers that nobody counts references to."""
    return total(unowned(numbers))


def test_an_unowned_array_is_the_same_array():
    numbers = np.arange(5.0)
    assert total_unowned(numbers) == 10.0
    assert total_unowned(numbers) == 10.0
    assert unowned(numbers) is numbers


def test_what_is_compiled_inside_another_is_counted_once(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("mosaic_sr.kernel.jit.time.monotonic", lambda: now[0])
    compilation = jit.Compilation()
    with compilation.timed():
        now[0] = 10.0
        with compilation.timed():
            now[0] = 30.0
        now[0] = 60.0
    now[0] = 100.0
    assert compilation.seconds == 60.0
