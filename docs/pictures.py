"""Make the pictures of the documentation: `python docs/pictures.py`."""

from pathlib import Path

import pandas as pd
from rich.console import Console

from mosaic_sr import MosaicRegressor
from mosaic_sr.cli.fit import print_outcome

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run the demo and keep what a terminal shows of it."""
    table = pd.read_csv(ROOT / "examples" / "pendulum.csv")
    features = table.drop(columns=["period"])
    MosaicRegressor(max_evaluations=1, random_state=0).fit(
        features, table["period"]
    )  # compiled before the clock starts
    model = MosaicRegressor(random_state=0).fit(features, table["period"])
    with (ROOT / "docs" / "images" / "recording.txt").open("w") as nowhere:
        console = Console(record=True, width=92, highlight=False, file=nowhere)
        console.print("[bold]$[/bold] mosaic fit pendulum.csv --target period\n")
        print_outcome(model.outcome_, console)
        console.save_svg(str(ROOT / "docs" / "images" / "demo.svg"), title="mosaic fit")
    (ROOT / "docs" / "images" / "recording.txt").unlink()


if __name__ == "__main__":
    main()
