#include "probe/transactions/autopsy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/text.h"
#include "probe/transactions/log_reader.h"
#include "probe/transactions/logged_elections.h"
#include "probe/transactions/znode_tree.h"

/* So far back a clock goes by itself, from one leader of ZooKeeper to the next. */
#define CLOCK_BACK_US INT64_C(1000000)
/* After a change the model needs time to pass: for evidence, acknowledgements, findings. */
static const int64_t ticks_us[] = {1000000, 2000000, 5000000, 10000000, 15000000, 30000000, 60000000};
#define TICKS (sizeof ticks_us / sizeof ticks_us[0])
/* Changes so close to each other are handed on as one: a client that ends and its successor, say. */
#define TOGETHER_US INT64_C(10000)
/* Beside another source, time goes on at least so often. */
#define GO_ON_US INT64_C(250000)
/* Wakes of the model between two transactions. */
#define WAKES_MOST 1000

/* ---- servers that were started ---- */

/*
 * A server begins a new log when it starts, and after some ten thousand transactions (snapCount, 100,000 by
 * default). So where a log holds few, the next one is that of a server that was started: what the ensemble
 * agreed upon while it was away is the first that it writes there. A server with a very small snapCount looks
 * the same, so this is a conclusion and no proof.
 */
struct log_start {
    int64_t zxid;       /* the first transaction of its log */
    const char *server; /* its directory, of the set */
    uint64_t number;    /* as its file myid says; 0: there is none */
};

/* The starts that the files of a set show, by zxid. They point into the set. */
struct log_starts {
    struct log_start *list;
    size_t count, room;
};

/* A running server begins another log after half of snapCount at the earliest: the previous log has at least
 * this many transactions and bytes. */
#define ROLLED_LEAST 10000
#define ROLLED_BYTES (512 << 10)

/* Behind the last transaction there are zeros, or nothing. */
static bool is_short(struct log_set *set, struct server_file *file)
{
    unsigned char page[4096];
    const char *why;
    int fd = log_set_read(set, file, &why);
    ssize_t got = fd >= 0 ? pread(fd, page, sizeof page, ROLLED_BYTES) : -1;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < got; i++)
        if (page[i])
            return false;
    return got >= 0;
}

static uint64_t read_number(const char *path)
{
    char text[24] = "";
    const char *why;
    int fd = plain_file_open(path, &why);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    char *end;
    unsigned long long number = got > 0 && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    return number <= 255 ? number : 0;
}

/* Beside the logs, or beside the directory version-2 that holds them. */
static uint64_t autopsy_number_of(const struct log_server *server)
{
    uint64_t number = 0;
    const char *last = server->log_count > 0 ? server->logs[0].path : NULL;
    char *directory = last ? text_copy(last) : NULL;
    for (int up = 0; directory && number == 0 && up < 2; up++) {
        char *slash = strrchr(directory, '/');
        if (!slash)
            break;
        *slash = '\0';
        char *path = text_format("%s/myid", directory);
        number = read_number(path);
        free(path);
    }
    free(directory);
    return number;
}

static bool is_start(struct log_set *set, struct server_file *before, const struct server_file *file)
{
    bool same = zxid_epoch(before->zxid) == zxid_epoch(file->zxid);
    return same ? file->zxid - before->zxid < ROLLED_LEAST : is_short(set, before);
}

static int log_starts_compare(const void *a, const void *b)
{
    const struct log_start *x = a, *y = b;
    return (x->zxid > y->zxid) - (x->zxid < y->zxid);
}

static void log_starts_find(struct log_starts *starts, struct log_set *set)
{
    starts->count = 0;
    for (size_t i = 0; i < set->server_count; i++) {
        const struct log_server *server = &set->servers[i];
        uint64_t number = autopsy_number_of(server);
        for (size_t k = 1; k < server->log_count; k++) {
            if (!is_start(set, &server->logs[k - 1], &server->logs[k]))
                continue;
            room_for_one(&starts->list, starts->count, &starts->room, sizeof *starts->list);
            starts->list[starts->count++] = (struct log_start){server->logs[k].zxid, server->name, number};
        }
    }
    if (starts->count > 1)
        qsort(starts->list, starts->count, sizeof *starts->list, log_starts_compare);
}

