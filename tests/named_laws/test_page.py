"""The examples of `docs/named-laws.md` run and print what the page says."""

import re
import subprocess
import sys
from pathlib import Path

from mosaic_sr.named_laws import recognised

PAGE = (Path(__file__).parents[2] / "docs" / "named-laws.md").read_text(encoding="utf-8")


def test_the_python_example_runs():
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    code += "\nassert model.law_.name == 'Michaelis-Menten kinetics'\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout.startswith("Michaelis-Menten kinetics (also Monod growth, ")
    assert done.stdout.endswith("maximum rate 12.3, half-saturation 3.41\n")


def test_the_law_of_the_first_example_has_the_name_on_the_page():
    from draws import equation

    [law] = re.findall(r"^population = (.*)$", PAGE, re.MULTILINE)
    [line] = re.findall(r"^this is: (.*)$", PAGE, re.MULTILINE)
    named = recognised(equation(law, ("day",)))
    assert line.startswith(f"{named.name}, ")
    values = [float(value) for value in re.findall(r"([\d.]+) ±", line)]
    for one, value in zip(named.constants, values, strict=True):
        assert abs(one.value - value) < 1e-3 * value
