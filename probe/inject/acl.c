#include "probe/inject/acl.h"

#include <stddef.h>
#include <string.h>

#include "config/text.h"

/* The number of entries that are shown of a longer ACL. */
#define TOLD_MOST 3

static bool is_digest(const struct acl_entry *entry)
{
    return strcmp(entry->scheme, "digest") == 0;
}

static bool entry_is_same(const struct acl_entry *a, const struct acl_entry *b)
{
    return a->permissions == b->permissions && strcmp(a->scheme, b->scheme) == 0 && strcmp(a->id, b->id) == 0;
}

static size_t acl_compare_count_of(const struct acl *acl, const struct acl_entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < acl->count; i++)
        count += entry_is_same(&acl->entries[i], entry);
    return count;
}

bool acl_is_same(const struct acl *a, const struct acl *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = acl_compare_count_of(a, &a->entries[i]) == acl_compare_count_of(b, &a->entries[i]);
    return same;
}

bool acl_is_masked(const struct acl *acl)
{
    for (size_t i = 0; i < acl->count; i++) {
        const char *secret = strchr(acl->entries[i].id, ':');
        if (is_digest(&acl->entries[i]) && secret && strcmp(secret, ":x") == 0)
            return true;
    }
    return false;
}

/* Under an unknown scheme an id may be a secret, too. */
static size_t shown_length(const struct acl_entry *entry)
{
    static const char *const open[] = {"world", "ip", "sasl", "x509", "hostname"};
    if (is_digest(entry))
        return strcspn(entry->id, ":");
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (strcmp(entry->scheme, open[i]) == 0)
            return strlen(entry->id);
    return 0;
}

static void put_entry(struct text *text, const struct acl_entry *entry)
{
    static const struct {
        int32_t bit;
        char letter[2];
    } permissions[] = {{4, "c"}, {8, "d"}, {1, "r"}, {2, "w"}, {16, "a"}};
    struct text who = {0};
    text_printf(&who, "%.20s:%.*s", entry->scheme, (int)shown_length(entry), entry->id);
    if (who.at)
        text_quote(text, who.at, who.length);
    text_free(&who);
    text_add(text, " ");
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions; i++)
        text_add(text, entry->permissions & permissions[i].bit ? permissions[i].letter : "");
}

char *acl_describe(const struct acl *acl)
{
    struct text text = {0};
    for (size_t i = 0; i < acl->count && i < TOLD_MOST; i++) {
        text_add(&text, i ? ", " : "");
        put_entry(&text, &acl->entries[i]);
    }
    if (acl->count > TOLD_MOST)
        text_printf(&text, " and %zu more", acl->count - TOLD_MOST);
    return text_take(&text);
}
