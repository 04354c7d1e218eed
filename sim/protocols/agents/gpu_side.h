/* SPDX-License-Identifier: BSD-3-Clause */
/* What agents on a GPU do in the same way: each reaches memory as a client of the GPU's (models/gpu/memory_client.h), agent->memory. */
#pragma once

#include "protocols/agents/agent.h"

void gpu_side_load(struct agent *agent, address at, void *data, size_t bytes);
void gpu_side_poll(struct agent *agent, address at, void *data, size_t bytes, enum poll_place from);
void gpu_side_store(struct agent *agent, address at, const void *data, size_t bytes);
uint64_t gpu_side_atomic(struct agent *agent, address at, enum atomic_op op, uint64_t operand,
                         uint64_t compare);
void gpu_side_acquire(struct agent *agent, enum memory_scope scope);

/* A whole line. */
int64_t gpu_side_load_bytes(struct agent *agent, address at);

/* Of one who serves: its core stalls. */
void gpu_side_release(struct agent *agent, enum memory_scope scope);

/* Of its struct agent_sweep_ops. */
void gpu_side_watch(struct agent *agent, address at, struct line_watcher *watcher);
void gpu_side_unwatch(struct agent *agent, struct line_watcher *watcher);
void gpu_side_skip(struct agent *agent, struct cached_line *lines, size_t count, size_t polls);
