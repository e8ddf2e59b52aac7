"""Searches with requirements: the law keeps them, and so do front and rivals; files, resuming and the command line."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidSettings, InvalidTable, MosaicRegressor
from mosaic_sr.cli import main
from mosaic_sr.constraints import Placed, read_constraint, region_of
from mosaic_sr.law_file import read_law
from tests.cli.same_process import mosaic

# The grammar sampler and a few rounds of paths: a second.
QUICK = {"without": ("finders", "prior", "enumeration"), "max_evaluations": 1000, "random_state": 0}
T = np.linspace(0.0, 4.0, 30)
NOISE = 0.1 * np.random.default_rng(0).normal(size=30)
FRAME = pd.DataFrame({"t": T, "u": np.random.default_rng(1).uniform(size=30)})
# Rows of a decay that noise and a zero point have moved below 0.
DECAY = 3.0 * np.exp(-0.9 * T) + NOISE - 0.12
WISHES = ["y > 0", "decreasing in t", "y -> 0 for t -> inf"]


def keeps(law, texts, ranges):
    """Whether a law keeps constraints, on points that the search has not looked at."""
    names = list(law.names)
    for text in texts:
        stated = read_constraint(text)
        region = region_of(ranges, [(names.index(name), low, high) for name, low, high in stated.region])
        columns = tuple(map(names.index, stated.columns))
        placed = Placed(stated, region, columns, tuple((names.index(n), v) for n, v in stated.point), 1.0)
        points = placed.points(1777)
        with np.errstate(all="ignore"):
            if placed.first_break(law.predict(points), points) is not None:
                return False
    return True


@pytest.fixture(scope="module")
def decays():
    own = QUICK | {"without": ("finders", "prior", "grammar"), "max_evaluations": 500}
    free = MosaicRegressor(**QUICK).fit(FRAME[["t"]], DECAY)
    return free, MosaicRegressor(constraints=WISHES, guesses=["a - b*t"], **own).fit(FRAME[["t"]], DECAY)


def test_no_law_front_or_rival_breaks_a_constraint(decays):
    free, kept = decays
    ranges = [(0.0, 4.0)]
    assert not all(keeps(law, WISHES, ranges) for law in (*free.front_, *free.law_.ties))
    laws = (kept.law_, *kept.front_, *kept.law_.ties)
    assert len(laws) > 3
    assert all(keeps(law, WISHES, ranges) for law in laws)
    assert "exp(" in str(kept.law_)


def test_the_result_says_how_each_constraint_was_decided(decays):
    free, kept = decays
    assert list(kept.constraints_.constraint) == WISHES
    assert set(kept.constraints_.verdict) <= {"proved", "held"}
    assert kept.constraints_.how[0] == "proved by interval arithmetic"
    assert len(free.constraints_) == 0


def test_constraints_survive_a_law_file(decays, tmp_path):
    kept = decays[1]
    kept.save(tmp_path / "law.json")
    loaded = MosaicRegressor.load(tmp_path / "law.json")
    assert loaded.constraints_.equals(kept.constraints_)
    assert list(loaded.constraints) == WISHES
    assert json.loads((tmp_path / "law.json").read_text())["constraints"][0]["holds"] is True


def test_the_report_lists_constraints(decays, tmp_path):
    decays[1].report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "decreasing in t</td>" in page
    assert "proved by interval arithmetic" in page


def test_without_constraints_law_files_are_as_before(decays, tmp_path):
    decays[0].save(tmp_path / "law.json")
    assert "constraints" not in json.loads((tmp_path / "law.json").read_text())


def test_a_slightly_worse_law_that_keeps_the_constraint_is_found():
    """The rows have an offset: the most probable law has it too, and breaks the constraint by it."""
    target = 0.5 * T + NOISE + 0.15
    settings = QUICK | {"unary_operators": [], "binary_operators": ["+", "*"]}
    free = MosaicRegressor(**settings).fit(FRAME[["t"]], target)
    kept = MosaicRegressor(constraints=["y = 0 at t = 0", "increasing in t"], **settings).fit(FRAME[["t"]], target)
    start = pd.DataFrame({"t": [0.0]})
    assert abs(free.predict(start)[0]) > 0.05
    assert kept.predict(start)[0] == 0.0
    assert kept.law_.training.nmse < 3.0 * free.law_.training.nmse


def test_an_exact_law_keeps_them_in_the_units_of_the_user():
    """Columns of unusual magnitude are scaled in the table; one that is constant is left out of it."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"same": 1.0, "big": rng.uniform(1e9, 5e9, 40), "small": rng.uniform(1e-9, 2e-9, 40)})
    target = 2.5e12 * frame.small**2 / frame.big
    wishes = ["y > 0", "decreasing in big", "increasing in small", "y = 0 at small = 0", "y -> 0 for big -> inf"]
    with pytest.warns(UserWarning, match="ignored"):
        model = MosaicRegressor(constraints=wishes, random_state=0, max_evaluations=2000).fit(frame, target)
    assert model.law_.is_exact
    assert list(model.constraints_.verdict) == ["proved"] * 5
    wrong, told = MosaicRegressor(constraints=["y > 1"]), r"40 rows contradict the constraint 'y > 1': row \d+ has y = "
    with pytest.raises(InvalidTable, match=told):
        wrong.fit(frame.drop(columns="same"), target)


