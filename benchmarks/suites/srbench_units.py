"""Units of the Feynman problems, which AI Feynman published as exponents of metre, second, kilogram, kelvin and volt.

I.43.16 has none: with the published units its formula is not homogeneous.
"""

from __future__ import annotations

# Number of the law | unit of each column, 1 where it has none | unit of the target.
UNITS = """
I.6.2a | 1 | 1
I.6.2 | 1 1 | 1
I.6.2b | 1 1 1 | 1
I.8.14 | m m m m | m
I.9.18 | kg kg m^3*s^-2*kg^-1 m m m m m m | m*s^-2*kg
I.10.7 | kg m*s^-1 m*s^-1 | kg
I.11.19 | m m m m m m | m^2
I.12.1 | 1 m*s^-2*kg | m*s^-2*kg
I.12.2 | m^2*s^-2*kg*V^-1 m^2*s^-2*kg*V^-1 m*s^-2*kg*V^-2 m | m*s^-2*kg
I.12.4 | m^2*s^-2*kg*V^-1 m*s^-2*kg*V^-2 m | m^-1*V
I.12.5 | m^2*s^-2*kg*V^-1 m^-1*V | m*s^-2*kg
I.12.11 | m^2*s^-2*kg*V^-1 m^-1*V m^-2*s*V m*s^-1 1 | m*s^-2*kg
I.13.4 | kg m*s^-1 m*s^-1 m*s^-1 | m^2*s^-2*kg
I.13.12 | kg kg m m m^3*s^-2*kg^-1 | m^2*s^-2*kg
I.14.3 | kg m*s^-2 m | m^2*s^-2*kg
I.14.4 | s^-2*kg m | m^2*s^-2*kg
I.15.3x | m m*s^-1 m*s^-1 s | m
I.15.3t | m m*s^-1 m*s^-1 s | s
I.15.1 | kg m*s^-1 m*s^-1 | m*s^-1*kg
I.16.6 | m*s^-1 m*s^-1 m*s^-1 | m*s^-1
I.18.4 | kg kg m m | m
I.18.12 | m m*s^-2*kg 1 | m^2*s^-2*kg
I.18.14 | kg m m*s^-1 1 | m^2*s^-1*kg
I.24.6 | kg s^-1 s^-1 m | m^2*s^-2*kg
I.25.13 | m^2*s^-2*kg*V^-1 m^2*s^-2*kg*V^-2 | V
I.27.6 | m m 1 | m
I.29.4 | s^-1 m*s^-1 | m^-1
I.29.16 | m m 1 1 | m
I.30.3 | s^-3*kg 1 1 | s^-3*kg
I.32.5 | m^2*s^-2*kg*V^-1 m*s^-2 m*s^-2*kg*V^-2 m*s^-1 | m^2*s^-3*kg
I.32.17 | m*s^-2*kg*V^-2 m*s^-1 m^-1*V m s^-1 s^-1 | m^2*s^-3*kg
I.34.8 | m^2*s^-2*kg*V^-1 m*s^-1 m^-2*s*V m*s^-1*kg | s^-1
I.34.1 | m*s^-1 m*s^-1 s^-1 | s^-1
I.34.14 | m*s^-1 m*s^-1 s^-1 | s^-1
I.34.27 | s^-1 m^2*s^-1*kg | m^2*s^-2*kg
I.37.4 | s^-3*kg s^-3*kg 1 | s^-3*kg
I.38.12 | kg m^2*s^-2*kg*V^-1 m^2*s^-1*kg m*s^-2*kg*V^-2 | m
I.39.1 | m^-1*s^-2*kg m^3 | m^2*s^-2*kg
I.39.11 | 1 m^-1*s^-2*kg m^3 | m^2*s^-2*kg
I.39.22 | 1 K m^3 m^2*s^-2*kg*K^-1 | m^-1*s^-2*kg
I.40.1 | 1 kg m K m*s^-2 m^2*s^-2*kg*K^-1 | 1
I.41.16 | s^-1 K m^2*s^-1*kg m^2*s^-2*kg*K^-1 m*s^-1 | s^-2*kg
I.43.31 | s*kg^-1 K m^2*s^-2*kg*K^-1 | m^2*s^-1
I.43.43 | 1 m^2*s^-2*kg*K^-1 m^2 m*s^-1 | m*s^-3*kg*K^-1
I.44.4 | 1 m^2*s^-2*kg*K^-1 K m^3 m^3 | m^2*s^-2*kg
I.47.23 | 1 m^-1*s^-2*kg m^-3*kg | m*s^-1
I.48.2 | kg m*s^-1 m*s^-1 | m^2*s^-2*kg
I.50.26 | m s^-1 s 1 | m
II.2.42 | m*s^-3*kg*K^-1 K K m^2 m | m^2*s^-3*kg
II.3.24 | m^2*s^-3*kg m | s^-3*kg
II.4.23 | m^2*s^-2*kg*V^-1 m*s^-2*kg*V^-2 m | V
II.6.11 | m*s^-2*kg*V^-2 m^3*s^-2*kg*V^-1 1 m | V
II.6.15a | m*s^-2*kg*V^-2 m^3*s^-2*kg*V^-1 m m m m | m^-1*V
II.6.15b | m*s^-2*kg*V^-2 m^3*s^-2*kg*V^-1 1 m | m^-1*V
II.8.7 | m^2*s^-2*kg*V^-1 m*s^-2*kg*V^-2 m | m^2*s^-2*kg
II.8.31 | m*s^-2*kg*V^-2 m^-1*V | m^-1*s^-2*kg
II.10.9 | s^-2*kg*V^-1 m*s^-2*kg*V^-2 1 | m^-1*V
II.11.3 | m^2*s^-2*kg*V^-1 m^-1*V kg s^-1 s^-1 | m
II.11.20 | m^-3 m^3*s^-2*kg*V^-1 m^-1*V m^2*s^-2*kg*K^-1 K | s^-2*kg*V^-1
II.11.27 | 1 1 m*s^-2*kg*V^-2 m^-1*V | s^-2*kg*V^-1
II.11.28 | 1 1 | 1
II.13.17 | m*s^-2*kg*V^-2 m*s^-1 m^2*s^-3*kg*V^-1 m | m^-2*s*V
II.13.23 | m^-1*s^-2*kg*V^-1 m*s^-1 m*s^-1 | m^-1*s^-2*kg*V^-1
II.13.34 | m^-1*s^-2*kg*V^-1 m*s^-1 m*s^-1 | s^-3*kg*V^-1
II.15.4 | m^4*s^-3*kg*V^-1 m^-2*s*V 1 | m^2*s^-2*kg
II.15.5 | m^3*s^-2*kg*V^-1 m^-1*V 1 | m^2*s^-2*kg
II.21.32 | m^2*s^-2*kg*V^-1 m*s^-2*kg*V^-2 m m*s^-1 m*s^-1 | V
II.24.17 | s^-1 m*s^-1 m | m^-1
II.27.16 | m*s^-2*kg*V^-2 m*s^-1 m^-1*V | s^-3*kg
II.27.18 | m*s^-2*kg*V^-2 m^-1*V | m^-1*s^-2*kg
II.34.2a | m^2*s^-2*kg*V^-1 m*s^-1 m | m^2*s^-3*kg*V^-1
II.34.2 | m^2*s^-2*kg*V^-1 m*s^-1 m | m^4*s^-3*kg*V^-1
II.34.11 | 1 m^2*s^-2*kg*V^-1 m^-2*s*V kg | s^-1
II.34.29a | m^2*s^-2*kg*V^-1 m^2*s^-1*kg kg | m^4*s^-3*kg*V^-1
II.34.29b | 1 m^2*s^-1*kg m^2*s^-1*kg m^4*s^-3*kg*V^-1 m^-2*s*V | m^2*s^-2*kg
II.35.18 | 1 m^2*s^-2*kg*K^-1 K m^4*s^-3*kg*V^-1 m^-2*s*V | 1
II.35.21 | m^-3 m^4*s^-3*kg*V^-1 m^-2*s*V m^2*s^-2*kg*K^-1 K | m*s^-3*kg*V^-1
II.36.38 | m^4*s^-3*kg*V^-1 m^-2*s*V m^2*s^-2*kg*K^-1 K 1 m*s^-2*kg*V^-2 m*s^-1 m*s^-3*kg*V^-1 | 1
II.37.1 | m^4*s^-3*kg*V^-1 m^-2*s*V 1 | m^2*s^-2*kg
II.38.3 | m^-1*s^-2*kg m^2 m m | m*s^-2*kg
II.38.14 | m^-1*s^-2*kg 1 | m^-1*s^-2*kg
III.4.32 | m^2*s^-1*kg s^-1 m^2*s^-2*kg*K^-1 K | 1
III.4.33 | m^2*s^-1*kg s^-1 m^2*s^-2*kg*K^-1 K | m^2*s^-2*kg
III.7.38 | m^4*s^-3*kg*V^-1 m^-2*s*V m^2*s^-1*kg | s^-1
III.8.54 | m^2*s^-2*kg s m^2*s^-1*kg | 1
III.9.52 | m^3*s^-2*kg*V^-1 m^-1*V s m^2*s^-1*kg s^-1 s^-1 | 1
III.10.19 | m^4*s^-3*kg*V^-1 m^-2*s*V m^-2*s*V m^-2*s*V | m^2*s^-2*kg
III.12.43 | 1 m^2*s^-1*kg | m^2*s^-1*kg
III.13.18 | m^2*s^-2*kg m m^-1 m^2*s^-1*kg | m*s^-1
III.14.14 | m^2*s^-3*kg*V^-1 m^2*s^-2*kg*V^-1 V m^2*s^-2*kg*K^-1 K | m^2*s^-3*kg*V^-1
III.15.12 | m^2*s^-2*kg m^-1 m | m^2*s^-2*kg
III.15.14 | m^2*s^-1*kg m^2*s^-2*kg m | kg
III.15.27 | 1 1 m | m^-1
III.17.37 | 1 1 1 | 1
III.19.51 | kg m^2*s^-2*kg*V^-1 m^2*s^-1*kg 1 m*s^-2*kg*V^-2 | m^2*s^-2*kg
III.21.20 | m^-1*s^-2*kg*V^-1 m^2*s^-2*kg*V^-1 m^-1*s*V kg | s^-3*kg*V^-1
test_1 | 1 1 1 m^2*s^-1*kg m*s^-1 m^2*s^-2*kg 1 | m^2
test_2 | kg m^3*s^-2*kg m^2*s^-1*kg m^2*s^-2*kg 1 1 | m^-1
test_3 | m 1 1 1 | m
test_4 | kg m^2*s^-2*kg m^2*s^-2*kg m^2*s^-1*kg m | m*s^-1
test_5 | m m^3*s^-2*kg^-1 kg kg | s
test_6 | m*s^-2*kg*V^-2 m^2*s^-1*kg kg 1 1 m^2*s^-2*kg*V^-1 m^2*s^-2*kg | 1
test_7 | m^3*s^-2*kg^-1 m^-3*kg 1 m*s^-1 m | s^-1
test_8 | m^2*s^-2*kg kg m*s^-1 1 | m^2*s^-2*kg
test_9 | m^3*s^-2*kg^-1 m*s^-1 kg kg m | m^2*s^-3*kg
test_11 | m^2*s^-3*kg*V^-1 1 1 1 | m^2*s^-3*kg*V^-1
test_12 | m^2*s^-2*kg*V^-1 m V m m*s^-2*kg*V^-2 | m*s^-2*kg
test_13 | m^2*s^-2*kg*V^-1 m m 1 m*s^-2*kg*V^-2 | V
test_14 | m^-1*V 1 m m 1 | V
test_15 | m*s^-1 m*s^-1 s^-1 1 | s^-1
test_16 | kg m*s^-1 m*s^-1*kg m^2*s^-2*kg*V^-1 m^-1*s*V V | m^2*s^-2*kg
test_17 | kg s^-1 m*s^-1*kg m m 1 | m^2*s^-2*kg
test_18 | m^3*s^-2*kg^-1 1 m s^-1 m*s^-1 | m^-3*kg
test_19 | m^3*s^-2*kg^-1 1 m s^-1 1 m*s^-1 | m^-1*s^-2*kg
test_20 | s^-1 s^-1 1 m^2*s^-1*kg kg m*s^-1 1 | m^2
"""


def feynman_units() -> dict[str, tuple[str, ...]]:
    """By the number of the law, the units of its columns and, last, of its target."""
    found = {}
    for line in UNITS.strip().splitlines():
        number, columns, target = map(str.strip, line.split("|"))
        found[number] = (*columns.split(), target)
    return found
