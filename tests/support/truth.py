"""What really happened in the elections of an ensemble, from its servers' transaction logs; and where a stream of
`electop events --json`, or a look, says otherwise.

Moments are seconds of the wall clock, which the servers and the tool share here."""
import collections
import datetime
import re

from survival import surviving
from trials import CAUSES
from txnlog import CLOSE_SESSION, changes, transactions

# A reading of one clock against another on the same machine, and the rounding to milliseconds.
CLOCK_S = 0.05
# So much later than it may a server give a session up where its machine is overloaded.
STARVED_S = 1.0
# A server that stands still is noticed when two thirds of the tool's session timeout (4 s) are over; a slow machine
# adds to it. One that answers a little before that is told of as late, and by how much nobody knows.
UNNOTICED_S = 4
# probe/election/leadership.c has a second, as the tool sees it; a list may be late by as much.
BRIEF_S = 2


def moment(text):
    """An RFC 3339 time of the JSON contract."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Life:
    """One candidate's znode: when it came and went, whose it was, and how it went."""

    def __init__(self, change):
        self.name, self.owner = change.path.rsplit("/", 1)[1], change.session
        self.born, self.born_zxid, self.data = change.time_ms / 1000, change.zxid, change.data
        self.gone = self.gone_zxid = self.how = self.by = None

    def ends(self, change):
        self.gone, self.gone_zxid, self.by = change.time_ms / 1000, change.zxid, change.session
        if change.kind == "close":
            self.how = "closed" if change.cxid else "expired"
        else:
            self.how = "resigned" if change.session == self.owner else "evicted"

    @property
    def number(self):
        digits = re.search(r"\d{10}$", self.name)
        return int(digits[0]) if digits else 0

    def __repr__(self):
        return f"{self.name} of {self.owner}, {self.born:.3f} to {self.gone and round(self.gone, 3)}: {self.how}"


class Directory:
    """One making of an election's directory, or all holders of a lock: every life in it, and who led when."""

    def __init__(self, born, lock=False):
        self.born, self.gone, self.lives, self.lock = born, None, [], lock
        self.steps = []  # (moment, zxid, those who stand then in order)

    def step(self, change):
        standing = [life for life in self.lives if life.gone is None]
        standing.sort(key=lambda life: life.number)
        if self.steps and self.steps[-1][1] == change.zxid:
            self.steps.pop()  # one transaction is one step
        self.steps.append((change.time_ms / 1000, change.zxid, standing))

    def leaders(self):
        """(moment, Life or None) for every change of leader."""
        found = [(self.born, None)]
        for at, _, standing in self.steps:
            first = standing[0] if standing else None
            if first is not found[-1][1]:
                found.append((at, first))
        return found


class Truth:
    def __init__(self, *logs, copies=2, kept=False):
        """logs: directories with the logs of three servers; what a server had before it was wiped counts as another.

        copies: in so many servers' logs a change must be; 1 where there is one server. kept: without what the servers
        lost again, though so many had it."""
        self.directories = collections.defaultdict(list)  # path: every making of it, in order
        self.changes, self.losses, self.of_lost = changes(*logs, copies=copies), [], []
        if kept:
            self.changes, self.losses = surviving(self.changes)
        lost = {zxid for loss in self.losses for zxid in loss.zxids}
        # Also what a deposed leader did by itself: a session may live on, and yet its list lacked it.
        self.closed = collections.defaultdict(list)
        for t in transactions(*logs):
            if t.type == CLOSE_SESSION and t.zxid not in lost:
                self.closed[t.session].append(t.time_ms / 1000)
        self.slow = []     # when servers could not agree: (from, to)
        standing = {}      # path: its Life
        for change in self.changes:
            if change.kind == "create":
                self._create(change, standing)
            else:
                self._remove(change, standing)

    def held_up(self, by):
        """A transaction has the time at which it was proposed: where no quorum could write it down, it counted only
        when one could again. For how long at most, before this moment."""
        return max((by - begin for begin, end in self.slow if begin <= by <= end + UNNOTICED_S), default=0)

    def _create(self, change, standing):
        parent = change.path.rsplit("/", 1)[0]
        if not change.ephemeral:
            self.directories[change.path].append(Directory(change.time_ms / 1000))
            return
        life = standing[change.path] = Life(change)
        if self.directories[parent] and self.directories[parent][-1].gone is None:
            self.directories[parent][-1].lives.append(life)
            self.directories[parent][-1].step(change)
        own = self.directories[change.path]
        if not own:
            own.append(Directory(life.born, lock=True))
        own[-1].lives.append(life)
        own[-1].step(change)

    def _remove(self, change, standing):
        parent = change.path.rsplit("/", 1)[0]
        life = standing.pop(change.path, None)
        if life is None:
            if self.directories[change.path]:
                self.directories[change.path][-1].gone = change.time_ms / 1000
            return
        life.ends(change)
        for path in parent, change.path:
            if self.directories[path]:
                self.directories[path][-1].step(change)

    def now(self, path):
        """Who stands at the end, in order; None: there is no such directory."""
        made = self.directories.get(path)
        if not made or (made[-1].gone and not made[-1].lock):
            return None
        return made[-1].steps[-1][2] if made[-1].steps else []


