"""What an equation offers: `export`, a short repr and LaTeX for notebooks."""

import numpy as np
import pytest
from runners import finished, needed, python_with_jax

from mosaic_sr import MosaicRegressor, parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.exports import LANGUAGES
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome

NAMES = ("length", "gravity")


def equation(text, loss=0.25):
    return Equation(parse(text, NAMES), NAMES, Errors(loss, loss), Errors(loss, loss), "grammar")


@pytest.fixture
def model(tmp_path):
    front = (equation("3.5"), equation("2*pi*sqrt(length/gravity)", 1e-31))
    write_law(tmp_path / "law.json", Outcome(front[1], front, NAMES, "period", True, 10, 1.0), {})
    return MosaicRegressor.load(tmp_path / "law.json")


def test_a_repr_is_one_short_line():
    assert repr(equation("6.5*sqrt(length/gravity)", 1e-31)) == (
        "Equation(6.5*sqrt(length/gravity), complexity 6, loss 1e-31)"
    )
    long = repr(equation(" + ".join(f"{number}.5*sin({number}*length)" for number in range(1, 20))))
    assert long.startswith("Equation(1.5*sin(1*length) + ")
    assert len(long) < 120
    assert repr([equation("length")]) == "[Equation(length, complexity 1, loss 0.25)]"


def test_notebooks_show_latex():
    assert equation("2*pi*sqrt(length/gravity)")._repr_latex_() == (
        r"$\displaystyle 2 \pi \sqrt{\frac{\mathrm{length}}{\mathrm{gravity}}}$"
    )


def test_every_equation_of_a_front_is_exported_in_every_language(model):
    for language in LANGUAGES:
        assert model.law_.export(language)
        assert model.export(language) == model.law_.export(language, "period") == model.export(language, index=1)
        assert model.export(language, index=0) == model.front_[0].export(language, "period")
    assert "def T(length, gravity):" in model.law_.export("python", name="T")
    assert model.export("latex", index=0) == r"\mathrm{period} = 3.5"


def test_torch_differentiates_an_exported_law(model):
    torch = pytest.importorskip("torch")
    space = {}
    exec(model.export("torch"), space)  # our own text, as a user would paste it
    length = torch.tensor([1.0, 4.0], dtype=torch.float64, requires_grad=True)
    space["period"](length, torch.tensor([9.0, 1.0], dtype=torch.float64)).sum().backward()
    np.testing.assert_allclose(length.grad, np.pi / np.sqrt([9.0, 4.0]), rtol=1e-14)


JAX = """
import jax
jax.config.update("jax_enable_x64", True)
space = {}
exec(SOURCE, space)
slope = jax.jit(jax.vmap(jax.grad(space["period"])))
print(*slope(jax.numpy.array([1.0, 4.0]), jax.numpy.array([9.0, 1.0])).tolist())
"""


def test_jax_differentiates_an_exported_law(model):
    if python_with_jax() is None:
        pytest.skip("jax is not installed; pip install jax, or name a Python that has it in JAX_PYTHON")
    source = JAX.replace("SOURCE", repr(model.export("jax")))
    found = [float(word) for word in finished([python_with_jax(), "-c", source]).split()]
    np.testing.assert_allclose(found, np.pi / np.sqrt([9.0, 4.0]), rtol=1e-14)


def test_a_program_in_c_is_one_in_cpp_too(model, tmp_path):
    compiler = needed("g++", "c++")
    (tmp_path / "law.cpp").write_text(model.export("c") + "\n")
    finished([compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "law.cpp"], cwd=tmp_path)
