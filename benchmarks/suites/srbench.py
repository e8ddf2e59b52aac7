"""SRBench's ground-truth problems: the Feynman laws in their original ranges, physical constants as columns.

SRBench runs 116 of the 120: it leaves out I.26.2, I.30.5 and test_10, and its data collection lacks II.11.17. It has
100,000 rows of each, splits them 75/25 and trains on at most 10,000; here as many are drawn afresh for every seed.
"""

from __future__ import annotations

from benchmarks.suites.problem import Problem, Suite
from benchmarks.suites.sampling import TrainAndTest, uniform
from benchmarks.suites.srbench_units import feynman_units

UNITS_BY_LAW = feynman_units()
NUM_TRAIN, NUM_TEST = 10_000, 2_500

# Number of the law | formula | low:high of each column, which is uniform between them.
LAWS = """
I.6.2a | exp(-x0^2/2)/sqrt(2*pi) | 1:3
I.6.2 | exp(-(x1/x0)^2/2)/(sqrt(2*pi)*x0) | 1:3 1:3
I.6.2b | exp(-((x1-x2)/x0)^2/2)/(sqrt(2*pi)*x0) | 1:3 1:3 1:3
I.8.14 | sqrt((x1-x0)^2+(x3-x2)^2) | 1:5 1:5 1:5 1:5
I.9.18 | x2*x0*x1/((x4-x3)^2+(x6-x5)^2+(x8-x7)^2) | 1:2 1:2 1:2 3:4 1:2 3:4 1:2 3:4 1:2
I.10.7 | x0/sqrt(1-x1^2/x2^2) | 1:5 1:2 3:10
I.11.19 | x0*x3+x1*x4+x2*x5 | 1:5 1:5 1:5 1:5 1:5 1:5
I.12.1 | x0*x1 | 1:5 1:5
I.12.2 | x0*x1*x3/(4*pi*x2*x3^3) | 1:5 1:5 1:5 1:5
I.12.4 | x0*x2/(4*pi*x1*x2^3) | 1:5 1:5 1:5
I.12.5 | x0*x1 | 1:5 1:5
I.12.11 | x0*(x1+x2*x3*sin(x4)) | 1:5 1:5 1:5 1:5 1:5
I.13.4 | 1/2*x0*(x1^2+x2^2+x3^2) | 1:5 1:5 1:5 1:5
I.13.12 | x4*x0*x1*(1/x3-1/x2) | 1:5 1:5 1:5 1:5 1:5
I.14.3 | x0*x1*x2 | 1:5 1:5 1:5
I.14.4 | 1/2*x0*x1^2 | 1:5 1:5
I.15.3x | (x0-x1*x3)/sqrt(1-x1^2/x2^2) | 5:10 1:2 3:20 1:2
I.15.3t | (x3-x2*x0/x1^2)/sqrt(1-x2^2/x1^2) | 1:5 3:10 1:2 1:5
I.15.1 | x0*x1/sqrt(1-x1^2/x2^2) | 1:5 1:2 3:10
I.16.6 | (x2+x1)/(1+x2*x1/x0^2) | 1:5 1:5 1:5
I.18.4 | (x0*x2+x1*x3)/(x0+x1) | 1:5 1:5 1:5 1:5
I.18.12 | x0*x1*sin(x2) | 1:5 1:5 0:5
I.18.14 | x0*x1*x2*sin(x3) | 1:5 1:5 1:5 1:5
I.24.6 | 1/2*x0*(x1^2+x2^2)*1/2*x3^2 | 1:3 1:3 1:3 1:3
I.25.13 | x0/x1 | 1:5 1:5
I.27.6 | 1/(1/x0+x2/x1) | 1:5 1:5 1:5
I.29.4 | x0/x1 | 1:10 1:10
I.29.16 | sqrt(x0^2+x1^2-2*x0*x1*cos(x2-x3)) | 1:5 1:5 1:5 1:5
I.30.3 | x0*sin(x2*x1/2)^2/sin(x1/2)^2 | 1:5 1:5 1:5
I.32.5 | x0^2*x1^2/(6*pi*x2*x3^3) | 1:5 1:5 1:5 1:5
I.32.17 | (1/2*x0*x1*x2^2)*(8*pi*x3^2/3)*(x4^4/(x4^2-x5^2)^2) | 1:2 1:2 1:2 1:2 1:2 3:5
I.34.8 | x0*x1*x2/x3 | 1:5 1:5 1:5 1:5
I.34.1 | x2/(1-x1/x0) | 3:10 1:2 1:5
I.34.14 | (1+x1/x0)/sqrt(1-x1^2/x0^2)*x2 | 3:10 1:2 1:5
I.34.27 | (x1/(2*pi))*x0 | 1:5 1:5
I.37.4 | x0+x1+2*sqrt(x0*x1)*cos(x2) | 1:5 1:5 1:5
I.38.12 | 4*pi*x3*(x2/(2*pi))^2/(x0*x1^2) | 1:5 1:5 1:5 1:5
I.39.1 | 3/2*x0*x1 | 1:5 1:5
I.39.11 | 1/(x0-1)*x1*x2 | 2:5 1:5 1:5
I.39.22 | x0*x3*x1/x2 | 1:5 1:5 1:5 1:5
I.40.1 | x0*exp(-x1*x4*x2/(x5*x3)) | 1:5 1:5 1:5 1:5 1:5 1:5
I.41.16 | x2/(2*pi)*x0^3/(pi^2*x4^2*(exp((x2/(2*pi))*x0/(x3*x1))-1)) | 1:5 1:5 1:5 1:5 1:5
I.43.16 | x0*x1*x2/x3 | 1:5 1:5 1:5 1:5
I.43.31 | x0*x2*x1 | 1:5 1:5 1:5
I.43.43 | 1/(x0-1)*x1*x3/x2 | 2:5 1:5 1:5 1:5
I.44.4 | x0*x1*x2*log(x4/x3) | 1:5 1:5 1:5 1:5 1:5
I.47.23 | sqrt(x0*x1/x2) | 1:5 1:5 1:5
I.48.2 | x0*x2^2/sqrt(1-x1^2/x2^2) | 1:5 1:2 3:10
I.50.26 | x0*(cos(x1*x2)+x3*cos(x1*x2)^2) | 1:3 1:3 1:3 1:3
II.2.42 | x0*(x2-x1)*x3/x4 | 1:5 1:5 1:5 1:5 1:5
II.3.24 | x0/(4*pi*x1^2) | 1:5 1:5
II.4.23 | x0/(4*pi*x1*x2) | 1:5 1:5 1:5
II.6.11 | 1/(4*pi*x0)*x1*cos(x2)/x3^2 | 1:3 1:3 1:3 1:3
II.6.15a | x1/(4*pi*x0)*3*x5/x2^5*sqrt(x3^2+x4^2) | 1:3 1:3 1:3 1:3 1:3 1:3
II.6.15b | x1/(4*pi*x0)*3*cos(x2)*sin(x2)/x3^3 | 1:3 1:3 1:3 1:3
II.8.7 | 3/5*x0^2/(4*pi*x1*x2) | 1:5 1:5 1:5
II.8.31 | x0*x1^2/2 | 1:5 1:5
II.10.9 | x0/x1*1/(1+x2) | 1:5 1:5 1:5
II.11.3 | x0*x1/(x2*(x3^2-x4^2)) | 1:3 1:3 1:3 3:5 1:2
II.11.20 | x0*x1^2*x2/(3*x3*x4) | 1:5 1:5 1:5 1:5 1:5
II.11.27 | x0*x1/(1-(x0*x1/3))*x2*x3 | 0:1 0:1 1:2 1:2
II.11.28 | 1+x0*x1/(1-(x0*x1/3)) | 0:1 0:1
II.13.17 | 1/(4*pi*x0*x1^2)*2*x2/x3 | 1:5 1:5 1:5 1:5
II.13.23 | x0/sqrt(1-x1^2/x2^2) | 1:5 1:2 3:10
II.13.34 | x0*x1/sqrt(1-x1^2/x2^2) | 1:5 1:2 3:10
II.15.4 | -x0*x1*cos(x2) | 1:5 1:5 1:5
II.15.5 | -x0*x1*cos(x2) | 1:5 1:5 1:5
II.21.32 | x0/(4*pi*x1*x2*(1-x3/x4)) | 1:5 1:5 1:5 1:2 3:10
II.24.17 | sqrt(x0^2/x1^2-pi^2/x2^2) | 4:6 1:2 2:4
II.27.16 | x0*x1*x2^2 | 1:5 1:5 1:5
II.27.18 | x0*x1^2 | 1:5 1:5
II.34.2a | x0*x1/(2*pi*x2) | 1:5 1:5 1:5
II.34.2 | x0*x1*x2/2 | 1:5 1:5 1:5
II.34.11 | x0*x1*x2/(2*x3) | 1:5 1:5 1:5 1:5
II.34.29a | x0*x1/(4*pi*x2) | 1:5 1:5 1:5
II.34.29b | x0*x3*x4*x2/(x1/(2*pi)) | 1:5 1:5 1:5 1:5 1:5
II.35.18 | x0/(exp(x3*x4/(x1*x2))+exp(-x3*x4/(x1*x2))) | 1:3 1:3 1:3 1:3 1:3
II.35.21 | x0*x1*tanh(x1*x2/(x3*x4)) | 1:5 1:5 1:5 1:5 1:5
II.36.38 | x0*x1/(x2*x3)+(x0*x4)/(x5*x6^2*x2*x3)*x7 | 1:3 1:3 1:3 1:3 1:3 1:3 1:3 1:3
II.37.1 | x0*(1+x2)*x1 | 1:5 1:5 1:5
II.38.3 | x0*x1*x3/x2 | 1:5 1:5 1:5 1:5
II.38.14 | x0/(2*(1+x1)) | 1:5 1:5
III.4.32 | 1/(exp((x0/(2*pi))*x1/(x2*x3))-1) | 1:5 1:5 1:5 1:5
III.4.33 | (x0/(2*pi))*x1/(exp((x0/(2*pi))*x1/(x2*x3))-1) | 1:5 1:5 1:5 1:5
III.7.38 | 2*x0*x1/(x2/(2*pi)) | 1:5 1:5 1:5
III.8.54 | sin(x0*x1/(x2/(2*pi)))^2 | 1:2 1:2 1:4
III.9.52 | (x0*x1*x2/(x3/(2*pi)))*sin((x4-x5)*x2/2)^2/((x4-x5)*x2/2)^2 | 1:3 1:3 1:3 1:3 1:5 1:5
III.10.19 | x0*sqrt(x1^2+x2^2+x3^2) | 1:5 1:5 1:5 1:5
III.12.43 | x0*(x1/(2*pi)) | 1:5 1:5
III.13.18 | 2*x0*x1^2*x2/(x3/(2*pi)) | 1:5 1:5 1:5 1:5
III.14.14 | x0*(exp(x1*x2/(x3*x4))-1) | 1:5 1:2 1:2 1:2 1:2
III.15.12 | 2*x0*(1-cos(x1*x2)) | 1:5 1:5 1:5
III.15.14 | (x0/(2*pi))^2/(2*x1*x2^2) | 1:5 1:5 1:5
III.15.27 | 2*pi*x0/(x1*x2) | 1:5 1:5 1:5
III.17.37 | x0*(1+x1*cos(x2)) | 1:5 1:5 1:5
III.19.51 | -x0*x1^4/(2*(4*pi*x4)^2*(x2/(2*pi))^2)*(1/x3^2) | 1:5 1:5 1:5 1:5 1:5
III.21.20 | -x0*x1*x2/x3 | 1:5 1:5 1:5 1:5
test_1 | (x0*x1*x2*x3*x4/(4*x5*sin(x6/2)^2))^2 | 1:2 1:2 1:2 1:2 1:2 1:3 1:3
test_2 | x0*x1/x2^2*(1+sqrt(1+2*x3*x2^2/(x0*x1^2))*cos(x4-x5)) | 1:3 1:3 1:3 1:3 0:6 0:6
test_3 | x0*(1-x1^2)/(1+x1*cos(x2-x3)) | 1:3 2:4 4:5 4:5
test_4 | sqrt(2/x0*(x1-x2-x3^2/(2*x0*x4^2))) | 1:3 8:12 1:3 1:3 1:3
test_5 | 2*pi*x0^(3/2)/sqrt(x1*(x2+x3)) | 1:3 1:3 1:3 1:3
test_6 | sqrt(1+2*x0^2*x6*x1^2/(x2*(x3*x4*x5^2)^2)) | 1:3 1:3 1:3 1:3 1:3 1:3 1:3
test_7 | sqrt(8*pi*x0*x1/3-x2*x3^2/x4^2) | 1:3 1:3 1:2 1:2 1:3
test_8 | x0/(1+x0/(x1*x2^2)*(1-cos(x3))) | 1:3 1:3 1:3 1:3
test_9 | -32/5*x0^4/x1^5*(x2*x3)^2*(x2+x3)/x4^5 | 1:2 1:2 1:5 1:5 1:2
test_11 | x0*(sin(x1/2)*sin(x3*x2/2)/(x1/2*sin(x2/2)))^2 | 1:3 1:3 1:3 1:2
test_12 | x0/(4*pi*x4*x1^2)*(4*pi*x4*x2*x3-x0*x3*x1^3/(x1^2-x3^2)^2) | 1:5 1:3 1:5 4:6 1:5
test_13 | 1/(4*pi*x4)*x0/sqrt(x1^2+x2^2-2*x1*x2*cos(x3)) | 1:5 1:3 4:6 0:6 1:5
test_14 | x0*cos(x1)*(-x2+x3^3/x2^2*(x4-1)/(x4+2)) | 1:5 0:6 1:5 1:5 1:5
test_15 | sqrt(1-x1^2/x0^2)*x2/(1+x1/x0*cos(x3)) | 5:20 1:3 1:5 0:6
test_16 | sqrt((x2-x3*x4)^2*x1^2+x0^2*x1^4)+x3*x5 | 1:5 1:5 1:5 1:5 1:5 1:5
test_17 | 1/(2*x0)*(x2^2+x0^2*x1^2*x4^2*(1+x5*x4/x3)) | 1:5 1:5 1:5 1:5 1:5 1:5
test_18 | 3/(8*pi*x0)*(x4^2*x1/x2^2+x3^2) | 1:5 1:5 1:5 1:5 1:5
test_19 | -1/(8*pi*x0)*(x5^4*x1/x2^2+x3^2*x5^2*(1-2*x4)) | 1:5 1:5 1:5 1:5 1:5 1:5
test_20 | 1/(4*pi)*x2^2*x3^2/(x4^2*x5^2)*(x1/x0)^2*(x1/x0+x0/x1-sin(x6)^2) | 1:5 1:5 1:5 1:5 1:5 1:5 0:6
"""


def _problem(line: str) -> Problem:
    number, formula, ranges = map(str.strip, line.split("|"))
    axes = [(float(low), float(high)) for low, high in (pair.split(":") for pair in ranges.split())]
    source = TrainAndTest(uniform(NUM_TRAIN, *axes), uniform(NUM_TEST, *axes))
    identifier = f"feynman_{number.replace('.', '_')}"
    return Problem("srbench-feynman", identifier, formula, len(axes), source, units=UNITS_BY_LAW.get(number, ()))


def srbench_suite() -> Suite:
    """The 116 Feynman problems; the other ground-truth problems of SRBench are the suite `strogatz`."""
    return Suite("srbench-feynman", tuple(map(_problem, LAWS.strip().splitlines())))
