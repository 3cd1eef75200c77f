#include "tui/output/snapshot_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probe/election/chain.h"
#include "probe/election/model.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"
#include "tui/output/line_printer.h"
#include "tui/words/chain_lines.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"
#include "tui/words/whatif_lines.h"

/*
 * One election of a snapshot as text: its leader, problems and next failover in
 * sentences, and its candidates as a table.
 *
 * Of a crowd that was not named on the command line only the first ones.
 */

#define NAME_SIZE 1024
/* Columns of a name that are shown even where the terminal has no room for all of it. */
#define NAME_LEAST 12
/* Of a terminal: below, names are cut to what people say of them. */
#define ROOMY 150
#define MOMENT_US 1000000
/* The number of candidates that are shown of a discovered election with more than CROWD. */
#define CROWD 30
#define CROWD_SHOWN 20

/* Local date and time: a snapshot may be read much later than the day it was taken. */
static const char *date_of(int64_t wall_us, char *buffer, size_t size)
{
    time_t seconds = (time_t)(wall_us / 1000000);
    struct tm tm;
    if (wall_us <= 0 || !localtime_r(&seconds, &tm) || !strftime(buffer, size, "%Y-%m-%d %H:%M:%S", &tm))
        return "?";
    return buffer;
}

static const char *acknowledged_text(const struct election *election)
{
    switch (election->acknowledged) {
    case ACK_YES:
        return "acknowledged";
    case ACK_NO:
        return label_acknowledged_before(election) ? "no longer acknowledged" : "not acknowledged yet";
    case ACK_UNKNOWN:
        return "acknowledgement unknown";
    case ACK_NOT_USED:
        break;
    }
    return label_takeover_unseen(election);
}

/* Who leads, and for how long that can be said: a sentence, where a table has only a word. */
static int put_tenure(struct printer *printer, const struct election *election, struct moment now)
{
    const struct candidate *leader = election->leader;
    bool exact = election->leader_since_exact;
    const char *word = label_leads(election);
    const char *did = election->kind == KIND_LOCK  ? "held it"
                      : strcmp(word, "leads") == 0 ? "led"
                                                   : "been first";
    int64_t since_us = election->leader_since.wall_us;
    char age[32], date[32], text[32];
    int x = 2;
    if (leader->denied) {
        x = printer_put(printer, x, ROLE_TEXT, leader->name);
        x = printer_put(printer, printer_put(printer, x, ROLE_TEXT, " "), ROLE_TEXT, word);
        return printer_put(printer, x, ROLE_WARNING, "; who and since when: permission denied (ACL)");
    }
    x += label_put_leader(printer->row, x, 0, -1, election, now, NULL);
    bool at_most = since_us != 0 && !exact;
    snprintf(text, sizeof text, " %s%s%s", at_most ? "has " : "", at_most ? did : word,
             since_us == 0 ? ""
             : exact       ? " for "
                           : " for at most ");
    x = printer_put(printer, x, ROLE_TEXT, text);
    if (since_us == 0)
        return printer_put(printer, x, ROLE_DIM, "; it is not known since when");
    format_age_as(label_age_us(election->leader_since, label_as_of(election, now)), exact ? 0 : AGE_AT_MOST,
                  age, sizeof age);
    x = printer_put(printer, x, ROLE_TEXT, age);
    x = printer_put(printer, x, ROLE_DIM,
                    exact                                    ? ", since "
                    : since_us == summary_created_us(leader) ? " (created "
                                                             : " (not before ");
    x = printer_put(printer, x, ROLE_DIM, date_of(since_us, date, sizeof date));
    return exact ? x : printer_put(printer, x, ROLE_DIM, ")");
}

static void print_leader(struct printer *printer, const struct election *election, struct moment now)
{
    char date[32];
    const char *acknowledged = acknowledged_text(election);
    int x = put_tenure(printer, election, now);
    int64_t since_us = label_acknowledged_age_us(election, now);
    if (acknowledged)
        x = printer_put(printer, printer_put_bullet(printer, x),
                        election->acknowledged == ACK_YES        ? ROLE_TEXT
                        : election->acknowledged == ACK_NOT_USED ? ROLE_DIM
                                                                 : ROLE_WARNING,
                        acknowledged);
    if (since_us >= 0) {
        x = printer_put(printer, x, ROLE_TEXT, " ");
        x = printer_put(printer, x, ROLE_TEXT, format_age(since_us, date, sizeof date));
        printer_put(printer, x, ROLE_TEXT, " ago");
    }
    printer_prose(printer);
    if (label_stale(election)) {
        x = printer_put(printer, 2, ROLE_WARNING, "this was last seen at ");
        printer_put(printer, x, ROLE_WARNING, date_of(election->stale_since.wall_us, date, sizeof date));
        printer_prose(printer);
    }
}

