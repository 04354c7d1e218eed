/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread bound to a CPU core (models/host/host.h). */

#include "protocols/agents/agent.h"

static void on_host_load(struct agent *agent, address at, void *data, size_t bytes)
{
    host_thread_load(&agent->host, at, data, bytes);
}

static void on_host_load_all(struct agent *agent, const struct memory_load *loads, size_t count)
{
    host_thread_load_all(&agent->host, loads, count);
}

static int64_t on_host_loads_in_flight(struct agent *agent, address at)
{
    return host_thread_loads_in_flight(&agent->host, at);
}

static void on_host_looks_ahead(struct agent *agent, look_ahead_next *next, void *argument,
                                size_t places)
{
    host_thread_looks_ahead(&agent->host, next, argument, places);
}

static void on_host_looked(struct agent *agent, bool found)
{
    host_thread_looked(&agent->host, found);
}

static void on_host_waited(struct agent *agent)
{
    host_thread_waited(&agent->host);
}

static void on_host_poll(struct agent *agent, address at, void *data, size_t bytes,
                         enum poll_place from)
{
    host_thread_poll(&agent->host, at, data, bytes, from);
}

static bool sweep_rhythm(struct agent *agent, address at, int64_t instructions,
                         struct poll_rhythm *rhythm)
{
    sim_time loop_ps = host_thread_time_ps(&agent->host, instructions);
    return host_thread_poll_rhythm(&agent->host, at, loop_ps, rhythm);
}

static void sweep_watch(struct agent *agent, address at, struct line_watcher *watcher)
{
    line_watch_add(&host_directory(agent->host.host)->watch, at / CACHE_LINE_BYTES, watcher);
}

static void sweep_unwatch(struct agent *agent, struct line_watcher *watcher)
{
    line_watch_remove(&host_directory(agent->host.host)->watch, watcher);
}

static void sweep_skip(struct agent *agent, struct cached_line *lines, size_t count, size_t polls)
{
    (void)polls;
    host_thread_skip_polls(&agent->host, lines, count);
}

static const struct agent_sweep_ops sweep_ops = {sweep_rhythm, sweep_watch, sweep_unwatch,
                                                 sweep_skip};

static int64_t on_host_load_bytes(struct agent *agent, address at)
{
    return host_thread_load_bytes(&agent->host, at);
}

static void on_host_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    host_thread_store(&agent->host, at, data, bytes);
}

static uint64_t on_host_atomic(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                               uint64_t compare)
{
    return host_thread_atomic(&agent->host, at, op, operand, compare);
}

static void on_host_execute(struct agent *agent, int64_t instructions)
{
    host_thread_execute(&agent->host, instructions);
}

static void on_host_wait_word(struct agent *agent, address at, struct word_condition until,
                              int64_t instructions, enum memory_scope scope, bool skip)
{
    (void)scope;
    enum agent_state before = agent_set_work(agent, AGENT_POLLING);
    struct host_word_wait wait = {.at = at,
                                  .until = until,
                                  .loop_ps = host_thread_time_ps(&agent->host, instructions),
                                  .skip = skip,
                                  .poller = &agent->poller,
                                  .energy = agent->energy,
                                  .looping = AGENT_POLLING,
                                  .loading = AGENT_STALLED};
    if (host_thread_owns(&agent->host, at))
        host_thread_wait_word(&agent->host, &wait);
    else
        agent_poll_each(agent, at, until, instructions); /* there the polls meet other traffic */
    agent_set_work(agent, before);
}

static void init(struct agent *agent, struct agent_place place, int64_t number,
                 struct process *process)
{
    static const struct agent_ops ops = {
        .is_metered = true,
        .load = on_host_load,
        .load_all = on_host_load_all,
        .poll = on_host_poll,
        .sweep = &sweep_ops,
        .loads_in_flight = on_host_loads_in_flight,
        .looks_ahead = on_host_looks_ahead,
        .looked = on_host_looked,
        .waited = on_host_waited,
        .load_bytes = on_host_load_bytes,
        .store = on_host_store,
        .store_locked = on_host_store,
        .atomic = on_host_atomic,
        .acquire = agent_fence_by_order,
        .release = agent_fence_by_order,
        .execute = on_host_execute,
        .wait_word = on_host_wait_word,
    };
    agent->ops = &ops;
    host_thread_init(&agent->host, place.site->host, number, process);
    cluster_interrupt_core(place.cluster, process, &agent->host.noise);
}

const struct agent_kind host_thread_kind = {
    .name = "host_thread",
    .description = "threads on CPU cores",
    .threads = "host threads",
    .calls_runtime = true,
    .is_on_host = true,
    .memory = MEMORY_HOST,
    .pool = CORES_OF_HOST,
    .rank_core = job_host_core,
    .init = init,
};
