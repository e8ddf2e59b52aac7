"""`compiled` turns a function into nogil machine code when it is first used; entry points are kept on disk.

Also the few machine operations that Python has no word for: fused multiply-add, the bits of a float, views of memory.
numba itself is behind `compiler`, which is imported at the first use of a compiled function: importing it takes as long
as importing the rest.
"""

from __future__ import annotations

import functools
import math
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mosaic_sr.kernel.code_cache import CodeCache, cache_root, open_cache
from mosaic_sr.kernel.code_key import code_key
from mosaic_sr.kernel.signals import held_signals

Function = TypeVar("Function", bound=Callable[..., Any])
Clocks = tuple[float, float]  # seconds by the clock, and seconds that this process has worked

# Words for signatures. Expressions hold read-only arrays; writable ones are accepted wherever read-only ones are.
INTS = "Array(int32, 1, 'C', readonly=True)"
FLOATS = "Array(float64, 1, 'C', readonly=True)"
COLUMNS = "Array(float64, 2, 'C', readonly=True)"
OUT = "float64[::1]"
OUT_ROWS = "float64[:, ::1]"
POINTER, INT32_POINTER, INT64_POINTER = "CPointer(float64)", "CPointer(int32)", "CPointer(int64)"

# Sums of residuals may be reassociated so that they vectorise; NaN and infinity always keep their meaning.
REASSOCIATE = {"reassoc", "contract", "nsz", "arcp"}

# 1 chooses numba's documented interface, which is slower; 0 its internals, also of releases that were not tested.
PLAIN = "MOSAIC_PLAIN_NUMBA"
# numba's own switch: everything runs as plain Python, a thousand times slower.
IS_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def compiled(
    signature: str | None = None, *, reassociate: bool = False, inline: str = "never", is_slow: bool = False
) -> Callable[[Function], Function]:
    """Decorator: machine code that releases the GIL.

    With a signature the function is an entry point: compiled at its first use, for these types alone, and kept on disk.
    Without one it becomes part of its compiled callers. `inline="always"` lets loops over the function vectorise.
    is_slow: the entry point takes seconds to compile, so `compile_beside` has it done by a second process.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": REASSOCIATE if reassociate else False,
        "forceinline": inline == "always",
    }

    def decorate(function: Function) -> Function:
        if IS_DISABLED:
            return np.errstate(all="ignore")(function) if signature else function
        made: Any = EntryPoint(function, signature, options, is_slow) if signature else Inner(function, options)
        return made  # type: ignore[no-any-return]

    return decorate


class Inner:
    """A function that becomes part of its compiled callers, once per combination of types."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.options = options

    def __call__(self, *arguments: Any) -> Any:
        return self.callable(*arguments)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What compiled callers know the function as."""
        return _compiler().make_inner(self, is_called_from_python=False)

    @functools.cached_property
    def callable(self) -> Any:
        """What Python calls."""
        return _compiler().make_inner(self, is_called_from_python=True)


class EntryPoint:
    """A compiled function of one signature, loaded or compiled when it is first called.

    Compiled callers hold no copy of it: they ask for its address when they first need it, so that each entry point is
    compiled once and its callers compile fast.
    """

    def __init__(self, function: Callable[..., Any], signature: str, options: dict[str, Any], is_slow: bool) -> None:
        if function.__closure__:
            raise ValueError(f"{function.__name__} reads variables of an outer function, which the cache cannot see")
        functools.update_wrapper(self, function)
        self.py_func = function
        self.signature = signature
        self.options = options
        self.is_slow = is_slow
        self.dispatcher: Any = None
        self.symbol = f"{function.__module__}.{function.__qualname__}"
        ENTRY_POINTS.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return (self.dispatcher or self.prepare())(*arguments)

    def prepare(self) -> Any:
        """Load from disk or compile; returns the function that Python calls."""
        with _preparing:
            if self.dispatcher is None:
                self.dispatcher = self._load() or self._compile()
        return self.dispatcher

    def _load(self) -> Any:
        """The function that Python calls, from its machine code on disk; None when there is none that is whole."""
        if not self.is_kept():
            return None
        compiler = _compiler()
        code = self.cache.read(self.file_name, compiler.code_maker())
        return None if code is None else compiler.load_entry(self, code)

    def _compile(self) -> Any:
        """Compile onto disk; where another process does so already, wait for it and load."""
        COMPILATION.report(f"compiling {self.py_func.__name__}, once per version")
        with COMPILATION.timed():
            if not _compiler().KEEPS_CODE:  # nobody gains from waiting
                return self._compile_alone()
            with self.cache.alone(self.file_name):
                return self._load() or self._compile_alone()

    def _compile_alone(self) -> Any:
        compiler = _compiler()
        made, code = compiler.compile_entry(self)
        problem = self.cache.write(self.file_name, code, compiler.code_maker()) if code else ""
        if problem:
            COMPILATION.note(f"machine code is not kept, so the next process compiles again: {problem}")
        return made

    @functools.cached_property
    def cache(self) -> CodeCache:
        """Where the machine code is kept."""
        return open_cache(code_key(Path(self.py_func.__code__.co_filename)), COMPILATION.note)

    @property
    def file_name(self) -> str:
        """The file of the machine code; the line tells apart functions of one name."""
        function = self.py_func
        return f"{function.__qualname__}-{function.__code__.co_firstlineno}.code".replace("<", "").replace(">", "")

    def is_kept(self) -> bool:
        """Whether the machine code is on disk."""
        return self.cache.has(self.file_name)


def _compiler() -> Any:
    """The module that makes machine code; Ctrl-C inside an import would leave it half imported."""
    with held_signals():
        from mosaic_sr.kernel import compiler

        return compiler.maker()


def _clocks() -> Clocks:
    return time.monotonic(), time.process_time()


class Compilation:
    """Entry points that are compiled rather than loaded: who hears of them, how long it took, what went wrong."""

    def __init__(self) -> None:
        self.report: Callable[[str], None] = lambda message: None
        self.notes: list[str] = []
        # What is done, and the start of what is not, on both clocks; in one piece, because other threads read it.
        self._spent: tuple[Clocks, Clocks | None] = ((0.0, 0.0), None)

    @property
    def seconds(self) -> float:
        """Spent on compiling so far, by the clock."""
        return self._so_far()[0]

    @property
    def processor_seconds(self) -> float:
        """Spent on compiling so far, by the time that this process has worked."""
        return self._so_far()[1]

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the time inside; the lock around preparing keeps others out.

        numba's documented interface compiles entry points inside others, which count for both.
        """
        if self._spent[1] is not None:
            yield
            return
        self._spent = (self._so_far(), _clocks())
        try:
            yield
        finally:
            self._spent = (self._so_far(), None)

    def _so_far(self) -> Clocks:
        done, started = self._spent
        if started is None:
            return done
        now = _clocks()
        return done[0] + now[0] - started[0], done[1] + now[1] - started[1]

    def note(self, message: str) -> None:
        """Keep a message for the user, once."""
        self.notes += [] if message in self.notes else [message]


