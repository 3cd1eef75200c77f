"""`electop autopsy` over logs that are cut, damaged, hostile, missing or somebody else's: it says what is wrong, tells
what is left, and makes nothing up. The logs are written here, record by record."""
import gzip
import io
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tarfile
import tempfile
import threading
import zlib

import pytest

from electop import PLAIN, PROGRAM, peak_kb, run
from terminal import Pty
from waiting import until

LIMIT_S = 240
PATH = "/orders/leader"
CREATE, MULTI, CREATE_SESSION, CLOSE_SESSION = 1, 14, -10, -11
BEGAN_MS = 1_795_000_000_000
NOBODY = 65534


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return struct.pack(">i", len(value)) + value


def record(zxid, session, kind, body=b"", cxid=1, at_ms=None):
    at_ms = BEGAN_MS + 1000 * zxid if at_ms is None else at_ms
    return struct.pack(">Qiqqi", session, cxid, zxid, at_ms, kind) + body


def create(zxid, path, session=1, data=b"app:80", ephemeral=True, made=1, **more):
    """made: so many children its directory has had since, as the server counts."""
    acl = struct.pack(">ii", 1, 31) + text("world") + text("anyone")
    return record(zxid, session, CREATE, text(path) + text(data) + acl + struct.pack(">?i", ephemeral, made), **more)


def close(zxid, session, *paths, expired=False, **more):
    body = struct.pack(">i", len(paths)) + b"".join(text(path) for path in paths)
    return record(zxid, session, CLOSE_SESSION, body, cxid=0 if expired else 9, **more)


def frame(body, length=None):
    return struct.pack(">qi", zlib.adler32(body), len(body) if length is None else length) + body + b"B"


def log(*records):
    return struct.pack(">4siq", b"ZKLG", 2, 0) + b"".join(map(frame, records))


def story(directory=PATH):
    """Two changes of leader: one expires, one closes."""
    records = [create(1, "/orders", ephemeral=False), create(2, directory, ephemeral=False)]
    for i in range(3):
        records.append(record(3 + 2 * i, 0x100 + i, CREATE_SESSION, struct.pack(">i", 6000), cxid=0))
        records.append(create(4 + 2 * i, f"{directory}/n_{i:010}", 0x100 + i, f"app-{i}:80", made=i + 1))
    records.append(close(9, 0x100, f"{directory}/n_{0:010}", expired=True))
    records.append(close(10, 0x101, f"{directory}/n_{1:010}"))
    return records


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    folder = tmp_path / "version-2"
    folder.mkdir()
    return folder


def told(*arguments, statuses=(0,), **more):
    """Causes, and what was complained of."""
    done = run("autopsy", "--events", "--json", *map(str, arguments), within=60, **more)
    assert done.status in statuses, done
    events = [json.loads(line) for line in done.out.splitlines()] if done.status == 0 else []
    return [e["failover"]["cause"] for e in events if e["event"] == "failover"], done.err, events


