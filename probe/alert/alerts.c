#include "probe/alert/alerts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text.h"
#include "config/utf8.h"
#include "probe/alert/alert_book.h"
#include "probe/clock.h"
#include "probe/json/json_writer.h"
#include "probe/json/election_summary.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/http.h"

#define DELIVERIES_MOST 2000
#define LISTED_MOST 100 /* elections that are named one by one */
#define SAID_MOST 400   /* bytes of what a program printed, for the report */
#define KILL_AFTER_MS 2000
#define POST_RETRY_LEAST_MS 1000
#define POST_RETRY_MOST_MS 60000
#define POST_GIVE_UP_MS (INT64_C(3600) * 1000)
#define SECRET_MOST 4096

enum fact {
    FACT_STATE,
    FACT_CODE,
    FACT_CLUSTER,
    FACT_ELECTION,
    FACT_NAME,
    FACT_SEVERITY,
    FACT_CERTAINTY,
    FACT_EVIDENCE,
    FACT_ADVICE,
    FACT_OWNER,
    FACT_RUNBOOK,
    FACT_SINCE,
    FACT_ELECTIONS,
    FACT_COUNT
};
static const char *const fact_words[FACT_COUNT] = {"state",    "code",      "cluster",  "election", "name",
                                                   "severity", "certainty", "evidence", "advice",   "owner",
                                                   "runbook",  "since",     "elections"};

/* One program to be run, or one post to be made. */
struct delivery {
    struct alerts *alerts;
    struct delivery *next;
    uint64_t alert; /* whose deliveries go out one after the other */
    bool post, running, ended;
    int64_t timeout_ms;
    char **arguments, **environment; /* of a program */
    char *url, *secret_file;
    struct buffer json;
    struct http_get *request;
    uint64_t begun_ms, try_ms; /* a post: first tried; not before then */
    int64_t pause_ms;
    uv_process_t process;
    uv_pipe_t output, errors;
    uv_timer_t *timer;
    int open_handles; /* that still hold it */
    bool timed_out;
    char said[SAID_MOST + 1];
    size_t said_length;
};

struct alerts {
    uv_loop_t *loop;
    const struct settings *settings;
    struct monitor *monitor;
    struct alert_book *book;
    struct http *http;
    uv_timer_t *timer;
    struct delivery *first, *last;
    size_t waiting, running;
    uint64_t sent, failed;
    alerts_problem_fn problem;
    void *context;
};

static void alerts_next(struct alerts *);
static void alerts_on_timer(uv_timer_t *);

static void alerts_report(struct alerts *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void alerts_report(struct alerts *a, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    a->failed++;
    log_line(LOG_LEVEL_ERROR, "%s", text.at ? text.at : "out of memory");
    a->problem(a->context, text.at ? text.at : "out of memory");
    text_free(&text);
}

/* ---- facts ---- */

/* Strangers' bytes on one line: what would end it, or deceive who reads it, becomes a question mark. */
static char *fact_clean(const char *text)
{
    struct text out = {0};
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t eaten = utf8_decode(text + i, length - i, &code);
        if (!eaten || utf8_deceives(code))
            text_add(&out, "?");
        else
            text_add_bytes(&out, text + i, eaten);
        i += eaten ? eaten : 1;
    }
    return text_take(&out);
}

static char *fact_time(int64_t wall_us)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, false);
    json_write_time(&writer, wall_us);
    struct text text = {0};
    if (out.length > 2 && out.bytes[0] == '"') /* without its quotes; null: not known */
        text_add_bytes(&text, out.bytes + 1, out.length - 2);
    buffer_free(&out);
    return text_take(&text);
}

/* The gravest of those that are open. */
static const struct alert_member *alert_gravest(const struct alert *alert)
{
    const struct alert_member *gravest = &alert->members[0];
    for (size_t i = 1; i < alert->member_count; i++)
        if (alert->members[i].open && (!gravest->open || alert->members[i].severity > gravest->severity))
            gravest = &alert->members[i];
    return gravest;
}

