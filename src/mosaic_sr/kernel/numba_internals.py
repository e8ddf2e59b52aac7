"""Fast machine code by numba's internals: kept on disk, and calls between entry points without copies of them.

`compiler` decides whether this module fits the installed numba.
"""

from __future__ import annotations

import functools
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, sigutils
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.event import Listener, install_listener
from numba.core.imputils import impl_ret_new_ref
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.types import Array, float64, int64, intp
from numba.core.types.misc import CPointer
from numba.core.typing.templates import infer_global, make_intrinsic_template
from numba.extending import typeof_impl
from numba.np.arrayobj import populate_array

from mosaic_sr.kernel import jit
from mosaic_sr.kernel.jit import ENTRY_POINTS, EntryPoint, Inner
from mosaic_sr.kernel.signals import held_signals

KEEPS_CODE = True


def make_inner(inner: Inner, is_called_from_python: bool) -> Any:
    """The dispatcher of a function that becomes part of its callers; what only Python needs takes time to compile."""
    return numba.njit(
        no_cpython_wrapper=not is_called_from_python, no_cfunc_wrapper=True, **inner.options
    )(inner.py_func)  # fmt: skip


def load_entry(entry: EntryPoint, code: bytes) -> Any:
    """The dispatcher of an entry point from its machine code, as `compile_entry` gave it."""
    return _make_entry(entry, _Code(code))


def compile_entry(entry: EntryPoint) -> tuple[Any, bytes]:
    """The dispatcher of an entry point, and its machine code to be kept."""
    code = _Code(b"")
    return _make_entry(entry, code), code.content


def code_maker() -> str:
    """What numba makes code for: system, processor and its abilities."""
    return repr(cpu_target.target_context.codegen().magic_tuple())


def _make_entry(entry: EntryPoint, code: _Code) -> Any:
    """The dispatcher; signals are heard between two steps of numba alone."""
    with held_signals() as run_handlers, install_listener("numba:run_pass", _AtPass(run_handlers)):
        dispatcher = numba.njit(no_cfunc_wrapper=True, **entry.options)(entry.py_func)
        dispatcher._cache = code
        dispatcher.compile(entry.signature)
        dispatcher.disable_compile()
        return dispatcher


class _AtPass(Listener):  # type: ignore[misc]
    """Calls a function before each pass of numba's compiler."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def on_start(self, event: Any) -> None:
        self._call()

    def on_end(self, event: Any) -> None:
        pass


class _Code(NullCache):  # type: ignore[misc]
    """Where a dispatcher looks for machine code, none if empty, and leaves what it has compiled.

    numba's own cache checks neither whether its files are whole nor who wrote them.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """What was compiled, or None."""
        target_context.refresh()
        return CompileResult._rebuild(target_context, *pickle.loads(self.content)) if self.content else None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled."""
        self.content = dumps(result._reduce())


def address(symbol: str) -> int:
    """Where the machine code of an entry point starts; called by compiled code."""
    entry = next(entry for entry in ENTRY_POINTS if entry.symbol == symbol)
    result = next(iter(entry.prepare().overloads.values()))
    pointer: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return pointer


@typeof_impl.register(Inner)  # type: ignore[untyped-decorator]
def _type_of_inner(inner: Inner, context: Any) -> Any:
    return numba.typeof(inner.dispatcher)


@typeof_impl.register(EntryPoint)  # type: ignore[untyped-decorator]
def _type_of_entry(entry: EntryPoint, context: Any) -> Any:
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
        _ask_address(symbol, context, builder, cell)
    callee = builder.load(cell)
    status, result = convention.call_function(builder, callee, signature.return_type, signature.args, values)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return impl_ret_new_ref(context, builder, signature.return_type, result)


def _ask_address(symbol: str, context: Any, builder: Any, cell: Any) -> None:
    """Code that has Python call `address` and fills the cell; after an exception it returns, and the cell stays null.

    Compiled code may run in any thread and without the GIL.
    """
    python = context.get_python_api(builder)
    gil = python.gil_ensure()
    module = python.import_module(context.insert_const_string(builder.module, __name__))
    name = python.string_from_string(context.insert_const_string(builder.module, symbol))
    # Of a module that is null, too, the answer is null and the exception stays.
    answer = python.call_method(module, address.__name__, [name])
    python.decref(name)
    python.decref(module)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, answer)):
        python.gil_release(gil)
        context.call_conv.return_exc(builder)
    builder.store(builder.bitcast(python.long_as_voidptr(answer), cell.type.pointee), cell)
    python.decref(answer)
    python.gil_release(gil)


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
