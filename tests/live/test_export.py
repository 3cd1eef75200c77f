"""`electop export`: what Prometheus reads, a real Prometheus that reads it, and clients that misbehave."""
import glob
import gzip
import json
import os
import re
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from electop import run
from exporter import Exporter
from patience import stretched
from recorder import Recorder
from waiting import until

LIMIT_S = 150
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RULES = os.path.join(TOP, "config", "prometheus")
CANDIDATE = os.path.join(TOP, "tests", "support", "kazoo_candidate.py")


@pytest.fixture
def exporter(zk):
    started = []

    def start(*arguments):
        started.append(Exporter("-s", zk.hosts, "--admin", zk.admin, "--listen", "127.0.0.1:0", *arguments))
        return started[-1]
    yield start
    for one in started:
        assert one.end() == 128 + signal.SIGTERM


def promtool(*arguments, text=None):
    return subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True)


def test_once_is_what_promtool_accepts(zk, path, client):
    client.ensure_path(path)
    client.create(path + "/n_", b"x\"y\\z\n:1", ephemeral=True, sequence=True)
    done = run("export", "--once", "-s", zk.hosts, "--admin", zk.admin, path)
    assert done.status == 0, done
    checked = promtool("check", "metrics", text=done.out)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    assert f'electop_election_led{{cluster="{zk.hosts}",election="{path}"}} 1' in done.out


def test_once_without_a_cluster_says_so(path):
    done = run("export", "--once", "-s", "127.0.0.1:1", "--wait", "1s", path)
    assert done.status == 3 and 'electop_cluster_connected{cluster="127.0.0.1:1"} 0' in done.out, done
    assert "electop_election_led" not in done.out  # unknown is no sample


def test_figures_follow_the_election(zk, path, client, exporter):
    client.ensure_path(path)
    first = client.create(path + "/n_", b"a:1", ephemeral=True, sequence=True)
    labels = f'{{cluster="{zk.hosts}",election="{path}"}}'
    one = exporter(path)
    until(lambda: one.metrics().get("electop_election_candidates" + labels) == 1)
    assert one.metrics()["electop_next_failover_works" + labels] == 0
    zk.client().create(path + "/n_", b"b:1", ephemeral=True, sequence=True)  # one session's could be one candidate
    client.delete(first)
    until(lambda: one.metrics()["electop_leader_changes_total" + labels] == 1)
    assert any(name.startswith("electop_leader_info") and 'identity="b:1"' in name for name in one.metrics())
    until(lambda: any(name.startswith("electop_failover_duration_seconds_count") for name in one.metrics()))
    for name in client.get_children(path):
        client.delete(f"{path}/{name}")
    until(lambda: one.metrics()["electop_election_vacancy_seconds" + labels] > 0.5)
    assert one.metrics()["electop_election_led" + labels] == 0


def test_what_only_looks_like_an_election_is_readable(zk, path, client):
    """What a pattern finds may be no election: nobody is said to lead there, and no permission to be missing."""
    for name in ("odd/node-", "odd/node-"):
        client.create(f"{path}/{name}", b"", ephemeral=True, sequence=True, makepath=True)
    text = run("export", "--once", "-s", zk.hosts, "--admin", zk.admin, path + "/*").out
    assert re.search(r'electop_election_readable\{[^}]*/odd"\} 1\n', text), text
    assert not re.search(r'electop_election_led\{[^}]*/odd"\}', text), text


