#include "tui/words/labels.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "probe/election/acknowledgement.h"
#include "probe/election/chain.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"
#include "probe/election/whatif.h"
#include "tui/words/format.h"
#include "tui/words/mutes.h"
#include "tui/words/names.h"

#define DAY_US INT64_C(86400000000)

int64_t label_age_us(struct moment then, struct moment now)
{
    return then.mono_us && now.mono_us > then.mono_us ? now.mono_us - then.mono_us : 0;
}

enum outlook label_outlook(const struct election *election)
{
    const char *why;
    size_t holders = shared_lock_holders(election);

    if (election->state != ELECTION_LED || election->leader == NULL || label_stale(election) ||
        (election->recipe != NULL && election->recipe->family == FAMILY_LOCK))
        return OUTLOOK_NONE;
    if (election->leader->known && candidate_stays(election->leader)) /* unless its client ends it */
        return vacancy_stalls(election) ? OUTLOOK_STOPS : OUTLOOK_UNKNOWN;
    if (election_is_tried(election))
        return OUTLOOK_UNKNOWN;
    if (election->candidate_count <= holders)
        return holders > 1 || election_has_one_owner(election) ? OUTLOOK_NONE : OUTLOOK_ALONE;
    const struct candidate *heir = whatif_heir(election);
    switch (heir ? whatif_notified(heir, &why) : ANSWER_NO) {
    case ANSWER_YES:
        return OUTLOOK_WORKS;
    case ANSWER_NO:
        return OUTLOOK_STOPS;
    case ANSWER_UNKNOWN:
        break;
    }
    return OUTLOOK_UNKNOWN;
}

struct member_word label_member(const struct election *election, const struct member *member)
{
    if (label_stale(election))
        return (struct member_word){ROLE_DIM, "? stale"};
    if (member_leads(election, member) == ANSWER_YES)
        return (struct member_word){ROLE_GOOD, "leads"};
    switch (member_watches(election, member)) {
    case ANSWER_YES:
        return (struct member_word){ROLE_TEXT, "waits, watching it"};
    case ANSWER_NO:
        return (struct member_word){ROLE_DIM, "does not watch it"};
    case ANSWER_UNKNOWN:
        break;
    }
    return (struct member_word){ROLE_DIM, "? no watch shown"};
}

struct verdict label_lock_verdict(const struct election *election)
{
    if (election->state != ELECTION_LED || label_stale(election))
        return (struct verdict){OUTLOOK_NONE, SIGN_DASH, ROLE_DIM, "", ""};
    enum answer notified = whatif_next(election).notified;
    if (notified == ANSWER_YES)
        return (struct verdict){OUTLOOK_NONE, SIGN_INFO, ROLE_DIM, "waiters", "waiters notified"};
    if (notified == ANSWER_NO)
        return (struct verdict){OUTLOOK_NONE, SIGN_INFO, ROLE_DIM, "none", "no waiter"};
    return (struct verdict){OUTLOOK_NONE, SIGN_UNKNOWN, ROLE_DIM, "unknown", "unknown"};
}

struct verdict label_verdict(const struct cells *cells, const struct election *election)
{
    static const struct verdict verdicts[] = {
        [OUTLOOK_NONE] = {OUTLOOK_NONE, SIGN_DASH, ROLE_DIM, "", ""},
        [OUTLOOK_ALONE] = {OUTLOOK_ALONE, SIGN_DASH, ROLE_WARNING, "alone", "no successor"},
        [OUTLOOK_UNKNOWN] = {OUTLOOK_UNKNOWN, SIGN_UNKNOWN, ROLE_DIM, "unknown", "unknown"},
        [OUTLOOK_STOPS] = {OUTLOOK_STOPS, SIGN_CRITICAL, ROLE_CRITICAL, "stops", "stops"},
        [OUTLOOK_WORKS] = {OUTLOOK_WORKS, SIGN_CHECK, ROLE_GOOD, "works", "works"},
    };
    if (election->state == ELECTION_UNKNOWN) /* not: none */
        return (struct verdict){OUTLOOK_NONE, SIGN_UNKNOWN, ROLE_DIM, "", ""};
    if (election->recipe != NULL && election->recipe->family == FAMILY_LOCK)
        return label_lock_verdict(election);
    struct verdict verdict = verdicts[label_outlook(election)];
    if (verdict.outlook == OUTLOOK_STOPS) {
        bool stays = election->leader->known && candidate_stays(election->leader);
        const struct candidate *heir = whatif_heir(election);
        const char *at = stays ? election->leader->name : heir ? heir->name : election->candidates[1]->name;
        char name[40];
        snprintf(verdict.text, sizeof verdict.text, "stops at %s",
                 name_of_candidate(cells, at, name, sizeof name));
    }
    return verdict;
}

