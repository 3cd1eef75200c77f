#include "probe/zookeeper/request.h"

#include <stdlib.h>
#include <string.h>

struct request *request_new(struct requests *all, enum answer_kind kind, const char *path, void *context)
{
    size_t size = path ? strlen(path) + 1 : 0;
    struct request *r = malloc(sizeof *r + size);
    if (!r)
        return NULL;
    *r = (struct request){.all = all, .kind = kind, .context = context};
    if (path)
        memcpy(r->path, path, size);
    request_attach(r);
    return r;
}

void request_attach(struct request *r)
{
    struct requests *all = r->all;
    r->previous = NULL;
    r->next = all->latest;
    if (all->latest)
        all->latest->previous = r;
    all->latest = r;
    all->open++;
}

void request_detach(struct request *r)
{
    r->all->open--;
    if (r->previous)
        r->previous->next = r->next;
    else
        r->all->latest = r->next;
    if (r->next)
        r->next->previous = r->previous;
    r->previous = r->next = NULL;
}

void request_free(struct request *r)
{
    request_detach(r);
    free(r);
}

static void call(const struct request *r, const struct answer *a)
{
    switch (r->kind) {
    case ANSWER_NODE:
        r->fn.node(r->context, a->result, a->stat, a->data, a->length);
        break;
    case ANSWER_CHILDREN:
        r->fn.children(r->context, a->result, a->stat, a->names, a->length);
        break;
    case ANSWER_TEXT:
        r->fn.text(r->context, a->result, a->path);
        break;
    case ANSWER_ACL:
        r->fn.acl(r->context, a->result, a->acl);
        break;
    case ANSWER_NOTHING:
        break;
    }
}

void request_answer(struct request *r, const struct answer *answer)
{
    struct request copy = *r;
    r->all->answered++;
    request_free(r);
    call(&copy, answer);
}

void requests_give_up(struct requests *all)
{
    static const struct answer lost = {.result = SESSION_LOST};
    struct request *oldest = NULL;
    for (struct request *r = all->latest; r; r = r->next)
        oldest = r;
    for (struct request *r = oldest; r; r = r->previous) {
        struct request copy = *r;
        r->kind = ANSWER_NOTHING;
        call(&copy, &lost);
    }
}
