#include "probe/inject/descriptors.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* What the program has open beside its sessions, and what their ends hold for a moment (session_linger.h). */
#define OTHERS 512

bool descriptors_make_room(size_t sessions, char **error)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)sessions + OTHERS;
    *error = NULL;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return true;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= wanted) {
        limit.rlim_cur = wanted;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
            return true;
    }
    char text[256];
    snprintf(text, sizeof text,
             "%zu sessions need %llu open files, and this process may have %llu; raise the limit (ulimit "
             "-n), or put "
             "several candidates on one session (--sessions shared:100)",
             sessions, (unsigned long long)wanted, (unsigned long long)limit.rlim_max);
    *error = strdup(text);
    return false;
}