void label_put_verdict(struct cells *cells, const struct column *column, int y,
                       const struct election *election)
{
    struct verdict verdict = label_verdict(cells, election);
    int used;

    if (column->width == 0)
        return;
    used = cells_put(cells, column->x, y, 1, verdict.look, cells_sign(cells, verdict.sign)) + 1;
    bool fits = used + cells_width(cells, verdict.text) <= column->width;
    cells_put(cells, column->x + used, y, label_room(used, column->width),
              verdict.look == ROLE_GOOD ? (style)ROLE_DIM : verdict.look,
              fits ? verdict.text : verdict.brief);
}

bool label_stale(const struct election *election)
{
    bool connected = election->cluster == NULL || election->cluster->connection == CONNECTION_CONNECTED;

    if (election->fresh)
        return election->cluster != NULL && election->cluster->silent_since.mono_us != 0;
    return election->listed.mono_us != 0 || election->state == ELECTION_ABSENT ||
           (election->state == ELECTION_DENIED && !connected);
}

static struct moment labels_stale_since(const struct election *election)
{
    return election->fresh ? election->cluster->silent_since : election->stale_since;
}

struct moment label_as_of(const struct election *election, struct moment now)
{
    return label_stale(election) ? labels_stale_since(election) : now;
}

/* A recording may know the loss of an election that was found without a leader. */
int64_t label_vacant_us(const struct election *election, struct moment now)
{
    struct failover lost;
    now = label_as_of(election, now);
    bool known = !election->state_since_exact && !election->leader && vacancy_lost(election, now, &lost);
    int64_t found_us = label_age_us(election->state_since, now);
    return known && lost.vacancy.low_us > found_us ? lost.vacancy.low_us : found_us;
}

const char *const badge_words[BADGE_STATES] = {
    [BADGE_LED] = "led",         [BADGE_TAKING_OVER] = "taking over",  [BADGE_NO_ACK] = "no ack",
    [BADGE_STALLED] = "stalled", [BADGE_PERHAPS_STALLED] = "stalled?", [BADGE_VACANT] = "vacant",
    [BADGE_FREE] = "free",       [BADGE_ELECTING] = "electing",        [BADGE_ABSENT] = "absent",
    [BADGE_DENIED] = "denied",   [BADGE_VANISHED] = "vanished",        [BADGE_STALE] = "stale",
    [BADGE_UNKNOWN] = "unknown", [BADGE_UNPROVEN] = "unproven"};

static struct badge badge_of(enum badge_state state, enum sign sign, style look, int rank)
{
    struct badge badge = {.state = state, .sign = sign, .look = look, .rank = rank};

    snprintf(badge.word, sizeof badge.word, "%s", badge_words[state]);
    return badge;
}

/* Electing and taking over are a moment's states: only once they last do they count as trouble, and rows
   do not jump while an election is healthy. */
static bool within_allowance(const struct election *election, struct moment since, struct moment now)
{
    int64_t allowed_ms = election->settings != NULL ? election->settings->allow.failover_ms : 10000;

    return label_age_us(since, now) <= allowed_ms * 1000;
}

/* The finding for which an election that is led is called stalled, sure or not (vacancy_is_sure()); NULL: it is not.
 * To mute it silences a suspicion; what is sure stays true. */
static const struct finding *label_stall(const struct election *election, bool muted)
{
    const struct finding *doubt = vacancy_doubt(election);
    /* One that has not acknowledged may be about to; but not a leftover. */
    bool told = doubt != NULL && doubt->severity == SEVERITY_CRITICAL &&
                (election->acknowledged != ACK_NO || vacancy_stalls(election));

    return told && (!muted || vacancy_is_sure(doubt)) ? doubt : NULL;
}

