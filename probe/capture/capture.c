#include "probe/capture/capture.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/capture/coverage.h"
#include "probe/capture/ends.h"
#include "probe/capture/wire.h"
#include "probe/election/captured.h"
#include "probe/election/session_table.h"
#include "probe/transactions/logged_elections.h"
#include "probe/transactions/znode_tree.h"

/* Changes this close to each other are handed on together, up to a number, because each copy takes memory. */
#define TOGETHER_US INT64_C(10000)
#define TOGETHER_MOST 500
/* The model's time goes on at least so often; through a longer silence, in larger steps. */
#define TICK_US INT64_C(250000)
#define TICKS_MOST 400
#define SHOW_US INT64_C(1000000)
/* Enough for a connection to have shown what it is; those of four-letter words are none of sessions. */
#define FOREIGN_PACKETS 20
#define FOREIGN_US INT64_C(5000000)
#define TOLD_MOST 8
/* For this long after a notification, the client's requests are counted and the answers timed. */
#define TIMED_US INT64_C(1000000)
/* All watchers of a directory are notified of one change within this time, and before its request is answered. */
#define BURST_US INT64_C(50000)
/* What a candidate writes is shown so often. */
#define WROTE_US INT64_C(1000000)
/* Sessions are looked through for those that are over. */
#define SWEEP_US INT64_C(60000000)
/* Bytes of znodes that are kept, and of sessions: a capture may be endless. */
#define ZNODES_MOST ((size_t)6 << 20)
#define FORGOTTEN_US INT64_C(600000000)
/* A list of no more names than this may turn out to be one of candidates. */
#define LIST_KEPT 64
/* Every client has sent something within this time: a third of its timeout, which is assumed to be 90 s at most. */
#define PINGED_US INT64_C(30000000)

/* One connection's state. */
struct capture_client {
    struct wire_client *client;
    struct capture_client *next, **link; /* of all that are open */
    size_t source;                       /* the capture that it was seen in first, or that goes on with it */
    char *told[TOLD_MOST]; /* changes that it was notified of together, as far as they are timed */
    size_t told_count;
    int64_t told_us, slowest_us; /* the latest of them; the slowest answer since */
    int requests;                /* ... and its requests since; 0: it has not reacted */
    int64_t wrote_us;            /* its latest write that was shown */
};

/* One of the captures. Tied: its packets are known to be recent. */
struct capture_source {
    const char *server; /* its name as given; NULL: that of the packets */
    int64_t began_us;   /* its first packet, or the first since some were missing; 0: none came yet */
    bool tied, doubted; /* ... and packets of it may be missing */
    int64_t quiet_us;   /* as of capture_quiet_us(), when it ended */
};

/* The change with the highest transaction number. */
struct newest {
    int64_t zxid, at_us; /* when it was answered */
    size_t source;
    char server[TCP_END_TEXT];
};

/* The latest list of a directory of which nothing else was known. */
struct unread_list {
    char *path; /* NULL: none */
    char *names[LIST_KEPT];
    size_t count;
    int64_t zxid;
};

struct capture {
    struct model *model;
    struct capture_query query;
    struct capture_sink sink;
    struct wire *wire;
    struct znode_tree *tree;
    struct logged_elections *elections;
    struct moment now;
    int64_t fact_us; /* of the present fact's packet: earlier, where that waited for others, or was late */
    int64_t ticked_us, swept_us, shown_us;
    int64_t unreported_us; /* the first change that was not handed on; 0: none */
    size_t unreported;     /* changes since */
    int64_t zxid;          /* the latest that any reply bore */
    size_t election_count; /* when the sessions were last shown */
    bool started, showing, sessions_changed;
    bool foreign; /* none of its packets is of ZooKeeper */
    struct capture_source sources[CAPTURES_MOST];
    size_t source; /* of the present packet */
    struct coverage coverage;
    struct ends *ends;
    struct capture_limits limits;
    struct newest newest;
    char *mixed; /* of limits */
    struct unread_list list;
    struct capture_client *clients, **clients_end; /* the oldest first */
    /* Beside a live cluster. */
    struct moment add;
    capture_name_fn name_of;
    void *name_context;
};

/* ---- reporting ---- */

static struct moment capture_moment(const struct capture *k, int64_t at_us)
{
    return (struct moment){at_us + k->add.mono_us, at_us + k->add.wall_us};
}

static const struct capture_source *capture_source_of(const struct capture *k,
                                                      const struct wire_client *client)
{
    const struct capture_client *own = client->user;
    return &k->sources[own ? own->source : k->source];
}

/* The name of its server; NULL: it is no server of the live cluster. A capture may hold what clients on its host say to
 * other servers. */
static const char *capture_server_of(const struct capture *k, const struct wire_client *client)
{
    const char *named = capture_source_of(k, client)->server;
    if (!k->name_of)
        return named ? named : client->server;
    const char *known = k->name_of(k->name_context, client->server, named != NULL);
    return known || !named ? known : k->name_of(k->name_context, named, false);
}

/* A capture that comes beside others begins with older packets than theirs. */
static bool is_old(const struct capture *k, const struct capture_source *source)
{
    return k->showing && !source->tied && !source->doubted;
}

static void note_unreported(struct capture *k)
{
    if (k->unreported_us == 0)
        k->unreported_us = k->now.mono_us;
    k->unreported++;
}

static void capture_fact(struct capture *k, struct logged_fact fact)
{
    if (!k->showing || !k->sink.fact)
        return;
    fact.at = k->now;
    fact.zxid = k->zxid;
    k->sink.fact(k->sink.context, &fact);
    note_unreported(k);
}

/* Is a watch on this path one on an election, on its children, or on its ancestors? */
static bool concerns_elections(const struct capture *k, const struct captured_watch *watch)
{
    const struct cluster *cluster = &k->model->clusters[0];
    size_t length = strlen(watch->path), above = length;
    while (above > 1 && watch->path[above - 1] != '/')
        above--;
    if (cluster_election(cluster, watch->path, length) ||
        cluster_election(cluster, watch->path, above > 1 ? above - 1 : above))
        return true;
    if (watch->kind != WATCH_RECURSIVE && strstr(watch->path, "/electop-observer") == NULL)
        return false;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const char *path = cluster->elections[i]->path;
        if (length == 1 || (strncmp(path, watch->path, length) == 0 && path[length] == '/'))
            return true;
    }
    return watch->kind != WATCH_RECURSIVE;
}