/* ---- the autopsy ---- */

/* A leader that goes on after a pause writes its backlog within WENT_ON_US. */
#define WENT_ON_US INT64_C(500000)
#define WORKED_APART_US INT64_C(250000)
#define WORKED_KEPT 4

struct autopsy {
    struct log_set *set;
    struct model *model;
    struct autopsy_query query;
    struct autopsy_sink sink;
    struct znode_tree *tree;
    struct logged_elections *elections;
    struct log_stream *stream;
    struct transaction next; /* if held: read, and not taken yet */
    bool held, next_missing;
    struct moment now;     /* of the latest transaction or tick */
    int64_t base_us;       /* from the monotonic clock to the wall clock */
    int64_t changed_us;    /* monotonic: the model was shown something */
    size_t ticked;         /* of ticks_us since then */
    int64_t unreported_us; /* monotonic: the first change or fact that was not handed on */
    bool unreported;
    int64_t zxid;               /* of the latest transaction */
    int64_t settled;            /* behind a fuzzy snapshot: until then the tree may be ahead of the log */
    struct server_file *repair; /* a snapshot behind a gap; NULL: none */
    int64_t latest_us;
    int64_t before_us; /* the time of the transaction before; 0: there is none */
    /* When ZooKeeper's leader worked: times of transactions, WORKED_APART_US apart or more, the latest last. */
    int64_t worked_us[WORKED_KEPT];
    struct log_starts starts;
    size_t start, files; /* the next of them; the number of files */
    uint64_t transactions;
    bool started, showing, over, blind;
    /* Unproven transactions are held against a snapshot of a later epoch. */
    int64_t tail_epoch;         /* of the latest of them; -1: there was none */
    struct znode_tree *witness; /* that snapshot; NULL: there is none */
    bool disproved;             /* it shows that one of them never took effect: nor did those behind it */
    bool missing;               /* some are missing in front of those that were left out */
    int64_t epoch_after;        /* the last transaction of the epoch before this one; 0: there was none */
    bool incomplete;            /* behind a gap, until a snapshot puts the tree right */
};

/* ---- reporting ---- */

static void autopsy_hand_on(struct autopsy *a)
{
    a->unreported = false;
    if (a->sink.changed)
        a->sink.changed(a->sink.context);
}

static void begin_unreported(struct autopsy *a)
{
    if (!a->unreported)
        a->unreported_us = a->now.mono_us;
    a->unreported = true;
}

static void report_changed(struct autopsy *a)
{
    begin_unreported(a);
    a->changed_us = a->now.mono_us;
    a->ticked = 0;
}

/* Before a later moment is looked at. */
static void hand_on_before(struct autopsy *a, int64_t mono_us)
{
    if (a->unreported && mono_us - a->unreported_us >= TOGETHER_US)
        autopsy_hand_on(a);
}

static void report_fact(struct autopsy *a, struct logged_fact fact)
{
    if (!a->showing || !a->sink.fact)
        return;
    fact.at = a->now;
    a->sink.fact(a->sink.context, &fact);
    /* A batch has the time of its first change or fact: a later change must not get the time of this one.
     */
    begin_unreported(a);
}

static void on_note(void *context, const struct stream_note *note)
{
    struct autopsy *a = context;
    if (note->kind == STREAM_DIVERGED)
        report_fact(
            a, (struct logged_fact){.kind = FACT_DIVERGED, .zxid = note->zxid, .zxid_to = note->zxid_to});
    if (a->sink.note)
        a->sink.note(a->sink.context, note);
}

/* ---- time ---- */

static void tick(struct autopsy *a, int64_t mono_us)
{
    a->now.wall_us += mono_us - a->now.mono_us;
    a->now.mono_us = mono_us;
    model_observe(a->model, &(struct observation){.kind = OBSERVED_TICK, .at = a->now});
    autopsy_hand_on(a);
}

