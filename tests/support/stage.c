#include "tests/support/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

#define ELECTIONS_MOST 64
#define NOON_US INT64_C(1795176000000000) /* 2026-11-20T12:00:00Z */
#define UPTIME_US INT64_C(100000000000000)

struct directory {
    unsigned cluster;
    char *path;
    int64_t creates, deletes, pzxid;
    char **names;
    size_t count;
};

struct stage {
    struct settings settings;
    char sandbox[32]; /* of the settings */
    struct election_settings elections[ELECTIONS_MOST];
    struct directory directories[ELECTIONS_MOST];
    size_t count;
    struct model *model;
    struct event_log *log;
    struct moment now;
    int64_t zxid;
};

static void *need(void *memory)
{
    if (memory == NULL) {
        fputs("stage: out of memory\n", stderr);
        exit(99);
    }
    return memory;
}

static char *copy(const char *text)
{
    return text != NULL ? need(strdup(text)) : NULL;
}

struct stage *stage_new(const char *const *clusters)
{
    struct stage *stage = need(calloc(1, sizeof *stage));
    char *error = NULL;
    size_t count = 0;

    while (clusters[count] != NULL)
        count++;
    stage->now = (struct moment){UPTIME_US, NOON_US};
    stage->zxid = INT64_C(0x500000000);
    stage->settings.clusters = need(calloc(count, sizeof *stage->settings.clusters));
    stage->settings.cluster_count = count;
    stage->settings.discover.depth = 8;
    stage->settings.discover.every_ms = 60000;
    snprintf(stage->sandbox, sizeof stage->sandbox, "/electop-sandbox");
    stage->settings.inject = (struct inject_settings){
        .sandbox = stage->sandbox, .sessions = 100, .creates_per_s = 100, .stop_above_ping_ms = 250};
    for (size_t i = 0; i < count; i++) {
        char hosts[64];

        snprintf(hosts, sizeof hosts, "%s%szk1:2181,%s%szk2:2181", clusters[i], *clusters[i] ? "-" : "",
                 clusters[i], *clusters[i] ? "-" : "");
        stage->settings.clusters[i].name = copy(clusters[i]);
        stage->settings.clusters[i].hosts = copy(hosts);
        stage->settings.clusters[i].session_timeout_ms = 10000;
    }
    stage->model = model_new(&stage->settings, &error);
    if (stage->model == NULL) {
        fprintf(stderr, "stage: %s\n", error != NULL ? error : "no model");
        exit(99);
    }
    stage->log = need(event_log_new());
    stage->model->on_event = event_log_add;
    stage->model->context = stage->log;
    return stage;
}

static void directory_clear(struct directory *directory)
{
    for (size_t i = 0; i < directory->count; i++)
        free(directory->names[i]);
    free(directory->names);
    directory->names = NULL;
    directory->count = 0;
}

struct stage *stage_of(const char *path, enum election_kind kind)
{
    struct stage *stage = stage_new((const char *const[]){"", NULL});
    stage_connected(stage, 0, "zk1:2181");
    stage_watch(stage, 0, path, NULL, kind, NULL);
    return stage;
}

void stage_free(struct stage *stage)
{
    model_free(stage->model);
    event_log_free(stage->log);
    for (size_t i = 0; i < stage->count; i++) {
        directory_clear(&stage->directories[i]);
        free(stage->directories[i].path);
        free(stage->elections[i].path);
        free(stage->elections[i].name);
        free(stage->elections[i].recipe);
        free(stage->elections[i].acknowledgement);
    }
    for (size_t i = 0; i < stage->settings.cluster_count; i++) {
        free(stage->settings.clusters[i].name);
        free(stage->settings.clusters[i].hosts);
    }
    free(stage->settings.clusters);
    free(stage);
}

const struct model *stage_model(const struct stage *stage)
{
    return stage->model;
}

const struct settings *stage_settings(const struct stage *stage)
{
    return &stage->settings;
}

const struct event_log *stage_events(const struct stage *stage)
{
    return stage->log;
}

struct moment stage_now(const struct stage *stage)
{
    return stage->now;
}

struct moment stage_clock(void *stage)
{
    return stage_now(stage);
}

void stage_pass(struct stage *stage, int64_t us)
{
    if (us < 0) {
        fputs("stage: time goes forwards only\n", stderr);
        exit(99);
    }
    stage->now.mono_us += us;
    stage->now.wall_us += us;
}

void stage_until(struct stage *stage, int hour, int minute, int second, int ms)
{
    int64_t midnight_us = NOON_US - INT64_C(43200000000);
    int64_t of_day_us = ((hour * 60LL + minute) * 60 + second) * 1000000 + ms * 1000LL;

    stage_pass(stage, midnight_us + of_day_us - stage->now.wall_us);
}

static void observe(struct stage *stage, struct observation observation)
{
    observation.at = stage->now;
    model_observe(stage->model, &observation);
}

