#include "probe/zookeeper/session_attempt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/units.h"
#include "probe/zookeeper/session_io.h"
#include "probe/zookeeper/session_state.h"

/* The index of the library's current address; address_count: none of them. */
static size_t address_now(const struct session *s)
{
    const char *address = zoo_get_current_server(s->zh);
    size_t i = 0;
    while (i < s->address_count && (!address || strcmp(s->addresses[i].text, address) != 0))
        i++;
    return i;
}

void session_attempt_name_server(struct session *s)
{
    const char *address = zoo_get_current_server(s->zh);
    size_t i = address_now(s);
    char *printed =
        i < s->address_count ? host_port_print(&s->servers.servers[s->addresses[i].server]) : NULL;
    snprintf(s->server, sizeof s->server, "%s", printed ? printed : address ? address : "");
    free(printed);
}

void session_attempt_begun(struct session *s, bool begun)
{
    int error = errno;
    s->attempt = s->address_count;
    s->server[0] = '\0';
    if (begun && s->address_count > 1) { /* false: it failed in the call that chose the server */
        s->attempt = address_now(s);
        session_attempt_name_server(s);
    }
    errno = error;
}

void session_attempt_give_up(struct session *s, uint64_t away_ms)
{
    char span[UNITS_TEXT], last[sizeof s->problem];
    snprintf(last, sizeof last, "%s", s->problem);
    snprintf(s->problem, sizeof s->problem, "given up after %s without a server: %.140s",
             duration_print((int64_t)(away_ms / 1000 * 1000), span, sizeof span), last);
}

bool session_attempt_broke(const struct session *s)
{
    return s->state == CONNECTION_CONNECTED && zoo_state(s->zh) != ZOO_CONNECTED_STATE;
}

void session_attempt_stay_in_turn(struct session *s)
{
    if (s->attempt < s->address_count)
        s->moves_on = address_now(s) != s->attempt;
    if (s->moves_on)
        for (size_t i = 1; i < s->address_count; i++)
            zoo_cycle_next_server(s->zh);
}

/* A server that refuses us closes the connection at once: after our greeting, or before reading it. */
bool session_attempt_was_refused(const struct session *s, int error, int state_before)
{
    return !s->overdue && s->link.fault == TRANSPORT_FAULT_NONE &&
           (state_before == ZOO_ASSOCIATING_STATE ||
            (state_before != ZOO_CONNECTED_STATE && (error == EPIPE || error == ECONNRESET)));
}

static bool session_attempt_has_tls(const struct session *s)
{
    return s->link.security && s->link.security->tls.on;
}

void session_attempt_describe(struct session *s, int rc, int error, int state_before)
{
    if (s->address_count == 1)
        session_attempt_name_server(s);
    const char *server = s->server[0] ? s->server : "the server";
    if (rc == ZSESSIONEXPIRED)
        snprintf(s->problem, sizeof s->problem,
                 "the servers did not hear from electop for the whole session timeout");
    else if (s->overdue && s->link.stage == TRANSPORT_TLS)
        snprintf(s->problem, sizeof s->problem, "%s does not finish the TLS handshake", server);
    else if (s->overdue && s->link.stage == TRANSPORT_LOGGING_IN)
        snprintf(s->problem, sizeof s->problem, "%s does not finish the SASL login", server);
    else if (s->link.fault != TRANSPORT_FAULT_NONE)
        snprintf(s->problem, sizeof s->problem, "%s", s->link.problem ? s->link.problem : "out of memory");
    else if (state_before == ZOO_ASSOCIATING_STATE && s->overdue)
        snprintf(s->problem, sizeof s->problem, "%s accepts connections but does not answer", server);
    else if (session_attempt_was_refused(s, error, state_before))
        snprintf(s->problem, sizeof s->problem, "%s %s", server,
                 s->established
                     ? "refuses this session: it has no quorum, or its data is older than before (deleted?)"
                 : session_attempt_has_tls(s)
                     ? s->link.security->tls.cert ? "gives no session: no quorum, too many connections, or "
                                                    "it refuses the client certificate"
                                                  : "gives no session: no quorum, or too many connections"
                     : "gives no session: no quorum, too many connections, or a port for TLS (--tls)");
    else if (rc == ZOPERATIONTIMEOUT || s->overdue || error == ETIMEDOUT)
        snprintf(s->problem, sizeof s->problem, "no answer from %s", server);
    else if (error == ECONNREFUSED)
        snprintf(s->problem, sizeof s->problem, "connection refused by %s", server);
    else
        snprintf(s->problem, sizeof s->problem, "connection to %s lost", server);
}