/* When the model wants to be woken next; INT64_MAX: never. */
static int64_t next_wake(struct autopsy *a)
{
    int64_t next_us = a->model->clusters[0].wake_us;
    if (next_us <= a->now.mono_us)
        next_us = INT64_MAX;
    if (a->ticked < TICKS) {
        int64_t tick_us = a->changed_us + ticks_us[a->ticked];
        if (tick_us <= next_us) {
            a->ticked++;
            return tick_us;
        }
    }
    return next_us;
}

/* Nothing happened until this moment. */
static void pass_until(struct autopsy *a, int64_t mono_us)
{
    if (mono_us <= a->now.mono_us)
        return;
    for (int i = 0; i < WAKES_MOST && a->showing; i++) {
        size_t ticked = a->ticked;
        int64_t next_us = next_wake(a);
        if (next_us >= mono_us) {
            a->ticked = ticked;
            return;
        }
        if (next_us > a->now.mono_us)
            tick(a, next_us);
    }
}

/* The moment of a transaction. */
static struct moment moment_of(struct autopsy *a, const struct transaction *t)
{
    int64_t wall_us = t->time_ms * 1000;
    if (!a->started)
        a->base_us = 0;
    struct moment at = {wall_us - a->base_us, wall_us};
    if (a->started && at.mono_us < a->now.mono_us - CLOCK_BACK_US) {
        int64_t back_us = a->now.wall_us - wall_us;
        a->base_us = wall_us - a->now.mono_us;
        a->now.wall_us = wall_us; /* the fact has the new time, as its neighbours do */
        report_fact(a, (struct logged_fact){.kind = FACT_CLOCK_BACK, .zxid = t->zxid, .back_us = back_us});
        at.mono_us = a->now.mono_us;
    } else if (a->started && at.mono_us < a->now.mono_us) {
        at = a->now; /* some milliseconds: the order is that of the zxids */
    }
    return at;
}

/* ---- transactions ---- */

static void note_worked(struct autopsy *a)
{
    if (a->now.mono_us - a->worked_us[WORKED_KEPT - 1] < WORKED_APART_US)
        return;
    memmove(a->worked_us, a->worked_us + 1, sizeof a->worked_us - sizeof *a->worked_us);
    a->worked_us[WORKED_KEPT - 1] = a->now.mono_us;
}

/*
 * A client pings at a third of its timeout, so one that lives is heard two thirds before it would expire, if
 * the leader works then. Its first writes after a pause prove nothing.
 */
static bool autopsy_stalled(const struct autopsy *a, int timeout_ms)
{
    for (size_t i = WORKED_KEPT; i-- > 0;)
        if (a->worked_us[i] != 0 && a->now.mono_us - a->worked_us[i] >= WENT_ON_US)
            return a->now.mono_us - a->worked_us[i] > timeout_ms * INT64_C(1000) / 3 * 2;
    return true;
}

static int64_t active_of(const struct logged_session *session)
{
    return session ? session->active_us : 0;
}

static void delete_one(struct autopsy *a, struct znode *node, const struct transaction *t,
                       enum transaction_deed deed)
{
    const struct logged_session *session = node->session;
    struct observed_transaction seen = {.zxid = t->zxid,
                                        .deed = deed,
                                        .session = t->session,
                                        .czxid = node->stat.czxid,
                                        .unproven = t->unproven,
                                        .timeout_ms = session ? session->timeout_ms : 0,
                                        .stalled = autopsy_stalled(a, session ? session->timeout_ms : 0),
                                        .active_us = active_of(session)};
    if (deed == DEED_DELETED && session)
        report_fact(a, (struct logged_fact){.kind = FACT_DELETED,
                                            .zxid = t->zxid,
                                            .session = t->session,
                                            .owner = session->id,
                                            .path = node->path});
    logged_elections_deleted(a->elections, node, &seen, a->now);
}

static void autopsy_on_deleted(struct autopsy *a, const struct transaction *t,
                               const struct znode_change *change)
{
    struct znode *node = znode_tree_find(a->tree, change->path, change->path_length);
    enum transaction_deed deed = change->kind == CHANGE_DELETED ? DEED_DELETED
                                 : t->cxid == 0                 ? DEED_EXPIRED
                                                                : DEED_CLOSED;
    if (node && node->exists && node->stat.czxid <= t->zxid)
        delete_one(a, node, t, deed);
    znode_tree_deleted(a->tree, change->path, change->path_length, t->zxid);
}

