/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: rows of a study that are made one by one, for views/rehearsal.lua and views/commands/serve.lua. */
#include <errno.h>
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/study/point.h"
#include "script/values/values.h"
#include "script/views/settings.h"
#include "script/views/table_lua.h"
#include "study/run/worker.h"
#include "study/system/channel.h"

/* rows(count): a collection of rows; at first `count` are missing (nil: it is empty). */
static int new_rows(lua_State *L)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    g_ptr_array_set_size(rows, (gint)luaL_optinteger(L, 1, 0));
    session_push_object(L, rows, (GDestroyNotify)g_ptr_array_unref);
    return 1;
}

/* run_point(study, rows, point, seed, seconds, number): runs a point for `seconds` at most (0: no limit), and makes its row number
 * `number` of the rows (nil: one more). Returns the reason of its failure, or nil, and whether it took longer. */
static int run_point(lua_State *L, GError **error)
{
    struct study *study = session_object(L, 1);
    GPtrArray *known = session_object(L, 2);
    size_t point = (size_t)luaL_checkinteger(L, 3);
    guint place = (guint)luaL_optinteger(L, 6, (lua_Integer)known->len + 1) - 1;
    const struct runner_options options = {.seed = (uint64_t)luaL_checkinteger(L, 4),
                                           .workers = 1,
                                           .shard = point,
                                           .shards = study->point_count,
                                           .time_limit_us =
                                               luaL_checkinteger(L, 5) * G_USEC_PER_SEC};
    g_autoptr(GPtrArray) rows = runner_run(study, &options, error);
    if (!rows)
        return 0;
    struct row *row = g_steal_pointer(&rows->pdata[point]);
    if (place == known->len)
        g_ptr_array_add(known, NULL);
    row_free(known->pdata[place]);
    known->pdata[place] = row;
    lua_pushstring(L, row->failure);
    lua_pushboolean(L, row->failure && g_str_has_prefix(row->failure, WORKERS_TOOK_LONGER));
    return 2;
}

/* rehearse_point(study, point, settings, rows, instructions): rehearses a point (study_rehearse_point). Adds a row with the settings
 * that it may read and those that it cannot to `settings`, and its row, if it has ended without results, to `rows`. */
static int rehearse_point(lua_State *L, GError **error)
{
    struct study *study = session_object(L, 1);
    size_t point = (size_t)luaL_checkinteger(L, 2);
    GPtrArray *settings = session_object(L, 3), *rows = session_object(L, 4);
    struct rehearsal rehearsal = {.instructions = luaL_checkinteger(L, 5)};
    struct machine *machine = study_machine(study, point, error);
    bool is_good = machine && study_rehearse_point(study, point, machine, &rehearsal, error);
    struct row *row = study_new_row(study, point);
    row->read = rehearsal.read;
    row->unread = rehearsal.unread;
    g_ptr_array_add(settings, row);
    machine_free(machine);
    if (!is_good)
        return 0;
    if (rehearsal.row)
        g_ptr_array_add(rows, rehearsal.row);
    lua_newtable(L);
    lua_set_text(L, "read", row->read);
    lua_set_flag(L, "reads_all", row->unread == NULL || *row->unread == '\0');
    lua_set_flag(L, "is_known", rehearsal.row != NULL);
    lua_set_flag(L, "is_guess", rehearsal.is_guess);
    lua_set_flag(L, "is_long", rehearsal.is_long);
    lua_set_integer(L, "instructions", rehearsal.instructions);
    return 1;
}

/* fail_row(rows, number, failure): makes the row that of a failed point. */
static int fail_row(lua_State *L)
{
    const GPtrArray *rows = session_object(L, 1);
    row_fail(g_ptr_array_index(rows, luaL_checkinteger(L, 2) - 1),
             g_strdup(luaL_checkstring(L, 3)));
    return 0;
}

/* measures(rows, number): a list of the names of the row's columns, each followed by the text of its value; raises its failure. */
static int measures(lua_State *L, GError **error)
{
    const GPtrArray *rows = session_object(L, 1);
    const struct row *row = g_ptr_array_index(rows, luaL_checkinteger(L, 2) - 1);
    if (row->failure)
        return error_set_code(error, ERROR_RUN, "%s", row->failure);
    lua_newtable(L);
    for (size_t i = 0; i < row->measure_count; i++)
        session_append_column(L, row->measures[i].name, &row->measures[i].value);
    return 1;
}

/* table_of_rows(study, rows): the table of the rows, which has to end before them (table_lua.h). */
static int table_of_rows(lua_State *L)
{
    const struct study *study = session_object(L, 1);
    const GPtrArray *rows = session_object(L, 2);
    table_lua_push(L, study->axes, study->axis_count, (struct row *const *)rows->pdata, rows->len);
    return 1;
}

/* --- a process of its own -------------------------------------------------------------------------- */

static void call_in_child(void *L, int channel)
{
    size_t length;
    lua_pushvalue(L, 1);
    lua_pcall(L, 0, 1, 0); /* an error is told as a text, too */
    const char *text = lua_tolstring(L, -1, &length);
    if (text)
        channel_send(channel, WORKER_RESULT, g_bytes_new(text, length));
}

/* apart(function): calls the function in a process of its own. Returns the text that the function returns, if any; and if the
 * process did not end well, how it ended, and whether it was ended from outside. */
static int apart(lua_State *L)
{
    int status = 0;
    gsize length = 0;
    g_autoptr(GBytes) payload = worker_apart(call_in_child, L, &status);
    const char *text = payload ? g_bytes_get_data(payload, &length) : NULL;
    char *ending = status > 0   ? workers_tell_end(status)
                   : status < 0 ? g_strdup(g_strerror(errno))
                                : NULL;
    if (text)
        lua_pushlstring(L, text, length);
    else
        lua_pushnil(L);
    lua_push_owned(L, ending);
    lua_pushboolean(L, status > 0 && workers_ended_from_outside(status));
    return 3;
}

const struct session_function session_rows[] = {{"rows", NULL, new_rows},
                                                {"run_point", run_point, NULL},
                                                {"rehearse_point", rehearse_point, NULL},
                                                {"fail_row", NULL, fail_row},
                                                {"measures", measures, NULL},
                                                {"table_of_rows", NULL, table_of_rows},
                                                {"apart", NULL, apart},
                                                {NULL, NULL, NULL}};
