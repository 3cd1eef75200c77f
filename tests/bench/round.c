/*
 * round - what asking a server costs, with thousands of sessions and watches on it.
 *
 *     round HOSTS ADMIN PATH ROUNDS IDLE_S
 *
 * Runs a monitor as every command does, and demands full rounds one after the other: the processor time of
 * each, the longest time that the loop worked without waiting, and the resident set before the first answer
 * and after the last. Then it lets the monitor go on by itself for IDLE_S seconds. At the end it asks the
 * same server by four-letter words, whose answers are too large for the monitor to ask for, and reads them
 * with the same parsers: asking for them like this is for a server of one's own. Prints one line of JSON.
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "config/connect_string.h"
#include "config/options.h"
#include "config/settings.h"
#include "probe/monitor.h"
#include "probe/zookeeper/fourletter.h"
#include "tests/bench/gauge.h"

struct run_control {
    uv_loop_t loop;
    struct monitor *monitor;
    double busy_since_ms, longest_ms;
};

static void die(const char *what)
{
    fprintf(stderr, "round: %s\n", what);
    exit(1);
}

/*
 * The loop has work from the end of a poll to the beginning of the next. In the loop's own processor time:
 * what else this machine does meanwhile is not its doing.
 */
static void on_poll_ended(uv_check_t *check)
{
    struct run_control *b = check->data;
    b->busy_since_ms = (double)gauge_ns(CLOCK_THREAD_CPUTIME_ID) / 1e6;
}

static void on_poll_begins(uv_prepare_t *prepare)
{
    struct run_control *b = prepare->data;
    double busy_ms = (double)gauge_ns(CLOCK_THREAD_CPUTIME_ID) / 1e6 - b->busy_since_ms;
    if (b->busy_since_ms > 0 && busy_ms > b->longest_ms)
        b->longest_ms = busy_ms;
}

