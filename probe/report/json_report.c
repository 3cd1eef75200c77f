#include "probe/report/json_report.h"

#include "probe/sink/json_failover.h"
#include "probe/sink/json_finding.h"

#define INDENT 2

static void write_text(struct json_writer *writer, const char *key, const char *text)
{
    json_write_key(writer, key);
    json_write_string(writer, text);
}

static void write_time(struct json_writer *writer, const char *key, int64_t wall_us)
{
    json_write_key(writer, key);
    json_write_time(writer, wall_us);
}

static void write_ms(struct json_writer *writer, const char *key, int64_t us)
{
    json_write_key(writer, key);
    json_write_ms(writer, us);
}

static void write_count(struct json_writer *writer, const char *key, uint64_t count)
{
    json_write_key(writer, key);
    json_write_uint(writer, count);
}

static void write_span(struct json_writer *writer, const char *key, struct span span)
{
    json_write_key(writer, key);
    json_span_write(writer, span);
}

/* With two decimals, put together from integers: no locale may turn the point into a comma. */
static void write_rate(struct json_writer *writer, const char *key, double rate)
{
    json_write_key(writer, key);
    if (rate < 0)
        json_write_null(writer);
    else
        json_write_ms(writer, (int64_t)(rate * 100 + 0.5) * 10);
}

static void begin_list(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_write_begin(writer, '[');
}

static void end_list(struct json_writer *writer, size_t count, int indent)
{
    if (count)
        json_write_line(writer, indent);
    json_write_end(writer, ']');
}

static void write_figures(struct json_writer *writer, const struct failover_figures *figures)
{
    write_count(writer, "count", figures->count);
    write_span(writer, "p50_ms", figures->p50);
    write_span(writer, "p90_ms", figures->p90);
    write_span(writer, "p99_ms", figures->p99);
    write_span(writer, "max_ms", figures->max);
}

static void write_failover(struct json_writer *writer, const struct failover *failover)
{
    json_write_begin(writer, '{');
    write_time(writer, "time", failover->lost_at.wall_us);
    write_time(writer, "elected", failover->elected_at.wall_us);
    write_ms(writer, "gap_ms", failover->gap_us > 0 ? failover->gap_us : -1);
    json_failover_write_members(writer, failover);
    json_write_end(writer, '}');
}

static void write_failovers(struct json_writer *writer, const struct report *report,
                            const struct report_election *election)
{
    json_write_key(writer, "failovers");
    json_write_begin(writer, '{');
    write_ms(writer, "window_ms", report->to_us - report->from_us);
    write_figures(writer, &election->stats.all);
    json_write_key(writer, "by_cause");
    json_write_begin(writer, '{');
    for (int cause = 0; cause < CAUSE_COUNT; cause++) {
        if (!election->stats.by_cause[cause].count)
            continue;
        json_write_key(writer, failover_cause_word((enum failover_cause)cause));
        json_write_begin(writer, '{');
        write_figures(writer, &election->stats.by_cause[cause]);
        json_write_end(writer, '}');
    }
    json_write_end(writer, '}');
    json_write_line(writer, 3 * INDENT);
    begin_list(writer, "list");
    for (size_t i = 0; i < election->failover_count; i++) {
        json_write_line(writer, 4 * INDENT);
        write_failover(writer, &election->failovers[i]);
    }
    end_list(writer, election->failover_count, 3 * INDENT);
    json_write_end(writer, '}');
}

static void write_stretch(struct json_writer *writer, const struct report_election *election,
                          const struct report_stretch *stretch)
{
    static const char *const words[] = {
        [STRETCH_LED] = "led", [STRETCH_VACANT] = "vacant", [STRETCH_GAP] = "gap"};
    bool led = stretch->leader != REPORT_NOBODY;
    json_write_begin(writer, '{');
    write_text(writer, "state", words[stretch->kind]);
    write_text(writer, "leader", stretch->name);
    write_text(writer, "identity", led ? election->leaders[stretch->leader].identity : NULL);
    write_time(writer, "from", stretch->from_us);
    write_time(writer, "to", stretch->to_us);
    json_write_key(writer, "from_exact");
    json_write_bool(writer, stretch->from_exact);
    json_write_end(writer, '}');
}

