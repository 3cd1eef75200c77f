#include "probe/watch/live_cluster.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "config/text.h"
#include "config/units.h"
#include "config/znode_path.h"
#include "probe/clock.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/watch/discover.h"
#include "probe/watch/pattern.h"
#include "probe/watch/election_watch.h"
#include "probe/watch/ensemble_watch.h"
#include "probe/watch/capture_follower.h"
#include "probe/watch/log_follower.h"
#include "probe/watch/observer_watch.h"
#include "probe/watch/replica_check.h"

static uint32_t watch_map_hash(const char *path)
{
    return hash_bytes(path, strlen(path), 0);
}

static uint32_t watch_entry_hash(const struct hash_link *link)
{
    return watch_map_hash(HASH_ENTRY(link, struct watch_entry, by_path)->path);
}

void watch_map_put(struct watch_map *map, struct watch_entry *entry, const char *path)
{
    if (entry->path && strcmp(entry->path, path) == 0)
        return;
    char *copy = xstrdup(path);
    watch_map_remove(map, entry);
    entry->path = copy;
    map->by_path.hash_of = watch_entry_hash;
    hash_table_add(&map->by_path, &entry->by_path);
}

void watch_map_remove(struct watch_map *map, struct watch_entry *entry)
{
    if (!entry->path)
        return;
    hash_table_remove(&map->by_path, &entry->by_path);
    free(entry->path);
    entry->path = NULL;
}

/* A handler may change the map, so the chain is searched again after each call; few entries share a path. */
#define SHARERS_MOST 64

void watch_map_notify(struct watch_map *map, enum session_notice notice, const char *path)
{
    struct watch_entry *reported[SHARERS_MOST];
    size_t count = 0;
    for (;;) {
        struct watch_entry *e = watch_map_next(map, path, NULL);
        for (; e; e = watch_map_next(map, path, e)) {
            size_t i = 0;
            while (i < count && reported[i] != e)
                i++;
            if (i == count)
                break;
        }
        if (!e || count == SHARERS_MOST)
            return;
        reported[count++] = e;
        e->notice(e->context, notice);
    }
}

struct watch_entry *watch_map_next(const struct watch_map *map, const char *path,
                                   const struct watch_entry *after)
{
    struct hash_link *link =
        after ? after->by_path.next : hash_table_first(&map->by_path, watch_map_hash(path));
    while (link && strcmp(HASH_ENTRY(link, struct watch_entry, by_path)->path, path) != 0)
        link = link->next;
    return link ? HASH_ENTRY(link, struct watch_entry, by_path) : NULL;
}

void watch_map_clear(struct watch_map *map)
{
    for (struct hash_link *link = hash_table_walk(&map->by_path, NULL), *next; link; link = next) {
        next = hash_table_walk(&map->by_path, link);
        struct watch_entry *e = HASH_ENTRY(link, struct watch_entry, by_path);
        free(e->path);
        e->path = NULL;
    }
    hash_table_clear(&map->by_path);
}

const char *live_name(const struct live_cluster *live)
{
    const char *name = live->cluster->name;
    return name && *name ? name : live->cluster->hosts;
}

struct observation live_observation(const struct live_cluster *live, enum observation_kind kind,
                                    const char *election, const char *path)
{
    return (struct observation){
        .kind = kind, .at = clock_now(), .cluster = live->index, .election = election, .path = path};
}

void live_observe(const struct live_cluster *live, const struct observation *observation)
{
    model_observe(live->model, observation);
    capture_follower_learn(live->packets, observation);
    if (live->servers)
        ensemble_watch_news(live->servers);
}

void live_bad_reply(const struct live_cluster *live, const char *server, const char *what)
{
    struct observation o = live_observation(live, OBSERVED_BAD_REPLY, NULL, NULL);
    const char *known = live->servers ? ensemble_watch_address_of(live->servers, server) : NULL;
    o.bad_reply = (struct observed_bad_reply){.address = known ? known : server, .what = what};
    live_observe(live, &o);
}

void live_show_denied(struct live_cluster *live, const char *path, const struct election_settings *settings,
                      enum election_origin origin, bool denied)
{
    enum observation_kind kinds[] = {OBSERVED_ELECTION, OBSERVED_DENIED, OBSERVED_DROPPED};
    for (size_t i = denied ? 0 : 2; i < (denied ? 2u : 3u); i++) {
        struct observation o = live_observation(live, kinds[i], path, path);
        if (kinds[i] == OBSERVED_ELECTION)
            o.subject = (struct observed_election){.origin = origin, .settings = settings};
        live_observe(live, &o);
    }
}

