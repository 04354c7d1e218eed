/* SPDX-License-Identifier: BSD-3-Clause */
/* How many messages a second the UCX layer simulates: a ping-pong of two processes, small and large, within
 * a node and between nodes, and windows of 64. Seconds are of the processor, the best of three. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "models/job.h"
#include "protocols/ucx/ucx_parts.h"

#define ROUNDS 3
#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

struct row {
    const char *what;
    int64_t transport; /* enum transport_kind */
    int32_t peer;      /* rank that shares the socket or lives on the other node */
    bool is_device;
    int64_t bytes;
    int32_t window;
    int32_t messages;
};

enum { HOME, NEAR, REMOTE, RANKS };

static const struct row rows[] = {
    {"ping-pong, host 8 B, near", TRANSPORT_FLOW, NEAR, false, 8, 1, 1000000},
    {"ping-pong, GPU 8 B, near", TRANSPORT_FLOW, NEAR, true, 8, 1, 1000000},
    {"ping-pong, host 8 B, remote", TRANSPORT_FLOW, REMOTE, false, 8, 1, 500000},
    {"ping-pong, host 8 B, remote, segment", TRANSPORT_SEGMENT, REMOTE, false, 8, 1, 500000},
    {"ping-pong, host 1 MiB, near", TRANSPORT_FLOW, NEAR, false, MIB, 1, 500000},
    {"ping-pong, host 1 MiB, remote", TRANSPORT_FLOW, REMOTE, false, MIB, 1, 200000},
    {"ping-pong, GPU 1 MiB, near", TRANSPORT_FLOW, NEAR, true, MIB, 1, 200000},
    {"ping-pong, GPU 4 MiB, remote, staged", TRANSPORT_FLOW, REMOTE, true, 4 * MIB, 1, 20000},
    {"window, host 8 B, near", TRANSPORT_FLOW, NEAR, false, 8, 64, 1000000},
    {"window, host 8 B, remote", TRANSPORT_FLOW, REMOTE, false, 8, 64, 500000},
    {"window, GPU 1 MiB, near", TRANSPORT_FLOW, NEAR, true, MIB, 64, 50000},
    {"window, GPU 4 MiB, remote, staged", TRANSPORT_FLOW, REMOTE, true, 4 * MIB, 64, 6400},
};

struct run {
    const struct row *row;
    struct ucx *ucx;
    struct side {
        struct run *run;
        int32_t rank, peer, sent, received, to_send, to_receive;
    } sides[2];
};

static void count_one(const struct ucx_result *result, void *argument)
{
    (void)result;
    ++*(int32_t *)argument;
}

static void progress_until(struct ucx_worker *worker, const int32_t *count, int32_t target)
{
    while (*count < target)
        if (!ucx_progress(worker))
            ucx_wait(worker);
}

static struct block block_of(const struct ucx_worker *worker, const struct row *row)
{
    return row->is_device ? job_device_block(worker->process, 1, row->bytes)
                          : job_host_block(worker->process, BLOCK_PAGEABLE, 1, row->bytes);
}

/* Windows go to and fro; a window of one is a ping-pong. */
static void play(struct process *self, void *argument)
{
    struct side *side = argument;
    const struct row *row = side->run->row;
    struct ucx_worker *worker = ucx_worker(side->run->ucx, side->rank);
    struct block block = block_of(worker, row);
    bool sends = side->rank == HOME;
    (void)self;
    for (int32_t done = 0; done < row->messages; done += row->window, sends = !sends) {
        for (int32_t i = 0; i < row->window; i++) {
            if (sends)
                ucx_tag_send(worker, side->peer, block, 100, NULL, count_one, &side->sent);
            else
                ucx_tag_receive(worker, block, 100, count_one, &side->received);
        }
        int32_t *target = sends ? &side->to_send : &side->to_receive;
        *target += row->window;
        progress_until(worker, sends ? &side->sent : &side->received, *target);
    }
}

static double seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

static double run_row(const struct row *row)
{
    static const struct job_place places[RANKS] = {{0, 0, NULL}, {0, 1, NULL}, {1, 0, NULL}};
    static const struct param_table *const tables[] = {&ucx_params, NULL};
    struct machine_spec spec;
    struct run run = {.row = row};
    machine_spec_init(&spec, tables);
    spec.nodes = 2;
    spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 3, .nics_per_socket = 1, .gpu_link = 1};
    spec.transport.kind = row->transport;
    struct sim *sim = sim_new(1);
    struct cluster *cluster = cluster_new(sim, &spec, NODE_DISCRETE, NULL);
    struct job *job = job_new(cluster, places, RANKS, NULL);
    run.ucx = ucx_new(job, &ucx_params);
    run.sides[0] = (struct side){.run = &run, .rank = HOME, .peer = row->peer};
    run.sides[1] = (struct side){.run = &run, .rank = row->peer, .peer = HOME};
    job_start(job, HOME, play, &run.sides[0]);
    job_start(job, row->peer, play, &run.sides[1]);
    double since = seconds();
    if (sim_run(sim) != SIM_FINISHED)
        g_error("%s did not end", row->what);
    double took = seconds() - since;
    ucx_free(run.ucx);
    job_free(job);
    cluster_free(cluster);
    sim_free(sim);
    return took;
}

int main(int argc, char **argv)
{
    for (size_t i = argc > 1 ? (size_t)atoi(argv[1]) : 0; i < G_N_ELEMENTS(rows); i++) {
        double best = run_row(&rows[i]);
        for (int round = 1; round < ROUNDS; round++)
            best = MIN(best, run_row(&rows[i]));
        printf("%-40s %8.3f M messages/s\n", rows[i].what, rows[i].messages / best * 1e-6);
        fflush(stdout);
    }
    return 0;
}
