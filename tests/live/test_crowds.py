"""Many candidates, fast changes, and names and data made to do harm."""
import json
import re

import pytest

from electop import Events, elections, look, look_at, names, run
from waiting import until


def test_unseen_changes_are_counted_exactly(zk, client, path):
    """Whatever comes and goes between two readings: seen and unseen together are all there was."""
    client.ensure_path(path)
    stays = client.create(f"{path}/n_", ephemeral=True, sequence=True).rsplit("/", 1)[1]
    with Events(zk.hosts, path) as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{stays}" in zk.watched_paths())
        zk.settled()
        already = len(events.all("candidate-joined"))
        rounds = 500
        for _ in range(rounds):
            change = client.transaction()
            change.create(f"{path}/n_", ephemeral=True, sequence=True)
            made = change.commit()[0]
            client.delete(made)
        last = client.create(f"{path}/n_", ephemeral=True, sequence=True).rsplit("/", 1)[1]
        events.expect("candidate-joined", candidate=last)

        def sums():
            unseen = events.all("unseen")
            joined = len(events.all("candidate-joined")) - already + sum(e.get("joined") or 0 for e in unseen)
            left = len(events.all("candidate-left")) + sum(e.get("left") or 0 for e in unseen)
            assert (joined, left) == (rounds + 1, rounds)
            return True
        until(sums)
    assert look_at(zk.hosts, path)["next_sequence"] == rounds + 2


def test_no_leader_change_is_missed_in_the_end(zk, client, path):
    """After a burst of leader changes the last leader is told, and each told one had stood."""
    client.ensure_path(path)
    made = [client.create(f"{path}/n_", ephemeral=True, sequence=True).rsplit("/", 1)[1] for _ in range(60)]
    with Events(zk.hosts, path) as events:
        events.expect("election-seen", election=path)
        until(lambda: f"{path}/{made[0]}" in zk.watched_paths())
        for name in made[:-1]:
            client.delete(f"{path}/{name}")
        events.expect("leader-elected", to=made[-1])
        told = [e["to"] for e in events.all("leader-elected")]
        assert told == sorted(told) and set(told) <= set(made)


def test_five_thousand_with_long_names(zk, path):
    """5000 candidates with names of 200 bytes: a list of a megabyte is one look, in the right order."""
    crowd = zk.client()
    crowd.ensure_path(path)
    width = 200 - 10
    made = []
    for first in range(0, 5000, 250):
        change = crowd.transaction()
        for i in range(first, first + 250):
            # The name's beginning is random to the order: only the number counts.
            change.create(f"{path}/{i * 7919 % 5000:04d}".ljust(len(path) + 1 + width, "x"), ephemeral=True, sequence=True)
        made += [place.rsplit("/", 1)[1] for place in change.commit()]
    election = look_at(zk.hosts, path)
    assert names(election) == made
    assert all(len(name) == 200 for name in made)
    assert election["leader"]["name"] == made[0]
    table = run("once", "--quick", "-s", zk.hosts, path)
    assert table.status == 0 and str(len(made)) in table.out
    crowd.stop()


HOSTILE = [
    "esc\x1b[31mred",
    "bell\x07",
    "title\x1b]0;owned\x1b\\",
    "line\nbreak",
    "back\b\b\bspace",
    "del\x7f",
    "rtl\u202eoverride",
    "isolate\u2066x",
    "wide\u6f22\u5b57",
    "combine" + "e\u0301" * 20,
    "zero\u200bwidth",
    "\u00e9\u00fc",
    "emoji\U0001f468\u200d\U0001f469",
    "quote\"back\\slash",
    "percent%s%n",
]
# The control characters, C1 among them, and what turns the direction of text.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def zookeeper_takes(name):
    """What a path may hold: no control characters, and nothing that Java needs two characters for."""
    return not re.search("[\x00-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\U0010ffff]", name)


