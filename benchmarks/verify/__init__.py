"""Is a found equation the law? `srbench` is as published, `strict` the one to claim, `structure` the one for noise."""

from benchmarks.verify.srbench import verify_srbench
from benchmarks.verify.strict import Verdict, verify_strict
from benchmarks.verify.structure import verify_structure

__all__ = ["Verdict", "verify_srbench", "verify_strict", "verify_structure"]