static void show_client(struct capture *k, const struct wire_client *client, enum captured_step step,
                        uint64_t session, const char *path)
{
    const struct capture_client *own = client->user;
    struct observation o = {.kind = OBSERVED_CAPTURED,
                            .at = capture_moment(k, step == CAPTURED_STATE ? k->now.mono_us : k->fact_us),
                            .path = path};
    const struct capture_source *source = capture_source_of(k, client);
    struct captured_watch *watches = xmalloc((client->watch_count + 1) * sizeof *watches);
    size_t count = 0;
    for (size_t i = 0; step < CAPTURED_ANSWERED && i < client->watch_count; i++)
        if (concerns_elections(k, &client->watches[i])) {
            watches[count] = client->watches[i];
            watches[count++].since_us += k->add.mono_us;
        }
    o.captured = (struct observed_captured){
        .step = step,
        .address = capture_server_of(k, client),
        .session = session,
        .client = client->address,
        .timeout_ms = client->timeout_ms,
        .connected = client->ended_us == 0 && step != CAPTURED_OVER,
        .watches_known = client->watches_known && source->tied && client->heard_us >= source->began_us,
        .watches = watches,
        .count = count,
        .heard_us = capture_moment(k, client->heard_us).mono_us,
        .asked_us = client->asked_us ? client->asked_us + k->add.mono_us : 0,
        .requests = step == CAPTURED_ANSWERED ? own->requests : 0,
        .slowest_us = step == CAPTURED_ANSWERED ? own->slowest_us : 0};
    if (client->heard_us == 0)
        o.captured.heard_us = 0;
    bool kept = session != 0 && (!znode_tree_is_full(k->tree) || znode_tree_session(k->tree, session));
    if (kept && !k->name_of &&
        !coverage_server(&k->coverage, (size_t)(source - k->sources), o.captured.address)) {
        k->limits.full = true;
        kept = false;
    }
    if (k->showing && kept && o.captured.address && !is_old(k, source))
        model_observe(k->model, &o);
    free(watches);
    note_unreported(k);
}

static struct logged_session *capture_session_of(const struct capture *k, const struct wire_client *client)
{
    return client->session ? znode_tree_session(k->tree, client->session) : NULL;
}

/* In one order, whatever the table's: what follows may depend on it. */
static void show_unshown(struct capture *k)
{
    for (const struct capture_client *one = k->clients; one; one = one->next) {
        struct logged_session *session = capture_session_of(k, one->client);
        if (session && session->connection == one->client && !session->shown) {
            session->shown = true;
            show_client(k, one->client, CAPTURED_STATE, session->id, NULL);
        }
    }
}

static void unshow_session(void *context, struct logged_session *session)
{
    (void)context;
    session->shown = false;
}

/* A new election makes other watches interesting. */
static void show_sessions(struct capture *k)
{
    size_t elections = k->model->clusters[0].election_count;
    if (elections != k->election_count)
        znode_tree_each_session(k->tree, unshow_session, NULL);
    if (k->showing && (k->sessions_changed || elections != k->election_count))
        show_unshown(k);
    k->election_count = elections;
    k->sessions_changed = false;
}

static void session_changed(struct capture *k, struct logged_session *session)
{
    if (session)
        session->shown = false;
    k->sessions_changed = true;
    note_unreported(k);
}

void capture_settle(struct capture *k)
{
    if (logged_elections_settle(k->elections, k->now))
        note_unreported(k);
    show_sessions(k);
    if (k->unreported_us == 0)
        return;
    k->unreported_us = 0;
    k->unreported = 0;
    if (k->showing && k->sink.changed)
        k->sink.changed(k->sink.context);
}

/* ---- time ---- */

static void show_limits(struct capture *k)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = k->now};
    o.connection = (struct observed_connection){
        .state = CONNECTION_CONNECTED,
        .problem = k->limits.encrypted ? "connections in TLS show nothing: capture the plain port"
                   : k->foreign ? "no packet is of ZooKeeper's protocol: capture the servers' client port"
                                : "a capture shows nothing from before it began"};
    if (k->showing && !k->query.beside)
        model_observe(k->model, &o);
}

static void capture_begin(struct capture *k)
{
    if (k->showing || k->query.beside || k->now.wall_us < k->query.from_us)
        return;
    k->showing = true;
    show_limits(k);
    logged_elections_show(k->elections, k->now);
    znode_tree_each_session(k->tree, unshow_session, NULL);
    k->sessions_changed = true;
    note_unreported(k);
}

/* What a candidate's session does not watch is shown again, so that it is known to last. */
static void show_again(void *context, struct logged_session *session)
{
    struct capture *k = context;
    if (session->owned && session->connection)
        session_changed(k, session);
}

/* The cluster's name for the server whose capture this is; NULL: it was not named. */
static const char *source_address(const struct capture *k, const struct capture_source *source)
{
    return source->server && k->name_of ? k->name_of(k->name_context, source->server, false) : NULL;
}

/* Whether all that is connected to this server is known: a connection that was open before shows itself when its client
 * pings. It may have been seen in another capture first, and one to an unknown address may be to this server. */
static bool shows_all(const struct capture *k, const char *address)
{
    for (const struct capture_client *one = k->clients; one; one = one->next) {
        bool known = one->client->watches_known || one->client->problem == WIRE_FOREIGN;
        const char *server = known ? NULL : capture_server_of(k, one->client);
        if (!known && (!server || strcmp(server, address) == 0))
            return false;
    }
    return true;
}

/* Two captures of one server show what both do. */
static void add_source(const struct capture *k, const char *address, struct observed_captured *shown)
{
    for (size_t i = 0; i < CAPTURES_MOST; i++) {
        const struct capture_source *source = &k->sources[i];
        const char *other = source_address(k, source);
        if (!other || strcmp(other, address) != 0)
            continue;
        shown->connected = shown->connected && source->tied;
        shown->watches_known =
            shown->watches_known && source->tied && k->now.mono_us - source->began_us >= PINGED_US;
    }
}

/* Beside a live cluster: which of its servers are captured. Only who named it knows that the file has all its packets,
 * and not only those of one client, or of our own session. */
