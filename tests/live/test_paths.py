"""Where elections are: missing, appearing, deleted, recreated, forbidden, below a chroot, by pattern, by walking."""
import json
import os
import random
import re
import select
import struct
import time

import pytest
from kazoo.security import make_digest_acl

from electop import Events, elections, look, look_at, names, run
from ensemble import session_of
from fake_server import CHILDREN, EXISTS, _Server
from framing import GREETING, STAT, frame, head, send
from txnlog import CLOSE_SESSION, CREATE_SESSION, last_zxid, transactions
from waiting import until

pytestmark = pytest.mark.hiding


def stand(client, path, data=b"", name="n_"):
    """A candidate of ZooKeeper's own recipe, without its watch; its name."""
    client.ensure_path(path)
    return client.create(f"{path}/{name}", data, ephemeral=True, sequence=True).rsplit("/", 1)[1]


def clear(client, path):
    for child in client.get_children(path):
        client.delete(f"{path}/{child}")
    client.delete(path)


def test_absent_then_there(zk, client, path):
    """A path that does not exist yet is absent, and is watched as soon as it appears, parents and all."""
    deep = path + "/not/yet"
    assert look_at(zk.hosts, deep)["state"] == "absent"
    with Events(zk.hosts, deep) as events:
        events.expect("connection", state="connected")
        until(lambda: zk.watched_paths())
        name = stand(client, deep, b"host-a:1")
        events.expect("election-seen", election=deep)
        until(lambda: f"{deep}/{name}" in zk.watched_paths())
    assert look_at(zk.hosts, deep)["leader"]["identity"] == "host-a:1"


def test_vacant(zk, client, path):
    """A directory where nobody stands is vacant, which is not absent."""
    client.ensure_path(path)
    election = look_at(zk.hosts, path)
    assert (election["state"], election["leader"], election["candidates"]) == ("vacant", None, [])


def test_deleted_and_recreated_later(zk, client, path):
    """A deleted election is gone, and seen again when it comes back."""
    first = stand(client, path)
    with Events(zk.hosts, path) as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{first}" in zk.watched_paths())
        clear(client, path)
        events.expect("leader-lost", candidate=first)
        events.expect("election-gone", election=path)
        assert look_at(zk.hosts, path)["state"] == "absent"
        again = stand(client, path)
        assert again == first  # the counter began anew
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{again}" in zk.watched_paths())


def test_recreated_in_one_transaction(zk, client, path):
    """Deleted and recreated at once, with a child of the same name: another election, and not the old leader."""
    first = stand(client, path, b"old:1")
    with Events(zk.hosts, path) as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{first}" in zk.watched_paths())
        change = client.transaction()
        change.delete(f"{path}/{first}")
        change.delete(path)
        change.create(path)
        change.create(f"{path}/n_", b"new:1", ephemeral=True, sequence=True)
        assert change.commit()[-1] == f"{path}/{first}"
        events.expect("election-gone", election=path)
        events.expect("election-seen", election=path)
        events.expect("leader-elected", to=first)
    assert look_at(zk.hosts, path)["leader"]["identity"] == "new:1"


def test_forbidden(zk, client, path, tmp_path):
    """A path that may not be read is denied; with the credential it is read; others can not see the credential."""
    stand(client, path, b"secret:1")
    client.set_acls(path, [make_digest_acl("ops", "s3cret", all=True)])
    denied = run("once", "--json", "--quick", "-s", zk.hosts, path)
    assert denied.status == 3, denied  # every path was denied
    assert '"denied"' in denied.out
    auth = tmp_path / "auth"
    auth.write_text("digest:ops:s3cret\n")
    auth.chmod(0o600)
    assert look_at(zk.hosts, path, "--auth-file", str(auth))["leader"]["identity"] == "secret:1"
    wrong = tmp_path / "wrong"
    wrong.write_text("digest:ops:guess\n")
    wrong.chmod(0o600)
    assert run("once", "--quick", "-s", zk.hosts, path, "--auth-file", str(wrong)).status == 3
    auth.chmod(0o644)
    refused = run("once", "-s", zk.hosts, path, "--auth-file", str(auth))
    assert refused.status == 2 and str(auth) in refused.err, refused
    assert "s3cret" not in refused.err + refused.out
    client.add_auth("digest", "ops:s3cret")
    clear(client, path)


