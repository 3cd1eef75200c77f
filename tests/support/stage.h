/*
 * stage.h - a model on a fixed clock, filled by observations as a live source would make them: what the
 * screens are tested on.
 *
 * Counts of creates and deletes are kept as a server keeps them, so that nothing looks unseen by accident.
 * Any failure ends the test program: a stage that is not as written proves nothing.
 */
#ifndef ELECTOP_TESTS_SUPPORT_STAGE_H
#define ELECTOP_TESTS_SUPPORT_STAGE_H

#include "config/settings.h"
#include "probe/election/model.h"
#include "tui/views/event_log.h"

/* A candidate as a test writes it down. */
struct stand {
    const char *name;
    uint64_t session;
    const char *data; /* NULL: empty */
    int64_t age_s;    /* at the moment at which it is first listed */
};

struct stage;

/* One cluster a name, NULL-terminated; "" for one without a name. It is 2026-11-20 12:00:00 UTC. */
struct stage *stage_new(const char *const *clusters);
/* One without a name, connected, in which this is watched. */
struct stage *stage_of(const char *path, enum election_kind);
void stage_free(struct stage *);

const struct model *stage_model(const struct stage *);
const struct settings *stage_settings(const struct stage *);
const struct event_log *stage_events(const struct stage *);
struct moment stage_now(const struct stage *);
/* The same, as a dashboard's clock: the context is the stage. */
struct moment stage_clock(void *stage);

/* Time goes on; only ever forwards. */
void stage_pass(struct stage *, int64_t us);
/* Goes on until this time of the day (UTC). */
void stage_until(struct stage *, int hour, int minute, int second, int ms);

void stage_connected(struct stage *, unsigned cluster, const char *server);
void stage_disconnected(struct stage *, unsigned cluster, const char *problem);
/* The server of our session has not answered for so long. */
void stage_silent(struct stage *, unsigned cluster, int64_t for_us);
/* The servers do not take our credentials. */
void stage_refused(struct stage *, unsigned cluster, const char *problem);
void stage_server(struct stage *, unsigned cluster, const char *address, enum server_mode, int64_t answer_us,
                  const char *problem);
/* The servers so far are all of their ensemble. */
void stage_whole(struct stage *, unsigned cluster);
/* Of one that is not asked; ours: our own session is connected to it. */
void stage_unasked(struct stage *, unsigned cluster, const char *address, bool ours);

/* Watches an election from now on. name: NULL: its path. acknowledgement: configured acknowledgement, or
 * NULL. */
void stage_watch(struct stage *, unsigned cluster, const char *path, const char *name, enum election_kind,
                 const char *ack);

/* Its children are these; new ones are read. next: the next number (first listing only); unseen: as many
   joined and left again since the list before. */
void stage_children(struct stage *, unsigned cluster, const char *path, const struct stand *, size_t count,
                    int64_t next, int unseen);
/* The same children again, read after a sync. */
void stage_synced(struct stage *, unsigned cluster, const char *path);

/* A session as its server shows it. */
struct shown {
    uint64_t session;
    const char *client;
    int64_t silent_ms;      /* of a timeout of ten seconds */
    const char *watches[4]; /* full paths, up to NULL */
};
/* One round of a server: its connections, its watches, its connections again. */
void stage_round(struct stage *, unsigned cluster, const char *address, const struct shown *, size_t count);
/* It does not show this, and why. */
void stage_hidden(struct stage *, unsigned cluster, const char *address, enum hidden_part, const char *why);

/* A znode of its own: a lock's, or an acknowledgement. */
void stage_node(struct stage *, unsigned cluster, const char *election, const char *path,
                const struct stand *);
void stage_absent(struct stage *, unsigned cluster, const char *election, const char *path);
void stage_denied(struct stage *, unsigned cluster, const char *path);

#endif