/* Of old servers the log names none of the znodes that went with a session: those that it owned did. */
static void on_session_ended(struct autopsy *a, const struct transaction *t, bool owned)
{
    struct logged_session *session = znode_tree_session(a->tree, t->session);
    bool expired = t->cxid == 0;
    while (session && session->owned) {
        struct znode *node = session->owned;
        owned = true;
        delete_one(a, node, t, expired ? DEED_EXPIRED : DEED_CLOSED);
        char *path = text_copy(node->path);
        znode_tree_deleted(a->tree, path, node->path_length, INT64_MAX);
        free(path);
    }
    if (expired || owned)
        report_fact(a, (struct logged_fact){.kind = expired ? FACT_SESSION_EXPIRED : FACT_SESSION_CLOSED,
                                            .zxid = t->zxid,
                                            .session = t->session,
                                            .timeout_ms = session ? session->timeout_ms : 0,
                                            .began_us = session ? session->began_ms * 1000 : 0});
    znode_tree_session_ended(a->tree, t->session);
}

static void on_session_began(struct autopsy *a, const struct transaction *t,
                             const struct znode_change *change)
{
    struct logged_session *session = znode_tree_session_made(a->tree, t->session);
    if (!session)
        return;
    session->timeout_ms = change->timeout_ms > 0 ? change->timeout_ms : 0;
    session->began_ms = t->time_ms;
}

/* Applies one transaction to the sessions. The end of a session that owned znodes is a fact. */
struct applying {
    struct autopsy *autopsy;
    bool closed_any;
};

/* Zxids cannot show that the end of an epoch is missing: the next one begins with 1. That a directory has had
   more children than the logs tell proves it. */
static void check_epoch_end(struct autopsy *a, const struct transaction *t, const struct znode_change *change)
{
    int64_t first = t->zxid - zxid_count(t->zxid);
    if (a->epoch_after == 0 || a->incomplete || t->zxid <= a->settled ||
        znode_tree_unseen(a->tree, change) == 0)
        return;
    on_note(a, &(struct stream_note){.kind = STREAM_MISSING, .zxid = a->epoch_after + 1, .zxid_to = first});
    report_fact(a, (struct logged_fact){.kind = FACT_MISSING, .zxid = a->epoch_after + 1, .zxid_to = first});
    a->incomplete = true;
}

static void on_change(void *context, const struct transaction *t, const struct znode_change *change)
{
    struct applying *applying = context;
    struct autopsy *a = applying->autopsy;
    struct znode *node;
    switch (change->kind) {
    case CHANGE_CREATED:
        check_epoch_end(a, t, change);
        logged_elections_examine(a->elections, change, a->now);
        node = znode_tree_created(a->tree, t, change);
        if (node)
            logged_elections_changed(a->elections, node, true);
        break;
    case CHANGE_DATA:
        node = znode_tree_data(a->tree, t, change);
        if (node)
            logged_elections_changed(a->elections, node, false);
        break;
    case CHANGE_CLOSED:
        applying->closed_any = true;
        autopsy_on_deleted(a, t, change);
        break;
    case CHANGE_DELETED:
        autopsy_on_deleted(a, t, change);
        break;
    case CHANGE_SESSION_BEGAN:
        on_session_began(a, t, change);
        break;
    case CHANGE_SESSION_ENDED:
        on_session_ended(a, t, applying->closed_any);
        break;
    }
}

static void note_active(struct autopsy *a, const struct transaction *t)
{
    struct logged_session *session = znode_tree_session(a->tree, t->session);
    /* The servers' own transactions in its name (its expiry) are not requests of its client. */
    if (!session || t->type == TRANSACTION_CLOSE_SESSION)
        return;
    session->active_us = a->now.mono_us;
}

static void note_epoch(struct autopsy *a, const struct transaction *t)
{
    if (a->zxid == 0 || zxid_epoch(t->zxid) == zxid_epoch(a->zxid))
        return;
    a->epoch_after = a->zxid;
    report_fact(a, (struct logged_fact){.kind = FACT_EPOCH, .zxid = t->zxid, .began_us = a->before_us});
    struct observation o = {.kind = OBSERVED_TRANSACTION, .at = a->now, .transaction = {.zxid = t->zxid}};
    if (a->showing)
        model_observe(a->model, &o);
}