static void show_servers(struct capture *k)
{
    for (size_t i = 0; k->query.beside && k->showing && i < CAPTURES_MOST; i++) {
        const char *address = source_address(k, &k->sources[i]);
        struct observation o = {.kind = OBSERVED_CAPTURED, .at = capture_moment(k, k->now.mono_us)};
        if (!address)
            continue;
        o.captured = (struct observed_captured){
            .address = address, .connected = true, .watches_known = shows_all(k, address)};
        add_source(k, address, &o.captured);
        model_observe(k->model, &o);
    }
}

static void judge_foreign(struct capture *k, bool over)
{
    const struct capture_limits *l = &k->limits;
    bool long_enough = over || k->now.mono_us - k->sources[k->source].began_us >= FOREIGN_US;
    if (k->foreign !=
        (l->packets > FOREIGN_PACKETS && l->sessions + l->late + l->encrypted == 0 && long_enough)) {
        k->foreign = !k->foreign;
        show_limits(k);
    }
}

static void capture_tick(struct capture *k, int64_t at_us)
{
    k->now = (struct moment){at_us, at_us};
    k->ticked_us = at_us;
    wire_pass(k->wire, at_us);
    judge_foreign(k, false);
    if (at_us - k->shown_us >= SHOW_US) {
        k->shown_us = at_us;
        znode_tree_each_session(k->tree, show_again, k);
        show_servers(k);
    }
    if (k->showing && !k->query.beside)
        model_observe(k->model, &(struct observation){.kind = OBSERVED_TICK, .at = k->now});
    note_unreported(k);
    capture_settle(k);
}

/* Advances the time to this moment, with the work that falls due until then. */
static void capture_go_on(struct capture *k, int64_t at_us)
{
    if (!k->started) {
        k->started = true;
        k->ticked_us = k->swept_us = at_us;
        k->now = (struct moment){at_us, at_us};
        capture_begin(k);
        return;
    }
    if (at_us <= k->now.mono_us)
        return;
    if (k->unreported_us != 0 && at_us - k->unreported_us >= TOGETHER_US)
        capture_settle(k);
    int64_t step_us = (at_us - k->ticked_us) / TICKS_MOST;
    step_us = step_us > TICK_US ? step_us : TICK_US;
    for (int64_t next_us = k->ticked_us + step_us; next_us <= at_us; next_us += step_us)
        capture_tick(k, next_us);
    k->now = (struct moment){at_us, at_us};
    capture_begin(k);
}

void capture_pass(struct capture *k, int64_t wall_us)
{
    int64_t at_us = wall_us < k->query.to_us ? wall_us : k->query.to_us;
    if (k->started && at_us > k->now.mono_us)
        capture_go_on(k, at_us);
    capture_settle(k);
}

/* ---- the ends of znodes ---- */

/* The live session sees that it is gone; only packets show why. */
static void show_end(struct capture *k, const char *path, const struct observed_transaction *deed)
{
    struct observation o = {
        .kind = OBSERVED_TRANSACTION, .at = capture_moment(k, k->now.mono_us), .path = path};
    o.transaction = *deed;
    o.transaction.heard_us += deed->heard_us ? k->add.mono_us : 0;
    o.transaction.gone_us += deed->gone_us ? k->add.mono_us : 0;
    if (k->showing && !is_old(k, &k->sources[k->source]) &&
        concerns_elections(k, &(struct captured_watch){.path = (char *)(uintptr_t)path}))
        model_observe(k->model, &o);
}

/* When it was notified that this directory changed, as far as that is timed; 0: it was not. */
static int64_t notified_of_us(const struct capture_client *own, const char *path)
{
    for (size_t i = 0; i < own->told_count; i++)
        if (strcmp(own->told[i], path) == 0)
            return own->told_us;
    return 0;
}

/* The first notification was sent when the child was deleted, unless another child had just been created, or had gone. */
static int64_t first_notified_us(const struct capture *k, const struct znode *directory, int64_t gone_us)
{
    int64_t first_us = gone_us, other_us = ends_before_us(k->ends, directory->path, k->now.mono_us);
    for (const struct capture_client *one = k->clients; one && directory->interests; one = one->next) {
        int64_t told_us = notified_of_us(one, directory->path);
        bool earlier = told_us >= gone_us - BURST_US && told_us > other_us && told_us < first_us;
        first_us = earlier ? told_us : first_us;
    }
    for (const struct znode *child = directory->children; child && first_us < gone_us; child = child->sibling)
        if (child->stat.ctime_ms * 1000 >= gone_us - 2 * BURST_US)
            return gone_us;
    return first_us;
}

static void znode_ends(struct capture *k, struct znode *node, const struct observed_transaction *deed)
{
    struct observed_transaction seen = *deed;
    const struct logged_session *session = node->session;
    if (seen.gone_us != 0 && node->parent)
        seen.gone_us = first_notified_us(k, node->parent, seen.gone_us);
    seen.czxid = node->stat.czxid;
    seen.captured = true;
    seen.zxid = k->zxid > seen.czxid ? k->zxid : seen.czxid + 1;
    seen.timeout_ms = session ? session->timeout_ms : 0;
    /* Beside a cluster each capture has a clock of its own. */
    bool apart = k->query.beside && session && session->active_source != ends_present_source(k->ends);
    seen.heard_us =
        ends_has_heard(k->ends, session) && !session->heard_about && !apart ? session->active_us : 0;
    if (deed->deed == DEED_DELETED && session)
        capture_fact(
            k, (struct logged_fact){
                   .kind = FACT_DELETED, .session = deed->session, .owner = session->id, .path = node->path});
    if (k->query.beside)
        show_end(k, node->path, &seen);
    else
        logged_elections_deleted(k->elections, node, &seen, k->now);
    ends_note(k->ends, node->path, node->stat.czxid, k->now.mono_us);
    /* Its directory has changed by then, and not later than the next list shows. */
    znode_tree_deleted(k->tree, node->path, node->path_length, seen.zxid);
    note_unreported(k);
}

