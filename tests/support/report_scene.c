#include "tests/support/report_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000)
#define SECOND (1000 * MS)
#define MINUTE (60 * SECOND)
/* 2026-11-20T12:00:00Z */
#define NOON INT64_C(1795176000000000)
#define END (NOON + 2 * 60 * MINUTE + 3 * MINUTE + 22104 * MS)

static void *must(void *allocated)
{
    if (!allocated) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return allocated;
}

static char *own(const char *text)
{
    return text ? must(strdup(text)) : NULL;
}

/* Room for one more, twice as much each time: under sanitizers every realloc copies the whole. */
static void *grow(void *array, size_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0; /* 0, 1, 2, 4, 8 ... */
    char *bigger = full ? must(realloc(array, (count ? 2 * count : 1) * size)) : array;
    memset(bigger + count * size, 0, size);
    return bigger;
}

static struct report *begin(int64_t from_us, int64_t to_us)
{
    struct report *report = must(calloc(1, sizeof *report));
    report->from_us = from_us;
    report->to_us = to_us;
    report->recorded_from_us = from_us - 90 * MINUTE;
    report->recorded_to_us = to_us;
    return report;
}

static struct report_election *add_election(struct report *report, const char *cluster, const char *path,
                                            const char *name, const char *recipe, enum election_kind kind)
{
    report->elections = grow(report->elections, report->election_count, sizeof *report->elections);
    struct report_election *election = &report->elections[report->election_count++];
    election->cluster = own(cluster);
    election->path = own(path);
    election->full_path = own(path);
    election->name = own(name);
    election->recipe = own(recipe);
    election->kind = kind;
    election->state = ELECTION_LED;
    return election;
}

static size_t leader_of(struct report_election *election, const char *name, const char *identity)
{
    for (size_t i = 0; i < election->leader_count; i++)
        if (identity && election->leaders[i].identity && strcmp(election->leaders[i].identity, identity) == 0)
            return i;
    election->leaders = grow(election->leaders, election->leader_count, sizeof *election->leaders);
    election->leaders[election->leader_count] =
        (struct report_leader){.name = own(name), .identity = own(identity)};
    return election->leader_count++;
}

/* The time line goes on until then. */
static void add(const struct report *report, struct report_election *election, enum stretch_kind kind,
                const char *name, const char *identity, int64_t to_us)
{
    size_t count = election->stretch_count;
    election->stretches = grow(election->stretches, count, sizeof *election->stretches);
    election->stretches[count] = (struct report_stretch){
        .kind = kind,
        .leader = kind == STRETCH_LED ? leader_of(election, name, identity) : REPORT_NO_LEADER,
        .name = kind == STRETCH_LED ? own(name) : NULL,
        .from_us = count ? election->stretches[count - 1].to_us : report->from_us,
        .to_us = to_us,
        .from_exact = count && election->stretches[count - 1].kind != STRETCH_GAP,
    };
    election->stretch_count++;
}

static struct failover *change(struct report_election *election, int64_t at_us, const char *from,
                               const char *from_identity, const char *to, const char *to_identity,
                               enum failover_cause cause, const char *evidence)
{
    election->failovers = grow(election->failovers, election->failover_count, sizeof *election->failovers);
    struct failover *failover = &election->failovers[election->failover_count++];
    *failover = (struct failover){.from = own(from),
                                  .from_identity = own(from_identity),
                                  .to = own(to),
                                  .to_identity = own(to_identity),
                                  .lost_at = {at_us - NOON + SECOND, at_us},
                                  .elected_at = {at_us - NOON + SECOND, at_us},
                                  .cause = cause,
                                  .cause_certainty = CERTAINTY_CERTAIN,
                                  .evidence = own(evidence),
                                  .detection = SPAN_UNKNOWN,
                                  .vacancy = {0, 0},
                                  .takeover = SPAN_UNKNOWN,
                                  .total = SPAN_UNKNOWN};
    return failover;
}

static void took(struct failover *failover, struct span detection, int64_t vacancy_us, struct span takeover)
{
    int64_t detected_low = detection.low_us > 0 ? detection.low_us : 0;
    failover->detection = detection;
    failover->vacancy = (struct span){vacancy_us, vacancy_us};
    failover->takeover = takeover;
    failover->elected_at.wall_us += vacancy_us;
    if (takeover.low_us < 0)
        return;
    failover->total.low_us = detected_low + vacancy_us + takeover.low_us;
    bool open = takeover.high_us < 0 || (detection.low_us >= 0 && detection.high_us < 0);
    int64_t detected_high = detection.high_us > 0 ? detection.high_us : 0;
    failover->total.high_us = open ? SPAN_OPEN : detected_high + vacancy_us + takeover.high_us;
}

