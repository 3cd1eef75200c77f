#include "probe/history/log_recorder.h"

#include <stdlib.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/capture/coverage.h"
#include "probe/case/case_file.h"
#include "probe/clock.h"
#include "probe/history/recorder.h"
#include "probe/transactions/log_set.h"

/* The time of a step, unless so few packets take longer: to read the clock takes as long as to read one. */
#define STEP_US INT64_C(20000)
#define CLOCK_READ 8
/* libpcap hands packets on in blocks, each after a second at the latest, unless it is told to do so immediately. */
#define BLOCK_US INT64_C(1200000)
/* More of a delay is of packets from before, or of a pipe that had stalled. */
#define DELAY_MOST_US INT64_C(5000000)
/* The delays of immediate packets differ by less. */
#define PUNCTUAL_US INT64_C(100000)
#define DELAYS_KEPT_US INT64_C(30000000)
/* What comes sooner after another than a block takes, and as late, came in no block; so many prove it. */
#define UNBLOCKED_US INT64_C(900000)
#define UNBLOCKED_ENOUGH 4
/* A packet may come this much later than any in that time. */
#define LATER_US INT64_C(20000)

/* From a packet's time until it came, by two clocks; since_us 0: none came. */
struct delays {
    int64_t least_us, most_us, since_us, latest_us, arrived_us; /* latest: that of the last packet */
    int unblocked;
};

struct log_recorder {
    struct log_set *set;
    struct model *model;
    struct autopsy *autopsy;
    struct capture_files *files; /* of captures */
    struct capture *capture;
    int64_t shift_us[CAPTURES_MOST]; /* to be added to their times, by the logs' clock */
    bool tied[CAPTURES_MOST], over;  /* over: they are all read */
    bool doubted[CAPTURES_MOST];     /* it is over, and the logs go on */
    const char *left_out;            /* of log_recorder_left_out() */
    struct delays delays, earlier;   /* of packets that a pipe brings */
    struct recorder *recorder;
    struct case_writer *observed; /* --observe; or NULL */
    struct log_recorder_options options;
    void (*listener)(void *context, const struct event *);
    void *context;
};

static void log_recorder_event(void *context, const struct event *event)
{
    struct log_recorder *r = context;
    recorder_event(r->recorder, event);
    if (r->listener)
        r->listener(r->context, event);
}

static void log_recorder_changed(void *context)
{
    struct log_recorder *r = context;
    model_catch_up(r->model);
    recorder_pace(r->recorder);
}

static void log_recorder_fact(void *context, const struct logged_fact *fact)
{
    struct log_recorder *r = context;
    recorder_fact(r->recorder, r->model->clusters[0].name, fact);
}

static void log_recorder_note(void *context, const struct stream_note *note)
{
    struct log_recorder *r = context;
    if (r->options.note)
        r->options.note(r->options.context, note);
}

/* Each time of a reply is later than that of its transaction. */
static void tie_seen(struct log_recorder *r, size_t source, size_t *at, const struct transaction *t)
{
    const struct covered *covered = &capture_coverage(r->capture)->sources[source];
    while (*at < covered->seen_count && covered->seen[*at].zxid < t->zxid)
        ++*at;
    if (*at >= covered->seen_count || covered->seen[*at].zxid != t->zxid)
        return;
    int64_t shift_us = t->time_ms * 1000 - covered->seen[*at].at_us;
    if (!r->tied[source] || shift_us > r->shift_us[source])
        r->shift_us[source] = shift_us;
    r->tied[source] = true;
}

