"""Layouts of systems whose clients are no library: the same znodes, and the same watches, by real sessions.

    generators.py HOSTS        driven by lines on standard input: see peer.py

A member says "session PATH NAME ID" when it has one, and "waits PATH NAME" once it watches what its system watches."""
import json
import logging
import os
import struct
import sys
import threading
import uuid
import zlib

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError, NoNodeError

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from raw_session import EPHEMERAL, RawSession, SessionError  # noqa: E402  # pylint: disable=wrong-import-position

TIMEOUT_S = 4.0
output = threading.Lock()


def say(*words):
    with output:
        print(*words, flush=True)


# ---- data ----

def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def protobuf(*fields):
    """(number, text or integer or bytes) of a message."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value if isinstance(value, bytes) else value.encode()
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def host_and_port(name):
    host, port = name.split(":")
    return host, int(port)


def java_serialised(url):
    """What Flink writes: a string and a UUID, each as Java serialises them."""
    text = url.encode()
    return (b"\xac\xed\x00\x05w" + bytes([len(text) + 2]) + struct.pack(">H", len(text)) + text +
            b"sr\x00\x0ejava.util.UUID\xbc\x99\x03\xf7\x98m\x85/\x02\x00\x02J\x00\x0cleastSigBitsJ\x00\x0bmostSigBitsxp" +
            uuid.uuid4().bytes)


# ---- members ----

class Member:
    """One session of one system. A subclass arranges the znodes of its system below self.path."""

    def __init__(self, hosts, path, name):
        self.path, self.name, self.over = path, name, threading.Event()
        self.hosts, self.owned = hosts, []
        self.open()
        say("session", path, name, self.session())
        threading.Thread(target=self._run, daemon=True).start()

    def open(self):
        self.client = KazooClient(self.hosts, timeout=TIMEOUT_S)
        self.client.start(timeout=40)

    def session(self):
        return "0x%x" % (self.client.client_id[0] & 0xFFFFFFFFFFFFFFFF)

    def _run(self):
        try:
            self.take_part()
        except Exception as error:  # pylint: disable=broad-except  # whatever it is, the judge reads it
            say("failed", self.path, self.name, repr(error))

    def take_part(self):
        raise NotImplementedError

    def above(self, count=1):
        return self.path.rsplit("/", count)[0]

    def ephemeral(self, path, data=b"", **more):
        created = self.client.create(path, data, ephemeral=True, makepath=True, **more)
        self.owned.append(created)
        return created

    def leads(self):
        say("leads", self.path, self.name)

    def resign(self):
        for path in reversed(self.owned):
            self.client.delete(path)

    def close(self):
        self.client.stop()


class Sequence(Member):
    """Candidates with a number; each is notified when the one before it goes."""
    prefix, by_data = "n_", False

    def data(self):
        return self.name.encode()

    def take_part(self):
        self.own = self.ephemeral(f"{self.path}/{self.candidate()}", self.data(), sequence=True).rsplit("/", 1)[1]
        self.registered()
        while True:
            children = [c for c in self.client.get_children(self.path) if c[-10:].isdigit()]
            children.sort(key=lambda child: child[-10:])
            if self.own not in children:
                return
            at = children.index(self.own)
            if at == 0:
                break
            self.wait_for(children, at)
        self.acknowledge()
        self.leads()

    def candidate(self):
        return self.prefix.format(session=self.client.client_id[0], name=self.name, guid=uuid.uuid4())

    def watched(self, children, at):
        return children[at - 1]

    def wait_for(self, children, at):
        gone, path = threading.Event(), f"{self.path}/{self.watched(children, at)}"
        if self.by_data:
            try:
                self.client.get(path, watch=lambda _: gone.set())
            except NoNodeError:
                return
        elif not self.client.exists(path, watch=lambda _: gone.set()):
            return
        say("waits", self.path, self.name)
        gone.wait()

    def registered(self):
        """After its candidate was created."""

    def acknowledge(self):
        """Before it leads."""


class ZooKeeperSession(Sequence):
    prefix = "candidate-{session}_"


class CLock(Sequence):
    prefix = "x-{session:016x}-"

    def data(self):
        return b""


class SparkOld(Sequence):
    """All watch the leader."""
    prefix = "master_"

    def data(self):
        return f"spark://{self.name}".encode()

    def watched(self, children, at):
        return children[0]


class Children(Sequence):
    """Everybody watches the children."""

    def wait_for(self, children, at):
        changed = threading.Event()
        if children == sorted((c for c in self.client.get_children(self.path, watch=lambda _: changed.set())
                               if c[-10:].isdigit()), key=lambda child: child[-10:]):
            say("waits", self.path, self.name)
            changed.wait()


class Mesos(Children):
    prefix = "json.info_"

    def data(self):
        host, port = host_and_port(self.name)
        return json.dumps({"id": str(uuid.uuid4()), "hostname": host, "port": port, "version": "1.11.0",
                           "address": {"hostname": host, "ip": "127.0.0.1", "port": port}}).encode()


class Accumulo(Sequence):
    prefix, by_data = "zlock#{guid}#", False

    def data(self):
        return json.dumps({"descriptors": [{"service": "MANAGER", "address": self.name, "group": "default"}]}).encode()


class Samza(Sequence):
    prefix, by_data = "processor-", True


class Ignite(Sequence):
    prefix = "{guid}:{guid}:81|"

    def data(self):
        return zlib.compress(self.name.encode())


class OpenMldb(Children):
    prefix = "lock_request"

    def registered(self):
        self.ephemeral(f"{self.above()}/nodes/{self.name}")


class ZkRubyLock(Sequence):
    prefix = "ex"


class Storm(Sequence):
    prefix, by_data = "_c_{guid}-latch-", True

    def registered(self):
        self.ephemeral(f"{self.above()}/nimbuses/{self.name}")


class Hive(Storm):
    def data(self):
        return str(uuid.uuid4()).encode()

    def registered(self):
        host, port = host_and_port(self.name)
        self.ephemeral(f"{self.above()}/instances/instance-", json.dumps(
            {"type": "JSONServiceRecord", "external": [], "internal": [
                {"api": "activeEndpoint", "addressType": "host/port", "protocolType": "tcp",
                 "addresses": [{"host": host, "port": str(port)}]}]}).encode(), sequence=True)


class DolphinScheduler(Sequence):
    prefix, by_data = "_c_{guid}-lock-", True


class ClickHouse(Sequence):
    prefix = "leader_election-"


class BookKeeper(Sequence):
    prefix, by_data = "V_", True

    def data(self):
        return f'bookieId: "{self.name}"\n'.encode()

    def acknowledge(self):
        self.client.set(self.path, self.data())


class ZkRuby(Sequence):
    prefix = "ballot"

    def acknowledge(self):
        self.ephemeral(f"{self.path}/leader_ack", self.data())


class SolrOverseer(Sequence):
    prefix, by_data = "{session}-{name}_solr-n_", True

    def data(self):
        return b""

    def acknowledge(self):
        self.ephemeral(f"{self.above()}/leader", json.dumps({"id": self.own}).encode())


class SolrShard(Sequence):
    by_data = True

    def data(self):
        return b""

    def candidate(self):
        return f"{self.client.client_id[0]}-core_node{ord(self.name[5]) - 96}-n_"

    def registered(self):
        self.ephemeral(f"{self.above(5)}/live_nodes/{self.name}_solr")

    def acknowledge(self):
        shard = self.path.split("/")[-2]
        self.ephemeral(f"{self.above(3)}/leaders/{shard}/leader", json.dumps(
            {"core": f"c_{shard}_replica", "node_name": f"{self.name}_solr", "base_url": f"http://{self.name}/solr"}).encode())


class FlinkOld(Sequence):
    prefix, by_data = "_c_{guid}-latch-", True

    def data(self):
        return b""

    def marks(self):
        return [(f"{self.above()}/connection_info", "jobmanager_0")]

    def acknowledge(self):
        for path, name in self.marks():
            self.ephemeral(path, java_serialised(f"akka.tcp://flink@{self.name}/user/rpc/{name}"))


class Flink(FlinkOld):
    def marks(self):
        return [(f"{self.above()}/{part}/connection_info", f"{part}_0")
                for part in ("dispatcher", "resource_manager", "rest_server")]


class Lock(Member):
    """One ephemeral znode at the path itself; whoever gets it leads."""

    def data(self):
        return self.name.encode()

    def registered(self):
        """Before it tries for the first time."""

    def acknowledge(self):
        """Once it has the znode."""

    def take_part(self):
        self.client.ensure_path(self.above())
        self.registered()
        while not self.over.is_set():
            try:
                self.ephemeral(self.path, self.data())
                break
            except NodeExistsError:
                self.wait_for()
        else:
            return
        self.acknowledge()
        self.leads()

    def wait_for(self):
        gone = threading.Event()
        if self.client.exists(self.path, watch=lambda _: gone.set()):
            say("waits", self.path, self.name)
            gone.wait()

    def resign(self):
        self.over.set()
        super().resign()


class Kafka(Lock):
    def number(self):
        return ord(self.name[5]) - 97

    def registered(self):
        host, port = host_and_port(self.name)
        self.ephemeral(f"{self.above()}/brokers/ids/{self.number()}", json.dumps(
            {"listener_security_protocol_map": {"PLAINTEXT": "PLAINTEXT"}, "endpoints": [f"PLAINTEXT://{self.name}"],
             "jmx_port": -1, "features": {}, "host": host, "timestamp": "1700000000000", "port": port,
             "version": 5}).encode())

    def data(self):
        return json.dumps({"version": 2, "brokerid": self.number(), "timestamp": "1700000000000",
                           "kraftControllerEpoch": -1}).encode()


class Hdfs(Lock):
    def data(self):
        host, port = host_and_port(self.name)
        return protobuf((1, "ns1"), (2, f"nn-{self.name[5]}"), (3, host), (4, port), (5, 8019))

    def acknowledge(self):
        crumb = f"{self.above()}/ActiveBreadCrumb"
        self.client.ensure_path(crumb)
        self.client.set(crumb, self.data())


class Yarn(Hdfs):
    def data(self):
        return protobuf((1, "cluster1"), (2, f"rm-{self.name[5]}"))


class HBase(Lock):
    START = 1700000000000

    def server(self):
        host, port = host_and_port(self.name)
        return protobuf((1, host), (2, port), (3, self.START))

    def backup(self):
        host, port = host_and_port(self.name)
        return f"{self.above()}/backup-masters/{host},{port},{self.START}"

    def data(self):
        source = b"master:16000"
        head = b"\xff" + struct.pack(">I", len(source) + 8) + source + struct.pack(">q", 7)
        return head + b"PBUF" + protobuf((1, self.server()), (2, 0), (3, 16010))

    def wait_for(self):
        if self.backup() not in self.owned:
            self.ephemeral(self.backup(), self.data())
        super().wait_for()

    def acknowledge(self):
        if self.backup() in self.owned:
            self.owned.remove(self.backup())
            self.client.delete(self.backup())


class Patroni(Lock):
    def registered(self):
        self.ephemeral(f"{self.above()}/members/{self.name}", json.dumps(
            {"conn_url": f"postgres://{self.name}/postgres", "api_url": f"http://{self.name}/patroni",
             "state": "running", "role": "replica", "version": "4.1.5", "timeline": 1}).encode())


class Helix(Lock):
    """The waiting controllers watch the children of the directory above."""

    def data(self):
        return json.dumps({"id": "LEADER", "simpleFields": {"LEADER": self.name, "SESSION_ID": self.session()[2:]},
                           "mapFields": {}, "listFields": {}}).encode()

    def wait_for(self):
        changed = threading.Event()
        if self.path.rsplit("/", 1)[1] in self.client.get_children(self.above(), watch=lambda _: changed.set()):
            say("waits", self.path, self.name)
            changed.wait()


class Canal(Lock):
    def registered(self):
        self.ephemeral(f"{self.above()}/cluster/{self.name}")

    def data(self):
        return json.dumps({"active": True, "address": self.name, "cid": 1}).encode()


class Recursive(Member):
    """A recursive watch on an ancestor, and the lock's state from a session without any watch."""

    def open(self):
        self.raw = RawSession(self.hosts.split(",")[0], TIMEOUT_S)
        self.eyes = KazooClient(self.hosts, timeout=TIMEOUT_S)
        self.eyes.start(timeout=40)

    def session(self):
        return self.raw.hex

    def ancestor(self):
        return "/"

    def data(self):
        return self.name.encode()

    def registered(self):
        """Before it tries for the first time."""

    def take_part(self):
        self.eyes.ensure_path(self.above())
        self.registered()
        self.raw.watch_all_below(self.ancestor())
        while not self.over.is_set():
            try:
                self.raw.create(self.path, self.data(), EPHEMERAL)
                self.leads()
                return
            except SessionError:
                say("waits", self.path, self.name)
            while self.eyes.exists(self.path) and not self.over.wait(0.1):
                pass

    def resign(self):
        self.over.set()
        self.raw.delete(self.path)

    def close(self):
        self.over.set()
        self.raw.close()
        self.eyes.stop()