static const char *snapshot_election_why_unknown(const struct election *election)
{
    if (election->problem)
        return election->problem;
    return election->cluster->connection == CONNECTION_CONNECTED ? "the servers did not answer in time"
                                                                 : "its cluster is not connected";
}

static void print_nobody(struct printer *printer, const struct election *election, struct moment now)
{
    char age[32], text[64];
    bool lock = election->kind == KIND_LOCK;
    int64_t stood_us = label_vacant_us(election, now);
    int x;
    switch (election->state) {
    case ELECTION_VACANT:
        if (election->recipe == NULL && election_problem(election, text, sizeof text)) {
            printer_put(printer, 2, ROLE_WARNING, text);
            break;
        }
        x = printer_put(printer, 2, lock ? ROLE_TEXT : ROLE_CRITICAL, lock ? "free" : "no candidate");
        /* A first snapshot: nothing was watched yet that could be counted. */
        if (!election->state_since_exact && stood_us < MOMENT_US) {
            printer_put(printer, x, ROLE_DIM, "; it is not known since when");
            break;
        }
        x = printer_put(printer, x, ROLE_TEXT, election->state_since_exact ? " for " : ", for at least ");
        printer_put(printer, x, ROLE_TEXT, format_age(stood_us, age, sizeof age));
        break;
    case ELECTION_ABSENT:
        printer_put(printer, 2, ROLE_TEXT,
                    "this path does not exist; electop discover lists those that look like elections");
        break;
    case ELECTION_ELECTING:
        printer_put(printer, 2, ROLE_WARNING, election_problem(election, text, sizeof text));
        break;
    case ELECTION_DENIED:
        x = printer_put(printer, 2, ROLE_WARNING, snapshot_election_why_unknown(election));
        printer_put(printer, x, ROLE_DIM, "; use others with --auth-file");
        break;
    case ELECTION_UNKNOWN:
    case ELECTION_LED:
        printer_put(printer, 2, ROLE_WARNING, snapshot_election_why_unknown(election));
        break;
    }
    printer_prose(printer);
}

/* The former leader, how it was lost, and why it has no successor. */
static void print_lost(struct printer *printer, const struct election *election, struct moment now)
{
    char why[VACANCY_TEXT], local[VACANCY_TEXT];
    if (!*vacancy_describe(election, now, why))
        return;
    printer_put(printer, 2, ROLE_TEXT, format_local_times(why, now.wall_us, local, sizeof local));
    printer_prose(printer);
}

static void print_facts(struct printer *printer, const struct election *election)
{
    char text[64];
    int x = printer_put(printer, 2, ROLE_DIM,
                        election->recipe ? election->recipe->title : "recipe not recognised");
    if (election->recipe) {
        snprintf(text, sizeof text, " (%s)", label_recognised(election->recognised));
        x = printer_put(printer, x, ROLE_DIM, text);
    }
    x = printer_put_bullet(printer, x);
    x = printer_put(printer, x, ROLE_DIM, election->kind == KIND_LOCK ? "lock" : "must have a leader");
    if (summary_has_list(election)) {
        snprintf(text, sizeof text, "%zu candidate%s", election->candidate_count,
                 election->candidate_count == 1 ? "" : "s");
        x = printer_put(printer, printer_put_bullet(printer, x), ROLE_DIM, text);
    }
    if (election->next_sequence >= 0) {
        snprintf(text, sizeof text, "next number %" PRId64, election->next_sequence);
        printer_put(printer, printer_put_bullet(printer, x), ROLE_DIM, text);
    }
    printer_prose(printer);
}

static void print_foreign(struct printer *printer, const struct election *election)
{
    size_t kept = election->foreign_count < FOREIGN_KEPT ? election->foreign_count : FOREIGN_KEPT;
    char text[64];
    if (!election->foreign_count)
        return;
    snprintf(text, sizeof text, "%zu other %s: ", election->foreign_count,
             election->foreign_count == 1 ? "child is not a candidate" : "children are not candidates");
    int x = printer_put(printer, 2, ROLE_DIM, text);
    for (size_t i = 0; i < kept; i++) {
        if (i)
            x = printer_put(printer, x, ROLE_DIM, ", ");
        x = printer_put(printer, x, ROLE_TEXT, election->foreign[i]);
    }
    if (kept < election->foreign_count)
        printer_put(printer, x, ROLE_DIM, ", ...");
    printer_prose(printer);
}

