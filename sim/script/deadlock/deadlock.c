/* SPDX-License-Identifier: BSD-3-Clause */
/* What the report needs to know; views/deadlock.lua has its words. */
#include "script/deadlock/deadlock.h"

#include <lauxlib.h>
#include <lualib.h>

#include "core/error.h"
#include "core/home.h"
#include "core/units.h"
#include "script/values/values.h"

/* Text before the value with which a wait compares a word: "to be 1", "to be > 1". */
static const char *const comparison_words[COMPARISONS] = {"", "not ", "> ", ">= ", "< ", "<= "};

static uint64_t word_at(const struct site *node, address at)
{
    uint64_t word;
    struct device_memory *memory = gpu_memory(node->gpu);
    if (device_memory_serves(memory, at))
        device_memory_read(memory, at, &word, sizeof word);
    else
        store_read(host_directory(node->host)->store, at, &word, sizeof word);
    return word;
}

static void set_word(lua_State *L, const char *field, uint64_t word)
{
    lua_push_owned(L, g_strdup_printf("%" G_GUINT64_FORMAT, word));
    lua_setfield(L, -2, field);
}

/* The work-groups of one node, which go to a list on top of the stack. */
struct wait_side {
    lua_State *L;
    const struct site *site;
    int64_t resident;
};

static void set_wait(const struct wait_side *side, const struct word_wait *wait)
{
    lua_State *L = side->L;
    char since[UNIT_TEXT_SIZE];
    lua_set_text(L, "since", unit_format(wait->since_ps, UNIT_TIME, since));
    lua_set_text(L, "memory", address_slot(wait->at) == side->site->gpu_slot ? "gpu" : "host");
    lua_set_integer(L, "offset", (lua_Integer)address_offset(wait->at));
    lua_set_text(L, "compared", comparison_words[wait->until.comparison]);
    set_word(L, "value", wait->until.value);
    set_word(L, "word", word_at(side->site, wait->at));
    if (!wait->is_sender_known)
        return;
    lua_set_integer(L, "sender_node", wait->sender_node);
    lua_set_integer(L, "sender", wait->sender_work_group);
}

static void add_work_group(const struct work_group *wg, void *argument)
{
    struct wait_side *side = argument;
    lua_newtable(side->L);
    lua_set_integer(side->L, "index", wg->index);
    lua_set_text(side->L, "path", gpu_path(wg->gpu));
    if (wg->wait.is_waiting)
        set_wait(side, &wg->wait);
    lua_append(side->L);
    side->resident++;
}

static void set_kernel(lua_State *L, const struct gpu *gpu, const struct kernel *kernel)
{
    const struct gpu_spec *spec = gpu_spec_of(gpu);
    lua_set_integer(L, "launched", kernel->work_groups);
    lua_set_integer(L, "dispatched", kernel->dispatched);
    lua_set_integer(L, "ended", kernel->ended);
    lua_set_integer(L, "threads", kernel->threads);
    lua_set_integer(L, "room", gpu_room(gpu, kernel->threads));
    lua_set_integer(L, "lanes", spec->lanes);
    lua_set_integer(L, "waves_per_cu", spec->waves_per_cu);
    lua_set_integer(L, "compute_units", spec->compute_units);
    lua_set_integer(L, "resident_waves", gpu_resident_waves(gpu));
}

/* Appends a node to the list on top of the stack; returns how many of its work-groups run. */
static int64_t add_node(lua_State *L, const struct cluster *cluster, int64_t node)
{
    struct wait_side side = {L, cluster_made_site(cluster, node, 0), 0};
    const struct kernel *kernel = side.site != NULL ? gpu_kernel(side.site->gpu) : NULL;
    lua_newtable(L);
    if (side.site != NULL)
        gpu_visit_work_groups(side.site->gpu, add_work_group, &side);
    if (kernel != NULL)
        set_kernel(L, side.site->gpu, kernel);
    lua_append(L);
    return side.resident;
}

/* Pushes the report on the scene on top of the stack, or why there is none. */
static void push_report(lua_State *L)
{
    g_autofree char *path = home_path("views/deadlock.lua", NULL);
    luaL_openlibs(L);
    if (path == NULL || luaL_dofile(L, path)) {
        lua_pushliteral(L, "deadlock: views/deadlock.lua, which tells of it, cannot be read");
        return;
    }
    lua_getfield(L, -1, "report");
    lua_pushvalue(L, -3);
    lua_pcall(L, 1, 1, 0);
}

void deadlock_explain(const struct cluster *cluster, GError **error)
{
    lua_State *L = luaL_newstate();
    char now[UNIT_TEXT_SIZE];
    int64_t resident = 0;
    lua_newtable(L);
    lua_set_text(L, "now", unit_format(sim_now(cluster->sim), UNIT_TIME, now));
    lua_newtable(L);
    for (int64_t node = 0; node < cluster->spec->nodes; node++)
        resident += add_node(L, cluster, node);
    lua_setfield(L, -2, "nodes");
    if (resident > 0)
        push_report(L);
    else
        lua_push_owned(L, sim_deadlock_report(cluster->sim, 4));
    error_set(error, "%s%s", resident > 0 ? "" : "deadlock: ", lua_tostring(L, -1));
    lua_close(L);
}
