"""Packets in the place of a cluster: each command that takes them, from a file and from a pipe. What they prove is held
against the truth in tests/support/sample.h."""
import json
import os
import signal
import struct
import subprocess
import threading
import time
from datetime import datetime
from pathlib import Path

import pytest

import packets
from electop import PROGRAM, check_sanitizers, run
from packets import Follower
from terminal import Tmux
from waiting import until

CAPTURE = "tests/unit/data/captures/election.pcap"
EVICTED = "tests/unit/data/captures/evicted_then_expired.pcap"
# c is notified that b has gone: the packet of this time.
NOTIFIED = (1795632457, 952724)


@pytest.fixture
def private(tmp_path):
    return {"TMPDIR": str(tmp_path), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "TZ": "UTC0"}


def events(done):
    return [json.loads(line) for line in done.out.splitlines()]


def shown(private, command, scene):
    """What the command shows of these packets."""
    path = Path(private["HOME"]) / "x.pcap"
    path.write_bytes(b"".join(scene))
    return run(command, "--json", "--capture", str(path), env=private)


def packets_until(last):
    """The capture's header, and its packets up to that of this time."""
    with open(CAPTURE, "rb") as f:
        data = f.read()
    at = 24
    while at < len(data):
        second, part, captured = struct.unpack("<III", data[at:at + 12])
        if (second, part) > last:
            break
        at += 16 + captured
    return data[:at]


def file_of(path, *, since=0, until=2**32, ahead=0):
    """The packets of these seconds, by a clock that is so many of them ahead."""
    with open(CAPTURE, "rb") as f:
        data = f.read()
    kept, at = data[:24], 24
    while at < len(data):
        second, _, captured = struct.unpack("<III", data[at:at + 12])
        if since <= second < until:
            kept += struct.pack("<I", second + ahead) + data[at + 4:at + 16 + captured]
        at += 16 + captured
    path.write_bytes(kept)
    return str(path)


def check_told(told):
    failovers = [e["failover"] for e in told if e["event"] == "failover"]
    assert [(f["from_identity"], f["to_identity"], f["cause"], f["cause_certainty"]) for f in failovers] == \
        [("a", "b", "expired", "certain"), ("b", "c", "expired", "certain"), ("c", "d", "evicted", "certain")]
    assert [e["identity"] for e in told if e["event"] == "candidate-joined"] == ["a", "b", "c", "d"]
    assert [e["to_identity"] for e in told if e["event"] == "leader-elected"] == ["a", "b", "c", "d"]
    assert [(f["notified_ms"], f["reacted_ms"]) for f in failovers[:2]] == \
        [([0.001, 0.001], [0.901, 0.901]), ([0.935, 0.935], [1.554, 1.554])]
    # b is stopped 5 s before its session expires, and goes on 4.87 s after c has reacted.
    # c goes on after its znode was deleted, and nothing tells it.
    assert {e["finding"]["code"] for e in told if e["event"] == "finding-raised"} == {
        "leader-silent", "double-leader", "double-leader-risk"}


def test_events_of_a_file_and_of_a_pipe(private):
    check_told(events(run("events", "--json", "--capture", CAPTURE, env=private)))
    with subprocess.Popen(["cat", CAPTURE], stdout=subprocess.PIPE) as cat:
        done = subprocess.run([PROGRAM, "events", "--json", "--capture", "-"], stdin=cat.stdout, capture_output=True, text=True,
                              env={**os.environ, **private}, timeout=60)
    check_sanitizers(done.stderr)
    assert done.returncode == 0, done
    check_told([json.loads(line) for line in done.stdout.splitlines()])