static bool facts_make(const struct alert *alert, enum alert_state state, char *facts[FACT_COUNT])
{
    const struct alert_member *m = alert_gravest(alert);
    const char *raw[FACT_COUNT] = {alert_state_word(state),
                                   alert->code,
                                   alert->cluster,
                                   m->election,
                                   m->name,
                                   severity_word(m->severity),
                                   certainty_word(m->certainty),
                                   m->evidence,
                                   m->advice,
                                   m->owner,
                                   m->runbook,
                                   NULL,
                                   NULL};
    bool fine = true;
    for (int i = 0; i < FACT_COUNT; i++) {
        facts[i] = i == FACT_SINCE       ? fact_time(m->since_wall_us)
                   : i == FACT_ELECTIONS ? text_format("%zu", alert->member_count)
                                         : fact_clean(raw[i] ? raw[i] : "");
        fine &= facts[i] != NULL;
    }
    return fine;
}

/* {code} and the like stand for their facts; other braces for themselves. */
static char *fact_fill(const char *argument, char *const facts[FACT_COUNT])
{
    struct text out = {0};
    while (*argument) {
        int found = FACT_COUNT;
        for (int i = 0; *argument == '{' && i < FACT_COUNT; i++) {
            size_t length = strlen(fact_words[i]);
            if (strncmp(argument + 1, fact_words[i], length) == 0 && argument[1 + length] == '}')
                found = i;
        }
        if (found < FACT_COUNT) {
            text_add(&out, facts[found]);
            argument += strlen(fact_words[found]) + 2;
        } else {
            text_add_bytes(&out, argument++, 1);
        }
    }
    return text_take(&out);
}

static void list_free(char **list)
{
    for (char **item = list; item && *item; item++)
        free(*item);
    free(list);
}

static char *election_list(const struct alert *alert)
{
    struct text out = {0};
    for (size_t i = 0; i < alert->member_count && i < LISTED_MOST; i++) {
        char *clean = fact_clean(alert->members[i].election);
        text_printf(&out, "%s%s", i ? "\n" : "", clean ? clean : "");
        free(clean);
    }
    return text_take(&out);
}

/* The program's environment: the usual few, and the facts. It gets nothing else. */
static char **environment_make(const struct alert *alert, char *const facts[FACT_COUNT])
{
    static const char *const kept[] = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR"};
    char **list = calloc(FACT_COUNT + sizeof kept / sizeof *kept + 2, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list && i < sizeof kept / sizeof *kept; i++) {
        const char *value = getenv(kept[i]);
        if (value && (list[count] = text_format("%s=%s", kept[i], value)))
            count++;
    }
    for (int i = 0; list && i < FACT_COUNT; i++) {
        char word[16];
        size_t k = 0;
        for (; fact_words[i][k]; k++)
            word[k] = (char)(fact_words[i][k] - 'a' + 'A');
        word[k] = '\0';
        if ((list[count] = text_format("ELECTOP_%s=%s", word, facts[i])))
            count++;
    }
    char *elections = election_list(alert);
    if (list && elections)
        list[count] = text_format("ELECTOP_ELECTION_LIST=%s", elections);
    free(elections);
    return list;
}

/* ---- the body of a post ---- */

static void json_pair(struct json_writer *writer, const char *key, const char *value)
{
    if (!value || !*value)
        return; /* Alertmanager refuses labels without a value */
    char *clean = fact_clean(value);
    json_write_key(writer, key);
    json_write_string(writer, clean ? clean : "");
    free(clean);
}

static void json_member_alert(struct json_writer *writer, const struct alert *alert,
                              const struct alert_member *m, bool resolved, int64_t now_us, int64_t until_us)
{
    char *summary = text_format("%s in %s", alert->code, m->name ? m->name : m->election);
    json_write_begin(writer, '{');
    json_write_key(writer, "labels");
    json_write_begin(writer, '{');
    json_pair(writer, "alertname", alert->code);
    json_pair(writer, "cluster", alert->cluster);
    json_pair(writer, "election", m->election);
    json_pair(writer, "candidate", m->candidate);
    json_pair(writer, "severity", severity_word(m->severity));
    json_pair(writer, "owner", m->owner);
    json_write_end(writer, '}');
    json_write_key(writer, "annotations");
    json_write_begin(writer, '{');
    json_pair(writer, "summary", summary);
    json_pair(writer, "description", m->evidence);
    json_pair(writer, "advice", m->advice);
    json_pair(writer, "certainty", certainty_word(m->certainty));
    json_pair(writer, "runbook_url", m->runbook);
    json_write_end(writer, '}');
    json_write_key(writer, "startsAt");
    json_write_time(writer, m->since_wall_us ? m->since_wall_us : now_us);
    json_write_key(writer, "endsAt");
    json_write_time(writer, resolved ? now_us : until_us);
    json_write_end(writer, '}');
    free(summary);
}

