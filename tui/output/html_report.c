#include "tui/output/report_forms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "probe/json/buffer.h"
#include "probe/report/report.h"
#include "tui/output/page_style.h"
#include "tui/output/report_sentences.h"
#include "tui/output/timeline_svg.h"
#include "tui/words/format.h"

/*
 * One election's section of the page: what happened in words, in figures, in a drawing, and
 * then every failover, leader, finding and gap by itself.
 */

/* So long without a leader is shown in red. */
#define ALARMING_US INT64_C(1000000)

/* A longer table is not read; the JSON has all rows. */
#define ROWS_MOST 500
/* A candidate's name beside its identity; all of it is in the title. */
#define NAME_COLUMNS 18

/* Cells that the table of all elections has in common with the section. */
static void html_put_span(struct buffer *out, struct span span, bool applies)
{
    char text[SENTENCE_TIME];
    bool known = span.low_us >= 0 || span.high_us >= 0;
    if (!known)
        buffer_put_text(out, applies ? "<span class=\"soft\" title=\"not known\">"
                                     : "<span class=\"soft\" title=\"there was nothing to detect\">");
    markup_text(out, sentence_span(span, applies, false, text));
    if (!known)
        buffer_put_text(out, "</span>");
}

static void put_span_cell(struct buffer *out, struct span span, bool applies)
{
    buffer_put_text(out, "<td class=\"n\">");
    html_put_span(out, span, applies);
    buffer_put_text(out, "</td>");
}

/* A moment in UTC, below it the local time where that differs; the day where the window has several. */
static void html_election_put_moment(struct buffer *out, const struct report *report, int64_t wall_us)
{
    char first[SENTENCE_TIME], last[SENTENCE_TIME], time[SENTENCE_TIME], zone[SENTENCE_TIME];
    bool days = strcmp(sentence_day(report->from_us, SENTENCE_UTC, first),
                       sentence_day(report->to_us, SENTENCE_UTC, last)) != 0;
    buffer_put_text(out, "<td class=\"t\">");
    if (days)
        markup_printf(out, "%s ", sentence_day(wall_us, SENTENCE_UTC, first));
    markup_text(out, sentence_time(wall_us, SENTENCE_UTC, time));
    if (sentence_zones_differ(wall_us)) {
        buffer_put_text(out, "<br/><small>");
        markup_printf(out, "%s %s", sentence_time(wall_us, SENTENCE_LOCAL, time),
                      sentence_zone(wall_us, SENTENCE_LOCAL, zone));
        buffer_put_text(out, "</small>");
    }
    buffer_put_text(out, "</td>");
}

