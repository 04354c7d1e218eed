/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of the runtimes share: a job on AC922-like nodes whose ranks all run one program. */
#pragma once

#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../models/job_alone.h"
#include "../software_test.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/ucx/ucx.h"

struct trial;
typedef void trial_program(struct trial *trial, struct job_process *process);

struct trial {
    struct sim *sim;
    struct machine_spec spec;
    struct job *job;
    struct runtime *runtime;
    trial_program *program;
    void *argument;
    struct trial_rank *ranks;
};

struct trial_rank {
    struct trial *trial;
    struct job_process *process;
};

/* A machine of `nodes` nodes with two sockets of three GPUs. */
static inline void trial_machine(struct trial *trial, int64_t nodes)
{
    machine_spec_init(&trial->spec, software_tables());
    trial->spec.nodes = nodes;
    trial->spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 3, .nics_per_socket = 1, .gpu_link = GPU_LINK_NVLINK};
    trial->spec.network.topology = NETWORK_FAT_TREE;
    trial->spec.network.radix = 18;
    trial->spec.network.uplinks = 36;
}

static inline void trial_rank(struct process *self, void *argument)
{
    (void)self;
    struct trial_rank *rank = argument;
    rank->trial->program(rank->trial, rank->process);
    cpu_settle(&rank->process->cpu);
}

/* Runs `program` on `ranks` ranks, a GPU each, node by node, until nothing is left to do. What it found is to be
 * polled before trial_end. */
static inline void trial_run(struct trial *trial, const char *design, int32_t ranks,
                             trial_program *program, void *argument)
{
    GError *error = NULL;
    g_autofree struct job_place *places = g_new(struct job_place, (gsize)ranks);
    int32_t per_node = topology_gpu_count(&trial->spec.node);
    for (int32_t rank = 0; rank < ranks; rank++)
        places[rank] = (struct job_place){.node = rank / per_node, .gpu = rank % per_node};
    trial->program = program;
    trial->argument = argument;
    trial->sim = sim_new(1);
    trial->job = job_alone(trial->sim, &trial->spec, places, ranks, &error);
    g_assert_no_error(error);
    trial->runtime = runtime_new(trial->job, design_named(design), &error);
    g_assert_no_error(error);
    trial->ranks = g_new(struct trial_rank, (gsize)ranks);
    for (int32_t rank = 0; rank < ranks; rank++) {
        trial->ranks[rank] = (struct trial_rank){trial, &trial->job->processes[rank]};
        job_start(trial->job, rank, trial_rank, &trial->ranks[rank]);
    }
    enum sim_end end = sim_run(trial->sim);
    if (end == SIM_DEADLOCK)
        g_error("%s: %s", design, sim_deadlock_report(trial->sim, 4));
    g_assert_cmpint(end, ==, SIM_FINISHED);
}

static inline void trial_end(struct trial *trial)
{
    g_free(trial->ranks);
    runtime_free(trial->runtime);
    job_alone_free(trial->job);
    sim_free(trial->sim);
}
