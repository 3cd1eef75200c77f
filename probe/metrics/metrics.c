#include "probe/metrics/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/utf8.h"
#include "probe/election/dangers.h"
#include "probe/election/whatif.h"
#include "probe/metrics/figures.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"

#define LABEL_MOST 200 /* bytes of one label's value */

enum metric {
    METRIC_BUILD,
    METRIC_CLUSTER_CONNECTED,
    METRIC_CLUSTER_ELECTIONS,
    METRIC_CLUSTER_OMITTED,
    METRIC_READS,
    METRIC_READS_DELAYED,
    METRIC_SERVER_UP,
    METRIC_SERVER_ANSWER,
    METRIC_SERVER_WATCHES,
    METRIC_SERVER_FINDINGS,
    METRIC_ELECTION,
    METRIC_READABLE,
    METRIC_LED,
    METRIC_LEADER,
    METRIC_CANDIDATES,
    METRIC_VACANCY,
    METRIC_TENURE,
    METRIC_CHANGES,
    METRIC_NEXT_FAILOVER,
    METRIC_NEXT_KNOWN,
    METRIC_CHAIN,
    METRIC_FINDINGS,
    METRIC_FAILOVERS,
    METRIC_UNMEASURED,
    METRIC_PHASES,
    METRIC_RECORDING,
    METRIC_RECORDING_LOST,
    METRIC_ALERTS,
    METRIC_ALERTS_FAILED,
    METRIC_SERIES_LIMIT,
    METRIC_RENDER,
    METRIC_CPU,
    METRIC_RESIDENT,
    METRIC_FILES,
    METRIC_START,
    METRIC_COUNT
};

