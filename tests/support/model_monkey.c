#include "tests/support/model_monkey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/case/case_file.h"
#include "probe/election/client.h"
#include "probe/election/election_private.h"
#include "probe/election/model.h"
#include "probe/election/update.h"
#include "probe/history/snapshot.h"
#include "probe/json/json_snapshot.h"

static const char *const paths[] = {"/election", "/controller",    "/things/x",
                                    "/",         "/_zkelection/b", "/l/auditorelection"};
static const char *const acks[] = {"/coordinators_service_registry", "/_zkelection/b/leader_ack", "/mark"};
static const char *const children[] = {"n_0000000000",
                                       "n_0000000001",
                                       "n_0000000002",
                                       "n_-2147483648",
                                       "c_0000000001",
                                       "c_0000000002",
                                       "V_0000000001",
                                       "ballot0000000003",
                                       "ballot0000000004",
                                       "a-b-n_0000000002",
                                       "leader_ack",
                                       "x",
                                       "",
                                       "0000000009",
                                       "z-0000000002",
                                       "y-0000000002",
                                       "/",
                                       "n_0000000001"};
static const char *const data[] = {"",         "host-1:80",   "http://h:1/x", "{\"id\":\"a\"}",
                                   "\xff\x01", "n_0000000001"};
#define COUNT(array) (sizeof array / sizeof array[0])

struct monkey {
    const uint8_t *bytes;
    size_t length;
    struct model *model, *twin;
    struct moment now;
    struct election_settings settings[2];
    struct case_writer *observed;
};

static unsigned draw(struct monkey *m, unsigned below)
{
    if (m->length == 0)
        return 0;
    m->length--;
    return *m->bytes++ % below;
}

static void must(bool holds, const struct election *election, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", election->path, what);
    abort();
}

static void check(const struct model *model, const struct election *e)
{
    size_t unknown = 0, queued = 0;
    char path[512];
    for (size_t i = 0; i < e->candidate_count; i++) {
        const struct candidate *c = e->candidates[i];
        unknown += !c->known && !c->denied;
        must(election_find(e, c->name) == c, e, "a candidate is not found by its name");
        must(election_position(e, c) == i, e, "a candidate is not found at its place");
        must(election_predecessor(e, c) == (i ? e->candidates[i - 1] : NULL), e, "another predecessor");
        must(i == 0 || e->candidates[i - 1]->sequence <= c->sequence, e, "not in order");
        must((c->data == NULL) == (c->data_length == 0), e, "data without length");
        must(!c->identity || c->identity[0], e, "an empty identity");
    }
    must(unknown == e->unknown_count, e, "another number of unread candidates");
    for (const struct candidate *c = e->own->unread_first; c; c = c->own->unread_next, queued++)
        must(c->own->unread_queued && election_find(e, c->name) == c, e, "a stranger in the queue");
    must(queued <= e->candidate_count, e, "too many in the queue"); /* known ones are read again at times */
    for (size_t i = 0; i < e->finding_count; i++) {
        must(e->findings[i]->evidence && e->findings[i]->advice, e, "a finding without evidence");
        must(i == 0 || e->findings[i - 1]->severity >= e->findings[i]->severity, e, "the worst is not first");
        must(!e->fresh || e->state == ELECTION_ABSENT || e->recipe || e->findings[i]->candidate_count == 0, e,
             "found without a layout");
    }
    must(!e->leader || (e->candidate_count && e->leader == e->candidates[0]), e,
         "another leader than the first");
    must((e->state == ELECTION_LED) <= (e->leader != NULL), e, "led by nobody");
    must(e->leader == NULL || e->state == ELECTION_LED || e->state == ELECTION_DENIED, e,
         "a leader, but not led");
    must(e->state != ELECTION_VACANT || e->candidate_count == 0, e, "vacant, but somebody stands");
    must(e->state != ELECTION_ABSENT || e->candidate_count == 0, e, "absent, but somebody stands");
    must((e->acknowledged == ACK_NOT_USED) >= (e->ack_path == NULL), e,
         "acknowledged without an acknowledgement");
    for (size_t i = 0; i < e->foreign_count && i < FOREIGN_KEPT; i++)
        must(strlen(e->foreign[i]) < 100, e, "a foreign child");
    for (size_t i = 0; i + 1 < e->tenure_count; i++)
        must(election_tenure_at(e, i)->to.mono_us == election_tenure_at(e, i + 1)->from.mono_us, e,
             "tenures with holes");
    if (e->tenure_count && e->leader && e->fresh) {
        const struct tenure *last = election_tenure_at(e, e->tenure_count - 1);
        must(last->name && strcmp(last->name, e->leader->name) == 0, e, "the last tenure is another one's");
    }
    for (unsigned i = 0; i < 3; i++)
        (void)election_guard(e, i, path, i == 2 ? 3 : sizeof path);
    must(model_election(model, 0, e->path) == e, e, "not found by its path");
    must(!election_complete(e) || e->unknown_count == 0 || e->state == ELECTION_DENIED ||
             e->state == ELECTION_ABSENT,
         e, "complete, but not read");
}

