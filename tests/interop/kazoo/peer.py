"""kazoo's recipes, driven by lines on standard input: see ../peer.py."""
import json
import logging
import os
import sys
import threading

from kazoo.client import KazooClient

TIMEOUT_S = 4.0
# How to reach a secured server, as JSON.
SECURITY = json.loads(os.environ.get("KAZOO_SECURITY", "{}"))
LOCKS = {"lock": "Lock", "read": "ReadLock", "write": "WriteLock"}
lock_of_output = threading.Lock()


def say(*words):
    with lock_of_output:
        print(*words, flush=True)


class Contender:
    """One session that takes part in one recipe."""

    def __init__(self, hosts, kind, path, name):
        self.path, self.name, self.over = path, name, threading.Event()
        self.client = KazooClient(hosts, **{"timeout": TIMEOUT_S, **SECURITY})
        self.client.start(timeout=40)
        threading.Thread(target=self._run, args=(kind,), daemon=True).start()

    def _run(self, kind):
        try:
            getattr(self, f"_take_part_in_{kind.replace('-', '_')}", lambda: self._hold(kind))()
        except Exception as error:  # pylint: disable=broad-except  # whatever it is, the judge reads it
            say("failed", self.path, self.name, type(error).__name__)

    def _lead(self):
        say("leads", self.path, self.name)
        self.over.wait()

    def _hold(self, kind):
        with getattr(self.client, LOCKS[kind])(self.path, self.name):
            self._lead()

    def _take_part_in_election(self):
        self.client.Election(self.path, self.name).run(self._lead)

    def _take_part_in_semaphore(self):
        with self.client.Semaphore(self.path, self.name, max_leases=2):
            self._lead()

    def _take_part_in_queue(self):
        queue = self.client.Queue(self.path)
        queue.put(self.name.encode())
        queue.put(self.name.encode())
        queue.get()
        self.over.wait()

    def _take_part_in_locking_queue(self):
        queue = self.client.LockingQueue(self.path)
        queue.put_all([self.name.encode()] * 2)
        queue.get(10)  # held, and never consumed
        self.over.wait()

    def _take_part_in_party(self):
        self.client.Party(self.path, self.name).join()
        self.over.wait()

    def _take_part_in_shallow_party(self):
        self.client.ShallowParty(self.path, self.name.replace(":", "-")).join()
        self.over.wait()

    def _take_part_in_barrier(self):
        barrier = self.client.Barrier(self.path)
        barrier.create()
        while not self.over.is_set():
            barrier.wait(1)

    def _take_part_in_double_barrier(self):
        self.client.DoubleBarrier(self.path, 3, self.name.replace(":", "-")).enter()
        self.over.wait()


def main():
    logging.getLogger("kazoo").setLevel(logging.CRITICAL)
    contenders = {}
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "stand":  # KIND PATH NAME
            contenders[tuple(rest[1:])] = Contender(sys.argv[1], *rest)
        elif word == "resign":  # PATH NAME
            contenders[tuple(rest)].over.set()
        elif word == "close":
            contenders[tuple(rest)].client.stop()


if __name__ == "__main__":
    main()
