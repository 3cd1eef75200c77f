"""`electop discover`: what it tells apart, with which proof; its configuration; its rate; and changes of the tree."""
import json
import os
import pty
import struct
import subprocess
import threading
import time

import pytest
from kazoo.recipe.queue import Queue
from kazoo.security import make_digest_acl

from electop import PLAIN, PROGRAM, Events, elections, peak_kb, run
from fake_server import CHILDREN, EXISTS, GET, _Server
from framing import STAT, Tree, head, scripted
from terminal import Tmux
from waiting import until

pytestmark = pytest.mark.hiding

LATCH = "_c_0123abcd-89ab-cdef-0123-456789abcde{}-latch-"
LEASE = "_c_0123abcd-89ab-cdef-0123-456789abcde{}-lease-"


def discover(zk, root, *arguments, status=0):
    done = run("discover", "--json", "-s", zk.hosts, "--admin", zk.admin, root, *arguments)
    assert done.status == status, done
    (cluster,) = json.loads(done.out)["clusters"]
    return cluster


def found(cluster, root):
    return {row["path"][len(root):]: row for row in cluster["found"]}


def stand(client, path, name, data=b"host:1"):
    client.ensure_path(path)
    return client.create(f"{path}/{name}", data, ephemeral=True, sequence=True)


@pytest.fixture
def tree(zk, client, path):
    """One of each kind."""
    for i in range(3):
        stand(client, path + "/latch", LATCH.format(i))
    other = zk.client()
    stand(client, path + "/lock", "0123456789abcdef0123456789abcdef__lock__")
    stand(client, path + "/shared", "0123456789abcdef0123456789abcdef__rlock__")
    stand(other, path + "/shared", "1123456789abcdef0123456789abcdef__lock__")
    client.ensure_path(path + "/semaphore/locks")
    stand(client, path + "/semaphore/leases", LEASE.format(1))
    kazoo = zk.client().Semaphore(path + "/permits", max_leases=2)
    kazoo.acquire()
    Queue(client, path + "/queue").put(b"work")
    client.create(path + "/log/item-", b"", sequence=True, makepath=True)
    for name in ("node-a", "node-b"):
        client.create(f"{path}/members/{name}", b"", ephemeral=True, makepath=True)
    client.create(path + "/service/leader", b"me:1", ephemeral=True, makepath=True)
    client.create(path + "/service/settings", b"", makepath=True)
    client.ensure_path(path + "/plain/tree")
    # Each server has a lock of its own; an URL ends in a time stamp; server sets have sequential members.
    for host in ("a:9997", "b:9997"):
        stand(client, f"{path}/tservers/{host}", "zlock#9f1c2d3e-4b5a-6978-8796-a5b4c3d2e1f0#")
    client.create(path + "/com.x.MasterService/providers/dubbo%3A%2F%2Fa%3A20880%3Ftimestamp%3D1700000000000", b"",
                  ephemeral=True, makepath=True)
    stand(client, path + "/twitter/service/job", "member_", b'{"serviceEndpoint":{"host":"a","port":1}}')
    # A directory at the path of a lock contains an election.
    stand(client, path + "/loadbalance/leader/jobs", LATCH.format(7))
    # Members of a line watch the one before them; in a group, nobody watches anybody.
    line = [stand(client, path + "/line", "m-") for _ in range(2)] + [stand(other, path + "/line", "m-")]
    assert other.exists(line[1], watch=lambda event: None)
    for _ in range(2):
        stand(client, path + "/group", "g-")
    return path


@pytest.mark.shown
def test_kinds_are_told_apart(zk, tree):
    """Elections, locks, read-write locks, semaphores, queues and registries, each with its proof and its certainty."""
    rows = until(lambda: (lambda r: r if r["/line"]["proof"] == "watch" else None)(found(discover(zk, tree), tree)))
    told = {place: (row["kind"], row["proof"], row["certainty"]) for place, row in rows.items()}
    assert told == {
        "/latch": ("election", "signature", "certain"),
        "/lock": ("election", "signature", "suspected"),  # or a lock: nothing in ZooKeeper tells
        "/shared": ("read-write lock", "signature", "certain"),
        "/semaphore": ("semaphore", "signature", "certain"),
        "/permits": ("semaphore", "name", "suspected"),
        "/queue": ("queue", "signature", "certain"),
        "/log": ("queue", "behaviour", "suspected"),
        "/members": ("registry", "behaviour", "certain"),
        "/service/leader": ("lock", "name", "suspected"),
        "/line": ("election", "watch", "suspected"),
        "/group": ("registry", "name", "suspected"),
        "/tservers/a:9997": ("registry", "signature", "certain"),
        "/tservers/b:9997": ("registry", "signature", "certain"),
        "/com.x.MasterService/providers": ("registry", "signature", "certain"),
        "/twitter/service/job": ("registry", "signature", "certain"),
        "/loadbalance/leader/jobs": ("election", "signature", "certain"),
    }, told
    assert all(row["evidence"] for row in rows.values()) and rows["/latch"]["members"] == 3


