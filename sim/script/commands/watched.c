/* SPDX-License-Identifier: BSD-3-Clause */
/* Of `program`: points that are watched while they run, each in a process of its own: a process has one machine (SimGrid's platform), and
 * commands look at points on several. */

#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/study/point.h"
#include "script/values/values.h"
#include "script/views/views.h"
#include "study/explain/explain.h"
#include "study/explain/timeline.h"
#include "study/model/select.h"
#include "study/run/worker.h"
#include "study/system/channel.h"
#include "study/table/output.h"

struct watched_run {
    struct study *study;
    guint point;
    guint64 seed;                      /* master seed */
    struct observe_listener *listener; /* of its machine */
    /* What is handed on of the run, of `type`, a floating reference or not. It is called in the child. */
    GVariant *(*pack)(void *context, const struct row *row);
    void *context;
    const char *type;
};

/* "(msmv)": why the point failed, or what is handed on. */
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

_Noreturn static void run_in_child(const struct watched_run *call, int channel)
{
    GVariant *handed = g_variant_ref_sink(run_point(call));
    bool good = channel_send(channel, WORKER_RESULT, g_variant_get_data_as_bytes(handed));
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* What the child hands on, of HANDED_TYPE; NULL and an error if there is nothing. */
static GVariant *await_child(const struct watched_run *call, GError **error)
{
    int ends[2];
    char kind;
    g_autoptr(GBytes) payload = NULL;
    if (!channel_open(ends)) {
        error_set_code(error, ERROR_RUN, "no more sockets: %s", g_strerror(errno));
        return NULL;
    }
    pid_t pid = worker_fork();
    if (pid == 0)
        run_in_child(call, ends[1]);
    close(ends[1]);
    bool has_come = pid > 0 && channel_await(ends[0], &kind, &payload);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (has_come)
        return g_variant_ref_sink(
            g_variant_new_from_bytes(G_VARIANT_TYPE(HANDED_TYPE), payload, TRUE));
    error_set_code(error, ERROR_RUN, "the process that runs the point ended before its time");
    return NULL;
}

/* NULL and one sentence if the point failed or the process ended before its time. To be freed with g_variant_unref. */
static GVariant *watch(const struct watched_run *call, GError **error)
{
    g_autoptr(GVariant) handed = await_child(call, error), given = NULL;
    g_autofree char *failure = NULL;
    if (!handed)
        return NULL;
    g_variant_get(handed, HANDED_TYPE, &failure, &given);
    if (given && g_variant_is_of_type(given, G_VARIANT_TYPE(call->type)))
        return g_steal_pointer(&given);
    g_autofree char *name = point_label(call->study, call->point);
    error_set_code(error, ERROR_RUN, "at %s: %s", name, failure);
    return NULL;
}

/* --- what is watched ---------------------------------------------------------------------------- */

/* The workload's own measure of what is explained: "latency: 5us"; NULL: it has none. */
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

/* A run of point argument 2 of the study that is argument 1. */
static struct watched_run run_of(lua_State *L)
{
    return (struct watched_run){.study = session_object(L, 1),
                                .point = (guint)luaL_checkinteger(L, 2),
                                .seed = session_of(L)->resolved.seed};
}

/* explained(study, point, file): the point as views/explain.lua has it, but for its name; what is observed is views/FILE.lua's. */
static int explained(lua_State *L, GError **error)
{
    struct view_listener *explanation =
        view_listener_new(luaL_optstring(L, 3, "observed"), explain_design, error);
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

/* timeline(from_ps, to_ps, most_bytes, only): one without points; to_ps nil: to the end. */
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

/* draw(study, point, timeline, name): runs the point and adds it; the name nil: it is the only one. */
static int draw(lua_State *L, GError **error)
{
    struct timeline *timeline = ((struct drawn *)session_object(L, 3))->timeline;
    struct watched_run run = run_of(L);
    run.listener = timeline_listener(timeline, luaL_optstring(L, 4, NULL));
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

/* write_timeline(timeline, path, rules): returns sentences on what was written. */
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
