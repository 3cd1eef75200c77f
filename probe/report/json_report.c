#include "probe/report/json_report.h"

#include "probe/json/json_failover.h"
#include "probe/json/json_finding.h"
#include "probe/json/json_member.h"

#define INDENT 2

/* With two decimals, put together from integers: no locale may turn the point into a comma. */
static void write_rate(struct json_writer *writer, const char *key, double rate)
{
    json_member_ms(writer, key, rate < 0 ? -1 : (int64_t)(rate * 100 + 0.5) * 10);
}

static void end_list(struct json_writer *writer, size_t count, int indent)
{
    if (count)
        json_write_line(writer, indent);
    json_write_end(writer, ']');
}

static void write_figures(struct json_writer *writer, const struct failover_figures *figures)
{
    json_member_uint(writer, "count", figures->count);
    json_failover_write_span(writer, "p50_ms", figures->p50);
    json_failover_write_span(writer, "p90_ms", figures->p90);
    json_failover_write_span(writer, "p99_ms", figures->p99);
    json_failover_write_span(writer, "max_ms", figures->max);
}

static void json_report_write_failover(struct json_writer *writer, const struct failover *failover)
{
    json_write_begin(writer, '{');
    json_member_time(writer, "time", failover->lost_at.wall_us);
    json_member_time(writer, "elected", failover->elected_at.wall_us);
    json_member_ms(writer, "gap_ms", failover->gap_us > 0 ? failover->gap_us : -1);
    json_failover_write_members(writer, failover);
    json_write_end(writer, '}');
}

static void json_report_write_failovers(struct json_writer *writer, const struct report *report,
                                        const struct report_election *election)
{
    json_member_begin(writer, "failovers", '{');
    json_member_ms(writer, "window_ms", report->to_us - report->from_us);
    write_figures(writer, &election->stats.all);
    json_member_begin(writer, "by_cause", '{');
    for (int cause = 0; cause < CAUSE_COUNT; cause++) {
        if (!election->stats.by_cause[cause].count)
            continue;
        json_member_begin(writer, failover_cause_word((enum failover_cause)cause), '{');
        write_figures(writer, &election->stats.by_cause[cause]);
        json_write_end(writer, '}');
    }
    json_write_end(writer, '}');
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "list", '[');
    for (size_t i = 0; i < election->failover_count; i++) {
        json_write_line(writer, 4 * INDENT);
        json_report_write_failover(writer, &election->failovers[i]);
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
    json_member_text(writer, "state", words[stretch->kind]);
    json_member_text(writer, "leader", stretch->name);
    json_member_text(writer, "identity", led ? election->leaders[stretch->leader].identity : NULL);
    json_member_time(writer, "from", stretch->from_us);
    json_member_time(writer, "to", stretch->to_us);
    json_member_bool(writer, "from_exact", stretch->from_exact);
    json_write_end(writer, '}');
}

static void json_report_write_leader(struct json_writer *writer, const struct report_leader *leader)
{
    json_write_begin(writer, '{');
    json_member_text(writer, "name", leader->name);
    json_member_text(writer, "identity", leader->identity);
    json_member_uint(writer, "tenures", leader->tenures);
    json_member_ms(writer, "led_ms", leader->led_us);
    json_member_ms(writer, "longest_ms", leader->longest_us);
    json_write_end(writer, '}');
}

static void json_report_write_finding(struct json_writer *writer, const struct report_finding *told)
{
    json_write_begin(writer, '{');
    json_member_time(writer, "raised", told->raised_us);
    json_member_time(writer, "cleared", told->cleared_us);
    json_write_key(writer, "finding");
    json_finding_write(writer, &told->finding);
    json_write_end(writer, '}');
}

static void write_sums(struct json_writer *writer, const struct report_election *election)
{
    json_write_line(writer, 3 * INDENT);
    json_member_ms(writer, "led_ms", election->led_us);
    json_member_ms(writer, "vacant_ms", election->vacant_us);
    json_member_ms(writer, "gap_ms", election->gap_us);
    json_member_ms(writer, "longest_vacant_ms", election->longest_vacant_us);
    json_write_line(writer, 3 * INDENT);
    json_member_uint(writer, "leader_changes", election->change_count);
    json_member_uint(writer, "leader_changes_missed", election->missed_count);
    write_rate(writer, "leader_changes_per_hour", report_changes_per_hour(election));
    json_write_line(writer, 3 * INDENT);
}

static void json_report_write_election(struct json_writer *writer, const struct report *report,
                                       const struct report_election *election)
{
    json_write_begin(writer, '{');
    json_member_text(writer, "cluster", election->cluster);
    json_member_text(writer, "path", election->path);
    json_member_text(writer, "name", election->name);
    json_member_text(writer, "kind", election_kind_word(election->kind));
    json_member_text(writer, "recipe", election->recipe);
    write_sums(writer, election);
    json_report_write_failovers(writer, report, election);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "timeline", '[');
    for (size_t i = 0; i < election->stretch_count; i++) {
        json_write_line(writer, 4 * INDENT);
        write_stretch(writer, election, &election->stretches[i]);
    }
    end_list(writer, election->stretch_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "leaders", '[');
    for (size_t i = 0; i < election->leader_count; i++) {
        json_write_line(writer, 4 * INDENT);
        json_report_write_leader(writer, &election->leaders[i]);
    }
    end_list(writer, election->leader_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "findings", '[');
    for (size_t i = 0; i < election->finding_count; i++) {
        json_write_line(writer, 4 * INDENT);
        json_report_write_finding(writer, &election->findings[i]);
    }
    end_list(writer, election->finding_count, 3 * INDENT);
    json_write_line(writer, 3 * INDENT);
    json_member_begin(writer, "unseen", '{');
    json_member_uint(writer, "joined", election->unseen_joined);
    json_member_uint(writer, "left", election->unseen_left);
    json_write_end(writer, '}');
    json_write_line(writer, 2 * INDENT);
    json_write_end(writer, '}');
}

void json_report_write(struct buffer *out, const struct report *report, const char *recording)
{
    struct json_writer writer = json_writer_to(out, true);
    json_write_begin(&writer, '{');
    json_write_line(&writer, INDENT);
    json_member_int(&writer, "schema", JSON_SCHEMA);
    json_member_time(&writer, "from", report->from_us);
    json_member_time(&writer, "to", report->to_us);
    json_write_line(&writer, INDENT);
    json_member_begin(&writer, "recording", '{');
    json_member_text(&writer, "file", recording);
    json_member_time(&writer, "from", report->recorded_from_us);
    json_member_time(&writer, "to", report->recorded_to_us);
    json_write_end(&writer, '}');
    json_write_line(&writer, INDENT);
    json_member_begin(&writer, "clock_set", '[');
    for (size_t i = 0; i < report->clock_count; i++) {
        json_write_begin(&writer, '{');
        json_member_time(&writer, "before", report->clocks[i].before_us);
        json_member_time(&writer, "after", report->clocks[i].after_us);
        json_write_end(&writer, '}');
    }
    json_write_end(&writer, ']');
    json_write_line(&writer, INDENT);
    json_member_begin(&writer, "elections", '[');
    for (size_t i = 0; i < report->election_count; i++) {
        json_write_line(&writer, 2 * INDENT);
        json_report_write_election(&writer, report, &report->elections[i]);
    }
    end_list(&writer, report->election_count, INDENT);
    json_write_line(&writer, 0);
    json_write_end(&writer, '}');
    buffer_put_char(out, '\n');
}
