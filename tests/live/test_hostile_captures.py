"""Packets of clients and servers, and files of packets, that mean harm, beside a live cluster: the loop goes on, Ctrl-C ends
it, and memory is bounded."""
import os
import signal
import struct
import subprocess
import threading
import time

import pytest

from electop import PLAIN, PROGRAM, check_sanitizers, peak_kb
from packets import ACK, FIN, HEAD, NOW_US, SERVER, SYN, Talk, block, frame, host, packet, section, segment, text, timed
from waiting import until

LIMIT_S = 200
PATH = "/hostile"
MOST_KB = 64 << 10
BESIDE_KB = 8 << 10  # the session, its watches and what the servers say take some, too


def single_bytes():
    """Behind a byte that never comes, each in a packet of its own."""
    yield HEAD + packet(NOW_US, segment(host(1), SERVER, 1000, 0, SYN))
    for i in range(200_000):
        yield packet(NOW_US, segment(host(1), SERVER, 1010 + 2 * i, 0, ACK, b"x"))


def many_watches():
    yield HEAD
    for number in range(20):
        talk = Talk(number)
        yield from talk.begin()
        for i in range(3000):
            yield from talk.watches(b"%s/n_%010d%s" % (PATH.encode(), i, b"w" * 1200))


def long_paths():
    talk = Talk(0)
    yield HEAD
    yield from talk.begin()
    for i in range(1500):
        yield from talk.creates(b"/p%d" % i + b"w" * 60_000, 0)


def many_candidates():
    """Sessions, each with an election of its own."""
    yield HEAD
    for number in range(40_000):
        talk = Talk(number)
        yield from talk.begin()
        yield from talk.creates(b"/e%d/%s-n_%010d" % (number, b"y" * 900, number), 3)


def much_data():
    """Candidates, and then their data."""
    talk = Talk(0)
    yield HEAD
    yield from talk.begin()
    paths = [b"/e%d/y-n_%010d" % (i, 0) for i in range(6000)]
    for path in paths:
        yield from talk.creates(path, 3)
    for path in paths:
        yield from talk.asks(5, text(path) + text(b"d" * 4090) + bytes(4), answer=struct.pack(">qqqqiiiqiiq", 1, 2, 0, 0, 1, 0, 0, 1, 4090, 0, 1))


def many_sessions():
    yield HEAD
    for number in range(120_000):
        yield from Talk(number).begin()


def joins(number, path, **more):
    talk = Talk(number, **more)
    yield from talk.begin()
    yield from talk.creates(path, 3)


def one_line():
    """Of many candidates with short names."""
    yield HEAD
    for number in range(40_000):
        yield from joins(number, b"/e/n_%010d" % number)


def huge_frames():
    """4 GB, 2 GB, less than nothing: announced, and begun."""
    yield HEAD
    for number in range(3000):
        talk = Talk(number)
        yield from talk.begin()
        for side in range(2):
            said = (0xffffffff, 0x7fffffff, 0x80000000, 0x3fffff, 0xfffff)[number % 5]
            yield from talk.says(side, struct.pack(">Iii", said, 1, 8) + b"/" * 1300)


def jumping_times():
    yield HEAD
    for i in range(50_000):
        at_us = (0, 1, (2**31) * 10**6, (2**32 - 1) * 10**6, NOW_US, NOW_US - 10**9, NOW_US + 10**12)[i % 7]
        yield packet(at_us, segment(host(i % 50), SERVER, 1000 + i, 0, (SYN, ACK, FIN | ACK)[i % 3]))


def other_ports():
    yield HEAD
    for i in range(100_000):
        yield packet(NOW_US, segment(host(i), ("127.0.0.1", 1 + i % 65535), i * 77, i * 99, (SYN, ACK, SYN | ACK, 255)[i % 4], b"x" * (i % 200)))


def huge_packets():
    yield HEAD + packet(NOW_US, segment(host(1), SERVER, 1, 0, SYN), captured=0xffffffff) + bytes(1 << 20)


def no_time():
    """Whose seconds are beyond all that is counted, and which come from before all time."""
    for resolution, offset in (0x80, 0), (6, 2**63 - 1), (6, -2**63):
        yield section(resolution, offset)
        for i in range(300):
            yield timed((0, 2**63, 2**64 - 1, 2**62)[i % 4], segment(host(i), SERVER, 1, 0, SYN))


def endless_blocks():
    yield section()
    for _ in range(20):
        yield block(0xbad, bytes((16 << 20) - 64))
    yield struct.pack("<II", 6, 0xfffffff0)


def many_interfaces():
    """libpcap keeps an entry for each."""
    yield block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    for _ in range(100):
        yield block(1, struct.pack("<HHI", 1, 0, 262144)) * 40_000


def half_a_header():
    yield HEAD[:10]


def many_servers():
    """Each client has one of its own."""
    yield HEAD
    for number in range(45_000):
        yield from joins(number, b"/e/n_%010d" % number, server=host(7 * number))


def all_at_once():
    """Elections, watches, requests without a reply, and bytes behind others that never come."""
    yield HEAD
    for number in range(30_000):
        yield from joins(number, b"/e%d/n_%010d" % (number, number))
    for number in range(30_000, 30_060):
        talk = Talk(number)
        yield from talk.begin()
        for i in range(270):
            yield from talk.watches(b"/e%d/n_%010d%s" % (i, i, b"w" * 1200))
        for i in range(270):
            yield from talk.says(0, frame(struct.pack(">ii", 1000 + i, 4) + text(b"/u%d/" % i + b"u" * 1000) + b"\1"))
        talk.at[0] += 1
        yield from talk.says(0, bytes(270_000))


