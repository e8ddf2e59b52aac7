"""MOSAIC-SR recovers the closed-form law behind a table of numbers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic_sr.checking import check
    from mosaic_sr.comparing import compare
    from mosaic_sr.equation import Equation, Errors
    from mosaic_sr.errors import (
        InvalidFile,
        InvalidFormula,
        InvalidSettings,
        InvalidTable,
        MosaicError,
        MosaicWarning,
    )
    from mosaic_sr.estimator import MosaicRegressor
    from mosaic_sr.evidence.structure import count_symbols
    from mosaic_sr.expressions.canonical import canonical
    from mosaic_sr.expressions.complexity import complexity
    from mosaic_sr.expressions.expression import Expression, num_operators
    from mosaic_sr.expressions.generator import GeneratorConfig, generate
    from mosaic_sr.expressions.skeleton import skeleton, skeleton_hash
    from mosaic_sr.expressions.text import parse, to_text
    from mosaic_sr.expressions.values import evaluate_expression
    from mosaic_sr.old_names import OLD_FINDERS
    from mosaic_sr.pipeline import PRESETS, SearchConfig, Snapshot, discover
    from mosaic_sr.proposal import FINDERS
    from mosaic_sr.table import Table, read_table
    from mosaic_sr.workers.ray_cluster import on_cluster
    from mosaic_sr.writing import printed_cost, written

__version__ = "1.0.0"

# Where each public name lives; modules are imported when a name is first used, so that `import mosaic_sr` is cheap.
_HOMES = {
    "Equation": "equation",
    "Errors": "equation",
    "Expression": "expressions.expression",
    "GeneratorConfig": "expressions.generator",
    "InvalidFile": "errors",
    "InvalidFormula": "errors",
    "InvalidSettings": "errors",
    "InvalidTable": "errors",
    "MosaicError": "errors",
    "MosaicRegressor": "estimator",
    "MosaicWarning": "errors",
    "FINDERS": "proposal",
    "OLD_FINDERS": "old_names",
    "PRESETS": "pipeline",
    "SearchConfig": "pipeline",
    "Snapshot": "pipeline",
    "Table": "table",
    "canonical": "expressions.canonical",
    "check": "checking",
    "compare": "comparing",
    "complexity": "expressions.complexity",
    "count_symbols": "evidence.structure",
    "discover": "pipeline",
    "evaluate_expression": "expressions.values",
    "generate": "expressions.generator",
    "num_operators": "expressions.expression",
    "on_cluster": "workers.ray_cluster",
    "parse": "expressions.text",
    "printed_cost": "writing",
    "read_table": "table",
    "skeleton": "expressions.skeleton",
    "skeleton_hash": "expressions.skeleton",
    "to_text": "expressions.text",
    "written": "writing",
}

__all__ = [
    "FINDERS",
    "OLD_FINDERS",
    "PRESETS",
    "Equation",
    "Errors",
    "Expression",
    "GeneratorConfig",
    "InvalidFile",
    "InvalidFormula",
    "InvalidSettings",
    "InvalidTable",
    "MosaicError",
    "MosaicRegressor",
    "MosaicWarning",
    "SearchConfig",
    "Snapshot",
    "Table",
    "canonical",
    "check",
    "compare",
    "complexity",
    "count_symbols",
    "discover",
    "evaluate_expression",
    "generate",
    "num_operators",
    "on_cluster",
    "parse",
    "printed_cost",
    "read_table",
    "skeleton",
    "skeleton_hash",
    "to_text",
    "written",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mosaic_sr' has no attribute {name!r}")
    return getattr(import_module(f"mosaic_sr.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
