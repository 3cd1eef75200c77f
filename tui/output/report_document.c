#include "tui/output/report_document.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "tui/output/timeline_svg.h"
#include "tui/screen/safe.h"
#include "tui/words/failover_facts.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/names.h"

/* The time line in text. */
#define BAR_LEAST 30
#define BAR_MOST 120
#define NAME_MOST 28
#define LEADERS_MOST 24
/* A longer table is not read; the JSON has all rows. */
#define ROWS_MOST 500
/* So long without a leader is alarming. */
#define ALARMING_US INT64_C(1000000)
#define GAP_SHOWN_LEAST 100000 /* us: less is between two of the recorder's writes */
/* A candidate's name beside its identity, on a page; all of it is in the title. */
#define NAME_COLUMNS 18
/* More quiet elections than these have no rows in the table of all. */
#define QUIET_ROWS_MOST 12

#define ON_PAGE (1U << DOCUMENT_PAGE)
#define IN_TEXT (1U << DOCUMENT_TEXT)

static size_t report_at_most(size_t count)
{
    return count < ROWS_MOST ? count : ROWS_MOST;
}

static enum sentence_zone zone_of(const struct document *doc)
{
    return doc->form == DOCUMENT_TEXT ? SENTENCE_LOCAL : SENTENCE_UTC;
}

/* ---- what many tables have ---- */

/* With the day where the window has several, and in Markdown, whose rows are quoted by themselves. */
static void put_moment(struct document *doc, const struct report *report, int64_t wall_us)
{
    char first[SENTENCE_TIME], day[SENTENCE_TIME], time[SENTENCE_TIME], name[SENTENCE_TIME];
    enum sentence_zone zone = zone_of(doc);
    if (doc->form == DOCUMENT_MARKDOWN ||
        strcmp(sentence_day(report->from_us, zone, first), sentence_day(report->to_us, zone, day)) != 0)
        document_words(doc, ROLE_TEXT, "%s ", sentence_day(wall_us, zone, day));
    document_words(doc, ROLE_TEXT, "%s", sentence_time(wall_us, zone, time));
    if (doc->form == DOCUMENT_PAGE && sentence_zones_differ(wall_us)) {
        document_break(doc, ON_PAGE, " ");
        document_words(doc, ROLE_DIM, "%s %s", sentence_time(wall_us, SENTENCE_LOCAL, time),
                       sentence_zone(wall_us, SENTENCE_LOCAL, name));
    }
}

static void put_moment_cell(struct document *doc, const struct report *report, int64_t wall_us)
{
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    put_moment(doc, report, wall_us);
}

static void put_duration_cell(struct document *doc, int64_t us)
{
    char span[16];
    document_cell(doc, ROLE_TEXT, "%s", format_span(us, span, sizeof span));
}

static void put_span_cell(struct document *doc, struct span span, bool applies)
{
    char text[SENTENCE_TIME];
    bool known = span.low_us >= 0 || span.high_us >= 0;
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    struct fragment *fragment =
        document_words(doc, known ? ROLE_TEXT : ROLE_DIM, "%s", sentence_span(span, applies, text));
    if (!known)
        fragment->title = text_copy(applies ? "not known" : "there was nothing to detect");
}

/* An identity, and the candidate's name where that is another one. */
static void put_who(struct document *doc, const char *who, const char *name)
{
    char shorter[NAME_COLUMNS * 4];
    bool page = doc->form == DOCUMENT_PAGE;
    document_name(doc, ROLE_TEXT, who);
    if (doc->form == DOCUMENT_TEXT || !name || !*name || strcmp(name, who) == 0)
        return;
    document_words(doc, ROLE_TEXT, page ? " " : " (");
    if (page)
        name_fit_candidate(&(struct cells){0}, name, NAME_COLUMNS, shorter, sizeof shorter);
    document_name(doc, ROLE_DIM, page ? shorter : name)->title = text_copy(name);
    if (!page)
        document_words(doc, ROLE_TEXT, ")");
}

static void put_window(struct document *doc, style look, int64_t from_us, int64_t to_us,
                       enum sentence_zone zone)
{
    struct text text = {0};
    sentence_window(&text, from_us, to_us, zone, false);
    document_words(doc, look, "%s", text.at);
    text_free(&text);
}

static void put_verdict(struct document *doc, const struct report_election *election)
{
    struct sentence_verdict verdict;
    sentence_verdict(election, &verdict);
    for (size_t i = 0; i < verdict.count; i++) {
        if (i > 0)
            document_break(doc, IN_TEXT, " ");
        document_prose(doc, ROLE_TEXT, verdict.sentences[i]);
    }
    sentence_verdict_free(&verdict);
}

/* ---- the time line ---- */

/* The values of a bar's cell; the larger wins. */
enum bar_cell { CELL_NOTHING, CELL_GAP, CELL_LED, CELL_VACANT };