void stage_connected(struct stage *stage, unsigned cluster, const char *server)
{
    observe(stage, (struct observation){.kind = OBSERVED_CONNECTION,
                                        .cluster = cluster,
                                        .connection = {.state = CONNECTION_CONNECTED,
                                                       .session = UINT64_C(0x100002a4d0a00ff),
                                                       .timeout_ms = 10000,
                                                       .server = server}});
}

void stage_disconnected(struct stage *stage, unsigned cluster, const char *problem)
{
    observe(stage, (struct observation){.kind = OBSERVED_CONNECTION,
                                        .cluster = cluster,
                                        .connection = {.state = CONNECTION_CONNECTING, .problem = problem}});
}

void stage_silent(struct stage *stage, unsigned cluster, int64_t for_us)
{
    struct moment now = stage_now(stage);
    observe(stage, (struct observation){.kind = OBSERVED_SILENCE,
                                        .cluster = cluster,
                                        .silent_since = {now.mono_us - for_us, now.wall_us - for_us}});
}

void stage_refused(struct stage *stage, unsigned cluster, const char *problem)
{
    observe(stage, (struct observation){.kind = OBSERVED_CONNECTION,
                                        .cluster = cluster,
                                        .connection = {.state = CONNECTION_REFUSED, .problem = problem}});
}

void stage_server(struct stage *stage, unsigned cluster, const char *address, enum server_mode mode,
                  int64_t answer_us, const char *problem)
{
    observe(stage, (struct observation){.kind = OBSERVED_SERVER,
                                        .cluster = cluster,
                                        .server = {.address = address,
                                                   .reachable = problem == NULL,
                                                   .mode = mode,
                                                   .answer_us = answer_us,
                                                   .zxid = -1,
                                                   .connections = -1,
                                                   .problem = problem}});
}

void stage_whole(struct stage *stage, unsigned cluster)
{
    const struct cluster *known = &stage->model->clusters[cluster];
    const char *addresses[9] = {NULL};
    size_t count = 0;

    for (; count < known->server_count && count < 9; count++)
        addresses[count] = known->servers[count].address;
    observe(stage, (struct observation){.kind = OBSERVED_ENSEMBLE,
                                        .cluster = cluster,
                                        .ensemble = {addresses, count, ENSEMBLE_WHOLE}});
}

void stage_unasked(struct stage *stage, unsigned cluster, const char *address, bool ours)
{
    observe(stage, (struct observation){.kind = OBSERVED_SERVER,
                                        .cluster = cluster,
                                        .server = {.address = address,
                                                   .unasked = true,
                                                   .reachable = ours,
                                                   .answer_us = -1,
                                                   .zxid = -1,
                                                   .connections = -1}});
}

void stage_watch(struct stage *stage, unsigned cluster, const char *path, const char *name,
                 enum election_kind kind, const char *ack)
{
    struct election_settings *settings = &stage->elections[stage->count];

    if (stage->count == ELECTIONS_MOST) {
        fputs("stage: too many elections\n", stderr);
        exit(99);
    }
    *settings = (struct election_settings){
        .path = copy(path),
        .name = copy(name),
        .kind = kind,
        .recipe = copy("auto"),
        .acknowledgement = copy(ack),
        .allow = {.vacancy_ms = 5000, .failover_ms = 10000, .silent_percent = 66},
    };
    stage->directories[stage->count++] = (struct directory){.cluster = cluster, .path = copy(path)};
    observe(stage, (struct observation){.kind = OBSERVED_ELECTION,
                                        .cluster = cluster,
                                        .election = path,
                                        .path = path,
                                        .subject = {.origin = ORIGIN_CONFIGURED, .settings = settings}});
}

static struct directory *directory_of(struct stage *stage, unsigned cluster, const char *path)
{
    for (size_t i = 0; i < stage->count; i++)
        if (stage->directories[i].cluster == cluster && strcmp(stage->directories[i].path, path) == 0)
            return &stage->directories[i];
    fprintf(stderr, "stage: %s is not watched\n", path);
    exit(99);
}

void stage_node(struct stage *stage, unsigned cluster, const char *election, const char *path,
                const struct stand *stand)
{
    size_t length = stand->data != NULL ? strlen(stand->data) : 0;
    int64_t created_ms = stage->now.wall_us / 1000 - stand->age_s * 1000;
    struct znode_stat stat = {.czxid = ++stage->zxid,
                              .mzxid = stage->zxid,
                              .pzxid = stage->zxid,
                              .ctime_ms = created_ms,
                              .mtime_ms = created_ms,
                              .data_length = (int32_t)length,
                              .owner = stand->session};

    observe(stage,
            (struct observation){
                .kind = OBSERVED_NODE,
                .cluster = cluster,
                .election = election,
                .path = path,
                .node = {.stat = &stat, .has_data = true, .data = stand->data, .data_length = length}});
}