@pytest.mark.parametrize("block", [1, 0])
def test_packets_that_a_pipe_hands_on(private, block):
    """As tcpdump does without --immediate-mode: a second's packets at once, when it is over; and with it. What came before
    b's last seconds comes in the first of them. What time tells comes in time where the packets do."""
    since, until_second = 1795632447, 1795632459
    path = file_of(Path(private["HOME"]) / "part.pcap", until=until_second)
    data = bytearray(Path(path).read_bytes())
    at = part = 24
    while at < len(data):
        if struct.unpack("<I", data[at:at + 4])[0] < since:
            part += 1
            data[at:at + 8] = struct.pack("<II", since, part)
        at += 16 + struct.unpack("<I", data[at + 8:at + 12])[0]
    Path(path).write_bytes(data)
    alone = events(run("events", "--json", "--capture", path, env=private))
    with subprocess.Popen([PROGRAM, "events", "--json", "--capture", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={**os.environ, **private}, bufsize=0) as process:
        told = []
        reader = threading.Thread(target=lambda: told.extend((time.time(), json.loads(line)) for line in process.stdout))
        reader.start()
        process.stdin.write(data[:24])
        at, begun = 24, time.time() - since
        while at < len(data):
            second, part, captured = struct.unpack("<III", data[at:at + 12])
            due = begun + (second + block if block else second + part / 1e6)
            time.sleep(max(0, due - time.time()))
            process.stdin.write(data[at:at + 16 + captured])
            at += 16 + captured
        process.stdin.close()
        reader.join(60)
        err = process.stderr.read()
    check_sanitizers(err.decode())

    def figures(told):
        return [[e["failover"][key] for key in ("cause", "cause_certainty", "detection_ms", "notified_ms", "reacted_ms")]
                for e in told if e["event"] == "failover"]
    assert figures(event for _, event in told) == figures(alone) != []
    behind = [at - begun - datetime.fromisoformat(event["time"]).timestamp()
              for at, event in told if event["event"] == "finding-raised" and event["finding"]["code"] == "leader-silent"]
    assert behind and (block or max(behind) < 0.3), behind


def test_a_creation_that_is_missing(private, tmp_path):
    """v2_2's request to create the lock, and the answer: that nobody holds it is not known."""
    with open(EVICTED, "rb") as f:
        data = f.read()
    kept, at, number = data[:24], 24, 0
    while at < len(data):
        end = at + 16 + struct.unpack("<I", data[at + 8:at + 12])[0]
        if not 57 <= number < 61:
            kept += data[at:end]
        at, number = end, number + 1
    (tmp_path / "part.pcap").write_bytes(kept)
    told = events(run("events", "--json", "--capture", str(tmp_path / "part.pcap"), env=private))
    elected = [e for e in told if e["event"] == "leader-elected"][-1]
    assert elected["to_identity"] == "v2_1" and elected["after_gap_ms"] > 5000, elected
    assert not [e for e in told if e["event"] == "finding-raised" and e["finding"]["certainty"] == "certain"]


def test_a_silence_is_proven_where_every_server_was_captured(private, tmp_path):
    """Captures of one server that was captured in parts are as one; where another server's ends, a may have gone there."""
    a_is_silent = 1795632446
    parts = file_of(tmp_path / "1.pcap", until=a_is_silent), file_of(tmp_path / "2.pcap", since=a_is_silent)
    for name in "", "zk1=":
        check_told(events(run("events", "--json", "--capture", name + parts[0], "--capture", name + parts[1], env=private)))
    for other, certainty in (parts[0], "suspected"), (parts[1], "suspected"), (CAPTURE, "certain"):
        told = events(run("events", "--json", "--capture", f"zk1={CAPTURE}", "--capture", f"zk2={other}", env=private))
        first = next(e["failover"] for e in told if e["event"] == "failover")
        assert (first["cause"], first["cause_certainty"]) == ("expired", certainty), (other, first)


def test_clocks_that_differ_are_noticed_before_anything_is_told(private, tmp_path):
    for ahead, status in (0, 0), (3600, 2), (-3600, 2):
        done = run("events", "--capture", CAPTURE, "--capture", file_of(tmp_path / "other.pcap", ahead=ahead), env=private)
        assert (done.status, bool(done.out), "their clocks differ" in done.err) == (status, not status, bool(status)), done


def test_the_chain_as_it_was(private):
    done = run("once", "--json", "--capture", CAPTURE, "--at", "2026-11-25T18:47:25Z", env=private)
    assert done.status == 0, done
    election, = (e for c in json.loads(done.out)["clusters"] for e in c["elections"])
    assert election["next_failover"]["chain"] == "complete" and election["next_failover"]["told"] is True
    assert [c["state"] for c in election["candidates"]] == ["leader", "waiting", "waiting", "waiting"]
    shown = run("once", "--capture", CAPTURE, "--at", "2026-11-25T18:47:23Z", env=private).out
    assert shown.count("≤3.0s") == 4, shown  # HEARD: each pings in time


def test_a_deaf_heir(private):
    """It watches nothing, and nothing happens for two seconds."""
    shown = run("once", "--capture", "tests/unit/data/captures/deaf_heir.pcap", env=private)
    assert "may stop at n_…1: no watch of it was seen" in shown.out, shown


def test_a_capture_is_no_server(private):
    out = run("once", "--capture", CAPTURE, "--at", "2026-11-25T18:47:25Z", env=private).out
    assert out.startswith("captures\n  ● read\n") and "● 127.0.0.1:53409  captured\n" in out and "0x0" not in out, out


def test_a_stopped_candidate_is_told_while_the_pipe_is_open(private):
    process = subprocess.Popen([PROGRAM, "events", "--json", "--capture", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, **private})
    process.stdin.write(packets_until(NOTIFIED))
    process.stdin.flush()
    found = None
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "finding-raised" and event["finding"]["code"] == "slow-reaction":
            found = event["finding"]
            break
    assert found and found["certainty"] == "certain", found
    process.stdin.close()
    process.stdout.read()
    assert process.wait(60) == 0
    check_sanitizers(process.stderr.read().decode())


def test_a_dashboard_waits_for_the_first_packets(private, tmp_path):
    """As tcpdump -U brings them, one by one: the first of them tell of no election yet."""
    os.mkfifo(tmp_path / "pipe")
    window = Tmux(f"{PROGRAM} watch --capture {tmp_path}/pipe", env=private)
    data, at = packets_until(NOTIFIED), 24
    try:
        with open(tmp_path / "pipe", "wb", buffering=0) as pipe:
            pipe.write(data[:at])

            def shown():
                nonlocal at
                if at < len(data):
                    end = at + 16 + struct.unpack("<I", data[at + 8:at + 12])[0]
                    pipe.write(data[at:end])
                    at = end
                assert not os.path.exists(window.status_file), window.screen()
                return "REPLAY" in window.screen()
            until(shown, 60)
            window.keys("q")
            until(lambda: os.path.exists(window.status_file))
    finally:
        window.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_temporary_file(private, tmp_path, number):
    """Not even while it waits for a pipe that nobody writes."""
    os.mkfifo(tmp_path / "pipe")
    signal.signal(number, signal.default_int_handler)  # not ignored, as under nohup
    process = subprocess.Popen([PROGRAM, "autopsy", "--capture", str(tmp_path / "pipe")], env={**os.environ, **private})
    until(lambda: list(tmp_path.glob("electop-*")), what="it has a directory")
    process.send_signal(number)
    assert process.wait(20) == -number and not list(tmp_path.glob("electop-*"))


def test_a_herd_is_notified(private):
    """Eight members watch the first, which is killed. Until the packet in which each is notified, its watch is on a znode
    that is gone: that is no fault."""
    told, *again = (events(run("events", "--json", "--capture", "tests/unit/data/captures/herd.pcap", env=private)) for _ in range(4))
    assert again == [told] * 3
    found = {e["finding"]["code"] for e in told if e["event"] == "finding-raised"}
    assert found == {"no-guid", "herd"}, found
    assert not [e for e in told if "for 0.0 s" in str(e.get("finding"))], told


@pytest.mark.parametrize("name", ["evicted_then_expired", "refused_multi"])
def test_a_request_about_another_znode(private, name):
    """The leader is killed. Another session had deleted its predecessor's znode, of the same name, two seconds before; or had
    asked for the leader's own in a multi that was refused: neither evicted it."""
    told = events(run("events", "--json", "--capture", f"tests/unit/data/captures/{name}.pcap", env=private))
    failover = [e["failover"] for e in told if e["event"] == "failover" and not e["failover"]["open"]][-1]
    assert failover["cause"] == "expired" and failover["detection_ms"] is not None, failover


def test_leaders_that_were_evicted(private):
    """Three leaders' znodes are deleted while their sessions live and write on: one notices nothing, one is notified and cleans
    up, one writes what every member writes."""
    told = events(run("events", "--json", "--capture", "tests/unit/data/captures/evicted_leaders.pcap", env=private))
    found = [(e["election"], e["finding"]["certainty"], e["finding"]["evidence"]) for e in told
             if e["event"] == "finding-raised" and e["finding"]["code"] == "double-leader"]
    assert [one[:2] for one in found] == [("/deaf", "certain")], told
    once = json.loads(run("once", "--json", "--capture", "tests/unit/data/captures/evicted_leaders.pcap", env=private).out)
    heard = [c["silent_ms"] for cluster in once["clusters"] for e in cluster["elections"] for c in e["candidates"]]
    assert len(heard) == 3 and all(ms is not None and ms < 1400 for ms in heard), heard
    assert "which was not told, wrote /s_deaf until " in found[0][2] and "as its successor does" in found[0][2], found


@pytest.mark.parametrize("name", ("evicted_by_unknown", "evicted_elsewhere"))
def test_a_leader_that_an_unknown_session_evicted(private, name):
    """The connection that deletes its znode was open before, or is to another server; its own was not, and asks for no such thing.
    It writes on."""
    told = events(run("events", "--json", "--capture", f"tests/unit/data/captures/{name}.pcap", env=private))
    assert [(e["failover"]["cause"], e["failover"]["cause_certainty"]) for e in told if e["event"] == "failover"] == \
        [("evicted", "certain")]
    assert [e["finding"]["certainty"] for e in told if e["event"] == "finding-raised" and
            e["finding"]["code"] == "double-leader"] == ["certain"], told


def of_a_client_that_lives_on(directories, heir_at, asks_after_us):
    """It leads in each of them. Its successor is notified that its znodes went, and then its own requests to delete them are answered;
    None: there are none, and its server, another one, answers pings by the transaction before."""
    packets.NOW_US, Follower.zxid = 1795632400_000000, 100
    leader, heir = Follower(1), Follower(2, heir_at)
    candidates = [b"/e%d/n_000000000" % i for i in range(directories)]
    yield packets.HEAD
    for client in leader, heir:
        yield from client.begin()
    for path in candidates:
        yield from leader.joins(path + b"0")
        yield from heir.joins(path + b"1")
        yield from heir.lists(path, b"0", b"1")
        yield from heir.watches(path + b"0")
    packets.NOW_US += 1000000
    yield from leader.pings()
    before, first = Follower.zxid, leader.asked + 1
    asked = b"".join(packets.frame(struct.pack(">ii", first + i, 2) + packets.text(path + b"0") + struct.pack(">i", -1))
                     for i, path in enumerate(candidates))
    if asks_after_us == 0:
        yield from leader.says(0, asked)
    for path in candidates:
        Follower.zxid += 1
        yield from heir.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + packets.text(path + b"0"))
    if asks_after_us:
        packets.NOW_US += asks_after_us
        yield from leader.says(0, asked)
    for i in range(directories if asks_after_us is not None else 0):
        yield from leader.answers(first + i, zxid=before + 1 + i)
    for path in candidates:
        yield from heir.lists(path, b"1")
    for _ in range(5):
        packets.NOW_US += 1000000
        yield from heir.pings()
        yield from leader.pings(**({"zxid": before} if asks_after_us is None and heir_at != packets.SERVER else {}))