/* What Alertmanager's v2 API takes: a list of alerts. One that is not posted again is over by itself. */
static void body_make(struct buffer *out, const struct alert *alert, const struct alert_settings *rule,
                      enum alert_state state)
{
    struct json_writer writer = json_writer_to(out, false);
    int64_t now_us = clock_wall_us();
    int64_t lasts_us =
        rule->again_after_ms ? 2 * rule->again_after_ms * 1000 + 300000000 : INT64_C(86400000000);
    if (state == ALERT_EVENT)
        lasts_us = 300000000;
    json_write_begin(&writer, '[');
    for (size_t i = 0; i < alert->member_count && i < LISTED_MOST; i++)
        json_member_alert(&writer, alert, &alert->members[i],
                          state == ALERT_RESOLVED || !alert->members[i].open, now_us, now_us + lasts_us);
    json_write_end(&writer, ']');
}

/* ---- deliveries ---- */

static void delivery_free(struct delivery *d)
{
    list_free(d->arguments);
    list_free(d->environment);
    loop_timer_free(d->timer);
    buffer_free(&d->json);
    free(d->url);
    free(d->secret_file);
    free(d);
}

static void alerts_unlink(struct alerts *a, struct delivery *d)
{
    struct delivery **link = &a->first, *before = NULL;
    while (*link && *link != d) {
        before = *link;
        link = &(*link)->next;
    }
    if (*link) {
        *link = d->next;
        a->last = a->last == d ? before : a->last;
        a->waiting--;
    }
}

static void delivery_done(struct delivery *d)
{
    struct alerts *a = d->alerts;
    if (a) {
        a->running -= d->running;
        alerts_unlink(a, d);
    }
    delivery_free(d);
    if (a)
        alerts_next(a);
}

static void delivery_on_closed(uv_handle_t *handle)
{
    struct delivery *d = handle->data;
    if (--d->open_handles == 0)
        delivery_done(d);
}

static void delivery_on_late(uv_timer_t *timer)
{
    struct delivery *d = timer->data;
    kill(-d->process.pid, d->timed_out ? SIGKILL : SIGTERM);
    d->timed_out = true;
    uv_timer_start(d->timer, delivery_on_late, KILL_AFTER_MS, 0);
}

static void delivery_close(struct delivery *d)
{
    uv_close((uv_handle_t *)&d->process, delivery_on_closed);
    uv_close((uv_handle_t *)&d->output, delivery_on_closed);
    uv_close((uv_handle_t *)&d->errors, delivery_on_closed);
}

/* Its own end is what counts; whoever of its children lives on is ended with it. */
static void delivery_on_exit(uv_process_t *process, int64_t status, int number)
{
    struct delivery *d = process->data;
    struct alerts *a = d->alerts;
    bool left = kill(-process->pid, SIGKILL) == 0;
    const char *program = d->arguments[0];
    d->ended = true;
    uv_timer_stop(d->timer);
    if (a && d->timed_out)
        alerts_report(
            a, "the alert's command %s did not end within %.3g s and was ended; see timeout: of alerts",
            program, (double)d->timeout_ms / 1000);
    else if (a && number)
        alerts_report(a, "the alert's command %s was ended by signal %d", program, number);
    else if (a && status)
        alerts_report(a, "the alert's command %s failed with exit code %lld%s%s", program, (long long)status,
                      d->said_length ? ": " : "", d->said);
    else if (a)
        a->sent++;
    if (left)
        log_line(LOG_LEVEL_WARNING, "the alert's command %s left processes behind, which were ended",
                 program);
    delivery_close(d);
}

static void delivery_on_room(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    static char room[65536];
    (void)handle;
    (void)size;
    *buffer = uv_buf_init(room, sizeof room);
}

/* The beginning of what it prints is kept for the report; the rest is read, so that it does not hang. */
static void delivery_on_output(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct delivery *d = stream->data;
    if (length < 0) {
        uv_read_stop(stream);
        return;
    }
    for (ssize_t i = 0; i < length && d->said_length < SAID_MOST; i++) {
        unsigned char byte = (unsigned char)buffer->base[i];
        d->said[d->said_length++] = byte < 0x20 || byte > 0x7e ? ' ' : (char)byte;
    }
}