/* One transaction ends a session and all its znodes. */
static void session_ends(struct capture *k, struct logged_session *session,
                         const struct observed_transaction *deed)
{
    struct observed_transaction seen = *deed;
    seen.session = session->id;
    if (session->owned && !deed->unproven)
        capture_fact(k, (struct logged_fact){.kind = deed->deed == DEED_EXPIRED ? FACT_SESSION_EXPIRED
                                                                                : FACT_SESSION_CLOSED,
                                             .session = session->id,
                                             .timeout_ms = session->timeout_ms,
                                             .began_us = session->began_ms * 1000});
    while (session->owned)
        znode_ends(k, session->owned, &seen);
}

static void on_end(void *context, struct znode *node, const struct observed_transaction *deed)
{
    if (deed->deed == DEED_CLOSED || deed->deed == DEED_EXPIRED)
        session_ends(context, node->session, deed);
    else
        znode_ends(context, node, deed);
}

static void on_explained(void *context, const char *path, const struct observed_transaction *deed)
{
    const struct capture *k = context;
    struct observed_transaction seen = *deed;
    seen.captured = true;
    seen.zxid = k->zxid > seen.czxid ? k->zxid : seen.czxid + 1;
    show_end(context, path, &seen);
    note_unreported(context);
}

static void hear(struct logged_session *session, const struct wire_client *client)
{
    if (!session || client->heard_us < session->active_us)
        return;
    session->active_us = client->heard_us;
    session->active_source = ((const struct capture_client *)client->user)->source;
    session->heard_about = client->heard_about;
}

/* Its client may have sent pings since the latest other fact, on any connection. */
static void hear_connections(void *context, struct logged_session *session)
{
    const struct capture *k = context;
    for (const struct capture_client *one = k->clients; one; one = one->next)
        if (one->client->session == session->id)
            hear(session, one->client);
}

/* ---- what clients ask and are answered ---- */

/* What a candidate's session writes, and of a leader's whatever may show it that its znode is gone. */
static void show_candidate_deed(struct capture *k, struct wire_client *client, enum captured_step step,
                                const struct wire_fact *fact)
{
    struct capture_client *own = client->user;
    enum captured_stand stand = captured_stands(&k->model->clusters[0], client->session);
    if (step == CAPTURED_WROTE) {
        bool often = stand != STANDS_LOST && fact->asked_us - own->wrote_us < WROTE_US;
        if (stand == STANDS_NOT || often)
            return;
        k->fact_us = own->wrote_us = fact->asked_us;
    } else if (stand < STANDS_FIRST) {
        return;
    }
    show_client(k, client, step, client->session, fact->path);
}

/* The transaction of a change, as a log would hold it. */
static struct transaction change_of(const struct capture *k, const struct wire_client *client,
                                    const struct wire_fact *fact)
{
    return (struct transaction){.session = client->session,
                                .zxid = fact->zxid > 0 ? fact->zxid : k->zxid,
                                .time_ms = k->fact_us / 1000};
}

static void note_change(struct capture *k, const char *path, struct znode *node, bool created)
{
    k->limits.full = k->limits.full || znode_tree_is_full(k->tree);
    if (node)
        logged_elections_changed(k->elections, node, created);
    else
        logged_elections_left_out(k->elections, path);
}

static void on_created(struct capture *k, const struct wire_client *client, const struct wire_fact *fact)
{
    struct transaction t = change_of(k, client, fact);
    struct znode_change change = {.kind = CHANGE_CREATED,
                                  .path = fact->path,
                                  .path_length = strlen(fact->path),
                                  .data = fact->data,
                                  .data_length = fact->data_length,
                                  .sort = fact->ephemeral ? ZNODE_EPHEMERAL : ZNODE_PERSISTENT,
                                  .creations = -1};
    struct znode *node;
    ends_forget_asked(k->ends, fact->path);
    logged_elections_examine(k->elections, &change, k->now);
    if (fact->ephemeral && client->session == 0) {
        node = znode_tree_named(k->tree, fact->path); /* its owner is not known */
        if (node)
            node->stat.czxid = t.zxid;
    } else {
        node = znode_tree_created(k->tree, &t, &change);
    }
    note_change(k, fact->path, node, true);
}

/* What was absent may exist, and the candidates are unknown, until a client reads them again. */
static void on_unseen(struct capture *k, const char *path)
{
    if (!path) {
        ends_doubt(k->ends, k->now.mono_us, false);
        logged_elections_unseen(k->elections);
        return;
    }
    struct znode *node = znode_tree_find(k->tree, path, strlen(path));
    ends_forget_asked(k->ends, path);
    if (node && !node->exists && node->listed) {
        node->listed = false;
        logged_elections_changed(k->elections, node, false);
    }
    struct znode *directory = znode_tree_find(k->tree, path, (size_t)(strrchr(path, '/') - path));
    if (!directory || !directory->listed)
        return;
    directory->listed = false;
    logged_elections_changed(k->elections, directory, false);
}

static void on_set(struct capture *k, const struct wire_client *client, const struct wire_fact *fact)
{
    struct transaction t = change_of(k, client, fact);
    struct znode *node = znode_tree_data(k->tree, &t,
                                         &(struct znode_change){.kind = CHANGE_DATA,
                                                                .path = fact->path,
                                                                .path_length = strlen(fact->path),
                                                                .data = fact->data,
                                                                .data_length = fact->data_length,
                                                                .version = fact->stat->version});
    note_change(k, fact->path, node, false);
}

static void list_again(struct capture *k, const char *path);

static void capture_on_read(struct capture *k, const struct wire_fact *fact)
{
    struct znode_change change = {
        .path = fact->path, .path_length = strlen(fact->path), .sort = ZNODE_EPHEMERAL};
    struct znode *before = znode_tree_find(k->tree, fact->path, change.path_length);
    bool there = before && before->exists, known = there && before->known;
    if ((known && before->stat.mzxid >= fact->stat->mzxid && (before->data_kept > 0 || !fact->has_data)) ||
        (!there && ends_was_seen(k->ends, fact->path, fact->stat->czxid, k->now.mono_us)))
        return;
    if (!known && owner_is_session(fact->stat->owner))
        logged_elections_examine(k->elections, &change, k->now);
    struct znode *node = znode_tree_read(k->tree, fact->path, fact->stat,
                                         fact->has_data && fact->data ? fact->data : NULL, fact->data_length);
    note_change(k, fact->path, node, !there);
    list_again(k, fact->path);
}

