/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/explain/listener.h"

#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "core/home.h"
#include "models/node.h"
#include "protocols/design.h"
#include "protocols/runtimes/messenger.h"
#include "script/values/values.h"
#include "script/views/views.h"

struct view_listener {
    struct observe_listener listener;
    lua_State *L;       /* the functions that the file returns are on its stack */
    GPtrArray *designs; /* copies of the designs described so far, by their number - 1 */
    char *failure;      /* the first error of a function; NULL: none */
};

/* Calls the pushed function with `arguments` arguments. After a failure no function is called any more. */
static bool call(struct view_listener *view, int arguments, int results)
{
    bool is_good = lua_pcall(view->L, arguments, results, 0) == LUA_OK;
    if (!is_good && !view->failure)
        view->failure = g_strdup(lua_tostring(view->L, -1));
    if (!is_good)
        lua_pop(view->L, 1);
    return is_good;
}

static void push_integers(lua_State *L, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++)
        lua_pushinteger(L, numbers[i]);
}

static void push_address(lua_State *L, const void *of)
{
    lua_pushlightuserdata(L, (void *)(gsize)of);
}

/* --- designs ------------------------------------------------------------------------------------ */

/* Sets what the axes do not tell: whether a server polls the work-groups' queues, whether these are in its own memory (near),
 * whether it can look at them by calls of the GPU's runtime, whether it moves data between GPUs of its node itself, whether it
 * runs on command processors, and whether threads share a network library. */
static void set_facts(lua_State *L, const struct design *d, const struct agent_kind *kind)
{
    lua_newtable(L);
    lua_set_flag(L, "polled", design_has_poller(d));
    lua_set_flag(L, "near", kind && kind->memory == d->queue.memory);
    lua_set_flag(L, "calls", kind && kind->calls_runtime);
    lua_set_flag(L, "moves", design_server_moves(d));
    lua_set_flag(L, "on_cp", kind && kind->pool == CORES_OF_CP);
    lua_set_flag(L, "shared", design_nic_queue_sharers(d, 2) > 1);
    lua_setfield(L, -2, "facts");
}

/* Sets the sentences on stages that the server's kind, or the runtime, brings itself. */
static void set_own_sentences(lua_State *L, const struct design *d, const struct agent_kind *kind)
{
    const struct runtime_ops *runtime = runtime_of(d);
    const char *const *of_runtime = runtime ? runtime->reasons : NULL;
    const char *const *reasons = d->initiator == INITIATOR_HOST ? of_runtime
                                 : kind                         ? kind->reasons
                                                                : NULL;
    lua_newtable(L);
    for (int stage = 0; reasons && stage < STAGES; stage++)
        lua_set_text(L, stage_infos[stage].name, reasons[stage]);
    lua_setfield(L, -2, "own");
}

static void set_axes(lua_State *L, const struct design *d)
{
    struct design defaults;
    param_set_defaults(&design_params, &defaults);
    lua_newtable(L);
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        char value[PARAM_TEXT_SIZE];
        param_format_whole(axis, d, value);
        lua_newtable(L);
        lua_set_text(L, "name", axis->name);
        lua_set_text(L, "value", value);
        lua_set_flag(L, "is_default", param_compare(axis, d, &defaults) == 0);
        lua_append(L);
    }
    lua_setfield(L, -2, "axes");
}

/* Pushes what views/observed.lua is told of a design; views/explain.lua finds the words. No kind of agent and no runtime is
 * named here. */
static void push_design(lua_State *L, const struct design *d)
{
    const struct agent_kind *kind = design_server_kind(d);
    char text[PARAM_TEXT_SIZE];
    lua_newtable(L);
    lua_set_text(L, "text", design_text(d, text));
    lua_set_text(L, "servers", !kind ? NULL : kind->threads ? kind->threads : kind->name);
    set_facts(L, d, kind);
    set_own_sentences(L, d, kind);
    set_axes(L, d);
}

/* The number of a design; equal designs have the same number. 0: no design. */
static lua_Integer number_of(struct view_listener *view, const struct design *design)
{
    if (!design)
        return 0;
    for (guint i = 0; i < view->designs->len; i++)
        if (memcmp(g_ptr_array_index(view->designs, i), design, sizeof *design) == 0)
            return (lua_Integer)i + 1;
    g_ptr_array_add(view->designs, g_memdup2(design, sizeof *design));
    lua_getfield(view->L, 1, "design");
    lua_pushinteger(view->L, view->designs->len);
    push_design(view->L, design);
    call(view, 2, 0);
    return (lua_Integer)view->designs->len;
}

/* --- what is observed ---------------------------------------------------------------------------- */

#define ORIGIN_ARGUMENTS 7

/* Pushes the function and its first arguments, which describe the origin: path, callers, is_served, is_iteration, tells_steps,
 * address and number of its design. */
static void push_call(struct view_listener *view, const char *function,
                      const struct observe_origin *origin)
{
    lua_State *L = view->L;
    lua_Integer design = number_of(view, origin->design);
    lua_getfield(L, 1, function);
    lua_pushstring(L, origin->path);
    lua_pushstring(L, origin->callers);
    lua_pushboolean(L, origin->is_served);
    lua_pushboolean(L, origin->is_iteration);
    lua_pushboolean(L, origin->tells_steps);
    push_address(L, origin->design);
    lua_pushinteger(L, design);
}

