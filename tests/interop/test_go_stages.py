"""go-zookeeper's lock, and the two elections that Go programs build on that library."""
from clients import GO_ZOOKEEPER
from peer import build_go_zookeeper
from rows import LIMIT_S, Stages  # noqa: F401


class TestGoZooKeeper(Stages):
    clients, version, build = GO_ZOOKEEPER, "1.0.4", staticmethod(build_go_zookeeper)
