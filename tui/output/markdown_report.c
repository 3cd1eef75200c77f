#include "tui/output/report_forms.h"

#include <ctype.h>
#include <string.h>

#include "tui/screen/safe.h"
#include "tui/words/format.h"

/* A longer table is not read; the JSON has all rows. */
#define ROWS_MOST 500

static size_t longest_run(const char *text, char of)
{
    size_t longest = 0;
    for (; *text; text++) {
        size_t run = 0;
        while (text[run] == of)
            run++;
        longest = run > longest ? run : longest;
        text += run ? run - 1 : 0;
    }
    return longest;
}

/* A code span: nothing in it is Markdown, but for the pipe, which would end a table's cell even there. */
static void markdown_report_put_code(struct buffer *out, const char *text)
{
    size_t fence = longest_run(text, '`') + 1, left = strlen(text), eaten;
    bool padded = *text == '`' || (*text && text[left - 1] == '`');
    char unit[SAFE_UNIT];
    if (!*text) {
        buffer_put_text(out, "–");
        return;
    }
    for (size_t i = 0; i < fence; i++)
        buffer_put_char(out, '`');
    buffer_put_text(out, padded ? " " : "");
    for (int width; (eaten = safe_unit(text, left, false, unit, &width)) > 0; text += eaten, left -= eaten)
        buffer_put_text(out, strcmp(unit, "|") == 0 ? "\\|" : unit);
    buffer_put_text(out, padded ? " " : "");
    for (size_t i = 0; i < fence; i++)
        buffer_put_char(out, '`');
}

/* Prose that may hold strangers' bytes. An underscore inside a word means nothing in Markdown. */
static void put_prose(struct buffer *out, const char *text)
{
    text = text ? text : "";
    size_t left = strlen(text), eaten;
    char unit[SAFE_UNIT], before = ' ';
    for (int width; (eaten = safe_unit(text, left, false, unit, &width)) > 0; text += eaten, left -= eaten) {
        bool inside =
            *unit == '_' && isalnum((unsigned char)before) && left > 1 && isalnum((unsigned char)text[1]);
        if (*unit == '<' || *unit == '&')
            buffer_put_text(out, *unit == '<' ? "&lt;" : "&amp;");
        else if (*unit == '@')
            buffer_put_text(out, "&#64;"); /* it mentions no user */
        else {
            for (const char *at = unit; *at; at++) {
                if (strchr("\\`*[]>|~#!$", *at) || (*at == '_' && !inside))
                    buffer_put_char(out, '\\');
                buffer_put_char(out, *at);
            }
        }
        before = *unit;
    }
}

static void markdown_report_put_who(struct buffer *out, const char *who, const char *name)
{
    markdown_report_put_code(out, who);
    if (name && *name && strcmp(name, who) != 0) {
        buffer_put_text(out, " (");
        markdown_report_put_code(out, name);
        buffer_put_text(out, ")");
    }
}

static void markdown_report_put_span(struct buffer *out, struct span span, bool applies)
{
    char text[SENTENCE_TIME];
    buffer_put_text(out, sentence_span(span, applies, false, text));
}

static void markdown_report_put_moment(struct buffer *out, int64_t wall_us)
{
    char day[SENTENCE_TIME], time[SENTENCE_TIME];
    buffer_printf(out, "%s %s", sentence_day(wall_us, SENTENCE_UTC, day),
                  sentence_time(wall_us, SENTENCE_UTC, time));
}

static void markdown_report_put_window(struct buffer *out, int64_t from_us, int64_t to_us,
                                       enum sentence_zone zone)
{
    struct text text = {0};
    sentence_window(&text, from_us, to_us, zone, false);
    put_prose(out, text.at);
    text_free(&text);
}

