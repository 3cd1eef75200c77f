#include "probe/election/election_life.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/election/certainty.h"
#include "probe/election/election_private.h"
#include "probe/election/findings.h"
#include "probe/election/leadership.h"
#include "probe/election/registry.h"
#include "probe/election/replicas.h"
#include "probe/election/candidates.h"

/* In one block, which begins with the election: free() of that frees both. */
struct election_block {
    struct election election;
    struct election_private own;
};

struct election *election_new(struct cluster *cluster, const char *path, uint32_t hash)
{
    struct election_block *block = xcalloc(1, sizeof *block);
    struct election *election = &block->election;
    election->own = &block->own;
    election->cluster = cluster;
    election->serial = cluster ? ++cluster->serial : 0;
    election->own->path_hash = hash;
    election->own->election = election;
    election->next_sequence = -1;
    election->change.vacancy_us = election->change.takeover_us = -1;
    election->path = text_copy(path);
    return election;
}

void election_free(struct election *election)
{
    if (!election)
        return;
    candidates_free(election);
    leadership_free(election);
    candidate_free(election->own->ahead);
    registry_free(election->own->registry);
    findings_free(election);
    free(election->own->links);
    free(election->own->bystanders);
    replicas_free(election->own->replicas);
    free(election->departed);
    free(election->foreign);
    for (size_t i = 0; i < FURTHER_ACKS; i++)
        free(election->own->further_acks[i].path);
    registry_free(election->own->members);
    members_free(election);
    free(election->members_path);
    free(election->ack_path);
    free(election->ack_identity);
    free(election->own->ack_data);
    free(election->own->shared_word);
    free(election->registry_path);
    free(election->name);
    free(election->path);
    free(election);
}

static const char *configured_registry(const struct election *election)
{
    const char *identity = election->settings->identity;
    return identity && strncmp(identity, "registry:", 9) == 0 ? identity + 9 : NULL;
}

static void take_further_acks(struct election *election, bool configured)
{
    for (size_t i = 0; i < FURTHER_ACKS; i++) {
        struct further_ack *ack = &election->own->further_acks[i];
        char *path =
            election->recipe && !configured ? recipe_further_ack(election->recipe, election->path, i) : NULL;
        if (!text_same(path, ack->path))
            ack->known = ack->present = false;
        free(ack->path);
        ack->path = path;
    }
}

static void take_members(struct election *election)
{
    char *path = election->recipe ? recipe_members_path(election->recipe, election->path) : NULL;
    if (!text_same(path, election->members_path)) {
        registry_free(election->own->members);
        election->own->members = NULL;
        members_free(election);
    }
    free(election->members_path);
    election->members_path = path;
}

/* The acknowledgement of the configuration, else the recipe's; facts of another one are forgotten. */
static void take_ack(struct election *election)
{
    const struct recipe *recipe = election->recipe;
    const char *configured = election->settings->acknowledgement;
    const char *registry = configured_registry(election), *chroot = election->cluster->chroot;
    char *registry_path = registry ? znode_path_join(chroot, registry) : NULL;
    char *ack_path = configured ? znode_path_join(chroot, configured)
                     : recipe   ? recipe_ack_path(recipe, election->path)
                                : NULL;
    enum ack_place place = ACK_PLACE_NONE;
    if (ack_path) {
        bool list = text_same(ack_path, registry_path) || (recipe && recipe->ack_place == ACK_PLACE_REGISTRY);
        bool own_data = strcmp(ack_path, election->path) == 0;
        place = list ? ACK_PLACE_REGISTRY : own_data ? ACK_PLACE_PARENT_DATA : ACK_PLACE_NODE;
    }
    if (place == ACK_PLACE_REGISTRY && !registry_path)
        registry_path = text_copy(ack_path);

    if (!text_same(ack_path, election->ack_path) || place != election->ack_place) {
        election->ack_known = election->ack_present = election->own->ack_denied = election->own->ack_proved =
            false;
        election->own->ack_unread = false;
        free(election->ack_identity);
        free(election->own->ack_data);
        election->ack_identity = NULL;
        election->own->ack_data = NULL;
        election->own->ack_data_length = 0;
        election->own->ack_data_mzxid = 0;
    }
    if (!text_same(registry_path, election->registry_path)) {
        registry_free(election->own->registry);
        election->own->registry = NULL;
    }
    free(election->ack_path);
    free(election->registry_path);
    election->ack_path = ack_path;
    election->registry_path = registry_path;
    election->ack_place = place;
    election->own->ack_configured = configured != NULL;
    take_further_acks(election, configured != NULL);
    take_members(election);
    if (!ack_path)
        election->acknowledged = ACK_NOT_USED;
    else if (election->acknowledged == ACK_NOT_USED)
        election->acknowledged = ACK_UNKNOWN;
}

void election_take_recipe(struct election *election, const struct recipe *recipe, enum recognised recognised)
{
    bool same = election->recipe == recipe;
    election->recognised = recognised;
    election->recipe = recipe;
    certainty_settle_kind(election);
    if (same)
        return;
    take_ack(election);
    diagnose_soon(election); /* this layout may prove less than the earlier one */
}

/* Its texts are never written to; the struct has no const because settings own theirs. */
static char no_text[] = "", automatic[] = "auto";
/* The defaults of the configuration. */
static const struct election_settings no_settings = {.path = no_text,
                                                     .kind = KIND_AUTO,
                                                     .recipe = automatic,
                                                     .inject = INJECT_SANDBOX,
                                                     .allow = {.vacancy_ms = 5000,
                                                               .failover_ms = 10000,
                                                               .silent_percent = 66,
                                                               .leader_changes = 3,
                                                               .leader_changes_ms = 600000}};

void election_configure(struct election *election, const struct recipe_book *book,
                        const struct observed_election *subject)
{
    const struct election_settings *settings = subject->settings ? subject->settings : &no_settings;
    int *least = &election->cluster->silent_percent_least;
    if (*least == 0 || settings->allow.silent_percent < *least)
        *least = settings->allow.silent_percent;
    election->settings = settings;
    election->origin = subject->origin;
    certainty_settle_kind(election);

    size_t chroot = strlen(election->cluster->chroot);
    const char *shown = chroot && strncmp(election->path, election->cluster->chroot, chroot) == 0 &&
                                (election->path[chroot] == '/' || election->path[chroot] == '\0')
                            ? election->path + chroot
                            : election->path;
    bool named = settings->name && subject->origin == ORIGIN_CONFIGURED;
    char *name = text_copy(named ? settings->name : *shown ? shown : "/");
    free(election->name);
    election->name = name;

    const struct recipe *recipe = NULL;
    if (settings->recipe && strcmp(settings->recipe, "auto") != 0)
        recipe = recipe_book_find(book, settings->recipe);
    if (recipe) {
        election_take_recipe(election, recipe, RECOGNISED_CONFIGURED);
    } else if (!election->recipe) {
        recipe = recipe_recognise(book, election->path, NULL, 0);
        if (recipe)
            election_take_recipe(election, recipe,
                                 recipe->signature ? RECOGNISED_SIGNATURE : RECOGNISED_NAME);
    }
    take_ack(election);
}
