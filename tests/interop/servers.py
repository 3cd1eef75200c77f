"""ZooKeeper servers of other versions: the jars of each from Maven Central, all else from Debian."""
import os
import socket
import subprocess

from ensemble import Ensemble, four_letter
from peer import BUILT, DEBIAN_JARS, JAVA, fetched
from waiting import until

OTHERS = ("servlet-api", "slf4j-api", "slf4j-simple", "commons-cli", "commons-io", "jackson-annotations", "jackson-core",
          "jackson-databind", "jetty9-http", "jetty9-io", "jetty9-security", "jetty9-server", "jetty9-servlet",
          "jetty9-util", "jetty9-util-ajax", "metrics-core", "netty-all", "netty-buffer", "netty-codec", "netty-common",
          "netty-handler", "log4j-1.2", "netty-resolver", "netty-transport", "snappy-java", "findbugs-annotations")


def class_path(version):
    folder = os.path.join(BUILT, f"server-{version}")
    names = ("zookeeper",) if version < "3.5" else ("zookeeper", "zookeeper-jute")
    jars = [os.path.join(folder, f"{name}-{version}.jar") for name in names]
    for jar in jars:
        if not os.path.exists(jar):
            name = os.path.basename(jar)[:-len(f"-{version}.jar")]
            fetched(f"ZooKeeper {version}", ["mvn", "-q", "-B", "dependency:copy", "-Dmdep.stripVersion=false",
                                             f"-Dartifact=org.apache.zookeeper:{name}:{version}",
                                             f"-DoutputDirectory={folder}"])
    return os.pathsep.join(jars + [os.path.join(DEBIAN_JARS, f"{name}.jar") for name in OTHERS])


def server(version, **more):
    return Ensemble(1, java=("-cp", class_path(version)), **more)


class OldServer:
    """One of before 3.5: it has no AdminServer, by which the sandbox knows that a server is ready."""

    def __init__(self, version, directory, config=()):
        self.directory = str(directory)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.addresses = [f"127.0.0.1:{free.getsockname()[1]}"]
        file = os.path.join(self.directory, "zoo.cfg")
        with open(file, "w", encoding="ascii") as cfg:
            cfg.write("\n".join([f"dataDir={self.directory}/data", "tickTime=500", "clientPortAddress=127.0.0.1",
                                 f"clientPort={self.addresses[0].rsplit(':', 1)[1]}", *config]) + "\n")
        self.process = subprocess.Popen([*JAVA, "-cp", class_path(version),
                                         "org.apache.zookeeper.server.quorum.QuorumPeerMain", file],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: f"version: {version}" in four_letter(self.addresses[0], "srvr"), 60, "the server serves")

    def close(self):
        self.process.kill()
        self.process.wait()
