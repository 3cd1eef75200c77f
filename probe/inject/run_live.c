#include "probe/inject/run_live.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/candidate/naming.h"
#include "probe/election/recipe.h"
#include "probe/inject/crowd.h"
#include "probe/inject/live_checks.h"
#include "probe/inject/run_state.h"

void leads_check_begin(struct leads_check *check, uint64_t now_us)
{
    *check = (struct leads_check){.ours = INT64_MAX, .behind_us = now_us, .before_least = -1};
}

void leads_check_list(struct leads_check *check, char *const *names, size_t count, int64_t ours,
                      uint64_t asked_us, uint64_t answered_us)
{
    int64_t before = 0, last = 0;
    size_t real = 0, still = 0;
    if (ours < check->ours)
        check->ours = ours;
    for (size_t i = 0; i < count; i++) {
        int64_t number = recipe_sequence_of(names[i]);
        if (number == SEQUENCE_NONE)
            continue;
        before += number < check->ours;
        real += number < ours;
        still += number < check->bound;
        last = number > last ? number : last;
    }
    check->left = still < check->real;
    check->real = real;
    check->bound = ours < last ? ours : last + 1;
    if (check->ours == INT64_MAX || before > 0)
        check->behind_us = asked_us;
    else if (answered_us - check->behind_us > check->first_may_us)
        check->first_may_us = answered_us - check->behind_us;
    if (check->ours != INT64_MAX && (check->before_least < 0 || before < check->before_least))
        check->before_least = before;
    check->ours = ours;
}

bool leads_check_is_open(const struct leads_check *check)
{
    return check->ours != INT64_MAX;
}

/* The pause before the first return; each further one is twice as long. */
#define LIST_MS 1000
#define REJOIN_MS 2000
/* Lists at the end, until one shows no test candidate. */
#define LAST_LISTS 3

struct live_rules {
    struct run *run;
    void (*over)(struct run *, const char *problem);
    void (*cleared)(struct run *, bool seen);

    bool keeping, listing, again; /* again: something happened while the list was on its way */
    bool out;                     /* all have withdrawn */
    uint64_t rejoin_ms, list_ms, asked_us;
    struct leads_check leads;
    size_t owed, last_lists;
    bool unseen; /* an answer at the end was lost with its connection */
    bool freed;
};

static uint64_t run_live_now_ms(const struct live_rules *rules)
{
    return uv_now(rules->run->loop);
}

/* ---- while they are in line ---- */

/* Withdraws the test candidates: a real one has left, or too few are left. Only the latter is counted. */
static void withdraw(struct live_rules *rules, size_t real)
{
    struct run *t = rules->run;
    struct crowd_figures figures;
    bool too_few = real < LIVE_CHECKS_LEAST;
    guard_open(t->guard, false);
    crowd_close(t->crowd, true);
    crowd_figures(t->crowd, &figures);
    for (size_t i = 0; i < figures.candidates; i++)
        crowd_kill(t->crowd, i, KILL_RESIGN);
    rules->out = true;
    t->withdrawals += too_few;
    rules->rejoin_ms = run_live_now_ms(rules) + ((uint64_t)REJOIN_MS << t->withdrawals);
    run_note(t, "withdrew when a real candidate left: %zu %s still ahead of the test candidates%s", real,
             real == 1 ? "was" : "were", too_few ? ", which is too few" : "");
    if (t->withdrawals >= LIVE_WITHDRAWALS_MOST)
        rules->over(t, "withdrew for the third time, and does not return");
}

static void rejoin(struct live_rules *rules)
{
    struct run *t = rules->run;
    struct crowd_figures figures;
    guard_open(t->guard, true);
    crowd_close(t->crowd, false);
    rules->out = false;
    crowd_figures(t->crowd, &figures);
    for (size_t i = 0; i < figures.candidates; i++)
        crowd_volunteer(t->crowd, i);
}

static void list_read(struct live_rules *);

/* Passes the list that was requested last to leads_check. Returns our smallest number in it; INT64_MAX: none. */
static int64_t ours_in(struct live_rules *rules, char *const *names, size_t count)
{
    struct run *t = rules->run;
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        char *path = path_join(t->path, names[i]);
        int64_t number = recipe_sequence_of(names[i]);
        if (number != SEQUENCE_NONE && number < first && guard_owns(t->guard, path))
            first = number;
        free(path);
    }
    leads_check_list(&rules->leads, names, count, first, rules->asked_us, uv_hrtime() / 1000);
    return first;
}

static void rules_apply(struct live_rules *rules, char *const *names, size_t count)
{
    int64_t first = ours_in(rules, names, count);
    size_t real = rules->leads.real;
    if (!rules->out && (real < LIVE_CHECKS_LEAST || rules->leads.left))
        withdraw(rules, real);
    else if (rules->out && first == INT64_MAX && real >= LIVE_CHECKS_LEAST &&
             run_live_now_ms(rules) >= rules->rejoin_ms)
        rejoin(rules);
}

/* The candidates before ours are not known any more. */
static void end_blind(struct live_rules *rules)
{
    struct run *t = rules->run;
    guard_open(t->guard, false);
    rules->leads.blind = true;
    rules->over(t, "permission denied: the election can no longer be read, so the candidates before the test "
                   "candidates are unknown; they left; give credentials with --auth-file");
}