@pytest.mark.parametrize("scene, cause", (((70, packets.SERVER, 0), ("resigned", "certain")),
                                          ((2, ("127.0.0.2", 2181), 30000), ("resigned", "certain")),
                                          ((2, ("127.0.0.2", 2181), None), ("unknown", None)),
                                          ((100, packets.SERVER, None), ("evicted", "certain"))))
def test_a_client_that_lives_on(private, scene, cause):
    """It asks for more at once than are remembered; by a clock that is behind it asks after the end; its session expires, of which its
    server, cut off from the others, does not know; another one, which is not seen, deletes many."""
    told = events(shown(private, "events", of_a_client_that_lives_on(*scene)))
    assert [(e["failover"]["cause"], e["failover"]["cause_certainty"]) for e in told if e["event"] == "failover"] == [cause] * scene[0]


def of_a_leader_of_two_elections(both, leads):
    """It is evicted from the first, and writes on for the second, from which it resigns: one client follows it in each. A third one
    writes as its successor does, once it leads, or though it does not."""
    packets.NOW_US, Follower.zxid = 1795632400_000000, 100
    leader, heir, third, operator = (Follower(number) for number in (1, 2, 3, 4))
    elections = (b"/e/n_000000000", b"/f/n_000000000")[:1 + both]
    yield packets.HEAD
    for client in leader, heir, third, operator:
        yield from client.begin()
    for path in elections:
        yield from leader.joins(path + b"0")
        yield from heir.joins(path + b"1")
        yield from heir.watches(path + b"0")
        yield from third.joins(path + b"2")
        yield from third.watches(path + b"1", 0x1002)
        yield from third.lists(path, b"0", b"1", b"2")
    for i in range(4):
        packets.NOW_US += 1000000
        yield from leader.writes(b"/p")
        if i == 1 or (i == 3 and both):
            yield from (leader if i == 3 else operator).deletes(elections[i == 3] + b"0")
            yield from heir.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + packets.text(elections[i == 3] + b"0"))
            yield from heir.lists(elections[i == 3], b"1", b"2")
    yield from heir.writes(b"/p")
    if leads:
        yield from operator.deletes(elections[0] + b"1")
        yield from third.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + packets.text(elections[0] + b"1"))
        yield from third.lists(elections[0], b"2")
    yield from third.writes(b"/p")
    packets.NOW_US += 1000000
    yield from third.pings()