/* An answer from before its creation may come after that of another session. */
static void on_absent(struct capture *k, const char *path, int64_t zxid)
{
    struct znode *node = znode_tree_find(k->tree, path, strlen(path));
    if (node && node->exists && zxid > 0 && zxid < node->stat.czxid)
        return;
    if (node && !node->exists && !node->listed) {
        node->listed = true;
        logged_elections_changed(k->elections, node, false);
    }
    ends_vanishes(k->ends, path, k->fact_us, false);
}

/* ---- lists ---- */

static bool is_unlisted(const struct capture *k, const struct znode *child, char **names, size_t count,
                        int64_t zxid)
{
    const char *name = znode_name(child);
    return child->stat.czxid <= zxid && !ends_is_waiting(k->ends, child) &&
           !bsearch(&name, names, count, sizeof *names, text_compare);
}

/* What this client, which lists the directory now, was notified of: that its only missing child went. 0: it was not, or
 * there was another change since. */
static int64_t notified_of_end_us(const struct capture *k, const struct wire_client *client,
                                  const struct wire_fact *fact, const struct znode *directory, char **names)
{
    int64_t told_us = notified_of_us(client->user, directory->path);
    size_t missing = 0, kept = 0;
    for (const struct znode *child = directory->children; child; child = child->sibling) {
        bool gone = is_unlisted(k, child, names, fact->name_count, fact->zxid);
        missing += gone;
        kept += !gone;
        if (child->stat.ctime_ms * 1000 > told_us)
            return 0;
    }
    return missing == 1 && kept == fact->name_count && fact->asked_us >= told_us ? told_us : 0;
}

/* Children that are no longer in the list are gone, unless they were created after it. */
static void leave_unlisted(struct capture *k, struct znode *directory, char **names, size_t count,
                           int64_t zxid, int64_t told_us)
{
    for (struct znode *child = directory->children, *next; child; child = next) {
        next = child->sibling;
        if (!is_unlisted(k, child, names, count, zxid))
            continue;
        char *path = text_copy(child->path);
        ends_vanishes(k->ends, path, told_us ? told_us : k->fact_us, told_us != 0);
        free(path);
        /* Its session may have taken others along. */
        next = directory->children;
    }
}

static void list_forget(struct unread_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->path);
    *list = (struct unread_list){0};
}

static void list_keep(struct unread_list *list, const struct wire_fact *fact)
{
    bool numbered = false;
    for (size_t i = 0; i < fact->name_count && fact->name_count <= LIST_KEPT; i++)
        numbered = numbered || recipe_sequence_of(fact->names[i]) != SEQUENCE_NONE;
    if (!numbered)
        return;
    list_forget(list);
    list->path = text_copy(fact->path);
    list->zxid = fact->zxid;
    for (; list->count < fact->name_count; list->count++)
        list->names[list->count] = text_copy(fact->names[list->count]);
}

static void on_listed(struct capture *k, const struct wire_client *client, const struct wire_fact *fact)
{
    k->limits.full = k->limits.full || znode_tree_is_full(k->tree);
    logged_elections_examine_list(k->elections, fact->path, fact->names, fact->name_count);
    struct znode *directory = znode_tree_find(k->tree, fact->path, strlen(fact->path));
    int64_t zxid = fact->zxid > 0 ? fact->zxid : 0;
    bool known = directory && (directory->interests || directory->children);
    if (!known)
        list_keep(&k->list, fact);
    if (!known || directory->stat.pzxid > zxid)
        return;
    char **names = xmalloc((fact->name_count + 1) * sizeof *names);
    bool was_whole = directory->listed && !directory->short_of_children;
    directory->short_of_children = false;
    if (fact->name_count > 0)
        memcpy(names, fact->names, fact->name_count * sizeof *names);
    qsort(names, fact->name_count, sizeof *names, text_compare);
    leave_unlisted(k, directory, names, fact->name_count, zxid,
                   client ? notified_of_end_us(k, client, fact, directory, names) : 0);
    for (size_t i = 0; i < fact->name_count; i++) {
        char *path = text_format("%s/%s", strcmp(fact->path, "/") == 0 ? "" : fact->path, names[i]);
        const struct znode *child = znode_tree_find(k->tree, path, strlen(path));
        struct znode *named = (child && child->exists) || ends_was_seen(k->ends, path, 0, k->now.mono_us)
                                  ? NULL
                                  : znode_tree_named(k->tree, path);
        if (named)
            logged_elections_changed(k->elections, named, true);
        free(path);
    }
    directory->listed = true;
    if (!was_whole || directory->short_of_children)
        logged_elections_changed(k->elections, directory, false);
    free(names);
}

/* A client lists the candidates, and then reads one of them: only that shows what they are. No transaction came between. */
static void list_again(struct capture *k, const char *path)
{
    struct unread_list list = k->list;
    size_t length = (size_t)(strrchr(path, '/') - path);
    if (!list.path || strlen(list.path) != length || memcmp(list.path, path, length) != 0)
        return;
    k->list = (struct unread_list){0};
    if (k->zxid <= list.zxid)
        on_listed(k, NULL,
                  &(struct wire_fact){
                      .path = list.path, .names = list.names, .name_count = list.count, .zxid = list.zxid});
    list_forget(&list);
}

/* ---- sessions ---- */

static void on_opened(struct capture *k, struct wire_client *client)
{
    struct logged_session *session = znode_tree_session_made(k->tree, client->session);
    k->limits.sessions++;
    if (!session) {
        k->limits.full = true;
        return;
    }
    if (session->began_ms == 0 && session->active_us == 0)
        session->began_ms = k->fact_us / 1000;
    if (session->connection && is_old(k, &k->sources[k->source]))
        return;
    session->timeout_ms = client->timeout_ms;
    session->active_us = client->heard_us;
    session->active_source = k->source;
    session->left_us = 0;
    session->connection = client;
    session_changed(k, session);
}

/* Its client asked for a session that is over: the session's znodes are gone, since an unknown time. */
static void capture_on_refused(struct capture *k, struct wire_client *client, const struct wire_fact *fact)
{
    struct logged_session *session = fact->session ? znode_tree_session(k->tree, fact->session) : NULL;
    if (session && session->owned)
        session_ends(
            k, session,
            &(struct observed_transaction){.deed = session->closing_us ? DEED_CLOSED : DEED_EXPIRED});
    if (session)
        capture_fact(k, (struct logged_fact){.kind = FACT_SESSION_BACK, .session = fact->session});
    logged_elections_settle(k->elections, k->now);
    show_client(k, client, CAPTURED_OVER, fact->session, NULL);
}