/* clang-format off: a table, a row a family */
#define ELECTION_LABELS "cluster, election"
const struct metric_kind metric_table[] = {
    [METRIC_BUILD] = {"electop_build", METRIC_INFO, NULL, "version", "The version of electop."},
    [METRIC_CLUSTER_CONNECTED] =
        {"electop_cluster_connected", METRIC_GAUGE, NULL, "cluster",
         "1 while the cluster answers; 0 when it does not: its elections are unknown then."},
    [METRIC_CLUSTER_ELECTIONS] = {"electop_cluster_elections", METRIC_GAUGE, NULL, "cluster",
                                  "Elections that are watched."},
    [METRIC_CLUSTER_OMITTED] = {"electop_cluster_elections_omitted", METRIC_GAUGE, NULL, "cluster",
                                "Elections without series, because the bound on series applies."},
    [METRIC_READS] = {"electop_cluster_reads", METRIC_COUNTER, NULL, "cluster",
                      "Reads that electop itself sent to the cluster, without polls of its servers."},
    [METRIC_READS_DELAYED] = {"electop_cluster_reads_delayed", METRIC_COUNTER, NULL, "cluster",
                              "Those that waited, because electop limits its reads while nothing changes."},
    [METRIC_SERVER_UP] = {"electop_server_up", METRIC_GAUGE, NULL, "cluster, server, mode",
                          "1 for a server that answers."},
    [METRIC_SERVER_ANSWER] = {"electop_server_answer_seconds", METRIC_GAUGE, "seconds", "cluster, server",
                              "How long the server took for its latest short answer."},
    [METRIC_SERVER_WATCHES] =
        {"electop_server_watches_known", METRIC_GAUGE, NULL, "cluster, server",
         "1 for a server that shows its watches; without them the next failover is unknown."},
    [METRIC_SERVER_FINDINGS] = {"electop_server_findings", METRIC_GAUGE, NULL,
                                "cluster, server, code, severity",
                                "1 while the server endangers elections for this reason."},
    [METRIC_ELECTION] = {"electop_election", METRIC_INFO, NULL, "cluster, election, name, kind, recipe",
                         "An election that is watched."},
    [METRIC_READABLE] = {"electop_election_readable", METRIC_GAUGE, NULL, ELECTION_LABELS,
                         "1 while the election can be read; 0 when it is denied or not connected."},
    [METRIC_LED] = {"electop_election_led", METRIC_GAUGE, NULL, ELECTION_LABELS,
                    "1 while there is a leader, 0 otherwise."},
    [METRIC_LEADER] = {"electop_leader", METRIC_INFO, NULL, "cluster, election, candidate, identity",
                       "Who leads."},
    [METRIC_CANDIDATES] = {"electop_election_candidates", METRIC_GAUGE, NULL, ELECTION_LABELS,
                           "Number of candidates."},
    [METRIC_VACANCY] = {"electop_election_vacancy_seconds", METRIC_GAUGE, "seconds", ELECTION_LABELS,
                        "Time without a leader; 0 while there is one. Found vacant: since electop started, "
                        "or since the loss that a recording knows."},
    [METRIC_TENURE] = {"electop_leader_tenure_seconds", METRIC_GAUGE, "seconds", ELECTION_LABELS,
                       "Upper bound of how long the leader has led."},
    [METRIC_CHANGES] = {"electop_leader_changes", METRIC_COUNTER, NULL, ELECTION_LABELS,
                        "Changes of leader that were noticed, as they happened or after a gap."},
    [METRIC_NEXT_FAILOVER] = {"electop_next_failover_works", METRIC_GAUGE, NULL, ELECTION_LABELS,
                              "1: a successor exists and is notified when the leader leaves; 0: not. "
                              "Missing: unknown, or nobody has to "
                              "follow."},
    [METRIC_NEXT_KNOWN] =
        {"electop_next_failover_known", METRIC_GAUGE, NULL, ELECTION_LABELS,
         "Of an election with a leader: 1: it is known what its next failover does; 0: no server shows it. "
         "Missing: nobody has to follow."},
    [METRIC_CHAIN] =
        {"electop_election_chain_length", METRIC_GAUGE, NULL, ELECTION_LABELS,
         "Candidates, counted from the leader on, each notified when its predecessor leaves. Missing: "
         "unknown."},
    [METRIC_FINDINGS] = {"electop_findings", METRIC_GAUGE, NULL,
                         "cluster, election, code, severity, certainty", "Findings that are open."},
    [METRIC_FAILOVERS] = {"electop_failovers", METRIC_COUNTER, NULL, "cluster, cause",
                          "Failovers that were seen as they happened."},
    [METRIC_UNMEASURED] = {"electop_failovers_unmeasured", METRIC_COUNTER, NULL, "cluster, phase, cause",
                           "Failovers in which this phase has no upper bound."},
    [METRIC_PHASES] = {"electop_failover_duration_seconds", METRIC_HISTOGRAM, "seconds",
                       "cluster, phase, cause",
                       "Length of a failover's phases (detection, vacancy, takeover), their total, and of "
                       "captures when the successor was notified and reacted (after the loss), the "
                       "upper bound of each."},
    [METRIC_RECORDING] = {"electop_recording_up", METRIC_GAUGE, NULL, "",
                          "1 while the recording is written, 0 while it cannot be."},
    [METRIC_RECORDING_LOST] = {"electop_recording_lost_events", METRIC_COUNTER, NULL, "",
                               "Events that the recording could not take."},
    [METRIC_ALERTS] = {"electop_alerts_sent", METRIC_COUNTER, NULL, "",
                       "Alerts whose command succeeded, or whose post was accepted."},
    [METRIC_ALERTS_FAILED] = {"electop_alert_failures", METRIC_COUNTER, NULL, "",
                              "Alerts whose command or post failed."},
    [METRIC_SERIES_LIMIT] = {"electop_series_limit", METRIC_GAUGE, NULL, "",
                             "The bound on series of elections (--series)."},
    [METRIC_RENDER] = {"electop_render_duration_seconds", METRIC_GAUGE, "seconds", "",
                       "How long the previous scrape took to build."},
    [METRIC_CPU] = {"process_cpu_seconds", METRIC_COUNTER, "seconds", "", "CPU time of electop itself."},
    [METRIC_RESIDENT] = {"process_resident_memory_bytes", METRIC_GAUGE, "bytes", "",
                         "Resident memory of electop itself."},
    [METRIC_FILES] = {"process_open_fds", METRIC_GAUGE, NULL, "", "Open file descriptors of electop itself."},
    [METRIC_START] = {"process_start_time_seconds", METRIC_GAUGE, "seconds", "",
                      "When electop started, since 1970."},
};
/* clang-format on */
const size_t metric_count = METRIC_COUNT;