static void find(struct report_election *election, enum finding_code code, enum certainty certainty,
                 const char *candidate, const char *evidence, int64_t from_us, int64_t to_us)
{
    election->findings = grow(election->findings, election->finding_count, sizeof *election->findings);
    struct report_finding *reported = &election->findings[election->finding_count++];
    reported->finding.code = code;
    reported->finding.severity = finding_kind(code)->severity;
    reported->finding.certainty = certainty;
    reported->finding.evidence = own(evidence);
    reported->finding.advice = own(finding_kind(code)->advice);
    reported->finding.since = (struct moment){1, from_us};
    if (candidate) {
        reported->finding.candidates = must(calloc(1, sizeof *reported->finding.candidates));
        reported->finding.candidates[0] = own(candidate);
        reported->finding.candidate_count = 1;
    }
    reported->raised_us = from_us;
    reported->cleared_us = to_us;
}

static struct report *finish(struct report *report)
{
    for (size_t i = 0; i < report->election_count; i++) {
        struct report_election *election = &report->elections[i];
        const char *cluster = election->cluster, *first = report->elections[0].cluster;
        report_sum_up(election);
        report->several_clusters |= (cluster && first) ? strcmp(cluster, first) != 0 : cluster != first;
    }
    return report;
}

static void add_eventful(struct report *report)
{
    static const char a[] = "10.0.3.17:51234", b[] = "10.0.3.18:40112", c[] = "10.0.3.19:39920";
    struct report_election *e = add_election(report, "prod", "/election", "orders", "zookeeper", KIND_LEADER);
    const struct span none = SPAN_UNKNOWN;
    int64_t first = NOON + 39 * MINUTE + 2522 * MS, second = NOON + 55 * MINUTE + 11 * SECOND;
    int64_t third = NOON + 78 * MINUTE + 40110 * MS, fourth = NOON + 97 * MINUTE;
    int64_t fifth = NOON + 97 * MINUTE + 21 * SECOND, sixth = NOON + 105 * MINUTE;
    int64_t gap = NOON + 64 * MINUTE, gap_end = NOON + 70 * MINUTE + 41 * SECOND;
    add(report, e, STRETCH_LED, "n_0000000042", a, first);
    took(change(e, first, "n_0000000042", a, "n_0000000043", b, CAUSE_RESIGNED,
                "its own connection asked for the deletion at zk1, and lived on"),
         none, 0, (struct span){412 * MS, 412 * MS});
    add(report, e, STRETCH_LED, "n_0000000043", b, second);
    took(change(e, second, "n_0000000043", b, "n_0000000045", c, CAUSE_CLOSED,
                "gone 1.2 s after it was last heard, of a timeout of 10 s"),
         none, 0, (struct span){1100 * MS, 1100 * MS});
    add(report, e, STRETCH_LED, "n_0000000045", c, gap);
    add(report, e, STRETCH_GAP, NULL, NULL, gap_end);
    change(e, gap_end, "n_0000000045", c, "n_0000000047", b, CAUSE_UNKNOWN, NULL)->gap_us = gap_end - gap;
    add(report, e, STRETCH_LED, "n_0000000047", b, third);
    struct failover *expired =
        change(e, third, "n_0000000047", b, "n_0000000048", c, CAUSE_EXPIRED,
               "silent for 9.8 s of 10 s at zk1, absent from the session list 0.4 s after the deletion");
    expired->cause_certainty = CERTAINTY_SUSPECTED;
    took(expired, (struct span){9600 * MS, 12900 * MS}, 0, (struct span){1240 * MS, 1240 * MS});
    add(report, e, STRETCH_LED, "n_0000000048", c, fourth);
    took(change(e, fourth, "n_0000000048", c, "n_0000000051", a, CAUSE_EVICTED,
                "connection 10.0.3.99:40001 at zk2 asked for the deletion"),
         none, 7200 * MS, (struct span){640 * MS, SPAN_OPEN});
    add(report, e, STRETCH_VACANT, NULL, NULL, fourth + 7200 * MS);
    add(report, e, STRETCH_LED, "n_0000000051", a, fifth);
    took(change(e, fifth, "n_0000000051", a, "n_0000000052", b, CAUSE_DELETED,
                "its session is alive; who deleted its znode is not known"),
         none, 0, none);
    add(report, e, STRETCH_LED, "n_0000000052", b, sixth);
    struct failover *ended = change(e, sixth, "n_0000000052", b, "n_0000000053", c, CAUSE_ENDED,
                                    "its session is not in the list of ZooKeeper's leader");
    took(ended, (struct span){2 * SECOND, SPAN_OPEN}, 80 * MS, (struct span){300 * MS, 300 * MS});
    add(report, e, STRETCH_VACANT, NULL, NULL, sixth + 80 * MS);
    add(report, e, STRETCH_LED, "n_0000000053", c, report->to_us);
    e->unseen_joined = 3;
    e->unseen_left = 2;
    find(e, FINDING_NO_WATCH, CERTAINTY_CERTAIN, "n_0000000047",
         "session 0x200002a4d0a0004 has no watch under /election on zk2, in two looks 5 s apart",
         NOON - 12 * MINUTE, third);
    find(e, FINDING_NO_LEADER, CERTAINTY_CERTAIN, NULL, "no candidate for 5.0 s", fourth + 5 * SECOND,
         fourth + 7200 * MS);
    find(e, FINDING_LEADER_SILENT, CERTAINTY_SUSPECTED, "n_0000000053",
         "zk3 heard nothing of 10.0.3.19:39920 for 6.8 s of 10 s", END - 20 * SECOND, 0);
}