static void told_forget(struct capture_client *own)
{
    while (own->told_count > 0)
        free(own->told[--own->told_count]);
    own->told_us = own->slowest_us = own->requests = 0;
}

static void show_answered(struct capture *k, struct wire_client *client)
{
    struct capture_client *own = client->user;
    for (size_t i = 0; i < own->told_count; i++)
        show_client(k, client, CAPTURED_ANSWERED, client->session, own->told[i]);
    if (k->fact_us - own->told_us >= TIMED_US)
        told_forget(own);
    client->timed = own->told_count > 0;
}

static void capture_on_asked(struct capture *k, struct wire_client *client)
{
    struct capture_client *own = client->user;
    if (own->told_us != 0 && own->requests++ == 0)
        show_client(k, client, CAPTURED_REACTED, client->session, NULL);
    client->timed = own->told_count > 0;
}

/* Requests from before the notification do not belong to the herd. */
static void capture_on_answered(struct capture *k, struct wire_client *client, int64_t asked_us)
{
    struct capture_client *own = client->user;
    int64_t took_us = k->fact_us - asked_us;
    if (own->requests == 0 || asked_us < own->told_us)
        return;
    own->slowest_us = took_us > own->slowest_us ? took_us : own->slowest_us;
    show_answered(k, client);
}

static void on_notified(struct capture *k, struct wire_client *client, const struct wire_fact *fact)
{
    struct capture_client *own = client->user;
    if (fact->event == WIRE_NODE_DELETED)
        ends_vanishes(k->ends, fact->path, k->fact_us, true);
    if (fact->event != WIRE_NODE_DELETED && fact->event != WIRE_NODE_CHILDREN)
        return;
    /* The model knows of the change before it hears who was notified. */
    logged_elections_settle(k->elections, k->now);
    show_client(k, client, CAPTURED_NOTIFIED, client->session, fact->path);
    if (k->query.beside && ends_are_apart(k->ends, fact->path))
        show_client(k, client, CAPTURED_APART, client->session, fact->path);
    if (own->requests > 0 || k->fact_us - own->told_us >= TIMED_US)
        told_forget(own);
    own->told_us = k->fact_us;
    if (own->told_count < TOLD_MOST &&
        concerns_elections(k, &(struct captured_watch){.path = (char *)(uintptr_t)fact->path}))
        own->told[own->told_count++] = text_copy(fact->path);
    /* It went on while this had to wait for other packets: by its latest request, if an earlier one may be older. */
    if (client->asked_us <= own->told_us)
        return;
    bool first = client->asked_first_us > own->told_us;
    if (!first)
        show_client(k, client, CAPTURED_MISSING, client->session, NULL);
    k->fact_us = first ? client->asked_first_us : client->asked_us;
    capture_on_asked(k, client);
}

static void on_ended(struct capture *k, struct wire_client *client)
{
    struct logged_session *session = capture_session_of(k, client);
    if (!session || session->connection != client)
        return;
    if (client->ended_by_server && ends_is_silent(k->ends, session, k->fact_us)) {
        session->left_us = k->fact_us;
        session->left_source = k->source;
    }
    show_client(k, client, CAPTURED_STATE, client->session, NULL);
    session->connection = NULL;
}

static void client_leaves(struct capture *k, struct capture_client *own)
{
    if (!own->link)
        return;
    *(own->next ? &own->next->link : &k->clients_end) = own->link;
    *own->link = own->next;
    own->link = NULL;
}

static void on_lost(struct capture *k, const struct logged_session *session, const struct wire_client *client,
                    const struct wire_fact *fact)
{
    k->limits.holes++;
    if (!session)
        ends_doubt(k->ends, k->now.mono_us, false);
    else if (!fact->of_server)
        show_client(k, client, CAPTURED_MISSING, client->session, NULL);
}

static void capture_client_new(struct capture *k, struct wire_client *client)
{
    struct capture_client *own = client->user = xcalloc(1, sizeof *own);
    *own = (struct capture_client){.client = client, .link = k->clients_end, .source = k->source};
    *k->clients_end = own;
    k->clients_end = &own->next;
}

static void capture_server_seen(struct capture *k, const struct wire_client *client)
{
    const char *server = k->sources[k->source].server;
    coverage_server(&k->coverage, k->source, server ? server : client->server);
}

/* A client whose capture is over is followed in the one that hears it now. */
static void capture_client_goes_on(struct capture *k, const struct wire_client *client)
{
    struct capture_client *own = client->user;
    if (k->coverage.sources[own->source].over && client->heard_us >= k->sources[k->source].began_us)
        own->source = k->source;
}

/* An ensemble numbers its transactions in their order: a change that was asked for after another was answered has the
 * higher number. Two with one port may be in one capture, as on a host whose clients use both. */
static void tell_apart(struct capture *k, const struct wire_client *client, const struct wire_fact *fact)
{
    struct newest *newest = &k->newest;
    bool change = fact->kind == WIRE_CREATED || fact->kind == WIRE_SET || fact->kind == WIRE_DELETED;
    if (!change || fact->zxid <= 0)
        return;
    if (fact->zxid > newest->zxid) {
        *newest = (struct newest){.zxid = fact->zxid, .at_us = fact->at_us, .source = k->source};
        memcpy(newest->server, client->server, sizeof newest->server);
        return;
    }
    bool one_clock = newest->source == k->source;
    if (k->mixed || fact->zxid == newest->zxid || strcmp(newest->server, client->server) == 0 ||
        fact->asked_us <= newest->at_us + (one_clock ? 0 : COVERAGE_SKEW_US))
        return;
    k->limits.mixed = k->mixed = text_format(
        one_clock
            ? "%s and %s number their transactions apart, so they belong to two ensembles: what was told "
              "until then may mix them; select one with tcpdump -r FILE -w - host HOST"
            : "%s and %s number their transactions against the times of their packets: the clocks of their "
              "captures differ, or they belong to two ensembles, and what was told until then may be wrong; "
              "set the times of one right with editcap -t SECONDS, or add a transaction log",
        newest->server, client->server);
}

