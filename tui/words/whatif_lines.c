#include "tui/words/whatif_lines.h"

#include <stdio.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/election.h"
#include "tui/screen/columns.h"
#include "tui/screen/key_bindings.h"
#include "tui/words/chain_lines.h"
#include "tui/words/failover_facts.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define LEFT 1
#define LABEL_WIDTH 25

/* Pieces of a sentence, one after the other. They go on at left in the next row, before end. */
struct whatif_pen {
    struct cells *cells;
    int x, y, left, end;
};

static void whatif_lines_say(struct whatif_pen *pen, style look, const char *text)
{
    while (pen->y + 1 < pen->end && pen->x + cells_width(pen->cells, text) > pen->cells->width) {
        size_t length = columns_first_line(pen->cells, pen->cells->width - pen->x, text);

        if (length > 0 && text[length] != ' ' && pen->x > pen->left)
            length = 0; /* it has room as a whole, in the next row */
        cells_put_bytes(pen->cells, pen->x, pen->y, -1, look, text, length);
        text += length + strspn(text + length, " ");
        pen->x = pen->left;
        pen->y++;
    }
    if (pen->x < pen->cells->width)
        pen->x += cells_put(pen->cells, pen->x, pen->y, -1, look, text);
}

/* Shown only if all of it has room: a truncated sentence says less than a short one. */
static void say_more(struct whatif_pen *pen, style look, const char *text)
{
    if (pen->x + cells_width(pen->cells, text) <= pen->cells->width)
        whatif_lines_say(pen, look, text);
}

static void say_name(struct whatif_pen *pen, const struct candidate *candidate)
{
    char name[64];

    whatif_lines_say(pen, ROLE_STRONG, name_of_candidate(pen->cells, candidate->name, name, sizeof name));
}

/* Its number alone would send people to look for who that is. */
static void whatif_lines_say_candidate(struct whatif_pen *pen, const struct candidate *candidate)
{
    char session[256];
    const char *who = chain_who(candidate, session, sizeof session);
    int room = pen->cells->width - pen->x - 24;

    say_name(pen, candidate);
    whatif_lines_say(pen, ROLE_TEXT, " ");
    room = room < 12 ? 12 : room;
    if (who[0] != '?' && pen->x < pen->cells->width)
        pen->x += name_put(pen->cells, pen->x, pen->y, room, ROLE_DIM, who) + 1;
}

/* Others that are notified beside the successor. */
static void say_others(struct whatif_pen *pen, const struct departure *departure)
{
    char text[64];

    if (departure->other_count == 0) {
        if (departure->others_unknown)
            say_more(pen, ROLE_DIM, "; others: unknown");
        return;
    }
    whatif_lines_say(pen, ROLE_WARNING, departure->notified == ANSWER_YES ? "; also: " : "; instead: ");
    if (departure->others[0] == NULL) {
        snprintf(text, sizeof text, "%zu other%s", departure->other_count,
                 departure->other_count == 1 ? "" : "s");
        whatif_lines_say(pen, ROLE_WARNING, text);
        return;
    }
    say_name(pen, departure->others[0]);
    if (departure->other_count > 1) {
        snprintf(text, sizeof text, " and %zu more", departure->other_count - 1);
        whatif_lines_say(pen, ROLE_WARNING, text);
    }
}

/* Why the successor is not notified. */
static void say_unnotified(struct whatif_pen *pen, const struct departure *departure)
{
    const char *why = departure->why != NULL ? departure->why : "it is not notified";

    if (strncmp(why, "all watch", 9) == 0) { /* no notification is needed */
        whatif_lines_say(pen, ROLE_DIM, why);
        return;
    }
    if (departure->other_count > 0 || departure->others_unknown) {
        say_name(pen, departure->successor);
        whatif_lines_say(pen, ROLE_CRITICAL | STYLE_BOLD, " not notified: ");
        whatif_lines_say(pen, ROLE_TEXT, why);
        say_more(pen, ROLE_TEXT, departure->leads ? ", and does not lead" : ", and the chain ends there");
        say_others(pen, departure);
        return;
    }
    whatif_lines_say(pen, ROLE_CRITICAL | STYLE_BOLD, "no one is notified: ");
    say_name(pen, departure->successor);
    whatif_lines_say(pen, ROLE_TEXT, strncmp(why, "it ", 3) == 0 ? why + 2 : ": ");
    if (strncmp(why, "it ", 3) != 0)
        whatif_lines_say(pen, ROLE_TEXT, why);
    say_more(pen, ROLE_TEXT, departure->leads ? ", and no one leads" : ", and the chain ends there");
}

