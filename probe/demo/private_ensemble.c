#include "probe/demo/private_ensemble.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/security.h"
#include "config/text.h"
#include "probe/demo/supervisor.h"
#include "probe/loop_timer.h"
#include "probe/transport/tls.h"
#include "probe/transport/transport.h"
#include "probe/zookeeper/fourletter.h"
#include "probe/zookeeper/http.h"

/*
 * A port of 127.0.0.1 that a server can be started on.
 *
 * It lies below those that the kernel gives to outgoing connections where there is room: one of these could
 * take the port while the server is down, and a client that retries there would even connect to itself.
 */

#define PORT_TRIES 200

static int port_bind(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int bound = -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        bound = ntohs(address.sin_port);
    close(fd);
    return bound;
}

/* Free at this moment (another process may take it first); -1: none. */
static int free_port(void)
{
    int lowest = 32768;
    FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");
    if (range) {
        if (fscanf(range, "%d", &lowest) != 1)
            lowest = 32768;
        fclose(range);
    }
    enum { FIRST = 10240 };
    for (int i = 0; i < PORT_TRIES && lowest > FIRST + 1000; i++) {
        unsigned dice;
        if (getrandom(&dice, sizeof dice, 0) != (ssize_t)sizeof dice)
            break;
        int port = FIRST + (int)(dice % (unsigned)(lowest - FIRST));
        if (port_bind(port) == port)
            return port;
    }
    return port_bind(0);
}

#define JAR_DIRECTORY "/usr/share/java/"
#define NETTY(part) JAR_DIRECTORY "netty-" part ".jar:"
#define PACKAGES "default-jre-headless libzookeeper-java libservlet-api-java libslf4j-java"
#define READY_MS 30000
#define POLL_MS 40
/* A connection made just before it is ready can hang: give up early and ask again, with more patience each
 * time, as a busy machine needs it. */
#define ASK_MS 300
#define ASK_SHARE 4 /* of the time that was waited so far */
#define ANSWER_MOST 65536
#define START_TRIES 3
#define JAVA_EXTRA 24
#define LOG_TAIL 1500

/* slf4j-simple, and not -nop: when a server does not start, its own words are the explanation. */
static const char *const jars[] = {"zookeeper.jar", "servlet-api.jar", "slf4j-simple.jar"};

enum port { PORT_CLIENT, PORT_ADMIN, PORT_QUORUM, PORT_ELECTION, PORT_COUNT };

struct private_server {
    struct private_ensemble *sandbox;
    int index;
    int ports[PORT_COUNT];
    int pid;                 /* 0: not running */
    bool waiting;            /* for it to serve */
    bool serves;             /* its client port does; AdminServer comes next */
    bool answers;            /* AdminServer does, too, where it is not off: it is ready */
    struct fourletter *word; /* what its client port is being asked; or NULL */
    struct http_get *page;   /* what AdminServer is being asked; or NULL */
    uint64_t waiting_since_ms;
    private_ensemble_ready_fn ready;
    void *context;
};

struct private_ensemble {
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct http *http;
    struct supervisor *supervisor;
    struct private_server servers[PRIVATE_ENSEMBLE_SERVERS];
    int count, tick_ms, heap_mb, connections, ready_ms;
    bool sync;
    struct security_settings
        security; /* for asking its servers; of TLS only whether, and by whose authority */
    char *config;
    char *java[JAVA_EXTRA + 1];
    int tries;
    private_ensemble_ready_fn ready;
    void *context;
    char hosts[128], admin[128];
};

/* ---- requirements ---- */

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

static char *find_missing(bool tls)
{
    if (tls && access(JAR_DIRECTORY "netty-handler.jar", R_OK) != 0)
        return text_format("Netty is missing: a private ZooKeeper needs it for TLS; apt-get install "
                           "libnetty-java");
    if (!in_path("java"))
        return text_format("no java in PATH: a private ZooKeeper needs it; apt-get install " PACKAGES);
    for (size_t i = 0; i < sizeof jars / sizeof *jars; i++) {
        char path[128];
        snprintf(path, sizeof path, JAR_DIRECTORY "%s", jars[i]);
        if (access(path, R_OK) != 0)
            return text_format("%s is missing: a private ZooKeeper needs it; apt-get install " PACKAGES,
                               path);
    }
    return NULL;
}

