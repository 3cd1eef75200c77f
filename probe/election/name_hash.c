#include "probe/election/name_hash.h"

#include <string.h>

uint32_t name_hash(const char *text, size_t length, uint64_t seed)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t hash = seed ^ (length * odd);
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
        text += 8;
        length -= 8;
    }
    uint64_t tail = 0;
    memcpy(&tail, text, length);
    hash = (hash ^ tail) * odd;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(hash >> 32);
}
