#include "tests/support/model_words.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/model.h"
#include "probe/election/whatif.h"
#include "probe/metrics/figures.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"

void words_add(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

static void describe_time(char *out, size_t size, const struct moment *at, bool exact)
{
    if (at->mono_us == 0)
        words_add(out, size, "unknown");
    else
        words_add(out, size, "%s%lld", exact ? "" : "~", (long long)((at->mono_us - WORDS_START_US) / 1000));
}

static void describe_tenures(char *out, size_t size, const struct election *election)
{
    for (size_t i = 0; i < election->tenure_count; i++) {
        const struct tenure *t = election_tenure_at(election, i);
        words_add(out, size, "%s%s", i ? ", " : "", t->gap ? "gap" : t->name ? t->name : "nobody");
        if (t->identity)
            words_add(out, size, "(%s)", t->identity);
        words_add(out, size, " ");
        describe_time(out, size, &t->from, t->from_exact || t->gap);
        words_add(out, size, "-");
        if (t->to.mono_us)
            describe_time(out, size, &t->to, true);
    }
}

static void describe_change(char *out, size_t size, const struct change *change)
{
    if (!change->from && !change->to)
        return;
    words_add(out, size, "%s -> %s", change->from ? change->from : "nobody",
              change->to ? change->to : "open");
    if (change->lost_at.mono_us) {
        words_add(out, size, ", lost ");
        describe_time(out, size, &change->lost_at, change->lost_seen);
    }
    if (change->vacancy_us >= 0)
        words_add(out, size, ", vacant %lld", (long long)(change->vacancy_us / 1000));
    if (change->takeover_us >= 0)
        words_add(out, size, ", took over %lld", (long long)(change->takeover_us / 1000));
}

static void describe_findings(char *out, size_t size, const struct election *e, bool all)
{
    bool any = false;
    for (size_t i = 0; i < e->finding_count; i++) {
        const struct finding *f = e->findings[i];
        if (f->code == FINDING_NO_GUID && !all)
            continue;
        words_add(out, size, "%s%s %s %s", any ? "; " : "", finding_kind(f->code)->word,
                  severity_word(f->severity), certainty_word(f->certainty));
        if (f->unconfirmed_since.mono_us)
            words_add(out, size, " unconfirmed");
        for (size_t k = 0; k < f->candidate_count; k++)
            words_add(out, size, "%s%s", k ? "," : " ", f->candidates[k]);
        any = true;
    }
    if (!any)
        words_add(out, size, "none");
}

static const char *answer_word(enum answer answer)
{
    return answer == ANSWER_YES ? "told" : answer == ANSWER_NO ? "not told" : "unknown";
}

static void describe_chain(const struct election *e, const char *what, const char *name, char *out,
                           size_t size)
{
    static const char *const links[] = {"unknown", "first", "right", "wrong", "suspect", "stuck"};
    const struct candidate *c = election_find(e, name);
    if (!c) {
        words_add(out, size, "no such candidate");
    } else if (strcmp(what, "link") == 0) {
        words_add(out, size, "%s%s%s", links[c->link], c->link_why ? ": " : "",
                  c->link_why ? c->link_why : "");
    } else if (strcmp(what, "by") == 0) {
        uint64_t sessions[16];
        size_t count = chain_watched_by(e, c, sessions, 16);
        for (size_t i = 0; i < count && i < 16; i++)
            words_add(out, size, "%s%llx", i ? " " : "", (unsigned long long)sessions[i]);
        words_add(out, size, "%s", count ? "" : "nobody");
    } else if (strcmp(what, "goes-why") == 0) {
        struct departure d = whatif_goes(e, c);
        words_add(out, size, "%s", d.why ? d.why : "");
    } else {
        struct departure d = whatif_goes(e, c);
        words_add(out, size, "%s %s%s", d.successor ? d.successor->name : "nobody", answer_word(d.notified),
                  d.leads ? " leads" : "");
        for (size_t i = 0; i < d.other_count && i < 8; i++)
            words_add(out, size, " %s", d.others[i]->name);
        words_add(out, size, "%s%s%s", d.others_unknown ? ", perhaps others" : "", d.stays ? ", stays" : "",
                  d.successor_stays ? ", which stays" : "");
    }
}

static void describe_next(const struct election *e, char *out, size_t size)
{
    static const char *const chains[] = {"unknown", "complete", "broken"};
    struct next_failover next = whatif_next(e);
    words_add(out, size, "%s %s, chain %s", next.successor ? next.successor->name : "nobody",
              answer_word(next.notified), chains[next.chain]);
    if (next.broken_at)
        words_add(out, size, " at %s", next.broken_at->name);
    if (e->leader && next.by_itself != ANSWER_YES)
        words_add(out, size, ", %s by itself", next.by_itself == ANSWER_NO ? "not" : "perhaps");
}

static void describe_why_nobody(const struct election *e, char *out, size_t size)
{
    struct vacancy_reason reasons[VACANCY_REASONS];
    size_t count = vacancy_reasons(e, reasons);
    for (size_t i = 0; i < count; i++)
        words_add(out, size, "%s%s: %s", i ? "; " : "", certainty_word(reasons[i].certainty),
                  reasons[i].text);
}

void words_describe(const struct election *e, const char *what, const char *name, char *out, size_t size)
{
    static const char *const states[] = {"unknown", "led", "electing", "vacant", "absent", "denied"};
    static const char *const acks[] = {"none", "unknown", "no", "yes"};
    static const char *const sources[] = {"session", "client", "registry", "name", "data"};
    if (strcmp(what, "state") == 0)
        words_add(out, size, "%s", states[e->state]);
    else if (strcmp(what, "summary") == 0)
        words_add(out, size, "%s", states[summary_state(e)]);
    else if (strcmp(what, "kept-minutes") == 0)
        words_add(out, size, "%llu", (unsigned long long)election_absent_kept_ms(e) / 60000);
    else if (strcmp(what, "why-nobody") == 0)
        describe_why_nobody(e, out, size);
    else if (strcmp(what, "never-led") == 0)
        words_add(out, size, "%s", vacancy_is_denied(e) ? "yes" : "no");
    else if (strcmp(what, "led") == 0)
        words_add(out, size, "%s", figures_is_led(e) ? "yes" : "no");
    else if (strcmp(what, "leader") == 0)
        words_add(out, size, "%s", e->leader ? e->leader->name : "none");
    else if (strcmp(what, "since") == 0)
        describe_time(out, size, &e->leader_since, e->leader_since_exact);
    else if (strcmp(what, "state-since") == 0)
        describe_time(out, size, &e->state_since, e->state_since_exact);
    else if (strcmp(what, "next") == 0)
        words_add(out, size, "%lld", (long long)e->next_sequence);
    else if (strcmp(what, "recipe") == 0)
        words_add(out, size, "%s %s", e->recipe ? e->recipe->name : "none", recognised_word(e->recognised));
    else if (strcmp(what, "ack") == 0)
        words_add(out, size, "%s", acks[e->acknowledged]);
    else if (strcmp(what, "connection-since") == 0)
        describe_time(out, size, &e->cluster->connection_since, true);
    else if (strcmp(what, "lock-told") == 0)
        words_add(out, size, "%zu", whatif_lock_notified(e));
    else if (strcmp(what, "fresh") == 0)
        words_add(out, size, "%s", e->fresh ? "yes" : "no");
    else if (strcmp(what, "unseen") == 0)
        words_add(out, size, "+%llu -%llu", (unsigned long long)e->counters.unseen_joined,
                  (unsigned long long)e->counters.unseen_left);
    else if (strcmp(what, "complete") == 0)
        words_add(out, size, "%s", election_complete(e) ? "yes" : "no");
    else if (strcmp(what, "acknowledgement") == 0)
        words_add(out, size, "%s", e->ack_path ? e->ack_path : "none");
    else if (strcmp(what, "tenures") == 0)
        describe_tenures(out, size, e);
    else if (strcmp(what, "change") == 0)
        describe_change(out, size, &e->change);
    else if (strcmp(what, "findings") == 0 || strcmp(what, "all") == 0)
        describe_findings(out, size, e, what[0] == 'a');
    else if (strcmp(what, "link") == 0 || strcmp(what, "by") == 0 || strncmp(what, "goes", 4) == 0)
        describe_chain(e, what, name, out, size);
    else if (strcmp(what, "next-failover") == 0)
        describe_next(e, out, size);
    else if (strcmp(what, "alone") == 0)
        words_add(out, size, "%s",
                  election_has_one_owner(e) ? "owner"
                  : election_is_tried(e)    ? "tried"
                                            : "no");
    else if (strcmp(what, "suspected") == 0)
        words_add(out, size, "%s", e->suspected ? "yes" : "no");
    else if (strcmp(what, "sound") == 0)
        words_add(out, size, "%s",
                  summary_is_sound(&(struct model){.clusters = e->cluster, .cluster_count = 1}) ? "yes"
                                                                                                : "no");
    else if (strcmp(what, "standing") == 0) {
        for (size_t i = 0; i < e->finding_count; i++)
            if (strcmp(finding_kind(e->findings[i]->code)->word, name) == 0)
                words_add(out, size, "%s%s", certainty_word(e->findings[i]->certainty),
                          e->findings[i]->unconfirmed_since.mono_us ? " unconfirmed" : "");
    } else if (strcmp(what, "raised") == 0) {
        for (size_t i = 0; i < e->finding_count; i++)
            if (strcmp(finding_kind(e->findings[i]->code)->word, name) == 0)
                words_add(out, size, "%lld",
                          (long long)(e->findings[i]->since.mono_us - WORDS_START_US) / 1000);
    } else if (strcmp(what, "why") == 0) {
        for (size_t i = 0; i < e->finding_count; i++)
            if (strcmp(finding_kind(e->findings[i]->code)->word, name) == 0)
                words_add(out, size, "%s | %s", e->findings[i]->evidence, e->findings[i]->advice);
    } else if (strcmp(what, "guard") == 0) {
        char path[1024];
        for (unsigned i = 0; i < 2; i++)
            words_add(out, size, "%s%s", i ? " " : "",
                      election_guard(e, i, path, sizeof path) ? path : "none");
    } else if (strcmp(what, "line") == 0) {
        for (size_t i = 0; i < e->candidate_count; i++)
            words_add(out, size, "%s%s", i ? " " : "", e->candidates[i]->name);
    } else if (strcmp(what, "foreign") == 0) {
        words_add(out, size, "%zu", e->foreign_count);
        for (size_t i = 0; i < e->foreign_count && i < FOREIGN_KEPT; i++)
            words_add(out, size, " %s", e->foreign[i]);
    } else if (strcmp(what, "identity") == 0) {
        const struct candidate *c = election_find(e, name);
        words_add(out, size, "%s", !c ? "no such candidate" : c->identity ? c->identity : "none");
        if (c && c->identity)
            words_add(out, size, " by %s", sources[c->identity_source]);
    } else {
        words_add(out, size, "no such question");
    }
}