static void add_others(struct report *report)
{
    struct report_election *quiet =
        add_election(report, "prod", "/druid/coordinator", "druid/coordinator", "curator", KIND_LEADER);
    add(report, quiet, STRETCH_LED, "_c_1-latch-0000000007", "host-a:8081", report->to_us);
    struct report_election *lock =
        add_election(report, "prod", "/locks/nightly", "/locks/nightly", "kazoo-lock", KIND_LOCK);
    add(report, lock, STRETCH_VACANT, NULL, NULL, NOON + 30 * MINUTE);
    add(report, lock, STRETCH_LED, "a__lock__0000000001", "batch-1", NOON + 52 * MINUTE);
    add(report, lock, STRETCH_VACANT, NULL, NULL, report->to_us);
    struct report_election *vacant =
        add_election(report, "spare", "/solr/overseer", "/solr/overseer", NULL, KIND_LEADER);
    add(report, vacant, STRETCH_GAP, NULL, NULL, NOON + 100 * MINUTE);
    add(report, vacant, STRETCH_VACANT, NULL, NULL, report->to_us);
    vacant->state = ELECTION_VACANT;
    struct report_election *dark = add_election(report, "spare", "/dark", "/dark", NULL, KIND_LEADER);
    add(report, dark, STRETCH_GAP, NULL, NULL, report->to_us);
    dark->state = ELECTION_UNKNOWN;
}

struct report *report_scene_one(void)
{
    struct report *report = begin(NOON, END);
    add_eventful(report);
    return finish(report);
}

struct report *report_scene_usual(void)
{
    struct report *report = begin(NOON, END);
    add_eventful(report);
    add_others(report);
    return finish(report);
}

struct report *report_scene_hostile(void)
{
    static const char script[] = "<script>alert(1)</script>", close[] = "\"]]>'`|*_[x](http://evil.example/)";
    static const char escape[] = "\x1b[2J\x1b]0;owned\a\xff\xc0\x80",
                      over[] = "safe\u202egnp.exe\u2066\n# head";
    struct report *report = begin(NOON, END);
    struct report_election *e =
        add_election(report, "<b>&prod", "/<img src=x onerror=alert(1)>", over, close, KIND_LEADER);
    add(report, e, STRETCH_LED, escape, script, NOON + 50 * MINUTE);
    change(e, NOON + 50 * MINUTE, escape, script, over, close, CAUSE_EVICTED,
           "-->]]></style><script>alert(2)</script>\r\n|");
    add(report, e, STRETCH_LED, over, close, NOON + 80 * MINUTE);
    change(e, NOON + 80 * MINUTE, over, close, "", NULL, CAUSE_UNKNOWN, over);
    add(report, e, STRETCH_LED, "", NULL, END);
    find(e, FINDING_DUPLICATE_IDENTITY, CERTAINTY_CERTAIN, script, escape, NOON, 0);
    return finish(report);
}

struct report *report_scene_crowd(size_t changes, size_t leaders)
{
    struct report *report = begin(NOON, NOON + 24 * 60 * MINUTE);
    struct report_election *e = add_election(report, NULL, "/busy", "/busy", "zookeeper", KIND_LEADER);
    int64_t step_us = (report->to_us - report->from_us) / (int64_t)(changes + 1);
    char name[32], identity[32], from[32] = "", from_identity[32] = "";
    for (size_t i = 0; i <= changes; i++) {
        int64_t at_us = report->from_us + step_us * (int64_t)i;
        snprintf(name, sizeof name, "n_%010zu", i);
        snprintf(identity, sizeof identity, "host-%zu:8081", i * i % leaders);
        if (i) {
            struct failover *failover =
                change(e, at_us, from, from_identity, name, identity, CAUSE_CLOSED, NULL);
            took(failover, SPAN_UNKNOWN, 0,
                 (struct span){(int64_t)(100 + i % 900) * MS, (int64_t)(100 + i % 900) * MS});
        }
        add(report, e, STRETCH_LED, name, identity, i == changes ? report->to_us : at_us + step_us);
        snprintf(from, sizeof from, "%s", name);
        snprintf(from_identity, sizeof from_identity, "%s", identity);
    }
    return finish(report);
}

struct report *report_scene_empty(void)
{
    struct report *report = begin(NOON, END);
    report->recorded_from_us = NOON - 300 * MINUTE;
    report->recorded_to_us = NOON - 200 * MINUTE;
    return finish(report);
}
