"""Stages, proposers, and the grid of paths and steps that one run gives."""

from benchmarks.report.ablations import ablation_sections
from tests.benchmarks.result_lines import cells_of, make_result


def section_of(results, title):
    (section,) = [section for section in ablation_sections(results) if section.title == title]
    return section.text


def with_preset(preset, **changes):
    settings = {"time_limit": 10.0, "preset": preset}
    return make_result("feynman-i.12.1", "srsd-easy", settings=settings, **changes)


def test_stages_stand_beside_the_published_rates():
    results = [with_preset("paper-decoder", strict=False), with_preset("paper-mcts"), with_preset("paper")]
    text = section_of(results, "Stage ablation on SRSD-Feynman easy")
    assert cells_of(text, "decoder only")[:3] == ["–", "32.2", "51.1"]
    assert cells_of(text, "mosaic (10 s, preset paper-decoder)")[0] == "0.0 (1/30)"
    assert cells_of(text, "mosaic (10 s, preset paper-mcts)")[0] == "100.0 (1/30)"
    assert cells_of(text, "mosaic (10 s, preset paper)")[0] == "100.0 (1/30)"


def test_stages_follow_each_other():
    stages = ("paper-grammar", "paper-decoder", "paper-mcts", "paper")
    text = section_of([with_preset(stage) for stage in sorted(stages)], "Stage ablation on SRSD-Feynman easy")
    places = [text.index(f"preset {stage})") for stage in stages]
    assert places == sorted(places)


def test_full_runs_alone_are_no_ablation():
    assert ablation_sections([with_preset("paper")]) == []


def test_what_only_a_proposer_finds_is_told_by_the_runs_without_it():
    ablated = {"time_limit": 10.0, "without": ["prior"]}
    results = [
        make_result("Nguyen-1"),
        make_result("Nguyen-2"),
        make_result("Nguyen-3", strict=False),
        make_result("Nguyen-4"),
        make_result("Nguyen-1", settings=ablated),
        make_result("Nguyen-2", settings=ablated, strict=False),
        make_result("Nguyen-3", settings=ablated),
    ]
    text = section_of(results, "Contribution of each proposer")
    assert cells_of(text, "mosaic (10 s, without prior)") == ["3", "1: nguyen/Nguyen-2", "1: nguyen/Nguyen-3"]
    assert "mosaic (10 s, without prior)" in section_of(results, "Proposers switched off: nguyen")


def budget(paths, steps, strict, r2=1.0):
    verdict = {"equation": "x0", "strict": strict, "srbench": False, "r2": r2, "nmse": 1.0 - r2}
    return {"paths": paths, "steps": steps, **verdict}


def test_the_grid_of_paths_and_steps_is_read_from_one_run_per_problem():
    first = [budget(1, 100, False, 0.5), budget(1, 300, True), budget(48, 500, True)]
    second = [budget(1, 300, False, 0.9999), budget(48, 500, True)]
    settings = {"time_limit": 10.0, "preset": "paper-budget"}
    results = [
        make_result("feynman-i.12.1", "srsd-easy", settings=settings, budgets=first),
        make_result("feynman-i.12.5", "srsd-easy", settings=settings, budgets=second),
    ]
    text = section_of(results, "Breadth and depth of the search")
    assert cells_of(text, "1, published")[1:3] == ["47.8", "70.0"]
    cells = cells_of(text, "1")
    assert cells[:3] == ["**0.0**", "0.0", "0.0"]
    assert cells[3:6] == ["**50.0**", "0.0", "100.0"]
    assert cells_of(text, "48")[6] == "**100.0**"


def switched(problem, without, **changes):
    return make_result(problem, settings={"time_limit": 10.0, "without": list(without)}, **changes)


def test_laws_are_told_apart_by_whether_the_prior_or_the_finders_find_them_alone():
    prior, finders = ("finders", "grammar"), ("prior", "grammar")
    results = [
        *(switched("both", names) for names in (prior, finders)),
        *(switched("learned", names, strict=names == prior) for names in (prior, finders)),
        switched("read off", prior, strict=False),
        switched("read off", finders, strict=False),
        switched("read off", finders, seed=1),
        *(switched("hard", names, strict=False) for names in (prior, finders)),
        switched("only one run", prior),
    ]
    text = section_of(results, "Prior and finders, each alone")
    assert cells_of(text, "mosaic (10 s)") == ["nguyen", "1", "1: learned", "1: read off", "1: hard"]
    table = section_of(results, "Proposers switched off: nguyen")
    assert "mosaic (10 s, only the learned prior)" in table
    assert "mosaic (10 s, only finders)" in table


def test_stages_on_suites_that_nobody_published_have_a_table_of_their_own():
    settings = {"time_limit": 10.0, "preset": "paper-mcts"}
    results = [make_result("g-1", "generated", settings=settings), with_preset("paper-mcts", decoded_operators=4)]
    assert "No weights of a prior" in section_of(results, "Stage ablation on generated")
    assert "No weights of a prior" not in section_of(results, "Stage ablation on SRSD-Feynman easy")