static void markdown_report_put_failovers(struct buffer *out, const struct report_election *election)
{
    size_t count = election->failover_count, first = count > ROWS_MOST ? count - ROWS_MOST : 0;
    if (!count)
        return;
    buffer_put_text(
        out, "\n### Every change of leader\n\n"
             "| # | When (UTC) | From → to | Cause | Detected in | Vacant | Takeover | Total | Evidence "
             "|\n|--:|---|---|---|--:|--:|--:|--:|---|\n");
    for (size_t i = first; i < count; i++) {
        const struct failover *failover = &election->failovers[i];
        buffer_printf(out, "| %zu | ", i + 1);
        markdown_report_put_moment(out, failover->lost_at.wall_us);
        buffer_put_text(out, " | ");
        markdown_report_put_who(out, sentence_from(failover), failover->from);
        buffer_put_text(out, " → ");
        markdown_report_put_who(out, sentence_to(failover), failover->to);
        buffer_printf(out, " | %s", failover_cause_word(failover->cause));
        if (failover->cause != CAUSE_UNKNOWN)
            buffer_printf(out, ", %s", certainty_word(failover->cause_certainty));
        const struct span spans[] = {failover->detection, failover->vacancy, failover->takeover,
                                     failover->total};
        for (size_t j = 0; j < sizeof spans / sizeof *spans; j++) {
            buffer_put_text(out, " | ");
            markdown_report_put_span(out, failover->gap_us > 0 ? SPAN_UNKNOWN : spans[j],
                                     failover->gap_us > 0 || j > 0 ||
                                         failover_has_detection(failover->cause));
        }
        buffer_put_text(out, " | ");
        if (failover->gap_us > 0) {
            char gap[16];
            buffer_printf(out, "found after nobody had watched for %s",
                          format_span(failover->gap_us, gap, sizeof gap));
        } else {
            put_prose(out, failover->evidence);
        }
        buffer_put_text(out, " |\n");
    }
    if (first)
        buffer_printf(out, "\nThese are the last %zu of %zu; `--json` has them all.\n", count - first, count);
}

static void markdown_report_put_figures(struct buffer *out, const char *what,
                                        const struct failover_figures *figures)
{
    const struct span spans[] = {figures->p50, figures->p90, figures->p99, figures->max};
    buffer_printf(out, "| %s | %zu", what, figures->count);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        buffer_put_text(out, " | ");
        markdown_report_put_span(out, spans[i], true);
    }
    buffer_put_text(out, " |\n");
}

static void markdown_report_put_statistics(struct buffer *out, const struct report_election *election)
{
    if (!election->stats.all.count)
        return;
    buffer_put_text(out, "\n### How long a failover took\n\n"
                         "| Cause | Known | p50 | p90 | p99 | Longest |\n|---|--:|--:|--:|--:|--:|\n");
    markdown_report_put_figures(out, "all", &election->stats.all);
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        if (election->stats.by_cause[cause].count)
            markdown_report_put_figures(out, failover_cause_word((enum failover_cause)cause),
                                        &election->stats.by_cause[cause]);
}

static void markdown_report_put_leaders(struct buffer *out, const struct report_election *election)
{
    int64_t watched = election->led_us + election->vacant_us;
    size_t shown = election->leader_count < ROWS_MOST ? election->leader_count : ROWS_MOST;
    if (!election->leader_count)
        return;
    buffer_printf(out,
                  "\n### Who %s\n\n| Who | Times | For | Of the time watched | Longest |\n"
                  "|---|--:|--:|--:|--:|\n",
                  election->kind == KIND_LOCK ? "held it" : "led");
    for (size_t i = 0; i < shown; i++) {
        const struct report_leader *leader = &election->leaders[i];
        char led[16], longest[16], share[SENTENCE_TIME];
        buffer_put_text(out, "| ");
        markdown_report_put_code(out, sentence_leader(leader));
        buffer_printf(out, " | %zu | %s | %s | %s |\n", leader->tenures,
                      format_span(leader->led_us, led, sizeof led),
                      sentence_share(leader->led_us, watched, share),
                      format_span(leader->longest_us, longest, sizeof longest));
    }
    if (shown < election->leader_count)
        buffer_printf(out, "\nThese are the first %zu of %zu; `--json` has them all.\n", shown,
                      election->leader_count);
}