def test_one_denied_among_others(zk, client, path):
    """With several paths, those that answer are shown, the other as denied, and the status is 0."""
    stand(client, path + "-open", b"open:1")
    stand(client, path + "-shut", b"shut:1")
    client.set_acls(path + "-shut", [make_digest_acl("ops", "pw", all=True)])
    found = elections(look(zk.hosts, path + "-open", path + "-shut"))
    assert found[path + "-open"]["leader"]["identity"] == "open:1"
    assert found[path + "-shut"]["state"] == "denied"
    assert found[path + "-shut"]["leader"] is None


def test_permission_given_later(zk, client, path):
    """What was denied is tried again, slowly, and is watched once it is allowed."""
    name = stand(client, path)
    keeper = zk.client(auth_data=[("digest", "ops:pw")])
    keeper.set_acls(path, [make_digest_acl("ops", "pw", all=True)])
    stand(client, path + "-open")  # a stream of which every path is denied would end
    with Events(zk.hosts, path, path + "-open") as events:
        events.expect("election-seen", election=path + "-open")
        zk.settled()
        assert [e for e in events.all("election-seen") if e["election"] == path] == []
        keeper.set_acls(path, [make_digest_acl("ops", "pw", all=True),
                               *client.get_acls("/")[0]])
        events.expect("election-seen", election=path, within=60)
        until(lambda: f"{path}/{name}" in zk.watched_paths())
        client.delete(f"{path}/{name}")
        events.expect("leader-lost", election=path, candidate=name)


def packets(zk):
    """How many packets the server has received."""
    return int(re.search(r"Received: (\d+)", zk.ask("srvr")).group(1))


def test_unreadable_leader_and_mark(zk, client):
    """A leader's znode, a mark and a lock that may not be read are asked for once, and their end is still seen."""
    shut = [make_digest_acl("ops", "pw", all=True)]
    root, lock = "/unreadable/overseer_elect", "/unreadable/controller"
    names = [stand(client, root + "/election", name=f"{client.client_id[0]}-node{i}:8983_solr-n_") for i in (1, 2)]
    client.create(root + "/leader", b"mine", ephemeral=True)
    client.create(lock, b"{}", ephemeral=True)
    for closed in (f"{root}/election/{names[0]}", root + "/leader", lock):
        client.set_acls(closed, shut)
    with Events(zk.hosts, root + "/election", lock) as events:
        events.expect("election-seen", election=root + "/election")
        until(lambda: f"{root}/election/{names[0]}" in zk.watched_paths())
        before = packets(zk)
        time.sleep(2)
        assert packets(zk) - before < 40  # heartbeats, and the server asked for its state
        client.delete(f"{root}/election/{names[0]}")
        events.expect("leader-lost", candidate=names[0])
        events.expect("leader-elected", to=names[1])
    client.delete(lock)


def test_root_election(zk, client):
    """Candidates may stand in the root itself: their paths have one slash."""
    standing = [client.create("/n_", data, ephemeral=True, sequence=True) for data in (b"root:1", b"root:2")]
    try:
        assert [c["identity"] for c in look_at(zk.hosts, "/")["candidates"]] == ["root:1", "root:2"]
        with Events(zk.hosts, "/") as events:
            events.expect("election-seen", election="/")
            until(lambda: standing[0] in zk.watched_paths())
            client.delete(standing.pop(0))
            events.expect("leader-elected", to=standing[0][1:])
    finally:
        for path in standing:
            client.delete(path)


def test_directory_where_a_lock_was_expected(zk, client, path):
    """A missing path that a lock's recipe knows may turn out to be a directory: its candidates are seen."""
    place = path + "/controller"
    client.ensure_path(path)
    with Events(zk.hosts, place) as events:
        events.expect("election-seen", election=place)
        until(lambda: place in zk.watched_paths())
        name = stand(client, place)
        events.expect("leader-elected", to=name)


