/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: every place gets the sum of all places' buffers. ComPNet18 section 5.4, Figs 10 and 11 (M-085, M-086).
 *
 *   ring      reduce-scatter and allgather around a ring: N - 1 steps each, with an N-th of the buffer. In a kernel there are
 *             several rings, one for each work-group: work-group i receives from work-group i of the previous place and
 *             sends its slice to that of the next place, in chunks. The first chunk of a step is sent while the last one of the
 *             step before is still arriving; the work-group reduces what it receives. Ranks have one ring of whole blocks:
 *             non-blocking send and receive, followed by a separate reduction (Baidu's allreduce).
 *   hierarchical  the same within each node, and between nodes (ring_phases.h)
 *   doubling  recursive doubling with the whole buffer: few steps, for small buffers
 *   tree      two trees, each with half of the buffer, in chunks up and back (trees.h)
 *   one_shot, two_shot  every GPU puts its buffer, or parts of it, to all others of its node; ..._get: it reads theirs (direct.h)
 *   auto      the fastest algorithm that the machine and the design can run: each is tried once, rings until their steps are
 *             steady */
#include <glib.h>

#include "core/error.h"
#include "workloads/apps/allreduce.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

static const char *const algorithm_names[] = {
    "auto",     "ring",     "hierarchical", "doubling",     "tree",
    "one_shot", "two_shot", "one_shot_get", "two_shot_get", NULL};

static const char *const memory_names[] = {"design", "host", "copied", NULL};

static const char *const check_names[] = {"false", "true", "lost_chunk", "wrong_block", NULL};

#define SPEC struct allreduce_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "", ""),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "64MiB", "4B", "16GiB", NULL,
     "Size of each GPU's buffer, of numbers of 4 B.", NULL},
    PARAM_ENUM(
        algorithm, SPEC, "auto", algorithm_names,
        "ring: through all GPUs; hierarchical: rings within nodes, and between nodes for each"
        " part; doubling: few steps with all of the buffer; tree: two trees, each with half;"
        " one_shot: each GPU of a node puts all it has to every other, two_shot: parts, then"
        " sums of parts; one_shot_get, two_shot_get: the others read it; auto: the fastest on"
        " this machine, by a short trial of each that it can do."),
    SHARED_ROW(rings, SPEC, "8"),
    PARAM_SHARE("", chunk_bytes, SPEC, &chunk_row, "chunk=64KiB", ""),
    SHARED_ROW(threads, SPEC, "256"),
    PARAM_ENUM(memory, SPEC, "design", memory_names,
               "Where ranks' buffers lie: where the design has them; in host memory; or in GPU"
               " memory, copied once to the host before the allreduce and back after it, as "
               "MPI libraries do with small buffers, and as CPUs do that reduce what GPUs "
               "computed."),
    SHARED_ROW(repeats, SPEC, "1"),
    PARAM_COUNT(warmup, SPEC, "1", "0", "100000",
                "Warm-up allreduces that are not measured; a barrier follows them."),
    SHARED_ROW(tolerance, SPEC, "0"),
    PARAM_ENUM(
        check, SPEC, "false", check_names,
        "Carry real data and compare the result with a plain sum, for small buffers. Other values carry wrong data, to test the check: a chunk that is not reduced, or a chunk that is mistaken for its neighbour."),
};
#undef SPEC
PARAM_TABLE_SHARING(allreduce_params, "allreduce", struct allreduce_spec, params,
                    "Every place gets the sum of all places' buffers.");

#define MOST_CHECKED_BYTES 16384

static bool has_levels(const struct allreduce_spec *spec)
{
    return spec->places.nodes > 1 && spec->places.gpus_per_node > 1;
}

/* Why the machine or the design cannot run the algorithm; NULL: they can. */
static const char *refusal(const struct allreduce_spec *spec, int64_t algorithm)
{
    const struct design *design = &spec->places.design;
    bool has_peers = spec->places.nodes == 1 && design->initiator != INITIATOR_HOST &&
                     design->peer != PEER_BY_NIC;
    if (algorithm == ALGORITHM_HIERARCHICAL && !has_levels(spec))
        return "takes several nodes with several GPUs each";
    if (algorithm >= ALGORITHM_ONE_SHOT && !has_peers)
        return "takes GPUs of one node, and a design whose kernels reach their memory (peer)";
    return NULL;
}

