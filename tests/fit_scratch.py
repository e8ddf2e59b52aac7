"""Run by a child process on the scratch table: small searches find laws of the four new operators."""

import numpy as np
from scipy import special

from mosaic_sr import MosaicRegressor

X = np.random.default_rng(0).uniform(-2.0, 2.0, (80, 2))
SECH = 1.0 / np.cosh(1.3 * X[:, 0])
LAWS = {
    "max": (1.5 * np.maximum(X[:, 0], X[:, 1]) + 0.5, []),
    "sech": (2.5 * SECH + 0.7, ["sech"]),
    "relu": (2.0 * np.maximum(X[:, 0] - 0.4, 0.0) + X[:, 1], ["relu"]),
    "erf": (3.0 * X[:, 1] * special.erf(0.8 * X[:, 0]), ["erf"]),
}

if __name__ == "__main__":
    for name, (y, unary) in LAWS.items():
        binary = ["+", "-", "*", *(["max"] if name == "max" else [])]
        model = MosaicRegressor(
            unary_operators=unary, binary_operators=binary, max_evaluations=40_000, random_state=0
        ).fit(X, y)
        print(name, model.law_, model.score(X, y))
        assert f"{name}(" in str(model.law_)
        assert model.score(X, y) > 1 - 1e-9