/* leader: REPORT_NO_LEADER: the bar of the time without a leader. */
static void fill_bar(unsigned char slots[BAR_MOST], int width, const struct report *report,
                     const struct report_election *election, size_t leader)
{
    double per_us = (double)width / (double)(report->to_us - report->from_us);
    for (size_t i = 0; i < election->stretch_count; i++) {
        const struct report_stretch *stretch = &election->stretches[i];
        bool mine = stretch->leader == leader && stretch->kind != STRETCH_GAP;
        enum bar_cell shown = report_is_gap(election, i)           ? CELL_GAP
                              : mine && leader == REPORT_NO_LEADER ? CELL_VACANT
                              : mine                               ? CELL_LED
                                                                   : CELL_NOTHING;
        int from = (int)((double)(stretch->from_us - report->from_us) * per_us);
        int to = (int)((double)(stretch->to_us - report->from_us) * per_us);
        /* A stretch narrower than a cell happened, and must be visible: except the time until the first
           snapshot, whose cell would claim half a minute without observation. */
        if (shown == CELL_GAP && to == from && !report_has_gap(election))
            continue;
        for (int cell = from; cell < width && (cell < to || cell == from); cell++)
            if (slots[cell] < shown)
                slots[cell] = (unsigned char)shown;
    }
}

static void put_bar(struct document *doc, int width, const struct report *report,
                    const struct report_election *election, size_t leader)
{
    static const struct {
        style look;
        enum sign sign;
    } looks[] = {[CELL_GAP] = {ROLE_BAR_GAP, SIGN_BAR_GAP},
                 [CELL_LED] = {ROLE_BAR_A, SIGN_BAR},
                 [CELL_VACANT] = {ROLE_BAR_VACANT, SIGN_BAR_VACANT}};
    unsigned char slots[BAR_MOST] = {0};
    fill_bar(slots, width, report, election, leader);
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    for (int cell = 0, end; cell < width; cell = end) {
        for (end = cell; end < width && slots[end] == slots[cell]; end++)
            continue;
        if (slots[cell])
            document_sign(doc, looks[slots[cell]].look, looks[slots[cell]].sign, end - cell);
        else
            document_words(doc, ROLE_TEXT, "%*s", end - cell, "");
    }
}

static void put_axis(struct document *doc, int width, const struct report *report)
{
    char from[16], middle[16], to[16];
    format_clock(report->from_us, from, sizeof from);
    format_clock(report->from_us + (report->to_us - report->from_us) / 2, middle, sizeof middle);
    format_clock(report->to_us, to, sizeof to);
    int before = width / 2 - 4 - (int)strlen(from),
        after = width - width / 2 - 5 - (int)strlen(doc->zone) - 8;
    document_row(doc, 0);
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    document_cell(doc, ROLE_DIM, "%s%*s%s%*s%s %s", from, before, "", middle, after > 1 ? after : 1, "", to,
                  doc->zone);
}

/* In text, where a page has its drawing. */
static void put_timeline(struct document *doc, const struct report *report,
                         const struct report_election *election)
{
    static const struct document_column columns[] = {{"", COLUMN_NAME, 1}, {"", COLUMN_WORD, 2}};
    bool vacant = election->vacant_us && election->kind == KIND_LEADER;
    size_t shown = election->leader_count < LEADERS_MOST ? election->leader_count : LEADERS_MOST;
    int label = vacant ? 6 : 0;
    if (report->to_us <= report->from_us || (!shown && !vacant))
        return;
    for (size_t i = 0; i < shown; i++) {
        const char *who = sentence_leader(&election->leaders[i]);
        int width = safe_width(who, strlen(who), false);
        label = width > label ? width : label;
    }
    label = label > NAME_MOST ? NAME_MOST : label;
    int width = (doc->width ? doc->width : 100) - 2 - label - TABLE_GAP;
    width = width < BAR_LEAST ? BAR_LEAST : width > BAR_MOST ? BAR_MOST : width;
    document_table(doc, columns, 2);
    for (size_t i = 0; i < shown; i++) {
        document_row(doc, 0);
        document_name_cell(doc, ROLE_TEXT, sentence_leader(&election->leaders[i]));
        put_bar(doc, width, report, election, i);
    }
    if (vacant) {
        document_row(doc, 0);
        document_cell(doc, ROLE_CRITICAL, "no leader");
        put_bar(doc, width, report, election, REPORT_NO_LEADER);
    }
    put_axis(doc, width, report);
    document_cut(doc, "first", shown, election->leader_count);
}

static bool has_vacancy(const struct report_election *election)
{
    for (size_t i = 0; i < election->stretch_count; i++)
        if (election->stretches[i].kind == STRETCH_VACANT)
            return true;
    return false;
}

static void put_drawing(struct document *doc, const struct report *report,
                        const struct report_election *election, size_t number)
{
    struct buffer markup = {0};
    bool lock = election->kind == KIND_LOCK;
    timeline_svg_print(&markup, report, election, number);
    document_block(doc, BLOCK_FIGURE, ROLE_TEXT);
    document_drawing(doc, &markup);
    document_key(doc, DOCUMENT_KEY("led"), "leads");
    if (has_vacancy(election))
        document_key(doc, lock ? DOCUMENT_KEY("free") : DOCUMENT_KEY("vacant"), lock ? "free" : "no leader");
    if (election->failover_count > election->missed_count)
        document_key(doc, "<g class=\"change\"><path d=\"M9 10l-4.5 -8h9z\"/></g>",
                     "a change of leader, numbered as below");
    if (election->missed_count)
        document_key(doc, "<g class=\"change missed\"><path d=\"M9 10l-4.5 -8h9z\"/></g>",
                     "a change found after a gap");
    if (report_has_gap(election))
        document_key(doc, "<rect class=\"gap\" width=\"18\" height=\"11\" fill=\"url(#unwatched)\"/>",
                     "gap: unknown");
    if (timeline_svg_has_epochs(report))
        document_key(doc, "<path class=\"epoch\" d=\"M9 0V11\"/>", "ZooKeeper's own leader changed");
}

