"""What the live tests share: one ensemble a module, a path of its own for each test, and a time limit."""
import logging
import re
import signal
from contextlib import closing

import pytest

from ensemble import Ensemble
from patience import Deadline
from read_watch import ReadWatch
from secured import Authority, Kdc

# kazoo warns of every lost connection, and losing connections is what these tests do.
logging.getLogger("kazoo").setLevel(logging.CRITICAL)

LIMIT_S = 90  # a module that needs more has a LIMIT_S of its own


@pytest.fixture(autouse=True)
def limit(request):
    """A test that hangs ends with its own trace, not with that of the whole run."""
    within_s = getattr(request.module, "LIMIT_S", LIMIT_S)
    deadline = Deadline(within_s)

    def overrun(*_):
        if deadline.over():
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise AssertionError(f"not done within {within_s} s of a quiet machine")

    before = signal.signal(signal.SIGALRM, overrun)
    signal.setitimer(signal.ITIMER_REAL, 5, 5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def zk():
    """One server, shared by the tests of a module."""
    with closing(Ensemble(1)) as ensemble, closing(ReadWatch(ensemble)):
        yield ensemble


@pytest.fixture(scope="module")
def zk3():
    """An ensemble of three, shared by the tests of a module."""
    # Clients that ask for more than twenty ticks get it: what they are to outlive takes longer.
    with closing(Ensemble(3, config=("maxSessionTimeout=60000",))) as ensemble, closing(ReadWatch(ensemble)):
        yield ensemble


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A certificate authority, with a server's and a client's certificate."""
    made = Authority(tmp_path_factory.mktemp("tls"))
    made.issue("server")
    made.issue("client")
    return made


@pytest.fixture(scope="module")
def kdc(tmp_path_factory):
    """A Kerberos key distribution centre on loopback."""
    made = Kdc(tmp_path_factory.mktemp("kdc"))
    yield made
    made.close()


@pytest.fixture
def path(request):
    """A directory of this test's own; not created."""
    return "/" + re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")


@pytest.fixture(scope="module")
def client(request):
    """A kazoo client for arranging things."""
    ensemble = request.getfixturevalue("zk3" if "zk3" in request.fixturenames else "zk")
    return ensemble.client()
