#include "probe/election/finding.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"

/* Severity is the usual one: a diagnosis may know better, as its meaning says. */
static const struct finding_kind kinds[FINDING_COUNT] = {
    [FINDING_NO_LEADER] =
        {
            .word = "no-leader",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "This election has had no candidate for longer than allowed: the leader's work is not done.",
            .looks =
                "The directory exists and has no candidate (a lock: its znode does not exist) for "
                "longer than allow.vacancy. A directory that went after its last leader expired or "
                "was evicted counts for a day, as a suspicion where no server shows how that leader "
                "went, and without end where its path is named: then also if it never existed. Where the "
                "path is not named, no member is registered beside it, and the last leader resigned or ended "
                "its session, it may be over: then "
                "it is suspected. So it is where nobody tells how the leader went, if it led for less than a "
                "minute, or the election was without a leader before; where another session deleted its "
                "candidate and its directory, "
                "if it led for less than a minute; and while what lies in its place was "
                "made or written to lately, as a lease is.",
            .advice = "check the clients: are they running, can they reach ZooKeeper, why do they not join?",
        },
    [FINDING_NEVER_WAKES] =
        {
            .word = "never-wakes",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "It is first in line, but it watched nothing when it became first, so it was not "
                "notified, or it did nothing then. Most likely it does not know that it should "
                "lead, and there is no leader. A mere note says that it may not be allowed to learn it.",
            .looks =
                "It was proved to watch nothing (no-watch, watch-self or watch-on-deleted, certain) "
                "before its predecessor left, now or in a recording. The first candidate needs no watch, "
                "so it has looked healthy since then. So does an orphan (duplicate-session) whose "
                "client waited for it, once that client has deleted the znode that it knew. Of one that was "
                "first when it was found: on the connection on which it created its candidate, its client "
                "has never had a data watch, and in 10 seconds made fewer requests than it needs to learn "
                "that it "
                "is first: three where a log shows that another one was lost since, else two. Of one that "
                "was seen to wait: its layout's clients list the candidates when they are notified, and it "
                "has made no request since the leader's end. A mere note: the directory's ACL was set after "
                "it "
                "had joined, as its Stat counts (aversion).",
            .advice = "restart that client: its successor then takes over. If it does lead, clear this "
                      "finding with c in the list of findings",
        },
    [FINDING_NO_WATCH] =
        {
            .word = "no-watch",
            .severity = SEVERITY_ERROR,
            .meaning =
                "It waits in line but watches nothing: when its predecessor leaves, it is not notified, and "
                "the line stops there. Critical for the second in line: the next failover stops.",
            .looks = "Its session is connected. In two polls, its server lists no watch of it on a "
                     "candidate, on the directory or above, and nothing changed between the polls.",
            .advice = "restart that client: nothing else will notify it",
            .source = "kazoo pull request 170, go-zookeeper issue 83",
        },
    [FINDING_WATCH_ON_DELETED] =
        {
            .word = "watch-on-deleted",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "It watches only a znode that no longer exists. That watch fires when the znode is created "
                "again, which never happens: sequence numbers are not reused.",
            .looks =
                "Its only watch in the directory is on a znode that does not exist: an exists watch, set "
                "after the znode was deleted.",
            .advice = "restart that client: nothing else will notify it",
            .source = "shayhatsor/zookeeper issue 26",
        },
    [FINDING_WATCH_SELF] =
        {
            .word = "watch-self",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "It watches its own znode instead of its predecessor: it is notified only when its own znode "
                "is deleted.",
            .looks = "Its only watch in the directory is on its own znode.",
            .advice = "restart that client, and fix how it chooses the znode to watch",
        },
    [FINDING_WRONG_PREDECESSOR] =
        {
            .word = "wrong-predecessor",
            .severity = SEVERITY_ERROR,
            .meaning =
                "It watches a candidate that is not its predecessor. It sorts the line differently, or acts "
                "on an old list: two leaders are possible.",
            .looks =
                "Its watch is on another live candidate, and none is on its predecessor by sequence number.",
            .advice = "check how that client sorts: by the sequence number, never by the whole name",
            .source = "ZOOKEEPER-2931, Netflix/curator issue 115",
        },
    [FINDING_WATCH_EATEN] =
        {
            .word = "watch-eaten",
            .severity = SEVERITY_ERROR,
            .meaning = "Its watch fired because the data of its predecessor was written. Clients that wait "
                       "for a deletion do not set the watch again.",
            .looks =
                "Its server lists the session with an empty list of watches (it had one, and it fired), and "
                "the data of its predecessor was changed after it joined.",
            .advice = "restart that client, and find out what writes to candidates",
        },
    [FINDING_ORPHAN_READER] =
        {
            .word = "orphan-reader",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "A reader of a read-write lock waits for a writer that no longer exists, or is not notified "
                "when the writer ahead of it leaves: it waits forever.",
            .looks =
                "A writer is ahead of the reader, and the reader's session watches none of the writers "
                "ahead of it; or its only watch is on a writer that does not exist or is behind it. Where no "
                "writer is ahead of it, a watch on one behind it, which waits for it, is a suspicion.",
            .advice = "restart that client: nothing else will notify it",
            .source = "kazoo 2.8",
        },
    [FINDING_HERD] =
        {
            .word = "herd",
            .severity = SEVERITY_WARNING,
            .meaning =
                "Several candidates watch the same one: when it leaves, all are notified at once, and all "
                "read the directory at the same moment. Where the whole line watches the first, "
                "whatever else it watches, it is the client's design (info), and of three and more, none is "
                "a wrong-predecessor.",
            .looks =
                "The owners of two or more candidates have a watch on one candidate. An owner that watches "
                "its own predecessor as well does not count.",
            .advice = "let each candidate watch only its predecessor",
            .source = "ZooKeeper's recipe for leader election",
        },
    [FINDING_WATCHER_WITHOUT_CANDIDATE] =
        {
            .word = "watcher-without-candidate",
            .severity = SEVERITY_INFO,
            .meaning = "A session watches a candidate but owns none. A warning if the session or its client "
                       "had a candidate here before: it may have lost its znode and wait forever.",
            .looks =
                "A watch on a candidate that is not the leader, by a session that owns no candidate here.",
            .advice =
                "see in its log whether it stands here, and lost its znode when its session expired: only "
                "then restart it",
            .source = "CURATOR-346, zkElection",
        },
    [FINDING_EXTRA_WATCHES] =
        {
            .word = "extra-watches",
            .severity = SEVERITY_INFO,
            .meaning = "One session watches more candidates than it needs: it gets needless notifications, "
                       "and unused watches add up.",
            .looks = "One session has watches on more candidates than it owns.",
            .advice = "look for watches that this client sets and does not remove",
            .source = "CURATOR-478",
        },
    [FINDING_PERSISTENT_CANDIDATE] =
        {
            .word = "persistent-candidate",
            .severity = SEVERITY_ERROR,
            .meaning =
                "A candidate belongs to no session, so it stays when its client dies. Critical if it is "
                "first: then it leads forever.",
            .looks = "A znode of the candidates' pattern with ephemeralOwner 0. Suspected in its first 35 "
                     "seconds, as a TTL "
                     "znode is one until its member writes to it; if it has children: it may be a member's "
                     "directory, with "
                     "an ephemeral znode in it that shows whether it lives; and with kazoo's names, unless "
                     "kind: is "
                     "configured, as a kazoo lock may be made to outlive its session; and where no candidate "
                     "has a session, and others watch them, as tickets and TTL znodes, or their layout is "
                     "unknown, as a queue's is. A warning, suspected, "
                     "while it is "
                     "written to as often as before. Where a lock's znode should be, suspected if nobody saw "
                     "that place free "
                     "before; nothing if its data names Kafka's controller in KRaft.",
            .advice = "if no client needs it, delete it by hand",
        },
    [FINDING_DUPLICATE_SESSION] =
        {
            .word = "duplicate-session",
            .severity = SEVERITY_INFO,
            .meaning =
                "One session has several candidates. Threads that share a session may have several. If two "
                "have the same GUID or identity, one is left over from a create that was sent twice (error). "
                "If the leftover is first, there may be no leader (critical).",
            .looks = "The same ephemeralOwner on two or more candidates.",
            .advice =
                "see in its log whether it knows of both znodes: if of one only, restart it, and both are "
                "deleted with its session",
            .source = "CURATOR-264, CURATOR-202, samuel/go-zookeeper issue 229",
        },
    [FINDING_DUPLICATE_IDENTITY] =
        {
            .word = "duplicate-identity",
            .severity = SEVERITY_WARNING,
            .meaning =
                "Two sessions have candidates with the same identity: most likely a client was restarted "
                "and its old session has not expired yet.",
            .looks =
                "The same identity in the data or names of candidates of different sessions; an address "
                "alone is not an identity. Certain where one of them is silent since before the other "
                "joined, and for nine tenths of its timeout, or lost its connection, elsewhere for as long, "
                "as the earlier session of a restarted client: of a host with a port, or a GUID, anywhere, "
                "of other data at one address; suspected if both clients were heard after the later one had "
                "joined: then two processes write it. Suspected of a plain word, such as standby, of a name "
                "that all write, and of 1@app, which copies of a container share. A note while all live at "
                "one "
                "address, as one process with two sessions, or write what names no process: a version, a "
                "zone, a time. Data is read again before this is certain, and once a minute after that.",
            .advice =
                "wait until the old session expires; if both stay, two clients have the same configuration",
            .source = "dCache issue 5475",
        },
    [FINDING_GHOST_EPHEMERAL] =
        {
            .word = "ghost-ephemeral",
            .severity = SEVERITY_CRITICAL,
            .meaning = "The session of this candidate has ended, but its znode still exists: nothing will "
                       "remove it.",
            .looks =
                "Twice, ephemeralOwner is not among the sessions of ZooKeeper's leader, and a read after a "
                "sync still shows the znode. It is certain once that server has heard from electop's own "
                "session after the read: this proves that the server was the leader.",
            .advice = "this is a server fault: compare the znode on each server before you delete it",
            .source = "ZOOKEEPER-2355",
        },
    [FINDING_OWNER_DISCONNECTED] =
        {
            .word = "owner-disconnected",
            .severity = SEVERITY_WARNING,
            .meaning = "The session of this candidate is alive, but no server has a connection from it: it "
                       "will reconnect or expire. An error for the leader; critical where it had none when "
                       "the leader before it was lost: nobody told it that it is first.",
            .looks =
                "Its znode exists, but twice no server's connection list shows its session. Servers are "
                "polled one after the other, so all of them may miss a client that moves to another server. "
                "It is certain if ZooKeeper's leader did not hear from it in that time either: its dump "
                "shows when sessions end. Where that leader hears sessions that no list shows, a server is "
                "not known, and nothing is certain. Where four-letter words list fewer connections than the "
                "server counts, it must not have been heard for half of its timeout: they list those of one "
                "port, and a server may have another for TLS.",
            .advice = "check that client and its network: it must reconnect, or it loses its place",
            .source = "CURATOR-396",
        },
    [FINDING_LEADER_SILENT] =
        {
            .word = "leader-silent",
            .severity = SEVERITY_WARNING,
            .meaning =
                "The leader has been silent for most of its session timeout. Clients ping every third of it, "
                "so this client is paused (garbage collection, swapping) or cut off. An error when little of "
                "the timeout is left; critical if it was not heard since it followed a lost leader: perhaps "
                "it does not know.",
            .looks = "The time of the last response on the leader's connection, by that server's clock.",
            .advice = "expect a failover; check that client for pauses, and check its network",
            .source = "Curator tech note 10",
        },
    [FINDING_NEVER_ACKNOWLEDGED] =
        {
            .word = "never-acknowledged",
            .severity = SEVERITY_CRITICAL,
            .meaning = "The first in line has not written its acknowledgement, which a leader of this layout "
                       "does first. It probably hangs during the takeover.",
            .looks =
                "It has been first for longer than allow.failover, and the acknowledgement does not exist. "
                "Suspected if it has written some of several acknowledgements, and for three minutes in a "
                "shard of Solr (leaderVoteWait) and of zk-ruby (its callbacks come first). A warning, "
                "suspected, if another session entered itself in "
                "the registry since then: it may have done so for it.",
            .advice = "check that application's log: it is first in line but does not take over",
            .source = "pgconsul pull request 196",
        },
    [FINDING_ACKNOWLEDGEMENT_MISMATCH] =
        {
            .word = "acknowledgement-mismatch",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "The acknowledgement names another leader than the first in line: it is stale, or there "
                "are two leaders.",
            .looks = "The owner or the data of the acknowledgement does not match the first candidate.",
            .advice = "find out who acts as leader; make sure that only one does",
            .source = "SOLR-18301",
        },
    [FINDING_SPLIT_BRAIN] =
        {
            .word = "split-brain",
            .severity = SEVERITY_CRITICAL,
            .meaning = "Two sessions take the acknowledgement from each other: both clients act as leader.",
            .looks = "While one candidate is first, the acknowledgement's ephemeralOwner changes from one "
                     "session to another and back, at least twice within 30 s. Certain if both own a "
                     "candidate, or are of two addresses, and do not write the same identity: one client may "
                     "have two sessions, or an agent that writes for it.",
            .advice = "stop the client whose session does not own the first candidate: the other one leads",
            .source = "Flink 2.1 after a restart of its ZooKeeper server",
        },
    [FINDING_STALE_LOCK] =
        {
            .word = "stale-lock",
            .severity = SEVERITY_ERROR,
            .meaning =
                "The lock still belongs to an earlier session of its holder: it is deleted when that session "
                "expires, although the holder believes that it owns the lock.",
            .looks =
                "The identity in the lock's data belongs to another session than ephemeralOwner. Certain if "
                "that session lives at the owner's address, the owner has no connection, and the data was "
                "written after the lock had been created; nothing if it lives at another address, as the "
                "lock may be held for it, or if it was not made as ZooKeeper makes them: an application may "
                "have sessions of its own.",
            .advice = "expect the lock to be deleted when the old session ends; a client then takes it again",
            .source = "kafka pull request 2175",
        },
    [FINDING_DOUBLE_LEADER_RISK] =
        {
            .word = "double-leader-risk",
            .severity = SEVERITY_ERROR,
            .meaning = "The former leader's session ended. Its client has a new session, but no candidate: "
                       "it may still believe that it leads. So may one whose znode another client deleted, "
                       "and whose session lives on.",
            .looks = "A new session from the former leader's address, which had only one session before. The "
                     "new session owns no candidate. Or, 10 s after its znode was deleted, the former "
                     "leader's session still owns none, and watches nothing in the election.",
            .advice = "check whether that application still acts as leader; if it does, stop or fence it",
            .source = "CURATOR-696, CURATOR-653",
        },
    [FINDING_DOUBLE_LEADER] =
        {
            .word = "double-leader",
            .severity = SEVERITY_ERROR,
            .meaning = "A former leader could believe that it led while its successor did already.",
            .looks =
                "A capture: the successor reacted to the end of the leader's znode before the former "
                "leader was told that its session is over, unless that one had asked for nothing since it "
                "became first. Or another session had deleted that znode, and "
                "the former leader, which no packet told, still wrote what it wrote only since it led: "
                "certain if its successor writes that, too.",
            .advice =
                "fence the former leader in what it writes to; stop work when the connection is lost, not "
                "when the session is",
            .source = "CURATOR-696, CURATOR-653",
        },
    [FINDING_SLOW_REACTION] =
        {
            .word = "slow-reaction",
            .severity = SEVERITY_WARNING,
            .meaning =
                "A candidate was notified and did nothing: the pause is its client's, not ZooKeeper's.",
            .looks =
                "A capture: the server sent the notification, and no request of that client followed within "
                "2 s.",
            .advice =
                "look at that client: a pause for garbage collection, a stopped process, a blocked thread",
        },
    [FINDING_FLAPPING] =
        {
            .word = "flapping",
            .severity = SEVERITY_ERROR,
            .meaning = "The leader changes more often than allowed.",
            .looks =
                "More changes of the first candidate within the window than allow.leader_changes permits. "
                "Only worth knowing if the others were no more than allowed: those in which the leader's "
                "client gave the leadership up and lives on, or closed its session and is back, each "
                "client once, as in a rolling restart (a new process may come up to a minute before the "
                "old one closes). Certain if more than half of the leaders expired, "
                "except those that did so once and stand again; otherwise it may be planned, as drills, "
                "jobs that end, and deployments are.",
            .advice =
                "find out how the leaders end, in their clients' logs: restarts, pauses, network; a longer "
                "session timeout helps only where sessions expire",
            .source = "CURATOR-645",
        },
    [FINDING_SLOW_FAILOVER] =
        {
            .word = "slow-failover",
            .severity = SEVERITY_WARNING,
            .meaning = "The latest failover took longer than allowed.",
            .looks = "The time from the end of the leader's znode to the next acknowledgement (without one: "
                     "to the next first candidate) exceeds allow.failover. Not where a directory that was "
                     "found went meanwhile, unless the leader's session expired or another client deleted "
                     "its candidate.",
            .advice =
                "see which phase was long: the vacancy (no candidate), or the takeover by the new leader",
        },
    [FINDING_SESSION_TIMEOUT_LONG] =
        {
            .word = "session-timeout-long",
            .severity = SEVERITY_WARNING,
            .meaning = "The session timeout of candidates is so long that a dead leader is noticed late.",
            .looks = "The negotiated timeout in the connection list is above allow.session_timeout.",
            .advice = "set a shorter session timeout in the clients: a failover cannot begin before it has "
                      "passed",
            .source = "fluss issue 2708",
        },
    [FINDING_SESSION_TIMEOUT_SHORT] =
        {
            .word = "session-timeout-short",
            .severity = SEVERITY_WARNING,
            .meaning = "The session timeout of candidates is so short that a leader loses its place in an "
                       "ordinary pause.",
            .looks = "The negotiated timeout in the connection list is below allow.session_timeout.",
            .advice = "set a longer session timeout in the clients: pauses of a second are normal",
            .source = "fluss issue 2708",
        },
    [FINDING_SEQUENCE_NEAR_OVERFLOW] =
        {
            .word = "sequence-near-overflow",
            .severity = SEVERITY_WARNING,
            .meaning = "The sequence numbers of this directory are nearly used up. After 2147483647 the "
                       "server refuses new candidates or gives negative numbers.",
            .looks = "The next number, from the directory's cversion and number of children, is above 2^31 - "
                     "10^6.",
            .advice = "plan downtime: stop all candidates, delete the directory and let them create it again",
            .source = "kazoo issue 730",
        },
    [FINDING_SEQUENCE_OVERFLOWED] =
        {
            .word = "sequence-overflowed",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "The sequence numbers of this directory are used up: new candidates are refused, or sort "
                "before the leader.",
            .looks =
                "A candidate with a negative number that the server has given, or a next number that has "
                "reached 2147483647.",
            .advice = "stop all candidates, delete the directory and let them create it again",
            .source = "zookeeper pull request 421",
        },
    [FINDING_SEQUENCE_TIE] =
        {
            .word = "sequence-tie",
            .severity = SEVERITY_ERROR,
            .meaning = "Two candidates have the same number: each client may order them differently. Solr "
                       "creates such znodes on purpose, and so does a Curator client that takes a read lock "
                       "while it holds the write lock (info).",
            .looks =
                "Two names in one directory end in the same number; nothing if a number of an unknown layout "
                "is one that the server has not given yet, as members then choose theirs.",
            .advice = "find out which client created the second one, and restart it",
        },
    [FINDING_FOREIGN_CHILD] =
        {
            .word = "foreign-child",
            .severity = SEVERITY_INFO,
            .meaning = "The directory contains a child that is not a candidate. Some clients read the number "
                       "in every name and crash on such a child (a suspected warning where the names may be "
                       "theirs), and some wait for it. Critical if the first in line watches it: most "
                       "likely there is no leader.",
            .looks =
                "A child that does not fit the pattern of its siblings. The first in line waits for it if "
                "it watches it, it has a lower number, and the client has no such znode.",
            .advice = "find out whose it is, and remove it if nobody needs it: a directory of candidates "
                      "should hold nothing else",
            .source = "kazoo issue 309",
        },
    [FINDING_ELECTION_GONE] =
        {
            .word = "election-gone",
            .severity = SEVERITY_CRITICAL,
            .meaning = "The directory of the election was deleted while its candidates were connected: they "
                       "lost their places, and some clients never create it again.",
            .looks = "The path does not exist, and sessions that had a candidate in it are still connected. "
                     "Certain if you named the path and they lost their candidates with it: an election that "
                     "was found may have served one job, and be deleted with it. Not if it was found or is a "
                     "lock, and nobody stood in it any more; nor if it was found, lasted less than half a "
                     "minute, and had one candidate.",
            .advice = "find out who deleted it; see in the clients' logs whether they still stand there, and "
                      "restart those that do",
            .source = "CURATOR-724",
        },
    [FINDING_NO_GUID] =
        {
            .word = "no-guid",
            .severity = SEVERITY_INFO,
            .meaning =
                "The candidates' names do not show which client created them. When a connection is lost "
                "during a create, the client cannot find its znode again, and a second create leaves the "
                "first znode behind.",
            .looks = "Sequential names without a GUID or a session.",
            .advice = "use a protected create (a GUID in the name), as Curator and kazoo do",
            .source = "Netflix/curator issue 3",
        },
    [FINDING_REPLICA_DIVERGENCE] =
        {
            .word = "replica-divergence",
            .severity = SEVERITY_CRITICAL,
            .meaning =
                "The servers of the ensemble hold different data: what a client sees depends on where it "
                "is connected.",
            .looks =
                "The election's own znode is read from each server separately after a sync, three times: one "
                "shows less than another had shown before. Two reads make it suspected. The dashboard and "
                "`electop events` compare once a minute, `electop once` and `electop check` at once: certain "
                "with `--wait 20s`.",
            .advice = "stop the server that differs, remove its data and let it copy everything again",
            .source = "ZOOKEEPER-5010",
        },
    [FINDING_BAD_REPLY] =
        {
            .word = "bad-reply",
            .severity = SEVERITY_ERROR,
            .meaning =
                "A server sent a reply that is not a ZooKeeper reply. electop did not read it and closed the "
                "connection; other replies from that server may be wrong, too.",
            .looks = "A frame whose length, header, counts or strings cannot be right, or that answers no "
                     "request. It is shown until ten minutes after the latest one.",
            .advice = "check any proxy or load balancer in between, then that server's log; restart the "
                      "server if other clients lose their connections, too",
        },
    [FINDING_UNSEEN_CHANGES] =
        {
            .word = "unseen-changes",
            .severity = SEVERITY_INFO,
            .meaning = "Candidates joined or left between two reads, so electop did not see them. Its "
                       "history of the election lacks these changes; it knows how many they are.",
            .looks = "The directory's cversion grew by more than the changes that were seen.",
            .advice = "nothing is wrong with the election; if candidates leave soon after they join, check "
                      "the clients",
        },
};

