#define _GNU_SOURCE /* close_range() */
#include "probe/alert/alerts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/secret.h"
#include "config/text.h"
#include "probe/alert/alert_book.h"
#include "probe/alert/alert_facts.h"
#include "probe/clock.h"
#include "probe/json/json_writer.h"
#include "probe/election/summary.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/http.h"

#define DELIVERIES_MOST 2000
#define SAID_MOST 400 /* bytes of a program's output, for the report */
#define KILL_AFTER_MS 2000
#define POST_RETRY_LEAST_MS 1000
#define POST_RETRY_MOST_MS 60000
#define POST_GIVE_UP_MS (INT64_C(3600) * 1000)
#define FILE_MOST (32 * 1024 * 1024)

/* One program to be run, or one post to be made. */
struct delivery {
    struct alerts *alerts;
    struct delivery *next;
    uint64_t alert; /* whose deliveries go out one after the other */
    bool post, running, ended;
    int64_t timeout_ms;
    char **arguments, **environment; /* of a program; the environment begins with its mark */
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
    char *mark;         /* "ELECTOP_RUN=…": how those of this process begin */
    uint64_t marked;    /* commands that got one */
    uint64_t unsent;    /* not reported yet: too many wait */
    uint64_t dropped;   /* those of the book that were reported */
    char *file;         /* NULL: none */
    uint64_t saved;     /* the book's revision that is in the file */
    char *file_problem; /* as last reported */
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
    log_line(LOG_LEVEL_ERROR, "%s", text.at);
    a->problem(a->context, text.at);
    text_free(&text);
}

/* ---- deliveries ---- */

static void list_free(char **list)
{
    for (char **item = list; item && *item; item++)
        free(*item);
    free(list);
}

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

static bool alerts_run_as(const struct alerts *a, pid_t pid)
{
    for (const struct delivery *d = a->first; d; d = d->next)
        if (!d->post && d->running && !d->ended && d->process.pid == pid)
            return true;
    return false;
}

/* The process has the mark of a command of these alerts that has ended. */
static bool alerts_left_behind(const struct alerts *a, pid_t pid)
{
    char *name = text_format("/proc/%d/environ", (int)pid), *entry = NULL;
    FILE *environment = fopen(name, "re");
    size_t room = 0;
    bool left = false;
    while (!left && environment && getdelim(&entry, &room, '\0', environment) > 0)
        left = strncmp(entry, a->mark, strlen(a->mark)) == 0;
    for (const struct delivery *d = a->first; left && d; d = d->next)
        left = d->post || !d->running || d->ended || strcmp(d->environment[0], entry) != 0;
    if (environment)
        fclose(environment);
    free(entry);
    free(name);
    return left;
}

/*
 * A process that outlives its command becomes a child of this one (PR_SET_CHILD_SUBREAPER), even if it has
 * started a session. It is killed when its command has ended. Other children must live: those that this process
 * had before exec, their orphans, and, as PID 1 of a container, every orphan. A mark in the environment, which
 * is inherited, distinguishes them. Each child that ends is waited for, and may leave further ones: so this is
 * called each second, too.
 */
static void alerts_end_orphans(struct alerts *a)
{
    if (a->marked == 0)
        return;
    char *name = text_format("/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(name, "re");
    for (int pid; children && fscanf(children, "%d", &pid) == 1;) {
        if (alerts_run_as(a, pid))
            continue;
        bool left = alerts_left_behind(a, pid);
        if (left)
            kill(pid, SIGKILL);
        if (waitpid(pid, NULL, WNOHANG) == 0 && left)
            log_line(LOG_LEVEL_WARNING, "process %d, which an alert's command left behind, was killed", pid);
    }
    if (children)
        fclose(children);
    free(name);
}

/* Its own end counts; other processes of its group are ended with it. */
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
            a, "the alert's command %s did not end within %.3g s and was killed; see timeout: of alerts",
            program, (double)d->timeout_ms / 1000);
    else if (a && number)
        alerts_report(a, "the alert's command %s was killed by signal %d", program, number);
    else if (a && status)
        alerts_report(a, "the alert's command %s failed with exit code %lld%s%s", program, (long long)status,
                      d->said_length ? ": " : "", d->said);
    else if (a)
        a->sent++;
    if (left)
        log_line(LOG_LEVEL_WARNING, "the alert's command %s left processes behind, which were killed",
                 program);
    if (a)
        alerts_end_orphans(a);
    delivery_close(d);
}