@pytest.mark.parametrize("both, leads, certainties", ((False, True, ["certain"]), (True, True, ["suspected"]), (False, False, [])))
def test_a_leader_of_two_elections(private, both, leads, certainties):
    done = shown(private, "once", of_a_leader_of_two_elections(both, leads))
    assert [(e["path"], f["certainty"]) for c in json.loads(done.out)["clusters"] for e in c["elections"] for f in e["findings"]
            if f["code"] == "double-leader"] == [("/e", certainty) for certainty in certainties], done


def of_an_heir_that_is_stopped(asks):
    """It is notified of the end of the leader, and stops: at once, or once it has asked."""
    packets.NOW_US, Follower.zxid = 1795632400_000000, 100
    line = leader, heir, third = [Follower(number) for number in (1, 2, 3)]
    path = b"/e/n_000000000"
    yield packets.HEAD
    for end, client in zip((b"0", b"1", b"2"), line):
        yield from client.begin()
        yield from client.joins(path + end)
    yield from third.lists(path, b"0", b"1", b"2")
    yield from third.watches(path + b"1", 0x1002)
    yield from heir.watches(path + b"0")
    packets.NOW_US += 1000000
    yield from third.pings()
    yield from leader.asks(-11, b"")
    yield from heir.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + packets.text(path + b"0"))
    if asks:
        yield from heir.lists(path, b"1", b"2")
    for _ in range(5):
        packets.NOW_US += 1000000
        yield from third.pings()
    Follower.zxid += 1
    yield from third.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + packets.text(path + b"1"))
    yield from third.lists(path, b"2")
    packets.NOW_US += 1000000
    yield from Follower(4).is_refused(0x1002)
    packets.NOW_US += 1000000
    yield from third.pings()


