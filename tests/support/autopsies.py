"""`electop autopsy` held against the truth, which the tests read from the same logs with a reader of their own."""
import collections
import json
import re

from electop import run
from truth import STARVED_S, UNNOTICED_S, Lies, moment, retell


def autopsy(*arguments, within=120):
    """The events of an autopsy, and what it complained of."""
    done = run("autopsy", "--events", "--json", *(str(argument) for argument in arguments), within=within)
    assert done.status == 0, done
    return [json.loads(line) for line in done.out.splitlines()], done.err


def lives(truth, path):
    return [life for made in truth.directories[path] for life in made.lives]


def is_of(change, failover):
    """Whether this change of leader may be that failover: an identity may not have been read yet."""
    return all(change[key] == failover[key] or key.endswith("identity") and None in (change[key], failover[key])
               for key in ("from", "to", "from_identity", "to_identity"))


def with_losses(events, paths):
    """Each failover of these elections, with when its leader was lost: it may be told after the next loss. A leader that
    makes its candidate anew is elected, too, and that is no failover: what is told at once is of the latest election."""
    lost, changes = {}, collections.defaultdict(list)
    for event in events:
        path = event.get("election")
        if path not in paths:
            continue
        if event["event"] == "leader-lost":
            lost[path] = moment(event["time"])
        elif event["event"] == "leader-elected" and event["from"]:
            changes[path].append((lost.get(path, moment(event["time"])), event))
        elif event["event"] == "failover" and not event["failover"]["open"]:
            alike = [i for i, (_, change) in enumerate(changes[path]) if is_of(change, event["failover"])]
            at_once = [i for i in alike if changes[path][i][1]["time"] == event["time"]]
            at = next(iter(at_once or alike), None)
            yield event, moment(event["time"]) if at is None else changes[path][at][0]
            del changes[path][:0 if at is None else at + 1]


def check_exact(truth, paths, events, lies):
    """Every failover has the one true cause, for certain, at its very millisecond, and none is missing. Returns them by
    election, leader lost, and when."""
    told = {}
    for event, lost in with_losses(events, paths):
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
        told[event["election"], failover["from"], lost] = failover
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
         "ended": {"closed", "expired"}}


# What is not told live may have happened so long before or behind a gap: a lost connection is noticed late, and what
# came meanwhile is read after it.
NEAR_S = UNNOTICED_S + 1


def alike(live, logged):
    """Between the same two clients, as far as both are known, and of one session, where both name it."""
    own = [re.search(r"(?:its|ended) session (0x[0-9a-f]+)", one["evidence"] or "") for one in (live, logged)]
    return (None in own or own[0][1] == own[1][1]) and all(None in (live[who], logged[who]) or live[who] == logged[who] for who in ("from_identity", "to_identity"))


class Comparison:
    """What was told live, beside what the logs tell of the same changes of leader."""

    def __init__(self, recorded, failovers, paths, losses=()):
        """losses: of what the logs tell, the servers lost this again."""
        self.recorded, self.failovers, self.paths, self.losses = recorded, failovers, paths, losses
        self.found, self.pairs, self.detections, self.missed = [], {}, [], collections.Counter()
        for event, lost in with_losses(recorded, paths):
            self._pair(event, lost)
        for key in failovers.keys() - self.pairs.keys():
            self._explain(*key)

    def _pair(self, event, lost):
        """A directory that was made anew has the same names again: the one of the logs is the nearest in time. All
        holders of a bare lock have the same name, and several may have come and gone in a gap: compare their identities."""
        live = event["failover"]
        late_s = NEAR_S + event.get("after_gap_ms", 0) / 1000
        near = [(abs(when - lost), when) for (path, name, when), logged in self.failovers.items()
                if (path, name) == (event["election"], live["from"]) and
                (live["from"] != live["to"] or alike(live, logged) and abs(when - lost) <= late_s)]
        if not near or (event["election"], live["from"], min(near)[1]) in self.pairs:
            return
        key = event["election"], live["from"], min(near)[1]
        logged = self.failovers[key]
        self.pairs[key] = live, logged
        equal = live["cause"] == logged["cause"] or logged["cause"] in WIDER.get(live["cause"], ())
        if not equal and live["cause_certainty"] == "certain":
            self.found.append(f"live told {live}, the logs tell {logged}, at {event['time']}")
        if live["cause"] == logged["cause"] == "expired" and live["detection_ms"] and logged["detection_ms"]:
            self._compare_detection(key, live, logged, max(0, lost - key[2]))

    def _compare_detection(self, key, live, logged, late_s):
        """One client died once: there is a moment in both. Live, the phase ends when the loss is seen, which is late_s
        after the log's; a starved server gives a session up late."""
        (low, high), (least, most) = ([None if bound is None else bound / 1000 for bound in one["detection_ms"]]
                                      for one in (live, logged))
        self.detections.append((high - low if high is not None else None, most - least if most is not None else None))
        if (most is not None and low > most + late_s + STARVED_S) or (high is not None and least > high + STARVED_S):
            self.found.append(f"live {live}, logged {logged}, of {key}: no moment of death is in both")

    def _outages(self):
        """From the loss of a connection to the next one."""
        begun = None
        for event in self.recorded:
            if event["event"] == "connection" and event["state"] != "connected" and begun is None:
                begun = moment(event["time"]) - event.get("gap_ms", 0) / 1000
            elif event["event"] == "connection" and event["state"] == "connected" and begun is not None:
                yield begun, moment(event["time"])
                begun = None

    def _explain(self, path, name, at):
        """Why it was not told live."""
        if any(path in loss.paths and loss.since <= at <= loss.until + NEAR_S for loss in self.losses):
            self.missed["the servers lost transactions"] += 1
            return
        if path.endswith(f"/{name}") and any(begun - NEAR_S <= at <= end for begun, end in self._outages()):
            self.missed["a lock's, in an outage"] += 1  # nothing counts its holders
            return
        for event in self.recorded:
            told, kind = moment(event["time"]), event["event"]
            gap_s = event.get("gap_ms" if kind == "connection" else "after_gap_ms", 0) / 1000
            if kind != "connection" and event.get("election") != path:
                continue
            why = "in a gap" if gap_s else "counted as unseen" if kind == "unseen" else \
                "its directory was deleted" if kind == "election-gone" else \
                "it led between two reads, and was told to leave" \
                if kind == "candidate-left" and event["candidate"] == name else None
            if why and told - gap_s - NEAR_S <= at <= told + NEAR_S:
                self.missed[why] += 1
                return
        self.missed["not explained"] += 1
        self.found.append(f"{path}: that {name} lost at {at:.3f} was not told live, and nothing says why")

    def rows(self):
        """A table: what was compared, and how often it was so."""
        yield "failovers in the logs", len(self.failovers)
        yield "  told live, too", len(self.pairs)
        for (live, certainty, logged), count in sorted(collections.Counter(
                (live["cause"], live["cause_certainty"], logged["cause"]) for live, logged in self.pairs.values()).items()):
            yield f"    live {live} ({certainty}), logged {logged}", count
        for why, count in sorted(self.missed.items()):
            yield f"  not told live: {why}", count
        yield "detections in both", len(self.detections)
        narrower = sum(live is not None and (logged is None or live <= logged) for live, logged in self.detections)
        yield "  live as narrow, or narrower", narrower
        yield "contradictions", len(self.found)