enum {
    CAND_SIGN,
    CAND_NUMBER,
    CAND_NAME,
    CAND_WHO,
    CAND_SESSION,
    CAND_AGE,
    CAND_ON,
    CAND_HEARD,
    CAND_WATCHES,
    CAND_COLUMNS
};

static const char *age_of(const struct candidate *candidate, struct moment now, char *buffer, size_t size)
{
    int64_t created_us = summary_created_us(candidate);
    return created_us ? format_age(now.wall_us - created_us, buffer, size) : "?";
}

static void print_candidate(struct printer *printer, const struct column *columns,
                            const struct names names[2], const struct election *election, size_t i,
                            struct moment now)
{
    const struct candidate *candidate = election->candidates[i];
    bool leads = candidate == election->leader;
    char text[NAME_SIZE];
    chain_put_gutter(printer->row, columns[CAND_SIGN].x, 0, election, candidate);
    snprintf(text, sizeof text, "%zu", i + 1);
    columns_put(printer->row, &columns[CAND_NUMBER], 0, ROLE_DIM, text);
    names_put(printer->row, &names[0], &columns[CAND_NAME], 0, leads ? ROLE_STRONG : ROLE_TEXT,
              candidate->name);
    names_put(printer->row, &names[1], &columns[CAND_WHO], 0, ROLE_TEXT,
              chain_who(candidate, text, sizeof text));
    columns_put(printer->row, &columns[CAND_SESSION], 0, ROLE_TEXT,
                label_session(candidate, text, sizeof text));
    columns_put(printer->row, &columns[CAND_AGE], 0, ROLE_TEXT, age_of(candidate, now, text, sizeof text));
    style look = chain_server_text(printer->row, election, candidate, text, sizeof text);
    columns_put(printer->row, &columns[CAND_ON], 0, look, text);
    chain_put_heard(printer->row, columns[CAND_HEARD].x, 0, columns[CAND_HEARD].width, election, candidate);
    look = chain_watch_text(printer->row, election, candidate, text, sizeof text);
    columns_put(printer->row, &columns[CAND_WATCHES], 0, look, text);
    printer_line(printer);
}

/* Thousands of lines answer no question that was not asked. */
static size_t candidates_shown(const struct printer *printer, const struct election *election)
{
    bool named = printer->style.named && election->origin == ORIGIN_CONFIGURED;
    return named || election->candidate_count <= CROWD ? election->candidate_count : CROWD_SHOWN;
}