static void begin_table(struct buffer *out, const char *heading, const char *const *columns)
{
    buffer_put_text(out, "<h3>");
    markup_text(out, heading);
    buffer_put_text(out, "</h3>\n<div class=\"table\"><table><thead><tr>");
    for (; *columns; columns++) {
        bool number = **columns == '>';
        buffer_put_text(out, number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
        markup_text(out, *columns + number);
        buffer_put_text(out, "</th>");
    }
    buffer_put_text(out, "</tr></thead>\n");
}

static void end_table(struct buffer *out)
{
    buffer_put_text(out, "</table></div>\n");
}

static void put_card(struct buffer *out, bool bad, const char *what, const char *value, const char *more)
{
    buffer_put_text(out, bad ? "<div class=\"bad\"><dt>" : "<div><dt>");
    markup_text(out, what);
    buffer_put_text(out, "</dt><dd>");
    markup_text(out, value);
    if (more && *more) {
        buffer_put_text(out, "<small>");
        markup_text(out, more);
        buffer_put_text(out, "</small>");
    }
    buffer_put_text(out, "</dd></div>\n");
}

static bool has_takeover(const struct report_election *election)
{
    for (size_t i = 0; i < election->failover_count; i++)
        if (election->failovers[i].takeover.low_us >= 0 || election->failovers[i].takeover.high_us >= 0)
            return true;
    return false;
}

static void put_cards(struct buffer *out, const struct report_election *election)
{
    struct text value = {0}, more = {0};
    char span[FORMAT_INTERVAL], other[FORMAT_INTERVAL], share[SENTENCE_TIME], often[24];
    const struct failover_figures *all = &election->stats.all;
    int64_t whole = election->led_us + election->vacant_us + report_gap_us(election);
    double rate = report_changes_per_hour(election);
    bool lock = election->kind == KIND_LOCK, watched = election->led_us || election->vacant_us;
    buffer_put_text(out, "<dl class=\"cards\">\n");

    text_printf(&value, "%zu", election->change_count);
    if (rate > 0)
        text_printf(&more, "%s an hour watched", format_rate(rate, often, sizeof often));
    if (election->missed_count)
        text_printf(&more, "%s%zu more found after a gap", more.length ? "; " : "", election->missed_count);
    put_card(out, false, "Changes of leader", watched && value.at ? value.at : "not known", more.at);
    text_free(&value);
    text_free(&more);

    if (election->vacant_us)
        text_printf(&more, "%s at the longest", format_span(election->longest_vacant_us, span, sizeof span));
    put_card(out, election->longest_vacant_us >= ALARMING_US && !lock, lock ? "Free" : "Without a leader",
             election->vacant_us ? format_span(election->vacant_us, other, sizeof other)
             : watched           ? "never"
                                 : "not known",
             more.at);
    text_free(&more);

    if (all->count)
        text_printf(&more, "longest %s; %zu of %zu known%s",
                    format_interval(all->max.low_us, all->max.high_us, false, span), all->count,
                    election->change_count,
                    has_takeover(election) ? ""
                                           : "; until the next one is first, as nothing acknowledges here");
    put_card(out, false, "Usual failover (p50)",
             all->count ? format_interval(all->p50.low_us, all->p50.high_us, false, other)
             : watched && !election->change_count && !election->missed_count ? "none"
                                                                             : "not known",
             all->count ? more.at : NULL);
    text_free(&more);

    bool gap = report_has_gap(election);
    if (gap)
        text_printf(&more, "%s of the time", sentence_share(report_gap_us(election), whole, share));
    put_card(out, false, "Not watched",
             gap ? format_span(report_gap_us(election), span, sizeof span) : "never", more.at);
    text_free(&more);
    buffer_put_text(out, "</dl>\n");
}

static void html_election_put_key(struct buffer *out, const char *drawing, const char *word)
{
    buffer_printf(out, "<span><svg viewBox=\"0 0 18 11\" aria-hidden=\"true\">%s</svg>%s</span>\n", drawing,
                  word);
}

static bool has_stretch(const struct report_election *election, enum stretch_kind kind)
{
    for (size_t i = 0; i < election->stretch_count; i++)
        if (election->stretches[i].kind == kind)
            return true;
    return false;
}

static void put_drawing(struct buffer *out, const struct report *report,
                        const struct report_election *election, size_t number)
{
    buffer_put_text(out, "<figure class=\"wide\">\n");
    timeline_svg_print(out, report, election, number);
    buffer_put_text(out, "<figcaption>\n");
    html_election_put_key(out, "<rect class=\"led\" width=\"18\" height=\"11\" rx=\"2\"/>", "leads");
    if (has_stretch(election, STRETCH_VACANT))
        html_election_put_key(out,
                              election->kind == KIND_LOCK
                                  ? "<rect class=\"free\" width=\"18\" height=\"11\"/>"
                                  : "<rect class=\"vacant\" x=\"7\" width=\"4\" height=\"11\"/>",
                              election->kind == KIND_LOCK ? "free" : "nobody leads");
    if (election->failover_count > election->missed_count)
        html_election_put_key(out, "<g class=\"change\"><path d=\"M9 10l-4.5 -8h9z\"/></g>",
                              "a change of leader, numbered as below");
    if (election->missed_count)
        html_election_put_key(out, "<g class=\"change missed\"><path d=\"M9 10l-4.5 -8h9z\"/></g>",
                              "a change found after nobody had watched");
    if (report_has_gap(election))
        html_election_put_key(out,
                              "<rect class=\"gap\" width=\"18\" height=\"11\" fill=\"url(#unwatched)\"/>",
                              "nobody watched: unknown");
    if (timeline_svg_has_epochs(report))
        html_election_put_key(out, "<path class=\"epoch\" d=\"M9 0V11\"/>", "ZooKeeper's own leader changed");
    buffer_put_text(out, "</figcaption>\n</figure>\n");
}

static void html_election_put_who(struct buffer *out, const char *who, const char *name)
{
    char shorter[NAME_COLUMNS * 4];
    markup_name(out, who);
    if (name && *name && strcmp(name, who) != 0) {
        buffer_put_text(out, " <small title=\"");
        markup_text(out, name);
        buffer_put_text(out, "\">");
        markup_name(out, format_candidate(name, NAME_COLUMNS, "…", shorter, sizeof shorter));
        buffer_put_text(out, "</small>");
    }
}

static void put_failover(struct buffer *out, const struct report *report, const struct failover *failover,
                         size_t number, const struct phases_scale *scale)
{
    buffer_printf(out, "<tbody class=\"pair\"><tr><th scope=\"row\" class=\"n\">%zu</th>", number);
    html_election_put_moment(out, report, failover->lost_at.wall_us);
    buffer_put_text(out, "<td class=\"who\">");
    html_election_put_who(out, sentence_from(failover), failover->from);
    buffer_put_text(out, "<br/>→ ");
    html_election_put_who(out, sentence_to(failover), failover->to);
    buffer_put_text(out, "</td><td class=\"t\">");
    markup_text(out, failover_cause_word(failover->cause));
    if (failover->cause != CAUSE_UNKNOWN) {
        buffer_put_text(out, "<br/><small>");
        markup_text(out, certainty_word(failover->cause_certainty));
        buffer_put_text(out, "</small>");
    }
    buffer_put_text(out, "</td>");
    if (failover->gap_us > 0) {
        char gap[16];
        buffer_put_text(out, "<td colspan=\"5\" class=\"soft\">");
        markup_printf(out, "found after nobody had watched for %s: how long it took is not known",
                      format_span(failover->gap_us, gap, sizeof gap));
        buffer_put_text(out, "</td>");
    } else {
        put_span_cell(out, failover->detection, failover_has_detection(failover->cause));
        put_span_cell(out, failover->vacancy, true);
        put_span_cell(out, failover->takeover, true);
        put_span_cell(out, failover->total, true);
        buffer_put_text(out, "<td>");
        phases_svg_print(out, scale, failover);
        buffer_put_text(out, "</td>");
    }
    buffer_put_text(out, "</tr>\n<tr><td></td><td class=\"evidence\" colspan=\"8\">");
    markup_name(out, failover->evidence ? failover->evidence : "");
    buffer_put_text(out, "</td></tr></tbody>\n");
}

static void html_election_put_failovers(struct buffer *out, const struct report *report,
                                        const struct report_election *election)
{
    static const char *const columns[] = {">#",      "When (UTC)", "From → to", "Cause",  ">Detected in",
                                          ">Vacant", ">Takeover",  ">Total",    "Phases", NULL};
    size_t count = election->failover_count, first = count > ROWS_MOST ? count - ROWS_MOST : 0;
    struct phases_scale scale = phases_scale_of(election);
    if (!count)
        return;
    begin_table(out, "Every change of leader", columns);
    for (size_t i = first; i < count; i++)
        put_failover(out, report, &election->failovers[i], i + 1, &scale);
    end_table(out);
    buffer_put_text(out, "<figcaption>\n");
    html_election_put_key(out, "<rect class=\"detection\" y=\"1\" width=\"18\" height=\"9\"/>",
                          "detection: the leader was gone, and ZooKeeper did not know it yet");
    html_election_put_key(out, "<rect class=\"vacancy\" y=\"1\" width=\"18\" height=\"9\"/>", "nobody stood");
    html_election_put_key(out, "<rect class=\"takeover\" y=\"1\" width=\"18\" height=\"9\"/>",
                          "takeover: first, and not acknowledged yet");
    html_election_put_key(out, "<rect class=\"detection pale\" y=\"1\" width=\"18\" height=\"9\"/>",
                          "pale: within its bounds");
    html_election_put_key(out, "<path class=\"gone\" d=\"M9 0V11\"/>", "its znode went");
    buffer_put_text(out, "</figcaption>\n");
    if (first)
        buffer_printf(out,
                      "<p class=\"note\">These are the last %zu of %zu; electop report --json has them all, "
                      "and a shorter time shows others.</p>\n",
                      count - first, count);
}

static void html_election_put_figures(struct buffer *out, const char *what,
                                      const struct failover_figures *figures)
{
    buffer_put_text(out, "<tr><th scope=\"row\">");
    markup_text(out, what);
    buffer_printf(out, "</th><td class=\"n\">%zu</td>", figures->count);
    put_span_cell(out, figures->p50, true);
    put_span_cell(out, figures->p90, true);
    put_span_cell(out, figures->p99, true);
    put_span_cell(out, figures->max, true);
    buffer_put_text(out, "</tr>\n");
}

static void html_election_put_statistics(struct buffer *out, const struct report_election *election)
{
    static const char *const columns[] = {"Cause", ">Known", ">p50", ">p90", ">p99", ">Longest", NULL};
    if (!election->stats.all.count)
        return;
    begin_table(out, "How long a failover took", columns);
    buffer_put_text(out, "<tbody>\n");
    html_election_put_figures(out, "all", &election->stats.all);
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        if (election->stats.by_cause[cause].count)
            html_election_put_figures(out, failover_cause_word((enum failover_cause)cause),
                                      &election->stats.by_cause[cause]);
    buffer_put_text(out, "</tbody>");
    end_table(out);
}

static void html_election_put_story(struct buffer *out, const struct story *story)
{
    struct sentences sentences = story_sentences(story, true);
    for (size_t i = 0; i < sentences.count; i++) {
        const struct sentence *sentence = &sentences.list[i];
        buffer_put_text(out, i ? "<li>" : "<details class=\"story\" open=\"open\"><summary>");
        if (sentence->kind != SENTENCE_CERTAIN)
            buffer_printf(out, "<i>%s:</i> ", sentence_kind_word(sentence->kind));
        markup_name(out, sentence->text);
        buffer_put_text(out, i ? "<br/><small class=\"soft\">" : "</summary>\n<p class=\"soft\">");
        markup_name(out, sentence->evidence);
        buffer_put_text(out, i ? "</small></li>\n" : "</p>\n<ul>\n");
    }
    if (sentences.count > 0)
        buffer_put_text(out, "</ul></details>\n");
    sentences_free(&sentences);
}

static void html_election_put_stories(struct buffer *out, const struct report_election *election)
{
    if (election->story_count == 0)
        return;
    buffer_put_text(out, "<h3>Why</h3>\n");
    if (election->story_count < election->change_count)
        buffer_put_text(out, "<p class=\"note\">The longest and the latest; electop why explains any other."
                             "</p>\n");
    for (size_t i = 0; i < election->story_count; i++)
        html_election_put_story(out, election->stories[i]);
}

static void html_election_put_leaders(struct buffer *out, const struct report_election *election)
{
    static const char *const columns[] = {"Who",      ">Times", ">Led for", ">Of the time watched",
                                          ">Longest", NULL};
    int64_t watched = election->led_us + election->vacant_us;
    size_t shown = election->leader_count < ROWS_MOST ? election->leader_count : ROWS_MOST;
    if (!election->leader_count)
        return;
    begin_table(out, election->kind == KIND_LOCK ? "Who held it" : "Who led", columns);
    buffer_put_text(out, "<tbody>\n");
    for (size_t i = 0; i < shown; i++) {
        const struct report_leader *leader = &election->leaders[i];
        char led[16], longest[16], share[SENTENCE_TIME];
        buffer_put_text(out, "<tr><th scope=\"row\">");
        markup_name(out, sentence_leader(leader));
        buffer_printf(out, "</th><td class=\"n\">%zu</td><td class=\"n\">", leader->tenures);
        markup_text(out, format_span(leader->led_us, led, sizeof led));
        buffer_put_text(out, "</td><td class=\"n\">");
        markup_text(out, sentence_share(leader->led_us, watched, share));
        buffer_put_text(out, "</td><td class=\"n\">");
        markup_text(out, format_span(leader->longest_us, longest, sizeof longest));
        buffer_put_text(out, "</td></tr>\n");
    }
    buffer_put_text(out, "</tbody>");
    end_table(out);
    if (shown < election->leader_count)
        buffer_printf(out, "<p class=\"note\">These are the first %zu of %zu.</p>\n", shown,
                      election->leader_count);
}

static void html_election_put_finding(struct buffer *out, const struct report *report,
                                      const struct report_finding *reported)
{
    const struct finding *finding = &reported->finding;
    buffer_printf(out, "<tbody class=\"pair\"><tr><td class=\"t %s\">", severity_word(finding->severity));
    markup_text(out, severity_word(finding->severity));
    buffer_put_text(out, "</td><th scope=\"row\">");
    markup_text(out, finding_kind(finding->code)->word);
    buffer_put_text(out, "</th><td class=\"t\">");
    markup_text(out, certainty_word(finding->certainty));
    buffer_put_text(out, "</td><td>");
    for (size_t i = 0; i < finding->candidate_count; i++) {
        buffer_put_text(out, i ? ", " : "");
        markup_name(out, finding->candidates[i]);
    }
    buffer_put_text(out, "</td>");
    html_election_put_moment(out, report, reported->raised_us);
    if (reported->cleared_us)
        html_election_put_moment(out, report, reported->cleared_us);
    else
        buffer_put_text(out, "<td>still there</td>");
    buffer_put_text(out, "</tr>\n<tr><td></td><td class=\"evidence\" colspan=\"5\">");
    markup_name(out, finding->evidence ? finding->evidence : "");
    if (finding->advice && *finding->advice) {
        buffer_put_text(out, "<br/>What to do: ");
        markup_name(out, finding->advice);
    }
    buffer_put_text(out, "</td></tr></tbody>\n");
}

static void html_election_put_findings(struct buffer *out, const struct report *report,
                                       const struct report_election *election)
{
    static const char *const columns[] = {"Severity",    "Finding",     "Certainty", "About",
                                          "Since (UTC)", "Until (UTC)", NULL};
    size_t shown = election->finding_count < ROWS_MOST ? election->finding_count : ROWS_MOST;
    if (!election->finding_count) {
        buffer_put_text(out, "<h3>Findings</h3>\n<p class=\"note\">");
        buffer_put_text(out, election->led_us || election->vacant_us
                                 ? "Nothing was found wrong while it was watched.</p>\n"
                                 : "Nobody watched it.</p>\n");
        return;
    }
    begin_table(out, "Findings of that time", columns);
    for (size_t i = 0; i < shown; i++)
        html_election_put_finding(out, report, &election->findings[i]);
    end_table(out);
    if (shown < election->finding_count)
        buffer_printf(out, "<p class=\"note\">These are the first %zu of %zu; --json has them all.</p>\n",
                      shown, election->finding_count);
}

static void html_election_put_gaps(struct buffer *out, const struct report *report,
                                   const struct report_election *election)
{
    static const char *const columns[] = {"From (UTC)", "To (UTC)", ">For", NULL};
    size_t shown = 0;
    if (report_has_gap(election)) {
        begin_table(out, "When nobody watched", columns);
        buffer_put_text(out, "<tbody>\n");
        for (size_t i = 0; i < election->stretch_count && shown < ROWS_MOST; i++) {
            const struct report_stretch *stretch = &election->stretches[i];
            char span[16];
            if (!report_is_gap(election, i))
                continue;
            buffer_put_text(out, "<tr>");
            html_election_put_moment(out, report, stretch->from_us);
            html_election_put_moment(out, report, stretch->to_us);
            buffer_put_text(out, "<td class=\"n\">");
            markup_text(out, format_span(stretch->to_us - stretch->from_us, span, sizeof span));
            buffer_put_text(out, "</td></tr>\n");
            shown++;
        }
        buffer_put_text(out, "</tbody>");
        end_table(out);
        if (shown < report_gap_count(election))
            buffer_printf(out, "<p class=\"note\">These are the first %zu of %zu; --json has them all.</p>\n",
                          shown, report_gap_count(election));
    }
    if (election->unseen_joined || election->unseen_left)
        buffer_printf(out,
                      "<p class=\"note\">ZooKeeper's counters prove that besides %llu candidate%s joined and "
                      "%llu left without being seen; who, they do not say.</p>\n",
                      (unsigned long long)election->unseen_joined, election->unseen_joined == 1 ? "" : "s",
                      (unsigned long long)election->unseen_left);
}

/* The same candidate led all the time: its figures say that again. */
static bool is_unchanged(const struct report_election *election)
{
    return election->led_us && !election->failover_count && !election->vacant_us && !report_has_gap(election);
}

bool html_election_is_quiet(const struct report_election *election)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i].finding.severity > SEVERITY_INFO)
            return false;
    return is_unchanged(election) && !election->unseen_joined && !election->unseen_left;
}

