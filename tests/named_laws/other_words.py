"""The same function in other words: identities applied to random nodes of an expression."""

import math

from mosaic_sr.expressions.expression import apply, constant, variable


def number(value):
    return constant(float(value))


def reworded(expression, rng, share=0.4):
    """The expression with an identity applied to about this share of its operators."""
    return expression.fold(
        lambda operator, operands: _node(operator.name, operands, rng, share),
        variable,
        lambda value: _number(value, rng),
    )


def inverted_twice(expression):
    return apply("inv", apply("inv", expression))


def _number(value, rng):
    if value not in (0.0, 1.0) and rng.random() < 0.2:
        return apply("mul", number(2.5), number(value / 2.5))
    return number(value)


def _node(name, operands, rng, share):
    ways = WAYS.get(name)
    if ways is None or rng.random() > share:
        return apply(name, *operands)
    return ways[int(rng.integers(len(ways)))](*operands)


def _grown(a):
    return apply("exp", apply("mul", number(2.0), a))


WAYS = {
    "add": [lambda a, b: apply("add", b, a), lambda a, b: apply("sub", a, apply("neg", b))],
    "sub": [
        lambda a, b: apply("neg", apply("sub", b, a)),
        lambda a, b: apply("add", a, apply("mul", number(-1.0), b)),
    ],
    "mul": [lambda a, b: apply("mul", b, a), lambda a, b: apply("div", a, apply("inv", b))],
    "div": [
        lambda a, b: apply("mul", a, apply("inv", b)),
        lambda a, b: apply("inv", apply("div", b, a)),
        lambda a, b: apply("div", apply("mul", number(3.0), a), apply("mul", number(3.0), b)),
    ],
    "neg": [lambda a: apply("mul", number(-1.0), a)],
    "sq": [lambda a: apply("mul", a, a), lambda a: apply("pow", a, number(2.0))],
    "cube": [lambda a: apply("mul", a, apply("sq", a))],
    "sqrt": [lambda a: apply("pow", a, number(0.5))],
    "pow": [lambda a, b: apply("inv", apply("pow", a, apply("neg", b)))],
    "exp": [
        lambda a: apply("inv", apply("exp", apply("neg", a))),
        lambda a: apply("pow", number(2.5), apply("div", a, number(math.log(2.5)))),
        lambda a: apply("sq", apply("exp", apply("mul", number(0.5), a))),
    ],
    "log": [lambda a: apply("neg", apply("log", apply("inv", a)))],
    "tanh": [
        lambda a: apply("div", apply("sub", _grown(a), number(1.0)), apply("add", _grown(a), number(1.0))),
        lambda a: apply("div", apply("sinh", a), apply("cosh", a)),
    ],
    "cosh": [lambda a: apply("mul", number(0.5), apply("add", apply("exp", a), apply("exp", apply("neg", a))))],
    "sin": [lambda a: apply("cos", apply("sub", a, number(math.pi / 2)))],
    "cos": [lambda a: apply("sin", apply("add", a, number(math.pi / 2)))],
}
