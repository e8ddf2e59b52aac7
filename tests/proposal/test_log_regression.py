"""Sparse regression of logarithms: supports are mended by exchange."""

import numpy as np

from mosaic_sr.proposal.products.log_regression import Remainder, exchange_terms

TERMS = np.random.default_rng(0).normal(size=(12, 80))
TARGET = 2.0 * TERMS[3] - TERMS[7] + 0.5 * TERMS[10]


def test_wrong_terms_are_exchanged_for_right_ones():
    remainder = Remainder(TERMS[:0], TERMS)
    assert exchange_terms(remainder, remainder.of(TARGET[None])[0], (1, 2, 7)) == (3, 7, 10)


def test_a_right_support_stays():
    remainder = Remainder(TERMS[:0], TERMS)
    assert exchange_terms(remainder, remainder.of(TARGET[None])[0], (3, 7, 10)) == (3, 7, 10)


def test_an_empty_support_stays_empty():
    remainder = Remainder(TERMS[:0], TERMS)
    assert exchange_terms(remainder, remainder.of(TARGET[None])[0], ()) == ()