@pytest.mark.parametrize("asks", (False, True))
def test_an_heir_that_never_led(private, asks):
    told = events(shown(private, "events", of_an_heir_that_is_stopped(asks)))
    assert ("double-leader" in [e["finding"]["code"] for e in told if e["event"] == "finding-raised"]) == asks, told


def of_a_busy_client():
    """It was connected before, and sends no ping, as it always has a request to send."""
    packets.NOW_US, Follower.zxid = 1795632400_000000, 7
    client = Follower(1)
    yield packets.HEAD
    for _ in range(30):
        packets.NOW_US += 100000
        yield from client.lists(b"/e/_c_7f85c08b-550b-4b4b-8859-9ebdea2bdf79-latch-000000000", b"0")


def test_a_client_too_busy_to_ping(private):
    done = shown(private, "once", of_a_busy_client())
    assert "1 connection was open" in done.err, done
    assert [e["path"] for c in json.loads(done.out)["clusters"] for e in c["elections"]] == ["/e"], done


def of_an_heir_that_was_connected():
    """It lists the candidates, and then reads the first of them, which shows what they are."""
    packets.NOW_US, Follower.zxid = 1795632400_000000, 100
    heir, path = Follower(2), b"/e/n_000000000"
    yield packets.HEAD
    yield from heir.lists(path, b"0", b"1")
    yield from heir.watches(path + b"0")
    packets.NOW_US += 1000000
    Follower.zxid += 1
    yield from heir.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + packets.text(path + b"0"))
    yield from heir.lists(path, b"1")
    packets.NOW_US += 3000000
    yield from heir.pings()


def test_a_list_before_the_read_that_explains_it(private):
    told = events(shown(private, "events", of_an_heir_that_was_connected()))
    assert [(e["from"][-1], e["to"][-1]) for e in told if e["event"] == "leader-elected"] == [("0", "1")], told


