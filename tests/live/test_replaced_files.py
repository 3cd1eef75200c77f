"""Files that are replaced while they are read: a name that leads elsewhere, fewer bytes, a pipe that nobody writes.

The program is traced: at each of its system calls that concern the file in turn, the file is replaced. It ends, without
a crash; what it says is what the whole file says, or names the file or its damage."""
import ctypes
import gzip
import os
import signal
import struct
import subprocess
import threading
import time

import pytest

import test_bad_logs as written
from electop import PROGRAM, check_sanitizers, run
from patience import stretched

LIMIT_S = 900
TRACEME, SYSCALL, CONT, SETOPTIONS, SYSCALL_INFO = 0, 24, 7, 0x4200, 0x420E
OPTIONS = 1 | 8 | 1 << 20  # TRACESYSGOOD, TRACECLONE, EXITKILL
STOPPED_BY_CALL, AT_ENTRY = signal.SIGTRAP | 0x80, 1
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid=0, address=0, data=0):
    return LIBC.ptrace(request, pid, address, data)


def concerns(pid, path):
    """The thread begins a call whose first argument is a descriptor of the file."""
    info = (ctypes.c_uint8 * 88)()
    ptrace(SYSCALL_INFO, pid, len(info), ctypes.addressof(info))
    if info[0] != AT_ENTRY:
        return False
    try:
        return os.readlink(f"/proc/{pid}/fd/{struct.unpack_from('=Q', info, 32)[0]}") == path
    except OSError:
        return False


def replaced_at(n, path, replace, arguments, folder):
    """Runs the program, and replaces the file before its n-th call. Status, output, errors, and whether it came so far."""
    with open(folder / "out", "w+b") as out, open(folder / "err", "w+b") as err:
        process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=lambda: ptrace(TRACEME),
                                   env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "TMPDIR": str(folder)})
        os.waitpid(process.pid, 0)
        ptrace(SETOPTIONS, process.pid, 0, OPTIONS)
        ptrace(SYSCALL, process.pid)
        calls, status, deadline = 0, None, time.monotonic() + stretched(30)
        while status is None:
            pid, state = os.waitpid(-1, 0x40000000 | os.WNOHANG)  # __WALL
            if pid == 0:
                if time.monotonic() > deadline:
                    process.kill()
                time.sleep(0.0005)
                continue
            if not os.WIFSTOPPED(state):
                status = os.waitstatus_to_exitcode(state) if pid == process.pid else None
                continue
            sent = os.WSTOPSIG(state)
            if sent == STOPPED_BY_CALL and calls < n and concerns(pid, path):
                calls += 1
                if calls == n:
                    replace()
            passed = 0 if sent in (STOPPED_BY_CALL, signal.SIGTRAP, signal.SIGSTOP) else sent
            ptrace(SYSCALL if calls < n else CONT, pid, 0, passed)
        process.returncode = status
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read().decode("utf-8", "replace"), calls == n


def renamed(path, other):
    os.replace(other, path)


def truncated(path, other):
    os.truncate(path, os.path.getsize(path) // 3)


def a_pipe(path, other):
    os.unlink(path)
    os.mkfifo(path, 0o600)
    if path.suffix == ".pcap":  # which may be one, so its writer is waited for
        threading.Thread(target=lambda: os.close(os.open(path, os.O_WRONLY)), daemon=True).start()


def a_link(path, other):
    os.unlink(path)
    os.symlink("/dev/zero", path)


REPLACEMENTS = renamed, truncated, a_pipe, a_link


def make_logs(folder):
    os.mkdir(folder / "version-2")
    with open(folder / "version-2" / "log.1", "wb") as file:
        file.write(written.log(*written.story()))
    return folder / "version-2"


def transaction_log(folder):
    place = make_logs(folder)
    return place / "log.1", ["autopsy", str(place), "--json"]


def snapshot(folder):
    place = make_logs(folder)
    with open(place / "snapshot.8", "wb") as file:
        file.write(written.snapshot(written.znode("", 0, made=1), written.znode("/orders", 1, made=1), written.znode(written.PATH, 2, made=3)))
    return place / "snapshot.8", ["autopsy", str(place), "--json"]


def packed_log(folder):
    place = make_logs(folder)
    with open(place / "log.1", "rb") as plain, gzip.open(place / "log.1.gz", "wb") as packed:
        packed.write(plain.read())
    os.unlink(place / "log.1")
    return place / "log.1.gz", ["autopsy", str(place), "--json"]


def recording(folder):
    file = folder / "a.db"
    assert run("autopsy", str(make_logs(folder)), "--into", str(file)).status == 0
    return file, ["report", "--json", str(file)]


def case(folder):
    file = folder / "a.case"
    with open("tests/cases/field.flap.events.case", "rb") as whole:
        file.write_bytes(whole.read())
    return file, ["events", "--json", "--replay", str(file)]


def capture(folder):
    file = folder / "a.pcap"
    with open("tests/unit/data/captures/election.pcap", "rb") as whole:
        file.write_bytes(whole.read())
    return file, ["events", "--json", "--capture", str(file)]


def capture_beside(folder):
    """Of a pipe in its place nobody writes."""
    file = capture(folder)[0].rename(folder / "followed")
    return file, ["once", "-s", "127.0.0.1:1", "--wait", "300ms", "--capture", str(file)]


def configuration(folder):
    file = folder / "config.yaml"
    file.write_text("clusters: [{name: one, hosts: '127.0.0.1:1'}]\n" + "# more\n" * 2000)
    return file, ["config", "-c", str(file)]


def secret(folder):
    file = folder / "auth"
    file.write_text("digest:operator:secret\n")
    file.chmod(0o600)
    return file, ["once", "-s", "127.0.0.1:1", "--wait", "100ms", "--auth-file", str(file)]


KINDS = transaction_log, snapshot, packed_log, recording, case, capture, capture_beside, configuration, secret
# What a program says of a file that is not what it was, beside its name.
DAMAGE = "cut", "damaged", "missing", "truncated"


# Each replacement once; the others take minutes.
USUAL = {(transaction_log, a_pipe), (capture_beside, a_pipe), (recording, truncated), (configuration, a_link), (capture, renamed)}


@pytest.mark.parametrize("kind, replace", [
    pytest.param(kind, replace, id=f"{kind.__name__}-{replace.__name__}",
                 marks=() if (kind, replace) in USUAL else pytest.mark.slow)
    for kind in KINDS for replace in REPLACEMENTS])
def test_replaced_while_it_is_read(kind, replace, tmp_path):
    told = []
    for n in (0, 0, *range(1, 9), *range(9, 400, 30)):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        path, arguments = kind(folder)
        other = folder / "other"
        other.write_bytes(b"not what it was\n" * 300)
        other.chmod(0o600)
        if len(told) == 1:
            replace(path, other)
        status, out, err, reached = replaced_at(n, str(path), lambda: replace(path, other), arguments, folder)
        check_sanitizers(err)
        assert status in (0, 1, 2, 3), (n, status, err)
        said = status, out.replace(str(folder).encode(), b"")
        if n == 0:  # what is told of either file
            told.append(said)
        assert said in told or str(path) in err or any(word in err for word in DAMAGE), (n, status, err, out)
        if n and not reached:
            return
