"""The sentences of `electop why` of a failover that only logs know, each held against the logs as the tests read them.

A sentence that no check knows is found too: whoever adds a sentence adds its check."""
import os
import re

from truth import moment
from txnlog import CLOSE_SESSION, CREATE_SESSION, transactions

AROUND_S, NEAR_S, BEFORE_S = 60, 5, 0.02
# Of an election, as its members come and go: a log shows no watches.
CODES = {"flapping", "no-leader", "sequence-near-overflow", "sequence-overflowed", "sequence-tie"}
UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
SPAN = r"((?:[\d.]+(?:ms|[smhd]))+)"


def seconds(text):
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+)(ms|[smhd])", text))


def close(text, truth):
    """To the last digit that is told."""
    number, unit = re.findall(r"([\d.]+)(ms|[smhd])", text)[-1]
    last = 10 ** -len(number.partition(".")[2]) * UNITS[unit]
    return abs(seconds(text) - truth) <= max(0.0015, last)


def went(how):
    return lambda stories, who, evidence: stories.lost.how == how and who.encode() == stories.lost.data


class Stories:
    def __init__(self, truth, *directories, copies=2):
        """directories: of the servers, each with its logs. copies: as of the truth."""
        self.truth, self.directories = truth, directories
        self.log = transactions(*directories, copies=copies)
        self.timeouts_s = {t.session: t.timeout_ms / 1000 for t in transactions(*directories) if t.type == CREATE_SESSION}
        self.ends = {t.session: t for t in self.log if t.type == CLOSE_SESSION}

    # ---- what the logs hold ----

    def leaders(self, path):
        """(moment, Life or None), over all makings of the election."""
        return [step for made in self.truth.directories[path] for step in made.leaders()]

    def losses(self, path):
        """(moment, Life): each leader that went, and was followed."""
        steps = self.leaders(path)
        return [(life.gone, life) for (_, life), (_, after) in zip(steps, [*steps[1:], (0, None)])
                if life and life.gone and (after or self.follows(path, life.gone))]

    def follows(self, path, at):
        return any(life for when, life in self.leaders(path) if when >= at)

    def session_ends(self, word):
        return [t for t in self.ends.values() if (t.cxid == 0) == (word == "expired")]

    # ---- one story ----

    def check(self, story):
        """What is wrong with it."""
        self.story, self.path = story, story["election"]
        self.failover, self.lost_at = story["failover"], moment(story["time"])
        lives = [life for made in self.truth.directories[self.path] for life in made.lives]
        self.lost = next((life for life in lives if life.name == self.failover["from"]
                          and life.gone and abs(life.gone - self.lost_at) < 0.0015), None)
        if not self.lost:
            return [f"{self.path} at {story['time']}: {self.failover['from']} did not go then"]
        self.lives, self.found = lives, []
        for sentence in story["sentences"]:
            for form, check in self.CHECKS:
                if told := re.fullmatch(form, sentence["text"], re.DOTALL):
                    if not check(self, *told.groups(), evidence=sentence["evidence"]):
                        self.found.append(f"{self.path} at {story['time']}: {sentence['text']} ({sentence['evidence']})")
                    break
            else:
                self.found.append(f"a sentence without a check: {sentence['text']}")
        return self.found

    def moved(self, clock, path, before, after, vacancy, evidence):
        """Who was who is their data; the vacancy is between two transactions."""
        nxt = next((at, life) for at, life in self.leaders(self.path) if life and at >= self.lost_at - 0.0005
                   and life.name == self.failover["to"])
        gap = nxt[0] - self.lost.gone
        return (path == self.path and clock in self.story["time"] and before.encode() == self.lost.data
                and after.encode() == nxt[1].data and (close(vacancy, gap) if vacancy else gap < 0.001))

    def expired(self, who, timeout, evidence):
        return self.lost.how == "expired" and who.encode() == self.lost.data and (
            not timeout or close(timeout, self.timeouts_s[self.lost.owner]))

    def evictor(self, session, count, example, evidence):
        others = [c for c in self.truth.changes if c.kind == "delete" and c.session == session
                  and abs(c.time_ms / 1000 - self.lost_at) <= AROUND_S and self.is_ephemeral(c)
                  and c.path != f"{self.path}/{self.lost.name}"]
        return self.lost.by == session and len(others) == int(count or 0) and (
            not example or example in [c.path for c in others])

    def is_ephemeral(self, change):
        made = [c for c in self.truth.changes if c.kind == "create" and c.path == change.path and c.zxid < change.zxid]
        return bool(made) and made[-1].ephemeral

    def together(self, count, within, names, evidence):
        third = self.timeouts_s[self.lost.owner] / 3
        beside = [t for t in self.session_ends("expired") if t.session != self.lost.owner
                  and abs(t.time_ms / 1000 - self.lost_at) <= third + 0.0005]
        owners = {life.owner: life.data.decode() for made in self.truth.directories.values()
                  for directory in made for life in directory.lives}
        who = set(names.removesuffix(" and others").split(", ")) if names else set()
        return (len(beside) == int(count) and close(within, third)
                and who <= {owners.get(t.session) for t in beside})

    def restarted(self, told, led, evidence):
        starts = re.findall(r"server (\d+) (?:went down |was lost )?between ([\d:.]+) and ([\d:.]+)", told)
        zxids = re.findall(r"transaction (0x[0-9a-f]+)", evidence)
        times = {t.zxid: t.time_ms / 1000 for t in self.log}
        before = {b.zxid: a.time_ms / 1000 for a, b in zip(self.log, self.log[1:])}
        first = {int(name[4:], 16) for folder in self.directories for _, _, names in os.walk(folder) for name in names
                 if name.startswith("log.")}
        return starts and all(
            int(zxid, 16) in first and self.clock(low, before.get(int(zxid, 16), 0)) and
            self.clock(high, times[int(zxid, 16)]) for (_, low, high), zxid in zip(starts, zxids))

    def epoch(self, low, high, evidence):
        zxid = int(re.search(r"0x([0-9a-f]+)", evidence)[1], 16)
        pairs = {b.zxid: (a, b) for a, b in zip(self.log, self.log[1:]) if a.zxid >> 32 != b.zxid >> 32}
        a, b = pairs[zxid]
        return self.clock(low, a.time_ms / 1000) and self.clock(high, b.time_ms / 1000)

    def no_quorum(self, span, evidence):
        zxid = int(re.search(r"0x([0-9a-f]+)", evidence)[1], 16)
        a, b = next((a, b) for a, b in zip(self.log, self.log[1:]) if b.zxid == zxid)
        return a.zxid >> 32 != b.zxid >> 32 and close(span, (b.time_ms - a.time_ms) / 1000)

    def clock(self, text, at):
        """Of the day of the story, in UTC as the tests' machine has it."""
        day = moment(self.story["time"][:11] + text + "Z")
        return min(abs(day - at), abs(abs(day - at) - 86400)) < 0.0015

    def near(self, count, names, evidence):
        others = {path for path in self.truth.directories if path != self.path and path.rsplit("/", 1)[-1] == "leader"
                  for at, _ in self.losses(path) if abs(at - self.lost_at) <= NEAR_S}
        return len(others) == int(count) and set(names.removesuffix(" and others").split(", ")) <= others

    def returned(self, who, later, evidence):
        name, at = re.fullmatch(r"(\S+) joined at (\S+)", evidence).groups()
        life = next(life for life in self.lives if life.name == name and abs(life.born - moment(at)) < 0.001)
        earlier = [other for other in self.lives if other.data == life.data and self.lost.gone < other.born < life.born]
        return life.data == self.lost.data == who.encode() and not earlier and close(later, life.born - self.lost.gone)

    def silent(self, low, high, evidence):
        """A client that speaks once in a third of its timeout was heard last so long before it expired."""
        timeout, unit = self.timeouts_s[self.lost.owner], re.search(r"[a-z]+$", high or low)[0]
        return self.lost.how == "expired" and seconds(low if low[-1].isalpha() else low + unit) <= timeout and (not high or seconds(high) >= timeout)

    def lines(self):
        """Those behind the leader when it went, and a moment before: what changes together is recorded together."""
        for before_s in (0, BEFORE_S):
            standing = [life for life in self.lives if life.born <= self.lost_at and life is not self.lost
                        and (not life.gone or life.gone > self.lost_at - before_s
                             or life.gone_zxid >= self.lost.gone_zxid)]
            yield sorted(standing, key=lambda life: life.number)

    def successor(self, who, evidence):
        return any(line and line[0].data == who.encode() and int(evidence.split()[0]) == len(line) + 1
                   for line in self.lines())

    def alone(self, evidence):
        return [] in self.lines()

    def had_led(self, who, least, span, evidence):
        since = max(at for at, life in self.leaders(self.path) if life is self.lost)
        led = self.lost.gone - since
        return who.encode() == self.lost.data and (seconds(span) <= led + 1 if least else close(span, led))

    def recurrence(self, count, back, same, who, cause, day, evidence):
        before = [life for at, life in self.losses(self.path) if self.lost_at - seconds(back.replace(" days", "d")) - 1 <= at < self.lost.gone]
        return (len(before) == int(count)
                and sum(life.data == self.lost.data for life in before) == int(same or 0)
                and sum(life.how == self.lost.how for life in before) == int(cause or 0)
                and not day)  # no log of a test lasts a day

    def same_server(self, count, latest, server, evidence):
        before = [life for at, life in self.losses(self.path) if at < self.lost.gone][-8:]
        begun = [int(life.owner, 16) >> 56 for life in before]
        return len(begun) == int(latest) and begun.count(int(server)) == int(count) and (
            int(self.lost.owner, 16) >> 56 == int(server))

    def queued(self, who, span, evidence):
        return any(close(span, self.lost.gone - life.born) for life in self.lives
                   if life is not self.lost and life.data == self.lost.data == who.encode()
                   and life.owner != self.lost.owner)

    def remade(self, later, evidence):
        """A directory goes after all that is in it."""
        made = self.truth.directories[self.path]
        gone = [(one.gone, after.born if after else None) for one, after in zip(made, [*made[1:], None])
                if one.gone and -0.001 <= one.gone - self.lost_at <= 1.001]
        return bool(gone) and (not later or close(later, gone[0][1] - gone[0][0]))

    def own_next(self, who, evidence):
        return any(life.owner == self.lost.by and life.data == self.lost.data == who.encode() for life in self.lives)

    def inferred(self, *_, evidence):
        return bool(evidence)

    CHECKS = [
        (r"([\d:.]+): leadership of (\S+) moved from (\S+) to (\S+?)(?: after (.+) without a leader)?\.", moved),
        (rf"The session of (\S+) expired: the servers had not heard from it for its timeout(?: of {SPAN})?\.", expired),
        (r"The client of (\S+) closed its session, as in an orderly shutdown\.", went("closed")),
        (r"(\S+) resigned: its own session deleted its candidate\.", went("resigned")),
        (r"(\S+) was evicted: another session deleted its candidate\.", went("evicted")),
        (r"Session (0x[0-9a-f]+) deleted it, and (?:no|(\d+)) other ephemeral znodes? within a minute"
         r"(?:, such as (\S+))?\.", evictor),
        (rf"(\d+) other sessions? expired within {SPAN} of it(?:: (.+))?\.", together),
        (r"(?:A server was|Servers were) restarted(?:, or cut off while one led)?: (.+?)(; ZooKeeper's own leader changed then)?\.", restarted),
        (r"ZooKeeper's own leader changed between ([\d:.]+) and ([\d:.]+)\.", epoch),
        (rf"Before ZooKeeper's leader changed, the servers had agreed on no change for {SPAN}: .+", no_quorum),
        (r"(\d+) other elections? changed the leader within 5 s: (.+)\.", near),
        (rf"(\S+) was a candidate again {SPAN} later\.", returned),
        (r"Its client had stopped answering (?:≥ )?(\S+)(?: – (\S+))? before that\.", silent),
        (r"(\S+) was next in line\.", successor),
        (r"There was no successor\.", alone),
        (rf"(\S+) had led for (at least )?{SPAN}\.", had_led),
        (r"Its leader had changed (\d+) times? in the (\S+|7 days) before(?:, (\d+) of them away from (\S+?))?"
         r"(?:, (\d+) for the same cause)?(?:, (\d+) at the same time of day)?\.", recurrence),
        (r"As its own session did, those of (\d+) of the latest (\d+) leaders before it began at server (\d+)\.",
         same_server),
        (r"Before it, (\S+) had been found\.", lambda stories, code, evidence: code in CODES),
        (rf"Its client had probably been restarted before: another session of (\S+) had been in line for {SPAN}\.",
         queued),
        (rf"The election itself was deleted with all its candidates(?:, and created again after {SPAN})?\.", remade),
        (r"That is the next session of (\S+): the client had lost the old session, and deleted its old candidate\.", own_next),
        # Inferences: the facts that they rest on have sentences of their own.
        (r"(?:Several candidates were removed on purpose|This candidate was removed on purpose|The host or its network is|These sessions had all begun|"
         r"One failure behind all|By their names, \d+ of them|They ended one timeout after|The session of \S+ had begun at server|That restarted every session timeout|"
         r"The client was probably restarted|So the client was restarted|\S+ led there, too).*", inferred),
    ]
