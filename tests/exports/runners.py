"""Runs exported laws in their own languages: `run(language, laws, names, columns)` gives the values, (laws, rows).

A language whose program is not installed skips the test. JAX_PYTHON may name a Python that has jax, JULIA a Julia.
"""

import ctypes
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from spreadsheet import calc_values

from mosaic_sr.exports import export
from mosaic_sr.exports.excel import EXCEL
from mosaic_sr.exports.source import arguments_of

TIMEOUT = 240  # seconds; LibreOffice makes a profile at its first start


def run(language, laws, names, columns, folder):
    """The values of the laws in a language, each by the program that `export` writes."""
    sources = [export(law, names, language, f"law_{number}") for number, law in enumerate(laws)]
    if language == "excel":
        return in_excel(sources, laws, names, columns, folder)
    arguments = [[columns[column] for column in law.columns] for law in laws]
    return np.array(RUNNERS[language](sources, arguments, columns.shape[1], folder), dtype=np.float64)


def needed(*programs):
    """The first program that is installed; the test is skipped where none is."""
    found = next(filter(None, map(shutil.which, programs)), None)
    if found is None:
        pytest.skip(f"{programs[0]} is not installed; `make test-tools` installs it")
    return found


def finished(command, **options):
    """What a program prints; its errors fail the test."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def functions_of(sources, **words):
    """The functions that Python sources define; ours, as a user would paste them."""
    for number, source in enumerate(sources):
        space = dict(words)
        exec(compile(source, f"law_{number}", "exec"), space)
        yield space[f"law_{number}"]


def in_numpy(sources, arguments, num_rows, folder):
    with np.errstate(all="ignore"):
        return [
            np.broadcast_to(law(*columns), num_rows)
            for law, columns in zip(functions_of(sources), arguments, strict=True)
        ]


def in_torch(sources, arguments, num_rows, folder):
    torch = pytest.importorskip("torch")
    tensors = [[torch.tensor(column) for column in columns] for columns in arguments]
    values = [law(*columns) for law, columns in zip(functions_of(sources), tensors, strict=True)]
    return [np.broadcast_to(np.asarray(value), num_rows) for value in values]


JAX = """
import json, sys
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
for number, (source, columns) in enumerate(json.load(sys.stdin)):
    space = {}
    exec(compile(source, "law", "exec"), space)
    value = space[f"law_{number}"](*(jnp.array([float(x) for x in column]) for column in columns))
    print(json.dumps([repr(float(x)) for x in jnp.ravel(jnp.asarray(value, dtype=float))]))
