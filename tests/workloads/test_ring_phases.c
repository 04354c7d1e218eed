/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of ring allreduces, by a plain loop over numbers: every place gets all sums, whatever the shape; rings that rotate cross
 * between nodes on rails, and use all of them alike. */
#include "workloads/patterns/ring.h"

#include <glib.h>
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "core/home.h"

#define PLACES_MOST 64
#define RINGS_MOST 8
#define ELEMENTS_MOST 512
#define CASES 400

/* A plan of benchmarks/parts/rings.lua. */
struct ring_plan {
    int64_t places, gpus, elements, slice, chunk;
    bool rotates, is_hierarchical;
};

static lua_State *L; /* with the value of that file on its stack */

static void set_number(const char *name, int64_t number)
{
    lua_pushinteger(L, number);
    lua_setfield(L, -2, name);
}

static void set_flag(const char *name, bool is_set)
{
    lua_pushboolean(L, is_set);
    lua_setfield(L, -2, name);
}

/* A number or a flag of the table on top of the stack. */
static int64_t field(const char *name)
{
    lua_getfield(L, -1, name);
    int64_t value = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    return value;
}

/* rings.nodes of the plan's places, for the table on top of the stack. */
static void set_nodes(const struct ring_plan *plan)
{
    lua_getfield(L, 1, "nodes");
    lua_newtable(L);
    for (int64_t place = 0; place < plan->places; place++) {
        lua_pushinteger(L, place / plan->gpus);
        lua_rawseti(L, -2, place);
    }
    lua_pushinteger(L, plan->places);
    lua_call(L, 2, 1);
    lua_setfield(L, -2, "nodes");
}

/* The phases of a place in a ring; returns their number. */
static int ring_phases(const struct ring_plan *plan, int64_t place, int64_t ring,
                       struct ring_phase phases[RING_PHASES_MOST])
{
    int count = 0;
    lua_getfield(L, 1, "phases");
    lua_newtable(L);
    set_number("places", plan->places);
    set_number("gpus", plan->gpus);
    set_number("elements", plan->elements);
    set_number("slice", plan->slice);
    set_number("chunk", plan->chunk);
    set_flag("rotates", plan->rotates);
    set_flag("hierarchical", plan->is_hierarchical);
    if (plan->places > plan->gpus)
        set_nodes(plan);
    lua_pushinteger(L, place);
    lua_pushinteger(L, ring);
    if (lua_pcall(L, 3, 1, 0) != LUA_OK)
        g_error("%s", lua_tostring(L, -1));
    for (; lua_geti(L, 2, count + 1) == LUA_TTABLE; lua_settop(L, 2))
        phases[count++] = (struct ring_phase){.members = field("members"),
                                              .position = field("position"),
                                              .next = field("next"),
                                              .before = field("before"),
                                              .first = field("first"),
                                              .end = field("last"),
                                              .block = field("block"),
                                              .chunk = field("chunk"),
                                              .reduces = field("reduces")};
    lua_settop(L, 1);
    return count;
}

struct buffers {
    struct ring_plan plan;
    int64_t rings;
    struct ring_phase phases[RINGS_MOST][PLACES_MOST][RING_PHASES_MOST];
    int64_t values[PLACES_MOST][ELEMENTS_MOST];
    int64_t before[PLACES_MOST][ELEMENTS_MOST]; /* a step */
};

static int64_t start_value(int64_t place, int64_t element)
{
    return (place + 1) * 1000 + element;
}

/* What `place` gets in a step, from what the place before it had at the step's start. */
static void receive(struct buffers *buffers, int64_t place, int64_t ring, int number, int64_t step)
{
    const struct ring_phase *phase = &buffers->phases[ring][place][number];
    const struct ring_phase *of_before = &buffers->phases[ring][phase->before][number];
    g_assert_cmpint(of_before->next, ==, place);
    for (int64_t chunk = 0; chunk < ring_phase_chunks(phase); chunk++) {
        struct ring_range came = ring_received(phase, step, chunk);
        struct ring_range sent = ring_sent(of_before, step, chunk);
        g_assert_cmpint(came.first, ==, sent.first);
        g_assert_cmpint(came.count, ==, sent.count);
        for (int64_t i = came.first; i < came.first + came.count; i++) {
            int64_t other = buffers->before[phase->before][i];
            buffers->values[place][i] = phase->reduces ? buffers->values[place][i] + other : other;
        }
    }
}

