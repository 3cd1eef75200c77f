#include "tui/words/election_filter.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "probe/election/chain.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"

#define TERM_BYTES 128

enum field {
    FIELD_STATE,
    FIELD_NEXT,
    FIELD_SEVERITY,
    FIELD_FINDING,
    FIELD_LEADER,
    FIELD_RECIPE,
    FIELD_CLUSTER,
    FIELD_NAME,
    FIELD_CLIENT,
    FIELD_COUNT
};

static const char *const field_names[FIELD_COUNT] = {
    [FIELD_STATE] = "state",     [FIELD_NEXT] = "next",     [FIELD_SEVERITY] = "severity",
    [FIELD_FINDING] = "finding", [FIELD_LEADER] = "leader", [FIELD_RECIPE] = "recipe",
    [FIELD_CLUSTER] = "cluster", [FIELD_NAME] = "name",     [FIELD_CLIENT] = "client",
};

struct term {
    enum field field; /* FIELD_COUNT: a piece of text */
    bool at_least;    /* severity>= */
    char value[TERM_BYTES];
};

/* Reads the next term; false: there is none. */
static bool next_term(const char **text, struct term *term)
{
    size_t length, most;

    *text += strspn(*text, " ");
    length = strcspn(*text, " ");
    if (length == 0)
        return false;
    most = length < TERM_BYTES ? length : TERM_BYTES - 1;
    term->field = FIELD_COUNT;
    term->at_least = false;
    memcpy(term->value, *text, most);
    term->value[most] = '\0';
    *text += length;
    for (int field = 0; field < FIELD_COUNT && strpbrk(term->value, ":=") != NULL; field++) {
        size_t name = strlen(field_names[field]);
        const char *after = term->value + name;

        if (strncasecmp(term->value, field_names[field], name) != 0)
            continue;
        term->at_least = field == FIELD_SEVERITY && strncmp(after, ">=", 2) == 0;
        if (*after != ':' && *after != '=' && !term->at_least)
            continue;
        term->field = (enum field)field;
        after += term->at_least ? 2 : 1;
        memmove(term->value, after, strlen(after) + 1);
        break;
    }
    return true;
}

/* SEVERITY_CRITICAL + 1: it is none. */
static int severity_of(const char *word)
{
    for (int severity = SEVERITY_INFO; severity <= SEVERITY_CRITICAL; severity++)
        if (strcasecmp(word, severity_word((enum severity)severity)) == 0)
            return severity;
    return strcasecmp(word, "note") == 0 ? SEVERITY_INFO : SEVERITY_CRITICAL + 1;
}

/* One word each, without a blank. */
static const char *const state_words[BADGE_STATES] = {
    [BADGE_LED] = "led",         [BADGE_TAKING_OVER] = "taking",       [BADGE_NO_ACK] = "unacknowledged",
    [BADGE_STALLED] = "stalled", [BADGE_PERHAPS_STALLED] = "stalled?", [BADGE_VACANT] = "vacant",
    [BADGE_FREE] = "free",       [BADGE_ELECTING] = "electing",        [BADGE_ABSENT] = "absent",
    [BADGE_DENIED] = "denied",   [BADGE_VANISHED] = "vanished",        [BADGE_STALE] = "stale",
    [BADGE_UNKNOWN] = "unknown", [BADGE_UNPROVEN] = "unproven"};
static const char *const next_words[] = {[OUTLOOK_NONE] = "none",
                                         [OUTLOOK_ALONE] = "alone",
                                         [OUTLOOK_UNKNOWN] = "unknown",
                                         [OUTLOOK_STOPS] = "stops",
                                         [OUTLOOK_WORKS] = "works"};

/* A whole word selects what the overview counts under it; the beginning of one, each word that begins so. */
static bool state_matches(const struct election *election, const char *value, struct moment now)
{
    const char *word = state_words[label_badge(election, now).state];

    for (size_t i = 0; i < BADGE_STATES; i++)
        if (strcasecmp(state_words[i], value) == 0)
            return strcasecmp(word, value) == 0;
    return strncasecmp(word, value, strlen(value)) == 0;
}

static bool severity_matches(const struct election *election, const struct term *term)
{
    int wanted = severity_of(term->value);

    for (size_t i = 0; i < election->finding_count; i++) {
        int severity = (int)election->findings[i]->severity;

        if (severity == wanted || (term->at_least && severity > wanted))
            return true;
    }
    return false;
}

static bool finding_matches(const struct election *election, const char *value)
{
    for (size_t i = 0; i < election->finding_count; i++)
        if (label_match(finding_kind(election->findings[i]->code)->word, value))
            return true;
    return false;
}