static void put_sentences(struct buffer *out, const struct report_election *election)
{
    struct sentence_verdict verdict;
    sentence_verdict(election, &verdict);
    for (size_t i = 0; i < verdict.count; i++) {
        buffer_put_text(out, i ? " " : "");
        markup_name(out, verdict.sentences[i]);
    }
    sentence_verdict_free(&verdict);
}

static void put_where(struct buffer *out, const struct report_election *election)
{
    buffer_put_text(out, "<p class=\"where\">");
    if (election->cluster) {
        markup_name(out, election->cluster);
        buffer_put_text(out, " · ");
    }
    if (strcmp(election->path, election->name) != 0) {
        markup_name(out, election->path);
        buffer_put_text(out, " · ");
    }
    markup_text(out, election->kind == KIND_LOCK ? "a lock, which may be free" : "somebody must lead");
    buffer_put_text(out, " · ");
    if (election->recipe) {
        buffer_put_text(out, "layout ");
        markup_name(out, election->recipe);
    } else {
        buffer_put_text(out, "layout not recognised");
    }
    buffer_put_text(out, "</p>\n");
}

static void put_figures_and_tables(struct buffer *out, const struct report *report,
                                   const struct report_election *election, size_t number)
{
    bool fold = report->election_count > 1 && is_unchanged(election) && !html_election_is_quiet(election);
    if (fold)
        buffer_put_text(out, "<details class=\"figures\"><summary>figures</summary>\n");
    put_cards(out, election);
    put_drawing(out, report, election, number);
    html_election_put_failovers(out, report, election);
    html_election_put_statistics(out, election);
    html_election_put_stories(out, election);
    html_election_put_leaders(out, election);
    if (fold)
        buffer_put_text(out, "</details>\n");
    html_election_put_findings(out, report, election);
    html_election_put_gaps(out, report, election);
}

