"""Elections of raw sessions, each of whose members does what its test says; and the tool's findings on them."""
import itertools
import json
import os
import threading
import uuid

from raw_session import EPHEMERAL, SEQUENCE, RawSession
from waiting import until

LATCH = "_c_{guid}-latch-"


class Member:
    """One candidacy: a session and the name of its znode."""

    def __init__(self, line, session, name):
        self.line, self.session, self.name, self.watched = line, session, name, None

    @property
    def path(self):
        return f"{self.line.path}/{self.name}"

    def watches(self, other):
        """It watches another one now, as the recipe has it or not."""
        self.session.watch(other.path)
        self.watched = other

    def looks(self):
        """A request, as of a client that was notified."""
        self.session.look(self.path)

    def leaves(self):
        self.session.close()
        self.line.members.remove(self)
        for other in self.line.members:
            if other.watched is self:
                other.looks()


class Line:
    """An election under one path. Members stand in the order in which they join."""

    def __init__(self, zk, path, at=None):
        self.zk, self.path, self.address = zk, path, at or zk.addresses[0]
        self.members, self.sessions = [], []

    def session(self, timeout_s=4.0, at=None, **more):
        self.sessions.append(RawSession(at or self.address, timeout_s, **more))
        return self.sessions[-1]

    def make(self, session, path=None):
        """The directory and those above it, as persistent znodes."""
        path = path or self.path
        above = path.rsplit("/", 1)[0]
        if above:
            self.make(session, above)
        session.make(path)

    def join(self, data="", watching="predecessor", name=LATCH, session=None, timeout_s=4.0, flags=None, **more):
        """watching: "predecessor", None, or a member. name: without {guid} and flags=EPHEMERAL it is the whole name."""
        session = session or self.session(timeout_s, **more)
        if not self.members:
            self.make(session)
        flags = EPHEMERAL | SEQUENCE if flags is None else flags
        created = session.create(f"{self.path}/" + name.format(guid=uuid.uuid4(), session=session.id), data, flags)
        member = Member(self, session, created)
        if watching == "predecessor":
            watching = self.members[-1] if self.members else None
        if watching:
            member.watches(watching)
        self.members.append(member)
        return member

    def close(self):
        for session in self.sessions:
            session.close()


def configuration(folder, zk, elections, every="1s"):
    """A configuration file for `electop` on this ensemble; elections: their paths, with the settings of each."""
    lines = ["clusters:", "  - name: test", f"    hosts: {zk.hosts}", "    servers:",
             f"      admin: [{', '.join(json.dumps(address) for address in zk.admin.split(','))}]",
             f"      every: {every}", "    elections:"]
    for path, settings in elections.items():
        lines.append(f"      - {{path: {path}{''.join(f', {key}: {value}' for key, value in settings.items())}}}")
    file = os.path.join(folder, "config.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    return file


class Findings:
    """What a stream of `electop events` has raised and not cleared."""

    def __init__(self, events):
        self.events, self.lock = events, threading.Lock()

    def told(self, path):
        """Everything said of this election, in order: (raised or cleared, finding)."""
        with self.events.changed:
            return [(event["event"], event["finding"]) for event in self.events.seen
                    if event["event"].startswith("finding-") and event["election"] == path]

    def raised_since_joined(self, path):
        """What was found after its first candidate had joined: before, it was truly vacant."""
        with self.events.changed:
            said = [event for event in self.events.seen if event["election"] == path]
        joined = itertools.dropwhile(lambda event: event["event"] != "candidate-joined", said)
        return [event["finding"] for event in joined if event["event"] == "finding-raised"]

    def now(self, path):
        """The findings that stand, by code and what each is about."""
        standing = {}
        for word, finding in self.told(path):
            about = (finding["code"], *finding["candidates"][:1])
            if word == "finding-raised":
                standing[about] = finding
            else:
                standing.pop(about, None)
        return standing

    def expect_seen(self, line):
        """Waits until the tool knows of every member, and which of them leads."""
        def seen():
            with self.events.changed:
                told = [event for event in self.events.seen if event["election"] == line.path]
            joined = {event["candidate"] for event in told if event["event"] == "candidate-joined"}
            leaders = [event["to"] for event in told if event["event"] == "leader-elected"]
            return joined >= {member.name for member in line.members} and leaders[-1:] == [line.members[0].name]
        until(seen, 20, f"{line.path} is seen")

    def expect(self, path, code, within, **fields):
        """Waits until this stands; returns it."""
        def stands():
            found = [finding for (word, *_), finding in self.now(path).items() if word == code
                     and all(finding[field] == value for field, value in fields.items())]
            assert found, self.told(path)
            return found[0]
        return until(stands, within, f"{code} {fields} on {path}")

    def expect_cleared(self, path, code, within):
        def gone():
            standing = self.now(path)
            assert not [about for about in standing if about[0] == code], standing
            return True
        return until(gone, within, f"{code} cleared on {path}")