/* Servers that began a log with this transaction. */
static void note_starts(struct autopsy *a, const struct transaction *t)
{
    size_t files = 0;
    for (size_t i = 0; i < a->set->server_count; i++)
        files += a->set->servers[i].log_count;
    if (files != a->files) {
        log_starts_find(&a->starts, a->set);
        a->files = files;
        a->start = 0;
        while (a->start < a->starts.count && a->starts.list[a->start].zxid <= a->zxid)
            a->start++;
    }
    for (; a->start < a->starts.count && a->starts.list[a->start].zxid <= t->zxid; a->start++) {
        const struct log_start *start = &a->starts.list[a->start];
        report_fact(a, (struct logged_fact){.kind = FACT_SERVER_STARTED,
                                            .zxid = start->zxid,
                                            .owner = start->number,
                                            .path = start->server,
                                            .began_us = a->before_us});
    }
}

/* Most transactions set the data of a znode that is not kept. */
static bool changes_nothing_kept(const struct autopsy *a, const struct transaction *t)
{
    size_t length;
    const char *path = transaction_data_path(t, &length);
    return path && !znode_tree_find(a->tree, path, length);
}

static void apply(struct autopsy *a, const struct transaction *t)
{
    struct applying applying = {.autopsy = a};
    note_epoch(a, t);
    note_starts(a, t);
    if (!changes_nothing_kept(a, t))
        transaction_changes(t, on_change, &applying);
    note_active(a, t);
    note_worked(a);
    a->zxid = t->zxid;
    if (logged_elections_settle(a->elections, a->now))
        report_changed(a);
}

/* ---- gaps ---- */

static bool load_snapshot(struct autopsy *a, struct server_file *file, const char **problem)
{
    int fd = log_set_read(a->set, file, problem);
    if (fd < 0)
        return false;
    znode_tree_clear(a->tree);
    bool fine = znode_tree_load(a->tree, fd, file->zxid, &a->settled, problem);
    close(fd);
    if (!fine)
        znode_tree_clear(a->tree);
    a->incomplete = a->incomplete && !fine;
    return fine;
}

static void connection(struct autopsy *a, enum connection_state state, const char *problem)
{
    struct observation o = {.kind = OBSERVED_CONNECTION, .at = a->now};
    o.connection = (struct observed_connection){.state = state, .problem = problem};
    model_observe(a->model, &o);
}

/* The first snapshot with the missing transactions repairs the tree. */
static void find_repair(struct autopsy *a, int64_t missing_to)
{
    a->repair = NULL;
    for (size_t i = 0; i < a->set->snapshot_count; i++) {
        struct server_file *file = &a->set->snapshots[i];
        if (file->zxid >= missing_to && (!a->repair || file->zxid < a->repair->zxid))
            a->repair = file;
    }
}

static void repair(struct autopsy *a, int64_t zxid)
{
    const char *problem;
    if (!a->repair || zxid <= a->repair->zxid)
        return;
    if (load_snapshot(a, a->repair, &problem))
        logged_elections_examine_all(a->elections);
    a->repair = NULL;
    if (a->showing)
        logged_elections_show(a->elections, a->now);
}

/* NULL: it cannot be read, or is damaged. */
static struct znode_tree *snapshot_tree(struct log_set *set, struct server_file *file)
{
    const char *problem;
    int64_t settled;
    int fd = log_set_read(set, file, &problem);
    struct znode_tree *tree = fd >= 0 ? znode_tree_new(0) : NULL;
    if (tree && !znode_tree_load(tree, fd, file->zxid, &settled, &problem)) {
        znode_tree_free(tree);
        tree = NULL;
    }
    if (fd >= 0)
        close(fd);
    return tree;
}

static bool is_snapshot_whole(struct log_set *set, struct server_file *file)
{
    struct znode_tree *tree = snapshot_tree(set, file);
    znode_tree_free(tree);
    return tree != NULL;
}

