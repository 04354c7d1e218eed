/* SPDX-License-Identifier: BSD-3-Clause */
/* run.*, of worlds and of what they measure. A measure's name is that of its column. */
#include <stddef.h>

#include "core/rng.h"
#include "core/simtime.h"
#include "protocols/shmem/service.h"
#include "script/workload/scripted_parts.h"

#define HISTOGRAM "gpunetsim.histogram"
#define UNITS "gpunetsim.units"
#define RNG "gpunetsim.rng"

/* --- the world ---------------------------------------------------------------------------------- */

/* A field of the table at 1: a whole number, 0 if there is none. */
static int64_t whole_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    int64_t value = luaL_optinteger(L, -1, 0);
    lua_pop(L, 1);
    return value;
}

static bool flag_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* The list of numbers that is a field of the table at 1, 0 behind its end. */
static void list_field(lua_State *L, const char *name, int64_t numbers[SCRIPTED_BUFFERS])
{
    bool is_there = lua_getfield(L, 1, name) == LUA_TTABLE;
    for (lua_Integer i = 0; i < SCRIPTED_BUFFERS; i++) {
        numbers[i] = is_there && lua_geti(L, -1, i + 1) == LUA_TNUMBER ? lua_tointeger(L, -1) : 0;
        lua_settop(L, 2);
    }
    lua_settop(L, 1);
}

/* Which GPUs take part: of so many nodes; else two, of a node each. */
static void set_places(lua_State *L, struct world_setup *setup)
{
    struct scripted *run = scripted_of(L);
    int64_t nodes = whole_field(L, "nodes"), gpus = whole_field(L, "gpus_per_node");
    setup->place_count = 2;
    if (nodes == 0)
        return;
    run->places = world_places(run->machine, nodes, gpus, &run->error);
    if (run->places == NULL)
        scripted_fail(L);
    setup->places = run->places;
    setup->place_count = nodes * gpus;
}

static void set_streams(lua_State *L, struct world_setup *setup)
{
    struct transfer_streams *streams = &scripted_of(L)->streams;
    *streams = (struct transfer_streams){.groups = whole_field(L, "streams"),
                                         .buffer_bytes = INT64_C(16) << 20,
                                         .lines = whole_field(L, "stream_lines")};
    setup->streams = streams;
}

/* run.world { nodes, gpus_per_node, groups, threads, ... }: fields of struct world_setup; bytes of each buffer, and how many words
 * each party has of each of the signals. */
static int make_world(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    int64_t buffers[SCRIPTED_BUFFERS], signals[SCRIPTED_BUFFERS], groups = whole_field(L, "groups");
    struct world_setup setup = {.design = scripted_design(run),
                                .seed = run->seed,
                                .groups = groups,
                                .threads = whole_field(L, "threads"),
                                .queues = whole_field(L, "queues"),
                                .post = whole_field(L, "post"),
                                .nop_ps = whole_field(L, "nop"),
                                .served_places = whole_field(L, "served_places"),
                                .in_kernel = flag_field(L, "in_kernel"),
                                .is_cooperative = flag_field(L, "cooperative"),
                                .has_channels = flag_field(L, "channels"),
                                .has_barrier = flag_field(L, "barrier")};
    set_places(L, &setup);
    if (flag_field(L, "streams"))
        set_streams(L, &setup);
    list_field(L, "buffers", buffers);
    list_field(L, "signals", signals);
    for (int i = 0; i < SCRIPTED_BUFFERS; i++) {
        setup.heap_bytes += buffers[i] > 0 ? transfer_heap_bytes(groups, buffers[i]) : 0;
        setup.heap_bytes += signals[i] > 0 ? transfer_signal_bytes(groups, signals[i]) : 0;
    }
    run->place_count = setup.place_count;
    run->world = world_new(run->machine, &setup, &run->error);
    if (run->world == NULL)
        return scripted_fail(L);
    for (int i = 0; i < SCRIPTED_BUFFERS; i++)
        if (buffers[i] > 0)
            run->buffers[i] = world_buffer(run->world, buffers[i], TRANSFER_PAYLOAD);
    for (int i = 0; i < SCRIPTED_BUFFERS; i++)
        if (signals[i] > 0)
            run->signals[i] = world_signals(run->world, signals[i]);
    return 0;
}

