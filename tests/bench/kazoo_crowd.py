#!/usr/bin/python3
"""A crowd of kazoo's own elections, each with a client of its own: the peer that tests/bench/crowd is measured against.

    kazoo_crowd.py HOSTS PATH CANDIDATES

Prints one line of JSON once all stand and watch: how long that took, and the processor time of this process until then. Each
stands in a thread of its own, as kazoo's documentation has it, and at most thirty connect at a time, as in the other two.
"""
import json
import os
import resource
import sys
import threading
import time

from kazoo.client import KazooClient

CONNECTING_MOST = 30


def stand(client, election, turn):
    with turn:
        client.start(30)
    election.run(threading.Event().wait)


def main():
    hosts, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    threading.stack_size(256 * 1024)
    turn = threading.BoundedSemaphore(CONNECTING_MOST)
    began = time.monotonic()
    clients = [KazooClient(hosts=hosts) for _ in range(count)]
    for i, client in enumerate(clients):
        threading.Thread(target=stand, args=(client, client.Election(path, str(i)), turn), daemon=True).start()
    # All but the leader watch the one before them.
    while sum(bool(client._data_watchers) for client in clients) < count - 1:  # pylint: disable=protected-access
        time.sleep(0.02)
    use = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"stood_ms": (time.monotonic() - began) * 1e3, "cpu_ms": (use.ru_utime + use.ru_stime) * 1e3}),
          flush=True)
    os._exit(0)  # the server ends the sessions; to close each would take longer than to stand


main()
