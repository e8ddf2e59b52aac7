"""The published tables as numbers: percentages of recovery, mean seconds where given; and the equations listed."""

from __future__ import annotations

from dataclasses import dataclass

# The published row that is the paper's own.
PAPER = "MOSAIC-SR"


@dataclass(frozen=True)
class Score:
    """Published rates of one method on one suite, in percent; `seconds` is the mean per problem."""

    sym: float
    acc: float
    seconds: float | None = None


@dataclass(frozen=True)
class PublishedRow:
    """One method of a published table.

    source: `cited` when the paper took the figures from the SRSD-Feynman study, `evaluated` when it measured them.
    scores: one per suite of the table.
    """

    method: str
    kind: str
    source: str
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class PaperTable:
    """A published table: its suites, with their numbers of problems, and a row per method."""

    title: str
    suites: dict[str, int]
    rows: tuple[PublishedRow, ...]


def _rows(text: str) -> tuple[PublishedRow, ...]:
    """Rows from lines of `method | kind | source | sym acc [seconds] | ...`, one group per suite."""
    return tuple(_row(*map(str.strip, line.split("|"))) for line in text.strip().splitlines())


def _row(method: str, kind: str, source: str, *groups: str) -> PublishedRow:
    return PublishedRow(method, kind, source, tuple(Score(*map(float, group.split())) for group in groups))


SRSD = PaperTable(
    "SRSD-Feynman",
    {"srsd-easy": 30, "srsd-medium": 40, "srsd-hard": 50},
    _rows("""
    uDSR       | RL     | cited     |  50.0 100.0 |  17.5  75.0 |   4.0  20.0
    PySR       | GP     | cited     |  60.0  66.7 |  30.0  45.0 |   4.0  38.0
    DSR        | RL     | cited     |  46.7  63.3 |  10.0  45.0 |   2.0  28.0
    AI Feynman | Rules  | cited     |  30.0  33.3 |   2.5   5.0 |   2.0   6.0
    E2E        | Neural | cited     |   0.0  26.7 |   0.0  17.5 |   0.0  14.0
    AFP-FE     | GP     | cited     |  23.3  26.7 |   2.5   2.5 |   0.0   4.0
    AFP        | GP     | cited     |  20.0  20.0 |   2.5   2.5 |   0.0   4.0
    gplearn    | GP     | cited     |   6.7   6.7 |   0.0   7.5 |   0.0   2.0
    SBP-GP     | GP     | evaluated |   8.0  87.3 |   4.0  82.0 |   0.0  56.0
    SR4MDL     | Hybrid | evaluated |  63.3  86.7 |  43.0  66.0 |  21.2  48.4
    TPSR       | Hybrid | evaluated |  47.3  86.0 |  44.0  81.0 |  20.0  52.0
    NGGP       | Hybrid | evaluated |  36.7  65.3 |   9.0  52.0 |   0.4  34.8
    RSRM       | Hybrid | evaluated |   0.0  64.0 |   0.0  47.0 |   0.0  22.8
    GP-GOMEA   | GP     | evaluated |  24.7  63.3 |  19.5  65.0 |  10.0  44.0
    EPLEX      | GP     | evaluated |   6.7  62.0 |  10.0  55.0 |   4.4  28.0
    DGSR       | Neural | evaluated |  36.7  58.7 |  11.5  49.0 |   0.0  22.4
    TaylorGP   | GP     | evaluated |  23.3  35.3 |  18.5  24.0 |   6.4  10.4
    DySymNet   | Neural | evaluated |   7.3  29.3 |   0.0  17.5 |   0.0   4.8
    FFX        | Linear | evaluated |  14.0  26.7 |  17.5  31.0 |  11.6  16.0
    Operon     | GP     | evaluated |   2.0  23.3 |   7.0  32.0 |   6.0  14.0
    NeSymReS   | Neural | evaluated |  16.7  21.3 |   2.5  14.0 |   3.6   4.8
    BSR        | Bayes  | evaluated |   0.0   0.7 |   0.0   0.0 |   0.0   0.0
    MOSAIC-SR  | Hybrid | evaluated |  84.7  96.7 |  55.0  90.0 |  34.8  53.2
    """),
)