static const double bounds[] = {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120};
#define BOUNDS (sizeof bounds / sizeof *bounds)

enum phase {
    PHASE_DETECTION,
    PHASE_VACANCY,
    PHASE_TAKEOVER,
    PHASE_TOTAL,
    PHASE_NOTIFIED, /* this one and the next: of captures */
    PHASE_REACTED,
    PHASE_COUNT
};
static const char *const phase_words[] = {"detection", "vacancy", "takeover", "total", "notified", "reacted"};

struct phase_counts {
    uint64_t buckets[BOUNDS + 1], count, unmeasured;
    double sum;
};

/* The counts of one cluster. */
struct cluster_counts {
    char *name;
    uint64_t failovers[CAUSE_COUNT];
    struct phase_counts phases[PHASE_COUNT][CAUSE_COUNT];
};

struct metrics {
    size_t series;
    struct cluster_counts *clusters;
    size_t cluster_count;
};

struct metrics *metrics_new(size_t series)
{
    struct metrics *metrics = xcalloc(1, sizeof *metrics);
    metrics->series = series;
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    for (size_t i = 0; i < metrics->cluster_count; i++)
        free(metrics->clusters[i].name);
    free(metrics->clusters);
    free(metrics);
}

static const char *metric_type_word(enum metric_type type)
{
    static const char *const words[] = {"gauge", "counter", "info", "histogram"};
    return words[type];
}

char *metric_sample_name(const struct metric_kind *kind, char buffer[METRIC_NAME])
{
    static const char *const endings[] = {[METRIC_COUNTER] = "_total", [METRIC_INFO] = "_info"};
    const char *ending = kind->type <= METRIC_INFO ? endings[kind->type] : NULL;
    snprintf(buffer, METRIC_NAME, "%s%s", kind->name, ending ? ending : "");
    return buffer;
}

/* One that was named on the command line has no name. */
static const char *cluster_label(const struct cluster *cluster)
{
    return cluster->name && *cluster->name ? cluster->name : cluster->hosts;
}

/* ---- counting ---- */

static struct cluster_counts *counts_of(struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->cluster_count; i++)
        if (strcmp(metrics->clusters[i].name, name) == 0)
            return &metrics->clusters[i];
    metrics->clusters =
        xreallocarray(metrics->clusters, metrics->cluster_count + 1, sizeof *metrics->clusters);
    struct cluster_counts *counts = &metrics->clusters[metrics->cluster_count++];
    *counts = (struct cluster_counts){.name = xstrdup(name)};
    return counts;
}

static void count_phase(struct phase_counts *counts, struct span span)
{
    if (span.high_us < 0) {
        counts->unmeasured++;
        return;
    }
    double seconds = (double)span.high_us / 1e6;
    size_t bucket = 0;
    while (bucket < BOUNDS && seconds > bounds[bucket])
        bucket++;
    counts->buckets[bucket]++;
    counts->count++;
    counts->sum += seconds;
}

