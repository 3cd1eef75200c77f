"""Servers of ZooKeeper 3.5 to 3.9, each with one client, through the stages at which a server has a part."""
import pytest

from clients import Client
from electop import run
from peer import build_kazoo
from rows import LIMIT_S, Stages  # noqa: F401
from servers import server
from waiting import until


class Servers(Stages):
    """A subclass names the version."""
    build = staticmethod(build_kazoo)
    stages = ("healthy", "killed", "closed", "restarted")

    @pytest.fixture(scope="class")
    def zk(self, request):
        ensemble = server(request.cls.version)
        yield ensemble
        ensemble.close()

    def test_its_version_is_shown(self, zk):
        """The one that serves is the one meant, and the table names it; of a figure it lacks no value is made up."""
        assert f"version: {self.version}" in zk.ask("srvr")

        def shown():
            done = run("once", "-s", zk.hosts, "--admin", zk.admin)
            assert done.status == 0 and self.version in done.out, done
            return True
        until(shown, 30)

    def test_without_adminserver(self, play):
        """Where it has no AdminServer, the four-letter words say the same."""
        play.reach(self.stages[-1], lambda at, seen: True)
        client, = play.clients

        def same():
            status, document = play.once("--admin", "off", play.paths[client])
            election, = document["clusters"][0]["elections"]
            assert election["next_failover"]["chain"] == "complete" and status == 0, document
            assert document["clusters"][0]["servers"][0]["watches_from"] != "adminserver", document
            return True
        until(same, 40)


def version(number):
    client = Client(f"ZooKeeper {number.rsplit('.', 1)[0]}, kazoo Election", "election", "kazoo")
    return type(f"TestZooKeeper{number.replace('.', '_')}", (Servers,), {"version": number, "clients": [client]})


TestZooKeeper35 = version("3.5.10")
TestZooKeeper36 = version("3.6.4")
TestZooKeeper37 = version("3.7.2")
TestZooKeeper38 = version("3.8.4")
TestZooKeeper39 = version("3.9.3")
