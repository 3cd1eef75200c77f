#include "tui/output/html_report.h"

#include <stdbool.h>

#include "tui/output/html_election.h"
#include "tui/output/markup.h"
#include "tui/output/page_style.h"
#include "tui/output/timeline_svg.h"
#include "tui/words/format.h"

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
    out->failed |= text.failed;
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
    buffer_put_text(out, "</p>\n<p class=\"made\">From the recording ");
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
        out->failed |= text.failed;
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
    markup_text(out, report_has_gap(election) ? format_span(election->gap_us, span, sizeof span) : "never");
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
        buffer_printf(out, "<p class=\"note\">%zu more were quiet: <a href=\"#quiet\">below</a>.</p>\n", quiet);
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
    buffer_put_text(out, "</main>\n");
    put_footer(out, report, note);
    buffer_put_text(out, "</body>\n</html>\n");
}