bool label_only_first(const struct election *election)
{
    const struct finding *doubt = vacancy_doubt(election);

    return doubt != NULL &&
           (vacancy_is_sure(doubt) || vacancy_is_untaken(election) || election->acknowledged == ACK_NO);
}

bool label_names_first(const struct election *election, enum badge_state state)
{
    return state == BADGE_STALLED || state == BADGE_PERHAPS_STALLED || label_only_first(election);
}

const char *label_leads(const struct election *election)
{
    return election->kind == KIND_LOCK ? "holds it" : label_only_first(election) ? "is first" : "leads";
}

static struct badge badge_of_led(const struct election *election, struct moment now)
{
    const struct finding *first = vacancy_doubt(election);
    bool muted = first != NULL && mutes_of(election, first, now) != NULL;
    const struct finding *doubt = label_stall(election, muted);

    if (doubt != NULL && muted)
        return badge_of(BADGE_STALLED, SIGN_CRITICAL, ROLE_DIM, RANK_HEALTHY);
    if (doubt != NULL)
        return vacancy_is_sure(doubt) ? badge_of(BADGE_STALLED, SIGN_CRITICAL, ROLE_CRITICAL, 1)
                                      : badge_of(BADGE_PERHAPS_STALLED, SIGN_WARNING, ROLE_WARNING, 1);
    if (election->acknowledged == ACK_NO) {
        if (within_allowance(election, election->leader_since, now))
            return badge_of(BADGE_TAKING_OVER, SIGN_OK, ROLE_WARNING, RANK_HEALTHY);
        return badge_of(BADGE_NO_ACK, SIGN_WARNING, ROLE_WARNING, 6);
    }
    return badge_of(BADGE_LED, SIGN_OK, ROLE_GOOD, RANK_HEALTHY);
}

struct badge label_badge(const struct election *election, struct moment now)
{
    if (label_stale(election)) {
        struct badge badge = badge_of(BADGE_STALE, SIGN_UNKNOWN, ROLE_WARNING, 5);
        char age[16];

        snprintf(badge.word, sizeof badge.word, "%s %s", badge_words[BADGE_STALE],
                 format_age(label_age_us(labels_stale_since(election), now), age, sizeof age));
        return badge;
    }
    bool lines = election->state == ELECTION_LED || election->state == ELECTION_ELECTING ||
                 election->state == ELECTION_VACANT;
    if (lines && !election_is_proven(election))
        return badge_of(BADGE_UNPROVEN, SIGN_UNKNOWN, ROLE_DIM, RANK_HEALTHY);
    switch (election->state) {
    case ELECTION_LED:
        return badge_of_led(election, now);
    case ELECTION_ELECTING:
        if (within_allowance(election, election->state_since, now))
            return badge_of(BADGE_ELECTING, SIGN_WARNING, ROLE_WARNING, RANK_HEALTHY);
        return badge_of(BADGE_ELECTING, SIGN_WARNING, ROLE_WARNING, 1);
    case ELECTION_VACANT:
        if (election->kind == KIND_LOCK)
            return badge_of(BADGE_FREE, SIGN_OK, ROLE_DIM, RANK_HEALTHY);
        return badge_of(BADGE_VACANT, SIGN_CRITICAL, ROLE_CRITICAL, 0);
    case ELECTION_ABSENT:
        /* A lock's znode is its holder: where it is not there, the lock is free. */
        if (election->kind == KIND_LOCK && election->recipe != NULL &&
            election->recipe->family == FAMILY_LOCK)
            return badge_of(BADGE_FREE, SIGN_OK, ROLE_DIM, RANK_HEALTHY);
        if (election_vanished(election))
            return badge_of(BADGE_VANISHED, SIGN_INFO, ROLE_DIM, RANK_HEALTHY - 1);
        if (election_may_be_over(election))
            return badge_of(BADGE_ABSENT, SIGN_WARNING, ROLE_WARNING, 2);
        return badge_of(BADGE_ABSENT, SIGN_CRITICAL, ROLE_CRITICAL, 2);
    case ELECTION_DENIED:
        return badge_of(BADGE_DENIED, SIGN_WARNING, ROLE_WARNING, 3);
    case ELECTION_UNKNOWN:
        break;
    }
    return badge_of(BADGE_UNKNOWN, SIGN_UNKNOWN, ROLE_WARNING, 4);
}