COMPILATION = Compilation()
ENTRY_POINTS: list[EntryPoint] = []
_preparing = threading.RLock()


def time_without_compiling() -> float:
    """A clock that stands still while something is compiled: the first use of a version is not the search's time."""
    return time.monotonic() - COMPILATION.seconds


def warm_up(report: Callable[[str], None]) -> None:
    """Load or compile the entry points of all imported modules; `report` hears of each one that is compiled."""
    before, COMPILATION.report = COMPILATION.report, report
    for entry in ENTRY_POINTS:
        entry.prepare()
    COMPILATION.report = before


def compile_beside() -> None:
    """Let a second process compile what is not on disk, the slow entry points first, while this one needs others."""
    missing = sorted((entry for entry in ENTRY_POINTS if not entry.is_kept()), key=lambda entry: not entry.is_slow)
    if missing and missing[0].is_slow and not _HELPERS and _compiler().KEEPS_CODE:
        # -P keeps files of the working directory from being imported in place of modules.
        command = [sys.executable, "-P", "-m", "mosaic_sr.kernel.beside"]
        command += [f"{entry.py_func.__module__}:{entry.py_func.__name__}" for entry in missing]
        environment = {**os.environ, "MOSAIC_CACHE_DIR": str(cache_root(COMPILATION.note))}
        quiet = subprocess.DEVNULL
        _HELPERS.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=environment))


# Kept until the end of the process, because a handle must not vanish before its process.
_HELPERS: list[subprocess.Popen[bytes]] = []


# The functions below are what runs without compilation; compiled code gets single instructions from `compiler`.


def multiply_add(a: float, b: float, c: float) -> float:
    """The value of a * b + c, rounded once where the processor can."""
    rounded_twice = a * b + c
    if not math.isfinite(rounded_twice):
        return rounded_twice
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return np.float64(exact) if exact else rounded_twice


def float_bits(x: float) -> int:
    """The IEEE bits of a float as a signed integer."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits


def bits_float(bits: int) -> float:
    """The float with the given IEEE bits, of which the lowest 64 count."""
    return np.float64(struct.unpack("<d", struct.pack("<Q", bits & 0xFFFFFFFFFFFFFFFF))[0])


def part(source: Any, start: int, length: int) -> Any:
    """A view of consecutive elements of a pointer or a contiguous array, whatever its shape, whose owner must live on.

    Compiled, it counts no references, which would cost more than the arithmetic of a short block.
    """
    return source.reshape(-1)[start : start + length]


def rows_at(source: Any, start: int, rows: int, columns: int) -> Any:
    """The same in two dimensions."""
    return source.reshape(-1)[start : start + rows * columns].reshape(rows, columns)


def pointer(array: Any) -> Any:
    """The elements of a contiguous array, whatever its shape, without length and owner, which must live on.

    Compiled, it is one word: functions that pass arrays to each other spend more on describing them than on short rows.
    """
    return array.reshape(-1)


def shifted(start: Any, count: int) -> Any:
    """The pointer to what stands `count` elements further on."""
    return start[count:]


def integers(start: Any) -> Any:
    """The pointer to integers kept among floats."""
    return start.view(np.int64)


def unowned(array: Any) -> Any:
    """The same array, which its owner must outlive.

    Compiled, nobody counts references to it: the counters of arrays that threads share would pass from core to core.
    """
    return array
