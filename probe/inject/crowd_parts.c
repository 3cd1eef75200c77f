#include "probe/inject/crowd_parts.h"

#include <stdlib.h>
#include <string.h>

#include "probe/candidate/candidate_session.h"
#include "probe/candidate/naming.h"

size_t crowd_parts_per_session(const struct crowd_options *options)
{
    size_t path = strlen(options->election) + 1 + name_longest(options->name ? options->name : "") + 11 + 4;
    size_t most = CANDIDATE_SESSION_WATCHED_MOST / path,
           asked = options->per_session ? options->per_session : 1;
    return asked < most ? asked : most ? most : 1;
}

/* NULL for NULL, and where there is no memory; that is seen in text_count. */
static const char *crowd_parts_keep(struct crowd_parts *parts, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (copy)
        parts->texts[parts->text_count++] = copy;
    return copy;
}

static void castings_fill(struct crowd_parts *parts, const struct crowd_options *o)
{
    bool alone = crowd_parts_per_session(o) == 1;
    for (size_t i = 0; i <= o->part_count; i++)
        parts->castings[i] = (struct candidate_options){
            .guard = o->guard,
            .election = o->election,
            .name = o->name,
            .data = o->data,
            .mark = o->mark,
            .mark_data = o->mark_data,
            .acl = o->acl,
            .rules = {.manner = behaviour_manner(i ? o->parts[i - 1].behaviour : BEHAVIOUR_RECIPE),
                      .lock = o->lock,
                      .mark = o->mark != NULL,
                      .findable = name_is_unique(o->name, alone),
                      .never_leads = o->never_leads},
            .slow_ms = i ? o->parts[i - 1].slow_ms : 0,
        };
}

bool crowd_parts_begin(struct crowd_parts *parts, struct crowd_options *o,
                       const struct crowd_options *options)
{
    *o = *options;
    const char *const given[] = {options->session.hosts,
                                 options->session.auth_scheme,
                                 options->session.auth_credential,
                                 options->election,
                                 options->mark,
                                 options->data};
    size_t texts = 2; /* the name, and the mark's data */
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        texts += given[i] != NULL;
    o->session.hosts = crowd_parts_keep(parts, options->session.hosts);
    o->session.auth_scheme = crowd_parts_keep(parts, options->session.auth_scheme);
    o->session.auth_credential = crowd_parts_keep(parts, options->session.auth_credential);
    o->election = crowd_parts_keep(parts, options->election);
    o->name = crowd_parts_keep(parts, options->name ? options->name : "");
    o->data = crowd_parts_keep(parts, options->data);
    o->mark = crowd_parts_keep(parts, options->mark);
    o->mark_data = crowd_parts_keep(parts, options->mark_data ? options->mark_data : options->data);
    parts->list = calloc(options->part_count + 1, sizeof *parts->list);
    parts->castings = calloc(options->part_count + 1, sizeof *parts->castings);
    if (parts->text_count < texts || !parts->list || !parts->castings)
        return false;
    for (size_t i = 0; i < options->part_count; i++)
        parts->list[i] = options->parts[i];
    o->parts = parts->list;
    castings_fill(parts, o);
    return true;
}

void crowd_parts_end(struct crowd_parts *parts)
{
    for (size_t i = 0; i < parts->text_count; i++)
        free(parts->texts[i]);
    free(parts->list);
    free(parts->castings);
}

const struct candidate_options *crowd_parts_casting(const struct crowd_parts *parts,
                                                    const struct crowd_options *options, size_t i)
{
    uint64_t turn = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + options->seed; /* the golden ratio */
    double at = (double)(turn >> 11) / 9007199254740992.0 * 100;
    for (size_t part = 0; part < options->part_count; part++) {
        at -= options->parts[part].percent;
        if (at < 0)
            return &parts->castings[part + 1];
    }
    return &parts->castings[0];
}
