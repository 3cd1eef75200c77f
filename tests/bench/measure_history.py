"""What a recording costs, and how fast it is read: tests/bench/history.c, without any server."""
import json
import os
import subprocess
import tempfile

from rig import TOOLS, BenchError
from row import Row

EVENTS_PER_S = 1000
ELECTIONS = 100
DAYS = 30


def history(*arguments):
    run = subprocess.run([os.path.join(TOOLS, "history"), *map(str, arguments)], check=False, text=True,
                         capture_output=True, timeout=3600)
    if run.returncode != 0:
        raise BenchError(run.stderr.strip() or f"history ended with {run.returncode}")
    return json.loads(run.stdout)


def measure_history(_rig, _rounds, quick, say):
    with tempfile.TemporaryDirectory(prefix="electop-bench-") as folder:
        say(f"recording {EVENTS_PER_S} events a second")
        cost = history("record", os.path.join(folder, "rate.db"), EVENTS_PER_S, 5 if quick else 30)
        without, used = cost["cpu_without"] * 100, (cost["cpu_with"] - cost["cpu_without"]) * 100
        yield Row(f"recording {EVENTS_PER_S} events a second: CPU", f"{without:.2f} %", f"+ {used:.2f} %", "", "≤ 5 %", used > 5)
        yield Row("recording: longest hold of the loop", "", f"{cost['hold_ms']:.2f} ms", "", "≤ 10 ms", cost["hold_ms"] > 10)
        yield from measure_month(os.path.join(folder, "month.db"), 0.25 if quick else DAYS, say)


def measure_month(file, days, say):
    say(f"making a recording of {days} days")
    made = history("make", file, ELECTIONS, days)
    what = f"{days} days of {ELECTIONS} elections, a change a minute each"
    each = made["bytes_an_event"]
    yield Row(f"{what}: bytes an event, of {made['events'] / 1e6:.2f} million", "", f"{each:.0f} B", "", "≤ 200 B", each > 200)
    say("reading it")
    read = history("read", file)
    for label, key in (("opened", "open_ms"), ("any moment, median", "jump_ms"), ("any moment, worst", "jump_worst_ms"),
                       ("the next change of leader", "step_ms"),
                       (f"percentiles of one election, {read['failovers']} failovers", "percentiles_ms"),
                       (f"percentiles of the last day, {read['day_failovers']} failovers", "day_percentiles_ms"),
                       (f"percentiles of all of it, {read['all_failovers'] / 1e6:.2f} million failovers", "all_percentiles_ms"),
                       (f"an hour of one election, {read['events']} events", "events_ms")):
        yield Row(f"{what}: {label}", "", f"{read[key]:.1f} ms", "", "≤ 100 ms", read[key] > 100)
