"""What law files keep of constraints: how the law keeps each, and what its nodes cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mosaic_sr.constraints import Costs, Verdict
from mosaic_sr.expressions.grammar import FUNCTIONS, OPERATOR_OF_SYMBOL
from mosaic_sr.law_values import expect, items, size
from mosaic_sr.outcome import Outcome


def describe_constraints(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """How the law keeps each constraint, as plain values; nothing where there is none."""
    told = [{"constraint": one.constraint, "holds": one.holds, "how": one.how} for one in verdicts]
    return {"constraints": told} if told else {}


def constraints_in(content: Mapping[str, Any]) -> tuple[Verdict, ...]:
    """What `describe_constraints` wrote; ValueError for anything else."""
    entries = items({"constraints": [], **content}, "constraints", dict)
    return tuple(
        Verdict(
            expect(entry["constraint"], str, "constraint"),
            expect(entry["holds"], bool, "holds"),
            expect(entry["how"], str, "how"),
        )
        for entry in entries
    )


def with_costs(outcome: Outcome, settings: Mapping[str, Any]) -> Outcome:
    """The outcome whose equations know what their nodes cost, where the settings of the file state it."""
    own = expect(settings.get("complexity_of_operators") or {}, dict, "complexity_of_operators")
    constants, variables = (_cost(settings, f"complexity_of_{kind}") for kind in ("constants", "variables"))
    words = {word: OPERATOR_OF_SYMBOL.get(word) or FUNCTIONS.get(word) or word for word in own}
    costs = Costs(tuple(words.values()), tuple(size(own[word], word) for word in words), constants, variables)
    if costs.are_plain:
        return outcome
    ties = tuple(replace(tie, costs=costs) for tie in outcome.law.ties)
    law = replace(outcome.law, costs=costs, ties=ties)
    return replace(outcome, law=law, front=tuple(replace(one, costs=costs) for one in outcome.front))


def _cost(settings: Mapping[str, Any], label: str) -> float:
    value = settings.get(label)
    return 1.0 if value is None else size(value, label)