void metrics_take(struct metrics *metrics, const struct event *event)
{
    const struct failover *failover = event->failover;
    if (event->kind != EVENT_FAILOVER || !failover || failover_is_open(failover) || failover->gap_us > 0)
        return;
    struct cluster_counts *counts = counts_of(metrics, cluster_label(event->cluster));
    if (!counts)
        return;
    counts->failovers[failover->cause]++;
    const struct span phases[] = {failover->detection,
                                  failover->vacancy,
                                  failover->takeover,
                                  failover->total,
                                  failover_point(failover->notified_us),
                                  failover_point(failover->reacted_us)};
    for (int i = 0; i < (failover->notified_us ? PHASE_COUNT : PHASE_NOTIFIED); i++)
        count_phase(&counts->phases[i][failover->cause], phases[i]);
}

/* ---- writing ---- */

/* One election, prepared once for all families. */
struct row {
    const struct election *election;
    const char *cluster;
    size_t labels, labels_length; /* its cluster and path, in writer.labels */
    enum election_state state;
    double figures[FIGURE_COUNT];
};

struct writer {
    struct buffer *out;
    struct buffer labels;
    bool openmetrics;
    const struct metric_kind *kind;
    char name[METRIC_NAME];
    size_t name_length;
    bool announced;
    const struct model *model;
    struct row *rows;
    size_t row_count;
    size_t *omitted; /* by cluster */
    struct moment now;
};

static void put_label_value(struct buffer *out, const char *value)
{
    size_t length = strlen(value);
    for (size_t at = 0; at < length && at < LABEL_MOST;) {
        uint32_t code;
        size_t eaten = utf8_decode(value + at, length - at, &code);
        if (!eaten || code < 0x20 || (code >= 0x7f && code < 0xa0))
            buffer_printf(out, "\\\\x%02x", (unsigned char)value[at]);
        else if (utf8_deceives(code))
            buffer_printf(out, code > 0xffff ? "\\\\U%08x" : "\\\\u%04x", (unsigned)code);
        else if (code == '"' || code == '\\')
            buffer_printf(out, "\\%c", (char)code);
        else
            buffer_put(out, value + at, eaten);
        at += eaten ? eaten : 1;
    }
}

/* Behind a comma where another one precedes it. */
static void metrics_put_label(struct buffer *out, const char *name, const char *value)
{
    if (out->length > 0 && out->bytes[out->length - 1] == '"')
        buffer_put_char(out, ',');
    buffer_put_text(out, name);
    buffer_put_text(out, "=\"");
    put_label_value(out, value ? value : "");
    buffer_put_char(out, '"');
}

/* The family that the next samples belong to; its head is written with the first of them. */
static void begin_family(struct writer *writer, enum metric metric)
{
    writer->kind = &metric_table[metric];
    metric_sample_name(writer->kind, writer->name);
    writer->name_length = strlen(writer->name);
    writer->announced = false;
}

static void announce(struct writer *writer)
{
    const struct metric_kind *kind = writer->kind;
    if (writer->announced)
        return;
    writer->announced = true;
    /* The text format knows no info, and names a counter by its samples. */
    const char *name = writer->openmetrics ? kind->name : writer->name;
    const char *type =
        !writer->openmetrics && kind->type == METRIC_INFO ? "gauge" : metric_type_word(kind->type);
    buffer_printf(writer->out, "# HELP %s %s\n# TYPE %s %s\n", name, kind->help, name, type);
    if (writer->openmetrics && kind->unit)
        buffer_printf(writer->out, "# UNIT %s %s\n", name, kind->unit);
}

static void put_value(struct buffer *out, double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        buffer_printf(out, " %" PRId64 "\n", (int64_t)value);
    else
        buffer_printf(out, " %.6f\n", value);
}

/* "name{", to be followed by labels and end_sample(). */
static struct buffer *begin_sample(struct writer *writer, const char *suffix)
{
    announce(writer);
    buffer_put(writer->out, writer->name, writer->name_length);
    buffer_put_text(writer->out, suffix);
    buffer_put_char(writer->out, '{');
    return writer->out;
}

static void end_sample(struct writer *writer, double value)
{
    buffer_put_char(writer->out, '}');
    put_value(writer->out, value);
}