/* ---- the figures of a page ---- */

/* Frees more. */
static void put_card(struct document *doc, bool bad, const char *what, const char *value, struct text *more)
{
    document_block(doc, BLOCK_TERM, bad ? ROLE_CRITICAL : ROLE_TEXT);
    document_words(doc, ROLE_TEXT, "%s", what);
    document_block(doc, BLOCK_DEFINITION, ROLE_TEXT);
    document_words(doc, ROLE_TEXT, "%s", value);
    if (more->at)
        document_words(doc, ROLE_DIM, "%s", more->at);
    text_free(more);
}

static bool has_takeover(const struct report_election *election)
{
    for (size_t i = 0; i < election->failover_count; i++)
        if (election->failovers[i].takeover.low_us >= 0 || election->failovers[i].takeover.high_us >= 0)
            return true;
    return false;
}

static void put_change_cards(struct document *doc, const struct report_election *election, bool watched)
{
    struct text more = {0};
    char value[24], often[24], span[16], longest[16];
    double rate = report_changes_per_hour(election);
    bool lock = election->kind == KIND_LOCK;
    snprintf(value, sizeof value, "%zu", election->change_count);
    if (rate > 0)
        text_printf(&more, "%s per hour watched", format_rate(rate, often, sizeof often));
    if (election->missed_count)
        text_printf(&more, "%s%zu more found after a gap", more.length ? "; " : "", election->missed_count);
    put_card(doc, false, "Changes of leader", watched ? value : "not known", &more);
    if (election->vacant_us)
        text_printf(&more, "longest %s", format_span(election->longest_vacant_us, longest, sizeof longest));
    put_card(doc, election->longest_vacant_us >= ALARMING_US && !lock, lock ? "Free" : "Without a leader",
             election->vacant_us ? format_span(election->vacant_us, span, sizeof span)
             : watched           ? "never"
                                 : "not known",
             &more);
}

/* For how long nothing was observed: the moment at the end of a recording is none. */
static const char *not_watched(const struct report_election *election, char buffer[16])
{
    int64_t gap_us = report_gap_us(election);
    return report_has_gap(election)    ? format_span(gap_us, buffer, 16)
           : gap_us >= GAP_SHOWN_LEAST ? "under 1s"
                                       : "never";
}

static void put_time_cards(struct document *doc, const struct report_election *election, bool watched)
{
    struct text more = {0};
    char value[FORMAT_INTERVAL], longest[FORMAT_INTERVAL], span[16], share[SENTENCE_TIME];
    const struct failover_figures *all = &election->stats.all;
    int64_t gap_us = report_gap_us(election), whole = election->led_us + election->vacant_us + gap_us;
    bool gap = report_has_gap(election);
    if (all->count)
        text_printf(&more, "longest %s; %zu of %zu known%s",
                    format_interval(all->max.low_us, all->max.high_us, false, longest), all->count,
                    election->change_count,
                    has_takeover(election)
                        ? ""
                        : "; until the next candidate is first: this layout writes no acknowledgement");
    put_card(doc, false, "Usual failover (p50)",
             all->count ? format_interval(all->p50.low_us, all->p50.high_us, false, value)
             : watched && !election->change_count && !election->missed_count ? "none"
                                                                             : "not known",
             &more);
    if (gap)
        text_printf(&more, "%s of the time", sentence_share(gap_us, whole, share));
    put_card(doc, false, "Not watched", not_watched(election, span), &more);
}

/* ---- the tables of an election ---- */

static void put_cause_cell(struct document *doc, const struct failover *failover)
{
    bool text = doc->form == DOCUMENT_TEXT, missed = failover->gap_us > 0;
    if (text && missed) {
        document_cell(doc, ROLE_TEXT, "after a gap");
        return;
    }
    document_cell(doc, ROLE_TEXT, "%s", failover_cause_word(failover->cause));
    if (!missed &&
        (failover->cause == CAUSE_UNKNOWN || (text && failover->cause_certainty == CERTAINTY_CERTAIN)))
        return;
    document_break(doc, ON_PAGE, ", ");
    document_words(doc, text ? ROLE_TEXT : ROLE_DIM, "%s",
                   missed ? "after a gap" : certainty_word(failover->cause_certainty));
}