static struct znode_stat draw_stat(struct monkey *m)
{
    struct znode_stat stat = {.czxid = 1 + draw(m, 3),
                              .mzxid = draw(m, 4),
                              .pzxid = draw(m, 5),
                              .ctime_ms = draw(m, 2),
                              .cversion = (int32_t)((uint32_t)draw(m, 8) * 0x20000003u),
                              .children = (int32_t)draw(m, 6),
                              .data_length = (int32_t)draw(m, 2)};
    if (draw(m, 3) == 0)
        stat.owner = 1 + draw(m, 3);
    return stat;
}

static void draw_path(struct monkey *m, const char *election, char *path, size_t size)
{
    unsigned which = draw(m, 8);
    const char *child = children[draw(m, COUNT(children))];
    if (which < 2)
        snprintf(path, size, "%s", election);
    else if (which < 6)
        snprintf(path, size, "%s/%s", strcmp(election, "/") == 0 ? "" : election, child);
    else if (which == 6)
        snprintf(path, size, "%s", acks[draw(m, COUNT(acks))]);
    else
        snprintf(path, size, "%s/%s", acks[draw(m, COUNT(acks))], child);
}

/* What a server might say, consistent or not. */
static void draw_connections(struct monkey *m, struct seen_connection *list,
                             struct observed_connections *seen)
{
    static const char *const clients[] = {"10.0.0.1:1", "10.0.0.2:2", "[::1]:3", "nonsense"};
    *seen = (struct observed_connections){
        .list = list, .count = draw(m, 4), .now_ms = (int64_t)draw(m, 5) * 2000 - 1};
    for (size_t i = 0; i < seen->count; i++)
        list[i] = (struct seen_connection){.session = draw(m, 5),
                                           .client = clients[draw(m, COUNT(clients))],
                                           .established_ms = draw(m, 8) / 7,
                                           .last_response_ms = draw(m, 9) * 1000,
                                           .last_cxid = (int64_t)draw(m, 3) - 1,
                                           .timeout_ms = (int)draw(m, 3) * 3000,
                                           .outstanding = (int)draw(m, 2) - 1};
}

static void draw_watches(struct monkey *m, char texts[4][300], const char **watched,
                         struct seen_watches *list, struct observed_watches *seen)
{
    for (size_t i = 0; i < 4; i++) {
        draw_path(m, paths[draw(m, COUNT(paths))], texts[i], 300);
        watched[i] = draw(m, 16) ? texts[i] : "/x/electop-observer";
    }
    *seen = (struct observed_watches){
        .from = "adminserver", .list = list, .count = draw(m, 4), .child_watches = (int64_t)draw(m, 2) - 1};
    for (size_t i = 0; i < seen->count; i++)
        list[i] = (struct seen_watches){draw(m, 5), watched, draw(m, 5), NULL};
}

/* The twin is told the same, and looks at everything again each time. */
static void report(struct monkey *m, const struct observation *o)
{
    struct cluster *cluster = &m->twin->clusters[0];
    for (size_t i = 0; i < cluster->election_count; i++)
        diagnose_soon(cluster->elections[i]);
    model_observe(m->model, o);
    model_observe(m->twin, o);
}