static void take_fact(struct capture *k, struct wire_client *client, struct logged_session *session,
                      const struct wire_fact *fact)
{
    switch (fact->kind) {
    case WIRE_LATE:
        /* From here on it may be that of any session that was heard elsewhere before, and is not silent. */
        k->limits.late++;
        ends_doubt(k->ends, k->now.mono_us, false);
        break;
    case WIRE_OPENED:
        on_opened(k, client);
        break;
    case WIRE_REFUSED:
        capture_on_refused(k, client, fact);
        break;
    case WIRE_ASKED:
        capture_on_asked(k, client);
        break;
    case WIRE_ANSWERED:
        capture_on_answered(k, client, fact->asked_us);
        break;
    case WIRE_DELETING:
        ends_asked(k->ends, client->session, fact->path, k->fact_us);
        break;
    case WIRE_KEPT:
        ends_refused(k->ends, client->session, fact->path);
        break;
    case WIRE_CLOSING:
        if (session)
            session->closing_us = k->fact_us;
        break;
    case WIRE_CREATED:
        on_created(k, client, fact);
        break;
    case WIRE_UNSEEN:
        on_unseen(k, fact->path);
        break;
    case WIRE_DELETED:
        ends_vanishes(k->ends, fact->path, k->fact_us, true);
        ends_deleted(k->ends, client->session, fact->path, fact->asked_us);
        break;
    case WIRE_SET:
        on_set(k, client, fact);
        break;
    case WIRE_READ:
        capture_on_read(k, fact);
        break;
    case WIRE_ABSENT:
        on_absent(k, fact->path, fact->zxid);
        break;
    case WIRE_LISTED:
        on_listed(k, client, fact);
        break;
    case WIRE_CLOSED:
        if (session)
            session_ends(k, session,
                         &(struct observed_transaction){.deed = DEED_CLOSED, .gone_us = k->fact_us});
        break;
    case WIRE_NOTIFIED:
        on_notified(k, client, fact);
        break;
    case WIRE_WATCHES:
        session_changed(k, session);
        break;
    case WIRE_LOST:
        on_lost(k, session, client, fact);
        break;
    case WIRE_ENDED:
        on_ended(k, client);
        break;
    case WIRE_OPAQUE:
        if (k->limits.encrypted++ == 0)
            show_limits(k);
        break;
    }
}

/* What it shows of its client, if that has a candidate. */
static void show_fact(struct capture *k, struct wire_client *client, const struct wire_fact *fact)
{
    bool wrote = fact->kind == WIRE_CREATED || fact->kind == WIRE_SET;
    bool others = fact->kind == WIRE_READ && owner_is_session(fact->stat->owner) &&
                  fact->stat->owner != client->session; /* a lock that is another's */
    if (wrote)
        show_candidate_deed(k, client, CAPTURED_WROTE, fact);
    else if (others || fact->kind == WIRE_ABSENT || fact->kind == WIRE_LISTED || fact->kind == WIRE_LOST ||
             fact->kind == WIRE_ENDED)
        show_candidate_deed(k, client, CAPTURED_LEARNED, fact);
}

static void capture_on_fact(void *context, struct wire_client *client, const struct wire_fact *fact)
{
    struct capture *k = context;
    struct logged_session *session = capture_session_of(k, client);
    if (!client->user)
        capture_client_new(k, client);
    k->fact_us = fact->at_us;
    if (fact->kind != WIRE_LOST) /* it is found as time goes on, too */
        capture_client_goes_on(k, client);
    hear(session, client);
    if (fact->zxid > k->zxid)
        k->zxid = fact->zxid;
    /* A notification names its transaction since 3.9 only: it is a new one. */
    ends_reached(k->ends, k->zxid + (fact->kind == WIRE_NOTIFIED && fact->zxid <= 0));
    if (!k->query.beside)
        tell_apart(k, client, fact);
    k->coverage.standalone = k->zxid > 0 && k->zxid >> 32 == 0;
    if (fact->kind == WIRE_OPENED || fact->kind == WIRE_LATE)
        capture_server_seen(k, client);
    take_fact(k, client, session, fact);
    show_fact(k, client, fact);
    if (fact->kind == WIRE_ENDED)
        client_leaves(k, client->user);
}

static void capture_on_gone(void *context, struct wire_client *client)
{
    struct capture *k = context;
    struct capture_client *own = client->user;
    struct logged_session *session = capture_session_of(k, client);
    if (session && session->connection == client)
        session->connection = NULL;
    if (own) {
        told_forget(own);
        client_leaves(k, own);
    }
    free(own);
}

static void sweep_session(void *context, struct logged_session *session)
{
    struct capture *k = context;
    if (!session->connection && !session->owned && k->now.mono_us - session->active_us > FORGOTTEN_US)
        znode_tree_session_ended(k->tree, session->id);
}

/* ---- the whole ---- */

struct capture *capture_new(struct model *model, const struct settings *settings,
                            const struct capture_query *query, const struct capture_sink *sink)
{
    struct capture *k = xcalloc(1, sizeof *k);
    k->model = model;
    k->query = *query;
    k->sink = *sink;
    k->tree = znode_tree_new(ZNODES_MOST);
    k->elections = logged_elections_new(k->tree, model, settings, query->election, true);
    k->ends = ends_new(k->tree, &k->coverage, query->beside,
                       &(struct ends_listener){k, hear_connections, on_end, on_explained});
    k->clients_end = &k->clients;
    k->wire = wire_new(&(struct wire_listener){k, capture_on_fact, capture_on_gone});
    return k;
}

void capture_free(struct capture *k)
{
    if (!k)
        return;
    wire_free(k->wire);
    logged_elections_free(k->elections);
    znode_tree_free(k->tree);
    ends_free(k->ends);
    coverage_free(&k->coverage);
    free(k->mixed);
    list_forget(&k->list);
    free(k);
}

bool capture_goes_on(const struct capture *k, size_t source, int64_t at_us)
{
    int64_t quiet_us = k->sources[source].quiet_us;
    return k->coverage.sources[source].over &&
           coverage_servers_held(&k->coverage, source, k->coverage.sources[source].until_us,
                                 at_us + quiet_us + 1, quiet_us);
}

