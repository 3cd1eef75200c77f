"""What listens where a ZooKeeper was expected, and is none: said as what it is, at once, and without any harm."""
import os
import resource
import time

import pytest

from electop import Events, run
from fake_server import _Server

pytestmark = pytest.mark.hiding


def http(connection):
    connection.recv(100)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def mail(connection):
    connection.sendall(b"220 mail.example.com ESMTP\r\n")
    while connection.recv(100):
        pass


def endless(first):
    def serve(connection):
        while True:
            connection.sendall(first + os.urandom(4092))
            time.sleep(0.01)
    return serve


# A length below none is one that the client library never comes to the end of; a long one it would make room for.
@pytest.mark.parametrize("serve", [http, mail, endless(b"\xff\xff\xff\xf0"), endless(b"\x7f\xff\xff\xff"), endless(b"\0\0\0\2")],
                         ids=["http", "mail", "negative", "gigabytes", "short"])
def test_is_no_zookeeper(serve):
    """It is named as no ZooKeeper, by a look and in the stream, with what to do; no time is lost with it."""
    with _Server(serve) as stranger:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = run("once", "--quick", "-s", stranger.address, "--wait", "3s", "--admin", "off")
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        assert done.status == 3, done
        assert f"{stranger.address} is not a ZooKeeper server; check the address (--server)" in done.err, done
        assert f"not connected: {stranger.address} is not a ZooKeeper server" in done.out, done
        assert spent < 1.5, f"{spent} s of the processor's time"  # of 3 s: it waits, and does not spin


def test_a_port_for_tls():
    """One that answers a plain greeting by an alert is no stranger."""
    with _Server(endless(b"\x15\x03\x01\x00\x02\x02\x0a")) as server:
        done = run("once", "--quick", "-s", server.address, "--wait", "3s", "--admin", "off")
        assert done.status == 3 and f"{server.address} is a port for TLS; connect with --tls or tls:" in done.err, done
        assert "bad replies" not in done.out and "--wait" not in done.err, done


def test_among_others(zk, client):
    """One of several hosts: the real one is found, and stays."""
    with _Server(endless(b"\xff\xff\xff\xf0")) as stranger:
        with Events(f"{stranger.address},{zk.hosts}", "/", "--admin", "off") as events:
            assert events.expect("connection", state="connected")


def test_a_long_list_is_not_repeated():
    """Of sixty servers that do not answer the complaint names one, how many others, and whom it asked last."""
    hosts = ",".join(f"127.0.0.{i}:1" for i in range(1, 61))
    done = run("once", "--quick", "-s", hosts, "--wait", "2s", "--admin", "off")
    assert done.status == 3 and len(done.err) < 300, done
    assert done.err.startswith("electop: 127.0.0.1:1 and 59 others could not be reached within 2.00s: connection refused by"), done


def test_options_are_no_hosts():
    """-s -c takes the next option for a host: refused, as that would be looked for in vain."""
    done = run("once", "-s", "-c")
    assert done.status == 2 and '"-c" is not a host and port; write it as host:port' in done.err, done