static void observe_server(struct monkey *m)
{
    static const char *const servers[] = {"zk1:2181", "zk2:2181", "zk3:2181"};
    static const enum observation_kind kinds[] = {
        OBSERVED_CONNECTIONS, OBSERVED_CONNECTIONS, OBSERVED_WATCHES, OBSERVED_SESSIONS,
        OBSERVED_HIDDEN,      OBSERVED_TICK,        OBSERVED_SERVER,  OBSERVED_REPLICA,
        OBSERVED_ENSEMBLE,    OBSERVED_LOAD,        OBSERVED_CLOCK};
    struct seen_connection connections[4];
    struct seen_watches watches[4];
    struct znode_stat stat;
    char texts[4][300];
    const char *watched[4], *server = servers[draw(m, COUNT(servers))];
    const struct seen_session sessions[] = {{draw(m, 5), (int64_t)draw(m, 3) * 10000 - 1},
                                            {draw(m, 5), (int64_t)draw(m, 3) * 10000 - 1}};
    m->now.mono_us += (int64_t)draw(m, 4) * 2000000;
    struct observation o = {.kind = kinds[draw(m, COUNT(kinds))], .at = m->now};
    if (o.kind == OBSERVED_CONNECTIONS) {
        draw_connections(m, connections, &o.connections);
        o.connections.address = server;
    } else if (o.kind == OBSERVED_WATCHES) {
        draw_watches(m, texts, watched, watches, &o.watches);
        o.watches.address = server;
    } else if (o.kind == OBSERVED_SESSIONS) {
        o.sessions = (struct observed_sessions){server, sessions, draw(m, 3)};
    } else if (o.kind == OBSERVED_HIDDEN) {
        o.hidden = (struct observed_hidden){server, (enum hidden_part)draw(m, 3), "off"};
    } else if (o.kind == OBSERVED_REPLICA) {
        o.election = paths[draw(m, COUNT(paths))];
        stat = draw_stat(m);
        o.replica = (struct observed_replica){1 + (uint32_t)(m->now.mono_us / 4000000 % 5),
                                              draw(m, 3) ? server : NULL, draw(m, 4) ? &stat : NULL};
    } else if (o.kind == OBSERVED_SERVER) {
        o.server.address = server;
        o.server.mode = SERVER_STANDALONE;
        o.server.zxid = (int64_t)draw(m, 4) - 1 + ((int64_t)draw(m, 2) << 32);
        o.server.unasked = draw(m, 4) == 0;
        o.server.reachable = draw(m, 2) == 0;
    } else if (o.kind == OBSERVED_ENSEMBLE) {
        size_t count = draw(m, COUNT(servers) + 1);
        o.ensemble = (struct observed_ensemble){servers, count, (enum ensemble_known)draw(m, 3)};
    } else if (o.kind == OBSERVED_CLOCK) {
        o.clock = (struct observed_clock){server, ((int64_t)draw(m, 3) - 1) * 3600000000};
    } else if (o.kind == OBSERVED_LOAD) {
        o.load = (struct observed_load){server, draw(m, 2) == 0, SERVER_LOAD_UNKNOWN};
        o.load.load.outstanding = (int64_t)draw(m, 5) - 1;
        o.load.load.address_connections_most = (int64_t)draw(m, 5) - 1;
        o.load.load.slow_fsyncs = (int64_t)draw(m, 5) - 1;
    }
    report(m, &o);
}