def test_pattern_permission_given_later(zk, client, path):
    """A directory that a pattern may not list makes the pattern denied; it is tried again, slowly."""
    name = stand(client, path + "/red/leader")
    stand(client, path + "-open")  # a stream of which every path is denied would end
    keeper = zk.client(auth_data=[("digest", "ops:pw")])
    opened = [make_digest_acl("ops", "pw", all=True), *client.get_acls("/")[0]]
    keeper.set_acls(path, opened[:1])
    pattern = path + "/*/leader"
    assert {p: e["state"] for p, e in elections(look(zk.hosts, pattern, path + "-open")).items()} == {
        pattern: "denied", path + "-open": "led"}
    with Events(zk.hosts, pattern, path + "-open") as events:
        events.expect("connection", state="connected")
        zk.settled()
        keeper.set_acls(path, opened)
        events.expect("election-seen", election=path + "/red/leader", within=60)
        until(lambda: f"{path}/red/leader/{name}" in zk.watched_paths())
    assert sorted(elections(look(zk.hosts, pattern))) == [path + "/red/leader"]


def test_many_sessions(zk, client, path):
    """More elections than one session may watch: each is seen, and every session ends with the program."""
    places = [f"{path}/{'x' * 2000}/{i}" for i in range(200)]
    for place in places[::100]:
        stand(client, place)
    last = last_zxid(zk.directory)
    found = elections(look(zk.hosts, *places))
    assert [found[place]["state"] for place in places[::100]] == ["led", "led"]
    assert len(found) == len(places)
    log = [t for t in transactions(zk.directory) if t.zxid > last]
    begun = {t.session for t in log if t.type == CREATE_SESSION}
    assert len(begun) > 1
    assert begun == {t.session for t in log if t.type == CLOSE_SESSION} & begun


def test_chroot(zk, client, path):
    """Below a chroot, paths are given without it and shown without it."""
    stand(client, path + "/app/election", b"inner:1")
    election = look_at(f"{zk.hosts}{path}/app", "/election")
    assert election["leader"]["identity"] == "inner:1"
    with Events(f"{zk.hosts}{path}/app", "/election") as events:
        events.expect("election-seen", election="/election")


def test_below_a_missing_chroot(zk, path):
    """Below a chroot that does not exist there is nothing, and that is no failure."""
    assert look_at(f"{zk.hosts}{path}/nowhere", "/election")["state"] == "absent"


def test_dead_first_host(zk, client, path):
    """A connect string whose first host is dead, or does not resolve, still connects."""
    name = stand(client, path)
    for dead in ("127.0.0.1:1", "no-such-host.invalid:2181"):
        assert names(look_at(f"{dead},{zk.hosts}", path)) == [name]


def test_pattern_now_and_later(zk, client, path):
    """A pattern watches every match, also those that come and go later."""
    stand(client, path + "/red/leader", b"red:1")
    client.ensure_path(path + "/red/other")
    pattern = path + "/*/leader"
    assert list(elections(look(zk.hosts, pattern))) == [path + "/red/leader"]
    client.ensure_path(path + "/green")  # a match belongs here, and is missed
    found = elections(look(zk.hosts, pattern))
    assert list(found) == [path + "/green/leader", path + "/red/leader"], found
    assert found[path + "/green/leader"]["state"] == "absent"
    with Events(zk.hosts, pattern) as events:
        events.expect("election-seen", election=path + "/red/leader")
        name = stand(client, path + "/blue/leader", b"blue:1")
        events.expect("election-seen", election=path + "/blue/leader")
        watched = until(lambda: (paths := zk.watched_paths()) and f"{path}/blue/leader/{name}" in paths and paths)
        assert path + "/red/leader" not in watched  # what is there needs nobody who waits for it
        client.delete(f"{path}/blue/leader/{name}")
        events.expect("leader-lost", election=path + "/blue/leader", candidate=name)
        clear(client, path + "/red/leader")
        events.expect("election-gone", election=path + "/red/leader")
    clear(client, path + "/red")
    assert list(elections(look(zk.hosts, pattern))) == [path + "/blue/leader", path + "/green/leader"]


