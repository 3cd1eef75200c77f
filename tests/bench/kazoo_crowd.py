#!/usr/bin/python3
"""A crowd of kazoo's own elections, each with a client of its own: the peer that tests/bench/crowd is measured against.

    kazoo_crowd.py HOSTS PATH CANDIDATES

Prints one line of JSON once all stand and watch: how long that took, and the processor time of this process until then. Clients
begin thirty at a time, as in the other two, and stand in threads of their own, as kazoo's documentation has it.
"""
import json
import os
import resource
import sys
import threading
import time

from kazoo.client import KazooClient

CONNECTING_MOST = 30


def main():
    hosts, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    threading.stack_size(256 * 1024)
    began = time.monotonic()
    clients = [KazooClient(hosts=hosts, timeout=30) for _ in range(count)]
    for first in range(0, count, CONNECTING_MOST):
        for connected in [client.start_async() for client in clients[first:first + CONNECTING_MOST]]:
            if not connected.wait(30):
                sys.exit("kazoo_crowd: no connection")
    for i, client in enumerate(clients):
        election = client.Election(path, str(i))
        threading.Thread(target=election.run, args=(threading.Event().wait,), daemon=True).start()
    # All but the leader watch the one before them.
    while sum(bool(client._data_watchers) for client in clients) < count - 1:  # pylint: disable=protected-access
        time.sleep(0.02)
    use = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"stood_ms": (time.monotonic() - began) * 1e3, "cpu_ms": (use.ru_utime + use.ru_stime) * 1e3}),
          flush=True)
    os._exit(0)  # the servers end the sessions; to close each would take longer than to stand


main()
