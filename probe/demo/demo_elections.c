#include "probe/demo/demo_elections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/loop_timer.h"

#define TICK_MS 100
/* Sessions begun in one tick: a server's backlog holds 50, and each one over it costs its client a second. */
#define ENTRIES_A_TICK 20
#define TEXT_SIZE 256

/* clang-format off */
static const struct play demo_plays[] = {
    {.election = "/election", .name = "n_", .data = "app-%d.example:8080",
     .members = 5, .first_ms = 4000, .every_ms = 9000, .away_ms = 3000},
    {.election = "/druid/coordinator/_COORDINATOR", .title = "druid coordinator", .name = "_c_{uuid}-latch-", .data = "http://coordinator-%c.example:8081",
     .members = 4, .first_ms = 6500, .every_ms = 14000, .away_ms = 6000},
    {.election = "/kafka/controller", .title = "kafka controller",
     .data = "{\"version\":1,\"brokerid\":%d,\"timestamp\":\"1700000000000\"}",
     .members = 3, .first_ms = 9000, .every_ms = 21000, .away_ms = 8000},
    {.election = "/solr/overseer_elect/election", .title = "solr overseer", .name = "{session}-solr-%c:8983_solr-n_", .data = "",
     .ack = "/solr/overseer_elect/leader", .ack_data = "{\"id\":\"solr-%c:8983_solr\"}",
     .members = 3, .first_ms = 12000, .every_ms = 17000, .away_ms = 5000},
    {.election = "/locks/nightly-report", .title = "nightly report", .name = "{hex}__lock__", .data = "worker-%d",
     .members = 3, .first_ms = 3000, .every_ms = 6000, .away_ms = 500, .free_is_normal = true},
    {.election = "/payments/leader", .title = "payments", .name = "_c_{uuid}-latch-", .data = "payments-%d.example:9000",
     .members = 1, .first_ms = 8000, .every_ms = 20000, .away_ms = 7000},
    {.election = "/spark/leader_election", .title = "spark master", .name = "_c_{uuid}-latch-", .data = "spark-master-%d", .members = 2},

    {.election = "/ill/deaf-second", .title = "ill: deaf second", .name = "_c_{uuid}-latch-", .data = "deaf-%d.example:8080",
     .members = 4, .behaviour = BEHAVIOUR_DEAF, .ill = 2},
    {.election = "/ill/herd", .title = "ill: herd", .name = "_c_{uuid}-latch-", .data = "herd-%d.example:8080",
     .members = 4, .behaviour = BEHAVIOUR_HERD},
    {.election = "/ill/persistent-first", .title = "ill: persistent first", .name = "_c_{uuid}-latch-", .data = "persistent-%d.example:8080",
     .members = 3, .behaviour = BEHAVIOUR_PERSISTENT, .ill = 1},
    {.election = "/ill/duplicate-session", .title = "ill: duplicate session", .name = "{hex}__lock__", .data = "duplicate-%d.example:8080",
     .members = 3, .behaviour = BEHAVIOUR_TWICE, .ill = 1},
    {.election = "/ill/wrong-predecessor", .title = "ill: wrong predecessor", .name = "_c_{uuid}-latch-", .data = "wrong-%d.example:8080",
     .members = 4, .behaviour = BEHAVIOUR_SKIP, .ill = 3},
    {.election = "/ill/never-acknowledged/overseer_elect/election", .title = "ill: never acknowledged", .name = "{session}-mute-%c:8983_solr-n_", .data = "",
     .ack = "/ill/never-acknowledged/overseer_elect/leader", .ack_data = "{\"id\":\"mute-%c:8983_solr\"}",
     .members = 3, .behaviour = BEHAVIOUR_MUTE},
    {.election = "/ill/stale-acknowledgement/overseer_elect/election", .title = "ill: stale acknowledgement", .name = "{session}-stale-%c:8983_solr-n_", .data = "",
     .ack = "/ill/stale-acknowledgement/overseer_elect/leader", .ack_data = "{\"id\":\"stale-%c:8983_solr\"}",
     .members = 3, .behaviour = BEHAVIOUR_FORGETFUL, .ill = 1},

    /* Last to come on, since it is long. */
    {.election = "/search/_election_", .title = "search", .name = "candidate-{session_hex}_", .data = "10.20.0.%d:7000",
     .members = 200, .first_ms = 5000, .every_ms = 1500, .away_ms = 1000, .anybody = true},
};
/* clang-format on */

