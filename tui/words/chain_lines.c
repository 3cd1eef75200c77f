#include "tui/words/chain_lines.h"

#include <stdio.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/whatif.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define GAUGE_CELLS 6
#define HEARD_GAUGED (HEARD_LEAST + 1 + 3) /* with the shortest gauge that says something */

static const struct server *chain_lines_server_of(const struct election *election,
                                                  const struct client_session *session)
{
    const struct cluster *cluster = election->cluster;

    if (session == NULL || !session->connected || session->server >= cluster->server_count)
        return NULL;
    return &cluster->servers[session->server];
}

void chain_put_gutter(struct cells *cells, int x, int y, const struct election *election,
                      const struct candidate *candidate)
{
    enum sign sign = SIGN_CHAIN_UNKNOWN;
    style look = ROLE_DIM;

    if (candidate == election->leader ||
        (shared_lock(election) && election->leader != NULL && shared_lock_holds(election, candidate))) {
        sign = SIGN_LEADER;
        look = ROLE_WARNING;
    } else {
        switch (candidate->link) {
        case LINK_RIGHT:
            sign = SIGN_CHAIN;
            look = ROLE_GOOD;
            break;
        case LINK_WRONG:
            sign = SIGN_CHAIN_WRONG;
            look = ROLE_WARNING;
            break;
        case LINK_STUCK:
            sign = SIGN_CHAIN_CUT;
            look = ROLE_CRITICAL;
            break;
        case LINK_SUSPECT:
            look = ROLE_WARNING;
            break;
        case LINK_FIRST: /* first, and not confirmed to lead */
            sign = SIGN_UNKNOWN;
            look = ROLE_WARNING;
            break;
        case LINK_UNKNOWN:
            break;
        }
    }
    cells_put(cells, x, y, 1, label_stale(election) ? (style)ROLE_DIM : look, cells_sign(cells, sign));
}

/* The wrong watch of its session here, the first in this order: on another candidate, on itself, on one that is
 * gone. */
static style wrong_text(const struct cells *cells, const struct election *election,
                        const struct candidate *candidate, char *buffer, size_t size)
{
    const struct client_session *session = candidate_client(candidate);
    const struct candidate *other = NULL;
    size_t length = strlen(election->path);
    const char *gone = NULL;
    bool self = false;
    char name[64];

    for (size_t i = 0; session != NULL && i < session->watch_count; i++) {
        const char *path = session->watches[i];
        const struct candidate *target = chain_candidate_at(election, path);

        if (target != NULL && target->stat.owner == candidate->stat.owner)
            self = true;
        else if (target != NULL && other == NULL)
            other = target;
        else if (target == NULL && strncmp(path, election->path, length) == 0 && path[length] == '/')
            gone = path + length + 1;
    }
    if (other != NULL) {
        snprintf(buffer, size, "%s %s, not its predecessor", cells_sign(cells, SIGN_UP_WRONG),
                 name_of_candidate(cells, other->name, name, sizeof name));
        return ROLE_WARNING;
    }
    if (self)
        snprintf(buffer, size, "itself: never notified");
    else if (gone != NULL)
        snprintf(buffer, size, "%s %s, which is gone", cells_sign(cells, SIGN_UP_WRONG),
                 name_of_candidate(cells, gone, name, sizeof name));
    else
        snprintf(buffer, size, "another znode");
    return ROLE_CRITICAL;
}

/* It is notified of all that comes and goes in the directory. */
static bool watches_directory(const struct election *election, const struct client_session *session)
{
    for (size_t i = 0; session != NULL && i < session->watch_count; i++)
        if (strcmp(session->watches[i], election->path) == 0)
            return true;
    return false;
}

static void right_text(const struct cells *cells, const struct election *election,
                       const struct candidate *candidate, char *buffer, size_t size)
{
    const struct client_session *session = candidate_client(candidate);
    const struct candidate *target = chain_expected(election, candidate);
    char name[64];

    if ((target == NULL || !chain_is_watched(election, target, candidate->stat.owner)) &&
        watches_directory(election, session)) {
        snprintf(buffer, size, "%s the directory", cells_sign(cells, SIGN_UP));
        return;
    }
    for (size_t i = 0; target == NULL && session != NULL && i < session->watch_count; i++)
        target = chain_candidate_at(election, session->watches[i]);
    snprintf(buffer, size, "%s %s", cells_sign(cells, SIGN_UP),
             target != NULL ? name_of_candidate(cells, target->name, name, sizeof name) : "the leader");
}