/* The one that should go has no session whose end could take it away. */
static void say_stays(struct whatif_pen *pen, const struct election *election,
                      const struct departure *departure)
{
    bool roomy = pen->cells->width - pen->x > 80;

    whatif_lines_say(pen, ROLE_CRITICAL | STYLE_BOLD,
                     roomy ? "it stays forever (no session owns it)" : "no session");
    whatif_lines_say(pen, ROLE_TEXT, ": only a deletion ");
    if (departure->successor == NULL) {
        whatif_lines_say(pen, ROLE_TEXT, "removes it");
        return;
    }
    whatif_lines_say(pen, ROLE_TEXT, departure->leads ? "lets " : "moves ");
    say_name(pen, departure->successor);
    whatif_lines_say(pen, ROLE_TEXT,
                     !departure->leads             ? " up"
                     : election->kind == KIND_LOCK ? " hold it"
                                                   : " lead");
    if (departure->notified == ANSWER_NO)
        say_more(pen, ROLE_CRITICAL, ", which is not notified");
}

/* How long it took before: " (last time 1.24s, usually 1.1s)", as far as it is known. */
static void say_times(struct whatif_pen *pen, const struct election *election)
{
    char last[FORMAT_INTERVAL], usual[FORMAT_INTERVAL], text[2 * FORMAT_INTERVAL + 32];

    if (election_last_failover(election) == NULL ||
        !failover_facts_usual(pen->cells, election, FORMAT_INTERVAL, usual))
        return;
    failover_facts_last(pen->cells, election, FORMAT_INTERVAL, last);
    if (strcmp(last, "?") == 0)
        snprintf(text, sizeof text, " (usually %s)", usual);
    else if (strcmp(last, usual) == 0)
        snprintf(text, sizeof text, " (last time %s)", last);
    else
        snprintf(text, sizeof text, " (last time %s, usually %s)", last, usual);
    say_more(pen, ROLE_DIM, text);
}

/* before: the successor's predecessor by then; NULL: the candidate that goes leads by then. */
static void say_outcome(struct whatif_pen *pen, const struct election *election,
                        const struct departure *departure, const struct candidate *before)
{
    bool is_free = election->kind == KIND_LOCK || election_has_one_owner(election);
    if (departure->stays) {
        say_stays(pen, election, departure);
        return;
    }
    if (departure->held_by != NULL) {
        say_name(pen, departure->held_by);
        whatif_lines_say(pen, ROLE_TEXT, " still holds it");
        return;
    }
    if (departure->successor == NULL) {
        if (before == NULL && departure->notified == ANSWER_NO)
            whatif_lines_say(pen, ROLE_CRITICAL,
                             "all behind it belong to its own session: no one leads then");
        else if (before == NULL && election_is_tried(election))
            whatif_lines_say(pen, ROLE_TEXT,
                             "perhaps one of those that join and leave again: none is after it now");
        else if (before == NULL)
            whatif_lines_say(pen, is_free ? ROLE_TEXT : ROLE_CRITICAL,
                             is_free ? "it is free" : "no candidate is after it: no one leads then");
        else
            whatif_lines_say(pen, ROLE_DIM, "no candidate is after it: no notification is needed");
        return;
    }
    if (departure->notified == ANSWER_NO) {
        say_unnotified(pen, departure);
        return;
    }
    whatif_lines_say_candidate(pen, departure->successor);
    if (departure->successor_stays) {
        whatif_lines_say(pen, ROLE_TEXT, departure->leads ? "is first then" : "moves up");
        whatif_lines_say(pen, ROLE_CRITICAL, ": it has no session, so it stays forever");
        return;
    }
    if (departure->notified == ANSWER_UNKNOWN) {
        whatif_lines_say(pen, ROLE_TEXT, departure->leads ? "leads, if notified: " : "must be notified: ");
        whatif_lines_say(pen, ROLE_DIM,
                         departure->why != NULL ? departure->why : "its watches are not known");
        return;
    }
    if (departure->leads) {
        whatif_lines_say(pen, ROLE_TEXT,
                         election->kind == KIND_LOCK ? "notified, holds it" : "notified, leads");
    } else if (before != NULL) {
        whatif_lines_say(pen, ROLE_TEXT, "notified, then watches ");
        say_name(pen, before);
    }
    say_others(pen, departure);
    if (departure->leads)
        say_times(pen, election);
}