struct badge label_badge_ageless(const struct election *election, struct moment now)
{
    struct badge badge = label_badge(election, now);

    snprintf(badge.word, sizeof badge.word, "%s", badge_words[badge.state]);
    return badge;
}

char *label_session(const struct candidate *candidate, char *buffer, size_t size)
{
    if (candidate->denied)
        snprintf(buffer, size, "? (ACL)");
    else if (!candidate->known)
        snprintf(buffer, size, "?");
    else if (candidate->stat.owner == 0)
        snprintf(buffer, size, "none");
    else
        snprintf(buffer, size, "0x%" PRIx64, candidate->stat.owner);
    return buffer;
}

bool label_candidate_path(const struct election *election, const char *path, const char *name, char *buffer,
                          size_t size)
{
    bool lock = election != NULL && election->recipe != NULL && election->recipe->family == FAMILY_LOCK;
    int length;

    if (name == NULL || lock)
        length = snprintf(buffer, size, "%s", path);
    else
        length = snprintf(buffer, size, "%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
    return length >= 0 && (size_t)length < size;
}

bool label_responsible(const struct settings *settings, const struct election *election, char *buffer,
                       size_t size)
{
    const struct election_settings *said =
        settings_of_path(settings, election->cluster->name, election->path);

    if (said == NULL || (said->owner == NULL && said->runbook == NULL))
        return false;
    snprintf(buffer, size, "%s%s%s%s%s", said->owner != NULL ? "owner: " : "",
             said->owner != NULL ? said->owner : "",
             said->owner != NULL && said->runbook != NULL ? "   " : "",
             said->runbook != NULL ? "runbook: " : "", said->runbook != NULL ? said->runbook : "");
    return true;
}

const char *label_who(const struct candidate *candidate, char *buffer, size_t size)
{
    return candidate->identity != NULL ? candidate->identity : label_session(candidate, buffer, size);
}

static int put_named_leader(struct cells *cells, int x, int y, int room, const struct election *election,
                            const struct names *names)
{
    const struct candidate *leader = election->leader;
    bool stale = label_stale(election);
    char session[64], name[64];
    const char *who = label_who(leader, session, sizeof session);
    int used, width;

    used = name_put(cells, x, y, room < 0 ? cells->width - x : room, stale ? ROLE_DIM : ROLE_TEXT,
                    names != NULL ? names_shown(names, who) : who);
    if (leader->sequence == SEQUENCE_NONE)
        return used;
    name_of_candidate(cells, leader->name, name, sizeof name);
    width = cells_width(cells, name);
    if (width > room - used - 1) /* a number that has no room is not cut: half a number is another number */
        return used;
    return used + 1 + cells_put(cells, x + used + 1, y, room - used - 1, ROLE_DIM, name);
}

const char *label_no_leader(const struct cells *cells, const struct election *election, struct moment now,
                            struct no_leader *none)
{
    const char *bound = election->state_since_exact ? "" : cells_sign(cells, SIGN_AT_LEAST);
    bool lock = election->kind == KIND_LOCK;
    char age[16];

    *none = (struct no_leader){.sign = SIGN_UNKNOWN, .look = ROLE_DIM};
    if (label_stale(election))
        return election->state == ELECTION_ABSENT   ? "absent then"
               : election->state == ELECTION_DENIED ? "denied then"
                                                    : "none then";
    format_age(label_vacant_us(election, now), age, sizeof age);
    switch (election->state) {
    case ELECTION_VACANT:
        none->sign = lock ? SIGN_DASH : SIGN_NONE;
        if (lock)
            return "none";
        none->look = ROLE_WARNING;
        if (election->recipe == NULL && election_problem(election, none->text, sizeof none->text) != NULL)
            return none->text;
        none->look = ROLE_CRITICAL;
        snprintf(none->text, sizeof none->text, "none for %s%s", bound, age);
        return none->text;
    case ELECTION_ELECTING:
        none->look = ROLE_WARNING;
        return "next in line";
    case ELECTION_ABSENT:
        none->sign = SIGN_DASH;
        if (lock && election->recipe != NULL && election->recipe->family == FAMILY_LOCK)
            return "none";
        if (!election_vanished(election)) {
            none->look = ROLE_TEXT;
            return "no such path";
        }
        none->sign = SIGN_NONE;
        snprintf(none->text, sizeof none->text, "vanished %s%s ago", bound, age);
        return none->text;
    case ELECTION_DENIED:
        return "permission denied";
    case ELECTION_LED:
    case ELECTION_UNKNOWN:
        break;
    }
    if (election->problem != NULL)
        return election->problem;
    return election->cluster != NULL && election->cluster->connection != CONNECTION_CONNECTED
               ? "not connected"
               : "not read yet";
}

int label_put_leader(struct cells *cells, int x, int y, int room, const struct election *election,
                     struct moment now, const struct names *names)
{
    struct no_leader none;
    const char *text;

    if (election->leader != NULL)
        return put_named_leader(cells, x, y, room, election, names);
    text = label_no_leader(cells, election, now, &none);
    if (none.sign != SIGN_NONE)
        return cells_printf(cells, x, y, room, none.look, "%s %s", cells_sign(cells, none.sign), text);
    /* For how long matters more than the word, and is not cut. */
    if (room >= 0 && strncmp(text, "none for ", 9) == 0 && cells_width(cells, text) > room) {
        memmove(none.text + 5, none.text + 9, strlen(none.text + 9) + 1);
        text = cells_width(cells, none.text) > room ? none.text + 5 : none.text;
    }
    return cells_put(cells, x, y, room, none.look, text);
}

int label_room(int x, int end)
{
    return end > x ? end - x : 0;
}

void label_put_title(struct cells *cells, int x, int room, const char *title, const char *more)
{
    int used = cells_put(cells, x, 0, room, ROLE_TITLE, title) + 2;

    if (more != NULL && room > used)
        name_put(cells, x + used, 0, room - used, ROLE_TITLE_DIM, more);
}

/* Which of all that are watched. */
static int put_election(struct cells *cells, int x, int room, style look, const struct model *model,
                        const char *election)
{
    struct names names = {.keep_shared = true, .among = model};

    names_add(&names, election);
    names_fit(&names, cells, room);
    int used = cells_put(cells, x, 0, room, look, names_shown(&names, election));
    names_free(&names);
    return used;
}

int label_put_crumbs(struct cells *cells, int x, int room, const struct model *model, const char *cluster,
                     const char *election, const char *candidate)
{
    int begin = x, end = x + room;
    char name[256];

    if (cluster[0] != '\0') {
        x += cells_put(cells, x, 0, label_room(x, end) / 3, ROLE_TITLE_DIM, cluster) + 1;
        x += cells_put(cells, x, 0, label_room(x, end), ROLE_TITLE_DIM, cells_sign(cells, SIGN_CRUMB)) + 1;
    }
    if (candidate == NULL)
        return x + put_election(cells, x, label_room(x, end), ROLE_TITLE, model, election) - begin;
    name_of_candidate(cells, candidate, name, sizeof name);
    int half = label_room(x, end) / 2, rest = label_room(x + cells_width(cells, name) + 3, end);
    x += put_election(cells, x, rest > half ? rest : half, ROLE_TITLE_DIM, model, election) + 1;
    x += cells_put(cells, x, 0, label_room(x, end), ROLE_TITLE_DIM, cells_sign(cells, SIGN_CRUMB)) + 1;
    name_fit_candidate(cells, candidate, label_room(x, end), name, sizeof name);
    return x + cells_put(cells, x, 0, label_room(x, end), ROLE_TITLE, name) - begin;
}

void label_put_page(struct cells *cells, int x, int room, const struct model *model, const char *cluster,
                    const char *election, const char *page)
{
    int end = x + room,
        own = cells_width(cells, cells_sign(cells, SIGN_CRUMB)) + cells_width(cells, page) + 2;

    x += label_put_crumbs(cells, x, label_room(own, room), model, cluster, election, NULL);
    cells_printf(cells, x + 1, 0, label_room(x + 1, end), ROLE_TITLE, "%s %s", cells_sign(cells, SIGN_CRUMB),
                 page);
}

/* A recording tells since when it leads, and not since when it stood. Its clock is the servers'. */
#define WAITED_US INT64_C(1000000)

const char *label_takeover_unseen(const struct election *election)
{
    const struct candidate *leader = election->leader;
    bool waited, shown;

    if (leader == NULL || leader->sequence <= 0 || election->kind != KIND_LEADER ||
        election->acknowledged != ACK_NOT_USED)
        return NULL; /* number 0 was first from the beginning */
    waited =
        !election->leader_since_exact || leader->joined.mono_us < election->leader_since.mono_us ||
        (!leader->joined_seen && summary_created_us(leader) + WAITED_US < election->leader_since.wall_us);
    const struct client_session *client = candidate_client(leader);
    shown = election->leader_since_exact && client != NULL && client->watches_known;
    return waited && !shown ? "takeover not seen, nor acknowledged" : NULL;
}

bool label_acknowledged_before(const struct election *election)
{
    const struct change *change = &election->change;

    return election->acknowledged == ACK_NO && change->takeover_us >= 0 && election->leader != NULL &&
           change->to != NULL && strcmp(change->to, election->leader->name) == 0;
}

int64_t label_acknowledged_age_us(const struct election *election, struct moment now)
{
    int64_t at_us = acknowledge_time_us(election), until_us = label_as_of(election, now).wall_us;
    if (at_us == 0)
        return -1;
    return until_us > at_us ? until_us - at_us : 0; /* the server's clock may be ahead */
}

char *label_since(const struct cells *cells, const struct election *election, struct moment now,
                  unsigned form, char *buffer, size_t size)
{
    bool led = election->leader != NULL;
    struct moment since = led ? election->leader_since : election->state_since;
    bool exact = led ? election->leader_since_exact : election->state_since_exact;
    char age[16];

    if (election->state == ELECTION_DENIED || election->state == ELECTION_UNKNOWN) {
        bool none = election->state == ELECTION_DENIED;
        snprintf(buffer, size, "%s", cells_sign(cells, none ? SIGN_DASH : SIGN_UNKNOWN));
        return buffer;
    }
    int64_t acknowledged_us = exact || !led ? -1 : label_acknowledged_age_us(election, now);
    if (acknowledged_us >= 0) {
        snprintf(buffer, size, "%s%s", cells_sign(cells, SIGN_AT_LEAST),
                 format_age_as(acknowledged_us, form, age, sizeof age));
        return buffer;
    }
    if (since.mono_us == 0) {
        snprintf(buffer, size, "?");
        return buffer;
    }
    /* A stale state is shown as of its last observation: whether it lasts is not known. */
    if (led && !exact)
        form |= AGE_AT_MOST;
    format_age_as(led ? label_age_us(since, label_as_of(election, now)) : label_vacant_us(election, now),
                  form, age, sizeof age);
    snprintf(buffer, size, "%s%s", exact ? "" : cells_sign(cells, led ? SIGN_AT_MOST : SIGN_AT_LEAST), age);
    return buffer;
}

static size_t labels_host_length(const char *address)
{
    const char *colon = strrchr(address, ':');

    return colon != NULL ? (size_t)(colon - address) : strlen(address);
}

/* "zk1" of "zk1.prod.example.com:2181"; a whole IP address. */
static size_t label_length(const char *address)
{
    size_t host = labels_host_length(address);

    for (size_t i = 0; i < host; i++)
        if (isalpha((unsigned char)address[i]) && address[0] != '[')
            return strcspn(address, ".:");
    return host;
}

const char *label_cluster(const struct cluster *cluster)
{
    return cluster->name && *cluster->name ? cluster->name : cluster->hosts;
}

char *label_server(const struct cluster *cluster, size_t which, char *buffer, size_t size)
{
    const char *address = cluster->servers[which].address;
    size_t host = labels_host_length(address), label = label_length(address), shown;
    bool host_twice = false, label_twice = false;

    for (size_t i = 0; i < cluster->server_count; i++) {
        const char *other = cluster->servers[i].address;

        if (i == which)
            continue;
        host_twice |= labels_host_length(other) == host && memcmp(other, address, host) == 0;
        label_twice |= label_length(other) == label && memcmp(other, address, label) == 0;
    }
    shown = host_twice ? strlen(address) : label_twice ? host : label;
    snprintf(buffer, size, "%.*s", (int)(shown < size ? shown : size - 1), address);
    return buffer;
}

bool label_asked_for_sessions(const struct server *server)
{
    return server->mode != SERVER_FOLLOWER && server->mode != SERVER_OBSERVER;
}

const char *label_hidden(const struct server *server, unsigned *reported, char *parts, size_t size)
{
    static const struct {
        enum hidden_part part;
        const char *word;
    } all[] = {
        {HIDDEN_WATCHES, "watches"}, {HIDDEN_CONNECTIONS, "connections"}, {HIDDEN_SESSIONS, "sessions"}};
    const char *reason = NULL, *same[3] = {"", "", ""};
    size_t count = 0, length = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *why = server->hidden[all[i].part];

        if (all[i].part == HIDDEN_SESSIONS && !label_asked_for_sessions(server))
            continue;
        if (why == NULL || (*reported & 1U << all[i].part) != 0)
            continue;
        if (reason == NULL) {
            reason = why;
            length = strcspn(why, ";");
        }
        if (strcspn(why, ";") != length || strncmp(why, reason, length) != 0)
            continue;
        *reported |= 1U << all[i].part;
        same[count++] = all[i].word;
    }
    snprintf(parts, size, "%s%s%s%s%s", count > 0 ? same[0] : "", count > 2 ? ", " : "",
             count > 2 ? same[1] : "", count > 1 ? " and " : "", count > 1 ? same[count - 1] : "");
    return reason;
}