static void put_folded(struct buffer *out, const struct report *report,
                       const struct report_election *election, size_t number)
{
    buffer_printf(out, "<section class=\"election quiet\" id=\"e%zu\"><details><summary><b>", number);
    markup_name(out, election->name);
    buffer_put_text(out, "</b> <small class=\"soft\">");
    put_sentences(out, election);
    buffer_put_text(out, "</small></summary>\n");
    put_where(out, election);
    put_figures_and_tables(out, report, election, number);
    buffer_put_text(out, "</details></section>\n");
}

/* number: from 1, in its report. A quiet election among others is folded to a line. */
static void html_election_print(struct buffer *out, const struct report *report,
                                const struct report_election *election, size_t number)
{
    if (report->election_count > 1 && html_election_is_quiet(election)) {
        put_folded(out, report, election, number);
        return;
    }
    buffer_printf(out, "<section class=\"election\" id=\"e%zu\">\n", number);
    if (report->election_count > 1) { /* else the page's heading names it */
        buffer_put_text(out, "<h2>");
        markup_name(out, election->name);
        buffer_put_text(out, "</h2>\n");
    }
    put_where(out, election);
    buffer_put_text(out, "<p class=\"verdict\">");
    put_sentences(out, election);
    buffer_put_text(out, "</p>\n");
    put_figures_and_tables(out, report, election, number);
    buffer_put_text(out, "</section>\n");
}

