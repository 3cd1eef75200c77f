"""ZooKeeper's own recipes for Java, as Debian ships them."""
import os
import re

from clients import ZOOKEEPER_RECIPES
from peer import DEBIAN_JARS, build_zookeeper_recipes
from rows import LIMIT_S, Stages  # noqa: F401


def version():
    """Of Debian's jar, which a symbolic link without a version points to, or the other way round."""
    found = [re.search(r"zookeeper-(\d[\d.]*)\.jar$", name) for name in os.listdir(DEBIAN_JARS)]
    return next((match[1] for match in found if match), "unknown")


class TestZooKeeperRecipes(Stages):
    clients, version, build = ZOOKEEPER_RECIPES, version(), staticmethod(build_zookeeper_recipes)