"""


@cache
def python_with_jax():
    own = importlib.util.find_spec("jax") is not None
    return sys.executable if own else os.environ.get("JAX_PYTHON")


def in_jax(sources, arguments, num_rows, folder):
    if python_with_jax() is None:
        pytest.skip("jax is not installed; pip install jax, or name a Python that has it in JAX_PYTHON")
    lines = finished([python_with_jax(), "-c", JAX], input=as_json(sources, arguments)).splitlines()
    return [np.broadcast_to(np.array(json.loads(line), dtype=float), num_rows) for line in lines]


def as_json(sources, arguments):
    """Sources and columns; numbers as texts, because JSON has neither NaN nor infinity."""
    columns = [[[repr(float(x)) for x in column] for column in each] for each in arguments]
    return json.dumps(list(zip(sources, columns, strict=True)))


def in_c(sources, arguments, num_rows, folder):
    compiler = needed("gcc", "cc")
    for number, source in enumerate(sources):
        (folder / f"law_{number}.c").write_text(source + "\n")
    # No contraction: a fused product and sum is nearer to the truth than two roundings, but not the same.
    strict = ["-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-overflow"]
    files = [f"law_{number}.c" for number in range(len(sources))]
    finished([compiler, *strict, "-shared", "-fPIC", "-o", "laws.so", *files, "-lm"], cwd=folder)
    library = ctypes.CDLL(str(folder / "laws.so"))
    rows = []
    for number, columns in enumerate(arguments):
        law = library[f"law_{number}"]
        law.restype, law.argtypes = ctypes.c_double, [ctypes.c_double] * len(columns)
        rows.append([law(*(float(column[row]) for column in columns)) for row in range(num_rows)])
    return rows


NODE = """
const laws = JSON.parse(require("fs").readFileSync(0, "utf8"));
const number = text => ({"inf": Infinity, "-inf": -Infinity, "nan": NaN})[text] ?? Number(text);
const numRows = Number(process.argv[2]);
laws.forEach(([source, columns], index) => {
  const law = new Function('"use strict";\\n' + source + "\\nreturn law_" + index + ";")();
  const rows = [...Array(numRows).keys()];
  const text = value => Object.is(value, -0) ? "-0" : String(value);
  console.log(JSON.stringify(rows.map(row => text(law(...columns.map(column => number(column[row])))))));
});
"""


def in_javascript(sources, arguments, num_rows, folder):
    node = needed("node", "nodejs")
    (folder / "run.js").write_text(NODE)
    lines = finished([node, str(folder / "run.js"), str(num_rows)], input=as_json(sources, arguments)).splitlines()
    return [np.array(json.loads(line), dtype=float) for line in lines]


def as_matrix(columns):
    """Columns as text that Octave reads."""
    return ", ".join("[" + "; ".join(repr(float(x)) for x in column) + "]" for column in columns)


def in_matlab(sources, arguments, num_rows, folder):
    octave = needed("octave-cli", "octave")
    lines = ["warning('off', 'all');"]
    for number, (source, columns) in enumerate(zip(sources, arguments, strict=True)):
        (folder / f"law_{number}.m").write_text(source + "\n")
        lines.append(f"v = law_{number}({as_matrix(columns)}) + zeros({num_rows}, 1);")
        lines.append("assert(isreal(v)); printf('%.17g ', v); printf('\\n');")
    (folder / "run_all.m").write_text("\n".join(lines) + "\n")
    options = ["--no-gui", "--norc", "--quiet"]
    printed = finished([octave, *options, "run_all.m"], cwd=folder).splitlines()
    return [np.array(line.split(), dtype=float) for line in printed]


JULIA = """
values(law, columns, rows) = [own_error(() -> law((column[row] for column in columns)...)) for row in 1:rows]
function own_error(value)
    try
        return value()
    catch error
        error isa DomainError || rethrow()
        return NaN
    end
end
"""


def in_julia(sources, arguments, num_rows, folder):
    julia = os.environ.get("JULIA") or shutil.which("julia")
    if julia is None:
        pytest.skip("julia is not installed; install it, or name one in JULIA")
    words = {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}
    lines = [JULIA]
    for number, (source, columns) in enumerate(zip(sources, arguments, strict=True)):
        (folder / f"law_{number}.jl").write_text(source + "\n")
        given = "".join("[" + ", ".join(words.get(repr(float(x)), repr(float(x))) for x in c) + "]," for c in columns)
        lines.append(f'include("law_{number}.jl")')
        lines.append(f"println(join(values(law_{number}, ({given}), {num_rows}), ' '))")
    (folder / "run_all.jl").write_text("\n".join(lines) + "\n")
    printed = finished([julia, "--startup-file=no", "run_all.jl"], cwd=folder).splitlines()
    return [np.array(line.split(), dtype=float) for line in printed]


def in_excel(sources, laws, names, columns, folder):
    cells = {}
    for law in laws:
        *words, _ = arguments_of(EXCEL, law, names)
        for (identifier, name), column in zip(words, law.columns, strict=True):
            assert cells.setdefault(identifier, column) == column, f"two columns are called {identifier}, one is {name}"
    values = {word: columns[column] for word, column in cells.items()}
    return calc_values(needed("soffice", "libreoffice"), sources, values, folder)


def in_sympy(sources, arguments, num_rows, folder):
    """The values of sympy's own arithmetic; NaN where they are not real."""
    import sympy

    rows = []
    for number, source in enumerate(sources):
        space = {}
        exec(compile(source, "law", "exec"), space)
        tree = sympy.sympify(space.pop(f"law_{number}"))
        symbols = [value for value in space.values() if isinstance(value, sympy.Symbol)]
        columns = np.reshape(arguments[number], (len(symbols), num_rows))
        rows.append([in_reals(tree, dict(zip(symbols, map(float, point), strict=True))) for point in columns.T])
    return rows


def in_reals(tree, point):
    """The value of a tree of sympy's at a point; NaN where it is complex, infinite or an interval."""
    value = tree.subs(point).evalf()
    return float(value) if value.is_Float or value.is_Integer else np.nan


RUNNERS = {
    "python": in_numpy,
    "torch": in_torch,
    "jax": in_jax,
    "c": in_c,
    "javascript": in_javascript,
    "matlab": in_matlab,
    "julia": in_julia,
    "excel": in_excel,
    "sympy": in_sympy,
}
