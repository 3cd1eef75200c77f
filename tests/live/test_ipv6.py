"""Every command on a cluster that is named by an address of IPv6: [::1]:PORT."""
import contextlib
import json
import re
import socket
import socketserver
import subprocess
import threading
import urllib.request

import pytest

from electop import PROGRAM, Events, elections, look, run
from fake_server import has_ipv6, relay
from injection import SANDBOX, tree
from patience import wait
from recorder import Recorder
from waiting import until

LIMIT_S = 120


pytestmark = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


class Server6(socketserver.ThreadingTCPServer):
    """A port of [::1] in front of one of 127.0.0.1, where the servers of the tests are."""
    address_family, daemon_threads = socket.AF_INET6, True

    def __init__(self, target):
        host, port = target.rsplit(":", 1)

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                with socket.create_connection((host, int(port))) as server:
                    threading.Thread(target=pass_on, args=(server, self.request), daemon=True).start()
                    pass_on(self.request, server)
        super().__init__(("::1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.name = f"[::1]:{self.server_address[1]}"


def pass_on(source, target):
    with contextlib.suppress(OSError):
        relay(source, target)
        target.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def hosts(zk):
    with Server6(zk.hosts) as server:
        yield server.name
        server.shutdown()


@pytest.fixture(scope="module")
def admin(zk):
    with Server6(zk.admin) as server:
        yield server.name
        server.shutdown()


@pytest.fixture
def leader(client, path):
    client.ensure_path(path)
    return client.create(path + "/n_", b"host-a:1", ephemeral=True, sequence=True)


def test_a_look(hosts, admin, path, leader):
    found = look(hosts, "--admin", admin, path)
    assert elections(found)[path]["state"] == "led" and found["clusters"][0]["state"] == "connected", found
    assert found["clusters"][0]["servers"][0]["watches_from"] == "adminserver", found
    assert "state" in json.loads(run("once", "--json", "-s", hosts, path).out)["clusters"][0]
    assert run("check", "-s", hosts, path).status in (0, 1)
    assert path in run("discover", "-s", hosts, path).out


def test_events_and_a_recording(hosts, path, client, leader, tmp_path):
    recorder = Recorder(tmp_path, hosts, elections=f"[{{path: {path}, kind: leader}}]")
    with Events(hosts, path) as events:
        events.expect("election-seen")
        recorder.wait_for("SELECT * FROM events WHERE event = 'election-seen'")
        second = client.create(path + "/n_", b"host-b:1", ephemeral=True, sequence=True)
        recorder.wait_for("SELECT * FROM events WHERE event = 'candidate-joined'")
        client.delete(leader)
        events.expect("leader-elected", to=second.rsplit("/", 1)[1])
    recorder.wait_for("SELECT * FROM failovers")
    recorder.end()
    done = run("report", "-c", str(recorder.config), "--json")
    assert done.status == 0 and path in done.out, done


def test_metrics(hosts, path, leader):
    exporter = subprocess.Popen([PROGRAM, "export", "-s", hosts, "--listen", "[::1]:0", path], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\[::1\]:\d+\S*", exporter.stdout.readline())[0]
        until(lambda: f'election="{path}"' in urllib.request.urlopen(url, timeout=20).read().decode())
    finally:
        exporter.terminate()
        wait(exporter, 20)


def test_a_run(hosts, client):
    before = tree(client)
    done = run("inject", "-s", hosts, "--json", SANDBOX, "-n", "5", "--kill", "leader:every=500ms", "--how", "close", "--for", "3s",
               within=90)
    report = json.loads(done.out)
    assert done.status == 0 and report["end"] == "done" and report["failover"]["total"]["count"] >= 1, done
    assert tree(client) == before
