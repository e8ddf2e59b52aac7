"""The only importer of numba: `compiled` turns a function into nogil machine code, entry points are kept on disk.

Also the few machine operations that Python has no word for: fused multiply-add and the bits of a float.
"""

from __future__ import annotations

import ast
import ctypes
import functools
import hashlib
import inspect
import math
import os
import struct
import tempfile
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding  # type: ignore[import-untyped]
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, sigutils
from numba.core.imputils import impl_ret_new_ref
from numba.core.types import float64, int64
from numba.core.typing.templates import infer_global, make_intrinsic_template
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

Function = TypeVar("Function", bound=Callable[..., Any])

# Words for signatures. Expressions hold read-only arrays; writable ones are accepted wherever read-only ones are.
INTS = "Array(int32, 1, 'C', readonly=True)"
FLOATS = "Array(float64, 1, 'C', readonly=True)"
COLUMNS = "Array(float64, 2, 'C', readonly=True)"
OUT = "float64[::1]"
OUT_ROWS = "float64[:, ::1]"

# Sums of residuals may be reassociated so that they vectorise; NaN and infinity always keep their meaning.
REASSOCIATE = {"reassoc", "contract", "nsz", "arcp"}


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
        entry: Any = EntryPoint(function, signature, options)
        return entry  # type: ignore[no-any-return]

    return decorate


class EntryPoint:
    """A compiled function of one signature, loaded or compiled when it is first called.

    Compiled callers hold no copy of it: they ask for its address when they first need it, so that each entry point is
    compiled once and its callers compile fast.
    """

    def __init__(self, function: Callable[..., Any], signature: str, options: dict[str, Any]) -> None:
        if function.__closure__:
            raise ValueError(
                f"{function.__name__} reads variables of an outer function, which the cache cannot tell apart"
            )
        functools.update_wrapper(self, function)
        self.py_func = function
        self.signature = signature
        self.options = options
        self.dispatcher: Any = None
        self.symbol = f"{function.__module__}.{function.__name__}"
        self._callback = ctypes.CFUNCTYPE(ctypes.c_void_p)(self.address)
        llvmlite.binding.add_symbol(self.symbol, ctypes.cast(self._callback, ctypes.c_void_p).value)
        template = make_intrinsic_template(self, self._typed_call(), function.__name__)
        infer_global(self, numba.types.Function(template))
        _entry_points.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return (self.dispatcher or self.prepare())(*arguments)

    def prepare(self) -> Any:
        """Load from disk or compile; returns the function that Python calls."""
        with _preparing:
            if self.dispatcher is None:
                users_folder, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(self.folder)
                try:
                    self.dispatcher = numba.njit(self.signature, cache=True, **self.options)(self.py_func)
                finally:
                    numba.config.CACHE_DIR = users_folder
        return self.dispatcher

    @functools.cached_property
    def folder(self) -> Path:
        """Where the machine code is kept."""
        return _cache_folder(Path(self.py_func.__code__.co_filename))

    def address(self) -> int:
        """Where the machine code starts."""
        result = next(iter(self.prepare().overloads.values()))
        pointer: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        return pointer

    def is_kept(self) -> bool:
        """Whether the machine code is on disk."""
        return any(self.folder.rglob(f"*.{self.py_func.__name__}-*.nbi"))

    def _typed_call(self) -> Callable[..., Any]:
        """What the compiler asks about a call: its types, and the code that compiled callers make for it."""
        arguments, result = sigutils.normalize_signature(self.signature)

        def describe(typing_context: Any, *_: Any) -> Any:
            return result(*arguments), self._generate_call

        parameters = inspect.signature(self.py_func).parameters.values()
        context = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        described: Any = describe
        described.__signature__ = inspect.Signature([context, *parameters])
        return describe

    def _generate_call(self, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Call through a pointer that lives in the caller and is asked for while it is null."""
        convention = context.call_conv
        function_type = convention.get_function_type(signature.return_type, signature.args)
        pointer_type = function_type.as_pointer()
        cell = cgutils.add_global_variable(builder.module, pointer_type, f"{self.symbol}.address")
        cell.linkage, cell.initializer = "internal", ir.Constant(pointer_type, None)
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(cell))):
            ask_type = ir.FunctionType(ir.IntType(8).as_pointer(), [])
            ask = cgutils.get_or_insert_function(builder.module, ask_type, self.symbol)
            builder.store(builder.bitcast(builder.call(ask, []), pointer_type), cell)
        callee = builder.load(cell)
        status, result = convention.call_function(builder, callee, signature.return_type, signature.args, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return impl_ret_new_ref(context, builder, signature.return_type, result)


_entry_points: list[EntryPoint] = []
_preparing = threading.RLock()


def warm_up(report: Callable[[str], None]) -> None:
    """Load or compile the entry points of all imported modules; `report` hears of each one that is compiled."""
    waiting = [entry for entry in _entry_points if entry.dispatcher is None]
    for number, entry in enumerate(waiting, 1):
        if not entry.is_kept():
            report(f"compiling {entry.py_func.__name__} ({number} of {len(waiting)}), once per version")
        entry.prepare()


@functools.cache
def _cache_folder(source: Path) -> Path:
    """A folder per state of a file and of all it imports from the package: numba's own cache sees the file alone."""
    digest = hashlib.sha256()
    for imported in sorted(_imported_sources(source)):
        digest.update(imported.name.encode() + imported.read_bytes())
    root = os.environ.get("MOSAIC_CACHE_DIR") or Path.home() / ".cache" / "mosaic-sr"
    folder = Path(root) / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"mosaic-sr-{os.getuid()}" / folder.name
        folder.mkdir(parents=True, exist_ok=True)
    return folder


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


def floats_at(array: Any, start: int, length: int) -> Any:
    """A view of consecutive elements of a contiguous array, whatever its shape, that the array must outlive.

    Compiled, it counts no references, which would cost more than the arithmetic of a short block.
    """
    return array.reshape(-1)[start : start + length]


def integers_at(array: Any, start: int, length: int) -> Any:
    """The same for integers kept in an array of floats."""
    return array[start : start + length].view(np.int64)


def _view_of(element: Any) -> Any:
    """The intrinsic behind `floats_at` and `integers_at`."""

    @intrinsic  # type: ignore[untyped-decorator]
    def view(typing_context: Any, array: Any, start: Any, length: Any) -> Any:
        view_type = numba.types.Array(element, 1, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = context.make_array(array)(context, builder, arguments[0])
            result = context.make_array(view_type)(context, builder)
            first = builder.bitcast(builder.gep(whole.data, [arguments[1]]), result.data.type)
            size = context.get_constant(numba.types.intp, 8)
            populate_array(result, first, [arguments[2]], [size], size, meminfo=None)
            return result._getvalue()

        return view_type(array, int64, int64), generate

    return view


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
    floats_at = _view_of(float64)
    integers_at = _view_of(int64)
    multiply_add = _multiply_add
    float_bits = _reinterpret(int64, float64)
    bits_float = _reinterpret(float64, int64)
