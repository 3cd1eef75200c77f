"""Command lines, configurations and exit codes, as scripts rely on them."""
import ctypes
import fcntl
import json
import os
import pty
import re
import resource
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import termios
import threading
import time

import pytest

from electop import PROGRAM, Events, check_sanitizers, elections, look_at, run
from fake_server import free_port
from patience import communicate, wait
from terminal import Pty
from waiting import until


@pytest.fixture(scope="module")
def election(client):
    client.ensure_path("/election")
    client.create("/election/n_", b"host-a:1", ephemeral=True, sequence=True)
    return "/election"


@pytest.fixture
def silent():
    """A server that gives a session and answers nothing from then on."""
    def serve(listener):
        callers = []
        while True:
            try:
                caller = listener.accept()[0]
            except OSError:
                return
            callers.append(caller)
            if caller.recv(1) == b"\0":  # a greeting's length, and no four-letter word
                caller.sendall(struct.pack(">iiiqi", 36, 0, 10000, 0x1234, 16) + bytes(16))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield "127.0.0.1:%d" % listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


# -- help and version

@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["once", "--help"], ["events", "-h"], ["demo", "--help"],
                                       ["config", "--help"], ["watch", "--help"]])
def test_help(arguments):
    """Help goes to standard output and is no error."""
    done = run(*arguments)
    assert (done.status, done.err) == (0, ""), done
    assert "electop" in done.out and "--help" in done.out


def test_version():
    for option in ("--version", "-V"):
        done = run(option)
        assert done.status == 0 and re.match(r"electop \d+\.\d+\.\d+", done.out), done


# -- wrong usage

WRONG = [
    (["--nonsense"], "--nonsense"),
    (["-Z"], "-Z"),
    (["once", "--strct"], "--strict"),          # the nearest is named
    (["onse"], "once"),                         # so is the nearest command
    (["once", "--count", "3"], "--count"),      # an option that a command cannot honour is refused
    (["events", "--strict"], "--strict"),
    (["events", "--servers", "3"], "--servers"),
    (["demo", "--servers", "2"], "2"),
    (["config", "--json"], "--json"),
    (["once", "--for", "3s"], "--watch"),
    (["once", "--watch", "-o", "csv"], "json"),
    (["once", "--watch", "--replay", "FILE"], "--replay"),
    (["once", "--wait"], "--wait"),
    (["once", "--wait", "soon"], "soon"),
    (["once", "--wait", "10"], "10"),
    (["once", "--wait", "-1s"], "-1s"),
    (["once", "--wait", "99999999999999999999s"], "99999999999999999999s"),
    (["once", "-t", "0s"], "0s"),
    (["events", "--for", "1y"], "1y"),
    (["events", "--count", "0"], "0"),
    (["events", "--count", "-3"], "-3"),
    (["events", "--count", "3x"], "3x"),
    (["events", "--count", "99999999999999999999"], "99999999999999999999"),
    (["once", "--color", "blue"], "blue"),
    (["once", "--admin", "0"], "0"),
    (["once", "--admin", "65536"], "65536"),
    (["once", "--admin", "host:"], "host:"),
    (["once", "--four-letter", "maybe"], "maybe"),
    (["once", "-s", ""], "-s"),
    (["once", "-s", "host:0"], "0"),
    (["once", "-s", "host:99999"], "99999"),
    (["once", "-s", "host:port"], "port"),
    (["once", "-s", "a:1,,b:2"], "a:1,,b:2"),
    (["once", "-s", "host:2181/"], "/"),
    (["once", "-s", "host:2181/a//b"], "/a//b"),
    (["once", "-C", "prod"], "prod"),
    (["once", "--auth-file", "/nonexistent/auth"], "/nonexistent/auth"),
    (["once", "-c", "/nonexistent/config.yaml"], "/nonexistent/config.yaml"),
    (["once", "-c", "/"], "/"),
]