static void nothing(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void go_on(struct run_control *b, uint64_t ms)
{
    uv_timer_t timer;
    bool over = false;
    uv_timer_init(&b->loop, &timer);
    timer.data = &over;
    uv_timer_start(&timer, nothing, ms, 0);
    while (!over)
        uv_run(&b->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&b->loop, UV_RUN_NOWAIT);
}

/* The whole answer of a server to what is written to it, read at once; malloc'd. */
static char *fetch(const char *hosts, const char *asked)
{
    struct connect_string parsed;
    char *error = NULL, port[8];
    struct addrinfo *found = NULL, hints = {.ai_socktype = SOCK_STREAM};
    if (!connect_string_parse(hosts, &parsed, &error))
        die(error);
    snprintf(port, sizeof port, "%d", parsed.servers[0].port);
    if (getaddrinfo(parsed.servers[0].host, port, &hints, &found) != 0)
        die("cannot resolve the server");
    int fd = socket(found->ai_family, found->ai_socktype, 0);
    if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0 ||
        write(fd, asked, strlen(asked)) != (ssize_t)strlen(asked))
        die("cannot ask the server");
    size_t room = (size_t)16 << 20, length = 0;
    char *text = malloc(room);
    ssize_t got = text ? 1 : -1;
    while (got > 0 && length < room - 1) {
        got = read(fd, text + length, room - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        die("no answer");
    text[length] = '\0';
    close(fd);
    freeaddrinfo(found);
    connect_string_free(&parsed);
    return text;
}

/* The floor of a round: its answers are read, and thrown away. */
static double answers_ms(const char *admin)
{
    static const char *const commands[] = {"connections", "watches", "watch_summary",
                                           "dump",        "monitor", "server_stats"};
    double begun = gauge_cpu_ms();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char request[128];
        snprintf(request, sizeof request, "GET /commands/%s HTTP/1.0\r\n\r\n", commands[i]);
        free(fetch(admin, request));
    }
    return gauge_cpu_ms() - begun;
}

static double words_ms(const char *hosts, double *floor_ms)
{
    static const enum fourletter_word words[] = {FOURLETTER_WORD_WCHC, FOURLETTER_WORD_CONS,
                                                 FOURLETTER_WORD_DUMP};
    double spent = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        double asked = gauge_cpu_ms();
        char *text = fetch(hosts, fourletter_word_text(words[i]));
        *floor_ms += gauge_cpu_ms() - asked;
        struct server_answer answer;
        server_answer_clear(&answer);
        double begun = gauge_cpu_ms();
        const char *problem = fourletter_word_read(words[i], text, &answer);
        spent += gauge_cpu_ms() - begun;
        if (problem)
            die(problem);
        server_answer_free(&answer);
        free(text);
    }
    return spent;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fputs("round HOSTS ADMIN PATH ROUNDS IDLE_S\n", stderr);
        return 2;
    }
    char program[] = "electop", command[] = "events", server[] = "-s", admin[] = "--admin";
    char *arguments[] = {program, command, server, argv[1], admin, argv[2], argv[3], NULL};
    struct options options;
    char *error = NULL;
    if (!options_parse(7, arguments, &options, &error))
        die(error);
    struct settings *settings = settings_load(&options, &error);
    struct run_control bench = {.busy_since_ms = 0};
    uv_check_t check;
    uv_prepare_t prepare;
    if (!settings || uv_loop_init(&bench.loop))
        die(error ? error : "no event loop");
    uv_check_init(&bench.loop, &check);
    uv_prepare_init(&bench.loop, &prepare);
    check.data = prepare.data = &bench;
    uv_check_start(&check, on_poll_ended);
    uv_prepare_start(&prepare, on_poll_begins);
    uv_unref((uv_handle_t *)&check);
    uv_unref((uv_handle_t *)&prepare);
    bench.monitor = monitor_start(&bench.loop, settings, &error);
    if (!bench.monitor)
        die(error);
    long before_kb = gauge_resident_kb();
    uint64_t until = uv_now(&bench.loop) + 30000;
    while (!monitor_complete(bench.monitor) && uv_now(&bench.loop) < until)
        uv_run(&bench.loop, UV_RUN_ONCE);
    printf("{\"rounds_ms\": [");
    const struct cluster *cluster = &monitor_model(bench.monitor)->clusters[0];
    bench.longest_ms = 0;
    for (long i = 0, rounds = atol(argv[4]); i < rounds; i++) {
        int64_t looked_us = cluster->servers[0].watches_seen.mono_us;
        double begun = gauge_cpu_ms();
        monitor_ask(bench.monitor);
        /* One that was under way goes first. */
        while (cluster->servers[0].watches_seen.mono_us == looked_us)
            uv_run(&bench.loop, UV_RUN_ONCE);
        go_on(&bench, 1500);
        printf("%s%.1f", i ? ", " : "", gauge_cpu_ms() - begun);
    }
    double longest_ms = bench.longest_ms, idle_begun = gauge_cpu_ms();
    long after_kb = gauge_resident_kb();
    uint64_t idle_s = strtoul(argv[5], NULL, 10);
    go_on(&bench, idle_s * 1000 + 1);
    double idle_ms = gauge_cpu_ms() - idle_begun;
    double floor_ms = 0, spent_ms = words_ms(argv[1], &floor_ms);
    printf("], \"floor_ms\": [");
    for (long i = 0, rounds = atol(argv[4]); i < rounds; i++)
        printf("%s%.2f", i ? ", " : "", answers_ms(argv[2]));
    printf("], \"longest_ms\": %.2f, \"before_kb\": %ld, \"after_kb\": %ld, \"watches\": %zu, "
           "\"idle_percent\": %.3f, "
           "\"words_ms\": %.1f, \"words_floor_ms\": %.2f}\n",
           longest_ms, before_kb, after_kb, cluster->servers[0].watch_count,
           idle_ms / 10 / (double)(idle_s ? idle_s : 1), spent_ms, floor_ms);
    return 0;
}
