#include "probe/watch/election_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/clock.h"
#include "probe/election/election.h"
#include "probe/election/registry.h"
#include "probe/loop_timer.h"

#define PATH_SIZE 8192

/* ---- the state of one watched election ---- */

/* A znode whose changes must be known at once. */
struct node_watch {
    struct election_watch *watched;
    struct watch_entry entry;
    unsigned asked; /* answers still pending */
    bool armed;     /* its watch is set or requested */
    bool refused;   /* not readable: only notifications of its end and its changes are awaited */
};

/* The first values match the numbers of election_guard(). */
enum { GUARD_LEADER, GUARD_ACK, GUARD_SELF = ELECTION_GUARDS, GUARD_COUNT };

/* A directory whose entries name sessions: that of the acknowledgement, or that of the members. */
enum { REGISTRY_SESSIONS, REGISTRY_MEMBERS, REGISTRIES };
struct registry_watch {
    struct election_watch *watched;
    struct watch_entry entry; /* its children */
    bool listing;
    struct member_watch *members; /* a list of its watched entries */
};

/* A member's entry may change during its life, if it names a role or a state. */
struct member_watch {
    struct watch_entry entry;
    struct registry_watch *registry;
    struct member_watch *next;
};
/* Entries of larger directories are read only once. */
#define MEMBERS_WATCHED 32

struct election_watch {
    /* New facts may require other watches and reads: sets and begins them (election_watch.c). */
    void (*reconcile)(struct election_watch *);
    struct live_cluster *live;
    struct session_shard *shard; /* the session that watches it */
    char *path;
    struct election *election; /* the model's */
    enum election_origin origin;
    struct watch_entry children; /* of the election itself */
    struct registry_watch registries[REGISTRIES];
    struct node_watch guards[GUARD_COUNT];
    uv_timer_t *timer; /* the next list, or the next retry */
    bool listing, list_dirty, begun;
    bool list_outdated;  /* a candidate ended before all was read: others may have come before that */
    bool from_walk;      /* its list comes from a walk and has no watch */
    bool confirming;     /* a list after a sync is under way */
    bool waking;         /* until the first list requested after a stall of the program has been read */
    unsigned late_lists; /* requested before the stall, and still unanswered */
    int64_t synced_us;   /* when that sync was requested */
    uint64_t listed_ms, absent_ms; /* loop time; absent 0: it exists */
    unsigned chased;               /* consecutive dead candidates since the last list */
    size_t reads;                  /* candidates being read */
    bool queued;                   /* in live's reading list */
    struct election_watch *reading_next;
    int references; /* pending answers, plus the owner: the last one frees it */
    bool ended;
};

/* A request for one of its znodes; freed with free(). */
struct election_watch_read {
    struct election_watch *watched;
    char path[];
};

/* A pending request now refers to it. */
static void election_watch_hold(struct election_watch *s)
{
    s->references++;
}

static void election_watch_release(struct election_watch *s)
{
    if (--s->references > 0)
        return;
    free(s->path);
    free(s);
}

/* One answer less; false: the election is no longer watched. */
static bool election_watch_answered(struct election_watch *s)
{
    if (s->ended) {
        election_watch_release(s);
        return false;
    }
    s->references--; /* never the last reference: the owner holds one until the end */
    return true;
}

static void election_watch_observe(struct election_watch *s, struct observation *o)
{
    live_observe(s->live, o);
}

static void election_watch_observe_node(struct election_watch *s, const char *path,
                                        const struct session_answer *answer, bool has_data)
{
    enum observation_kind kind = answer->result == SESSION_OK        ? OBSERVED_NODE
                                 : answer->result == SESSION_NO_NODE ? OBSERVED_ABSENT
                                                                     : OBSERVED_DENIED;
    if (kind == OBSERVED_DENIED && answer->result != SESSION_DENIED)
        return; /* nothing is known of it */
    bool here = kind != OBSERVED_DENIED && strcmp(path, s->path) == 0;
    if (here && kind == OBSERVED_NODE)
        s->absent_ms = 0;
    else if (here && !s->absent_ms)
        s->absent_ms = uv_now(s->live->loop);
    struct observation o = live_observation(s->live, kind, s->path, path);
    if (kind == OBSERVED_NODE)
        o.node = (struct observed_node){answer->stat, has_data, answer->data, answer->length};
    election_watch_observe(s, &o);
}