static void print_candidates(struct printer *printer, const struct election *election, struct moment now)
{
    struct column columns[CAND_COLUMNS] = {
        [CAND_SIGN] = {.heading = "", .least = 1, .most = 1, .importance = 7},
        [CAND_NUMBER] = {.heading = "#", .least = 3, .most = 8, .importance = 6, .right = true},
        [CAND_NAME] = {.heading = "CANDIDATE", .least = NAME_LEAST, .most = INT_MAX, .importance = 5},
        [CAND_WHO] = {.heading = "WHO", .least = 10, .most = INT_MAX, .importance = 4},
        [CAND_SESSION] = {.heading = "SESSION", .least = 18, .most = 18, .importance = 2},
        [CAND_AGE] = {.heading = "AGE", .least = 6, .most = 6, .importance = 3, .right = true},
        [CAND_ON] = {.heading = "ON", .least = 3, .most = 24, .importance = 3},
        [CAND_HEARD] = {.heading = "HEARD", .least = HEARD_LEAST, .most = HEARD_LEAST, .importance = 3},
        [CAND_WATCHES] = {.heading = "WATCHES", .least = 12, .most = INT_MAX, .importance = 4},
    };
    struct names names[2] = {{.candidates = true, .keep_shared = true}, {.keep_shared = true}};
    char text[NAME_SIZE];
    size_t shown = candidates_shown(printer, election);
    for (size_t count = shown, digits = 1; count > 0; count /= 10)
        columns_want(&columns[CAND_NUMBER], (int)digits++);
    for (size_t i = 0; i < shown; i++) {
        const char *name = election->candidates[i]->name;
        names_add(&names[0], name);
        names_add(&names[1], chain_who(election->candidates[i], text, sizeof text));
        if (printer->style.width > 0 && printer->style.width < ROOMY &&
            election->candidates[i]->sequence != SEQUENCE_NONE &&
            printer_text_width(printer, name) > NAME_LEAST)
            name = name_of_candidate(printer->row, name, text, sizeof text);
        columns_want(&columns[CAND_NAME], printer_text_width(printer, name));
        columns_want(&columns[CAND_WHO],
                     printer_text_width(printer, chain_who(election->candidates[i], text, sizeof text)));
        chain_server_text(printer->row, election, election->candidates[i], text, sizeof text);
        columns_want(&columns[CAND_ON], printer_text_width(printer, text));
        chain_watch_text(printer->row, election, election->candidates[i], text, sizeof text);
        columns_want(&columns[CAND_WATCHES], printer_text_width(printer, text));
    }
    /* Half an address, or half a port, would be another one. */
    columns_keep(&columns[CAND_ON], 3, 9);
    printer_table_begin(printer, columns, CAND_COLUMNS, 0);
    for (int k = 0; k < 2; k++)
        names_fit(&names[k], printer->row, columns[CAND_NAME + k].width);
    for (size_t i = 0; i < shown; i++)
        print_candidate(printer, columns, names, election, i, now);
    for (int k = 0; k < 2; k++)
        names_free(&names[k]);
    if (shown < election->candidate_count) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM, "%s %zu more (name the path to see all)",
                     cells_sign(printer->row, SIGN_ELLIPSIS), election->candidate_count - shown);
        printer_prose(printer);
    }
    printer_width(printer, PRINTER_WIDTH);
}

/* Who registered beside the lock; thousands of lines answer no question that was not asked. */
static void print_members(struct printer *printer, const struct election *election)
{
    enum { MEMBER_NAME, MEMBER_WHO, MEMBER_STATE, MEMBER_ABOUT, MEMBER_SESSION, MEMBER_COLUMNS };
    struct column columns[MEMBER_COLUMNS] = {
        [MEMBER_NAME] = {.heading = "MEMBER", .least = NAME_LEAST, .most = INT_MAX, .importance = 5},
        [MEMBER_WHO] = {.heading = "WHO", .least = 10, .most = INT_MAX, .importance = 4},
        [MEMBER_STATE] = {.heading = "STATE", .least = 18, .most = 18, .importance = 3},
        [MEMBER_ABOUT] = {.heading = "ABOUT ITSELF", .least = 12, .most = INT_MAX, .importance = 2},
        [MEMBER_SESSION] = {.heading = "SESSION", .least = 18, .most = 18, .importance = 1},
    };
    size_t all = election->listed_member_count, shown = all > CROWD ? CROWD_SHOWN : all;
    if (all == 0)
        return;
    for (size_t i = 0; i < shown; i++) {
        const struct member *member = &election->listed_members[i];
        columns_want(&columns[MEMBER_NAME], printer_text_width(printer, member->name));
        if (member->identity)
            columns_want(&columns[MEMBER_WHO], printer_text_width(printer, member->identity));
        if (member->about)
            columns_want(&columns[MEMBER_ABOUT], printer_text_width(printer, member->about));
    }
    printer_table_begin(printer, columns, MEMBER_COLUMNS, 0);
    for (size_t i = 0; i < shown; i++) {
        const struct member *member = &election->listed_members[i];
        struct member_word word = label_member(election, member);
        char session[32] = "?";
        if (member->session)
            snprintf(session, sizeof session, "0x%" PRIx64, member->session);
        name_put_in(printer->row, &columns[MEMBER_NAME], 0, ROLE_TEXT, member->name);
        name_put_in(printer->row, &columns[MEMBER_WHO], 0, ROLE_TEXT,
                    member->identity ? member->identity : "?");
        columns_put(printer->row, &columns[MEMBER_STATE], 0, word.look, word.text);
        name_put_in(printer->row, &columns[MEMBER_ABOUT], 0, ROLE_TEXT,
                    member->about ? member->about : cells_sign(printer->row, SIGN_DASH));
        columns_put(printer->row, &columns[MEMBER_SESSION], 0, ROLE_TEXT, session);
        printer_line(printer);
    }
    if (shown < all) {
        cells_printf(printer->row, 2, 0, -1, ROLE_DIM, "%s %zu more", cells_sign(printer->row, SIGN_ELLIPSIS),
                     all - shown);
        printer_prose(printer);
    }
    printer_width(printer, PRINTER_WIDTH);
}

