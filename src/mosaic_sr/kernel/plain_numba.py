"""Machine code by numba's documented interface alone, for releases whose internals are not known.

It gives the same numbers, but runs slower and is kept nowhere, so that every process compiles again. A pointer is here
an array of one dimension that does not own its memory.
"""

from __future__ import annotations

import re
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic, overload, register_jitable, typeof_impl

from mosaic_sr.kernel import jit
from mosaic_sr.kernel.jit import EntryPoint, Inner
from mosaic_sr.kernel.signals import held_signals

KEEPS_CODE = False
# Options of `compiled` that numba documents; the others make code faster.
DOCUMENTED = ("nogil", "error_model", "fastmath")


def make_inner(inner: Inner, is_called_from_python: bool) -> Any:
    """The dispatcher of a function that becomes part of its callers."""
    return numba.njit(**_options(inner))(inner.py_func)


def load_entry(entry: EntryPoint, code: bytes) -> None:
    """Nothing: machine code of another maker cannot be loaded."""


def compile_entry(entry: EntryPoint) -> tuple[Any, bytes]:
    """The dispatcher of an entry point, and no machine code to be kept."""
    with held_signals():
        return numba.njit(_signature(entry), **_options(entry))(entry.py_func), b""


def code_maker() -> str:
    """No maker whose code could be read again."""
    return "numba's documented interface"


def _options(function: Inner | EntryPoint) -> dict[str, Any]:
    return {name: function.options[name] for name in DOCUMENTED}


def _signature(entry: EntryPoint) -> str:
    """The signature with arrays for pointers."""
    return re.sub(r"CPointer\((\w+)\)", r"\1[::1]", entry.signature)


@typeof_impl.register(Inner)  # type: ignore[untyped-decorator]
def _type_of_inner(inner: Inner, context: Any) -> Any:
    return numba.typeof(inner.dispatcher)


@typeof_impl.register(EntryPoint)  # type: ignore[untyped-decorator]
def _type_of_entry(entry: EntryPoint, context: Any) -> Any:
    return numba.typeof(entry.prepare())


# numba compares the signatures of the functions below with those of what they return.


@overload(jit.multiply_add, jit_options={"fastmath": {"contract"}})
def _multiply_add(a, b, c):
    return lambda a, b, c: a * b + c


@overload(jit.float_bits)
def _float_bits(x):
    return lambda x: np.float64(x).view(np.int64)


@overload(jit.bits_float)
def _bits_float(bits):
    return lambda bits: np.int64(bits).view(np.float64)


@intrinsic
def _at(typing_context, address):
    """What stands at an address."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], ir.IntType(8).as_pointer())

    return numba.types.voidptr(address), generate


@overload(jit.pointer)
def _pointer(array):
    """The array may be read-only, which only its first user knows."""
    return lambda array: numba.carray(_at(array.ctypes.data), (array.size,), array.dtype)


@overload(jit.part)
def _part(source, start, length):
    return lambda source, start, length: jit.pointer(source)[start : start + length]


@overload(jit.rows_at)
def _rows_at(source, start, rows, columns):
    return lambda source, start, rows, columns: jit.part(source, start, rows * columns).reshape(rows, columns)


for _function in (jit.shifted, jit.integers, jit.unowned):
    register_jitable(_function)