/* The length of the election's path before "/<name>" in its candidates' paths:
   0 for the root. */
static size_t election_watch_prefix_length(const struct election_watch *s)
{
    return strcmp(s->path, "/") == 0 ? 0 : strlen(s->path);
}

/*
 * A directory whose entries name sessions: where leaders acknowledge, or where members register. Handles its
 * list, its entries and its watch.
 */

static void registry_watch_list(struct registry_watch *);

static void on_registry_entry(void *context, const struct session_answer *answer)
{
    struct election_watch_read *r = context;
    struct election_watch *s = r->watched;
    if (election_watch_answered(s) && answer->result != SESSION_LOST)
        election_watch_observe_node(s, r->path, answer, true);
    free(r);
}

/* Returns false if the request cannot be sent. */
static bool registry_entry_read(struct registry_watch *w, const char *path, bool watch)
{
    struct election_watch *s = w->watched;
    size_t size = strlen(path) + 1;
    struct election_watch_read *r = xmalloc(sizeof *r + size);
    r->watched = s;
    memcpy(r->path, path, size);
    if (session_get(s->shard->session, path, watch, on_registry_entry, r)) {
        election_watch_hold(s);
        return true;
    }
    free(r);
    return false;
}

/* The list of entries shows which members come and go. */
static void on_member_notice(void *context, enum session_notice notice)
{
    struct member_watch *member = context;
    if (notice == NOTICE_CHANGED)
        registry_entry_read(member->registry, member->entry.path, true);
}

static bool member_is_watched(const struct registry_watch *w, const char *path)
{
    const struct member_watch *member = w->members;
    while (member && strcmp(member->entry.path, path) != 0)
        member = member->next;
    return member != NULL;
}

/* Watches this entry for changes. */
static void member_watch_new(struct registry_watch *w, const char *path)
{
    struct member_watch *member = xcalloc(1, sizeof *member);
    *member = (struct member_watch){
        .entry = {.notice = on_member_notice, .context = member}, .registry = w, .next = w->members};
    watch_map_put(&w->watched->live->watches, &member->entry, path);
    w->members = member;
}

/* Drops all entries except those with these names. */
static void member_watches_drop(struct registry_watch *w, char *const *names, size_t count)
{
    for (struct member_watch **link = &w->members; *link;) {
        struct member_watch *member = *link;
        const char *name = strrchr(member->entry.path, '/') + 1;
        size_t i = 0;
        while (i < count && strcmp(names[i], name) != 0)
            i++;
        if (i < count) {
            link = &member->next;
            continue;
        }
        *link = member->next;
        watch_map_remove(&w->watched->live->watches, &member->entry);
        free(member);
    }
}

static void on_registry_exists(void *context, const struct session_answer *answer)
{
    struct registry_watch *w = context;
    if (election_watch_answered(w->watched) && answer->result == SESSION_OK && w->entry.path)
        registry_watch_list(w); /* it has appeared meanwhile */
}

static void on_registry(void *context, const struct session_answer *answer)
{
    struct registry_watch *w = context;
    struct election_watch *s = w->watched;
    w->listing = false;
    if (!election_watch_answered(s) || answer->result == SESSION_LOST || !w->entry.path)
        return;
    if (answer->result != SESSION_OK) {
        election_watch_observe_node(s, w->entry.path, answer, false);
        /* Wait for it to appear. */
        if (answer->result == SESSION_NO_NODE &&
            session_exists(s->shard->session, w->entry.path, true, on_registry_exists, w))
            election_watch_hold(s);
        return;
    }
    struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, w->entry.path);
    o.children =
        (struct observed_children){.stat = answer->stat, .names = answer->names, .count = answer->count};
    election_watch_observe(s, &o);
    bool members = w == &s->registries[REGISTRY_MEMBERS];
    bool watched = members && answer->count <= MEMBERS_WATCHED && s->election->recipe &&
                   s->election->recipe->family == FAMILY_LOCK;
    for (size_t i = 0; i < answer->count; i++) {
        char path[PATH_SIZE];
        int length = snprintf(path, sizeof path, "%s/%s", w->entry.path, answer->names[i]);
        if (length < 0 || (size_t)length >= sizeof path)
            continue;
        bool more = watched && !member_is_watched(w, path);
        if (more)
            member_watch_new(w, path);
        if (more || registry_wants(s->election, members, answer->names[i]))
            registry_entry_read(w, path, watched);
    }
    member_watches_drop(w, answer->names, watched ? answer->count : 0);
}