const char *label_mode(const struct server *server)
{
    const char *word = server_mode_word(server->mode);

    return word != NULL ? word : "?";
}

char *label_when(int64_t wall_us, struct moment now, char *buffer, size_t size)
{
    time_t then_s = (time_t)(wall_us / 1000000);
    struct tm then;

    if (wall_us <= 0 || now.wall_us - wall_us < DAY_US || localtime_r(&then_s, &then) == NULL)
        return format_clock(wall_us, buffer, size);
    if (strftime(buffer, size, "%b %e", &then) == 0)
        snprintf(buffer, size, "?");
    return buffer;
}

char *label_moment(int64_t wall_us, struct moment now, char *buffer, size_t size)
{
    time_t then_s = (time_t)(wall_us / 1000000), now_s = (time_t)(now.wall_us / 1000000);
    struct tm then, today;

    if (wall_us <= 0 || localtime_r(&then_s, &then) == NULL || localtime_r(&now_s, &today) == NULL ||
        (then.tm_yday == today.tm_yday && then.tm_year == today.tm_year))
        return format_clock(wall_us, buffer, size);
    if (strftime(buffer, size, then.tm_year == today.tm_year ? "%b %e %H:%M" : "%b %e %Y %H:%M", &then) == 0)
        snprintf(buffer, size, "?");
    return buffer;
}

