"""ZooKeeper servers of other versions: the two jars of each from Maven Central, all else from Debian."""
import os

from ensemble import Ensemble
from peer import BUILT, DEBIAN_JARS, fetched

OTHERS = ("servlet-api", "slf4j-api", "slf4j-simple", "commons-cli", "commons-io", "jackson-annotations", "jackson-core",
          "jackson-databind", "jetty9-http", "jetty9-io", "jetty9-security", "jetty9-server", "jetty9-servlet",
          "jetty9-util", "jetty9-util-ajax", "metrics-core", "netty-all", "netty-buffer", "netty-codec", "netty-common",
          "netty-handler", "netty-resolver", "netty-transport", "snappy-java", "findbugs-annotations")


def class_path(version):
    folder = os.path.join(BUILT, f"server-{version}")
    jars = [os.path.join(folder, f"{name}-{version}.jar") for name in ("zookeeper", "zookeeper-jute")]
    for jar in jars:
        if not os.path.exists(jar):
            name = os.path.basename(jar)[:-len(f"-{version}.jar")]
            fetched(f"ZooKeeper {version}", ["mvn", "-q", "-B", "dependency:copy", "-Dmdep.stripVersion=false",
                                             f"-Dartifact=org.apache.zookeeper:{name}:{version}",
                                             f"-DoutputDirectory={folder}"])
    return os.pathsep.join(jars + [os.path.join(DEBIAN_JARS, f"{name}.jar") for name in OTHERS])


def server(version, **more):
    return Ensemble(1, java=("-cp", class_path(version)), **more)