const struct finding_kind *finding_kind(enum finding_code code)
{
    return &kinds[code];
}

enum finding_code finding_code_of(const char *word)
{
    unsigned code = 0;
    while (code < FINDING_COUNT && strcmp(kinds[code].word, word) != 0)
        code++;
    return (enum finding_code)code;
}

const char *severity_word(enum severity severity)
{
    static const char *const words[] = {"info", "warning", "error", "critical"};
    return words[severity];
}

const char *certainty_word(enum certainty certainty)
{
    return certainty == CERTAINTY_CERTAIN ? "certain" : "suspected";
}

enum severity severity_find(const char *word)
{
    enum severity severity = SEVERITY_CRITICAL;
    while (severity > SEVERITY_INFO && (!word || strcmp(severity_word(severity), word) != 0))
        severity--;
    return severity;
}

enum certainty certainty_find(const char *word)
{
    bool certain = word && strcmp(word, certainty_word(CERTAINTY_CERTAIN)) == 0;
    return certain ? CERTAINTY_CERTAIN : CERTAINTY_SUSPECTED;
}

void finding_copy(struct finding *to, const struct finding *from)
{
    *to = *from;
    to->evidence = text_copy(from->evidence);
    to->advice = text_copy(from->advice);
    to->candidates = xcalloc(from->candidate_count + 1, sizeof *to->candidates);
    for (size_t i = 0; i < from->candidate_count; i++)
        to->candidates[i] = text_copy(from->candidates[i]);
}

void finding_release(struct finding *finding)
{
    for (size_t i = 0; i < finding->candidate_count; i++)
        free(finding->candidates[i]);
    free(finding->candidates);
    free(finding->evidence);
    free(finding->advice);
    *finding = (struct finding){0};
}
