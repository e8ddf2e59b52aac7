"""`mosaic doctor`: what works is stated, what does not is a fault with exit code 1."""

import sys
from importlib import metadata

import pytest

from mosaic_sr.cli import doctor, main


def run(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mosaic", "doctor"])
    with pytest.raises(SystemExit) as done:
        main()
    return done.value.code, capsys.readouterr().out


def test_a_sound_machine_has_no_fault(monkeypatch, capsys):
    code, printed = run(monkeypatch, capsys)
    assert code == 0, printed
    assert f"numba {metadata.version('numba')}" in printed
    assert "a function was compiled and gives the right value" in printed
    assert "the learned prior is loaded" in printed
    assert printed.endswith("everything that a search needs works\n")


def test_a_cache_that_cannot_be_written_is_a_fault(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(doctor, "TRIALS", {"cache": doctor.TRIALS["cache"]})
    code, printed = run(monkeypatch, capsys)
    assert code == 1
    assert "FAULT cache" in printed
    assert "MOSAIC_CACHE_DIR" in printed


def test_a_trial_that_dies_is_a_fault(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "TRIALS", {"no such trial": lambda: ""})
    code, printed = run(monkeypatch, capsys)
    assert code == 1
    assert "FAULT no such trial" in printed


def test_a_missing_package_and_a_missing_extra_are_named_with_their_remedy(monkeypatch):
    needs = ["numpy>=2", "no-such-thing>=1", 'no-such-extra>=3; extra == "report"', 'pytest; extra == "dev"']
    monkeypatch.setattr(metadata, "requires", lambda name: needs)
    with pytest.raises(LookupError, match="pip install no-such-thing"):
        doctor.TRIALS["packages"]()
    assert doctor.extras() == {"report": 'not installed (no-such-extra): pip install "mosaic-sr[report]"'}


def test_a_shell_is_told_how_words_continue(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mosaic"])
    for name, value in {"_MOSAIC_COMPLETE": "complete_bash", "COMP_WORDS": "mosaic do", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.split() == ["doctor"]