@pytest.mark.shown
def test_configured_is_the_strongest_proof(zk, tree, tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text(f"clusters: [{{hosts: '{zk.hosts}', servers: {{admin: ['{zk.admin}']}}, "
                      f"elections: [{{path: {tree}/lock, kind: lock}}]}}]\n")
    done = run("discover", "--json", "-c", str(config), tree)
    row = found(json.loads(done.out)["clusters"][0], tree)["/lock"]
    assert (row["kind"], row["kind_known"], row["certainty"]) == ("lock", "configured", "certain"), row


@pytest.mark.shown
def test_yaml_is_a_configuration(zk, tree):
    """What is certain is named, what is not is commented out with its reason, and electop reads it."""
    done = run("discover", "--yaml", "-s", zk.hosts, "--admin", zk.admin, tree)
    assert done.status == 0, done
    assert f"# not an election: {tree}/members (registry" in done.out and f"# not an election: {tree}/group (registry" in done.out, done
    feed = subprocess.run([PROGRAM, "once", "--json", "--quick", "-c", "/dev/stdin"], input=done.out.encode(),
                          capture_output=True, check=False, timeout=60)
    assert feed.returncode == 0, feed
    seen = elections(json.loads(feed.stdout))
    assert {place[len(tree):] for place in seen} >= {"/latch", "/lock", "/shared"}
    assert not any(place.startswith((tree + "/group", tree + "/semaphore")) for place in seen)
    assert seen[tree + "/latch"]["recognised"] == "configured" and seen[tree + "/lock"]["kind_known"] == "assumed"


def test_names_of_strangers_break_no_configuration(zk, client, path):
    """Patterns, quotes and what looks like YAML, in paths."""
    for odd in ("a*b", "it's: here", "#x", "- y", "\u202eleft"):
        stand(client, f"{path}/{odd}", LATCH.format(1))
    done = run("discover", "--yaml", "-s", zk.hosts, "--admin", zk.admin, path)
    checked = subprocess.run([PROGRAM, "config", "--diff", "-c", "/dev/stdin"], input=done.out.encode(),
                             capture_output=True, check=False, timeout=60)
    assert checked.returncode == 0 and checked.stdout.count(b"- path:") == 3, (done, checked)
    assert "this path cannot be named here" in done.out and "\u202e" not in done.out, done


def test_rate_is_kept_and_progress_shown(zk, client, path):
    """Sixty directories at thirty reads a second take two seconds; a terminal shows what was searched and what remains."""
    for i in range(60):
        client.ensure_path(f"{path}/d{i}")
    begun = time.monotonic()
    cluster = discover(zk, path, "--rate", "30/s")
    assert time.monotonic() - begun > 1.8 and cluster["walked"] == 61 and cluster["rate_per_s"] == 30
    master, slave = pty.openpty()
    process = subprocess.Popen([PROGRAM, "discover", "-s", zk.hosts, "--admin", zk.admin, "--rate", "30/s", path],
                               stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            more = os.read(master, 4096)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(master)
    assert process.wait(30) == 0
    assert b"remain; found 0 elections" in shown and shown.endswith(b"\r\x1b[K"), shown


def reads(zk):
    """Packets that the server has received so far."""
    return int(next(line.split()[1] for line in zk.ask("srvr").splitlines() if line.startswith("Received:")))


def test_changes_are_followed_without_another_walk(zk, client, path, tmp_path):
    """An interval of an hour: only watches can tell of a new election, and an idle tree is not read again."""
    for i in range(200):
        client.ensure_path(f"{path}/dir{i}/inner")
    config = tmp_path / "c.yaml"
    config.write_text(f"clusters: [{{hosts: '{zk.hosts}{path}', servers: {{every: 'off'}}}}]\ndiscover: {{every: 1h}}\n")
    stand(client, path + "/dir1/first", LATCH.format(1))
    with Events(None, "-c", str(config)) as events:
        events.expect("election-seen", election="/dir1/first")
        def walked():
            before = reads(zk)
            time.sleep(0.5)
            return reads(zk) - before < 10
        until(walked, 30)
        before = reads(zk)
        stand(client, path + "/dir7/inner", LATCH.format(2))  # an empty directory turns into an election
        events.expect("election-seen", election="/dir7/inner")
        stand(client, path + "/new/deep/er", LATCH.format(3))  # and one in new directories
        events.expect("election-seen", election="/new/deep/er")
        assert reads(zk) - before < 150, "the tree of 400 directories was read again"
        client.delete(path + "/dir7/inner", recursive=True)
        events.expect("election-gone", election="/dir7/inner")


def test_crowded_directory(zk, client, path):
    """Elections beyond the first two thousand children are found, too."""
    client.ensure_path(path + "/many")
    pending = [client.create_async(f"{path}/many/e{i:05d}", b"") for i in range(2500)]
    assert all(p.get(60) for p in pending)
    stand(client, path + "/many/e02499", LATCH.format(1))
    stand(client, path + "/many/e00000", LATCH.format(2))
    assert set(found(discover(zk, path), path)) == {"/many/e02499", "/many/e00000"}


# The tree, the length of its names, and how many lists are read again at most for lack of room.
LARGE = {"many directories": ((300, 1000), 24, 0), "long lists": ((4, 25_000), 200, 3), "long names": ((40, 30), 50_000, 40)}


@pytest.mark.parametrize("shape", LARGE)
def test_memory_does_not_grow_with_the_tree(shape):
    """What is still to be read is not kept: a tree of any size is walked, whole, in the same memory."""
    counts, length, again = LARGE[shape]
    tree = Tree(*counts, name_length=length)
    with _Server(tree) as server:
        process = subprocess.Popen([PLAIN, "discover", "--json", "--rate", "100000/s", "-s", server.address, "--admin", "off",
                                    "--four-letter", "off"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, peak_kb(process.pid))
            time.sleep(0.02)
        (cluster,) = json.loads(process.communicate()[0])["clusters"]
    znodes = 1 + counts[0] + counts[0] * counts[1]
    assert (cluster["walked"], cluster["complete"]) == (znodes, True), cluster
    assert znodes <= tree.listed <= znodes + again, tree.listed
    assert peak < 48 << 10, f"{peak >> 10} MB"


def test_a_directory_too_large_to_be_read_is_named():
    """A list of more children than are taken is left out, and said; the search ends."""
    def answer(number, kind, path):
        if kind == GET and path == "/app":
            return head(number) + struct.pack(">i", 0) + stat(children=200001)
        if kind != CHILDREN:
            return None
        names = [b"app"] if path == "/" else [b"%06d" % i for i in range(200001)]
        listed = b"".join(struct.pack(">i", len(name)) + name for name in names)
        return head(number) + struct.pack(">i", len(names)) + listed + STAT
    with _Server(scripted(answer)) as server:
        done = run("discover", "-s", server.address, "--admin", "off", "--four-letter", "off")
        assert done.status == 0 and "/app has more than 200000 children, or an answer of more than 8 MB: it was not searched; name the" in done.out, done
        check = run("check", "--wait", "4s", "-s", server.address, "--admin", "off", "--four-letter", "off", "/app")
        assert check.status == 3 and "/app is not read: it has more than 200000 children, or an answer of more than 8 MB" in check.out, check


def stat(owner=0, children=0):
    """Of a znode whose owner is that session; pzxid, and so each list, is the same every time."""
    return struct.pack(">qqqqiiiqiiq", 1, 1, 1700000000000, 1700000000000, 0, children, 0, owner, 0, children, 1)


PING = 11
# No request can name them: the C client refuses some, and ZooKeeper all.
MISNAMED = [b"n\x1b[31m_0000000001", b".", b"..", b"\x7f", b"\xc2\x85", b"\xef\xbf\xbd", b"\xf0\x9f\x98\x80", b"\xff"]


def misnaming(number, kind, path):
    """A server that lists such children in each directory, and fails every request for one of them."""
    latches = [LATCH.format(i).encode() + b"%010d" % i for i in range(2)]
    lists = {"/": [b"app"], "/app": [b"jobs"], "/app/jobs": latches}
    if kind == CHILDREN and path in lists:
        names = MISNAMED + lists[path]
        return (head(number) + struct.pack(">i", len(names)) + b"".join(struct.pack(">i", len(name)) + name for name in names) +
                stat(children=len(names)))
    if kind in (EXISTS, GET) and (path in lists or path.startswith("/app/jobs/_c_")):
        data = struct.pack(">i", 4) + b"host" if kind == GET else b""
        return head(number) + data + stat(owner=0 if path in lists else 0x1000002 + int(path[-1]))
    return None


@pytest.mark.parametrize("command", [("discover",), ("discover", "--json"), ("once",), ("once", "--json", "/app/jobs"), ("once", "/app/*"),
                                     ("once", "--strict"), ("check", "/app/jobs"), ("events", "--json", "--count", "3")], ids=" ".join)
def test_children_that_no_request_can_name(command):
    """They are named, escaped, and passed over, wherever they are; nothing waits for them."""
    with _Server(scripted(misnaming)) as server:
        done = run(*command, "-s" if command[0] != "check" else "--server", server.address, "--admin", "off", "--four-letter", "off")
    first = "/app/jobs/n" if command[-1] == "/app/jobs" else "/app/n" if command[-1] == "/app/*" else "/n"
    escape = "\\u001b" if "--json" in command else "\\x1b"
    assert done.status == ("--strict" in command), done
    said = f"children whose names ZooKeeper refuses are listed and cannot be read: such as {first}{escape}[31m_0000000001"
    assert command[0] == "check" or said in " ".join(done.out.split()), done
    assert LATCH.format(0) in done.out or command[0] != "once", done
    assert "/app/jobs" in done.out and "\x1b" not in done.out + done.err, done


@pytest.mark.parametrize("arguments", [(), ("/app/jobs",)], ids=["discovered", "named"])
def test_a_child_that_no_request_can_name_is_deleted(arguments):
    """It is named as long as it is there."""
    jobs, said = [MISNAMED[0], LATCH.format(0).encode() + b"%010d" % 0], threading.Event()

    def answer(number, kind, path):
        lists = {"/": [b"app"], "/app": [b"jobs"], "/app/jobs": jobs}
        if kind == CHILDREN and path in lists:
            names = b"".join(struct.pack(">i", len(name)) + name for name in lists[path])
            return head(number) + struct.pack(">i", len(lists[path])) + names + stat(children=1)
        if kind == PING and said.is_set() and MISNAMED[0] in jobs:
            jobs.remove(MISNAMED[0])
            notice = head(-1) + struct.pack(">iii", 4, 3, len("/app/jobs")) + b"/app/jobs"
            return [struct.pack(">i", 16), head(-2), struct.pack(">i", len(notice)), notice]
        return misnaming(number, kind, path)
    with _Server(scripted(answer)) as server, Events(server.address, *arguments, "--admin", "off", "--four-letter", "off") as events:
        events.expect("connection", state="connected", detail=lambda d: d and "such as /app/jobs/n\x1b" in d)
        said.set()
        events.expect("connection", state="connected", detail=lambda d: not d or "such as" not in d)


def test_dashboard_passes_over_children_that_no_request_can_name():
    with _Server(scripted(misnaming)) as server:
        dashboard = Tmux(f"{PROGRAM} -s {server.address} --admin off --four-letter off", cols=140)
        try:
            dashboard.shows("/app/jobs", "such as /n\\x1b[31m_0000000001")
            dashboard.keys("q")
            assert dashboard.status() == 0
        finally:
            dashboard.close()


def test_directories_that_may_not_be_read_are_named(zk, client, path):
    """All of them, for a program; two of them in words."""
    shut = [make_digest_acl("ops", "pw", all=True)]
    stand(client, f"{path}/open", "n_")
    for name in "b", "a":
        client.ensure_path(f"{path}/{name}")
        client.set_acls(f"{path}/{name}", shut)
    cluster = discover(zk, path)
    assert cluster["denied"] == [f"{path}/a", f"{path}/b"], cluster
    assert f"permission denied for {path}/a and {path}/b (--auth-file): not searched" in cluster["left_out"], cluster


def test_recipes_are_listed_with_those_of_the_user(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("recipes:\n  - {name: ours, family: sequence, candidate: '^member-(\\d{10})$'}\n")
    done = run("discover", "--recipes", "-c", str(config))
    first, names = done.out.splitlines()[1], [line.split()[0] for line in done.out.splitlines()[1:]]
    assert done.status == 0 and first.startswith("ours ") and "kazoo" in names and "curator-latch" in names, done


@pytest.mark.parametrize("words, told", [
    (("--json", "--yaml"), "exclude each other"), (("/a/*",), "is a pattern"), (("--rate", "0/s"), "out of range"),
    (("--quick",), "--quick"),
])
def test_wrong_usage(words, told):
    done = run("discover", *words)
    assert done.status == 2 and told in done.err, done


def test_no_server_is_told(path):
    done = run("discover", "-s", "127.0.0.1:1", "--wait", "300ms", path)
    assert done.status == 3 and "127.0.0.1:1" in done.err, done