bool live_watches(const struct live_cluster *live, const char *path)
{
    return model_election(live->model, live->index, path) != NULL;
}

/* The interval of housekeeping: removes vanished elections that are not configured, retries unreadable
 * directories. */
#define SLOW_MS 10000
/* While a user is watching: the turns of a timer, how long a server says nothing before it is probed, and
 * how many turns without an answer count as silence. */
#define PULSE_MS 150
#define PULSE_UNHEARD_MS 300
#define PULSES_SILENT 4
/* Reads that a notification, a new election or a new connection may lead to, beside those of the entries of
 * its lists: of the leader, the acknowledgements and the registries. */
#define NEWS_READS (2 * ELECTION_GUARDS + 8)

static bool all_shards_connected(const struct live_cluster *live)
{
    for (size_t i = 0; i < live->shard_count; i++)
        if (live->shards[i].counted && session_state(live->shards[i].session) != CONNECTION_CONNECTED)
            return false;
    return true;
}

static const char *refusing(const struct live_cluster *live)
{
    for (size_t i = 0; i < live->shard_count; i++)
        if (live->shards[i].refusing)
            return live->shards[i].refusing;
    return NULL;
}

/* Reports the cluster's own state, with anything that prevents observation. */
static void live_cluster_observe_connection(struct live_cluster *live, enum connection_state state,
                                            const char *problem)
{
    char *missing = NULL;
    bool sees_all = false;
    if (live->chroot_missing && state == CONNECTION_CONNECTED)
        missing = text_format("the chroot %s does not exist on this cluster; check --server", live->chroot);
    else if (refusing(live) && state == CONNECTION_CONNECTED)
        problem = refusing(live);
    else if (live->cut && state == CONNECTION_CONNECTED)
        problem = "the search for elections was not finished in time; wait longer, or name their paths";
    else if (state == CONNECTION_CONNECTED && live->discover && discover_left_out(live->discover)) {
        problem = discover_left_out(live->discover);
        sees_all = discover_sees_all(live->discover);
    } else if (state == CONNECTION_CONNECTED && live->misnamed)
        problem = live->misnamed;
    int64_t silent_us = 0;
    for (size_t i = 0; i < live->shard_count; i++) {
        int64_t shard_us = session_silent_us(live->shards[i].session);
        silent_us = shard_us > silent_us ? shard_us : silent_us;
    }
    struct observation o = live_observation(live, OBSERVED_CONNECTION, NULL, NULL);
    o.connection = (struct observed_connection){.state = state,
                                                .session = session_id(live->session),
                                                .timeout_ms = session_timeout_ms(live->session),
                                                .server = session_server(live->session),
                                                .silent_us = silent_us,
                                                .problem = missing ? missing : problem,
                                                .sees_all = sees_all,
                                                .no_chroot = missing != NULL};
    live_observe(live, &o);
    free(missing);
}

void live_cluster_left_out(struct live_cluster *live)
{
    if (all_shards_connected(live))
        live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
}

static void chroot_ask(struct live_cluster *live);

static void on_chroot(void *context, const struct session_answer *answer)
{
    struct live_cluster *live = context;
    bool missing = answer->result == SESSION_NO_NODE;
    if ((answer->result != SESSION_OK && !missing) || missing == live->chroot_missing)
        return;
    live->chroot_missing = missing;
    log_line(LOG_LEVEL_WARNING, "%s: the chroot %s %s", live_name(live), live->chroot,
             missing ? "does not exist" : "exists now");
    if (all_shards_connected(live))
        live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    if (missing)
        chroot_ask(live);
    else if (live->discover)
        discover_begin(live->discover, true);
}

/* The chroot is watched only while it is missing. Once it exists, the watches below it suffice. */
static void chroot_ask(struct live_cluster *live)
{
    if (*live->chroot)
        session_exists(live->session, live->chroot, live->chroot_missing, on_chroot, live);
}

static void on_chroot_notice(void *context, enum session_notice notice)
{
    if (notice == NOTICE_CREATED || notice == NOTICE_DELETED)
        chroot_ask(context);
}

