"""The systems of the field: where each comes from, how a member of it is started, and where it elects.

Each comes from the registry that its makers publish to. What a system writes about itself says which process owns
a candidate: electop is not asked."""
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request

from clients import Client
from kazoo.exceptions import NoNodeError
from patience import stretched
from waiting import until

BUILT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "field"))
HERE = os.path.dirname(os.path.abspath(__file__))
JAVA = ["java", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def read_varint(data):
    number, shift = 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    return number


class Unavailable(Exception):
    """A system that cannot be had from the registries, and why."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetched(command, what, within=900):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=within, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if "ERROR" in line] or [done.stdout[-300:]]
        raise Unavailable(f"{what}: {lines[0]}")


def jars(name, *artifacts, exclude=()):
    """The class path of artifacts (group:name:version) with all that they need, from Maven Central."""
    folder = os.path.join(BUILT, name)
    if not os.path.exists(os.path.join(folder, "complete")):
        os.makedirs(folder, exist_ok=True)
        banned = "".join(f"<exclusion><groupId>{g}</groupId><artifactId>{a}</artifactId></exclusion>"
                         for g, a in (each.split(":") for each in exclude))
        wanted = "".join(f"<dependency><groupId>{g}</groupId><artifactId>{a}</artifactId><version>{v}</version>"
                         f"<exclusions>{banned}</exclusions></dependency>"
                         for g, a, v in (each.split(":") for each in artifacts))
        with open(os.path.join(folder, "pom.xml"), "w", encoding="utf-8") as f:
            f.write(f"<project><modelVersion>4.0.0</modelVersion><groupId>electop</groupId><artifactId>field-{name}"
                    f"</artifactId><version>1</version><dependencies>{wanted}</dependencies></project>")
        fetched(["mvn", "-q", "-B", "-f", os.path.join(folder, "pom.xml"), "dependency:copy-dependencies",
                 "-DincludeScope=runtime", f"-DoutputDirectory={os.path.join(folder, 'lib')}"], name)
        with open(os.path.join(folder, "complete"), "w", encoding="utf-8"):
            pass
    return os.path.join(folder, "lib", "*")


def compiled(name, source, path):
    """A program of the project's own on a system's library."""
    folder = os.path.join(BUILT, name, "classes")
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["javac", "-nowarn", "-cp", path, "-d", folder, os.path.join(HERE, source)], check=True)
    return f"{path}{os.pathsep}{folder}"


class System:
    name = version = None
    members = ("one", "two", "three")
    timeout_s, stop_signal = 6, signal.SIGTERM
    clients, root = [], "/"

    def fetch(self):
        """Gets it from its registry; raises Unavailable."""

    def prepare(self, play):
        """Before the first member starts: play.folder is its own, play.client a session on the ensemble."""
        self.play, self.folder, self.hosts = play, play.folder, play.zk.hosts
        self.ports = {member: free_port() for member in self.members}

    def started(self):
        """All members are there for the first time."""

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def process_options(self):
        return {}

    def get(self, path):
        try:
            data, stat = self.play.client.get(path)
            return data, "0x%x" % (stat.ephemeralOwner & 0xFFFFFFFFFFFFFFFF)
        except NoNodeError:
            return None, None

    def children(self, path):
        try:
            return self.play.client.get_children(path)
        except NoNodeError:
            return []

    def member_at(self, text):
        """The member whose port is in this text."""
        for member, port in self.ports.items():
            if str(port) in text:
                return member
        return None

    def shown(self, client, member):
        """How the operators of this system call a member."""
        return f"127.0.0.1:{self.ports[member]}"

    def member_of(self, play, client, life):
        """Whose candidate this is: by the data of the candidate itself."""
        path = client.below if client.fixed else f"{client.below}/{life.name}"
        data, owner = self.get(path)
        return self.member_at(data.decode("utf-8", "replace")) if data and owner == life.owner else None

    def registered(self, client, stage, seen, election):
        """Complaints about the members beside a lock: all that run must be there, by their names."""
        if not client.members or election is None:
            return []
        gone = self.play.struck if stage in ("killed", "frozen", "middle", "closed") else None
        leads = self.play.leader() if client.members == "waiting" else None
        wanted = sorted(self.shown(client, member) for member in self.members if member not in (gone, leads))
        shown = sorted(str(member["identity"]) for member in election["members"] or ())
        return [] if shown == wanted else [f"registered are {wanted}; shown are {shown}"]

    def ready(self, play, member):
        return True

    def left(self, member):
        """A member that was told to end and has ended: whether nothing of it stands any more."""
        return True

    def close(self):
        """All members have ended: so does what they had started."""


class Kafka(System):
    name, version = "Kafka", "3.9.1"
    clients = [Client("Kafka controller", "", "kafka-controller", below="/controller", fixed=True, members="all")]

    def fetch(self):
        self.path = jars("kafka", "org.apache.kafka:kafka_2.13:3.9.1")

    def command(self, member):
        number = self.members.index(member)
        config = self.write(f"{member}.properties", f"""broker.id={number}
listeners=PLAINTEXT://127.0.0.1:{self.ports[member]}
zookeeper.connect={self.hosts}
zookeeper.session.timeout.ms=6000
log.dirs={self.folder}/{member}-log
offsets.topic.replication.factor=1
num.network.threads=1
num.io.threads=1
log.cleaner.enable=false
""")
        return [*JAVA, "-cp", self.path, "kafka.Kafka", config]

    def ready(self, play, member):
        return str(self.members.index(member)) in self.children("/brokers/ids")

    def member_of(self, play, client, life):
        data, owner = self.get("/controller")
        return self.members[json.loads(data)["brokerid"]] if data and owner == life.owner else None


class Patroni(System):
    name, version = "Patroni", "4.1.5"
    members = ("pg1", "pg2", "pg3")
    clients = [Client("Patroni leader", "", "patroni", below="/service/field/leader", fixed=True, members="all")]
    BINARIES = "/usr/lib/postgresql/15/bin"

    def fetch(self):
        if not os.path.exists(f"{self.BINARIES}/postgres"):
            raise Unavailable("PostgreSQL: apt-get install postgresql-15")
        self.venv = os.path.join(BUILT, "patroni")
        if not os.path.exists(os.path.join(self.venv, "bin", "patroni")):
            fetched([sys.executable, "-m", "venv", self.venv], "a virtual environment")
            fetched([os.path.join(self.venv, "bin", "pip"), "install", "-q", f"patroni[zookeeper]=={self.version}",
                     "psycopg2-binary"], "Patroni")

    def prepare(self, play):
        super().prepare(play)
        self.rest = {member: free_port() for member in self.members}
        subprocess.run(["chown", "postgres:postgres", self.folder], check=True)
        os.chmod(self.folder, 0o711)

    def process_options(self):
        return {"user": "postgres", "group": "postgres", "env": {"PATH": f"{self.BINARIES}:/usr/bin:/bin", "HOME": self.folder}}

    def command(self, member):
        config = self.write(f"{member}.yml", f"""scope: field
name: {member}
restapi: {{listen: '127.0.0.1:{self.rest[member]}', connect_address: '127.0.0.1:{self.rest[member]}'}}
zookeeper: {{hosts: ['{self.hosts}']}}
bootstrap:
  dcs: {{ttl: 20, loop_wait: 4, retry_timeout: 6, postgresql: {{use_pg_rewind: true}}}}
  initdb: [{{encoding: UTF8}}, {{auth: trust}}, data-checksums]
postgresql:
  listen: '127.0.0.1:{self.ports[member]}'
  connect_address: '127.0.0.1:{self.ports[member]}'
  data_dir: {self.folder}/{member}-data
  bin_dir: {self.BINARIES}
  pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust', 'local all all trust']
  authentication: {{superuser: {{username: postgres}}, replication: {{username: postgres}}}}
  parameters: {{unix_socket_directories: '{self.folder}', shared_buffers: 16MB, max_connections: 20}}
""")
        # It runs as another user, to whom the clone may be closed: what it needs of it is read as data.
        return [os.path.join(self.venv, "bin", "python"), os.path.join(self.venv, "bin", "patroni"), config]

    timeout_s = 20

    def shown(self, client, member):
        return member

    def ready(self, play, member):
        data, _ = self.get(f"/service/field/members/{member}")
        return data and json.loads(data).get("state") in ("running", "streaming")

    def close(self):
        """A PostgreSQL is in a process group of its own, and outlives the Patroni that was killed."""
        for member in self.members:
            subprocess.run([f"{self.BINARIES}/pg_ctl", "stop", "-m", "immediate", "-D", f"{self.folder}/{member}-data"],
                           user="postgres", cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False, timeout=stretched(60))

    def left(self, member):
        """It gives up its lead and ends without closing its session, which expires later."""
        return self.get(f"/service/field/members/{member}")[0] is None

    def member_of(self, play, client, life):
        data, owner = self.get("/service/field/leader")
        return data.decode() if data and owner == life.owner else None


class Helix(System):
    name, version = "Helix", "1.4.1"
    clients = [Client("Helix controller", "", "helix", below="/field/CONTROLLER/LEADER", fixed=True, told=None)]

    def fetch(self):
        self.path = jars("helix", f"org.apache.helix:helix-core:{self.version}")

    def prepare(self, play):
        super().prepare(play)
        subprocess.run([*JAVA, "-cp", self.path, "org.apache.helix.tools.ClusterSetup", "--zkSvr", self.hosts,
                        "--addCluster", "field"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=120)

    def shown(self, client, member):
        return f"{member}_{self.ports[member]}"

    def command(self, member):
        return [*JAVA, "-Dzk.session.timeout=6000", "-cp", self.path, "org.apache.helix.controller.HelixControllerMain",
                "--zkSvr", self.hosts, "--cluster", "field", "--controllerName", f"{member}_{self.ports[member]}"]


class ElasticJob(System):
    name, version = "ElasticJob", "3.0.4"
    clients = [Client("ElasticJob leader", "", "elastic-job", below="/field/job/leader/election/instance", fixed=True,
                      told=None, members="all")]

    def fetch(self):
        self.path = jars("elasticjob", f"org.apache.shardingsphere.elasticjob:elasticjob-lite-core:{self.version}")
        self.path = compiled("elasticjob", "JobInstance.java", self.path)

    def command(self, member):
        return [*JAVA, "-cp", self.path, "JobInstance", self.hosts, "field", "job"]

    def shown(self, client, member):
        """An instance is called by its address and its process."""
        return self.instance_of(self.play.processes[member].child.pid)

    def instance_of(self, pid):
        return next((name for name in self.children("/field/job/instances") if name.endswith(f"@-@{pid}")), None)

    def member_of(self, play, client, life):
        data, owner = self.get(client.below)
        return next((member for member, process in play.processes.items() if data and owner == life.owner and
                     data.decode().endswith(f"@-@{process.child.pid}")), None)

    def ready(self, play, member):
        return self.shown(self.clients[0], member) is not None


class BookKeeper(System):
    name, version = "BookKeeper", "4.17.1"
    clients = [Client("BookKeeper auditor", "", "bookkeeper-auditor", below="/ledgers/underreplication/auditorelection")]

    def fetch(self):
        self.path = jars("bookkeeper", f"org.apache.bookkeeper:bookkeeper-server:{self.version}")

    def config(self, member):
        return self.write(f"{member}.conf", f"""metadataServiceUri=zk+hierarchical://{self.hosts}/ledgers
zkTimeout=6000
bookiePort={self.ports[member]}
advertisedAddress=127.0.0.1
allowLoopback=true
journalDirectory={self.folder}/{member}-journal
ledgerDirectories={self.folder}/{member}-ledgers
httpServerEnabled=false
""")

    def prepare(self, play):
        super().prepare(play)
        subprocess.run([*JAVA, "-cp", self.path, "org.apache.bookkeeper.bookie.BookieShell", "-conf",
                        self.config(self.members[0]), "initnewcluster"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120)
        play.client.ensure_path("/ledgers/cookies")  # that of the first bookie makes it: an auditor looks for it

    def command(self, member):
        return [*JAVA, "-cp", self.path, "org.apache.bookkeeper.replication.AutoRecoveryMain", "-conf", self.config(member)]

    def ready(self, play, member):
        base = self.clients[0].below
        return any(self.member_at((self.get(f"{base}/{name}")[0] or b"").decode()) == member for name in self.children(base))


class HBase(System):
    name, version = "HBase", "2.5.8"
    clients = [Client("HBase master", "", "hbase-master", below="/hbase/master", fixed=True, members="waiting")]
    starts = {}

    def fetch(self):
        self.path = jars("hbase", f"org.apache.hbase:hbase-server:{self.version}")

    def command(self, member):
        values = {"hbase.cluster.distributed": "true", "hbase.rootdir": f"file://{self.folder}/root",
                  "hbase.zookeeper.quorum": self.hosts.split(":")[0], "zookeeper.session.timeout": "6000",
                  "hbase.zookeeper.property.clientPort": self.hosts.rsplit(":", 1)[1],
                  "hbase.master.port": str(self.ports[member]), "hbase.master.info.port": "-1",
                  "hbase.unsafe.stream.capability.enforce": "false", "hbase.master.hostname": "localhost",
                  "hbase.wal.provider": "filesystem", "hbase.tmp.dir": f"{self.folder}/{member}-tmp"}
        rows = "".join(f"<property><name>{name}</name><value>{value}</value></property>" for name, value in values.items())
        self.write(f"{member}/hbase-site.xml", f"<configuration>{rows}</configuration>")
        opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in
                  ("java.lang", "java.nio", "sun.nio.ch", "java.lang.reflect", "java.util.concurrent")]
        return [*JAVA, *opened, "-cp", f"{self.folder}/{member}{os.pathsep}{self.path}",
                "org.apache.hadoop.hbase.master.HMaster", "start"]

    def server_names(self):
        """Every master's own name: a master that waits is a child, the active one wrote its port behind its host."""
        return self.children("/hbase/backup-masters")

    def learn(self):
        for name in self.server_names():
            if member := self.member_at(f",{name.split(',')[1]},"):
                self.starts[member] = name

    def member_at(self, text):
        return next((member for member, port in self.ports.items() if f",{port}," in text), None)

    def member_of(self, play, client, life):
        data, owner = self.get("/hbase/master")
        if not data or owner != life.owner:
            return None
        for member, port in self.ports.items():
            if b"\x10" + varint(port) + b"\x18" in data:
                start = data[data.index(b"\x10" + varint(port) + b"\x18") + 2 + len(varint(port)):]
                self.starts[member] = f"localhost,{port},{read_varint(start)}"
                return member
        return None

    def shown(self, client, member):
        self.learn()
        return self.starts.get(member)

    def ready(self, play, member):
        self.learn()
        data, _ = self.get("/hbase/master")
        return any(f",{self.ports[member]}," in name for name in self.server_names()) or \
            bool(data) and varint(self.ports[member]) in data


class Flink(System):
    name, version = "Flink", "1.20.0"
    clients = [Client("Flink JobManager", "", "flink", below="/flink/field/leader/latch", named=False)]

    def fetch(self):
        self.path = jars("flink", f"org.apache.flink:flink-runtime:{self.version}",
                         f"org.apache.flink:flink-clients:{self.version}")

    def command(self, member):
        self.write(f"{member}/config.yaml", f"""jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: {self.ports[member]}
high-availability.jobmanager.port: {self.ports[member]}
jobmanager.bind-host: 127.0.0.1
jobmanager.memory.process.size: 700m
rest.address: 127.0.0.1
rest.port: {free_port()}
high-availability.type: zookeeper
high-availability.zookeeper.quorum: {self.hosts}
high-availability.cluster-id: /field
high-availability.storageDir: file://{self.folder}/ha
high-availability.zookeeper.client.session-timeout: 6000
""")
        opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.lang", "java.util", "java.net")]
        return [*JAVA, *opened, "-cp", self.path,
                "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
                "--configDir", f"{self.folder}/{member}", "--host", "127.0.0.1"]

    def member_of(self, play, client, life):
        """A candidate's own data is empty: the order in which they were started, and what the leader wrote."""
        data, owner = self.get("/flink/field/leader/dispatcher/connection_info")
        if data and owner == life.owner and (member := self.member_at(data.decode("latin-1"))):
            return member
        owners = {self.get(f"{client.below}/{name}")[1] for name in self.children(client.below)}
        stand = {name for (_, owner), name in play.members.items() if owner in owners}
        fresh = [member for member, process in play.processes.items() if process.lives() and member not in stand]
        return fresh[0] if len(fresh) == 1 else None

    def ready(self, play, member):
        names = [n for n in self.children(self.clients[0].below) if n[-10:].isdigit()]
        known = {owner for (_, owner) in play.members}
        owners = {self.get(f"{self.clients[0].below}/{n}")[1] for n in names}
        return bool(owners - known) and len(names) >= sum(p.lives() for p in play.processes.values()) and \
            bool(play.standing(play.truth(), self.clients[0]))


class Solr(System):
    name, version = "Solr", "8.11.4"
    clients = [Client("Solr overseer", "", "solr-overseer", below="/overseer_elect/election")]

    def fetch(self):
        self.path = jars("solr", f"org.apache.solr:solr-core:{self.version}")
        self.path = compiled("solr", "SolrNode.java", self.path)

    def command(self, member):
        self.write(f"{member}/solr.xml", f"""<solr><solrcloud><str name="host">127.0.0.1</str>
<int name="hostPort">{self.ports[member]}</int><str name="hostContext">solr</str>
<int name="zkClientTimeout">6000</int></solrcloud></solr>""")
        return [*JAVA, f"-DzkHost={self.hosts}", f"-Dsolr.log.dir={self.folder}", "-cp", self.path, "SolrNode",
                f"{self.folder}/{member}", str(self.ports[member])]

    def shown(self, client, member):
        return f"127.0.0.1:{self.ports[member]}_solr"

    def member_of(self, play, client, life):
        return self.member_at(life.name)

    def ready(self, play, member):
        return f"127.0.0.1:{self.ports[member]}_solr" in self.children("/live_nodes")


class SolrShard(Solr):
    """A collection of one shard, with a replica on each of the nodes."""
    clients = [Client("Solr shard", "", "solr-shard", below="/collections/field/leader_elect/shard1/election")]
    CONFIG = {"solrconfig.xml": """<config><luceneMatchVersion>8.11.4</luceneMatchVersion>
<schemaFactory class="ClassicIndexSchemaFactory"/><updateHandler><updateLog/></updateHandler>
<requestHandler name="/select" class="solr.SearchHandler"/></config>""",
              "schema.xml": """<schema name="field" version="1.6"><fieldType name="string" class="solr.StrField"/>
<fieldType name="long" class="solr.LongPointField" docValues="true"/><field name="id" type="string" required="true"/>
<field name="_version_" type="long" indexed="false"/><uniqueKey>id</uniqueKey></schema>"""}

    def started(self):
        for name, text in self.CONFIG.items():
            self.play.client.create(f"/configs/field/{name}", text.encode(), makepath=True)
        for member in self.members:  # it is listed as alive a moment before it serves
            until(lambda: self.ask(member, "cores?action=STATUS"), 60, f"{member} answers")
        made = self.ask(self.members[0], "collections?action=CREATE&name=field&numShards=1&replicationFactor=3"
                                         "&collection.configName=field")
        assert made and "failure" not in made, made

    def ask(self, member, what):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[member]}/solr/admin/{what}&wt=json",
                                        timeout=stretched(60)) as answer:
                return json.load(answer)
        except OSError:
            return None

    def replicas(self):
        """What Solr writes of each: core_node: its node, its state."""
        data, _ = self.get("/collections/field/state.json")
        return json.loads(data)["field"]["shards"]["shard1"]["replicas"] if data else {}

    def core(self, member):
        return next((core for core, replica in self.replicas().items()
                     if replica["node_name"] == super(SolrShard, self).shown(None, member)), None)

    def shown(self, client, member):
        return f"{self.core(member)} on {super().shown(client, member)}"

    def member_of(self, play, client, life):
        return next((member for member in self.members if f"-{self.core(member)}-" in life.name), None)

    def ready(self, play, member):
        core = self.core(member)
        return super().ready(play, member) and \
            (core is None or self.replicas()[core]["state"] == "active" and
             any(f"-{core}-" in name for name in self.children(self.clients[0].below)))


SYSTEMS = {"kafka": Kafka, "hbase": HBase, "flink": Flink, "solr": Solr, "solr-shard": SolrShard, "patroni": Patroni,
           "helix": Helix, "elasticjob": ElasticJob, "bookkeeper": BookKeeper}
