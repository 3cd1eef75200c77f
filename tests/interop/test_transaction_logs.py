"""`electop autopsy` over what servers of ZooKeeper 3.4 to 3.9 wrote; Debian's 3.8 is in tests/live."""
import pytest

from logged_play import CONFIG, JAVA, judge, play
from ensemble import Ensemble
from servers import OldServer, class_path


@pytest.mark.parametrize("version", ["3.4.14", "3.5.10", "3.6.4", "3.7.2", "3.9.3"])
def test_every_cause_is_certain(version, tmp_path):
    """Each change of leader has its true cause, whatever the version wrote beside it."""
    containers = version >= "3.5"
    (tmp_path / "old").mkdir()
    zk = Ensemble(1, config=CONFIG, java=("-cp", class_path(version), *JAVA)) if containers else \
        OldServer(version, tmp_path / "old", CONFIG)
    try:
        judge(zk, play(zk, containers), tmp_path, containers)
    finally:
        zk.close()
