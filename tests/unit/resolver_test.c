/* The addresses of a list of servers, in an order that spreads many sessions over them; names of which no name
 * server knows hold up nothing else. */
#include <stdio.h>
#include <netdb.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/resolver.h"
#include "tests/support/test.h"

#define SERVERS 5

/* Each comes first now and then, and none is lost: of 500 tries a fifth, give or take what chance may. */
TEST(spreads_over_all)
{
    unsigned first[SERVERS] = {0};
    for (int tries = 0; tries < 500; tries++) {
        struct address all[SERVERS];
        unsigned seen = 0;
        for (size_t i = 0; i < SERVERS; i++) {
            all[i].server = i;
            snprintf(all[i].text, sizeof all[i].text, "10.0.0.%zu:2181", i);
        }
        address_shuffle(all, SERVERS);
        for (size_t i = 0; i < SERVERS; i++) {
            char text[ADDRESS_SIZE];
            snprintf(text, sizeof text, "10.0.0.%zu:2181", all[i].server);
            assert_string_equal(all[i].text, text);
            seen |= 1u << all[i].server;
        }
        assert_int_equal(seen, (1u << SERVERS) - 1);
        first[all[0].server]++;
    }
    for (size_t i = 0; i < SERVERS; i++)
        assert_in_range(first[i], 30, 250);
    address_shuffle(NULL, 0);
}

static sem_t answers; /* of the name server that is silent */
static atomic_int asked;

/* In place of the C library's. */
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    static struct sockaddr_in address = {.sin_family = AF_INET};
    static struct addrinfo answer = {
        .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&address, .ai_addrlen = sizeof address};
    (void)service, (void)hints;
    if (strcmp(host, "silent.example") == 0) {
        asked++;
        sem_wait(&answers);
    }
    *found = &answer;
    return 0;
}

void freeaddrinfo(struct addrinfo *found)
{
    (void)found;
}

struct told {
    size_t times, count;
    char problem[160];
};

static void resolver_test_on_resolved(void *context, const struct address *addresses, size_t count,
                                      const char *problem)
{
    struct told *told = context;
    (void)addresses;
    told->times++;
    told->count = count;
    snprintf(told->problem, sizeof told->problem, "%s", problem ? problem : "");
}

/* Many ask for one name that no name server answers: that takes one thread, and others are answered. Who does not
 * want to wait is told which name it is. */
TEST(a_silent_name_server)
{
    enum { ASKERS = 20 };
    static char silent[] = "silent.example", good[] = "good.example";
    const struct host_port both[] = {{good, 2181}, {silent, 2181}}, one[] = {{good, 2181}};
    struct resolver *resolvers[ASKERS];
    struct told told[ASKERS] = {{0}}, other = {0};
    uv_loop_t loop;
    uv_loop_init(&loop);
    sem_init(&answers, 0, 0);
    for (size_t i = 0; i < ASKERS; i++)
        resolvers[i] =
            resolver_start(&loop, both + (i != 0), 1 + (i == 0), resolver_test_on_resolved, &told[i]);
    assert_non_null(resolver_start(&loop, one, 1, resolver_test_on_resolved, &other));
    while (other.times == 0)
        uv_run(&loop, UV_RUN_ONCE);
    assert_int_equal(other.count, 1);
    assert_string_equal(other.problem, "");
    assert_string_equal(resolver_waits_for(resolvers[0]), silent);
    assert_true(resolver_settle(resolvers[0]));
    assert_int_equal(told[0].count, 1);
    assert_string_equal(told[0].problem, "no name server has answered about silent.example");
    assert_false(resolver_settle(resolvers[1]));
    resolver_cancel(resolvers[2]);
    sem_post(&answers);
    uv_run(&loop, UV_RUN_DEFAULT);
    for (size_t i = 0; i < ASKERS; i++)
        assert_true(told[i].times == (i != 2) && told[i].count == (i != 2));
    assert_int_equal(asked, 1);
    assert_int_equal(uv_loop_close(&loop), 0);
}
