"""The language of sketches: prefix tokens with anonymous holes, written from expressions and read back.

A scale-free sketch leaves out what scaling the columns and the target cannot change: factors, signs and the scale
inside each function. Offsets stay, because 1/(1 + x^2) and 1/x^2 are different structures. Reading inserts the scales
again as constant holes, each where no other constant absorbs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_sr.expressions.expression import Expression, apply, constant, hole, variable
from mosaic_sr.operators import Operator, operator_named
from mosaic_sr.proposal.prior.vocabulary import (
    CONSTANT_TOKEN,
    FIXED_NUMBERS,
    HOLE_TOKEN,
    VARIABLE_TOKENS,
    Tokens,
    num_operands,
    number_token,
)

# Functions that pass a factor of their argument on to the outside, so that no scale is needed inside.
HOMOGENEOUS = frozenset({"sq", "cube", "inv", "abs"})
ROOTS = frozenset({"sqrt", "pow"})
_POWERS = {0.5: "sqrt", 1.0: "", 2.0: "sq", 3.0: "cube"}

# A tree of the sketch: (token, operands). Sums and products are n-ary; "mul" has one operand per factor and a factor of
# the denominator is ("inv", (factor,)).
Tree = tuple[str, tuple["Tree", ...]]
_HOLE: Tree = (HOLE_TOKEN, ())
_CONSTANT: Tree = (CONSTANT_TOKEN, ())


def scale_free_tokens(expression: Expression) -> Tokens:
    """The scale-free sketch of an expression, in the one order of operands that sketches have."""
    return _written(expression.fold(_scale_free_node, lambda _: _HOLE, _number, lambda: _HOLE))


def bound_tokens(expression: Expression) -> Tokens:
    """The scale-free sketch with the names of its columns, x0 to x9, in place of its holes."""
    return _written(expression.fold(_scale_free_node, lambda column: (VARIABLE_TOKENS[column], ()), _number))


def literal_tokens(expression: Expression) -> Tokens:
    """The operator tree as it stands, with holes for variables and `C` for every number."""
    return _written(_literal_tree(expression))


def full_tokens(expression: Expression) -> Tokens:
    """The operator tree with its variables, and numbers as fixed tokens or `C`."""
    return expression.fold(
        lambda operator, operands: (operator.name, *(token for operand in operands for token in operand)),
        lambda column: (f"x{column}",),
        lambda value: (number_token(value),),
    )


def read_literal(tokens: Sequence[str]) -> Expression:
    """The expression that the tokens spell, with constant holes for `C` and variable holes for `?`."""
    return _expression(_tree(tokens))


def read_scale_free(tokens: Sequence[str]) -> Expression:
    """The expression of a scale-free sketch, with its scales inserted as constant holes."""
    return _with_scale(_tree(tokens))


def normal_order(tokens: Sequence[str], scale_free: bool) -> Tokens:
    """The sketch in the order and form in which the corpus writes it, so that twins become equal."""
    expression = read_literal(tokens)
    return scale_free_tokens(expression) if scale_free else literal_tokens(expression)


def normal_order_bound(tokens: Sequence[str]) -> Tokens:
    """The same of a scale-free sketch with the names of its columns."""
    return _written(_normal(_tree(tokens)))


def _normal(tree: Tree) -> Tree:
    name, operands = tree
    return _scale_free_node(operator_named(name), [_normal(operand) for operand in operands]) if operands else tree


def _number(value: float) -> Tree:
    return (number_token(value), ())


def _is_number(tree: Tree) -> bool:
    return tree[0] == CONSTANT_TOKEN or tree[0] in FIXED_NUMBERS


def _literal_tree(expression: Expression) -> Tree:
    return expression.fold(_literal_node, lambda _: _HOLE, lambda _: _CONSTANT, lambda: _HOLE)


def _literal_node(operator: Operator, operands: list[Tree]) -> Tree:
    return operator.name, tuple(operands)


def _scale_free_node(operator: Operator, operands: list[Tree]) -> Tree:
    name = operator.name
    if all(_is_number(operand) for operand in operands):
        return _CONSTANT
    if name in ("add", "sub"):
        return _sum(operands)
    if name in ("mul", "div"):
        return _product([operands[0], _inverse(operands[1])] if name == "div" else operands)
    if name == "pow":
        return _power(operands[0], operands[1])
    if name == "neg":
        return operands[0]
    if operator.arity == 2:
        return name, tuple(_CONSTANT if _is_number(operand) else operand for operand in operands)
    return _inverse(operands[0]) if name == "inv" else _function(name, operands[0])


def _sum(operands: Sequence[Tree]) -> Tree:
    """An n-ary sum whose constant, if any, stands first."""
    terms: list[Tree] = []
    for operand in operands:
        terms.extend(operand[1] if operand[0] == "add" else (operand,))
    offset = (_CONSTANT,) if any(_is_number(term) for term in terms) else ()
    return ("add", (*offset, *sorted((term for term in terms if not _is_number(term)), key=_rank)))


def _product(operands: Sequence[Tree]) -> Tree:
    """An n-ary product without its constant factors."""
    factors: list[Tree] = []
    for operand in operands:
        factors.extend(operand[1] if operand[0] == "mul" else (operand,))
    factors = sorted((factor for factor in factors if not _is_number(factor)), key=_rank)
    return factors[0] if len(factors) == 1 else ("mul", tuple(factors))


def _inverse(tree: Tree) -> Tree:
    if _is_number(tree):
        return _CONSTANT
    if tree[0] == "inv":
        return tree[1][0]
    if tree[0] == "mul":
        return _product([_inverse(factor) for factor in tree[1]])
    return ("inv", (tree,))


def _power(base: Tree, exponent: Tree) -> Tree:
    """A power, by its own operator where there is one; a constant to a power is an exponential."""
    if _is_number(base):
        return _function("exp", exponent)
    if exponent[0] == "-1":
        return _inverse(base)
    value = FIXED_NUMBERS.get(exponent[0])
    if value in _POWERS:
        return _function(_POWERS[value], base) if _POWERS[value] else base
    return ("pow", (base, _CONSTANT if _is_number(exponent) else exponent))


def _function(name: str, argument: Tree) -> Tree:
    """A unary function; offsets and inverses that a scale outside absorbs are left out."""
    if name == "exp" and argument[0] == "add" and _is_number(argument[1][0]):
        return ("exp", (_shortened(argument),))
    if name == "log" and argument[0] == "inv":
        return ("log", argument[1])
    if name == "cos" and argument[0] == "add" and _is_number(argument[1][0]):
        return ("sin", (argument,))  # the phase turns one into the other
    return (name, (argument,))


def _shortened(total: Tree) -> Tree:
    """A sum without its first term."""
    rest = total[1][1:]
    return rest[0] if len(rest) == 1 else ("add", rest)


def _rank(tree: Tree) -> tuple[int, Tokens]:
    tokens = _written(tree)
    return len(tokens), tokens


def _written(tree: Tree) -> Tokens:
    """Prefix tokens of a tree; n-ary nodes become chains that nest to the right."""
    name, operands = tree
    if name == "mul" and len(operands) > 1:
        return _written_product(operands)
    if name == "add" or name == "mul":
        return _chain(name, operands)
    return (name, *(token for operand in operands for token in _written(operand)))


def _written_product(factors: Sequence[Tree]) -> Tokens:
    above = [factor for factor in factors if factor[0] != "inv"]
    below = [factor[1][0] for factor in factors if factor[0] == "inv"]
    if not below:
        return _chain("mul", above)
    if not above:
        return ("inv", *_chain("mul", below))
    return ("div", *_chain("mul", above), *_chain("mul", below))


def _chain(name: str, operands: Sequence[Tree]) -> Tokens:
    tokens: list[str] = []
    for index, operand in enumerate(operands):
        tokens.extend([name] if index < len(operands) - 1 else [])
        tokens.extend(_written(operand))
    return tuple(tokens)


def _tree(tokens: Sequence[str]) -> Tree:
    """The binary tree that prefix tokens spell."""
    stack: list[Tree] = []
    for token in reversed(tokens):
        arity = num_operands(token)
        operands = tuple(stack.pop() for _ in range(arity))
        stack.append((token, operands))
    return stack[0]


def _leaf(token: str) -> Expression:
    if token == HOLE_TOKEN:
        return hole()
    if token in VARIABLE_TOKENS:
        return variable(VARIABLE_TOKENS.index(token))
    return constant(FIXED_NUMBERS.get(token, float("nan")))


def _expression(tree: Tree) -> Expression:
    name, operands = tree
    return apply(name, *(_expression(operand) for operand in operands)) if operands else _leaf(name)


def _with_scale(tree: Tree) -> Expression:
    """The tree as an argument or a root: a sum gets a scale per term, anything else one scale in front."""
    if _is_number(tree):
        return _leaf(tree[0])
    if tree[0] == "add":
        return apply("add", _with_scale(tree[1][0]), _with_scale(tree[1][1]))
    inner = _scaled_inside(tree)
    return inner if _absorbs_scale(tree) else apply("mul", constant(float("nan")), inner)


def _scaled_inside(tree: Tree) -> Expression:
    """The tree as a factor: scales are inserted inside it, but none in front, which its surroundings provide."""
    name, operands = tree
    if not operands:
        return _leaf(name)
    if name == "add":
        return _sum_up_to_scale(tree)
    if name in ("mul", "div") or name in HOMOGENEOUS:
        return apply(name, *(_scaled_inside(operand) for operand in operands))
    if name == "pow":
        return apply(name, _root_base(operands[0]), _with_scale(operands[1]))
    if name == "sqrt":
        return apply(name, _root_base(operands[0]))
    return apply(name, *map(_with_scale, operands))


def _sum_up_to_scale(total: Tree) -> Expression:
    """A sum with a scale for every term but one: the last, which is never the offset."""
    first, second = total[1]
    rest = _sum_up_to_scale(second) if second[0] == "add" else _scaled_inside(second)
    return apply("add", _with_scale(first), rest)


def _root_base(tree: Tree) -> Expression:
    """The base of a root: a sum keeps all its scales, since the sign inside cannot move outside."""
    return _with_scale(tree) if tree[0] == "add" else _scaled_inside(tree)


def _absorbs_scale(tree: Tree) -> bool:
    """Whether a scale in front is already provided inside, as in the square root of a scaled sum."""
    name, operands = tree
    if name in ("mul", "div"):
        return any(_absorbs_scale(operand) for operand in operands)
    if name in HOMOGENEOUS:
        return _absorbs_scale(operands[0])
    return name in ROOTS and operands[0][0] == "add"