def test_what_was_found_stands_by_its_path(zk, client, path):
    """In which order a server lists children means nothing: what a pattern or a walk finds is sorted, behind what was
    named, which stays as it was named."""
    for i in random.Random(3).sample(range(40), 40):
        stand(client, f"{path}/{i:02}/leader")
    found = [f"{path}/{i:02}/leader" for i in range(40)]
    pattern, named = path + "/*/leader", [path + "-z", path + "-a"]
    assert list(elections(look(zk.hosts, pattern))) == found
    assert list(elections(look(zk.hosts, named[0], pattern, named[1]))) == named + found
    walked = list(elections(look(zk.hosts)))
    assert walked == sorted(walked) and set(found) <= set(walked)


def test_pattern_over_a_named_one(zk, client, path):
    """What is named and matches a pattern as well, or two of them, is one election; no look waits for another."""
    for team in "ab":
        stand(client, f"{path}/{team}/leader")
    begun = time.monotonic()
    done = run("once", "--json", "--quick", "--wait", "60s", "-s", zk.hosts,
               path + "/a/leader", path + "/*/leader", path + "/a/*")
    assert time.monotonic() - begun < 30
    assert done.status == 0 and sorted(elections(json.loads(done.out))) == [path + "/a/leader", path + "/b/leader"]


def test_pattern_of_plain_characters(zk, client, path):
    """In a pattern only * and ? are wild: brackets stand for themselves."""
    stand(client, path + "/a[b]-1")
    stand(client, path + "/ab-1")
    assert list(elections(look(zk.hosts, path + "/a[b]-*"))) == [path + "/a[b]-1"]


def test_discovery(zk, client, path):
    """Walking the tree finds what are elections by their names, and leaves the rest alone."""
    stand(client, path + "/a/deep/one", name="_c_0123abcd-89ab-cdef-0123-456789abcdef-latch-")
    client.ensure_path(path + "/config/plain/tree")
    found = elections(look(zk.hosts))
    assert found[path + "/a/deep/one"]["state"] == "led"
    assert not any(place.startswith(path + "/config") for place in found)
    assert not any(place.startswith("/zookeeper") for place in found)


def test_discovery_says_what_it_did_not_see(zk, client, path, tmp_path):
    """A directory that may not be read may hold elections: that it was not searched is said, and what was is shown. A
    root that may not be read is denied, as a path is; one that does not exist is named."""
    stand(client, path + "/open/election")
    shut = [make_digest_acl("ops", "pw", all=True)]
    for place in ("a", "b"):
        stand(client, f"{path}/{place}/election")
        client.set_acls(f"{path}/{place}", shut)
    hosts = zk.hosts + path
    told = "permission denied for /a and /b (--auth-file): not searched"
    found = look(hosts)
    assert found["clusters"][0]["problem"] == told and list(elections(found)) == ["/open/election"]
    assert f"▲ {told}" in run("once", "--quick", "-s", hosts).out
    with Events(hosts) as events:
        events.expect("connection", state="connected", detail=told)
    # What was not searched may hold an election that nobody leads: --strict is not content with the rest.
    strict = run("once", "--strict", "--quick", "-s", hosts)
    assert strict.status == 1 and f"{told}, so elections there were not checked; name the paths" in strict.err, strict
    named = run("once", "--strict", "--quick", "-s", hosts, "/open/election")
    assert named.status == 0 and named.err == "", named

    denied = run("once", "--json", "-s", hosts + "/a")
    assert denied.status == 3 and "permission denied for /;" in denied.err, denied
    assert elections(json.loads(denied.out))["/"]["state"] == "denied"
    settings = tmp_path / "config.yaml"
    settings.write_text(f"clusters: [{{name: here, hosts: '{hosts}'}}]\n"
                        "discover: {roots: [/open, /b, /nowhere]}\n")
    some = json.loads(run("once", "--json", "--quick", "-c", str(settings)).out)
    assert {place: e["state"] for place, e in elections(some).items()} == {"/open/election": "led", "/b": "denied"}
    assert some["clusters"][0]["problem"] == "/nowhere, the root of the search, does not exist"