static void put_plain(struct writer *writer, enum metric metric, double value)
{
    begin_family(writer, metric);
    announce(writer);
    buffer_put(writer->out, writer->name, writer->name_length);
    put_value(writer->out, value);
}

static void metrics_put_cluster(struct writer *writer, const struct cluster *cluster, double value)
{
    metrics_put_label(begin_sample(writer, ""), "cluster", cluster_label(cluster));
    end_sample(writer, value);
}

static struct buffer *begin_row(struct writer *writer, const struct row *row)
{
    struct buffer *out = begin_sample(writer, "");
    buffer_put(out, writer->labels.bytes + row->labels, row->labels_length);
    return out;
}

static void metrics_put_row(struct writer *writer, const struct row *row, double value)
{
    if (isnan(value))
        return;
    begin_row(writer, row);
    end_sample(writer, value);
}

static void write_clusters(struct writer *writer, const struct metrics_reads *reads)
{
    const struct model *model = writer->model;
    begin_family(writer, METRIC_CLUSTER_CONNECTED);
    for (size_t i = 0; i < model->cluster_count; i++)
        metrics_put_cluster(writer, &model->clusters[i],
                            model->clusters[i].connection == CONNECTION_CONNECTED);
    begin_family(writer, METRIC_CLUSTER_ELECTIONS);
    for (size_t i = 0; i < model->cluster_count; i++)
        metrics_put_cluster(writer, &model->clusters[i], (double)model->clusters[i].election_count);
    begin_family(writer, METRIC_CLUSTER_OMITTED);
    for (size_t i = 0; i < model->cluster_count; i++) {
        if (writer->omitted[i] && !writer->openmetrics) /* which allows no comments */
            buffer_printf(writer->out,
                          "# electop: the bound on series leaves out %zu of %zu elections; raise --series\n",
                          writer->omitted[i], model->clusters[i].election_count);
        metrics_put_cluster(writer, &model->clusters[i], (double)writer->omitted[i]);
    }
    begin_family(writer, METRIC_READS);
    for (size_t i = 0; reads && i < model->cluster_count; i++)
        metrics_put_cluster(writer, &model->clusters[i], (double)reads[i].sent);
    begin_family(writer, METRIC_READS_DELAYED);
    for (size_t i = 0; reads && i < model->cluster_count; i++)
        metrics_put_cluster(writer, &model->clusters[i], (double)reads[i].delayed);
}

static void metrics_write_server(struct writer *writer, enum metric metric, const struct cluster *cluster,
                                 const struct server *server)
{
    enum server_reach reach = server_reach(cluster, server);
    bool timed = reach == SERVER_ANSWERS && server->answer_us >= 0;
    if (reach == SERVER_NOT_ASKED || (metric == METRIC_SERVER_ANSWER && !timed))
        return;
    struct buffer *out = begin_sample(writer, "");
    metrics_put_label(out, "cluster", cluster_label(cluster));
    metrics_put_label(out, "server", server->address);
    if (metric == METRIC_SERVER_UP) {
        metrics_put_label(out, "mode", server_mode_word(server->mode));
    }
    end_sample(writer, metric == METRIC_SERVER_UP       ? reach == SERVER_ANSWERS
                       : metric == METRIC_SERVER_ANSWER ? (double)server->answer_us / 1e6
                                                        : server->watches_from != NULL);
}

static void metrics_write_dangers(struct writer *writer, const struct cluster *cluster,
                                  const struct server *server)
{
    struct server_danger dangers[SERVER_DANGERS_MOST];
    size_t count = server_dangers(cluster, server, dangers);
    for (size_t i = 0; i < count; i++) {
        struct buffer *out = begin_sample(writer, "");
        metrics_put_label(out, "cluster", cluster_label(cluster));
        metrics_put_label(out, "server", server->address);
        metrics_put_label(out, "code", dangers[i].code);
        metrics_put_label(out, "severity", severity_word(dangers[i].severity));
        end_sample(writer, 1);
    }
}

