"""`make portable`: its settings turn off what a processor has, and nothing that it has not."""

from pathlib import Path

from tests.portable import Processor, Setting, look_at_processor, run, settings_for

WIDE = Processor("Linux", "x86_64", ("X86_V3", "X86_V4", "AVX512_ICL"), ("SkylakeX",), "emeraldrapids")
NARROW = Processor("Linux", "x86_64", ("FMA3", "AVX2"), ("Haswell",), "znver2")  # as numpy before 2.4 names them
ARM = Processor("Darwin", "arm64", ("ASIMDHP",), ("accelerate",), "apple-m1")


def runnable(here: Processor) -> dict[str, dict[str, str]]:
    return {each.name: dict(each.environment) for each in settings_for(here) if not each.obstacle}


def test_each_library_is_set_by_itself_and_all_together():
    settings = runnable(WIDE)
    assert settings["numpy without AVX-512"] == {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"}
    assert settings["numpy without AVX2"] == {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"}
    assert {"OpenBLAS for Nehalem", "OpenBLAS for Haswell", "numba for any processor"} <= set(settings)
    assert len(settings["an old processor"]) == 4


def test_what_the_processor_lacks_is_left_out():
    settings = runnable(NARROW)
    assert "numpy without AVX-512" not in settings
    assert settings["numpy without AVX2"] == {"NPY_DISABLE_CPU_FEATURES": "FMA3 AVX2"}
    assert "OpenBLAS for Haswell" not in settings  # its own
    assert "OpenBLAS for SkylakeX" not in settings
    assert settings["another maker's processor"]["NUMBA_CPU_NAME"] != NARROW.compiler


def test_other_architectures_have_the_settings_that_mean_something():
    settings = runnable(ARM)
    assert set(settings) == {"this machine", "numpy without AVX2", "numba for any processor", "an old processor"}
    assert settings["an old processor"] == {"NPY_DISABLE_CPU_FEATURES": "ASIMDHP", "NUMBA_CPU_NAME": "generic"}


def test_a_setting_changes_what_the_tests_run_on():
    generic = look_at_processor({"NUMBA_CPU_NAME": "generic"})
    assert generic.compiler == "generic"


def test_tests_that_fail_and_settings_without_effect_are_told(tmp_path: Path, capsys):
    here = look_at_processor({})
    failing = tmp_path / "test_one.py"
    failing.write_text("def test_one():\n    assert 1 == 2\n")
    arguments = ["-p", "no:cacheprovider", "-c", str(tmp_path / "none.ini"), str(failing)]
    (tmp_path / "none.ini").write_text("[pytest]\n")
    assert not run(Setting("plain", {}), here, arguments, tmp_path / "log")
    assert not run(Setting("idle", {"NOTHING": "1"}), here, arguments, tmp_path / "log")
    failing.write_text("def test_one():\n    pass\n")
    assert run(Setting("mended", {}), here, arguments, tmp_path / "log")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == ["failed", "FAILED", "see", "failed", "passed"]
    assert "1 failed" in lines[0]