/* More quiet elections than these have no rows in the table of all. */
#define QUIET_ROWS_MOST 12

static void html_report_put_title(struct buffer *out, const struct report *report)
{
    if (report->election_count == 1)
        markup_printf(out, "Who led %s", report->elections[0].name);
    else if (report->election_count)
        markup_printf(out, "Who led %zu elections", report->election_count);
    else
        markup_text(out, "Nothing was recorded");
}

static void html_report_put_window(struct buffer *out, int64_t from_us, int64_t to_us,
                                   enum sentence_zone zone)
{
    struct text text = {0};
    sentence_window(&text, from_us, to_us, zone, false);
    markup_text(out, text.at);
    text_free(&text);
}

static void put_head(struct buffer *out, const struct report *report)
{
    page_head_begin(out);
    html_report_put_title(out, report);
    buffer_put_text(out, ", ");
    html_report_put_window(out, report->from_us, report->to_us, SENTENCE_UTC);
    page_head_end(out);
}

static void put_header(struct buffer *out, const struct report *report, const struct report_note *note)
{
    char length[16];
    buffer_put_text(out, "<header>\n<p class=\"brand\"><b>electop</b> report</p>\n<h1>");
    html_report_put_title(out, report);
    buffer_put_text(out, "</h1>\n<p class=\"when\"><b>");
    html_report_put_window(out, report->from_us, report->to_us, SENTENCE_UTC);
    buffer_put_text(out, "</b>");
    markup_printf(out, " · %s", format_span(report->to_us - report->from_us, length, sizeof length));
    if (sentence_zones_differ(report->from_us) || sentence_zones_differ(report->to_us)) {
        buffer_put_text(out, "<br/>");
        html_report_put_window(out, report->from_us, report->to_us, SENTENCE_LOCAL);
    }
    buffer_put_text(out, "</p>\n<p class=\"made\">From ");
    markup_name(out, note->recording);
    if (report->recorded_to_us) {
        buffer_put_text(out, ", which holds ");
        html_report_put_window(out, report->recorded_from_us, report->recorded_to_us, SENTENCE_UTC);
    } else {
        buffer_put_text(out, ", which is empty");
    }
    buffer_put_text(out, ".</p>\n");
    for (size_t i = 0; i < report->clock_count; i++) {
        struct text text = {0};
        sentence_clock(&text, &report->clocks[i], SENTENCE_UTC);
        buffer_put_text(out, "<p class=\"made\"><b>");
        markup_text(out, text.at ? text.at : "");
        buffer_put_text(out, "</b></p>\n");
        text_free(&text);
    }
    buffer_put_text(out, "</header>\n");
}

