/* SPDX-License-Identifier: BSD-3-Clause */
/* What perftest's programs measure between two nodes: RDMA by verbs, by a core that posts and polls.
 *
 *   latency    write, send: ping-pong, half of a round trip; a write is seen in memory, a send by its completion.
 *              read, atomic: from the post to the completion that the core has seen.
 *   bandwidth  write, read, send: as many posted as the send queue takes, of which each `cq_mod`-th has a completion;
 *              one way, or both at a time.
 *
 * The core's time for a post is ucx.post, for taking up what has come ucx.poll: the same calls of verbs stand below
 * UCX. An atomic's word is read, and written behind the answer, by the NIC that has it: it takes what a read of 8
 * bytes takes. */
#include "core/error.h"
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"

/* Latencies first, then bandwidths in the same order. */
enum operation { OPERATION_WRITE, OPERATION_READ, OPERATION_SEND, OPERATION_ATOMIC, LATENCIES };
static const char *const operation_names[] = {"write_lat", "read_lat", "send_lat", "atomic_lat",
                                              "write_bw",  "read_bw",  "send_bw",  NULL};
enum memory { MEMORY_OF_HOST, MEMORY_OF_GPU };
static const char *const memory_names[] = {"host", "gpu", NULL};

#define MOST_QUEUES 1024
#define WARM_UP 4 /* iterations of a latency, each of which is like the ones before */
#define TX_DEPTH 128
#define CQ_MOD 100
#define OUTSTANDING_READS 16

struct perftest_spec {
    int64_t operation, memory, bytes, inline_bytes, iterations;
    int64_t tx_depth, cq_mod, outstanding_reads, queues; /* of bandwidth */
    int64_t both_ways;                                   /* flag */
};

#define SPEC struct perftest_spec
static const struct param params[] = {
    PARAM_ENUM(operation, SPEC, "write_lat", operation_names,
               "What is measured: ib_write_lat and so on; an atomic has 8 bytes."),
    SHARED_ROW(bytes, SPEC, "8B"),
    PARAM_ENUM(memory, SPEC, "host", memory_names, "Memory of the messages, on both nodes."),
    PARAM_BYTES(inline, SPEC, "220B", "0B", "1KiB",
                "Writes and sends from host memory up to this size travel inside the command."),
    SHARED_ROW(iterations, SPEC, "1000"),
    PARAM_COUNT(tx_depth, SPEC, G_STRINGIFY(TX_DEPTH), "1", "65536",
                "Of bandwidths: operations of a node in flight at a time."),
    PARAM_COUNT(cq_mod, SPEC, G_STRINGIFY(CQ_MOD), "1", "65536",
                "Of bandwidths: one in this many operations has a completion; at most tx_depth."),
    PARAM_COUNT(outstanding_reads, SPEC, G_STRINGIFY(OUTSTANDING_READS), "1", "65536",
                "Of bandwidths: reads of a queue pair in flight."),
    PARAM_COUNT(queues, SPEC, "1", "1", G_STRINGIFY(MOST_QUEUES),
                "Of bandwidths: queue pairs, which take turns."),
    PARAM_FLAG(both_ways, SPEC, "false",
               "Of bandwidths: both nodes transfer at the same time; their rates add up."),
};
#undef SPEC
static PARAM_TABLE_SHARING(perftest_params, "perftest", struct perftest_spec, params,
                           "RDMA between two nodes, as perftest measures it.");

extern const struct workload perftest_workload;

static bool is_latency(const struct perftest_spec *spec)
{
    return spec->operation < LATENCIES;
}

static bool fits(const struct perftest_spec *spec, GError **error)
{
    bool has_own = spec->tx_depth != TX_DEPTH || spec->cq_mod != CQ_MOD || spec->queues != 1 ||
                   spec->outstanding_reads != OUTSTANDING_READS || spec->both_ways;
    if (is_latency(spec) && has_own)
        return error_set(
            error,
            "tx_depth, cq_mod, outstanding_reads, queues and both_ways are of bandwidths (write_bw)");
    if (spec->operation == OPERATION_WRITE && spec->memory == MEMORY_OF_GPU)
        return error_set(error, "a write is seen by a core that polls its memory: memory = gpu is "
                                "for the others");
    return true;
}

static bool run_perftest(const struct machine_spec *machine, const void *argument, uint64_t seed,
                         struct workload_result *result, GError **error)
{
    const struct perftest_spec *spec = argument;
    double messages = (double)(WARM_UP + spec->iterations);
    return fits(spec, error) &&
           machine_can_carry(machine, 2 * messages * (double)spec->bytes, error) &&
           scripted_run(&perftest_workload, machine, spec, seed, result, error);
}

static const struct workload_rule rules[] = {
    {"bytes", "operation", "|write_lat|read_lat|send_lat|write_bw|read_bw|send_bw|"},
    {"inline", "operation", "|write_lat|send_lat|write_bw|send_bw|"},
    {"inline", "memory", "|host|"},
    {"outstanding_reads", "operation", "|read_bw|"},
    {"cq_mod", "operation", "|write_bw|send_bw|"},
    {NULL, NULL, NULL},
};

const struct workload perftest_workload = {
    .name = "perftest",
    .params = &perftest_params,
    .run = run_perftest,
    .rules = rules,
};
