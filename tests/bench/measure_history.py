"""What a recording costs, and how fast it is read: tests/bench/history.c, without any server."""
import json
import os
import sqlite3
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


# A stretch that is recorded is copied to make up the days: what is recorded later looks the same.
RECORDED_DAYS = 0.25
# The columns that go on from copy to copy.
TIMES = ("at_us", "from_us", "to_us", "lost_us", "elected_us", "mono_us", "since_us", "unconfirmed_us")
EVENTS = (("event", "id"), ("finding", "event"), ("failover", "event"), ("chunk", "first_event"))


def copies_of(db, table, where, order, period_us, events, ids):
    """Rows of a table as often as copy says, one after the other."""
    terms = []
    for name, in db.execute(f"SELECT name FROM pragma_table_info('{table}')"):
        step = period_us if name in TIMES else events if (table, name) in EVENTS else ids if name == "id" else 0
        terms.append(f"s.{name} + copy.n * {step}" if step else f"s.{name}")
    db.execute(f"CREATE TEMP TABLE source AS SELECT * FROM {table} WHERE {where} ORDER BY {order}")
    if "election" not in order:
        db.execute(f"INSERT INTO main.{table} SELECT {', '.join(terms)} FROM copy CROSS JOIN source s")
    else:  # its rows lie by election
        db.execute("CREATE INDEX temp.source_election ON source (election)")
        db.execute(f"INSERT INTO main.{table} SELECT {', '.join(terms)} FROM main.election l CROSS JOIN copy"
                   " CROSS JOIN source s ON s.election = l.id")
    db.execute("DROP TABLE source")


def make_days(file, days):
    """Copies what lies between the recording's second piece and its last one until it is so many days long. No piece
    but the first knows what was before it, and the times in it count from its beginning."""
    db = sqlite3.connect(file, isolation_level=None)
    db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536; BEGIN")
    later = db.execute("SELECT type, name, sql FROM sqlite_schema WHERE tbl_name IN ('event', 'failover', 'tenure')"
                       " AND (type = 'index' AND sql IS NOT NULL OR type = 'trigger')").fetchall()
    for kind, name, _ in later:
        db.execute(f"DROP {kind} {name}")
    chunks = db.execute("SELECT id, from_us, first_event FROM chunk ORDER BY id").fetchall()
    begin_us = chunks[0][1]
    (first, from_us, from_event), (last, to_us, to_event) = chunks[1], chunks[-1]
    for statement in (f"DELETE FROM chunk WHERE id = {last}", "DELETE FROM patch", f"DELETE FROM event WHERE id >= {to_event}",
                      f"DELETE FROM finding WHERE event >= {to_event}", f"DELETE FROM failover WHERE event >= {to_event}",
                      f"DELETE FROM tenure WHERE from_us >= {to_us}",
                      f"UPDATE tenure SET to_us = {to_us} WHERE to_us IS NULL OR to_us > {to_us}"):
        db.execute(statement)
    period_us, events = to_us - from_us, to_event - from_event
    copies = int((days * 86400e6 - (to_us - begin_us)) // period_us)
    db.execute("CREATE TEMP TABLE copy (n INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO copy VALUES (?)", ((n,) for n in range(1, copies + 1)))
    tenures, = db.execute("SELECT max(id) FROM tenure").fetchone()
    copies_of(db, "event", f"id >= {from_event}", "id", period_us, events, events)
    copies_of(db, "finding", f"event >= {from_event}", "event", period_us, events, 0)
    copies_of(db, "chunk", f"id >= {first}", "id", period_us, events, last - first)
    copies_of(db, "failover", f"event >= {from_event}", "election, lost_us", period_us, events, 0)
    copies_of(db, "tenure", f"from_us >= {from_us}", "election, id", period_us, events, tenures)
    db.execute("UPDATE stretch SET to_us = ?", (to_us + copies * period_us,))
    for _, _, statement in later:
        db.execute(statement)
    made, = db.execute("SELECT max(id) FROM event").fetchone()
    db.execute("COMMIT")
    db.execute("PRAGMA journal_mode=WAL")
    db.close()
    return made


def make(file, days, every_s):
    """A recording in which every election changes its leader each every_s: some of it recorded, the rest copied."""
    recorded = min(days, RECORDED_DAYS * every_s / 60)
    made = history("make", file, ELECTIONS, recorded, every_s)
    if days > recorded:
        made["events"] = make_days(file, days)
    return made


def measure_month(file, days, say):
    say(f"making a recording of {days} days")
    made = make(file, days, 60)
    events = made["events"]
    what = f"{days} days of {ELECTIONS} elections, a change a minute each"
    each = made["bytes_an_event"]
    yield Row(f"{what}: bytes an event, of {events / 1e6:.2f} million", "", f"{each:.0f} B", "", "≤ 200 B", each > 200)
    say("reading it")
    read = history("read", file)
    for label, key in (("opened", "open_ms"), ("any moment, median", "jump_ms"), ("any moment, worst", "jump_worst_ms"),
                       ("the next change of leader", "step_ms"),
                       (f"percentiles of one election, {read['failovers']} failovers", "percentiles_ms"),
                       (f"an hour of one election, {read['events']} events", "events_ms")):
        floor = read.get(f"floor_{key}")
        yield Row(f"{what}: {label}", f"{floor:.2f} ms" if floor else "", f"{read[key]:.1f} ms",
                  f"{read[key] / floor:.1f} ×" if floor else "", "≤ 100 ms", read[key] > 100)
