/*
 * Filters and times as users type them. A filter never harms the elections it is held against: all of its
 * terms hold exactly where each of them holds alone, in upper case as in lower. A time is read, or refused
 * with a reason.
 */
#define _GNU_SOURCE // strsep
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/times.h"
#include "probe/election/model.h"
#include "tui/dashboard/jump.h"
#include "tui/words/election_filter.h"

static const struct moment now = {2000000000, INT64_C(1760000060) * 1000000};

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* One election without anybody, and one with two candidates. */
static struct model *make_model(void)
{
    static char hosts[] = "zk1:2181", name[] = "prod", one[] = "n_0000000001", other[] = "n_0000000002",
                *names[] = {one, other};
    static struct cluster_settings cluster = {.name = name, .hosts = hosts};
    static const struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    const char *const paths[] = {"/app/orders", "/app/billing"};
    char *error;
    struct model *model = model_new(&settings, &error);
    check(model);
    for (size_t i = 0; i < 2; i++) {
        struct znode_stat stat = {.czxid = 1, .pzxid = 2, .cversion = i ? 2 : 0, .children = i ? 2 : 0};
        struct observation o = {.kind = OBSERVED_ELECTION, .at = now, .election = paths[i], .path = paths[i]};
        model_observe(model, &o);
        o.kind = OBSERVED_CHILDREN;
        o.children = (struct observed_children){.stat = &stat, .names = names, .count = i ? 2 : 0};
        model_observe(model, &o);
    }
    return model;
}

static bool each_term_holds(char *filter, const struct election *election)
{
    char *rest = filter;
    for (char *term; (term = strsep(&rest, " "));)
        if (!election_filter_match(term, election, now))
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct model *model;
    if (!model)
        model = make_model();
    char *text = malloc(size + 1), *copy = malloc(size + 1);
    if (text && copy) {
        memcpy(text, data, size);
        text[size] = '\0';
        const char *problem = election_filter_problem(text);
        check(!problem || *problem);
        struct jump_match *found;
        size_t alike, count = jump_matches(model, text, &found, &alike);
        check(alike <= count);
        free(found);
        for (size_t i = 0; i < model->clusters[0].election_count; i++) {
            const struct election *election = model->clusters[0].elections[i];
            bool matches = election_filter_match(text, election, now);
            strcpy(copy, text);
            check(each_term_holds(copy, election) == matches);
            strcpy(copy, text);
            for (char *at = copy; *at; at++)
                *at = (char)((unsigned char)*at < 128 ? toupper(*at) : *at);
            check(election_filter_match(copy, election, now) == matches);
        }
        int64_t at_us = -1;
        problem = time_parse(text, now.wall_us, &at_us);
        check(problem ? *problem && at_us == -1 : at_us != -1);
    }
    free(text);
    free(copy);
    return 0;
}