static void metrics_write_servers(struct writer *writer)
{
    static const enum metric families[] = {METRIC_SERVER_UP, METRIC_SERVER_ANSWER, METRIC_SERVER_WATCHES};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        begin_family(writer, families[f]);
        for (size_t i = 0; i < writer->model->cluster_count; i++) {
            const struct cluster *cluster = &writer->model->clusters[i];
            for (size_t k = 0; k < cluster->server_count; k++)
                metrics_write_server(writer, families[f], cluster, &cluster->servers[k]);
        }
    }
    begin_family(writer, METRIC_SERVER_FINDINGS);
    for (size_t i = 0; i < writer->model->cluster_count; i++)
        for (size_t k = 0; k < writer->model->clusters[i].server_count; k++)
            metrics_write_dangers(writer, &writer->model->clusters[i],
                                  &writer->model->clusters[i].servers[k]);
}

static void write_infos(struct writer *writer)
{
    begin_family(writer, METRIC_ELECTION);
    for (size_t i = 0; i < writer->row_count; i++) {
        const struct election *election = writer->rows[i].election;
        struct buffer *out = begin_row(writer, &writer->rows[i]);
        metrics_put_label(out, "name", election->name);
        metrics_put_label(out, "kind", election_kind_known(election));
        metrics_put_label(out, "recipe", election->recipe ? election->recipe->name : NULL);
        end_sample(writer, 1);
    }
    begin_family(writer, METRIC_LEADER);
    for (size_t i = 0; i < writer->row_count; i++) {
        const struct candidate *leader = writer->rows[i].election->leader;
        if (!leader || !figures_is_led(writer->rows[i].election))
            continue;
        struct buffer *out = begin_row(writer, &writer->rows[i]);
        metrics_put_label(out, "candidate", leader->name);
        metrics_put_label(out, "identity", leader->identity);
        end_sample(writer, 1);
    }
}

/* The number of candidates in the unbroken chain; a lock has no chain. */
static double chain_length(const struct row *row)
{
    const struct election *election = row->election;
    if (row->state != ELECTION_LED || (election->recipe && election->recipe->family == FAMILY_LOCK))
        return row->state == ELECTION_VACANT ? 0 : NAN;
    struct next_failover next = whatif_next(election);
    if (next.chain == CHAIN_COMPLETE)
        return (double)election->candidate_count;
    return next.broken_at ? (double)election_position(election, next.broken_at) : NAN;
}

/* Found vacant, since an unknown time: counts from the beginning of observation. */
static double vacancy_seconds(const struct row *row, struct moment now)
{
    const struct election *election = row->election;
    if (!isnan(row->figures[FIGURE_VACANCY]) || row->state == ELECTION_UNKNOWN ||
        row->state == ELECTION_DENIED)
        return row->figures[FIGURE_VACANCY];
    return (double)(now.mono_us - election->state_since.mono_us) / 1e6;
}

static double row_value(const struct writer *writer, const struct row *row, enum metric metric)
{
    bool readable = row->state != ELECTION_UNKNOWN && row->state != ELECTION_DENIED;
    switch (metric) {
    case METRIC_READABLE: /* also what only looks like an election: nothing keeps us from reading it */
        return readable || (row->election->fresh && !election_is_proven(row->election));
    case METRIC_LED:
        return readable ? figures_is_led(row->election) : NAN;
    case METRIC_CANDIDATES:
        return row->figures[FIGURE_CANDIDATES];
    case METRIC_VACANCY:
        return vacancy_seconds(row, writer->now);
    case METRIC_TENURE:
        return row->figures[FIGURE_TENURE];
    case METRIC_CHANGES:
        return (double)row->election->counters.leader_changes;
    case METRIC_NEXT_FAILOVER:
        return row->figures[FIGURE_NEXT_FAILOVER];
    case METRIC_NEXT_KNOWN:
        return row->state == ELECTION_LED && !figures_needs_nobody(row->election)
                   ? (double)!isnan(row->figures[FIGURE_NEXT_FAILOVER])
                   : (double)NAN;
    case METRIC_CHAIN:
        return chain_length(row);
    default:
        return NAN;
    }
}