static void tie_clocks(struct log_recorder *r)
{
    const struct coverage *coverage = capture_coverage(r->capture);
    size_t at[CAPTURES_MOST] = {0};
    int64_t first = INT64_MAX, last = 0;
    for (size_t i = 0; i < coverage->count; i++) {
        const struct covered *covered = &coverage->sources[i];
        if (covered->seen_count > 0 && covered->seen[0].zxid < first)
            first = covered->seen[0].zxid;
        if (covered->seen_count > 0 && covered->seen[covered->seen_count - 1].zxid > last)
            last = covered->seen[covered->seen_count - 1].zxid;
    }
    struct transaction t = {0};
    bool missing;
    struct log_stream *stream = log_stream_open(r->set, first - 1, NULL, NULL);
    while (t.zxid < last && log_stream_next(stream, &t, &missing))
        for (size_t i = 0; i < coverage->count; i++)
            tie_seen(r, i, &at[i], &t);
    log_stream_close(stream);
    for (size_t i = 0; i < coverage->count; i++) {
        capture_files_shift(r->files, i, r->shift_us[i]);
        capture_shift(r->capture, i, r->shift_us[i]);
    }
}

static bool log_recorder_captures(struct log_recorder *r, const struct settings *settings, char **error)
{
    const struct log_recorder_options *options = &r->options;
    const struct autopsy_query *query = &options->query;
    r->files = capture_files_open(options->captures, options->capture_count, false, error);
    if (!r->files)
        return false;
    r->capture =
        capture_new(r->model, settings,
                    &(struct capture_query){query->from_us, query->to_us, query->election, r->set != NULL},
                    &(struct capture_sink){r, log_recorder_changed, r->set ? NULL : log_recorder_fact});
    if (options->capture_count > 1 || r->set)
        capture_read_ahead(r->capture, options->captures, options->capture_count);
    if (r->set)
        tie_clocks(r);
    size_t one, other;
    bool mixed = !r->set && coverage_contradicts(capture_coverage(r->capture), &one, &other);
    if (mixed)
        *error =
            text_format("%s and %s number their transactions against the times of their packets: their "
                        "clocks differ, or they belong to two ensembles; set the times of one right with "
                        "editcap -t SECONDS, add a transaction log, or read each alone",
                        options->captures[one], options->captures[other]);
    return !mixed;
}

/* False: the case cannot be written. */
static bool log_recorder_observe(struct log_recorder *r, const struct settings *settings, char **error)
{
    if (!settings->observe)
        return true;
    r->observed = case_writer_open(settings->observe, settings, r->model, error);
    if (!r->observed)
        return false;
    r->model->on_observation = case_writer_observe;
    r->model->observer = r->observed;
    return true;
}

static bool log_recorder_begin(struct log_recorder *r, const struct settings *settings, char **error)
{
    struct autopsy_sink sink = {r, log_recorder_changed, log_recorder_fact, log_recorder_note};
    const struct log_recorder_options *options = &r->options;
    if (options->path_count > 0 &&
        !(r->set = log_set_open(options->paths, options->path_count, settings->history.unpack_bytes, error)))
        return false;
    r->model = model_new(settings, error);
    if (!r->model || !log_recorder_observe(r, settings, error) ||
        (options->capture_count > 0 && !log_recorder_captures(r, settings, error)))
        return false;
    r->recorder = recorder_new(r->model, options->file, RECORDER_KEEP_ALL_MS, error);
    if (!r->recorder)
        return false;
    recorder_from_log(r->recorder);
    r->model->on_event = log_recorder_event;
    r->model->context = r;
    r->autopsy = r->set ? autopsy_open(r->set, r->model, settings, &options->query, &sink, error) : NULL;
    return !r->set || r->autopsy;
}

struct log_recorder *log_recorder_new(const struct settings *settings,
                                      const struct log_recorder_options *options, char **error)
{
    struct log_recorder *r = xcalloc(1, sizeof *r);
    *error = NULL;
    r->options = *options;
    if (log_recorder_begin(r, settings, error))
        return r;
    log_recorder_end(r, NULL);
    return NULL;
}

