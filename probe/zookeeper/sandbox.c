#include "probe/zookeeper/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/fourletter.h"
#include "probe/zookeeper/free_port.h"
#include "probe/zookeeper/http.h"
#include "probe/zookeeper/supervisor.h"

#define JAR_DIRECTORY "/usr/share/java/"
#define PACKAGES "default-jre-headless libzookeeper-java libservlet-api-java libslf4j-java"
#define DEADLINE_MS 30000
#define POLL_MS 40
#define ASK_MS 300 /* a connection made just before it is ready can hang: give up early, ask again */
#define ANSWER_MOST 65536
#define START_TRIES 3
#define JAVA_EXTRA 24
#define LOG_TAIL 1500

/* slf4j-simple, and not -nop: when a server does not start, its own words are the explanation. */
static const char *const jars[] = {"zookeeper.jar", "servlet-api.jar", "slf4j-simple.jar"};

enum port { PORT_CLIENT, PORT_ADMIN, PORT_QUORUM, PORT_ELECTION, PORT_COUNT };

struct server {
    struct sandbox *sandbox;
    int index;
    int ports[PORT_COUNT];
    int pid;                 /* 0: not running */
    bool waiting;            /* for it to serve */
    bool serves;             /* its client port does; AdminServer comes next */
    bool answers;            /* AdminServer does, too: it is ready */
    struct fourletter *word; /* what its client port is being asked; or NULL */
    struct http_get *page;   /* what AdminServer is being asked; or NULL */
    uint64_t deadline_ms;
    sandbox_ready_fn ready;
    void *context;
};

struct sandbox {
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct http *http;
    struct supervisor *supervisor;
    struct server servers[SANDBOX_SERVERS];
    int count, tick_ms, heap_mb, connections;
    bool sync;
    char *config;
    char *java[JAVA_EXTRA + 1];
    int tries;
    sandbox_ready_fn ready;
    void *context;
    char hosts[128], admin[128];
};

static void waiting_begin(struct server *);

/* ---- what it needs ---- */

static bool in_path(const char *program)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char candidate[512];
        int wanted = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, program);
        if (length > 0 && wanted > 0 && (size_t)wanted < sizeof candidate && access(candidate, X_OK) == 0)
            return true;
        path += length;
        path += *path == ':';
    }
    return false;
}

static char *find_missing(void)
{
    if (!in_path("java"))
        return text_format("no java in PATH, which a private ZooKeeper needs; apt-get install " PACKAGES);
    for (size_t i = 0; i < sizeof jars / sizeof *jars; i++) {
        char path[128];
        snprintf(path, sizeof path, JAR_DIRECTORY "%s", jars[i]);
        if (access(path, R_OK) != 0)
            return text_format("%s is missing, which a private ZooKeeper needs; apt-get install " PACKAGES,
                               path);
    }
    return NULL;
}

static bool ports_choose(struct sandbox *sandbox)
{
    int chosen[SANDBOX_SERVERS * PORT_COUNT];
    int count = 0;
    while (count < sandbox->count * PORT_COUNT) {
        int port = free_port();
        if (port <= 0)
            return false;
        bool fresh = true;
        for (int i = 0; i < count; i++)
            fresh = fresh && chosen[i] != port;
        if (fresh)
            chosen[count++] = port;
    }
    sandbox->hosts[0] = sandbox->admin[0] = '\0';
    for (int i = 0; i < sandbox->count; i++) {
        int *ports = sandbox->servers[i].ports;
        memcpy(ports, chosen + i * PORT_COUNT, sizeof sandbox->servers[i].ports);
        size_t hosts = strlen(sandbox->hosts), admin = strlen(sandbox->admin);
        const char *comma = i > 0 ? "," : "";
        snprintf(sandbox->hosts + hosts, sizeof sandbox->hosts - hosts, "%s127.0.0.1:%d", comma,
                 ports[PORT_CLIENT]);
        snprintf(sandbox->admin + admin, sizeof sandbox->admin - admin, "%s127.0.0.1:%d", comma,
                 ports[PORT_ADMIN]);
    }
    return true;
}

/* ---- a server's directory: <directory>/<id>/{zoo.cfg,data/myid,log} ---- */

static bool data_make(const struct server *server)
{
    const char *directory = supervisor_directory(server->sandbox->supervisor);
    char path[512];
    snprintf(path, sizeof path, "%s/%d", directory, server->index + 1);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    snprintf(path, sizeof path, "%s/%d/data", directory, server->index + 1);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    snprintf(path, sizeof path, "%s/%d/data/myid", directory, server->index + 1);
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    fprintf(file, "%d\n", server->index + 1);
    return fclose(file) == 0;
}

