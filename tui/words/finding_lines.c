#include "tui/words/finding_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/certainty.h"
#include "probe/election/chain.h"
#include "probe/election/failover.h"
#include "probe/election/vacancy.h"
#include "probe/election/whatif.h"
#include "tui/screen/key_bindings.h"
#include "tui/screen/columns.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"
#include "tui/words/names.h"

#define LEFT 1
#define INDENT 4
#define BESIDE 110 /* from this width on evidence is beside its finding */
#define WHO_WIDTH 14
#define LINES_SHARED 3 /* of one piece of evidence, where several findings share the pane */

enum sign severity_sign(enum severity severity)
{
    static const enum sign signs[] = {SIGN_INFO, SIGN_WARNING, SIGN_CRITICAL, SIGN_CRITICAL};

    return signs[severity];
}

style severity_look(enum severity severity)
{
    static const style looks[] = {ROLE_DIM, ROLE_WARNING, ROLE_CRITICAL, ROLE_CRITICAL};

    return looks[severity];
}

void finding_counts_add(struct finding_counts *counts, const struct election *election, struct moment now)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (mutes_of(election, election->findings[i], now) != NULL)
            counts->muted++;
        else
            counts->of[election->findings[i]->severity]++;
}

int finding_counts_put(struct cells *cells, int x, int y, int label, const struct finding_counts *counts,
                       bool current)
{
    static const char *const words[][2] = {
        {"note", "notes"}, {"warning", "warnings"}, {"error", "errors"}, {"critical", "critical"}};
    int begin = x;
    bool any = false;

    int used = cells_put(cells, x, y, -1, ROLE_DIM, "findings");
    x += (used > label ? used : label) + 2;
    for (int severity = SEVERITY_CRITICAL; severity >= SEVERITY_INFO; severity--) {
        size_t count = counts->of[severity];
        style look = severity_look((enum severity)severity);

        if (count == 0 || x >= cells->width)
            continue;
        x += cells_put(cells, x, y, -1, look, cells_sign(cells, severity_sign((enum severity)severity))) + 1;
        x += cells_printf(cells, x, y, label_room(x, cells->width), look, "%zu %s", count,
                          words[severity][count != 1]) +
             2;
        any = true;
    }
    if (!any && counts->muted == 0 && x < cells->width)
        x += current ? cells_put(cells, x, y, -1, ROLE_GOOD, "none") + 2
                     : cells_printf(cells, x, y, label_room(x, cells->width), ROLE_DIM, "%s none known",
                                    cells_sign(cells, SIGN_UNKNOWN)) +
                           2;
    if (counts->muted > 0 && x < cells->width)
        x += cells_printf(cells, x, y, label_room(x, cells->width), ROLE_DIM, "%zu muted", counts->muted) + 2;
    return x - 2 - begin;
}

/* Of an election without a leader: how the last one was lost. "" if unknown. */
static void lost_how(const struct election *election, const struct finding *worst, struct moment now,
                     char *buffer, size_t size)
{
    struct failover lost;

    buffer[0] = '\0';
    if (worst->code == FINDING_NO_LEADER && vacancy_lost(election, now, &lost) && lost.cause != CAUSE_UNKNOWN)
        snprintf(buffer, size, ", %s%s", failover_cause_word(lost.cause),
                 lost.cause_certainty == CERTAINTY_SUSPECTED ? "?" : "");
}

/* Puts it together in pieces: the sign of a mere note, the code, how often, the cause, how sure. */
static void worst_text(const struct cells *cells, const struct election *election,
                       const struct finding *worst, struct moment now, char *code, size_t code_size,
                       char *rest, size_t rest_size)
{
    size_t same = 0;
    char times[32] = "", how[32];

    lost_how(election, worst, now, how, sizeof how);
    for (size_t i = 0; i < election->finding_count; i++)
        same += election->findings[i]->code == worst->code;
    if (same > 1)
        snprintf(times, sizeof times, " %s%zu", cells_sign(cells, SIGN_TIMES), same);
    snprintf(code, code_size, "%s%s%s%s%s",
             worst->severity == SEVERITY_INFO ? cells_sign(cells, SIGN_INFO) : "",
             worst->severity == SEVERITY_INFO ? " " : "", finding_kind(worst->code)->word, times, how);
    snprintf(rest, rest_size, "%s",
             worst->unconfirmed_since.mono_us != 0     ? " unconfirmed"
             : worst->certainty == CERTAINTY_SUSPECTED ? " suspected"
                                                       : "");
}

