"""Questions have deadlines, and answers come in the order of the questions."""

import subprocess
import sys
import threading
import time

import pytest

from lumos_snap.scan.sources.catalog import LateError, ask_each, ask_once


def test_an_answer_is_given() -> None:
    assert ask_once(lambda: 3, 5) == 3


@pytest.mark.parametrize("error", [KeyError("x"), TimeoutError("theirs")])
def test_what_asking_raises_is_the_answer(error: Exception) -> None:
    def ask() -> None:
        raise error

    assert ask_once(ask, 5) is error


def test_no_answer_is_told_of_in_time() -> None:
    begin = time.monotonic()
    outcome = ask_once(threading.Event().wait, 0.1)
    assert time.monotonic() - begin < 3
    assert isinstance(outcome, LateError)
    assert str(outcome) == "no answer within 0.1 seconds"


def test_who_never_answers_keeps_no_process_alive() -> None:
    program = (
        "import threading; from lumos_snap.scan.sources.catalog import ask_once;"
        "print(ask_once(threading.Event().wait, 0.1))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout == "no answer within 0.1 seconds\n"
    assert done.stderr == ""


def test_answers_come_in_order_with_what_was_raised_and_what_is_late() -> None:
    over = threading.Event()

    def ask(question: str) -> str:
        if question == "late":
            over.wait(30)
        if question == "slow":
            time.sleep(0.05)
        if question == "wrong":
            raise ValueError(question)
        return question

    asked = ["slow", "wrong", "late", "quick"]
    found = dict(ask_each(ask, asked, at_once=2, seconds=2))
    over.set()
    assert list(found) == asked
    assert found["slow"] == "slow"
    assert isinstance(found["wrong"], ValueError)
    assert isinstance(found["late"], LateError)
    assert found["quick"] == "quick"


def test_no_more_are_asked_at_once_than_allowed() -> None:
    lock, running, most = threading.Lock(), 0, 0

    def ask(_number: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1

    assert len(list(ask_each(ask, range(20), at_once=3, seconds=5))) == 20
    assert most == 3
