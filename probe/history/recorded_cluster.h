/*
 * recorded_cluster.h - the elections that a recording holds of one cluster: as settings, so that its servers'
 * logs are read for the same elections, under the same names.
 */
#ifndef ELECTOP_PROBE_HISTORY_RECORDED_CLUSTER_H
#define ELECTOP_PROBE_HISTORY_RECORDED_CLUSTER_H

#include "config/settings.h"

struct recorded_cluster {
    char *name, *hosts;
    struct election_settings *elections; /* path, name and kind; the rest as of base */
    size_t election_count;
};

/*
 * cluster: its name; NULL: the only one. *found gets copies (recorded_cluster_free()). False and a text in
 * *error (caller frees): the error, and the remedy.
 */
bool recorded_cluster_read(const char *file, const char *cluster, const struct election_settings *base,
                           struct recorded_cluster *found, char **error);
void recorded_cluster_free(struct recorded_cluster *found);

#endif
