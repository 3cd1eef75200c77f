"""Why a leader went, while other clients write all the time: their transactions stand between what is to be told
apart. Whatever is told must be true; how much of it is told narrowly is printed, and has a lower bound."""
import pytest

from ensemble import Ensemble
from patience import strain
from trials import TIMEOUT_S, TRUE_OF, Churn, LockTrial, check_cause, run_trials

LIMIT_S = 150
# So few say nothing of a share.
LEAST_SEEN = 3
BUSY = 1.5
WAYS = ["close", "leave", "resign", "close", "evict", "close", "drop"] * 5


@pytest.fixture(scope="module")
def zk():
    ensemble = Ensemble(1, tick_ms=2000, config=("maxSessionTimeout=60000", "maxClientCnxns=0"))
    yield ensemble
    ensemble.close()


def narrow_share(results, how):
    """Checks that none is told wrongly, and says which part of those that went this way is told narrowly. Where the
    servers could be asked only now and then, nothing narrow is due: then it is the whole."""
    told = []
    for trial, event, _ in results:
        check_cause(trial, event["failover"])
        if trial.how == how and trial.well_seen:
            told.append(event["failover"]["cause"])
    return told.count(TRUE_OF[how][0]) / len(told) if len(told) >= LEAST_SEEN else 1.0


# A second's writes, and what part of the closed ones must be told as closed at least.
@pytest.mark.parametrize("rate, least", [(20, 0.6), (100, 0.4), (500, 0.1)])
def test_causes_under_steady_writes(zk, path, rate, least):
    """Never wrong, whatever stands in between; and the fewer writes there are, the more is proved."""
    with Churn(zk, f"{path}-churn", rate) as churn:
        results = run_trials(zk, path, WAYS, 0.7, "--admin", zk.admin)
        count = churn.count
    shares = {how: narrow_share(results, how) for how in ("close", "resign", "evict", "drop")}
    print(f"{rate} writes a second ({count} in all); narrow:", {how: f"{share:.0%}" for how, share in shares.items()})
    assert count > rate * 10, "the others did not write"
    # On a busy machine the lists come later after each death, and more stands in between.
    least, usual = (least, 0.6) if strain() < BUSY else (least / 3, 0.3)
    assert shares["close"] >= least, shares
    assert shares["resign"] >= usual and shares["evict"] >= usual and shares["drop"] >= usual, shares


# What of them is proved rests on the two looks before: they must be had between one death and the next.
@pytest.mark.parametrize("rate, apart_s", [(0, 0.75 * TIMEOUT_S), (50, 1.0)])
def test_causes_of_locks(zk, path, rate, apart_s):
    """A lock has no directory that names the transaction: where nobody else writes, closing is proved all the same;
    where others do, it is told wider, and never wrongly."""
    ways = ["close", "leave", "close", "resign", "close", "evict", "close"]
    with Churn(zk, f"{path}-churn", rate or 0.01):
        results = run_trials(zk, path, ways, apart_s, "--admin", zk.admin, kind=LockTrial)
    share = narrow_share(results, "close")
    print(f"{rate} writes a second; of locks that were closed {share:.0%} are told so")
    assert share >= (0.5 if rate == 0 and strain() < BUSY else 0), results