/* before: its predecessor by then, or NULL. Returns the rows used, at most rows. */
static int put_departure(struct cells *cells, int x, int y, int rows, const struct election *election,
                         const struct departure *departure, const struct candidate *before, const char *label)
{
    bool whole = departure->notified == ANSWER_YES && !departure->stays;
    bool unnotified = departure->successor != NULL && departure->notified == ANSWER_NO &&
                      departure->why != NULL && strncmp(departure->why, "all watch", 9) != 0;
    bool broken = unnotified || departure->stays || departure->successor_stays;
    bool alone = departure->successor == NULL && before == NULL && election->kind != KIND_LOCK;
    enum sign sign = whole                                                              ? SIGN_CHECK
                     : alone                                                            ? SIGN_WARNING
                     : broken                                                           ? SIGN_CRITICAL
                     : departure->successor == NULL || departure->notified == ANSWER_NO ? SIGN_INFO
                                                                                        : SIGN_UNKNOWN;
    style look = whole ? ROLE_GOOD : broken ? ROLE_CRITICAL : alone ? ROLE_WARNING : ROLE_DIM;
    struct whatif_pen pen = {cells, x, y, x + 2 + LABEL_WIDTH, y + rows};

    if (label_stale(election)) { /* so it was; the present state is unknown */
        sign = SIGN_UNKNOWN;
        look = ROLE_DIM;
    }
    whatif_lines_say(&pen, look, cells_sign(cells, sign));
    pen.x = x + 2;
    cells_put(cells, pen.x, y, LABEL_WIDTH - 1, ROLE_DIM, label);
    pen.x += LABEL_WIDTH;
    say_outcome(&pen, election, departure, before);
    return pen.y - y + 1;
}

/* The first candidate after the leader whose notification is unknown; NULL: there is none. */
static const struct candidate *first_unknown(const struct election *election)
{
    const char *why;

    for (size_t i = shared_lock_holders(election); i < election->candidate_count; i++)
        if (whatif_notified(election->candidates[i], &why) == ANSWER_UNKNOWN)
            return election->candidates[i];
    return NULL;
}

void whatif_put_holder(struct cells *cells, int x, int y, const struct election *election)
{
    struct whatif_pen pen = {cells, x, y, x, y + 1};
    size_t notified = whatif_lock_notified(election);
    bool complete = chain_watches_complete(election->cluster),
         nobody = whatif_next(election).notified == ANSWER_NO; /* not: they may watch what no server shows */
    char text[96];

    whatif_lines_say(&pen, ROLE_DIM, "If its holder leaves now ");
    whatif_lines_say(&pen, ROLE_TEXT, "the first to create it");
    if (nobody)
        snprintf(text, sizeof text, "; no one else watches it");
    else if (notified == 0)
        snprintf(text, sizeof text, "; who watches it is not known");
    else
        snprintf(text, sizeof text, "; watched by %s%zu", complete ? "" : "at least ", notified);
    whatif_lines_say(&pen, nobody ? ROLE_WARNING : ROLE_DIM, text);
}

int whatif_put_line(struct cells *cells, int x, int y, int rows, const struct election *election)
{
    struct next_failover next = {.chain = CHAIN_UNKNOWN};
    struct whatif_pen pen = {cells, x, y, x + 2 + LABEL_WIDTH, y + rows};
    char label[128], name[64];
    const struct candidate *unknown;
    const char *why;

    if (election->candidate_count < 3)
        return 0;
    /* Where the line is cut something is found,
       so most lines of which not all is known need not be walked. */
    unknown = first_unknown(election);
    if (unknown == NULL || (election->finding_count > 0 && election->findings[0]->severity >= SEVERITY_ERROR))
        next = whatif_next(election);
    if (next.chain == CHAIN_BROKEN && next.broken_at != NULL && next.broken_at != next.successor) {
        const struct candidate *before = election_predecessor(election, next.broken_at);
        struct departure departure = whatif_goes(election, before);

        snprintf(label, sizeof label, "If %s leaves",
                 name_of_candidate(cells, before->name, name, sizeof name));
        return put_departure(cells, x, y, rows, election, &departure, election_predecessor(election, before),
                             label);
    }
    if (next.chain == CHAIN_COMPLETE) {
        bool stale = label_stale(election);

        whatif_lines_say(&pen, stale ? ROLE_DIM : ROLE_GOOD,
                         cells_sign(cells, stale ? SIGN_UNKNOWN : SIGN_CHECK));
        pen.x = x + 2;
        whatif_lines_say(&pen, ROLE_DIM, "The line after it ");
        pen.x = x + 2 + LABEL_WIDTH;
        whatif_lines_say(&pen, ROLE_TEXT, "is intact: each successor is notified");
        return 1;
    }
    if (next.chain == CHAIN_BROKEN || unknown == NULL)
        return 0;
    whatif_lines_say(&pen, ROLE_DIM, cells_sign(cells, SIGN_UNKNOWN));
    pen.x = x + 2;
    whatif_lines_say(&pen, ROLE_DIM, "The line after it ");
    pen.x = x + 2 + LABEL_WIDTH;
    whatif_lines_say(&pen, ROLE_TEXT, "may stop at ");
    say_name(&pen, unknown);
    whatif_notified(unknown, &why);
    if (pen.x + 2 + cells_width(cells, why) <= cells->width) { /* the line above it says why, too */
        whatif_lines_say(&pen, ROLE_TEXT, ": ");
        whatif_lines_say(&pen, ROLE_DIM, why);
    }
    return pen.y - y + 1;
}

