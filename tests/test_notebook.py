"""Outcomes in notebooks."""

from dataclasses import replace

import numpy as np
from noisy_outcomes import noisy_outcome

from mosaic_sr.naming import NamedLaw
from mosaic_sr.notebook import to_html
from mosaic_sr.notebook_output import is_in_notebook
from mosaic_sr.pictures import observe_arrays


def test_a_noisy_outcome_shows_probability_rivals_and_noise():
    page = to_html(noisy_outcome())
    for words in (
        "one of 2 laws that explain the rows about equally well (probability 0.60)",
        "rival, probability 0.30: <math",
        "noise: scatter 0.1 (1.7 % of the target&#x27;s range)",
        "z may matter (probability 0.05); w does not matter",
        "would tell law and closest rival apart",
        "all 4,500 forms of up to 18 bits were tried",
        "nothing left to explain",
    ):
        assert words in page
    assert page.count('class="chosen"') == 1
    assert "<td>&gt;&gt;&gt;&gt;</td>" in page


def test_a_clean_outcome_keeps_ties():
    outcome = replace(noisy_outcome(None, (("3*z", None),)), scatter=None)
    page = to_html(outcome)
    assert "fits equally well: <math" in page
    assert "noise:" not in page
    assert "probability" not in page


def test_names_are_escaped():
    page = to_html(replace(noisy_outcome(), names=("<b>", "<i>", "<u>")))
    assert "<i>" not in page
    assert "&lt;i&gt; may matter" in page


def test_the_name_of_a_law_is_shown_and_escaped():
    outcome = noisy_outcome()
    law = replace(outcome.law, named=NamedLaw("a <b>line</b>", "general", ""))
    assert "<p>this is: a &lt;b&gt;line&lt;/b&gt;</p>" in to_html(replace(outcome, law=law))


def test_pictures_are_drawn_from_the_rows_of_the_fit():
    outcome = noisy_outcome()
    columns = np.random.default_rng(0).uniform(1.0, 2.0, (len(outcome.names), 30))
    rows = observe_arrays(outcome, columns, outcome.law.predict(columns) + 0.1)
    page = to_html(outcome, rows)
    assert page.count("<figure>") == to_html(outcome).count("<figure>") + 2
    assert "Residuals in order" in page


def test_a_test_is_no_notebook():
    assert not is_in_notebook()
