"""The layouts of systems whose clients are no library: written by generators, with real sessions and watches."""
from clients import LAYOUTS, RECURSIVE_LAYOUTS
from peer import build_generators
from rows import LIMIT_S, Stages  # noqa: F401
from stages import STAGES


class TestLayouts(Stages):
    clients, version, build = LAYOUTS, "generated", staticmethod(build_generators)


class TestRecursiveLayouts(Stages):
    clients, version, build = RECURSIVE_LAYOUTS, "generated", staticmethod(build_generators)
    stages = STAGES[:-1]
