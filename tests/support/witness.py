"""What the servers' own lists show all the while, to hold findings against: the watches of each session, and who is
connected. Asked by four-letter words, beside whatever the tool asks."""
import re
import threading
import time

from ensemble import four_letter
from truth import moment

# Findings that say of a candidate whom its session watches.
OF_WATCHES = ("no-watch", "watch-on-deleted", "watch-self", "wrong-predecessor")
# Nothing that a trial does brings these about.
NEVER = ("ghost-ephemeral", "replica-divergence", "persistent-candidate", "sequence-near-overflow",
         "sequence-overflowed", "sequence-tie", "stale-lock", "acknowledgement-mismatch")
# A list is asked for so much before it is told, and more on a slow machine.
BEFORE_S = 8
# Between two of our own lists, and what an answer takes.
BETWEEN_S = 1.2


class Sample:
    def __init__(self, at, server, watches, connected, ephemerals):
        self.at, self.server, self.watches, self.connected = at, server, watches, connected
        self.ephemerals = ephemerals


def watched(answer):
    """wchc: the paths that each session watches."""
    found, paths = {}, None
    for line in answer.splitlines():
        if line.startswith("0x"):
            paths = found.setdefault(line.strip(), set())
        elif line.startswith("\t") and paths is not None:
            paths.add(line.strip())
    return found


def owned(answer):
    """dump: (session, path) of each ephemeral znode that the server has."""
    found, session = set(), None
    for line in answer.partition("Sessions with Ephemerals")[2].splitlines():
        if line.startswith("0x"):
            session = line.strip(" :")
        elif line.startswith("\t") and session:
            found.add((session, line.strip()))
    return found


class Witness:
    def __init__(self, zk, every_s=0.4):
        self.zk, self.every_s, self.over, self.seen = zk, every_s, threading.Event(), []
        self.threads = [threading.Thread(target=self._run, args=(i,), daemon=True) for i in range(len(zk.addresses))]
        for thread in self.threads:
            thread.start()

    def _run(self, i):
        while not self.over.wait(self.every_s):
            watches, connections = four_letter(self.zk.addresses[i], "wchc"), four_letter(self.zk.addresses[i], "cons")
            dump = four_letter(self.zk.addresses[i], "dump")
            if connections:
                sessions = {(sid, client) for client, sid in re.findall(r"/(\S+?)\[.*?sid=(0x[0-9a-f]+)", connections)}
                self.seen.append(Sample(time.time(), i, watched(watches), sessions, owned(dump)))

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join(10)

    def watches(self, session, since, until):
        """(moment, paths) of every list that shows watches of this session in that time."""
        return sorted((s.at, s.watches[session]) for s in self.seen
                      if since <= s.at <= until and s.watches.get(session))

    def connections(self, session, since, until):
        """The addresses of its client that were listed in that time: each is one connection."""
        return {client for s in self.seen if since <= s.at <= until for sid, client in s.connected if sid == session}


def longest_without(moments, since, until):
    edges = [since, *moments, until]
    return max(b - a for a, b in zip(edges, edges[1:]))


def stands(truth, path, at):
    """Who stood in an election at that moment, in order."""
    last = []
    for made in truth.directories[path]:
        for when, _, standing in made.steps:
            if when <= at:
                last = standing
        if made.gone and made.gone <= at and not made.lock:
            last = []
    return last


def predecessor(truth, path, name, at):
    standing = [life.name for life in stands(truth, path, at)]
    return standing[standing.index(name) - 1] if name in standing[1:] else None


def disproves(truth, path, code, name, at, paths):
    """Whether what its session watched then is what this finding says it did not."""
    below = {one for one in paths if one == path or one.startswith(f"{path}/")}
    own = f"{path}/{name}"
    if code == "no-watch":
        return bool(below)
    if code == "wrong-predecessor":
        return f"{path}/{predecessor(truth, path, name, at)}" in below
    living = {f"{path}/{life.name}" for life in stands(truth, path, at)}
    return bool((below & living) - {own})


def check_certain(witness, truth, event, lies):
    """One finding that is told as certain. Returns whether there was something to hold it against."""
    finding, path, at = event["finding"], event["election"], moment(event["time"])
    code, names = finding["code"], finding["candidates"]
    if code in NEVER:
        lies.tell(path, event, "nothing brought this about")
    lives = [life for made in truth.directories[path] for life in made.lives if life.name in names and life.born <= at]
    if code in OF_WATCHES:
        life = [life for life in lives if life.name == names[0]][-1]
        over = re.search(r"over ([\d.]+) (m?s)\b", finding["evidence"])
        span = float(over[1]) / (1000 if over[2] == "ms" else 1) if over else 0
        since = at - span - BEFORE_S
        against = [when for when, paths in witness.watches(life.owner, since, at)
                   if disproves(truth, path, code, life.name, when, paths)]
        if longest_without(against, since, at) < span - BETWEEN_S:
            lies.tell(path, event, f"its watches were listed {[round(when - at, 1) for when in against]} before")
        return True
    if code == "owner-disconnected":
        life = [life for life in lives if life.name == names[0]][-1]
        since = moment(finding["since"])
        if witness.connections(life.owner, since - 5, since) & witness.connections(life.owner, at, at + 5):
            lies.tell(path, event, f"{life.owner} had one connection all the while")
        return True
    if code == "no-leader" and all(stands(truth, path, at - back) for back in (0, 1, 2)):
        lies.tell(path, event, f"these stood: {stands(truth, path, at)}")
    if code == "duplicate-session" and len({life.owner for life in lives[-len(names):]}) > 1:
        lies.tell(path, event, f"they are {lives}")
    return code in ("no-leader", "duplicate-session")