def told_with_memory(folder):
    """The events, and the most memory that the program held, in KB."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([PROGRAM, "autopsy", folder, "--events"], stdin=subprocess.DEVNULL, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        out.seek(0)
        return out.read(), usage.ru_maxrss


def test_whole(folder):
    """What the others damage is fine before."""
    (folder / "log.1").write_bytes(log(*story()) + bytes(5000))
    assert told(folder)[:2] == (["expired", "closed"], "")


@pytest.mark.parametrize("name, content, words", [
    ("log.1", b"\x7fELF\2\1\1" + bytes(3000), "is not a transaction log"),
    ("log.1", b"SQLite format 3\0" + bytes(3000), "is not a transaction log"),
    ("log.1", b"2026-11-22 12:00:00 INFO started\n" * 99, "is not a transaction log"),
    ("log.1", struct.pack(">4siq", b"ZKLG", 9, 0) + bytes(99), "is not a transaction log"),
    ("log.1", b"", ""), ("log.1", bytes(3000), ""), ("log.1", b"ZKL", ""),
    ("snapshot.0", b"ZKSN" + bytes(3), ""), ("snapshot.0", os.urandom(3000), "is not a snapshot")])
def test_files_of_others(folder, name, content, words):
    """They are named, with what they are not; nothing is made of them."""
    (folder / name).write_bytes(content)
    causes, said, _ = told(folder, statuses=(0, 2, 3))
    assert not causes and words in said and (not words or name in said), said


def test_cut_at_every_byte(folder):
    """Wherever the last record ends, and at places before it: what is before is told, and nothing else. (The fuzzer
    tries all others.)"""
    whole = log(*story())
    last = len(frame(story()[-1]))
    begins = len(whole) - last
    for cut in [*range(0, begins, 61), *range(begins, begins + 14), *range(begins + 14, len(whole), 9), len(whole) - 1]:
        (folder / "log.1").write_bytes(whole[:cut])
        causes, said, _ = told(folder, statuses=(0, 2, 3))
        assert causes == (["expired"] if cut >= begins else []), (cut, said)


def test_every_flipped_byte(folder):
    """Damage in the record of a change is located, and the change is not made up: its cause is unknown."""
    before, damaged = log(*story()[:8]), len(frame(story()[8]))
    whole = log(*story())
    for at in range(len(before), len(before) + damaged, 5):
        content = bytearray(whole)
        content[at] ^= 0x10
        (folder / "log.1").write_bytes(content)
        causes, said, _ = told(folder)
        assert "damaged" in said and "log.1" in said and "0x9 to 0x9 are in no log" in said, (at - len(before), said)
        assert "expired" not in causes, (at - len(before), causes)


@pytest.mark.parametrize("length", [0x7fffffff, -1, -0x80000000, 64 << 20])
def test_lengths_of_gigabytes(folder, length):
    """A length that cannot be is damage, wherever it is: of a record, a path, a list, a part of several."""
    huge = struct.pack(">i", length)
    for bad in (struct.pack(">qi", 1, length) + bytes(100) + b"B", frame(record(11, 7, CREATE, huge + b"/x")),
                frame(record(11, 7, MULTI, huge + bytes(8))), frame(record(11, 7, CLOSE_SESSION, huge + text("/x"))),
                frame(record(11, 7, MULTI, struct.pack(">ii", 1, CREATE) + huge + b"/x"))):
        (folder / "log.1").write_bytes(log(*story()) + bad + frame(create(12, "/after")))
        out, peak_kb = told_with_memory(folder)
        assert "expired" in out and peak_kb < 400_000, (out, peak_kb)  # the sanitizers' own included
    head = struct.pack(">4siq", b"ZKSN", 2, 0)
    for content in (head + huge, head + struct.pack(">ii", 0, 0) + huge, head + struct.pack(">i", 0) + huge):
        (folder / "snapshot.0").write_bytes(content)
        assert told(folder)[0] == ["expired", "closed"]


def znode(path, zxid, owner=0, data=b"", made=0):
    """As a snapshot has it."""
    at_ms = BEGAN_MS + 1000 * zxid
    stat = struct.pack(">qqqqiiiQq", zxid, zxid, at_ms, at_ms, 0, made, 0, owner, zxid)
    return text(path) + text(data) + struct.pack(">q", 1) + stat


def snapshot(*znodes, sessions=()):
    content = struct.pack(">4siqi", b"ZKSN", 2, 0, len(sessions))
    content += b"".join(struct.pack(">Qi", session, 6000) for session in sessions) + struct.pack(">i", 0)
    content += b"".join(znodes) + text("/")
    return content + struct.pack(">q", zlib.adler32(content)) + text("/")


def test_snapshots_that_do_not_fit(folder):
    """Missing where the logs begin later, or damaged: said, and the rest is told."""
    (folder / "log.9").write_bytes(log(*story()[8:]))
    causes, said, _ = told(folder, statuses=(0, 3))
    assert "no snapshot shows the state before" in said and "expired" not in causes, said
    (folder / "log.9").unlink()
    (folder / "log.1").write_bytes(log(*story()))
    (folder / "snapshot.ff").write_bytes(os.urandom(500))
    assert told(folder)[0] == ["expired", "closed"]


def test_a_snapshot_in_the_middle(folder):
    """It stands for the logs before it, which were purged."""
    (folder / "log.9").write_bytes(log(*story()[8:]))
    standing = [znode(f"{PATH}/n_{i:010}", 4 + 2 * i, 0x100 + i, b"app:80") for i in range(3)]
    (folder / "snapshot.8").write_bytes(snapshot(znode("", 0, made=1), znode("/orders", 1, made=1),
                                                 znode(PATH, 2, made=3), *standing, sessions=(0x100, 0x101, 0x102)))
    assert told(folder)[:2] == (["expired", "closed"], "")


def test_a_snapshot_newer_than_all_logs(folder):
    """What the logs tell is told; what came between them and the snapshot is not made up."""
    last = snapshot(znode("", 0, made=1), znode("/orders", 1, made=1), znode(PATH, 2, made=9),
                    znode(f"{PATH}/n_{8:010}", 0x80, 0x108, b"app:80"), sessions=(0x108,))
    (folder / "snapshot.ff").write_bytes(last)
    (folder / "log.1").write_bytes(log(*story()))
    assert told(folder)[0] == ["expired", "closed"]
    (folder / "log.1").unlink()
    (folder / "log.9").write_bytes(log(*story()[8:]))
    causes, said, events = told(folder, statuses=(0, 3))
    assert not set(causes) - {"unknown"} and "newer than all logs" in said, (causes, said, events)
    assert "no snapshot shows the state before" in said, said
    assert not [e for e in events if e.get("candidate") == f"n_{8:010}"], events


def zstd(content):
    """Blocks as they are, or one byte again and again."""
    packed, size = b"\x28\xb5\x2f\xfd\x00\x58", 1 << 17
    for at in range(0, len(content), size):
        block = content[at:at + size]
        same = block.count(block[0]) == len(block)
        packed += (len(block) << 3 | same << 1 | (at + size >= len(content))).to_bytes(3, "little")
        packed += block[:1] if same else block
    return packed


@pytest.mark.parametrize("suffix, pack", [("gz", gzip.compress), ("zst", zstd)])
def test_packed_files(folder, tmp_path, suffix, pack):
    """Each file packed by itself in its directory, one that is named, or an archive of all."""
    (folder / f"log.1.{suffix}").write_bytes(pack(log(*story()[:9]) + bytes(400_000)))
    (folder / f"log.a.{suffix}").write_bytes(pack(log(story()[9]) + bytes(400_000)))
    assert told(folder)[:2] == (["expired", "closed"], "")
    assert told(folder / f"log.1.{suffix}")[0] == ["expired"]
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for name, content in ("log.1", log(*story()[:9])), ("log.a", log(story()[9])):
            member = tarfile.TarInfo(f"data/version-2/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    whole = tmp_path / f"data.tar.{suffix}"
    whole.write_bytes(pack(plain.getvalue()))
    assert told(whole)[:2] == (["expired", "closed"], "")
    (tmp_path / f"mine.{suffix}").write_bytes(pack(log(*story())))
    assert "call it log.ZXID" in told(tmp_path / f"mine.{suffix}", statuses=(2,))[1]


def test_no_file_chooses_a_program(folder, tmp_path):
    """libarchive would start lrzip for a file that begins like one of its; with actions the dashboard may start programs."""
    (folder / "log.1").write_bytes(log(*story()))
    (folder / "log.a.gz").write_bytes(b"LRZI\0\6" + bytes(100))
    programs, config = tmp_path / "programs", tmp_path / "config.yaml"
    programs.mkdir()
    (programs / "lrzip").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (programs / "lrzip").chmod(0o700)
    config.write_text("actions: [{name: show it, key: Q, run: ['true']}]\n")
    screen = Pty([PROGRAM, "watch", "--replay", str(folder), "-c", str(config)], env={"PATH": f"{programs}:{os.environ['PATH']}"})
    try:
        screen.shows(PATH)
    finally:
        screen.close()
    assert not (tmp_path / "started").exists()


def test_only_plain_files_are_opened(folder):
    """A named pipe, a device and a link to one have the name of a log: they are passed over, and hang nothing."""
    (folder / "log.1").write_bytes(log(*story()))
    os.mkfifo(folder / "log.ffffff")
    os.mkfifo(folder / "log.ffffffff.gz")
    os.mkfifo(folder / "snapshot.ffffff")
    (folder / "log.fffffff").symlink_to("/dev/zero")
    assert told(folder)[:2] == (["expired", "closed"], "")
    _, said, _ = told(folder / "log.ffffff", statuses=(2,))
    assert "neither a directory nor a file" in said, said


def test_what_is_refused_is_not_opened(tmp_path):
    """Who would write into a pipe goes on waiting for a reader."""
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", 'exec 3> "$0"', tmp_path / "pipe"]) as writer:
        done = run("report", "--replay", str(tmp_path / "pipe"))
        assert done.status == 2 and "is not a file" in done.err, done
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(0.3)
        finally:
            writer.kill()


def test_a_tree_of_links(folder):
    """Directories that contain themselves are read once."""
    (folder / "log.1").write_bytes(log(*story()))
    for i in range(40):
        (folder / f"again-{i}").symlink_to(folder)
    assert told(folder)[:2] == (["expired", "closed"], "")


@pytest.mark.parametrize("wrong_ms", [2**63 - 1, -2**63, -1, 0, BEGAN_MS + 7400 * 86_400_000, BEGAN_MS // 2])
@pytest.mark.parametrize("at", [0, 5, 10])
def test_a_time_that_no_server_had(folder, wrong_ms, at):
    """That record is damage and is named, wherever it is; the others are told, in their own time."""
    records = story()
    records.insert(at, record(0, 7, CREATE_SESSION, struct.pack(">i", 6000), at_ms=wrong_ms))
    numbered = lambda number, r: r[:12] + struct.pack(">q", number) + r[20:]
    records = [numbered(i + 1, r) for i, r in enumerate(records)]
    later_epoch = numbered((1 << 32) + 2, record(0, 8, CREATE_SESSION, struct.pack(">i", 6000), at_ms=BEGAN_MS + 60_000))
    (folder / "log.1").write_bytes(log(*records, later_epoch))
    assert told(folder)[0] == ["expired", "closed"]
    (folder / "log.1").write_bytes(log(*records))
    causes, said, events = told(folder)
    assert "an impossible time" in said and "log.1" in said, said
    assert causes == ["expired", "closed"], (causes, said)
    assert {e["time"][:7] for e in events} == {"2026-11"}, events
    done = run("report", folder, "--json", within=60)
    assert done.status == 0 and "damaged" not in done.err.replace("are damaged: an impossible time", ""), done


def test_what_is_packed_is_bounded(folder, tmp_path):
    """A bomb is refused by its first bytes, or by the bound of the configuration, and leaves nothing in TMPDIR."""
    (folder / "log.1").write_bytes(log(*story()))
    (folder / "snapshot.0.gz").write_bytes(gzip.compress(bytes(64 << 20)))
    where = tmp_path / "tmp"
    where.mkdir()
    causes, said, _ = told(folder, env={"TMPDIR": str(where)})
    assert causes == ["expired", "closed"] and "contains no snapshot of ZooKeeper" in said, said
    (folder / "log.b.gz").write_bytes(gzip.compress(log(*[create(11 + i, f"/x{i}") for i in range(20_000)])))
    config = tmp_path / "config.yaml"
    config.write_text("history: {unpack: 100kB}\n")
    causes, said, _ = told(folder, "-c", config, env={"TMPDIR": str(where)})
    assert causes == ["expired", "closed"] and "too large to be unpacked" in said, said
    assert not [name for name in os.listdir(where) if not name.startswith("electop-") or os.listdir(where / name)]


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, b"D", b"M"])
def test_what_is_passed_over_is_bounded_too(folder, tmp_path, kind):
    """Members of an archive that are no log, or no file, have to be unpacked; and each layer of packing takes memory."""
    config, bomb = tmp_path / "config.yaml", tmp_path / "data.tar.gz"
    config.write_text("history: {unpack: 100kB}\n")
    with tarfile.open(bomb, "w:gz") as archive:
        junk = tarfile.TarInfo("junk")
        junk.size, junk.type = 1 << 20, kind
        archive.addfile(junk, io.BytesIO(bytes(junk.size)))
    done = run("autopsy", str(bomb), "-c", str(config), within=60)
    assert done.status == 2 and "too large to be unpacked" in done.err, done
    (folder / "log.1").write_bytes(log(*story()))
    (folder / "log.b.gz").write_bytes(gzip.compress(gzip.compress(log(story()[9]))))
    causes, said, _ = told(folder)
    assert causes == ["expired", "closed"] and "is packed more than once" in said, said


def test_no_data_of_others_is_shown(folder, tmp_path):
    """What other programs keep in their znodes is in nothing that is told or written."""
    secret, into, page = b"sEcret-of-others", tmp_path / "into.db", tmp_path / "page.html"
    others = "/other", "/orders/password", f"{PATH}/password"
    (folder / "log.1").write_bytes(log(*story(), *[create(11 + i, path, ephemeral=False, data=secret) for i, path in enumerate(others)]))
    (folder / "snapshot.0").write_bytes(snapshot(znode("", 0, made=1), znode("/another", 0, data=secret)))
    for arguments in (["autopsy", folder], ["autopsy", folder, "--events", "--json"], ["autopsy", folder, "--into", into],
                      ["autopsy", folder, "--html", page], ["report", folder, "--json"], ["why", "--replay", folder, "--json"],
                      ["once", "--replay", into, "--json"], ["events", "--replay", into, "--json"], ["report", into]):
        done = run(*map(str, arguments), within=60)
        assert done.status == 0 and secret.decode() not in done.out + done.err, (arguments, done)
    assert secret in (folder / "log.1").read_bytes() and secret not in into.read_bytes() + page.read_bytes()


def test_a_signal_ends_following_before_all_is_read(folder):
    """However long the log is."""
    records = story()
    for zxid in range(11, 60_000, 3):
        name = f"{PATH}/n_{zxid:010}"
        records += [record(zxid, zxid, CREATE_SESSION, struct.pack(">i", 6000)), create(zxid + 1, name, zxid, made=zxid), close(zxid + 2, zxid, name)]
    (folder / "log.1").write_bytes(log(*records))
    process = subprocess.Popen([PROGRAM, "autopsy", folder, "--follow"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)[0]
    assert process.returncode == 130 and f"n_{zxid:010}" not in told, told[-500:]


def test_long_paths_are_followed_in_bounded_memory(folder):
    """What is remembered of the znodes that live, and what the loop has still to take, is bounded in bytes."""
    records = story() + [create(20 + i, f"/x/{'y' * 40_000}/n_{i:010}", 0x200, made=i + 1) for i in range(4000)]
    (folder / "log.1").write_bytes(log(*records))
    process = subprocess.Popen([PLAIN, "events", "-s", "127.0.0.1:1", "--transactions", folder, "/x/*"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    io_of = pathlib.Path(f"/proc/{process.pid}/io")
    until(lambda: int(re.search(r"rchar: (\d+)", io_of.read_text())[1]) > os.path.getsize(folder / "log.1"), 60, "it has read the log")
    peak = peak_kb(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) in (3, 130) and peak < 64 << 10, f"{peak >> 10} MB"


def test_a_packed_copy_in_the_making(folder):
    """A log is compressed beside itself: the whole one is read."""
    whole = log(*story())
    (folder / "log.1").write_bytes(whole)
    (folder / "log.1.gz").write_bytes(gzip.compress(whole)[:60])
    assert told(folder)[:2] == (["expired", "closed"], "")


def test_logs_that_do_not_meet(folder):
    """The gap is named; the change that lies in it has no cause, for nobody knows it."""
    (folder / "log.1").write_bytes(log(*story()[:8]))
    (folder / "log.a").write_bytes(log(story()[9]))
    causes, said, events = told(folder)
    assert "0x9 to 0x9 are in no log" in said and "expired" not in causes
    assert [e for e in events if e["event"] == "connection" and e["state"] != "connected"]


def test_two_leaders_in_one_millisecond(folder):
    """They fell silent together. The second one led for no time: its session is its own, and no other beside it."""
    at_ms = BEGAN_MS + 20000
    (folder / "log.1").write_bytes(log(*story()[:8], close(9, 0x100, f"{PATH}/n_{0:010}", expired=True, at_ms=at_ms),
                                       close(10, 0x101, f"{PATH}/n_{1:010}", expired=True, at_ms=at_ms)))
    assert told(folder)[0] == ["expired", "expired"]
    done = run("why", "--json", "--replay", folder, within=60)
    said = [sentence["text"] for sentence in json.loads(done.out)["sentences"]]
    assert any("app-1:80 expired" in text and "6.00s" in text for text in said), said
    assert any(text.startswith("1 other session expired") and "app-0:80" in text for text in said), said
    assert not any("app-1:80 was next in line" in text for text in said), said


def test_the_log_of_an_epoch_is_missing(folder):
    """The next epoch begins as if nothing were missing. A snapshot from between shows that there was something, and
    who stood then."""
    (folder / "log.1").write_bytes(log(*story()[:8]))
    (folder / "log.200000001").write_bytes(log(create(2 << 32 | 1, "/x", at_ms=BEGAN_MS + 90000)))
    assert told(folder)[:2] == ([], "")
    (folder / "snapshot.100000005").write_bytes(
        snapshot(znode("", 0, made=1), znode("/orders", 1, made=1), znode(PATH, 2, made=3),
                 znode(f"{PATH}/n_{2:010}", 8, 0x102, b"app:80"), sessions=(0x102,)))
    causes, said, events = told(folder)
    assert causes == [] and "0x9 to 0x200000000 are in no log" in said, (causes, said)
    assert [e["to"] for e in events if e["event"] == "leader-elected"][-1] == f"n_{2:010}"
    (folder / "snapshot.100000005").write_bytes(os.urandom(500))
    causes, said, events = told(folder)
    assert causes == [] and "are in no log" in said, (causes, said)
    assert not [e for e in events if e["event"] == "election-gone"]


@pytest.mark.parametrize("snapshot_sent, causes", [(True, ["closed"]), (False, ["expired"])])
def test_a_leader_that_was_deposed(tmp_path, snapshot_sent, causes):
    """It alone wrote down an expiry, at the end of its epoch. Where it then joined the next epoch by a whole snapshot,
    nobody had agreed; where its log has the beginning of that epoch, it was compared with the new leader's, and stands
    (the other one was sent a snapshot)."""
    epoch = 1 << 32
    later = [create(epoch | 1, "/x", at_ms=BEGAN_MS + 20000),
             close(epoch | 2, 0x100, f"{PATH}/n_{0:010}", at_ms=BEGAN_MS + 30000)]
    for name, before, behind in (("deposed", story()[:9], later[snapshot_sent:]), ("other", story()[:8], later)):
        (tmp_path / name / "version-2").mkdir(parents=True)
        (tmp_path / name / "version-2" / "log.1").write_bytes(log(*before, *behind))
        if name == "deposed" and snapshot_sent:
            after = create(epoch | 3, "/y", at_ms=BEGAN_MS + 40000)
            (tmp_path / name / "version-2" / "log.100000003").write_bytes(log(after))
    for servers in (["deposed", "other"], ["other", "deposed"]):
        assert told(*(tmp_path / server for server in servers))[0] == causes


def test_the_log_of_a_deposed_leader_alone(folder):
    """Nobody says whether the others agreed upon the last seconds before it left its epoch: suspected. A snapshot of
    the next epoch that still has the candidate says that they did not."""
    epoch = 1 << 32
    later = [create(epoch | 3, "/y", at_ms=BEGAN_MS + 100000),
             close(epoch | 4, 0x100, f"{PATH}/n_{0:010}", at_ms=BEGAN_MS + 110000)]
    old = [close(9, 0x101, f"{PATH}/n_{1:010}"), *(create(10 + i, f"/x{i}") for i in range(40)),
           close(50, 0x100, f"{PATH}/n_{0:010}", expired=True)]
    (folder / "log.1").write_bytes(log(*story()[:8], *old, later[0]) + bytes(9000))
    causes, said, events = told(folder)
    failovers = [e["failover"] for e in events if e["event"] == "failover"]
    assert causes == ["expired"] and "are in no log" in said
    assert failovers[0]["cause_certainty"] == "suspected" and "perhaps no other server agreed" in failovers[0]["evidence"]
    # The epoch's beginning shows that its log was compared with the next leader's.
    (folder / "log.1").write_bytes(log(*story()[:8], *old, create(epoch | 1, "/y", at_ms=BEGAN_MS + 60000)))
    failovers = [e["failover"] for e in told(folder)[2] if e["event"] == "failover"]
    assert [(f["cause"], f["cause_certainty"]) for f in failovers] == [("expired", "certain")]
    # What happened long before its end was agreed upon.
    quiet = [create(51 + i, f"/q{i}") for i in range(40)]
    (folder / "log.1").write_bytes(log(*story()[:8], *old, *quiet, create(epoch | 3, "/y", at_ms=BEGAN_MS + 99000)))
    failovers = [e["failover"] for e in told(folder)[2] if e["event"] == "failover"]
    assert [(f["cause"], f["cause_certainty"]) for f in failovers] == [("expired", "certain")]
    (folder / "log.1").write_bytes(log(*story()[:8], *old, *later))
    (folder / "snapshot.100000002").write_bytes(
        snapshot(znode("", 0, made=1), znode("/orders", 1, made=1), znode(PATH, 2, made=3),
                 znode(f"{PATH}/n_{0:010}", 4, 0x100, b"app:80"), znode(f"{PATH}/n_{2:010}", 8, 0x102, b"app:80"),
                 sessions=(0x100, 0x102)))
    failovers = [e["failover"] for e in told(folder)[2] if e["event"] == "failover"]
    assert [(f["cause"], f["cause_certainty"]) for f in failovers] == [("closed", "certain")]


def test_the_end_of_an_epoch_is_missing_without_a_snapshot(folder):
    """Only the count of the directory's children, in the next candidate's creation, shows that there was more."""
    epoch = 1 << 32
    began = [create(epoch | 1, "/x", at_ms=BEGAN_MS + 60000),
             create(epoch | 2, "/y", ephemeral=False, at_ms=BEGAN_MS + 61000),
             create(epoch | 3, "/y/1", ephemeral=False, at_ms=BEGAN_MS + 61500)]
    for made, gap in ((4, False), (5, True)):
        joined = [create(epoch | 4, f"{PATH}/n_{made - 1:010}", 0x105, "app-5:80", made=made, at_ms=BEGAN_MS + 62000),
                  close(epoch | 5, 0x102, f"{PATH}/n_{2:010}", at_ms=BEGAN_MS + 70000)]
        (folder / "log.1").write_bytes(log(*story()))
        (folder / "log.100000001").write_bytes(log(*began, *joined))
        causes, said, _ = told(folder)
        assert causes == ["expired", "closed", "closed"]
        assert ("0xb to 0x100000000 are in no log" in said) == gap, said
        reported = run("autopsy", folder, within=60).out
        assert ("are in no log" in reported) == gap, reported


def test_what_happened_to_zookeeper_itself(folder, tmp_path):
    """Every form of the report says it, and that an election came into being later than the logs begin: that is no gap.
    The drawing marks each epoch."""
    early = create(1, "/early", ephemeral=False, at_ms=BEGAN_MS - 60000)
    later = [create(2 + i, f"/x{i}", ephemeral=False) for i in range(3)]
    election = [create(5, "/orders", ephemeral=False), create(6, PATH, ephemeral=False),
                create(7, f"{PATH}/n_{0:010}", 0x100, "app-0:80", made=1),
                create(8, f"{PATH}/n_{1:010}", 0x101, "app-1:80", made=2),
                create(1 << 32 | 1, "/y", at_ms=BEGAN_MS + 40000),
                close(1 << 32 | 2, 0x100, f"{PATH}/n_{0:010}", at_ms=BEGAN_MS + 41000)]
    (folder / "log.1").write_bytes(log(early, *later, *election))
    (folder / "log.100000001").write_bytes(log(election[-2], election[-1]))
    page = tmp_path / "page.html"
    for form in ((), ("--markdown",), ("--html", page)):
        out = run("autopsy", folder, *form, within=60).out or page.read_text()
        said = re.sub(r"&#39;|\\", "'", out)
        assert "own leader changed: epoch 1 begins, 32.0s after the transaction before" in said, said
        assert re.search(r"Server \S+ was probably restarted: it began a new log, 32.0s after", said), said
        assert "It was first seen" in said and "nothing was observed" not in said, said
    assert page.read_text().count('class="epoch" d="M') == 2  # in the drawing, and what the sign means
    told_facts = json.loads(run("autopsy", folder, "--json", within=60).out)["ensemble"]
    assert [(fact["event"], fact["zxid"]) for fact in told_facts] == [
        ("epoch", "0x100000001"), ("server-started", "0x100000001")]
    out = run("autopsy", folder, "--at", "-1s", within=60).out
    assert out.startswith("transaction logs\n  ● read; they contain no watches"), out
    assert "logs contain no watches" in out.split("leads", 1)[1] or "leads" not in out, out


@pytest.mark.parametrize("name", [b"\x1b]0;owned\x07", b"a\nb", "\u202egnp".encode(), b"\xff\xfe", b"<script>", b"' OR 1",
                                  b"x" * 500])
def test_hostile_names(folder, tmp_path, name):
    """Names and data of strangers are text in every form, and never reach the terminal as they are."""
    directory = b"/" + name + b"/leader"
    records = [create(1, b"/" + name, ephemeral=False), create(2, directory, ephemeral=False)]
    records += [create(3 + i, directory + b"/n_%010d" % i, 0x100 + i, name, made=i + 1) for i in range(2)]
    (folder / "log.1").write_bytes(log(*records, close(5, 0x100, directory + b"/n_0000000000", expired=True)))
    assert told(folder)[0] == ["expired"]
    page = tmp_path / "page.html"
    for form in ((), ("--events",), ("--markdown",), ("--json",), ("--html", page)):
        done = run("autopsy", folder, *form, within=60, text=False)
        assert done.status == 0, done
        assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae", done.out), form
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.err), form
    assert b"<script" not in page.read_bytes()


def test_purged_while_being_read(folder):
    """A server removes old files meanwhile: what was read is told, what was not is a gap, and nothing breaks."""
    size = 40
    for i in range(size):
        (folder / f"log.{1 + i:x}").write_bytes(log(create(1 + i, "/orders" if i == 0 else f"/x{i}", ephemeral=False)))
    over = threading.Event()

    def purge():
        for i in range(size - 1):
            (folder / f"log.{1 + i:x}").unlink()
            if over.wait(0.03):
                return
    purging = threading.Thread(target=purge)
    purging.start()
    try:
        for _ in range(4):
            told(folder, statuses=(0, 2, 3))
    finally:
        over.set()
        purging.join()


def test_rotated_and_purged_while_followed(folder):
    """A server begins new files and removes old ones: all that it writes is told, once and in order."""
    records = story()
    (folder / "log.1").write_bytes(log(*records[:8]))
    with subprocess.Popen([PROGRAM, "autopsy", folder, "--follow", "--json"],
                          stdout=subprocess.PIPE, text=True) as process:
        events = []
        reader = threading.Thread(target=lambda: [events.append(json.loads(line)) for line in process.stdout])
        reader.start()
        try:
            until(lambda: any(e["event"] == "candidate-joined" for e in events), 30, "who stands is told")
            for i, (old, new) in enumerate((("log.1", "log.9"), ("log.9", "log.a"))):
                (folder / new).write_bytes(log(records[8 + i]) + bytes(5000))
                until(lambda count=i + 1: sum(e["event"] == "leader-lost" for e in events) == count, 30, "it is told")
                (folder / old).unlink()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)
            reader.join(20)
    assert [e["failover"]["cause"] for e in events if e["event"] == "failover"] == ["expired", "closed"], events


def test_a_leader_that_is_deposed_while_followed(tmp_path):
    """What was looked up of a log's end before the server wrote on does not count: the transaction stands."""
    epoch = 1 << 32
    places = [tmp_path / name / "version-2" / "log.1" for name in ("had", "lacked")]
    for place, records in zip(places, (story()[:8], story()[:7])):
        place.parent.mkdir(parents=True)
        place.write_bytes(log(*records))
    later = frame(create(epoch | 1, "/x", at_ms=BEGAN_MS + 20000))
    with subprocess.Popen([PROGRAM, "autopsy", *(place.parent for place in places), "--follow", "--json"],
                          stdout=subprocess.PIPE, text=True) as process:
        events = []
        reader = threading.Thread(target=lambda: [events.append(json.loads(line)) for line in process.stdout])
        reader.start()
        try:
            until(lambda: sum(e["event"] == "candidate-joined" for e in events) == 3, 30, "who stands is told")
            for place, more in zip(places, (frame(story()[8]) + later, later)):
                with open(place, "ab") as file:
                    file.write(more)
            until(lambda: any(e["event"] == "failover" for e in events), 30, "it is told")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)
            reader.join(20)
    assert [e["failover"]["cause"] for e in events if e["event"] == "failover"] == ["expired"], events