static void delivery_on_room(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    static char room[65536];
    (void)handle;
    (void)size;
    *buffer = uv_buf_init(room, sizeof room);
}

/* The beginning of its output is kept for the report; the rest is read, so that it does not hang. */
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

/* Libraries open sockets that a command would inherit: sessions with servers, with all their permissions. */
static void descriptors_end_with_exec(void)
{
    if (close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    for (int fd = STDERR_FILENO + 1; fd < 65536; fd++) /* before Linux 5.11 */
        fcntl(fd, F_SETFD, FD_CLOEXEC);
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
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    descriptors_end_with_exec();
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

/* A URL without its possible secrets: the path of a hook, a token. */
static char *url_shown(const char *url)
{
    size_t scheme = strcspn(url, "/") + 2, length = strlen(url);
    scheme = scheme < length ? scheme : length;
    return text_format("%.*s", (int)(scheme + strcspn(url + scheme, "/?#")), url);
}

/* The header with the secret. NULL: it may not be used, which is reported. */
static char *alerts_secret_header(struct alerts *a, const char *file)
{
    char *error, *token = secret_read_line(file, "alert's secret_file", &error);
    if (!token) {
        alerts_report(a, "%s", error);
        free(error);
        return NULL;
    }
    char *header = secret_format("Authorization: %s%s", strchr(token, ' ') ? "" : "Bearer ", token);
    secret_end(token);
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
    char *place = url_shown(d->url);
    if (d->pause_ms == 0 || last)
        alerts_report(a, "the alert could not be posted to %s: %s%s", place, problem,
                      last ? "; given up" : "; electop tries again");
    free(place);
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
    static const struct http_reader reader = {.body = post_on_body, .done = post_on_done};
    struct alerts *a = d->alerts;
    static const char *const headers[] = {"Content-Type: application/json", "Expect:", NULL};
    char *secret = d->secret_file ? alerts_secret_header(a, d->secret_file) : NULL;
    if (!a->http)
        a->http = http_new(a->loop, NULL);
    if (!d->begun_ms)
        d->begun_ms = uv_now(a->loop);
    if ((secret || !d->secret_file) && a->http)
        d->request = http_post(a->http, d->url, headers, secret, d->json.bytes, d->json.length, d->timeout_ms,
                               &reader, d);
    else
        secret_end(secret);
    if (!d->request)
        delivery_done(d);
}

/* ---- the next message ---- */

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
        a->unsent++;
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
                                     const struct alert_settings *rule, bool post)
{
    struct delivery *d = xcalloc(1, sizeof *d);
    d->alerts = a;
    d->alert = alert->id;
    d->post = post;
    d->timeout_ms = rule->timeout_ms;
    d->timer = loop_timer_new(a->loop, d);
    return d;
}

static void alerts_add_run(struct alerts *a, const struct alert *alert, const struct alert_settings *rule,
                           char *const facts[ALERT_FACTS])
{
    struct delivery *d = delivery_new(a, alert, rule, false);
    size_t count = 0;
    while (rule->run[count])
        count++;
    d->arguments = xcalloc(count + 1, sizeof *d->arguments);
    char *mark = text_format("%s%" PRIu64, a->mark, ++a->marked);
    d->environment = alert_environment(mark, facts);
    free(mark);
    for (size_t i = 0; i < count; i++)
        d->arguments[i] = i ? alert_fill(rule->run[i], facts) : xstrdup(rule->run[i]);
    alerts_add(a, d);
}

static void alerts_add_post(struct alerts *a, const struct alert *alert, const struct alert_settings *rule,
                            enum alert_state state)
{
    struct delivery *d = delivery_new(a, alert, rule, true);
    d->url = xstrdup(rule->post);
    d->secret_file = text_copy(rule->secret_file);
    alert_body(&d->json, alert, rule, state);
    alerts_add(a, d);
}

/* A flood is reported once a turn. */
static void alerts_report_unsent(struct alerts *a)
{
    uint64_t dropped = alert_book_dropped(a->book), unsent = a->unsent + dropped - a->dropped;
    if (unsent)
        alerts_report(a, "%" PRIu64 " alerts were not sent: %d wait already, or %d are open", unsent,
                      DELIVERIES_MOST, ALERTS_MOST);
    a->failed += unsent ? unsent - 1 : 0;
    a->unsent = 0;
    a->dropped = dropped;
}

/* "run /usr/local/bin/page, post to http://host:9093" */
static char *rule_actions(const struct alert_settings *rule)
{
    char *url = rule->post ? url_shown(rule->post) : NULL;
    char *words = text_format("%s%s%s%s%s", rule->run ? "run " : "", rule->run ? rule->run[0] : "",
                              rule->run && url ? ", " : "", url ? "post to " : "", url ? url : "");
    free(url);
    return words;
}

static void alerts_send(void *context, const struct alert *alert, enum alert_state state)
{
    struct alerts *a = context;
    const struct alert_settings *rule = &a->settings->alerts[alert->rule];
    char *facts[ALERT_FACTS];
    const char *const fields[] = {"ELECTOP_STATE",
                                  alert_state_word(state),
                                  "ELECTOP_CODE",
                                  alert->code,
                                  "ELECTOP_CLUSTER",
                                  alert->cluster,
                                  "ELECTOP_ELECTION",
                                  alert->election,
                                  "ELECTOP_SEVERITY",
                                  severity_word(alert->severity),
                                  "ELECTOP_CERTAINTY",
                                  certainty_word(alert->certainty),
                                  "ELECTOP_EVIDENCE",
                                  alert->evidence,
                                  NULL};
    char *actions = rule_actions(rule);
    log_fields(LOG_LEVEL_INFO, fields, "alert %s: %s in %s of %s: %s", alert_state_word(state), alert->code,
               alert->election, alert->cluster, actions);
    free(actions);
    alert_facts(alert, state, facts);
    if (rule->run)
        alerts_add_run(a, alert, rule, facts);
    if (rule->post)
        alerts_add_post(a, alert, rule, state);
    for (int i = 0; i < ALERT_FACTS; i++)
        free(facts[i]);
}

static const struct finding *alert_finding(const struct alert *alert, const struct cluster *c,
                                           const struct election *election)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (alert_book_key(&(struct event){
                .cluster = c, .election = election, .finding = election->findings[i]}) == alert->key)
            return election->findings[i];
    return NULL;
}

