#include "probe/election/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/acknowledgement.h"
#include "probe/election/bystanders.h"
#include "probe/election/certainty.h"
#include "probe/election/chain.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_life.h"
#include "probe/election/election_private.h"
#include "probe/election/failover_case.h"
#include "probe/election/findings.h"
#include "probe/election/leadership.h"
#include "probe/election/tenure.h"
#include "probe/election/update.h"
#include "probe/election/vacancy.h"

/* Until when it was watched. */
static struct moment watched_until(const struct model *model, const struct election *then)
{
    return then->fresh ? model->earlier_until : baseline_moment(model, then->stale_since);
}

static bool reaches_now(const struct model *model, const struct election *then, struct moment now)
{
    return now.mono_us - watched_until(model, then).mono_us <= BASELINE_GAP_US;
}

/* Of a failover that was open: nobody led until the recording's end. */
static void note_vacant(const struct update *f, const struct election *then, struct failover *failover)
{
    int64_t seen_us = watched_until(f->model, then).mono_us - failover->lost_at.mono_us;
    bool vacant = then->state == ELECTION_VACANT || then->state == ELECTION_ABSENT;
    if (vacant && failover_is_open(failover) && !vacancy_led_unseen(then, failover) &&
        seen_us > failover->vacancy.low_us)
        failover->vacancy.low_us = seen_us;
}

/* ---- the same thing? ---- */

static bool baseline_same_znode(const struct candidate *a, const struct candidate *b);

bool baseline_same_cluster(const struct cluster *a, const struct cluster *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->hosts, b->hosts) == 0 &&
           strcmp(a->chroot, b->chroot) == 0;
}

/*
 * There is no candidate, as then. A directory counts its creations: there was none since. A lock counts
 * nothing, and may be taken and released in an instant: the recording must reach until it was read.
 */
static bool still_nobody(const struct election *now, const struct election *then, struct moment until,
                         bool gapless)
{
    if (now->leader || then->leader || now->state != then->state)
        return false;
    bool counted = now->state == ELECTION_VACANT && now->next_sequence > 0;
    return counted ? now->next_sequence == then->next_sequence
                   : gapless && until.mono_us >= now->listed.mono_us;
}

void baseline_bind(const struct model *model, struct election *election)
{
    bool pending = !election->own->recalled || election->own->earlier;
    election->own->earlier = NULL;
    for (size_t i = 0; model->earlier && pending && i < model->earlier->cluster_count; i++) {
        const struct cluster *cluster = &model->earlier->clusters[i];
        if (baseline_same_cluster(cluster, election->cluster))
            election->own->earlier = cluster_election(cluster, election->path, strlen(election->path));
    }
}

bool baseline_led(const struct model *model, const struct cluster *cluster, const char *path)
{
    const char *name = strrchr(path, '/');
    for (size_t i = 0; name && model->earlier && i < model->earlier->cluster_count; i++) {
        const struct cluster *then = &model->earlier->clusters[i];
        if (!baseline_same_cluster(then, cluster))
            continue;
        const struct election *lock = cluster_election(then, path, strlen(path)),
                              *line = cluster_election(then, path, name > path ? (size_t)(name - path) : 1);
        if ((lock && lock->leader && lock->recipe && lock->recipe->family == FAMILY_LOCK) ||
            (line && line->leader && strcmp(line->leader->name, name + 1) == 0))
            return true;
    }
    return false;
}

/* ---- who led ---- */

/* Gives its rings away, to be filled anew. */
static void move_rings(struct election *from, struct election *to)
{
    to->tenures = from->tenures;
    to->tenure_first = from->tenure_first;
    to->tenure_count = from->tenure_count;
    to->tenure_room = from->tenure_room;
    to->failovers = from->failovers;
    to->failover_first = from->failover_first;
    to->failover_count = from->failover_count;
    to->failover_room = from->failover_room;
    from->tenures = NULL;
    from->failovers = NULL;
    from->tenure_first = from->tenure_count = from->tenure_room = 0;
    from->failover_first = from->failover_count = from->failover_room = 0;
}

