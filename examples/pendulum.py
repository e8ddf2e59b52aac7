"""Recover the law of the pendulum from a table with an irrelevant column.

Run it with `python examples/pendulum.py` in an environment that has mosaic-sr.
"""

from pathlib import Path

import pandas as pd

from mosaic_sr import MosaicRegressor


def main() -> None:
    """Fit the table beside this file and print what was found."""
    table = pd.read_csv(Path(__file__).with_name("pendulum.csv"))
    model = MosaicRegressor(random_state=0, time_limit=60)
    model.fit(table[["length", "gravity", "mass"]], table["period"])
    print(model.equations_[["complexity", "loss", "equation"]].to_string())
    print("law:  ", model.law_)
    print("sympy:", model.sympy())
    print("LaTeX:", model.latex())


if __name__ == "__main__":
    main()
