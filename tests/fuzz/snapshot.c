/*
 * A recording that was damaged, or made by somebody: patches of a picture, and the model that is made of it.
 * What is accepted must be whole enough for every screen: all of it is written as JSON.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe/history/snapshot.h"
#include "probe/json/json_snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct snapshot *snapshot = snapshot_new();
    struct snapshot_model *restored = NULL;
    struct buffer json = {0};
    if (snapshot_apply(snapshot, bytes, length))
        restored = snapshot_read(snapshot, INT64_C(1760000000000000), 1);
    if (restored) {
        const struct model *model = snapshot_model_model(restored);
        json_snapshot_write(&json, model, model->now, NULL, NULL);
        snapshot_model_lapse(restored, NULL, model->now.wall_us, "nothing was recorded then");
        json_snapshot_write(&json, model, model->now, NULL, NULL);
    }
    buffer_free(&json);
    snapshot_model_free(restored);
    snapshot_free(snapshot);
    return 0;
}