static const struct finding *alerts_finding(void *context, const struct alert *alert)
{
    const struct alerts *a = context;
    const struct model *model = a->monitor ? monitor_model(a->monitor) : NULL;
    const struct finding *found = NULL;
    for (size_t i = 0; model && !found && i < model->cluster_count; i++) {
        const struct cluster *c = &model->clusters[i];
        for (size_t k = 0; strcmp(c->name, alert->cluster) == 0 && !found && k < c->election_count; k++)
            if (strcmp(summary_path(c->elections[k]), alert->election) == 0)
                found = alert_finding(alert, c, c->elections[k]);
    }
    return found;
}

/* Asked after a reload or a restart: does the model show this finding? */
static int alerts_there(void *context, const struct alert *alert)
{
    const struct alerts *a = context;
    const struct model *model = a->monitor ? monitor_model(a->monitor) : NULL;
    for (size_t i = 0; model && i < model->cluster_count; i++) {
        const struct cluster *c = &model->clusters[i];
        if (strcmp(c->name, alert->cluster) != 0)
            continue;
        for (size_t k = 0; k < c->election_count; k++) {
            const struct election *election = c->elections[k];
            if (strcmp(summary_path(election), alert->election) != 0)
                continue;
            if (alert_finding(alert, c, election))
                return -1; /* raised again it will be, or has been */
            return election->fresh && election_complete(election) ? 0 : -1;
        }
        /* Its election is not there any more, or the configuration names it no longer. */
        return c->connection == CONNECTION_CONNECTED && monitor_complete(a->monitor) ? 0 : -1;
    }
    return a->monitor && monitor_complete(a->monitor) ? 0 : -1;
}

/* ---- a restart ---- */