static void delivery_run(struct delivery *d)
{
    struct alerts *a = d->alerts;
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_IGNORE},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&d->output},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&d->errors}};
    uv_process_options_t options = {.exit_cb = delivery_on_exit,
                                    .file = d->arguments[0],
                                    .args = d->arguments,
                                    .env = d->environment,
                                    .flags = UV_PROCESS_DETACHED,
                                    .stdio_count = 3,
                                    .stdio = stdio};
    uv_pipe_init(a->loop, &d->output, 0);
    uv_pipe_init(a->loop, &d->errors, 0);
    d->output.data = d->errors.data = d->process.data = d;
    d->open_handles = 3;
    int failed = uv_spawn(a->loop, &d->process, &options);
    if (failed) {
        alerts_report(a, "the alert's command %s cannot be started: %s; check its path and its permissions",
                      d->arguments[0], uv_strerror(failed));
        d->ended = true;
        delivery_close(d); /* uv_spawn has made a handle of the process all the same */
        return;
    }
    uv_read_start((uv_stream_t *)&d->output, delivery_on_room, delivery_on_output);
    uv_read_start((uv_stream_t *)&d->errors, delivery_on_room, delivery_on_output);
    uv_timer_start(d->timer, delivery_on_late, (uint64_t)d->timeout_ms, 0);
}

/* ---- posts ---- */

/* The header with the secret; NULL and a report: it may not be used. "" where there is none. */
static char *secret_header(struct alerts *a, const char *file)
{
    char secret[SECRET_MOST + 1];
    struct stat facts;
    if (!file)
        return strdup("");
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    ssize_t length = descriptor >= 0 ? read(descriptor, secret, SECRET_MOST) : -1;
    bool open_to_others = descriptor >= 0 && fstat(descriptor, &facts) == 0 && (facts.st_mode & 077);
    if (descriptor >= 0)
        close(descriptor);
    if (length <= 0 || open_to_others) {
        alerts_report(a, "the alert's secret_file %s %s", file,
                      open_to_others ? "can be read by others; chmod 600 it" : "cannot be read, or is empty");
        return NULL;
    }
    secret[length] = '\0';
    secret[strcspn(secret, "\r\n")] = '\0';
    char *header = text_format("Authorization: %s%s", strchr(secret, ' ') ? "" : "Bearer ", secret);
    memset(secret, 0, sizeof secret);
    return header;
}

static bool post_on_body(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return true;
}

/* A newer one of the same alert waits: this one need not be tried again. */
static bool delivery_is_obsolete(const struct delivery *d)
{
    for (const struct delivery *other = d->next; other; other = other->next)
        if (other->post && other->alert == d->alert && strcmp(other->url, d->url) == 0)
            return true;
    return false;
}

static void post_on_done(void *context, const char *problem, bool whole, int64_t took_us)
{
    struct delivery *d = context;
    struct alerts *a = d->alerts;
    (void)whole;
    (void)took_us;
    d->request = NULL;
    if (!problem) {
        a->sent++;
        delivery_done(d);
        return;
    }
    int64_t tried_ms = (int64_t)(uv_now(a->loop) - d->begun_ms);
    bool last = delivery_is_obsolete(d) || tried_ms > POST_GIVE_UP_MS;
    if (d->pause_ms == 0 || last)
        alerts_report(a, "the alert could not be posted to %s: %s%s", d->url, problem,
                      last ? "; given up" : "; it is tried again");
    if (last) {
        delivery_done(d);
        return;
    }
    d->pause_ms = d->pause_ms ? d->pause_ms * 2 : POST_RETRY_LEAST_MS;
    if (d->pause_ms > POST_RETRY_MOST_MS)
        d->pause_ms = POST_RETRY_MOST_MS;
    d->try_ms = uv_now(a->loop) + (uint64_t)d->pause_ms;
    d->running = false;
    a->running--;
    alerts_next(a);
}