static bool leader_matches(const struct election *election, const char *value)
{
    return election->leader != NULL &&
           (label_match(election->leader->identity, value) || label_match(election->leader->name, value));
}

/* A candidate's connection comes from this host, and not from one whose address only begins so. */
static bool comes_from(const struct candidate *candidate, const char *host)
{
    const struct client_session *session = candidate_client(candidate);
    const char *address = session != NULL ? session->address : NULL;
    size_t length = strlen(host);

    return address != NULL && strncmp(address, host, length) == 0 &&
           (address[length] == '\0' || address + length == strrchr(address, ':'));
}

static bool client_matches(const struct election *election, const char *value)
{
    for (size_t i = 0; i < election->candidate_count; i++)
        if (comes_from(election->candidates[i], value))
            return true;
    return false;
}

static bool text_matches(const struct election *election, const char *value)
{
    if (label_match(election->name, value) || label_match(election->path, value) ||
        label_match(election->cluster->name, value) || leader_matches(election, value) ||
        finding_matches(election, value))
        return true;
    for (size_t i = 0; i < election->candidate_count; i++)
        if (label_candidate_match(election->candidates[i], value))
            return true;
    return false;
}

static bool term_matches(const struct election *election, const struct term *term, struct moment now)
{
    switch (term->field) {
    case FIELD_STATE:
        return state_matches(election, term->value, now);
    case FIELD_NEXT:
        return strncasecmp(next_words[label_outlook(election)], term->value, strlen(term->value)) == 0;
    case FIELD_SEVERITY:
        return severity_matches(election, term);
    case FIELD_FINDING:
        return finding_matches(election, term->value);
    case FIELD_LEADER:
        return leader_matches(election, term->value);
    case FIELD_RECIPE:
        return election->recipe != NULL && (label_match(election->recipe->name, term->value) ||
                                            label_match(election->recipe->title, term->value));
    case FIELD_CLUSTER:
        return label_match(election->cluster->name, term->value);
    case FIELD_CLIENT:
        return client_matches(election, term->value);
    case FIELD_NAME:
        return label_match(election->name, term->value) || label_match(election->path, term->value);
    case FIELD_COUNT:
        break;
    }
    return text_matches(election, term->value);
}

bool election_filter_match(const char *filter, const struct election *election, struct moment now)
{
    struct term term;

    while (next_term(&filter, &term))
        if (!term_matches(election, &term, now))
            return false;
    return true;
}

bool election_filter_match_text(const char *filter, const struct election *election, struct moment now,
                                bool (*has)(const void *thing, const char *text), const void *thing)
{
    struct term term;

    while (next_term(&filter, &term))
        if (term.field == FIELD_COUNT ? !has(thing, term.value)
                                      : election == NULL || !term_matches(election, &term, now))
            return false;
    return true;
}

bool election_filter_match_cluster(const char *filter, const struct cluster *cluster)
{
    struct term term;

    while (next_term(&filter, &term))
        if (term.field == FIELD_CLUSTER && !label_match(cluster->name, term.value))
            return false;
    return true;
}

size_t election_filter_finds(const char *filter, const struct candidate *candidate)
{
    struct term term;
    size_t found = 0;

    while (next_term(&filter, &term))
        if (term.field == FIELD_COUNT)
            found += label_candidate_match(candidate, term.value);
        else if (term.field == FIELD_CLIENT && !comes_from(candidate, term.value))
            return 0;
        else
            found += term.field == FIELD_CLIENT;
    return found;
}

static bool is_one_of(const char *value, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncasecmp(words[i], value, strlen(value)) == 0)
            return true;
    return false;
}

const char *election_filter_problem(const char *filter)
{
    struct term term;

    while (next_term(&filter, &term)) {
        if (term.field == FIELD_SEVERITY && severity_of(term.value) > SEVERITY_CRITICAL)
            return "severity is note, warning, error or critical";
        if (term.field == FIELD_STATE &&
            !is_one_of(term.value, state_words, sizeof state_words / sizeof *state_words))
            return "state is led, taking, unacknowledged, stalled, stalled?, vacant, electing, free, absent, "
                   "vanished, "
                   "denied, unproven, stale or unknown";
        if (term.field == FIELD_NEXT &&
            !is_one_of(term.value, next_words, sizeof next_words / sizeof *next_words))
            return "next is works, stops, alone, unknown or none";
    }
    return NULL;
}

bool election_has_problem(const struct election *election, struct moment now)
{
    const struct finding *worst = mutes_worst(election, now);

    return label_badge(election, now).rank < RANK_HEALTHY ||
           (worst != NULL && worst->severity >= SEVERITY_WARNING) || label_outlook(election) == OUTLOOK_STOPS;
}