def many_elections():
    """With long paths and lists: the model's pictures in its recording are larger than the znodes."""
    yield HEAD
    for number in range(30):
        talk, stat = Talk(number), bytes(68)
        yield from talk.begin()
        paths = [b"/e%d-%d/%s" % (number, i, b"e" * 300) for i in range(600)]
        for path in paths:
            yield from talk.creates(path + b"/n_0000000000", 3)
        for path in paths:
            children = b"".join(text(b"n_%010d" % i) for i in range(100))
            yield from talk.asks(12, text(path) + b"\1", answer=struct.pack(">i", 100) + children + stat)


KINDS = [single_bytes, many_watches, long_paths, many_candidates, much_data, many_sessions, one_line, huge_frames, jumping_times, other_ports, huge_packets, no_time,
         endless_blocks, many_interfaces, half_a_header, many_servers, all_at_once, many_elections]
# The others take minutes.
USUAL = {(single_bytes, True, PLAIN), (many_watches, False, PLAIN), (long_paths, False, PLAIN), (many_candidates, False, PLAIN),
         (huge_frames, True, PROGRAM), (no_time, False, PROGRAM)}


def write(make, path, over):
    """All of it, and then nothing more, until it is over."""
    try:
        with open(path, "wb") as out:
            for piece in make():
                out.write(piece)
            out.flush()
            over.wait(120)
    except OSError:
        pass  # its reader has ended


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def standing(zk, client):
    client.ensure_path(PATH)
    client.create(f"{PATH}/n_", b"app:80", ephemeral=True, sequence=True)
    return zk


@pytest.mark.parametrize("make, piped, program", [
    pytest.param(make, piped, program, id=f"{make.__name__}-{'pipe' if piped else 'file'}-{'plain' if program == PLAIN else 'sanitized'}",
                 marks=() if (make, piped, program) in USUAL else pytest.mark.slow)
    for make in KINDS for piped in (False, True) for program in (PLAIN, PROGRAM)])
def test_beside_a_cluster(make, piped, program, standing, tmp_path):
    if piped:
        os.mkfifo(tmp_path / "capture")
    over = threading.Event()
    writer = threading.Thread(target=write, args=(make, tmp_path / "capture", over), daemon=True)
    writer.start()
    if not piped:
        over.set()
        writer.join()
    with open(tmp_path / "err", "w+b") as err, open(tmp_path / "out", "w+b") as out:
        process = subprocess.Popen([program, "events", "-s", standing.hosts, "--admin", "off", PATH, "--capture", f"{tmp_path}/capture",
                                    "--log", str(tmp_path / "log")],
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err, env={**os.environ, "LSAN_OPTIONS": "exitcode=0"})
        until(lambda: process.poll() is not None or b"election seen" in (tmp_path / "out").read_bytes(), 40)
        last_s = time.monotonic() + 3  # in which it reads
        while process.poll() is None and time.monotonic() < last_s:
            time.sleep(0.05)
        refused = process.poll() is not None
        peak, spent_s = (0, 0) if refused else (peak_kb(process.pid), cpu_s(process.pid))
        if not refused:
            process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(process.pid, 0) if not refused else (0, process.returncode << 8, None)
        process.returncode = os.waitstatus_to_exitcode(status)
        over.set()
        err.seek(0)
        said = err.read().decode("utf-8", "replace")
    check_sanitizers(said)
    assert process.returncode in (0, 2, 130), (process.returncode, said)
    assert not set(said) & {chr(i) for i in (*range(9), *range(11, 32), 127)}, said
    if make is many_candidates and program == PLAIN and not piped:  # the others are slower
        assert "others are left out" in (tmp_path / "log").read_text(), said
    if program == PLAIN:  # sanitizers take memory and time of their own
        assert peak < MOST_KB + BESIDE_KB, peak
        assert refused or usage.ru_utime + usage.ru_stime - spent_s < 1, "s after Ctrl-C"


# Those that make the model or its recording large; the others take minutes.
LARGE = (many_candidates, much_data, many_interfaces, many_servers, all_at_once, many_elections)


@pytest.mark.parametrize("make", [pytest.param(make, marks=() if make in LARGE else pytest.mark.slow) for make in KINDS])
def test_alone(make, tmp_path):
    """What is left out of a capture that is larger than memory is told."""
    with open(tmp_path / "capture", "wb") as out:
        for piece in make():
            out.write(piece)
    with open(tmp_path / "err", "w+b") as err:
        process = subprocess.Popen([PLAIN, "events", "--capture", f"{tmp_path}/capture"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        peak, last_s = 0, time.monotonic() + 120
        while process.poll() is None and time.monotonic() < last_s:
            peak = max(peak, peak_kb(process.pid))
            time.sleep(0.01)
        process.kill()
    said = (tmp_path / "err").read_text()
    assert process.wait() in (0, 2, 3), (process.returncode, said)
    assert peak < MOST_KB, peak
    if make is many_interfaces:
        assert "more than 1000 interfaces are described; the rest is left out" in said, said
    if make in (many_candidates, much_data, many_sessions, one_line, many_servers, all_at_once, many_elections):
        assert "others are left out" in said, said