def of_an_heir_that_watches_nothing(asks):
    packets.NOW_US, Follower.zxid = 1795632400_000000, 100
    leader, heir, third = Follower(1), Follower(2), Follower(3)
    yield packets.HEAD
    for client in leader, heir, third:
        yield from client.begin()
    for end, client in (b"0", leader), (b"1", heir), (b"2", third):
        yield from client.joins(b"/e/n_000000000" + end)
    yield from third.lists(b"/e/n_000000000", b"0", b"1", b"2")
    yield from third.watches(b"/e/n_0000000001")
    packets.NOW_US += 1000000
    yield from leader.asks(-11, b"")
    for i in range(12):
        packets.NOW_US += 1000000
        yield from heir.pings()
        yield from third.pings()
        if asks and i == 5:
            yield from heir.lists(b"/e/n_000000000", b"1", b"2")


@pytest.mark.parametrize("asks", (False, True))
def test_an_heir_that_watches_nothing(private, asks):
    """Whatever its layout, nothing notifies it that it is first; it may ask."""
    told = events(shown(private, "events", of_an_heir_that_watches_nothing(asks)))
    assert ("never-wakes" in [e["finding"]["code"] for e in told if e["event"] == "finding-raised"]) != asks, told


def test_a_candidate_that_is_evicted_as_it_is_seen(private):
    """A client lists the candidates for the first time, and deletes the first of them at once."""
    told = events(run("events", "--json", "--capture", "tests/unit/data/captures/listed_and_evicted.pcap", env=private))
    (failover,) = (e["failover"] for e in told if e["event"] == "failover")
    assert (failover["from"][-1], failover["to"][-1], failover["cause"]) == ("0", "1", "deleted"), failover


def of_a_member_that_comes_before(leaves):
    """Or that leaves. The leader closes its session 40 ms later; its successor, which watches the directory, is notified of both."""
    packets.NOW_US, Follower.zxid = 1795632400_000000, 100
    leader, heir, third = Follower(1), Follower(2), Follower(3)
    told = struct.pack(">ii", 4, 3) + packets.text(b"/e")
    yield packets.HEAD
    for client in leader, heir, third:
        yield from client.begin()
    yield from leader.joins(b"/e/n_0000000000")
    yield from heir.joins(b"/e/n_0000000001")
    members = (b"1", b"2")
    if leaves:
        yield from third.joins(b"/e/n_0000000002")
    yield from heir.lists(b"/e/n_000000000", b"0", *members[:1 + leaves])
    yield from heir.watches(b"/e/n_0000000000")
    packets.NOW_US += 1000000
    yield from heir.answers(-1, zxid=-1, body=told)
    if leaves:
        yield from third.deletes(b"/e/n_0000000002")
    else:
        yield from third.joins(b"/e/n_0000000002")
    members = members[:2 - leaves]
    yield from heir.lists(b"/e/n_000000000", b"0", *members)
    packets.NOW_US += 40000
    Follower.zxid += leaves
    yield from leader.says(0, packets.frame(struct.pack(">ii", leader.asked + 1, -11)))
    yield from heir.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + packets.text(b"/e/n_0000000000"))
    yield from heir.answers(-1, zxid=-1, body=told)
    packets.NOW_US += 2000
    yield from heir.lists(b"/e/n_000000000", *members)
    packets.NOW_US += 3000000
    yield from heir.pings()


@pytest.mark.parametrize("leaves", (False, True))
def test_a_notification_of_another_change(private, leaves):
    told = events(shown(private, "events", of_a_member_that_comes_before(leaves)))
    (failover,) = (e["failover"] for e in told if e["event"] == "failover")
    assert failover["cause"] == "closed" and 2 < failover["reacted_ms"][0] < 3, failover


def test_watchers_of_a_directory(private):
    """The leader is killed. A connection that was open before the capture began pings for the first time while it is silent."""
    told = events(run("events", "--json", "--capture", "tests/unit/data/captures/herd_of_a_directory.pcap", env=private))
    (failover,) = (e["failover"] for e in told if e["event"] == "failover")
    assert (failover["cause"], failover["cause_certainty"]) == ("expired", "suspected"), failover
    assert "but some may be missing" in failover["evidence"], failover
    assert (failover["notified_ms"], failover["reacted_ms"]) == ([0.001, 0.001], [1.647, 1.647]), failover


