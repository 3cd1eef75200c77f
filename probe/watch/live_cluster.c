#include "probe/watch/cluster_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/connect_string.h"
#include "config/room.h"
#include "config/text.h"
#include "config/units.h"
#include "config/znode_path.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/watch/discover.h"
#include "probe/watch/observer_mark.h"
#include "probe/watch/log_follower.h"
#include "probe/watch/pattern.h"
#include "probe/watch/replica_check.h"
#include "probe/watch/ensemble_watch.h"
#include "probe/watch/election_watch.h"
#include "probe/watch/candidate_reads.h"

/* Housekeeping: vanished elections that are not configured are removed, refused directories tried again. */
#define SLOW_MS 10000

static bool all_connected(const struct live *live)
{
    for (size_t i = 0; i < live->lane_count; i++)
        if (live->lanes[i].counted && session_state(live->lanes[i].session) != CONNECTION_CONNECTED)
            return false;
    return true;
}

static const char *refusing(const struct live *live)
{
    for (size_t i = 0; i < live->lane_count; i++)
        if (live->lanes[i].refusing)
            return live->lanes[i].refusing;
    return NULL;
}

/* The cluster's own state, with what keeps anything from being seen there. */
static void live_cluster_observe_connection(struct live *live, enum connection_state state,
                                            const char *problem)
{
    char *missing = NULL;
    if (live->chroot_missing && state == CONNECTION_CONNECTED)
        missing = text_format("the chroot %s does not exist on this cluster; check --server", live->chroot);
    else if (live->cut && state == CONNECTION_CONNECTED)
        problem = "the search for elections was not finished in time; wait longer, or name their paths";
    else if (refusing(live) && state == CONNECTION_CONNECTED)
        problem = refusing(live);
    else if (live->discover && state == CONNECTION_CONNECTED)
        problem = discover_left_out(live->discover);
    int64_t silent_us = 0;
    for (size_t i = 0; i < live->lane_count; i++) {
        int64_t lane_us = session_silent_us(live->lanes[i].session);
        silent_us = lane_us > silent_us ? lane_us : silent_us;
    }
    struct observation o = live_observation(live, OBSERVED_CONNECTION, NULL, NULL);
    o.connection = (struct observed_connection){.state = state,
                                                .session = session_id(live->session),
                                                .timeout_ms = session_timeout_ms(live->session),
                                                .server = session_server(live->session),
                                                .silent_us = silent_us,
                                                .problem = missing ? missing : problem};
    model_observe(live->model, &o);
    free(missing);
}

static void left_out(struct live *live)
{
    if (all_connected(live))
        live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
}

static void chroot_ask(struct live *live);

static void on_chroot(void *context, enum session_result result, const struct znode_stat *stat,
                      const void *data, size_t length)
{
    (void)stat, (void)data, (void)length;
    struct live *live = context;
    bool missing = result == SESSION_NO_NODE;
    if ((result != SESSION_OK && !missing) || missing == live->chroot_missing)
        return;
    live->chroot_missing = missing;
    log_line(LOG_LEVEL_WARNING, "%s: the chroot %s %s", live_name(live), live->chroot,
             missing ? "does not exist" : "exists now");
    if (all_connected(live))
        live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    if (missing)
        chroot_ask(live);
    else if (live->discover)
        discover_begin(live->discover);
}

/* It is watched only while it is missing: what there is to see below an existing one has its own watches. */
static void chroot_ask(struct live *live)
{
    if (*live->chroot)
        session_exists(live->session, live->chroot, live->chroot_missing, on_chroot, live);
}

static void on_chroot_notice(void *context, enum session_notice notice)
{
    if (notice == NOTICE_CREATED || notice == NOTICE_DELETED)
        chroot_ask(context);
}

static void log_state(struct lane *lane, enum connection_state state, const char *problem)
{
    char timeout[UNITS_TEXT];
    const char *name = live_name(lane->live), *server = session_server(lane->session);
    if (state == CONNECTION_CONNECTED) {
        lane->id = session_id(lane->session);
        log_line(LOG_LEVEL_INFO, "%s: connected to %s, session 0x%" PRIx64 ", timeout %s", name,
                 server ? server : "?", lane->id,
                 duration_print(session_timeout_ms(lane->session), timeout, sizeof timeout));
    } else if (state == CONNECTION_EXPIRED) {
        log_line(LOG_LEVEL_WARNING, "%s: session 0x%" PRIx64 " is over (%s); a new one is begun", name,
                 lane->id, problem ? problem : "expired");
    } else if (state == CONNECTION_REFUSED) {
        log_line(LOG_LEVEL_ERROR, "%s: %s; it will not be tried again", name, problem ? problem : "refused");
    }
}