static void registry_watch_list(struct registry_watch *w)
{
    struct election_watch *s = w->watched;
    if (!w->listing && session_children(s->shard->session, w->entry.path, true, on_registry, w)) {
        w->listing = true;
        election_watch_hold(s);
    }
}

/* Sets the watch on its path and reads it, unless that was done. NULL: the path is not known yet. */
static void registry_watch_set(struct registry_watch *w, const char *path)
{
    if (path && !w->entry.path) {
        watch_map_put(&w->watched->live->watches, &w->entry, path);
        registry_watch_list(w);
    }
}

/* All pending requests are lost: reads it again. */
static void registry_watch_again(struct registry_watch *w)
{
    w->listing = false;
    member_watches_drop(w, NULL, 0);
    if (w->entry.path)
        registry_watch_list(w);
}

static void on_registry_notice(void *context, enum session_notice notice)
{
    struct registry_watch *w = context;
    if (notice == NOTICE_CHANGED)
        return;
    registry_watch_list(w);
}

static void registry_watch_init(struct registry_watch *w, struct election_watch *s)
{
    *w = (struct registry_watch){.watched = s, .entry = {.notice = on_registry_notice, .context = w}};
}

/*
 * Reads the candidates of all elections one by one, with a bounded number at a time.
 *
 * Elections take turns; each keeps its turn until it has no more requests.
 */

/* The limit of simultaneous requests: enough to hide the round trip, few enough that a new leader's request
 * is served soon. */
#define READS_MOST 2000

static void election_watch_read_soon(struct election_watch *s);

/* The request that sets the leader's watch also reads the leader. */
static bool guard_reads(const struct election_watch *s, const char *path)
{
    const struct node_watch *g = &s->guards[GUARD_LEADER];
    return g->asked > 0 && !g->refused && g->entry.path && strcmp(g->entry.path, path) == 0;
}

/* Its data may not be read; its owner is in its Stat, which needs no permission. */
static void on_candidate_stat(void *context, const struct session_answer *answer)
{
    struct election_watch_read *r = context;
    struct election_watch *s = r->watched;
    if (election_watch_answered(s) && answer->result == SESSION_OK)
        election_watch_observe_node(s, r->path, answer, false);
    free(r);
}

static void candidate_reads_on_candidate(void *context, const struct session_answer *answer)
{
    struct election_watch_read *r = context;
    struct election_watch *s = r->watched;
    s->reads--;
    s->live->reads--;
    if (election_watch_answered(s) && answer->result != SESSION_LOST) {
        election_watch_observe_node(s, r->path, answer, true);
        if (s->live->reads < READS_MOST / 2)
            election_watches_read(s->live);
        s->list_outdated |= answer->result == SESSION_NO_NODE;
        if (answer->result == SESSION_NO_NODE)
            s->reconcile(s);
        else if (election_has_unread(s->election))
            election_watch_read_soon(s); /* this read makes others worth repeating */
        if (answer->result == SESSION_DENIED &&
            session_exists(s->shard->session, r->path, false, on_candidate_stat, r)) {
            election_watch_hold(s);
            return;
        }
    }
    free(r);
}

/* Returns false if nothing more of this election can be requested now. */
static bool election_watch_read_next(struct election_watch *s)
{
    const struct candidate *c = election_take_unread(s->election);
    if (!c)
        return false;
    size_t directory = election_watch_prefix_length(s), name = strlen(c->name);
    struct election_watch_read *r = xmalloc(sizeof *r + directory + name + 2);
    r->watched = s;
    memcpy(r->path, s->path, directory);
    r->path[directory] = '/';
    memcpy(r->path + directory + 1, c->name, name + 1);
    if (guard_reads(s, r->path)) {
        free(r);
        return true;
    }
    struct session *session = s->shard->session;
    bool first = s->election->candidate_count > 0 && s->election->candidates[0] == c; /* does anybody lead? */
    bool sent = c->known ? session_get_again(session, r->path, first, candidate_reads_on_candidate, r)
                         : session_get(session, r->path, false, candidate_reads_on_candidate, r);
    if (!sent) {
        free(r); /* not connected: the request is repeated after the next connection */
        return false;
    }
    election_watch_hold(s);
    s->reads++;
    s->live->reads++;
    return true;
}