/* Those of the recording that began before this run's own, the latest until it ended. */
static void put_recorded(const struct update *f, const struct election *then, struct moment own_from)
{
    struct moment until = watched_until(f->model, then);
    until = until.mono_us < own_from.mono_us ? until : own_from;
    for (size_t i = 0; i < then->tenure_count; i++) {
        struct tenure tenure = *election_tenure_at(then, i);
        tenure.from = baseline_moment(f->model, tenure.from);
        tenure.to = baseline_moment(f->model, tenure.to);
        if (tenure.from.mono_us >= own_from.mono_us)
            break;
        if (tenure.to.mono_us == 0 || tenure.to.mono_us > own_from.mono_us)
            tenure.to = tenure.gap ? own_from : until;
        tenure_put(f->election, &tenure);
    }
}

/* The first that this run saw: it goes on from before, or there is a gap. */
static void baseline_put_first(struct election *election, const struct tenure *first, bool seamless)
{
    struct tenure *last = tenure_last(election);
    if (seamless && last && !last->gap && text_same(last->name, first->name)) {
        last->to = first->to;
        if (!last->identity)
            last->identity = text_copy(first->identity);
        return;
    }
    if (last && last->to.mono_us < first->from.mono_us) {
        struct tenure gap = {.from = last->to, .to = first->from, .from_exact = true, .gap = true};
        tenure_put(election, &gap);
    }
    tenure_put(election, first);
}

/* Its first in line then had certainly not led: the loss before was open. */
static bool open_then(const struct election *then)
{
    return then->leader && then->change.from && !then->change.to;
}

static bool denied_then(const struct election *then)
{
    return open_then(then) || vacancy_is_denied(then);
}

/* A moment of a recording may have been converted from one clock to another. */
#define ROUNDED_US 1000

/* The recorder looked for the cause of the latest change when it was killed, and had not reported it: an open failover.
 * A session that leads again is none. */
static bool is_unreported(const struct update *f, const struct election *then, struct failover *untold)
{
    static char evidence[] = "the recorder ended before it had found the cause";
    const struct change *change = &then->change;
    const struct failover *last =
        then->failover_count ? election_failover_at(then, then->failover_count - 1) : NULL;
    const struct tenure *before =
        then->tenure_count > 1 ? election_tenure_at(then, then->tenure_count - 2) : NULL;
    bool nobody = then->kind == KIND_LEADER &&
                  (then->state == ELECTION_VACANT || then->state == ELECTION_ABSENT || denied_then(then));
    if (f->model->earlier_grows || !change->from || !(change->to ? then->leader != NULL : nobody) ||
        (last && last->lost_at.wall_us >= change->lost_at.wall_us - ROUNDED_US) ||
        (change->to && tenure_goes_on(then)))
        return false;
    *untold = (struct failover){.from = change->from,
                                .from_identity = change->from_identity,
                                .lost_at = baseline_moment(f->model, change->lost_at),
                                .cause = CAUSE_UNKNOWN,
                                .evidence = evidence,
                                .in_line = denied_then(then),
                                .detection = SPAN_UNKNOWN,
                                .vacancy = {0, SPAN_OPEN},
                                .takeover = SPAN_UNKNOWN,
                                .total = SPAN_UNKNOWN};
    if (before && before->gap && change->lost_at.mono_us > before->from.mono_us) /* found after it */
        untold->gap_us = change->lost_at.mono_us - before->from.mono_us;
    struct moment since = untold->lost_at;
    if (change->to)
        since = moment_later(since, baseline_moment(f->model, then->leader_since));
    return watched_until(f->model, then).mono_us - since.mono_us <=
           failover_case_wait_us(then) + BASELINE_GAP_US;
}

static void take_tenures(const struct update *f, const struct election *then, bool seamless)
{
    struct election own = {0}, *election = f->election;
    move_rings(election, &own);
    struct moment own_from = own.tenure_count ? tenure_at(&own, 0)->from : f->at;
    election->own_since = own_from;
    put_recorded(f, then, own_from);
    for (size_t i = 0; i < own.tenure_count; i++)
        if (i == 0)
            baseline_put_first(election, tenure_at(&own, 0), seamless);
        else
            tenure_put(election, tenure_at(&own, i));
    for (size_t i = 0; i < then->failover_count; i++) {
        struct failover failover = *election_failover_at(then, i);
        failover.lost_at = baseline_moment(f->model, failover.lost_at);
        failover.elected_at = baseline_moment(f->model, failover.elected_at);
        failover.in_line = failover_is_open(&failover) && then->leader;
        note_vacant(f, then, &failover);
        if (failover.lost_at.mono_us < own_from.mono_us)
            election_keep_failover(election, &failover);
    }
    struct failover untold;
    if (is_unreported(f, then, &untold)) {
        note_vacant(f, then, &untold);
        election_keep_failover(election, &untold);
    }
    for (size_t i = 0; i < own.failover_count; i++)
        election_keep_failover(election, election_failover_at(&own, i));
    tenures_free(&own);
    failovers_free(&own);
}

