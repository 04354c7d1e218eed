/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues in GPU memory read by a call into the GPU's runtime instead of by loads (ComPNet18
 * section 3.1; M-056): a fixed time on the CPU, then the GPU's copy engine writes the lines asked
 * for to host memory, all of them behind each other over the bus. */
#pragma once

#include <stddef.h>

#include "protocols/agents/agent.h"
#include "protocols/shmem/software.h"

/* One line: from where in the GPU's memory to where in the host's. */
struct line_copy {
    address from, to;
};

/* Copies `count` lines of `site`, called by `agent`, a CPU thread of it; returns when all have
 * arrived. */
void runtime_copy_to_host(struct agent *agent, struct site *site, struct software software,
                          const struct line_copy *copies, size_t count);