/* A session that is on no other server may be on this one. */
static bool hides_connections(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].hidden[HIDDEN_CONNECTIONS] != NULL)
            return true;
    return false;
}

/* Every server has been asked for its watches, in vain. */
static bool nobody_shows(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (chain_watches_problem(&cluster->servers[i]) == NULL)
            return false;
    return cluster->server_count > 0;
}

static bool somebody_shows(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].watches_from != NULL)
            return true;
    return false;
}

/* Why its watches are unknown, in the few columns of a table. */
static void unknown_text(const struct cells *cells, const struct election *election,
                         const struct candidate *candidate, char *buffer, size_t size)
{
    const struct cluster *cluster = election->cluster;
    const struct client_session *session = candidate_client(candidate);
    const struct server *server = chain_lines_server_of(election, session);
    const char *sign = cells_sign(cells, SIGN_UNKNOWN), *why = candidate->link_why;
    char name[128];

    enum server_reach reach = server != NULL ? server_reach(cluster, server) : SERVER_ANSWERS;

    if (server != NULL && (reach != SERVER_ANSWERS || chain_watches_problem(server) != NULL)) {
        snprintf(buffer, size, "%s %s %s", sign, label_server(cluster, session->server, name, sizeof name),
                 reach == SERVER_NOT_ASKED ? "is not polled"
                 : reach == SERVER_SILENT  ? "does not answer"
                                           : "hides its watches");
        return;
    }
    if (server != NULL && !session->watches_known)
        why = server_is_captured(server) ? "packets are missing" : "not polled yet";
    else if (nobody_shows(cluster))
        why = "no server shows it";
    else if (server == NULL && candidate->known && candidate->stat.owner != 0)
        why = somebody_shows(cluster)         ? "connection not seen"
              : cluster_is_from_logs(cluster) ? why
                                              : "not polled yet";
    snprintf(buffer, size, "%s %s", sign, why != NULL ? why : "not polled yet");
}

style chain_watch_text(const struct cells *cells, const struct election *election,
                       const struct candidate *candidate, char *buffer, size_t size)
{
    bool shared = shared_lock(election) && election->leader != NULL && shared_lock_holds(election, candidate);

    if (candidate == election->leader || shared) {
        snprintf(buffer, size, "%s",
                 shared && candidate->reads ? "holds it, to read"
                 : shared                   ? "holds it, to write"
                                            : label_leads(election));
        return ROLE_DIM;
    }
    switch (candidate->link) {
    case LINK_FIRST:
        snprintf(buffer, size, "is next");
        return ROLE_WARNING;
    case LINK_RIGHT:
        right_text(cells, election, candidate, buffer, size);
        return label_stale(election) ? ROLE_DIM : ROLE_TEXT;
    case LINK_WRONG:
        return wrong_text(cells, election, candidate, buffer, size);
    case LINK_SUSPECT:
        snprintf(buffer, size, "%s no watch seen", cells_sign(cells, SIGN_UNKNOWN));
        return ROLE_WARNING;
    case LINK_STUCK:
        snprintf(buffer, size, "nothing: never notified");
        return ROLE_CRITICAL | STYLE_BOLD;
    case LINK_UNKNOWN:
        break;
    }
    unknown_text(cells, election, candidate, buffer, size);
    return ROLE_DIM;
}

const char *chain_who(const struct candidate *candidate, char *buffer, size_t size)
{
    const struct client_session *session = candidate_client(candidate);

    if (candidate->identity != NULL)
        return candidate->identity;
    if (session != NULL && session->address != NULL)
        snprintf(buffer, size, "%s", session->address);
    else
        snprintf(buffer, size, "%s",
                 candidate->known    ? "? only its session"
                 : candidate->denied ? "? no permission"
                                     : "? not read yet");
    return buffer;
}

/* Columns of a table are few. Of servers that differ in nothing but their ports the port; of addresses in one
   network what differs: ".17" of 10.0.3.17. Half an address would say nothing. */
static void put_server_name(const struct cluster *cluster, size_t which, char *buffer, size_t size)
{
    const char *address = cluster->servers[which].address, *colon = strrchr(address, ':'), *dot;
    size_t same_host = 0, same_network = 0, digits = strspn(address, "0123456789.");

    for (size_t i = 0; colon != NULL && i < cluster->server_count; i++)
        same_host += strncmp(cluster->servers[i].address, address, (size_t)(colon - address) + 1) == 0;
    if (same_host == cluster->server_count && (same_host > 1 || colon == address + digits)) {
        snprintf(buffer, size, "%s", colon);
        return;
    }
    label_server(cluster, which, buffer, size);
    dot = strrchr(buffer, '.');
    if (dot == NULL || buffer[strspn(buffer, "0123456789.")] != '\0')
        return;
    for (size_t i = 0; i < cluster->server_count; i++)
        same_network += strncmp(cluster->servers[i].address, buffer, (size_t)(dot - buffer) + 1) == 0;
    if (same_network == cluster->server_count)
        memmove(buffer, dot, strlen(dot) + 1);
}