/* What proves it; in text, the story of one failover does. */
static void put_evidence(struct document *doc, const struct failover *failover)
{
    char gap[16];
    if (doc->form == DOCUMENT_TEXT)
        return;
    document_block(doc, BLOCK_DETAIL, ROLE_TEXT);
    if (failover->gap_us > 0)
        document_words(doc, ROLE_TEXT, "found after a gap of %s: how long it took is not known",
                       format_span(failover->gap_us, gap, sizeof gap));
    else
        document_prose(doc, ROLE_TEXT, failover->evidence);
}

static void put_failover(struct document *doc, const struct report *report, const struct failover *failover,
                         size_t number, const struct phases_scale *scale, bool reactions)
{
    const struct span phases[] = {failover->detection,
                                  failover->vacancy,
                                  failover_point(failover->notified_us),
                                  failover_point(failover->reacted_us),
                                  failover->takeover,
                                  failover_facts_length(failover)};
    struct buffer markup = {0};
    bool missed = failover->gap_us > 0;
    document_row(doc, 0);
    document_cell(doc, ROLE_TEXT, "%zu", number);
    put_moment_cell(doc, report, failover->lost_at.wall_us);
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    put_who(doc, sentence_from(failover), failover->from);
    document_break(doc, ON_PAGE, " ");
    document_words(doc, ROLE_TEXT, "→ ");
    put_who(doc, sentence_to(failover), failover->to);
    put_cause_cell(doc, failover);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if (reactions || (i != 2 && i != 3))
            put_span_cell(doc, missed ? SPAN_UNKNOWN : phases[i],
                          missed || i > 0 || failover_has_detection(failover->cause));
    if (doc->form == DOCUMENT_PAGE) {
        document_block(doc, BLOCK_CELL, ROLE_TEXT);
        if (!missed)
            phases_svg_print(&markup, scale, failover);
        document_drawing(doc, &markup);
    }
    put_evidence(doc, failover);
}

static void put_failovers(struct document *doc, const struct report *report,
                          const struct report_election *election)
{
    static const struct document_column columns[] = {
        {"#", COLUMN_NUMBER, 2},        {"When", COLUMN_TIME, 9},          {"From → to", COLUMN_BELOW, 7},
        {"Cause", COLUMN_TEXT, 8},      {"Detected in", COLUMN_NUMBER, 4}, {"Vacant", COLUMN_NUMBER, 5},
        {"Notified", COLUMN_NUMBER, 1}, {"Reacted", COLUMN_NUMBER, 2},     {"Takeover", COLUMN_NUMBER, 3},
        {"Total", COLUMN_NUMBER, 6},    {"Phases", COLUMN_TEXT, 0}};
    struct document_column used[sizeof columns / sizeof *columns];
    bool reactions = election->notified.count > 0; /* packets were captured */
    size_t used_count = 0;
    size_t count = election->failover_count, first = count - report_at_most(count);
    struct phases_scale scale = phases_scale_of(election);
    bool page = doc->form == DOCUMENT_PAGE;
    if (!count)
        return;
    document_heading(doc, 3, "Every change of leader");
    for (size_t i = 0; i < sizeof columns / sizeof *columns - !page; i++)
        if (reactions || (i != 6 && i != 7))
            used[used_count++] = columns[i];
    document_table(doc, used, used_count)->detail = "Evidence";
    for (size_t i = first; i < count; i++)
        put_failover(doc, report, &election->failovers[i], i + 1, &scale, reactions);
    if (page) {
        document_key(doc, DOCUMENT_KEY("detection"),
                     "detection: the leader had failed, but ZooKeeper did not know it yet");
        document_key(doc, DOCUMENT_KEY("vacancy"), "no candidate");
        document_key(doc, DOCUMENT_KEY("takeover"), "takeover: first, but not acknowledged yet");
        document_key(doc, DOCUMENT_KEY("detection pale"), "pale: within its bounds");
        document_key(doc, "<path class=\"gone\" d=\"M9 0V11\"/>", "its znode was deleted");
    }
    document_cut(doc, "last", count - first, count);
}

static void put_figures(struct document *doc, const char *what, const struct failover_figures *figures)
{
    const struct span spans[] = {figures->p50, figures->p90, figures->p99, figures->max};
    if (!figures->count)
        return;
    document_row(doc, 0);
    document_cell(doc, ROLE_TEXT, "%s", what);
    document_cell(doc, ROLE_TEXT, "%zu", figures->count);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        put_span_cell(doc, spans[i], true);
}

static void put_statistics(struct document *doc, const struct report_election *election)
{
    static const struct document_column columns[] = {
        {"Cause", COLUMN_WORD, 6}, {"Known", COLUMN_NUMBER, 3}, {"p50", COLUMN_NUMBER, 5},
        {"p90", COLUMN_NUMBER, 1}, {"p99", COLUMN_NUMBER, 2},   {"Longest", COLUMN_NUMBER, 4}};
    if (!election->stats.all.count)
        return;
    document_heading(doc, 3, "How long a failover took");
    document_table(doc, columns, 6);
    put_figures(doc, "all", &election->stats.all);
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        put_figures(doc, failover_cause_word((enum failover_cause)cause), &election->stats.by_cause[cause]);
    put_figures(doc, "until notified", &election->notified);
    put_figures(doc, "until it reacted", &election->reacted);
}