def test_columns_that_must_occur_do(decays):
    # Enough candidates that the law has a rival.
    model = MosaicRegressor(must_use=["u"], **QUICK | {"max_evaluations": 5000}).fit(FRAME, DECAY)
    assert all("u" in str(law) for law in (model.law_, *model.front_, *model.law_.ties))


def test_costs_are_the_complexity_in_front_and_files(tmp_path):
    costs = {"complexity_of_operators": {"exp": 5}, "complexity_of_constants": 2}
    model = MosaicRegressor(**costs, **QUICK).fit(FRAME[["t"]], 3.0 * np.exp(-0.9 * T) + NOISE)
    for law in model.front_:
        nodes = len(law.expression) + law.expression.num_constants
        assert law.complexity == nodes + 4 * law.text().count("exp("), str(law)
    assert list(model.equations_.complexity) == sorted(model.equations_.complexity)
    model.save(tmp_path / "law.json")
    loaded = MosaicRegressor.load(tmp_path / "law.json")
    assert [law.complexity for law in loaded.front_] == [law.complexity for law in model.front_]


def test_a_search_goes_on_as_if_never_interrupted(tmp_path):
    wishes = {
        "constraints": WISHES[:2],
        "complexity_of_operators": {"exp": 2},
        "nested_constraints": {"exp": {"exp": 0}},
    }
    # Search paths from the mean: the first fit is cut among their rounds.
    own = wishes | {"without": ("finders", "prior", "enumeration", "grammar"), "random_state": 0}
    whole = MosaicRegressor(**own, max_evaluations=6_000).fit(FRAME[["t"]], DECAY)
    first = MosaicRegressor(**own, max_evaluations=3_000, output_directory=tmp_path).fit(FRAME[["t"]], DECAY)
    assert first.trace_[-1]["stage"] == "refinement"
    again = MosaicRegressor(**own, max_evaluations=6_000, output_directory=tmp_path, warm_start=True)
    again.fit(FRAME[["t"]], DECAY)
    assert (again.evaluations_, again.law_.text()) == (whole.evaluations_, whole.law_.text())
    assert [law.text() for law in again.front_] == [law.text() for law in whole.front_]
    other = MosaicRegressor(**own | {"constraints": ["y > -9"]}, output_directory=tmp_path, warm_start=True)
    with pytest.raises(Exception, match="other settings"):
        other.fit(FRAME[["t"]], DECAY)


def test_guesses_that_break_a_constraint_are_told_and_left_out(decays):
    (note,) = [note for note in decays[1].notes_ if note.startswith("guess")]
    assert "breaks a constraint" in note


def test_what_no_candidate_keeps_is_said():
    own = QUICK | {"max_evaluations": 200}
    model = MosaicRegressor(constraints=["y -> 7 for t -> inf", "y = 2 at t = -3"], unary_operators=[], **own)
    with pytest.raises(InvalidSettings, match="no candidate kept all that is required"):
        model.fit(FRAME[["t"]], DECAY)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"constraints": ["increasing in z"]}, InvalidSettings, "'z', which is not a column; the columns are 't', 'u'"),
        ({"constraints": ["t > 0"]}, InvalidSettings, "must be about the target 'y', got 't'"),
        ({"must_use": ["w"]}, InvalidSettings, "must_use names 'w'"),
        ({"constraints": ["increasing in t"]}, InvalidTable, r"row \d+ has y = .* after .* in row 0"),
        ({"constraints": ["y < 1"]}, InvalidTable, "row 0 has y = "),
        ({"constraints": ["y = 9 at t = 0"]}, InvalidTable, "1 row contradicts"),
    ],
)
def test_requirements_that_do_not_fit_the_table_fail_at_the_door(settings, error, words):
    frame = FRAME[["t"]] if "t in" not in str(settings) and "increasing in t" in str(settings) else FRAME
    with pytest.raises(error, match=words):
        MosaicRegressor(**settings, **QUICK).fit(frame, DECAY)