static void log_state(struct session_shard *shard, enum connection_state state, const char *problem)
{
    char timeout[UNITS_TEXT];
    const char *name = live_name(shard->live), *server = session_server(shard->session);
    if (state == CONNECTION_CONNECTED) {
        shard->id = session_id(shard->session);
        log_line(LOG_LEVEL_INFO, "%s: connected to %s, session 0x%" PRIx64 ", timeout %s", name,
                 server ? server : "?", shard->id,
                 duration_print(session_timeout_ms(shard->session), timeout, sizeof timeout));
    } else if (state == CONNECTION_EXPIRED) {
        log_line(LOG_LEVEL_WARNING, "%s: session 0x%" PRIx64 " has ended (%s); electop begins a new one",
                 name, shard->id, problem ? problem : "expired");
    } else if (state == CONNECTION_REFUSED) {
        log_line(LOG_LEVEL_ERROR, "%s: %s; it will not be tried again", name, problem ? problem : "refused");
    }
}

static void on_failed(void *context, const char *problem)
{
    struct session_shard *shard = context;
    log_line(LOG_LEVEL_WARNING, "%s: %s", live_name(shard->live), problem);
}

static void on_bad_reply(void *context, const char *server, const char *what)
{
    struct session_shard *shard = context;
    live_bad_reply(shard->live, server, what);
}

/* Refusals are reported with the cluster, and with facts that they make uncertain. Discovery, patterns and
 * first reads only take longer. */
static void on_refused(void *context, const char *path, bool list, const char *problem)
{
    struct session_shard *shard = context;
    struct live_cluster *live = shard->live;
    bool begins = path && !shard->refusing;
    if (begins || !path) {
        log_line(LOG_LEVEL_WARNING, "%s: %s", live_name(live),
                 path ? problem : "the servers answer all requests again");
        free(shard->refusing);
        shard->refusing = path ? xstrdup(problem) : NULL;
        if (all_shards_connected(live))
            live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    }
    for (size_t i = 0; path && i < live->election_count; i++)
        if (election_watch_shard(live->elections[i]) == shard)
            election_watch_unread(live->elections[i], path, list);
}

static void misnamed_changed(struct live_cluster *live)
{
    if (live->discover)
        discover_misnamed(live->discover);
    live_cluster_left_out(live);
}

static void misnamed_forget(struct live_cluster *live)
{
    free(live->misnamed);
    free(live->misnamed_at);
    live->misnamed = live->misnamed_at = NULL;
    live->misnamed_more = false;
}

/* The first is enough: no ZooKeeper has such children. Where other lists had some, too, it is kept until all
 * are read again. */
static void on_misnamed(void *context, const char *path, const char *name)
{
    struct session_shard *shard = context;
    struct live_cluster *live = shard->live;
    bool there = live->misnamed_at && strcmp(live->misnamed_at, path) == 0;
    if (!name && there && !live->misnamed_more) {
        misnamed_forget(live);
        misnamed_changed(live);
    }
    if (!name || live->misnamed) {
        live->misnamed_more |= name && !there;
        return;
    }
    live->misnamed_at = xstrdup(path);
    const char *below = path + strlen(live->chroot);
    char *child = text_format("%s/%s", strcmp(below, "/") == 0 ? "" : below, name);
    live->misnamed = text_format(
        "children whose names ZooKeeper refuses are listed and cannot be read: such as %s", child);
    free(child);
    log_line(LOG_LEVEL_WARNING, "%s: %s", live_name(live), live->misnamed);
    misnamed_changed(live);
}

/* A new connection: everything may have changed. */
static void election_begin_again(struct live_cluster *live, size_t i)
{
    read_account_grant(live->account, NEWS_READS + election_watch_unknown(live->elections[i]));
    election_watch_begin(live->elections[i]);
}