SRSD_DUMMY = PaperTable(
    "SRSD-Feynman with dummy columns",
    {"srsd-easy-dummy": 30, "srsd-medium-dummy": 40, "srsd-hard-dummy": 50},
    _rows("""
    uDSR       | RL     | cited     |  10.0  53.3 |   7.5  37.5 |   0.0  12.0
    PySR       | GP     | cited     |  20.0  20.0 |   5.0  10.0 |   0.0   2.0
    DSR        | RL     | cited     |  10.0  76.7 |   0.0  45.0 |   2.0  22.0
    AI Feynman | Rules  | cited     |   0.0   6.7 |   0.0   0.0 |   0.0   0.0
    E2E        | Neural | cited     |   0.0  16.7 |   0.0  12.5 |   0.0  10.0
    AFP-FE     | GP     | cited     |  16.7  16.7 |   0.0   0.0 |   0.0   4.0
    AFP        | GP     | cited     |  16.7  20.0 |   0.0   5.0 |   0.0   4.0
    gplearn    | GP     | cited     |   0.0   0.0 |   0.0   0.0 |   0.0   0.0
    SBP-GP     | GP     | evaluated |   0.0  86.7 |   0.0  82.5 |   0.0  53.2
    SR4MDL     | Hybrid | evaluated |  40.0  80.0 |  14.0  28.5 |   4.8  24.8
    TPSR       | Hybrid | evaluated |  32.0  84.0 |  36.0  82.0 |  17.2  48.0
    NGGP       | Hybrid | evaluated |   8.7  60.0 |   6.0  50.5 |   0.0  33.2
    RSRM       | Hybrid | evaluated |   0.0  60.7 |   0.0  45.0 |   0.0  22.0
    GP-GOMEA   | GP     | evaluated |   4.7  60.0 |   9.5  62.5 |   8.8  42.0
    EPLEX      | GP     | evaluated |   2.7  61.3 |   7.0  54.5 |   2.8  24.4
    DGSR       | Neural | evaluated |   3.3  30.7 |   1.5  31.5 |   0.0  14.0
    TaylorGP   | GP     | evaluated |   6.7  26.0 |  10.5  33.0 |   6.8  14.0
    DySymNet   | Neural | evaluated |   4.7   5.3 |   0.0   4.5 |   0.0   2.0
    FFX        | Linear | evaluated |  11.3  26.7 |  12.5  31.5 |   8.8  16.0
    Operon     | GP     | evaluated |   2.7  23.3 |   6.0  32.0 |   6.4  14.0
    NeSymReS   | Neural | evaluated |   4.0   8.0 |   0.0   6.0 |   0.8   2.0
    BSR        | Bayes  | evaluated |   0.0   0.0 |   0.0   0.0 |   0.0   0.0
    MOSAIC-SR  | Hybrid | evaluated |  74.0  94.0 |  54.5  82.5 |  31.2  52.4
    """),
)

# The paper prints the six classic sets as one table; two of three suites each stay readable.
CLASSIC = PaperTable(
    "Nguyen, Korns, Keijzer",
    {"nguyen": 12, "korns": 15, "keijzer": 15},
    _rows("""
    PySR      | GP     | evaluated |  8.3 91.7   99.6 | 20.0 60.0  619.6 | 26.7 73.3  100.8
    Operon    | GP     | evaluated |  0.0  0.0    4.6 |  6.7 53.3   20.4 |  0.0 20.0    6.5
    GP-GOMEA  | GP     | evaluated |  8.3 16.7   29.2 |  0.0 26.7   88.9 |  6.7 13.3   33.3
    E2E-SR    | Neural | evaluated |  0.0  0.0    9.0 |  0.0  6.7   21.9 |  0.0  0.0   13.4
    SNIP-SR   | Neural | evaluated |  0.0  0.0   26.3 |  6.7  6.7  171.9 |  0.0  0.0   25.1
    GenSR     | Neural | evaluated |  0.0  0.0   16.0 |  0.0 40.0  234.4 |  0.0  6.7   53.7
    TPSR      | Hybrid | evaluated |  0.0 33.3   60.3 |  0.0 20.0   78.3 |  0.0 33.3   85.5
    SR4MDL    | Hybrid | evaluated | 41.7 41.7  873.5 | 20.0 26.7 1966.4 | 20.0 26.7 1198.3
    MOSAIC-SR | Hybrid | evaluated | 75.0 91.7   75.6 | 40.0 53.3  288.1 | 53.3 66.7   71.3
    """),
)