/* Findings of one code, severity and certainty are one sample. */
static bool same_sample(const struct finding *a, const struct finding *b)
{
    return a->code == b->code && a->severity == b->severity && a->certainty == b->certainty;
}

static bool metrics_is_first(const struct election *election, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_sample(election->findings[k], election->findings[i]))
            return false;
    return true;
}

static void metrics_write_findings(struct writer *writer, const struct row *row)
{
    const struct election *election = row->election;
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        size_t count = 0;
        if (!metrics_is_first(election, i))
            continue;
        for (size_t k = i; k < election->finding_count; k++)
            count += same_sample(election->findings[k], finding);
        struct buffer *out = begin_row(writer, row);
        buffer_printf(out, ",code=\"%s\",severity=\"%s\",certainty=\"%s\"", finding_kind(finding->code)->word,
                      severity_word(finding->severity), certainty_word(finding->certainty));
        end_sample(writer, (double)count);
    }
}

static void metrics_write_elections(struct writer *writer)
{
    write_infos(writer);
    for (int metric = METRIC_READABLE; metric <= METRIC_CHAIN; metric++) {
        if (metric == METRIC_LEADER)
            continue;
        begin_family(writer, (enum metric)metric);
        for (size_t i = 0; i < writer->row_count; i++)
            metrics_put_row(writer, &writer->rows[i],
                            row_value(writer, &writer->rows[i], (enum metric)metric));
    }
    begin_family(writer, METRIC_FINDINGS);
    for (size_t i = 0; i < writer->row_count; i++)
        metrics_write_findings(writer, &writer->rows[i]);
}

static void put_phase_labels(struct buffer *out, const char *cluster, int phase, int cause)
{
    metrics_put_label(out, "cluster", cluster);
    buffer_printf(out, ",phase=\"%s\",cause=\"%s\"", phase_words[phase],
                  failover_cause_word((enum failover_cause)cause));
}

static void write_histogram(struct writer *writer, const char *cluster, int phase, int cause,
                            const struct phase_counts *counts)
{
    uint64_t below = 0;
    for (size_t i = 0; i <= BOUNDS; i++) {
        struct buffer *out = begin_sample(writer, "_bucket");
        below += counts->buckets[i];
        put_phase_labels(out, cluster, phase, cause);
        if (i < BOUNDS)
            buffer_printf(
                out, writer->openmetrics && bounds[i] == floor(bounds[i]) ? ",le=\"%.1f\"" : ",le=\"%g\"",
                bounds[i]);
        else
            buffer_put_text(out, ",le=\"+Inf\"");
        end_sample(writer, (double)below);
    }
    put_phase_labels(begin_sample(writer, "_sum"), cluster, phase, cause);
    end_sample(writer, counts->sum);
    put_phase_labels(begin_sample(writer, "_count"), cluster, phase, cause);
    end_sample(writer, (double)counts->count);
}

static void metrics_write_failovers(const struct metrics *metrics, struct writer *writer)
{
    begin_family(writer, METRIC_FAILOVERS);
    for (size_t i = 0; i < metrics->cluster_count; i++)
        for (int cause = 0; cause < CAUSE_COUNT; cause++) {
            if (!metrics->clusters[i].failovers[cause])
                continue;
            struct buffer *out = begin_sample(writer, "");
            metrics_put_label(out, "cluster", metrics->clusters[i].name);
            buffer_printf(out, ",cause=\"%s\"", failover_cause_word((enum failover_cause)cause));
            end_sample(writer, (double)metrics->clusters[i].failovers[cause]);
        }
    for (int part = 0; part < 2; part++) {
        begin_family(writer, part ? METRIC_PHASES : METRIC_UNMEASURED);
        for (size_t i = 0; i < metrics->cluster_count; i++)
            for (int at = 0; at < PHASE_COUNT * CAUSE_COUNT; at++) {
                int phase = at / CAUSE_COUNT, cause = at % CAUSE_COUNT;
                const struct cluster_counts *cluster = &metrics->clusters[i];
                const struct phase_counts *counts = &cluster->phases[phase][cause];
                if (part && counts->count) {
                    write_histogram(writer, cluster->name, phase, cause, counts);
                } else if (!part && counts->unmeasured) {
                    put_phase_labels(begin_sample(writer, ""), cluster->name, phase, cause);
                    end_sample(writer, (double)counts->unmeasured);
                }
            }
    }
}