class Lies:
    """What was said and is not so; and apart from it what was said of a time in which servers lost what they had told."""

    def __init__(self, who, truth=None):
        """truth: whose losses count, and which keeps what was said of them."""
        self.who, self.found = who, []
        self.losses, self.of_lost = (truth.losses, truth.of_lost) if truth else ((), [])

    def tell(self, path, event, what, since=None, until=None):
        """since, until: between these moments it was so, or else at the event's time, or before it where it says so."""
        if until is None and "time" in (event or {}):
            until = moment(event["time"])
            since = until - event.get("after_gap_ms", 0) / 1000 - UNNOTICED_S
        lost = until is not None and any(path in loss.paths and since <= loss.until and loss.since - CLOCK_S <= until
                                         for loss in self.losses)
        (self.of_lost if lost else self.found).append(f"{self.who} {path}: {what}\n    said: {event}")


class Retelling:
    """One election as a stream tells it, held against the truth step by step."""

    def __init__(self, truth, path, lies, deaths=None):
        """deaths: session: the moment at which its client fell silent, for those whose moment is known."""
        self.truth, self.path, self.lies, self.deaths = truth, path, lies, deaths or {}
        self.made = truth.directories[path]
        self.at = 0                       # which making of the directory is told of
        self.standing = {}                # name: Life
        self.leader = self.lost = None    # Lives
        self.joined = self.left = 0
        self.told_since = None            # the last leader change that was told, as an index of leaders()
        self.changes = []                 # (from Life, to Life, told at) whose failover is still to be told
        self.sums = []                    # (joined, left) of every making told of
        self.causes = collections.Counter()
        self.timed = 0

    # ---- finding out who is meant ----

    def find(self, name, by):
        """The Life of this name that the stream can mean: in this making of the directory, or a later one."""
        for i in range(self.at, len(self.made)):
            lives = [life for life in self.made[i].lives if life.name == name and life.born <= by + CLOCK_S]
            if lives:
                if i != self.at and not self.standing:
                    self.at = i
                return lives[-1]
        return None

    @staticmethod
    def is_again(old, new):
        """The client that led made its candidate again, and nobody led meanwhile: nothing was passed on."""
        return old.gone is not None and old.owner == new.owner and new.born >= old.gone

    def is_or_was_first(self, life, by):
        return any(first is life and at <= by + CLOCK_S for made in self.made for at, first in made.leaders())

    # ---- what is told ----

    def take(self, event):
        by = moment(event["time"])
        word = event["event"].replace("-", "_")
        if hasattr(self, word):
            getattr(self, word)(event, by)

    def lie(self, event, what):
        self.lies.tell(self.path, event, what)

    def candidate_joined(self, event, by):
        life = self.find(event["candidate"], by)
        if life is None:
            self.lie(event, "nobody of this name had joined")
            return
        if self.standing.get(life.name) is life:
            self.lie(event, "joined twice")
        self.standing[life.name] = life
        self.joined += 1

    def candidate_left(self, event, by):
        life = self.standing.pop(event["candidate"], None)
        self.left += 1
        if life is None:
            self.lie(event, "left without having joined")
        elif life.gone is None or life.gone > by + CLOCK_S:
            self.lie(event, f"it had not left: {life}")

    def leader_lost(self, event, by):
        life = self.leader
        if life is None or life.name != event["candidate"]:
            self.lie(event, f"the leader that was told before is {life}")
            return
        displaced = any(other.number < life.number and life.born < other.born <= by for other in self.standing.values())
        if (life.gone is None or life.gone > by + CLOCK_S) and not displaced:
            self.lie(event, f"it still led: {life}")
        gap_s = event.get("after_gap_ms", 0) / 1000 + self.truth.held_up(by)
        if life.gone and not displaced and life.gone < by - gap_s - UNNOTICED_S:
            self.lie(event, f"it went longer ago: {life}")
        self.lost, self.leader = life, None

    def leader_elected(self, event, by):
        life = self.find(event["to"], by)
        if life is None or not self.is_or_was_first(life, by):
            self.lie(event, f"it was not first by then: {life}")
            return
        if self.leader is not None:
            self.lie(event, f"told while {self.leader} leads, whose loss was not told")
        # Who was gone before it was read has not led: the loss before it is the one that counts.
        while self.lost and event["from"] != self.lost.name and self.changes and self.changes[-1][1] is self.lost and \
                self.lost.gone - self.lost.born < BRIEF_S + self.truth.held_up(self.lost.gone):
            self.lost = self.changes.pop()[0]
        if event["from"] != (self.lost.name if self.lost else None):
            self.lie(event, f"the one before was {self.lost}")
        if self.lost is life:
            self.lie(event, f"elected again: {life}")
        if self.lost and life.gone and life.gone < self.lost.gone:
            self.lie(event, f"it went before the one whom it is said to follow: {life}; {self.lost}")
        if self.lost:
            self.changes.append((self.lost, life, by))
        self.leader = life

    def failover(self, event, by):
        told = event["failover"]
        if told["open"]:
            self.open_failover(event, told, by)
            return
        while self.changes and self.is_again(*self.changes[0][:2]) and \
                (told["from"], told["to"]) != (self.changes[0][0].name, self.changes[0][1].name):
            self.changes.pop(0)
        if not self.changes:
            self.lie(event, "no change of leader is left to be told")
            return
        old, new, _ = self.changes.pop(0)
        if (told["from"], told["to"]) != (old.name, new.name):
            self.lie(event, f"the change was from {old} to {new}")
            return
        self.check_cause(event, told, old, by)
        if told["cause"] == "expired":
            self.check_detection(event, told, old, by)

    def open_failover(self, event, told, by):
        """The first of two reports: nobody leads yet."""
        if self.leader is not None or self.lost is None or (told["from"], told["to"]) != (self.lost.name, None):
            self.lie(event, f"told as open while {self.leader} leads, after {self.lost}")
            return
        self.check_cause(event, told, self.lost, by)

    def unseen(self, event, _):
        self.joined += event["joined"]
        self.left += event["left"]

    def election_gone(self, event, by):
        if not any(made.gone is not None and made.gone <= by + CLOCK_S for made in self.made[self.at:]):
            self.lie(event, "it was not gone")
        if self.standing:
            self.lie(event, f"gone, and these had not left: {list(self.standing)}")
        self.sums.append((self.joined, self.left))
        self.joined = self.left = 0
        self.at = min(self.at + 1, len(self.made) - 1)
        # It may have been created several times in the gap: the event is about the one that exists.
        while event.get("after_gap_ms") and self.at + 1 < len(self.made) and self.made[self.at].gone is not None \
                and self.made[self.at].gone <= by - CLOCK_S:
            self.at += 1

    # ---- causes and times ----

    def causes_of(self, old, told, by):
        """What the end of this one may be called."""
        if old.how is None:
            return ("unknown",)  # displaced
        ended = any(old.born <= at <= by + CLOCK_S for at in self.truth.closed[old.owner])
        allowed = CAUSES[old.how]
        if old.how in ("resigned", "evicted") and ended:
            if told["cause_certainty"] == "suspected":
                allowed += ("ended", "expired")  # that of a dead client, evicted before its session was over
        # It went while nobody could look, and its session was over, or unlisted, by the next look.
        if old.how == "resigned" and told["cause_certainty"] == "suspected" and old.gone and old.gone < by - UNNOTICED_S:
            allowed += ("ended", "expired")
        # Silent for its timeout, and then its request to close came through: held up with everything else.
        if old.how == "closed" and told["cause_certainty"] == "suspected":
            allowed += ("expired",)
        return allowed

    def check_cause(self, event, told, old, by):
        cause = told["cause"]
        self.causes[old.how, cause] += 1
        if cause not in self.causes_of(old, told, by):
            self.lie(event, f"cause {cause} ({told['cause_certainty']}), in truth {old.how} by {old.by}: {old}")

    def check_detection(self, event, told, old, _):
        died, span = self.deaths.get(old.owner), told["detection_ms"]
        if died is None or span is None or old.how != "expired":
            return
        self.timed += 1
        low, high = (None if bound is None else bound / 1000 for bound in span)
        # The phase ends when the tool sees the znode gone: at the latest when it told so.
        least, most = old.gone - died, self.lost_told - died
        if (low is not None and low > most + 0.15) or (high is not None and high < least - STARVED_S):
            self.lie(event, f"dead for {least:.3f} to {most:.3f} s")

    # ---- at the end ----

    def untold(self):
        return [change for change in self.changes if not self.is_again(*change[:2])]

    def finish(self):
        """When all is quiet: nothing is left untold, and what was told adds up."""
        now, made = self.truth.now(self.path) or [], self.made[-1]
        if sorted(self.standing) != sorted(life.name for life in now):
            self.lie(None, f"told to stand: {sorted(self.standing)}; in truth {now}")
        lives = [] if made.gone and not made.lock else made.lives  # of a directory that is gone nothing is counted
        created, gone = len(lives), sum(life.gone is not None for life in lives)
        most = sum(loss.paths[self.path] for loss in self.truth.losses)  # came and went again with what the servers lost
        if abs(self.joined - created) > most or abs(self.left - gone) > most:
            self.lie(None, f"joined and left, with the unseen: {self.joined}, {self.left}; in truth {created}, {gone}")
        first = now[0] if now else None
        if self.leader is not first:
            self.lie(None, f"told to lead: {self.leader}; in truth {first}")
        if self.untold():
            self.lie(None, f"failovers never told: {self.untold()}")