void report_put_story(struct document *doc, const struct sentences *sentences)
{
    for (size_t i = 0; i < sentences->count; i++) {
        const struct sentence *sentence = &sentences->list[i];
        document_block(doc, BLOCK_CLAIM, ROLE_TEXT)->level = i > 0;
        if (sentence->kind != SENTENCE_CERTAIN) {
            document_words(doc, ROLE_INFO, "%s:", sentence_kind_word(sentence->kind));
            document_words(doc, ROLE_TEXT, " ");
        }
        document_prose(doc, i ? ROLE_TEXT : ROLE_STRONG, sentence->text);
        document_block(doc, BLOCK_DETAIL, ROLE_TEXT);
        document_prose(doc, ROLE_TEXT, sentence->evidence);
    }
}

static void put_stories(struct document *doc, const struct report_election *election)
{
    if (election->story_count == 0)
        return;
    document_heading(doc, 3, "Why");
    if (election->story_count < election->change_count) {
        document_paragraph(doc, ROLE_DIM,
                           election->story_count > 1 ? "The longest and the latest; " : "The longest; ");
        document_name(doc, ROLE_DIM, "electop why");
        document_words(doc, ROLE_DIM, " explains any other.");
    }
    for (size_t i = 0; i < election->story_count; i++) {
        struct sentences sentences = story_sentences(election->stories[i], zone_of(doc) == SENTENCE_UTC);
        report_put_story(doc, &sentences);
        sentences_free(&sentences);
    }
}

static void put_leaders(struct document *doc, const struct report_election *election)
{
    static const struct document_column columns[] = {{"Who", COLUMN_NAME, 5},
                                                     {"Times", COLUMN_NUMBER, 2},
                                                     {"For", COLUMN_NUMBER, 4},
                                                     {"Of the time watched", COLUMN_NUMBER, 3},
                                                     {"Longest", COLUMN_NUMBER, 1}};
    size_t shown = report_at_most(election->leader_count);
    char share[SENTENCE_TIME];
    if (!shown)
        return;
    document_heading(doc, 3, election->kind == KIND_LOCK ? "Who held it" : "Who led");
    document_table(doc, columns, 5);
    for (size_t i = 0; i < shown; i++) {
        const struct report_leader *leader = &election->leaders[i];
        document_row(doc, 0);
        document_name_cell(doc, ROLE_TEXT, sentence_leader(leader));
        document_cell(doc, ROLE_TEXT, "%zu", leader->tenures);
        put_duration_cell(doc, leader->led_us);
        document_cell(doc, ROLE_TEXT, "%s",
                      sentence_share(leader->led_us, election->led_us + election->vacant_us, share));
        put_duration_cell(doc, leader->longest_us);
    }
    document_cut(doc, "first", shown, election->leader_count);
}

static void put_finding(struct document *doc, const struct report *report,
                        const struct report_finding *reported)
{
    const struct finding *finding = &reported->finding;
    style look = severity_look(finding->severity);
    bool text = doc->form == DOCUMENT_TEXT;
    document_row(doc, 0);
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    document_sign(doc, look, severity_sign(finding->severity), 1);
    document_words(doc, look, text ? " %s" : "%s", severity_word(finding->severity));
    document_cell(doc, text ? ROLE_STRONG : ROLE_TEXT, "%s", finding_kind(finding->code)->word);
    document_cell(doc, ROLE_TEXT, "%s", certainty_word(finding->certainty));
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    for (size_t i = 0; i < finding->candidate_count; i++) {
        document_words(doc, ROLE_TEXT, "%s", i ? ", " : "");
        document_name(doc, ROLE_TEXT, finding->candidates[i]);
    }
    put_moment_cell(doc, report, reported->raised_us);
    document_cell(doc, ROLE_TEXT, "%s%s", text ? "– " : "", reported->cleared_us ? "" : "still there");
    if (reported->cleared_us)
        put_moment(doc, report, reported->cleared_us);
    document_block(doc, BLOCK_DETAIL, ROLE_TEXT);
    document_prose(doc, ROLE_TEXT, finding->evidence);
    if (finding->advice && *finding->advice) {
        document_break(doc, IN_TEXT | ON_PAGE, ". ");
        document_words(doc, ROLE_TEXT, "What to do: ");
        document_prose(doc, ROLE_TEXT, finding->advice);
    }
}

static void put_findings(struct document *doc, const struct report *report,
                         const struct report_election *election)
{
    static const struct document_column columns[] = {
        {"Severity", COLUMN_WORD, 0}, {"Finding", COLUMN_TEXT, 0}, {"Certainty", COLUMN_WORD, 0},
        {"About", COLUMN_TEXT, 0},    {"Since", COLUMN_TIME, 0},   {"Until", COLUMN_TIME, 0}};
    size_t shown = report_at_most(election->finding_count);
    if (!shown)
        return;
    document_heading(doc, 3, "Findings");
    struct document_block *table = document_table(doc, columns, 6);
    table->detail = "Evidence";
    table->listed = true;
    for (size_t i = 0; i < shown; i++)
        put_finding(doc, report, &election->findings[i]);
    document_cut(doc, "first", shown, election->finding_count);
}