static const struct finding *worst_finding(const struct report_election *election)
{
    const struct finding *worst = NULL;
    for (size_t i = 0; i < election->finding_count; i++)
        if (!worst || election->findings[i].finding.severity > worst->severity)
            worst = &election->findings[i].finding;
    return worst;
}

static void put_election_row(struct buffer *out, const struct report *report,
                             const struct report_election *election, size_t number)
{
    char span[16];
    bool watched = election->led_us || election->vacant_us;
    const struct finding *worst = worst_finding(election);
    buffer_printf(out, "<tr><th scope=\"row\" class=\"name\"><a href=\"#e%zu\">", number);
    markup_name(out, election->name);
    buffer_put_text(out, "</a>");
    if (report->several_clusters && election->cluster) {
        buffer_put_text(out, "<br/><small>");
        markup_name(out, election->cluster);
        buffer_put_text(out, "</small>");
    }
    buffer_put_text(out, "</th><td>");
    timeline_svg_print_line(out, report, election);
    buffer_put_text(out, "</td><td class=\"n\">");
    if (watched)
        buffer_printf(out, "%zu", election->change_count);
    else
        buffer_put_text(out, "?");
    buffer_printf(out, "</td><td class=\"n%s\">",
                  election->longest_vacant_us >= ALARMING_US && election->kind == KIND_LEADER ? " bad-word"
                                                                                              : "");
    markup_text(out, election->vacant_us ? format_span(election->vacant_us, span, sizeof span)
                     : watched           ? "never"
                                         : "?");
    buffer_put_text(out, "</td><td class=\"n\">");
    html_put_span(out, election->stats.all.count ? election->stats.all.max : SPAN_UNKNOWN,
                  !watched || election->change_count > 0);
    buffer_put_text(out, "</td><td class=\"n\">");
    markup_text(out,
                report_has_gap(election) ? format_span(report_gap_us(election), span, sizeof span) : "never");
    buffer_put_text(out, "</td><td>");
    if (worst) {
        buffer_printf(out, "<span class=\"%s\">", severity_word(worst->severity));
        markup_text(out, finding_kind(worst->code)->word);
        buffer_put_text(out, "</span>");
        if (election->finding_count > 1)
            buffer_printf(out, " <small>and %zu more</small>", election->finding_count - 1);
    } else {
        buffer_put_text(out, watched ? "<span class=\"soft\">none</span>" : "?");
    }
    buffer_put_text(out, "</td></tr>\n");
}