def test_formats_and_paths(path, exporter):
    one = exporter(path)
    kind, text = one.get()
    assert kind == "text/plain; version=0.0.4; charset=utf-8" and not text.rstrip().endswith("# EOF")
    kind, text = one.get(accept="application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
    assert kind.startswith("application/openmetrics-text; version=1.0.0") and text.endswith("# EOF\n")
    assert "/metrics" in one.get("/")[1] and one.get(method="HEAD")[1] == ""
    for place, method, status in ("/nowhere", "GET", 404), ("/metrics", "POST", 405), ("/metrics", "DELETE", 405):
        with pytest.raises(urllib.error.HTTPError) as refused:
            one.get(place, method=method)
        assert refused.value.code == status


@pytest.mark.parametrize("accept, openmetrics", [
    ("application/openmetrics-text;version=1.0.0;q=0", False),
    ("application/openmetrics-text; q=0.0, text/plain", False),
    ("application/openmetrics-text;q=0.4,text/plain;version=0.0.4;q=0.5", False),
    ("text/plain;q=0.5,APPLICATION/openmetrics-text; version=1.0.0; Q=0.6", True),
    ("application/openmetrics-text;q=0.5,text/plain;q=0.5", True),
    ("application/openmetrics-text;q=0.5,*/*;q=0.8", False),
    ("application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.1,"
     "text/plain;version=0.0.4;q=0.3,*/*;q=0.2", True),
    ("*/*", False), ("application/*", False), ("application/openmetrics-textual", False),
])
def test_the_liked_format_is_given(path, exporter, accept, openmetrics):
    """As HTTP has it: 0 is never, the higher one wins; OpenMetrics where both are liked alike and it is named."""
    kind, text = exporter(path).get(accept=accept)
    assert kind.startswith("application/openmetrics-text" if openmetrics else "text/plain"), (accept, kind)
    assert text.endswith("# EOF\n") == openmetrics


def test_compressed(path, exporter):
    """A scraper that takes gzip, as Prometheus does, gets it; one that does not, or refuses it, gets text."""
    one = exporter(path)
    def get(accept_encoding, accept="text/plain"):
        asked = urllib.request.Request(f"http://{one.address}/metrics", headers={"Accept": accept, "Accept-Encoding": accept_encoding})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.headers, answer.read()
    for accept, end in ("text/plain", b"\n"), ("application/openmetrics-text", b"# EOF\n"):
        headers, page = get("deflate, gzip;q=0.9" if end == b"\n" else "gzip", accept)
        assert headers["Content-Encoding"] == "gzip" and headers["Vary"] == "Accept-Encoding"
        assert gzip.decompress(page).startswith(b"# HELP ") and gzip.decompress(page).endswith(end)
    for refused in "identity", "gzip;q=0", "gzip; q=0":
        headers, page = get(refused)
        assert headers["Content-Encoding"] is None and page.startswith(b"# HELP ")


def test_port_in_use_and_wrong_addresses(zk, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("export", "-s", zk.hosts, "--listen", f"127.0.0.1:{port}")
        assert done.status == 2 and "another program listens there" in done.err, done
        done = run("record", "-s", zk.hosts, "--listen", f"127.0.0.1:{port}", env={"XDG_STATE_HOME": str(tmp_path)})
        assert done.status == 2 and "another program listens there" in done.err, done
    for address in ("nonsense", "127.0.0.1:99999", "example.invalid:80", "127.0.0.1:", "[::1:9"):
        done = run("export", "-s", zk.hosts, "--listen", address)
        assert done.status == 2 and "write it as in 127.0.0.1:9151" in done.err, done


def test_default_is_loopback_and_an_open_address_is_said(zk):
    one = Exporter("-s", zk.hosts, "--listen", "0.0.0.0:0")
    one.process.send_signal(signal.SIGTERM)
    one.process.wait(20)
    assert "can read the metrics, including the names of hosts and elections" in one.process.stderr.read()


def test_misbehaving_clients_block_nobody(path, exporter):
    """Aborted and endless requests, slow readers and a request of 1 MB: the next scrape is answered at once."""
    one = exporter(path)
    kept = []
    for bytes_sent in (b"", b"GET /metr", b"GET /metrics HTTP/1.1\r\nHost: x\r\n", b"\x16\x03\x01" * 100,
                       b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1000000,
                       b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + b"a" * 1000000,
                       b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"):  # and nothing is read
        connection = socket.create_connection(one.place)
        kept.append(connection)
        try:
            connection.sendall(bytes_sent)
        except OSError:
            pass  # refused in the middle, which is fine
    aborted = socket.create_connection(one.place)
    aborted.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    aborted.close()
    began = time.monotonic()
    assert "electop_build_info" in one.get()[1] and time.monotonic() - began < 5
    for connection in kept:
        connection.close()


def test_a_thousand_scrapes_at_once(path, exporter):
    one = exporter(path)
    before = one.metrics()["process_cpu_seconds_total"]
    answers = []

    def scrape():
        for _ in range(20):
            answers.append("electop_build_info" in one.get()[1])
    threads = [threading.Thread(target=scrape) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 1000 and all(answers)
    # A page is made at most twice a second, however many ask.
    assert one.metrics()["process_cpu_seconds_total"] - before < 20


@pytest.mark.parametrize("many", (201, 500))
def test_requests_that_never_end(path, exporter, many):
    """More connections than it takes: when they are gone, or have stood for long, others are served again."""
    one = exporter(path)
    for close in True, False:
        half = [socket.create_connection(one.place) for _ in range(many)]
        for connection in half:
            connection.sendall(b"GET /met")
        if close:
            # Once it has taken what it takes.
            until(lambda: descriptors(one.process) > 90, what="the connections are taken")
            for connection in half:
                connection.close()

        def served():
            try:
                return "electop_build_info" in one.get()[1]
            except OSError:
                return False
        until(served, 60, "it serves again")
        for connection in half:
            connection.close()


def test_a_request_that_stops(path, exporter):
    one = exporter(path)
    with socket.create_connection(one.place, 20) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\n")
        began = time.monotonic()
        assert connection.recv(1) == b"" and 3 < time.monotonic() - began < stretched(8)


@pytest.mark.parametrize("addresses", [1, 20])
def test_requests_that_dribble(path, exporter, addresses):
    """Connections that send a byte now and then are cut off in the end, and meanwhile keep nobody elsewhere waiting, not even those
    of many addresses."""
    one = exporter(path)
    slow = [socket.create_connection(one.place, source_address=(f"127.0.1.{1 + n % addresses}", 0)) for n in range(200 * min(addresses, 3))]
    over, answered = set(), 0

    def all_over():
        nonlocal answered
        for connection in slow:
            try:
                connection.sendall(b"G")
                connection.setblocking(False)
                if connection.recv(1) == b"":
                    over.add(connection)
            except BlockingIOError:
                connection.setblocking(True)
            except OSError:
                over.add(connection)
        began = time.monotonic()
        with socket.create_connection(one.place, 20, source_address=("127.0.0.2", 0)) as scraper:
            scraper.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            assert b"200 OK" in scraper.recv(100)
        assert time.monotonic() - began < stretched(2.5)
        answered += 1
        time.sleep(0.5)
        return len(over) == len(slow)
    until(all_over, 90, "all are cut off")
    assert answered > 1
    for connection in slow:
        connection.close()


@pytest.mark.parametrize("files", [None, 120])
def test_a_flood_keeps_nobody_waiting(path, exporter, files):
    """Many more connections than are accepted, each opened again when it is closed: who asks from elsewhere is answered soon;
    so it is where few files may be open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files or soft, hard))
    try:
        one = exporter(path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    flood, over = selectors.DefaultSelector(), threading.Event()

    def opened(n):
        connection = socket.create_connection(one.place, source_address=(f"127.0.1.{1 + n % 4}", 0))
        flood.register(connection, selectors.EVENT_READ, n)

    def goes_on():
        while not over.is_set():
            for key, _ in flood.select(0.1):
                flood.unregister(key.fileobj)
                key.fileobj.close()
                opened(key.data)
    for n in range(800):
        opened(n)
    flooding = threading.Thread(target=goes_on)
    flooding.start()
    took = []
    try:
        for _ in range(5):
            began = time.monotonic()
            with socket.create_connection(one.place, 60, source_address=("127.0.0.2", 0)) as scraper:
                scraper.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
                assert b"200 OK" in scraper.recv(100)
            took.append(time.monotonic() - began)
    finally:
        over.set()
        flooding.join()
        for key in list(flood.get_map().values()):
            key.fileobj.close()
    assert min(took) < stretched(2.5) and max(took) < stretched(10), took


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def test_recorder_exports_too(zk, client, tmp_path):
    client.ensure_path("/election")
    recorder = Recorder(tmp_path, zk.hosts, "--listen", "127.0.0.1:0")
    try:
        place = until(lambda: [line for line in recorder.said if line.startswith("metrics on")])[0].split()[2]
        def up():
            return "\nelectop_recording_up 1\n" in urllib.request.urlopen(place, timeout=10).read().decode()
        until(up)
        recorder.process.send_signal(signal.SIGHUP)  # the same address serves on
        until(lambda: len([line for line in recorder.said if line.startswith("recording into")]) == 2)
        until(up)
    finally:
        recorder.end()


def test_sighup_reads_the_configuration_again(zk, client, path, tmp_path):
    """A wrong file changes nothing and says so; a right one takes effect at the same address, and the counts go on."""
    for name in "ab":
        client.ensure_path(f"{path}/{name}")
    config = tmp_path / "config.yaml"

    def write(name):
        config.write_text(f"clusters: [{{name: c, hosts: '{zk.hosts}', servers: {{admin: '{zk.admin}'}}, "
                          f"elections: [{{path: {path}/{name}, kind: leader}}]}}]\n")

    def candidates(name):
        return one.metrics().get(f'electop_election_candidates{{cluster="c",election="{path}/{name}"}}')
    write("a")
    log = tmp_path / "log"
    one = Exporter("-c", str(config), "--listen", "127.0.0.1:0", "--log", str(log))
    try:
        until(lambda: candidates("a") == 0)
        config.write_text("clusters: [{name: c, hosts: x, wrong: 1}]\n")
        one.process.send_signal(signal.SIGHUP)
        said = [one.process.stderr.readline() for _ in range(2)]
        assert "wrong" in said[0] and "kept the previous configuration" in said[1], said
        client.create(f"{path}/a/n_", ephemeral=True, sequence=True)
        until(lambda: candidates("a") == 1)
        began = one.metrics()["process_start_time_seconds"]
        write("b")
        one.process.send_signal(signal.SIGHUP)
        until(lambda: candidates("b") == 0 and candidates("a") is None)
        assert f"{config}: configuration reloaded" in one.process.stderr.readline()
        logged = log.read_text()
        assert "wrong" in logged and "kept the previous configuration" in logged
        assert f"info {config}: configuration reloaded" in logged
        assert one.metrics()["process_start_time_seconds"] == began
    finally:
        assert one.end() == 128 + signal.SIGTERM


def test_bound_on_series_applies(zk, path, client, exporter):
    for i in range(12):
        client.ensure_path(f"{path}/e{i}/n")
    one = exporter("--series", "100", f"{path}/*")
    until(lambda: one.metrics().get(f'electop_cluster_elections_omitted{{cluster="{zk.hosts}"}}', 0) > 0)
    assert "# electop: the bound on series leaves out" in one.get()[1]


# -- what is shipped for Prometheus and Grafana

def test_shipped_rules_pass_their_tests():
    checked = promtool("check", "config", os.path.join(RULES, "prometheus.yml"))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    tested = promtool("test", "rules", os.path.join(RULES, "electop.rules.test.yml"))
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_rules_and_dashboard_use_metrics_that_exist():
    known = set(re.findall(r'"((?:electop|process)_[a-z_]+)", METRIC_(\w+)',
                           open(os.path.join(TOP, "probe/metrics/metrics.c")).read()))
    ending = {"COUNTER": ["_total"], "INFO": ["_info"], "GAUGE": [""], "HISTOGRAM": ["_bucket", "_sum", "_count"]}
    samples = {name + end for name, kind in known for end in ending[kind]}
    assert len(samples) > 25
    for file in glob.glob(os.path.join(TOP, "config/prometheus/*.yml")) + [os.path.join(TOP, "config/grafana/electop.json")]:
        text = open(file).read()
        used = set(re.findall(r"(?<![:\w])(?:electop|process)_[a-z_]+\b(?!:)", text))
        assert used - {"electop_elections_led"} <= samples, file
    board = json.load(open(os.path.join(TOP, "config/grafana/electop.json")))
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 10


@pytest.mark.skipif(not shutil.which("prometheus"), reason="prometheus is not installed")
def test_real_prometheus_fires_and_resolves_the_shipped_alert(zk, path, client, exporter, tmp_path):
    """A kazoo leader is killed with no successor: the shipped alert fires; a new leader resolves it."""
    client.ensure_path(path)

    def stand(identity):
        return subprocess.Popen([sys.executable, CANDIDATE, zk.hosts, path, identity, "2"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    leader = stand("host-a:1")
    # kazoo's Election and Lock look the same: only the configuration says that somebody must lead.
    (tmp_path / "electop.yaml").write_text(f"clusters: [{{hosts: '{zk.hosts}', elections: [{{path: {path}, kind: leader}}]}}]\n")
    one = exporter("--config", str(tmp_path / "electop.yaml"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = open(os.path.join(RULES, "prometheus.yml")).read()
    config = config.replace("127.0.0.1:9151", one.address).replace("15s", "1s")
    (tmp_path / "prometheus.yml").write_text(config)
    shutil.copy(os.path.join(RULES, "electop.rules.yml"), tmp_path)
    prometheus = subprocess.Popen(["prometheus", f"--config.file={tmp_path}/prometheus.yml",
                                   f"--storage.tsdb.path={tmp_path}/data", f"--web.listen-address=127.0.0.1:{port}"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(what):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{what}", timeout=5) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def firing():
        return {a["labels"]["alertname"] for a in (ask("alerts") or {"alerts": []})["alerts"] if a["state"] == "firing"}
    try:
        until(lambda: (ask("query?query=electop_leader_info") or {}).get("result"), 40)
        assert [t["health"] for t in ask("targets")["activeTargets"]] == ["up"]
        assert "ElectopElectionVacant" not in firing()
        leader.kill()
        until(lambda: "ElectopElectionVacant" in firing(), 60)
        leader = stand("host-b:1")
        until(lambda: "ElectopElectionVacant" not in firing(), 40)
    finally:
        leader.kill()
        prometheus.terminate()
        prometheus.wait(20)