static bool config_write(const struct server *server)
{
    const struct sandbox *sandbox = server->sandbox;
    const char *directory = supervisor_directory(sandbox->supervisor);
    char path[512];
    snprintf(path, sizeof path, "%s/%d/zoo.cfg", directory, server->index + 1);
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    fprintf(file,
            "tickTime=%d\ninitLimit=20\nsyncLimit=10\ndataDir=%s/%d/data\nmaxClientCnxns=%d\n"
            "4lw.commands.whitelist=*\nadmin.serverAddress=127.0.0.1\nadmin.serverPort=%d\n",
            sandbox->tick_ms, directory, server->index + 1, sandbox->connections, server->ports[PORT_ADMIN]);
    if (sandbox->count == 1)
        fprintf(file, "clientPortAddress=127.0.0.1\nclientPort=%d\n", server->ports[PORT_CLIENT]);
    else
        for (int i = 0; i < sandbox->count; i++) {
            const int *ports = sandbox->servers[i].ports;
            fprintf(file, "server.%d=127.0.0.1:%d:%d:participant;127.0.0.1:%d\n", i + 1, ports[PORT_QUORUM],
                    ports[PORT_ELECTION], ports[PORT_CLIENT]);
        }
    if (sandbox->config)
        fputs(sandbox->config, file);
    return fclose(file) == 0;
}

