"""What watching costs a server: processor time of its process.

The lists are made by the threads of AdminServer, which nobody else asks here: theirs is the burden, as exact as the kernel's
clock. The rest of the process is shown with and without electop; there the pings of ten thousand sessions stand beside it,
whose cost varies by more than what is looked for.
"""
import contextlib
import os
import select
import statistics
import subprocess
import time

from rig import BUILD, BenchError, Rig, wait_until
from row import Row

ELECTIONS, MEMBERS = 1000, 10
WINDOW_S = 60
# Long enough that all the lists were asked for often enough to be compiled.
WARM_S = 90
# Whoever has just come is looked at until two looks have shown the same.
FIRST_LOOKS_S = 30
CHANGE_EVERY_S = 0.5
ADMIN_THREADS = "qtp"  # Jetty's


@contextlib.contextmanager
def crowd(rig, elections):
    """Each member has a session, and watches the one before it."""
    standing = subprocess.Popen([os.path.join(BUILD, "tests", "tools", "crowd"), rig.hosts, str(elections * MEMBERS), "0", str(elections)],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        ready, _, _ = select.select([standing.stdout], [], [], 120)
        if not ready or standing.stdout.readline() != b"ready\n":
            raise BenchError(f"the crowd of {elections * MEMBERS} sessions does not stand")
        yield
    finally:
        standing.stdin.close()
        standing.wait(20)
        standing.stdout.close()


def thread_times(pid):
    """Nanoseconds of each thread, by its number and name."""
    times = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):  # it has ended
            with open(f"/proc/{pid}/task/{thread}/comm", encoding="ascii", errors="replace") as f:
                name = f.read()
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as f:
                times[thread, name] = int(f.read().split()[0])
    return times


def spent(rig, seconds, load=None):
    """Percent of a processor that AdminServer's threads took, and all threads."""
    before, began = thread_times(rig.server_pid), time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        if load:  # not of the elections: something always moves on a server
            load.ask("fall", "/elsewhere", 1, 1, 1)
        time.sleep(min(CHANGE_EVERY_S if load else seconds, began + seconds - now))
    took = {key: ns - before.get(key, 0) for key, ns in thread_times(rig.server_pid).items()}
    part = 1e7 * (time.monotonic() - began)
    return sum(ns for (_, name), ns in took.items() if name.startswith(ADMIN_THREADS)) / part, sum(took.values()) / part


@contextlib.contextmanager
def watched(rig, elections, first_s):
    with rig.electop("events", "--json", "/crowd/*") as events:
        wait_until("all are seen", lambda: events.text().count('"election-seen"') >= elections, 120, 0.2)
        time.sleep(first_s)
        yield
        events.stop()


def measure_one(what, writes, rounds, quick, say):
    elections = ELECTIONS // 10 if quick else ELECTIONS
    window_s, warm_s, first_s = (10, 10, 1) if quick else (WINDOW_S, WARM_S, FIRST_LOOKS_S)
    alone, with_us = [], []
    with Rig(False, heap_mb=512) as rig, crowd(rig, elections), contextlib.ExitStack() as loads:
        load = loads.enter_context(rig.driver(1)) if writes else None
        if load:
            load.ask("stand", "/elsewhere", 2)
        for i in range(rounds + 1):
            say(f"burden on {what}, round {i}")
            with watched(rig, elections, first_s):
                share = spent(rig, warm_s if i == 0 else window_s, load)
            if i > 0:  # the first is for the compiler
                with_us.append(share)
                alone.append(spent(rig, window_s, load))
    admin, process, idle = (statistics.median(values) for values in
                            ([w[0] for w in with_us], [w[1] for w in with_us], [a[1] for a in alone]))
    what = f"{what} with {elections} elections of {MEMBERS}"
    yield Row(f"{what}: CPU of its AdminServer", "", f"{admin:.2f} %", "", "≤ 1 %", admin > 1)
    yield Row("  of the whole process, without and with electop", f"{idle:.2f} %", f"{process:.2f} %", "", "", None)


def measure_burden(_rig, rounds, quick, say):
    """Windows with and without electop take turns."""
    yield from measure_one("an idle server", False, rounds, quick, say)
    yield from measure_one("a server with 4 writes a second", True, rounds, quick, say)