static void put_gaps(struct document *doc, const struct report *report,
                     const struct report_election *election)
{
    static const struct document_column columns[] = {
        {"From", COLUMN_TIME, 3}, {"To", COLUMN_TIME, 2}, {"For", COLUMN_NUMBER, 1}};
    size_t shown = 0, joined = election->unseen_joined, left = election->unseen_left;
    if (report_has_gap(election)) {
        document_heading(doc, 3, "Gaps");
        document_table(doc, columns, 3);
        for (size_t i = 0; i < election->stretch_count && shown < ROWS_MOST; i++) {
            const struct report_stretch *stretch = &election->stretches[i];
            if (!report_is_gap(election, i))
                continue;
            document_row(doc, 0);
            put_moment_cell(doc, report, stretch->from_us);
            put_moment_cell(doc, report, stretch->to_us);
            put_duration_cell(doc, stretch->to_us - stretch->from_us);
            shown++;
        }
        document_cut(doc, "first", shown, report_gap_count(election));
    }
    if (joined || left)
        document_paragraph(doc, ROLE_DIM,
                           "ZooKeeper's counters prove that %zu more candidate%s joined and %zu left unseen; "
                           "they do not show which.",
                           joined, joined == 1 ? "" : "s", left);
}

/* ---- one election ---- */

/* The same candidate led all the time: its figures and drawings say that again. */
static bool is_unchanged(const struct report_election *election)
{
    return election->led_us && !election->failover_count && !election->vacant_us && !report_has_gap(election);
}

bool report_election_is_quiet(const struct report_election *election)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (election->findings[i].finding.severity > SEVERITY_INFO)
            return false;
    return is_unchanged(election) && !election->unseen_joined && !election->unseen_left;
}

static void put_where(struct document *doc, const struct report_election *election)
{
    const char *names[] = {election->cluster,
                           strcmp(election->path, election->name) != 0 ? election->path : NULL};
    for (size_t i = 0; i < 2; i++)
        if (names[i]) {
            document_name(doc, ROLE_DIM, names[i]);
            document_words(doc, ROLE_DIM, " · ");
        }
    document_words(doc, ROLE_DIM, "%s · layout %s",
                   election->kind == KIND_LOCK ? "a lock, which may be free" : "there must be a leader",
                   election->recipe ? "" : "not recognised");
    if (election->recipe)
        document_name(doc, ROLE_DIM, election->recipe);
}

/* Its name, where it is, and what happened. Where the title names it, a page needs no heading. */
static void put_head(struct document *doc, const struct report *report,
                     const struct report_election *election, size_t number)
{
    if (doc->form != DOCUMENT_PAGE || report->election_count > 1) {
        struct document_block *heading = document_block(doc, BLOCK_HEADING, ROLE_TEXT);
        heading->level = 2;
        heading->number = number;
        document_name(doc, ROLE_TEXT, election->name);
    }
    if (doc->form == DOCUMENT_TEXT)
        document_words(doc, ROLE_DIM, "  ");
    else
        document_block(doc, BLOCK_PARAGRAPH, ROLE_DIM);
    put_where(doc, election);
    document_block(doc, BLOCK_PARAGRAPH, ROLE_STRONG);
    put_verdict(doc, election);
}

static void report_put_election(struct document *doc, const struct report *report,
                                const struct report_election *election, size_t number)
{
    bool watched = election->led_us || election->vacant_us;
    bool drawn = report->election_count == 1 || !is_unchanged(election);
    put_head(doc, report, election, number);
    if (drawn && doc->form == DOCUMENT_TEXT)
        put_timeline(doc, report, election);
    if (drawn && doc->form == DOCUMENT_PAGE) {
        put_change_cards(doc, election, watched);
        put_time_cards(doc, election, watched);
        put_drawing(doc, report, election, number);
    }
    put_failovers(doc, report, election);
    put_statistics(doc, election);
    put_stories(doc, election);
    if (!is_unchanged(election))
        put_leaders(doc, election);
    put_findings(doc, report, election);
    if (!election->finding_count && doc->form == DOCUMENT_PAGE)
        document_paragraph(doc, ROLE_DIM,
                           watched ? "No problem was found while it was watched." : "It was not watched.");
    put_gaps(doc, report, election);
}

/* In a few lines. */
static void put_quiet(struct document *doc, const struct report *report,
                      const struct report_election *election, size_t number)
{
    document_block(doc, BLOCK_PARAGRAPH, ROLE_TEXT)->number = number;
    document_name(doc, ROLE_STRONG, election->name);
    document_words(doc, ROLE_TEXT, "  ");
    put_where(doc, election);
    document_break(doc, IN_TEXT | ON_PAGE, ": ");
    put_verdict(doc, election);
    put_findings(doc, report, election);
}

/* ---- all elections ---- */

static void put_worst_cell(struct document *doc, const struct report_election *election, bool watched)
{
    const struct finding *worst = NULL;
    for (size_t i = 0; i < election->finding_count; i++)
        if (!worst || election->findings[i].finding.severity > worst->severity)
            worst = &election->findings[i].finding;
    document_cell(doc, ROLE_TEXT, "%s", worst ? "" : watched ? "none" : "?");
    if (worst)
        document_words(doc, severity_look(worst->severity), "%s", finding_kind(worst->code)->word);
    if (election->finding_count > 1)
        document_words(doc, ROLE_DIM, " and %zu more", election->finding_count - 1);
}