@pytest.mark.parametrize("arguments, named", WRONG, ids=[" ".join(a) for a, _ in WRONG])
def test_wrong_usage(arguments, named):
    """Wrong usage ends with 2, nothing on standard output, and a text that names what is wrong."""
    done = run(*arguments, within=10)
    assert done.status == 2 and done.out == "", done
    assert done.err.startswith("electop: "), done
    assert named in done.err, done


# -- bad configurations

def nested(depth):
    return "a: " + "[" * depth + "]" * depth + "\n"


def laughs():
    """Aliases of aliases: nine levels of nine are a billion nodes to whoever follows them."""
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, 10)]
    return "\n".join(levels) + "\n"


CONFIGS = {
    "unknown key": (b"clusters:\n  - name: a\n    hsots: b:1\n", ["hsots", "hosts", ":3:5"]),
    "key twice": (b"clusters:\n  - name: a\n    name: b\n    hosts: c:1\n", ["name", ":3:5"]),
    "not UTF-8": (b"clusters:\n  - name: \xff\xfe\n", []),
    "syntax": (b"clusters: [\n", []),
    "tabs": (b"clusters:\n\t- name: a\n", [":2"]),
    "wrong type": (b"clusters: yes\n", ["clusters", ":1:11"]),
    "bad duration": (b"clusters:\n  - {name: a, hosts: 'b:1', session_timeout: soon}\n", ["session_timeout", "soon"]),
    "bad path": (b"clusters:\n  - name: a\n    hosts: b:1\n    elections:\n      - path: election\n", ["election", ":5"]),
    "two of a name": (b"clusters:\n  - {name: a, hosts: 'b:1'}\n  - {name: a, hosts: 'c:1'}\n", [":3"]),
    "bad recipe": (b"recipes:\n  - {name: r, family: sequence, candidate: '^(', watches: predecessor}\n", [":2"]),
    "election twice": (b"clusters:\n  - {hosts: 'b:1', elections: [{path: /e}, {path: /f}, {path: /e}]}\n",
                       [":2:", "/e", "already there"]),
    "unknown recipe": (b"clusters:\n  - {hosts: 'b:1', elections: [{path: /e, recipe: curator-lach}]}\nscren: 1\n",
                       ["curator-latch", ":2:51", "scren"]),
    "nested": (nested(10000).encode(), []),
    "aliases": (laughs().encode(), []),
    "several": (b"clusters:\n  - name: a\n    hsots: b:1\nscreen: {theme: pink}\ndiscover: {depth: x}\n",
                ["hsots", "pink", "depth"]),
    "NUL": (b"clusters: a\x00b\n", []),
}


