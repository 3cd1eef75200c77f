"""Curator's recipes: the library behind most elections on ZooKeeper."""
from clients import CURATOR
from peer import build_curator
from rows import LIMIT_S, Stages  # noqa: F401


class TestCurator(Stages):
    clients, version, build = CURATOR, "5.7.1", staticmethod(build_curator)