static void put_election_row(struct document *doc, const struct report *report,
                             const struct report_election *election, size_t number)
{
    char span[16];
    struct buffer markup = {0};
    bool watched = election->led_us || election->vacant_us;
    bool alarming = election->longest_vacant_us >= ALARMING_US && election->kind == KIND_LEADER;
    document_row(doc, 0);
    document_name_cell(doc, ROLE_TEXT, election->name)->link = number;
    if (report->several_clusters && election->cluster) {
        document_break(doc, ON_PAGE, " ");
        document_name(doc, ROLE_DIM, election->cluster);
    }
    if (watched)
        document_cell(doc, ROLE_TEXT, "%zu", election->change_count);
    else
        document_cell(doc, ROLE_TEXT, "?");
    document_cell(doc, alarming ? ROLE_CRITICAL : ROLE_TEXT, "%s",
                  election->vacant_us ? format_span(election->vacant_us, span, sizeof span)
                  : watched           ? "never"
                                      : "?");
    put_span_cell(doc, election->stats.all.count ? election->stats.all.max : SPAN_UNKNOWN,
                  !watched || election->change_count > 0);
    document_cell(doc, ROLE_TEXT, "%s", not_watched(election, span));
    put_worst_cell(doc, election, watched);
    if (doc->form == DOCUMENT_PAGE) {
        document_block(doc, BLOCK_CELL, ROLE_TEXT);
        timeline_svg_print_line(&markup, report, election);
        document_drawing(doc, &markup);
    }
}

static void put_overview(struct document *doc, const struct report *report, size_t quiet)
{
    static const struct document_column columns[] = {
        {"Election", COLUMN_NAME, 9},      {"Changes", COLUMN_NUMBER, 7},
        {"Vacant", COLUMN_NUMBER, 6},      {"Longest failover", COLUMN_NUMBER, 5},
        {"Not watched", COLUMN_NUMBER, 4}, {"Worst finding", COLUMN_TEXT, 8},
        {"Who led", COLUMN_TEXT, 0}};
    document_heading(doc, 3, "All elections");
    document_table(doc, columns, doc->form == DOCUMENT_PAGE ? 7 : 6);
    for (size_t i = 0; i < report->election_count; i++)
        if (quiet <= QUIET_ROWS_MOST || !report_election_is_quiet(&report->elections[i]))
            put_election_row(doc, report, &report->elections[i], i + 1);
    if (quiet > QUIET_ROWS_MOST) {
        document_paragraph(doc, ROLE_DIM, "%zu more were quiet: ", quiet);
        document_words(doc, ROLE_DIM, "below")->link = report->election_count + 1;
        document_words(doc, ROLE_DIM, ".");
    }
}

/* Those with something to read first. Of a report about one election, that one is no line. */
static void put_elections(struct document *doc, const struct report *report)
{
    char heading[64];
    size_t quiet = 0;
    for (size_t i = 0; i < report->election_count && report->election_count > 1; i++)
        quiet += report_election_is_quiet(&report->elections[i]);
    if (report->election_count > 1)
        put_overview(doc, report, quiet);
    for (size_t i = 0; i < report->election_count; i++)
        if (!quiet || !report_election_is_quiet(&report->elections[i]))
            report_put_election(doc, report, &report->elections[i], i + 1);
    if (!quiet)
        return;
    snprintf(heading, sizeof heading, "Quiet: %zu election%s", quiet, quiet == 1 ? "" : "s");
    document_heading(doc, 2, heading)->number = report->election_count + 1;
    for (size_t i = 0; i < report->election_count; i++)
        if (report_election_is_quiet(&report->elections[i]))
            put_quiet(doc, report, &report->elections[i], i + 1);
}

/* ---- the whole report ---- */

static void put_title(struct document *doc, const struct report *report)
{
    char length[16];
    document_block(doc, BLOCK_HEADING, ROLE_TEXT)->level = 1;
    if (report->election_count == 1) {
        document_words(doc, ROLE_TEXT, "Who led ");
        document_name(doc, ROLE_TEXT, report->elections[0].name);
    } else if (report->election_count) {
        document_words(doc, ROLE_TEXT, "Who led %zu elections", report->election_count);
    } else {
        document_words(doc, ROLE_TEXT, "Nothing was recorded");
    }
    document_block(doc, BLOCK_PARAGRAPH, ROLE_DIM);
    put_window(doc, ROLE_STRONG, report->from_us, report->to_us, zone_of(doc));
    document_words(doc, ROLE_DIM, " · %s",
                   format_span(report->to_us - report->from_us, length, sizeof length));
    if (doc->form != DOCUMENT_TEXT &&
        (sentence_zones_differ(report->from_us) || sentence_zones_differ(report->to_us))) {
        document_words(doc, ROLE_DIM, " · ");
        put_window(doc, ROLE_DIM, report->from_us, report->to_us, SENTENCE_LOCAL);
    }
}