static void markdown_report_put_findings(struct buffer *out, const struct report_election *election)
{
    size_t shown = election->finding_count < ROWS_MOST ? election->finding_count : ROWS_MOST;
    if (!election->finding_count)
        return;
    buffer_put_text(out, "\n### Findings of that time\n\n"
                         "| Severity | Finding | Certainty | About | Since (UTC) | Until (UTC) | Evidence |\n"
                         "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct report_finding *reported = &election->findings[i];
        buffer_printf(out, "| %s | %s | %s | ", severity_word(reported->finding.severity),
                      finding_kind(reported->finding.code)->word,
                      certainty_word(reported->finding.certainty));
        for (size_t j = 0; j < reported->finding.candidate_count; j++) {
            buffer_put_text(out, j ? ", " : "");
            markdown_report_put_code(out, reported->finding.candidates[j]);
        }
        buffer_put_text(out, reported->finding.candidate_count ? " | " : "– | ");
        markdown_report_put_moment(out, reported->raised_us);
        buffer_put_text(out, " | ");
        if (reported->cleared_us)
            markdown_report_put_moment(out, reported->cleared_us);
        else
            buffer_put_text(out, "still there");
        buffer_put_text(out, " | ");
        put_prose(out, reported->finding.evidence);
        buffer_put_text(out, " |\n");
    }
    if (shown < election->finding_count)
        buffer_printf(out, "\nThese are the first %zu of %zu; `--json` has them all.\n", shown,
                      election->finding_count);
}

static void markdown_report_put_stories(struct buffer *out, const struct report_election *election)
{
    if (election->story_count > 0)
        buffer_printf(out, "\n### Why\n%s",
                      election->story_count < election->change_count
                          ? "\nThe longest and the latest; `electop why` explains any other.\n"
                          : "");
    for (size_t i = 0; i < election->story_count; i++) {
        struct sentences sentences = story_sentences(election->stories[i], true);
        for (size_t k = 0; k < sentences.count; k++) {
            const struct sentence *sentence = &sentences.list[k];
            buffer_put_text(out, k ? "- " : "\n**");
            if (sentence->kind != SENTENCE_CERTAIN)
                buffer_printf(out, "*%s:* ", sentence_kind_word(sentence->kind));
            put_prose(out, sentence->text);
            buffer_put_text(out, k ? "  \n  " : "**  \n");
            put_prose(out, sentence->evidence);
            buffer_put_text(out, k ? "\n" : "\n\n");
        }
        sentences_free(&sentences);
    }
}

static void markdown_report_put_gaps(struct buffer *out, const struct report_election *election)
{
    size_t shown = 0;
    bool gap = report_has_gap(election);
    if (gap)
        buffer_put_text(out, "\n### When nobody watched\n\n| From (UTC) | To (UTC) | For |\n|---|---|--:|\n");
    for (size_t i = 0; i < election->stretch_count && gap && shown < ROWS_MOST; i++) {
        const struct report_stretch *stretch = &election->stretches[i];
        char span[16];
        if (!report_is_gap(election, i))
            continue;
        buffer_put_text(out, "| ");
        markdown_report_put_moment(out, stretch->from_us);
        buffer_put_text(out, " | ");
        markdown_report_put_moment(out, stretch->to_us);
        buffer_printf(out, " | %s |\n", format_span(stretch->to_us - stretch->from_us, span, sizeof span));
        shown++;
    }
    if (gap && shown < report_gap_count(election))
        buffer_printf(out, "\nThese are the first %zu of %zu; `--json` has them all.\n", shown,
                      report_gap_count(election));
    if (election->unseen_joined || election->unseen_left)
        buffer_printf(out, "\nUnseen: %llu joined, %llu left, as ZooKeeper's counters prove.\n",
                      (unsigned long long)election->unseen_joined, (unsigned long long)election->unseen_left);
}

