"""Copies of the tool beside one another: none costs another a diagnosis.

That a member shows no watch proves something only where no watch on children could serve it, which servers count and do
not list. Other copies of the tool have such watches, too, and announce how many.
"""
import json
import re
import time

import pytest

from electop import Events, elections, run
from standing import Line, configuration
from waiting import until

DEAF = 5


@pytest.fixture
def line(zk, path):
    line = Line(zk, path)
    line.join()
    line.join(host="127.0.0.200")  # its watch shows that the line goes by the order of the numbers
    for i in range(DEAF):
        line.join(watching=None, host=f"127.0.0.{i + 2}")
    yield line
    line.close()


def found(zk, line, *paths):
    """What one whole look, with its further ones, finds in the line: code and certainty of each candidate."""
    done = run("once", "--json", "-s", zk.hosts, "--admin", zk.admin, "--wait", "60s", line.path, *paths)
    election = elections(json.loads(done.out))[line.path]
    return sorted((f["candidates"][0], f["code"], f["certainty"]) for f in election["findings"]
                  if f["severity"] != "info")


def all_deaf(line):
    return sorted((member.name, "no-watch", "certain") for member in line.members[2:])


def marks(zk):
    return re.findall(r"(?m)^(\S*/electop-observer)$", zk.ask("wchp"))


def numbers(zk):
    """What observers announce: how many watches on children each of them has."""
    return sorted(int(n) for n in re.findall(r"/electop-(\d+)-child-watches-\d+/electop-observer", zk.ask("wchp")))


def events(folder, zk, paths, name):
    folder = folder / name
    folder.mkdir()
    return Events(None, "--config", configuration(folder, zk, {path: {} for path in paths}))


def test_beside_a_permanent_observer(zk, line, path, tmp_path):
    """With `events` on the same elections and others: all five, for certain; and so with two more observers."""
    others = [f"{path}-x", f"{path}-y"]
    for other in others:
        line.make(line.members[0].session, other)
    with events(tmp_path, zk, [line.path, *others], "one"):
        until(lambda: numbers(zk) == [3], 15, lambda: marks(zk))
        assert found(zk, line) == all_deaf(line)
        with events(tmp_path, zk, [line.path], "two"), events(tmp_path, zk, others, "three"):
            until(lambda: numbers(zk) == [1, 2, 3], 15, lambda: marks(zk))
            assert len(marks(zk)) == 3, marks(zk)
            assert found(zk, line, others[0]) == all_deaf(line)


def test_an_observer_that_comes_and_goes_in_the_middle(zk, line, tmp_path):
    """While the look is under way others connect and leave."""
    with Events(None, "--config", configuration(tmp_path, zk, {line.path: {}})):
        until(lambda: numbers(zk) == [1], 15, lambda: marks(zk))
        second = events(tmp_path, zk, [line.path], "second")
        try:
            time.sleep(0.5)
            assert found(zk, line) == all_deaf(line)
        finally:
            second.__exit__(None, None, None)


def test_a_stranger_is_none(zk, line, tmp_path):
    """Somebody else's watch on children, beside an observer, may be what tells them: nothing is certain."""
    other = zk.client()
    try:
        with Events(None, "--config", configuration(tmp_path, zk, {line.path: {}})):
            until(lambda: numbers(zk) == [1], 15, lambda: marks(zk))
            other.get_children(line.path, watch=lambda _: None)
            assert not [f for f in found(zk, line) if f[2] == "certain"]
            # Nor is one who says that it is an observer, and not how many it has: an older copy of the tool.
            other.exists("/electop-observer", watch=lambda _: None)
            assert not [f for f in found(zk, line) if f[2] == "certain"]
    finally:
        other.stop()


def test_announcements_follow(zk, line, path, tmp_path):
    """What is announced follows what is watched, and one is replaced by the next: never a watch more than one."""
    others = [f"{path}-{i}" for i in range(4)]
    for other in others:
        line.make(line.members[0].session, other)
    with events(tmp_path, zk, [line.path, *others], "one"):
        until(lambda: numbers(zk) == [5], 15, lambda: marks(zk))
        before = marks(zk)
        line.join(watching=None)  # a watch fires, and is set again
        until(lambda: numbers(zk) == [5] and marks(zk) != before, 10, lambda: marks(zk))
        line.members[0].session.delete(others[0])
        until(lambda: numbers(zk) == [4], 10, lambda: marks(zk))
        assert len(marks(zk)) == 1, marks(zk)
