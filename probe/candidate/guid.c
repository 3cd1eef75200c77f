#include "probe/candidate/guid.h"

#include <stdio.h>
#include <sys/random.h>
#include <sys/types.h>

static bool uuid_bytes(unsigned char bytes[16])
{
    if (getrandom(bytes, 16, 0) != (ssize_t)16)
        return false;
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40); /* version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80); /* the variant of RFC 4122 */
    return true;
}

bool guid_hex32(char out[GUID_HEX_SIZE])
{
    unsigned char bytes[16];
    if (!uuid_bytes(bytes))
        return false;
    for (int i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool guid_uuid36(char out[GUID_UUID_SIZE])
{
    char hex[GUID_HEX_SIZE];
    if (!guid_hex32(hex))
        return false;
    snprintf(out, GUID_UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
    return true;
}