@pytest.mark.parametrize("content, named", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("command", ["config", "once"])
def test_bad_configuration(command, content, named, tmp_path):
    """A bad configuration is refused with file:line:column, all its errors at once."""
    config = tmp_path / "config.yaml"
    config.write_bytes(content)
    done = run(command, "-c", str(config), within=10)
    assert done.status == 2 and done.out == "", done
    assert str(config) in done.err
    for word in named:
        assert word in done.err, done


def test_huge_configuration(tmp_path):
    """100 MB are refused at once, unread."""
    config = tmp_path / "config.yaml"
    with open(config, "wb") as f:
        f.truncate(100_000_000)
    began = time.monotonic()
    done = run("config", "-c", str(config))
    assert done.status == 2 and str(config) in done.err, done
    assert time.monotonic() - began < 5


def test_unreadable_configuration():
    """A file that may not be read is named; root, who may read everything, asks as nobody."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        config = os.path.join(folder, "config.yaml")
        with open(config, "w", encoding="ascii") as f:
            f.write("clusters: []\n")
        os.chmod(config, 0)
        other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            done = run("config", "-c", config, **other)
        except PermissionError:
            pytest.skip("nobody may not run the program where it lies")
        assert done.status == 2 and config in done.err, done


def test_printed_configuration_is_read_again(tmp_path):
    """`electop config` prints what it would do with; that file says the same; secrets are not in it."""
    auth = tmp_path / "auth"
    auth.write_text("digest:ops:s3cret\n")
    auth.chmod(0o600)
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters:\n  - name: prod\n    hosts: zk1:2181,zk2:2181/app\n    auth_file: {auth}\n"
                      "    elections: [{path: /e, name: orders, kind: lock}]\nscreen: {theme: light}\n")
    first = run("config", "-c", str(config))
    assert first.status == 0 and "orders" in first.out and "s3cret" not in first.out, first
    config.write_text(first.out)
    second = run("config", "-c", str(config))
    assert (second.status, second.out) == (0, first.out), second


def test_configuration_is_found(tmp_path):
    """$ELECTOP_CONFIG before $XDG_CONFIG_HOME before ~/.config."""
    def config(where, name):
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(f"clusters: [{{name: {name}, hosts: 'zk:2181'}}]\n")
        return str(where)

    config(tmp_path / ".config/electop/config.yaml", "in-home")
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}
    assert "in-home" in run("config", env=home).out
    config(tmp_path / "xdg/electop/config.yaml", "in-xdg")
    home["XDG_CONFIG_HOME"] = str(tmp_path / "xdg")
    assert "in-xdg" in run("config", env=home).out
    home["ELECTOP_CONFIG"] = config(tmp_path / "my.yaml", "in-env")
    assert "in-env" in run("config", env=home).out
    assert "by-option" in run("config", "-c", config(tmp_path / "o.yaml", "by-option"), env=home).out


# -- exit codes of a look

def test_no_cluster():
    """Nothing to reach within --wait: 3, and a text that says so."""
    began = time.monotonic()
    done = run("once", "-s", "127.0.0.1:1", "--wait", "1s", "/election")
    assert done.status == 3 and done.err.startswith("electop: "), done
    assert 0.8 < time.monotonic() - began < 6


def test_unfinished_search(silent):
    """What was not searched in time is not said to hold no election: there was no look."""
    for arguments in ([], ["/teams/*/leader"]):
        done = run("once", "--wait", "1s", "-s", silent, "--admin", "off", *arguments)
        assert done.status == 3 and "search for elections was not finished" in done.err, done
        assert "not finished in time" in done.out and "no election was found" not in done.out, done
        assert "nothing matches" not in done.out


def test_unresolvable_host(tmp_path):
    """A name that means nothing is named; in the log also where another server's refusal came later."""
    done = run("once", "-s", "no-such-host.invalid:2181", "--wait", "2s", "/election", within=20)
    assert done.status == 3 and "no-such-host.invalid" in done.err, done
    log = tmp_path / "log"
    run("once", "-s", "no-such-host.invalid:2181,127.0.0.1:1", "--wait", "1s", "--log", str(log), "/election", within=20)
    assert "cannot resolve no-such-host.invalid" in log.read_text() and "refused by 127.0.0.1:1" in log.read_text()


def test_strict(zk, election, client):
    """--strict: 0 for a led election, 1 for one that is vacant, absent or unknown; without it 0."""
    client.ensure_path("/empty")
    assert run("once", "--strict", "-s", zk.hosts, election).status == 0
    for path in ("/empty", "/nowhere"):
        assert run("once", "--strict", "-s", zk.hosts, path).status == 1
        assert run("once", "-s", zk.hosts, path).status == 0


def test_strict_with_nothing_to_judge(zk, election, client):
    """--strict is red where no election is found, or a pattern matches none, and says so; a look alone is not."""
    client.ensure_path("/deserted/election")
    deserted = f"{zk.hosts}/deserted"
    assert run("once", "-s", deserted).status == 0
    done = run("once", "--strict", "-s", deserted)
    assert done.status == 1 and "no election was found" in done.err, done
    assert run("once", "-s", zk.hosts, "/*/nothere").status == 0
    done = run("once", "--strict", "-s", zk.hosts, election, "/*/nothere")
    assert done.status == 1 and "absent" in done.out, done  # a match belongs there, and is missed
    done = run("once", "--strict", "-s", zk.hosts, election, "/nothere/*/either")
    assert done.status == 1 and "no path matches /nothere/*/either" in done.err, done
    done = run("once", "--strict", "-s", zk.hosts, "/elec*")
    assert (done.status, done.err) == (0, ""), done


def test_colours(zk, election):
    """No escape sequence into a pipe unless asked for, and none against NO_COLOR."""
    assert "\x1b" not in run("once", "-s", zk.hosts, election).out
    assert "\x1b" in run("once", "-s", zk.hosts, "--color", "always", election).out
    assert "\x1b" not in run("once", "-s", zk.hosts, "--color", "never", election).out
    assert "\x1b" not in run("once", "-s", zk.hosts, "--color", "auto", election, env={"NO_COLOR": "1"}).out


def test_events_for_and_count(zk, election, client):
    """--for ends a stream in time, --count after so many events, both with 0."""
    began = time.monotonic()
    assert run("events", "-s", zk.hosts, "--for", "1s", election).status == 0
    assert time.monotonic() - began > 0.9
    done = run("events", "--json", "-s", zk.hosts, "--count", "1", election)
    assert done.status == 0 and len(done.out.splitlines()) == 1, done
    event = json.loads(done.out)
    assert {"schema", "time", "event", "cluster"} <= set(event)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"])


class Snapshots:
    """What `once --watch -o json` prints: one document after the other."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, "once", "--watch", "-o", "json", *arguments], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = ""

    def next(self):
        """None: none is complete yet."""
        self.text += (self.process.stdout.read() or b"").decode()
        try:
            document, end = json.JSONDecoder().raw_decode(self.text.lstrip())
        except json.JSONDecodeError:
            return None
        self.text = self.text.lstrip()[end:]
        return document

    def until(self, wanted):
        """The first from now on of which this is true."""
        def reached():
            document = self.next()
            return document if document and wanted(elections(document)) else None
        return until(reached, 20)

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        _, err = communicate(self.process, 10)
        check_sanitizers(err.decode())
        return self.process.returncode


def test_once_watch(zk, election, client):
    """A snapshot first, and another after each change; Ctrl-C ends it."""
    def listed(count):
        return lambda found: len(found.get(election, {}).get("candidates", [])) == count
    watch = Snapshots("-s", zk.hosts, election)
    watch.until(listed(1))
    node = client.create(f"{election}/n_", b"host-b:1", ephemeral=True, sequence=True)
    watch.until(listed(2))
    client.delete(node)
    watch.until(listed(1))
    assert watch.end() == 128 + signal.SIGINT


def test_once_watch_with_a_filter(zk, election, client):
    """A change of an election that the filter leaves out prints nothing."""
    other = "/other-election"
    client.ensure_path(other)
    watch = Snapshots("-s", zk.hosts, "--filter", other, election, other)
    first = watch.until(lambda found: list(found) == [other])
    node = client.create(f"{election}/n_", b"host-b:1", ephemeral=True, sequence=True)
    assert len(look_at(zk.hosts, election)["candidates"]) == 2  # longer than two snapshots are apart
    client.create(f"{other}/n_", b"host-c:1", ephemeral=True, sequence=True)
    second = watch.until(lambda found: True)
    assert not elections(first)[other]["candidates"] and elections(second)[other]["candidates"], second
    client.delete(node)
    client.delete(other, recursive=True)
    assert watch.end(signal.SIGTERM) == 128 + signal.SIGTERM


def test_once_watch_as_a_table(zk, election, client):
    """Each further table has its time above it; --for ends it, with the last one's exit code."""
    done = run("once", "--watch", "--for", "1s", "--strict", "-s", zk.hosts, election)
    assert done.status == 0 and done.out.count(" led ") >= 1, done
    done = run("once", "--watch", "--for", "1s", "-s", zk.hosts, "--filter", "state:vacant", election)
    assert done.status == 0 and "no election matches the filter" in done.out, done


def test_events_without_a_cluster():
    """A stream that never reached a cluster within its time took no look."""
    done = run("events", "-s", "127.0.0.1:1", "--for", "1s", "--wait", "1s", "/election")
    assert done.status == 3, done


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_ended_while_waiting(ending):
    """A look that waits for a cluster can be interrupted."""
    process = subprocess.Popen([PROGRAM, "once", "-s", "127.0.0.1:1", "--wait", "60s", "/e"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    caught = f"/proc/{process.pid}/status"

    def catches():
        mask = re.search(r"SigCgt:\s*([0-9a-f]+)", open(caught).read())
        return int(mask[1], 16) & (1 << (ending - 1))
    until(catches)
    process.send_signal(ending)
    _, err = communicate(process, 10)
    check_sanitizers(err.decode())
    assert process.returncode == 128 + ending, err


@pytest.mark.parametrize("variable, value, command, status", [
    ("TZ", ":{}/x/xterm", ["events"], -signal.SIGTERM), ("TZ", ":{}/x/xterm", ["watch", "--linear"], -signal.SIGTERM),
    ("OPENSSL_CONF", "{}/x/xterm", ["events"], 128 + signal.SIGTERM),
    ("TERMINFO", "{}", ["watch"], 128 + signal.SIGTERM)])
def test_an_environment_that_names_a_pipe(variable, value, command, status, tmp_path):
    """What the environment names may wait for ever, in a library that no signal wakes: the program ends all the same,
    and leaves no recording behind."""
    os.mkdir(tmp_path / "x")
    os.mkdir(tmp_path / "files")
    os.mkfifo(tmp_path / "x" / "xterm")
    near, far = pty.openpty()
    process = subprocess.Popen([PROGRAM, *command, "-s", "127.0.0.1:1", "/e"], stdin=far, stdout=far,
                               stderr=subprocess.PIPE,
                               env=dict(os.environ, TERM="xterm", TMPDIR=str(tmp_path / "files"),
                                        **{variable: value.format(tmp_path)}))
    until(lambda: open(f"/proc/{process.pid}/wchan").read() == "wait_for_partner")
    process.send_signal(signal.SIGTERM)
    try:
        communicate(process, 10)
    finally:
        process.kill()
        os.close(near)
        os.close(far)
    assert process.returncode == status and os.listdir(tmp_path / "files") == []


@pytest.mark.parametrize("stop, kill", [("\x1a", "kill %1\r"), ("\x1a", "bg\rkill %1\r"), (signal.SIGSTOP, "kill -HUP %1\r")])
def test_the_end_of_a_stopped_job(stop, kill):
    """A dashboard that its shell has stopped ends by the shell's kill, and leaves the shell its terminal."""
    with Pty(["bash", "--norc", "--noprofile", "-i"], env={"PS1": "ready> "}) as terminal:
        terminal.shows("ready>")
        modes = termios.tcgetattr(terminal.slave)
        terminal.keys(f"{PROGRAM} watch -s 127.0.0.1:1 /e\r")
        terminal.shows("/e")
        until(lambda: b"\033[?1049h" in terminal.bytes())
        shell = terminal.process.pid
        jobs = f"/proc/{shell}/task/{shell}/children"
        if stop == "\x1a":
            terminal.keys(stop)
        else:
            os.kill(int(open(jobs).read()), stop)
        terminal.shows("Stopped")
        terminal.keys(kill)
        until(lambda: not open(jobs).read() and termios.tcgetattr(terminal.slave) == modes)


def test_closed_output(zk, election):
    """A reader that goes away ends a look and a stream quietly, with 0."""
    for arguments in (["once"], ["once", "--json"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PROGRAM, *arguments, "-s", zk.hosts, election], stdin=subprocess.DEVNULL,
                              stdout=writer, stderr=subprocess.PIPE, timeout=40)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, b"")


def test_closed_output_of_a_stream(zk, election, client):
    """A stream whose reader goes ends at its next line at the latest."""
    process = subprocess.Popen([PROGRAM, "events", "-s", zk.hosts, election], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    node = client.create(f"{election}/n_", ephemeral=True, sequence=True)
    until(lambda: process.poll() is not None or client.set(node, b"") is None, 20)
    err = process.stderr.read().decode()
    process.stderr.close()
    client.delete(node)
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("command", ["record", "export", "inject"])
def test_messages_that_nobody_reads(zk, election, client, tmp_path, command):
    """A stopped log reader delays no work, and Ctrl-C ends what runs on."""
    config, recording, port = tmp_path / "c.yaml", tmp_path / "r.db", free_port()
    config.write_text(f"clusters: [{{name: c, hosts: '{zk.hosts}', elections: [{{path: {election}}}]}}]\nhistory: {{file: {recording}}}\n")

    def works():
        if command == "record":
            with sqlite3.connect(f"file:{recording}?mode=ro", uri=True) as db:
                return db.execute("SELECT 1 FROM stretch").fetchall()
        if command == "export":
            with socket.create_connection(("127.0.0.1", port)) as scrape:
                scrape.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
                return scrape.recv(4)
        return client.exists("/electop-sandbox/unread") and client.get_children("/electop-sandbox/unread")

    def begun():
        try:
            return works()
        except (OSError, sqlite3.OperationalError):
            return False
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, bytes(4096))
    more = {"record": [], "export": ["--listen", f"127.0.0.1:{port}"], "inject": ["/electop-sandbox/unread", "-n", "2"]}[command]
    process = subprocess.Popen([PROGRAM, command, "-c", config, *more], stdin=subprocess.DEVNULL, stdout=writer, stderr=writer)
    os.close(writer)
    try:
        until(begun, 40)
        process.send_signal(signal.SIGINT)
        assert wait(process, 10) == 130
    finally:
        process.kill()
        process.wait()
        os.close(reader)


@pytest.mark.parametrize("arguments", [["once"], ["once", "--json"], ["events"], ["events", "--json"], ["--help"],
                                       ["--version"], ["config"], ["demo", "--no-screen"], ["check"]], ids=" ".join)
def test_full_disk(zk, election, arguments):
    """Output that cannot be written is said, and is 2 for every command; of a check it is UNKNOWN."""
    if arguments[0] in ("once", "events", "config", "check"):
        arguments = [*arguments, "-s", zk.hosts, election]
    with open("/dev/full", "wb") as full:
        done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                              timeout=40)
    assert done.returncode == (3 if arguments[0] == "check" else 2), done
    assert done.stderr.startswith(b"electop: cannot write to standard output: No space left on device"), done


def test_lines_are_flushed(zk, election, client):
    """Each line of a stream is there when its event is, also through a pipe."""
    with Events(zk.hosts, election) as events:
        events.expect("election-seen")
        zk.settled()
        made = client.create(f"{election}/n_", ephemeral=True, sequence=True)
        at = time.monotonic()
        assert events.expect("candidate-joined", candidate=made.rsplit("/", 1)[1])["arrived"] - at < 2
        client.delete(made)


def test_closed_standard_files(zk, election):
    """Started without standard input, output or error it neither hangs nor writes into a connection."""
    for closed, status in ("<&-", 0), (">&-", 2), ("2>&-", 0), ("<&- >&- 2>&-", 2):
        done = subprocess.run(["sh", "-c", f'exec "$0" once -s "$1" "$2" {closed}', PROGRAM, zk.hosts, election],
                              capture_output=True, timeout=40)
        assert done.returncode == status, (closed, done)


@pytest.mark.parametrize("arguments", [["config"], ["completion", "bash"], ["discover"], ["--help"], ["--version"], ["check", "/e"], ["inject", "/e"],
                                       ["events", "/e"], ["once", "/e"], ["report"], ["watch", "--linear"]], ids=" ".join)
def test_output_that_would_be_lost(arguments):
    """A command that is nothing but its output does not begin, nor end well, without one."""
    done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', PROGRAM, *arguments], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=40)
    assert done.returncode == (3 if arguments[0] == "check" else 2), done
    assert b"standard output is closed" in done.stderr


def test_a_log_that_is_lost(zk, election):
    """A log without room is refused at the start, and what is missing in one that fills up is said at the end."""
    done = run("once", "-s", zk.hosts, "--log", "/dev/full", election)
    assert done.status == 2 and "lacks 1 line (No space left on device)" in done.err, done
    assert run("check", "-s", zk.hosts, "--log", "/dev/full", election).status == 3


def test_a_limit_of_file_sizes_is_a_full_disk(zk, election, tmp_path):
    """ulimit -f ends no command by a signal: a page is not written, which is said."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))
    log = tmp_path / "log"
    done = run("events", "-s", zk.hosts, "--log", str(log), "--for", "2s", election, "/" + 500 * "x", preexec_fn=limit)
    assert done.status == 0 and "(File too large)" in done.err, done


@pytest.mark.parametrize("most", [4, 5, 10, 20])
def test_a_limit_of_open_files(zk, election, most):
    """ulimit -n, too low: one line that says so, from no library's depths; and UNKNOWN from a check."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for command, status in ("once", 2), ("events", 2), ("check", 3), ("watch", 2), ("discover", 2), ("export", 2), ("record", 2):
        done = run(command, "-s", zk.hosts, election, preexec_fn=limit)
        said = done.out + done.err
        assert done.status == status and "ulimit -n" in said and said.count("\n") == 1, (command, done)


@pytest.mark.parametrize("arguments, confined", [(["events"], True), (["export", "--listen", "127.0.0.1:0"], True),
                                                 (["watch", "--linear"], True), (["record"], False)],
                         ids=["events", "export", "linear", "record"])
def test_a_command_is_confined(zk, election, tmp_path, arguments, confined):
    """After the start a command can gain no rights and run no program; `record` can, for alerts. Actions are of the screen."""
    (tmp_path / "c.yaml").write_text("actions: [{name: show it, key: Q, run: ['true']}]\n")
    process = subprocess.Popen([PROGRAM, *arguments, "-s", zk.hosts, "-c", str(tmp_path / "c.yaml"), election], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "XDG_STATE_HOME": str(tmp_path)})
    try:
        process.stdout.readline()
        status = open(f"/proc/{process.pid}/status", encoding="ascii").read()
        assert f"NoNewPrivs:\t{int(confined)}" in status and f"Seccomp:\t{2 if confined else 0}\n" in status, status
    finally:
        process.terminate()
        _, err = communicate(process, 20)
    check_sanitizers(err.decode())


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="no system calls are filtered here")
def test_a_kernel_that_refuses_the_filter(zk, election, tmp_path):
    """As within some containers: the command goes on, and the log warns."""
    prctl = {"x86_64": 157, "aarch64": 167}[os.uname().machine]
    # The number of the call, its first argument (PR_SET_SECCOMP): EINVAL; else it is made.
    steps = b"".join(struct.pack("=HBBI", *step) for step in ((0x20, 0, 0, 0), (0x15, 0, 3, prctl), (0x20, 0, 0, 16),
                                                              (0x15, 0, 1, 22), (6, 0, 0, 0x50016), (6, 0, 0, 0x7fff0000)))
    code = ctypes.create_string_buffer(steps)
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps) // 8, ctypes.addressof(code)))
    libc = ctypes.CDLL(None)

    def refuses():
        libc.prctl(38, 1, 0, 0, 0)
        libc.prctl(22, 2, program, 0, 0)
    done = run("once", "-s", zk.hosts, election, "--log", str(tmp_path / "log"), preexec_fn=refuses)
    assert done.status == 0 and "warning this process is not confined" in (tmp_path / "log").read_text(), done