static void live_cluster_on_state(void *context, enum connection_state state, bool renewed,
                                  const char *problem)
{
    struct session_shard *shard = context;
    struct live_cluster *live = shard->live;
    free(shard->refusing);
    shard->refusing = NULL;
    log_state(shard, state, problem);
    if (state == CONNECTION_CONNECTED)
        shard->moved_us = renewed ? 0 : clock_now().mono_us;
    if (state == CONNECTION_CONNECTED && renewed)
        observer_watch_begin(shard->observer);
    else if (state == CONNECTION_CONNECTED)
        observer_watch_changed(shard->observer);
    bool joins = state == CONNECTION_CONNECTED && !shard->counted && shard != live->shards;
    shard->counted |= state == CONNECTION_CONNECTED || shard == live->shards;
    if (joins) {
        /* A further session for more elections: the others stay connected. */
        for (size_t i = 0; i < live->election_count; i++)
            if (election_watch_shard(live->elections[i]) == shard)
                election_begin_again(live, i);
        return;
    }
    if (!shard->counted || (state == CONNECTION_CONNECTED && !all_shards_connected(live)))
        return;
    if (state == CONNECTION_CONNECTED) /* all lists are read again */
        misnamed_forget(live);
    live_cluster_observe_connection(live, state, problem);
    if (state != CONNECTION_CONNECTED)
        return;
    read_account_grant(live->account, 2); /* with a watch, if it is missing */
    chroot_ask(live);
    for (size_t i = 0; i < live->election_count; i++)
        election_begin_again(live, i);
    for (size_t i = 0; i < live->pattern_count; i++)
        pattern_begin(live->patterns[i]);
    if (live->discover)
        discover_begin(live->discover, renewed && shard == live->shards);
    if (live->servers)
        ensemble_watch_connected(live->servers);
}

static void live_cluster_on_notice(void *context, enum session_notice notice, const char *path)
{
    struct session_shard *shard = context;
    read_account_grant(shard->live->account, NEWS_READS);
    watch_map_notify(&shard->live->watches, notice, path);
}

static void live_cluster_on_reading(void *context)
{
    struct session_shard *shard = context;
    struct live_cluster *live = shard->live;
    int64_t silent_us = session_silent_us(shard->session);
    if (live->reading)
        live->reading(live->context);
    if (silent_us == 0 || !all_shards_connected(live))
        return;
    log_line(LOG_LEVEL_WARNING,
             "%s: not heard from for %lld ms: electop now reads what happened in that time", live_name(live),
             (long long)(silent_us / 1000));
    live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    live_woke(live);
}

static void live_cluster_on_delay(void *context, const char *path)
{
    const struct live_cluster *live = context;
    struct read_figures reads = read_account_figures(live->account);
    log_line(LOG_LEVEL_INFO,
             "%s: without news electop reads %d times a second at most: %zu reads wait, such as that of %s",
             live_name(live), READS_PER_S, reads.waiting, path);
}

static void shard_on_child_watches(void *context)
{
    struct session_shard *shard = context;
    observer_watch_changed(shard->observer);
}

static bool shard_open(struct live_cluster *live)
{
    static const struct session_listener listener = {.state = live_cluster_on_state,
                                                     .failed = on_failed,
                                                     .bad_reply = on_bad_reply,
                                                     .refused = on_refused,
                                                     .misnamed = on_misnamed,
                                                     .reading = live_cluster_on_reading,
                                                     .notice = live_cluster_on_notice,
                                                     .child_watches = shard_on_child_watches};
    struct session_options options = {.hosts = live->hosts,
                                      .timeout_ms = (int)live->cluster->session_timeout_ms,
                                      .auth_scheme = live->cluster->auth_scheme,
                                      .auth_credential = live->cluster->auth_credential,
                                      .counts_children = true,
                                      .account = live->account,
                                      .security = &live->cluster->security};
    struct session_shard *shard = &live->shards[live->shard_count];
    *shard = (struct session_shard){.live = live};
    shard->session = session_open(live->loop, &options, &listener, shard);
    if (!shard->session)
        return false;
    shard->observer = observer_watch_new(live, shard->session);
    live->shard_count++;
    return true;
}

/* The three watches of an election at path. */
static size_t shard_share(const char *path)
{
    return 3 * (strlen(path) + 64);
}

/* A shard with room for an election at path. */
static struct session_shard *shard_for(struct live_cluster *live, const char *path)
{
    size_t i = 0, bytes = shard_share(path);
    while (i < live->shard_count && live->shards[i].path_bytes + bytes > SESSION_SHARD_PATH_BYTES)
        i++;
    if (i == live->shard_count && (i == SESSION_SHARDS_MOST || !shard_open(live))) {
        log_line(LOG_LEVEL_WARNING, "%s: too many elections for %d sessions; left out: %s", live_name(live),
                 SESSION_SHARDS_MOST, path);
        return NULL;
    }
    live->shards[i].path_bytes += bytes;
    return &live->shards[i];
}