static void delivery_post(struct delivery *d)
{
    static const struct http_reader reader = {post_on_body, post_on_done};
    struct alerts *a = d->alerts;
    char *secret = secret_header(a, d->secret_file);
    const char *headers[4] = {"Content-Type: application/json", "Expect:", secret && *secret ? secret : NULL,
                              NULL};
    if (!a->http)
        a->http = http_new(a->loop, NULL);
    if (!d->begun_ms)
        d->begun_ms = uv_now(a->loop);
    if (secret && a->http)
        d->request =
            http_post(a->http, d->url, headers, d->json.bytes, d->json.length, d->timeout_ms, &reader, d);
    if (secret)
        memset(secret, 0, strlen(secret));
    free(secret);
    if (!d->request)
        delivery_done(d);
}

/* ---- what goes out next ---- */

static bool alert_is_busy(const struct alerts *a, const struct delivery *until)
{
    for (const struct delivery *d = a->first; d && d != until; d = d->next)
        if (d->alert == until->alert && d->post == until->post)
            return true;
    return false;
}

static void alerts_schedule(struct alerts *a, int64_t book_us)
{
    uint64_t now_ms = uv_now(a->loop), wait_ms = 1000; /* unconfirmed ones are asked for each second */
    int64_t now_us = clock_now().mono_us;
    if (book_us != INT64_MAX && (uint64_t)((book_us > now_us ? book_us - now_us : 0) / 1000) < wait_ms)
        wait_ms = (uint64_t)((book_us > now_us ? book_us - now_us : 0) / 1000) + 1;
    for (const struct delivery *d = a->first; d; d = d->next)
        if (!d->running && d->try_ms > now_ms && d->try_ms - now_ms < wait_ms)
            wait_ms = d->try_ms - now_ms;
    uv_timer_start(a->timer, alerts_on_timer, wait_ms, 0);
}

static void alerts_next(struct alerts *a)
{
    uint64_t now_ms = uv_now(a->loop);
    for (struct delivery *d = a->first; d && a->running < ALERTS_RUNNING_MOST;) {
        struct delivery *next = d->next;
        if (!d->running && d->try_ms <= now_ms && !alert_is_busy(a, d)) {
            d->running = true;
            a->running++;
            if (d->post)
                delivery_post(d);
            else
                delivery_run(d);
            next = a->first; /* it may have ended at once, and others with it */
        }
        d = next;
    }
}

static void alerts_add(struct alerts *a, struct delivery *d)
{
    if (a->waiting >= DELIVERIES_MOST) {
        alerts_report(a, "%d alerts wait already: one more is not sent", DELIVERIES_MOST);
        delivery_free(d);
        return;
    }
    if (a->last)
        a->last->next = d;
    else
        a->first = d;
    a->last = d;
    a->waiting++;
}

static struct delivery *delivery_new(struct alerts *a, const struct alert *alert,
                                     const struct alert_settings *rule)
{
    struct delivery *d = calloc(1, sizeof *d);
    if (d) {
        d->alerts = a;
        d->alert = alert->id;
        d->timeout_ms = rule->timeout_ms;
        d->timer = loop_timer_new(a->loop, d);
    }
    if (!d || d->timer)
        return d;
    free(d);
    return NULL;
}

static void alerts_add_run(struct alerts *a, const struct alert *alert, const struct alert_settings *rule,
                           char *const facts[FACT_COUNT])
{
    struct delivery *d = delivery_new(a, alert, rule);
    size_t count = 0;
    while (rule->run[count])
        count++;
    if (!d)
        return;
    d->arguments = calloc(count + 1, sizeof *d->arguments);
    d->environment = environment_make(alert, facts);
    bool fine = d->arguments && d->environment;
    for (size_t i = 0; fine && i < count; i++)
        fine = (d->arguments[i] = i ? fact_fill(rule->run[i], facts) : strdup(rule->run[i])) != NULL;
    if (fine)
        alerts_add(a, d);
    else
        delivery_free(d);
}

static void alerts_add_post(struct alerts *a, const struct alert *alert, const struct alert_settings *rule,
                            enum alert_state state)
{
    struct delivery *d = delivery_new(a, alert, rule);
    if (!d)
        return;
    d->post = true;
    d->url = strdup(rule->post);
    d->secret_file = text_copy(rule->secret_file);
    body_make(&d->json, alert, rule, state);
    if (d->url && !buffer_failed(&d->json))
        alerts_add(a, d);
    else
        delivery_free(d);
}