static void on_failed(void *context, const char *problem)
{
    struct lane *lane = context;
    log_line(LOG_LEVEL_WARNING, "%s: %s", live_name(lane->live), problem);
}

static void on_bad_reply(void *context, const char *server, const char *what)
{
    struct lane *lane = context;
    live_bad_reply(lane->live, server, what);
}

/* Reported with the cluster, and with facts that are uncertain because of it; discovery, patterns and
   first reads just take longer. */
static void on_refused(void *context, const char *path, bool list, const char *problem)
{
    struct lane *lane = context;
    struct live *live = lane->live;
    bool begins = path && !lane->refusing;
    if (begins || !path) {
        log_line(LOG_LEVEL_WARNING, "%s: %s", live_name(live), path ? problem : "all is answered again");
        free(lane->refusing);
        lane->refusing = path ? strdup(problem) : NULL;
        if (all_connected(live))
            live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    }
    for (size_t i = 0; path && i < live->subject_count; i++)
        if (election_watch_lane(live->subjects[i]) == lane)
            election_watch_unread(live->subjects[i], path, list);
}

static void live_cluster_on_state(void *context, enum connection_state state, bool renewed,
                                  const char *problem)
{
    struct lane *lane = context;
    struct live *live = lane->live;
    free(lane->refusing);
    lane->refusing = NULL;
    log_state(lane, state, problem);
    if (state == CONNECTION_CONNECTED && renewed)
        observer_mark_begin(lane->mark);
    else if (state == CONNECTION_CONNECTED)
        observer_mark_changed(lane->mark);
    bool joins = state == CONNECTION_CONNECTED && !lane->counted && lane != live->lanes;
    lane->counted |= state == CONNECTION_CONNECTED || lane == live->lanes;
    if (joins) {
        /* One more session for more elections: the others are connected, and go on. */
        for (size_t i = 0; i < live->subject_count; i++)
            if (election_watch_lane(live->subjects[i]) == lane)
                election_watch_begin(live->subjects[i]);
        return;
    }
    if (!lane->counted || (state == CONNECTION_CONNECTED && !all_connected(live)))
        return;
    live_cluster_observe_connection(live, state, problem);
    if (state != CONNECTION_CONNECTED)
        return;
    chroot_ask(live);
    for (size_t i = 0; i < live->subject_count; i++)
        election_watch_begin(live->subjects[i]);
    for (size_t i = 0; i < live->pattern_count; i++)
        pattern_begin(live->patterns[i]);
    if (live->discover)
        discover_begin(live->discover);
    if (live->servers)
        servers_connected(live->servers);
}

static void live_cluster_on_notice(void *context, enum session_notice notice, const char *path)
{
    struct lane *lane = context;
    watch_map_notify(&lane->live->watches, notice, path);
}

static void live_cluster_on_reading(void *context)
{
    struct lane *lane = context;
    struct live *live = lane->live;
    int64_t silent_us = session_silent_us(lane->session);
    if (live->source.reading)
        live->source.reading(live->source.context);
    if (silent_us == 0 || !all_connected(live))
        return;
    log_line(LOG_LEVEL_WARNING, "%s: not heard of for %lld ms: what happened meanwhile is read now",
             live_name(live), (long long)(silent_us / 1000));
    live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    for (size_t i = 0; i < live->subject_count; i++)
        election_watch_woke(live->subjects[i]);
}

static void lane_on_child_watches(void *context)
{
    struct lane *lane = context;
    observer_mark_changed(lane->mark);
}

static bool lane_open(struct live *live)
{
    static const struct session_listener listener = {.state = live_cluster_on_state,
                                                     .failed = on_failed,
                                                     .bad_reply = on_bad_reply,
                                                     .refused = on_refused,
                                                     .reading = live_cluster_on_reading,
                                                     .notice = live_cluster_on_notice,
                                                     .child_watches = lane_on_child_watches};
    struct session_options options = {.hosts = live->hosts,
                                      .timeout_ms = (int)live->cluster->session_timeout_ms,
                                      .auth_scheme = live->cluster->auth_scheme,
                                      .auth_credential = live->cluster->auth_credential,
                                      .counts_children = true,
                                      .security = &live->cluster->security};
    struct lane *lane = &live->lanes[live->lane_count];
    *lane = (struct lane){.live = live};
    lane->session = session_open(live->loop, &options, &listener, lane);
    lane->mark = lane->session ? observer_mark_new(live, lane->session) : NULL;
    if (lane->session && !lane->mark)
        session_close(lane->session);
    live->lane_count += lane->mark != NULL;
    return lane->mark != NULL;
}