int whatif_put_leader(struct cells *cells, int x, int y, int rows, const struct election *election)
{
    struct departure departure;

    if (election->candidate_count == 0)
        return 0;
    departure = whatif_goes(election, election->candidates[0]);
    return put_departure(cells, x, y, rows, election, &departure, NULL,
                         election->kind == KIND_LOCK ? "If its holder leaves now"
                         : election->leader == NULL || label_only_first(election)
                             ? "If the first leaves now"
                             : "If the leader leaves now");
}

/* How soon anybody can notice. */
static void put_noticed(struct cells *cells, int x, int y, const struct candidate *goes)
{
    const struct client_session *session = candidate_client(goes);
    struct whatif_pen pen = {cells, x, y, x, y + 1};
    struct moment latest =
        session != NULL ? client_expires(goes->election->cluster, session) : (struct moment){0, 0};
    char text[64];

    if (candidate_stays(goes)) {
        whatif_lines_say(&pen, ROLE_DIM, "it stays until a client deletes it");
        return;
    }
    whatif_lines_say(&pen, ROLE_DIM, "deleted at once when its session is closed; ");
    if (session == NULL || session->timeout_ms <= 0) {
        whatif_lines_say(&pen, ROLE_DIM, "after its session timeout when its client dies");
        return;
    }
    whatif_lines_say(&pen, ROLE_DIM, "within ");
    whatif_lines_say(&pen, ROLE_TEXT,
                     format_span(client_expiry_us(goes->election->cluster, session), text, sizeof text));
    whatif_lines_say(&pen, ROLE_DIM, " when its client dies");
    if (latest.wall_us > 0 && pen.x + 28 <= cells->width) {
        whatif_lines_say(&pen, ROLE_DIM, ", by ");
        whatif_lines_say(&pen, ROLE_TEXT, format_clock(latest.wall_us, text, sizeof text));
    }
}

void whatif_pane_draw(struct cells *cells, int y, int rows, const struct election *election,
                      const struct candidate *goes)
{
    int end = y + rows;
    size_t at;
    char label[128], name[64];

    if (rows < 2 || goes == NULL)
        return;
    name_of_candidate(cells, goes->name, name, sizeof name);
    snprintf(label, sizeof label, "what if %s leaves? %s ends this; you can select another candidate", name,
             key_first(ACTION_WHAT_IF));
    cells_rule(cells, 0, y++, cells->width, label);
    if (rows > 4)
        put_noticed(cells, LEFT + 2, y++, goes);
    at = election_position(election, goes);
    for (size_t i = at; i < election->candidate_count && y < end; i++) {
        struct departure departure = whatif_goes(election, election->candidates[i]);

        if (y + 1 == end && i + 1 < election->candidate_count && departure.notified != ANSWER_NO) {
            cells_printf(cells, LEFT + 2, y, -1, ROLE_DIM, "%s and so on, for %zu more",
                         cells_sign(cells, SIGN_ELLIPSIS), election->candidate_count - i);
            return;
        }
        name_of_candidate(cells, election->candidates[i]->name, name, sizeof name);
        snprintf(label, sizeof label, i == at ? "When %s leaves" : "then %s leaves", name);
        /* All before it are gone by then: the one that is notified leads. */
        departure.leads = departure.successor != NULL && (departure.leads || at == 0);
        y += put_departure(cells, LEFT, y, end - y, election, &departure,
                           at > 0 ? election->candidates[at - 1] : NULL, label);
        if (departure.notified == ANSWER_NO && departure.successor != NULL)
            return;
    }
}
