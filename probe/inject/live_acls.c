#include "probe/inject/live_acls.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/recipe.h"
#include "probe/inject/acl_compare.h"
#include "probe/candidate/naming.h"

/* Asked at once: enough that the way there and back is not what takes time, and no burst. */
#define UNDER_WAY_MOST 50

struct acl_look {
    struct session *session;
    char *election;
    const struct acl *ours;
    live_acls_fn fn;
    void *context;
    char **names;
    size_t count, asked, answered;
    bool lost;
    char *problem;
};

static void look_free(struct acl_look *look)
{
    for (size_t i = 0; i < look->count; i++)
        free(look->names[i]);
    free(look->names);
    free(look->election);
    free(look->problem);
    free(look);
}

static void live_acls_look_end(struct acl_look *look)
{
    look->fn(look->context, look->problem, look->lost);
    look_free(look);
}

/* Where all that may be shown is the same, what may not be differs. */
static char *tell_difference(const struct acl *ours, const char *name, const struct acl *its)
{
    char *one = acl_tell(ours), *other = acl_tell(its), *quoted = text_quoted(name), *problem = NULL;
    if (one && other && quoted && strcmp(one, other) == 0)
        problem =
            text_format("the candidates' ACLs differ: that of %s names the same as the first one's (%s), "
                        "with another password",
                        quoted, other);
    else if (one && other && quoted)
        problem = text_format("the candidates' ACLs differ: that of %s is %s, the first one's %s", quoted,
                              other, one);
    free(one);
    free(other);
    free(quoted);
    return problem;
}

static char *tell_closed(const char *name)
{
    char *quoted = text_quoted(name), *problem = NULL;
    if (quoted)
        problem = text_format("the ACL of %s may not be read, so nobody knows whether it is the others', too",
                              quoted);
    free(quoted);
    return problem;
}

static void live_acls_judge(struct acl_look *look, enum session_result result, const char *name,
                            const struct acl *acl)
{
    if (result == SESSION_NO_NODE || (result == SESSION_OK && acl_is_same(look->ours, acl)))
        return; /* it has gone; or it is as the others are */
    if (result == SESSION_OK)
        look->problem = tell_difference(look->ours, name, acl);
    else if (result != SESSION_LOST)
        look->problem = tell_closed(name);
    look->lost |= !look->problem;
}

static void ask_more(struct acl_look *);

/* Answers come in the order of the questions. */
static void live_acls_on_acl(void *context, enum session_result result, const struct acl *acl)
{
    struct acl_look *look = context;
    const char *name = look->names[look->answered++];
    if (!look->problem && !look->lost)
        live_acls_judge(look, result, name, acl);
    ask_more(look);
}

static void ask_more(struct acl_look *look)
{
    bool enough = look->problem || look->lost;
    while (!enough && look->asked < look->count && look->asked - look->answered < UNDER_WAY_MOST) {
        char *path = path_join(look->election, look->names[look->asked]);
        enough = !path || !session_acl(look->session, path, live_acls_on_acl, look);
        look->lost |= enough;
        look->asked += !enough;
        free(path);
    }
    if (look->answered == look->asked && (enough || look->asked == look->count))
        live_acls_look_end(look);
}

static void live_acls_on_list(void *context, enum session_result result, const struct znode_stat *stat,
                              char *const *names, size_t count)
{
    (void)stat;
    struct acl_look *look = context;
    look->lost = result != SESSION_OK;
    look->names = look->lost ? NULL : calloc(count + 1, sizeof *look->names);
    look->lost |= !look->names;
    for (size_t i = 0; i < count && look->names && !look->lost; i++) {
        if (recipe_sequence_of(names[i]) == SEQUENCE_NONE)
            continue;
        look->lost |= !(look->names[look->count] = strdup(names[i]));
        look->count += !look->lost;
    }
    if (!look->lost && look->count > LIVE_ACLS_MOST)
        look->problem =
            text_format("%zu candidates stand there, and the ACLs of no more than %d are compared",
                        look->count, LIVE_ACLS_MOST);
    ask_more(look);
}

bool live_acls_read(struct session *session, const char *election, const struct acl *ours, live_acls_fn fn,
                    void *context)
{
    struct acl_look *look = calloc(1, sizeof *look);
    if (!look)
        return false;
    *look = (struct acl_look){.session = session, .ours = ours, .fn = fn, .context = context};
    look->election = strdup(election);
    if (look->election && session_children(session, election, false, live_acls_on_list, look))
        return true;
    look_free(look);
    return false;
}