/* Reads the next candidates of all elections, up to the limit. */
void election_watches_read(struct live_cluster *live)
{
    while (live->reading_first) {
        struct election_watch *s = live->reading_first;
        if (!s->ended) {
            if (live->reads >= READS_MOST)
                return;
            if (election_watch_read_next(s))
                continue;
        }
        live->reading_first = s->reading_next;
        if (!live->reading_first)
            live->reading_last = NULL;
        s->queued = false;
        election_watch_release(s);
    }
}

/* Time alone can make facts doubtful; those are read again. */
void election_watches_read_again(struct live_cluster *live)
{
    for (size_t i = 0; i < live->election_count; i++)
        if (election_has_unread(live->elections[i]->election))
            election_watch_read_soon(live->elections[i]);
}

/* The election has candidates to read: queues it. */
static void election_watch_read_soon(struct election_watch *s)
{
    struct live_cluster *live = s->live;
    if (!s->queued) {
        s->queued = true;
        election_watch_hold(s);
        s->reading_next = NULL;
        if (live->reading_last)
            live->reading_last->reading_next = s;
        else
            live->reading_first = s;
        live->reading_last = s;
    }
    election_watches_read(live);
}

/* A list of n children is read again at most every n / 40 ms, and at least every quarter of a second. */
#define LIST_CHILDREN_A_MS 40
#define LIST_PAUSE_MOST_MS 250
/* The retry interval for unreadable znodes. */
#define DENIED_AGAIN_MS 10000
/* After this many dead candidates in a row the list is read instead of the next candidate. */
#define CHASE_MOST 3

static void election_watch_list(struct election_watch *s);
static void election_watch_reconcile(struct election_watch *s);

/* ---- guarded znodes ---- */

static bool is_candidate(const struct election_watch *s, const char *path)
{
    size_t length = election_watch_prefix_length(s);
    return strncmp(path, s->path, length) == 0 && path[length] == '/' && path[length + 1];
}

struct guard_read {
    struct node_watch *guard;
    bool has_data;
    char path[];
};

static void guard_ask(struct node_watch *g);
static bool guard_send(struct node_watch *g, bool data);

/* The znode is not there, or may not be read: the model learns that. */
static void guard_report_missing(struct guard_read *r, const struct session_answer *answer)
{
    struct election_watch *s = r->guard->watched;
    election_watch_observe_node(s, r->path, answer, false);
    election_watch_reconcile(s);
}

/* exists was sent, for a znode that was absent, or that may not be read (refused). */
static void guard_take_existence(struct guard_read *r, const struct session_answer *answer)
{
    struct node_watch *g = r->guard;
    bool here = answer->result == SESSION_OK, absent = answer->result == SESSION_NO_NODE;
    if (!g->refused) {
        if (here)
            guard_ask(g); /* it appeared between get and exists */
        return;
    }
    g->armed = here || absent; /* else after the next connection */
    if (absent)
        guard_report_missing(r, answer);
}

/* The answer to a get of a guarded znode: the model needs it, even if another znode is guarded by now (current
 * false). */
static void guard_take_node(struct guard_read *r, const struct session_answer *answer, bool current)
{
    struct node_watch *g = r->guard;
    struct election_watch *s = g->watched;
    bool here = answer->result == SESSION_OK;
    bool lost_leader = g == &s->guards[GUARD_LEADER] && answer->result == SESSION_NO_NODE;
    if (!here && current)
        g->armed = false;
    s->list_outdated |= lost_leader && is_candidate(s, r->path);
    if (lost_leader && ++s->chased >= CHASE_MOST)
        election_watch_list(s);
    election_watch_observe_node(s, r->path, answer, true);
    bool directory = here && answer->stat->owner == 0 && strcmp(r->path, s->path) == 0;
    if (g == &s->guards[GUARD_LEADER] && directory && !s->begun)
        election_watch_begin(s); /* the awaited lock is a directory: read its children */
    election_watch_reconcile(s);
}

