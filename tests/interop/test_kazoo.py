"""kazoo's recipes: the library behind most Python programs on ZooKeeper."""
import kazoo

from clients import KAZOO
from peer import build_kazoo
from rows import LIMIT_S, Stages  # noqa: F401


class TestKazoo(Stages):
    clients, version, build = KAZOO, kazoo.__version__, staticmethod(build_kazoo)
