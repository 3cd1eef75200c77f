"""How long tests wait before they give up: longer on a busy machine, so that load alone fails none.

Nothing that passes waits for such a deadline. So it may be generous: it only decides how soon a hang is reported."""
import os
import subprocess
import time

# Even a quiet machine has slow moments: servers start side by side, and sanitizers slow the program down.
SLACK = 2.0
# A hang must be reported at last, however busy the machine is.
STRAIN_MOST = 6.0


def strain():
    """How many times slower than on a free core work goes now, as the kernel's average of the last minute has it."""
    return min(STRAIN_MOST, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def stretched(seconds):
    """So many seconds of a quiet machine, as this one needs them now."""
    return seconds * SLACK * strain()


class Deadline:
    """A time limit in seconds of a quiet machine. The highest strain seen at a check counts for all of it."""

    def __init__(self, within_s):
        self.within_s, self.began, self.worst = within_s, time.monotonic(), strain()

    def left(self):
        """Seconds until it is over, as far as is known now."""
        self.worst = max(self.worst, strain())
        return self.began + self.within_s * SLACK * self.worst - time.monotonic()

    def over(self):
        return self.left() <= 0


def _patiently(process, within_s, step):
    deadline = Deadline(within_s)
    while True:
        try:
            return step(max(0.01, min(5, deadline.left())))
        except subprocess.TimeoutExpired:
            if deadline.over():
                process.kill()
                raise


def wait(process, within_s):
    """The exit status of a process that ends in time; one that does not is killed."""
    return _patiently(process, within_s, lambda step_s: process.wait(step_s))


def communicate(process, within_s):
    """What a process that ends in time has written, standard output and error; one that does not is killed."""
    return _patiently(process, within_s, lambda step_s: process.communicate(timeout=step_s))
