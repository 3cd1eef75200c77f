#include "probe/election/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/baseline.h"
#include "probe/election/candidates.h"
#include "probe/election/certainty.h"
#include "probe/election/chain.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/update.h"
#include "probe/election/vacancy.h"

const char *describe_clock(struct moment at, char *buffer, size_t size)
{
    int64_t s = at.wall_us / 1000000 % 86400;
    if (at.wall_us <= 0)
        snprintf(buffer, size, "an unknown time");
    else
        snprintf(buffer, size, "%02d:%02d:%02dZ", (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
    return buffer;
}

const char *describe_span(int64_t us, char *buffer, size_t size)
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

const char *describe_span_at_most(int64_t us, char *buffer, size_t size)
{
    const int64_t s = 1000000, hour = 3600 * s;
    int64_t step = us < 60 * s ? s / 10 : us < 2 * hour ? 60 * s : us < 48 * hour ? hour : 24 * hour;
    return describe_span(us <= INT64_MAX - step ? (us + step - 1) / step * step : us, buffer, size);
}

const char *describe_session(const struct election *election, uint64_t session, char *buffer, size_t size)
{
    const struct client_session *shown = cluster_client(election->cluster, session);
    bool placed = shown && shown->connected && shown->server < election->cluster->server_count;
    snprintf(buffer, size, "session 0x%" PRIx64 "%s%.60s%s%.80s", session,
             shown && shown->address ? " of " : "", shown && shown->address ? shown->address : "",
             placed ? " on " : "", placed ? election->cluster->servers[shown->server].address : "");
    return buffer;
}

const char *describe_path(const struct candidate *candidate, char *buffer, size_t size)
{
    const struct election *election = candidate->election;
    bool lock = election->recipe && election->recipe->family == FAMILY_LOCK;
    snprintf(buffer, size, "%s%s%s", lock || strcmp(election->path, "/") != 0 ? election->path : "",
             lock ? "" : "/", lock ? "" : candidate->name);
    return buffer;
}

/* Of one code, in one election: more would say nothing more. */
#define FINDINGS_OF_A_CODE 64
#define NAMES_KEPT 16
#define TEXT_MOST 1024

enum mark { MARK_ABSENT, MARK_KEPT, MARK_RAISED };

struct finding_entry {
    struct finding shown; /* first: election->findings points at it */
    enum mark mark;
    unsigned reported; /* raised so severe and so certain: a bit each */
};

static struct finding_entry *entry_of(struct finding *finding)
{
    return (struct finding_entry *)(void *)finding;
}

static void findings_entry_free(struct finding_entry *entry)
{
    finding_release(&entry->shown);
    free(entry);
}

void findings_free(struct election *election)
{
    for (size_t i = 0; i < election->finding_count; i++)
        findings_entry_free(entry_of(election->findings[i]));
    free(election->findings);
    election->findings = NULL;
    election->finding_count = 0;
}

static bool same_names(const struct finding *finding, const struct candidate *const *who, size_t count)
{
    if (finding->candidate_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(finding->candidates[i], who[i]->name) != 0)
            return false;
    return true;
}

static bool set_names(struct finding *finding, const struct candidate *const *who, size_t count)
{
    if (count > NAMES_KEPT)
        count = NAMES_KEPT;
    if (same_names(finding, who, count))
        return false;
    for (size_t i = 0; i < finding->candidate_count; i++)
        free(finding->candidates[i]);
    free(finding->candidates);
    finding->candidate_count = 0;
    finding->candidates = xcalloc(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        finding->candidates[i] = text_copy(who[i]->name);
        finding->candidate_count = i + 1;
    }
    return true;
}

static struct finding_entry *findings_entry_find(const struct election *election, enum finding_code code,
                                                 uint64_t subject, size_t *of_code)
{
    *of_code = 0;
    for (size_t i = 0; i < election->finding_count; i++) {
        struct finding_entry *entry = entry_of(election->findings[i]);
        if (entry->shown.code != code)
            continue;
        if (entry->shown.subject == subject)
            return entry;
        ++*of_code;
    }
    return NULL;
}

static struct finding_entry *entry_new(struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    struct election *election = d->election;
    struct finding_entry *entry = xcalloc(1, sizeof *entry);
    struct finding **findings =
        xreallocarray(election->findings, election->finding_count + 1, sizeof(struct finding *));
    election->findings = findings;
    entry->shown.subject = subject;
    entry->shown.code = code;
    entry->shown.since = d->f->at;
    findings[election->finding_count++] = &entry->shown;
    return entry;
}

static void findings_emit(const struct update *f, enum event_kind kind, const struct finding *finding)
{
    update_emit(f, &(struct event){.kind = kind, .after_us = -1, .finding = finding});
}

/* A recording may know it for longer. */
static void baseline_since(const struct update *f, struct finding *finding)
{
    size_t about = SIZE_MAX;
    for (size_t i = 0; i < finding->candidate_count && about == SIZE_MAX; i++) {
        const struct candidate *c = election_find(f->election, finding->candidates[i]);
        if (c && diagnosis_subject(c) == finding->subject)
            about = i;
    }
    baseline_finding(f, finding, about);
}

void findings_take_baseline(const struct update *f)
{
    for (size_t i = 0; i < f->election->finding_count; i++)
        baseline_since(f, f->election->findings[i]);
}

/* If it is not known that there must be a leader, its absence is no alarm; nor is a watch that its layout may
   not have. */
static enum severity doubted_severity(const struct election *election, enum severity severity,
                                      enum presumption missing)
{
    bool lowered = (missing == PRESUMES_LAYOUT && election->recognised != RECOGNISED_NAME) ||
                   (missing == PRESUMES_LEADER && election->origin != ORIGIN_CONFIGURED);
    return lowered && severity > SEVERITY_WARNING ? SEVERITY_WARNING : severity;
}

/* Its subject is the session that it is about. */
static bool is_of_session(enum finding_code code)
{
    return code == FINDING_WATCHER_WITHOUT_CANDIDATE || code == FINDING_EXTRA_WATCHES;
}

static void name_assumption(char *evidence, size_t size, enum presumption missing, bool settles)
{
    const struct presumption_kind *kind = presumption_kind(missing);
    size_t length = strlen(evidence);
    settles = settles && kind->settles;
    snprintf(evidence + length, size - length, "; this assumes %s%s%s%s", kind->assumed,
             settles ? " (to settle it, " : "", settles ? kind->settles : "", settles ? ")" : "");
}

static bool advises_restart(const char *advice)
{
    return strncmp(advice, "restart ", strlen("restart ")) == 0;
}

/* It takes two polls until it is suspected. */
#define SUSPECTED_AFTER_US INT64_C(4000000)

/* Nobody is told to restart a client before it is known to be ill: what settles a suspicion comes first. Who reads the
 * line once a minute, or is told by another host, looks like one that waits in vain. After a look of that length
 * the advice does not repeat it. */
static const char *careful_advice(const char *advice, bool waits, enum certainty certainty,
                                  enum presumption missing, int64_t certain_after_us, int64_t stood_us,
                                  char *buffer, size_t size)
{
    if (!advises_restart(advice) || (certainty == CERTAINTY_CERTAIN && !waits))
        return advice;
    if (certainty == CERTAINTY_CERTAIN)
        snprintf(buffer, size, "if that lasts for 2 minutes and no other host tells it of its turn, %s",
                 advice);
    else if (certain_after_us > 0 && stood_us + SUSPECTED_AFTER_US >= certain_after_us)
        snprintf(buffer, size, "see its log: that client makes requests, and may poll; if so, it is well");
    else if (certain_after_us > 0)
        snprintf(buffer, size,
                 "first run electop once --wait %" PRId64 "s: if it is still suspected then, that client "
                 "makes requests, and may poll: see its log",
                 (certain_after_us + 999999) / 1000000);
    else if (waits && missing != PRESUMPTIONS)
        snprintf(buffer, size, "first %s", presumption_kind(missing)->settles);
    else
        snprintf(buffer, size, "first see in its log whether it leads or polls; if it does neither, %s",
                 advice);
    return buffer;
}

void diagnosis_raise(struct diagnosis *d, enum finding_code code, enum severity severity,
                     enum certainty certainty, uint64_t subject, const struct candidate *const *who,
                     size_t count, const char *advice, const char *format, ...)
{
    int64_t again_us;
    enum presumption missing;
    struct about about = {count ? who[0] : NULL, is_of_session(code) ? subject : 0};
    unsigned holds = certainty_holds(d->election, code, about, d->f->at, &again_us);
    enum certainty_verdict verdict = certainty_judge(code, holds, &missing), without;
    diagnosis_again(d, again_us);
    if (verdict == VERDICT_KEPT)
        diagnosis_keep(d, code, subject);
    if (verdict == VERDICT_KEPT || verdict == VERDICT_NOTHING)
        return;
    size_t of_code;
    struct finding_entry *entry = findings_entry_find(d->election, code, subject, &of_code);
    bool fresh = !entry;
    if (fresh && of_code >= FINDINGS_OF_A_CODE)
        return;
    if (fresh)
        entry = entry_new(d, code, subject);
    char evidence[TEXT_MOST], careful[TEXT_MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(evidence, sizeof evidence, format, arguments);
    va_end(arguments);
    struct finding *finding = &entry->shown;
    advice = advice ? advice : finding_kind(code)->advice;
    if (verdict == VERDICT_SUSPECTED) {
        certainty = CERTAINTY_SUSPECTED;
        severity = doubted_severity(d->election, severity, missing);
        name_assumption(evidence, sizeof evidence, missing, !advises_restart(advice));
    }
    /* A proof lasts while the finding is found again (unconfirmed while it could not be seen,
       until it is proved again); a worse finding has a separate proof. */
    bool proved = !fresh && severity == finding->severity && certainty < finding->certainty &&
                  verdict == VERDICT_CERTAIN;
    bool confirmed = finding->unconfirmed_since.mono_us != 0 && !proved;
    if (proved)
        certainty = finding->certainty;
    /* A finding that was certain, then doubted, and is certain again is not reported again. */
    unsigned grade = 1u << (severity * 2 + (certainty == CERTAINTY_CERTAIN));
    bool worse = !fresh && (severity > finding->severity || certainty > finding->certainty) &&
                 !(entry->reported & grade);
    entry->reported |= grade;
    bool changed = fresh || severity != finding->severity || certainty != finding->certainty || confirmed;
    finding->severity = severity;
    finding->certainty = certainty;
    finding->one_poll = d->one_poll && certainty == CERTAINTY_SUSPECTED;
    if (confirmed)
        finding->unconfirmed_since = (struct moment){0};
    changed |= set_names(finding, who, count);
    changed |= text_replace(&finding->evidence, evidence);
    bool waits = certainty_presumes(code, PRESUMES_PASSIVE, &without);
    advice = careful_advice(advice, waits, certainty, missing,
                            about.candidate ? chain_certain_after_us(about.candidate) : 0,
                            d->f->at.mono_us - finding->since.mono_us, careful, sizeof careful);
    changed |= text_replace(&finding->advice, advice);
    entry->mark = MARK_RAISED;
    if (fresh)
        baseline_since(d->f, finding);
    if (fresh || worse)
        findings_emit(d->f, EVENT_FINDING_RAISED, finding);
    else if (changed)
        update_touched(d->f);
}

static void findings_keep_one(const struct diagnosis *d, struct finding_entry *entry)
{
    d->election->own->listens = true;
    if (entry->mark == MARK_ABSENT)
        entry->mark = MARK_KEPT;
    if (entry->mark == MARK_KEPT && entry->shown.unconfirmed_since.mono_us == 0) {
        entry->shown.unconfirmed_since = d->f->at;
        update_touched(d->f);
    }
}

bool diagnosis_stands(const struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    size_t of_code;
    return findings_entry_find(d->election, code, subject, &of_code) != NULL;
}

bool diagnosis_is_full(const struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    size_t of_code;
    return !findings_entry_find(d->election, code, subject, &of_code) && of_code >= FINDINGS_OF_A_CODE;
}

bool diagnosis_is_certain(const struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    size_t of_code;
    const struct finding_entry *entry = findings_entry_find(d->election, code, subject, &of_code);
    return entry && entry->shown.certainty == CERTAINTY_CERTAIN;
}

struct moment diagnosis_since(const struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    size_t of_code;
    const struct finding_entry *entry = findings_entry_find(d->election, code, subject, &of_code);
    return entry ? entry->shown.since : d->f->at;
}

void diagnosis_keep(struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    size_t of_code;
    struct finding_entry *entry = findings_entry_find(d->election, code, subject, &of_code);
    if (entry)
        findings_keep_one(d, entry);
}

void diagnosis_doubt(struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    size_t of_code;
    struct finding_entry *entry = findings_entry_find(d->election, code, subject, &of_code);
    if (!entry || entry->shown.certainty == CERTAINTY_SUSPECTED)
        return;
    entry->shown.certainty = CERTAINTY_SUSPECTED;
    update_touched(d->f);
}

void diagnosis_keep_all(struct diagnosis *d, enum finding_code code)
{
    for (size_t i = 0; i < d->election->finding_count; i++)
        if (d->election->findings[i]->code == code)
            findings_keep_one(d, entry_of(d->election->findings[i]));
}

bool diagnosis_listed_since(const struct cluster *cluster, int64_t since_us)
{
    int64_t first_us = 0, second_us = INT64_MAX;
    for (size_t i = 0; i < cluster->server_count; i++) {
        const struct server *server = &cluster->servers[i];
        if (server->hidden[HIDDEN_CONNECTIONS] || server->listed_before.mono_us <= since_us)
            return false;
        first_us = server->listed_before.mono_us > first_us ? server->listed_before.mono_us : first_us;
        second_us = server->listed.mono_us < second_us ? server->listed.mono_us : second_us;
    }
    return cluster->server_count == 1 || (cluster->server_count > 0 && second_us > first_us);
}

void diagnosis_vanished(struct diagnosis *d, enum finding_code code, uint64_t subject)
{
    size_t of_code;
    struct finding_entry *entry = findings_entry_find(d->election, code, subject, &of_code);
    if (!entry)
        return;
    const struct cluster *cluster = d->election->cluster;
    int64_t since_us = entry->shown.unconfirmed_since.mono_us;
    /* There is nowhere to go from a server that is alone. */
    bool alone = cluster->server_count == 1 && !cluster->servers[0].hidden[HIDDEN_CONNECTIONS];
    if (alone || (since_us != 0 && diagnosis_listed_since(cluster, since_us)))
        return;
    findings_keep_one(d, entry);
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].hidden[HIDDEN_CONNECTIONS])
            return;
    d->election->suspected = true; /* further lists settle it */
}

uint64_t diagnosis_subject(const struct candidate *candidate)
{
    return (uint64_t)candidate->own->hash << 32 | (uint32_t)candidate->sequence | UINT64_C(1) << 63;
}

char *findings_subject(const struct election *election, const struct finding *finding)
{
    const char *name = finding->candidate_count ? finding->candidates[0] : NULL;
    uint64_t number = UINT32_MAX;
    /* A candidate's subject is its name, hashed as this process does. */
    if (name && (finding->subject | number) ==
                    ((uint64_t)candidates_hash(election, name) << 32 | number | UINT64_C(1) << 63))
        return xstrdup(name);
    return text_format("%" PRIx64, finding->subject);
}

int diagnosis_by_place(const void *a, const void *b)
{
    const struct candidate *one = *(const struct candidate *const *)a,
                           *two = *(const struct candidate *const *)b;
    return one->place < two->place ? -1 : one->place > two->place;
}

static int worse_first(const void *a, const void *b)
{
    const struct finding_entry *one = *(struct finding_entry *const *)a,
                               *two = *(struct finding_entry *const *)b;
    if (one->shown.severity != two->shown.severity)
        return one->shown.severity > two->shown.severity ? -1 : 1;
    if (one->shown.certainty != two->shown.certainty)
        return one->shown.certainty > two->shown.certainty ? -1 : 1;
    if (one->shown.code != two->shown.code)
        return one->shown.code < two->shown.code ? -1 : 1;
    if (one->shown.since.mono_us != two->shown.since.mono_us)
        return one->shown.since.mono_us < two->shown.since.mono_us ? -1 : 1;
    /* A candidate's number in line is the same in every run; the rest of its subject is not. */
    uint32_t a_line = (uint32_t)one->shown.subject, b_line = (uint32_t)two->shown.subject;
    if (a_line != b_line)
        return a_line < b_line ? -1 : 1;
    return one->shown.subject < two->shown.subject ? -1 : one->shown.subject > two->shown.subject;
}

void findings_begin(struct diagnosis *d)
{
    for (size_t i = 0; i < d->election->finding_count; i++)
        entry_of(d->election->findings[i])->mark = MARK_ABSENT;
}

/* Of findings that are equally bad, the one that says why there is no leader comes first. */
static void findings_sort(struct election *election)
{
    if (election->finding_count < 2)
        return;
    qsort(election->findings, election->finding_count, sizeof(struct finding *), worse_first);
    const struct finding *doubt = vacancy_doubt(election);
    doubt = doubt ? doubt : vacancy_blocking(election);
    for (size_t i = election->finding_count; doubt && --i > 0;) {
        struct finding *before = election->findings[i - 1];
        if (election->findings[i] == doubt && before->severity == doubt->severity &&
            before->certainty == doubt->certainty) {
            election->findings[i - 1] = election->findings[i];
            election->findings[i] = before;
        }
    }
}

void findings_keep(struct diagnosis *d)
{
    for (size_t i = 0; i < d->election->finding_count; i++)
        findings_keep_one(d, entry_of(d->election->findings[i]));
    findings_sort(d->election);
}

void findings_sweep(struct diagnosis *d)
{
    struct election *election = d->election;
    size_t kept = 0, cleared = 0;
    struct finding_entry *gone[32];
    bool again = true;
    while (again) {
        again = false;
        cleared = kept = 0;
        for (size_t i = 0; i < election->finding_count; i++) {
            struct finding_entry *entry = entry_of(election->findings[i]);
            if (entry->mark != MARK_ABSENT)
                election->findings[kept++] = &entry->shown;
            else if (cleared < sizeof gone / sizeof gone[0])
                gone[cleared++] = entry;
            else {
                election->findings[kept++] = &entry->shown;
                again = true;
            }
        }
        election->finding_count = kept;
        for (size_t i = 0; i < cleared; i++) {
            findings_emit(d->f, EVENT_FINDING_CLEARED, &gone[i]->shown);
            findings_entry_free(gone[i]);
        }
    }
    findings_sort(election);
}

void findings_copy(const struct election *from, struct election *to)
{
    to->findings = NULL;
    to->finding_count = 0;
    if (from->finding_count == 0)
        return;
    to->findings = xcalloc(from->finding_count, sizeof(struct finding *));
    for (size_t i = 0; i < from->finding_count; i++) {
        struct finding_entry *copy = xcalloc(1, sizeof *copy);
        to->findings[to->finding_count++] = &copy->shown;
        finding_copy(&copy->shown, from->findings[i]);
    }
}

void diagnosis_again(struct diagnosis *d, int64_t at_us)
{
    if (at_us > d->f->at.mono_us && at_us < d->again_us)
        d->again_us = at_us;
}
