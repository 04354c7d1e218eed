/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that only parties of shipped workloads have. */
#include "core/wait.h"
#include "script/workload/party.h"
#include "script/workload/scripted_parts.h"

#define WITH const struct party_arguments *with

/* me:get_times(from, group, buffer, bytes, count): `count` gets, one after the other, without a turn of the script in between. */
static int get_times(lua_State *L, struct lua_party *party, WITH)
{
    (void)L;
    for (int64_t i = 0; i < with->count; i++)
        transfer_get(party->party, &with->what);
    return 0;
}

static int put_times(lua_State *L, struct lua_party *party, WITH)
{
    (void)L;
    for (int64_t i = 0; i < with->count; i++)
        transfer_put(party->party, &with->what);
    return 0;
}

/* me:nops(count): posts `count` no-ops together. */
static int nops(lua_State *L, struct lua_party *party, WITH)
{
    (void)L;
    transfer_nops(party->party, with->count);
    return 0;
}

/* me:begin_repeat(is_whole) */
static int begin_repeat(lua_State *L, struct lua_party *party)
{
    transfer_begin_repeat(party->party, lua_toboolean(L, 2));
    return 0;
}

/* me:end_last(): its place's last iteration ends with the last of its parties that calls this. */
static int end_last(lua_State *L, struct lua_party *party)
{
    struct scripted *run = scripted_of(L);
    transfer_end_last(party->party, &run->ends[party->place], run->names.groups);
    return 0;
}

/* me:sleep(reason): sleeps until another party calls me:wake_all(). Neither call takes time. */
static int sleep_until_woken(lua_State *L, struct lua_party *party)
{
    signal_wait(&scripted_of(L)->meeting, party_process(party->party),
                g_intern_string(luaL_checkstring(L, 2)));
    return 0;
}

static int wake_all(lua_State *L, struct lua_party *party)
{
    (void)party;
    signal_all(&scripted_of(L)->meeting);
    return 0;
}

/* me:copy_buffer(bytes, to_host): copies a rank's buffer from its GPU to the host, or back. */
static int copy_buffer(lua_State *L, struct lua_party *party)
{
    int64_t bytes = luaL_checkinteger(L, 2);
    struct job_process *process = &world_job(party->party->world)->processes[party->place];
    struct block host = job_host_block(process, BLOCK_PINNED, 1, bytes);
    struct block device = job_device_block(process, 2, bytes);
    bool to_host = lua_toboolean(L, 3);
    cuda_copy(process->stream, &process->cpu, to_host ? host : device, to_host ? device : host);
    return 0;
}

static const struct party_operation operations[] = {
    {"get_times", 0, ARGUMENTS(FROM, GROUP, BUFFER, BYTES, COUNT), .act = get_times},
    {"put_times", 0, ARGUMENTS(TO, GROUP, BUFFER, BYTES, COUNT), .act = put_times},
    {"post_get", 0, ARGUMENTS(FROM, GROUP, BUFFER, BYTES), .transfer = transfer_post_get},
    {"post_put", 0, ARGUMENTS(TO, GROUP, BUFFER, BYTES), .transfer = transfer_post_put},
    {"post_put_lanes", 0, ARGUMENTS(TO, GROUP, BUFFER, BYTES, LANES),
     .transfer = transfer_post_put_lanes},
    {"post_put_signal", 0, ARGUMENTS(TO, GROUP, BUFFER, BYTES, SIGNAL, INDEX, VALUE),
     .transfer = transfer_post_put_signal},
    {"put_word", 0, ARGUMENTS(TO, GROUP, SIGNAL, INDEX, VALUE), .transfer = transfer_put_word},
    {"set_signal", 0, ARGUMENTS(TO, GROUP, SIGNAL, INDEX, VALUE), .transfer = transfer_set_signal},
    {"nop", 0, NO_ARGUMENTS, .alone = transfer_nop},
    {"nops", 0, ARGUMENTS(COUNT), .act = nops},
    {"loop", 0,
     ARGUMENTS(LANE, ELEMENTS, FLOPS, ELEMENT_BYTES, WORKING_SET, LOOP_GROUPS, IN_FLIGHT),
     .act = party_loop},
    {"messages", 0, NO_ARGUMENTS, .call = message_room},
    {"wait_received", 0, NO_ARGUMENTS, .call = message_wait_received},
    {"begin_repeat", 0, NO_ARGUMENTS, .call = begin_repeat},
    {"barrier_all", 0, NO_ARGUMENTS, .alone = transfer_barrier_all},
    {"end_last", 0, NO_ARGUMENTS, .call = end_last},
    {"copy_buffer", NEEDS_RANK, NO_ARGUMENTS, .call = copy_buffer},
    {"ring", 0, NO_ARGUMENTS, .call = scripted_run_ring},
    {"sleep", 0, NO_ARGUMENTS, .call = sleep_until_woken},
    {"wake_all", 0, NO_ARGUMENTS, .call = wake_all},
    {.name = NULL},
};

static int push_arguments(lua_State *L, void *argument)
{
    static const struct party_operation *const lists[] = {party_operations, operations, NULL};
    struct lua_party *party = argument;
    party->L = L;
    party_push(L, party, lists, NULL);
    lua_pushinteger(L, party->place);
    lua_pushinteger(L, party->group);
    return 3;
}

void scripted_party(struct party *party, void *argument)
{
    struct scripted *run = argument;
    struct lua_party own = {
        .world = &run->names, .party = party, .place = party->place, .group = party->group};
    scripted_call(run, run->program, push_arguments, &own);
    *own.object = NULL;
}
