"""The clients that judge electop: one row each.

A row says what a client's members are told to stand as, what electop should call that, and how much can be claimed
of it: that one leads ("election"), that one holds ("lock"), that several may hold ("shared"), or nothing, since it is
no election at all ("none")."""
import dataclasses

# Members in the order in which they come; roles of a read-write lock, member by member.
READ_WRITE = ("read", "read", "read", "write", "read", "write", "read")


@dataclasses.dataclass(frozen=True)
class Client:
    system: str
    kind: object             # what its members stand as: a word, or one for each of them
    recipe: str = None       # electop's word for it; None: any
    claim: str = "election"
    named: bool = True       # its members write who they are into their znodes
    below: str = ""          # where under its own path the election is
    chain: bool = True       # each watches its predecessor, and the servers show it
    told: object = True      # whether the next one is notified when the leader goes; None: nobody can know
    identity: str = "{}"     # how electop shows a member's name: {host}, {port}, {letter}, {number} are its parts
    fixed: bool = False      # one znode at a fixed path: those who wait own nothing there
    members: str = None      # who is registered beside it: "all", or "waiting" alone
    herd: bool = False       # all watch the leader by design
    story: bool = True       # the transaction log alone says who leads when
    known: str = None        # complaints that are known to be true, and wait for their repair: a regular expression

    @property
    def slug(self):
        return "".join(c if c.isalnum() else "-" for c in self.system.lower()).strip("-")

    @property
    def claims(self):
        return self.claim != "none"

    def shown(self, name):
        """How electop shows this member."""
        host, port = name.split(":")
        return self.identity.format(name, host=host, port=port, letter=host[-1], number=ord(host[-1]) - 96)

    def role(self, number):
        return self.kind if isinstance(self.kind, str) else self.kind[number % len(self.kind)]


CURATOR = [
    Client("Curator LeaderLatch", "latch", "curator-latch"),
    Client("Curator LeaderSelector", "selector", "curator-lock"),
    Client("Curator InterProcessMutex", "mutex", "curator-lock", "lock", named=False),
    Client("Curator InterProcessReadWriteLock", READ_WRITE, "curator-rwlock", "shared"),
    Client("Curator InterProcessSemaphoreV2", "semaphore", None, "none"),
]

ZOOKEEPER_RECIPES = [
    Client("ZooKeeper LeaderElectionSupport", "election", "zookeeper"),
    Client("ZooKeeper WriteLock", "lock", "zookeeper-write-lock", "lock", named=False),
]

KAZOO = [
    Client("kazoo Election", "election", "kazoo"),
    Client("kazoo Lock", "lock", "kazoo", "lock"),
    Client("kazoo WriteLock", "write", "kazoo", "lock"),
    Client("kazoo ReadLock, WriteLock", READ_WRITE, "kazoo", "shared"),
    Client("kazoo Semaphore", "semaphore", None, "none"),
    Client("kazoo Queue", "queue", None, "none"),
    Client("kazoo LockingQueue", "locking-queue", None, "none"),
    Client("kazoo Party", "party", None, "none"),
    Client("kazoo ShallowParty", "shallow-party", None, "none"),
    Client("kazoo Barrier", "barrier", None, "none"),
    Client("kazoo DoubleBarrier", "double-barrier", None, "none"),
]

GO_ZOOKEEPER = [
    Client("go-zookeeper Lock", "lock", "go-zk-lock", "lock"),
    Client("zkElection (Go)", "zkelection", "zk-election-go", named=False),
    Client("course code (Go)", "course", "course-search", below="/election", known=r"they are .*; shown as .*127\.0\.0\.1"),
]


def lock(system, kind, recipe, below, **more):
    """One znode at a fixed path: those who wait for it own nothing there."""
    return Client(system, kind, recipe, below=below, fixed=True, **more)


LAYOUTS = [
    Client("the ZooKeeper recipe", "recipe", "zookeeper", below="/election"),
    Client("the recipe with its session", "zookeeper-session", "zookeeper-session", below="/_election_"),
    Client("ZooKeeper lock (C)", "c-lock", "zookeeper-c-lock", below="/lock", claim="lock", named=False),
    Client("Spark (old)", "spark-old", "spark-old", below="/spark/leader_election", chain=False, herd=True),
    Client("Mesos master", "mesos", "mesos", below="/mesos", chain=False, told=None),
    Client("Accumulo", "accumulo", "accumulo", below="/managers/lock"),
    Client("Accumulo, another service", "accumulo", "accumulo-lock", below="/tables/lock", claim="lock"),
    Client("ClickHouse", "clickhouse", "clickhouse", below="/leader_election"),
    Client("BookKeeper auditor", "bookkeeper", "bookkeeper-auditor", below="/ledgers/underreplication/auditorelection"),
    Client("zk-ruby", "zk-ruby", "zk-ruby", below="/_zkelection/main", story=False),
    Client("Solr overseer", "solr-overseer", "solr-overseer", below="/overseer_elect/election", identity="{}_solr"),
    Client("Solr shard", "solr-shard", "solr-shard", below="/collections/c/leader_elect/shard1/election",
           identity="core_node{number} on {}_solr"),
    Client("Flink before 1.15", "flink-old", "flink-old", below="/flink/cluster/latch", named=False),
    Client("Flink", "flink", "flink", below="/flink/default/leader/latch", named=False),
    Client("Samza", "samza", "samza", below="/app-a/b-coordinationData/processors"),
    Client("Ignite", "ignite", "ignite", below="/apacheIgnite/n", named=False),
    Client("OpenMLDB", "openmldb", "openmldb", below="/leader", chain=False, told=None),
    Client("zk-ruby lock", "zk-ruby-lock", "zk-ruby-lock", below="/_zklocking/main", claim="lock"),
    Client("Storm", "storm", "storm", below="/storm/leader-lock"),
    Client("HiveServer2", "hive", "hive", below="/hs2ActivePassiveHA-unsecure/_LEADER"),
    Client("DolphinScheduler", "dolphinscheduler", "dolphinscheduler", below="/lock/masters", claim="lock"),
    lock("Kafka controller", "kafka", "kafka-controller", "/controller", members="all"),
    lock("HDFS ZKFC", "hdfs", "hdfs-zkfc", "/hadoop-ha/ns1/ActiveStandbyElectorLock", identity="nn-{letter}"),
    lock("YARN", "yarn", "yarn", "/yarn-leader-election/cluster1/ActiveStandbyElectorLock", identity="rm-{letter}"),
    lock("HBase master", "hbase", "hbase-master", "/hbase/master", identity="{host},{port},1700000000000",
         members="waiting"),
    lock("Patroni", "patroni", "patroni", "/service/main/leader", members="all"),
    lock("Helix controller", "helix", "helix", "/cluster/CONTROLLER/LEADER", told=None),
    lock("canal", "canal", "canal", "/otter/canal/destinations/example/running", members="all"),
]

# Their sessions do not come back to a server that was restarted.
RECURSIVE_LAYOUTS = [
    lock("Pulsar", "pulsar", "pulsar", "/loadbalance/leader", told=None),
    lock("ElasticJob", "elastic-job", "elastic-job", "/job/leader/election/instance", told=None, identity="{}@-@1",
         members="all"),
]
