/*
 * sandbox.c - a private ZooKeeper for the Python tests, driven through standard input.
 *
 *   build/tests/tools/sandbox [--servers 1|3] [--tick MS] [--connections N] [--sync] [--heap MB] [--ready MS]
 *                             [--config LINE]... [--java ARGUMENT]...
 *
 * The first line it prints says that the ensemble serves, or why it does not (it then ends with 1):
 *   {"hosts": "127.0.0.1:11001,...", "admin": "127.0.0.1:12001,...", "dir": "/tmp/...", "pids": [..],
 *    "supervisor": pid}
 *   {"error": "..."}
 * Then one line for each line of input; servers count from 0:
 *   kill I     SIGKILL, gone when answered      {"ok": true}
 *   start I    answered when it serves          {"ok": true, "pid": pid}
 *   begin I    answered at once                 {"ok": true, "pid": pid}
 *   stop I     SIGSTOP                          {"ok": true}
 *   cont I     SIGCONT                          {"ok": true}
 *   wipe I     kill, and remove its data        {"ok": true}
 *   quit       the end, as is the end of input  {"ok": true}
 * What cannot be done is answered {"ok": false, "error": "..."}. It ends with its standard input, and the
 * ensemble and its directory go with it, also when it is killed.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "probe/demo/private_ensemble.h"

#define LISTED 16

struct tool {
    uv_loop_t loop;
    uv_pipe_t input;
    struct private_ensemble *sandbox;
    int servers, status;
    int starting; /* the server whose "start" is still to be answered */
    char line[256];
    size_t used;
};

static void say(json_t *object)
{
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    json_decref(object);
}

static void say_done(bool done, const char *error)
{
    say(done ? json_pack("{s:b}", "ok", 1) : json_pack("{s:b,s:s}", "ok", 0, "error", error));
}

static void end(struct tool *tool)
{
    if (!uv_is_closing((uv_handle_t *)&tool->input))
        uv_close((uv_handle_t *)&tool->input, NULL);
    private_ensemble_stop(tool->sandbox);
    tool->sandbox = NULL;
}

static void on_server_ready(void *context, const char *problem)
{
    struct tool *tool = context;
    if (problem)
        say_done(false, problem);
    else
        say(json_pack("{s:b,s:i}", "ok", 1, "pid",
                      private_ensemble_server_pid(tool->sandbox, tool->starting)));
}

static void obey(struct tool *tool, const char *line)
{
    char word[16] = "", rest;
    int i = -1, words = sscanf(line, "%15s %d %c", word, &i, &rest);
    if (words == 1 && strcmp(word, "quit") == 0) {
        end(tool);
        say_done(true, NULL);
    } else if (words != 2 || i < 0 || i >= tool->servers) {
        say_done(false, "kill|start|begin|stop|cont|wipe SERVER, or quit");
    } else if (strcmp(word, "kill") == 0) {
        say_done(private_ensemble_server_kill(tool->sandbox, i), "it was not running");
    } else if (strcmp(word, "stop") == 0) {
        say_done(private_ensemble_server_stop(tool->sandbox, i), "it is not running");
    } else if (strcmp(word, "cont") == 0) {
        say_done(private_ensemble_server_cont(tool->sandbox, i), "it is not running");
    } else if (strcmp(word, "wipe") == 0) {
        say_done(private_ensemble_server_wipe(tool->sandbox, i), "its data could not be removed");
    } else if (strcmp(word, "start") == 0) {
        tool->starting = i;
        if (!private_ensemble_server_start(tool->sandbox, i, on_server_ready, tool))
            say_done(false, "it could not be started, or is running");
    } else if (strcmp(word, "begin") == 0) {
        if (private_ensemble_server_start(tool->sandbox, i, NULL, NULL))
            say(json_pack("{s:b,s:i}", "ok", 1, "pid", private_ensemble_server_pid(tool->sandbox, i)));
        else
            say_done(false, "it could not be started, or is running");
    } else {
        say_done(false, "no such command");
    }
}

static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    (void)wanted;
    struct tool *tool = handle->data;
    *buffer = uv_buf_init(tool->line + tool->used, (unsigned)(sizeof tool->line - 1 - tool->used));
}

static void on_input(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    (void)buffer;
    struct tool *tool = stream->data;
    if (count < 0) {
        end(tool);
        return;
    }
    tool->used += (size_t)count;
    tool->line[tool->used] = '\0';
    char *newline;
    while (tool->sandbox && (newline = strchr(tool->line, '\n')) != NULL) {
        *newline = '\0';
        obey(tool, tool->line);
        tool->used -= (size_t)(newline + 1 - tool->line);
        memmove(tool->line, newline + 1, tool->used + 1);
    }
    if (tool->used == sizeof tool->line - 1)
        end(tool);
}

static void on_ready(void *context, const char *problem)
{
    struct tool *tool = context;
    if (problem) {
        say(json_pack("{s:s}", "error", problem));
        tool->status = 1;
        end(tool);
        return;
    }
    json_t *pids = json_array();
    for (int i = 0; i < tool->servers; i++)
        json_array_append_new(pids, json_integer(private_ensemble_server_pid(tool->sandbox, i)));
    say(json_pack("{s:s,s:s,s:s,s:o,s:i}", "hosts", private_ensemble_hosts(tool->sandbox), "admin",
                  private_ensemble_admin(tool->sandbox), "dir", private_ensemble_directory(tool->sandbox),
                  "pids", pids, "supervisor", private_ensemble_supervisor_pid(tool->sandbox)));
    uv_read_start((uv_stream_t *)&tool->input, on_room, on_input);
}

int main(int argc, char **argv)
{
    const char *java[LISTED + 1] = {NULL};
    char config[4096] = "";
    int java_count = 0;
    struct private_ensemble_options options = {.servers = 1, .tick_ms = 2000, .config = config, .java = java};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--sync") == 0) {
            options.sync = true;
            continue;
        }
        if (value && strcmp(argv[i], "--servers") == 0)
            options.servers = atoi(value);
        else if (value && strcmp(argv[i], "--tick") == 0)
            options.tick_ms = atoi(value);
        else if (value && strcmp(argv[i], "--connections") == 0)
            options.connections = atoi(value);
        else if (value && strcmp(argv[i], "--heap") == 0)
            options.heap_mb = atoi(value);
        else if (value && strcmp(argv[i], "--ready") == 0)
            options.ready_ms = atoi(value);
        else if (value && strcmp(argv[i], "--config") == 0 &&
                 strlen(config) + strlen(value) + 2 < sizeof config)
            strcat(strcat(config, value), "\n");
        else if (value && strcmp(argv[i], "--java") == 0 && java_count < LISTED)
            java[java_count++] = value;
        else {
            fprintf(stderr, "sandbox: cannot use %s; its source says what it takes\n", argv[i]);
            return 2;
        }
        i++;
    }
    signal(SIGPIPE, SIG_IGN);
    struct tool tool = {.servers = options.servers};
    char *error = NULL;
    uv_loop_init(&tool.loop);
    tool.sandbox = private_ensemble_start(&tool.loop, &options, on_ready, &tool, &error);
    if (!tool.sandbox) {
        say(json_pack("{s:s}", "error", error));
        free(error);
        uv_loop_close(&tool.loop);
        return 1;
    }
    uv_pipe_init(&tool.loop, &tool.input, 0);
    tool.input.data = &tool;
    uv_pipe_open(&tool.input, 0);
    uv_run(&tool.loop, UV_RUN_DEFAULT);
    uv_loop_close(&tool.loop);
    return tool.status;
}
