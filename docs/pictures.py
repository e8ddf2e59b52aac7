"""Make the pictures of the documentation: `python docs/pictures.py`; the one of a report needs Chromium."""

import subprocess
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from matplotlib.figure import Figure
from rich.console import Console

from mosaic_sr import MosaicRegressor
from mosaic_sr.cli.shown import print_outcome
from mosaic_sr.pictures.plotting import save_figure

ROOT = Path(__file__).parents[1]


def main() -> None:
    """All pictures."""
    draw_demo()
    draw_training()
    draw_report()


def draw_report() -> None:
    """The report on the noisy example as a browser shows it, and its law with rows and band."""
    table = pd.read_csv(ROOT / "src" / "mosaic_sr" / "cli" / "enzyme.csv")
    model = MosaicRegressor(random_state=0).fit(table[["substrate", "ph"]], table["rate"])
    save_figure(ROOT / "docs" / "images" / "response.svg", model.plot("response"))
    with TemporaryDirectory() as folder:
        page, profile = Path(folder) / "law.html", Path(folder) / "profile"
        model.report(page)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
        options += ["--disable-background-networking", f"--user-data-dir={profile}", "--window-size=1240,1130"]
        picture = ROOT / "docs" / "images" / "report.png"
        subprocess.run(["chromium", *options, f"--screenshot={picture}", page.as_uri()], check=True, timeout=120)


def draw_training() -> None:
    """The loss of the prior's training over the samples seen, as kept beside the results."""
    curve = pd.read_csv(ROOT / "benchmarks" / "results" / "prior" / "training.csv")
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(curve["samples"], curve["loss"].rolling(25, min_periods=1).mean(), color="#1f5fa8")
    axes.set(xscale="log", xlabel="samples seen", ylabel="loss, nats per token")
    axes.grid(alpha=0.3)
    figure.savefig(ROOT / "docs" / "images" / "prior.svg", metadata={"Date": None})


def draw_demo() -> None:
    """Run the demo and keep what a terminal shows of it."""
    table = pd.read_csv(ROOT / "examples" / "pendulum.csv")
    features = table.drop(columns=["period"])
    MosaicRegressor(random_state=0).fit(features, table["period"])  # compiled before the clock starts
    model = MosaicRegressor(random_state=0).fit(features, table["period"])
    console = Console(record=True, width=100, highlight=False, file=StringIO())
    console.print("[bold]$[/bold] mosaic fit pendulum.csv --target period\n")
    print_outcome(model.outcome_, console)
    console.save_svg(str(ROOT / "docs" / "images" / "demo.svg"), title="mosaic fit")


if __name__ == "__main__":
    main()