const struct play *demo_elections_demo(size_t *count)
{
    *count = sizeof demo_plays / sizeof *demo_plays;
    return demo_plays;
}

struct demo_member {
    struct test_candidate *candidate; /* NULL: not on yet */
    uint64_t back_ms;                 /* when it returns; 0: it has not gone */
};

struct demo_stage {
    const struct play *play;
    struct demo_member *members;
    int entered;      /* members that are on; the next one's index */
    uint64_t next_ms; /* when the next one goes; 0: never */
    unsigned turn;    /* counts departures: which way, and who */
};

struct demo_elections {
    uv_loop_t *loop;
    uv_timer_t *timer;
    char *hosts;
    const struct security_settings *security;
    struct guard *guard;
    int timeout_ms;
    struct demo_stage *stages;
    size_t count;
};

/* text with %d and %c replaced; cut to the buffer. */
static const char *fill_in(const char *text, int member, char buffer[TEXT_SIZE])
{
    if (!text)
        return NULL;
    size_t used = 0;
    for (const char *at = text; *at && used + 12 < TEXT_SIZE; at++) {
        if (at[0] == '%' && at[1] == 'd')
            used += (size_t)snprintf(buffer + used, 12, "%d", member + 1);
        else if (at[0] == '%' && at[1] == 'c')
            buffer[used++] = (char)('a' + member % 26);
        else {
            buffer[used++] = *at;
            continue;
        }
        at++;
    }
    buffer[used] = '\0';
    return buffer;
}

static bool member_enter(struct demo_elections *demo, const struct play *play, struct demo_member *member,
                         int number)
{
    char name[TEXT_SIZE], data[TEXT_SIZE], ack_data[TEXT_SIZE];
    const struct session_options session = {
        .hosts = demo->hosts, .timeout_ms = demo->timeout_ms, .security = demo->security};
    const struct candidate_options options = {
        .guard = demo->guard,
        .election = play->election,
        .lock = play->name == NULL,
        .name = fill_in(play->name, number, name),
        .data = fill_in(play->data, number, data),
        .ack = play->ack,
        .ack_data = fill_in(play->ack_data, number, ack_data),
        .behaviour = play->ill == 0 || play->ill == number + 1 ? play->behaviour : BEHAVIOUR_RECIPE,
    };
    member->candidate = test_candidate_new(demo->loop, &session, &options);
    return member->candidate != NULL;
}

static bool stage_awaits(const struct demo_stage *stage)
{
    if (stage->play->behaviour == BEHAVIOUR_RECIPE || stage->entered == 0)
        return false;
    return test_candidate_candidacy(stage->members[stage->entered - 1].candidate)->state == CANDIDATE_JOINING;
}

static void demo_elections_enter(struct demo_elections *demo)
{
    int begun = 0;
    for (size_t i = 0; i < demo->count; i++) {
        struct demo_stage *stage = &demo->stages[i];
        while (stage->entered < stage->play->members && begun < ENTRIES_A_TICK && !stage_awaits(stage)) {
            if (!member_enter(demo, stage->play, &stage->members[stage->entered], stage->entered))
                return; /* no descriptor is left: the next tick tries again */
            stage->entered++;
            begun++;
        }
    }
}

static struct demo_member *stage_leader(const struct demo_stage *stage)
{
    for (int i = 0; i < stage->play->members; i++) {
        struct test_candidate *candidate = stage->members[i].candidate;
        if (candidate && test_candidate_candidacy(candidate)->state == CANDIDATE_LEADING)
            return &stage->members[i];
    }
    return NULL;
}