def who(told):
    """Between which two identities leadership is said to have passed."""
    return told["from_identity"], told["to_identity"]


class LockRetelling(Retelling):
    """The same of a lock, whose holders all have one name: each may be any who held it shortly before it was told."""

    def may_be_again(self, change):
        return any(self.is_again(old, new) for old in change[0] for new in change[1])

    @staticmethod
    def fits(change, told):
        return all(None in pair or pair[0] == pair[1] for pair in zip(change[3], who(told)))

    def untold(self):
        return [change for change in self.changes if not self.may_be_again(change)]

    def held(self, by, gap_s):
        gap_s += self.truth.held_up(by)
        return [life for made in self.made for life in made.lives
                if life.born <= by + CLOCK_S and (life.gone is None or life.gone >= by - gap_s - UNNOTICED_S)]

    def candidate_joined(self, event, by):
        if not self.held(by, 0):
            self.lie(event, "nobody had it")

    def candidate_left(self, event, by):
        pass  # told with the loss

    def leader_lost(self, event, by):
        lives = [life for life in self.held(by, event.get("after_gap_ms", 0) / 1000)
                 if life.gone and life.gone <= by + CLOCK_S]
        if self.leader is None or not lives:
            near = [life for made in self.made for life in made.lives if not life.gone or abs(life.gone - by) < 15]
            self.lie(event, f"told while {self.leader} had it; it was let go of by {lives}; around then {near}")
        self.lost, self.leader = lives, None

    def leader_elected(self, event, by):
        lives = self.held(by, event.get("after_gap_ms", 0) / 1000)
        if self.leader is not None or not lives:
            self.lie(event, f"told while {self.leader} holds it; in truth {lives}")
        if self.lost is not None:
            self.changes.append((self.lost, lives, by, who(event)))
        self.leader = lives

    def failover(self, event, by):
        told = event["failover"]
        if told["open"]:  # who named its path said that somebody must have it
            if self.leader is not None or self.lost is None:
                self.lie(event, f"told as open while {self.leader} holds it, after {self.lost}")
            return
        # One that has it again need not be told; nor is it the one that is, where a later one fits as well.
        while self.changes and self.may_be_again(self.changes[0]) and not (
                self.fits(self.changes[0], told) and not any(self.fits(change, told) for change in self.changes[1:])):
            self.changes.pop(0)
        if not self.changes:
            self.lie(event, "no change of holder is left to be told")
            return
        lost, _, _, _ = self.changes.pop(0)
        if lost and told["cause"] not in [cause for old in lost for cause in self.causes_of(old, told, by)]:
            self.lie(event, f"cause {told['cause']} ({told['cause_certainty']}), in truth {lost}")

    def finish(self):
        now = self.truth.now(self.path)
        if bool(self.leader) != bool(now):
            self.lie(None, f"told to hold it: {self.leader}; in truth {now}")
        if self.untold():
            self.lie(None, f"failovers never told: {self.untold()}")


