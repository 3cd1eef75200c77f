"""Waiting for conditions: tests never sleep blindly, and nothing is waited for without a deadline."""
import time

from patience import Deadline


def until(condition, within=20, what=None):
    """Calls condition() until it returns something true, and returns that; fails after `within` seconds (of a quiet
    machine: see patience.py).

    An AssertionError raised by it counts as not yet; the last one is shown when time is up."""
    deadline = Deadline(within)
    pause = 0.01
    while True:
        try:
            last = condition()
            if last:
                return last
        except AssertionError as error:
            last = error
        if deadline.over():
            raise AssertionError(f"not within {within} s of a quiet machine: {what or condition.__doc__ or condition}; last: {last!r}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)
