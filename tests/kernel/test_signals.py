"""Signals that wait for the end of a step."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from mosaic_sr.kernel.signals import held_signals


class Alarm(Exception):
    """What a handler of the user's raises."""


@pytest.fixture
def alarm(monkeypatch):
    """A handler that raises, in place of the one there is."""

    def ring(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGUSR1, ring)
    yield ring
    signal.signal(signal.SIGUSR1, before)


def ring() -> None:
    os.kill(os.getpid(), signal.SIGUSR1)


def run_steps(*steps) -> list[object]:
    """Run steps while signals wait, and hear those that wait after each; returns the steps done."""
    done = []
    try:
        with held_signals() as run_handlers:
            for step in steps:
                step()
                done.append(step)
                run_handlers()
    except (Alarm, KeyboardInterrupt) as error:
        done.append(type(error))
    return done


def pause() -> None:
    """A step in which nothing happens."""


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_a_handler_runs_at_the_end_and_is_in_its_place_again(alarm):
    def whole() -> None:
        ring()
        done.append("the step")

    done: list[str] = []
    assert run_steps(whole) == [whole, Alarm]
    assert done == ["the step"]
    assert signal.getsignal(signal.SIGUSR1) is alarm


def test_a_handler_runs_between_two_steps(alarm):
    assert run_steps(pause, ring, pause) == [pause, ring, Alarm]
    assert signal.getsignal(signal.SIGUSR1) is alarm


def test_handlers_come_back_after_an_error(alarm):
    with pytest.raises(ZeroDivisionError), held_signals():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGUSR1) is alarm


def test_two_signals_raise_and_every_handler_comes_back(alarm):
    def both() -> None:
        ring()
        interrupt()

    before = signal.getsignal(signal.SIGINT)
    assert run_steps(both)[0] is both
    assert signal.getsignal(signal.SIGUSR1) is alarm
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_hold_nothing(alarm):
    done = []

    def work() -> None:
        with held_signals() as run_handlers:
            run_handlers()
            done.append(signal.getsignal(signal.SIGUSR1) is alarm)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
