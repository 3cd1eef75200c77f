"""Waiting for conditions: tests never sleep blindly, and nothing is waited for without a deadline."""
import time


def until(condition, within=20, what=None):
    """Calls condition() until it returns something true, and returns that; fails after `within` seconds.

    An AssertionError raised by it counts as not yet; the last one is shown when time is up."""
    end = time.monotonic() + within
    pause = 0.01
    while True:
        try:
            last = condition()
            if last:
                return last
        except AssertionError as error:
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"not within {within} s: {what or condition.__doc__ or condition}; last: {last!r}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)
