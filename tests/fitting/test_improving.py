"""Constants improved from where they are, and drawn ones."""

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, draw_constants, fit_parameters, improve_constants
from mosaic_sr.kernel import jit
from mosaic_sr.table import Rows


def rows_of(text, scale=1.0, noise=0.02, seed=0):
    x = np.linspace(0.2, 4.0, 40)[None]
    rng = np.random.default_rng(seed)
    target = scale * evaluate_expression(parse(text, ["x0"]), x) * (1.0 + noise * rng.standard_normal(40))
    return Rows(x, target, rng.uniform(0.5, 2.0, 40))


@pytest.mark.parametrize("scale", [1.0, 1e-170, 1e160])
@pytest.mark.parametrize("text", ["2.5*exp(-0.7*x0)", "3.1*x0/(1.7 + x0)", "1.2 + 0.4*x0", "2.2*sin(1.9*x0) + 5.3"])
def test_constants_become_those_of_a_careful_fit_from_the_same_start(text, scale):
    rows = rows_of(text, scale)
    law = parse(f"{scale!r}*({text})", ["x0"])
    own = np.array([-1, *range(law.num_constants - 1)], dtype=np.int32)
    start = law.with_constants([scale, *(1.05 * law.constants[1:])])
    careful = fit_parameters(start, own, rows, FitConfig(starts=1, draws_per_start=1, is_polished=False))
    improved = improve_constants(start, own, rows, 60)
    np.testing.assert_allclose(improved.constants, careful.expression.constants, rtol=1e-5)
    assert improved.constants[0] == scale


def test_a_law_without_finite_values_stays_as_it_is():
    law = parse("1.5*log(x0 - 9.0)", ["x0"])
    assert improve_constants(law, np.arange(2, dtype=np.int32), rows_of("x0"), 20) == law


def test_python_calls_no_compiled_function_that_is_not_kept_on_disk(monkeypatch):
    """Each such call would compile for seconds in every process."""

    def refuse(self, *arguments):
        raise AssertionError(f"{self.py_func.__name__} is compiled anew in every process: give it a signature")

    monkeypatch.setattr(jit.Inner, "__call__", refuse)
    rows = rows_of("2.5*exp(-0.7*x0)")
    assert draw_constants(parse("_*exp(_*x0)", ["x0"]), rows, 3).shape == (3, 2)
    model = MosaicRegressor(without=["finders", "prior", "enumeration"], max_evaluations=3000, random_state=0)
    assert np.isfinite(model.fit(rows.columns.T, rows.target).predict(rows.columns.T)).all()
    assert "refinement" in model.stage_seconds_