/* The watches from captures that have ended may be out of date, unless others go on with their servers. */
static void log_recorder_doubt(struct log_recorder *r, int64_t at_us)
{
    for (size_t i = 0; i < r->options.capture_count; i++) {
        if (r->doubted[i] || !(r->over || capture_files_over(r->files, i)) ||
            capture_goes_on(r->capture, i, at_us))
            continue;
        r->doubted[i] = true;
        capture_doubt(r->capture, i);
        capture_settle(r->capture);
    }
}

/* Advances the logs to the time of a packet. */
static void log_recorder_tie(struct log_recorder *r, int64_t at_us)
{
    int64_t base_us = autopsy_base_us(r->autopsy);
    log_recorder_doubt(r, at_us);
    if (!autopsy_go_on(r->autopsy, at_us))
        return;
    if (capture_latest_us(r->capture) != 0 && autopsy_base_us(r->autopsy) != base_us)
        r->left_out = "the clock of ZooKeeper's leader went back";
    base_us = autopsy_base_us(r->autopsy);
    for (size_t i = 0; i < r->options.capture_count; i++)
        if (!capture_files_over(r->files, i))
            capture_tie(r->capture, i, (struct moment){.mono_us = -base_us});
}

/* A packet is from after the last transaction of the logs. */
static bool is_beyond(struct log_recorder *r)
{
    return !autopsy_has_more(r->autopsy) && capture_latest_zxid(r->capture) > autopsy_latest_zxid(r->autopsy);
}

static void note_delay(struct log_recorder *r, const struct captured_packet *packet)
{
    struct delays *d = &r->delays;
    int64_t delay_us = packet->arrived_us - packet->at_us;
    if (packet->arrived_us == 0)
        return;
    if (d->since_us == 0 || packet->arrived_us - d->since_us > DELAYS_KEPT_US) {
        r->earlier = *d;
        *d = (struct delays){delay_us, delay_us, packet->arrived_us, delay_us, packet->arrived_us, 0};
    }
    int64_t after_us = packet->arrived_us - d->arrived_us, apart_us = delay_us - d->latest_us;
    if (r->earlier.since_us == 0 && after_us > PUNCTUAL_US && after_us < UNBLOCKED_US &&
        apart_us > -LATER_US && apart_us < LATER_US && d->unblocked++ == 0)
        d->least_us = d->most_us = delay_us; /* the first packets may have waited for this program */
    d->latest_us = delay_us;
    d->arrived_us = packet->arrived_us;
    d->least_us = delay_us < d->least_us ? delay_us : d->least_us;
    d->most_us = delay_us > d->most_us ? delay_us : d->most_us;
}

/* False: there are no more packets at present. */
static bool log_recorder_packet(struct log_recorder *r)
{
    struct captured_packet packet;
    enum capture_next next = r->over ? CAPTURE_END : capture_files_next(r->files, &packet);
    for (size_t i = 0; i < r->options.capture_count; i++)
        if (capture_files_over(r->files, i))
            capture_end(r->capture, i);
    if (next == CAPTURE_PACKET) {
        note_delay(r, &packet);
        packet.at_us += r->shift_us[packet.source];
        if (r->autopsy)
            log_recorder_tie(r, packet.at_us);
        if (!r->left_out && !capture_take(r->capture, &packet))
            next = CAPTURE_END;
        if (!r->left_out)
            r->left_out = capture_limits(r->capture)->mixed;
        if (r->autopsy && !r->left_out && is_beyond(r))
            r->left_out = "the logs end there";
    }
    if (r->left_out)
        next = CAPTURE_END;
    r->over = next == CAPTURE_END;
    return next == CAPTURE_PACKET;
}