void live_cluster_watch(struct live_cluster *live, const char *path, const struct election_settings *settings,
                        enum election_origin origin, const struct election_seen *seen)
{
    if (live_watches(live, path))
        return;
    room_for_one(&live->elections, live->election_count, &live->election_room,
                 sizeof(struct election_watch *));
    struct session_shard *shard = shard_for(live, path);
    if (!shard)
        return;
    static const char *const why[] = {"named", "matches a pattern", "discovered",
                                      "a pattern ends in its name", "was recorded"};
    read_account_grant(live->account, NEWS_READS + (seen ? 2 * seen->count : 0));
    live->elections[live->election_count++] = election_watch_new(live, shard, path, settings, origin, seen);
    log_line(LOG_LEVEL_INFO, "%s: watching %s (%s)", live_name(live), path, why[origin]);
}

static void live_cluster_forget(struct live_cluster *live, struct election_watch *s)
{
    /* The watch that waited for its return remains in the library. */
    election_watch_shard(s)->path_bytes -= shard_share(election_watch_path(s)) / 3 * 2;
    log_line(LOG_LEVEL_INFO, "%s: deleted long ago, no longer watched: %s", live_name(live),
             election_watch_path(s));
    election_watch_free(s);
}

static void on_slow(uv_timer_t *timer)
{
    struct live_cluster *live = timer->data;
    uint64_t now = uv_now(live->loop);
    size_t kept = 0;
    for (size_t i = 0; i < live->election_count; i++) {
        if (election_watch_is_forgotten(live->elections[i], now))
            live_cluster_forget(live, live->elections[i]);
        else
            live->elections[kept++] = live->elections[i];
    }
    live->election_count = kept;
    election_watches_read_again(live);
    for (size_t i = 0; i < live->pattern_count; i++)
        pattern_try_again(live->patterns[i]);
}

static void observe_silence(struct live_cluster *live, struct moment since)
{
    struct observation o = live_observation(live, OBSERVED_SILENCE, NULL, NULL);
    o.silent_since = since;
    live_observe(live, &o);
}

static void on_pulse_answer(void *context, const struct session_answer *answer)
{
    (void)answer;
    struct live_cluster *live = context;
    bool was_silent = live->unanswered >= PULSES_SILENT;
    live->asked = (struct moment){0, 0};
    live->unanswered = 0;
    if (was_silent)
        observe_silence(live, live->asked);
}

/* Counts turns instead of time: if this program itself was stalled, an answer is waiting to be read. */
static void on_pulse(uv_timer_t *timer)
{
    struct live_cluster *live = timer->data;
    if (session_state(live->session) != CONNECTION_CONNECTED) {
        live->unanswered = 0;
    } else if (!live->asked.mono_us) {
        bool silent = session_unheard_ms(live->session) >= PULSE_UNHEARD_MS;
        if (silent && session_probe(live->session, on_pulse_answer, live))
            live->asked = clock_now();
    } else if (++live->unanswered == PULSES_SILENT) {
        observe_silence(live, live->asked);
    }
}

void live_attend(struct live_cluster *live)
{
    if (!live->pulse)
        live->pulse = loop_timer_new(live->loop, live);
    uv_timer_start(live->pulse, on_pulse, PULSE_MS, PULSE_MS);
}

bool live_complete(struct live_cluster *live)
{
    if (session_state(live->session) == CONNECTION_REFUSED)
        return true;
    if (live->discover && !discover_complete(live->discover))
        return false;
    for (size_t i = 0; i < live->shard_count; i++)
        if (session_state(live->shards[i].session) != CONNECTION_CONNECTED)
            return false;
    for (size_t i = 0; i < live->pattern_count; i++)
        if (!pattern_complete(live->patterns[i]))
            return false;
    /* This is called after every event, so it begins where the last check found something incomplete. */
    for (size_t n = 0; n < live->election_count; n++) {
        size_t i = (live->incomplete_from + n) % live->election_count;
        if (!election_watch_complete(live->elections[i])) {
            live->incomplete_from = i;
            return false;
        }
    }
    return (!live->servers || ensemble_watch_rounds(live->servers) > 0) &&
           capture_follower_complete(live->packets) && log_follower_complete(live->log);
}

uint64_t live_comparison_due_ms(struct live_cluster *live)
{
    return replica_check_due_ms(live->replicas);
}

bool live_cut(struct live_cluster *live)
{
    bool searched = !live->discover || discover_complete(live->discover);
    for (size_t i = 0; i < live->election_count; i++)
        election_watch_cut(live->elections[i]);
    for (size_t i = 0; i < live->pattern_count; i++)
        searched &= pattern_complete(live->patterns[i]);
    if (searched || !live->model->clusters[live->index].ever_connected)
        return false;
    live->cut = true;
    if (all_shards_connected(live) && session_state(live->session) == CONNECTION_CONNECTED)
        live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    return true;
}