int finding_put_worst(struct cells *cells, int x, int y, int room, const struct election *election,
                      struct moment now)
{
    const struct finding *worst = mutes_worst(election, now);
    char code[64], rest[32];
    int used;

    if (room <= 0)
        return 0;
    if (worst == NULL)
        return cells_put(cells, x, y, room, ROLE_DIM,
                         election->finding_count > 0 && room >= 5 ? "muted"
                         : election->state == ELECTION_UNKNOWN    ? cells_sign(cells, SIGN_UNKNOWN)
                                                                  : cells_sign(cells, SIGN_DASH));
    worst_text(cells, election, worst, now, code, sizeof code, rest, sizeof rest);
    /* Not certain now: the sign of that does not give way to the code, and half its word would not say so. */
    int least = rest[0] != '\0' && room > 4 ? room - 2 : room;
    if (cells_width(cells, code) > least)
        code[strcspn(code, ",")] = '\0';
    used = cells_put(cells, x, y, least, severity_look(worst->severity), code);
    if (rest[0] != '\0' && used + (int)strlen(rest) <= room)
        used += cells_put(cells, x + used, y, -1, ROLE_DIM, rest);
    else if (rest[0] != '\0' && used + 2 <= room)
        used += cells_put(cells, x + used, y, -1, ROLE_DIM, " ?");
    return used;
}

int finding_worst_width(const struct cells *cells, const struct election *election, struct moment now,
                        bool whole)
{
    const struct finding *worst = mutes_worst(election, now);
    char code[64], rest[32];

    if (worst == NULL)
        return election->finding_count > 0 ? (int)strlen("muted") : 1;
    worst_text(cells, election, worst, now, code, sizeof code, rest, sizeof rest);
    return cells_width(cells, code) + (whole || rest[0] == '\0' ? (int)strlen(rest) : 2);
}

char *finding_evidence(const struct finding *finding, char *buffer, size_t size)
{
    return format_local_times(finding->evidence != NULL ? finding->evidence : "", finding->since.wall_us,
                              buffer, size);
}

char *finding_certainty(const struct finding *finding, struct moment now, char *buffer, size_t size)
{
    char age[16];

    if (finding->unconfirmed_since.mono_us == 0)
        snprintf(buffer, size, "%s", certainty_word(finding->certainty));
    else
        snprintf(buffer, size, "unconfirmed for %s",
                 format_age(label_age_us(finding->unconfirmed_since, now), age, sizeof age));
    return buffer;
}

struct badge finding_badge(const struct election *election, struct moment now)
{
    const struct finding *found = mutes_worst(election, now);
    enum severity worst = found != NULL ? found->severity : SEVERITY_INFO;
    struct badge badge = label_badge(election, now);
    enum outlook outlook = label_outlook(election);

    /* Green means led, and the next failover works. */
    if (outlook == OUTLOOK_STOPS && worst < SEVERITY_ERROR)
        worst = SEVERITY_CRITICAL;
    else if (badge.look == ROLE_GOOD && (outlook == OUTLOOK_UNKNOWN || outlook == OUTLOOK_ALONE))
        badge.look = ROLE_TEXT;
    if (badge.sign == SIGN_CRITICAL || worst == SEVERITY_INFO)
        return badge;
    if (worst >= SEVERITY_ERROR || badge.rank >= RANK_HEALTHY) {
        badge.sign = severity_sign(worst);
        badge.look = severity_look(worst);
    }
    return badge;
}

