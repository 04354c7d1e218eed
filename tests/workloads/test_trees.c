/* SPDX-License-Identifier: BSD-3-Clause */
/* The two trees of an allreduce: each holds all places once, as many steps deep as they say; who is inside one is a leaf of
 * the other. The trees of 14 and 13 nodes are those drawn in NCCL's src/graph/trees.cc. */
#include <glib.h>
#include <stdbool.h>

#include <lauxlib.h>
#include <lualib.h>

#include "core/home.h"

#define NODES_MOST 70
#define TREE_COUNT 2
#define TREE_NOBODY (-1)
#define TREE_CHILDREN_MOST 3

static lua_State *L; /* benchmarks/parts/trees.lua is at stack index 1 */

static void load_trees(void)
{
    g_autofree char *path = home_path("benchmarks/parts/trees.lua", NULL);
    L = luaL_newstate();
    luaL_openlibs(L);
    if (luaL_dofile(L, path))
        g_error("%s", lua_tostring(L, -1));
}

static lua_Integer call(const char *function, int results, int count, const int64_t *numbers)
{
    lua_settop(L, 1);
    lua_getfield(L, 1, function);
    for (int i = 0; i < count; i++)
        lua_pushinteger(L, numbers[i]);
    lua_call(L, count, results);
    return lua_tointeger(L, -1);
}

static int64_t tree_steps(int64_t places, int64_t gpus)
{
    return call("steps", 1, 2, (int64_t[]){places, gpus});
}

struct tree_place {
    int64_t up;
    int64_t down[TREE_CHILDREN_MOST];
    int count; /* of `down` */
};

static struct tree_place tree_place_of(int64_t places, int64_t gpus, int64_t place, int64_t tree,
                                       int64_t first)
{
    struct tree_place at = {.up = TREE_NOBODY};
    call("place_of", 1, 5, (int64_t[]){places, gpus, place, tree, first});
    g_assert_cmpuint(lua_rawlen(L, 2), <=, TREE_CHILDREN_MOST);
    for (; at.count < (int)lua_rawlen(L, 2); at.count++) {
        lua_geti(L, 2, at.count + 1);
        at.down[at.count] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    if (lua_getfield(L, 2, "up") != LUA_TNIL)
        at.up = lua_tointeger(L, -1);
    return at;
}

/* Steps to the root; each is known to the next. */
static int64_t depth_of(int64_t places, int64_t gpus, int64_t place, int64_t tree, int64_t first)
{
    int64_t depth = 0;
    struct tree_place at = tree_place_of(places, gpus, place, tree, first);
    for (; at.up != TREE_NOBODY; depth++) {
        struct tree_place above = tree_place_of(places, gpus, at.up, tree, first);
        bool is_known = false;
        for (int i = 0; i < above.count; i++)
            is_known = is_known || above.down[i] == place;
        g_assert_true(is_known);
        place = at.up;
        at = above;
    }
    return depth;
}

static void check_tree(int64_t nodes, int64_t gpus, int64_t tree, int64_t first)
{
    int64_t places = nodes * gpus, children = 0, roots = 0;
    for (int64_t place = 0; place < places; place++) {
        struct tree_place at = tree_place_of(places, gpus, place, tree, first);
        g_assert_cmpint(at.count, <=, TREE_CHILDREN_MOST);
        children += at.count;
        roots += at.up == TREE_NOBODY;
        g_assert_cmpint(depth_of(places, gpus, place, tree, first), <=, tree_steps(places, gpus));
    }
    g_assert_cmpint(roots, ==, 1);
    g_assert_cmpint(children, ==, places - 1);
}

static void test_trees(void)
{
    for (int64_t nodes = 1; nodes <= NODES_MOST; nodes++)
        for (int64_t gpus = 1; gpus <= 8; gpus += 3)
            for (int64_t tree = 0; tree < TREE_COUNT; tree++)
                check_tree(nodes, gpus, tree, nodes % gpus);
}

static void test_steps(void)
{
    g_assert_cmpint(tree_steps(2, 1), ==, 1);
    g_assert_cmpint(tree_steps(8, 1), ==, 3);
    g_assert_cmpint(tree_steps(9, 1), ==, 4);
    g_assert_cmpint(tree_steps(8, 8), ==, 7);
    g_assert_cmpint(tree_steps(32, 8), ==, 7 + 2);
}

/* Both roots have one child and are leaves elsewhere; so nobody has more than two of the four children there can be. */
static void test_halves(void)
{
    for (int64_t nodes = 2; nodes <= NODES_MOST; nodes++)
        for (int64_t node = 0; node < nodes; node++) {
            struct tree_place one = tree_place_of(nodes, 1, node, 0, 0);
            struct tree_place other = tree_place_of(nodes, 1, node, 1, 0);
            if (nodes % 2 == 0)
                g_assert_true(one.count == 0 || other.count == 0 || one.up == TREE_NOBODY ||
                              other.up == TREE_NOBODY);
            g_assert_cmpint(one.count + other.count, <=, 3);
        }
}

static void assert_place(int64_t nodes, int64_t node, int64_t tree, int64_t up, int64_t least,
                         int64_t most)
{
    struct tree_place at = tree_place_of(nodes, 1, node, tree, 0);
    g_assert_cmpint(at.up, ==, up);
    g_assert_cmpint(at.count, ==, least == most ? 1 : 2);
    g_assert_cmpint(MIN(at.down[0], at.down[at.count - 1]), ==, least);
    g_assert_cmpint(MAX(at.down[0], at.down[at.count - 1]), ==, most);
}

static void test_published(void)
{
    assert_place(14, 0, 0, TREE_NOBODY, 8, 8);
    assert_place(14, 8, 0, 0, 4, 12);
    assert_place(14, 12, 0, 8, 10, 13);
    assert_place(14, 10, 0, 12, 9, 11);
    assert_place(12, 11, 1, TREE_NOBODY, 3, 3);
    assert_place(12, 3, 1, 11, 1, 7);
    assert_place(13, 1, 1, TREE_NOBODY, 9, 9);
    assert_place(13, 9, 1, 1, 0, 5);
    assert_place(13, 0, 1, 9, 11, 11);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    load_trees();
    g_test_add_func("/trees/trees", test_trees);
    g_test_add_func("/trees/steps", test_steps);
    g_test_add_func("/trees/halves", test_halves);
    g_test_add_func("/trees/published", test_published);
    return g_test_run();
}