@pytest.mark.parametrize("roots", ["/open, /shut", "/"])
def test_discovery_sees_what_may_be_read_later(zk, client, path, tmp_path, roots):
    """Each walk looks again: a root that may be read by now is denied no more, and below it elections are found."""
    stand(client, path + "/open/election")
    stand(client, path + "/shut/election")
    keeper = zk.client(auth_data=[("digest", "ops:pw")])
    shut, before = [make_digest_acl("ops", "pw", all=True)], client.get_acls("/")[0]
    keeper.set_acls(path + "/shut", shut)
    settings = tmp_path / "config.yaml"
    settings.write_text(f"clusters: [{{name: here, hosts: '{zk.hosts}{path}'}}]\n"
                        f"discover: {{roots: [{roots}], every: 1s}}\n")
    with Events(None, "-c", str(settings)) as events:
        events.expect("election-seen", election="/open/election")
        keeper.set_acls(path + "/shut", shut + before)
        events.expect("election-seen", election="/shut/election")
    found = json.loads(run("once", "--json", "--quick", "-c", str(settings)).out)
    assert set(elections(found)) == {"/open/election", "/shut/election"} and found["clusters"][0]["problem"] is None


def test_discovery_asks_more_than_one(zk, client, path):
    """A persistent candidate makes no election of its directory, and no other thing of one: the next is asked."""
    latch = "_c_0123abcd-89ab-cdef-0123-456789abcde%x-latch-"
    places = [f"{path}/{i}" for i in range(8)]
    for i, place in enumerate(places):  # whoever the server lists first
        client.create(f"{place}/{latch % i}", b"", sequence=True, makepath=True)
        stand(client, place, name=latch % (i + 8))
    client.create(f"{path}/queue/{latch % 1}", b"", sequence=True, makepath=True)
    assert set(places) == {found for found in elections(look(zk.hosts)) if found.startswith(f"{path}/")}


@pytest.mark.shown
def test_lock_layout(zk, client):
    """One ephemeral znode at a fixed path: its owner leads; nobody else can be seen."""
    holder = zk.client()
    holder.create("/controller", b'{"version":1,"brokerid":2,"timestamp":"1"}', ephemeral=True)
    election = look_at(zk.hosts, "/controller")
    assert (election["state"], election["family"]) == ("led", "lock")
    assert [c["session"] for c in election["candidates"]] == [session_of(holder)]
    assert election["next_sequence"] is None
    said = "If its holder leaves now the first to create it; "
    for watcher, told in ((holder, "no one else watches it"), (client, "watched by 1")):
        watcher.exists("/controller", watch=lambda event: None)
        # A single quick look may come while other watches are set, and says so.
        until(lambda: said + told in run("once", "--quick", "-s", zk.hosts, "--admin", zk.admin, "/controller").out,  # noqa: B023
              20, said + told)
        following = look_at(zk.hosts, "/controller", "--admin", zk.admin)["next_failover"]
        assert (following["heir"], following["told"]) == (None, watcher is client)
    with Events(zk.hosts, "/controller") as events:
        events.expect("election-seen", election="/controller")
        until(lambda: "/controller" in zk.watched_paths())
        holder.delete("/controller")
        events.expect("leader-lost", election="/controller")
        client.create("/controller", b'{"version":1,"brokerid":3,"timestamp":"2"}', ephemeral=True)
        elected = events.expect("leader-elected", election="/controller")
        assert elected["to"]
    client.delete("/controller")


def test_a_lock_whose_waiters_watch_no_lock(zk, client, path):
    """They may watch an ancestor, which no server shows: that nobody watches the lock itself says nothing."""
    lock = f"{path}/leader/election/instance"
    client.create(lock, b"10.0.0.1@-@1", ephemeral=True, makepath=True)
    shown = run("once", "--quick", "-s", zk.hosts, "--admin", zk.admin, lock).out
    assert "ElasticJob leader" in shown and "the first to create it; who watches it is not known" in shown, shown
    assert look_at(zk.hosts, lock, "--admin", zk.admin)["next_failover"]["told"] is None