/* run.parties(function(me, place, group) ... end) */
static int run_parties(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    void **arguments = lua_newuserdatauv(L, (size_t)run->place_count * sizeof *arguments, 0);
    for (int64_t i = 0; i < run->place_count; i++)
        arguments[i] = run;
    if (!world_run(run->world, scripted_party, arguments, &run->error))
        return scripted_fail(L);
    return 0;
}

/* run.measure_from(at), run.measure_to(at): the measured part begins or ends; run.reset(at): and what was recorded is forgotten. */
static int measure_from(lua_State *L)
{
    world_measures_from(scripted_of(L)->world, luaL_checkinteger(L, 1));
    return 0;
}

static int measure_to(lua_State *L)
{
    world_measures_to(scripted_of(L)->world, luaL_checkinteger(L, 1));
    return 0;
}

static int reset(lua_State *L)
{
    world_reset(scripted_of(L)->world, luaL_checkinteger(L, 1));
    return 0;
}

/* --- times that are recorded, units of a mean, chance --------------------------------------------- */

static struct stat_histogram *histogram_at(lua_State *L, int index)
{
    return *(struct stat_histogram **)luaL_checkudata(L, index, HISTOGRAM);
}

/* times:record(time) */
static int record(lua_State *L)
{
    stat_record(histogram_at(L, 1), luaL_checkinteger(L, 2));
    return 0;
}

static int push_histogram(lua_State *L, const struct stat_histogram *histogram)
{
    static const luaL_Reg methods[] = {{"record", record}, {NULL, NULL}};
    const struct stat_histogram **object = lua_newuserdatauv(L, sizeof histogram, 0);
    *object = histogram;
    scripted_set_methods(L, HISTOGRAM, methods);
    return 1;
}

/* run.histogram(path, name, description): of times, among the statistics under `path`. */
static int new_histogram(lua_State *L)
{
    struct stat_info *info = lua_newuserdatauv(L, sizeof *info, 0);
    *info = (struct stat_info){g_intern_string(luaL_checkstring(L, 2)), "ps",
                               g_intern_string(luaL_checkstring(L, 3))};
    luaL_ref(L, LUA_REGISTRYINDEX); /* stays until the run ends */
    struct stat_registry *stats = world_sim(scripted_of(L)->world)->stats;
    return push_histogram(L, stat_histogram_new(stats, luaL_checkstring(L, 1), info));
}

/* run.latencies(): of the operations of the first place; nil if the world records none. */
static int latencies(lua_State *L)
{
    const struct stat_histogram *logged = world_latencies(scripted_of(L)->world);
    return logged != NULL ? push_histogram(L, logged) : 0;
}

/* units:ends(at), units:add(value): one ends at that time; one has that value. */
static int unit_ends(lua_State *L)
{
    stat_unit_ends(luaL_checkudata(L, 1, UNITS), luaL_checkinteger(L, 2));
    return 0;
}

static int add_unit(lua_State *L)
{
    stat_unit(luaL_checkudata(L, 1, UNITS), luaL_checknumber(L, 2));
    return 0;
}

static int push_units(lua_State *L, struct stat_units from)
{
    static const luaL_Reg methods[] = {{"ends", unit_ends}, {"add", add_unit}, {NULL, NULL}};
    struct stat_units *units = lua_newuserdatauv(L, sizeof *units, 0);
    *units = from;
    scripted_set_methods(L, UNITS, methods);
    return 1;
}

/* run.units(), run.served(): none yet; those of the operations that the first place's service has served. */
static int new_units(lua_State *L)
{
    return push_units(L, (struct stat_units){.count = 0});
}

static int served(lua_State *L)
{
    return push_units(L, *service_served(world_service(scripted_of(L)->world)));
}

/* rng:below(bound) */
static int below(lua_State *L)
{
    uint64_t bound = (uint64_t)luaL_checkinteger(L, 2);
    lua_pushinteger(L, (lua_Integer)rng_below(luaL_checkudata(L, 1, RNG), bound));
    return 1;
}

