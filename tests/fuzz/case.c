/*
 * A case that was damaged, or made by somebody: its blocks, and, behind their checksums, a stretch of
 * observations. What is accepted is folded.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/case/case_file.h"
#include "probe/case/observation_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void fuzz_blocks(const uint8_t *bytes, size_t length)
{
    struct case_reader *reader = case_read(xmemdup(bytes, length), length);
    struct model *model = NULL;
    struct observation o;
    enum case_next next;
    char *error;
    while ((next = case_next(reader, &o)) != CASE_END) {
        if (next == CASE_RUN) {
            model_free(model);
            model = case_model(reader, &error);
            free(model ? NULL : error);
        } else if (model) {
            model_observe(model, &o);
        }
    }
    model_free(model);
    struct case_part part = {
        .from_us = INT64_MIN, .to_us = INT64_MAX, .about = case_about(reader), .pseudonyms = true};
    struct buffer out = {0};
    case_rewind(reader);
    if (!case_cut(reader, &part, &out, &error))
        free(error);
    buffer_free(&out);
    case_close(reader);
}

static void fuzz_stretch(const uint8_t *bytes, size_t length)
{
    static char name[] = "", hosts[] = "h:1";
    struct cluster_settings cluster = {.name = name, .hosts = hosts};
    struct settings settings = {.clusters = &cluster, .cluster_count = 1};
    char *error;
    struct kept_settings *kept = NULL;
    struct coding *c = coding_read(bytes, length, &kept);
    struct model *model = model_new(&settings, &error);
    struct observation o;
    while (coding_get(c, &o))
        model_observe(model, &o);
    model_free(model);
    coding_free(c);
    kept_settings_free(kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length > 0 && bytes[0] == 'e')
        fuzz_blocks(bytes, length);
    else if (length > 0)
        fuzz_stretch(bytes + 1, length - 1);
    return 0;
}