bool log_recorder_step(struct log_recorder *r, size_t most)
{
    bool more = r->capture != NULL;
    int64_t until_us = clock_now().mono_us + STEP_US; /* a packet may be a change of a thousand elections */
    for (size_t i = 0; i < most && more && (i % CLOCK_READ != 0 || clock_now().mono_us < until_us); i++)
        more = log_recorder_packet(r);
    if (r->capture && !more)
        capture_settle(r->capture);
    if (more || !r->autopsy)
        return more;
    if (r->capture && autopsy_has_more(r->autopsy))
        log_recorder_doubt(r, INT64_MAX / 2);
    if (autopsy_step(r->autopsy, most))
        return true;
    if (autopsy_show_snapshot(r->autopsy))
        log_recorder_changed(r);
    return false;
}

void log_recorder_refresh(struct log_recorder *r)
{
    if (r->set)
        log_set_refresh(r->set);
}

void log_recorder_pass(struct log_recorder *r, int64_t wall_us)
{
    if (r->autopsy)
        autopsy_pass(r->autopsy, wall_us);
    if (r->capture)
        capture_pass(r->capture, wall_us);
    log_recorder_changed(r);
}

void log_recorder_pass_packets(struct log_recorder *r, int64_t mono_us)
{
    const struct delays *d = &r->delays, *before = r->earlier.since_us ? &r->earlier : d;
    int64_t least_us = d->least_us < before->least_us ? d->least_us : before->least_us;
    int64_t late_us = (d->most_us > before->most_us ? d->most_us : before->most_us) - least_us;
    bool punctual = (before != d || d->unblocked >= UNBLOCKED_ENOUGH) && late_us < PUNCTUAL_US;
    late_us = late_us < DELAY_MOST_US ? late_us : DELAY_MOST_US;
    late_us = punctual || late_us > BLOCK_US ? late_us : BLOCK_US;
    int64_t passed_us = mono_us - least_us - late_us - LATER_US;
    if (d->since_us != 0 && passed_us > log_recorder_latest_us(r))
        log_recorder_pass(r, passed_us);
}

void log_recorder_finish(struct log_recorder *r)
{
    if (!r->capture)
        return;
    model_finish(r->model);
    log_recorder_changed(r);
}

const struct autopsy *log_recorder_autopsy(const struct log_recorder *r)
{
    return r->autopsy;
}

const struct log_set *log_recorder_set(const struct log_recorder *r)
{
    return r->set;
}

const struct capture *log_recorder_capture(const struct log_recorder *r)
{
    return r->capture;
}

bool log_recorder_is_tied(const struct log_recorder *r, size_t capture)
{
    return !r->set || r->tied[capture];
}

const char *log_recorder_left_out(const struct log_recorder *r)
{
    return r->left_out;
}

const char *log_recorder_note_of_capture(struct log_recorder *r)
{
    return r->files ? capture_files_note(r->files) : NULL;
}

bool log_recorder_is_over(const struct log_recorder *r)
{
    return r->autopsy ? autopsy_is_over(r->autopsy) : r->over;
}

int64_t log_recorder_latest_us(const struct log_recorder *r)
{
    int64_t logged_us = r->autopsy ? autopsy_latest_us(r->autopsy) : 0,
            captured_us = r->capture ? capture_latest_us(r->capture) : 0;
    return logged_us > captured_us ? logged_us : captured_us;
}

const struct model *log_recorder_model(const struct log_recorder *r)
{
    return r->model;
}

void log_recorder_listen(struct log_recorder *r, void (*fn)(void *context, const struct event *),
                         void *context)
{
    r->listener = fn;
    r->context = context;
}

bool log_recorder_end(struct log_recorder *r, char **problem)
{
    if (problem)
        *problem = NULL;
    if (!r)
        return true;
    char *unwritten;
    bool fine = recorder_stop(r->recorder, problem), observed = case_writer_close(r->observed, &unwritten);
    if (problem && !*problem)
        *problem = unwritten;
    else
        free(unwritten);
    if (r->model)
        r->model->on_observation = NULL;
    autopsy_close(r->autopsy);
    capture_free(r->capture);
    capture_files_close(r->files);
    model_free(r->model);
    log_set_free(r->set);
    free(r);
    return fine && observed;
}