CLASSIC_MORE = PaperTable(
    "Vladislavleva, Strogatz, Livermore",
    {"vladislavleva": 8, "strogatz": 14, "livermore": 22},
    _rows("""
    PySR      | GP     | evaluated | 12.5 25.0  126.9 | 42.9 71.4  150.6 | 31.8 72.7  146.2
    Operon    | GP     | evaluated |  0.0 12.5   11.7 |  7.1 21.4    9.7 |  0.0  0.0    6.5
    GP-GOMEA  | GP     | evaluated | 12.5 12.5   53.2 | 14.3 64.3   45.9 | 18.2 18.2   31.4
    E2E-SR    | Neural | evaluated |  0.0  0.0   18.2 |  0.0  0.0   13.6 |  0.0  0.0   12.4
    SNIP-SR   | Neural | evaluated |  0.0  0.0  101.9 |  0.0  7.1   25.4 |  0.0  0.0   24.6
    GenSR     | Neural | evaluated |  0.0 12.5  357.3 |  0.0 21.4   82.6 |  0.0  4.5   23.8
    TPSR      | Hybrid | evaluated |  0.0 25.0  170.9 |  0.0 28.6  124.4 |  0.0 18.2   46.9
    SR4MDL    | Hybrid | evaluated | 12.5 12.5 2218.6 | 50.0 64.3  874.9 | 22.7 27.3 1181.8
    MOSAIC-SR | Hybrid | evaluated | 25.0 37.5   91.3 | 64.3 71.4   99.1 | 45.5 90.9   83.8
    """),
)

# Means over the paper's three seeds: decoder 36.7 30.0 30.0, with MCTS 43.3 30.0 40.0, full 83.3 83.3 90.0.
STAGE_ABLATION = PaperTable(
    "Stage ablation on SRSD-Feynman easy",
    {"srsd-easy": 30},
    _rows("""
    decoder only         | Hybrid | evaluated | 32.2 51.1
    decoder + MCTS       | Hybrid | evaluated | 37.8 64.5
    full (24 x 300)      | Hybrid | evaluated | 85.5 97.8
    """),
)

# Breadth x depth on SRSD-Feynman easy, means over three seeds: a row per number of paths, a group per number of steps.
BUDGET_ABLATION = _rows("""
    1  | paths | evaluated | 47.8 70.0 | 53.3 76.7 | 56.7 80.0
    6  | paths | evaluated | 57.8 77.8 | 70.0 87.8 | 75.6 90.0
    12 | paths | evaluated | 66.7 83.3 | 76.7 93.3 | 82.2 94.4
    24 | paths | evaluated | 70.0 84.4 | 85.6 97.8 | 85.6 97.8
    48 | paths | evaluated | 73.3 87.8 | 85.6 98.9 | 87.8 98.9
""")

MAIN_TABLES = (SRSD, SRSD_DUMMY, CLASSIC, CLASSIC_MORE)

# The equations whose predictions the paper lists, by suite.
LISTED = {
    "srsd-easy": ("feynman-i.18.16", "feynman-i.47.23", "feynman-iii.15.27", "feynman-ii.2.42"),
    "srsd-medium": ("feynman-i.8.14", "feynman-bonus.18", "feynman-i.13.4", "feynman-i.43.43"),
    "srsd-hard": ("feynman-i.6.20", "feynman-bonus.5", "feynman-bonus.17", "feynman-iii.21.20"),
    "nguyen": ("Nguyen-4", "Nguyen-11"),
    "strogatz": ("strogatz_shearflow2",),
    "livermore": ("Livermore-1", "Livermore-11", "Livermore-21"),
}
