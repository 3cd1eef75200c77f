"""At the limits of `ulimit`: a message, and a terminal as it was before.

With little memory the program that users have is tried, since a sanitizer takes all the addresses that there are."""
import os
import re
import resource
import signal
import subprocess

import pytest

from electop import PLAIN, PROGRAM, check_sanitizers
from terminal import Pty
from waiting import until

MB = 1 << 20
LIMIT_S = 200
# Its own, and the dynamic linker's before it begins.
NO_MEMORY = re.compile(rb"out of memory|raise the limit|Cannot allocate memory|cannot allocate|failed to map segment")


@pytest.fixture(scope="module")
def election(client):
    client.ensure_path("/election")
    for who in ("host-a:1", "host-b:1", "host-c:1"):
        client.create("/election/n_", who.encode(), ephemeral=True, sequence=True)
    return "/election"


@pytest.fixture(scope="module")
def plain():
    if not os.path.exists(PLAIN):
        pytest.skip("build/electop has not been built; run make")
    return PLAIN


@pytest.fixture
def config(zk, election, tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text(f"clusters: [{{hosts: '{zk.hosts}', servers: {{admin: '{zk.admin}'}}, elections: [{{path: {election}}}]}}]\n"
                    f"history: {{file: {tmp_path}/history.db}}\n")
    return str(file)


def lower(process, which, most):
    resource.prlimit(process.pid, which, (most, resource.prlimit(process.pid, which)[1]))


def limited(option, most, *arguments):
    """On a terminal, under a limit from its start."""
    return Pty(["sh", "-c", f'ulimit {option} {most} && exec "$@"', "sh", *arguments])


def is_left(screen):
    """What it entered it left, and nothing after that is drawn."""
    said = screen.bytes()
    assert screen.restored(), said
    for entered, left in (rb"\x1b\[\?1049h", rb"\x1b\[\?1049l"), (rb"\x1b\[\?25l", rb"\x1b\[\?(12l\x1b\[\?)?25h"), (rb"\x1b\[\?1000h", rb"\x1b\[\?1000l"):
        last = max((m.start() for m in re.finditer(entered, said)), default=-1)
        assert last < 0 or max((m.start() for m in re.finditer(left, said)), default=-1) > last, (entered, said[-400:])
    return said.rsplit(b"\x1b[?1049l", 1)[-1]


def ends_or_shows(screen, text):
    """True: it has ended."""
    return until(lambda: screen.process.poll() is not None or text in screen.screen(), 30) and screen.process.poll() is not None


@pytest.mark.parametrize("limit", ["-S -s 64", "-s 64"])
def test_a_small_stack(plain, zk, election, limit):
    """A low limit that may be raised is raised; where it may not, it is named."""
    done = subprocess.run(["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", plain, "once", "-s", zk.hosts, "--admin",
                           zk.admin, election], capture_output=True, text=True, timeout=60, check=False)
    if limit == "-s 64":
        assert done.returncode == 2 and "ulimit -s 1024" in done.stderr, done
    else:
        assert done.returncode == 0 and "host-a" in done.stdout, done


@pytest.mark.parametrize("kind", ["dashboard", "dashboard that records", "replay"])
def test_little_memory_at_the_start(plain, zk, election, config, tmp_path, kind):
    """However little there is, up to as much as it needs: it says so, or runs."""
    if kind == "replay":
        record(plain, config, tmp_path)
    arguments = {"dashboard": [plain, "-s", zk.hosts, election], "dashboard that records": [plain, "-c", config],
                 "replay": [plain, "replay", str(tmp_path / "history.db")]}[kind]
    ended, ran = 0, 0
    for mb in range(56, 400, 3):
        with limited("-v", mb * 1024, *arguments) as screen:
            if not ends_or_shows(screen, "host-a:1"):
                screen.keys("q")
                ran += 1
            status = screen.wait()
            said = is_left(screen)
            if status != 0:
                ended += 1
                assert status in (2, 127, -signal.SIGABRT) and NO_MEMORY.search(said), (mb, status, said)
                assert b"damaged" not in said, (mb, said)
        if ran == 3:
            break
    assert ended > 2 and ran == 3


def record(program, config, folder):
    process = subprocess.Popen([program, "record", "-c", config], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        until(lambda: is_recorded(folder))
    finally:
        process.terminate()
        process.wait()


def is_recorded(folder):
    query = ["sqlite3", str(folder / "history.db"), "SELECT event FROM events"]
    return b"election-seen" in subprocess.run(query, capture_output=True, check=False).stdout


def test_memory_ends_while_it_runs(plain, zk, client):
    """Candidates by the hundred, and no room for them."""
    client.ensure_path("/many")
    client.create("/many/n_", b"host-x:1", ephemeral=True, sequence=True)
    with Pty([plain, "-s", zk.hosts, "/many"]) as screen:
        screen.shows("host-x:1")
        with open(f"/proc/{screen.process.pid}/status", encoding="ascii") as f:
            assert int(re.search(r"VmStk:\s+(\d+) kB", f.read())[1]) >= 192  # it need not grow where there is no room
        with open(f"/proc/{screen.process.pid}/statm", encoding="ascii") as f:
            lower(screen.process, resource.RLIMIT_AS, int(f.read().split()[0]) * resource.getpagesize())
        made = [client.create_async("/many/n_", b"x" * 4000, ephemeral=True, sequence=True) for _ in range(1500)]
        for one in made:
            one.get(30)
        assert screen.wait(60) == -signal.SIGABRT
        assert b"electop: out of memory" in is_left(screen)


def test_small_files_at_the_start(zk, election):
    """Half a picture is none."""
    with limited("-f", 1, os.path.abspath(PROGRAM), "-s", zk.hosts, election) as screen:
        assert screen.wait() == 2
        said = is_left(screen)
        assert b"ulimit -f" in said, said


@pytest.mark.parametrize("most", [4, 10, 20, 30])
def test_few_open_files_at_the_start(zk, election, most):
    with limited("-n", most, os.path.abspath(PROGRAM), "-s", zk.hosts, election) as screen:
        assert screen.wait() == 2
        said = is_left(screen)
        assert b"ulimit -n" in said, said


def test_open_files_end_while_it_runs(zk, election):
    """A connection that is lost then cannot be made again: that is shown, until it can."""
    with Pty([os.path.abspath(PROGRAM), "-s", zk.hosts, election]) as screen:
        screen.shows("host-a:1")
        hard = resource.prlimit(screen.process.pid, resource.RLIMIT_NOFILE)[0]
        lower(screen.process, resource.RLIMIT_NOFILE, 4)
        zk.kill()
        zk.start()
        screen.shows("too many open files")
        lower(screen.process, resource.RLIMIT_NOFILE, hard)
        screen.hides("too many open files")
        screen.hides("not connected")
        screen.keys("q")
        assert screen.wait() == 0
        check_sanitizers(is_left(screen).decode())


def test_a_file_may_grow_no_more(config, client, election, tmp_path):
    """The dashboard goes on without its recording, and says so."""
    with Pty([os.path.abspath(PROGRAM), "-c", config], cols=200) as screen:
        screen.shows("/election")
        until(lambda: is_recorded(tmp_path))
        lower(screen.process, resource.RLIMIT_FSIZE, 32768)  # enough for a picture, which is a file, too
        client.create(f"{election}/n_", b"host-d:1", ephemeral=True, sequence=True)
        screen.shows("history.db: disk I/O error", "ulimit -f")
        screen.keys("q")
        assert screen.wait() in (0, 2)
        check_sanitizers(is_left(screen).decode())