/* The end of a server's log, on one line; "" where it says nothing. */
static void log_tail(const struct server *server, char *tail, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%d/log", supervisor_directory(server->sandbox->supervisor),
             server->index + 1);
    tail[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file), from = end - (long)size + 1;
        size_t length = 0;
        if (fseek(file, from > 0 ? from : 0, SEEK_SET) == 0)
            length = fread(tail, 1, size - 1, file);
        tail[length] = '\0';
    }
    fclose(file);
    for (char *at = tail; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

static int server_run(struct server *server)
{
    struct sandbox *sandbox = server->sandbox;
    const char *directory = supervisor_directory(sandbox->supervisor);
    char heap[32], temporary[300], config[300], log[32];
    char *argv[32 + JAVA_EXTRA];
    int count = 0;
    snprintf(heap, sizeof heap, "-Xmx%dm", sandbox->heap_mb);
    snprintf(temporary, sizeof temporary, "-Djava.io.tmpdir=%s", directory);
    snprintf(config, sizeof config, "%s/%d/zoo.cfg", directory, server->index + 1);
    snprintf(log, sizeof log, "%d/log", server->index + 1);
    /* A quick start matters more than peak speed; perf data would leave a file in /tmp after a kill. */
    const char *const fixed[] = {"java",
                                 heap,
                                 "-Xss512k",
                                 "-XX:+UseSerialGC",
                                 "-XX:TieredStopAtLevel=1",
                                 "-XX:-UsePerfData",
                                 "-Djava.awt.headless=true",
                                 temporary,
                                 "-Dzookeeper.jmx.log4j.disable=true",
                                 "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                                 "-Dzookeeper.preAllocSize=4096",
                                 sandbox->sync ? "-Dzookeeper.forceSync=yes" : "-Dzookeeper.forceSync=no"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv[count++] = (char *)(uintptr_t)fixed[i]; /* argv is not written to */
    for (int i = 0; sandbox->java[i]; i++)
        argv[count++] = sandbox->java[i];
    static char class_path[] =
        JAR_DIRECTORY "zookeeper.jar:" JAR_DIRECTORY "servlet-api.jar:" JAR_DIRECTORY "slf4j-simple.jar";
    static char option[] = "-cp", class[] = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
    argv[count++] = option;
    argv[count++] = class_path;
    argv[count++] = class;
    argv[count++] = config;
    argv[count] = NULL;
    int pid = supervisor_start(sandbox->supervisor, server->index, log, argv);
    if (pid > 0)
        server->pid = pid;
    return pid;
}

/* ---- is it ready? ---- */

static void asking_end(struct server *server)
{
    if (server->word)
        fourletter_cancel(server->word);
    if (server->page)
        http_cancel(server->page);
    server->word = NULL;
    server->page = NULL;
}

/* Its wait is over. May end in sandbox_stop(): nothing of the sandbox may be touched after it. */
static void server_settle(struct server *server, const char *problem)
{
    server->waiting = false;
    asking_end(server);
    if (server->ready)
        server->ready(server->context, problem);
}

static void server_fail(struct server *server, const char *what)
{
    char tail[LOG_TAIL], problem[LOG_TAIL + 300];
    log_tail(server, tail, sizeof tail);
    snprintf(problem, sizeof problem, "server %d of the private ZooKeeper %s; its log ends with: %s",
             server->index + 1, what, tail[0] ? tail : "(nothing)");
    server_settle(server, problem);
}

static void on_word(void *context, const char *problem, const char *text, size_t length, int64_t took_us)
{
    (void)problem, (void)length, (void)took_us;
    struct server *server = context;
    server->word = NULL;
    /* "This ZooKeeper instance is not currently serving requests" has no mode. */
    server->serves = text && strstr(text, "\nMode: ");
}

static bool on_page_body(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return true;
}

static void on_page_done(void *context, const char *problem, bool whole, int64_t took_us)
{
    (void)whole, (void)took_us;
    struct server *server = context;
    server->page = NULL;
    server->answers = !problem;
}

/* Once: what comes of it is seen at the next tick. */
static void ask(struct server *server)
{
    static const struct http_reader reader = {.body = on_page_body, .done = on_page_done};
    struct sandbox *sandbox = server->sandbox;
    char port[16];
    snprintf(port, sizeof port, "%d", server->ports[PORT_CLIENT]);
    if (server->word || server->page)
        return;
    if (server->serves)
        server->page = http_get(sandbox->http, "127.0.0.1", server->ports[PORT_ADMIN], "/commands/ruok",
                                ASK_MS, ANSWER_MOST, &reader, server);
    else
        server->word =
            fourletter_ask(sandbox->loop, "127.0.0.1", port, "srvr", ASK_MS, ANSWER_MOST, on_word, server);
}

static void on_tick(uv_timer_t *timer)
{
    struct sandbox *sandbox = timer->data;
    uint64_t now_ms = uv_now(sandbox->loop);
    bool waiting = false;
    for (int i = 0; i < sandbox->count; i++) {
        struct server *server = &sandbox->servers[i];
        if (!server->waiting)
            continue;
        waiting = true;
        if (!supervisor_running(sandbox->supervisor, i)) {
            server->pid = 0;
            server_fail(server, "ended by itself");
            return; /* the others at the next tick, if there is one */
        }
        if (now_ms > server->deadline_ms) {
            server_fail(server, "does not serve after 30 s");
            return;
        }
        if (server->answers) {
            server_settle(server, NULL);
            return;
        }
        ask(server);
    }
    if (!waiting)
        uv_timer_stop(timer);
}

static void waiting_begin(struct server *server)
{
    struct sandbox *sandbox = server->sandbox;
    uv_update_time(sandbox->loop);
    server->waiting = true;
    server->serves = server->answers = false;
    server->deadline_ms = uv_now(sandbox->loop) + DEADLINE_MS;
    uv_timer_start(sandbox->timer, on_tick, POLL_MS, POLL_MS);
}

/* ---- the ensemble ---- */

static void on_start_ready(void *context, const char *problem);

/* Fresh ports and every server; an errno-like text on failure. */
static const char *ensemble_run(struct sandbox *sandbox)
{
    if (!ports_choose(sandbox))
        return "no free port on 127.0.0.1";
    for (int i = 0; i < sandbox->count; i++) {
        struct server *server = &sandbox->servers[i];
        if (!data_make(server) || !config_write(server))
            return "cannot write its files; check the space in TMPDIR";
        int pid = server_run(server);
        if (pid < 0)
            return strerror(-pid);
        server->ready = on_start_ready;
        server->context = sandbox;
        waiting_begin(server);
    }
    return NULL;
}

static void on_start_ready(void *context, const char *problem)
{
    struct sandbox *sandbox = context;
    bool taken = problem && strstr(problem, "Address already in use");
    if (taken && ++sandbox->tries < START_TRIES) {
        /* Somebody was faster with one of the ports. */
        for (int i = 0; i < sandbox->count; i++)
            sandbox_server_wipe(sandbox, i);
        problem = ensemble_run(sandbox);
        if (!problem)
            return;
    }
    for (int i = 0; i < sandbox->count; i++) {
        if (sandbox->servers[i].waiting && !problem)
            return;
        sandbox->servers[i].waiting = false;
        sandbox->servers[i].ready = NULL;
    }
    sandbox->ready(sandbox->context, problem);
}

static bool options_keep(struct sandbox *sandbox, const struct sandbox_options *options)
{
    sandbox->count = options->servers;
    sandbox->tick_ms = options->tick_ms;
    sandbox->heap_mb = options->heap_mb > 0 ? options->heap_mb : 256;
    sandbox->connections = options->connections;
    sandbox->sync = options->sync;
    if (options->config && !(sandbox->config = strdup(options->config)))
        return false;
    for (int i = 0; options->java && options->java[i]; i++)
        if (i == JAVA_EXTRA || !(sandbox->java[i] = strdup(options->java[i])))
            return false;
    return true;
}

struct sandbox *sandbox_start(uv_loop_t *loop, const struct sandbox_options *options, sandbox_ready_fn ready,
                              void *context, char **error)
{
    *error = NULL;
    if ((options->servers != 1 && options->servers != 3) || options->tick_ms <= 0) {
        *error = text_format("a private ZooKeeper has 1 or 3 servers and a positive tick; check the options");
        return NULL;
    }
    if ((*error = find_missing()) != NULL)
        return NULL;
    struct supervisor *supervisor = supervisor_new("electop-sandbox-", error);
    if (!supervisor)
        return NULL;
    struct sandbox *sandbox = calloc(1, sizeof *sandbox);
    uv_timer_t *timer = loop_timer_new(loop, sandbox);
    struct http *http = http_new(loop);
    if (!sandbox || !timer || !http) {
        free(sandbox);
        loop_timer_free(timer);
        http_free(http);
        supervisor_end(supervisor);
        *error = text_format("out of memory");
        return NULL;
    }
    sandbox->loop = loop;
    sandbox->timer = timer;
    sandbox->http = http;
    sandbox->supervisor = supervisor;
    sandbox->ready = ready;
    sandbox->context = context;
    bool kept = options_keep(sandbox, options);
    for (int i = 0; i < SANDBOX_SERVERS; i++) {
        sandbox->servers[i].sandbox = sandbox;
        sandbox->servers[i].index = i;
    }
    const char *problem = kept ? ensemble_run(sandbox) : "out of memory";
    if (problem) {
        *error = text_format("cannot start a private ZooKeeper: %s", problem);
        sandbox_stop(sandbox);
        return NULL;
    }
    return sandbox;
}

const char *sandbox_hosts(const struct sandbox *sandbox)
{
    return sandbox->hosts;
}

const char *sandbox_admin(const struct sandbox *sandbox)
{
    return sandbox->admin;
}

const char *sandbox_directory(const struct sandbox *sandbox)
{
    return supervisor_directory(sandbox->supervisor);
}

int sandbox_supervisor_pid(const struct sandbox *sandbox)
{
    return supervisor_pid(sandbox->supervisor);
}

int sandbox_server_pid(const struct sandbox *sandbox, int i)
{
    return i >= 0 && i < sandbox->count ? sandbox->servers[i].pid : 0;
}

bool sandbox_server_start(struct sandbox *sandbox, int i, sandbox_ready_fn ready, void *context)
{
    if (i < 0 || i >= sandbox->count)
        return false;
    struct server *server = &sandbox->servers[i];
    if (!data_make(server) || !config_write(server) || server_run(server) < 0)
        return false;
    server->ready = ready;
    server->context = context;
    waiting_begin(server);
    return true;
}

bool sandbox_server_lives(struct sandbox *sandbox, int i)
{
    return sandbox_server_pid(sandbox, i) > 0 && supervisor_running(sandbox->supervisor, i);
}

bool sandbox_server_kill(struct sandbox *sandbox, int i)
{
    if (sandbox_server_pid(sandbox, i) == 0)
        return false;
    struct server *server = &sandbox->servers[i];
    bool ran = supervisor_running(sandbox->supervisor, i);
    server->waiting = false;
    asking_end(server);
    server->pid = 0;
    return supervisor_kill(sandbox->supervisor, i) == 0 && ran;
}

bool sandbox_server_stop(struct sandbox *sandbox, int i)
{
    return sandbox_server_pid(sandbox, i) > 0 && supervisor_signal(sandbox->supervisor, i, SIGSTOP) == 0;
}

bool sandbox_server_cont(struct sandbox *sandbox, int i)
{
    return sandbox_server_pid(sandbox, i) > 0 && supervisor_signal(sandbox->supervisor, i, SIGCONT) == 0;
}

bool sandbox_server_wipe(struct sandbox *sandbox, int i)
{
    if (i < 0 || i >= sandbox->count)
        return false;
    sandbox_server_kill(sandbox, i);
    char relative[32];
    snprintf(relative, sizeof relative, "%d/data", i + 1);
    return supervisor_wipe(sandbox->supervisor, relative) == 0;
}

void sandbox_stop(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    for (int i = 0; i < SANDBOX_SERVERS; i++)
        asking_end(&sandbox->servers[i]);
    http_free(sandbox->http);
    loop_timer_free(sandbox->timer);
    supervisor_end(sandbox->supervisor);
    free(sandbox->config);
    for (int i = 0; sandbox->java[i]; i++)
        free(sandbox->java[i]);
    free(sandbox);
}