static void alerts_save(struct alerts *a)
{
    uint64_t revision = alert_book_revision(a->book);
    if (!a->file || revision == a->saved)
        return;
    char *text = alert_book_print(a->book);
    size_t length = strlen(text);
    char *beside = text_format("%s.new", a->file);
    unlink(beside);
    int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool fine = descriptor >= 0;
    for (size_t done = 0; fine && done < length;) {
        ssize_t wrote = write(descriptor, text + done, length - done);
        fine = wrote > 0;
        done += fine ? (size_t)wrote : 0;
    }
    fine = descriptor >= 0 && close(descriptor) == 0 && fine && rename(beside, a->file) == 0;
    char *problem = fine ? NULL
                         : text_format("%s cannot be written: %s; open alerts will be lost at a restart",
                                       a->file, strerror(errno));
    if (problem && (!a->file_problem || strcmp(problem, a->file_problem) != 0))
        alerts_report(a, "%s", problem);
    free(a->file_problem);
    a->file_problem = problem;
    a->saved = revision;
    free(text);
    free(beside);
}

static char *file_read(const char *file)
{
    struct stat facts;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool usable = descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
                  facts.st_uid == geteuid() && facts.st_size > 0 && facts.st_size <= FILE_MOST;
    char *all = usable ? xcalloc(1, (size_t)facts.st_size + 1) : NULL;
    size_t length = 0;
    for (ssize_t got = 1; all && got > 0 && length<(size_t)facts.st_size; length += got> 0 ? (size_t)got : 0)
        got = read(descriptor, all + length, (size_t)facts.st_size - length);
    if (descriptor >= 0)
        close(descriptor);
    return all;
}

/* Alerts of a recorder that ended stay open until the model confirms them or shows that they are over. */
static void alerts_restore(struct alerts *a)
{
    char *all = a->file ? file_read(a->file) : NULL;
    if (all)
        alert_book_restore(a->book, all, clock_now().mono_us);
    free(all);
    a->saved = alert_book_revision(a->book);
}

/* ---- the monitor's side ---- */

static void alerts_on_timer(uv_timer_t *timer)
{
    struct alerts *a = timer->data;
    int64_t now_us = clock_now().mono_us;
    alert_book_confirm(a->book, alerts_there, a);
    int64_t next_us = alert_book_turn(a->book, now_us);
    alerts_report_unsent(a);
    alerts_end_orphans(a);
    alerts_next(a);
    alerts_save(a);
    alerts_schedule(a, next_us);
}

static void alerts_on_event(void *context, const struct event *event)
{
    struct alerts *a = context;
    alert_book_take(a->book, event, clock_now().mono_us);
    /* Nothing is sent during an event: a receiver may read the model. */
    uv_timer_start(a->timer, alerts_on_timer, 0, 0);
}

void alerts_follow(struct alerts *a, struct monitor *monitor, const struct settings *settings)
{
    if (a->monitor)
        monitor_unsubscribe(a->monitor, alerts_on_event, a);
    a->monitor = monitor;
    if (settings != a->settings) {
        alert_book_replace(a->book, settings);
        a->settings = settings;
    }
    if (monitor)
        monitor_subscribe(monitor, alerts_on_event, a);
}

struct alerts *alerts_start(uv_loop_t *loop, struct monitor *monitor, const struct settings *settings,
                            const char *file, alerts_problem_fn problem, void *context)
{
    struct alerts *a = xcalloc(1, sizeof *a);
    *a = (struct alerts){.loop = loop, .settings = settings, .problem = problem, .context = context};
    a->mark = text_format("ELECTOP_RUN=%d.%" PRId64 ".", (int)getpid(), clock_wall_us());
    a->book = alert_book_new(settings, alerts_send, alerts_finding, a);
    a->timer = loop_timer_new(loop, a);
    a->file = text_copy(file);
    alerts_restore(a);
    alerts_follow(a, monitor, settings);
    uv_timer_start(a->timer, alerts_on_timer, 1000, 0);
    return a;
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
            char *place = d->post ? url_shown(d->url) : xstrdup(d->arguments[0]);
            alerts_report(a, "an alert was not sent before the end: %s", place);
            free(place);
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
    free(a->mark);
    free(a->file);
    free(a->file_problem);
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
