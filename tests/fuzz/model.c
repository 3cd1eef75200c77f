/* Observations in any order and of any content: the model stays consistent with itself. */
#include "tests/support/model_monkey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    model_monkey_run(data, size);
    return 0;
}
