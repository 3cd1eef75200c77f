#include "probe/election/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"

const char *tell_clock(struct moment at, char *buffer, size_t size)
{
    int64_t s = at.wall_us / 1000000 % 86400;
    if (at.wall_us <= 0)
        snprintf(buffer, size, "an unknown time");
    else
        snprintf(buffer, size, "%02d:%02d:%02dZ", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
    return buffer;
}

const char *tell_span(int64_t us, char *buffer, size_t size)
{
    if (us < 60 * INT64_C(1000000))
        snprintf(buffer, size, "%.1f s", (double)us / 1e6);
    else if (us < 2 * INT64_C(3600000000))
        snprintf(buffer, size, "%" PRId64 " min", us / 60000000);
    else if (us < 2 * INT64_C(86400000000))
        snprintf(buffer, size, "%" PRId64 " h", us / INT64_C(3600000000));
    else
        snprintf(buffer, size, "%" PRId64 " days", us / INT64_C(86400000000));
    return buffer;
}

const char *tell_session(const struct election *election, uint64_t session, char *buffer, size_t size)
{
    const struct client_session *shown = cluster_client(election->cluster, session);
    bool placed = shown && shown->connected && shown->server < election->cluster->server_count;
    snprintf(buffer, size, "session 0x%" PRIx64 "%s%.60s%s%.80s", session,
             shown && shown->address ? " of " : "", shown && shown->address ? shown->address : "",
             placed ? " on " : "", placed ? election->cluster->servers[shown->server].address : "");
    return buffer;
}

const char *tell_path(const struct candidate *candidate, char *buffer, size_t size)
{
    const struct election *election = candidate->election;
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    snprintf(buffer, size, "%s%s%s", lock || strcmp(election->path, "/") != 0 ? election->path : "",
             lock ? "" : "/", lock ? "" : candidate->name);
    return buffer;
}