/* The three watches of an election at path. */
static size_t lane_share(const char *path)
{
    return 3 * (strlen(path) + 64);
}

/* A lane with room for an election at path. */
static struct lane *lane_for(struct live *live, const char *path)
{
    size_t i = 0, bytes = lane_share(path);
    while (i < live->lane_count && live->lanes[i].path_bytes + bytes > LANE_PATH_BYTES)
        i++;
    if (i == live->lane_count && (i == LANES_MOST || !lane_open(live))) {
        log_line(LOG_LEVEL_WARNING, "%s: too many elections for %d sessions; left out: %s", live_name(live),
                 LANES_MOST, path);
        return NULL;
    }
    live->lanes[i].path_bytes += bytes;
    return &live->lanes[i];
}

static void live_cluster_watch(struct live *live, const char *path, const struct election_settings *settings,
                               enum election_origin origin)
{
    if (live_watches(live, path))
        return;
    if (!room_for_one(&live->subjects, live->subject_count, &live->subject_room,
                      sizeof(struct election_watch *)))
        return;
    struct lane *lane = lane_for(live, path);
    struct election_watch *s = lane ? election_watch_new(live, lane, path, settings, origin) : NULL;
    if (s) {
        static const char *const why[] = {"named", "matches a pattern", "discovered"};
        live->subjects[live->subject_count++] = s;
        log_line(LOG_LEVEL_INFO, "%s: watching %s (%s)", live_name(live), path, why[origin]);
    } else if (lane) {
        lane->path_bytes -= lane_share(path);
    }
}

static void live_cluster_forget(struct live *live, struct election_watch *s)
{
    /* The watch that waited for its return stays in the library. */
    election_watch_lane(s)->path_bytes -= lane_share(election_watch_path(s)) / 3 * 2;
    char *path = strdup(election_watch_path(s));
    log_line(LOG_LEVEL_INFO, "%s: gone for long, not watched any more: %s", live_name(live),
             election_watch_path(s));
    election_watch_free(s);
    for (size_t i = 0; path && i < live->pattern_count; i++)
        pattern_wait_again(live->patterns[i], path);
    free(path);
}

static void on_slow(uv_timer_t *timer)
{
    struct live *live = timer->data;
    uint64_t now = uv_now(live->loop);
    size_t kept = 0;
    for (size_t i = 0; i < live->subject_count; i++) {
        if (election_watch_is_forgotten(live->subjects[i], now))
            live_cluster_forget(live, live->subjects[i]);
        else
            live->subjects[kept++] = live->subjects[i];
    }
    live->subject_count = kept;
    election_watches_read_again(live);
    for (size_t i = 0; i < live->pattern_count; i++)
        pattern_try_again(live->patterns[i]);
}

static bool live_looked(struct source *source)
{
    struct live *live = (struct live *)(void *)source;
    if (session_state(live->session) == CONNECTION_REFUSED)
        return true;
    if (live->discover && !discover_looked(live->discover))
        return false;
    for (size_t i = 0; i < live->lane_count; i++)
        if (session_state(live->lanes[i].session) != CONNECTION_CONNECTED)
            return false;
    for (size_t i = 0; i < live->pattern_count; i++)
        if (!pattern_looked(live->patterns[i]))
            return false;
    /* It is asked after every event: begin where it was not complete the last time. */
    for (size_t n = 0; n < live->subject_count; n++) {
        size_t i = (live->looked_from + n) % live->subject_count;
        if (!election_watch_looked(live->subjects[i])) {
            live->looked_from = i;
            return false;
        }
    }
    return !live->servers || servers_rounds(live->servers) > 0;
}

static bool live_cut(struct source *source)
{
    struct live *live = (struct live *)(void *)source;
    bool searched = !live->discover || discover_looked(live->discover);
    for (size_t i = 0; i < live->pattern_count; i++)
        searched &= pattern_looked(live->patterns[i]);
    if (searched || !live->model->clusters[live->index].ever_connected)
        return false;
    live->cut = true;
    if (all_connected(live) && session_state(live->session) == CONNECTION_CONNECTED)
        live_cluster_observe_connection(live, CONNECTION_CONNECTED, NULL);
    return true;
}