static void take_change(const struct update *f, const struct change *then)
{
    struct change *change = &f->election->change;
    if (change->from || change->to)
        return; /* this run saw a later one */
    *change = *then;
    change->from = text_copy(then->from);
    change->from_identity = text_copy(then->from_identity);
    change->to = text_copy(then->to);
    change->to_identity = text_copy(then->to_identity);
    change->lost_at = baseline_moment(f->model, then->lost_at);
}

/* ---- since when ---- */

static void take_leader(const struct update *f, const struct election *then)
{
    struct election *election = f->election;
    election->own->leader_bound = baseline_moment(f->model, then->leader_since);
    if (election->leader_since_exact || then->leader_since.mono_us == 0)
        return;
    election->leader_since = election->own->leader_bound;
    election->leader_since_exact = then->leader_since_exact;
}

/* At the recording's end there was another leader, or none. */
static void bound_leader(const struct update *f, const struct election *then)
{
    bool known =
        then->state == ELECTION_LED || then->state == ELECTION_VACANT || then->state == ELECTION_ABSENT;
    struct election *election = f->election;
    if (!election->leader || !known)
        return;
    election->own->leader_bound = watched_until(f->model, then);
    if (!election->leader_since_exact && election->leader_since.mono_us < election->own->leader_bound.mono_us)
        election->leader_since = election->own->leader_bound;
}

static const struct recipe *recorded_recipe(const struct update *f, const struct election *then)
{
    return then->recipe ? recipe_book_find(f->model->recipes, then->recipe->name) : NULL;
}

/* The configuration of then does not hold now. */
static enum recognised recorded_proof(const struct election *then)
{
    return then->recognised == RECOGNISED_CONFIGURED ? RECOGNISED_NAME : then->recognised;
}

const struct recipe *baseline_recipe(const struct update *f, char *const *names, size_t count,
                                     enum recognised *recognised)
{
    const struct election *then = f->election->own->earlier;
    const struct recipe *recipe = then ? recorded_recipe(f, then) : NULL;
    struct candidate_name parsed;
    if (!recipe || recipe->family == FAMILY_LOCK || strcmp(recipe->name, RECIPE_ANY_SEQUENCE) == 0)
        return NULL;
    size_t i = 0;
    while (i < count && !recipe_parse_name(f->model->recipes, recipe, names[i], &parsed))
        i++;
    if (i == count)
        return NULL;
    *recognised = recorded_proof(then);
    return recipe;
}

/* A layout shows only while it has candidates: without them, what it showed then proves more than its path does. */
static void take_layout(const struct update *f, const struct election *then)
{
    struct election *election = f->election;
    const struct recipe *recipe = recorded_recipe(f, then);
    bool proves_more = recorded_proof(then) > election->recognised &&
                       (recipe == election->recipe || election->candidate_count == 0);
    if (recipe && (!election->recipe || proves_more))
        election_take_recipe(election, recipe, recorded_proof(then));
    if (election->recipe == recipe)
        election->shows_predecessor |= then->shows_predecessor;
}

/* What is certain to lack an acknowledgement is so because this version of the layout was seen to have one. */
static void take_acknowledgement(const struct update *f, const struct election *then)
{
    struct election *election = f->election;
    bool proved = false;
    for (size_t i = 0; i < then->finding_count; i++) {
        const struct finding *finding = then->findings[i];
        enum certainty_verdict without;
        proved |= finding->certainty == CERTAINTY_CERTAIN &&
                  certainty_presumes(finding->code, PRESUMES_ACK, &without);
    }
    if (!proved || election->own->ack_proved || !election->recipe ||
        election->recipe != recorded_recipe(f, then) || !text_same(election->ack_path, then->ack_path))
        return;
    election->own->ack_proved = true;
    acknowledge_update(f);
}

static void take_counters(struct counters *counters, const struct counters *then)
{
    counters->joined += then->joined;
    counters->left += then->left;
    counters->leader_changes += then->leader_changes;
    counters->missed_changes += then->missed_changes;
    counters->unseen_joined += then->unseen_joined;
    counters->unseen_left += then->unseen_left;
}

