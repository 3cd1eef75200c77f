#include "probe/election/recipe_table.h"

/* The server prints an int32 with %010d: ten digits, or a '-' and nine or ten. */
#define SEQ "(?<seq>-?[0-9]{10}|-[0-9]{9})$"
#define UUID "(?<guid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
#define HEX32 "(?<guid>[0-9a-f]{32})"
#define LATCH "^_c_" UUID "-latch-" SEQ

/* clang-format off */
const struct recipe recipe_table[] = {
    /* Locks at a fixed path. */
    {"kafka-controller", "Kafka controller", FAMILY_LOCK, NULL, "(^|/)controller$", true,
     WATCHES_LEADER, MARK_NONE, NULL, "kafka: ZkData.scala"},
    {"hdfs-zkfc", "HDFS failover controller", FAMILY_LOCK, NULL,
     "/hadoop-ha/[^/]+/ActiveStandbyElectorLock$", true,
     WATCHES_LEADER, MARK_NODE, "../ActiveBreadCrumb", "hadoop: ActiveStandbyElector.java"},
    {"yarn", "YARN resource manager", FAMILY_LOCK, NULL,
     "/yarn-leader-election/[^/]+/ActiveStandbyElectorLock$", true,
     WATCHES_LEADER, MARK_NODE, "../ActiveBreadCrumb", "hadoop: ActiveStandbyElector.java"},
    {"hbase-master", "HBase master", FAMILY_LOCK, NULL, "(^|/)hbase[^/]*/master$", true,
     WATCHES_LEADER, MARK_NONE, NULL, "hbase: ActiveMasterManager.java"},
    {"patroni", "Patroni leader", FAMILY_LOCK, NULL, "(^|/)service/[^/]+(/[0-9]+)?/leader$", true,
     WATCHES_CHILDREN, MARK_NONE, NULL, "patroni: dcs/zookeeper.py"},
    {"pulsar", "Pulsar load manager", FAMILY_LOCK, NULL, "(^|/)loadbalance/leader$", true,
     WATCHES_LEADER, MARK_NONE, NULL, "pulsar: LeaderElectionService.java"},
    {"helix", "Helix controller", FAMILY_LOCK, NULL, "/CONTROLLER/LEADER$", true,
     WATCHES_LEADER, MARK_NONE, NULL, "helix: DistributedLeaderElection.java"},
    {"canal", "canal destination", FAMILY_LOCK, NULL, "/otter/canal/destinations/[^/]+/running$", true,
     WATCHES_LEADER, MARK_NONE, NULL, "canal: ServerRunningMonitor.java"},

    /* Known by their path and their names. */
    {"solr-overseer", "Solr overseer", FAMILY_HYBRID, "^(?<session_dec>-?[0-9]+)-(?<who>.+)-n_" SEQ,
     "(^|/)overseer_elect/election$", true,
     WATCHES_PREDECESSOR, MARK_NODE, "../leader", "solr: LeaderElector.java"},
    {"solr-shard", "Solr shard leader", FAMILY_HYBRID, "^(?<session_dec>-?[0-9]+)-(?<who>.+)-n_" SEQ,
     "/leader_elect/[^/]+/election$", true,
     WATCHES_PREDECESSOR, MARK_NODE, "../../../leaders/{parent}/leader", "solr: LeaderElector.java"},
    {"elastic-job", "ElasticJob leader", FAMILY_HYBRID, LATCH, "/leader/election/latch$", true,
     WATCHES_PREDECESSOR, MARK_NODE, "../instance", "elastic-job: LeaderNode.java"},
    {"flink", "Flink leader", FAMILY_HYBRID, LATCH, "(^|/)flink.*/latch$", true,
     WATCHES_PREDECESSOR, MARK_NODE, "../connection_info", "flink: ZooKeeperUtils.java"},
    {"spark", "Spark standalone master", FAMILY_SEQUENCE, LATCH, "(^|/)spark[^/]*/leader_election$", true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "spark: ZooKeeperLeaderElectionAgent.scala"},
    {"spark-old", "Spark standalone master (old)", FAMILY_SEQUENCE, "^master_" SEQ,
     "(^|/)spark[^/]*/leader_election$", true,
     WATCHES_LEADER, MARK_NONE, NULL, "spark 0.8: SparkZooKeeperSession.scala"},
    {"storm", "Storm nimbus", FAMILY_SEQUENCE, LATCH, "/leader-lock$", true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "storm: LeaderElectorImp.java"},
    {"nifi", "NiFi cluster role", FAMILY_SEQUENCE, "^_c_" UUID "-lock-" SEQ, "/leaders/[^/]+$", true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "nifi: CuratorLeaderElectionManager.java"},
    {"druid", "Druid leader", FAMILY_SEQUENCE, LATCH, "/(_COORDINATOR|_OVERLORD)$", true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "druid: CuratorDruidLeaderSelector.java"},
    {"marathon", "Marathon", FAMILY_SEQUENCE, LATCH, "/leader-curator$", true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "marathon: CuratorElectionStream.scala"},
    {"mesos-replicas", "Mesos log replicas", FAMILY_SEQUENCE, "^" SEQ, "/log_replicas$", false,
     WATCHES_CHILDREN, MARK_NONE, NULL, "mesos: zookeeper/group.cpp"},
    {"bookkeeper-auditor", "BookKeeper auditor", FAMILY_HYBRID, "^V_" SEQ, "/auditorelection$", true,
     WATCHES_PREDECESSOR, MARK_PARENT_DATA, NULL, "bookkeeper: ZkLedgerAuditorManager.java"},
    {"clickhouse", "ClickHouse replicas", FAMILY_SEQUENCE, "^leader_election-" SEQ, "/leader_election$", true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "clickhouse: LeaderElection.h"},
    {"course-search", "distributed document search (course code)", FAMILY_HYBRID, "^c_" SEQ,
     "(^|/)election$", true,
     WATCHES_PREDECESSOR, MARK_REGISTRY, "../coordinators_service_registry",
     "distributed document search course code: LeaderElection"},

    /* Known by their names alone. */
    {"curator-latch", "Curator LeaderLatch", FAMILY_SEQUENCE, LATCH, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "curator: LeaderLatch.java"},
    {"curator-lock", "Curator LeaderSelector, InterProcessMutex", FAMILY_SEQUENCE,
     "^_c_" UUID "-lock-" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "curator: LeaderSelector.java, StandardLockInternalsDriver.java"},
    {"kazoo", "kazoo Election, Lock", FAMILY_SEQUENCE, "^" HEX32 "__r?lock__" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "kazoo: recipe/lock.py, recipe/election.py"},
    {"go-zk-lock", "go-zk Lock", FAMILY_SEQUENCE, "^_c_" HEX32 "-lock-" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "go-zookeeper: lock.go"},
    {"zk-election-go", "zkElection (Go)", FAMILY_SEQUENCE, "^_c_" HEX32 "-p_" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "fearblackcat/zkElection"},
    {"zookeeper-write-lock", "ZooKeeper WriteLock (Java)", FAMILY_SEQUENCE,
     "^x-(?<session_dec>-?[1-9][0-9]{0,18})-" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "zookeeper-recipes-lock: WriteLock.java"},
    {"zookeeper-c-lock", "ZooKeeper lock (C)", FAMILY_SEQUENCE,
     "^x-(?<session_hex>[0-9a-f]{16})-" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "zookeeper-recipes-lock: zoo_lock.c"},
    {"zookeeper-session", "ZooKeeper recipe, session in the name", FAMILY_SEQUENCE,
     "^candidate-(?:(?<session_dec>-?[0-9]{17,19})|(?:0x)?(?<session_hex>[0-9a-fA-F]{1,16}))_" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "the official recipe, with candidate-<session>_"},
    {"mesos", "Mesos master", FAMILY_SEQUENCE, "^(?:json\\.)?info_" SEQ, NULL, true,
     WATCHES_CHILDREN, MARK_NONE, NULL, "mesos: zookeeper/group.cpp"},
    {"accumulo", "Accumulo service lock", FAMILY_SEQUENCE, "^zlock#" UUID "#" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "accumulo: ServiceLock.java"},
    {"zk-ruby", "zk-ruby election", FAMILY_HYBRID, "^ballot" SEQ, NULL, true,
     WATCHES_PREDECESSOR, MARK_NODE, "leader_ack", "zk: election.rb"},
    {"zookeeper", "ZooKeeper recipe", FAMILY_SEQUENCE, "^n_" SEQ, "(?i)elect[^/]*$", true,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "ZooKeeper recipes and solutions: leader election"},
    {"zookeeper-support", "ZooKeeper LeaderElectionSupport (Java)", FAMILY_SEQUENCE, "^n_" SEQ, NULL, false,
     WATCHES_PREDECESSOR, MARK_NONE, NULL, "zookeeper-recipes-election: LeaderElectionSupport.java"},

    /* Looks like one. */
    {RECIPE_ANY_SEQUENCE, "sequential children", FAMILY_SEQUENCE, "^.*?(?<seq>[0-9]{10})$", NULL, false,
     WATCHES_UNKNOWN, MARK_NONE, NULL, "ZooKeeper: sequential znodes"},
    {RECIPE_ANY_LOCK, "ephemeral lock", FAMILY_LOCK, NULL, NULL, false,
     WATCHES_UNKNOWN, MARK_NONE, NULL, "ZooKeeper: ephemeral znodes"},
};
/* clang-format on */

const size_t recipe_table_count = sizeof recipe_table / sizeof recipe_table[0];
