/* Patterns of candidates' names: what a person may write, and that what stands for nothing is refused with
 * words. */
#include <stdlib.h>
#include <string.h>

#include "probe/candidate/naming.h"
#include "tests/support/test.h"

TEST(words_are_known)
{
    static const char *const good[] = {
        "n_", "_c_{uuid}-latch-", "{hex}__lock__", "{session}-node1-n_", "x-{session_hex}-", ""};
    char *problem;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(name_pattern_check(good[i], &problem));
}

/* The part that is wrong is named, and the word that was probably meant, or all there are. */
TEST(others_are_refused)
{
    static const struct {
        const char *pattern, *says[2];
    } bad[] = {
        {"n_{seq}", {"\"{seq}\"", "{uuid}, {hex}, {session} and {session_hex}"}},
        {"n_{seq}", {"append the number", ""}},
        {"{guid}-n_", {"\"{guid}\"", "did you mean {uuid}?"}},
        {"{hex}-{Session}_", {"\"{Session}\"", "did you mean {session}?"}},
        {"a{b", {"\"{\"", ""}},
        {"a}b", {"\"}\"", ""}},
        {"{{uuid}}", {"\"{{uuid}\"", ""}},
        {"{\033[31m}", {"\\x1b", ""}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *problem;
        assert_false(name_pattern_check(bad[i].pattern, &problem));
        for (size_t j = 0; j < 2; j++)
            if (!strstr(problem, bad[i].says[j]))
                fail_msg("%s: %s", bad[i].pattern, problem);
        assert_null(strchr(problem, '\033'));
        free(problem);
    }
}
