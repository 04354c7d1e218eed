/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fences of all compute units meet that read behind posted writes: the GPU flushes what it has posted to a device by one
 * read at a time. A flush is for those who have come to the port before its read is sent (gpu.shared_flush after its beginning);
 * who comes later goes with the next one, which begins when the read is back.
 *
 * Source of the shape: probe/tables/h200x2/fences.tsv and fence_turns.tsv. On an H200, stores with a fence by one warp of each of 132
 * SMs take what one alone takes, and all take the same within 0.1 ns. Once those of an SM go in two turns, those of other SMs that are
 * alone on theirs take longer, too: two flushes. One SM whose warps go in two turns has the GPU to itself, and does not. */
#ifndef GPUNETSIM_MODELS_GPU_FLUSH_PORT_H
#define GPUNETSIM_MODELS_GPU_FLUSH_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sim.h"
#include "core/wait.h"
#include "fabric/bus.h"

struct flush_port {
    struct sim *sim;
    struct bus *bus;
    int slot; /* of the GPU */
    sim_time gather_ps;
    bool is_flushing;
    address at; /* what the flush reads: whose writes it pushes */
    int64_t served,
        later;          /* who goes with the flush whose read is under way; who came for the next */
    struct signal turn; /* of all of these, in order */
};

/* Filled in down to `gather_ps`, else all zero. */
void flush_port_init(struct flush_port *port);

/* Whether posted writes to the device of `at` can be flushed here now: the port flushes those of one device at a time. */
bool flush_port_serves(const struct flush_port *port, address at);

/* `self` is at the port; returns, there, when a read is back that left behind all that `self` has posted. */
void flush_port_flush(struct flush_port *port, struct process *self, address at);

#endif