def test_no_permission():
    """A file that may not be read is named, with the reason; what others tell is told."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody who may not read")
    nobody = {"preexec_fn": lambda: os.setuid(NOBODY), "env": {"HOME": "/nowhere"}}
    with tempfile.TemporaryDirectory() as place:  # pytest keeps its own from others
        os.chmod(place, 0o755)
        folder = pathlib.Path(place) / "version-2"
        folder.mkdir(mode=0o755)
        (folder / "log.1").write_bytes(log(*story()[:9]))
        (folder / "log.a").write_bytes(log(story()[9]))
        (folder / "log.a").chmod(0o600)
        causes, said, _ = told(folder, statuses=(0, 2, 3), **nobody)
        assert "log.a" in said and "Permission denied" in said, said
        assert causes in (["expired"], [])
        folder.chmod(0o700)
        _, said, _ = told(folder, statuses=(2,), **nobody)
        assert "version-2: permission denied; ask its owner, or read as a member of its group" in said, said
        refused = run("events", "--transactions", folder, **nobody)
        assert refused.status == 2 and "version-2\" cannot be read: permission denied; ask its owner" in refused.err, refused


def test_a_clock_that_goes_back(folder, tmp_path):
    """The zxids give the order; how far the clock went back is recorded, and the story says it."""
    records = story()
    back = [create(11, f"{PATH}/n_{3:010}", 0x103, made=4, at_ms=BEGAN_MS - 3_600_000),
            close(12, 0x102, f"{PATH}/n_{2:010}", at_ms=BEGAN_MS - 3_590_000)]
    (folder / "log.1").write_bytes(log(*records, *back))
    file = tmp_path / "history.db"
    assert run("autopsy", folder, "--into", file, within=60).status == 0
    rows = subprocess.run(["sqlite3", file, "SELECT zxid FROM facts WHERE fact = 'clock-back'"], capture_output=True,
                          text=True, check=True).stdout.split()
    assert rows == ["0xb"], rows
    assert told(folder)[0] == ["expired", "closed", "closed"]
    said = run("why", "--replay", file, within=60).out
    assert "went back by 1h" in said, said
