"""Compilation: entry points, the cache on disk, and the same code without compilation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from kernel_reference import IS_COMPILED

from mosaic_sr.kernel import jit
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


def test_who_comes_second_waits_for_the_first(tmp_path: Path):
    order = []

    def come_second() -> None:
        with jit._alone(tmp_path / "entry.lock"):
            order.append("second")

    other = threading.Thread(target=come_second)
    with jit._alone(tmp_path / "entry.lock"):
        other.start()
        time.sleep(0.1)
        order.append("first")
    other.join()
    assert order == ["first", "second"]


@needs_compiler
def test_a_cache_folder_that_cannot_be_made_is_no_obstacle(tmp_path: Path):
    (tmp_path / "file").write_text("")
    user = run_python(
        "from mosaic_sr.kernel import power; print(power.power_rows_rows_block.folder.is_dir())",
        MOSAIC_CACHE_DIR=str(tmp_path / "file" / "below"),
    )
    assert user.communicate(timeout=60)[0] == "True\n"


@needs_compiler
def test_code_that_somebody_else_has_compiled_is_used_where_nothing_can_be_written(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(tmp_path / "shared"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "own"))
    folder_of, source = jit._cache_folder.__wrapped__, Path(jit.__file__)
    (folder_of(source) / "module.function-1.py311.1.nbc").write_text("code")
    # Even a folder without the right to write is open to the superuser.
    monkeypatch.setattr(os, "access", lambda path, mode: "shared" not in str(path))
    assert [file.name for file in folder_of(source).iterdir()] == ["module.function-1.py311.1.nbc"]
    assert tmp_path / "own" in folder_of(source).parents


def test_the_cache_key_follows_imports():
    sources = {path.name for path in jit._imported_sources(Path(jit.__file__).with_name("evaluate.py"))}
    assert {"evaluate.py", "_dispatch.py", "elementary.py", "power.py", "workspace.py", "operators.py"} <= sources


@pytest.mark.parametrize("setting", ["CPU_NAME", "CPU_FEATURES"])
def test_code_for_another_target_has_another_folder(setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(tmp_path))
    folders = set()
    for value in ("generic", "other", ""):
        monkeypatch.setenv(f"NUMBA_{setting}", value)
        jit._place.cache_clear()
        folders.add(jit._cache_folder.__wrapped__(Path(jit.__file__)))
    jit._place.cache_clear()
    assert len(folders) == 3


def test_another_numba_python_or_processor_has_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(tmp_path))
    folder_of = jit._cache_folder.__wrapped__
    source = Path(jit.__file__)
    before = folder_of(source)
    assert folder_of(source) == before
    for other in ("sys.version", "platform.machine", "_processor"):
        jit._place.cache_clear()
        with monkeypatch.context() as changed:
            changed.setattr(f"mosaic_sr.kernel.jit.{other}", "other" if other == "sys.version" else lambda: "other")
            assert folder_of(source) != before
    jit._place.cache_clear()
    assert folder_of(source) == before
    assert f"numba-{metadata.version('numba')}" in jit._place()


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
