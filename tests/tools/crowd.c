/*
 * crowd - fills a server with sessions that hold watches, for measuring and for asking under load.
 *
 *     crowd HOSTS SESSIONS WATCHES_EACH [ELECTIONS]
 *
 * Every session stands with one ephemeral znode below /crowd and has so many exists watches on znodes that
 * nobody creates. With ELECTIONS, it stands in one of /crowd/e0, /crowd/e1, ... and watches its predecessor,
 * too. Prints "ready" once all is there; the end of its input ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "probe/zookeeper/descriptor_poll.h"
#include "probe/zookeeper/session.h"

/* More connects at a time overflow the server's backlog. */
#define CONNECTING_MOST 30
#define TIMEOUT_MS 30000
/* Of a sequential name, at its end. */
#define DIGITS 10

struct crowd {
    uv_loop_t loop;
    struct descriptor_poll *poller; /* one for all: a set each would take as many descriptors again */
    const char *hosts;
    struct member *members;
    size_t count, begun, ready, watches, elections;
};

struct member {
    struct crowd *crowd;
    struct session *session;
    size_t owed;
    bool reported;
};

static void next(struct crowd *crowd);

static void answered(struct member *m)
{
    if (--m->owed > 0 || m->reported)
        return;
    m->reported = true;
    if (++m->crowd->ready == m->crowd->count) {
        puts("ready");
        fflush(stdout);
    }
    next(m->crowd);
}

static void on_exists(void *context, const struct session_answer *answer)
{
    (void)answer;
    answered(context);
}

static void on_created(void *context, const struct session_answer *answer)
{
    (void)answer;
    answered(context);
}

/* Nobody leaves, so the numbers of a directory have no gaps. */
static void watch_predecessor(struct member *m, const char *own)
{
    char path[64];
    int length = (int)strlen(own) - DIGITS;
    unsigned long number = strtoul(own + length, NULL, 10);
    if (number == 0)
        return;
    snprintf(path, sizeof path, "%.*s%0*lu", length, own, DIGITS, number - 1);
    m->owed += session_exists(m->session, path, true, on_exists, m);
}

static void on_stood(void *context, const struct session_answer *answer)
{
    struct member *m = context;
    if (answer->result == SESSION_OK && m->crowd->elections)
        watch_predecessor(m, answer->path);
    answered(m);
}

static void stand(struct member *m)
{
    char path[48] = "/crowd";
    m->owed += session_create(m->session, path, "", 0, CREATE_PERSISTENT, NULL, on_created, m);
    if (m->crowd->elections) {
        snprintf(path, sizeof path, "/crowd/e%zu", (size_t)(m - m->crowd->members) % m->crowd->elections);
        m->owed += session_create(m->session, path, "", 0, CREATE_PERSISTENT, NULL, on_created, m);
    }
    strcat(path, "/n_");
    m->owed += session_create(m->session, path, "", 0, CREATE_EPHEMERAL_SEQUENTIAL, NULL, on_stood, m);
}

static void on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    (void)problem;
    struct member *m = context;
    if (state != CONNECTION_CONNECTED || !renewed || m->reported)
        return;
    char path[64];
    size_t index = (size_t)(m - m->crowd->members);
    m->owed = 1;
    stand(m);
    for (size_t i = 0; i < m->crowd->watches; i++) {
        snprintf(path, sizeof path, "/crowd/absent-%06zu-%010zu", index, i);
        m->owed += session_exists(m->session, path, true, on_exists, m);
    }
    answered(m);
}

static void on_notice(void *context, enum session_notice notice, const char *path)
{
    (void)context, (void)notice, (void)path;
}

static void next(struct crowd *crowd)
{
    static const struct session_listener listener = {.state = on_state, .notice = on_notice};
    const struct session_options options = {
        .hosts = crowd->hosts, .timeout_ms = TIMEOUT_MS, .poller = crowd->poller};
    while (crowd->begun < crowd->count && crowd->begun - crowd->ready < CONNECTING_MOST) {
        struct member *m = &crowd->members[crowd->begun++];
        m->crowd = crowd;
        m->session = session_open(&crowd->loop, &options, &listener, m);
        if (!m->session)
            exit(2);
    }
}

static void on_input(uv_poll_t *poll, int status, int events)
{
    (void)events;
    char bytes[64];
    if (status < 0 || read(0, bytes, sizeof bytes) <= 0)
        uv_stop(poll->loop);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "crowd HOSTS SESSIONS WATCHES_EACH [ELECTIONS]\n");
        return 2;
    }
    struct crowd crowd = {.hosts = argv[1],
                          .count = strtoul(argv[2], NULL, 10),
                          .watches = strtoul(argv[3], NULL, 10),
                          .elections = argc > 4 ? strtoul(argv[4], NULL, 10) : 0};
    crowd.members = calloc(crowd.count + 1, sizeof *crowd.members);
    uv_poll_t input;
    if (!crowd.members || uv_loop_init(&crowd.loop) || uv_poll_init(&crowd.loop, &input, 0))
        return 2;
    if (!(crowd.poller = descriptor_poll_new(&crowd.loop)))
        return 2;
    uv_poll_start(&input, UV_READABLE, on_input);
    next(&crowd);
    uv_run(&crowd.loop, UV_RUN_DEFAULT);
    /* The servers end the sessions of a crowd that is gone;
       saying goodbye ten thousand times takes longer. */
    _exit(0);
}
