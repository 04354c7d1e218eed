/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-groups and host threads of node 0 that load and store, without a world: run.node, run.lines, run.kernel, run.thread,
 * run.finish; the operations of such a thread are methods of the object that files call `me`. */
#include "core/error.h"
#include "protocols/agents/agent.h"
#include "protocols/shmem/software.h"
#include "script/workload/scripted_parts.h"

#define THREAD "gpunetsim.probe_thread"

/* A kernel, or a thread on a core. */
struct probe {
    struct scripted *run;
    int function; /* in the registry */
    struct kernel kernel;
    struct agent agent; /* of a thread, with its core */
    int64_t core;
};

/* A work-group or thread at work. */
struct probe_thread {
    struct scripted *run;
    struct agent *agent;
    struct process *process;
    struct work_group *work_group; /* NULL: on a core of the host */
    int64_t number;
};

/* --- operations of a thread --------------------------------------------------------------------- */

static const struct probe_thread *thread_at(lua_State *L)
{
    return luaL_checkudata(L, 1, THREAD);
}

static address address_at(lua_State *L)
{
    return (address)luaL_checkinteger(L, 2);
}

/* me:poll(address): loads the word, bypassing the L1. */
static int poll(lua_State *L)
{
    uint64_t word;
    struct work_group *work_group = thread_at(L)->work_group;
    luaL_argcheck(L, work_group != NULL, 1, "a work-group polls so");
    memory_client_poll(&work_group->memory, address_at(L), &word, sizeof word, POLL_WHOLE);
    lua_pushinteger(L, (lua_Integer)word);
    return 1;
}

/* me:store(address, word) */
static int store(lua_State *L)
{
    agent_store_word(thread_at(L)->agent, address_at(L), (uint64_t)luaL_checkinteger(L, 3));
    return 0;
}

/* me:add(address, amount): an atomic that returns a value. */
static int add(lua_State *L)
{
    agent_atomic(thread_at(L)->agent, address_at(L), ATOMIC_ADD, (uint64_t)luaL_checkinteger(L, 3),
                 0);
    return 0;
}

/* me:acquire(scope), me:release(scope): "device" or "system". */
static enum memory_scope scope_at(lua_State *L)
{
    static const char *const names[] = {"device", "system", NULL};
    return luaL_checkoption(L, 2, NULL, names) == 0 ? SCOPE_DEVICE : SCOPE_SYSTEM;
}

static int acquire(lua_State *L)
{
    agent_acquire(thread_at(L)->agent, scope_at(L));
    return 0;
}

static int release(lua_State *L)
{
    agent_release(thread_at(L)->agent, scope_at(L));
    return 0;
}

/* me:await(address, word): polls until the address holds the word, as device and host libraries do. */
static int await(lua_State *L)
{
    const struct probe_thread *thread = thread_at(L);
    const struct software software = thread->run->software;
    int64_t instructions = thread->work_group == NULL ? SOFTWARE_READ(software, poll_instructions)
                                                      : SOFTWARE_READ(software, wait_instructions);
    agent_wait_word(thread->agent, address_at(L), word_equals((uint64_t)luaL_checkinteger(L, 3)),
                    instructions, SCOPE_SYSTEM, !SOFTWARE_READ(software, exact));
    return 0;
}

/* me:sleep(time) */
static int rest(lua_State *L)
{
    process_sleep(thread_at(L)->process, luaL_checkinteger(L, 2));
    return 0;
}

static int now(lua_State *L)
{
    lua_pushinteger(L, process_now(thread_at(L)->process));
    return 1;
}

/* Pushes the arguments of a thread: `me`, and the number of the work-group or core. */
static int push_thread(lua_State *L, void *argument)
{
    static const luaL_Reg methods[] = {{"poll", poll},       {"store", store},     {"add", add},
                                       {"acquire", acquire}, {"release", release}, {"await", await},
                                       {"sleep", rest},      {"now", now},         {NULL, NULL}};
    const struct probe_thread *thread = argument;
    struct probe_thread *object = lua_newuserdatauv(L, sizeof *object, 0);
    *object = *thread;
    scripted_set_methods(L, THREAD, methods);
    lua_pushinteger(L, thread->number);
    return 2;
}

static void run_work_group(struct work_group *wg, void *argument)
{
    const struct probe *probe = argument;
    struct agent agent;
    agent_init_work_group(&agent, wg);
    struct probe_thread thread = {probe->run, &agent, wg->process, wg, wg->index};
    scripted_call(probe->run, probe->function, push_thread, &thread);
}

