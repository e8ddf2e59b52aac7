"""What a release promises to keep: names, arguments, commands and options (`docs/stability.md`).

    python -m tests.promised

adds what is new to promised.json, before a release. Nothing is taken out within one major version.
"""

import inspect
import json
from pathlib import Path

import typer

import mosaic_sr
from mosaic_sr.cli.app import app

PROMISED = Path(__file__).with_name("promised.json")
# Training of a prior changes with its methods.
EXPERIMENTAL = ("pretrain",)


def offered() -> dict[str, list[str]]:
    """What this version offers: names of the package, arguments and members of the estimator, commands and options."""
    model = mosaic_sr.MosaicRegressor
    return {
        "mosaic_sr": sorted(mosaic_sr.__all__),
        "MosaicRegressor": sorted(inspect.signature(model).parameters),
        "MosaicRegressor.fit": list(inspect.signature(model.fit).parameters)[1:],
        "MosaicRegressor.predict": list(inspect.signature(model.predict).parameters)[1:],
        "members of MosaicRegressor": sorted(
            name for name in dir(model) if not name.startswith(("_", "set_", "get_params", "get_metadata"))
        ),
        "members of Equation": sorted(name for name in dir(mosaic_sr.Equation) if not name.startswith("_")),
        **dict(_commands("mosaic", typer.main.get_command(app))),
    }


def _commands(words, command):
    """Each command with its options."""
    yield words, sorted(option for one in command.params for option in one.opts)
    for name, below in sorted(getattr(command, "commands", {}).items()):
        if name in EXPERIMENTAL:
            continue
        yield from _commands(f"{words} {name}", below)


def promised() -> dict[str, list[str]]:
    """What earlier releases offered."""
    kept: dict[str, list[str]] = json.loads(PROMISED.read_text(encoding="utf-8")) if PROMISED.exists() else {}
    return kept


if __name__ == "__main__":
    kept, now = promised(), offered()
    both = {
        part: [*kept.get(part, []), *(w for w in now.get(part, []) if w not in kept.get(part, []))]
        for part in kept | now
    }
    PROMISED.write_text(json.dumps(both, indent=1) + "\n", encoding="utf-8")