static void observe_children(struct stage *stage, const struct directory *directory, bool synced)
{
    struct znode_stat stat = {.czxid = 0x100000001,
                              .ctime_ms = NOON_US / 1000 - 86400000LL * 30,
                              .pzxid = directory->pzxid,
                              .cversion = (int32_t)(directory->creates + directory->deletes),
                              .children = (int32_t)directory->count};

    observe(stage, (struct observation){.kind = OBSERVED_CHILDREN,
                                        .cluster = directory->cluster,
                                        .election = directory->path,
                                        .path = directory->path,
                                        .children = {.stat = &stat,
                                                     .names = directory->names,
                                                     .count = directory->count,
                                                     .synced_us = synced ? stage_now(stage).mono_us : 0}});
}

void stage_synced(struct stage *stage, unsigned cluster, const char *path)
{
    observe_children(stage, directory_of(stage, cluster, path), true);
}

void stage_children(struct stage *stage, unsigned cluster, const char *path, const struct stand *stands,
                    size_t count, int64_t next, int unseen)
{
    struct directory *directory = directory_of(stage, cluster, path);
    bool first = directory->creates == 0 && directory->deletes == 0;
    bool *new = need(calloc(count + 1, sizeof *new));
    char **names = need(calloc(count + 1, sizeof *names));
    size_t kept = 0;
    char child[4096];

    for (size_t i = 0; i < count; i++) {
        const char *name = stands[i].name;

        new[i] = directory->count == 0 || bsearch(&name, directory->names, directory->count,
                                                  sizeof *directory->names, text_compare) == NULL;
        kept += !new[i];
        names[i] = copy(name);
    }
    if (first) {
        directory->creates = next;
        directory->deletes = next - (int64_t)count;
    } else {
        directory->creates += (int64_t)(count - kept) + unseen;
        directory->deletes += (int64_t)(directory->count - kept) + unseen;
    }
    directory_clear(directory);
    directory->names = names;
    directory->count = count;
    if (count > 0)
        qsort(names, count, sizeof *names, text_compare);

    directory->pzxid = ++stage->zxid;
    observe_children(stage, directory, false);
    for (size_t i = 0; i < count; i++) {
        if (!new[i])
            continue;
        snprintf(child, sizeof child, "%s/%s", path, stands[i].name);
        stage_node(stage, cluster, path, child, &stands[i]);
    }
    free(new);
}

void stage_absent(struct stage *stage, unsigned cluster, const char *election, const char *path)
{
    observe(stage, (struct observation){
                       .kind = OBSERVED_ABSENT, .cluster = cluster, .election = election, .path = path});
}

void stage_denied(struct stage *stage, unsigned cluster, const char *path)
{
    observe(stage, (struct observation){
                       .kind = OBSERVED_DENIED, .cluster = cluster, .election = path, .path = path});
}

#define SHOWN_MOST 4096
/* On each server, all of them our own. */
#define CHILD_WATCHES 3

static void observe_connections(struct stage *stage, unsigned cluster, const char *address,
                                const struct shown *shown, size_t count)
{
    struct seen_connection list[SHOWN_MOST];
    int64_t now_ms = stage->now.mono_us / 1000;

    for (size_t i = 0; i < count; i++)
        list[i] = (struct seen_connection){.session = shown[i].session,
                                           .client = shown[i].client,
                                           .established_ms = NOON_US / 1000,
                                           .last_response_ms = now_ms - shown[i].silent_ms,
                                           .last_cxid = 7,
                                           .last_zxid = 0x100000100,
                                           .timeout_ms = 10000,
                                           .last_operation = "PING"};
    observe(stage, (struct observation){.kind = OBSERVED_CONNECTIONS,
                                        .cluster = cluster,
                                        .connections = {.address = address,
                                                        .list = list,
                                                        .count = count,
                                                        .now_ms = now_ms,
                                                        .own_children = CHILD_WATCHES}});
}

void stage_round(struct stage *stage, unsigned cluster, const char *address, const struct shown *shown,
                 size_t count)
{
    struct seen_watches list[SHOWN_MOST];

    if (count > SHOWN_MOST) {
        fputs("stage: too many sessions\n", stderr);
        exit(99);
    }
    observe_connections(stage, cluster, address, shown, count);
    stage_pass(stage, 1000);
    for (size_t i = 0; i < count; i++) {
        list[i] = (struct seen_watches){.session = shown[i].session, .paths = shown[i].watches};
        while (list[i].count < 4 && shown[i].watches[list[i].count] != NULL)
            list[i].count++;
    }
    observe(stage, (struct observation){.kind = OBSERVED_WATCHES,
                                        .cluster = cluster,
                                        .watches = {.address = address,
                                                    .from = "adminserver",
                                                    .list = list,
                                                    .count = count,
                                                    .child_watches = CHILD_WATCHES,
                                                    .counted_us = stage->now.mono_us}});
    stage_pass(stage, 1000);
    observe_connections(stage, cluster, address, shown, count);
}

void stage_hidden(struct stage *stage, unsigned cluster, const char *address, enum hidden_part part,
                  const char *why)
{
    observe(stage, (struct observation){.kind = OBSERVED_HIDDEN,
                                        .cluster = cluster,
                                        .hidden = {.address = address, .part = part, .problem = why}});
}