static void run_host_thread(struct process *self, void *argument)
{
    struct probe *probe = argument;
    struct probe_thread thread = {probe->run, &probe->agent, self, NULL, probe->core};
    scripted_call(probe->run, probe->function, push_thread, &thread);
}

/* --- the node ------------------------------------------------------------------------------------- */

/* run.node(gpus, has_loops): makes a node of the machine with at least `gpus` GPUs. `has_loops`: threads call me:await. */
static int make_node(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    int64_t gpus = luaL_checkinteger(L, 1);
    if (topology_gpu_count(&run->machine->node) < gpus) {
        error_set(&run->error, "it takes a node of at least %lld GPUs; this one has %d",
                  (long long)gpus, topology_gpu_count(&run->machine->node));
        return scripted_fail(L);
    }
    run->sim = sim_new(run->seed);
    run->cluster = cluster_new(run->sim, run->machine, NODE_DISCRETE, &run->error);
    if (run->cluster == NULL)
        return scripted_fail(L);
    if (lua_toboolean(L, 2))
        run->software = software_of(run->machine, run->sim);
    return 0;
}

/* The site of the GPU whose number is at stack index 1. */
static struct site *site_at(lua_State *L)
{
    return cluster_site(scripted_of(L)->cluster, 0, (int)luaL_checkinteger(L, 1));
}

/* run.lines(gpu, memory, count): the address of `count` cache lines in "host" or "gpu" memory, which an L2 holds. */
static int lines(lua_State *L)
{
    static const char *const names[] = {"host", "gpu", NULL};
    enum node_memory memory = luaL_checkoption(L, 2, NULL, names) == 0 ? MEMORY_HOST : MEMORY_GPU;
    lua_pushinteger(L, (lua_Integer)site_allocate(scripted_of(L)->cluster, site_at(L), memory,
                                                  luaL_checkinteger(L, 3) * CACHE_LINE_BYTES,
                                                  STORE_COARSE_GRAINED));
    return 1;
}

/* Makes a probe of the function at `index`; it is kept until the run ends. */
static struct probe *new_probe(lua_State *L, int index)
{
    struct probe *probe = lua_newuserdatauv(L, sizeof *probe, 0);
    luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushvalue(L, index);
    *probe = (struct probe){.run = scripted_of(L), .function = luaL_ref(L, LUA_REGISTRYINDEX)};
    return probe;
}

/* run.kernel(gpu, work_groups, stream, function): launches a kernel of work-groups of 32 work-items that all run at once. */
static int launch(lua_State *L)
{
    struct probe *probe = new_probe(L, 4);
    probe->kernel = (struct kernel){.work_groups = luaL_checkinteger(L, 2),
                                    .threads = 32,
                                    .program = run_work_group,
                                    .argument = probe,
                                    .stream = luaL_checkinteger(L, 3),
                                    .is_cooperative = true};
    if (!gpu_launch(site_at(L)->gpu, &probe->kernel, &probe->run->error))
        return scripted_fail(L);
    return 0;
}

/* run.thread(gpu, core, function): starts a thread on a core of the GPU's socket. */
static int start_thread(lua_State *L)
{
    struct probe *probe = new_probe(L, 3);
    struct scripted *run = probe->run;
    struct agent_place place = {run->cluster, site_at(L)};
    probe->core = luaL_checkinteger(L, 2);
    struct process *process = process_spawn(run->sim->processes, "host thread", run_host_thread,
                                            probe, sim_now(run->sim), 0);
    agent_init(&probe->agent, &host_thread_kind, place, probe->core, process);
    return 0;
}

/* run.finish(): runs until all kernels and threads have ended. */
static int finish(lua_State *L)
{
    struct scripted *run = scripted_of(L);
    enum sim_end end = sim_run(run->sim);
    if (sim_tell_end(run->sim, end, &run->error))
        return scripted_fail(L);
    if (end == SIM_FINISHED)
        return 0;
    char *text = sim_deadlock_report(run->sim, 4);
    error_set(&run->error, "deadlock: %s", text);
    g_free(text);
    return scripted_fail(L);
}

void scripted_probe_end(struct scripted *run)
{
    if (run->world != NULL || run->sim == NULL)
        return;
    if (run->cluster != NULL)
        cluster_free(run->cluster);
    sim_free(run->sim);
}

const luaL_Reg scripted_probe_functions[] = {{"node", make_node}, {"lines", lines},
                                             {"kernel", launch},  {"thread", start_thread},
                                             {"finish", finish},  {NULL, NULL}};