/* Findings rest on earlier events. */
static void take_evidence(const struct update *f, const struct election *then)
{
    struct election *election = f->election;
    take_counters(&election->counters, &then->counters);
    if (election->unseen_at.mono_us == 0)
        election->unseen_at = baseline_moment(f->model, then->unseen_at);
    if (election->acknowledged == ACK_NO)
        election->unacknowledged_since = baseline_unacknowledged(f);
    findings_take_baseline(f);
}

/* The first in line was proved to watch nothing that would notify it. A gap may have changed that: it is suspected. */
static void take_deafness(const struct update *f, const struct election *then)
{
    struct candidate *leader =
        f->election->leader ? f->election->candidates[f->election->leader->place] : NULL;
    const struct candidate *recorded = leader ? election_find(then, leader->name) : NULL;
    for (size_t i = 0; i < then->finding_count && baseline_same_znode(leader, recorded); i++) {
        const struct finding *finding = then->findings[i];
        bool proved = chain_is_deaf(finding->code) && finding->certainty == CERTAINTY_CERTAIN;
        bool told = finding->code == FINDING_NEVER_WAKES && finding->severity == SEVERITY_CRITICAL;
        if ((proved || told) && finding->candidate_count > 0 &&
            strcmp(finding->candidates[0], leader->name) == 0)
            leader->own->recorded_deaf = watched_until(f->model, then);
    }
}

/* The recorded directory is this one: it is older than a znode that was in it. */
static bool same_directory(const struct election *now, const struct election *then)
{
    return now->directory_known && then->next_sequence >= 0 && then->leader && then->leader->known &&
           now->own->directory.czxid < then->leader->stat.czxid;
}

/* Candidates that were created since, and were gone before this run began: creations are counted. */
static void count_unseen_between(const struct update *f, const struct election *then)
{
    struct election *election = f->election;
    int64_t unseen = election->own->first_next - then->next_sequence - (int64_t)election->counters.left;
    for (size_t i = 0; i < election->candidate_count; i++) {
        int64_t sequence = election->candidates[i]->sequence;
        unseen -= sequence >= then->next_sequence && sequence < election->own->first_next;
    }
    if (election->foreign_count > then->foreign_count)
        unseen -= (int64_t)(election->foreign_count - then->foreign_count);
    if (unseen <= 0)
        return;
    election->counters.unseen_joined += (uint64_t)unseen;
    election->counters.unseen_left += (uint64_t)unseen;
    update_emit(f, &(struct event){.kind = EVENT_UNSEEN,
                                   .unseen_joined = (uint64_t)unseen,
                                   .unseen_left = (uint64_t)unseen,
                                   .gap_us = f->at.mono_us - watched_until(f->model, then).mono_us});
}

/* The leader has changed or is missing: reports the change in the gap, as after a lost connection. */
static void find_missed(const struct update *f, const struct election *then)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    bool ended = election->state == ELECTION_LED || election->state == ELECTION_VACANT ||
                 election->state == ELECTION_ABSENT;
    if (!ended || then->state != ELECTION_LED || !then->leader || !then->leader->known || denied_then(then))
        return;
    if (change->from || change->to)
        return; /* this run saw a later one */
    change->from = text_copy(then->leader->name);
    change->from_identity = text_copy(then->leader->identity);
    change->lost_at = f->at;
    if (election->leader) {
        change->to = text_copy(election->leader->name);
        change->to_identity = text_copy(election->leader->identity);
    }
    failover_case_found(f, then->leader, watched_until(f->model, then));
}

/* ---- a failover that was open ---- */

/* When this run began. */
static const struct failover *left_open(const struct election *election)
{
    const struct failover *last = NULL;
    for (size_t i = 0; i < election->failover_count; i++) {
        const struct failover *failover = election_failover_at(election, i);
        if (failover->lost_at.mono_us < election->own_since.mono_us)
            last = failover;
    }
    return last && failover_is_open(last) ? last : NULL;
}

static const struct tenure *first_leader(const struct election *election)
{
    for (size_t i = 0; i < election->tenure_count; i++) {
        const struct tenure *tenure = election_tenure_at(election, i);
        if (tenure->name && tenure->from.mono_us >= election->own_since.mono_us)
            return tenure;
    }
    return NULL;
}

