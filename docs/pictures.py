"""Make the pictures of the documentation: `python docs/pictures.py`; the one of a report needs Chromium."""

import subprocess
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console

from mosaic_sr import MosaicRegressor
from mosaic_sr.cli.shown import print_outcome
from mosaic_sr.pictures.plotting import BLUE, GREY, save_figure

ROOT = Path(__file__).parents[1]


def main() -> None:
    """All pictures."""
    draw_demo()
    draw_training()
    draw_proposers()
    table = pd.read_csv(ROOT / "src" / "mosaic_sr" / "cli" / "enzyme.csv")
    model = MosaicRegressor(random_state=0).fit(table[["substrate", "ph"]], table["rate"])
    draw_probabilities(model)
    draw_report(model)


def draw_proposers() -> None:
    """Laws recovered on the published suites by the proposer that found them, and how soon they were found."""
    runs = pd.read_json(ROOT / "benchmarks" / "results" / "default.jsonl", lines=True)
    runs = runs[~runs["suite"].str.startswith("generated")]
    found = runs[runs["strict"]]
    counts = found["found_by"].value_counts().sort_values()
    seconds = found.groupby("found_by")["seconds"].median()
    figure = Figure(figsize=(7.0, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(counts.index, counts.to_numpy(), color=BLUE)
    for place, (name, count) in enumerate(counts.items()):
        axes.text(count, place, f" {count}, median {seconds[name]:.1f} s", va="center", fontsize=8)
    axes.set(xlabel=f"runs whose law is the true one, of {len(runs):,}", xlim=(0, 1.25 * counts.max()))
    _save(figure, "proposers.svg")
    _draw_times(found["seconds"].sort_values().to_numpy(), len(runs))


def _draw_times(seconds: NDArray[np.float64], num_runs: int) -> None:
    """seconds: of each run that recovered its law, in order."""
    figure = Figure(figsize=(7.0, 2.6), layout="constrained")
    axes = figure.add_subplot()
    axes.step(seconds, 100.0 * np.arange(1, len(seconds) + 1) / num_runs, where="post", color=BLUE)
    axes.set(xscale="log", xlabel="seconds on one core", ylabel="laws found, %", ylim=(0.0, 100.0))
    axes.grid(alpha=0.3)
    _save(figure, "time-to-law.svg")


def draw_probabilities(model: MosaicRegressor) -> None:
    """The law, its rivals and the share of laws that were not tried, as parts of one."""
    laws = [model.law_, *model.law_.ties]
    rest = 1.0 - sum(law.probability or 0.0 for law in laws)
    names = [*(law.text(precision=3) for law in laws), "all others, tried or not"]
    shares = [*(law.probability or 0.0 for law in laws), rest]
    figure = Figure(figsize=(7.0, 2.6), layout="constrained")
    axes = figure.add_subplot()
    axes.barh(names[::-1], shares[::-1], color=[GREY, *[BLUE] * len(laws)])
    axes.set(xlabel="probability", xlim=(0.0, 1.0))
    axes.tick_params(axis="y", labelsize=8)
    _save(figure, "probabilities.svg")


def _save(figure: Figure, name: str) -> None:
    save_figure(ROOT / "docs" / "images" / name, figure)


def draw_report(model: MosaicRegressor) -> None:
    """The report on the noisy example as a browser shows it, and its law with rows and band."""
    _save(model.plot("response"), "response.svg")
    _save(model.plot("front"), "front.svg")
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