/*
 * An answer about a guarded znode, which is perhaps not the one that this guard watches now (current). A
 * znode that may appear again, as a lock or an acknowledgement, is watched by exists while it is absent; so is
 * one that may not be read, as an immediate retry would loop for ever.
 */
static void guard_take_answer(struct guard_read *r, const struct session_answer *answer)
{
    struct node_watch *g = r->guard;
    struct election_watch *s = g->watched;
    bool current = g->entry.path && strcmp(g->entry.path, r->path) == 0;
    bool candidate = is_candidate(s, r->path);
    bool here = answer->result == SESSION_OK, absent = answer->result == SESSION_NO_NODE;
    if (g == &s->guards[GUARD_SELF]) {
        if (here && current)
            election_watch_begin(s); /* it has appeared */
    } else if (current && !r->has_data) {
        guard_take_existence(r, answer);
    } else if (current && !here && (!absent || g != &s->guards[GUARD_LEADER] || !candidate)) {
        g->refused |= !absent;
        g->armed = guard_send(g, false);
        guard_report_missing(r, answer);
    } else if (current || absent || (r->has_data && candidate)) {
        guard_take_node(r, answer, current);
    }
}

static void guard_on_answer(void *context, const struct session_answer *answer)
{
    struct guard_read *r = context;
    struct election_watch *s = r->guard->watched;
    r->guard->asked--;
    if (election_watch_answered(s) && answer->result != SESSION_LOST) {
        if (!s->waking) /* else it was requested before the program was stalled */
            guard_take_answer(r, answer);
        if (s->list_dirty && !s->listing)
            election_watch_list(s);
    }
    free(r);
}

/* Both ways set a watch. */
static bool guard_send(struct node_watch *g, bool data)
{
    struct session_shard *shard = g->watched->shard;
    size_t size = strlen(g->entry.path) + 1;
    struct guard_read *r = xmalloc(sizeof *r + size);
    r->guard = g;
    r->has_data = data;
    memcpy(r->path, g->entry.path, size);
    bool sent = data ? session_get(shard->session, r->path, true, guard_on_answer, r)
                     : session_exists(shard->session, r->path, true, guard_on_answer, r);
    if (!sent) {
        free(r);
        return false;
    }
    g->asked++;
    election_watch_hold(g->watched);
    return true;
}

/*
 * Sets the watch and reads the znode, in one request if it exists. A candidate's name never reappears. A lock
 * or an acknowledgement may, and then exists waits for it.
 */
static void guard_ask(struct node_watch *g)
{
    g->refused = false;
    g->armed = guard_send(g, g != &g->watched->guards[GUARD_SELF]);
}

static void guard_set(struct node_watch *g, const char *path)
{
    struct election_watch *s = g->watched;
    if (g->entry.path && strcmp(g->entry.path, path) == 0) {
        if (!g->armed && !g->refused)
            guard_ask(g);
        return;
    }
    watch_map_put(&s->live->watches, &g->entry, path);
    guard_ask(g);
}

/*
 * The leader is gone. Its successor is requested before the event is reported, so that the request is under
 * way while the event is written.
 */
static void guard_next_in_line(struct node_watch *g)
{
    struct election_watch *s = g->watched;
    char path[PATH_SIZE];
    if (s->election->candidate_count < 2)
        return;
    int length = snprintf(path, sizeof path, "%.*s/%s", (int)election_watch_prefix_length(s), s->path,
                          s->election->candidates[1]->name);
    if (length > 0 && (size_t)length < sizeof path)
        guard_set(g, path);
}

static void on_guard_notice(void *context, enum session_notice notice)
{
    struct node_watch *g = context;
    struct election_watch *s = g->watched;
    if (notice == NOTICE_CHILDREN)
        return;
    g->armed = false;
    if (s->waking)
        return; /* the time of the event is unknown: the list will show it */
    if (g == &s->guards[GUARD_SELF]) {
        election_watch_begin(s);
        return;
    }
    if (notice == NOTICE_DELETED) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s", g->entry.path);
        bool gone_for_good = g == &s->guards[GUARD_LEADER] && is_candidate(s, path);
        if (gone_for_good)
            guard_next_in_line(g);
        election_watch_observe_node(s, path, &(struct session_answer){.result = SESSION_NO_NODE}, false);
        if (gone_for_good) {
            s->chased = 0;
            s->list_outdated |= s->from_walk || s->live->model->one_poll;
            election_watch_reconcile(s);
            return;
        }
    }
    if (g->entry.path)
        guard_ask(g);
}

