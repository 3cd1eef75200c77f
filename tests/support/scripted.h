/*
 * scripted.h - a small world for tests of sinks: settings and observations written down, on a fixed clock.
 */
#ifndef ELECTOP_TESTS_SUPPORT_SCRIPTED_H
#define ELECTOP_TESTS_SUPPORT_SCRIPTED_H

#include "config/settings.h"
#include "probe/election/model.h"
#include "probe/json/buffer.h"

/* 2026-11-20T14:03:22.104Z, at 1000 s on the monotonic clock. */
struct moment scripted_now(void);
/* So many seconds before (negative) or after that. */
struct moment scripted_at(double seconds);

/* One cluster "prod" with room for its elections, and one "test"; static storage. */
const struct settings *scripted_settings(void);

/* Appends a block of a case: a run by these settings, with one observation. */
void scripted_run(const struct settings *settings, struct buffer *blocks);

struct scripted_node {
    const char *name;
    uint64_t owner;   /* 0: persistent */
    double created;   /* seconds from now */
    const char *data; /* NULL: empty */
};

void scripted_connect(struct model *, unsigned cluster, double at, enum connection_state,
                      const char *problem);
void scripted_server(struct model *, unsigned cluster, const char *address, enum server_mode,
                     int64_t answer_us, const char *problem);
/* The election is watched from now on, as the settings name it (or with the first of them). */
void scripted_watch(struct model *, unsigned cluster, const char *path, double at);
/* The list of children, at most 16, and then each one's znode. */
void scripted_list(struct model *, unsigned cluster, const char *path, double at, int32_t cversion,
                   const struct scripted_node *, size_t count);
void scripted_absent(struct model *, unsigned cluster, const char *path, const char *node, double at);
void scripted_denied(struct model *, unsigned cluster, const char *path, double at);

/* Every state of an election at once, names that are hostile, two clusters of which one cannot be reached. */
struct model *scripted_world(void);

#endif
