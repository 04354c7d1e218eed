/* SPDX-License-Identifier: BSD-3-Clause */
/* run.side(place, queues): RDMA by verbs between the first two ranks of a world without a design, each a core that posts and polls.
 * The core's time for a post is ucx.post, for taking a completion or an arrival ucx.poll: UCX makes the same calls of verbs. */
#include "protocols/ucx/ucx_params.h"
#include "script/workload/scripted_parts.h"

#define SIDE "gpunetsim.verbs_side"

struct verbs_side {
    const struct ucx_spec *ucx;
    struct job_process *process;
    struct verbs_side **sides;       /* of both places */
    int64_t posted, queues;          /* operations take turns on queues */
    int64_t arrived, taken_arrivals; /* messages from the other node */
    int64_t entries, taken_entries;  /* completion entries */
    struct queue_pair pairs[];
};

static struct verbs_side *side_at(lua_State *L)
{
    return luaL_checkudata(L, 1, SIDE);
}

static struct verbs_side *other_of(const struct verbs_side *side)
{
    return side->sides[1 - side->process->rank];
}

/* Called when data arrive at the other side, if that side polls for them. A post has one argument for both callbacks: its own
 * side. */
static void arrive_at_other(void *argument)
{
    struct verbs_side *other = other_of(argument);
    other->arrived++;
    cpu_notify(&other->process->cpu);
}

static void note_entry(void *argument)
{
    struct verbs_side *side = argument;
    side->entries++;
    cpu_notify(&side->process->cpu);
}

/* side:post(bytes, fetches, is_on_gpu, is_inline, is_signalled, is_polled): a read, or a write. */
static int post(lua_State *L)
{
    struct verbs_side *side = side_at(L);
    bool fetches = lua_toboolean(L, 3), is_on_gpu = lua_toboolean(L, 4);
    struct job_process *own = side->process, *other = other_of(side)->process;
    struct verbs_operation operation = {
        .node = own->node,
        .remote_node = other->node,
        .rail = own->rail,
        .remote_rail = other->rail,
        .core_port = own->core_port,
        .local_port = is_on_gpu ? own->gpu_port : own->core_port,
        .remote_port = is_on_gpu ? other->gpu_port : other->core_port,
        .queue = &side->pairs[side->posted++ % side->queues],
        .bytes = luaL_checkinteger(L, 2),
        .is_inline = lua_toboolean(L, 5),
        .completed = lua_toboolean(L, 6) ? note_entry : NULL,
        .delivered = lua_toboolean(L, 7) ? arrive_at_other : NULL,
        .argument = side,
    };
    cpu_spend(&own->cpu, CPU_LIBRARY, side->ucx->post_ps);
    cpu_settle(&own->cpu);
    (fetches ? verbs_read : verbs_write)(own->job->nics, &operation);
    return 0;
}

/* Polls until one more entry or arrival has come. */
static void take(struct verbs_side *side, const int64_t *come, int64_t *taken)
{
    struct cpu *cpu = &side->process->cpu;
    cpu_settle(cpu);
    while (*come == *taken)
        cpu_wait(cpu, "a completion or a message");
    ++*taken;
    cpu_spend(cpu, CPU_LIBRARY, side->ucx->poll_ps);
}

/* side:take_entry(): takes a completion entry; returns how many were taken. */
static int take_entry(lua_State *L)
{
    struct verbs_side *side = side_at(L);
    take(side, &side->entries, &side->taken_entries);
    lua_pushinteger(L, side->taken_entries);
    return 1;
}

/* side:take_arrival(posts_again): takes an arrival; with `posts_again` posts a receive again. */
static int take_arrival(lua_State *L)
{
    struct verbs_side *side = side_at(L);
    take(side, &side->arrived, &side->taken_arrivals);
    if (lua_toboolean(L, 2))
        cpu_spend(&side->process->cpu, CPU_LIBRARY, side->ucx->post_ps);
    return 0;
}

/* side:now(); side:settle(): waits until the core has spent all time of earlier calls. */
static int now(lua_State *L)
{
    lua_pushinteger(L, cpu_now(&side_at(L)->process->cpu));
    return 1;
}

static int settle(lua_State *L)
{
    cpu_settle(&side_at(L)->process->cpu);
    return now(L);
}

int scripted_side(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"post", post}, {"take_entry", take_entry}, {"take_arrival", take_arrival},
        {"now", now},   {"settle", settle},         {NULL, NULL}};
    struct scripted *run = scripted_of(L);
    int64_t place = luaL_checkinteger(L, 1), queues = luaL_checkinteger(L, 2);
    struct verbs_side *side =
        lua_newuserdatauv(L, sizeof *side + (size_t)queues * sizeof(struct queue_pair), 0);
    memset(side, 0, sizeof *side + (size_t)queues * sizeof(struct queue_pair));
    side->ucx = machine_part(run->machine, &ucx_params);
    side->process = &world_job(run->world)->processes[place];
    side->sides = run->sides;
    side->queues = queues;
    run->sides[place] = side;
    param_uses_only(&run->sim->uses, &ucx_params, "post", "poll", NULL);
    scripted_set_methods(L, SIDE, methods);
    return 1;
}
