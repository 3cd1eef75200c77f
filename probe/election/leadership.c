#include "probe/election/leadership.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/acknowledgement.h"
#include "probe/election/bystanders.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/failover_case.h"
#include "probe/election/summary.h"
#include "probe/election/tenure.h"
#include "probe/election/update.h"

/* ---- the latest change ---- */

void leadership_clear_change(struct change *change)
{
    free(change->from);
    free(change->from_identity);
    free(change->to);
    free(change->to_identity);
    *change = (struct change){.vacancy_us = -1, .takeover_us = -1};
}

static bool change_open(const struct change *change)
{
    return change->from && !change->to;
}

/* A candidate that existed no longer than this and was never read has not led: the loss before it stays open.
 * Not so for a lock: who creates its znode leads. Found after a gap, it may have existed all that time. */
#define BRIEF_US INT64_C(1000000)

static bool stood_briefly(const struct update *f, const struct candidate *leader)
{
    const struct change *change = &f->election->change;
    const struct recipe *recipe = f->election->recipe;
    return recipe && recipe->family != FAMILY_LOCK && !leader->known && !leader->denied &&
           f->election->fresh && f->election->leader_since_exact && change->from && change->to &&
           strcmp(change->to, leader->name) == 0 && leader->joined.mono_us >= change->lost_at.mono_us &&
           f->at.mono_us - leader->joined.mono_us < BRIEF_US && failover_case_reopen(f->election);
}

static void change_reopen(struct change *change)
{
    free(change->to);
    free(change->to_identity);
    change->to = change->to_identity = NULL;
    change->vacancy_us = change->takeover_us = -1;
}

void leadership_found(const struct update *f, struct candidate *leader)
{
    struct election *election = f->election;
    election->leader = leader;
    election->leader_since = (struct moment){0};
    election->leader_since_exact = false;
    election->own->leader_bound = election->own->denied = (struct moment){0};
    tenure_begin(election, leader, f->at, false, false);
    if (leader->known)
        leadership_read(f);
}

void leadership_lost(const struct update *f, const struct candidate *leader, bool seen)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    update_emit_elected_read(f, true);
    leadership_counted(election);
    bool denied = election->own->denied.mono_us != 0, brief = !denied && stood_briefly(f, leader);
    bool still_open = denied || brief;
    if (!still_open)
        failover_case_close(f);
    acknowledge_lost(election);
    election->own->still_open = still_open;
    if (brief) {
        change_reopen(change);
        departed_brief(election, leader, f->at);
    } else if (!denied) {
        leadership_clear_change(change);
        change->from = text_copy(leader->name);
        change->from_identity = text_copy(leader->identity);
        change->lost_at = f->at;
        change->lost_seen = seen;
        election->own->lost_after = election->fresh ? (struct moment){0} : election->stale_since;
        election->own->led_unseen = false;
    }
    election->leader = NULL;
    election->leader_since = (struct moment){0};
    election->leader_since_exact = false;
    election->own->leader_bound = (struct moment){0};
    if (denied)
        leadership_vacant(f);
    else
        tenure_begin(election, NULL, f->at, election->fresh, false);
    if (!still_open)
        failover_case_open(f, leader);
    acknowledge_update(f);
}

void leadership_denied(const struct update *f)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    struct tenure *last = tenure_last(election);
    if (election->own->denied.mono_us != 0)
        return;
    election->own->denied = f->at;
    election->own->still_open = true;
    if (last && last->name)
        tenure_deny(last);
    if (change->from && change->to) {
        change_reopen(change);
        failover_case_denied(f);
    }
    failover_case_logged(f);
    update_touched(f);
}

#define BELIEVED_AFTER_US INT64_C(15000000)

void leadership_believed(const struct update *f)
{
    const struct election *election = f->election;
    int64_t denied_us = election->own->denied.mono_us, own_us = election->own_since.mono_us;
    if (denied_us == 0 || !election->leader)
        return;
    if (denied_us < own_us && f->at.mono_us - own_us < BELIEVED_AFTER_US)
        return; /* a recording denied it: what shows it again is still being listed */
    leadership_won(f, f->election->leader);
    update_touched(f);
}