static void put_election(struct buffer *out, const struct report *report,
                         const struct report_election *election)
{
    struct sentence_verdict verdict;
    buffer_put_text(out, "\n## ");
    markdown_report_put_code(out, election->name);
    buffer_put_text(out, "\n\n");
    if (election->cluster && report->several_clusters) {
        buffer_put_text(out, "Cluster ");
        markdown_report_put_code(out, election->cluster);
        buffer_put_text(out, ". ");
    }
    if (strcmp(election->path, election->name) != 0) {
        buffer_put_text(out, "Path ");
        markdown_report_put_code(out, election->path);
        buffer_put_text(out, ". ");
    }
    sentence_verdict(election, &verdict);
    for (size_t i = 0; i < verdict.count; i++) {
        buffer_put_text(out, i ? " " : "");
        put_prose(out, verdict.sentences[i]);
    }
    sentence_verdict_free(&verdict);
    buffer_put_text(out, "\n");
    markdown_report_put_failovers(out, election);
    markdown_report_put_statistics(out, election);
    markdown_report_put_stories(out, election);
    markdown_report_put_leaders(out, election);
    markdown_report_put_findings(out, election);
    markdown_report_put_gaps(out, election);
}

static void markdown_report_put_facts(struct buffer *out, const struct report *report)
{
    if (report->fact_count)
        buffer_put_text(out, "\n## ZooKeeper itself\n\n| When (UTC) | What happened |\n|---|---|\n");
    for (size_t i = 0; i < report->fact_count && i < ROWS_MOST; i++) {
        struct text text = {0};
        sentence_fact(&text, &report->facts[i]);
        buffer_put_text(out, "| ");
        markdown_report_put_moment(out, report->facts[i].at.wall_us);
        buffer_put_text(out, " | ");
        put_prose(out, text.at);
        buffer_put_text(out, " |\n");
        text_free(&text);
    }
    if (report->fact_count > ROWS_MOST)
        buffer_printf(out, "\nThese are the first %d of %zu; `--json` has them all.\n", ROWS_MOST,
                      report->fact_count);
}

void markdown_report_print(struct buffer *out, const struct report *report, const struct report_note *note)
{
    buffer_put_text(out, "# Leader elections, ");
    markdown_report_put_window(out, report->from_us, report->to_us, SENTENCE_UTC);
    buffer_put_text(out, "\n\n");
    if (sentence_zones_differ(report->from_us) || sentence_zones_differ(report->to_us)) {
        markdown_report_put_window(out, report->from_us, report->to_us, SENTENCE_LOCAL);
        buffer_put_text(out, ". ");
    }
    buffer_put_text(out, "All times are UTC. Made by electop " ELECTOP_VERSION " from ");
    markdown_report_put_code(out, note->recording);
    if (report->recorded_to_us) {
        buffer_put_text(out, ", which holds ");
        markdown_report_put_window(out, report->recorded_from_us, report->recorded_to_us, SENTENCE_UTC);
    } else {
        buffer_put_text(out, ", which is empty");
    }
    buffer_put_text(out, ".\n");
    for (size_t i = 0; i < report->clock_count; i++) {
        struct text text = {0};
        sentence_clock(&text, &report->clocks[i], SENTENCE_UTC);
        buffer_printf(out, "\n**%s**\n", text.at ? text.at : "");
        text_free(&text);
    }
    if (report_is_empty(report))
        buffer_put_text(out,
                        "\n**Nothing was recorded in this time.** What happened then is not known here.\n");
    else if (!report->election_count)
        buffer_put_text(out, "\n**None of the elections asked for was recorded in this time.**\n");
    for (size_t i = 0; i < report->election_count; i++)
        put_election(out, report, &report->elections[i]);
    markdown_report_put_facts(out, report);
}
