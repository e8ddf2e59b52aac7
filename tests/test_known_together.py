"""What users know, taken together: units, constraints, own losses, errors in x and y, limits, several targets."""

import sys

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidSettings, MosaicRegressor
from mosaic_sr.cli import main
from mosaic_sr.units.dimensions import Dimensions

RNG = np.random.default_rng(0)
X = pd.DataFrame({"x": RNG.uniform(0.5, 4.0, 60), "t": RNG.uniform(0.5, 3.0, 60)})
SPEED = 2.0 * X["x"] / X["t"]
NOISY = (SPEED * (1.0 + 0.02 * RNG.standard_normal(60))).rename("v")
IS_LOW = NOISY < 1.5
UNITS = {"X_units": {"x": "m", "t": "s"}, "y_units": "m/s"}
# Guesses and a round of paths; the last guess is homogeneous with no units of its constants.
WITHOUT = ("finders", "prior", "enumeration", "grammar")
QUICK = {"without": WITHOUT, "max_evaluations": 100, "maxsize": 9, "random_state": 0}
GUESSES = ["a*x/t", "a*sin(x) + b"]
KNOWN = ["v > 0", "increasing in x", "v -> 0 for t -> inf"]

# Settings, what `fit` is told beside the rows, and the target.
TOGETHER = {
    "units and constraints": ({"constraints": KNOWN}, UNITS, NOISY),
    "units and an own loss": ({"loss": "absolute"}, UNITS, NOISY),
    "units and errors of both": ({}, UNITS | {"sigma": 0.02 * SPEED, "X_sigma": {"x": 0.02}}, NOISY),
    "constraints and an own loss": ({"constraints": KNOWN, "loss": "huber"}, {}, NOISY),
    "constraints and errors of x": ({"constraints": KNOWN}, {"X_sigma": {"x": 0.02}}, NOISY),
    "units, constraints and limits": (
        {"constraints": KNOWN}, UNITS | {"censoring": -1.0 * IS_LOW}, NOISY.where(~IS_LOW, 1.5),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TOGETHER)
def test_what_is_known_holds_together(case):
    settings, told, target = TOGETHER[case]
    model = MosaicRegressor(**QUICK, guesses=GUESSES, **settings).fit(X, target, **told)
    np.testing.assert_allclose(model.predict(X), SPEED, rtol=0.05)
    if "constraints" in settings:
        assert [one.holds for one in model.outcome_.constraints] == [True] * len(KNOWN)
    if "X_units" in told:
        dimensions = Dimensions.of_columns(model.outcome_.units, (0, 1), False)
        for law in (model.law_, *model.front_, *model.law_.ties):
            assert dimensions.may_be(law.expression), law
    assert (model.law_.probability is None) == ("loss" in settings)
    assert (model.chi2_ is not None) == ("sigma" in told)


def test_several_targets_have_units_of_their_own():
    targets = pd.DataFrame({"speed": SPEED, "product": 3.0 * X["x"] * X["t"] ** 2})
    units = {"X_units": UNITS["X_units"], "y_units": {"speed": "m/s", "product": "m*s"}}
    model = MosaicRegressor(**QUICK, guesses=["a*x/t", "a*x*t^2"]).fit(X, targets, **units)
    assert [law.units for law in model.law_] == [("",), ("1/s",)]
    with pytest.raises(InvalidSettings, match="y_units has a unit for 'sped', but the targets are speed, product"):
        MosaicRegressor(**QUICK).fit(X, targets, X_units=UNITS["X_units"], y_units={"sped": "m/s"})
    with pytest.raises(InvalidSettings, match="y_units has 3 units"):
        MosaicRegressor(**QUICK).fit(X, targets, X_units=UNITS["X_units"], y_units=["m", "m", "m"])


def test_a_constraint_speaks_of_the_target_that_it_names(tmp_path, monkeypatch, capsys):
    targets = pd.DataFrame({"speed": SPEED, "loss": -3.0 * X["x"] * X["t"]})
    known = {"guesses": ["a*x/t", "a*x*t"], "constraints": ["speed > 0", "loss < 0"]}
    model = MosaicRegressor(**QUICK, **known).fit(X, targets)
    assert [[one.constraint for one in own.constraints] for own in model.outcome_] == [["speed > 0"], ["loss < 0"]]
    X.join(targets).to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.chdir(tmp_path)
    words = ["fit", "rows.csv", "--target", "speed,loss", "--guess", "a*x/t", "--guess", "a*x*t", "--no-picture"]
    words += ["--constraint", "speed > 0", "--constraint", "loss < 0", "--units", "x=m,t=s,speed=m/s,loss=m*s"]
    monkeypatch.setattr(sys, "argv", ["mosaic", *words, "--max-evaluations", "2", "--without", ",".join(WITHOUT)])
    with pytest.raises(SystemExit) as ended:
        main()
    out = capsys.readouterr()
    assert ended.value.code in (0, None), out.err
    assert "constraint speed > 0: proved" in out.out
    assert "constraint loss < 0: proved" in out.out
