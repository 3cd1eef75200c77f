"""How fast transaction logs are read: against a bare loop that verifies Adler-32, and ZooKeeper's own toolkit."""
import calendar
import glob
import os
import statistics
import subprocess
import tempfile
import time

from rig import BUILD, TOOLS, BenchError, Stamped, cpu_us
from row import Row

JARS = "/usr/share/java/*"
TOOLKIT = "org.apache.zookeeper.server.persistence.TxnLogToolkit"
ELECTOP = os.path.join(BUILD, "electop")
TXNLOG = os.path.join(TOOLS, "txnlog")
# Logs of so many gigabytes are searched; most of their bytes are zeros that take no room.
SEARCHED_GB = int(os.environ.get("ELECTOP_BENCH_LOGS_GB", "10"))
TEN_MINUTES_MS = 600_000
# A failover in so many transactions or fewer is more than any cluster has.
STRESS_EVERY = 1000
# Transactions a second of a server that is followed. A leader goes every so many, at any moment between two looks.
FOLLOWED, FOLLOWED_EVERY = 5000, 1170


def spent(command):
    """Seconds that a command took, CPU seconds with all its threads, and the most memory that it had, in KB."""
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise BenchError(f"{command[0]} ended with {process.returncode}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def write(data, megabytes, every, *part):
    done = subprocess.run([TXNLOG, "write", data, str(megabytes), str(every), *map(str, part)], check=True, text=True,
                          stdout=subprocess.PIPE)
    return int(done.stdout)


def logs_of(data):
    return sorted(glob.glob(os.path.join(data, "log.*")), key=lambda path: int(path.rsplit(".", 1)[1], 16))


def measure_reading(folder, megabytes, every, rounds, say):
    """The target speaks of 100 elections whose leaders change as leaders do. A failover in 1,000 transactions, four a
    second, is a stress beyond that: its ratio is shown, and has no target of its own."""
    stress = every <= STRESS_EVERY
    data = os.path.join(folder, f"every-{every}")
    say(f"writing {megabytes} MB of logs")
    write(data, megabytes, every)
    floor, whole, ratios = [], [], []
    for i in range(rounds):
        say(f"reading logs, round {i + 1}")
        floor.append(spent([TXNLOG, "floor", *logs_of(data)]))
        whole.append(spent([ELECTOP, "autopsy", data, "--into", os.path.join(folder, f"{every}-{i}.db")]))
        ratios.append([mine / bare for mine, bare in zip(whole[-1], floor[-1])])
    what = f"{megabytes} MB of logs, a failover in {every} transactions" + (", a stress" if stress else "")
    for place, unit in (0, "time"), (1, "CPU"):
        bare, read = (statistics.median(one[place] for one in runs) for runs in (floor, whole))
        # Of the same round, so that both met the same machine.
        ratio = statistics.median(one[place] for one in ratios)
        yield Row(f"{what}: {unit} (floor: Adler-32 alone)", f"{bare:.2f} s", f"{read:.2f} s", f"{ratio:.2f} ×",
                  "–" if stress else "≤ 2 ×", None if stress else ratio > 2)
    memory = max(one[2] for one in whole)
    yield Row(f"{what}: memory", "", f"{memory / 1000:.0f} MB", "", "≤ 100 MB", memory > 100000)
    if stress:
        say("the toolkit")
        logs = logs_of(data)
        toolkit = spent(["java", "-cp", JARS, TOOLKIT, "-d", logs[0]])[1] * len(logs)
        read = statistics.median(one[1] for one in whole)
        yield Row(f"{what}: CPU (floor: ZooKeeper's toolkit, from one file)", f"{toolkit:.1f} s", f"{read:.2f} s",
                  f"{toolkit / read:.1f} ×", "≥ 10 ×", toolkit < 10 * read)


def utc(at_ms):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_ms // 1000)) + f".{at_ms % 1000:03}Z"


def measure_first_answer(folder, rounds, quick, say):
    """Ten minutes of one election, out of the middle of long logs."""
    gigabytes = 1 if quick else SEARCHED_GB
    say(f"writing {gigabytes} GB of logs")
    data, middle = os.path.join(folder, "long"), gigabytes * 500
    from_ms = write(data, gigabytes * 1000, 1000, middle, middle + 800)
    command = [ELECTOP, "autopsy", data, "--election", "/elections/e7", "--from", utc(from_ms), "--to",
               utc(from_ms + TEN_MINUTES_MS), "--events", "--json"]
    told = subprocess.run(command, check=True, text=True, capture_output=True).stdout.count('"failover"')
    if told == 0:
        raise BenchError("nothing is told of the ten minutes")
    took = statistics.median(spent(command)[0] for _ in range(rounds))
    yield Row(f"one election, ten minutes (2,400,000 transactions) of {gigabytes} GB", "", f"{took:.2f} s", "", "≤ 1 s", took > 1)


def measure_follow(folder, quick, say):
    """The time between a change in the log, by the server's clock, and the line that tells it."""
    seconds, data = 4 if quick else 20, os.path.join(folder, "followed")
    with subprocess.Popen([TXNLOG, "serve", data, str(FOLLOWED), str(FOLLOWED_EVERY), str(seconds)]) as server:
        time.sleep(0.5)
        say(f"following a server for {seconds} s")
        behind = time.clock_gettime_ns(time.CLOCK_REALTIME) // 1000 - time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        with Stamped(folder, [ELECTOP, "autopsy", data, "--follow", "--json"], dict(os.environ)) as electop:
            time.sleep(1)
            began_us, spent_us = time.monotonic_ns() // 1000, cpu_us(electop.pid)
            server.wait(seconds + 20)
            part = (cpu_us(electop.pid) - spent_us) / (time.monotonic_ns() // 1000 - began_us)
            time.sleep(1)
            lags = [at + behind - int(1e6 * stamp(event["time"])) for at, event in electop.events()
                    if event["event"] == "leader-lost" and at > began_us]
    if len(lags) < (seconds - 2) * FOLLOWED // FOLLOWED_EVERY * 0.8:
        raise BenchError(f"only {len(lags)} changes of leader were told")
    what = f"following a server at {FOLLOWED} transactions a second"
    yield Row(f"{what}: CPU", "", f"{100 * part:.1f} %", "", "≤ 5 %", part > 0.05)
    yield Row(f"{what}: the most that it is behind", "", f"{max(lags) / 1e3:.0f} ms", "", "≤ 1 s", max(lags) > 1e6)


def stamp(text):
    whole, _, part = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{part or 0}")


def measure_transactions(_rig, rounds, quick, say):
    """Logs of 100 elections. With CPU time beside it, which other work on the machine changes least."""
    with tempfile.TemporaryDirectory() as folder:
        for every in 10000, 1000:
            yield from measure_reading(folder, 100 if quick else 1000, every, rounds, say)
    with tempfile.TemporaryDirectory() as folder:
        yield from measure_first_answer(folder, rounds, quick, say)
        yield from measure_follow(folder, quick, say)
