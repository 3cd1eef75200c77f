/* Who leads after whom: the same client with a new znode, or another one. */

#include <string.h>

#include "probe/election/tenure.h"
#include "tests/support/test.h"

TEST(another_client)
{
    static char a[] = "a", b[] = "b", n_1[] = "n_1", n_2[] = "n_2", lock[] = "lock";
    static const struct {
        const char *what;
        struct {
            char *name, *identity;
            uint64_t session;
        } before, now;
        bool other;
    } cases[] = {
        {"a session that stands again", {n_1, a, 7}, {n_2, a, 7}, false},
        {"a client that was started again", {n_1, a, 7}, {n_2, a, 8}, true},
        {"a lock's next holder", {lock, a, 7}, {lock, b, 8}, true},
        {"sessions are not known, one identity", {n_1, a, 0}, {n_2, a, 0}, false},
        {"a session that is not known yet", {n_1, a, 0}, {n_2, a, 7}, false},
        {"sessions are not known, two identities", {n_1, a, 0}, {n_2, b, 0}, true},
        {"sessions are not known, a lock's next holder", {lock, a, 0}, {lock, b, 0}, true},
        {"nobody knows who", {n_1, NULL, 0}, {n_2, NULL, 0}, true},
        {"nobody knows who, the same znode", {n_1, NULL, 0}, {n_1, a, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tenure before = {.name = cases[i].before.name,
                                .identity = cases[i].before.identity,
                                .session = cases[i].before.session};
        struct tenure now = {
            .name = cases[i].now.name, .identity = cases[i].now.identity, .session = cases[i].now.session};
        if (tenure_is_other(&before, &now) != cases[i].other)
            fail_msg("%s", cases[i].what);
    }
}

TEST(a_candidate_created_again)
{
    static char a[] = "a", b[] = "b", n_1[] = "n_1", n_2[] = "n_2";
    static const struct {
        const char *what;
        struct tenure line[3];
        bool again;
    } cases[] = {
        {"after a moment", {{.name = n_1, .session = 7}, {0}, {.name = n_2, .session = 7}}, true},
        {"by another session", {{.name = n_1, .session = 7}, {0}, {.name = n_2, .session = 8}}, false},
        {"across a gap", {{.name = n_1, .session = 7}, {.gap = true}, {.name = n_2, .session = 7}}, false},
        {"not any more", {{.name = n_1, .session = 7}, {.name = n_2, .session = 7}, {0}}, false},
        {"at once", {{0}, {.name = n_1, .session = 7}, {.name = n_2, .session = 7}}, true},
        {"not one that waited",
         {{0}, {.name = n_1, .identity = a, .session = 7}, {.name = n_2, .identity = b, .session = 7}},
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tenure line[3];
        memcpy(line, cases[i].line, sizeof line);
        const struct election election = {.tenures = line, .tenure_count = 3, .tenure_room = 3};
        if (tenure_goes_on(&election) != cases[i].again)
            fail_msg("%s", cases[i].what);
    }
}