char *finding_ticket(const struct settings *settings, const struct election *election,
                     const struct finding *finding, struct moment now)
{
    const struct finding_kind *kind = finding_kind(finding->code);
    char *text = NULL, when[64], sure[48], evidence[FINDING_EVIDENCE], responsible[2300];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    fprintf(out, "%s: %s, %s\n", kind->word, severity_word(finding->severity),
            finding_certainty(finding, now, sure, sizeof sure));
    fprintf(out, "election: %s", election->name);
    if (strcmp(election->name, election->path) != 0)
        fprintf(out, " (%s)", election->path);
    fprintf(out, "\ncluster: %s%s%s%s\n", election->cluster->name, *election->cluster->name ? " (" : "",
            election->cluster->hosts, *election->cluster->name ? ")" : "");
    if (election->leader != NULL)
        fprintf(out, "leader: %s %s\n", election->leader->identity != NULL ? election->leader->identity : "?",
                election->leader->name);
    for (size_t i = 0; i < finding->candidate_count; i++)
        fprintf(out, "%s%s", i == 0 ? "candidates: " : ", ", finding->candidates[i]);
    fprintf(out, "%smeaning: %s\nevidence: %s\n", finding->candidate_count > 0 ? "\n" : "", kind->meaning,
            finding_evidence(finding, evidence, sizeof evidence));
    fprintf(out, "advice: %s\n", finding->advice != NULL ? finding->advice : kind->advice);
    if (label_responsible(settings, election, responsible, sizeof responsible))
        fprintf(out, "%s\n", responsible);
    fprintf(out, "seen since: %s\n", format_stamp(finding->since.wall_us, when, sizeof when));
    int64_t possible_us = certainty_possible_since_us(election, finding);
    if (possible_us != 0 && possible_us < finding->since.wall_us)
        fprintf(out, "possible since: %s\n", format_stamp(possible_us, when, sizeof when));
    fprintf(out, "seen by electop %s at: %s\n", ELECTOP_VERSION,
            format_stamp(now.wall_us, when, sizeof when));
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static bool finding_lines_names(const struct finding *finding, const char *candidate)
{
    for (size_t i = 0; i < finding->candidate_count; i++)
        if (strcmp(finding->candidates[i], candidate) == 0)
            return true;
    return false;
}

const struct finding *finding_of(const struct election *election, const char *candidate)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (finding_lines_names(election->findings[i], candidate))
            return election->findings[i];
    return NULL;
}

/* The columns of a finding's parts: as wide as the visible ones need. */
struct pane {
    int who_x, sure_x, text_x, text_width, lines_most;
    bool beside;
    bool brief; /* notes have one line */
};

static struct pane pane_of(const struct cells *cells, const struct election *election, const char *only)
{
    struct pane pane = {.beside = cells->width >= BESIDE};
    int code = 0, sure = 9, shown = 0;

    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        int width = (int)strlen(finding_kind(finding->code)->word);

        if (only != NULL && !finding_lines_names(finding, only))
            continue;
        shown++;
        code = width > code ? width : code;
        if (finding->unconfirmed_since.mono_us != 0)
            sure = 22;
    }
    pane.who_x = LEFT + 2 + code + 2;
    pane.sure_x = pane.who_x + WHO_WIDTH;
    pane.text_x = pane.beside ? pane.sure_x + sure + 2 : INDENT;
    pane.text_width = cells->width - pane.text_x - 1;
    pane.lines_most = shown > 1 ? LINES_SHARED : cells->height;
    return pane;
}

static int text_lines(const struct cells *cells, const struct pane *pane, const char *text)
{
    int lines = text != NULL ? columns_wrap_lines(cells, pane->text_width, text) : 0;

    return lines < pane->lines_most ? lines : pane->lines_most;
}

/* A note says little that is urgent: only its evidence. */
static int finding_rows(const struct cells *cells, const struct pane *pane, const struct finding *finding)
{
    int own = pane->beside ? 0 : 1;

    if (finding->severity == SEVERITY_INFO)
        return own +
               (pane->brief || finding->evidence == NULL ? 1 : text_lines(cells, pane, finding->evidence));
    return own + text_lines(cells, pane, finding->evidence) + text_lines(cells, pane, finding->advice);
}

static int pane_rows(const struct cells *cells, const struct election *election, struct pane pane,
                     const char *only)
{
    int rows = 0;

    /* A crowd's thousand findings are not laid out for a screen of forty lines. */
    for (size_t i = 0; i < election->finding_count && rows < cells->height; i++)
        if (only == NULL || finding_lines_names(election->findings[i], only))
            rows += finding_rows(cells, &pane, election->findings[i]);
    return rows > 0 ? rows + 1 : 0;
}

/* With each text in full. */
static int whole_rows(const struct cells *cells, const struct election *election, const char *only)
{
    struct pane pane = pane_of(cells, election, only);

    pane.lines_most = cells->height;
    return pane_rows(cells, election, pane, only);
}

int finding_pane_rows(const struct cells *cells, const struct election *election, const char *only)
{
    return pane_rows(cells, election, pane_of(cells, election, only), only);
}

