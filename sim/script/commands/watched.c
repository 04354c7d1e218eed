/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: points that are observed while they run, for views/watched.lua, which runs each in a process of its own.
 * A fault of the point, or of its machine, is raised. */

#include <lauxlib.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/explain/listener.h"
#include "script/explain/timeline.h"
#include "script/study/point.h"
#include "script/values/values.h"

/* Runs the point (argument 2) of the study (argument 1); NULL and an error if it fails. */
static struct row *run_point(lua_State *L, struct observe_listener *listener, GError **error)
{
    struct study *study = session_object(L, 1);
    size_t point = (size_t)luaL_checkinteger(L, 2);
    struct machine *machine = study_machine(study, point, error);
    if (!machine)
        return NULL;
    machine->spec.listener = listener;
    struct row *row = study_run_point(study, point, machine, session_of(L)->resolved.seed);
    machine_free(machine);
    if (!row->failure)
        return row;
    error_set_code(error, ERROR_RUN, "%s", row->failure);
    row_free(row);
    return NULL;
}

/* --- points that are explained ------------------------------------------------------------------- */

/* Pushes the texts of the row's measures by their names. */
static void push_measures(lua_State *L, const struct row *row)
{
    lua_newtable(L);
    for (size_t i = 0; i < row->measure_count; i++)
        lua_set_text(L, row->measures[i].name, row->measures[i].value.text);
}

/* measures_of(study, point): runs the point, as often as its means need, and returns its measures. */
static int measures_of(lua_State *L, GError **error)
{
    struct row *row = run_point(L, NULL, error);
    if (!row)
        return 0;
    push_measures(L, row);
    row_free(row);
    return 1;
}

/* observe(study, point, file): runs the point once while views/FILE.lua observes it. Returns its measures, its statistics, and the
 * result of the file or nil and the sentence of its failure. */
static int observe(lua_State *L, GError **error)
{
    g_autoptr(GError) fault = NULL;
    struct view_listener *view = view_listener_new(luaL_checkstring(L, 3), error);
    struct row *row = view ? run_point(L, view_listener_of(view), error) : NULL;
    if (row) {
        push_measures(L, row);
        lua_pushstring(L, row->stats);
        lua_push_owned(L, view_listener_result(view, &fault));
        lua_pushstring(L, fault ? fault->message : NULL);
        row_free(row);
    }
    view_listener_free(view);
    return 4;
}

/* --- timelines ---------------------------------------------------------------------------------- */

static void free_timeline(gpointer timeline)
{
    timeline_free(timeline);
}

/* timeline(from_ps, to_ps, only): a timeline without points; with to_ps nil it goes to the end. */
static int new_timeline(lua_State *L)
{
    const struct timeline_filter filter = {.from_ps = luaL_checkinteger(L, 1),
                                           .to_ps = luaL_optinteger(L, 2, SIM_TIME_MAX),
                                           .only = lua_texts_at(L, 3)};
    session_push_object(L, timeline_new(&filter), free_timeline);
    return 1;
}

/* draw(study, point, timeline, name): runs the point, whose tracks are named after it if `name` is not nil. Returns what
 * take_drawn adds to the timeline in the process that has begun this one. */
static int draw(lua_State *L, GError **error)
{
    struct timeline *timeline = session_object(L, 3);
    struct observe_listener *listener = timeline_listener(timeline, luaL_optstring(L, 4, NULL));
    struct row *row = timeline_is_open(timeline, error) ? run_point(L, listener, error) : NULL;
    if (!row)
        return 0;
    g_autoptr(GVariant) packed = g_variant_ref_sink(timeline_pack(timeline));
    lua_pushlstring(L, g_variant_get_data(packed), g_variant_get_size(packed));
    row_free(row);
    return 1;
}

/* take_drawn(timeline, packed) */
static int take_drawn(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    g_autoptr(GBytes) bytes = g_bytes_new(text, length);
    g_autoptr(GVariant) packed =
        g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(TIMELINE_TYPE), bytes, TRUE));
    timeline_take(session_object(L, 1), packed);
    return 0;
}

/* drawn(timeline): its records and its tracks, for views/timeline.lua; raises an error if no track is shown. */
static int drawn(lua_State *L, GError **error)
{
    struct timeline *timeline = session_object(L, 1);
    return timeline_shows(timeline, error) && timeline_push(L, timeline, error) ? 2 : 0;
}

const struct session_function session_watched[] = {{"measures_of", measures_of, NULL},
                                                   {"observe", observe, NULL},
                                                   {"timeline", NULL, new_timeline},
                                                   {"draw", draw, NULL},
                                                   {"take_drawn", NULL, take_drawn},
                                                   {"drawn", drawn, NULL},
                                                   {NULL, NULL, NULL}};
