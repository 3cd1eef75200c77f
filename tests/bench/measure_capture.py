"""What packets cost: a large capture from a file, against tcpdump that reads it and writes it away, and a live one."""
import os
import shutil
import statistics
import struct
import tempfile
import threading
import time

import packets
from measure_transactions import ELECTOP, spent, stamp
from packets import Follower, text
from rig import BenchError, Stamped, cpu_us
from row import Row

PATH = b"/election/n_"
MEMBERS, READERS = 3, 57
# Packets a second, and one change of leader in so many of them.
PACE, CHANGE_EVERY = 5000, 5000
# Of the packets between two bursts of a live capture.
LIVE_STEP_S = 0.005
BEHIND_MS, CPU_PART, MEMORY_KB = 50, 0.15, 64 * 1024


class Cluster:
    """A server whose clients read and ping; in its one election the leader leaves, and stands again, from time to time."""

    def __init__(self):
        self.members = [Follower(i + 1) for i in range(MEMBERS)]
        self.readers = [Follower(i + 1) for i in range(MEMBERS, MEMBERS + READERS)]
        self.line, self.joined = [], 0
        Follower.zxid = 100

    def join(self, member):
        ends = [b"%010d" % number for number, _ in self.line] + [b"%010d" % self.joined]
        yield from member.joins(PATH + ends[-1])
        yield from member.lists(PATH, *ends)
        if self.line:
            yield from member.watches(PATH + ends[-2])
        self.line.append((self.joined, member))
        self.joined += 1

    def change(self):
        (first, leader), (_, heir) = self.line[:2]
        path = PATH + b"%010d" % first
        yield from leader.deletes(path)
        yield from heir.answers(-1, zxid=-1, body=struct.pack(">ii", 2, 3) + text(path))
        del self.line[0]
        yield from heir.lists(PATH, *[b"%010d" % number for number, _ in self.line])
        yield from self.join(leader)

    def begin(self):
        for client in self.members + self.readers:
            yield from client.begin()
        for member in self.members:
            yield from self.join(member)

    def packets(self):
        """Without end. A znode of 1,000 bytes is read three times for each ping."""
        yield from self.begin()
        stat, data, count, due = bytes(68), text(bytes(1000)), 0, CHANGE_EVERY
        while True:
            client = self.readers[count % READERS]
            if count % 4 == 0:
                one = client.pings()
            else:
                one = client.asks(4, text(b"/configuration/%d" % (count % 50)) + b"\0", answer=data + stat)
            for packet in one:
                due -= 1
                yield packet
            count += 1
            if due <= 0:
                due = CHANGE_EVERY
                yield from (packet for member in self.members for packet in member.pings())
                yield from self.change()


def write(path, megabytes):
    packets.NOW_US = time.time_ns() // 1000
    size, waiting = 0, Cluster().packets()
    with open(path, "wb") as file:
        file.write(packets.HEAD)
        while size < megabytes * 1000000:
            size += file.write(next(waiting))
            packets.NOW_US += 1000000 // PACE - 100


def measure_reading(folder, megabytes, rounds, say):
    tcpdump = shutil.which("tcpdump", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not tcpdump:
        raise BenchError("tcpdump is not here")
    say(f"writing {megabytes} MB of packets")
    path = os.path.join(folder, "large.pcap")
    write(path, megabytes)
    floor, ours = [], []
    for i in range(rounds):
        say(f"reading packets, round {i + 1}")
        floor.append(spent([tcpdump, "-r", path, "-w", "/dev/null"]))
        ours.append(spent([ELECTOP, "events", "--json", "--capture", path]))
    what = f"{megabytes} MB of packets"
    for place, unit in (0, "time"), (1, "CPU"):
        bare, mine = (statistics.median(one[place] for one in runs) for runs in (floor, ours))
        ratio = statistics.median(one[place] / other[place] for one, other in zip(ours, floor))
        yield Row(f"{what}: {unit} (floor: tcpdump -w /dev/null)", f"{bare:.2f} s", f"{mine:.2f} s", f"{ratio:.2f} ×", "≤ 3 ×", ratio > 3)
    memory = max(one[2] for one in ours)
    yield Row(f"{what}: memory", "", f"{memory / 1024:.0f} MB", "", "≤ 64 MB", memory > MEMORY_KB)


def feed(pipe, seconds):
    """Writes the packets of these seconds, each when it is due."""
    waiting, began_us = Cluster().packets(), time.time_ns() // 1000
    with open(pipe, "wb", buffering=0) as file:
        file.write(packets.HEAD)
        packets.NOW_US = began_us
        while packets.NOW_US < began_us + seconds * 1000000:
            burst = bytearray()
            while packets.NOW_US < time.time_ns() // 1000:
                burst += next(waiting)
                packets.NOW_US += 1000000 // PACE - 100
            file.write(burst)
            time.sleep(LIVE_STEP_S)


def measure_pipe(folder, seconds, say):
    pipe = os.path.join(folder, "live.pcap")
    os.mkfifo(pipe)
    say(f"following a pipe for {seconds} s")
    behind_us = time.clock_gettime_ns(time.CLOCK_REALTIME) // 1000 - time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    feeder = threading.Thread(target=feed, args=(pipe, seconds), daemon=True)
    feeder.start()
    with Stamped(folder, [ELECTOP, "events", "--json", "--capture", pipe], dict(os.environ)) as electop:
        began_us, spent_us = time.monotonic_ns() // 1000, cpu_us(electop.pid)
        feeder.join(seconds * 0.9)
        part = (cpu_us(electop.pid) - spent_us) / (time.monotonic_ns() // 1000 - began_us)
        feeder.join()
        electop.join()
        lags = [(at + behind_us) / 1000 - 1000 * stamp(event["time"]) for at, event in electop.events()
                if event["event"] == "leader-elected"]
    if len(lags) < seconds * PACE / CHANGE_EVERY / 2:
        raise BenchError(f"only {len(lags)} changes of leader were told")
    what = f"a pipe of {PACE} packets a second"
    yield Row(f"{what}: CPU", "", f"{100 * part:.1f} %", "", "≤ 15 %", part > CPU_PART)
    yield Row(f"{what}: the most that it is behind (median: {statistics.median(lags):.1f} ms)", "", f"{max(lags):.1f} ms", "",
              "≤ 50 ms", max(lags) > BEHIND_MS)


def measure_capture(_rig, rounds, quick, say):
    """One election among clients that read."""
    with tempfile.TemporaryDirectory() as folder:
        yield from measure_reading(folder, 50 if quick else 1000, rounds, say)
        yield from measure_pipe(folder, 5 if quick else 20, say)
