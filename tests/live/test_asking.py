"""What only the servers know: asked for by itself at each, never believed when it is half, and never asked for
in a way that harms them."""
import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import time
import urllib.request

import pytest

from electop import PROGRAM, Events, look, look_at, names, run
from ensemble import Ensemble, session_of
from fake_server import FakeAdmin, FakeAdmin6, FakeWords, FakeWords6, StoppingProxy, free_port, has_ipv6, http
from patience import stretched, wait
from waiting import until

CROWD = os.path.join(os.path.dirname(os.environ["SANDBOX"]), "crowd")

FIGURES = {
    "server_stats": http('{"version":"3.8.0","server_stats":{"server_state":"standalone","last_processed_zxid":2147483647},'
                         '"error":null}'),
    "watch_summary": http('{"num_connections":1,"num_paths":1,"num_total_watches":1,"error":null}'),
    "monitor": http('{"server_state":"standalone","watch_count":1,"error":null}'),
}


def figures(address):
    """The cheap answers of an AdminServer that says it is that server's."""
    return {**FIGURES, "configuration": http('{"client_port":%s,"error":null}' % address.rsplit(":", 1)[1])}


CONNECTIONS = '{"connections":[{"remote_socket_address":"127.0.0.1:7","session_id":%s,"last_response_time":1}]}'


def stand(client, path):
    client.ensure_path(path)
    return client.create(f"{path}/n_", b"", ephemeral=True, sequence=True).rsplit("/", 1)[1]


def logged_look(zk, path, tmp_path, *arguments):
    """One look: the election, and the lines of the log."""
    log = tmp_path / "log"
    election = look_at(zk.hosts, path, "--log", str(log), *arguments)
    return election, log.read_text(encoding="utf-8", errors="replace").splitlines()


def first(lines, word):
    found = [line for line in lines if word in line]
    assert found, f"no {word!r} in\n" + "\n".join(lines)
    return found[0]


def test_lists_arrive(zk, client, path, tmp_path):
    """A real AdminServer's connections, watches and sessions, and the server's own now by our session."""
    name = stand(client, path)
    client.exists(f"{path}/{name}", watch=lambda _: None)
    _, lines = logged_look(zk, path, tmp_path, "--admin", zk.admin)
    assert "with electop's own" in first(lines, " connections")
    assert " watches by adminserver" in first(lines, " watches by")
    assert first(lines, " sessions")


def test_words_where_there_is_no_adminserver(zk, client, path, tmp_path):
    """The same by four-letter words, which a private server has all switched on."""
    stand(client, path)
    _, lines = logged_look(zk, path, tmp_path, "--admin", "off")
    assert " watches by four-letter" in first(lines, " watches by")
    assert first(lines, " connections") and first(lines, " sessions")