def retell(truth, paths, events, lies, deaths=None):
    """Holds a stream against the truth; returns its retellings by path."""
    locks = [path for path in paths if truth.directories[path] and truth.directories[path][0].lock]
    tellers = {path: (LockRetelling if path in locks else Retelling)(truth, path, lies, deaths) for path in paths}
    for event in events:
        teller = tellers.get(event.get("election"))
        if teller is not None:
            if event["event"] == "leader-lost":
                teller.lost_told = moment(event["time"])
            teller.take(event)
    for teller in tellers.values():
        teller.finish()
    return tellers


def check_look(truth, document, began, ended, lies, stale_s):
    """One look: every election shows what was so at one moment not long before it began, up to its end."""
    for cluster in document["clusters"]:
        for election in cluster["elections"]:
            if election["state"] in ("unknown", "denied"):
                continue
            shown = [c["name"] for c in election["candidates"]]
            path = election["path"]
            steps = []
            for made in truth.directories[path]:
                steps.append((made.born, []))
                steps += [(at, standing) for at, _, standing in made.steps]
                if made.gone:
                    steps.append((made.gone, []))
            current = [i for i, (at, _) in enumerate(steps) if at <= began - stale_s]
            window = steps[current[-1] if current else 0:]
            fitting = [standing for at, standing in window
                       if at <= ended + CLOCK_S and [life.name for life in standing] == shown]
            brief = {key: election[key] for key in ("state", "leader")} | {"shown": shown}
            if not fitting and not (election["state"] == "absent" and not shown):
                lies.tell(path, brief, f"never so between {began - stale_s:.3f} and {ended:.3f}: "
                                       f"{[(round(at, 3), [life.name for life in who]) for at, who in window]}",
                          began - stale_s, ended)
                continue
            owners = [{life.name: life.owner for life in standing} for standing in fitting]
            told = {c["name"]: c["session"] for c in election["candidates"] if c["session"]}
            if fitting and not any(all(one.get(name) == session for name, session in told.items()) for one in owners):
                lies.tell(path, told, f"the owners are {owners}")
            leader = election["leader"]
            if (leader["name"] if leader else None) != (shown[0] if shown else None):
                lies.tell(path, brief, "the leader is not the first")


def compare_standing(truth, document, lies):
    """When all is quiet, a look shows just what is there: who stands, whose it is, and who leads."""
    for cluster in document["clusters"]:
        for election in cluster["elections"]:
            path, now = election["path"], truth.now(election["path"])
            told = [(candidate["name"], candidate["session"]) for candidate in election["candidates"] or []]
            if told != [(life.name, life.owner) for life in now or []]:
                lies.tell(path, told, f"in truth {now}")
            leader = election["leader"] and election["leader"]["name"]
            if leader != (now[0].name if now else None):
                lies.tell(path, leader, f"in truth {now and now[0]}")
            free = truth.directories[path] and truth.directories[path][0].lock
            states = ["led"] if now else ["absent", "vacant"] if now is None or free else ["vacant"]
            if election["state"] not in states:
                lies.tell(path, election["state"], f"in truth {now}")
