"""Is a found equation the law? `srbench` is the published protocol to the letter, `strict` the one to claim."""

from benchmarks.verify.srbench import verify_srbench
from benchmarks.verify.strict import Verdict, verify_strict

__all__ = ["Verdict", "verify_srbench", "verify_strict"]
