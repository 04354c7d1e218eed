/* SPDX-License-Identifier: BSD-3-Clause */
/* What agents on a GPU do in the same way: each reaches memory as a client of the GPU's (models/gpu/memory_client.h), agent->memory. */
#pragma once

#include "protocols/agents/agent.h"

static inline void gpu_side_load(struct agent *agent, address at, void *data, size_t bytes)
{
    memory_client_load(agent->memory, at, data, bytes);
}
static inline void gpu_side_poll(struct agent *agent, address at, void *data, size_t bytes,
                                 enum poll_place from)
{
    memory_client_poll(agent->memory, at, data, bytes, from);
}
static inline void gpu_side_store(struct agent *agent, address at, const void *data, size_t bytes)
{
    memory_client_store(agent->memory, at, data, bytes);
}
static inline uint64_t gpu_side_atomic(struct agent *agent, address at, enum atomic_op op,
                                       uint64_t operand, uint64_t compare)
{
    return memory_client_atomic(agent->memory, at, op, operand, compare);
}
static inline void gpu_side_acquire(struct agent *agent, enum memory_scope scope)
{
    memory_client_acquire(agent->memory, scope);
}

/* A whole line. */
static inline int64_t gpu_side_load_bytes(struct agent *agent, address at)
{
    (void)agent, (void)at;
    return CACHE_LINE_BYTES;
}

/* Of one who serves: its core stalls. */
static inline void gpu_side_release(struct agent *agent, enum memory_scope scope)
{
    agent_stalls(agent);
    memory_client_release(agent->memory, scope);
    agent_resumes(agent);
}

/* Of its struct agent_sweep_ops. */
static inline void gpu_side_watch(struct agent *agent, address at, struct line_watcher *watcher)
{
    device_memory_watch(agent->memory->memory, at, watcher);
}
static inline void gpu_side_unwatch(struct agent *agent, struct line_watcher *watcher)
{
    device_memory_unwatch(agent->memory->memory, watcher);
}
static inline void gpu_side_skip(struct agent *agent, struct cached_line *lines, size_t count,
                                 size_t polls)
{
    (void)count;
    memory_client_count_polls(agent->memory, lines->line * CACHE_LINE_BYTES, (int64_t)polls);
}
