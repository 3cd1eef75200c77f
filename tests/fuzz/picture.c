/*
 * A recording that was damaged, or made by somebody: patches of a picture, and the model that is made of it.
 * What is accepted must be whole enough for every screen: all of it is written as JSON.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe/history/picture.h"
#include "probe/history/thaw.h"
#include "probe/sink/json_look.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct picture *picture = picture_new();
    struct thawed *thawed = NULL;
    struct buffer json = {0};
    if (picture_apply(picture, bytes, length))
        thawed = thaw(picture, INT64_C(1760000000000000), 1);
    if (thawed) {
        const struct model *model = thawed_model(thawed);
        json_look_write(&json, model, model->now);
        thawed_lapse(thawed, NULL, model->now.wall_us, "nobody was recording then");
        json_look_write(&json, model, model->now);
    }
    buffer_free(&json);
    thawed_free(thawed);
    picture_free(picture);
    return 0;
}