static void step(struct monkey *m)
{
    if (draw(m, 3) == 0) {
        observe_server(m);
        return;
    }
    static const enum observation_kind kinds[] = {
        OBSERVED_CHILDREN,    OBSERVED_CHILDREN,  OBSERVED_CHILDREN, OBSERVED_NODE,    OBSERVED_NODE,
        OBSERVED_NODE,        OBSERVED_ABSENT,    OBSERVED_ABSENT,   OBSERVED_DENIED,  OBSERVED_CONNECTION,
        OBSERVED_GAP,         OBSERVED_ELECTION,  OBSERVED_DROPPED,  OBSERVED_CLEARED, OBSERVED_UNREAD,
        OBSERVED_TRANSACTION, OBSERVED_BAD_REPLY, OBSERVED_CAPTURED};
    const char *election = paths[draw(m, COUNT(paths))];
    char path[300];
    char *names[COUNT(children)];
    struct znode_stat stat = draw_stat(m);
    struct observation o = {
        .kind = kinds[draw(m, COUNT(kinds))], .at = m->now, .election = election, .path = path};
    snprintf(path, sizeof path, "%s", election);
    switch (o.kind) {
    case OBSERVED_CHILDREN:
        if (draw(m, 4) == 0)
            draw_path(m, election, path, sizeof path);
        o.children = (struct observed_children){.stat = &stat,
                                                .names = names,
                                                .count = draw(m, COUNT(names)),
                                                .synced_us = draw(m, 2) ? o.at.mono_us : 0};
        for (size_t i = 0; i < o.children.count; i++)
            names[i] = (char *)(uintptr_t)children[draw(m, COUNT(children))];
        break;
    case OBSERVED_NODE: {
        draw_path(m, election, path, sizeof path);
        const char *text = data[draw(m, COUNT(data))];
        o.node = (struct observed_node){.stat = &stat, .has_data = draw(m, 3) > 0};
        if (o.node.has_data) {
            o.node.data = text;
            o.node.data_length = strlen(text);
        }
        break;
    }
    case OBSERVED_ABSENT:
    case OBSERVED_DENIED:
    case OBSERVED_CLEARED:
        draw_path(m, election, path, sizeof path);
        break;
    case OBSERVED_UNREAD:
        o.unread.part = draw(m, 2) == 0 ? UNREAD_ACK : UNREAD_LIST;
        break;
    case OBSERVED_CAPTURED: {
        static struct captured_watch watches[2];
        static char watched[2][300];
        for (int i = 0; i < 2; i++) {
            draw_path(m, election, watched[i], sizeof watched[i]);
            watches[i] = (struct captured_watch){watched[i], (enum watch_kind)draw(m, 4), o.at.mono_us};
        }
        draw_path(m, election, path, sizeof path);
        o.election = NULL;
        o.captured = (struct observed_captured){.step = (enum captured_step)draw(m, CAPTURED_MISSING + 1),
                                                .address = draw(m, 2) ? "10.0.0.1:2181" : "10.0.0.2:2181",
                                                .session = draw(m, 5),
                                                .client = "10.0.0.9:40000",
                                                .timeout_ms = (int)draw(m, 2) * 4000,
                                                .connected = draw(m, 4) > 0,
                                                .watches_known = draw(m, 4) > 0,
                                                .watches = watches,
                                                .count = draw(m, 3),
                                                .heard_us = o.at.mono_us};
        break;
    }
    case OBSERVED_TRANSACTION:
        draw_path(m, election, path, sizeof path);
        o.path = draw(m, 4) ? path : NULL;
        o.transaction = (struct observed_transaction){.zxid = (int64_t)draw(m, 1000),
                                                      .deed = (enum transaction_deed)draw(m, 4),
                                                      .session = draw(m, 5),
                                                      .czxid = (int64_t)draw(m, 100),
                                                      .timeout_ms = (int)draw(m, 2) * 4000,
                                                      .active_us = draw(m, 2) ? o.at.mono_us - 1000000 : 0};
        break;
    case OBSERVED_CONNECTION:
        o.connection.state = (enum connection_state)draw(m, 4);
        break;
    case OBSERVED_ELECTION:
        o.subject = (struct observed_election){ORIGIN_CONFIGURED, &m->settings[draw(m, 2)]};
        break;
    case OBSERVED_BAD_REPLY:
        o.bad_reply = (struct observed_bad_reply){draw(m, 2) ? "zk1:2181" : "zk2:2181", "error code 5"};
        break;
    case OBSERVED_GAP:
    case OBSERVED_DROPPED:
    case OBSERVED_SERVER:
    case OBSERVED_CONNECTIONS:
    case OBSERVED_WATCHES:
    case OBSERVED_SESSIONS:
    case OBSERVED_HIDDEN:
    case OBSERVED_REPLICA:
    case OBSERVED_ENSEMBLE:
    case OBSERVED_LOAD:
    case OBSERVED_CLOCK:
    case OBSERVED_SILENCE:
    case OBSERVED_TICK:
    case OBSERVED_READ:
        break;
    }
    report(m, &o);
    struct election *e = model_election(m->model, 0, election);
    struct election *other = model_election(m->twin, 0, election);
    if (e && draw(m, 4) == 0) {
        (void)election_take_unread(e);
        (void)election_take_unread(other);
    }
    if (e && draw(m, 16) == 0) {
        election_requeue_unread(e);
        election_requeue_unread(other);
    }
}

