"""Sums of products written with common factors taken out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mosaic_sr.expressions.expression import Expression, apply, constant, join
from mosaic_sr.proposal.terms.dictionary import Floats

ScaledProduct = tuple[float, list[Expression]]


def write_sum(coefficients: Floats, terms: Sequence[list[Expression]]) -> Expression:
    """coefficients[0] + sum of coefficients[1 + i] times the product of terms[i]; a zero offset is left out."""
    products: list[ScaledProduct] = [
        (float(number), factors) for number, factors in zip(coefficients[1:], terms, strict=True)
    ]
    if coefficients[0] != 0.0 or not products:
        products.append((float(coefficients[0]), []))
    return _factored(products)


def _factored(products: list[ScaledProduct]) -> Expression:
    """The sum with the factor that most products share taken out, again and again."""
    counts = Counter(factor for _, factors in products for factor in dict.fromkeys(factors))
    shared, count = max(counts.items(), key=lambda entry: entry[1], default=(None, 0))
    if shared is None or count < 2:
        return _plain(products)
    inner = [(number, _without(factors, shared)) for number, factors in products if shared in factors]
    outer = [(number, factors) for number, factors in products if shared not in factors]
    taken = apply("mul", shared, _factored(inner))
    return apply("add", taken, _factored(outer)) if outer else taken


def _without(factors: list[Expression], one: Expression) -> list[Expression]:
    place = factors.index(one)
    return factors[:place] + factors[place + 1 :]


def _plain(products: list[ScaledProduct]) -> Expression:
    """The sum; a constant that is 1 up to rounding stays, because fits start from it."""
    return join("add", [join("mul", [constant(number), *factors]) for number, factors in products])