void live_ask(struct live_cluster *live)
{
    if (live->servers)
        ensemble_watch_demand(live->servers);
}

bool live_is_asking(const struct live_cluster *live)
{
    return live->servers && ensemble_watch_is_demanded(live->servers);
}

void live_woke(struct live_cluster *live)
{
    for (size_t i = 0; i < live->election_count; i++) {
        read_account_grant(live->account, NEWS_READS);
        election_watch_woke(live->elections[i]);
    }
}

void live_stop(struct live_cluster *live)
{
    replica_check_end(live->replicas);
    ensemble_watch_free(live->servers);
    live->servers = NULL; /* later observations poll no server */
    log_follower_free(live->log);
    capture_follower_free(live->packets);
    live->packets = NULL;
    discover_free(live->discover);
    for (size_t i = 0; i < live->pattern_count; i++)
        pattern_free(live->patterns[i]);
    for (size_t i = 0; i < live->election_count; i++)
        election_watch_free(live->elections[i]);
    /* Closing answers pending requests, which may refer to all of the above: they end with the last
     * answer. */
    for (size_t i = 0; i < live->shard_count; i++) {
        session_close(live->shards[i].session);
        observer_watch_free(live->shards[i].observer);
        free(live->shards[i].refusing);
    }
    election_watches_read(live); /* releases those that still wait for their turn */
    watch_map_clear(&live->watches);
    read_account_free(live->account);
    loop_timer_free(live->slow);
    loop_timer_free(live->pulse);
    free(live->patterns);
    free(live->elections);
    free(live->hosts);
    free(live->chroot);
    misnamed_forget(live);
    free(live);
}

void live_known(struct live_cluster *live, const char *path)
{
    for (size_t i = 0; i < live->pattern_count; i++)
        pattern_known(live->patterns[i], path);
    if (live->discover) /* with its settings, where no pattern has its own */
        discover_known(live->discover, path);
}

bool live_discovery(const struct live_cluster *live, struct discovery *state)
{
    if (live->discover)
        *state = discover_state(live->discover);
    return live->discover;
}

static void watch_configured(struct live_cluster *live)
{
    const struct cluster_settings *cluster = live->cluster;
    live->patterns = xcalloc(cluster->election_count + 1, sizeof *live->patterns);
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election_settings *election = &cluster->elections[i];
        char *path = znode_path_join(live->chroot, election->path);
        if (znode_is_pattern(path)) {
            struct pattern *pattern = pattern_new(live, path, election);
            live->patterns[live->pattern_count++] = pattern;
        } else {
            live_cluster_watch(live, path, election, ORIGIN_CONFIGURED, NULL);
        }
        free(path);
    }
    if (cluster->election_count == 0 || live->settings->discover.always)
        live->discover = discover_new(live, &live->settings->discover, &live->settings->discovered);
}

struct live_cluster *live_new(uv_loop_t *loop, struct model *model, const struct settings *settings,
                              unsigned cluster, char **error)
{
    struct live_cluster *live = xcalloc(1, sizeof *live);
    live->loop = loop;
    live->model = model;
    live->settings = settings;
    live->cluster = &settings->clusters[cluster];
    live->index = cluster;
    struct connect_string parsed;
    char *unread = NULL;
    if (connect_string_parse(live->cluster->hosts, &parsed, &unread)) {
        live->hosts = xstrdup(parsed.hosts);
        live->chroot = xstrdup(parsed.chroot);
        connect_string_free(&parsed);
    }
    free(unread);
    live->packets = capture_follower_new(live, error);
    live->slow = loop_timer_new(loop, live);
    live->account = read_account_new(loop, live_cluster_on_delay, live);
    if (*error || !live->hosts || !shard_open(live)) {
        capture_follower_free(live->packets);
        loop_timer_free(live->slow);
        read_account_free(live->account);
        free(live->hosts);
        free(live->chroot);
        free(live);
        return NULL;
    }
    live->session = live->shards[0].session;
    uv_timer_start(live->slow, on_slow, SLOW_MS, SLOW_MS);
    live->servers = ensemble_watch_new(live);
    live->log = log_follower_new(live);
    live->replicas = replica_check_begin(live);
    live->chroot_entry = (struct watch_entry){.notice = on_chroot_notice, .context = live};
    watch_map_put(&live->watches, &live->chroot_entry, live->chroot);
    watch_configured(live);
    return live;
}
