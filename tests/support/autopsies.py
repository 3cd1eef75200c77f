"""`electop autopsy` held against the truth, which the tests read from the same logs with a reader of their own."""
import json

from electop import run
from truth import Lies, moment, retell


def autopsy(*arguments, within=120):
    """The events of an autopsy, and what it complained of."""
    done = run("autopsy", "--events", "--json", *(str(argument) for argument in arguments), within=within)
    assert done.status == 0, done
    return [json.loads(line) for line in done.out.splitlines()], done.err


def lives(truth, path):
    return [life for made in truth.directories[path] for life in made.lives]


def check_exact(truth, paths, events, lies):
    """Every failover has the one true cause, for certain, at its very millisecond, and none is missing."""
    told = {}
    for event in events:
        if event["event"] != "failover" or event["election"] not in paths:
            continue
        failover = event["failover"]
        if event.get("after_gap_ms"):
            lies.tell(event["election"], event, "found after a gap, and the logs have none")
        if failover["cause"] == "unknown":
            continue  # displaced
        old = [life for life in lives(truth, event["election"]) if life.name == failover["from"] and life.how]
        if not old or failover["cause"] not in [life.how for life in old]:
            lies.tell(event["election"], event, f"in truth {old}")
        if failover["cause_certainty"] != "certain":
            lies.tell(event["election"], event, "not certain")
        told[event["election"], failover["from"], moment(event["time"])] = failover
    return told


def check_autopsy(truth, logs, paths, deaths=None, more=()):
    """What an autopsy of these directories tells that is not so; and its failovers, by election and leader lost."""
    events, _ = autopsy(*logs, *more)
    lies = Lies("autopsy")
    known = {event.get("election") for event in events}
    seen = [path for path in paths if truth.directories[path] and lives(truth, path)]
    for path in seen:
        if path not in known:  # a lock whose path no recipe knows must be named
            events += autopsy(*logs, "--election", path)[0]
            known.add(path)
    tellers = retell(truth, [path for path in seen if path in known], events, lies, deaths)
    failovers = check_exact(truth, paths, events, lies)
    return lies.found, failovers, tellers


WIDER = {"unknown": {"resigned", "evicted", "closed", "expired", "deleted"}, "deleted": {"resigned", "evicted"},
         "ended": {"closed", "expired", "resigned", "evicted"}}


def compare_live(recorded, failovers, paths):
    """What was told live is as the logs have it, or wider. A directory that was made anew has the same names again:
    the one of the logs is the nearest in time."""
    found, compared = [], {}
    for event in recorded:
        if event["event"] != "failover" or event["election"] not in paths:
            continue
        live, at = event["failover"], moment(event["time"])
        near = [(abs(when - at), when) for path, name, when in failovers
                if (path, name) == (event["election"], live["from"])]
        if not near or (event["election"], live["from"], min(near)[1]) in compared:
            continue
        key = (event["election"], live["from"], min(near)[1])
        logged = failovers[key]
        compared[key] = live["cause"], logged["cause"]
        equal = live["cause"] == logged["cause"] or logged["cause"] in WIDER.get(live["cause"], ())
        if not equal and live["cause_certainty"] == "certain":
            found.append(f"live told {live}, the logs tell {logged}, at {moment(event['time'])}")
    return found, compared