class Pulsar(Recursive):
    def data(self):
        return json.dumps({"serviceUrl": f"http://{self.name}"}).encode()


class ElasticJob(Recursive):
    def ancestor(self):
        return self.above(3)

    def data(self):
        return f"{self.name}@-@1".encode()

    def registered(self):
        instances = f"{self.ancestor()}/instances"
        self.eyes.ensure_path(instances)
        self.raw.create(f"{instances}/{self.name}@-@1", f"jobInstanceId: {self.name}@-@1\n".encode(), EPHEMERAL)


KINDS = {
    "recipe": Sequence, "zookeeper-session": ZooKeeperSession, "c-lock": CLock,
    "spark-old": SparkOld, "mesos": Mesos, "accumulo": Accumulo, "clickhouse": ClickHouse, "bookkeeper": BookKeeper,
    "zk-ruby": ZkRuby, "solr-overseer": SolrOverseer, "solr-shard": SolrShard, "flink-old": FlinkOld, "flink": Flink,
    "kafka": Kafka, "hdfs": Hdfs, "yarn": Yarn, "hbase": HBase, "patroni": Patroni, "helix": Helix, "canal": Canal,
    "samza": Samza, "ignite": Ignite, "openmldb": OpenMldb, "zk-ruby-lock": ZkRubyLock, "storm": Storm, "hive": Hive,
    "dolphinscheduler": DolphinScheduler, "pulsar": Pulsar, "elastic-job": ElasticJob,
}


def main():
    logging.getLogger("kazoo").setLevel(logging.CRITICAL)
    members = {}
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "stand":  # KIND PATH NAME
            members[tuple(rest[1:])] = KINDS[rest[0]](sys.argv[1], *rest[1:])
        elif word == "resign":  # PATH NAME
            members[tuple(rest)].resign()
        elif word == "close":
            members[tuple(rest)].close()


if __name__ == "__main__":
    main()
