"""Published rates of symbolic solutions on SRBench's ground-truth problems, in percent, by the noise on the target."""

from __future__ import annotations

from dataclasses import dataclass

NOISES = (0.0, 0.001, 0.01, 0.1)


@dataclass(frozen=True)
class NoiseRow:
    """One method's rates at NOISES; source: `files` for published numbers, `figure` for one read to about a point."""

    method: str
    rates: tuple[float, ...]
    source: str


def _rows(text: str) -> tuple[NoiseRow, ...]:
    """Rows from lines of `method | four rates | source`."""
    rows = []
    for line in text.strip().splitlines():
        method, rates, source = map(str.strip, line.split("|"))
        rows.append(NoiseRow(method, tuple(map(float, rates.split())), source))
    return tuple(rows)


# SRBench's own table of results contradicts its figures above noise 0; the figures count.
PUBLISHED = {
    "srbench-feynman": _rows("""
        PhySO, given units | 58.4 58.4 57.9 53.4 | files
        uDSR               | 68.8 37.0 27.4 10.7 | figure
        SR4MDL             | 43.4 42.8 38.7 31.3 | figure
        AI Feynman 2       | 55.8 33.0 13.0  0.7 | figure
        AFP-FE             | 27.0 22.0 21.0 13.5 | figure
        DSR                | 19.7 19.3 19.0 16.8 | figure
        gplearn            | 16.3 17.0 16.7 16.6 | figure
        Operon             | 16.6 13.2  2.1  0.1 | figure
        GP-GOMEA           | 26.8 11.0  5.0  1.6 | figure
        NeSymReS           | 19.0 11.0  2.5  0.0 | figure
    """),
    "strogatz": _rows("""
        SR4MDL             | 71.5 74.4 68.5 60.0 | figure
        AI Feynman 2       | 28.0 22.0  9.0  2.0 | figure
        DSR                | 20.0 19.0 19.0 15.0 | figure
        GP-GOMEA           | 29.5  7.0  1.5  0.0 | figure
        Operon             | 11.5  5.0  1.0  0.0 | figure
    """),
}
