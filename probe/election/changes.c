#include "probe/election/changes.h"

#include "config/text.h"

void changes_led(struct change_counts *c, const char *name, const char *identity, uint64_t session)
{
    bool renamed = c->identity && identity && !text_same(c->identity, identity);
    bool other = c->vacant || !text_same(c->name, name) || renamed;
    if (c->session != 0 && session != 0) /* a session may also have had two candidates */
        other = c->session != session || (renamed && !c->vacant);
    c->seen += c->name && other;
    c->name = name;
    c->identity = identity;
    c->session = session;
    c->vacant = false;
}

void changes_vacant(struct change_counts *c)
{
    c->vacant = true;
}

void changes_gap(struct change_counts *c)
{
    c->name = c->identity = NULL;
}

bool failover_is_change(const struct failover *failover)
{
    return failover->to && failover->gap_us <= 0;
}

void changes_failover(struct change_counts *c, const struct failover *failover)
{
    c->told += failover_is_change(failover);
    c->missed += failover->gap_us > 0;
    c->open += !failover->to && failover->gap_us <= 0;
}

size_t changes_count(const struct change_counts *c)
{
    return c->seen > c->told ? c->seen : c->told;
}
