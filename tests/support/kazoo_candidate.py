#!/usr/bin/python3
"""A real candidate in a process of its own, to be killed: kazoo_candidate.py HOSTS PATH IDENTITY TIMEOUT_S.

Stands in kazoo's Election; prints "leading" once it leads, and leads until its standard input ends: it resigns, and
ends. With the line "close" it ends its session while it leads."""
import logging
import os
import sys

from kazoo.client import KazooClient


def lead():
    print("leading", flush=True)
    if sys.stdin.readline() == "close\n":
        client.stop()
        os._exit(0)


hosts, path, identity, timeout = sys.argv[1:]
logging.getLogger("kazoo").setLevel(logging.CRITICAL)
client = KazooClient(hosts, timeout=float(timeout))
client.start()
client.Election(path, identity).run(lead)
client.stop()