def test_hostile_names(zk, client, path):
    """Names with everything that ZooKeeper allows: exact in JSON, harmless in text."""
    client.ensure_path(path)
    made = [client.create(f"{path}/{name}-", ephemeral=True, sequence=True).rsplit("/", 1)[1]
            for name in HOSTILE if zookeeper_takes(name)]
    assert len(made) >= 6
    assert names(look_at(zk.hosts, path)) == made
    with Events(zk.hosts, path) as events:
        until(lambda: {e["candidate"] for e in events.all("candidate-joined")} >= set(made) or
              f"{path}/{made[0]}" in zk.watched_paths())
        client.delete(f"{path}/{made[0]}")
        events.expect("leader-elected", to=made[1])
    for arguments in (["once", "--quick"], ["once", "--quick", "--ascii"], ["events", "--for", "1s"]):
        said = run(*arguments, "-s", zk.hosts, path)
        assert said.status == 0, said
        assert not UNSAFE.search(said.out), said
        if "--ascii" in arguments:
            assert said.out.isascii(), said


def test_hostile_data(zk, client, path):
    """Data with everything, invalid UTF-8 and megabyte sizes among it: JSON stays JSON, text stays harmless."""
    client.ensure_path(path)
    datas = [name.encode() for name in HOSTILE] + [
        b"\xff\xfe invalid", b"\xc3", b"\xed\xa0\x80 surrogate", b"\x00\x01\x02", b"x" * 900_000, b"",
        b'{"host": "json\x1b[2J", "id": 1}', b'{"a":' * 5000, b"[" * 5000, b"\xf4\x90\x80\x80"]
    for data in datas:
        client.create(f"{path}/n_", data, ephemeral=True, sequence=True)
    for arguments in (["once", "--quick"], ["once", "--quick", "--ascii"], ["events", "--for", "1s"]):
        said = run(*arguments, "-s", zk.hosts, path)
        assert said.status == 0, said
        assert not UNSAFE.search(said.out), said
    raw = run("once", "--json", "--quick", "-s", zk.hosts, path, text=False)
    document = json.loads(raw.out.decode("utf-8"))
    assert len(elections(document)[path]["candidates"]) == len(datas)


def test_foreign_children(zk, client, path):
    """Children that are no candidates do not stand, lead, or vanish."""
    client.ensure_path(path)
    name = client.create(f"{path}/n_", ephemeral=True, sequence=True).rsplit("/", 1)[1]
    for foreign in ("config", "n_", "0000000000", "n_00000000000000000000000001", "n_123"):
        client.create(f"{path}/{foreign}")
    for sequential in [client.create(f"{path}/n_", ephemeral=True, sequence=True).rsplit("/", 1)[1]]:
        assert names(look_at(zk.hosts, path, ))[0] == name
        assert sequential in names(look_at(zk.hosts, path))


@pytest.mark.parametrize("data", [b"10.0.0.1:8080", b"http://10.0.0.1:8080/x", b'{"host":"10.0.0.1"}'])
def test_identity_from_data(zk, client, path, data):
    """Readable data says who a candidate is."""
    client.ensure_path(path)
    client.create(f"{path}/n_", data, ephemeral=True, sequence=True)
    assert "10.0.0.1" in look_at(zk.hosts, path)["leader"]["identity"]


def test_two_clusters_in_one_run(zk, client, path, tmp_path):
    """A configuration with two clusters: one that answers is shown, one that does not is unknown; status 0."""
    client.ensure_path(path)
    client.create(f"{path}/n_", b"here:1", ephemeral=True, sequence=True)
    config = tmp_path / "config.yaml"
    config.write_text(f"""clusters:
  - name: here
    hosts: {zk.hosts}
    elections: [{{path: {path}, name: orders}}]
  - name: nowhere
    hosts: 127.0.0.1:1
    elections: [{{path: /other}}]
""")
    done = run("once", "--json", "--quick", "--wait", "3s", "-c", str(config))
    assert done.status == 0, done
    here, nowhere = json.loads(done.out)["clusters"]
    assert (here["name"], here["elections"][0]["name"], here["elections"][0]["state"]) == ("here", "orders", "led")
    assert (nowhere["name"], nowhere["elections"][0]["state"]) == ("nowhere", "unknown")
    assert elections(look(zk.hosts, path))[path]["state"] == "led"