static void live_ask(struct source *source)
{
    struct live *live = (struct live *)(void *)source;
    if (live->servers)
        servers_demand(live->servers);
}

static bool live_is_asking(const struct source *source)
{
    const struct live *live = (const struct live *)(const void *)source;
    return live->servers && servers_are_demanded(live->servers);
}

static void live_woke(struct source *source)
{
    struct live *live = (struct live *)(void *)source;
    for (size_t i = 0; i < live->subject_count; i++)
        election_watch_woke(live->subjects[i]);
}

static void live_stop(struct source *source)
{
    struct live *live = (struct live *)(void *)source;
    replicas_end(live->replicas);
    servers_free(live->servers);
    log_follower_free(live->log);
    discover_free(live->discover);
    for (size_t i = 0; i < live->pattern_count; i++)
        pattern_free(live->patterns[i]);
    for (size_t i = 0; i < live->subject_count; i++)
        election_watch_free(live->subjects[i]);
    /* Closing answers pending requests, which may refer to all of the above:
       they end with the last answer. */
    for (size_t i = 0; i < live->lane_count; i++) {
        session_close(live->lanes[i].session);
        observer_mark_free(live->lanes[i].mark);
        free(live->lanes[i].refusing);
    }
    election_watches_read(live); /* lets go of those that still wait for their turn */
    watch_map_clear(&live->watches);
    loop_timer_free(live->slow);
    free(live->patterns);
    free(live->subjects);
    free(live->hosts);
    free(live->chroot);
    free(live);
}

static void live_known(struct source *source, const char *path)
{
    struct live *live = (struct live *)source;
    if (live->discover)
        discover_known(live->discover, path);
}

static bool watch_configured(struct live *live)
{
    const struct cluster_settings *cluster = live->cluster;
    live->patterns = calloc(cluster->election_count + 1, sizeof *live->patterns);
    if (!live->patterns)
        return false;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election_settings *election = &cluster->elections[i];
        char *path = znode_path_join(live->chroot, election->path);
        if (!path)
            return false;
        if (znode_is_pattern(path)) {
            struct pattern *pattern = pattern_new(live, path, election);
            if (pattern)
                live->patterns[live->pattern_count++] = pattern;
        } else {
            live_cluster_watch(live, path, election, ORIGIN_CONFIGURED);
        }
        free(path);
    }
    if (cluster->election_count == 0)
        live->discover = discover_new(live, &live->settings->discover, &live->settings->discovered);
    return cluster->election_count > 0 || live->discover;
}

struct source *live_source_new(uv_loop_t *loop, struct model *model, const struct settings *settings,
                               unsigned cluster)
{
    struct live *live = calloc(1, sizeof *live);
    if (!live)
        return NULL;
    live->source = (struct source){.looked = live_looked,
                                   .ask = live_ask,
                                   .is_asking = live_is_asking,
                                   .known = live_known,
                                   .cut = live_cut,
                                   .woke = live_woke,
                                   .stop = live_stop};
    live->loop = loop;
    live->watch = live_cluster_watch;
    live->left_out = left_out;
    live->model = model;
    live->settings = settings;
    live->cluster = &settings->clusters[cluster];
    live->index = cluster;
    struct connect_string parsed;
    char *error = NULL;
    if (connect_string_parse(live->cluster->hosts, &parsed, &error)) {
        live->hosts = strdup(parsed.hosts);
        live->chroot = strdup(parsed.chroot);
        connect_string_free(&parsed);
    }
    free(error);
    live->slow = loop_timer_new(loop, live);
    if (!live->hosts || !live->chroot || !live->slow || !lane_open(live)) {
        loop_timer_free(live->slow);
        free(live->hosts);
        free(live->chroot);
        free(live);
        return NULL;
    }
    live->session = live->lanes[0].session;
    uv_timer_start(live->slow, on_slow, SLOW_MS, SLOW_MS);
    live->servers = servers_new(live);
    live->log = log_follower_new(live);
    live->replicas = replicas_begin(live);
    live->chroot_entry = (struct watch_entry){.notice = on_chroot_notice, .context = live};
    if (!watch_map_put(&live->watches, &live->chroot_entry, live->chroot) || !watch_configured(live)) {
        live_stop(&live->source);
        return NULL;
    }
    return &live->source;
}