static void guard_release(struct node_watch *g)
{
    watch_map_remove(&g->watched->live->watches, &g->entry);
    g->armed = false;
}

/* ---- the list ---- */

/* Sets the watches and begins the reads that the model's latest state requires. */
static void election_watch_reconcile(struct election_watch *s)
{
    if (s->ended || session_state(s->shard->session) != CONNECTION_CONNECTED)
        return;
    char path[PATH_SIZE];
    for (unsigned i = 0; i < ELECTION_GUARDS; i++) {
        struct node_watch *g = &s->guards[i];
        if (election_guard(s->election, i, path, sizeof path))
            guard_set(g, path);
        else if (g->entry.path)
            guard_release(g);
    }
    registry_watch_set(&s->registries[REGISTRY_SESSIONS], s->election->registry_path);
    registry_watch_set(&s->registries[REGISTRY_MEMBERS], s->election->members_path);
    if (election_has_unread(s->election))
        election_watch_read_soon(s);
    if (s->from_walk && s->list_outdated && !s->listing)
        election_watch_list(s);
}

static void election_watch_on_timer(uv_timer_t *timer)
{
    struct election_watch *s = timer->data;
    if (s->begun)
        election_watch_list(s);
    else
        election_watch_begin(s);
}

static void election_watch_on_list(void *context, const struct session_answer *answer)
{
    struct election_watch *s = context;
    if (s->late_lists > 0) {
        s->late_lists--;
        election_watch_answered(s);
        return;
    }
    s->listing = s->list_outdated = s->from_walk = false;
    if (!election_watch_answered(s) || answer->result == SESSION_LOST)
        return;
    s->waking = false;
    s->listed_ms = uv_now(s->live->loop);
    s->chased = 0;
    if (answer->result == SESSION_OK) {
        s->absent_ms = 0;
        if (s->guards[GUARD_SELF].entry.path)
            guard_release(&s->guards[GUARD_SELF]);
        struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, s->path);
        o.children =
            (struct observed_children){.stat = answer->stat, .names = answer->names, .count = answer->count};
        election_watch_observe(s, &o);
        election_watch_reconcile(s);
        if (s->list_dirty)
            election_watch_list(s);
        return;
    }
    election_watch_observe_node(s, s->path, answer, false);
    s->begun = false;
    if (answer->result == SESSION_NO_NODE) {
        election_watch_reconcile(s);
        /* A lock's own guard notices its appearance; everything else needs this watch. */
        struct node_watch *leader = &s->guards[GUARD_LEADER];
        if (!leader->entry.path || strcmp(leader->entry.path, s->path) != 0)
            guard_set(&s->guards[GUARD_SELF], s->path);
    } else {
        uv_timer_start(s->timer, election_watch_on_timer, DENIED_AGAIN_MS, 0);
    }
}

/* The next leader is being read. A long list under way would delay that answer at the server. */
static bool leader_is_asked(const struct election_watch *s)
{
    return s->guards[GUARD_LEADER].asked > 0 && s->election->state == ELECTION_ELECTING;
}

/* Reads the list and sets its watch: now, or as soon as its length allows. */
static void election_watch_list(struct election_watch *s)
{
    if (s->listing || leader_is_asked(s)) {
        s->list_dirty = true;
        return;
    }
    uint64_t now = uv_now(s->live->loop), pause = s->election->candidate_count / LIST_CHILDREN_A_MS;
    if (pause > LIST_PAUSE_MOST_MS)
        pause = LIST_PAUSE_MOST_MS;
    if (s->listed_ms && s->chased < CHASE_MOST && now < s->listed_ms + pause) {
        if (!uv_is_active((uv_handle_t *)s->timer))
            uv_timer_start(s->timer, election_watch_on_timer, s->listed_ms + pause - now, 0);
        return;
    }
    uv_timer_stop(s->timer);
    s->list_dirty = false;
    if (session_children(s->shard->session, s->path, true, election_watch_on_list, s)) {
        s->listing = true;
        election_watch_hold(s);
    }
}

