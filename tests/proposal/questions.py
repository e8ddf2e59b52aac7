"""Questions about tables of known laws, and the verdict on a finder's sketches."""

import warnings

import numpy as np

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal import ProposalConfig
from mosaic_sr.proposal.context import ProposalContext, Signal
from mosaic_sr.relevance import looks_noisy, relevance
from mosaic_sr.selection import SelectionConfig, validate
from mosaic_sr.table import Table


def question_of(X, y, operators=NAMES, seed=0):
    """The context about arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = Table.from_arrays(X, y, rng=np.random.default_rng(seed))
    rows = table.some_training(200)
    return ProposalContext(
        table, rows, relevance(table.training), operators, lambda table: None, looks_noisy=looks_noisy(rows)
    )


def question_about(text, columns, rows=200, dummies=0, single=False, noise=0.0, operators=NAMES):
    """The context about a law on uniform columns; single: columns and target in single precision."""
    rng = np.random.default_rng(len(text))
    X = rng.uniform(0.3, 3.0, size=(rows, columns + dummies))
    if single:
        X = X.astype(np.float32).astype(np.float64)
    y = evaluate_expression(parse(text, [f"x{i}" for i in range(columns + dummies)]), X.T)
    y = y * (1.0 + noise * rng.standard_normal(rows))
    return question_of(X, y.astype(np.float32).astype(np.float64) if single else y, operators)


def sketches_in(events):
    """The lists of sketches among what a proposer yields."""
    return (event for event in events if not isinstance(event, Signal))


def events_of(proposer, context):
    """What a proposer says, by its name, or a part of one: a function of the context."""
    if callable(proposer):
        return proposer(context)
    return ProposalConfig().proposers()[proposer](context, np.random.default_rng(0))


def all_sketches(proposer, context):
    """All sketches of a proposer or a part of one."""
    return [sketch for batch in sketches_in(events_of(proposer, context)) for sketch in batch]


def first_law(proposer, context):
    """The first law of a proposer that holds to the floor, after as many sketches as the second value says."""
    table, count = context.table, 0
    for batch in sketches_in(events_of(proposer, context)):
        for sketch in batch:
            count += 1
            equation = Equation(sketch.expression, table.names, UNKNOWN, UNKNOWN, "test")
            validated = validate(equation, table, SelectionConfig())
            if validated.is_exact:
                return validated, count
    return None, count
