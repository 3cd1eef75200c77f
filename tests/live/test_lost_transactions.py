"""The judge of `make chaos`: what servers committed and lost again is no lie of ours, and nothing else is excused by it."""
import datetime

import pytest

from test_bad_logs import BEGAN_MS, close, create, log
from truth import Lies, Truth, retell

PATH, OTHER = "/orders", "/other"
EPOCH = 1 << 32
FIRST = [create(EPOCH + i + 1, one, ephemeral=False, made=i + 1, at_ms=BEGAN_MS) for i, one in enumerate((PATH, OTHER))]


def come(epoch, counter, name, made, at_s, session=None, path=PATH):
    return create(epoch * EPOCH + counter, f"{path}/{name}_{made - 1:010}", session or made, made=made,
                  at_ms=BEGAN_MS + 1000 * at_s)


def go(epoch, counter, name, made, at_s, path=PATH):
    return close(epoch * EPOCH + counter, made, f"{path}/{name}_{made - 1:010}", expired=True, at_ms=BEGAN_MS + 1000 * at_s)


LED = [*FIRST, come(1, 3, "a", 1, 1), come(1, 4, "a", 2, 2)]
# What the leader of epoch 2 does upon LED, though a majority had one of these, too.
LOST_CREATE = [come(1, 5, "b", 3, 10)], [come(2, 1, "c", 3, 12)]
LOST_CLOSE = [go(1, 5, "a", 1, 10)], [go(2, 1, "a", 1, 12)]
LOST_END_OF_SESSION = [close(EPOCH + 5, 2, f"{PATH}/a_{1:010}", at_ms=BEGAN_MS + 10000)], [come(2, 1, "a", 3, 12, session=2)]
LOST_LATE = [come(1, 5, "b", 3, 10)], [go(2, 1, "a", 1, 12), come(2, 2, "c", 3, 20)]
LOST = [LOST_CREATE, LOST_CLOSE, LOST_END_OF_SESSION, LOST_LATE]


def truth(folder, *logs):
    """Of the logs of so many servers."""
    for number, records in enumerate(logs):
        place = folder / str(number) / "version-2"
        place.mkdir(parents=True)
        (place / "log.100000001").write_bytes(log(*records))
    return Truth(folder, kept=True)


@pytest.mark.parametrize("lost, later", LOST)
def test_what_servers_lost(tmp_path, lost, later):
    """It is named, with its time, and the history goes on without it."""
    found = truth(tmp_path, LED + lost + later, LED + lost, LED + later)
    loss, = found.losses
    assert (loss.zxids, loss.since, loss.until) == ([EPOCH + 5], BEGAN_MS / 1000 + 10, BEGAN_MS / 1000 + 12)
    assert [change.zxid for change in found.changes] == \
        [EPOCH + i for i in range(1, 5)] + [2 * EPOCH + i for i in range(1, len(later) + 1)]


def test_what_nobody_agreed_upon(tmp_path):
    """A deposed leader's own proposal, and a change of leader that loses nothing, are no losses."""
    later = [come(2, 1, "c", 3, 12), go(2, 2, "a", 1, 13)]
    assert not truth(tmp_path, [*LED, come(1, 5, "b", 3, 10)], LED + later, LED + later).losses


@pytest.mark.parametrize("wrong", [
    [come(1, 5, "b", 2, 10)],                           # within one epoch
    [come(2, 1, "b", 9, 10)],                           # what is missing is in no log
    [go(2, 1, "b", 3, 10)],                             # it never came
])
def test_what_no_loss_explains(tmp_path, wrong):
    """A contradiction that no lost end of an epoch explains is not explained: it stays for the judge."""
    found = truth(tmp_path, LED + wrong, LED + wrong)
    assert not found.losses and len(found.changes) == len(LED + wrong)


def said(event, at_s, **more):
    at = datetime.datetime.fromtimestamp(BEGAN_MS / 1000 + at_s, datetime.timezone.utc)
    return {"event": event, "election": PATH, "time": at.isoformat(), **more}


@pytest.mark.parametrize("told, of_lost, found", [
    (said("candidate-joined", 10.1, candidate="b_0000000002"), 1, 0),   # of what was lost
    (said("candidate-joined", 9.5, candidate="b_0000000002"), 0, 1),    # before it was
    (said("candidate-joined", 17, candidate="b_0000000002"), 0, 1),     # long after
    (said("candidate-joined", 17, candidate="b_0000000002", after_gap_ms=2000), 1, 0),
    (said("candidate-joined", 10.1, candidate="b_0000000002", election=OTHER), 0, 1),  # another election lost nothing
])
def test_what_a_loss_excuses(tmp_path, told, of_lost, found):
    """What was told of the elections that lost something, while they did; nothing else."""
    lost, later = LOST_CREATE
    known = truth(tmp_path, LED + lost + later, LED + lost, LED + later)
    lies = Lies("events", known)
    retell(known, [told["election"]], [told], lies)
    assert [len(known.of_lost), len([lie for lie in lies.found if "nobody of this name" in lie])] == [of_lost, found]


@pytest.mark.parametrize("event", ["candidate-left", "leader-lost"])
def test_a_lie_beside_no_loss(tmp_path, event):
    """Where the servers' histories agree nothing is excused."""
    known = truth(tmp_path, LED, LED, LED)
    lies = Lies("events", known)
    retell(known, [PATH], [said(event, 5, candidate="a_0000000000", identity=None)], lies)
    assert lies.found and not known.of_lost