static bool is_possible(const struct allreduce_spec *spec, GError **error)
{
    const char *reason = refusal(spec, spec->algorithm);
    bool is_checkable = spec->bytes <= MOST_CHECKED_BYTES && spec->tolerance == 0 &&
                        spec->warmup + spec->repeats == 1;
    if (spec->places.nodes * spec->places.gpus_per_node < 2)
        error_set(error, "an allreduce of one GPU: it takes two nodes, or two GPUs of one");
    else if (spec->check && !is_checkable)
        error_set(error,
                  "check = true takes at most %d bytes, tolerance = 0, repeats = 1 and warmup = 0",
                  MOST_CHECKED_BYTES);
    else if (spec->tolerance > 0 && spec->repeats > 1)
        error_set(
            error,
            "tolerance above 0 takes repeats = 1: the steps of one allreduce are extrapolated");
    else if (reason != NULL)
        error_set(error, "algorithm = %s %s", algorithm_names[spec->algorithm], reason);
    else if (spec->memory != MEMORY_OF_DESIGN && spec->places.design.initiator != INITIATOR_HOST)
        error_set(error, "memory = %s is for designs whose processes pass messages",
                  memory_names[spec->memory]);
    else
        return true;
    return false;
}

/* --- the choice of an algorithm ------------------------------------------------------------------- */

#define TRIAL_TOLERANCE 0.02 /* tolerance for a ring's steps in a trial */

/* The time of one allreduce with the algorithm, by a trial without observers. */
static bool try_out(const struct machine_spec *machine, const struct allreduce_spec *spec,
                    int64_t algorithm, uint64_t seed, sim_time *took_ps, GError **error)
{
    struct machine_spec unheard = *machine;
    struct allreduce_spec once = *spec;
    struct workload_result trial = {0};
    unheard.listener = NULL;
    once.repeats = 1;
    once.warmup = 0;
    once.check = 0;
    once.tolerance = MAX(spec->tolerance, TRIAL_TOLERANCE);
    bool good = allreduce_simulate(&unheard, &once, algorithm, seed, &trial, error);
    *took_ps = good ? trial.measures[0].quantity : 0;
    return good;
}

/* Chooses the fastest algorithm by trials; the first one of several equal ones. */
static bool choose(const struct machine_spec *machine, const struct allreduce_spec *spec,
                   uint64_t seed, int64_t *algorithm, GError **error)
{
    sim_time least_ps = SIM_TIME_LAST;
    if (spec->algorithm != ALGORITHM_AUTO) {
        *algorithm = spec->algorithm;
        return true;
    }
    for (int64_t tried = ALGORITHM_RING; tried < ALGORITHMS; tried++) {
        sim_time took_ps;
        if (refusal(spec, tried) != NULL)
            continue;
        if (!try_out(machine, spec, tried, seed, &took_ps, error))
            return false;
        if (took_ps < least_ps) {
            least_ps = took_ps;
            *algorithm = tried;
        }
    }
    return true;
}

bool allreduce_run(const struct machine_spec *machine, const struct allreduce_spec *spec,
                   uint64_t seed, struct workload_result *result, GError **error)
{
    int64_t algorithm = ALGORITHM_RING;
    return is_possible(spec, error) && choose(machine, spec, seed, &algorithm, error) &&
           allreduce_simulate(machine, spec, algorithm, seed, result, error);
}

static bool settle_allreduce(const struct machine_spec *machine, void *spec, uint64_t seed,
                             GError **error)
{
    struct allreduce_spec *settled = spec;
    return is_possible(settled, error) &&
           choose(machine, settled, seed, &settled->algorithm, error);
}

static bool run_allreduce(const struct machine_spec *machine, const void *spec, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    return allreduce_run(machine, spec, seed, result, error);
}

const struct workload allreduce_workload = {
    .name = "allreduce",
    .params = &allreduce_params,
    .accepts = transfer_accepts,
    .run = run_allreduce,
    .settle = settle_allreduce,
};
