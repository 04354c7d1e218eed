/* SPDX-License-Identifier: BSD-3-Clause */
/* run.*: records of a file, random numbers, and measures. A measure's name is that of its column. */
#include "core/rng.h"
#include "core/simtime.h"
#include "protocols/shmem/service.h"
#include "script/workload/scripted_parts.h"

#define HISTOGRAM "gpunetsim.histogram"
#define COUNTER "gpunetsim.counter"
#define UNITS "gpunetsim.units"
#define RNG "gpunetsim.rng"
#define MOST_DIFFERENT 64

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

/* The description of a statistic whose path, name and description are at stack indices 1 to 3; it is kept until the run ends. */
static const struct stat_info *new_info(lua_State *L, const char *unit)
{
    struct stat_info *info = lua_newuserdatauv(L, sizeof *info, 0);
    *info = (struct stat_info){g_intern_string(luaL_checkstring(L, 2)), unit,
                               g_intern_string(luaL_checkstring(L, 3))};
    luaL_ref(L, LUA_REGISTRYINDEX);
    return info;
}

static struct stat_registry *stats_of(lua_State *L)
{
    return scripted_of(L)->sim->stats;
}

/* run.histogram(path, name, description): a histogram of times, among the statistics under `path`. */
static int new_histogram(lua_State *L)
{
    const struct stat_info *info = new_info(L, "ps");
    return push_histogram(L, stat_histogram_new(stats_of(L), luaL_checkstring(L, 1), info));
}

struct stat_counter *scripted_counter_at(lua_State *L, int index)
{
    return *(struct stat_counter **)luaL_checkudata(L, index, COUNTER);
}

/* counter:add(amount), counter:value() */
static int add_to_counter(lua_State *L)
{
    stat_count(scripted_counter_at(L, 1), luaL_checkinteger(L, 2));
    return 0;
}

static int counter_value(lua_State *L)
{
    lua_pushinteger(L, scripted_counter_at(L, 1)->value);
    return 1;
}

/* run.counter(path, name, description, unit) */
static int new_counter(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"add", add_to_counter}, {"value", counter_value}, {NULL, NULL}};
    const struct stat_info *info = new_info(L, g_intern_string(luaL_checkstring(L, 4)));
    struct stat_counter **object = lua_newuserdatauv(L, sizeof(struct stat_counter *), 0);
    *object = stat_counter_new(stats_of(L), luaL_checkstring(L, 1), info);
    scripted_set_methods(L, COUNTER, methods);
    return 1;
}

/* Collects the statistics under a path in a table, as NAME or NAME.FIELD. */
struct statistics_of {
    lua_State *L;
    const char *path;
};

static void visit_one(const char *path, const struct stat_info *info, const char *field,
                      double value, void *argument)
{
    const struct statistics_of *visit = argument;
    if (g_strcmp0(path, visit->path) != 0)
        return;
    lua_pushfstring(visit->L, "%s%s%s", info->name, field ? "." : "", field ? field : "");
    lua_pushnumber(visit->L, value);
    lua_rawset(visit->L, -3);
}

/* run.statistics(path): a table of their present values. */
static int statistics(lua_State *L)
{
    struct statistics_of visit = {L, luaL_checkstring(L, 1)};
    const struct world *world = scripted_of(L)->world;
    world_settle(world);
    lua_newtable(L);
    stat_visit(stats_of(L), sim_now(scripted_of(L)->sim), visit_one, &visit);
    return 1;
}

/* run.latencies(): the latencies of the first place's operations; nil if the world records none. */
static int latencies(lua_State *L)
{
    const struct stat_histogram *logged = world_latencies(scripted_of(L)->world);
    return logged != NULL ? push_histogram(L, logged) : 0;
}

/* units:add(value): adds a unit with that value. */
static int add_unit(lua_State *L)
{
    stat_unit(luaL_checkudata(L, 1, UNITS), luaL_checknumber(L, 2));
    return 0;
}

static int push_units(lua_State *L, struct stat_units from)
{
    static const luaL_Reg methods[] = {{"add", add_unit}, {NULL, NULL}};
    struct stat_units *units = lua_newuserdatauv(L, sizeof *units, 0);
    *units = from;
    scripted_set_methods(L, UNITS, methods);
    return 1;
}

/* run.units(): a record of units, empty at first. run.served(): that of the operations that the first place's service has served. */
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