const char *label_recognised(enum recognised recognised)
{
    switch (recognised) {
    case RECOGNISED_NAME:
        return "by name only";
    case RECOGNISED_SIGNATURE:
        return "by signature";
    case RECOGNISED_WATCH:
        return "by a watch seen";
    case RECOGNISED_CONFIGURED:
        return "as configured";
    }
    return "?";
}

const char *label_connection(enum connection_state state)
{
    switch (state) {
    case CONNECTION_CONNECTING:
    case CONNECTION_REFUSED: /* the problem says it */
        return "not connected";
    case CONNECTION_CONNECTED:
        return "connected";
    case CONNECTION_EXPIRED:
        return "session expired";
    }
    return "?";
}

bool label_candidate_match(const struct candidate *candidate, const char *needle)
{
    const struct client_session *client = candidate_client(candidate);
    char session[32];

    return label_match(candidate->name, needle) || label_match(candidate->identity, needle) ||
           (client != NULL && label_match(client->address, needle)) ||
           label_match(label_session(candidate, session, sizeof session), needle);
}

bool label_match(const char *text, const char *needle)
{
    size_t length = strlen(needle);

    if (length == 0)
        return true;
    if (text == NULL)
        return false;
    int first = tolower((unsigned char)*needle); /* a filter is compared with each text of each candidate */
    for (; *text != '\0'; text++)
        if (tolower((unsigned char)*text) == first && strncasecmp(text, needle, length) == 0)
            return true;
    return false;
}