/* run.rng(path) */
static int new_rng(lua_State *L)
{
    static const luaL_Reg methods[] = {{"below", below}, {NULL, NULL}};
    struct rng *rng = lua_newuserdatauv(L, sizeof *rng, 0);
    rng_init(rng, world_sim(scripted_of(L)->world)->seed, luaL_checkstring(L, 1));
    scripted_set_methods(L, RNG, methods);
    return 1;
}

/* --- measures ------------------------------------------------------------------------------------- */

static const char *name_at(lua_State *L, int index)
{
    return g_intern_string(luaL_checkstring(L, index));
}

static int add_quantity(lua_State *L, enum unit_kind unit)
{
    workload_add_quantity(scripted_of(L)->result, name_at(L, 1), unit, luaL_checkinteger(L, 2));
    return 0;
}

static int add_time(lua_State *L)
{
    return add_quantity(L, UNIT_TIME);
}

static int add_count(lua_State *L)
{
    return add_quantity(L, UNIT_COUNT);
}

static int add_bytes(lua_State *L)
{
    return add_quantity(L, UNIT_BYTES);
}

static int add_ratio(lua_State *L)
{
    workload_add_ratio(scripted_of(L)->result, name_at(L, 1), luaL_checknumber(L, 2));
    return 0;
}

/* run.mean_time(name, time, units), run.mean_ratio(name, ratio, units) */
static int add_mean_time(lua_State *L)
{
    workload_add_mean_time(scripted_of(L)->result, name_at(L, 1), luaL_checkinteger(L, 2),
                           luaL_checkudata(L, 3, UNITS));
    return 0;
}

static int add_mean_ratio(lua_State *L)
{
    workload_add_mean_ratio(scripted_of(L)->result, name_at(L, 1), luaL_checknumber(L, 2),
                            luaL_checkudata(L, 3, UNITS));
    return 0;
}

/* run.times(name, times): their mean, least, median, 99th percentile and most. run.percentiles(name, times, list): others. */
static int add_times(lua_State *L)
{
    workload_add_times(scripted_of(L)->result, luaL_checkstring(L, 1), histogram_at(L, 2));
    return 0;
}

static int add_percentiles(lua_State *L)
{
    workload_add_percentiles(scripted_of(L)->result, luaL_checkstring(L, 1), histogram_at(L, 2),
                             luaL_checkinteger(L, 3));
    return 0;
}

/* run.report(units), run.observe(units): what the world measures by itself (world_report); its energy alone (workload_observe). */
static int report(lua_State *L)
{
    world_report(scripted_of(L)->world, luaL_checknumber(L, 1), scripted_of(L)->result);
    return 0;
}

static int observe(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    workload_observe(run->result, world_cluster(run->world), luaL_checknumber(L, 1));
    return 0;
}

/* run.check_events(), run.seen_by_events(): whether two events of a stream can time the design; what they see beside its kernel. */
static int check_events(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    if (!transfer_can_be_timed(scripted_design(run), TIMED_BY_EVENTS, &run->error))
        return scripted_fail(L);
    return 0;
}

static int seen_by_events(lua_State *L)
{
    lua_pushinteger(L, transfer_seen_by_events_ps(scripted_of(L)->world, TIMED_BY_EVENTS));
    return 1;
}

const luaL_Reg scripted_world_functions[] = {{"world", make_world},
                                             {"parties", run_parties},
                                             {"measure_from", measure_from},
                                             {"measure_to", measure_to},
                                             {"reset", reset},
                                             {"histogram", new_histogram},
                                             {"latencies", latencies},
                                             {"units", new_units},
                                             {"served", served},
                                             {"rng", new_rng},
                                             {"time", add_time},
                                             {"count", add_count},
                                             {"bytes", add_bytes},
                                             {"ratio", add_ratio},
                                             {"mean_time", add_mean_time},
                                             {"mean_ratio", add_mean_ratio},
                                             {"times", add_times},
                                             {"percentiles", add_percentiles},
                                             {"report", report},
                                             {"observe", observe},
                                             {"check_events", check_events},
                                             {"seen_by_events", seen_by_events},
                                             {NULL, NULL}};