static void alerts_send(void *context, const struct alert *alert, enum alert_state state)
{
    struct alerts *a = context;
    const struct alert_settings *rule = &a->settings->alerts[alert->rule];
    char *facts[FACT_COUNT];
    log_line(LOG_LEVEL_INFO, "alert %s: %s in %s of %s (%zu elections)", alert_state_word(state), alert->code,
             alert->members[0].election, alert->cluster, alert->member_count);
    if (!facts_make(alert, state, facts))
        alerts_report(a, "out of memory: an alert is not sent");
    else if (rule->run)
        alerts_add_run(a, alert, rule, facts);
    if (rule->post)
        alerts_add_post(a, alert, rule, state);
    for (int i = 0; i < FACT_COUNT; i++)
        free(facts[i]);
}

/* ---- the monitor's side ---- */

/* Asked after a reload: does the new model show this finding? */
static int alerts_there(void *context, const char *cluster, const char *path, const char *code)
{
    const struct alerts *a = context;
    const struct model *model = a->monitor ? monitor_model(a->monitor) : NULL;
    for (size_t i = 0; model && i < model->cluster_count; i++) {
        const struct cluster *c = &model->clusters[i];
        if (strcmp(c->name, cluster) != 0)
            continue;
        for (size_t k = 0; k < c->election_count; k++) {
            const struct election *election = c->elections[k];
            if (strcmp(summary_path(election), path) != 0)
                continue;
            for (size_t f = 0; f < election->finding_count; f++)
                if (strcmp(finding_kind(election->findings[f]->code)->word, code) == 0)
                    return -1; /* raised again it will be, or has been */
            return election->fresh && election_complete(election) ? 0 : -1;
        }
    }
    return -1;
}

static void alerts_on_timer(uv_timer_t *timer)
{
    struct alerts *a = timer->data;
    int64_t now_us = clock_now().mono_us;
    alert_book_confirm(a->book, alerts_there, a, now_us);
    int64_t next_us = alert_book_turn(a->book, now_us);
    alerts_next(a);
    alerts_schedule(a, next_us);
}

static void alerts_on_event(void *context, const struct event *event)
{
    struct alerts *a = context;
    int64_t now_us = clock_now().mono_us;
    alert_book_take(a->book, event, now_us);
    /* Nothing is sent from within an event: whoever is told may ask the model. */
    uv_timer_start(a->timer, alerts_on_timer, ALERT_COLLECT_US / 1000, 0);
}

bool alerts_follow(struct alerts *a, struct monitor *monitor, const struct settings *settings)
{
    if (a->monitor)
        monitor_unsubscribe(a->monitor, alerts_on_event, a);
    a->monitor = monitor;
    if (settings != a->settings)
        alert_book_replace(a->book, settings);
    a->settings = settings;
    return !monitor || monitor_subscribe(monitor, alerts_on_event, a);
}

struct alerts *alerts_start(uv_loop_t *loop, struct monitor *monitor, const struct settings *settings,
                            alerts_problem_fn problem, void *context)
{
    struct alerts *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    *a = (struct alerts){.loop = loop, .settings = settings, .problem = problem, .context = context};
    a->book = alert_book_new(settings, alerts_send, a);
    a->timer = loop_timer_new(loop, a);
    if (a->book && a->timer && alerts_follow(a, monitor, settings)) {
        uv_timer_start(a->timer, alerts_on_timer, 1000, 0);
        return a;
    }
    alerts_stop(a);
    return NULL;
}

void alerts_stop(struct alerts *a)
{
    if (!a)
        return;
    if (a->monitor)
        monitor_unsubscribe(a->monitor, alerts_on_event, a);
    for (struct delivery *d = a->first, *next; d; d = next) {
        next = d->next;
        if (d->request)
            http_cancel(d->request);
        if (!d->running || d->post) {
            alerts_report(a, "an alert was not sent before the end: %s", d->post ? d->url : d->arguments[0]);
            delivery_free(d);
            continue;
        }
        d->alerts = NULL; /* the program goes on by itself */
        if (!d->ended)
            delivery_close(d);
    }
    http_free(a->http);
    loop_timer_free(a->timer);
    alert_book_free(a->book);
    free(a);
}

uint64_t alerts_sent(const struct alerts *a)
{
    return a->sent;
}

uint64_t alerts_failed(const struct alerts *a)
{
    return a->failed;
}
