/* A candidate's data is any stranger's bytes: what is made of it is short, whole and not empty. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *identity = identity_from_data(data, size);
    /* host, colon and port may follow the longest text */
    if (identity && (identity[0] == '\0' || strlen(identity) > IDENTITY_MAX + 6))
        abort();
    free(identity);
    return 0;
}