/* rng:different(count, bound, list): fills the list with different numbers below the bound, drawn again if they repeat. */
static int different(lua_State *L)
{
    struct rng *rng = luaL_checkudata(L, 1, RNG);
    int count = (int)luaL_checkinteger(L, 2);
    uint64_t bound = (uint64_t)luaL_checkinteger(L, 3), drawn[MOST_DIFFERENT];
    luaL_argcheck(L, count <= MOST_DIFFERENT && (uint64_t)count <= bound, 2, "too many");
    for (int i = 0, first; i < count;) {
        drawn[i] = rng_below(rng, bound);
        for (first = 0; drawn[first] != drawn[i];)
            first++;
        if (first < i)
            continue;
        lua_pushinteger(L, (lua_Integer)drawn[i]);
        lua_seti(L, 4, ++i);
    }
    return 0;
}

/* run.rng(path) */
static int new_rng(lua_State *L)
{
    static const luaL_Reg methods[] = {{"below", below}, {"different", different}, {NULL, NULL}};
    struct rng *rng = lua_newuserdatauv(L, sizeof *rng, 0);
    rng_init(rng, scripted_of(L)->seed, luaL_checkstring(L, 1));
    scripted_set_methods(L, RNG, methods);
    return 1;
}

/* --- measures ------------------------------------------------------------------------------------- */

static const char *name_at(lua_State *L, int index)
{
    return g_intern_string(luaL_checkstring(L, index));
}

/* run.time(name, time, units), and so on: adds a measure, which is the mean of the units, or of the run as a whole ("whole").
 * Upvalue: its kind of unit. */
static int add_quantity(lua_State *L)
{
    enum unit_kind unit = (enum unit_kind)lua_tointeger(L, lua_upvalueindex(1));
    struct workload_result *result = scripted_of(L)->result;
    int64_t value = luaL_checkinteger(L, 2);
    if (lua_isnoneornil(L, 3) || lua_isstring(L, 3)) {
        workload_add_quantity(result, name_at(L, 1), unit, value);
        struct workload_measure *added = &result->measures[result->count - 1];
        added->is_whole = lua_isstring(L, 3);
        added->spread = -1;
    } else
        workload_add_mean_quantity(result, name_at(L, 1), unit, value,
                                   luaL_checkudata(L, 3, UNITS));
    return 0;
}

/* run.events(): adds the number of events so far as a measure. */
static int add_events(lua_State *L)
{
    const struct scripted *run = scripted_of(L);
    workload_add_quantity(run->result, "events", UNIT_COUNT,
                          (int64_t)event_executed(run->sim->events));
    return 0;
}

/* run.rate(name, bytes, time): adds a rate; without `time` the bytes are per second. */
static int add_rate(lua_State *L)
{
    workload_add_quantity(
        scripted_of(L)->result, name_at(L, 1), UNIT_RATE,
        muldiv_ceil(luaL_checkinteger(L, 2), PS_PER_S, luaL_optinteger(L, 3, PS_PER_S)));
    return 0;
}

/* run.ratio(name, ratio, units) */
static int add_ratio(lua_State *L)
{
    struct workload_result *result = scripted_of(L)->result;
    if (lua_isnoneornil(L, 3))
        workload_add_ratio(result, name_at(L, 1), luaL_checknumber(L, 2));
    else
        workload_add_mean_ratio(result, name_at(L, 1), luaL_checknumber(L, 2),
                                luaL_checkudata(L, 3, UNITS));
    return 0;
}

/* run.times(name, times): adds their mean, least, median, 99th percentile and greatest. run.percentiles(name, times, list):
 * adds the listed percentiles. */
static int add_times(lua_State *L)
{
    workload_add_histogram(scripted_of(L)->result, luaL_checkstring(L, 1), UNIT_TIME,
                           histogram_at(L, 2));
    return 0;
}

static int add_percentiles(lua_State *L)
{
    workload_add_percentiles(scripted_of(L)->result, luaL_checkstring(L, 1), histogram_at(L, 2),
                             luaL_checkinteger(L, 3));
    return 0;
}

void scripted_open_measures(lua_State *L)
{
    static const luaL_Reg functions[] = {{"histogram", new_histogram},
                                         {"counter", new_counter},
                                         {"statistics", statistics},
                                         {"latencies", latencies},
                                         {"units", new_units},
                                         {"served", served},
                                         {"rng", new_rng},
                                         {"steady", scripted_steady},
                                         {"events", add_events},
                                         {"rate", add_rate},
                                         {"ratio", add_ratio},
                                         {"times", add_times},
                                         {"percentiles", add_percentiles},
                                         {NULL, NULL}};
    static const struct {
        const char *name;
        enum unit_kind unit;
    } quantities[] = {
        {"time", UNIT_TIME}, {"count", UNIT_COUNT}, {"bytes", UNIT_BYTES}, {"power", UNIT_POWER}};
    luaL_setfuncs(L, functions, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(quantities); i++) {
        lua_pushinteger(L, quantities[i].unit);
        lua_pushcclosure(L, add_quantity, 1);
        lua_setfield(L, -2, quantities[i].name);
    }
}
