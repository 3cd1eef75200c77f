#include "probe/zookeeper/adminserver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 100,000 connections are 48 MB. */
#define ANSWER_MOST ((size_t)64 << 20)

struct adminserver {
    struct http_get *get;
    struct adminserver_parse *reader;
    struct server_answer *answer;
    char problem[200]; /* "": none */
    adminserver_fn fn;
    void *context;
};

static bool adminserver_on_body(void *context, const char *bytes, size_t length)
{
    struct adminserver *a = context;
    const char *problem = adminserver_parse_feed(a->reader, bytes, length);
    if (problem)
        snprintf(a->problem, sizeof a->problem, "%s", problem);
    return !problem;
}

static void ask_free(struct adminserver *a)
{
    adminserver_parse_free(a->reader);
    free(a);
}

static void on_done(void *context, const char *problem, bool whole, int64_t took_us)
{
    struct adminserver *a = context;
    const char *said = whole && !problem ? adminserver_parse_end(a->reader) : NULL;
    if (said)
        snprintf(a->problem, sizeof a->problem, "%s", said);
    if (!problem && a->problem[0])
        problem = a->problem;
    if (problem)
        server_answer_free(a->answer);
    a->fn(a->context, problem, took_us);
    ask_free(a);
}

struct adminserver *adminserver_ask(struct http *http, const char *host, int port, enum admin_command command,
                                    int64_t deadline_ms, struct server_answer *answer, adminserver_fn fn,
                                    void *context)
{
    static const struct http_reader reader = {.body = adminserver_on_body, .done = on_done};
    struct adminserver *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    *a = (struct adminserver){.answer = answer, .fn = fn, .context = context};
    char path[64];
    snprintf(path, sizeof path, "/commands/%s", admin_command_word(command));
    a->reader = adminserver_parse_new(command, answer);
    if (a->reader)
        a->get = http_get(http, host, port, path, deadline_ms, ANSWER_MOST, &reader, a);
    if (a->get)
        return a;
    ask_free(a);
    return NULL;
}

void adminserver_cancel(struct adminserver *a)
{
    http_cancel(a->get);
    ask_free(a);
}