def test_answers_that_cross(private):
    """The new leader's znode is created; half a millisecond later another client is told that there is none, as of the transaction
    before."""
    told = events(run("events", "--json", "--capture", "tests/unit/data/captures/crossing_answers.pcap", env=private))
    assert [(e["failover"]["from_identity"], e["failover"]["to_identity"]) for e in told if e["event"] == "failover"] == \
        [("h0", "h1")], told


def test_the_other_commands(private, tmp_path):
    log = tmp_path / "gc.log"
    log.write_text("[2026-11-25T18:47:42.700+0000][info][gc] GC(7) Pause Full (G1 Compaction Pause) 9M->8M(9M) 10515.000ms\n")
    why = run("why", "--capture", CAPTURE, "--client-log", str(log), "/election", "2026-11-25T18:47:40Z", env=private)
    assert why.status == 0 and "inferred: Its client stopped: a pause of 10.5s (Pause Full (G1 Compaction Pause)) began 455ms " \
        "after it was last heard." in why.out, why
    # Packets of its client contradict a pause, and a kill.
    for line in "[2026-11-25T18:47:46.400+0000][gc] GC(7) Pause Full (a) 9M->8M(9M) 14215.000ms", \
            "2026-11-25T18:47:33.530000+00:00 h kernel: Out of memory: Killed process 99 (chrome)":
        log.write_text(line + "\n")
        assert "packets of its client contradict what overlaps" in \
            run("why", "--capture", CAPTURE, "--client-log", str(log), "/election", "2026-11-25T18:47:40Z", env=private).out
    # The next leader is evicted.
    log.write_text("[2026-11-25T18:47:47.000+0000][info][gc] GC(7) Pause Full (G1 Compaction Pause) 9M->8M(9M) 4000.000ms\n")
    evicted = run("why", "--capture", CAPTURE, "--client-log", str(log), "/election", env=private).out
    assert "No pause of its client ended its candidate." in evicted and "stopped" not in evicted, evicted
    log.write_text("hello\n")
    assert "no line of them is one of a JVM's GC log" in \
        run("why", "--capture", CAPTURE, "--client-log", str(log), "/election", "2026-11-25T18:47:40Z", env=private).out
    log.write_text("[2026-11-25T18:47:42.700+0000][info][gc] GC(7) Pause Full (G1 Compaction Pause) 9M->8M(9M) 10515.000ms\n")
    report = run("report", "--capture", CAPTURE, "--client-log", str(log), env=private).out
    assert "a pause of 10.5s (Pause Full (G1 Compaction Pause)) began 455ms after" in report, report
    assert "double-leader" in report and "DETECTED IN  VACANT  NOTIFIED  REACTED  TAKEOVER" in report, report
    assert "2  18:47:37.952  b → c      expired        6.22s     0ms    0.94ms   1.55ms" in report, report
    assert "until it reacted      3  1.55ms  25.0ms" in report, report
    assert "c was notified 0.94ms after that znode went, and sent its next request after 1.55ms." in why.out, why
    assert "2 expired" in run("autopsy", "--capture", CAPTURE, env=private).out
    assert "2 expired" in run("autopsy", "--capture", CAPTURE, "--capture", CAPTURE, env=private).out
    recorded = run("record", "--capture", CAPTURE, env=private)
    assert recorded.status == 0 and os.path.exists(tmp_path / "electop" / "history.db"), recorded


@pytest.mark.parametrize("arguments, says", [
    (("events", "--capture", "/etc/passwd"), "unknown file format; write a capture with: tcpdump"),
    (("events", "--capture", "/nowhere"), "No such file"),
    (("events", "--capture", "-"), "standard input: it is empty, as when tcpdump is not permitted to capture; write"),
    (("once", "--capture", CAPTURE, "--admin", "off"), "--admin has no meaning with --capture, which uses no cluster; name one"),
    (("events", "--capture", CAPTURE, "--replay", "x"), "two sources"),
    (("autopsy", "/nowhere", "--capture", "-"), "a capture beside logs is read twice: save the pipe to a file first"),
    (("report", "--json", "--client-log", "/nowhere"), "--client-log adds to stories"),
    (("why", "--capture", CAPTURE, "--client-log", __file__, "--client-log", "/nowhere"), "/nowhere: No such file"),
    (("why", "--capture", CAPTURE, "--client-log", "/dev/zero"), "/dev/zero: is not a plain file"),
])
def test_what_is_refused(private, arguments, says):
    done = run(*arguments, env=private)
    assert done.status == 2 and says in done.err, done
