"""The tree search on games with a known best row of choices, and trees kept from before."""

from itertools import product

import numpy as np
import pytest

from mosaic_sr.assignment.tree import Game, TreeConfig, grow, plant

BEST = (2, 0, 1, 2)

# Of the toy game of two choices after six nodes, as they were when the rule was checked by hand.
GOLDEN_CHILDREN = [
    [-1, 1, 2], [-1, 6, -1], [5, 3, 4], [-1, -1, -1], [-1, -1, -1], [-1, -1, -1], [-1, -1, -1],
]  # fmt: skip
GOLDEN_VISITS = [6, 2, 4, 1, 1, 1, 1]
GOLDEN_BESTS = [1.0, 0.0, 1.0, 0.5, 0.5, 1.0, 0.0]
GOLDEN_REWARDS = [0.0, 0.5, 0.5, 0.5, 1.0, 0.0]


def toy(chances=(0.2, 0.5, 0.3), depth=4, key=str):
    """The reward is the share of choices that are right."""
    return Game(
        depth=depth,
        chances=lambda choices: np.array(chances),
        key=key,
        reward=lambda choices: float(np.mean([a == b for a, b in zip(choices, BEST, strict=False)])),
    )


def grown(game, count, exploration=1.0, seed=0):
    """The tree, and the rewards in the order in which they came."""
    tree, rng, rewards = plant(game), np.random.default_rng(seed), []
    for _ in range(count):
        scale = (min(rewards, default=np.inf), max(rewards, default=-np.inf))
        reward = grow(tree, game, TreeConfig(exploration), scale, rng)
        if reward is None:
            break
        rewards.append(reward)
    return tree, rewards


def test_the_best_choices_are_found_long_before_all_have_been_tried():
    game = toy(depth=4, chances=(0.25, 0.25, 0.25, 0.25))
    _, rewards = grown(game, 256)
    assert rewards.index(1.0) < 60


def test_the_golden_tree():
    tree, rewards = grown(toy(depth=2), 6)
    used = slice(tree.num_nodes)
    assert tree.children[used].tolist() == GOLDEN_CHILDREN
    assert tree.visits[used].tolist() == GOLDEN_VISITS
    assert tree.bests[used].tolist() == GOLDEN_BESTS
    assert rewards == GOLDEN_REWARDS


def test_a_tree_ends_when_every_row_of_choices_has_been_rewarded():
    seen = []
    game = toy(depth=3)
    counted = Game(game.depth, game.chances, game.key, lambda choices: seen.append(choices) or game.reward(choices))
    tree, _ = grown(counted, 1000)
    assert tree.is_exhausted
    assert set(seen) == set(product(range(3), repeat=3))
    assert tree.num_nodes == 1 + 3 + 9 + 27


def test_twins_grow_once():
    game = toy(depth=3, key=lambda choices: f"{len(choices)} {sorted(choices)}")
    tree, _ = grown(game, 1000)
    assert tree.is_exhausted
    assert tree.num_nodes == 1 + 3 + 6 + 10


def test_the_prior_leads_where_rewards_are_equal():
    game = toy(chances=(0.1, 0.2, 0.7), depth=6)
    flat = Game(game.depth, game.chances, game.key, lambda choices: 0.5)
    tree, _ = grown(flat, 200)
    visits = tree.visits[tree.children[0]]
    assert visits[2] > 2 * visits[1] > 2 * visits[0] > 0


@pytest.mark.parametrize("exploration", [0.3, 4.0])
def test_the_same_seed_grows_the_same_tree(exploration):
    one, same, other = (grown(toy(depth=6), 80, exploration, seed)[1] for seed in (1, 1, 2))
    assert one == same != other


def test_a_game_without_choices_is_exhausted_at_once():
    tree, rewards = grown(toy(depth=0), 3)
    assert tree.is_exhausted
    assert rewards == []