/* The next leader is the one at the recording's end; without one, the first leader of this run. */
static void close_failover(const struct update *f, const struct failover *open, const struct election *then,
                           const struct tenure *first, int64_t gap_us)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    const struct candidate *recorded = denied_then(then) ? NULL : then->leader;
    struct failover failover = *open;
    failover.to = recorded ? recorded->name : first->name;
    failover.to_identity = recorded ? recorded->identity : first->identity;
    failover.elected_at = recorded ? baseline_moment(f->model, then->leader_since) : first->from;
    failover.elected_at = moment_later(failover.elected_at, open->lost_at); /* both were found after a gap */
    failover.vacancy = failover.takeover = failover.total = SPAN_UNKNOWN;
    struct moment after = failover_lost_after(open);
    if (after.mono_us < open->lost_at.mono_us)
        failover.gap_us = failover.elected_at.mono_us - after.mono_us;
    else
        failover.gap_us += recorded ? 0 : gap_us;
    if (recorded && then->change.lost_at.wall_us == open->lost_at.wall_us && failover.gap_us == 0)
        failover.vacancy = failover_case_recorded_vacancy(then);
    if (failover.vacancy.low_us < 0 && failover.gap_us == 0 && open->vacancy.low_us > 0)
        failover.vacancy = open->vacancy; /* at least */
    if (!recorded && first->from.mono_us == election->own_since.mono_us) {
        election->counters.leader_changes++;
        election->counters.missed_changes += failover.gap_us > 0;
    }
    if (!recorded && !change->from && !change->to) {
        change->from = text_copy(failover.from);
        change->from_identity = text_copy(failover.from_identity);
        change->to = text_copy(failover.to);
        change->to_identity = text_copy(failover.to_identity);
        change->lost_at = failover.lost_at;
    }
    failover_case_tell(f, &failover, 0);
}

/* The recorder reported an open failover: closes it if there is a leader by now; else this run reports its end. */
static void take_open(const struct update *f, const struct election *then, bool goes_on)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    const struct failover *open = left_open(election);
    const struct tenure *first = first_leader(election);
    if (!open)
        return;
    int64_t gap_us = election->own_since.mono_us - watched_until(f->model, then).mono_us;
    gap_us = goes_on || gap_us < 0 ? 0 : gap_us;
    bool nobody = (!then->leader || denied_then(then)) && !first;
    if (nobody && !change->from && !change->to) {
        change->from = text_copy(open->from);
        change->from_identity = text_copy(open->from_identity);
        change->lost_at = open->lost_at;
    }
    if (!nobody) {
        close_failover(f, open, then, first, gap_us);
    } else if (moment_is(change->lost_at, open->lost_at)) {
        election->own->led_unseen |= !goes_on;
        struct moment after = failover_lost_after(open);
        if (after.mono_us < open->lost_at.mono_us)
            election->own->lost_after = after;
        failover_case_recalled(f, open->gap_us + gap_us);
        struct failover untold;
        if (is_unreported(f, then, &untold))
            failover_case_tell(f, open, 0);
    }
}

/* Its leader is known, or known to be missing. */
static bool is_seen(const struct election *election)
{
    if (!election->fresh)
        return false;
    return election->leader ? election->leader->known
                            : election->state == ELECTION_VACANT || election->state == ELECTION_ABSENT;
}

void baseline_take(const struct update *f)
{
    struct election *election = f->election;
    const struct election *then = election->own->earlier;
    if (!then || election->own->recalled || !is_seen(election))
        return;
    bool gapless = reaches_now(f->model, then, f->at);
    bool leads_on = election->leader && baseline_same_znode(election->leader, then->leader);
    bool goes_on = leads_on || still_nobody(election, then, watched_until(f->model, then), gapless);
    if (!goes_on && gapless && f->model->earlier_grows)
        return; /* the recorder is about to report the change in between */
    election->own->recalled = true;
    if (leads_on && open_then(then))
        leadership_denied(&(struct update){f->model, election, watched_until(f->model, then)});
    /* An active recorder is only a little behind; else it was not observed until this run began. */
    take_tenures(f, then, goes_on && gapless && f->model->earlier_grows);
    if (leads_on)
        take_leader(f, then);
    else
        bound_leader(f, then);
    if (goes_on) {
        election->state_since = baseline_moment(f->model, then->state_since);
        election->state_since_exact = then->state_since_exact;
        take_change(f, &then->change);
        departed_take_baseline(f, then);
    }
    if (goes_on || election->state == ELECTION_ABSENT ||
        (election->state == ELECTION_VACANT && same_directory(election, then)))
        take_layout(f, then);
    take_acknowledgement(f, then);
    take_open(f, then, goes_on);
    take_deafness(f, then);
    if (!(leads_on && gapless) && same_directory(election, then))
        count_unseen_between(f, then);
    if (!goes_on)
        find_missed(f, then);
    if (goes_on && gapless)
        take_evidence(f, then);
    else
        election->own->earlier = NULL;
    update_touched(f);
}