/* ---- the same list, after a sync ---- */

static void on_confirmed(void *context, const struct session_answer *answer)
{
    struct election_watch *s = context;
    s->confirming = false;
    if (!election_watch_answered(s) || answer->result != SESSION_OK || s->waking)
        return;
    struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, s->path);
    o.children = (struct observed_children){
        .stat = answer->stat, .names = answer->names, .count = answer->count, .synced_us = s->synced_us};
    election_watch_observe(s, &o);
    election_watch_reconcile(s);
}

static void shard_sync(struct session_shard *shard);

/* All later answers of this server are at least as recent as the sync. */
static void on_synced(void *context, const struct session_answer *answer)
{
    struct session_shard *shard = context;
    struct live_cluster *live = shard->live;
    bool again = shard->sync_again;
    shard->syncing = shard->sync_again = false;
    for (size_t i = 0; answer->result == SESSION_OK && i < live->election_count; i++) {
        struct election_watch *s = live->elections[i];
        bool wanted = s->shard == shard && s->election->awaits_list && !s->absent_ms && !s->confirming;
        if (wanted && session_children(shard->session, s->path, false, on_confirmed, s)) {
            s->synced_us = shard->synced_us;
            s->confirming = true;
            election_watch_hold(s);
        }
    }
    if (again && answer->result == SESSION_OK)
        shard_sync(shard);
}

/* One sync serves all of its elections: it applies to the session, whatever its path. */
static void shard_sync(struct session_shard *shard)
{
    shard->sync_again = shard->syncing; /* that sync began before the latest facts */
    if (shard->syncing)
        return;
    shard->synced_us = clock_now().mono_us;
    shard->syncing = session_sync(shard->session, "/", on_synced, shard);
}

void election_watches_confirm(struct live_cluster *live)
{
    bool wanted[SESSION_SHARDS_MOST] = {false};
    for (size_t i = 0; !live->model->one_poll && i < live->election_count; i++) {
        const struct election_watch *s = live->elections[i];
        wanted[s->shard - live->shards] |= s->election->awaits_list && !s->absent_ms;
    }
    for (size_t i = 0; i < live->shard_count; i++)
        if (wanted[i])
            shard_sync(&live->shards[i]);
}

static void on_children_notice(void *context, enum session_notice notice)
{
    struct election_watch *s = context;
    if (notice != NOTICE_CHILDREN && notice != NOTICE_DELETED)
        return;
    s->live->candidates_changed = true;
    election_watch_list(s);
}

/* ---- itself ---- */

void election_watch_begin(struct election_watch *s)
{
    if (s->ended)
        return;
    for (size_t i = 0; i < GUARD_COUNT; i++)
        s->guards[i].armed = s->guards[i].refused = false;
    s->begun = true;
    s->waking = false;
    s->listing = false;
    s->listed_ms = 0;
    s->chased = 0;
    uv_timer_stop(s->timer);
    election_requeue_unread(s->election);
    for (size_t i = 0; i < REGISTRIES; i++)
        registry_watch_again(&s->registries[i]);
    election_watch_list(s);
}

/* Begins with the results of the walk. Each fact is as old as its own answer. */
static void election_watch_take(struct election_watch *s, const struct election_seen *seen)
{
    struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, s->path);
    o.at = seen->listed;
    o.children = (struct observed_children){.stat = &seen->stat, .names = seen->names, .count = seen->count};
    s->begun = s->from_walk = true;
    s->listed_ms = uv_now(s->live->loop);
    election_watch_observe(s, &o);
    o = live_observation(s->live, OBSERVED_NODE, s->path, seen->child);
    o.at = seen->read;
    o.node = (struct observed_node){
        .stat = seen->child_stat, .has_data = true, .data = seen->data, .data_length = seen->length};
    election_watch_observe(s, &o);
    char leader[PATH_SIZE];
    if (election_guard(s->election, GUARD_LEADER, leader, sizeof leader) &&
        strcmp(leader, seen->child) == 0) {
        watch_map_put(&s->live->watches, &s->guards[GUARD_LEADER].entry, leader);
        s->guards[GUARD_LEADER].armed = true;
    }
    election_watch_reconcile(s);
}

