"""The units that are known without another package: one row each, in terms of the rows above it."""

from __future__ import annotations

# The base units of the SI, in the order of exponent lists.
BASES = ("m", "kg", "s", "A", "K", "mol", "cd")

# Names of a unit between blanks, the first one being its symbol | its size | in units of. A + before the names says
# that prefixes may stand before them. Sizes are those of the SI brochure and of NIST SP 811.
ROWS = """
+m meter metre | 1 | m
+g gram gramme | 1e-3 | kg
+s sec second | 1 | s
+A amp ampere | 1 | A
+K kelvin delta_degC delta_celsius | 1 | K
+mol mole | 1 | mol
+cd candela | 1 | cd
rad radian | 1 |
sr steradian | 1 |
deg ° degree | 0.017453292519943295 |
arcmin arcminute | 2.908882086657216e-4 |
arcsec arcsecond | 4.84813681109536e-6 |
turn rev revolution cycle | 6.283185307179586 |
dimensionless unitless none ratio | 1 |
count counts | 1 |
% percent | 1e-2 |
‰ permille | 1e-3 |
ppm | 1e-6 |
ppb | 1e-9 |
min minute | 60 | s
h hr hour | 3600 | s
d day | 86400 | s
week | 604800 | s
month | 2629800 | s
+yr a year annum | 31557600 | s
+Hz hertz | 1 | s^-1
Bq becquerel | 1 | s^-1
rpm | 0.10471975511965977 | s^-1
+L l liter litre | 1e-3 | m^3
+t tonne ton_metric | 1000 | kg
+u Da amu dalton | 1.66053906892e-27 | kg
+N newton | 1 | kg m s^-2
+Pa pascal | 1 | kg m^-1 s^-2
+bar | 1e5 | kg m^-1 s^-2
atm atmosphere | 101325 | kg m^-1 s^-2
mmHg torr Torr | 133.322387415 | kg m^-1 s^-2
psi | 6894.757293168361 | kg m^-1 s^-2
+J joule | 1 | kg m^2 s^-2
+eV electron_volt electronvolt | 1.602176634e-19 | kg m^2 s^-2
+cal calorie | 4.184 | kg m^2 s^-2
+erg | 1e-7 | kg m^2 s^-2
+W watt | 1 | kg m^2 s^-3
+Wh watt_hour | 3600 | kg m^2 s^-2
hp horsepower | 745.6998715822702 | kg m^2 s^-3
+C coulomb | 1 | A s
+V volt | 1 | kg m^2 s^-3 A^-1
+ohm Ω Ohm | 1 | kg m^2 s^-3 A^-2
+S siemens | 1 | kg^-1 m^-2 s^3 A^2
+F farad | 1 | kg^-1 m^-2 s^4 A^2
+H henry | 1 | kg m^2 s^-2 A^-2
+Wb weber | 1 | kg m^2 s^-2 A^-1
+T tesla | 1 | kg s^-2 A^-1
G gauss | 1e-4 | kg s^-2 A^-1
+Gy gray Sv sievert | 1 | m^2 s^-2
+kat katal | 1 | mol s^-1
+M molar | 1000 | mol m^-3
lm lumen | 1 | cd
lx lux | 1 | cd m^-2
+P poise | 0.1 | kg m^-1 s^-1
+St stokes | 1e-4 | m^2 s^-1
dyn dyne | 1e-5 | kg m s^-2
Å angstrom | 1e-10 | m
in inch inches | 0.0254 | m
ft foot feet | 0.3048 | m
yd yard | 0.9144 | m
mi mile | 1609.344 | m
nmi nautical_mile | 1852 | m
kn knot | 0.5144444444444445 | m s^-1
mph | 0.44704 | m s^-1
kph | 0.2777777777777778 | m s^-1
au astronomical_unit | 149597870700 | m
ly light_year lightyear | 9460730472580800 | m
+pc parsec | 3.0856775814913673e16 | m
lb pound lbs | 0.45359237 | kg
oz ounce | 0.028349523125 | kg
lbf pound_force | 4.4482216152605 | kg m s^-2
gal gallon | 0.003785411784 | m^3
ha hectare | 1e4 | m^2
acre | 4046.8564224 | m^2
delta_degF delta_fahrenheit | 0.5555555555555556 | K
degR rankine | 0.5555555555555556 | K
M_sun solar_mass | 1.98841e30 | kg
"""

SHORT_PREFIXES = {
    "q": -30, "r": -27, "y": -24, "z": -21, "a": -18, "f": -15, "p": -12, "n": -9, "u": -6, "µ": -6, "μ": -6, "m": -3,
    "c": -2, "d": -1, "da": 1, "h": 2, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24, "R": 27,
    "Q": 30,
}  # fmt: skip
LONG_PREFIXES = {
    "quecto": -30, "ronto": -27, "yocto": -24, "zepto": -21, "atto": -18, "femto": -15, "pico": -12, "nano": -9,
    "micro": -6, "milli": -3, "centi": -2, "deci": -1, "deca": 1, "hecto": 2, "kilo": 3, "mega": 6, "giga": 9,
    "tera": 12, "peta": 15, "exa": 18, "zetta": 21, "yotta": 24, "ronna": 27, "quetta": 30,
}  # fmt: skip

# Units whose numbers cannot be multiplied as others are, and what to do instead.
_KELVIN = "its zero is not the zero of temperature; convert the column to kelvin"
_DIFFERENCE = "or state delta_degC if it holds differences of temperature"
_LOGARITHM = "it is the logarithm of a ratio; convert the column"
REFUSED = {
    **dict.fromkeys(("degC", "°C", "℃", "celsius", "degreeC", "deg_C"), f"{_KELVIN} (add 273.15), {_DIFFERENCE}"),
    **dict.fromkeys(
        ("degF", "°F", "℉", "fahrenheit", "degreeF", "deg_F"),
        f"{_KELVIN} (subtract 32, times 5/9, plus 273.15), {_DIFFERENCE.replace('degC', 'degF')}",
    ),
    **dict.fromkeys(
        ("dB", "decibel", "dBm", "dBA", "Np", "neper"),
        f"{_LOGARITHM} to the ratio, 10^(dB/10) for powers, or state dimensionless to use its numbers as they are",
    ),
    "pH": f"{_LOGARITHM} to a concentration, 10^(-pH) mol/L, or state dimensionless to use its numbers as they are",
    "mag": f"{_LOGARITHM} to a flux, 10^(-0.4*mag), or state dimensionless to use its numbers as they are",
}
