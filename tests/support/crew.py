"""A plugin of pytest: several processes work on one file of tests, and each takes the next test that is free.

Every process collects the same tests. The one that creates a test's file in $TEST_CLAIMS runs it; the others pass
it over, and do not report it. So each test runs once, and none is lost: what a process has taken it reports, or
its exit status tells that it broke off.

Tests that share an ensemble of three have one claim for all of them: it starts once, and not in every process."""
import hashlib
import os


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: needs a minute or more of real time; `make test-slow` runs it")


taken = set()


def pytest_runtest_protocol(item, nextitem):
    folder = os.environ.get("TEST_CLAIMS")
    if not folder:
        return None
    claim = "zk3" if "zk3" in item.fixturenames else item.nodeid
    if claim in taken:
        return None
    name = hashlib.sha256(claim.encode()).hexdigest()
    try:
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return True  # another process has it
    taken.add(claim)
    return None
