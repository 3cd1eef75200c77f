#include "probe/inject/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/candidate/guard.h"
#include "probe/candidate/naming.h"
#include "probe/election/recipe.h"
#include "probe/inject/live_checks.h"
#include "probe/inject/run_state.h"
#include "probe/zookeeper/descriptor_poll.h"
#include "probe/zookeeper/session.h"

/* Of a longer ACL so many entries are shown. */
#define TOLD_MOST 3

static bool is_digest(const struct acl_entry *entry)
{
    return strcmp(entry->scheme, "digest") == 0;
}

static bool entry_is_same(const struct acl_entry *a, const struct acl_entry *b)
{
    return a->permissions == b->permissions && strcmp(a->scheme, b->scheme) == 0 && strcmp(a->id, b->id) == 0;
}

static size_t acl_compare_count_of(const struct acl *acl, const struct acl_entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < acl->count; i++)
        count += entry_is_same(&acl->entries[i], entry);
    return count;
}

bool acl_is_same(const struct acl *a, const struct acl *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = acl_compare_count_of(a, &a->entries[i]) == acl_compare_count_of(b, &a->entries[i]);
    return same;
}

bool acl_is_masked(const struct acl *acl)
{
    for (size_t i = 0; i < acl->count; i++) {
        const char *secret = strchr(acl->entries[i].id, ':');
        if (is_digest(&acl->entries[i]) && secret && strcmp(secret, ":x") == 0)
            return true;
    }
    return false;
}

/* Under an unknown scheme an id may be a secret, too. */
static size_t shown_length(const struct acl_entry *entry)
{
    static const char *const open[] = {"world", "ip", "sasl", "x509", "hostname"};
    if (is_digest(entry))
        return strcspn(entry->id, ":");
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (strcmp(entry->scheme, open[i]) == 0)
            return strlen(entry->id);
    return 0;
}

static void put_entry(struct text *text, const struct acl_entry *entry)
{
    static const struct {
        int32_t bit;
        char letter[2];
    } permissions[] = {{4, "c"}, {8, "d"}, {1, "r"}, {2, "w"}, {16, "a"}};
    struct text who = {0};
    text_printf(&who, "%.20s:%.*s", entry->scheme, (int)shown_length(entry), entry->id);
    if (who.at)
        text_quote(text, who.at, who.length);
    text_free(&who);
    text_add(text, " ");
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions; i++)
        text_add(text, entry->permissions & permissions[i].bit ? permissions[i].letter : "");
}

char *acl_describe(const struct acl *acl)
{
    struct text text = {0};
    for (size_t i = 0; i < acl->count && i < TOLD_MOST; i++) {
        text_add(&text, i ? ", " : "");
        put_entry(&text, &acl->entries[i]);
    }
    if (acl->count > TOLD_MOST)
        text_printf(&text, " and %zu more", acl->count - TOLD_MOST);
    return text_take(&text);
}

/*
 * Whether all candidates of an election have the same ACL, which a test candidate may have,
 * too.
 *
 * Where they differ (each client's own digest, say) every ACL belongs to one client, and none fits ours.
 */

/* With more siblings than these the ACLs are not read: then no test candidate may join. */
#define LIVE_ACLS_MOST 1000

/* problem NULL: all have it; else the obstacle, valid during the call. lost: the connection was lost first.
 */