/* ---- all ---- */

static bool waits(const struct election *election)
{
    return election->own->earlier && !election->own->recalled && is_seen(election);
}

bool model_awaits_baseline(const struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++)
            if (waits(model->clusters[i].elections[k]))
                return true;
    return false;
}

static void take_all(struct model *model)
{
    for (size_t i = 0; i < model->cluster_count; i++) {
        bool takes = false;
        for (size_t k = 0; k < model->clusters[i].election_count; k++) {
            struct election *election = model->clusters[i].elections[k];
            if (!waits(election))
                continue;
            baseline_take(&(struct update){model, election, model->now});
            takes = true;
        }
        if (takes) /* a single snapshot is taken before the next observation */
            failover_cases_settle(model, &model->clusters[i], model->now);
    }
}

void model_take_baseline(struct model *model, const struct model *then, struct moment until, bool grows)
{
    if (!then) { /* no better state will come: waiting elections take this one */
        model->earlier_grows = false;
        take_all(model);
    }
    model->earlier = then;
    if (then)
        model->earlier_until = until;
    model->earlier_grows = grows;
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t k = 0; k < model->clusters[i].election_count; k++)
            baseline_bind(model, model->clusters[i].elections[k]);
    if (then)
        take_all(model);
}

/* The recorder's own clock tells how long ago it was: the wall's may have been set since. */
struct moment baseline_moment(const struct model *model, struct moment then)
{
    const struct moment *until = &model->earlier_until;
    if (then.mono_us == 0)
        return then;
    const struct moment *end = model->earlier && model->earlier->now.mono_us ? &model->earlier->now : NULL;
    int64_t ago_us =
        end ? (int64_t)((uint64_t)end->mono_us - (uint64_t)then.mono_us) : until->wall_us - then.wall_us;
    int64_t mono_us = (int64_t)((uint64_t)until->mono_us - (uint64_t)ago_us);
    return (struct moment){mono_us ? mono_us : 1, then.wall_us};
}

/* Is it one and the same, in both? Either may be NULL: no. */
static bool baseline_same_znode(const struct candidate *a, const struct candidate *b)
{
    return a && b && a->known && b->known && strcmp(a->name, b->name) == 0 &&
           a->stat.czxid == b->stat.czxid && a->stat.ctime_ms == b->stat.ctime_ms &&
           a->stat.owner == b->stat.owner;
}

struct moment baseline_unacknowledged(const struct update *f)
{
    const struct election *now = f->election, *then = now->own->earlier;
    bool same = then && now->own->recalled && then->acknowledged == ACK_NO &&
                baseline_same_znode(now->leader, then->leader);
    return same && then->unacknowledged_since.mono_us ? baseline_moment(f->model, then->unacknowledged_since)
                                                      : f->at;
}

/* A candidate's is identified by its znode: its number is made anew in each run. */
static bool same_finding(const struct election *now, const struct finding *finding, size_t about,
                         const struct election *then, const struct finding *recorded)
{
    if (recorded->code != finding->code)
        return false;
    if (about == SIZE_MAX)
        return recorded->subject == finding->subject;
    return about < recorded->candidate_count &&
           baseline_same_znode(election_find(now, finding->candidates[about]),
                               election_find(then, recorded->candidates[about]));
}

void baseline_finding(const struct update *f, struct finding *finding, size_t about)
{
    const struct election *now = f->election, *then = now->own->earlier;
    for (size_t i = 0; then && now->own->recalled && i < then->finding_count; i++)
        if (same_finding(now, finding, about, then, then->findings[i])) {
            finding->since = baseline_moment(f->model, then->findings[i]->since);
            return;
        }
}
