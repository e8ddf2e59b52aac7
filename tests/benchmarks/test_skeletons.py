"""The written hashes are those of the suites."""

from __future__ import annotations

import json

from benchmarks.skeletons import ALL_SKELETONS, KEPT_OUT, MIN_OPERATORS, kept_out, main, skeleton_table
from benchmarks.suites import SUITES
from mosaic_sr import num_operators, skeleton, skeleton_hash


def test_the_committed_hashes_are_fresh():
    table = skeleton_table()
    assert json.loads(ALL_SKELETONS.read_text()) == table
    assert json.loads(KEPT_OUT.read_text()) == kept_out(table)


def test_every_skeleton_of_four_operators_is_kept_out():
    hashes = set(kept_out(skeleton_table())["skeletons"])
    for suite in SUITES.values():
        for problem in suite.problems * suite.is_kept_out:
            if problem.truth is not None and num_operators(skeleton(problem.truth)) >= MIN_OPERATORS:
                assert skeleton_hash(problem.truth) in hashes


def test_laws_that_the_prior_may_be_trained_on_are_not_kept_out():
    assert [name for name, suite in SUITES.items() if not suite.is_kept_out] == ["measured", "wide"]
    problems = [name for row in skeleton_table().values() for name in row["problems"]]
    assert any(name.startswith("unseen/") for name in problems)
    assert not any(name.startswith("measured/") for name in problems)


def test_the_command_writes_both_files(tmp_path, capsys):
    words = ["--out", str(tmp_path / "all.json"), "--kept-out", str(tmp_path / "kept.json")]
    assert main(words) == 0
    assert "skeletons" in capsys.readouterr().out
    assert (tmp_path / "kept.json").read_text() == KEPT_OUT.read_text()