static void write_leader(struct json_writer *writer, const struct report_leader *leader)
{
    json_write_begin(writer, '{');
    write_text(writer, "name", leader->name);
    write_text(writer, "identity", leader->identity);
    write_count(writer, "tenures", leader->tenures);
    write_ms(writer, "led_ms", leader->led_us);
    write_ms(writer, "longest_ms", leader->longest_us);
    json_write_end(writer, '}');
}

static void write_finding(struct json_writer *writer, const struct report_finding *told)
{
    json_write_begin(writer, '{');
    write_time(writer, "raised", told->raised_us);
    write_time(writer, "cleared", told->cleared_us);
    json_write_key(writer, "finding");
    json_finding_write(writer, &told->finding);
    json_write_end(writer, '}');
}

static void write_sums(struct json_writer *writer, const struct report_election *election)
{
    json_write_line(writer, 3 * INDENT);
    write_ms(writer, "led_ms", election->led_us);
    write_ms(writer, "vacant_ms", election->vacant_us);
    write_ms(writer, "gap_ms", election->gap_us);
    write_ms(writer, "longest_vacant_ms", election->longest_vacant_us);
    json_write_line(writer, 3 * INDENT);
    write_count(writer, "leader_changes", election->change_count);
    write_count(writer, "leader_changes_missed", election->missed_count);
    write_rate(writer, "leader_changes_per_hour", report_changes_per_hour(election));
    json_write_line(writer, 3 * INDENT);
}

static void write_election(struct json_writer *writer, const struct report *report,
                           const struct report_election *election)
{
    json_write_begin(writer, '{');
    write_text(writer, "cluster", election->cluster);
    write_text(writer, "path", election->path);
    write_text(writer, "name", election->name);
    write_text(writer, "kind", election_kind_word(election->kind));
    write_text(writer, "recipe", election->recipe);
    write_sums(writer, election);
    write_failovers(writer, report, election);
    json_write_line(writer, 3 * INDENT);
    begin_list(writer, "timeline");
    for (size_t i = 0; i < election->stretch_count; i++) {
        json_write_line(writer, 4 * INDENT);
        write_stretch(writer, election, &election->stretches[i]);
    }
    end_list(writer, election->stretch_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    begin_list(writer, "leaders");
    for (size_t i = 0; i < election->leader_count; i++) {
        json_write_line(writer, 4 * INDENT);
        write_leader(writer, &election->leaders[i]);
    }
    end_list(writer, election->leader_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    begin_list(writer, "findings");
    for (size_t i = 0; i < election->finding_count; i++) {
        json_write_line(writer, 4 * INDENT);
        write_finding(writer, &election->findings[i]);
    }
    end_list(writer, election->finding_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    json_write_key(writer, "unseen");
    json_write_begin(writer, '{');
    write_count(writer, "joined", election->unseen_joined);
    write_count(writer, "left", election->unseen_left);
    json_write_end(writer, '}');
    json_write_line(writer, 2 * INDENT);
    json_write_end(writer, '}');
}

void json_report_write(struct buffer *out, const struct report *report, const char *recording)
{
    struct json_writer writer = json_writer_to(out, true);
    json_write_begin(&writer, '{');
    json_write_line(&writer, INDENT);
    json_write_key(&writer, "schema");
    json_write_int(&writer, JSON_SCHEMA);
    write_time(&writer, "from", report->from_us);
    write_time(&writer, "to", report->to_us);
    json_write_line(&writer, INDENT);
    json_write_key(&writer, "recording");
    json_write_begin(&writer, '{');
    write_text(&writer, "file", recording);
    write_time(&writer, "from", report->recorded_from_us);
    write_time(&writer, "to", report->recorded_to_us);
    json_write_end(&writer, '}');
    json_write_line(&writer, INDENT);
    begin_list(&writer, "elections");
    for (size_t i = 0; i < report->election_count; i++) {
        json_write_line(&writer, 2 * INDENT);
        write_election(&writer, report, &report->elections[i]);
    }
    end_list(&writer, report->election_count, INDENT);
    json_write_line(&writer, 0);
    json_write_end(&writer, '}');
    buffer_put_char(out, '\n');
}