/* Further arguments: the address of the server, is_measured, number, caller, ender, from, to; and stage, from and to of each
 * part. */
static void hear_operation(void *self, const struct observed_operation *operation)
{
    struct view_listener *view = self;
    const int64_t numbers[] = {(int64_t)operation->number, operation->caller, operation->ender,
                               operation->from_ps, operation->to_ps};
    int parts = (int)operation->part_count;
    if (view->failure)
        return;
    push_call(view, "operation", operation->origin);
    luaL_checkstack(view->L, 3 * parts + LUA_MINSTACK, "parts");
    if (operation->server)
        push_address(view->L, operation->server);
    else
        lua_pushnil(view->L);
    lua_pushboolean(view->L, operation->is_measured);
    push_integers(view->L, numbers, G_N_ELEMENTS(numbers));
    for (int i = 0; i < parts; i++) {
        const struct observed_part *part = &operation->parts[i];
        push_integers(view->L, (int64_t[]){part->stage + 1, part->from_ps, part->to_ps}, 3);
    }
    call(view, ORIGIN_ARGUMENTS + 2 + (int)G_N_ELEMENTS(numbers) + 3 * parts, 0);
}

/* Further arguments: actor, stage, from, to, the number of the operation, after, after_ps. */
static void hear_step(void *self, const struct observed_step *step)
{
    struct view_listener *view = self;
    const int64_t numbers[] = {step->actor,   step->stage + 1,          step->from_ps,
                               step->to_ps,   (int64_t)step->operation, step->after,
                               step->after_ps};
    if (view->failure)
        return;
    push_call(view, "step", step->origin);
    push_integers(view->L, numbers, G_N_ELEMENTS(numbers));
    call(view, ORIGIN_ARGUMENTS + (int)G_N_ELEMENTS(numbers), 0);
}

/* Arguments: kind, actor, peer, channel, bytes, from, to; the handle's address as a number; whether the message is in a GPU's
 * memory. */
static void hear_call(void *self, const struct observed_call *of)
{
    struct view_listener *view = self;
    const int64_t numbers[] = {of->kind + 1, of->actor,   of->peer,  of->channel,
                               of->bytes,    of->from_ps, of->to_ps, (int64_t)(gsize)of->handle,
                               of->is_in_gpu};
    if (view->failure)
        return;
    lua_getfield(view->L, 1, "call");
    push_integers(view->L, numbers, G_N_ELEMENTS(numbers));
    call(view, G_N_ELEMENTS(numbers), 0);
}

/* Further arguments: first, like, from, left, is_exact. */
static void hear_repeat(void *self, const struct observe_origin *origin,
                        const struct observe_repeat *repeat)
{
    struct view_listener *view = self;
    if (view->failure)
        return;
    push_call(view, "counted_on", origin);
    push_integers(view->L, (int64_t[]){repeat->first, repeat->like, repeat->from, repeat->left}, 4);
    lua_pushboolean(view->L, repeat->is_exact);
    call(view, ORIGIN_ARGUMENTS + 5, 0);
}

static void hear_reset(void *self)
{
    struct view_listener *view = self;
    lua_getfield(view->L, 1, "reset");
    call(view, 0, 0);
}

static void hear_begin(void *self)
{
    struct view_listener *view = self;
    lua_getfield(view->L, 1, "begin");
    call(view, 0, 0);
}

/* Pushes the stages: a list of name, component, description, in the order of enum stage. */
static void push_stages(lua_State *L)
{
    lua_newtable(L);
    for (int stage = 0; stage < STAGES; stage++) {
        const struct stage_info *info = &stage_infos[stage];
        lua_newtable(L);
        lua_set_text(L, "name", info->name);
        lua_set_text(L, "component", info->component);
        lua_set_text(L, "description", info->description);
        lua_seti(L, -2, stage + 1);
    }
}

struct view_listener *view_listener_new(const char *file, GError **error)
{
    lua_State *L = views_open(file, error);
    if (!L)
        return NULL;
    struct view_listener *view = g_new0(struct view_listener, 1);
    *view = (struct view_listener){.listener = {.self = view,
                                                .counted_on = hear_repeat,
                                                .reset = hear_reset,
                                                .begin = hear_begin},
                                   .L = L,
                                   .designs = g_ptr_array_new_with_free_func(g_free)};
    if (lua_getfield(L, 1, "call") != LUA_TNIL) {
        view->listener.call = hear_call;
    } else {
        view->listener.operation = hear_operation;
        view->listener.step = hear_step;
    }
    lua_settop(L, 1);
    lua_getfield(L, 1, "stages");
    push_stages(L);
    call(view, 1, 0);
    return view;
}

void view_listener_free(struct view_listener *view)
{
    if (!view)
        return;
    lua_close(view->L);
    g_ptr_array_unref(view->designs);
    g_free(view->failure);
    g_free(view);
}

struct observe_listener *view_listener_of(struct view_listener *view)
{
    return &view->listener;
}

char *view_listener_result(struct view_listener *view, GError **error)
{
    lua_getfield(view->L, 1, "result");
    if (call(view, 0, 1) && !view->failure)
        return g_strdup(lua_tostring(view->L, -1));
    error_set_code(error, ERROR_RUN, "%s", view->failure);
    return NULL;
}
