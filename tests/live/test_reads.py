"""What the program reads while nothing changes: at most three reads a second, whatever stands in the tree.

The servers count the requests of each session (lcxid: without pings, and without polls, which come by other ways)."""
import time
import uuid

import pytest

from electop import PROGRAM, Events
from exporter import Exporter
from read_watch import ReadWatch
from standing import LATCH, Findings, Line
from terminal import Pty
from waiting import until

LIMIT_S = 150
READS_PER_S = 3


@pytest.fixture
def lines(zk):
    """Makes lines of raw sessions, which end with the test."""
    made = []

    def make(path):
        made.append(Line(zk, path))
        return made[-1]
    yield make
    for line in made:
        line.close()


def own_requests(zk, before):
    """The requests of all sessions that are not among those before."""
    return {session: int(last, 16) for session, last in zk.requests().items() if session not in before}


def quiet(zk, before, window_s=3):
    """No more reads than promised in some seconds."""
    first, since = own_requests(zk, before), time.monotonic()
    time.sleep(window_s)
    second, took_s = own_requests(zk, before), time.monotonic() - since
    assert second and first.keys() == second.keys()
    reads = sum(second.values()) - sum(first.values())
    assert reads <= READS_PER_S * took_s + 1, f"{reads} reads in {took_s:.1f} s"  # one was due before
    return True


def settles(zk, before):
    """Waits for such seconds: the first reads are done, and news pays for no others."""
    until(lambda: quiet(zk, before), 40, "no more reads than promised")


def name_only(lines, client, path):
    """Known only by its name, with equal data: an answer once led to the same question, 8,000 times a second."""
    line = lines(path)
    for _ in range(2):
        line.join("m", watching=None, name="worker-")


def equal_latches(lines, client, path):
    line = lines(path)
    for _ in range(3):
        line.join("same")


def deaf(lines, client, path):
    line = lines(path)
    for i in range(3):
        line.join(f"host{i}:80", watching=None)


def unwatched_copies(lines, client, path):
    line = lines(path)
    for _ in range(2):
        line.join("same", watching=None)


def leftover(lines, client, path):
    client.create(f"{path}/{LATCH.format(guid=uuid.uuid4())}", b"gone", sequence=True, makepath=True)
    lines(path).join("host:80", watching=None)


def empty(lines, client, path):
    client.ensure_path(path)


def lock(lines, client, path):
    client.create(path + "/leader", b"host", ephemeral=True, makepath=True)


def solo_without_data(lines, client, path):
    line = lines(path)
    for _ in range(2):
        line.join("", watching=None, name="n_")


SCENES = [name_only, equal_latches, deaf, leftover, empty, lock, solo_without_data]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_events_read_no_more_than_promised(zk, client, lines, path, scene):
    scene(lines, client, path)
    before = set(zk.requests())
    with Events(zk.hosts, "--admin", zk.admin, path):
        settles(zk, before)


def test_suspicions_of_many_elections(zk, client, lines, path):
    """They wait half a minute for their proof: polls of the servers settle it, and no list of candidates with each poll."""
    for i in range(10):
        unwatched_copies(lines, client, f"{path}/{i}/latch")
    before = set(zk.requests())
    with Events(zk.hosts, "--admin", zk.admin, f"{path}/*/latch") as events:
        findings = Findings(events)
        for i in range(10):
            findings.expect(f"{path}/{i}/latch", "no-watch", 20, certainty="suspected")
        settles(zk, before)
        assert findings.expect(f"{path}/0/latch", "no-watch", 1)["certainty"] == "suspected"  # not proved meanwhile


def test_a_discovered_tree(zk, client, lines, path):
    """Without a path: all scenes of one tree together, for the dashboard, which also probes its server."""
    for scene in SCENES:
        scene(lines, client, f"{path}/{scene.__name__}")
    before = set(zk.requests())
    screen = Pty([PROGRAM, "-s", zk.hosts, "--admin", zk.admin])
    try:
        screen.shows("name_only")
        settles(zk, before)
    finally:
        screen.close()


def test_the_account_shows_in_metrics(zk, client, lines, path):
    name_only(lines, client, path)
    before = set(zk.requests())
    exporter = Exporter("-s", zk.hosts, "--admin", zk.admin, "--listen", "127.0.0.1:0", path)
    try:
        reads = f'electop_cluster_reads_total{{cluster="{zk.hosts}"}}'
        until(lambda: exporter.metrics().get(reads, 0) > 3)
        settles(zk, before)
        assert exporter.metrics()[reads] <= sum(own_requests(zk, before).values())
    finally:
        exporter.end()


def test_a_storm_is_noticed(zk, client, path):
    """Beside every live test a watch counts the program's reads: this one takes a client that reads on and on for it."""
    client.exists("/a-reader", watch=lambda _: None)
    watch = ReadWatch(zk, mark="/a-reader")
    until(lambda: [client.exists(path) for _ in range(20)] and watch.wrong, 60, "the reads are noticed")
    with pytest.raises(AssertionError, match="reads in"):
        watch.close()
