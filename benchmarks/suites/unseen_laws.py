"""Laws for calibration, written without a look at `measured_laws`: a list of named laws with ranges of their numbers.

No setting is tuned on them and no prior trained, so that what they say about stated probabilities is not a memory.
"""

from __future__ import annotations

import re

import numpy as np

from benchmarks.simple_numbers import is_simple
from benchmarks.suites.fisher import is_determined
from benchmarks.suites.measured_laws import NUM_TRIAL_ROWS, MeasuredLaw
from benchmarks.suites.problem import column_names
from benchmarks.suites.sampling import Axis
from mosaic_sr import parse

# What it is | formula | low:high of the columns x0, x1, ... | low:high of the numbers a, b, ...
LAWS = """
two-step decay | a*(exp(-b*x0) - exp(-c*x0)) | 0.1:12 | 5:30 0.12:0.35 0.9:2.5
decay to ambient | x1 + (a - x1)*exp(-b*x0) | 0.5:40 5:30 | 60:95 0.04:0.15
Arrhenius | a*exp(-b/x0) | 285:420 | 2e6:9e8 3500:6500
Eyring | a*x0*exp(-b/x0) | 290:400 | 1e5:6e6 3000:6000
emission | a*x0^2*exp(-b/x0) | 1200:2500 | 3:90 7000:15000
Gompertz growth | a*exp(-b*exp(-c*x0)) | 0:15 | 3:20 2:8 0.2:0.6
logistic growth | a/(1 + b*exp(-c*x0)) | 0:20 | 2:40 5:40 0.3:0.8
Bertalanffy weight | a*(1 - b*exp(-c*x0))^3 | 0:14 | 4:60 0.6:0.95 0.15:0.5
Shepherd recruitment | a*x0/(1 + (x0/b)^c) | 1:60 | 2:9 12:30 1.6:3.3
interference | a*x0/(1 + b*x0 + c*x1) | 1:50 1:30 | 0.5:3 0.03:0.2 0.05:0.3
Contois | a*x0/(b*x1 + x0) | 0.2:20 0.5:6 | 0.4:2 0.4:3
electrode | a*(exp(b*x0) - exp(-c*x0)) | -0.15:0.15 | 0.4:3 14:25 7:12
cell voltage | a + b*log(x0/x1) | 0.01:1 0.01:1 | 0.3:1.3 0.02:0.1
activity | -a*sqrt(x0)/(1 + b*sqrt(x0)) | 0.002:0.9 | 0.5:1.3 0.8:3
dispersion | a + b/x0^2 | 0.3:1.1 | 1.4:1.8 0.06:0.3
two sites | a*b*x0/(1 + b*x0) + c*x0 | 0.1:20 | 2:8 0.5:2 0.07:0.4
Sips | a*(b*x0)^c/(1 + (b*x0)^c) | 0.05:15 | 1.5:7 0.3:1.5 0.6:0.9
Toth | a*x0/(b + x0^c)^(1/c) | 0.05:15 | 1.5:7 0.4:2 0.5:0.85
multilayer | a*x0/((1 - x0)*(1 + b*x0)) | 0.03:0.75 | 8:90 5:40
Lennard-Jones | a*((b/x0)^12 - (b/x0)^6) | 3.55:6 | 0.5:4 3.3:3.6
Morse | a*(1 - exp(-b*(x0 - c)))^2 | 0.8:3.5 | 3:6 1.1:2 1.05:1.5
Planck | a*x0^3/(exp(b*x0) - 1) | 0.2:6 | 0.3:8 0.9:2.2
net radiation | a*(x0^4 - x1^4) | 300:420 280:330 | 4e-8:7e-8
resonance | a/sqrt((b - x0^2)^2 + (c*x0)^2) | 0.3:4 | 1:9 2:7 0.3:0.9
polariser | a*cos(x0 - b)^2 + c | 0:6.2 | 1:9 0.3:1.2 0.3:2
slit | a*(sin(b*x0)/x0)^2 | 0.05:2.5 | 0.4:4 2:4
beats | a*sin(b*x0)*sin(c*x0) | 0.1:10 | 1:8 2:4 0.3:0.8
chirp | a*sin(b*x0 + c*x0^2) | 0.1:6 | 1:8 0.7:1.5 0.2:0.5
rocket | a*log(x0/x1) - b*x2 | 20:90 5:15 10:120 | 2200:4400 8.1:11.3
fall with drag | a*log(cosh(x0/b)) | 0.3:9 | 8:40 1.2:4
hanging chain | a*(cosh((x0 - b)/c) - 1) | 0.2:9 | 1:7 3:6 2.1:4
open channel | a*x0^(2/3)*sqrt(x1) | 0.2:4 0.001:0.03 | 25:80
pipe loss | x1*(a*x0 + b*x0^2) | 0.1:3 2:40 | 0.4:3 0.3:2
Sutherland | a*x0^(3/2)/(x0 + b) | 150:1300 | 1.2e-6:1.7e-6 100:260
real gas | a*x0/(x1 - b) - c/x1^2 | 280:450 0.25:1.4 | 0.07:0.09 0.06:0.12 3:7
thermistor | 1/(a + b*log(x0)) | 300:60000 | 0.0009:0.0014 0.0002:0.0003
diode with leak | a*(exp(x0/b) - 1) + x0/c | 0.02:0.5 | 2e-6:4e-5 0.06:0.11 1500:9000
solar cell | a - b*(exp(x0/c) - 1) | 0.01:0.6 | 2.6:5.2 0.02:0.1 0.12:0.2
transistor | a*(x0 - b)^2*(1 + c*x1) | 2.2:6 0.5:9 | 0.2:2 0.7:1.9 0.04:0.2
space charge | a*x0^(3/2)/x1^2 | 10:400 0.5:4 | 0.02:0.9
grain size | a + b/sqrt(x0) | 0.5:90 | 60:240 110:700
stress and strain | x0/a + (x0/b)^c | 20:420 | 150:700 260:420 3.3:5.8
creep | a*x0^b*exp(-c/x1) | 20:150 700:1000 | 0.002:9 2.6:4.8 9000:19000
production | a*x0^b*x1^c | 1:90 1:90 | 0.4:4 0.2:0.46 0.55:0.8
threshold sense | a*(x0 - b)^c | 3:60 | 0.3:4 0.6:2.2 0.4:0.9
reaction time | a + b*log(x0 + 1) | 1:16 | 0.15:0.4 0.09:0.3
practice | a + b*x0^(-c) | 1:300 | 0.4:2 3:9 0.3:0.8
discounting | x1/(1 + a*x0) | 1:60 20:300 | 0.03:0.3
photoinhibition | a*(1 - exp(-b*x0))*exp(-c*x0) | 10:1800 | 6:40 0.004:0.02 0.0002:0.0008
insect development | a*x0*(x0 - b)*sqrt(c - x0) | 11:33 | 4e-5:2e-4 4:9 35:39
rate per ten degrees | a*b^((x0 - 20)/10) | 2:38 | 0.6:9 1.6:3.4
soil water | a/(1 + (b*x0)^c)^(1 - 1/c) | 1:900 | 0.35:0.6 0.01:0.06 1.4:2.7
infiltration | a/sqrt(x0) + b | 0.05:9 | 1:9 0.6:3
aftershocks | a/(x0 + b)^c | 0.05:60 | 40:600 0.3:3 0.8:1.4
halo | a/(x0*(1 + x0/b)^2) | 0.1:12 | 1:20 1:5
galaxy light | a*exp(-b*x0^c) | 0.1:9 | 50:900 1.3:2.6 0.4:0.8
Fano | a*(b + (x0 - c)/d)^2/(1 + ((x0 - c)/d)^2) | 1:9 | 0.5:5 1.2:3 3.3:6.6 0.6:1.3
occupation | a/(exp((x0 - b)/x1) + 1) | 0.1:4 0.1:0.9 | 1:9 1.1:2.6
relaxation | a + b/(1 + (c*x0)^2) | 0.05:30 | 2:5 3:40 0.3:2.2
lens | a*x0/(x0 - a) | 14:90 | 4.4:9.6
shunts | 1/(1/x0 + 1/x1 + 1/a) | 20:400 20:400 | 40:220
kinetic energy | a*(1/sqrt(1 - (x0/b)^2) - 1) | 0.1:2.4 | 1:9 2.6:3.3
swing | a*sqrt(x0)*(1 + b*x1^2) | 0.1:3 0.1:2.3 | 1.7:2.2 0.1:0.3
belt | x0*exp(a*x1) | 10:200 0.3:9 | 0.12:0.35
tide | a + b*cos(c*x0 - d) | 0.2:30 | 2:5 0.7:3 0.4:0.6 0.4:2.6
season | a + b*sin(2*pi*x0/365 + c) | 1:365 | 9:14 2:6 0.4:2.6
wind chill | a*x0 - b*x1^c | 3:30 6:60 | 0.5:0.9 0.7:3 0.3:0.7
plume | a/x0*exp(-(x1/(b*x0))^2) | 0.3:4 0.05:1 | 1:9 0.3:0.8
"""
NUM_TRIES = 40
# Ends of the ranges move inwards by up to this share: outside of its range a law may have no value.
JITTER = 0.1


