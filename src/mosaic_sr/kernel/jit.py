"""`compiled` turns a function into nogil machine code when it is first used; entry points are kept on disk.

Also the few machine operations that Python has no word for: fused multiply-add, the bits of a float, views of memory.
numba itself is behind `compiler`, which is imported at the first use of a compiled function: importing it takes as long
as importing the rest.
"""

from __future__ import annotations

import ast
import functools
import getpass
import hashlib
import importlib.util
import math
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Function = TypeVar("Function", bound=Callable[..., Any])

# Words for signatures. Expressions hold read-only arrays; writable ones are accepted wherever read-only ones are.
INTS = "Array(int32, 1, 'C', readonly=True)"
FLOATS = "Array(float64, 1, 'C', readonly=True)"
COLUMNS = "Array(float64, 2, 'C', readonly=True)"
OUT = "float64[::1]"
OUT_ROWS = "float64[:, ::1]"
POINTER, INT32_POINTER, INT64_POINTER = "CPointer(float64)", "CPointer(int32)", "CPointer(int64)"

# Sums of residuals may be reassociated so that they vectorise; NaN and infinity always keep their meaning.
REASSOCIATE = {"reassoc", "contract", "nsz", "arcp"}

# Lines of Linux's list of processors that say what code they run; others change from second to second.
PROCESSOR_FACTS = {"vendor_id", "cpu family", "model", "model name", "flags"}
PROCESSOR_FACTS |= {"CPU implementer", "CPU architecture", "CPU part", "Features"}

# numba's settings that change machine code.
CODE_SETTINGS = ("CPU_NAME", "CPU_FEATURES", "OPT", "ENABLE_AVX", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK")

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
        from mosaic_sr.kernel.compiler import make_inner

        return make_inner(self, is_called_from_python=False)

    @functools.cached_property
    def callable(self) -> Any:
        """What Python calls."""
        from mosaic_sr.kernel.compiler import make_inner

        return make_inner(self, is_called_from_python=True)


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
        from mosaic_sr.kernel.compiler import make_entry

        with _preparing:
            if self.dispatcher is None:
                self.dispatcher = make_entry(self) if self.is_kept() else self._compile()
        return self.dispatcher

    def _compile(self) -> Any:
        """Compile onto disk; where another process does so already, wait for it and load."""
        from mosaic_sr.kernel.compiler import make_entry

        started = time.monotonic()
        COMPILATION.report(f"compiling {self.py_func.__name__}, once per version")
        with _alone(self.folder / f"{self.py_func.__qualname__}.lock"):
            made = make_entry(self)
        COMPILATION.seconds += time.monotonic() - started
        return made

    @functools.cached_property
    def folder(self) -> Path:
        """Where the machine code is kept."""
        return _cache_folder(Path(self.py_func.__code__.co_filename))

    def is_kept(self) -> bool:
        """Whether the machine code is on disk."""
        return any(self.folder.glob(f"*.{self.py_func.__qualname__}-*.nbc"))


class Compilation:
    """Who hears of entry points that are compiled rather than loaded, and the seconds spent on them so far."""

    def __init__(self) -> None:
        self.report: Callable[[str], None] = lambda message: None
        self.seconds = 0.0


COMPILATION = Compilation()
ENTRY_POINTS: list[EntryPoint] = []
_preparing = threading.RLock()


def warm_up(report: Callable[[str], None]) -> None:
    """Load or compile the entry points of all imported modules; `report` hears of each one that is compiled."""
    before, COMPILATION.report = COMPILATION.report, report
    for entry in ENTRY_POINTS:
        entry.prepare()
    COMPILATION.report = before


def compile_beside() -> None:
    """Let a second process compile the slow entry points that are not on disk, while this one needs others first."""
    slow = [entry for entry in ENTRY_POINTS if entry.is_slow and not entry.is_kept()]
    if slow and not _HELPERS:
        command = [sys.executable, "-m", "mosaic_sr.kernel.beside"]
        command += [f"{entry.py_func.__module__}:{entry.py_func.__name__}" for entry in slow]
        quiet = subprocess.DEVNULL
        _HELPERS.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))


# Kept until the end of the process, because a handle must not vanish before its process.
_HELPERS: list[subprocess.Popen[bytes]] = []


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Hold a file that other processes wait for, where the system can; it is let go when the process ends, too."""
    with file.open("w") as held:
        if fcntl is not None:
            with suppress(OSError):  # folders on some networks cannot
                fcntl.flock(held, fcntl.LOCK_EX)
        yield


@functools.cache
def _cache_folder(source: Path) -> Path:
    """A folder per state of a file and of all it imports from the package, where numba's own cache sees the file alone,
    and per place that the code can run in, so that what is in the folder can be loaded.
    """
    digest = hashlib.sha256(_place().encode())
    for imported in sorted(_imported_sources(source)):
        digest.update(imported.name.encode() + imported.read_bytes())
    root = os.environ.get("MOSAIC_CACHE_DIR") or Path.home() / ".cache" / "mosaic-sr"
    folder = Path(root) / digest.hexdigest()[:16]
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if os.access(folder, os.W_OK):
        return folder
    user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()
    own = Path(tempfile.gettempdir()) / f"mosaic-sr-{user}" / folder.name
    if not own.exists() and folder.is_dir():
        shutil.copytree(folder, own)  # filled by somebody else, as in a read-only image
    own.mkdir(parents=True, exist_ok=True)
    return own


@functools.cache
def _place() -> str:
    """What machine code depends on: Python, numba and its settings, the processor; told without importing numba."""
    numba = importlib.util.find_spec("numba")
    # Asking importlib.metadata takes longer than all else here.
    installed = Path(numba.origin).parents[1].glob("numba-*-info") if numba and numba.origin else ()
    settings = [f"{name}={value}" for name in CODE_SETTINGS if (value := os.environ.get(f"NUMBA_{name}"))]
    releases = sorted(folder.name for folder in installed)
    return "\n".join([sys.version, *releases, *settings, platform.machine(), *_processor()])


def _processor() -> list[str]:
    """The processor's kind and abilities: of the first one listed, where the system lists them."""
    try:
        with Path("/proc/cpuinfo").open() as listed:
            of_first = list(takewhile(str.strip, listed))
    except OSError:
        return [os.environ.get("PROCESSOR_IDENTIFIER", "")]  # of Windows; Macs differ in `platform.machine`
    return [line for line in of_first if line.partition(":")[0].strip() in PROCESSOR_FACTS]


def _imported_sources(source: Path) -> set[Path]:
    """The file and the files of the package that it imports, directly or not."""
    found, waiting = {source}, [source]
    while waiting:
        new = _direct_imports(waiting.pop()) - found
        found |= new
        waiting.extend(new)
    return found


@functools.cache
def _direct_imports(source: Path) -> set[Path]:
    """The files of the package that a file imports itself."""
    package = Path(__file__).parent.parent
    found = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == package.name:
            module = package.parent.joinpath(*node.module.split("."))
            for path in (module, *(module / alias.name for alias in node.names)):
                found |= {file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()}
    return found


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
