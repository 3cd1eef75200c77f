#include "probe/json/json_discovery.h"

#include <stdlib.h>

#include "probe/election/cluster.h"
#include "probe/json/json_writer.h"
#include "probe/json/json_snapshot.h"

static void write_row(struct json_writer *w, const struct discovery_row *row)
{
    const struct election *e = row->election;
    const struct candidate *leader = e ? e->leader : NULL;
    json_write_begin(w, '{');
    json_member_text(w, "path", row->path);
    json_member_text(w, "kind", directory_kind_word(row->verdict.kind));
    json_member_text(w, "proof", row->verdict.proof);
    json_member_text(w, "certainty", row->verdict.certain ? "certain" : "suspected");
    json_member_text(w, "evidence", row->verdict.evidence);
    json_member_uint(w, "members", row->members);
    if (e) {
        json_member_text(w, "recipe", e->recipe ? e->recipe->name : NULL);
        json_member_text(w, "family", e->recipe ? recipe_family_word(e->recipe->family) : NULL);
        json_member_text(w, "kind_known", kind_proof_word(e->kind_proof));
        json_member_text(w, "state", election_state_word(e->state));
        json_member_text(w, "leader", !leader ? NULL : leader->identity ? leader->identity : leader->name);
    }
    json_write_end(w, '}');
}

static void write_cluster(struct json_writer *w, const struct cluster *cluster, const struct discovery *found)
{
    size_t count;
    struct discovery_row *rows = discovery_rows(cluster, found, &count);
    json_write_begin(w, '{');
    json_member_text(w, "name", *cluster->name ? cluster->name : NULL);
    json_member_text(w, "hosts", cluster->hosts);
    json_member_text(w, "state", json_connection_word(cluster->connection));
    json_member_text(w, "problem", cluster->problem);
    json_member_uint(w, "walked", found->walked);
    json_member_int(w, "rate_per_s", found->rate_per_s);
    json_member_bool(w, "complete", found->complete);
    json_member_text(w, "left_out", found->left_out);
    json_member_begin(w, "found", '[');
    for (size_t i = 0; i < count; i++) {
        json_write_line(w, 6);
        write_row(w, &rows[i]);
    }
    if (count)
        json_write_line(w, 4);
    json_write_end(w, ']');
    json_write_end(w, '}');
    free(rows);
}

void json_discovery_write(struct buffer *out, const struct model *model, const struct discovery *found,
                          struct moment now)
{
    struct json_writer w = json_writer_to(out, true);
    json_write_begin(&w, '{');
    json_member_int(&w, "schema", JSON_SCHEMA);
    json_member_time(&w, "time", now.wall_us);
    json_member_begin(&w, "clusters", '[');
    for (size_t i = 0; i < model->cluster_count; i++) {
        json_write_line(&w, 2);
        write_cluster(&w, &model->clusters[i], &found[i]);
    }
    json_write_line(&w, 0);
    json_write_end(&w, ']');
    json_write_end(&w, '}');
    buffer_put_char(out, '\n');
}
