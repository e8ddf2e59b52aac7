"""A catalogue of named laws, which recognises found laws up to their constants; no stage of the search reads it."""

from mosaic_sr.named_laws.catalogue import CATALOGUE
from mosaic_sr.named_laws.guesses import named_forms
from mosaic_sr.named_laws.law import Law
from mosaic_sr.named_laws.recognition import recognised, with_name

__all__ = ["CATALOGUE", "Law", "named_forms", "recognised", "with_name"]