/* The present capture continues another one of the same server. */
static bool source_goes_on(const struct capture *k)
{
    const struct covered *present = &k->coverage.sources[k->source];
    for (size_t i = 0; i < k->coverage.count; i++) {
        const struct covered *s = &k->coverage.sources[i];
        if (i != k->source && s->file && s->from_us <= k->now.mono_us && s->server_count == 1 &&
            present->server_count == 1 && strcmp(s->servers[0], present->servers[0]) == 0 &&
            (!s->over || capture_goes_on(k, i, k->now.mono_us)))
            return true;
    }
    return false;
}

/* Before the first packet of a further capture, any client may have been at its server. */
static void capture_source_begin(struct capture *k, const char *server, int64_t at_us, bool late)
{
    struct capture_source *source = &k->sources[k->source];
    if (source->began_us != 0)
        return;
    if (server)
        coverage_server(&k->coverage, k->source, server);
    bool goes_on = source_goes_on(k);
    *source = (struct capture_source){
        .server = server, .began_us = at_us, .tied = !k->query.beside || (goes_on && source->tied)};
    if (late && k->query.beside && !goes_on)
        ends_doubt(k->ends, k->now.mono_us, true);
}

/* What one that is not tied brings may be old, or be missing. */
static bool is_doubted(const struct capture *k)
{
    bool doubted = false;
    for (size_t i = 0; k->showing && i < k->coverage.count; i++)
        doubted = doubted || (k->sources[i].began_us != 0 && !k->sources[i].tied &&
                              !capture_goes_on(k, i, k->now.mono_us));
    return doubted;
}

bool capture_take(struct capture *k, const struct captured_packet *packet)
{
    struct tcp_segment segment;
    int64_t at_us = packet->at_us;
    k->limits.packets++;
    if (at_us > k->query.to_us) {
        capture_pass(k, k->query.to_us);
        return false;
    }
    bool late = k->started;
    capture_go_on(k, at_us);
    k->source = packet->source;
    ends_source(k->ends, k->source);
    capture_source_begin(k, packet->server, at_us, late);
    coverage_packet(&k->coverage, k->source, at_us);
    if (is_doubted(k))
        ends_doubt(k->ends, k->now.mono_us, true);
    if (packet_read(packet->link, packet->bytes, packet->captured, packet->length, &segment))
        wire_take(k->wire, at_us, &segment); /* its own time, even if it is late */
    ends_judge(k->ends);
    if (k->unreported >= TOGETHER_MOST)
        capture_settle(k);
    if (k->now.mono_us - k->swept_us > SWEEP_US) {
        k->swept_us = k->now.mono_us;
        znode_tree_each_session(k->tree, sweep_session, k);
    }
    return !k->mixed;
}

static void show_all_again(struct capture *k)
{
    znode_tree_each_session(k->tree, unshow_session, NULL);
    k->sessions_changed = true;
    show_sessions(k);
    show_servers(k);
}

void capture_tie(struct capture *k, size_t source, struct moment add)
{
    struct capture_source *tied = &k->sources[source];
    k->add = add;
    k->showing = true;
    if (tied->tied && !tied->doubted)
        return;
    /* Connections of the meantime are not known yet. */
    if (tied->doubted)
        tied->began_us = k->now.mono_us;
    tied->tied = true;
    tied->doubted = false;
    show_all_again(k);
    note_unreported(k);
}

struct correction {
    size_t source;
    int64_t by_us;
};

static void correct(int64_t *time_us, int64_t by_us)
{
    *time_us += *time_us != 0 ? by_us : 0;
}

static void correct_session(void *context, struct logged_session *session)
{
    const struct correction *correction = context;
    if (session->active_source == correction->source) {
        correct(&session->active_us, correction->by_us);
        correct(&session->closing_us, correction->by_us);
    }
    if (session->left_source == correction->source)
        correct(&session->left_us, correction->by_us);
}

void capture_correct(struct capture *k, size_t source, int64_t by_us)
{
    for (struct capture_client *one = k->clients; one; one = one->next) {
        if (one->source != source)
            continue;
        correct(&one->client->heard_us, by_us);
        correct(&one->client->answered_us, by_us);
        correct(&one->client->asked_us, by_us);
        correct(&one->client->asked_first_us, by_us);
        correct(&one->client->opened_us, by_us);
        correct(&one->told_us, by_us);
        correct(&one->wrote_us, by_us);
    }
    znode_tree_each_session(k->tree, correct_session, &(struct correction){source, by_us});
}

void capture_doubt(struct capture *k, size_t source)
{
    struct capture_source *doubted = &k->sources[source];
    if (!k->showing || doubted->doubted)
        return;
    doubted->tied = false;
    doubted->doubted = true;
    ends_doubt(k->ends, k->now.mono_us, true);
    ends_judge(k->ends);
    show_all_again(k);
    note_unreported(k);
}

void capture_read_ahead(struct capture *k, char *const *paths, size_t count)
{
    coverage_read(&k->coverage, paths, count);
}

void capture_shift(struct capture *k, size_t source, int64_t shift_us)
{
    coverage_shift(&k->coverage, source, shift_us);
}

void capture_end(struct capture *k, size_t source)
{
    if (!k->coverage.sources[source].over)
        k->sources[source].quiet_us = capture_quiet_us(k, source);
    k->coverage.sources[source].over = true;
    judge_foreign(k, true);
}

const struct coverage *capture_coverage(const struct capture *k)
{
    return &k->coverage;
}

void capture_name_servers(struct capture *k, capture_name_fn name_of, void *context)
{
    k->name_of = name_of;
    k->name_context = context;
}

void capture_learn(struct capture *k, const char *path, const struct znode_stat *stat)
{
    capture_on_read(k, &(struct wire_fact){.path = path, .stat = stat});
}

int64_t capture_quiet_us(const struct capture *k, size_t source)
{
    int shortest_ms = 0;
    for (const struct capture_client *one = k->clients; one; one = one->next)
        if (one->source == source && one->client->timeout_ms > 0 &&
            (shortest_ms == 0 || one->client->timeout_ms < shortest_ms))
            shortest_ms = one->client->timeout_ms;
    return shortest_ms * INT64_C(1000) / 3;
}

int64_t capture_latest_zxid(const struct capture *k)
{
    return k->zxid;
}

int64_t capture_latest_us(const struct capture *k)
{
    return k->started ? k->now.wall_us : 0;
}

const struct capture_limits *capture_limits(const struct capture *k)
{
    return &k->limits;
}