static void write_process(const struct metrics *metrics, struct writer *writer,
                          const struct metrics_process *process)
{
    if (process->recording >= 0) {
        put_plain(writer, METRIC_RECORDING, process->recording);
        put_plain(writer, METRIC_RECORDING_LOST, (double)process->lost_events);
        put_plain(writer, METRIC_ALERTS, (double)process->alerts_sent);
        put_plain(writer, METRIC_ALERTS_FAILED, (double)process->alerts_failed);
    }
    put_plain(writer, METRIC_SERIES_LIMIT, (double)metrics->series);
    if (process->rendered_s >= 0)
        put_plain(writer, METRIC_RENDER, process->rendered_s);
    put_plain(writer, METRIC_CPU, process->cpu_s);
    put_plain(writer, METRIC_RESIDENT, (double)process->resident_bytes);
    if (process->open_files >= 0)
        put_plain(writer, METRIC_FILES, process->open_files);
    put_plain(writer, METRIC_START, process->start_time_s);
}

/* Prepares the elections that the bound leaves room for, in the model's order, which lasts. */
static void prepare_rows(const struct metrics *metrics, struct writer *writer)
{
    const size_t each = METRIC_CHAIN - METRIC_ELECTION + 1;
    size_t series = 0;
    for (size_t i = 0; i < writer->model->cluster_count; i++) {
        const struct cluster *cluster = &writer->model->clusters[i];
        for (size_t k = 0; k < cluster->election_count; k++) {
            const struct election *election = cluster->elections[k];
            series += each + election->finding_count;
            if (series > metrics->series) {
                writer->omitted[i]++;
                continue;
            }
            struct row *row = &writer->rows[writer->row_count++];
            buffer_put_char(&writer->labels, '\n'); /* between those of two rows, which no comma parts */
            *row = (struct row){
                .election = election, .state = summary_state(election), .labels = writer->labels.length};
            metrics_put_label(&writer->labels, "cluster", cluster_label(cluster));
            metrics_put_label(&writer->labels, "election", summary_path(election));
            row->labels_length = writer->labels.length - row->labels;
            figures_of_election(election, writer->now, row->figures);
        }
    }
}

void metrics_write(struct metrics *metrics, const struct model *model, struct moment now,
                   const struct metrics_process *process, bool openmetrics, struct buffer *out)
{
    struct writer writer = {.out = out, .openmetrics = openmetrics, .model = model, .now = now};
    size_t elections = 0;
    for (size_t i = 0; i < model->cluster_count; i++)
        elections += model->clusters[i].election_count;
    writer.rows = xcalloc(elections + 1, sizeof *writer.rows);
    writer.omitted = xcalloc(model->cluster_count + 1, sizeof *writer.omitted);
    prepare_rows(metrics, &writer);
    begin_family(&writer, METRIC_BUILD);
    metrics_put_label(begin_sample(&writer, ""), "version", ELECTOP_VERSION);
    end_sample(&writer, 1);
    write_clusters(&writer, process->reads);
    metrics_write_servers(&writer);
    metrics_write_elections(&writer);
    metrics_write_failovers(metrics, &writer);
    write_process(metrics, &writer, process);
    if (openmetrics)
        buffer_put_text(out, "# EOF\n");
    buffer_free(&writer.labels);
    free(writer.rows);
    free(writer.omitted);
}