def endless():
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + b'{"connections":['
    piece = (CONNECTIONS % 7)[16:-2].encode() + b","
    piece *= 65536 // len(piece)
    for _ in range(100_000_000 // len(piece)):
        yield piece


def trickle():
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    for _ in range(100):
        yield b" "
        time.sleep(0.1)


BAD = {
    "never": (None, "no answer within"),
    "trickle": (trickle, "no answer within"),
    "half": (http(CONNECTIONS % 1, length=1000), "cut off"),
    "nothing": (b"", "cut off"),
    "endless": (endless, ("more than 64 MB", "more entries than a server can have", "no answer within")),
    "html": (http("<html><body>It works!</body></html>"), "not JSON"),
    "error": (http('{"error":"server is not initialized","command":"connections"}'), "not initialized"),
    "status": (http("{}", status="500 Server Error"), "HTTP status 500"),
    "redirect": (http("", status="302 Found", more="Location: http://127.0.0.1:1/\r\n"), "HTTP status 302"),
    "cut": (http((CONNECTIONS % 1)[:40]), "JSON cut off"),
    "deep": (http("[" * 1000 + "]" * 1000), "too deeply"),
    "large": (http(f'{CONNECTIONS[:-1]},"session_id_to_watched_paths":{{"%s":[]}}}}' % (("9" * 20,) * 2)), "session id"),
    "other": (http('{"something":"else"}'), "not an answer of AdminServer"),
    "garbage": (os.urandom(4096), ("not an HTTP answer", "cut off", "HTTP/0.9", "header", "weird")),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_adminserver(zk, client, path, tmp_path, kind):
    """Whatever comes in place of the connections: these are unknown, with the reason; the look is whole."""
    name = stand(client, path)
    answer, reason = BAD[kind]

    def give(command):
        if command in figures(zk.hosts):
            return figures(zk.hosts)[command]
        return answer() if callable(answer) else answer

    with FakeAdmin(give) as admin:
        began = time.monotonic()
        cluster = look(zk.hosts, path, "--admin", admin.address, "--four-letter", "off")["clusters"][0]
        took = time.monotonic() - began
        text = run("once", "--quick", "-s", zk.hosts, "--admin", admin.address, "--four-letter", "off", path).out \
            if took < stretched(3) else ""
    assert names(cluster["elections"][0]) == [name]
    (server,) = cluster["servers"]
    said, reasons = server["watches_problem"], (reason,) if isinstance(reason, str) else reason
    assert "AdminServer on port" in said and any(r in said for r in reasons), server
    assert "set admin.enableServer=true in its zoo.cfg" in said, server
    # The server itself is well: only what that answer would have told is unknown.
    assert (server["reachable"], server["mode"], server["problem"], server["watches_from"]) == \
        (True, "standalone", None, None), server
    assert not text or " unknown: " in text and any(r in " ".join(text.split()) for r in reasons), text
    assert took < stretched(9)


def test_bad_connections_spoil_nothing_else(zk, client, path, tmp_path):
    """Half a list of connections: the watches, asked in between, are known all the same."""
    name = stand(client, path)
    answers = {**figures(zk.hosts), "connections": http((CONNECTIONS % 1)[:50]),
               "watches": http('{"session_id_to_watched_paths":{"-7":["/a"]},"new":{"in":[3.9]},"error":null}')}
    with FakeAdmin(lambda command: answers.get(command, http("{}"))) as admin:
        election, lines = logged_look(zk, path, tmp_path, "--admin", admin.address)
    assert names(election) == [name]
    assert "1 watches by adminserver" in first(lines, " watches by")
    # The connections come by word then: that is what `auto` means.
    assert first(lines, "connections, with electop's own")


FORGED = {
    "no connections": ("connections", '{"connections":[]}', "not in its list"),
    "one of them": ("connections", CONNECTIONS % 1, "not in its list"),
    "renamed": ("connections", (CONNECTIONS % 1).replace("session_id", "sessionId"), "without a readable session id"),
    "as text": ("connections", CONNECTIONS % '"1"', "without a readable session id"),
    "no watches": ("watches", '{"session_id_to_watched_paths":{}}', "lists 0 watches, but counts 1"),
    "other sessions": ("dump", '{"expiry_time_to_session_ids":{"1":[7]}}', "electop's own session is alive"),
}


@pytest.mark.parametrize("kind", FORGED)
def test_lists_that_cannot_be_all(zk, client, path, tmp_path, kind):
    """A list that lacks what is known to be there is unknown, with the reason; it never means that there is none."""
    name = stand(client, path)
    command, text, reason = FORGED[kind]
    answers = {**figures(zk.hosts), command: http(text)}
    with FakeAdmin(lambda asked: answers.get(asked, http("{}"))) as admin:
        election, lines = logged_look(zk, path, tmp_path, "--admin", admin.address, "--four-letter", "off")
        assert names(election) == [name]
        assert reason in "\n".join(lines)
        assert not [line for line in lines if f" {command}" in line and "by adminserver" in line]


def test_adminserver_of_another(zk, client, path, tmp_path):
    """What the AdminServer of an unrelated server says is not believed, and whose it is is said."""
    name = stand(client, path)
    other = Ensemble(1)
    try:
        election, lines = logged_look(zk, path, tmp_path, "--admin", other.admin, "--four-letter", "off")
    finally:
        other.close()
    assert names(election) == [name]
    port = other.hosts.rsplit(":", 1)[1]
    assert first(lines, f"belongs to another server (its client port is {port}")
    assert not [line for line in lines if "watches by adminserver" in line or "connections" in line.split(": ")[-1]
                and "ours" in line]


def servers_of(zk, path, *arguments):
    """What one look shows of each server, by address."""
    return {server["address"]: server for server in look(zk.hosts, path, *arguments)["clusters"][0]["servers"]}


@pytest.mark.parametrize("order", ["turned", "reversed", "by another name", "one behind a stranger"])
def test_adminservers_in_another_order(zk3, path, tmp_path, order):
    """Each AdminServer of a list is believed for the server that it belongs to, wherever it stands in the list."""
    stand(zk3.client(), path)
    admins = zk3.admin.split(",")
    answers = {**figures(zk3.addresses[0]), "configuration": http('{"client_port":1,"error":null}')}
    with FakeAdmin(lambda command: answers.get(command, http("{}"))) as stranger:
        lists = {"turned": admins[1:] + admins[:1], "reversed": admins[::-1],
                 "by another name": [a.replace("127.0.0.1", "localhost") for a in admins[::-1]],
                 "one behind a stranger": [stranger.address, *admins]}
        # Without words: all that is seen of watches is seen by the right AdminServer.
        servers = servers_of(zk3, path, "--admin", ",".join(lists[order]), "--four-letter", "off")
    assert sorted(servers) == sorted(zk3.addresses)
    for address, server in servers.items():
        assert server["watches_from"] == "adminserver" and not server["watches_problem"], servers
    modes = [servers[address]["mode"] for address in zk3.addresses]
    assert modes[zk3.leader()] == "leader" and modes.count("follower") == 2, modes


def test_an_address_that_servers_share(zk3, path):
    """An address behind which the servers take turns, as a service's, is no server's: none of its lists is believed."""
    stand(zk3.client(), path)
    turn = itertools.cycle(zk3.admin.split(","))

    def answer(command):
        with urllib.request.urlopen(f"http://{next(turn)}/commands/{command}") as said:
            return http(said.read().decode())
    with FakeAdmin(answer) as shared:
        servers = servers_of(zk3, path, "--admin", shared.address, "--four-letter", "off")
    assert sorted(servers) == sorted(zk3.addresses)
    for server in servers.values():
        assert not server["watches_from"] and "several servers" in server["watches_problem"], servers


def test_adminserver_of_nobody_in_particular(zk, client, path, tmp_path):
    """Where several servers have the same port and nothing tells which of them an AdminServer is, it is not believed."""
    stand(client, path)
    with FakeWords(lambda word: SRVR if word == "srvr" else word.encode() + REFUSED, "127.0.0.2") as one:
        port = int(one.address.rsplit(":", 1)[1])
        with FakeWords(one.answer, "127.0.0.3", port) as other:
            answers = {**figures(one.address), "server_stats": http(
                '{"version":"3.8.0","server_stats":{"server_state":"follower","last_processed_zxid":1},"error":null}'),
                "connections": http(CONNECTIONS % 1), "watches": http('{"session_id_to_watched_paths":{"1":["/a"]}}')}
            with FakeAdmin(lambda command: answers.get(command, http("{}")), "127.0.0.4") as admin:
                servers = f"{{addresses: ['{one.address}', '{other.address}'], admin: ['{admin.address}']}}"
                file = configured(tmp_path, zk, servers)
                done = run("once", "--json", "--quick", "-c", str(file), path)
    assert done.status == 0, done
    shown = json.loads(done.out)["clusters"][0]["servers"]
    assert len(shown) == 2
    for server in shown:
        assert server["watches_from"] is None
        assert "name it by the host of its server" in server["watches_problem"], server


def test_a_dangerous_server_is_told_everywhere(zk, client, path, tmp_path):
    """A server that is read-only is a finding of its own in JSON and metrics, and a warning of check."""
    stand(client, path)
    read_only = SRVR.replace(b"follower", b"read-only")
    with FakeWords(lambda word: read_only if word == "srvr" else word.encode() + REFUSED) as words:
        file = str(configured(tmp_path, zk, f"{{addresses: ['{zk.addresses[0]}', '{words.address}'], admin: 'off'}}"))
        shown = json.loads(run("once", "--json", "-c", file, path).out)["clusters"][0]["servers"]
        metrics = run("export", "--once", "-c", file, path).out
        check = run("check", "--config", file, path)
    found = {server["address"]: {finding["code"]: finding for finding in server["findings"]} for server in shown}
    assert found[words.address]["server-read-only"]["severity"] == "error", found
    assert found[words.address]["server-read-only"]["advice"] and "server-read-only" not in found[zk.addresses[0]], found
    assert f'server="{words.address}",code="server-read-only",severity="error"}} 1\n' in metrics, metrics
    assert check.status == 1 and f"{words.address}: server-read-only (it is read-only" in check.out, check


def test_adminserver_behind_a_forwarded_port(zk, client, path, tmp_path):
    """A server reached on another port than it names is known by our own session among its connections."""
    stand(client, path)
    with StoppingProxy(zk.hosts, lambda: None) as proxy:
        _, lines = logged_look(Reached(proxy.address), path, tmp_path, "--admin", zk.admin, "--four-letter", "off")
    assert first(lines, " watches by adminserver")


def test_our_session_proves_one_of_three_behind_forwarded_ports(zk3, path):
    """An AdminServer that lists our session is that of the server that the session is connected to, and of no other."""
    clients = [zk3.client() for _ in range(6)]
    for client in clients:
        stand(client, path)
    with contextlib.ExitStack() as stack:
        proxies = [stack.enter_context(StoppingProxy(address, lambda: None)) for address in zk3.addresses]
        seen = look(",".join(proxy.address for proxy in proxies), path, "--admin", zk3.admin, "--four-letter", "off")
    servers, election = seen["clusters"][0]["servers"], seen["clusters"][0]["elections"][0]
    assert [server["watches_from"] for server in servers].count("adminserver") == 1, servers
    assert "owner-disconnected" not in {finding["code"] for finding in election["findings"]}, election


def configured(tmp_path, zk, servers):
    """A configuration whose servers are asked elsewhere than where the session is."""
    file = tmp_path / "config.yaml"
    file.write_text(f"clusters:\n- name: c\n  hosts: {zk.hosts}\n  servers: {servers}\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("every", ["5s", "off"])
def test_not_asked_is_no_outage(zk3, path, tmp_path, every):
    """Servers that nobody asks are neither up nor down; the one that our session is connected to is up."""
    name = stand(zk3.client(), path)
    file = configured(tmp_path, zk3, f"{{admin: 'off', four_letter: 'off', every: '{every}'}}")
    done = run("once", "--json", "-c", str(file), path)
    assert done.status == 0, done
    cluster = json.loads(done.out)["clusters"][0]
    assert names(cluster["elections"][0]) == [name]
    assert sorted(str(server["reachable"]) for server in cluster["servers"]) == ["None", "None", "True"], cluster
    for server in cluster["servers"]:
        assert server["problem"] is None and server["mode"] is None, server
        assert "set admin: 8080 or four_letter: auto" in server["watches_problem"], server
    text = run("once", "-c", str(file), path).out
    assert len(re.findall(r"\? +127\.0\.0\.1:\d+ +not polled", text)) == 2, text
    assert len(re.findall(r"127\.0\.0\.1:\d+ +connected, not polled", text)) == 1, text


SRVR = (b"Zookeeper version: 3.8.0-x, built on today\nConnections: 3\nZxid: 0x1\nMode: follower\nNode count: 5\n")
ALONE = SRVR.replace(b"follower", b"standalone")
REFUSED = b" is not executed because it is not in the whitelist.\n"

WORDS = {
    "stock": (lambda word: SRVR if word == "srvr" else word.encode() + REFUSED, "4lw.commands.whitelist"),
    "hanging": (lambda word: SRVR if word == "srvr" else None, ("did not answer another word in time", "no answer")),
    "html": (lambda word: SRVR if word == "srvr" else b"<html>", "not a ZooKeeper answer"),
    "cut": (lambda word: SRVR if word == "srvr" else b"1 connections watching 1 paths\nTot" if word == "wchs"
            else b" /127.0.0.1:7[1](queued=0,recved=1", "cut off"),
    "closing": (lambda word: SRVR if word == "srvr" else b"", "closed the connection"),
    "huge": (lambda word: SRVR if word == "srvr" else b"x" * 1_000_000, "too large"),
    "boundless": (lambda word: SRVR if word == "srvr" else
                  b"9223372036854775807 connections watching 1 paths\nTotal watches:9223372036854775807\n"
                  if word == "wchs" else word.encode() + REFUSED, "can stall a server"),
    "vanished": (lambda word: b"", "closed the connection"),
    "not serving": (lambda word: b"This ZooKeeper instance is not currently serving requests\n", "not serving"),
}


@pytest.mark.parametrize("kind", WORDS)
def test_bad_words(zk, client, path, tmp_path, kind):
    """The same for four-letter words; a stock server's refusal says what to switch on."""
    name = stand(client, path)
    answer, reason = WORDS[kind]
    with FakeWords(answer) as words:
        file = configured(tmp_path, zk, f"{{addresses: ['{words.address}'], admin: 'off'}}")
        log = tmp_path / "log"
        done = run("once", "--json", "--quick", "-c", str(file), "--log", str(log), "--wait", "20s", path)
    assert done.status == 0, done
    (server,) = json.loads(done.out)["clusters"][0]["servers"]
    assert name in done.out and server["watches_from"] is None
    assert any(r in server["watches_problem"] for r in ([reason] if isinstance(reason, str) else reason)), server
    if kind not in ("vanished", "not serving"):
        assert (server["reachable"], server["mode"], server["problem"]) == (True, "follower", None), server
        # The whitelist is a remedy where it is the obstacle.
        advised = "set 4lw.commands.whitelist=srvr,cons,mntr,dump,wchs,wchc" in server["watches_problem"]
        assert advised == (kind in ("stock", "boundless")), server


def test_refused_and_unknown_hosts(zk, client, path, tmp_path):
    """Where no AdminServer can be reached it is said why: nobody listens, no way leads there, no such host."""
    stand(client, path)
    port = free_port()
    for where, reason in ((f"127.0.0.1:{port}", "connection refused"),
                          (f"127.255.255.255:{port}", "network is unreachable"),
                          (f"no-such-host.invalid:{port}", "no such host")):
        (server,) = servers_of(zk, path, "--admin", where, "--four-letter", "off").values()
        assert server["reachable"] is False and server["watches_from"] is None
        assert reason in server["watches_problem"] and "admin.enableServer" in server["watches_problem"], server
        # By words it is as well as it was: AdminServer was only one way.
        (server,) = servers_of(zk, path, "--admin", where).values()
        assert server["watches_from"] == "four-letter" and server["problem"] is None, server


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 loopback here")
def test_addresses_in_ipv6(zk, client, path, tmp_path):
    """Servers and AdminServers at IPv6 addresses, and clients that come from such: asked, and shown in one form."""
    name = stand(client, path)
    session = client.client_id[0]
    with FakeWords6(lambda word: ALONE if word == "srvr" else word.encode() + REFUSED) as words:
        answers = {**figures(words.address), "watches": http('{"session_id_to_watched_paths":{"%d":["/a"]}}' % session),
                   "connections": http(CONNECTIONS.replace("127.0.0.1:7", "[0:0:0:0:0:0:0:1]:7") % session)}
        with FakeAdmin6(lambda command: answers.get(command, http("{}"))) as admin:
            servers = f"{{addresses: ['{words.address}'], admin: ['{admin.address}']}}"
            done = run("once", "--json", "--quick", "-c", str(configured(tmp_path, zk, servers)), path)
    assert done.status == 0, done
    cluster = json.loads(done.out)["clusters"][0]
    assert [(s["address"], s["watches_from"]) for s in cluster["servers"]] == [(words.address, "adminserver")]
    (candidate,) = cluster["elections"][0]["candidates"]
    assert candidate["name"] == name and candidate["client"] == "[::1]:7", candidate


@pytest.mark.parametrize("counted, state", ((2, "unknown"), (3, "suspect")))
def test_watches_on_children_are_not_hidden_by_new_ones(zk, path, tmp_path, counted, state):
    """All watches were counted, then more were listed: a watch on children may still be among those that were counted."""
    members = [zk.client(), zk.client()]
    for member in members:
        stand(member, path)
    sessions = [int(session_of(member), 16) for member in members]
    one = '{"remote_socket_address":"127.0.0.1:7","session_id":%d,"last_response_time":1}'
    answers = {"connections": http('{"connections":[%s]}' % ",".join(one % session for session in sessions)),
               # Two on data were counted before all three, or three; three are listed after.
               "watch_summary": http('{"num_connections":1,"num_paths":1,"num_total_watches":%d,"error":null}' % counted),
               "monitor": http('{"server_state":"standalone","watch_count":3,"error":null}'),
               "watches": http('{"session_id_to_watched_paths":{"%d":["/a","/b","/c"]}}' % sessions[0])}
    with FakeWords(lambda word: ALONE if word == "srvr" else word.encode() + REFUSED) as words, \
            FakeAdmin(lambda command: answers.get(command, http("{}"))) as admin:
        answers = {**figures(words.address), **answers}
        servers = f"{{addresses: ['{words.address}'], admin: ['{admin.address}']}}"
        done = run("once", "--json", "--quick", "-c", str(configured(tmp_path, zk, servers)), path)
    assert done.status == 0, done
    (election,) = json.loads(done.out)["clusters"][0]["elections"]
    assert election["candidates"][1]["state"] == state, election


def test_a_long_answer_is_paid_for(zk, client, path, tmp_path):
    """Cost is what an answer of that length costs a server. Twenty thousand connections cost a hundred milliseconds and more,
    and are not asked for again within a hundred times that; a short list that comes late cost next to nothing."""
    stand(client, path)
    many = ",".join('{"remote_socket_address":"127.0.0.1:%d","session_id":%d,"last_response_time":1}' % (i, i + 1)
                    for i in range(20000))
    long, short = http('{"connections":[%s]}' % many), http(CONNECTIONS % 1)
    watches = http('{"session_id_to_watched_paths":{"1":["/a"]}}')

    def late(answer, seconds):
        def give(command):
            if command in ("connections", "watches", "dump"):
                time.sleep(seconds)
            return {**figures(words.address), "connections": answer, "watches": watches}.get(command, http("{}"))
        return give

    with FakeWords(lambda word: ALONE) as words:
        for answer, seconds, again in ((long, 0.3, False), (short, 0.3, True)):
            with FakeAdmin(late(answer, seconds)) as admin:
                servers = f"{{addresses: ['{words.address}'], admin: ['{admin.address}'], every: 100ms}}"
                with Events(None, "-c", str(configured(tmp_path, zk, servers)), path):
                    until(lambda: admin.asked.count("watches") >= 1, 30, "it is asked at all")
                    if again:
                        until(lambda: admin.asked.count("watches") > 3, 60, "it is asked again")
                    else:
                        time.sleep(5)
                        assert admin.asked.count("connections") <= 3, admin.asked


def test_a_cold_server_is_asked_again_soon(zk, client, path, tmp_path):
    """A JVM's very first answers take long, once, whatever is asked: they are figures, and cost no long pause."""
    stand(client, path)
    answers = {"connections": http(CONNECTIONS % 1), "watches": http('{"session_id_to_watched_paths":{"1":["/a"]}}')}
    asked = set()

    def cold(command):
        if command in ("configuration", "server_stats", "watch_summary") and command not in asked:
            asked.add(command)
            time.sleep(0.5)
        return answers.get(command, http("{}"))

    with FakeAdmin(cold) as admin, FakeWords(lambda word: ALONE) as words:
        answers.update(figures(words.address))
        file = configured(tmp_path, zk, f"{{addresses: ['{words.address}'], admin: ['{admin.address}'], every: 100ms}}")
        with Events(None, "-c", str(file), path):
            until(lambda: admin.asked.count("watches") > 1, 40, "it is asked again")
    assert asked == {"configuration", "server_stats", "watch_summary"}


def test_no_big_word_after_a_small_one(zk, client, path, tmp_path):
    """What a word once came to says nothing where AdminServer has told of many watches since."""
    stand(client, path)
    rounds = []
    many = '{"session_id_to_watched_paths":{"1":[%s]}}' % ",".join(f'"/a/{i}"' for i in range(5000))

    def administrator(command):
        if command == "watches":
            rounds.append(command)
            return http(many) if len(rounds) == 2 else b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        if command == "watch_summary":
            count = 5000 if len(rounds) else 1
            return http('{"num_connections":1,"num_paths":%d,"num_total_watches":%d}' % (count, count))
        return {**figures(words.address), "connections": http(CONNECTIONS % 1)}.get(command, http("{}"))

    with FakeAdmin(administrator) as admin, \
            FakeWords(lambda word: ALONE if word == "srvr" else b"0x1\n\t/a/1\n\n") as words:
        file = configured(tmp_path, zk, f"{{addresses: ['{words.address}'], admin: ['{admin.address}'], every: 100ms}}")
        with Events(None, "-c", str(file), path):
            until(lambda: len(rounds) >= 3, 40, "the third is asked after the large one")
    assert words.asked.count("wchc") == 1


def test_every_off(zk, client, path, tmp_path):
    """every: off asks a server for nothing but srvr by itself; a look is a demand."""
    stand(client, path)
    with FakeWords(lambda word: SRVR if word == "srvr" else word.encode() + REFUSED) as words:
        file = configured(tmp_path, zk, f"{{addresses: ['{words.address}'], admin: 'off', every: 'off'}}")
        assert run("events", "--json", "-c", str(file), "--for", "2s", path).status == 0
        assert words.asked == ["srvr"]
        assert run("once", "--json", "-c", str(file), path).status == 0
        assert "cons" in words.asked


@pytest.fixture(scope="module")
def crowded():
    """A server with 100,000 watches."""
    ensemble = Ensemble(1)
    crowd = subprocess.Popen([CROWD, ensemble.hosts, "20", "5000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    assert crowd.stdout.readline() == "ready\n"
    yield ensemble
    crowd.stdin.close()
    wait(crowd, 20)
    crowd.stdout.close()
    ensemble.close()


def write(client, path, times):
    """So many creates and deletes; one that waited for the tool would wait until it goes on."""
    for _ in range(times):
        made = client.create_async(f"{path}/x-", b"", ephemeral=True, sequence=True).get(timeout=stretched(5))
        client.delete_async(made).get(timeout=stretched(5))


@pytest.mark.parametrize("kind", ["srvr", "watch_summary", "monitor", "watches", "connections", "dump",
                                  "wchs", "mntr", "cons", "dump by word"])
def test_frozen_in_the_middle(crowded, path, tmp_path, kind):
    """The tool is stopped in the middle of an answer: other clients do not notice. wchc is never asked here."""
    client = crowded.client()
    stand(client, path)
    client.ensure_path(f"{path}-load")
    by_word = kind in ("srvr", "wchs", "mntr", "cons", "dump by word")
    tool = []

    def freeze():
        os.kill(tool[0].pid, signal.SIGSTOP)

    with StoppingProxy(crowded.hosts, freeze) as port, StoppingProxy(crowded.admin, freeze) as admin:
        proxy = port if by_word else admin
        file = configured(tmp_path, crowded, f"{{addresses: ['{port.address}'], every: 100ms, "
                          f"admin: {'off' if by_word and kind != 'srvr' else [admin.address]}}}".replace("off", "'off'"))
        proxy.stop_at(kind.split()[0].encode())
        tool.append(subprocess.Popen([PROGRAM, "events", "--json", "-c", str(file), path], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL))
        try:
            assert proxy.stopped.wait(30), "never asked"
            write(client, f"{path}-load", 100)
        finally:
            tool[0].send_signal(signal.SIGCONT)
            proxy.go_on()
            tool[0].terminate()
            wait(tool[0], 20)
        assert not any(b"wchc" in request or b"wchp" in request for request in port.asked)


def test_one_of_three_stopped(zk3, path, tmp_path):
    """One server hangs: its part is unknown, the others' are known, and nobody waits longer than its deadline."""
    client = zk3.client(timeout=30)
    name = stand(client, path)
    away = [i for i in range(3) if i != zk3.leader()][0]
    zk3.freeze(away)
    try:
        alive = ",".join(a for i, a in enumerate(zk3.addresses) if i != away)
        began = time.monotonic()
        election, lines = logged_look(Reached(alive), path, tmp_path, "--admin", zk3.admin)
        took = time.monotonic() - began
        client = None
    finally:
        zk3.thaw(away)
    assert names(election) == [name]
    assert took < stretched(6)
    frozen = [line for line in lines if zk3.addresses[away] in line and " watches by" in line]
    assert not frozen
    for i in range(3):
        if i != away:
            at = first([line for line in lines if zk3.addresses[i] in line], " watches by adminserver")
            assert at
    assert "no answer" in first([line for line in lines if zk3.addresses[away] in line], "no answer")


class Reached:
    """Servers to connect to: fewer than there are, so the rest is found."""

    def __init__(self, hosts):
        self.hosts = hosts
