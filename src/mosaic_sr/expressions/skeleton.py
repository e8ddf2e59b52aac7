"""Skeletons: what is left of an expression when its constants and the names of its variables do not matter.

Two expressions share a skeleton when they differ by commutation, by the numbers in them, by scales and offsets
anywhere, or by which column plays which part. Benchmarks are kept out of training by the hashes of their skeletons.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, hole, join, variable
from mosaic_sr.operators import OPERATORS, Operator

# A node of a skeleton: a column, or a head over its children. Heads are "+" and "*" (any number of children, any
# order), "^2", "^-1", ... and "^_" (powers), "?" (a variable hole), "_" (a number), and operator names.
Node = int | tuple[str, tuple["Node", ...]]
COMMUTING = ("+", "*", *(operator.name for operator in OPERATORS if operator.commutes))
EXPONENTS = {1.0: "", 2.0: "^2", 3.0: "^3", 0.5: "^0.5", -1.0: "^-1", -2.0: "^-2", -3.0: "^-3", -0.5: "^-0.5"}
POWERS = {"sq": 2.0, "cube": 3.0, "inv": -1.0, "neg": 1.0}
GOLDEN_RATIO = 0.6180339887498949


def skeleton(expression: Expression) -> Expression:
    """The skeleton as an expression; the exponents that are numbers other than 2, 3, 1/2 become constant holes."""
    node = _node(expression)
    return constant(float("nan")) if node is None else _expression(*_labelled(node))


def skeleton_hash(expression: Expression) -> str:
    """Sixteen hexadecimal digits that are equal for equal skeletons."""
    node = _node(expression)
    text = "_" if node is None else _key(*_labelled(node))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class _Part:
    """A subtree on its way to a skeleton.

    exact: equal for subtrees that are equal with their numbers; (x-1)/(x-10) must not cancel though both become x.
    node: its skeleton without scale and offset, None for a number.
    factors: exact text, node and exponent of each factor.
    """

    exact: str
    node: Node | None
    factors: tuple[tuple[str, Node, float], ...] = field(default=())


def _node(expression: Expression) -> Node | None:
    """The skeleton of an expression before its columns are renumbered; None for a number."""
    # Distinct generic numbers let the canonical form merge what is equal for all numbers and nothing else.
    numbers = [1.0 + (index * GOLDEN_RATIO + 0.3) % 1.0 for index in range(expression.num_constants)]
    generic = canonical(expression.with_constants(numbers))
    return generic.fold(_combine, _column, lambda value: _Part(repr(value), None), _open_hole).node


def _column(column: int) -> _Part:
    return _single(f"x{column}", column)


def _open_hole() -> _Part:
    return _single("?", ("?", ()))


def _single(exact: str, node: Node) -> _Part:
    return _Part(exact, node, ((exact, node, 1.0),))


def _combine(operator: Operator, operands: list[_Part]) -> _Part:
    exact = f"{operator.name}({','.join([operand.exact for operand in operands])})"
    nodes = [operand.node for operand in operands if operand.node is not None]
    if not nodes:
        return _Part(exact, None)
    if operator.name in ("add", "sub"):
        return _single(exact, _flat("+", nodes))
    if operator.name in ("mul", "div"):
        return _product(exact, operands[0].factors, operands[1].factors, -1.0 if operator.name == "div" else 1.0)
    if operator.name in POWERS:
        return _product(exact, (), operands[0].factors, POWERS[operator.name])
    if operator.name == "sqrt" and len(operands[0].factors) == 1 and operands[0].factors[0][2] == 1.0:
        return _product(exact, (), operands[0].factors, 0.5)
    if operator.name == "pow":
        return _single(exact, _power(operands, nodes))
    return _single(exact, (operator.name, tuple(("_", ()) if each.node is None else each.node for each in operands)))


def _power(operands: list[_Part], nodes: list[Node]) -> Node:
    """A power with a number on one side: the number of b^c is an exponent hole, the number of c^b a scale in exp."""
    if operands[1].node is None:
        return "^_", tuple(nodes)
    return ("exp" if operands[0].node is None else "pow"), tuple(nodes)


def _product(
    exact: str,
    left: Sequence[tuple[str, Node, float]],
    right: Sequence[tuple[str, Node, float]],
    exponent: float,
) -> _Part:
    """The product of left factors and the right ones raised to the exponent; equal factors merge."""
    merged: dict[str, tuple[Node, float]] = {text: (node, power) for text, node, power in left}
    for text, node, power in right:
        merged[text] = node, merged.get(text, (node, 0.0))[1] + power * exponent
    factors = tuple((text, node, power) for text, (node, power) in merged.items() if power != 0.0)
    if not factors:
        return _Part(exact, None)
    return _Part(exact, _flat("*", [_raised(node, power) for _, node, power in factors]), factors)


def _raised(node: Node, power: float) -> Node:
    if isinstance(node, tuple) and node[0] == "^_":
        return node
    head = EXPONENTS.get(power, "^_")
    return (head, (node,)) if head else node


def _flat(head: str, nodes: Sequence[Node]) -> Node:
    """One node of that head over all the operands; operands of the same head give their children."""
    children: list[Node] = []
    for node in nodes:
        children.extend(node[1] if isinstance(node, tuple) and node[0] == head else (node,))
    return children[0] if len(children) == 1 else (head, tuple(children))


def _labelled(node: Node) -> tuple[Node, dict[int, int]]:
    """The node and a numbering of its columns that does not depend on their names or on the order of operands."""
    colours = dict.fromkeys(_columns(node), 0)
    colours = _refined(node, colours)
    while len(set(colours.values())) < len(colours):
        tied = _first_tie(colours)
        # Columns that refinement cannot tell apart play the same part, so the smallest text decides.
        trials = [_refined(node, {c: 2 * colour + (c != choice) for c, colour in colours.items()}) for choice in tied]
        colours = min(trials, key=lambda trial: _key(node, trial))
    return node, colours


def _columns(node: Node) -> list[int]:
    if isinstance(node, int):
        return [node]
    return [column for child in node[1] for column in _columns(child)]


def _first_tie(colours: dict[int, int]) -> list[int]:
    """The columns of the smallest colour that several columns share."""
    classes: dict[int, list[int]] = {}
    for column, colour in colours.items():
        classes.setdefault(colour, []).append(column)
    return classes[min(colour for colour, members in classes.items() if len(members) > 1)]


def _refined(node: Node, colours: dict[int, int]) -> dict[int, int]:
    """Colours split by the places where each column occurs, until nothing splits any more; 0, 1, ... in order."""
    num_colours = 0
    while len(colours) > 1:
        places: dict[int, list[str]] = {column: [] for column in colours}
        _collect_places(node, "", colours, places)
        signatures = {column: (colours[column], sorted(texts)) for column, texts in places.items()}
        ordered = sorted({(colour, tuple(texts)) for colour, texts in signatures.values()})
        ranks = {signature: rank for rank, signature in enumerate(ordered)}
        colours = {column: ranks[colour, tuple(texts)] for column, (colour, texts) in signatures.items()}
        if len(ordered) == num_colours or len(ordered) == len(colours):
            return colours
        num_colours = len(ordered)
    return dict.fromkeys(colours, 0)


def _collect_places(node: Node, path: str, colours: dict[int, int], places: dict[int, list[str]]) -> None:
    if isinstance(node, int):
        places[node].append(path)
        return
    head, children = node
    whole = _key(node, colours)
    for index, child in enumerate(children):
        _collect_places(child, f"{path}/{'' if head in COMMUTING else index}{whole}", colours, places)


def _key(node: Node, colours: dict[int, int]) -> str:
    """The node as text, with colours for columns and commuting operands in order."""
    if isinstance(node, int):
        return f"x{colours[node]}"
    head, children = node
    keys = [_key(child, colours) for child in children]
    if head in COMMUTING:
        keys.sort()
    return f"{head}({','.join(keys)})"


def _expression(node: Node, colours: dict[int, int]) -> Expression:
    if isinstance(node, int):
        return variable(colours[node])
    head, children = node
    if head in COMMUTING:
        operands = [_expression(child, colours) for child in sorted(children, key=lambda child: _key(child, colours))]
        return join({"+": "add", "*": "mul"}.get(head, head), operands)
    return _applied(head, [_expression(child, colours) for child in children])


def _applied(head: str, operands: list[Expression]) -> Expression:
    if head == "?":
        return hole()
    if head == "_":
        return constant(float("nan"))
    if head == "^_":
        return apply("pow", operands[0], constant(float("nan")))
    if not head.startswith("^"):
        return apply(head, *operands)
    root = {"2": "sq", "3": "cube", "0.5": "sqrt", "1": ""}[head.lstrip("^-")]
    raised = apply(root, *operands) if root else operands[0]
    return apply("inv", raised) if head.startswith("^-") else raised