typedef void (*live_acls_fn)(void *context, const char *problem, bool lost);

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
static void live_acls_on_acl(void *context, enum session_result result, const struct acl *acl)
{
    struct acl_check *check = context;
    const char *name = check->names[check->answered++];
    if (!check->problem && !check->lost)
        live_acls_judge(check, result, name, acl);
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

static void live_acls_on_list(void *context, enum session_result result, const struct znode_stat *stat,
                              char *const *names, size_t count)
{
    (void)stat;
    struct acl_check *check = context;
    check->lost = result != SESSION_OK;
    check->names = check->lost ? NULL : xcalloc(count + 1, sizeof *check->names);
    for (size_t i = 0; i < count && !check->lost; i++)
        if (recipe_sequence_of(names[i]) != SEQUENCE_NONE)
            check->names[check->count++] = xstrdup(names[i]);
    if (!check->lost && check->count > LIVE_ACLS_MOST)
        check->problem = text_format("it has %zu candidates, and the ACLs of at most %d are compared",
                                     check->count, LIVE_ACLS_MOST);
    ask_more(check);
}

/*
 * Reads the ACL of every candidate of the election and compares it with this one, which is borrowed
 * until fn is called: once, from the loop, also when the session ends before. False: nothing was requested.
 */
static bool live_acls_read(struct session *session, const char *election, const struct acl *ours,
                           live_acls_fn fn, void *context)
{
    struct acl_check *check = xcalloc(1, sizeof *check);
    *check = (struct acl_check){.session = session, .ours = ours, .fn = fn, .context = context};
    check->election = xstrdup(election);
    if (session_children(session, election, false, live_acls_on_list, check))
        return true;
    acl_check_free(check);
    return false;
}

struct asking {
    struct session *session;
    struct layout *layout;
    layout_fn fn;
    void *context;
    char *path, *sibling, *sibling_name;
};

static void layout_asking_end(struct asking *asking, bool lost)
{
    layout_fn fn = asking->fn;
    void *context = asking->context;
    free(asking->path);
    free(asking->sibling);
    free(asking->sibling_name);
    free(asking);
    fn(context, lost);
}

/* ---- names ---- */

static size_t guid_at(const char *at, const char **word)
{
    size_t hex = strspn(at, "0123456789abcdefABCDEF");
    if (hex == GUID_HEX_SIZE - 1) {
        *word = "{hex}";
        return hex;
    }
    static const size_t groups[] = {8, 4, 4, 4, 12};
    size_t length = 0;
    for (size_t i = 0; i < 5; i++) {
        if (strspn(at + length, "0123456789abcdefABCDEF") != groups[i] ||
            (i < 4 && at[length + groups[i]] != '-'))
            return 0;
        length += groups[i] + (i < 4);
    }
    *word = "{uuid}";
    return length;
}

char *layout_pattern(const char *name, uint64_t owner)
{
    char decimal[24], hex[20];
    size_t length = strlen(name);
    if (recipe_sequence_of(name) == SEQUENCE_NONE || length < 10)
        return NULL;
    size_t digits = length - 10;
    if (digits > 0 && name[digits - 1] == '-' && recipe_sequence_of(name) < 0)
        return NULL; /* past the counter's end */
    snprintf(decimal, sizeof decimal, "%" PRId64, (int64_t)owner);
    snprintf(hex, sizeof hex, "%016" PRIx64, owner);
    char *pattern = xmalloc(4 * length + 16);
    size_t used = 0;
    for (size_t i = 0; i < digits;) {
        const char *word = NULL;
        bool begins = i == 0 || !isxdigit((unsigned char)name[i - 1]);
        size_t found = begins ? guid_at(name + i, &word) : 0;
        if (!found && owner && begins && strncmp(name + i, decimal, strlen(decimal)) == 0) {
            found = strlen(decimal);
            word = "{session}";
        } else if (!found && owner && begins && strncmp(name + i, hex, 16) == 0) {
            found = 16;
            word = "{session_hex}";
        }
        if (found > 0 && i + found <= digits) {
            used += (size_t)sprintf(pattern + used, "%s", word);
            i += found;
        } else {
            pattern[used++] = name[i++];
        }
    }
    pattern[used] = '\0';
    return pattern;
}

/* ---- reading ---- */

static void layout_on_acl(void *context, enum session_result result, const struct acl *acl)
{
    struct asking *asking = context;
    struct layout *layout = asking->layout;
    layout->acl_masked = result == SESSION_OK && acl_is_masked(acl);
    for (size_t i = 0; result == SESSION_OK && !layout->acl_masked && i < acl->count; i++)
        layout->acl_entries[layout->acl.count++] = (struct acl_entry){
            acl->entries[i].permissions, xstrdup(acl->entries[i].scheme), xstrdup(acl->entries[i].id)};
    layout->acl.entries = layout->acl_entries;
    layout_asking_end(asking, result == SESSION_LOST);
}

static void take_name(struct asking *asking, const struct znode_stat *stat)
{
    if (!asking->layout->lock)
        asking->layout->name = layout_pattern(asking->sibling_name, stat->owner);
}

/* Its existence and owner are visible without permission to read it. */
static void on_denied_sibling(void *context, enum session_result result, const struct znode_stat *stat,
                              const void *data, size_t length)
{
    (void)data, (void)length;
    struct asking *asking = context;
    if (result == SESSION_OK)
        take_name(asking, stat);
    layout_asking_end(asking, result == SESSION_LOST);
}

static void on_sibling(void *context, enum session_result result, const struct znode_stat *stat,
                       const void *data, size_t length)
{
    struct asking *asking = context;
    struct layout *layout = asking->layout;
    if (result == SESSION_OK) {
        take_name(asking, stat);
        if (data && length > 0 && length <= LAYOUT_DATA_MOST && !memchr(data, '\0', length))
            layout->data = text_format("%.*s", (int)length, (const char *)data);
    }
    if (result == SESSION_DENIED &&
        session_exists(asking->session, asking->sibling, false, on_denied_sibling, asking))
        return;
    if (result != SESSION_OK || !session_acl(asking->session, asking->sibling, layout_on_acl, asking))
        layout_asking_end(asking, result == SESSION_LOST || result == SESSION_OK);
}

static void layout_on_list(void *context, enum session_result result, const struct znode_stat *stat,
                           char *const *names, size_t count)
{
    (void)stat;
    struct asking *asking = context;
    const char *first = NULL;
    for (size_t i = 0; result == SESSION_OK && i < count; i++) {
        int64_t number = recipe_sequence_of(names[i]);
        if (number != SEQUENCE_NONE && (!first || number < recipe_sequence_of(first)))
            first = names[i];
    }
    asking->sibling_name = first ? xstrdup(first) : NULL;
    asking->sibling = first ? path_join(asking->path, first) : NULL;
    if (!first || !session_get(asking->session, asking->sibling, false, on_sibling, asking))
        layout_asking_end(asking, result == SESSION_LOST || first);
}

static void on_path(void *context, enum session_result result, const struct znode_stat *stat,
                    const void *data, size_t length)
{
    (void)data, (void)length;
    struct asking *asking = context;
    struct layout *layout = asking->layout;
    layout->exists = result == SESSION_OK;
    if (layout->exists)
        layout->directory = *stat;
    layout->denied = result == SESSION_DENIED;
    layout->lock = result == SESSION_OK && stat->owner != 0;
    bool asked = false;
    if (layout->lock) {
        asking->sibling = xstrdup(asking->path);
        asking->sibling_name = xstrdup("");
        asked = session_get(asking->session, asking->path, false, on_sibling, asking);
    } else if (layout->exists) {
        asked = session_children(asking->session, asking->path, false, layout_on_list, asking);
    }
    if (!asked)
        layout_asking_end(asking, result == SESSION_LOST || layout->exists);
}

/* Reads it; fn is called once, from the loop. The layout must stay until then. False: nothing was asked. */
static bool layout_read(struct session *session, const char *path, struct layout *layout, layout_fn fn,
                        void *context)
{
    struct asking *asking = xcalloc(1, sizeof *asking);
    *asking = (struct asking){.session = session, .layout = layout, .fn = fn, .context = context};
    asking->path = xstrdup(path);
    if (session_get(session, path, false, on_path, asking))
        return true;
    free(asking->path);
    free(asking);
    return false;
}

void layout_free(struct layout *layout)
{
    for (size_t i = 0; i < layout->acl.count; i++) {
        free((char *)(uintptr_t)layout->acl_entries[i].scheme);
        free((char *)(uintptr_t)layout->acl_entries[i].id);
    }
    free(layout->name);
    free(layout->data);
    *layout = (struct layout){0};
}

static void may_go_on(struct run *t)
{
    t->layout_read(t, RUN_DONE, NULL);
}

static void run_layout_refuse(struct run *t, const char *problem)
{
    t->layout_read(t, RUN_REFUSED, problem);
}

/* ---- live: may test candidates join? ---- */

static void refuse_acls(struct run *t, const char *problem)
{
    char text[sizeof t->problem];
    snprintf(text, sizeof text, "%.450s; without --live their layout is tested in %.100s", problem,
             t->options.settings->inject.sandbox);
    run_layout_refuse(t, text);
}

/* In that directory alone: in a new one the first candidate leads. */
static void join_as_seen(struct run *t)
{
    guard_see_directory(t->guard, &t->layout.directory);
    may_go_on(t);
}

static void on_acls(void *context, const char *problem, bool lost)
{
    struct run *t = context;
    if (lost)
        t->layout_read(t, RUN_LOST,
                       "the connection was lost while electop read the candidates; try again");
    else if (problem)
        refuse_acls(t, problem);
    else if (t->finishing)
        may_go_on(t);
    else {
        t->guard = guard_new_live(t->path, run_name(t));
        join_as_seen(t);
    }
}

static void on_live_checked(void *context, const char *problem, int timeout_ms)
{
    struct run *t = context;
    t->live_timeout_ms = timeout_ms;
    if (problem)
        run_layout_refuse(t, problem);
    else if (t->finishing || !live_acls_read(t->session, t->path, &t->layout.acl, on_acls, t))
        on_acls(t, NULL, true);
}

static void begin_live_checks(struct run *t)
{
    const struct layout *layout = &t->layout;
    const char *problem =
        layout->lock         ? "it is a lock without a line: any waiting candidate may get it"
        : !layout->name      ? "it has no candidate with a name to copy"
        : layout->acl_masked ? "the servers do not show all of the candidates' ACL, so it cannot be copied; "
                               "give credentials with the admin right (--auth-file)"
        : layout->acl.count == 0 ? "permission denied for the candidates' ACL, so it cannot be copied"
                                 : NULL;
    if (problem) {
        run_layout_refuse(t, problem);
        return;
    }
    t->live_checks = live_checks_begin(t->loop, t->options.settings, t->options.cluster, t->options.path,
                                       layout->name, on_live_checked, t);
    if (!t->live_checks)
        t->layout_read(t, RUN_FAILED,
                       "the candidates cannot be read; raise the limit of open files (ulimit -n)");
}

/* ---- in the sandbox: the layout to copy ---- */

/* A requested option that a lock does not have; NULL: none. All of its candidates want one znode. */
static const char *lock_problem(const struct run *t)
{
    bool watches = false;
    for (size_t i = 0; i < t->options.share_count; i++) {
        const struct behaviour_rules *behaviour = behaviour_rules_of(t->options.shares[i].behaviour);
        watches |= behaviour->watches != WHOM_PREDECESSOR || behaviour->watches_once;
    }
    return !t->layout.lock   ? NULL
           : t->options.name ? "it is a lock, and its candidates have no names of their own; leave out --name"
           : watches
               ? "it is a lock: all of its candidates watch it; only the behaviours predecessor, slow and "
                 "hold apply"
               : NULL;
}

static void note_copy(struct run *t, const char *shown)
{
    const struct layout *layout = &t->layout;
    bool names = layout->name || layout->lock, acl = layout->acl.count > 0;
    run_note(t, "%.200s is not changed: its layout is copied into %s and tested there%s%s%s%s", shown,
             t->options.settings->inject.sandbox,
             names && acl ? "" : "; not known there: ", names ? "" : "the candidates' names",
             names || acl ? "" : ", ", acl ? "" : "their ACL");
}

/* ---- both ---- */

static void refuse_absent(struct run *t, const char *shown)
{
    char text[500];
    if (t->options.live)
        snprintf(text, sizeof text, "%.200s does not exist; name an existing election for them", shown);
    else
        snprintf(text, sizeof text,
                 "%.200s does not exist, so it cannot be copied; name an existing path, or one below %s",
                 shown, t->options.settings->inject.sandbox);
    run_layout_refuse(t, text);
}

static void on_layout(void *context, bool lost)
{
    struct run *t = context;
    char text[500];
    char *quoted = text_quoted(t->path);
    const char *shown = quoted, *problem;
    if (t->finishing || lost) {
        t->layout_read(t, RUN_LOST, "the connection was lost while electop read the path; try again");
    } else if (t->layout.denied) {
        snprintf(text, sizeof text, "permission denied for %.200s; give credentials with --auth-file", shown);
        run_layout_refuse(t, text);
    } else if (!t->layout.exists) {
        refuse_absent(t, shown);
    } else if (t->options.live) {
        begin_live_checks(t);
    } else if ((problem = lock_problem(t))) {
        run_layout_refuse(t, problem);
    } else {
        note_copy(t, shown);
        may_go_on(t);
    }
    free(quoted);
}

void run_layout(struct run *t, run_layout_fn fn)
{
    char *error = NULL;
    t->layout_read = fn;
    if (!run_paths_choose(t))
        run_layout_refuse(
            t, t->options.live
                   ? "--live is for a real election, and this path is in the sandbox; leave it out"
                   : "the first name below the sandbox is the run's, without . { }; choose another");
    else if (!descriptors_make_room(run_options_session_count(&t->options), &error))
        run_layout_refuse(t, error);
    else if (run_is_inside(t))
        may_go_on(t);
    else if (!layout_read(t->session, t->path, &t->layout, on_layout, t))
        t->layout_read(t, RUN_LOST, "the connection was lost; try again");
    free(error);
}