/* Of a page about one election nothing is folded. */
static size_t quiet_count(const struct report *report)
{
    size_t quiet = 0;
    for (size_t i = 0; i < report->election_count && report->election_count > 1; i++)
        quiet += html_election_is_quiet(&report->elections[i]);
    return quiet;
}

static void put_facts(struct buffer *out, const struct report *report)
{
    static const char *const columns[] = {"When (UTC)", "What happened", NULL};
    if (!report->fact_count)
        return;
    begin_table(out, "ZooKeeper itself", columns);
    buffer_put_text(out, "<tbody>\n");
    for (size_t i = 0; i < report->fact_count && i < ROWS_MOST; i++) {
        struct text text = {0};
        sentence_fact(&text, &report->facts[i]);
        buffer_put_text(out, "<tr>");
        html_election_put_moment(out, report, report->facts[i].at.wall_us);
        buffer_put_text(out, "<td>");
        markup_text(out, text.at ? text.at : "");
        buffer_put_text(out, "</td></tr>\n");
        text_free(&text);
    }
    buffer_put_text(out, "</tbody>");
    end_table(out);
    if (report->fact_count > ROWS_MOST)
        buffer_printf(out, "<p class=\"note\">These are the first %d of %zu; --json has them all.</p>\n",
                      ROWS_MOST, report->fact_count);
}

