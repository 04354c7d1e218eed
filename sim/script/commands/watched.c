/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: points that are observed while they run, each in a process of its own: a process has one machine
 * (SimGrid's platform), and commands look at points on several. */

#include <lauxlib.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/study/point.h"
#include "script/values/values.h"
#include "script/views/views.h"
#include "study/explain/explain.h"
#include "study/explain/timeline.h"
#include "study/run/worker.h"
#include "study/system/channel.h"
#include "study/table/output.h"

struct watched_run {
    struct study *study;
    guint point;
    const char *name;                  /* the point's, in sentences */
    guint64 seed;                      /* master seed */
    struct observe_listener *listener; /* of its machine */
    /* Called in the child: the result that the child passes on, of `type`, a floating reference or not. */
    GVariant *(*pack)(void *context, const struct row *row);
    void *context;
    const char *type;
};

/* "(msmv)": the reason of the point's failure, or the result that is passed on. */
#define HANDED_TYPE "(msmv)"

static GVariant *run_point(const struct watched_run *call)
{
    GError *error = NULL;
    struct machine *machine = study_machine(call->study, call->point, &error);
    if (!machine)
        return g_variant_new(HANDED_TYPE, error->message, NULL);
    machine->spec.listener = call->listener;
    struct row *row = study_run_point(call->study, call->point, machine, call->seed);
    return g_variant_new(HANDED_TYPE, row->failure,
                         row->failure ? NULL : call->pack(call->context, row));
}

static void run_in_child(void *call, int channel)
{
    GVariant *handed = g_variant_ref_sink(run_point(call));
    channel_send(channel, WORKER_RESULT, g_variant_get_data_as_bytes(handed));
}

/* The result of a run, for g_variant_unref; NULL and one sentence if the point failed or the process ended too early. */
static GVariant *watch(struct watched_run *call, GError **error)
{
    int status;
    g_autoptr(GBytes) payload = worker_apart(run_in_child, call, &status);
    g_autoptr(GVariant) handed = NULL, given = NULL;
    g_autofree char *failure = NULL;
    if (!payload) {
        error_set_code(error, ERROR_RUN, "the process that runs the point ended before its time");
        return NULL;
    }
    handed =
        g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(HANDED_TYPE), payload, TRUE));
    g_variant_get(handed, HANDED_TYPE, &failure, &given);
    if (given && g_variant_is_of_type(given, G_VARIANT_TYPE(call->type)))
        return g_steal_pointer(&given);
    error_set_code(error, ERROR_RUN, "at %s: %s", call->name, failure);
    return NULL;
}

/* --- points that are watched -------------------------------------------------------------------- */

/* The workload's measure of the explained operations: "latency: 5us"; NULL: it has none. */
static char *measured_of(const struct row *row)
{
    static const char *const names[] = {"latency", "time", "iteration", "duration", NULL};
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *measure = &row->measures[i];
        if (measure->value.kind == VALUE_QUANTITY && measure->value.unit == UNIT_TIME &&
            g_strv_contains(names, measure->name))
            return g_strconcat(measure->name, ": ", measure->value.text, NULL);
    }
    return NULL;
}

static GVariant *pack_explanation(void *context, const struct row *row)
{
    g_autoptr(GError) fault = NULL;
    g_autofree char *measured = measured_of(row);
    g_autofree char *seen = view_listener_result(context, &fault);
    GVariantBuilder run;
    g_variant_builder_init(&run, G_VARIANT_TYPE_VARDICT);
    views_add_text(&run, "measured", measured);
    views_add_text(&run, "stats", row->stats);
    views_add_text(&run, "observed", seen);
    views_add_text(&run, "fault", fault ? fault->message : NULL);
    return g_variant_builder_end(&run);
}

/* The run of the point (argument 2, its name argument 3) of the study (argument 1). */
static struct watched_run run_of(lua_State *L)
{
    return (struct watched_run){.study = session_object(L, 1),
                                .point = (guint)luaL_checkinteger(L, 2),
                                .name = luaL_checkstring(L, 3),
                                .seed = session_of(L)->resolved.seed};
}

/* explained(study, point, name, file): the point for views/explain.lua, without its name; views/FILE.lua observes it. */
static int explained(lua_State *L, GError **error)
{
    struct view_listener *explanation =
        view_listener_new(luaL_optstring(L, 4, "observed"), explain_design, error);
    if (!explanation)
        return 0;
    struct watched_run run = run_of(L);
    run.listener = view_listener_of(explanation);
    run.pack = pack_explanation;
    run.context = explanation;
    run.type = "a{sv}";
    GVariant *value = watch(&run, error);
    view_listener_free(explanation);
    if (!value)
        return 0;
    views_push_value(L, value);
    g_variant_unref(value);
    return 1;
}

/* --- timelines ---------------------------------------------------------------------------------- */

struct drawn {
    struct timeline *timeline;
    struct timeline_filter filter;
    char *said; /* of what was written */
};

static void free_drawn(gpointer of)
{
    struct drawn *drawn = of;
    timeline_free(drawn->timeline);
    g_strfreev((char **)(gsize)drawn->filter.only);
    g_free(drawn->said);
    g_free(drawn);
}

/* timeline(from_ps, to_ps, most_bytes, only): a timeline without points; with to_ps nil it goes to the end. */
static int new_timeline(lua_State *L)
{
    struct drawn *drawn = g_new0(struct drawn, 1);
    drawn->filter = (struct timeline_filter){.from_ps = luaL_checkinteger(L, 1),
                                             .to_ps = luaL_optinteger(L, 2, SIM_TIME_MAX),
                                             .most_bytes = luaL_checkinteger(L, 3),
                                             .only = lua_texts_at(L, 4)};
    drawn->timeline = timeline_new(&drawn->filter);
    session_push_object(L, drawn, free_drawn);
    return 1;
}

static GVariant *pack_timeline(void *context, const struct row *row)
{
    (void)row;
    return timeline_pack(context);
}

/* draw(study, point, name, timeline, is_named): runs the point and adds it to the timeline, with its name if `is_named`. */
static int draw(lua_State *L, GError **error)
{
    struct timeline *timeline = ((struct drawn *)session_object(L, 4))->timeline;
    struct watched_run run = run_of(L);
    run.listener = timeline_listener(timeline, lua_toboolean(L, 5) ? run.name : NULL);
    run.pack = pack_timeline;
    run.context = timeline;
    run.type = TIMELINE_TYPE;
    g_autoptr(GVariant) packed = timeline_is_open(timeline, error) ? watch(&run, error) : NULL;
    if (packed)
        timeline_take(timeline, packed);
    return 0;
}

static bool write_drawn(void *context, FILE *file, GError **error)
{
    struct drawn *drawn = context;
    drawn->said = timeline_write(drawn->timeline, file, error);
    return drawn->said != NULL;
}

/* write_timeline(timeline, path, rules): writes it, and returns sentences about the file. */
static int write_timeline(lua_State *L, GError **error)
{
    struct drawn *drawn = session_object(L, 1);
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 3, &inputs);
    if (timeline_shows(drawn->timeline, error))
        output_write_stream(luaL_checkstring(L, 2), write_drawn, drawn, &rules, error);
    lua_pushstring(L, drawn->said);
    return 1;
}

const struct session_function session_watched[] = {{"explained", explained, NULL},
                                                   {"timeline", NULL, new_timeline},
                                                   {"draw", draw, NULL},
                                                   {"write_timeline", write_timeline, NULL},
                                                   {NULL, NULL, NULL}};
