/*
 * A server's answers to four-letter words: read whole, or refused with a reason and nothing left behind. The
 * first byte says which word.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/fourletter.h"

static void check(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = size ? malloc(size) : NULL;
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    struct server_answer answer;
    server_answer_clear(&answer);
    const char *problem =
        fourletter_word_read((enum fourletter_word)(data[0] % (FOURLETTER_WORD_DUMP + 1)), text, &answer);
    if (problem)
        check(*problem && !answer.connections.count && !answer.watches.count && !answer.sessions.count);
    for (size_t i = 0; i < answer.connections.count; i++)
        check(answer.connections.list[i].client && answer.connections.list[i].timeout_ms >= 0);
    size_t paths = 0;
    for (size_t i = 0; i < answer.watches.count; i++)
        for (size_t j = 0; j < answer.watches.list[i].count; j++, paths++)
            check(strlen(answer.watches.list[i].paths[j]) < size);
    check(paths == answer.watches.path_count);
    check(answer.figures.connections >= -1 && answer.figures.watches >= -1);
    server_answer_free(&answer);
    free(text);
    return 0;
}
