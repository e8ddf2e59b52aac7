"""A method that knows the law of the tests' problem and misbehaves as its seed says."""

import os
import signal
import time
from pathlib import Path

from benchmarks.methods import Outcome

BEHAVIOURS = (
    "exact",
    "crash",
    "segfault",
    "hang",
    "nonsense",
    "not finite",
    "no outcome",
    "wrong",
    "child left behind",
)
# So long that whoever waits for the end is killed or fails.
SECONDS_OF_HANGING = 600.0


def fit(train, validation, budget, seed, settings):
    """The law 2*x0 + x1 of the tests, or trouble."""
    assert not settings.preset, "this method has no presets"
    behaviour = BEHAVIOURS[seed]
    print("methods may print what they like")
    if behaviour == "crash":
        raise ValueError("the peer broke")
    if behaviour == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if behaviour == "hang":
        time.sleep(SECONDS_OF_HANGING)
    if behaviour == "no outcome":
        return "2*x0 + x1"
    if behaviour == "child left behind":
        _leave_a_child(settings)
    texts = {"nonsense": "import os", "not finite": "log(x0 - 100)", "wrong": "2*x0 + 1.1*x1"}
    trace = ({"seconds": 0.1, "evaluations": 10, "validation_nmse": float("nan")},)
    equation = texts.get(behaviour, "x1 + 2.00001*x0")
    path_trace = (
        {"path": 0, "steps": 100, "equation": "x0", "validation_nmse": 0.5, "operators": 0},
        {"path": 0, "steps": 300, "equation": "2*x0 + x1", "validation_nmse": 0.0, "operators": 2},
    )
    return Outcome(
        equation,
        evaluations=20,
        stage_seconds={"all": 0.2},
        found_by="memory",
        trace=trace,
        path_trace=path_trace if behaviour == "exact" else (),
        probability=0.75,
        rivals=({"equation": "2*x0", "probability": 0.2}, {"equation": "x1 + x0*2", "probability": 0.05}),
        front=("x0", "x0*2 + x1") if behaviour == "wrong" else (),
    )


def _leave_a_child(settings):
    """Start a process that outlives this one, write its id, and hang."""
    child = os.fork()
    if child:
        Path(settings.data).write_text(str(child))
    time.sleep(SECONDS_OF_HANGING)