/* Whatever server has left, those who are said to be somewhere are where a server is. */
static void check_sessions(const struct model *model)
{
    const struct cluster *cluster = &model->clusters[0];
    for (uint64_t id = 1; id < 5; id++) {
        const struct client_session *session = cluster_client(cluster, id);
        if (session && session->connected && session->server >= cluster->server_count) {
            fprintf(stderr, "session %d is on a server that is not there\n", (int)id);
            abort();
        }
    }
}

static void check_all(const struct model *model)
{
    check_sessions(model);
    for (size_t i = 0; i < model->clusters[0].election_count; i++)
        check(model, model->clusters[0].elections[i]);
}

/* Reads all that an event points at. */
static void on_event(void *context, const struct event *event)
{
    size_t *read = context;
    const char *texts[] = {event->candidate, event->identity, event->from, event->from_identity,
                           event->detail};
    for (size_t i = 0; i < COUNT(texts); i++)
        *read += texts[i] ? strlen(texts[i]) : 0;
}

/* ---- what is recorded of it ---- */

struct recording {
    struct snapshot *written, *read;
    struct buffer patch;
};

static void blank(char *json, const char *key)
{
    while ((json = strstr(json, key))) {
        json += strlen(key);
        char *end = json + strcspn(json, *json == '{' ? "}" : *json == '[' ? "\n" : ",}");
        memmove(json, end, strlen(end) + 1);
    }
}

/* An age, too, while nobody leads. */
static void blank_vacancies(char *json)
{
    static const char key[] = "\"vacancy_ms\": ", next[] = ", \"notified_ms\"";
    while ((json = strstr(json, key))) {
        json += strlen(key);
        char *end = strstr(json, next);
        if (end)
            memmove(json, end, strlen(end) + 1);
    }
}

/* Counts looks, and names moments of them. */
static void blank_evidence(char *json)
{
    static const char key[] = "\"evidence\": \"";
    while ((json = strstr(json, key))) {
        json += strlen(key);
        char *end = json;
        while (*end && *end != '"')
            end += *end == '\\' ? 2 : 1;
        memmove(json, end, strlen(end) + 1);
    }
}

static void expect_same(const char *who, const char *one, const char *other, const char *two)
{
    size_t at = 0;
    while (one[at] && one[at] == two[at])
        at++;
    if (one[at] == two[at])
        return;
    size_t from = at < 300 ? 0 : at - 300;
    fprintf(stderr, "%s:\n%.900s\n\n%s:\n%.900s\n", who, one + from, other, two + from);
    abort();
}

static char *look(const struct model *model, struct moment at)
{
    struct buffer json = {0};
    json_snapshot_write(&json, model, at, NULL, NULL);
    buffer_put_char(&json, '\0');
    blank(json.bytes, "\"silent_ms\": ");
    blank(json.bytes, "\"expires_at_latest\": ");
    blank(json.bytes, "\"answer_ms\": ");
    blank_vacancies(json.bytes);
    blank(json.bytes, "\"why_nobody\": "); /* connections of those who left are not recorded */
    blank(json.bytes, "\"load\": ");
    blank(json.bytes, "\"load\": }, \"findings\": "); /* what follows from them */
    return json.bytes;
}

/* Who looks only where something may have changed finds what another finds that looks everywhere. */
static void check_twin(const struct monkey *m)
{
    char *was = look(m->model, m->now), *is = look(m->twin, m->now);
    blank_evidence(was);
    blank_evidence(is);
    expect_same("the model says", was, "its twin", is);
    free(was);
    free(is);
}

