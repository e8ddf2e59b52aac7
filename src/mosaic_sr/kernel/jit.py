"""The only importer of numba: `compiled` turns a function into nogil machine code, entry points are kept on disk.

Also the few machine operations that Python has no word for: fused multiply-add and the bits of a float.
"""

from __future__ import annotations

import hashlib
import os
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import sigutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.types import float64, int64
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

# Words for signatures. Expressions hold read-only arrays; writable ones are accepted wherever read-only ones are.
INTS = "Array(int32, 1, 'C', readonly=True)"
FLOATS = "Array(float64, 1, 'C', readonly=True)"
COLUMNS = "Array(float64, 2, 'C', readonly=True)"
OUT = "float64[::1]"
OUT_ROWS = "float64[:, ::1]"

# Sums of residuals may be reassociated so that they vectorise; NaN and infinity always keep their meaning.
REASSOCIATE = {"reassoc", "contract", "nsz", "arcp"}

_entry_points: list[Any] = []


def compiled(
    signature: str | None = None, *, reassociate: bool = False, inline: str = "never"
) -> Callable[[Function], Function]:
    """Decorator: machine code that releases the GIL.

    With a signature the function is an entry point: compiled at its first use, for these types alone, and kept on disk.
    Without one it becomes part of its compiled callers. `inline="always"` lets loops over the function vectorise.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": REASSOCIATE if reassociate else False,
        "forceinline": inline == "always",
    }

    def decorate(function: Function) -> Function:
        if numba.config.DISABLE_JIT:
            return np.errstate(all="ignore")(function) if signature else function
        if signature is None:
            inner: Function = numba.njit(**options)(function)
            return inner
        entry: Function = _entry_point(function, signature, options)
        return entry

    return decorate


def _entry_point(function: Function, signature: str, options: dict[str, Any]) -> Any:
    """A dispatcher that compiles nothing until it is used, and then the one signature only."""
    users_folder, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(CACHE_FOLDER)
    dispatcher = numba.njit(cache=True, **options)(function)
    numba.config.CACHE_DIR = users_folder
    arguments, result = sigutils.normalize_signature(signature)
    pinned = arguments if result is None else result(*arguments)
    compile_any = dispatcher.compile
    dispatcher.compile = lambda _: compile_any(pinned)
    _entry_points.append(dispatcher)
    return dispatcher


def warm_up(report: Callable[[str], None]) -> None:
    """Compile or load the entry points of all imported modules; `report` hears of each one that is compiled."""
    waiting = [entry for entry in _entry_points if not entry.overloads]
    for number, entry in enumerate(waiting, 1):
        name = entry.py_func.__name__
        if not any(CACHE_FOLDER.rglob(f"*.{name}-*.nbi")):
            report(f"compiling {name} ({number} of {len(waiting)}), once per version")
        entry.compile(None)


def _cache_folder() -> Path:
    """A folder per state of all compiled sources: numba's own cache does not see edits in other files."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        text = source.read_bytes()
        if b"kernel.jit" in text or source.parent.name == "kernel" or source.name == "operators.py":
            digest.update(source.name.encode() + text)
    name = digest.hexdigest()[:16]
    root = Path(os.environ.get("MOSAIC_CACHE_DIR") or Path.home() / ".cache" / "mosaic-sr")
    try:
        (root / name).mkdir(parents=True, exist_ok=True)
    except OSError:
        root = Path(tempfile.gettempdir()) / f"mosaic-sr-{os.getuid()}"
        (root / name).mkdir(parents=True, exist_ok=True)
    return root / name


CACHE_FOLDER = _cache_folder()


def multiply_add(a: float, b: float, c: float) -> float:
    """The value of a * b + c, rounded once where the processor can."""
    return a * b + c


def float_bits(x: float) -> int:
    """The IEEE bits of a float as a signed integer."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits


def bits_float(bits: int) -> float:
    """The float with the given IEEE bits, of which the lowest 64 count."""
    number: float = struct.unpack("<d", struct.pack("<Q", bits & 0xFFFFFFFFFFFFFFFF))[0]
    return number


def writable(array: Any) -> Any:
    """The same array for the compiler's eyes only: one type for columns and buffers means one machine code for both."""
    return array


@intrinsic  # type: ignore[untyped-decorator]
def _writable(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

    return array.copy(readonly=False)(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def _multiply_add(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(float64)
        function_type = ir.FunctionType(kind, [kind] * 3)
        return builder.call(builder.module.declare_intrinsic("llvm.fmuladd", [kind], function_type), arguments)

    return float64(float64, float64, float64), generate


def _reinterpret(result: Any, argument: Any) -> Any:
    """The intrinsic that reads the bits of one type as another."""

    @intrinsic  # type: ignore[untyped-decorator]
    def reinterpret(typing_context: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(result))

        return result(argument), generate

    return reinterpret


if not numba.config.DISABLE_JIT:
    writable = _writable
    multiply_add = _multiply_add
    float_bits = _reinterpret(int64, float64)
    bits_float = _reinterpret(float64, int64)
