"""`electop autopsy` over all that a server writes down: records with and without digests, ends of sessions with and
without the paths that went, several changes in one, containers, znodes with a time to live, ACLs, snapshots in the
middle. Servers of other versions are in tests/interop."""
import itertools
import json

import pytest
from kazoo.exceptions import NotEmptyError

from ensemble import Ensemble
from autopsies import autopsy
from electop import run
from logged_play import CONFIG, JAVA, LEADER, causes, judge, play
from raw_session import RawSession
from txnlog import CLOSE_SESSION, transactions
from waiting import until

pytestmark = pytest.mark.hiding
LIMIT_S = 200
SET_ACL, RECONFIG = 7, 16


@pytest.mark.parametrize("digest, paths", itertools.product(["true", "false"], repeat=2))
def test_every_cause_is_certain(digest, paths, tmp_path):
    """Each change of leader has its true cause, however the server is configured to write it down."""
    zk = Ensemble(1, config=CONFIG, java=(*JAVA, f"-Dzookeeper.digest.enabled={digest}",
                                          f"-Dzookeeper.closeSessionTxn.enabled={paths}"))
    try:
        judge(zk, play(zk), tmp_path)
        lengths = {t.length for t in transactions(zk.directory) if t.type == CLOSE_SESSION}
        assert (32 in lengths) == (digest == "false" and paths == "false")
        assert (44 in lengths) == (digest == "true" and paths == "false")
    finally:
        zk.close()


def test_reconfigured():
    """A change of the ensemble, and of a znode's ACL, stand between changes of leader, and are none."""
    zk = Ensemble(3, config=("reconfigEnabled=true", "skipACL=yes"))
    try:
        client, staying = zk.client(timeout=30), zk.leader()
        client.ensure_path(LEADER)
        standing = [RawSession(zk.addresses[staying], 30) for _ in range(4)]
        names = [one.create(f"{LEADER}/n_", b"app") for one in standing]
        standing[0].close()
        until(lambda: not client.exists(f"{LEADER}/{names[0]}"), 20)
        leaving = str([i for i in range(3) if i != staying][0] + 1)
        client.retry(client.reconfig, joining=None, leaving=leaving, new_members=None)
        standing[1].delete(f"{LEADER}/{names[1]}")
        client.set_acls(LEADER, client.get_acls(LEADER)[0])
        client.delete(f"{LEADER}/{names[2]}")
        assert {RECONFIG, SET_ACL} <= {t.type for t in transactions(zk.directory)}
        events, complaints = autopsy(zk.directory)
        assert causes(events, LEADER) == ["closed", "resigned", "evicted"] and not complaints, (events, complaints)
        document = json.loads(run("autopsy", zk.directory, "--json").out)
        assert [election["path"] for election in document["elections"]] == [LEADER], document
    finally:
        zk.close()


def test_a_refused_multi_changes_nothing():
    """Its record keeps the parts before the one that failed, as if they had been done."""
    zk = Ensemble(1)
    try:
        client = zk.client()
        client.ensure_path(LEADER)
        standing = [RawSession(zk.addresses[0], 30) for _ in range(3)]
        names = [one.create(f"{LEADER}/n_", b"app") for one in standing]
        both = client.transaction()
        both.delete(f"{LEADER}/{names[0]}")
        both.delete(f"{LEADER}/{names[1]}")
        both.delete(LEADER)  # it has a child
        assert any(isinstance(result, NotEmptyError) for result in both.commit())
        assert sorted(client.get_children(LEADER)) == sorted(names)
        standing[0].close()
        until(lambda: not client.exists(f"{LEADER}/{names[0]}"), 20)
        events, complaints = autopsy(zk.directory)
        assert causes(events, LEADER) == ["closed"] and not complaints, (events, complaints)
    finally:
        zk.close()
