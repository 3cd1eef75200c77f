#include "probe/inject/live_acls.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/candidate/naming.h"
#include "probe/election/recipe.h"
#include "probe/inject/acl.h"

/* With more siblings than these the ACLs are not read: then no test candidate may join. */
#define LIVE_ACLS_MOST 1000

/* Asked at once: enough that the way there and back is not what takes time, and no burst. */
#define UNDER_WAY_MOST 50

struct acl_check {
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

static void acl_check_free(struct acl_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        free(check->names[i]);
    free(check->names);
    free(check->election);
    free(check->problem);
    free(check);
}

static void live_acls_end(struct acl_check *check)
{
    check->fn(check->context, check->problem, check->lost);
    acl_check_free(check);
}

/* Where all that may be shown is the same, what may not be differs. */
static char *describe_difference(const struct acl *ours, const char *name, const struct acl *its)
{
    char *one = acl_describe(ours), *other = acl_describe(its), *quoted = text_quoted(name), *problem = NULL;
    if (strcmp(one, other) == 0)
        problem =
            text_format("the candidates' ACLs differ: that of %s names the same as the first one's (%s), "
                        "with another password",
                        quoted, other);
    else
        problem = text_format("the candidates' ACLs differ: that of %s is %s, the first one's %s", quoted,
                              other, one);
    free(one);
    free(other);
    free(quoted);
    return problem;
}

static char *describe_closed(const char *name)
{
    char *quoted = text_quoted(name), *problem = NULL;
    problem =
        text_format("permission denied for the ACL of %s, so it cannot be compared with the others", quoted);
    free(quoted);
    return problem;
}

static void live_acls_judge(struct acl_check *check, enum session_result result, const char *name,
                            const struct acl *acl)
{
    if (result == SESSION_NO_NODE || (result == SESSION_OK && acl_is_same(check->ours, acl)))
        return; /* it has gone; or it is as the others are */
    if (result == SESSION_OK)
        check->problem = describe_difference(check->ours, name, acl);
    else if (result != SESSION_LOST)
        check->problem = describe_closed(name);
    else
        check->lost = true;
}

static void ask_more(struct acl_check *);

/* Answers come in the order of the questions. */
static void live_acls_on_acl(void *context, const struct session_answer *answer)
{
    struct acl_check *check = context;
    const char *name = check->names[check->answered++];
    if (!check->problem && !check->lost)
        live_acls_judge(check, answer->result, name, answer->acl);
    ask_more(check);
}

static void ask_more(struct acl_check *check)
{
    bool enough = check->problem || check->lost;
    while (!enough && check->asked < check->count && check->asked - check->answered < UNDER_WAY_MOST) {
        char *path = path_join(check->election, check->names[check->asked]);
        enough = !session_acl(check->session, path, live_acls_on_acl, check);
        check->lost |= enough;
        check->asked += !enough;
        free(path);
    }
    if (check->answered == check->asked && (enough || check->asked == check->count))
        live_acls_end(check);
}

static void live_acls_on_list(void *context, const struct session_answer *answer)
{
    struct acl_check *check = context;
    check->lost = answer->result != SESSION_OK;
    check->names = check->lost ? NULL : xcalloc(answer->count + 1, sizeof *check->names);
    for (size_t i = 0; i < answer->count && !check->lost; i++)
        if (recipe_sequence_of(answer->names[i]) != SEQUENCE_NONE)
            check->names[check->count++] = xstrdup(answer->names[i]);
    if (!check->lost && check->count > LIVE_ACLS_MOST)
        check->problem = text_format("it has %zu candidates, and the ACLs of at most %d are compared",
                                     check->count, LIVE_ACLS_MOST);
    ask_more(check);
}

bool live_acls_read(struct session *session, const char *election, const struct acl *ours, live_acls_fn fn,
                    void *context)
{
    struct acl_check *check = xcalloc(1, sizeof *check);
    *check = (struct acl_check){.session = session, .ours = ours, .fn = fn, .context = context};
    check->election = xstrdup(election);
    if (session_children(session, election, false, live_acls_on_list, check))
        return true;
    acl_check_free(check);
    return false;
}
