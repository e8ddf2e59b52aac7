"""Damaged and forged states and law files: made from a seed, read and used in a process of their own.

    python tests/damaged_files.py FOLDER FIRST LAST

makes the state and the law in FOLDER where they are missing, and prints a line for each number of FIRST..LAST-1: the
kind of damage, and "read" or "refused". Anything else, such as a raw error, ends the process.
"""

import resource
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from damages import BOMB_EVERY, LAW_DAMAGES, STATE_DAMAGES, bomb

from mosaic_sr import InvalidFile, MosaicWarning, SearchConfig, Table
from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.exports import export
from mosaic_sr.law_file import read_law, write_law
from mosaic_sr.preparation import Problem
from mosaic_sr.progress import silent
from mosaic_sr.proposal import PROPOSERS, GrammarConfig, ProposalConfig
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.refinement.settings import PathConfig
from mosaic_sr.run_folder import RunFolder, identify
from mosaic_sr.search import Place, Search

# Far more than a small search needs, and far less than a zip bomb or a forged shape asks for.
MOST_MEMORY = 6 << 30
SEEDS = (1, 2)
OTHERS = tuple(name for name in PROPOSERS if name != "grammar")
CONFIG = SearchConfig(
    proposal=ProposalConfig(without=OTHERS, grammar=GrammarConfig(num_sketches=20, max_operators=2)),
    refinement=RefinementConfig(num_paths=3, path=PathConfig(maxsize=12, trials_per_round=50)),
    max_evaluations=400,
)


def make_table():
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 2))
    y = np.exp(-X[:, 0]) + X[:, 1] ** 1.7 + 0.01 * np.sin(9e4 * X[:, 0])
    return Table.from_arrays(X, y, rng=np.random.default_rng(0), names=["a", "b c"])


TABLE = make_table()


def search(config, place=None, resume=None):
    """The outcome of a small search."""
    clock = start_clock(Budget(config.max_evaluations, None))
    problem = Problem(TABLE, TABLE.names, is_named=True)
    return Search(problem, config, clock, place).run(np.random.default_rng(0), 1, silent(), resume)


def make_files(folder):
    """A state with search paths and a law file."""
    if not (folder / "law.json").exists():
        identity = identify(TABLE, CONFIG, SEEDS)
        outcome = search(CONFIG, Place(RunFolder(folder / "made"), identity))
        assert RunFolder(folder / "made").read_snapshot(identity, TABLE, CONFIG.refinement).paths is not None
        write_law(folder / "law.json", outcome, {"maxsize": 20, "guesses": ["a"]})


def use_state(folder, content):
    """Read a state and go on from it, to the end of a small search."""
    run = RunFolder(folder / "run")
    run.path.mkdir(exist_ok=True)
    (run.path / "state.npz").write_bytes(content)
    snapshot = run.read_snapshot(identify(TABLE, CONFIG, SEEDS), TABLE, CONFIG.refinement)
    if snapshot is not None and snapshot.evaluations < 2**40:
        outcome = search(replace(CONFIG, max_evaluations=snapshot.evaluations + 100), resume=snapshot)
        assert outcome.law.text()


def use_law(folder, content):
    """Read a law file, and print and evaluate its law."""
    (folder / "damaged.json").write_bytes(content)
    outcome, _ = read_law(folder / "damaged.json")
    law = outcome.law
    assert law.text()
    assert law.latex()
    assert export(law.expression, law.names, "python")
    law.predict(np.ones((len(law.names), 3)))


def outcome_of(folder, number):
    """The name of a damage, and what becomes of the file."""
    rng = np.random.default_rng(number)
    if number % 2:
        damage, use = LAW_DAMAGES[rng.integers(len(LAW_DAMAGES))], use_law
        content = (folder / "law.json").read_bytes()
    else:
        damage, use = STATE_DAMAGES[rng.integers(len(STATE_DAMAGES))], use_state
        damage = damage if number % BOMB_EVERY else bomb
        content = (folder / "made" / "state.npz").read_bytes()
    try:
        use(folder, damage(content, rng))
    except InvalidFile as error:
        return damage.__name__, "refused" if len(str(error).splitlines()) == 1 else "refused_in_many_lines"
    return damage.__name__, "read"


def main(folder, first, last):
    warnings.simplefilter("ignore", MosaicWarning)
    make_files(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for number in range(first, last):
        print(number, end=" ", flush=True)
        print(*outcome_of(folder, number), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