static bool ports_choose(struct private_ensemble *sandbox)
{
    int chosen[PRIVATE_ENSEMBLE_SERVERS * PORT_COUNT] = {0};
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

static bool data_make(const struct private_server *server)
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

/* With TLS: the same certificate for clients and for AdminServer, which goes by the ensemble's own settings.
 */
static void config_write_tls(const struct private_server *server, FILE *file)
{
    const char *directory = supervisor_directory(server->sandbox->supervisor);
    static const char *const prefixes[] = {"ssl", "ssl.quorum"};
    fprintf(file,
            "secureClientPort=%d\nsecureClientPortAddress=127.0.0.1\nssl.clientAuth=none\n"
            "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory\n"
            "admin.portUnification=true\n",
            server->ports[PORT_CLIENT]);
    for (size_t i = 0; i < 2; i++)
        fprintf(file,
                "%s.keyStore.location=%s/server.pem\n%s.keyStore.type=PEM\n"
                "%s.trustStore.location=%s/ca.pem\n%s.trustStore.type=PEM\n",
                prefixes[i], directory, prefixes[i], prefixes[i], directory, prefixes[i]);
}

static bool config_write(const struct private_server *server)
{
    const struct private_ensemble *sandbox = server->sandbox;
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
    if (sandbox->security.tls.on)
        config_write_tls(server, file);
    if (sandbox->count == 1 && !sandbox->security.tls.on)
        fprintf(file, "clientPortAddress=127.0.0.1\nclientPort=%d\n", server->ports[PORT_CLIENT]);
    for (int i = 0; sandbox->count > 1 && i < sandbox->count; i++) {
        const int *ports = sandbox->servers[i].ports;
        fprintf(file, "server.%d=127.0.0.1:%d:%d:participant", i + 1, ports[PORT_QUORUM],
                ports[PORT_ELECTION]);
        if (sandbox->security.tls.on)
            fputc('\n', file);
        else
            fprintf(file, ";127.0.0.1:%d\n", ports[PORT_CLIENT]);
    }
    if (sandbox->config)
        fputs(sandbox->config, file);
    return fclose(file) == 0;
}

/* The end of a server's log, on one line; "" where it says nothing. */
static void log_tail(const struct private_server *server, char *tail, size_t size)
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

static int private_ensemble_server_run(struct private_server *server)
{
    struct private_ensemble *sandbox = server->sandbox;
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
    /* Netty's, where they are installed: for TLS. */
    static char class_path[] = JAR_DIRECTORY
        "zookeeper.jar:" JAR_DIRECTORY "servlet-api.jar:" JAR_DIRECTORY "slf4j-simple.jar:" NETTY("all")
            NETTY("codec") NETTY("common") NETTY("buffer") NETTY("handler") NETTY("resolver")
                NETTY("transport") NETTY("transport-native-epoll") NETTY("transport-native-unix-common");
    static char option[] = "-cp", class[] = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
    argv[count++] = option;
    argv[count++] = class_path;
    /* Behind the class path: of two, the last one counts. */
    for (int i = 0; sandbox->java[i]; i++)
        argv[count++] = sandbox->java[i];
    argv[count++] = class;
    argv[count++] = config;
    argv[count] = NULL;
    int pid = supervisor_start(sandbox->supervisor, server->index, log, argv);
    if (pid > 0)
        server->pid = pid;
    return pid;
}

/* ---- is it ready? ---- */

static void private_ensemble_asking_end(struct private_server *server)
{
    if (server->word)
        fourletter_cancel(server->word);
    if (server->page)
        http_cancel(server->page);
    server->word = NULL;
    server->page = NULL;
}

/* Its wait is over. May end in private_ensemble_stop(): nothing of the sandbox may be touched after it. */
static void server_settle(struct private_server *server, const char *problem)
{
    server->waiting = false;
    private_ensemble_asking_end(server);
    if (server->ready)
        server->ready(server->context, problem);
}

static void server_fail(struct private_server *server, const char *what)
{
    char tail[LOG_TAIL], problem[LOG_TAIL + 300];
    log_tail(server, tail, sizeof tail);
    snprintf(problem, sizeof problem, "server %d of the private ZooKeeper %s; its log ends with: %s",
             server->index + 1, what, tail[0] ? tail : "(nothing)");
    server_settle(server, problem);
}

static void private_ensemble_on_word(void *context, const char *problem, const char *text, size_t length,
                                     int64_t took_us)
{
    (void)problem, (void)length, (void)took_us;
    struct private_server *server = context;
    server->word = NULL;
    /* "This ZooKeeper instance is not currently serving requests" has no mode. */
    server->serves = text && strstr(text, "\nMode: ");
    const char *config = server->sandbox->config;
    server->answers = server->serves && config && strstr(config, "admin.enableServer=false");
}

static bool on_page_body(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return true;
}

static void on_page_done(void *context, const char *problem, bool whole, int64_t took_us)
{
    (void)whole, (void)took_us;
    struct private_server *server = context;
    server->page = NULL;
    server->answers = !problem;
}

/* Once: the next tick sees the result. */
static void private_ensemble_ask(struct private_server *server)
{
    static const struct http_reader reader = {.body = on_page_body, .done = on_page_done};
    struct private_ensemble *sandbox = server->sandbox;
    int64_t ask_ms = (int64_t)(uv_now(sandbox->loop) - server->waiting_since_ms) / ASK_SHARE;
    char port[16];
    snprintf(port, sizeof port, "%d", server->ports[PORT_CLIENT]);
    if (server->word || server->page)
        return;
    if (ask_ms < ASK_MS)
        ask_ms = ASK_MS;
    if (server->serves)
        server->page = http_get(sandbox->http, "127.0.0.1", server->ports[PORT_ADMIN], "/commands/ruok",
                                ask_ms, ANSWER_MOST, &reader, server);
    else
        server->word = fourletter_ask(sandbox->loop, &sandbox->security, "127.0.0.1", port, "srvr",
                                      (uint64_t)ask_ms, ANSWER_MOST, private_ensemble_on_word, server);
}

static void private_ensemble_on_tick(uv_timer_t *timer)
{
    struct private_ensemble *sandbox = timer->data;
    uint64_t now_ms = uv_now(sandbox->loop);
    bool waiting = false;
    for (int i = 0; i < sandbox->count; i++) {
        struct private_server *server = &sandbox->servers[i];
        if (!server->waiting)
            continue;
        waiting = true;
        if (!supervisor_running(sandbox->supervisor, i)) {
            server->pid = 0;
            server_fail(server, "ended by itself");
            return; /* the others at the next tick, if there is one */
        }
        if (now_ms > server->waiting_since_ms + (uint64_t)sandbox->ready_ms) {
            char late[64];
            snprintf(late, sizeof late, "does not serve after %d s", sandbox->ready_ms / 1000);
            server_fail(server, late);
            return;
        }
        if (server->answers) {
            server_settle(server, NULL);
            return;
        }
        private_ensemble_ask(server);
    }
    if (!waiting)
        uv_timer_stop(timer);
}

static void waiting_begin(struct private_server *server)
{
    struct private_ensemble *sandbox = server->sandbox;
    uv_update_time(sandbox->loop);
    server->waiting = true;
    server->serves = server->answers = false;
    server->waiting_since_ms = uv_now(sandbox->loop);
    uv_timer_start(sandbox->timer, private_ensemble_on_tick, POLL_MS, POLL_MS);
}

/* ---- the ensemble ---- */

static void on_start_ready(void *context, const char *problem);

/* Fresh ports and every server; an errno-like text on failure. */
static const char *ensemble_run(struct private_ensemble *sandbox)
{
    if (!ports_choose(sandbox))
        return "no free port on 127.0.0.1";
    for (int i = 0; i < sandbox->count; i++) {
        struct private_server *server = &sandbox->servers[i];
        if (!data_make(server) || !config_write(server))
            return "cannot write its files; check the space in TMPDIR";
        int pid = private_ensemble_server_run(server);
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
    struct private_ensemble *sandbox = context;
    bool taken = problem && strstr(problem, "Address already in use");
    if (taken && ++sandbox->tries < START_TRIES) {
        /* Another process took one of the ports first. */
        for (int i = 0; i < sandbox->count; i++)
            private_ensemble_server_wipe(sandbox, i);
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

static bool certificate_make(struct private_ensemble *sandbox)
{
    char server[300], ca[300];
    snprintf(server, sizeof server, "%s/server.pem", supervisor_directory(sandbox->supervisor));
    snprintf(ca, sizeof ca, "%s/ca.pem", supervisor_directory(sandbox->supervisor));
    sandbox->security.tls = (struct tls_settings){.on = true, .ca = xstrdup(ca)};
    return tls_certificate_make(server, ca);
}

static bool options_keep(struct private_ensemble *sandbox, const struct private_ensemble_options *options)
{
    sandbox->count = options->servers;
    sandbox->tick_ms = options->tick_ms;
    sandbox->heap_mb = options->heap_mb > 0 ? options->heap_mb : 256;
    sandbox->connections = options->connections;
    sandbox->ready_ms = options->ready_ms > 0 ? options->ready_ms : READY_MS;
    sandbox->sync = options->sync;
    if (options->config)
        sandbox->config = xstrdup(options->config);
    for (int i = 0; options->java && options->java[i]; i++) {
        if (i == JAVA_EXTRA)
            return false;
        sandbox->java[i] = xstrdup(options->java[i]);
    }
    return true;
}

struct private_ensemble *private_ensemble_start(uv_loop_t *loop,
                                                const struct private_ensemble_options *options,
                                                private_ensemble_ready_fn ready, void *context, char **error)
{
    *error = NULL;
    if ((options->servers != 1 && options->servers != 3) || options->tick_ms <= 0) {
        *error = text_format("a private ZooKeeper has 1 or 3 servers and a positive tick; check the options");
        return NULL;
    }
    if ((*error = find_missing(options->tls)) != NULL)
        return NULL;
    struct supervisor *supervisor = supervisor_new("electop-sandbox-", error);
    if (!supervisor)
        return NULL;
    struct private_ensemble *sandbox = xcalloc(1, sizeof *sandbox);
    struct http *http = http_new(loop, &sandbox->security);
    if (!http) {
        free(sandbox);
        supervisor_end(supervisor);
        *error = text_format("the HTTP client (curl) cannot be started");
        return NULL;
    }
    sandbox->loop = loop;
    sandbox->timer = loop_timer_new(loop, sandbox);
    sandbox->http = http;
    sandbox->supervisor = supervisor;
    sandbox->ready = ready;
    sandbox->context = context;
    bool kept = options_keep(sandbox, options) && (!options->tls || certificate_make(sandbox));
    for (int i = 0; i < PRIVATE_ENSEMBLE_SERVERS; i++) {
        sandbox->servers[i].sandbox = sandbox;
        sandbox->servers[i].index = i;
    }
    const char *problem =
        kept ? ensemble_run(sandbox) : "it has too many options, or its certificate cannot be created";
    if (problem) {
        *error = text_format("cannot start a private ZooKeeper: %s", problem);
        private_ensemble_stop(sandbox);
        return NULL;
    }
    return sandbox;
}

const struct security_settings *private_ensemble_security(const struct private_ensemble *sandbox)
{
    return &sandbox->security;
}

const char *private_ensemble_hosts(const struct private_ensemble *sandbox)
{
    return sandbox->hosts;
}

const char *private_ensemble_admin(const struct private_ensemble *sandbox)
{
    return sandbox->admin;
}

const char *private_ensemble_directory(const struct private_ensemble *sandbox)
{
    return supervisor_directory(sandbox->supervisor);
}

int private_ensemble_supervisor_pid(const struct private_ensemble *sandbox)
{
    return supervisor_pid(sandbox->supervisor);
}

int private_ensemble_server_pid(const struct private_ensemble *sandbox, int i)
{
    return i >= 0 && i < sandbox->count ? sandbox->servers[i].pid : 0;
}

bool private_ensemble_server_start(struct private_ensemble *sandbox, int i, private_ensemble_ready_fn ready,
                                   void *context)
{
    if (i < 0 || i >= sandbox->count)
        return false;
    struct private_server *server = &sandbox->servers[i];
    if (!data_make(server) || !config_write(server) || private_ensemble_server_run(server) < 0)
        return false;
    server->ready = ready;
    server->context = context;
    waiting_begin(server);
    return true;
}

bool private_ensemble_server_lives(struct private_ensemble *sandbox, int i)
{
    return private_ensemble_server_pid(sandbox, i) > 0 && supervisor_running(sandbox->supervisor, i);
}

bool private_ensemble_server_kill(struct private_ensemble *sandbox, int i)
{
    if (private_ensemble_server_pid(sandbox, i) == 0)
        return false;
    struct private_server *server = &sandbox->servers[i];
    bool ran = supervisor_running(sandbox->supervisor, i);
    server->waiting = false;
    private_ensemble_asking_end(server);
    server->pid = 0;
    return supervisor_kill(sandbox->supervisor, i) == 0 && ran;
}

bool private_ensemble_server_stop(struct private_ensemble *sandbox, int i)
{
    return private_ensemble_server_pid(sandbox, i) > 0 &&
           supervisor_signal(sandbox->supervisor, i, SIGSTOP) == 0;
}

bool private_ensemble_server_cont(struct private_ensemble *sandbox, int i)
{
    return private_ensemble_server_pid(sandbox, i) > 0 &&
           supervisor_signal(sandbox->supervisor, i, SIGCONT) == 0;
}

bool private_ensemble_server_wipe(struct private_ensemble *sandbox, int i)
{
    if (i < 0 || i >= sandbox->count)
        return false;
    private_ensemble_server_kill(sandbox, i);
    char relative[32];
    snprintf(relative, sizeof relative, "%d/data", i + 1);
    return supervisor_wipe(sandbox->supervisor, relative) == 0;
}

void private_ensemble_stop(struct private_ensemble *sandbox)
{
    if (!sandbox)
        return;
    for (int i = 0; i < PRIVATE_ENSEMBLE_SERVERS; i++)
        private_ensemble_asking_end(&sandbox->servers[i]);
    http_free(sandbox->http);
    loop_timer_free(sandbox->timer);
    supervisor_end(sandbox->supervisor);
    transport_forget(&sandbox->security);
    free(sandbox->security.tls.ca);
    free(sandbox->config);
    for (int i = 0; sandbox->java[i]; i++)
        free(sandbox->java[i]);
    free(sandbox);
}