/* The course of the next failover, and where it stops. */
static void print_next(struct printer *printer, const struct election *election)
{
    if (!election->candidate_count)
        return;
    if (election->recipe && election->recipe->family == FAMILY_LOCK) {
        whatif_put_holder(printer->row, 4, 0, election);
        printer_prose(printer);
        return;
    }
    if (whatif_put_leader(printer->row, 2, 0, 1, election))
        printer_prose(printer);
    if (whatif_put_line(printer->row, 2, 0, 1, election))
        printer_prose(printer);
}

static void snapshot_election_print_findings(struct printer *printer, const struct election *election,
                                             struct moment now)
{
    char text[96], date[32];
    for (size_t i = 0; i < election->finding_count; i++) {
        const struct finding *finding = election->findings[i];
        style look = severity_look(finding->severity);
        int x = printer_put_sign(printer, 2, look, severity_sign(finding->severity));
        x = printer_put(printer, x, look, finding_kind(finding->code)->word) + TABLE_GAP;
        if (finding->candidate_count)
            x = printer_put(printer, x, ROLE_TEXT, finding->candidates[0]) + TABLE_GAP;
        snprintf(text, sizeof text, "%s, ", severity_word(finding->severity));
        x = printer_put(printer, x, ROLE_DIM, text);
        x = printer_put(printer, x, ROLE_DIM, finding_certainty(finding, now, text, sizeof text));
        x = printer_put(printer, x, ROLE_DIM, ", since ");
        printer_put(printer, x, ROLE_DIM, date_of(finding->since.wall_us, date, sizeof date));
        printer_prose(printer);
        printer_put(printer, 4, ROLE_TEXT, finding->evidence ? finding->evidence : "");
        printer_prose(printer);
        if (finding->advice) {
            printer_put(printer, printer_put_sign(printer, 4, ROLE_ACCENT, SIGN_ARROW), ROLE_ACCENT,
                        finding->advice);
            printer_prose(printer);
        }
    }
}

/* The facts that this snapshot leaves open, and how long one must poll to be certain. */
static void print_suspected(struct printer *printer, const struct election *election)
{
    const struct candidate *first = NULL;
    int64_t longest_us = 0;
    size_t count = 0;
    char text[160], span[32];
    for (size_t i = 0; i < election->candidate_count; i++) {
        int64_t after_us = chain_certain_after_us(election->candidates[i]);
        if (after_us == 0)
            continue;
        first = first ? first : election->candidates[i];
        count++;
        longest_us = after_us > longest_us ? after_us : longest_us;
    }
    if (!count)
        return;
    int64_t seconds = (longest_us + 999999) / 1000000;
    int x = printer_put(printer, printer_put_sign(printer, 2, ROLE_WARNING, SIGN_UNKNOWN), ROLE_TEXT,
                        first->name) +
            TABLE_GAP;
    if (count > 1)
        snprintf(text, sizeof text, "and %zu more: ", count - 1);
    x = printer_put(printer, x, ROLE_DIM, count > 1 ? text : "");
    snprintf(text, sizeof text,
             "suspected not to be notified; certain after %s without a request: --wait %" PRId64 "s",
             format_span(seconds * 1000000, span, sizeof span), seconds);
    printer_put(printer, x, ROLE_WARNING, text);
    printer_prose(printer);
}

/* When the leader's acknowledgement is overdue, and it is not known for how long it was missing before. */
static void print_overdue(struct printer *printer, const struct election *election)
{
    char text[160], span[32];
    if (!election->overdue_us || !election->leader)
        return;
    int64_t wait_us = election->overdue_us - election->unacknowledged_since.mono_us;
    int64_t seconds = wait_us < 0 ? 1 : wait_us / 1000000 + 1;
    int x = printer_put(printer, printer_put_sign(printer, 2, ROLE_WARNING, SIGN_UNKNOWN), ROLE_TEXT,
                        election->leader->name) +
            TABLE_GAP;
    snprintf(text, sizeof text,
             "has not acknowledged; it is not known since when, and too long after %s: --wait %" PRId64 "s",
             format_span(seconds * 1000000, span, sizeof span), seconds);
    printer_put(printer, x, ROLE_WARNING, text);
    printer_prose(printer);
}

