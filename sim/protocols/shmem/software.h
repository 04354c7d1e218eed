/* SPDX-License-Identifier: BSD-3-Clause */
/* The network software: how its queues are set up, and what its steps cost in instructions wherever it
 * runs: the same counts on a CPU core and on a command processor, so that only the cores differ
 * (ComPNet18 section 4.2.1, 5.1, 5.1.1; M-082). */
#pragma once

#include <stdint.h>

#include "core/param.h"
#include "core/param_use.h"
#include "core/simtime.h"
#include "models/node.h"

enum phases { PHASES_DRAWN, PHASES_FIXED };

/* Component "software" of a machine file. */
struct software_spec {
    int64_t queue_entries;    /* of a work-group's queue */
    sim_time runtime_call_ps; /* fixed time of a copy call of the GPU's runtime */

    int64_t
        exact; /* flag: polls that cannot find anything, and iterations that repeat, are simulated too */
    int64_t phases; /* of polling loops: enum phases */

    /* on the GPU, instructions of one wavefront */
    int64_t post_instructions; /* filling a queue entry */
    int64_t
        divergence_instructions; /* more of an operation that a wavefront's lanes serve in sequence */
    int64_t trigger_instructions; /* pulling a trigger of the NIC */
    int64_t wait_instructions;    /* one poll of a status word, and the loop around it */

    /* on the agent that serves */
    int64_t poll_instructions;         /* one poll of a queue, and the loop around it */
    int64_t dispatch_instructions;     /* from an entry to the call into the SHMEM library */
    int64_t gpu_dispatch_instructions; /* the same of a thread of a GPU */
    int64_t library_instructions; /* the library's put or get: arguments to command and doorbell */
    int64_t
        command_instructions; /* a further command of a call, or an answer: no more than command and doorbell */
    int64_t complete_instructions; /* one completion entry taken */
    int64_t mark_instructions;     /* marking one queue entry complete */
    int64_t pack_instructions;     /* a put into an aggregated message, beside its bytes */
};
extern const struct param_table software_params;

/* The software of a run, whose values are noted as they are read. */
struct software {
    const struct software_spec *spec;
    uint64_t *used;
};
#define SOFTWARE_READ(software, field) PARAM_READ((software).used, (software).spec, field)

/* That of a machine, for who polls in `sim`: the phases of its loops are drawn there, unless they are fixed. */
struct software software_of(const struct machine_spec *machine, struct sim *sim);

/* Whether all is simulated, even what repeats exactly: for workloads that count their iterations on. */
bool software_is_exact(const struct machine_spec *machine, struct sim *sim);