/* As a reader of a recording does, which has them in rows of their own. */
static void give_failovers(const struct snapshot_model *restored, const struct model *model)
{
    const struct cluster *to = &snapshot_model_model(restored)->clusters[0];
    for (size_t i = 0; i < to->election_count; i++) {
        const struct election *from = model_election(model, 0, to->elections[i]->path);
        for (size_t k = 0; from && k < from->failover_count; k++)
            election_keep_failover(to->elections[i], election_failover_at(from, k));
    }
}

/* What a reader makes of the patches says the same as the model. */
static void check_recording(struct recording *recording, const struct model *model)
{
    buffer_clear(&recording->patch);
    snapshot_update(recording->written, model, &recording->patch);
    if (!snapshot_apply(recording->read, recording->patch.bytes, recording->patch.length)) {
        fprintf(stderr, "a patch does not fit its snapshot\n");
        abort();
    }
    struct snapshot_model *restored = snapshot_read(recording->read, model->now.wall_us, 1);
    if (!restored) {
        fprintf(stderr, "no model can be made of a snapshot\n");
        abort();
    }
    check_all(snapshot_model_model(restored));
    give_failovers(restored, model);
    char *was = look(model, model->now),
         *is = look(snapshot_model_model(restored), snapshot_model_model(restored)->now);
    expect_same("the model says", was, "its recording", is);
    free(was);
    free(is);
    snapshot_model_free(restored);
}

/* The case of its observations makes the same model. */
static void check_case(const struct monkey *m)
{
    struct buffer blocks = {0};
    struct observation o;
    char *error = NULL;
    case_writer_take(m->observed, &blocks);
    struct case_reader *reader = case_read(blocks.bytes, blocks.length);
    enum case_next next = case_next(reader, &o);
    struct model *folded = next == CASE_RUN ? case_model(reader, &error) : NULL;
    while (folded && (next = case_next(reader, &o)) == CASE_OBSERVATION)
        model_observe(folded, &o);
    if (!folded || next != CASE_END || case_losses(reader)->blocks || case_losses(reader)->skipped) {
        fprintf(stderr, "a case cannot be read again\n");
        abort();
    }
    check_all(folded);
    char *was = look(m->model, m->model->now), *is = look(folded, folded->now);
    expect_same("the model says", was, "its case", is);
    free(was);
    free(is);
    model_free(folded);
    case_close(reader);
}

void model_monkey_run(const uint8_t *bytes, size_t length)
{
    struct recording recording = {.written = snapshot_new(), .read = snapshot_new()};
    static char hosts[] = "h:1", name[] = "", automatic[] = "auto", kazoo[] = "zookeeper", ack[] = "/mark",
                registry[] = "registry:/coordinators_service_registry", path[] = "/x";
    struct cluster_settings cluster = {.name = name, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    struct monkey m = {
        .bytes = bytes,
        .length = length,
        .now = {1000, 1700000000000000},
        .settings = {{.path = path, .recipe = automatic, .identity = registry},
                     {.path = path, .recipe = kazoo, .acknowledgement = ack, .kind = KIND_LOCK}}};
    char *error = NULL;
    size_t read = 0;
    m.model = model_new(&settings, &error);
    if (!m.model) {
        free(error);
        return;
    }
    m.twin = model_new(&settings, &error);
    if (!m.twin)
        abort();
    m.model->on_event = on_event;
    m.model->context = &read;
    m.observed = case_writer_new(&settings, m.model);
    m.model->on_observation = case_writer_observe;
    m.model->observer = m.observed;
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct observation o = {
            .kind = OBSERVED_ELECTION, .at = m.now, .election = paths[i], .path = paths[i]};
        report(&m, &o);
    }
    for (size_t steps = 0; m.length > 0; steps++) {
        m.now.mono_us += 1000;
        m.now.wall_us += 1000;
        step(&m);
        check_all(m.model);
        if (steps % 16 == 0)
            check_recording(&recording, m.model);
        check_twin(&m);
    }
    check_case(&m);
    case_writer_close(m.observed, &error);
    snapshot_free(recording.written);
    snapshot_free(recording.read);
    buffer_free(&recording.patch);
    model_free(m.model);
    model_free(m.twin);
}
