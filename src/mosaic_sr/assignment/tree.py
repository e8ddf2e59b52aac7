"""Monte Carlo tree search over choices made one after the other; the tree is arrays, the game comes as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Choices = tuple[int, ...]
Scale = tuple[float, float]


@dataclass(frozen=True)
class Game:
    """What is played: `depth` choices, each among as many options as `chances` has entries.

    chances: prior probability of each option after the choices so far: (options,).
    key: equal for choices so far that are twins of each other; only one of them is grown.
    reward: of a complete row of choices, 0 to 1.
    """

    depth: int
    chances: Callable[[Choices], Floats]
    key: Callable[[Choices], str]
    reward: Callable[[Choices], float]


@dataclass(frozen=True)
class TreeConfig:
    """How trees grow.

    exploration: weight of the prior's term in the choice of a child.  sketch_exploration: the same in the choice of a
    tree, where chances are smaller because sketches are more than columns. Values are scaled to 0..1 over all trees, so
    that both mean the same whatever the rewards.
    """

    # Of 35 true sketches among 24, each table with a dummy column, 33 are bound right within 1,200 fits; 29 with 2 or
    # 10 in place of 4.
    exploration: float = 4.0
    sketch_exploration: float = 10.0


@dataclass
class Tree:
    """A search tree. Node 0 is the root, which stands for no choice at all; entries beyond `num_nodes` are empty.

    children: (nodes, options), -1 where none has grown.  chances: (nodes, options), the prior of each child.
    is_open: (nodes, options), whether the child may still lead to something new.
    visits, bests: (nodes,), how often a node was passed, and the highest reward met below it.
    """

    children: NDArray[np.int64]
    chances: Floats
    is_open: NDArray[np.bool_]
    visits: NDArray[np.int64]
    bests: Floats
    num_nodes: int = 1
    keys: set[str] = field(default_factory=set)

    @property
    def is_exhausted(self) -> bool:
        """Whether every row of choices, twins aside, has been rewarded."""
        return not self.is_open[0].any()

    @property
    def best(self) -> float:
        """The highest reward met; minus infinity before the first."""
        return float(self.bests[0])


def plant(game: Game) -> Tree:
    """A tree of nothing but its root."""
    chances = game.chances(())
    tree = Tree(
        np.full((1, len(chances)), -1),
        chances[None].copy(),
        np.ones((1, len(chances)), dtype=bool),
        np.zeros(1, dtype=np.int64),
        np.full(1, -np.inf),
    )
    tree.is_open[0] = game.depth > 0
    return tree


def grow(tree: Tree, game: Game, config: TreeConfig, scale: Scale, rng: np.random.Generator) -> float | None:
    """Add one node, complete its choices at random by their chances, and return the reward, which its line keeps.

    None when only twins of earlier nodes were left. scale: the lowest and the highest reward met so far in all trees.
    """
    found = _descend(tree, game, config, scale)
    if found is None:
        return None
    line, choices = found
    while len(choices) < game.depth:
        chances = game.chances(choices)
        choices = (*choices, int(rng.choice(len(chances), p=chances)))
    reward = game.reward(choices)
    tree.visits[line] += 1
    tree.bests[line] = np.maximum(tree.bests[line], reward)
    return reward


def child_scores(bests: Floats, visits: Floats, chances: Floats, scale: Scale, weight: float) -> Floats:
    """The PUCT rule with the best reward as value; children without visits have the lowest."""
    low, high = scale
    values = np.where(visits > 0, (bests - low) / max(high - low, 1e-12), 0.0)
    return np.asarray(values + weight * chances * np.sqrt(1.0 + visits.sum()) / (1.0 + visits))


def _descend(tree: Tree, game: Game, config: TreeConfig, scale: Scale) -> tuple[list[int], Choices] | None:
    """The line of nodes down to a new one, and the choices that lead there."""
    line: list[int] = [0]
    choices: Choices = ()
    while not tree.is_exhausted:
        node = line[-1]
        option = _choose(tree, node, config, scale)
        taken = (*choices, option)
        child = int(tree.children[node, option])
        if child >= 0:
            line, choices = [*line, child], taken
            continue
        key = game.key(taken)
        if key in tree.keys:
            _close(tree, line, choices, option)
            line, choices = _open_part(tree, line, choices)
            continue
        tree.keys.add(key)
        line = [*line, _add(tree, node, option, game, taken)]
        if len(taken) == game.depth:
            _close(tree, line[:-1], choices, option)
        return line, taken
    return None


def _choose(tree: Tree, node: int, config: TreeConfig, scale: Scale) -> int:
    children = tree.children[node]
    visits = np.where(children >= 0, tree.visits[children], 0).astype(np.float64)
    scores = child_scores(tree.bests[children], visits, tree.chances[node], scale, config.exploration)
    return int(np.where(tree.is_open[node], scores, -np.inf).argmax())


def _close(tree: Tree, line: Sequence[int], choices: Choices, option: int) -> None:
    """Close an option of the last node of the line, and every node above that has no open option left."""
    tree.is_open[line[-1], option] = False
    for depth in range(len(line) - 1, 0, -1):
        if tree.is_open[line[depth]].any():
            return
        tree.is_open[line[depth - 1], choices[depth - 1]] = False


def _open_part(tree: Tree, line: list[int], choices: Choices) -> tuple[list[int], Choices]:
    """The line up to its last node that has an open option, or to the root."""
    while choices and not tree.is_open[line[-1]].any():
        line, choices = line[:-1], choices[:-1]
    return line, choices


def _add(tree: Tree, parent: int, option: int, game: Game, choices: Choices) -> int:
    """The number of a new node below `parent`."""
    node = tree.num_nodes
    if node == len(tree.visits):
        _double(tree)
    tree.num_nodes += 1
    tree.children[parent, option] = node
    if len(choices) < game.depth:
        tree.chances[node] = game.chances(choices)
        tree.is_open[node] = True
    return node


def _double(tree: Tree) -> None:
    """Room for twice as many nodes."""
    tree.children = np.concatenate([tree.children, np.full_like(tree.children, -1)])
    tree.chances = np.concatenate([tree.chances, np.zeros_like(tree.chances)])
    tree.is_open = np.concatenate([tree.is_open, np.zeros_like(tree.is_open)])
    tree.visits = np.concatenate([tree.visits, np.zeros_like(tree.visits)])
    tree.bests = np.concatenate([tree.bests, np.full_like(tree.bests, -np.inf)])