def test_hybrid_layout(zk, client):
    """A sequence and a mark: the leader leads when it has written its mark."""
    root = "/overseer_elect"
    session = client.client_id[0]
    stand(client, root + "/election", name=f"{session}-node1:8983_solr-n_")
    election = look_at(zk.hosts, root + "/election")
    assert (election["family"], election["state"]) == ("hybrid", "led")
    assert election["leader"]["acknowledged"] is False
    with Events(zk.hosts, root + "/election") as events:
        events.expect("election-seen", election=root + "/election")
        until(lambda: root + "/leader" in zk.watched_paths())
        client.create(root + "/leader", b'{"id":"%d-node1:8983_solr-n_0000000000"}' % session, ephemeral=True)
        events.expect("leader-acknowledged", election=root + "/election")
    assert look_at(zk.hosts, root + "/election")["leader"]["acknowledged"] is True


@pytest.mark.parametrize("bad", ["election", "/a//b", "/a/../b", "/a/.", "/election/", ""])
def test_bad_paths(zk, bad):
    """A path that ZooKeeper would refuse is refused at once, by name."""
    refused = run("once", "-s", zk.hosts, bad)
    assert refused.status == 2, refused
    assert refused.err.startswith("electop: ") and refused.out == ""
    assert os.path.basename(bad) in refused.err


def test_missing_chroot(zk, client, path, tmp_path):
    """A chroot that does not exist is said wherever nothing can be seen because of it, until it appears."""
    hosts = f"{zk.hosts}{path}"
    said = f"the chroot {path} does not exist on this cluster; check --server"
    assert look(hosts, status=3)["clusters"][0]["problem"] == said
    for arguments in ([], ["/election"], ["/*/leader"]):
        done = run("once", "-s", hosts, *arguments)
        assert done.status == (0 if arguments == ["/election"] else 3) and said in done.out, done
        assert "no election was found" not in done.out, done
    case = str(tmp_path / "a.case")
    look(hosts, "--observe", case, status=3)
    done = run("once", "--replay", case)
    assert done.status == 3 and said in done.out, done
    with Events(hosts, "/election") as events:
        events.expect("connection", state="connected", detail=said)
        stand(client, f"{path}/election", b"host-a:1")
        events.expect("election-seen", election="/election")
    assert look(hosts)["clusters"][0]["problem"] is None


def test_pattern_is_asked_within_a_bound():
    """Matches of five thousand directories: a server has at most a thousand of the questions at a time, and gets each."""
    count, held, asked, most = 5000, [], set(), [0]

    def answer_all(connection):
        connection.sendall(b"".join(struct.pack(">i", 16) + head(one, -101) for one in held))
        held.clear()

    def serve(connection):
        frame(connection)
        send(connection, GREETING)
        while True:
            if held and not select.select([connection], [], [], 0.1)[0]:  # no more comes without an answer
                answer_all(connection)
            request = frame(connection)
            number, kind = struct.unpack_from(">ii", request)
            where = request[12:-1] if kind in (EXISTS, CHILDREN) else b""  # without whether it is watched
            if where.startswith(b"/app/"):
                held.append(number)
                asked.add(where)
                most[0] = max(most[0], len(held))
            elif kind == CHILDREN and where == b"/app":
                listed = b"".join(struct.pack(">i", 7) + b"d%06d" % i for i in range(count))
                send(connection, head(number) + struct.pack(">i", count) + listed + STAT)
            else:
                answer_all(connection)  # in the order in which they were asked
                send(connection, head(number, 0 if kind == 11 else -101))

    with _Server(serve) as server, Events(server.address, "/app/*/leader", "--admin", "off", "--four-letter", "off"):
        until(lambda: len(asked) == count, 60)
    assert most[0] == 1000, most