static void put_elections(struct buffer *out, const struct report *report)
{
    buffer_put_text(out, "<h3>All elections</h3>\n<div class=\"table\"><table><thead><tr>"
                         "<th scope=\"col\">Election</th><th scope=\"col\">Who led</th>"
                         "<th scope=\"col\" class=\"n\">Changes</th>"
                         "<th scope=\"col\" class=\"n\">Without a leader</th>"
                         "<th scope=\"col\" class=\"n\">Longest failover</th>"
                         "<th scope=\"col\" class=\"n\">Not watched</th>"
                         "<th scope=\"col\">Worst finding</th></tr></thead>\n<tbody>\n");
    size_t quiet = quiet_count(report);
    bool fold = quiet > QUIET_ROWS_MOST;
    for (size_t i = 0; i < report->election_count; i++)
        if (!fold || !html_election_is_quiet(&report->elections[i]))
            put_election_row(out, report, &report->elections[i], i + 1);
    buffer_put_text(out, "</tbody></table></div>\n");
    if (fold)
        buffer_printf(out, "<p class=\"note\">%zu more were quiet: <a href=\"#quiet\">below</a>.</p>\n",
                      quiet);
}

/* Those with something to read first. */
static void put_sections(struct buffer *out, const struct report *report)
{
    size_t quiet = quiet_count(report);
    for (size_t i = 0; i < report->election_count; i++)
        if (quiet < 1 || !html_election_is_quiet(&report->elections[i]))
            html_election_print(out, report, &report->elections[i], i + 1);
    if (!quiet)
        return;
    buffer_printf(out, "<h2 id=\"quiet\">Quiet: %zu election%s</h2>\n", quiet, quiet == 1 ? "" : "s");
    for (size_t i = 0; i < report->election_count; i++)
        if (html_election_is_quiet(&report->elections[i]))
            html_election_print(out, report, &report->elections[i], i + 1);
}

static void put_footer(struct buffer *out, const struct report *report, const struct report_note *note)
{
    bool used[CAUSE_COUNT] = {false}, any = false;
    char day[SENTENCE_TIME], time[SENTENCE_TIME];
    for (size_t i = 0; i < report->election_count; i++)
        for (size_t j = 0; j < report->elections[i].failover_count; j++)
            any = used[report->elections[i].failovers[j].cause] = true;
    buffer_put_text(out, "<footer>\n");
    if (any) {
        buffer_put_text(
            out,
            "<h3>How to read this</h3>\n<p>A cause is as narrow as its proof, and no narrower. "
            "Two figures with a dash are bounds: what is meant lies between them. "
            "What is not known is a question mark, and what there was nothing of is a dash.</p>\n<dl>\n");
        for (int cause = CAUSE_COUNT - 1; cause >= 0; cause--) {
            if (!used[cause])
                continue;
            buffer_put_text(out, "<dt>");
            markup_text(out, failover_cause_word((enum failover_cause)cause));
            buffer_put_text(out, "</dt><dd>");
            markup_text(out, sentence_cause_meaning((enum failover_cause)cause));
            buffer_put_text(out, "</dd>\n");
        }
        buffer_put_text(out,
                        "<dt>detected in</dt><dd>from the moment at which the leader could not answer any "
                        "more to its znode's end; for expired ones only</dd>\n"
                        "<dt>vacant</dt><dd>from there until somebody stood first</dd>\n"
                        "<dt>takeover</dt><dd>from there until the new leader acknowledged, where the "
                        "layout has an acknowledgement</dd>\n</dl>\n");
    }
    buffer_put_text(out, "<p>");
    markup_printf(out, "Made by electop %s at %s %s UTC.", ELECTOP_VERSION,
                  sentence_day(note->made_us, SENTENCE_UTC, day),
                  sentence_time(note->made_us, SENTENCE_UTC, time));
    buffer_put_text(out, " Nothing on this page is loaded from elsewhere.</p>\n</footer>\n");
}

void html_report_print(struct buffer *out, const struct report *report, const struct report_note *note)
{
    put_head(out, report);
    buffer_put_text(out,
                    "<body>\n<svg class=\"definitions\" aria-hidden=\"true\"><defs>"
                    "<pattern id=\"unwatched\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
                    "patternTransform=\"rotate(45)\"><rect class=\"gap-ground\" width=\"7\" height=\"7\"/>"
                    "<path class=\"gap-line\" d=\"M0 0V7\"/></pattern></defs></svg>\n");
    put_header(out, report, note);
    buffer_put_text(out, "<main>\n");
    if (report_is_empty(report))
        buffer_put_text(out,
                        "<p class=\"verdict\">Nothing was recorded in this time. What happened then is not "
                        "known here.</p>\n");
    else if (!report->election_count)
        buffer_put_text(
            out, "<p class=\"verdict\">None of the elections asked for was recorded in this time.</p>\n");
    if (report->election_count > 1)
        put_elections(out, report);
    put_sections(out, report);
    put_facts(out, report);
    buffer_put_text(out, "</main>\n");
    put_footer(out, report, note);
    buffer_put_text(out, "</body>\n</html>\n");
}