static void put_source(struct document *doc, const struct report *report, const char *recording)
{
    document_paragraph(doc, ROLE_DIM, "From ");
    document_name(doc, ROLE_DIM, recording);
    document_words(doc, ROLE_DIM, report->recorded_to_us ? ", which covers " : ", which is empty");
    if (report->recorded_to_us)
        put_window(doc, ROLE_DIM, report->recorded_from_us, report->recorded_to_us, zone_of(doc));
    document_words(doc, ROLE_DIM, doc->form == DOCUMENT_MARKDOWN ? ". All times are UTC." : ".");
    for (size_t i = 0; i < report->clock_count; i++) {
        struct text text = {0};
        sentence_clock(&text, &report->clocks[i], zone_of(doc));
        document_paragraph(doc, ROLE_WARNING, "%s", text.at);
        text_free(&text);
    }
}

static void put_facts(struct document *doc, const struct report *report)
{
    static const struct document_column columns[] = {{"When", COLUMN_TIME, 0},
                                                     {"What happened", COLUMN_TEXT, 0}};
    size_t shown = report_at_most(report->fact_count);
    if (!shown)
        return;
    document_heading(doc, 2, "ZooKeeper itself");
    document_table(doc, columns, 2)->listed = true;
    for (size_t i = 0; i < shown; i++) {
        struct text text = {0};
        sentence_fact(&text, &report->facts[i]);
        document_row(doc, 0);
        put_moment_cell(doc, report, report->facts[i].at.wall_us);
        document_block(doc, BLOCK_CELL, ROLE_TEXT);
        document_prose(doc, ROLE_TEXT, text.at);
        text_free(&text);
    }
    document_cut(doc, "first", shown, report->fact_count);
}

static void put_term(struct document *doc, const char *term, const char *meaning)
{
    document_block(doc, BLOCK_TERM, ROLE_TEXT);
    document_words(doc, ROLE_STRONG, "%s", term);
    document_block(doc, BLOCK_DEFINITION, ROLE_TEXT);
    document_words(doc, ROLE_TEXT, "%s", meaning);
}

/* Explains the words of the tables to readers without the manual. */
static void put_explanations(struct document *doc, const struct report *report)
{
    bool used[CAUSE_COUNT] = {false}, any = false, reactions = false;
    for (size_t i = 0; i < report->election_count; i++) {
        reactions = reactions || report->elections[i].notified.count > 0;
        for (size_t j = 0; j < report->elections[i].failover_count; j++)
            any = used[report->elections[i].failovers[j].cause] = true;
    }
    if (!any)
        return;
    document_heading(doc, 3, "How to read this");
    document_paragraph(doc, ROLE_TEXT,
                       "A cause states only what is proved. Two figures with a dash between them are "
                       "bounds: the true value lies between them. A question mark means unknown, and a dash "
                       "means none.");
    for (int cause = CAUSE_COUNT - 1; cause >= 0; cause--)
        if (used[cause])
            put_term(doc, failover_cause_word((enum failover_cause)cause),
                     sentence_cause_meaning((enum failover_cause)cause));
    put_term(doc, "detected in",
             "from the moment when the leader could no longer answer until its znode was deleted; only for "
             "the cause expired");
    put_term(doc, "vacant", "from then until the next candidate was first");
    if (reactions) {
        put_term(doc, "notified", "from the end of its znode until a server notified the successor");
        put_term(doc, "reacted", "from the end of its znode until the successor sent its next request");
    }
    put_term(doc, "takeover",
             "from then until the new leader acknowledged, if the layout has an acknowledgement");
}

void report_print(struct buffer *out, enum document_form form, const struct report *report,
                  const struct report_note *note, const struct print_style *how)
{
    struct document doc = {.form = form, .brand = "report", .width = how ? how->width : 0, .zone = "UTC"};
    char day[SENTENCE_TIME], time[SENTENCE_TIME];
    if (form == DOCUMENT_TEXT)
        format_zone(report->to_us, doc.zone, sizeof doc.zone);
    put_title(&doc, report);
    put_source(&doc, report, note->recording);
    document_block(&doc, BLOCK_BODY, ROLE_TEXT);
    if (report_is_empty(report))
        document_paragraph(&doc, ROLE_WARNING,
                           "Nothing was recorded in this time. It is not known what happened.");
    else if (!report->election_count)
        document_paragraph(&doc, ROLE_WARNING, "None of the requested elections was recorded in this time.");
    put_elections(&doc, report);
    put_facts(&doc, report);
    document_block(&doc, BLOCK_FOOTER, ROLE_TEXT);
    if (form != DOCUMENT_TEXT) {
        put_explanations(&doc, report);
        document_paragraph(&doc, ROLE_DIM, "Made by electop " ELECTOP_VERSION " at %s %s UTC.%s",
                           sentence_day(note->made_us, SENTENCE_UTC, day),
                           sentence_time(note->made_us, SENTENCE_UTC, time),
                           form == DOCUMENT_PAGE ? " This page loads nothing from other places." : "");
    }
    document_print(&doc, out, how);
    document_free(&doc);
}
