"""The only importer of numba: makes machine code of what `jit.compiled` marks, and calls between entry points."""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import Any

import llvmlite.binding  # type: ignore[import-untyped]
import numba
from llvmlite import ir
from numba.core import cgutils, sigutils
from numba.core.caching import UserProvidedCacheLocator
from numba.core.imputils import impl_ret_new_ref
from numba.core.types import Array, float64, int64, intp
from numba.core.types.misc import CPointer
from numba.core.typing.templates import infer_global, make_intrinsic_template
from numba.extending import typeof_impl
from numba.np.arrayobj import populate_array

from mosaic_sr.kernel import jit
from mosaic_sr.kernel.jit import ENTRY_POINTS, EntryPoint, Inner

# By symbol; kept alive because compiled code holds their addresses.
_callbacks: dict[str, Any] = {}


def make_inner(inner: Inner, is_called_from_python: bool) -> Any:
    """The dispatcher of a function that becomes part of its callers; what only Python needs takes time to compile."""
    return numba.njit(
        no_cpython_wrapper=not is_called_from_python, no_cfunc_wrapper=True, **inner.options
    )(inner.py_func)  # fmt: skip


def make_entry(entry: EntryPoint) -> Any:
    """The dispatcher of an entry point, loaded from its folder or compiled into it."""
    _name_entry_points()
    config = numba.config
    users_own = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(entry.folder), LOCATORS
    try:
        return numba.njit(entry.signature, cache=True, no_cfunc_wrapper=True, **entry.options)(entry.py_func)
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = users_own


class Locator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Keeps machine code right in the entry point's folder, whose name stands for the contents of the source.

    numba's own knows a file by its path and, in some releases, its date: the same code installed elsewhere or anew
    would be compiled again.
    """

    def __init__(self, function: Callable[..., Any], source: str) -> None:
        super().__init__(function, source)
        self._cache_path = numba.config.CACHE_DIR

    @classmethod
    def from_function(cls, function: Callable[..., Any], source: str) -> Any:
        """That of an entry point; other functions, which a thread of the user's may compile meanwhile, have none."""
        is_own = any(entry.py_func is function for entry in ENTRY_POINTS)
        return super().from_function(function, source) if is_own else None

    def get_source_stamp(self) -> str:
        """What is in the folder is never out of date."""
        return ""


LOCATORS = f"{__name__}.{Locator.__name__},UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator"


def _name_entry_points() -> None:
    """Tell the linker where compiled code may ask for the address of each entry point."""
    for entry in ENTRY_POINTS:
        if entry.symbol not in _callbacks:
            ask = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda asked=entry: _address(asked))
            _callbacks[entry.symbol] = ask
            llvmlite.binding.add_symbol(entry.symbol, ctypes.cast(ask, ctypes.c_void_p).value)


def _address(entry: EntryPoint) -> int:
    """Where the machine code of an entry point starts."""
    result = next(iter(entry.prepare().overloads.values()))
    pointer: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return pointer


@typeof_impl.register(Inner)  # type: ignore[untyped-decorator]
def _type_of_inner(inner: Inner, context: Any) -> Any:
    return numba.typeof(inner.dispatcher)


@typeof_impl.register(EntryPoint)  # type: ignore[untyped-decorator]
def _type_of_entry(entry: EntryPoint, context: Any) -> Any:
    _name_entry_points()
    return _entry_type(entry)


@functools.cache
def _entry_type(entry: EntryPoint) -> Any:
    """The type of a function of one signature, which knows the code of a call."""
    arguments, result = sigutils.normalize_signature(entry.signature)

    def describe(typing_context: Any, *_: Any) -> Any:
        return result(*arguments), generate

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call_entry(entry.symbol, context, builder, signature, values)

    parameters = inspect.signature(entry.py_func).parameters.values()
    first = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    described: Any = describe
    described.__signature__ = inspect.Signature([first, *parameters])
    return numba.types.Function(make_intrinsic_template(entry, described, entry.py_func.__name__))


def _call_entry(symbol: str, context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Code that calls through a pointer, which lives in the caller and is asked for while it is null."""
    convention = context.call_conv
    pointer_type = convention.get_function_type(signature.return_type, signature.args).as_pointer()
    cell = cgutils.add_global_variable(builder.module, pointer_type, f"{symbol}.address")
    cell.linkage, cell.initializer = "internal", ir.Constant(pointer_type, None)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(cell))):
        ask_type = ir.FunctionType(ir.IntType(8).as_pointer(), [])
        ask = cgutils.get_or_insert_function(builder.module, ask_type, symbol)
        builder.store(builder.bitcast(builder.call(ask, []), pointer_type), cell)
    callee = builder.load(cell)
    status, result = convention.call_function(builder, callee, signature.return_type, signature.args, values)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return impl_ret_new_ref(context, builder, signature.return_type, result)


def _replace(function: Callable[..., Any], describe: Callable[..., Any]) -> None:
    """Let compiled code have an intrinsic where Python runs the function."""
    template = make_intrinsic_template(function, describe, function.__name__)
    infer_global(function, numba.types.Function(template))


def _multiply_add(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = context.get_value_type(float64)
        function_type = ir.FunctionType(kind, [kind] * 3)
        return builder.call(builder.module.declare_intrinsic("llvm.fmuladd", [kind], function_type), values)

    return float64(float64, float64, float64), generate


def _reinterpret(result: Any, argument: Any) -> Callable[..., Any]:
    """The intrinsic that reads the bits of one type as another."""

    def describe(typing_context: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.bitcast(values[0], context.get_value_type(result))

        return result(argument), generate

    return describe


def _part(typing_context: Any, source: Any, start: Any, length: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _view(context, builder, signature, values[0], values[1], [values[2]])

    return Array(source.dtype, 1, "C")(source, int64, int64), generate


def _rows_at(typing_context: Any, source: Any, start: Any, rows: Any, columns: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _view(context, builder, signature, values[0], values[1], [values[2], values[3]])

    return Array(source.dtype, 2, "C")(source, int64, int64, int64), generate


def _view(context: Any, builder: Any, signature: Any, source: Any, start: Any, shape: list[Any]) -> Any:
    """Code that makes a view without an owner."""
    if isinstance(signature.args[0], Array):
        source = context.make_array(signature.args[0])(context, builder, source).data
    view = context.make_array(signature.return_type)(context, builder)
    size = context.get_constant(intp, context.get_abi_sizeof(source.type.pointee))
    strides = [builder.mul(size, shape[1]), size] if len(shape) == 2 else [size]
    populate_array(view, builder.gep(source, [start]), shape, strides, size, meminfo=None)
    return view._getvalue()


def _pointer(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.make_array(array)(context, builder, values[0]).data

    return CPointer(array.dtype)(array), generate


def _shifted(typing_context: Any, start: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.gep(values[0], [values[1]])

    return start(start, int64), generate


def _unowned(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        owned = context.make_array(array)(context, builder, values[0])
        view = context.make_array(array)(context, builder)
        populate_array(view, owned.data, owned.shape, owned.strides, owned.itemsize, meminfo=None)
        return view._getvalue()

    return array(array), generate


_replace(jit.multiply_add, _multiply_add)
_replace(jit.unowned, _unowned)
_replace(jit.pointer, _pointer)
_replace(jit.shifted, _shifted)
_replace(jit.integers, _reinterpret(CPointer(int64), CPointer(float64)))
_replace(jit.float_bits, _reinterpret(int64, float64))
_replace(jit.bits_float, _reinterpret(float64, int64))
_replace(jit.part, _part)
_replace(jit.rows_at, _rows_at)