def test_an_odd_law_cannot_be_positive_on_both_sides_of_zero():
    x = np.linspace(-2.0, 2.0, 30)
    with pytest.raises(InvalidSettings, match=r"both constraints 'odd in x' and 'y > 0': with the sign of x"):
        MosaicRegressor(constraints=["odd in x", "y > 0"], **QUICK).fit(pd.DataFrame({"x": x}), np.cosh(x))


def test_rows_of_a_file_are_named_by_their_lines(tmp_path, capsys, monkeypatch):
    table = tmp_path / "rows.csv"
    rows = ["t,y,error", *["0.5,,0.1"] * 3, *(f"{t},{t},0.1" for t in range(1, 20)), "20,-7,0.1"]
    table.write_text("\n".join(rows))
    words = ["fit", str(table), "--target", "y", "--sigma", "error", "--constraint", "y > 0"]
    monkeypatch.setattr(sys, "argv", ["mosaic", *words])
    with pytest.raises(SystemExit):
        main()
    assert "line 24 has y = -7" in capsys.readouterr().err


def test_limits_contradict_no_constraint_and_values_are_counted_as_they_came():
    t = np.linspace(1.0, 5.0, 12)
    target = [*map(str, np.exp(-t)[:-1]), "<0.9"]
    model = MosaicRegressor(constraints=["y > 0"], **QUICK)
    model.fit(t[:, None], target)
    assert not any("contradict" in note for note in model.notes_)
    with pytest.raises(InvalidTable, match="1 row contradicts the constraint 'y > 0': row 3 has y = -2"):
        model.fit(t[:, None], [*target[:2], "<0.9", "-2", *target[4:-1], "<0.9"])


def test_a_constant_column_cannot_be_required():
    with pytest.warns(UserWarning, match="ignored"), pytest.raises(InvalidSettings, match="it is 1 in every row"):
        MosaicRegressor(must_use=["same"], **QUICK).fit(FRAME.assign(same=1.0), DECAY)


def test_rows_that_noise_explains_are_a_note(decays):
    assert any("'y > 0'" in note and "which noise may explain" in note for note in decays[1].notes_)


def test_stated_errors_decide_what_noise_explains():
    own = QUICK | {"max_evaluations": 300}
    with pytest.raises(InvalidTable, match="rows contradict the constraint 'y > 0'"):
        MosaicRegressor(constraints=["y > 0"], **own).fit(FRAME[["t"]], DECAY, sigma=np.full(30, 0.01))


def test_the_command_line_takes_them_all(tmp_path):
    FRAME.assign(signal=DECAY).to_csv(tmp_path / "rows.csv", index=False)
    words = ["fit", "rows.csv", "--target", "signal", "--columns", "t", "--without", "finders,prior,enumeration"]
    words += ["--max-evaluations", "300", "--time-limit", "inf", "--json", "law.json", "--no-picture"]
    wishes = ["--constraint", "signal > 0", "--constraint", "decreasing in t", "--must-use", "t"]
    wishes += ["--complexity-of-operators", "sin=3,cos=3", "--nested", "exp(exp)=0", "--argument-size", "^(-1,1)"]
    wishes += ["--maxdepth", "6", "--complexity-of-constants", "1", "--complexity-of-variables", "1"]
    done = mosaic(*words, *wishes, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "constraint signal > 0: proved by interval arithmetic" in done.stdout
    outcome, settings = read_law(tmp_path / "law.json")
    assert [one.constraint for one in outcome.constraints] == ["signal > 0", "decreasing in t"]
    assert settings["nested_constraints"] == {"exp": {"exp": 0}}
    assert settings["constraints"] == ["signal > 0", "decreasing in t", {"^": [-1, 1]}]
    assert MosaicRegressor.load(tmp_path / "law.json").complexity_of_operators == {"sin": 3, "cos": 3}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--constraint", "signal >"), "expected a number, found the end"),
        (("--constraint", "signal > 0", "--constraint", "signal < 0"), "no law can keep both"),
        (("--nested", "sin"), "must be written as in 'sin(sin)=0'"),
        (("--complexity-of-operators", "sin"), "must be written as in sin=3"),
        (("--argument-size", "sin"), "must be written as in"),
        (("--complexity-of-operators", "sin=many"), "expected a number, got 'many'"),
    ],
)
def test_the_command_line_refuses_bad_words(words, message, tmp_path, monkeypatch, capsys):
    from mosaic_sr.cli import main

    monkeypatch.chdir(tmp_path)
    FRAME.assign(signal=DECAY).to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.setattr(sys, "argv", ["mosaic", "fit", "rows.csv", "--target", "signal", *words])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 2
    assert message in capsys.readouterr().err