static void run_live_on_list(void *context, const struct session_answer *answer)
{
    struct live_rules *rules = context;
    rules->listing = false;
    if (rules->freed) {
        free(rules);
        return;
    }
    if (!rules->keeping || rules->run->phase == RUN_ENDING || rules->run->phase == RUN_OVER)
        return;
    guard_see_directory(rules->run->guard, answer->stat);
    if (answer->result == SESSION_OK)
        rules_apply(rules, answer->names, answer->count);
    else if (answer->result == SESSION_NO_NODE)
        rules_apply(rules, NULL, 0);
    else if (answer->result == SESSION_DENIED)
        end_blind(rules);
    if (rules->again && rules->keeping)
        list_read(rules);
}

static void list_read(struct live_rules *rules)
{
    rules->again = rules->listing;
    if (!rules->listing)
        rules->asked_us = uv_hrtime() / 1000;
    if (!rules->listing &&
        session_children(rules->run->session, rules->run->path, true, run_live_on_list, rules))
        rules->listing = true;
}

struct live_rules *live_rules_keep(struct run *t, void (*over)(struct run *, const char *problem))
{
    struct live_rules *rules = xcalloc(1, sizeof *rules);
    rules->run = t;
    rules->over = over;
    rules->keeping = true;
    leads_check_begin(&rules->leads, uv_hrtime() / 1000);
    list_read(rules);
    return rules;
}

void live_rules_noticed(struct live_rules *rules)
{
    if (rules->keeping)
        list_read(rules);
}

/* A list now and then even without a notification: an answer may have shown which names are ours. */
void live_rules_tick(struct live_rules *rules)
{
    if (!rules->keeping || run_live_now_ms(rules) < rules->list_ms + LIST_MS)
        return;
    rules->list_ms = run_live_now_ms(rules);
    list_read(rules);
}

/* ---- after ---- */

static bool last_list(struct live_rules *);

static void run_live_on_cleared(void *context, const struct session_answer *answer)
{
    struct live_rules *rules = context;
    rules->unseen |= answer->result == SESSION_LOST;
    if (--rules->owed > 0)
        return;
    if (rules->freed)
        free(rules);
    else if (rules->unseen || !leads_check_is_open(&rules->leads) || ++rules->last_lists >= LAST_LISTS ||
             !last_list(rules))
        rules->cleared(rules->run, !rules->unseen);
}

/* Its name does not show whether it is ours; its owner does. */
struct owner_check {
    struct live_rules *rules;
    char path[];
};

static void on_last_owner(void *context, const struct session_answer *answer)
{
    struct owner_check *check = context;
    struct live_rules *rules = check->rules;
    struct run *t = rules->run;
    bool ours =
        answer->result == SESSION_OK && !rules->freed && guard_is_our_session(t->guard, answer->stat->owner);
    if (!ours || !guard_delete(t->guard, t->session, check->path, -1, run_live_on_cleared, rules))
        run_live_on_cleared(rules, answer);
    free(check);
}

static bool delete_last(struct live_rules *rules, const char *path)
{
    struct run *t = rules->run;
    if (!guard_owns(t->guard, path))
        return false;
    if (guard_name_is_unique(t->guard))
        return guard_delete(t->guard, t->session, path, -1, run_live_on_cleared, rules);
    size_t size = strlen(path) + 1;
    struct owner_check *check = xmalloc(sizeof *check + size);
    check->rules = rules;
    memcpy(check->path, path, size);
    if (session_exists(t->session, path, false, on_last_owner, check))
        return true;
    free(check);
    return false;
}

static void on_last_list(void *context, const struct session_answer *answer)
{
    struct live_rules *rules = context;
    struct run *t = rules->run;
    rules->leads.blind |= answer->result == SESSION_DENIED;
    if (!rules->freed && (answer->result == SESSION_OK || answer->result == SESSION_NO_NODE))
        ours_in(rules, answer->names, answer->result == SESSION_OK ? answer->count : 0);
    for (size_t i = 0; answer->result == SESSION_OK && !rules->freed && i < answer->count; i++) {
        char *path = path_join(t->path, answer->names[i]);
        rules->owed += delete_last(rules, path);
        free(path);
    }
    run_live_on_cleared(rules, answer);
}

static bool last_list(struct live_rules *rules)
{
    rules->owed = 1;
    rules->asked_us = uv_hrtime() / 1000;
    if (session_children(rules->run->session, rules->run->path, false, on_last_list, rules))
        return true;
    rules->owed = 0;
    return false;
}

bool live_rules_clear(struct live_rules *rules, void (*done)(struct run *, bool seen))
{
    rules->keeping = rules->unseen = false;
    rules->cleared = done;
    return last_list(rules);
}

const struct leads_check *live_rules_leads(const struct live_rules *rules)
{
    return &rules->leads;
}

/* Answers may still be owed: they come before the session's end, and let go of it then. */
void live_rules_free(struct live_rules *rules)
{
    if (!rules)
        return;
    rules->keeping = false;
    rules->freed = true;
    if (!rules->listing && rules->owed == 0)
        free(rules);
}