int finding_pane_grow(const struct cells *cells, const struct election *election, const char *only, int rows,
                      int spare)
{
    int most = whole_rows(cells, election, only);

    return rows < 2 || spare <= 0 || most <= rows ? rows : most < rows + spare ? most : rows + spare;
}

int finding_pane_brief_rows(const struct cells *cells, const struct election *election, const char *only)
{
    struct pane pane = pane_of(cells, election, only);

    pane.brief = true;
    return pane_rows(cells, election, pane, only);
}

/* Its subject, shortly. */
static void finding_lines_put_subject(struct cells *cells, int x, int y, int room,
                                      const struct finding *finding)
{
    char name[64], text[96];

    if (finding->candidate_count == 0) {
        cells_put(cells, x, y, room, ROLE_DIM, "the election");
        return;
    }
    name_of_candidate(cells, finding->candidates[0], name, sizeof name);
    if (finding->candidate_count > 1)
        snprintf(text, sizeof text, "%s +%zu", name, finding->candidate_count - 1);
    else
        snprintf(text, sizeof text, "%s", name);
    cells_put(cells, x, y, room, ROLE_TEXT, text);
}

static int finding_lines_put_finding(struct cells *cells, const struct pane *pane, int y, int end,
                                     struct moment now, const struct election *election,
                                     const struct finding *finding)
{
    bool muted = mutes_of(election, finding, now) != NULL;
    style look = muted ? (style)ROLE_DIM : severity_look(finding->severity);
    bool note = finding->severity == SEVERITY_INFO || muted;
    int begin = y, lines;
    char sure[48], age[16], evidence[FINDING_EVIDENCE];

    cells_put(cells, LEFT, y, 1, look, cells_sign(cells, severity_sign(finding->severity)));
    cells_put(cells, LEFT + 2, y, -1, note ? look : (style)(look | STYLE_BOLD),
              finding_kind(finding->code)->word);
    finding_lines_put_subject(cells, pane->who_x, y, WHO_WIDTH - 1, finding);
    if (muted)
        snprintf(sure, sizeof sure, "muted");
    else
        finding_certainty(finding, now, sure, sizeof sure);
    if (pane->beside) {
        cells_put(cells, pane->sure_x, y, pane->text_x - pane->sure_x - 1,
                  finding->certainty == CERTAINTY_CERTAIN && !note ? ROLE_TEXT : ROLE_DIM, sure);
    } else {
        cells_printf(cells, pane->sure_x, y, label_room(pane->sure_x, cells->width), ROLE_DIM, "%s, for %s",
                     sure, format_age(label_age_us(finding->since, now), age, sizeof age));
        y++;
    }
    lines = end - y < pane->lines_most ? end - y : pane->lines_most;
    lines = pane->brief && finding->severity == SEVERITY_INFO && lines > 1 ? 1 : lines;
    y += columns_wrap_put(cells, pane->text_x, y, pane->text_width, lines, note ? ROLE_DIM : ROLE_TEXT,
                          finding_evidence(finding, evidence, sizeof evidence));
    lines = end - y < pane->lines_most ? end - y : pane->lines_most;
    if (!note && finding->advice != NULL)
        y += columns_wrap_put(cells, pane->text_x, y, pane->text_width, lines, ROLE_ACCENT, finding->advice);
    return y > begin ? y : begin + 1;
}

void finding_pane_draw(struct cells *cells, int y, int rows, struct moment now,
                       const struct election *election, const char *only)
{
    struct pane pane = pane_of(cells, election, only);
    int end = y + rows;
    size_t left = 0;

    if (rows < 2)
        return;
    pane.brief = rows < pane_rows(cells, election, pane, only);
    while (pane.lines_most < cells->height) {
        struct pane more = pane;

        more.lines_most++;
        if (pane_rows(cells, election, more, only) > rows)
            break;
        pane = more;
    }
    cells_rule(cells, 0, y, cells->width, "findings");
    y++;
    for (size_t i = 0; i < election->finding_count; i++) {
        if (only != NULL && !finding_lines_names(election->findings[i], only))
            continue;
        if (y < end)
            y = finding_lines_put_finding(cells, &pane, y, end, now, election, election->findings[i]);
        else
            left++;
    }
    if (left > 0)
        cells_printf(cells, cells->width - 26, end - rows, 25, ROLE_DIM, " %zu more: %s shows all ", left,
                     key_first(ACTION_FINDINGS));
}
