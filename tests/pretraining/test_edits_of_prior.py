"""The edit and value heads: corruptions and what undoes them, parity of the export, a tiny overfitted model."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import TINY_GUIDED

from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.errors import InvalidFile
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.parser import parse
from mosaic_sr.fitting import QuickConfig, QuickFitter
from mosaic_sr.pretraining.corpus import make_block
from mosaic_sr.pretraining.corruption import corrupt, edit_numbers, is_plain
from mosaic_sr.pretraining.edit_evaluation import evaluate_edits, summarise_edits
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.model import SketchModel
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.pretraining.stages import edit_loss, to_batch
from mosaic_sr.proposal.prior.edit_language import (
    ACTIONS,
    Edit,
    apply_edit,
    inverse_of,
    is_allowed,
    law_ids,
    parents_of,
)
from mosaic_sr.proposal.prior.edits import EditTable, edited_laws, propose_edits
from mosaic_sr.proposal.prior.encoding import num_inputs
from mosaic_sr.proposal.prior.residuals import NUM_RESIDUAL_FEATURES
from mosaic_sr.proposal.prior.session import load_session
from mosaic_sr.proposal.prior.sketch_language import bound_tokens, normal_order_bound, read_scale_free
from mosaic_sr.proposal.prior.vocabulary import IDS, TOKENS
from mosaic_sr.table import Rows

LAW = bound_tokens(parse("2*x0*sin(3*x1 + 1)/(x2^2 + 4) + exp(x0)", ["x0", "x1", "x2"]))
CPU = torch.device("cpu")


def test_every_action_gives_a_valid_law_and_is_undone_by_its_inverse() -> None:
    num_undone = 0
    for node, token in enumerate(LAW):
        for action in (action for action in ACTIONS if is_allowed(action, token)):
            edit = Edit(node, action, "x1", "log") if action.startswith(("join", "precede")) else Edit(node, action)
            after, origins = apply_edit(LAW, edit)
            assert len(origins) == len(after)
            assert read_scale_free(after).num_holes == 0
            inverse = inverse_of(LAW, edit)
            if inverse is not None:
                num_undone += 1
                assert normal_order_bound(apply_edit(after, inverse)[0]) == normal_order_bound(LAW)
    assert num_undone > 300


@pytest.mark.parametrize("num_edits", [1, 2, 3, 4])
def test_the_fixes_of_a_corrupted_law_lead_back_to_it(num_edits: int) -> None:
    rng = np.random.default_rng(num_edits)
    num_led_back = 0
    for _ in range(30):
        found = corrupt(LAW, num_edits, 4, 36, rng)
        assert found is not None
        assert len(found.fixes) == num_edits
        assert all(is_allowed(fix.action, found.tokens[fix.node]) for fix in found.fixes)
        num_led_back += normal_order_bound(LAW) in _after_fixes(found.tokens, found.fixes)
    assert num_led_back >= 27  # where one fix stands inside the operand of another, their order matters


def _after_fixes(tokens: tuple[str, ...], fixes: tuple[Edit, ...]) -> set[tuple[str, ...]]:
    """The law after all fixes, the last node first or the first node first: places in front do not move."""
    results = set()
    for order in (sorted(fixes, key=lambda fix: -fix.node), sorted(fixes, key=lambda fix: fix.node)):
        now, places = tokens, list(range(len(tokens)))
        for fix in order:
            if fix.node not in places:
                break
            now, origins = apply_edit(now, replace(fix, node=places.index(fix.node)))
            places = [places[origin] if origin >= 0 else -1 for origin in origins]
        results.add(normal_order_bound(now))
    return results


def test_mistakes_leave_laws_in_their_normal_form() -> None:
    assert is_plain(("add", "C", "mul", "x0", "sin", "x1"))
    assert not is_plain(("mul", "C", "x0"))  # scales are left out
    assert not is_plain(("add", "x0", "x0"))
    assert not is_plain(("sin", "C"))
    assert not is_plain(("mul", "x0", "inv", "x1"))  # written as a quotient
    tokens = ("div", "mul", "x1", "x0", "add", "sin", "x2", "C")
    assert normal_order_bound(tokens) == bound_tokens(read_scale_free(tokens))


def test_parents_are_the_operators_above() -> None:
    assert parents_of(("add", "sin", "x0", "mul", "x1", "x2")) == [-1, 0, 1, 0, 3, 3]


def exported(preset: Preset, folder: Path, model: SketchModel) -> None:
    model.eval()
    model.load_state_dict({name: tensor.half().float() for name, tensor in model.state_dict().items()})
    write_prior(preset, model.state_dict(), {}, folder)


@pytest.mark.parametrize("encoder", ["latents", "set"])
def test_torch_and_onnxruntime_agree_on_every_head(encoder: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    preset = replace(TINY_GUIDED, model=replace(TINY_GUIDED.model, encoder=encoder))
    model = SketchModel(preset.model)
    exported(preset, tmp_path, model)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, num_inputs("scaled"))).astype(np.float32)
    residuals = rng.normal(size=(3, 20, NUM_RESIDUAL_FEATURES)).astype(np.float32)
    laws = np.full((3, 2, 9), IDS["<pad>"])
    for row, law in enumerate((("add", "x0", "sin", "x1"), ("x0",), ("mul", "x0", "add", "C", "x1", "x2"))):
        laws[row, :, : len(law)] = law_ids(law, TOKENS)
    answer = load_session(tmp_path).read_laws(points, residuals, laws)
    several = torch.from_numpy(points).expand(3, -1, -1)
    with torch.no_grad():
        _, heads = model(
            several, torch.zeros(3, 2, dtype=torch.int64), torch.from_numpy(residuals), torch.from_numpy(laws)
        )
    is_token = laws[:, 0] != IDS["<pad>"]
    for name in ("actions", "leaves", "inner"):
        np.testing.assert_allclose(getattr(answer, name)[is_token], heads[name].numpy()[is_token], atol=2e-5)
    np.testing.assert_allclose(answer.missing, heads["missing"].numpy(), atol=2e-5)


def test_the_blocks_hold_mistakes_noise_and_families() -> None:
    block = make_block(replace(TINY_GUIDED.corpus, num_points=(30,)), 0, 0)
    assert set(np.unique(block.missing)) >= {0, 1, 2}
    assert ((block.fixes[..., 0] >= 0).sum(axis=1) == block.missing).all()
    assert np.isfinite(block.points).all()
    assert np.isfinite(block.residuals).all()
    level = block.residuals[:, 0, 2]
    assert level[block.missing == 0].mean() < level[block.missing >= 3].mean()
    again = make_block(replace(TINY_GUIDED.corpus, num_points=(30,)), 0, 0)
    assert all((getattr(again, name) == getattr(block, name)).all() for name in block.__dataclass_fields__)


def lacking(text: str) -> tuple[Equation, Rows]:
    """A law that misses a part of sin(x0)*x1 + x1^2, refitted to clean rows of it."""
    columns = np.random.default_rng(0).uniform(0.5, 3.0, size=(2, 60))
    rows = Rows(columns, np.sin(columns[0]) * columns[1] + columns[1] ** 2, np.empty(0))
    fitted = QuickFitter(rows, QuickConfig()).fit(read_scale_free(bound_tokens(parse(text, ["x0", "x1"]))), 0.0)
    return Equation(fitted.expression, ("x0", "x1"), measure(fitted.expression, rows), UNKNOWN, "test"), rows


def test_a_tiny_overfitted_model_inverts_known_corruptions(tmp_path: Path) -> None:
    """Three laws, each with one mistake: after some steps the first proposal of each is the fix."""
    true = bound_tokens(parse("sin(x0)*x1 + x1^2", ["x0", "x1"]))
    torch.manual_seed(0)
    model = SketchModel(TINY_GUIDED.model)
    exported(TINY_GUIDED, tmp_path / "before", model)
    laws = [lacking(text) for text in ("x0*x1 + x1^2", "cos(x0)*x1 + x1^2", "sin(x0)*x1")]
    table = EditTable(load_session(tmp_path / "before"), laws[0][1], np.random.default_rng(0))
    batch = learning_batch(table, [law for law, _ in laws], true)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    model.train()
    for _ in range(60):
        _, heads = model(batch.points, batch.sketch, batch.residuals, batch.law)
        loss, _ = edit_loss(heads, batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    exported(TINY_GUIDED, tmp_path / "after", model)
    learned = EditTable(load_session(tmp_path / "after"), laws[0][1], np.random.default_rng(0))
    for law in learned.read([law for law, _ in laws]):
        first, _ = next(edited_laws(law, learned.longest))
        assert first == named(true, learned.fed)
        assert law.missing == pytest.approx(1.0, abs=0.3)


def named(true: tuple[str, ...], fed: tuple[int, ...]) -> tuple[str, ...]:
    """The tokens over the fed columns."""
    places = {f"x{column}": f"x{place}" for place, column in enumerate(fed)}
    return normal_order_bound([places.get(token, token) for token in true])


def learning_batch(table: EditTable, laws: list[Equation], true: tuple[str, ...]) -> object:
    """The laws as a batch, each with the single edit that makes it the truth."""
    block = make_block(replace(TINY_GUIDED.corpus, equations_per_block=2, num_points=(60,)), 0, 0).part(slice(0, 3))
    wanted = named(true, table.fed)
    ids, fixes = np.zeros_like(block.law), np.full_like(block.fixes, -1)
    for row, law in enumerate(laws):
        tokens = table._tokens(law)
        assert tokens is not None
        ids[row, :, : len(tokens)] = law_ids(tokens, TOKENS)
        fixes[row, 0] = edit_numbers(single_fix(tokens, wanted))
    residuals = np.stack([table._residuals(law) for law in laws])
    points = np.repeat(table._points[None], 3, axis=0)
    return to_batch(
        replace(block, points=points, residuals=residuals, law=ids, fixes=fixes, missing=np.ones(3, np.int64)), CPU
    )


def single_fix(tokens: tuple[str, ...], wanted: tuple[str, ...]) -> Edit:
    """The first edit that makes one law the other."""
    operands = [("x0", ""), ("x1", ""), ("x0", "sq"), ("x1", "sq")]
    for node, token in enumerate(tokens):
        for action in (action for action in ACTIONS if is_allowed(action, token)):
            for leaf, inner in operands if action.startswith(("join", "precede")) else [("", "")]:
                edit = Edit(node, action, leaf, inner)
                if normal_order_bound(apply_edit(tokens, edit)[0]) == wanted:
                    return edit
    raise AssertionError(f"no single edit makes {tokens} {wanted}")


def test_the_evaluation_of_edits_counts_every_law_and_has_a_control(tmp_path: Path) -> None:
    torch.manual_seed(0)
    exported(TINY_GUIDED, tmp_path, SketchModel(TINY_GUIDED.model))
    rows = summarise_edits(evaluate_edits(tmp_path, TINY_GUIDED.corpus, 12, 0, lambda done: None))
    assert rows[0].name == "with mistakes"
    assert rows[0].laws == sum(row.laws for row in rows[1:] if row.name != "0 missing")
    assert sum(row.laws for row in rows[1:]) == 12
    assert 0.0 <= rows[0].fix_at_1 <= rows[0].fix_at_10 <= rows[0].fix_at_100 <= 1.0
    assert 0.0 < rows[0].expected < 4.0
    with pytest.raises(InvalidFile, match="has no edits"):
        evaluate_edits(tmp_path, replace(TINY_GUIDED.corpus, has_mistakes=False), 12, 0, lambda done: None)


def test_proposals_are_laws_over_the_columns_of_the_table_and_none_comes_twice(tmp_path: Path) -> None:
    torch.manual_seed(0)
    exported(TINY_GUIDED, tmp_path, SketchModel(TINY_GUIDED.model))
    law, rows = lacking("x0*x1 + x1^2")
    known: set[tuple[str, ...]] = set()
    operators = ("sub", "mul", "sq", "sin")
    table = EditTable(load_session(tmp_path), rows, np.random.default_rng(0), operators)
    first = propose_edits(table, [law], known)
    assert 20 <= len(first) <= 100
    assert all(columns_of(sketch.expression) <= {0, 1} for sketch in first)
    assert all(np.isnan(sketch.expression.constants).all() for sketch in first)
    second = propose_edits(table, [law], known)
    assert not {sketch.expression.key for sketch in first} & {sketch.expression.key for sketch in second}
    assert {token for tokens in known for token in tokens} <= {"add", *operators, "C", "x0", "x1"}


def columns_of(expression: Expression) -> set[int]:
    assert expression.num_holes == 0
    assert expression.columns
    return set(expression.columns)