static bool same_path(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

void election_watch_unread(struct election_watch *s, const char *path, bool list)
{
    const struct election *e = s->election;
    bool lock = e->recipe && e->recipe->family == FAMILY_LOCK, itself = same_path(s->path, path);
    bool ack =
        same_path(e->ack_path, path) || same_path(e->registry_path, path) || same_path(e->members_path, path);
    struct observation o = live_observation(s->live, OBSERVED_UNREAD, s->path, path);
    o.unread.part = itself && (list || lock) ? UNREAD_LIST : UNREAD_ACK;
    if (ack || o.unread.part == UNREAD_LIST)
        election_watch_observe(s, &o);
}

void election_watch_woke(struct election_watch *s)
{
    if (session_state(s->shard->session) != CONNECTION_CONNECTED)
        return; /* it is read afterwards */
    s->late_lists += s->listing;
    election_watch_begin(s);
    s->waking = true;
}

struct election_watch *election_watch_new(struct live_cluster *live, struct session_shard *shard,
                                          const char *path, const struct election_settings *settings,
                                          enum election_origin origin, const struct election_seen *seen)
{
    struct election_watch *s = xcalloc(1, sizeof *s);
    uv_timer_t *timer = loop_timer_new(live->loop, s);
    s->path = xstrdup(path);
    s->reconcile = election_watch_reconcile;
    s->live = live;
    s->shard = shard;
    s->origin = origin;
    s->timer = timer;
    s->references = 1;
    s->children = (struct watch_entry){.notice = on_children_notice, .context = s};
    for (size_t i = 0; i < REGISTRIES; i++)
        registry_watch_init(&s->registries[i], s);
    for (size_t i = 0; i < GUARD_COUNT; i++)
        s->guards[i] =
            (struct node_watch){.watched = s, .entry = {.notice = on_guard_notice, .context = &s->guards[i]}};

    struct observation o = live_observation(live, OBSERVED_ELECTION, s->path, s->path);
    o.subject = (struct observed_election){.origin = origin, .settings = settings};
    if (seen)
        o.at = seen->listed;
    election_watch_observe(s, &o);
    s->election = model_election(live->model, live->index, path);
    watch_map_put(&live->watches, &s->children, path);
    if (seen && session_state(shard->session) == CONNECTION_CONNECTED)
        election_watch_take(s, seen);
    else if (session_state(shard->session) == CONNECTION_CONNECTED)
        election_watch_begin(s);
    return s;
}

void election_watch_free(struct election_watch *s)
{
    if (!s)
        return;
    s->ended = true;
    watch_map_remove(&s->live->watches, &s->children);
    for (size_t i = 0; i < REGISTRIES; i++) {
        member_watches_drop(&s->registries[i], NULL, 0);
        watch_map_remove(&s->live->watches, &s->registries[i].entry);
    }
    for (size_t i = 0; i < GUARD_COUNT; i++)
        guard_release(&s->guards[i]);
    loop_timer_free(s->timer);
    struct observation o = live_observation(s->live, OBSERVED_DROPPED, s->path, s->path);
    election_watch_observe(s, &o);
    s->election = NULL;
    election_watch_release(s);
}

const char *election_watch_path(const struct election_watch *s)
{
    return s->path;
}

size_t election_watch_unknown(const struct election_watch *s)
{
    return s->election->unknown_count;
}

struct session_shard *election_watch_shard(const struct election_watch *s)
{
    return s->shard;
}

/* The directory that lists the members. */
static bool members_are_read(const struct election_watch *s)
{
    return !s->registries[REGISTRY_MEMBERS].listing && members_unread(s->election) == 0;
}

bool election_watch_complete(const struct election_watch *s)
{
    return election_complete(s->election) && members_are_read(s) && !election_has_unread(s->election) &&
           s->reads == 0 && s->guards[GUARD_LEADER].asked == 0 && !s->list_outdated;
}

void election_watch_cut(struct election_watch *s)
{
    if (s->list_outdated)
        election_watch_unread(s, s->path, true);
}

bool election_watch_is_forgotten(const struct election_watch *s, uint64_t now_ms)
{
    uint64_t kept_ms = election_absent_kept_ms(s->election);
    return s->absent_ms && kept_ms && now_ms - s->absent_ms > kept_ms;
}