static void snapshot_election_print(struct printer *printer, const struct election *election,
                                    struct moment now)
{
    struct badge badge = label_badge(election, now), worse = finding_badge(election, now);
    int x = printer_put_sign(printer, 0, worse.look, worse.sign);
    x = printer_put(printer, x, badge.look, badge.word) + TABLE_GAP;
    x = printer_put(printer, x, ROLE_STRONG, election->name) + TABLE_GAP;
    if (strcmp(election->name, summary_path(election)) != 0)
        printer_put(printer, x, ROLE_DIM, summary_path(election));
    printer_prose(printer);
    if (election->leader)
        print_leader(printer, election, now);
    else
        print_nobody(printer, election, now);
    print_lost(printer, election, now);
    print_facts(printer, election);
    print_foreign(printer, election);
    print_next(printer, election);
    snapshot_election_print_findings(printer, election, now);
    print_suspected(printer, election);
    print_overdue(printer, election);
    if (election->candidate_count)
        print_candidates(printer, election, now);
    print_members(printer, election);
}

/* Columns of a name or an identity that are shown even where the terminal has no room for all of it. */
#define NAME_LEAST 12
/* Of a terminal: below, only each election shows the layout. */
#define NARROW 110

static void print_server(struct printer *printer, const struct cluster *cluster, const struct server *server,
                         int address_width)
{
    static const style roles[] = {
        [SERVER_SILENT] = ROLE_CRITICAL, [SERVER_ANSWERS] = ROLE_GOOD, [SERVER_NOT_ASKED] = ROLE_DIM};
    static const enum sign signs[] = {
        [SERVER_SILENT] = SIGN_CRITICAL, [SERVER_ANSWERS] = SIGN_OK, [SERVER_NOT_ASKED] = SIGN_UNKNOWN};
    enum server_reach reach = server_reach(cluster, server);
    char span[32], parts[64];
    bool ill = reach == SERVER_ANSWERS && server->problem;
    int x =
        printer_put_sign(printer, 2, ill ? ROLE_WARNING : roles[reach], ill ? SIGN_WARNING : signs[reach]);
    printer_put(printer, x, ROLE_TEXT, server->address);
    x += address_width + TABLE_GAP;
    if (reach == SERVER_NOT_ASKED || (server->unasked && reach == SERVER_ANSWERS)) {
        x = printer_put(printer, x, ROLE_DIM,
                        reach != SERVER_ANSWERS ? "not polled"
                        : cluster->session == 0 ? "captured"
                                                : "connected, not polled") +
            TABLE_GAP;
    } else if (reach == SERVER_ANSWERS) {
        printer_put(printer, x, ROLE_TEXT, label_mode(server));
        x += 10 + TABLE_GAP;
        if (server->answer_us >= 0)
            printer_put(printer, x, ROLE_DIM, format_span(server->answer_us, span, sizeof span));
        x += 6 + TABLE_GAP;
        if (server->version)
            x = printer_put(printer, x, ROLE_DIM, server->version) + TABLE_GAP;
    }
    if (server->problem)
        printer_put(printer, x, ROLE_WARNING, server->problem);
    else if (reach == SERVER_SILENT)
        printer_put(printer, x, ROLE_WARNING, "no answer");
    printer_prose(printer);
    unsigned reported = 0;
    const char *why;
    while (reach == SERVER_ANSWERS || (reach == SERVER_NOT_ASKED && !server->problem)) {
        if (!(why = label_hidden(server, &reported, parts, sizeof parts)))
            break;
        x = printer_put(printer, 4, ROLE_WARNING, parts);
        x = printer_put(printer, x, ROLE_WARNING, " unknown: ");
        printer_put(printer, x, ROLE_TEXT, why);
        printer_prose(printer);
    }
}

