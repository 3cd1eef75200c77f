/* A server's answer to "srvr": a stranger's text, taken apart or refused with a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/source/servers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), version[32];
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct observed_server server = {0};
    const char *problem = NULL;
    if (!srvr_parse(text, &server, version, sizeof(version), &problem) && !problem)
        abort();
    free(text);
    return 0;
}