void leadership_won(const struct update *f, const struct candidate *leader)
{
    struct election *election = f->election;
    struct change *change = &election->change;
    bool open = change_open(change);
    struct tenure *last = tenure_last(election);
    bool nobody = last && !last->name && !last->gap;
    bool denied = election->leader != NULL;                   /* until now: it became first before */
    bool late = denied && nobody && change->takeover_us >= 0; /* it acknowledged: it was taking over */
    struct moment first = late ? last->from : f->at;
    if (!open)
        leadership_clear_change(change);
    change->to = text_copy(leader->name);
    change->to_identity = text_copy(leader->identity);

    /* A candidate that waited when the leader went became first at that moment, or behind one that never led. */
    bool waited = open && leader->joined.mono_us < change->lost_at.mono_us &&
                  (late ? first.mono_us == change->lost_at.mono_us : !election->own->still_open);
    /* A candidate found after a gap may have been there for most of that time. */
    if (open && (late || !denied) && election->own->lost_after.mono_us == 0 && !election->own->led_unseen &&
        (waited || election->fresh))
        change->vacancy_us = waited ? 0 : first.mono_us - change->lost_at.mono_us;
    if (waited) {
        bool found_late = election->own->lost_after.mono_us != 0;
        election->leader_since = found_late ? election->own->lost_after : change->lost_at;
        election->leader_since_exact = !found_late;
    } else if (denied) {
        election->leader_since = late ? first : election->own->denied;
        election->leader_since_exact = false;
    } else {
        election->leader_since =
            election->fresh ? f->at : moment_later(election->stale_since, election->own->lost_after);
        election->leader_since_exact = election->fresh;
        if (election->leader_since.mono_us == 0)
            election->leader_since = f->at;
    }

    bool always = open && nobody && last->from.mono_us == change->lost_at.mono_us &&
                  (waited || last->from.mono_us == f->at.mono_us);
    if (always || late) { /* from then on there was a leader */
        first = last->from;
        tenure_drop_last(election);
    }
    tenure_begin(election, leader, first, election->leader_since_exact, false);
    election->leader = leader;
    election->own->uncounted = election->own->denied.mono_us == 0; /* else counted with who never led */
    failover_case_won(f);
    election->own->denied = (struct moment){0};
    election->own->still_open = false;
    acknowledge_update(f);
}

void leadership_vacant(const struct update *f)
{
    struct election *election = f->election;
    struct tenure *last = tenure_last(election);
    if (!last || last->name || last->gap)
        tenure_begin(election, NULL, f->at, last && !last->gap, false);
}

void leadership_kept(const struct update *f)
{
    struct election *election = f->election;
    struct tenure *last = tenure_last(election);
    if (!last || !last->gap)
        return;
    /* Its znode is still first, so it led all the while; but it was not observed. */
    tenure_begin(election, election->own->denied.mono_us ? NULL : election->leader, f->at, false, false);
}

static void name_identity(char **identity, const struct candidate *leader)
{
    if (leader->identity && !(*identity && strcmp(*identity, leader->identity) == 0)) {
        free(*identity);
        *identity = text_copy(leader->identity);
    }
}

void leadership_counted(struct election *election)
{
    election->counters.leader_changes += election->own->uncounted && !tenure_goes_on(election);
    election->own->uncounted = false;
}

void leadership_read(const struct update *f)
{
    struct election *election = f->election;
    const struct candidate *leader = election->leader;
    if (!leader)
        return;
    struct tenure *last = tenure_last(election);
    if (last && last->name && strcmp(last->name, leader->name) == 0) {
        name_identity(&last->identity, leader);
        last->session = leader->known ? leader->stat.owner : last->session;
    }
    if (leader->known)
        leadership_counted(election);
    if (election->change.to && strcmp(election->change.to, leader->name) == 0)
        name_identity(&election->change.to_identity, leader);

    if (election->leader_since_exact || !leader->known)
        return;
    int64_t created_us = summary_created_us(leader);
    struct moment created = {.wall_us = created_us};
    if (f->at.wall_us > 0) {
        /* The server's clock may be ahead. */
        int64_t age_us = f->at.wall_us > created_us ? f->at.wall_us - created_us : 0;
        created = (struct moment){f->at.mono_us - age_us, f->at.wall_us - age_us};
    }
    if (election->own->leader_bound.mono_us != 0)
        created = moment_later(created, election->own->leader_bound);
    bool found_late = election->change.to && strcmp(election->change.to, leader->name) == 0;
    if (!found_late || (created.mono_us != 0 && created.mono_us > election->leader_since.mono_us))
        election->leader_since = created;
}

void leadership_corrected(const struct update *f, struct candidate *leader)
{
    struct election *election = f->election;
    struct tenure *last = tenure_last(election);
    election->leader = leader;
    if (last && last->name) {
        free(last->name);
        free(last->identity);
        last->name = text_copy(leader->name);
        last->identity = text_copy(leader->identity);
        last->session = 0;
    }
    leadership_read(f);
    acknowledge_update(f);
    update_touched(f);
}

void leadership_free(struct election *election)
{
    tenures_free(election);
    failovers_free(election);
    leadership_clear_change(&election->change);
}