static void print_connection(struct printer *printer, const struct cluster *cluster)
{
    bool connected = cluster->connection == CONNECTION_CONNECTED;
    char quorum[SUMMARY_QUORUM_SIZE];
    const char *problem = summary_problem(cluster, quorum);
    int x = printer_put_sign(printer, 2, connected ? ROLE_GOOD : ROLE_CRITICAL,
                             connected ? SIGN_OK : SIGN_CRITICAL);
    x = printer_put(printer, x, ROLE_TEXT,
                    cluster_is_from_logs(cluster) && !problem
                        ? "read; they contain no watches and no connections"
                    : connected && cluster->session == 0 ? "read"
                                                         : label_connection(cluster->connection));
    if (connected && cluster->connected_to) {
        x = printer_put(printer, x, ROLE_TEXT, " to ");
        x = printer_put(printer, x, ROLE_TEXT, cluster->connected_to);
    }
    if (connected && cluster->session != 0) {
        char text[96], timeout[32];
        snprintf(text, sizeof text, "session 0x%" PRIx64 ", timeout %s", cluster->session,
                 cluster->timeout_ms > 0
                     ? format_span((int64_t)cluster->timeout_ms * 1000, timeout, sizeof timeout)
                     : "unknown");
        printer_put(printer, printer_put_bullet(printer, x), ROLE_DIM, text);
    } else if (!connected && problem) {
        printer_put(printer, printer_put(printer, x, ROLE_TEXT, ": "), ROLE_WARNING, problem);
    }
    printer_prose(printer);
    if (connected && problem) {
        bool in_part = cluster_shows(cluster);
        x = printer_put_sign(printer, 2, in_part ? ROLE_WARNING : ROLE_CRITICAL,
                             in_part ? SIGN_WARNING : SIGN_CRITICAL);
        printer_put(printer, x, ROLE_WARNING, problem);
        printer_prose(printer);
    }
}

/* Nothing is watched: no path is there that would match, or none was found. */
static void print_none(struct printer *printer, const struct cluster_settings *patterns)
{
    int x = 2;
    if (printer->style.filtered) {
        printer_put(printer, x, ROLE_DIM, "no election matches the filter");
        printer_prose(printer);
        return;
    }
    if (!patterns || !patterns->election_count) {
        printer_put(printer, x, ROLE_DIM,
                    "no election was found; name its path, as in: electop once /election");
        printer_prose(printer);
        return;
    }
    x = printer_put(printer, x, ROLE_WARNING, "nothing matches ");
    for (size_t i = 0; i < patterns->election_count; i++) {
        x = i ? printer_put(printer, x, ROLE_DIM, " or ") : x;
        x = printer_put(printer, x, ROLE_TEXT, patterns->elections[i].path);
    }
    printer_put(printer, x, ROLE_WARNING, " yet");
    printer_prose(printer);
}

static void print_cluster_head(struct printer *printer, const struct cluster *cluster,
                               const struct cluster_settings *patterns)
{
    int x = 0, address_width = 0;
    if (cluster->name && *cluster->name)
        x = printer_put(printer, 0, ROLE_STRONG, cluster->name) + TABLE_GAP;
    printer_put(printer, x, x ? ROLE_DIM : ROLE_STRONG, cluster->hosts);
    printer_prose(printer);
    print_connection(printer, cluster);
    for (size_t i = 0; i < cluster->server_count; i++) {
        int width = printer_text_width(printer, cluster->servers[i].address);
        address_width = width > address_width ? width : address_width;
    }
    for (size_t i = 0; i < cluster->server_count; i++)
        print_server(printer, cluster, &cluster->servers[i], address_width);
    if (!cluster->election_count && cluster->ever_connected && !cluster->problem)
        print_none(printer, patterns);
}

enum {
    SUM_STATE,
    SUM_ELECTION,
    SUM_LEADER,
    SUM_COUNT,
    SUM_SINCE,
    SUM_NEXT,
    SUM_FINDING,
    SUM_RECIPE,
    SUM_COLUMNS
};

static int leader_width(struct printer *printer, const struct election *election, struct moment now)
{
    int width = label_put_leader(printer->row, 0, 0, printer->row->width, election, now, NULL);
    cells_clear(printer->row);
    return width;
}