/* The latest snapshot within a gap is closer to the state after it than the state before the gap. */
static void catch_up(struct autopsy *a, int64_t zxid)
{
    struct server_file *latest = NULL;
    const char *problem;
    for (size_t i = 0; i < a->set->snapshot_count; i++) {
        struct server_file *file = &a->set->snapshots[i];
        if (file->zxid > a->zxid && file->zxid < zxid && (!latest || file->zxid > latest->zxid) &&
            is_snapshot_whole(a->set, file))
            latest = file;
    }
    if (latest && load_snapshot(a, latest, &problem))
        logged_elections_examine_all(a->elections);
}

/* The events in between are unknown, as in a time without observation. */
static void miss(struct autopsy *a, const struct transaction *t, struct moment at)
{
    find_repair(a, t->zxid - 1);
    a->incomplete = true;
    if (!a->showing) {
        catch_up(a, t->zxid);
        repair(a, t->zxid);
        return;
    }
    report_fact(a, (struct logged_fact){.kind = FACT_MISSING, .zxid = a->zxid + 1, .zxid_to = t->zxid - 1});
    connection(a, CONNECTION_CONNECTING, "transactions are missing in the logs");
    autopsy_hand_on(a);
    a->now = at;
    connection(a, CONNECTION_CONNECTED, NULL);
    catch_up(a, t->zxid);
    if (a->repair && t->zxid > a->repair->zxid)
        repair(a, t->zxid);
    else
        logged_elections_show(a->elections, a->now);
    report_changed(a);
}

/* ---- transactions without a quorum ---- */

/* The first snapshot of a later epoch; NULL: none can be read. */
static struct znode_tree *load_witness(struct log_set *set, int64_t epoch)
{
    struct server_file *first = NULL;
    for (size_t i = 0; i < set->snapshot_count; i++) {
        struct server_file *file = &set->snapshots[i];
        if (zxid_epoch(file->zxid) > epoch && (!first || file->zxid < first->zxid))
            first = file;
    }
    return first ? snapshot_tree(set, first) : NULL;
}

/* A znode that this transaction deletes, or a session that it ends, and that are there in a later epoch. */
static void hold_against_witness(void *context, const struct transaction *t,
                                 const struct znode_change *change)
{
    struct autopsy *a = context;
    if (change->kind == CHANGE_SESSION_ENDED) {
        a->disproved = a->disproved || znode_tree_session(a->witness, t->session);
    } else if (change->kind == CHANGE_DELETED || change->kind == CHANGE_CLOSED) {
        const struct znode *before = znode_tree_find(a->tree, change->path, change->path_length);
        const struct znode *later = znode_tree_find(a->witness, change->path, change->path_length);
        a->disproved = a->disproved || (before && later && before->exists && later->exists &&
                                        before->stat.czxid == later->stat.czxid);
    }
}

/* A deposed leader's last proposals never took effect. */
static bool never_was(struct autopsy *a, const struct transaction *t)
{
    int64_t epoch = zxid_epoch(t->zxid);
    if (!t->unproven)
        return false;
    if (a->tail_epoch != epoch) {
        znode_tree_free(a->witness);
        a->witness = load_witness(a->set, epoch);
        a->tail_epoch = epoch;
        a->disproved = false;
    }
    if (a->witness && !a->disproved)
        transaction_changes(t, hold_against_witness, a);
    return a->disproved;
}

/* ---- the beginning ---- */

static void autopsy_show(struct autopsy *a, struct moment at)
{
    a->now = at;
    a->showing = true;
    connection(a, CONNECTION_CONNECTED,
               a->blind ? "no snapshot shows the state before the first transaction" : NULL);
    logged_elections_show(a->elections, a->now);
    report_changed(a);
}

/* If the queried time begins here: the model gets the state of this moment, and all changes from now on. */
static void autopsy_begin(struct autopsy *a, const struct transaction *t, struct moment at)
{
    if (a->showing || t->zxid <= a->settled || at.wall_us < a->query.from_us)
        return;
    struct moment from = at;
    if (a->query.from_us > 0 && a->started && a->now.wall_us < a->query.from_us) {
        from.wall_us = a->query.from_us;
        from.mono_us -= at.wall_us - from.wall_us;
    }
    autopsy_show(a, from);
}

