#include "probe/inject/run_place.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/candidate/guid.h"
#include "probe/inject/run_state.h"

bool run_is_inside(const struct run *t)
{
    size_t length = strlen(t->sandbox);
    return strncmp(t->path, t->sandbox, length) == 0 && (t->path[length] == '\0' || t->path[length] == '/');
}

bool run_places_choose(struct run *t)
{
    if (t->options.live) {
        t->run = strdup("");
        t->election = strdup(t->path);
        return t->run && t->election && !run_is_inside(t);
    }
    const char *rest = run_is_inside(t) ? t->path + strlen(t->sandbox) : "";
    if (*rest == '/') {
        t->run = strndup(rest + 1, strcspn(rest + 1, "/"));
        const char *below = strchr(rest + 1, '/');
        t->within = below ? strdup(below + 1) : NULL;
        t->election = strdup(t->path);
        if (t->run && strpbrk(t->run, ".{}"))
            return false;
    } else if (t->options.join) { /* each agent has its own election: so its times are exact */
        agent_name(t->agent);
        t->run = strdup(t->options.join);
        t->within = strdup(t->agent);
        t->election = text_format("%s/%s/%s", t->sandbox, t->run, t->agent);
        if (t->layout.lock || !t->within)
            return false;
    } else {
        char hex[GUID_HEX_SIZE];
        if (!guid_hex32(hex))
            return false;
        t->run = text_format("run-%.8s", hex);
        t->within = strdup("election");
        t->election = t->run ? text_format("%s/%s/election", t->sandbox, t->run) : NULL;
    }
    return t->run && t->election;
}