/* All elections of a cluster, a line each. */
static void print_summary(struct printer *printer, const struct cluster *cluster, struct moment now)
{
    struct column columns[SUM_COLUMNS] = {
        [SUM_STATE] = {.heading = "  STATE", .least = 10, .most = 24, .importance = 5},
        [SUM_ELECTION] = {.heading = "ELECTION", .least = NAME_LEAST, .most = INT_MAX, .importance = 4},
        [SUM_LEADER] = {.heading = "LEADER", .least = NAME_LEAST, .most = INT_MAX, .importance = 3},
        [SUM_COUNT] = {.heading = "CAND", .least = 5, .most = 10, .importance = 2, .right = true},
        [SUM_SINCE] = {.heading = "SINCE", .least = 7, .most = 8, .importance = 2, .right = true},
        [SUM_NEXT] = {.heading = "NEXT", .least = 9, .most = INT_MAX, .importance = 2},
        [SUM_FINDING] = {.heading = "FINDING", .least = 10, .most = INT_MAX, .importance = 3},
        [SUM_RECIPE] = {.heading = "RECIPE", .least = 10, .most = INT_MAX, .importance = 1},
    };
    char text[256];
    struct names names = {.keep_shared = true}, leaders = {.keep_shared = true};
    int finding = columns[SUM_FINDING].least;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        names_add(&names, election->name);
        if (election->leader != NULL)
            names_add(&leaders, label_who(election->leader, text, sizeof text));
        columns_want(&columns[SUM_STATE], 2 + printer_text_width(printer, label_badge(election, now).word));
        columns_want(&columns[SUM_ELECTION], printer_text_width(printer, election->name));
        columns_want(&columns[SUM_LEADER], leader_width(printer, election, now));
        columns_want(&columns[SUM_FINDING], finding_worst_width(printer->row, election, now, true));
        columns_want(&columns[SUM_NEXT],
                     2 + printer_text_width(printer, label_verdict(printer->row, election).text));
        int least = finding_worst_width(printer->row, election, now, false);
        finding = least > finding ? least : finding;
        columns_want(&columns[SUM_RECIPE],
                     election->recipe ? printer_text_width(printer, election->recipe->title) : 1);
    }
    /* A finding is not cut; each election below shows the layout. */
    columns[SUM_FINDING].least = finding;
    columns[SUM_RECIPE].hidden = printer->style.width > 0 && printer->style.width < NARROW;
    printer_table_begin(printer, columns, SUM_COLUMNS, 0);
    names_fit(&names, printer->row, columns[SUM_ELECTION].width);
    names_fit(&leaders, printer->row, columns[SUM_LEADER].width);
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct election *election = cluster->elections[i];
        struct badge badge = label_badge(election, now), worse = finding_badge(election, now);
        printer_put(printer, printer_put_sign(printer, columns[SUM_STATE].x, worse.look, worse.sign),
                    badge.look, badge.word);
        names_put(printer->row, &names, &columns[SUM_ELECTION], 0, ROLE_STRONG, election->name);
        if (columns[SUM_LEADER].width > 0)
            label_put_leader(printer->row, columns[SUM_LEADER].x, 0, columns[SUM_LEADER].width, election, now,
                             &leaders);
        if (summary_has_list(election))
            snprintf(text, sizeof text, "%zu", election->candidate_count);
        columns_put(printer->row, &columns[SUM_COUNT], 0, ROLE_TEXT, summary_has_list(election) ? text : "?");
        columns_put(printer->row, &columns[SUM_SINCE], 0, ROLE_TEXT,
                    label_since(printer->row, election, now, 0, text, sizeof text));
        label_put_verdict(printer->row, &columns[SUM_NEXT], 0, election);
        finding_put_worst(printer->row, columns[SUM_FINDING].x, 0, columns[SUM_FINDING].width, election, now);
        columns_put(printer->row, &columns[SUM_RECIPE], 0, ROLE_DIM,
                    election->recipe ? election->recipe->title : "?");
        printer_line(printer);
    }
    names_free(&names);
    names_free(&leaders);
    printer_width(printer, PRINTER_WIDTH);
}

static void print_cluster(struct printer *printer, const struct cluster *cluster,
                          const struct cluster_settings *patterns, struct moment now)
{
    print_cluster_head(printer, cluster, patterns);
    if (cluster->election_count > 1) {
        printer_prose(printer);
        print_summary(printer, cluster, now);
    }
    for (size_t i = 0; i < cluster->election_count; i++) {
        printer_prose(printer);
        snapshot_election_print(printer, cluster->elections[i], now);
    }
}

void snapshot_text_print(struct buffer *out, const struct model *model, struct moment now,
                         const struct print_style *how)
{
    struct printer printer;
    printer_begin(&printer, out, how);
    for (size_t i = 0; i < model->cluster_count; i++) {
        if (i)
            printer_line(&printer);
        const struct settings *settings = how->settings;
        print_cluster(&printer, &model->clusters[i],
                      settings && i < settings->cluster_count ? &settings->clusters[i] : NULL, now);
    }
    printer_end(&printer);
}