static bool autopsy_take(struct autopsy *a, const struct transaction *t, bool missing)
{
    a->missing = a->missing || missing;
    if (never_was(a, t)) {
        on_note(a, &(struct stream_note){.kind = STREAM_DROPPED, .zxid = t->zxid, .zxid_to = t->zxid});
        return true;
    }
    struct moment at = moment_of(a, t);
    if (at.wall_us > a->query.to_us) {
        autopsy_pass(a, a->query.to_us);
        a->over = true;
        return false;
    }
    autopsy_begin(a, t, at);
    hand_on_before(a, at.mono_us);
    pass_until(a, at.mono_us);
    if (a->missing)
        miss(a, t, at);
    a->missing = false;
    if (a->repair)
        repair(a, t->zxid);
    a->now = at;
    a->started = true;
    a->transactions++;
    if (at.wall_us > a->latest_us)
        a->latest_us = at.wall_us;
    apply(a, t);
    a->before_us = at.wall_us;
    return true;
}

bool autopsy_has_more(struct autopsy *a)
{
    a->held = !a->over && (a->held || log_stream_next(a->stream, &a->next, &a->next_missing));
    return a->held;
}

/* Takes the next transaction, if its time is no later. */
static bool autopsy_take_next(struct autopsy *a, int64_t until_us)
{
    if (!autopsy_has_more(a) || a->next.time_ms * 1000 > until_us)
        return false;
    a->held = false;
    return autopsy_take(a, &a->next, a->next_missing);
}

bool autopsy_step(struct autopsy *a, size_t most)
{
    bool more = true;
    for (size_t i = 0; i < most && !a->over && more; i++)
        more = autopsy_take_next(a, INT64_MAX);
    if (a->unreported)
        autopsy_hand_on(a);
    return more && !a->over;
}

bool autopsy_go_on(struct autopsy *a, int64_t wall_us)
{
    while (!a->over && autopsy_take_next(a, wall_us))
        continue;
    if (a->showing && wall_us - a->now.wall_us >= GO_ON_US)
        autopsy_pass(a, wall_us);
    return a->showing;
}

void autopsy_pass(struct autopsy *a, int64_t wall_us)
{
    if (wall_us > a->query.to_us)
        wall_us = a->query.to_us;
    /* A recording may begin with what nothing has happened to since. */
    if (!a->showing)
        autopsy_show(a, a->started ? a->now : (struct moment){wall_us, wall_us});
    int64_t mono_us = a->now.mono_us + (wall_us - a->now.wall_us);
    if (a->unreported)
        autopsy_hand_on(a);
    if (mono_us <= a->now.mono_us)
        return;
    pass_until(a, mono_us);
    tick(a, mono_us);
}

static void later_time(void *context, struct znode *node)
{
    int64_t *latest_ms = context;
    if (node->stat.ctime_ms > *latest_ms)
        *latest_ms = node->stat.ctime_ms;
    if (node->stat.mtime_ms > *latest_ms)
        *latest_ms = node->stat.mtime_ms;
}

bool autopsy_show_snapshot(struct autopsy *a)
{
    int64_t latest_ms = 0;
    if (a->transactions > 0 || a->showing || a->zxid == 0)
        return false;
    znode_tree_each(a->tree, later_time, &latest_ms);
    if (latest_ms == 0 || latest_ms * 1000 < a->query.from_us || latest_ms * 1000 > a->query.to_us)
        return false;
    a->latest_us = latest_ms * 1000;
    autopsy_pass(a, a->latest_us);
    return true;
}

/* The latest file of each server that begins by then: earlier ones hold nothing of the requested time. */
static int64_t first_zxid(struct log_set *set, int64_t from_us)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < set->server_count; i++) {
        const struct log_server *server = &set->servers[i];
        size_t low = 0, high = server->log_count;
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            int64_t time_ms;
            const char *why;
            bool later = log_first_time(log_set_read(set, &server->logs[middle], &why), &time_ms) &&
                         time_ms > from_us / 1000;
            if (later)
                high = middle;
            else
                low = middle;
        }
        if (server->log_count > 0 && server->logs[low].zxid < first)
            first = server->logs[low].zxid;
    }
    return first;
}

