"""The one canonical form of an expression; search, corpus and printed laws all use it."""

from mosaic_sr.expressions.canonical.form import canonical

__all__ = ["canonical"]