static void go_through(struct buffers *buffers)
{
    int count = 0;
    for (int64_t ring = 0; ring < buffers->rings; ring++)
        for (int64_t place = 0; place < buffers->plan.places; place++)
            count = ring_phases(&buffers->plan, place, ring, buffers->phases[ring][place]);
    for (int number = 0; number < count; number++)
        for (int64_t step = 0; step < ring_phase_steps(&buffers->phases[0][0][number]); step++) {
            memcpy(buffers->before, buffers->values, sizeof buffers->before);
            for (int64_t ring = 0; ring < buffers->rings; ring++)
                for (int64_t place = 0; place < buffers->plan.places; place++)
                    receive(buffers, place, ring, number, step);
        }
}

static struct ring_plan drawn_plan(int64_t *rings)
{
    int64_t nodes = g_test_rand_int_range(1, 9), gpus = g_test_rand_int_range(1, 9);
    nodes = nodes * gpus < 2 ? 2 : nodes;
    int64_t elements = g_test_rand_int_range(1, ELEMENTS_MOST + 1);
    *rings = g_test_rand_int_range(1, 9);
    return (struct ring_plan){.places = nodes * gpus,
                              .gpus = gpus,
                              .rotates = g_test_rand_bit(),
                              .is_hierarchical = nodes > 1 && gpus > 1 && g_test_rand_bit(),
                              .elements = elements,
                              .slice = (elements + *rings - 1) / *rings,
                              .chunk = g_test_rand_int_range(0, 40)};
}

static void test_sums(void)
{
    struct buffers *buffers = g_new0(struct buffers, 1);
    for (int i = 0; i < CASES; i++) {
        buffers->plan = drawn_plan(&buffers->rings);
        int64_t places = buffers->plan.places, elements = buffers->plan.elements;
        for (int64_t place = 0; place < places; place++)
            for (int64_t at = 0; at < elements; at++)
                buffers->values[place][at] = start_value(place, at);
        go_through(buffers);
        for (int64_t place = 0; place < places; place++)
            for (int64_t at = 0; at < elements; at++)
                g_assert_cmpint(buffers->values[place][at], ==,
                                500 * places * (places + 1) + places * at);
    }
    g_free(buffers);
}

/* Eight rings through 4 nodes of 8 GPUs: each GPU sends to another node in exactly one of them, to the GPU of its number. */
static void test_rails(void)
{
    int64_t crossings[32] = {0};
    struct ring_plan plan = {.places = 32, .gpus = 8, .rotates = true, .elements = 64, .slice = 8};
    for (int64_t ring = 0; ring < 8; ring++)
        for (int64_t place = 0; place < plan.places; place++) {
            struct ring_phase phases[RING_PHASES_MOST];
            g_assert_cmpint(ring_phases(&plan, place, ring, phases), ==, 2);
            if (phases[0].next / 8 == place / 8)
                continue;
            g_assert_cmpint(phases[0].next % 8, ==, place % 8);
            crossings[place]++;
        }
    for (int64_t place = 0; place < plan.places; place++)
        g_assert_cmpint(crossings[place], ==, 1);
}

/* Between nodes, a hierarchical one moves only 2 (n - 1) / n of a GPU's share: 1 / G of what a ring moves out of a node. */
static void test_hierarchical_bytes(void)
{
    struct ring_plan plan = {
        .places = 32, .gpus = 8, .is_hierarchical = true, .elements = 1024, .slice = 1024};
    int64_t within = 0, between = 0;
    struct ring_phase phases[RING_PHASES_MOST];
    g_assert_cmpint(ring_phases(&plan, 11, 0, phases), ==, 4);
    for (int number = 0; number < 4; number++)
        for (int64_t step = 0; step < ring_phase_steps(&phases[number]); step++) {
            bool is_within = phases[number].next / 8 == 11 / 8;
            *(is_within ? &within : &between) += ring_sent(&phases[number], step, 0).count;
        }
    g_assert_cmpint(within, ==, 2 * 1024 * 7 / 8);
    g_assert_cmpint(between, ==, 2 * (1024 / 8) * 3 / 4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *path = home_path("benchmarks/parts/rings.lua", NULL);
    L = luaL_newstate();
    luaL_openlibs(L);
    if (luaL_dofile(L, path) != LUA_OK)
        g_error("%s", lua_tostring(L, -1));
    g_test_add_func("/ring_phases/sums", test_sums);
    g_test_add_func("/ring_phases/rails", test_rails);
    g_test_add_func("/ring_phases/hierarchical_bytes", test_hierarchical_bytes);
    int result = g_test_run();
    lua_close(L);
    return result;
}
