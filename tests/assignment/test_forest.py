"""Several trees share one budget: it goes to likely sketches and to those that do well."""

import numpy as np

from mosaic_sr.assignment.forest import explore, sketch_chances
from mosaic_sr.assignment.tree import Game, TreeConfig


def explored(tops, log_weights, expansions, depth=5):
    """How often each game was rewarded; its rewards reach up to its entry of `tops`."""
    counts = np.zeros(len(tops), dtype=int)

    def game(number):
        def reward(choices):
            counts[number] += 1
            return tops[number] * np.mean([choice == 1 for choice in choices])

        return Game(depth, lambda choices: np.full(3, 1 / 3), str, reward)

    games = [game(number) for number in range(len(tops))]
    pauses = sum(
        1 for _ in explore(games, np.array(log_weights), expansions, TreeConfig(1.0, 1.0), np.random.default_rng(0))
    )
    return counts, pauses


def test_the_budget_is_kept_and_every_expansion_pauses():
    counts, pauses = explored([0.5, 0.5], [0.0, 0.0], 100)
    assert counts.sum() == pauses == 100


def test_a_game_that_rewards_more_is_played_more_and_no_other_is_forgotten():
    counts, _ = explored([0.3, 0.9, 0.3], [0.0, 0.0, 0.0], 150)
    assert counts[1] > 2 * counts[[0, 2]].max()
    assert counts.min() > 0


def test_a_likely_sketch_is_played_more():
    counts, _ = explored([0.5, 0.5, 0.5], [-9.0, -9.0, 0.0], 90)
    assert counts[2] > 2 * counts[:2].max()


def test_nothing_is_played_when_everything_has_been():
    counts, pauses = explored([0.5, 0.5], [0.0, 0.0], 1000, depth=2)
    assert pauses < 1000
    assert counts.max() <= 3 + 9
    assert explored([], [], 10)[1] == 0


def test_half_of_the_chance_follows_the_weights():
    chances = sketch_chances(np.array([0.0, -np.inf]))
    np.testing.assert_allclose(chances, [0.75, 0.25])