def draw_unseen_law(rng: np.random.Generator) -> MeasuredLaw:
    """One of the laws with numbers that its rows determine."""
    lines = LAWS.strip().splitlines()
    while True:
        _, formula, columns, numbers = (part.strip() for part in lines[int(rng.integers(len(lines)))].split("|"))
        for _ in range(NUM_TRIES):
            law = _try(formula, columns.split(), numbers.split(), rng)
            if law is not None:
                return law


def _try(formula: str, columns: list[str], numbers: list[str], rng: np.random.Generator) -> MeasuredLaw | None:
    axes = tuple(_axis(pair, rng) for pair in columns)
    values = dict(zip("abcd", (_number(pair, rng) for pair in numbers), strict=False))
    text = re.sub(r"\b[abcd]\b", lambda match: values[match[0]], formula)
    rows = np.stack([axis.draw(NUM_TRIAL_ROWS, rng) for axis in axes])
    return MeasuredLaw(text, axes) if is_determined(parse(text, column_names(len(axes))), rows, rng) else None


def _axis(pair: str, rng: np.random.Generator) -> Axis:
    low, high = map(float, pair.split(":"))
    moves = JITTER * (high - low) * rng.random(2)
    low, high = low + (moves[0] if low <= 0.0 else min(moves[0], 0.2 * low)), high - moves[1]
    kinds = ("uniform", "even", "log", "even-log") if low > 0.0 and high > 8.0 * low else ("uniform", "even")
    return Axis(str(rng.choice(kinds)), float(f"{low:.3g}"), float(f"{high:.3g}"))


def _number(pair: str, rng: np.random.Generator) -> str:
    low, high = map(float, pair.split(":"))
    while True:
        text = f"{low * (high / low) ** rng.random():.3g}"
        if not is_simple(float(text)):
            return text
