"""Makes the servers' class archive: class_archive.py FILE, with $SANDBOX.

A server loads and verifies two thousand classes at its start, the same ones each time. With the archive it maps them
into memory instead. Without it, or with one of another JDK, it starts as it does anyway."""
import os
import signal
import sys
import urllib.request

from ensemble import Ensemble
from waiting import until

WORDS = ("ruok", "srvr", "stat", "mntr", "conf", "cons", "wchs", "wchc", "wchp", "dump")
COMMANDS = ("configuration", "connections", "leader", "monitor", "server_stats", "watch_summary", "watches", "watches_by_path")


def ask_everything(zk):
    """So that the classes of every answer are in the archive."""
    client = zk.client()
    client.create("/a", b"x")
    client.create("/a/b", b"", ephemeral=True, sequence=True)
    client.get_children("/a", watch=print)
    client.exists("/a/c", watch=print)
    client.get("/a", watch=print)
    with client.transaction() as transaction:
        transaction.set_data("/a", b"y")
    for word in WORDS:
        zk.ask(word)
    for command in COMMANDS:
        with urllib.request.urlopen(f"http://{zk.admin}/commands/{command}", timeout=20) as answer:
            answer.read()
    client.stop()


def has_ended(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def main(file):
    zk = Ensemble(1, java=(f"-XX:ArchiveClassesAtExit={file}.new",))
    try:
        ask_everything(zk)
        os.kill(zk.pids[0], signal.SIGTERM)
        until(lambda: has_ended(zk.pids[0]), 60, "the server writes its archive")
    finally:
        zk.close()
    os.rename(f"{file}.new", file)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
