"""Row counts, ranges and totals of every suite against the published facts; identical numbers for identical seeds."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.suites import SUITES, Problem, Sample, load, with_noise
from benchmarks.suites.generated import SEEDS
from benchmarks.suites.sampling import FLOAT32_LARGEST, FLOAT32_SMALLEST_NORMAL, Grid, TrainAndTest
from benchmarks.suites.srsd import DIFFICULTIES, SinglePrecision, draw_layout
from benchmarks.suites.strogatz import SYSTEMS, integrate
from mosaic_sr import InvalidFile, InvalidSettings, evaluate_expression, parse, skeleton_hash

# name: problems, problems that can be recovered
SIZES = {
    "class": (8, 8),
    "templates": (26, 26),
    "srsd-easy": (30, 30),
    "srsd-medium": (40, 38),
    "srsd-hard": (50, 41),
    "srsd-easy-dummy": (30, 30),
    "srsd-medium-dummy": (40, 36),
    "srsd-hard-dummy": (50, 35),
    "srsd-easy-float32": (30, 30),
    "srsd-medium-float32": (40, 36),
    "srsd-hard-float32": (50, 35),
    "nguyen": (12, 12),
    "korns": (15, 15),
    "keijzer": (15, 14),
    "vladislavleva": (8, 8),
    "livermore": (22, 22),
    "strogatz": (14, 14),
    "taylor": (16, 16),
    "generated": (200, 200),
    "generated-b": (200, 200),
    "srbench-feynman": (116, 116),
    "measured": (400, 400),
    "unseen": (240, 240),
    "open": (100, 0),
    "wide": (50, 50),
    "trajectories": (100, 100),
}
# Their training targets do not follow the law to the last digit, or there is no law.
NOISY = ("measured", "unseen", "open", "wide")

# (training rows, test rows) where they differ from the rest of the family
KEIJZER_ROWS = (
    [(21, 2001), (41, 4001), (61, 6001), (201, 201), (1000, 10_000), (50, 120), (100, 991), (101, 1001), (101, 1001)]
    + [(100, 10_201)]
    + [(20, 361_201)] * 5
)
VLADISLAVLEVA_ROWS = [
    (100, 2025),
    (100, 221),
    (600, 5083),
    (1024, 5000),
    (300, 2700),
    (30, 93_636),
    (300, 1000),
    (50, 1156),
]
LIVERMORE_ROWS = {"Livermore-1": (1000, 1000), "Livermore-11": (50, 50), "Livermore-12": (50, 50)}

# ranges of the published trajectories: x low, x high, y low, y high
STROGATZ_RANGES = {
    "bacres": (3.49, 16.33, 9.79, 54.4),
    "barmag": (4.12, 5.99, 0.20, 6.65),
    "glider": (0.16, 5.60, -1.32, 28.8),
    "lv": (1.5e-5, 8.0, 1.6e-4, 3.0),
    "predprey": (0.005, 6.58, 2.23, 11.65),
    "shearflow": (-4.35, 3.60, -2.75, 2.15),
    "vdp": (-1.20, 1.94, -0.20, 0.93),
}

DUMMY_TOTALS = {"easy": (6, 11, 13), "medium": (12, 18, 10), "hard": (13, 18, 19)}
PUBLISHED_REAL_COLUMNS = {
    "feynman-i.18.16": (0, 1, 3, 4),
    "feynman-ii.27.18": (0,),
    "feynman-ii.34.11": (0, 2, 4, 5),
    "feynman-i.11.19": (0, 1, 2, 3, 5, 6),
    "feynman-ii.34.2a": (1, 3, 4),
    "feynman-i.15.3t": (1, 3, 4),
    "feynman-i.39.22": (1, 3, 4),
    "feynman-iii.10.19": (2, 3, 4, 5),
    "feynman-bonus.20": (2, 3, 5),
}
DIFFERENT_DATA = {"feynman-i.34.14", "feynman-iii.9.52", "feynman-bonus.13"}

# id: smallest and largest magnitude of the target in one draw of 10,000 rows
SRSD_TARGETS = {
    "feynman-i.12.1": (1.02e-4, 0.992),
    "feynman-ii.8.31": (4.43e-10, 4.43e-6),
    "feynman-iii.12.43": (1.05e-34, 1.044e-32),
    "feynman-iii.7.38": (1.9e20, 1.89e24),
    "feynman-i.13.4": (1.9e-3, 1067.0),
    "feynman-iii.15.12": (2.2e-34, 8.7e-31),
    "feynman-i.41.16": (1.18e-38, 1.51e-36),
    "feynman-ii.11.28": (1.0, 1.000000992),
    "feynman-bonus.11": (1.0e-3, 974.0),
}


def rows_of(problem: Problem) -> tuple[int, int]:
    draw = problem.draw(0)
    assert draw.validation is None
    return draw.train.num_rows, draw.test.num_rows


def all_problems() -> list[Problem]:
    return [problem for suite in SUITES.values() for problem in suite.problems]


def is_equal(a: Sample, b: Sample) -> bool:
    return np.array_equal(a.columns, b.columns) and np.array_equal(a.target, b.target)


def test_every_suite_has_its_number_of_problems_and_its_attainable_maximum():
    assert {name: (len(suite.problems), suite.attainable) for name, suite in SUITES.items()} == SIZES


def test_ids_are_unique_but_for_the_variants_in_single_precision():
    names = [problem.id for problem in all_problems() if not problem.float32]
    assert len(names) == len(set(names))


def test_formulas_are_of_our_grammar_and_read_only_their_columns():
    for problem in all_problems():
        if problem.truth is not None:
            assert max(problem.truth.columns) < problem.num_columns
            assert problem.true_operators > 0 or problem.formula == "x0"
    inexpressible = [problem for problem in all_problems() if problem.truth is None and problem.suite != "open"]
    assert [problem.id for problem in inexpressible] == ["Keijzer-6"]
    assert inexpressible[0].true_operators == 0


def test_unknown_names_list_the_known_ones():
    with pytest.raises(InvalidSettings, match="nguyen"):
        load("nguyen2")
    with pytest.raises(InvalidSettings, match="Nguyen-12"):
        load("nguyen").problem("Nguyen-13")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("ending", ["", "-dummy", "-float32"])
def test_srsd_rows_are_cut_8000_1000_1000_and_inside_the_float32_range(difficulty: str, ending: str):
    for problem in SUITES[f"srsd-{difficulty}{ending}"].problems:
        draw = problem.draw(0)
        assert [sample.num_rows for sample in draw.samples] == [8000, 1000, 1000]
        for sample in draw.samples:
            assert sample.columns.shape == (problem.num_columns, sample.num_rows)
            magnitude = np.abs(sample.target)
            assert magnitude.min() >= FLOAT32_SMALLEST_NORMAL
            assert magnitude.max() <= FLOAT32_LARGEST


def test_srsd_columns_stay_in_their_ranges():
    for difficulty in DIFFICULTIES:
        for problem in SUITES[f"srsd-{difficulty}"].problems:
            for axis, column in zip(problem.source.rows.axes, problem.draw(0).train.columns, strict=True):
                magnitude = np.abs(column) if axis.kind == "log" or axis.sign != "+" else column
                if axis.low >= 0:
                    assert magnitude.min() >= axis.low * (1 - 1e-12)
                assert magnitude.max() <= axis.high * (1 + 1e-12)
                if axis.kind == "integer":
                    assert column.max() <= axis.high - 1
                    assert np.array_equal(column, np.round(column))
                if axis.sign == "+-" and difficulty == "easy":  # harder laws may reject one sign
                    assert 0.45 < np.mean(column < 0) < 0.55
                if axis.sign == "-":
                    assert column.max() < 0


def test_srsd_targets_span_the_published_magnitudes():
    for identifier, (low, high) in SRSD_TARGETS.items():
        problem = next(problem for problem in all_problems() if problem.id == identifier)
        magnitude = np.abs(np.concatenate([sample.target for sample in problem.draw(0).samples]))
        assert low / 3 < magnitude.min() < low * 3, identifier
        assert high / 3 < magnitude.max() < high * 3, identifier


def test_data_that_differ_from_the_stored_truth_are_marked():
    different = {problem.id for problem in all_problems() if problem.data_formula}
    assert different == DIFFERENT_DATA
    for difficulty in DIFFICULTIES:
        for problem in SUITES[f"srsd-{difficulty}"].problems:
            if problem.data_formula:
                train = problem.draw(0).train
                assert np.allclose(train.target, problem.law(train.columns), rtol=1e-12)
                assert problem.unidentifiable


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_dummy_columns_come_in_the_published_totals_and_places(difficulty: str):
    clean, dummy = SUITES[f"srsd-{difficulty}"].problems, SUITES[f"srsd-{difficulty}-dummy"].problems
    added = [b.num_columns - a.num_columns for a, b in zip(clean, dummy, strict=True)]
    assert tuple(added.count(number) for number in (1, 2, 3)) == DUMMY_TOTALS[difficulty]
    for problem in dummy:
        assert isinstance(problem.source, SinglePrecision)
        layout = problem.source.layout
        assert layout.real_columns == tuple(sorted(layout.real_columns))
        assert problem.truth is not None
        assert set(problem.truth.columns) <= set(layout.real_columns)
        if problem.id in PUBLISHED_REAL_COLUMNS:
            assert layout.real_columns == PUBLISHED_REAL_COLUMNS[problem.id]


@pytest.mark.parametrize("ending", ["dummy", "float32"])
def test_variants_are_the_clean_rows_in_single_precision(ending: str):
    for clean, variant in zip(SUITES["srsd-medium"].problems, SUITES[f"srsd-medium-{ending}"].problems, strict=True):
        original, rounded = clean.draw(3).test, variant.draw(3).test
        real = rounded.columns[list(variant.source.layout.real_columns)]
        assert np.array_equal(real, original.columns.astype(np.float32))
        assert np.array_equal(rounded.target, original.target.astype(np.float32))
        assert np.array_equal(rounded.columns, rounded.columns.astype(np.float32))
        assert ending == "dummy" or variant.formula == clean.formula


def test_dummy_columns_span_two_decades_around_their_exponent():
    for problem in SUITES["srsd-hard-dummy"].problems:
        layout = problem.source.layout
        columns = problem.draw(0).train.columns
        for column, axis in zip(layout.dummy_columns, layout.dummies, strict=True):
            magnitude = np.abs(columns[column])
            assert axis.low * (1 - 1e-6) <= magnitude.min()
            assert magnitude.max() <= axis.high * (1 + 1e-6)
            assert 1e-33 <= axis.low < axis.high <= 1e33


def test_a_dummy_stands_before_its_real_column_or_after_the_last():
    places = {draw_layout(2, 1, np.random.default_rng(seed)).real_columns for seed in range(40)}
    assert places == {(1, 2), (0, 2), (0, 1)}


def test_nguyen_and_livermore_rows():
    assert {rows_of(problem) for problem in SUITES["nguyen"].problems} == {(20, 20)}
    for problem in SUITES["livermore"].problems:
        assert rows_of(problem) == LIVERMORE_ROWS.get(problem.id, (20, 20))
        assert np.abs(problem.draw(5).train.target).max() < 100


def test_korns_rows():
    for problem in SUITES["korns"].problems:
        assert rows_of(problem) == (10_000, 10_000)
        columns = problem.draw(0).test.columns
        assert columns.shape[0] == 5
        assert -50 <= columns.min() < -49.9
        assert 49.9 < columns.max() <= 50


def test_keijzer_and_vladislavleva_rows():
    assert [rows_of(problem) for problem in SUITES["keijzer"].problems] == KEIJZER_ROWS
    assert [rows_of(problem) for problem in SUITES["vladislavleva"].problems] == VLADISLAVLEVA_ROWS


def test_grids_hold_their_end_points():
    test = SUITES["keijzer"].problem("Keijzer-11").draw(0).test
    assert np.allclose([test.columns.min(), test.columns.max()], [-3, 3])
    assert len(np.unique(np.round(test.columns[0], 6))) == 601
    assert SUITES["keijzer"].problem("Keijzer-10").draw(0).test.target[0] == 1.0  # 0^0


def test_keijzer_6_sums_reciprocals_and_says_that_no_formula_does():
    problem = SUITES["keijzer"].problem("Keijzer-6")
    assert problem.draw(0).train.target[:3].tolist() == [1.0, 1.5, 1.0 + 0.5 + 1.0 / 3.0]
    assert "inexpressible" in problem.unidentifiable


@pytest.mark.parametrize("name", SYSTEMS)
def test_trajectories_resemble_the_published_ones(name: str):
    states = integrate(name)
    assert states.shape == (2, 400)
    assert np.unique(states, axis=1).shape == (2, 400)
    x_low, x_high, y_low, y_high = STROGATZ_RANGES[name]
    assert np.allclose([*states.min(axis=1), *states.max(axis=1)], [x_low, y_low, x_high, y_high], rtol=0.2, atol=0.1)
    for problem in SUITES["strogatz"].problems:
        if problem.id.startswith(f"strogatz_{name}"):
            assert rows_of(problem) == (300, 100)


def test_trajectories_do_not_depend_on_the_step():
    assert np.allclose(integrate("vdp", 40), integrate("vdp", 80), rtol=0, atol=1e-6)


def test_strogatz_reads_published_files(tmp_path):
    rng = np.random.default_rng(0)
    for problem in SUITES["strogatz"].problems:
        rows = rng.normal(size=(400, 3))
        np.savetxt(tmp_path / f"{problem.id}.csv", rows, fmt="%.17g", delimiter=",", header="x,y,target", comments="")
    draw = load("strogatz", tmp_path).problem("strogatz_vdp2").draw(0)
    assert (draw.train.num_rows, draw.test.num_rows) == (300, 100)
    assert set(np.concatenate([draw.train.target, draw.test.target])) == set(rows[:, 2])


def test_a_folder_without_the_published_files_is_refused(tmp_path):
    with pytest.raises(InvalidFile, match=r"strogatz_bacres1\.csv"):
        load("strogatz", tmp_path)
    for problem in SUITES["strogatz"].problems:
        (tmp_path / f"{problem.id}.csv").write_text("x,y,target\n1,2,3\n")
    with pytest.raises(InvalidFile, match="400 rows"):
        load("strogatz", tmp_path).problem("strogatz_vdp1").draw(0)


def test_taylor_truths_are_the_published_polynomials():
    suite = SUITES["taylor"]
    assert suite.problem("taylor-log-2").formula == "x0 - x0^2/2"
    assert suite.problem("taylor-sin-2").formula == "x0"
    assert suite.problem("taylor-sin-7").formula == "x0 - x0^3/6 + x0^5/120 - x0^7/5040"
    torque = suite.problem("taylor-feynman-i.18.12-2")
    train = torque.draw(0).train
    published = parse("pi*x0*x1 - x0*x1*x2", torque.names)
    assert np.allclose(train.target, evaluate_expression(published, train.columns), rtol=1e-9)


@pytest.mark.parametrize(
    ("base", "function", "bound"),
    [
        ("log", lambda x: np.log(1 + x[0]), 1e-4),
        ("sin", lambda x: np.sin(x[0]), 5e-3),
        ("feynman-i.18.12", lambda x: x[0] * x[1] * np.sin(x[2]), 1.0),
        ("feynman-i.12.11", lambda x: x[0] * (x[1] + x[2] * x[3] * np.sin(x[4])), 1e-5),
    ],
)
def test_taylor_series_approach_their_function(base: str, function, bound: float):
    errors = []
    for order in (2, 5, 7, 10):
        train = SUITES["taylor"].problem(f"taylor-{base}-{order}").draw(0).train
        errors.append(float(np.abs(train.target - function(train.columns)).max()))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < bound


@pytest.mark.parametrize("name", SUITES)
def test_the_same_seed_gives_the_same_numbers(name: str):
    for problem in SUITES[name].problems[:: max(1, len(SUITES[name].problems) // 10)]:
        if problem.id.startswith(("Keijzer-1", "Vladislavleva-6")):
            continue  # large grids that no seed changes
        first, again, other = problem.draw(1), problem.draw(1), problem.draw(2)
        for a, b in zip(first.samples, again.samples, strict=True):
            assert is_equal(a, b)
        is_grid = isinstance(problem.source, TrainAndTest) and isinstance(problem.source.train, Grid)
        assert is_equal(first.train, other.train) == is_grid


def test_targets_follow_the_law_and_are_finite():
    for problem in all_problems():
        if problem.float32 or problem.suite in NOISY:
            continue
        train = problem.draw(0).train
        assert np.isfinite(train.target).all()
        assert np.array_equal(train.target, problem.law(train.columns))


def test_generated_sizes_are_balanced():
    for name in SEEDS:
        problems = SUITES[name].problems
        sizes = [problem.true_operators for problem in problems]
        assert [sum(low <= size <= high for size in sizes) for low, high in ((1, 4), (5, 8), (9, 12))] == [80, 80, 40]
        assert {problem.num_columns for problem in problems} == {1, 2, 3, 4, 5}
        for problem in problems:
            assert problem.truth is not None
            assert problem.truth.columns == tuple(range(problem.num_columns))
            assert [sample.num_rows for sample in problem.draw(0).samples] == [400, 100, 500]


def test_generated_laws_share_no_skeleton_with_any_suite_or_with_each_other():
    seen: set[str] = set()
    for suite in SUITES.values():
        hashes = [skeleton_hash(problem.truth) for problem in suite.problems if problem.truth is not None]
        if suite.name in SEEDS:
            assert len(hashes) == len(set(hashes))
            assert not seen & set(hashes)
        seen |= set(hashes)


def test_noise_has_the_level_asked_for():
    sample = SUITES["korns"].problem("Korns-1").draw(0).train
    root_mean_square = np.sqrt(np.mean(sample.target**2))
    noisy = with_noise(sample, 0.1, "additive", np.random.default_rng(0))
    assert np.std(noisy.target - sample.target) == pytest.approx(0.1 * root_mean_square, rel=0.03)
    noisy = with_noise(sample, 0.1, "multiplicative", np.random.default_rng(0))
    assert np.std(noisy.target / sample.target - 1) == pytest.approx(0.1, rel=0.03)
    assert np.array_equal(noisy.columns, sample.columns)


def test_noise_on_tiny_targets_does_not_underflow():
    sample = Sample(np.ones((1, 2)), np.array([1e-200, 2e-200]))
    noisy = with_noise(sample, 0.5, "additive", np.random.default_rng(0))
    assert (noisy.target != sample.target).all()
