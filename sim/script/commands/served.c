/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program` that views/commands/serve.lua calls. */
#include "script/commands/served.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "script/commands/commands.h"
#include "script/commands/session.h"
#include "script/values/values.h"
#include "script/views/settings.h"
#include "study/run/worker.h"
#include "study/system/channel.h"
#include "study/table/version.h"
#include "workloads/workloads.h"

#define CLIENT 3

/* --- the client --------------------------------------------------------------------------------- */

/* Called when something has come from the client or it has ended; then nobody waits for the simulation, and the process ends. */
static void end_without_client(int number)
{
    struct pollfd client = {.fd = CLIENT, .events = POLLRDHUP};
    (void)number;
    if (poll(&client, 1, 0) > 0 && client.revents & (POLLHUP | POLLRDHUP))
        _exit(EXIT_CODE_OK);
}

static void watch_client(void)
{
    struct sigaction action = {.sa_handler = end_without_client, .sa_flags = SA_RESTART};
    sigaction(SIGIO, &action, NULL);
    fcntl(CLIENT, F_SETFD, FD_CLOEXEC);
    fcntl(CLIENT, F_SETOWN, getpid());
    fcntl(CLIENT, F_SETFL, O_ASYNC);
}

bool served_begin(const char *version, GError **error)
{
    if (isfdtype(CLIENT, S_IFSOCK) != 1)
        return error_set(error, "libgpunetsim starts serve by itself, and nobody else does");
    pid_t pid = fork();
    if (pid != 0)
        _exit(pid > 0 ? EXIT_CODE_OK : EXIT_CODE_FAILED);
    watch_client();
    if (strncmp(version_text(), version, strcspn(version, " ") + 1) == 0)
        return true;
    return error_set_code(error, ERROR_RUN,
                          "libgpunetsim is version %s, and the program that it has found %s",
                          version, version_text());
}

static void respond(enum served type, char *const *texts)
{
    GByteArray *bytes = g_byte_array_new();
    for (; *texts; texts++)
        g_byte_array_append(bytes, (const guint8 *)*texts, (guint)strlen(*texts) + 1);
    g_autoptr(GBytes) payload = g_byte_array_free_to_bytes(bytes);
    channel_send(CLIENT, (char)type, payload);
}

static void refuse(const char *message)
{
    g_autofree char *sentence = error_sentence(message);
    respond(SERVED_FAULT, (char *[]){sentence, NULL});
}

int served_fail(GError *error)
{
    char type;
    GBytes *request = NULL;
    if (channel_await(CLIENT, &type, &request))
        refuse(error->message);
    g_clear_pointer(&request, g_bytes_unref);
    g_error_free(error);
    return EXIT_CODE_FAILED;
}

/* receive(): the texts of the next request; nil when the client has ended. */
static int receive(lua_State *L)
{
    char type;
    GBytes *payload;
    gsize length;
    if (!channel_await(CLIENT, &type, &payload))
        return 0;
    const char *text = g_bytes_get_data(payload, &length), *end = text + length;
    lua_newtable(L);
    for (lua_Integer i = 1; text < end; i++) {
        lua_append_text(L, text);
        text += strlen(text) + 1;
    }
    g_bytes_unref(payload);
    return 1;
}

/* respond(texts), refuse(sentence) */
static int respond_texts(lua_State *L)
{
    g_auto(GStrv) texts = lua_texts_at(L, 1);
    respond(SERVED_ANSWER, texts);
    return 0;
}

static int refuse_sentence(lua_State *L)
{
    refuse(luaL_checkstring(L, 1));
    return 0;
}

/* enter(folder): makes the client's folder the current one, to which paths are relative. */
static int enter(lua_State *L, GError **error)
{
    const char *folder = luaL_checkstring(L, 1);
    if (chdir(folder) != 0)
        error_set(error, "%s: %s", folder, g_strerror(errno));
    return 0;
}

/* --- workloads on machines ---------------------------------------------------------------------- */

static const struct workload *find_workload(const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        if (strcmp((*workload)->name, name) == 0)
            return workload_load(*workload, error) ? *workload : NULL;
        g_ptr_array_add(names, (gpointer)(gsize)(*workload)->name);
    }
    g_autofree char *rest = param_suggestion(name, (const char *const *)names->pdata, names->len);
    error_set(error, "there is no workload \"%s\"%s", name, rest);
    return NULL;
}

/* Sets an argument such as "bytes=8B" in the workload's spec, and notes in `given` which parameter it is. */
static bool set_argument(const struct workload *workload, void *spec, const char *argument,
                         bool *given, GError **error)
{
    const char *equals = strchr(argument, '=');
    g_autofree char *name = equals ? g_strndup(argument, (gsize)(equals - argument)) : NULL;
    const struct param *param = name ? param_find(workload->params, name) : NULL;
    if (!equals)
        return error_set(error, "\"%s\" is not PARAMETER=VALUE", argument);
    if (!param)
        return error_set(error, "%s has no parameter \"%s\"; `gpunetsim help %s` lists them",
                         workload->name, name, workload->name);
    bool *is_given = &given[param - workload->params->params];
    if (*is_given)
        return error_set(error, "%s.%s is given twice", workload->name, name);
    return *is_given = param_set_text(workload->params, param, spec, equals + 1, error);
}

static bool set_missing(const struct workload *workload, void *spec, const bool *given,
                        GError **error)
{
    const struct param_table *table = workload->params;
    for (size_t i = 0; i < table->count; i++) {
        if (!given[i] && !param_set_missing(table, &table->params[i], spec, error))
            return false;
    }
    return true;
}

static void note_unread(const char *name, bool is_read, void *unread)
{
    if (!is_read)
        *(const char **)unread = name;
}

static bool set_arguments(const struct workload *workload, void *spec, char *const *arguments,
                          GError **error)
{
    const struct param *design = param_find(workload->params, "design");
    g_autofree bool *given = g_new0(bool, workload->params->count);
    param_set_defaults(workload->params, spec);
    for (; *arguments; arguments++) {
        if (!set_argument(workload, spec, *arguments, given, error))
            return false;
    }
    if (!set_missing(workload, spec, given, error))
        return false;
    const struct design *chosen =
        design ? (const void *)((const char *)spec + design->offset) : NULL;
    if (chosen && workload->accepts && !workload->accepts(chosen, error))
        return false;
    const char *unread = NULL;
    workload_note_arguments(workload, spec, note_unread, &unread);
    return !unread || error_set(error, "%s.%s was set, but nothing in this run reads it",
                                workload->name, unread);
}

/* run_workload(machine, name, seed, arguments): a list as of measures; it runs in this process, and may change its state. */
static int run_workload(lua_State *L, GError **error)
{
    const struct machine *machine = session_object(L, 1);
    const struct workload *workload = find_workload(luaL_checkstring(L, 2), error);
    uint64_t seed = (uint64_t)luaL_checkinteger(L, 3);
    g_auto(GStrv) arguments = lua_texts_at(L, 4);
    g_autofree void *spec = workload ? g_malloc0(workload->params->spec_size) : NULL;
    struct workload_result result = {.count = 0};
    if (!workload || !set_arguments(workload, spec, arguments, error))
        return 0;
    if (!workload_run(workload, &machine->spec, spec, seed, &result, error)) {
        g_prefix_error(error, "%s: ", workload->name);
        return 0;
    }
    if (!settings_refuse(machine, &result.uses, error)) /* as in `run` */
        return 0;
    lua_newtable(L);
    for (size_t i = 0; i < result.count; i++) {
        struct value value = value_of_measure(&result.measures[i]);
        session_append_column(L, result.measures[i].name, &value);
        value_clear(&value);
    }
    return 1;
}

/* fork(name): true in a new process, which ends by quit(); false in the old process, after the new one has ended without failure. */
static int fork_process(lua_State *L, GError **error)
{
    int status = 0;
    pid_t pid = worker_fork();
    if (pid < 0)
        return error_set_code(error, ERROR_RUN, "no process can be made: %s", g_strerror(errno));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    g_autofree char *end = status != 0 ? workers_tell_end(status) : NULL;
    if (end)
        return error_set_code(error, ERROR_RUN, "%s: %s", luaL_checkstring(L, 1), end);
    lua_pushboolean(L, pid == 0);
    return 1;
}

static int quit(lua_State *L)
{
    (void)L;
    _exit(EXIT_CODE_OK);
}

const struct session_function session_served[] = {{"receive", NULL, receive},
                                                  {"respond", NULL, respond_texts},
                                                  {"refuse", NULL, refuse_sentence},
                                                  {"enter", enter, NULL},
                                                  {"run_workload", run_workload, NULL},
                                                  {"fork", fork_process, NULL},
                                                  {"quit", NULL, quit},
                                                  {NULL, NULL, NULL}};