/* A waiting member, another one each time. */
static struct demo_member *stage_anybody(const struct demo_stage *stage)
{
    for (int i = 0; i < stage->play->members; i++) {
        struct demo_member *member = &stage->members[((int)stage->turn * 7 + i) % stage->play->members];
        if (member->candidate && test_candidate_candidacy(member->candidate)->state == CANDIDATE_WAITING)
            return member;
    }
    return NULL;
}

static void stage_play(struct demo_stage *stage, uint64_t now_ms)
{
    const struct play *play = stage->play;
    for (int i = 0; i < play->members; i++) {
        struct demo_member *member = &stage->members[i];
        if (member->back_ms && now_ms >= member->back_ms) {
            member->back_ms = 0;
            test_candidate_volunteer(member->candidate);
        }
    }
    if (stage->next_ms == 0 || now_ms < stage->next_ms)
        return;
    struct demo_member *leaving = play->anybody ? stage_anybody(stage) : stage_leader(stage);
    if (!leaving)
        return; /* there is no leader just now: as soon as there is one */
    static const enum kill_mode ways[] = {KILL_CLOSE, KILL_RESIGN, KILL_DROP};
    test_candidate_kill(leaving->candidate, play->anybody ? KILL_CLOSE : ways[stage->turn % 3]);
    leaving->back_ms = now_ms + (uint64_t)play->away_ms;
    stage->next_ms = now_ms + (uint64_t)play->every_ms;
    stage->turn++;
}

static void demo_elections_on_tick(uv_timer_t *timer)
{
    struct demo_elections *demo = timer->data;
    demo_elections_enter(demo);
    for (size_t i = 0; i < demo->count; i++)
        stage_play(&demo->stages[i], uv_now(demo->loop));
}

struct demo_elections *demo_elections_new(uv_loop_t *loop, const char *hosts,
                                          const struct security_settings *security, int timeout_ms,
                                          const struct play *plays, size_t count)
{
    struct demo_elections *demo = xcalloc(1, sizeof *demo);
    demo->loop = loop;
    demo->timeout_ms = timeout_ms;
    demo->hosts = xstrdup(hosts);
    demo->security = security;
    demo->guard = guard_new_private();
    demo->stages = xcalloc(count, sizeof *demo->stages);
    uv_update_time(loop);
    for (size_t i = 0; i < count; i++) {
        struct demo_stage *stage = &demo->stages[i];
        stage->play = &plays[i];
        stage->members = xcalloc((size_t)plays[i].members, sizeof *stage->members);
        stage->next_ms = plays[i].first_ms ? uv_now(loop) + (uint64_t)plays[i].first_ms : 0;
        demo->count = i + 1;
    }
    demo->timer = loop_timer_new(loop, demo);
    uv_timer_start(demo->timer, demo_elections_on_tick, 0, TICK_MS);
    return demo;
}

bool demo_elections_complete(const struct demo_elections *demo)
{
    for (size_t i = 0; i < demo->count; i++)
        for (int j = 0; j < demo->stages[i].play->members; j++) {
            const struct demo_member *member = &demo->stages[i].members[j];
            if (!member->candidate ||
                (test_candidate_candidacy(member->candidate)->state == CANDIDATE_JOINING && !member->back_ms))
                return false;
        }
    return true;
}

struct test_candidate *demo_elections_leader(const struct demo_elections *demo, size_t play)
{
    struct demo_member *leader = stage_leader(&demo->stages[play]);
    return leader ? leader->candidate : NULL;
}

void demo_elections_free(struct demo_elections *demo)
{
    if (!demo)
        return;
    loop_timer_free(demo->timer);
    for (size_t i = 0; i < demo->count; i++) {
        for (int j = 0; demo->stages[i].members && j < demo->stages[i].play->members; j++)
            test_candidate_free(demo->stages[i].members[j].candidate);
        free(demo->stages[i].members);
    }
    free(demo->stages);
    guard_free(demo->guard);
    free(demo->hosts);
    free(demo);
}
