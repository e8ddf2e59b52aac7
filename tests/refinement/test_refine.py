"""Rounds of paths: they repeat exactly, stay within their limits, and find laws."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation, Errors, measure
from mosaic_sr.expressions.text import parse
from mosaic_sr.kernel.jit import IS_DISABLED
from mosaic_sr.operators import CODES
from mosaic_sr.refinement import RefinementConfig, refine, start_paths
from mosaic_sr.refinement.bests import Bests
from mosaic_sr.refinement.chance import make_state
from mosaic_sr.refinement.path import Fixed, advanced, make_data, make_formulas, start_path
from mosaic_sr.refinement.settings import PathConfig
from mosaic_sr.refinement.vocabulary import make_vocabulary
from mosaic_sr.table import Rows
from mosaic_sr.workers import Threads

NAMES = ("x", "y")
SMALL = RefinementConfig(num_paths=4, path=PathConfig(trials_per_round=10 if IS_DISABLED else 200), restart_every=2)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning") if IS_DISABLED else []


def rows_of(law, num_rows=60):
    columns = np.random.default_rng(5).uniform(0.5, 3.0, (2, num_rows))
    return Rows(columns, law(*columns), np.empty(0))


def rounds(rows, config, count, n_jobs=1):
    seeds = [Equation(parse(text, NAMES), NAMES, UNKNOWN, UNKNOWN, "test") for text in ("x", "y", "x*y", "x + y")]
    seeds = [replace(seed, training=measure(seed.expression, rows)) for seed in seeds]
    paths = start_paths(seeds, config, np.random.default_rng(1))
    return list(islice(refine(paths, rows, NAMES, np.ones(2), config, Threads(n_jobs), lambda: False), count))


def wavy(x, y):
    return np.sin(2.0 * x) * y + np.exp(-y) + 0.3 * np.sqrt(x + y * y)


def test_two_threads_find_what_one_finds():
    one, two = (rounds(rows_of(wavy), SMALL, 5, n_jobs) for n_jobs in (1, 2))
    assert [found.screened for found in one] == [found.screened for found in two]
    assert [str(equation) for equation in one[-1].equations] == [str(equation) for equation in two[-1].equations]


@pytest.mark.skipif(IS_DISABLED, reason="plain Python tries too few candidates")
def test_a_small_law_is_found():
    found = rounds(rows_of(lambda x, y: 3.0 * x * np.log(y) - 2.0 / y + 5.0), SMALL, 40)
    assert min(equation.training.nmse for equation in found[-1].equations) < 1e-20


def test_equations_are_a_front_within_the_size_limit():
    config = replace(SMALL, path=replace(SMALL.path, maxsize=9))
    equations = rounds(rows_of(wavy), config, 4)[-1].equations
    sizes, losses = [e.complexity for e in equations], [e.training.nmse for e in equations]
    assert max(sizes) <= 9
    assert sizes == sorted(set(sizes))
    assert losses == sorted(losses, reverse=True)


def test_without_products_no_coefficients_are_written():
    config = replace(SMALL, operators=("add", "sin"))
    for equation in rounds(rows_of(wavy), config, 3)[-1].equations:
        assert CODES["mul"] not in equation.expression.codes.tolist() or str(equation) == "x*y"


@pytest.mark.skipif(IS_DISABLED, reason="plain Python tries too few candidates")
def test_paths_end_when_there_is_nothing_new_to_try():
    brief = replace(SMALL, path=replace(SMALL.path, trials_per_round=40))
    tiny = replace(brief, operators=("add",), path=replace(brief.path, maxsize=3))
    assert len(rounds(rows_of(wavy), tiny, 80)) < 80
    assert not rounds(rows_of(wavy), brief, 52)[-1].state.is_exhausted


def test_few_rows_allow_few_constants():
    for equation in rounds(rows_of(wavy, num_rows=9), SMALL, 3)[-1].equations:
        assert equation.expression.num_constants <= 3


def moved(config, count):
    """Losses of one path after each of `count` rounds, and how many candidates it has screened."""
    rows = rows_of(wavy)
    path = start_path(parse("x", NAMES), config, make_state(np.random.default_rng(2)), "test")
    vocabulary = make_vocabulary(("add", "mul", "sin", "exp"), [1.0, 1.0], config.edit_chances)
    settings, losses = config.settings(("add", "mul")), []
    for _ in range(count):
        path = advanced(Fixed(make_data(rows), make_formulas(()), settings), vocabulary, path)
        losses.append(float(path.losses[0]))
    return losses, int(path.counts[0])


def test_a_path_at_temperature_zero_climbs_strictly():
    strict = PathConfig(trials_per_round=10, temperature=0.0, parsimony=0.0, lenience=np.inf, is_scaled=False)
    losses, _ = moved(strict, 12)
    assert losses == sorted(losses, reverse=True)
    warm, _ = moved(replace(strict, temperature=2.0), 12)
    assert warm != sorted(warm, reverse=True)


def test_a_round_ends_when_its_work_is_done():
    config = PathConfig(trials_per_round=50)
    assert moved(replace(config, work_per_round=1.0), 1)[1] < moved(config, 1)[1]


def test_the_earlier_path_wins_a_tie():
    one, two = Bests.empty(3, 8), Bests.empty(3, 8)
    one.losses[1:] = 0.5, 0.2, 0.2
    two.losses[1:] = 0.5, 0.1, 0.2
    two.codes[:] = 7
    merged = Bests.merged([one, two])
    assert merged.codes[:, 0].tolist() == [0, 0, 7, 0]
    assert merged.front().tolist() == [1, 2]
    assert one.losses[2] == 0.2


def test_a_longer_program_must_be_better_by_more_than_fits_leave_open():
    bests = Bests.empty(4, 8)
    bests.losses[1:] = 0.5, 0.4999, 0.49, 0.4
    assert bests.front().tolist() == [1, 3, 4]


def test_weights_of_a_target_that_spans_decades_hear_all_of_them():
    rows = rows_of(lambda x, y: 10.0 ** (2.0 * x - 3.0))
    weights = make_data(rows).weights
    assert np.sum(weights * np.square(rows.target)) == pytest.approx(1.0)
    assert np.corrcoef(weights, 1.0 / rows.target)[0, 1] > 0.999
    flat = rows_of(lambda x, y: x + y)
    assert np.ptp(make_data(flat).weights) == 0.0


def test_rows_of_zero_have_no_weight_where_weights_follow_the_target():
    rows = rows_of(lambda x, y: np.where(x > 2.0, 0.0, y))
    second = make_data(rows, screening_rows=60).few_weights[1]
    assert np.all(np.isfinite(second))
    assert np.count_nonzero(second) == np.count_nonzero(rows.target)


@pytest.mark.parametrize(("repeats", "count"), [(False, 2), (True, 5)])
def test_paths_without_an_equation_of_their_own_begin_at_those_of_others_if_asked(repeats, count):
    rows = rows_of(wavy)
    seeds = [Equation(parse(text, NAMES), NAMES, measure(parse(text, NAMES), rows), UNKNOWN, text) for text in "xy"]
    config = replace(SMALL, num_paths=5, repeats_starts=repeats)
    paths = start_paths(seeds, config, np.random.default_rng(1)).paths
    assert len(paths) == count
    assert len({path.found_by for path in paths}) == 2
    assert len({path.state.tobytes() for path in paths}) == count
    assert start_paths([], config, np.random.default_rng(1)).paths == ()


def test_the_first_path_begins_at_the_least_error_of_the_kind_that_is_asked_for():
    errors = {"even": Errors(nmse=1e-2, relative=1e-2), "plain": Errors(nmse=1e-9, relative=1e12)}
    seeds = [Equation(parse("x", NAMES), NAMES, own, UNKNOWN, name) for name, own in errors.items()]
    for ranks_by_nmse, first in ((False, "even"), (True, "plain")):
        config = replace(SMALL, ranks_by_nmse=ranks_by_nmse)
        assert start_paths(seeds, config, np.random.default_rng(1)).paths[0].found_by == first