/* The snapshot to begin with: the latest that is no later than the transaction before this; or, where there
   is none, and the logs do not reach back to the beginning, the earliest. NULL: none. */
static struct server_file *choose_snapshot(const struct log_set *set, int64_t first, int64_t below)
{
    struct server_file *chosen = NULL, *earliest = NULL;
    for (size_t i = 0; i < set->snapshot_count; i++) {
        struct server_file *file = &set->snapshots[i];
        if (file->zxid < first && file->zxid < below && (!chosen || file->zxid > chosen->zxid))
            chosen = file;
        if (file->zxid < below && (!earliest || file->zxid < earliest->zxid))
            earliest = file;
    }
    return chosen ? chosen : first == 1 || first == (INT64_C(1) << 32 | 1) ? NULL : earliest;
}

/* False: it is damaged, and an earlier one is to be tried. */
static bool begin_with(struct autopsy *a, struct server_file *file)
{
    const char *problem;
    if (load_snapshot(a, file, &problem))
        return true;
    on_note(a, &(struct stream_note){.kind = STREAM_UNREAD, .where = file->path, .why = problem});
    return false;
}

static bool logs_go_beyond(struct log_set *set, int64_t zxid)
{
    struct transaction t;
    bool missing;
    struct log_stream *stream = log_stream_open(set, zxid, NULL, NULL);
    bool beyond = log_stream_next(stream, &t, &missing);
    log_stream_close(stream);
    return beyond;
}

static int64_t load_base(struct autopsy *a)
{
    int64_t wanted = first_zxid(a->set, a->query.from_us), below = INT64_MAX;
    struct server_file *file;
    while ((file = choose_snapshot(a->set, wanted, below))) {
        if (file->zxid >= wanted && !logs_go_beyond(a->set, file->zxid))
            on_note(a, &(struct stream_note){.kind = STREAM_UNREAD,
                                             .where = file->path,
                                             .why = "is newer than all logs, and cannot be used with them"});
        else if (begin_with(a, file))
            break;
        below = file->zxid;
    }
    if (!file) {
        int64_t earliest = first_zxid(a->set, 0);
        a->settled = 0;
        a->blind = earliest != 1 && earliest != (INT64_C(1) << 32 | 1);
        return 0;
    }
    a->zxid = file->zxid;
    return file->zxid;
}

struct autopsy *autopsy_open(struct log_set *set, struct model *model, const struct settings *settings,
                             const struct autopsy_query *query, const struct autopsy_sink *sink, char **error)
{
    struct autopsy *a = xcalloc(1, sizeof *a);
    *error = NULL;
    *a = (struct autopsy){.set = set, .model = model, .query = *query, .sink = *sink, .tail_epoch = -1};
    a->tree = znode_tree_new(0);
    a->elections = logged_elections_new(a->tree, model, settings, query->election, false);
    if (!a->elections) {
        *error = text_copy("out of memory");
        autopsy_close(a);
        return NULL;
    }
    int64_t after = load_base(a);
    logged_elections_examine_all(a->elections);
    a->stream = log_stream_open(set, after, on_note, a);
    return a;
}

void autopsy_close(struct autopsy *a)
{
    if (!a)
        return;
    log_stream_close(a->stream);
    logged_elections_free(a->elections);
    znode_tree_free(a->tree);
    znode_tree_free(a->witness);
    free(a->starts.list);
    free(a);
}

bool autopsy_is_over(const struct autopsy *a)
{
    return a->over;
}

uint64_t autopsy_transactions(const struct autopsy *a)
{
    return a->transactions;
}

int64_t autopsy_bytes(const struct autopsy *a)
{
    return log_stream_bytes(a->stream);
}

int64_t autopsy_latest_zxid(const struct autopsy *a)
{
    return a->zxid;
}

int64_t autopsy_base_us(const struct autopsy *a)
{
    return a->base_us;
}

int64_t autopsy_latest_us(const struct autopsy *a)
{
    return a->latest_us;
}

bool autopsy_begins_blind(const struct autopsy *a)
{
    return a->blind;
}
