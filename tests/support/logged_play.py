"""One play for the logs of every ZooKeeper: leaders go in all ways, amid whatever else servers write down. And how an
autopsy of these logs is judged."""
import glob
import os
import shutil

from autopsies import autopsy, check_autopsy
from raw_session import MULTI, RawSession, SessionError
from truth import Truth
from txnlog import CLOSE_SESSION, CREATE_CONTAINER, CREATE_TTL, transactions
from waiting import until

LEADER, BOX = "/play/leader", "/play/box"
SNAP_COUNT = 60
CONFIG = (f"snapCount={SNAP_COUNT}",)
JAVA = ("-Dzookeeper.extendedTypesEnabled=true",)


class Truths(Truth):
    """Of one server alone."""

    def __init__(self, *logs):
        super().__init__(*logs, copies=1)


def play(zk, containers=True):
    """Six leaders of /play/leader go, the last stays, as long as the server serves; in a container two go.
    Returns the true causes of each."""
    def session(timeout_s=4.0):
        return RawSession(zk.addresses[0], timeout_s)

    def noise():
        """Transactions enough for a new log and a snapshot."""
        for i in range(SNAP_COUNT):
            admin.set("/play/data", b"x" * i)
    admin = session(30)
    for path in ("/play", LEADER, "/play/data"):
        admin.make(path)
    sessions = [session() for _ in range(7)]
    names = [one.create(f"{LEADER}/n_", f"app-{i}:80".encode()) if i % 2 else
             one.create_secured(f"{LEADER}/n_", f"app-{i}:80") for i, one in enumerate(sessions)]
    if containers:
        admin.create_container(BOX)
        admin.create_ttl("/play/brief", 3600000)
    else:
        admin.make(BOX)
    boxed = [session(30) for _ in range(3)]
    for one in boxed:
        one.create(f"{BOX}/n_")
    noise()
    sessions[0].drop()
    until(lambda: gone(admin, names[0]), 40)
    sessions[1].delete(f"{LEADER}/{names[1]}")
    noise()
    try:
        admin.replace(f"{LEADER}/missing", f"{LEADER}/n_never")  # the whole of it fails
    except (SessionError, OSError):
        admin = session(30)
    sessions[2].close()
    admin.replace(f"{LEADER}/{names[3]}", "/play/replaced")
    boxed[0].close()
    noise()
    admin.blink(f"{LEADER}/n_blink0000000000")
    admin.delete(f"{LEADER}/{names[4]}")
    sessions[5].leave(f"{LEADER}/{names[5]}")
    boxed[1].close()
    noise()
    return ["expired", "resigned", "closed", "evicted", "evicted", "resigned"], ["closed", "closed"]


def gone(session, name):
    try:
        session.set(f"{LEADER}/{name}", b"")
        return False
    except SessionError:
        return True


def causes(events, path):
    return [event["failover"]["cause"] for event in events if event["event"] == "failover" and event["election"] == path]


def logs(directory, kind="log"):
    return sorted(glob.glob(os.path.join(directory, "**", f"{kind}.*"), recursive=True),
                  key=lambda path: int(path.rsplit(".", 1)[1], 16))


def judge(zk, played, tmp_path, containers=True):
    """What the autopsy tells is the truth: of all the logs, without the earliest ones, and with a torn end."""
    led, boxed = played
    found, told, _ = check_autopsy(Truths(zk.directory), [zk.directory], [LEADER, BOX])
    assert not found, "\n".join(found)
    events, complaints = autopsy(zk.directory)
    assert causes(events, LEADER) == led and causes(events, BOX) == boxed and not complaints, (events, complaints)
    assert {failover["cause_certainty"] for failover in told.values()} == {"certain"}
    kinds = {t.type for t in transactions(zk.directory)}
    assert {MULTI, CLOSE_SESSION} <= kinds and (not containers or {CREATE_CONTAINER, CREATE_TTL} <= kinds)
    judge_purged(zk, led, tmp_path / "purged")
    judge_torn(zk, led, tmp_path / "torn")


def judge_purged(zk, led, copy):
    """As a server purges: an old snapshot and the logs that reach back to it are enough, whatever transactions came
    while it was written."""
    shutil.copytree(zk.directory, copy)
    numbers = {path: int(path.rsplit(".", 1)[1], 16) for path in (*logs(copy), *logs(copy, "snapshot"))}
    base = [numbers[path] for path in logs(copy, "snapshot")][2]  # the second in the middle
    first = max(numbers[path] for path in logs(copy) if numbers[path] <= base + 1)
    assert first > 1, numbers
    for path, number in numbers.items():
        if number < (first if "log." in path else base):
            os.unlink(path)
    events, complaints = autopsy(copy)
    told = causes(events, LEADER)
    assert told and told == led[-len(told):], events
    assert not complaints, complaints


def judge_torn(zk, led, copy):
    """A tail of zeros is no damage; nor is half a record at the end."""
    shutil.copytree(zk.directory, copy)
    last = logs(copy)[-1]
    with open(last, "rb") as log:
        content = log.read()
    written = len(content.rstrip(b"\0"))
    assert len(content) > written  # preallocated
    with open(last, "wb") as log:
        log.write(content[:written - 9] + bytes(1000))
    events, complaints = autopsy(copy)
    assert causes(events, LEADER) == led and not complaints, complaints
