/* SPDX-License-Identifier: BSD-3-Clause */
/* Training of a neural network on several nodes, projected: an iteration is its computation and the allreduces of its
 * gradients, one after the other (ComPNet18 section 5.4.1, Fig 11; M-087). How long the computation takes is told, not
 * simulated, as in the paper, which measured it on another machine; allreduces are simulated. */
#include <glib.h>
#include <stdio.h>

#include "core/error.h"
#include "core/observe.h"
#include "workloads/apps/allreduce.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

struct training_spec {
    struct shared_places places;
    int64_t gradient_bytes, messages, rings, chunk_bytes;
    sim_time compute_ps;
    double tolerance;
};

#define SPEC struct training_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "", ""),
    PARAM_TIME(compute, SPEC, "10ms", "0ns", "1000s", "Computation of an iteration, on each GPU."),
    {"gradient", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, gradient_bytes), "64MiB", "4B", "64GiB",
     NULL, "Bytes of gradients in an iteration.", NULL},
    PARAM_COUNT(messages, SPEC, "1", "1", "100000",
                "Allreduces that reduce the gradients, all of the same size: one in all, or one"
                " for each layer."),
    SHARED_ROW(rings, SPEC, "8"),
    PARAM_SHARE("", chunk_bytes, SPEC, &chunk_row, "chunk=64KiB", ""),
    SHARED_ROW(tolerance, SPEC, "0"),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    training_params, "training", struct training_spec, params,
    "An iteration of training: computation, and allreduces of the gradients.");

/* One allreduce after warm-up stands for all of an iteration. GPUs train, so gradients lie in their memory: where CPUs
 * reduce them, they are copied to the host and back (ComPNet18 section 5.4.1: designs differ by the device that
 * reduces). */
static struct allreduce_spec allreduce_of(const struct training_spec *spec)
{
    struct allreduce_spec allreduce;
    param_set_defaults(&allreduce_params, &allreduce);
    allreduce.places = spec->places;
    allreduce.bytes = MAX((spec->gradient_bytes + spec->messages - 1) / spec->messages, 4);
    allreduce.algorithm = ALGORITHM_RING;
    allreduce.rings = spec->rings;
    allreduce.chunk_bytes = spec->chunk_bytes;
    allreduce.tolerance = spec->tolerance;
    allreduce.warmup = spec->messages > 1;
    allreduce.memory = design_is_of_cpu(&spec->places.design) ? MEMORY_COPIED : MEMORY_OF_DESIGN;
    return allreduce;
}

/* What is told and what is simulated, as an operation for those who listen. */
static void observe_iteration(const struct machine_spec *machine, const struct design *design,
                              sim_time compute_ps, sim_time iteration_ps)
{
    const struct observe_origin origin = {
        .path = "training", .callers = "iteration", .design = design};
    struct observe observe;
    if (machine->listener == NULL)
        return;
    observe_init(&observe);
    observe_listen(&observe, machine->listener);
    uint64_t iteration = observe_begin(&observe, &origin, 0, 0);
    observe_stage(&observe, iteration, STAGE_KERNEL, compute_ps);
    observe_stage(&observe, iteration, STAGE_EXPOSED, iteration_ps);
    observe_end(&observe, iteration, iteration_ps);
    observe_clear(&observe);
}

/* Of the allreduces, and of what rests while GPUs compute; what computing itself takes is not modelled. */
static struct run_energy energy_of(const struct training_spec *spec, struct run_energy energy)
{
    double messages = (double)spec->messages;
    energy.time_ps = energy.time_ps * messages + (double)spec->compute_ps;
    for (int part = 0; part < RUN_ENERGY_PART_COUNT; part++)
        energy.drawn_J[part] *= messages;
    for (int state = 0; state < AGENT_STATES; state++)
        energy.state_J[state] *= messages;
    return energy;
}

static bool run_training(const struct machine_spec *machine, const void *argument, uint64_t seed,
                         struct workload_result *result, GError **error)
{
    const struct training_spec *spec = argument;
    struct allreduce_spec allreduce = allreduce_of(spec);
    struct workload_result reduced = {.stats = result->stats};
    if (!allreduce_run(machine, &allreduce, seed, &reduced, error))
        return false;
    sim_time reduce_ps = reduced.measures[0].quantity;
    if (reduce_ps > SIM_TIME_LAST / spec->messages)
        return error_set(error, "%s", SIM_TOO_LONG_REASON);
    sim_time all_ps = reduce_ps * spec->messages, iteration_ps = spec->compute_ps + all_ps;
    result->uses = reduced.uses;
    result->phases = reduced.phases;
    result->events = reduced.events;
    observe_iteration(machine, &spec->places.design, spec->compute_ps, iteration_ps);
    workload_add_mean_time(result, "iteration", iteration_ps, NULL);
    workload_add_mean_time(result, "reduce", all_ps, NULL);
    workload_add_mean_time(result, "allreduce", reduce_ps, NULL);
    workload_add_ratio(result, "reduce_share",
                       iteration_ps > 0 ? (double)all_ps / (double)iteration_ps : 0);
    result->energy = energy_of(spec, reduced.energy);
    workload_add_run_energy(result, &result->energy);
    return true;
}

const struct workload training_workload = {
    .name = "training",
    .params = &training_params,
    .accepts = transfer_accepts,
    .run = run_training,
};
