"""Which constants differ from group to group, and how probable a form is over all groups."""

import numpy as np
import pytest
from tables_of_groups import form, grouped_rows

from mosaic_sr.evidence.noise import Noise
from mosaic_sr.grouped.evidence import GroupEvidence
from mosaic_sr.grouped.fitted import distinct_forms, fit_form
from mosaic_sr.grouped.joint_fit import Local
from mosaic_sr.grouped.noise import common_noise, noise_by_group

ADDITIVE = common_noise(Noise())
AMPLITUDES = np.random.default_rng(5).uniform(1.0, 3.0, 200)


def michaelis(x, group):
    return AMPLITUDES[group] * x / (0.8 + x)


@pytest.mark.parametrize("sizes", [[40] * 8, [4] * 60, [2] * 100, [50, 50, 50, 1]])
def test_a_constant_that_varies_is_told_from_one_that_is_shared(sizes):
    rows = grouped_rows(michaelis, sizes, noise=0.02, seed=1)
    shares = fit_form(form("1.234567*x/(0.912345 + x)"), rows, ADDITIVE).shares
    assert shares.is_shared.tolist() == [False, True]
    assert shares.mean[1] == pytest.approx(0.8, abs=6 * shares.mean_errors[1])
    assert shares.spread[0] == pytest.approx(np.std(AMPLITUDES[: len(sizes)]), rel=0.25)
    errors = np.abs(shares.constants[:, 0] - AMPLITUDES[: len(sizes)]) / shares.errors[:, 0]
    assert np.mean(errors < 2.0) > 0.8


def test_constants_that_are_all_the_same_are_shared():
    rows = grouped_rows(lambda x, group: 2.0 * x / (0.8 + x), [30] * 6, noise=0.02)
    assert fit_form(form("1.234567*x/(0.912345 + x)"), rows, ADDITIVE).shares.is_shared.all()


def test_the_true_form_is_more_probable_than_one_with_a_constant_more_or_another_curve():
    rows = grouped_rows(michaelis, [30] * 8, noise=0.05)
    texts = ("1.234567*x/(0.912345 + x)", "1.234567*x/(0.912345 + x) + 0.0123456", "1.234567*atan(1.345678*x)")
    true, longer, other = (fit_form(form(text), rows, ADDITIVE).score for text in texts)
    assert true > longer
    assert true > other + 3.0


def test_groups_of_a_wave_end_on_one_branch():
    phases = np.linspace(0.9, 1.2, 8)
    rows = grouped_rows(lambda x, group: AMPLITUDES[group] * np.cos(1.3 * x + phases[group]), [60] * 8, 0.1, high=9.0)
    shares = fit_form(form("1.123456*cos(1.234567*x + 0.123456)"), rows, ADDITIVE).shares
    assert shares.is_shared.tolist() == [False, True, False]
    turns = shares.constants[:, 2] / np.pi
    assert np.ptp(turns) < 0.3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", ["1.12*cos(0.71*x + 1.05)", "-1.12*sin(2.61 - 0.71*x)", "1.12*sin(0.71*x - 4.2)"])
def test_groups_of_waves_of_many_frequencies_have_usual_signs(text, seed):
    rng = np.random.default_rng(seed)
    frequencies, phases = rng.uniform(0.3, 2.0, 8), rng.uniform(0.8, 1.2, 8)
    law = lambda x, group: AMPLITUDES[group] * np.cos(frequencies[group] * x + phases[group])  # noqa: E731
    rows = grouped_rows(law, [60] * 8, 0.05, high=9.0)
    constants = fit_form(form(text), rows, ADDITIVE).shares.constants
    for place in range(3):
        assert np.all(constants[:, place] > 0.0) or np.all(constants[:, place] < 0.0)
    found = sorted(np.abs(constants).T.tolist(), key=lambda own: np.std(np.subtract(own, frequencies)))[0]
    assert found == pytest.approx(frequencies, abs=0.05)


def test_two_words_for_one_law_are_one_form_and_the_shorter_is_told():
    rows = grouped_rows(michaelis, [30] * 8, noise=0.05)
    words = [form("1.234567*x/(0.912345 + x)"), form("1.234567*x/(1 + 1.112345*x)")]
    kept = distinct_forms([fit_form(one, rows, ADDITIVE) for one in words], rows)
    assert [one.form.expression for one in kept] == [words[0].expression]


def test_groups_of_other_noise_are_told_from_groups_of_the_same():
    rng = np.random.default_rng(0)
    same, other = rng.normal(size=(10, 50)), rng.normal(size=(10, 50)) * np.linspace(0.2, 3.0, 10)[:, None]
    to_spare = np.full(10, 50.0)
    found = noise_by_group(Noise(), np.square(other).sum(axis=1), to_spare)
    assert found.factors[-1] / found.factors[0] == pytest.approx(15.0, rel=0.5)
    alike = noise_by_group(Noise(), np.square(same).sum(axis=1), to_spare)
    assert alike is None or alike.log_prior < ADDITIVE.log_prior


def test_constants_of_which_the_rows_say_nothing_finite_have_no_evidence():
    rows = grouped_rows(michaelis, [10] * 3, noise=0.02)
    theta = np.ones((3, 2))
    for information in (np.nan, np.inf, 1e308):
        local = Local(rows.target, np.full((3, 2, 2), information), np.ones((3, 2)), np.ones(3))
        evidence = GroupEvidence.near(local, theta, rows, np.ones_like(rows.target), ADDITIVE)
        assert evidence is None or evidence.measure(np.array([True, True])) is None


def test_a_rough_fit_ranks_forms_as_a_careful_one_does():
    rows = grouped_rows(michaelis, [30] * 6, noise=0.02)
    forms = [form(text) for text in ("1.234567*x/(0.912345 + x)", "1.234567*x^0.712345", "1.234567*tanh(0.912345*x)")]
    rough, careful = (
        [fit_form(one, rows, common_noise(Noise()), is_rough=is_rough).score for one in forms]
        for is_rough in (True, False)
    )
    assert np.argsort(rough).tolist() == np.argsort(careful).tolist()
    assert rough[0] == pytest.approx(careful[0], abs=1.0)