style chain_server_text(const struct cells *cells, const struct election *election,
                        const struct candidate *candidate, char *buffer, size_t size)
{
    const struct client_session *session = candidate_client(candidate);
    const struct server *server = chain_lines_server_of(election, session);

    if (server != NULL) {
        bool answers = server_reach(election->cluster, server) == SERVER_ANSWERS;

        put_server_name(election->cluster, session->server, buffer, size);
        return answers && !label_stale(election) ? ROLE_TEXT : ROLE_DIM;
    }
    if (candidate_stays(candidate)) { /* no session, so no connection */
        snprintf(buffer, size, "%s", cells_sign(cells, SIGN_DASH));
        return ROLE_DIM;
    }
    if (session != NULL && session->alive_known && session->alive && !session->connected &&
        !hides_connections(election->cluster)) {
        snprintf(buffer, size, "none");
        return ROLE_WARNING;
    }
    snprintf(buffer, size, "%s", cells_sign(cells, SIGN_UNKNOWN));
    return ROLE_DIM;
}

int64_t chain_silent_ms(const struct election *election, const struct candidate *candidate, bool *is_bound,
                        int *percent)
{
    const struct client_session *session = candidate_client(candidate);
    const struct server *server = chain_lines_server_of(election, session);

    *is_bound = false;
    *percent = 0;
    if (server == NULL || server_reach(election->cluster, server) != SERVER_ANSWERS || session->silent_ms < 0)
        return -1;
    *is_bound = session->silent_is_bound;
    if (session->timeout_ms > 0)
        *percent = session->silent_ms > session->timeout_ms * INT64_C(9)
                       ? 900
                       : (int)(session->silent_ms * INT64_C(100) / session->timeout_ms);
    return session->silent_ms;
}

void chain_put_heard(struct cells *cells, int x, int y, int room, const struct election *election,
                     const struct candidate *candidate)
{
    int allowed = election->settings != NULL && election->settings->allow.silent_percent > 0
                      ? election->settings->allow.silent_percent
                      : 66;
    bool is_bound;
    int percent, filled;
    int64_t silent_ms = chain_silent_ms(election, candidate, &is_bound, &percent);
    const struct client_session *session = candidate_client(candidate);
    char age[16];
    style look;

    if (room <= 0)
        return;
    if (silent_ms < 0 && session && session->pings && chain_lines_server_of(election, session)) {
        cells_printf(cells, x, y, room, ROLE_DIM, "%s%s", cells_sign(cells, SIGN_AT_MOST),
                     format_age(session->timeout_ms * INT64_C(500), age, sizeof age));
        return;
    }
    if (silent_ms < 0) {
        cells_put(cells, x, y, room, ROLE_DIM,
                  cells_sign(cells, candidate_stays(candidate) ? SIGN_DASH : SIGN_UNKNOWN));
        return;
    }
    look = percent >= 100 ? ROLE_CRITICAL : percent >= allowed ? ROLE_WARNING : ROLE_DIM;
    if (room >= HEARD_GAUGED) {
        int gauge = room >= HEARD_WIDTH ? GAUGE_CELLS : room - HEARD_LEAST - 1;

        filled = (percent * gauge + 50) / 100;
        for (int i = 0; i < gauge; i++)
            cells_put(cells, x + i, y, 1,
                      i >= filled        ? (style)ROLE_RULE
                      : look == ROLE_DIM ? (style)ROLE_GOOD
                                         : look,
                      cells_sign(cells, i < filled ? SIGN_GAUGE_ON : SIGN_GAUGE_OFF));
        x += gauge + 1;
        room -= gauge + 1;
    }
    int used = cells_printf(cells, x, y, room, look, "%s%s", is_bound ? cells_sign(cells, SIGN_AT_LEAST) : "",
                            format_age(silent_ms * 1000, age, sizeof age));
    if (room + GAUGE_CELLS + 1 >= HEARD_WHOLE && session->timeout_ms > 0)
        cells_printf(cells, x + used, y, room - used, ROLE_DIM, " of %s",
                     format_age((int64_t)session->timeout_ms * 1000, age, sizeof age));
}
