/* SPDX-License-Identifier: BSD-3-Clause */
/* The halo exchange of smpi_halo.c, ours: a process for each rank, six ranks a node, on a fat tree like that of
 * bench/run's smpirun, by transport `segment`. Arguments: X Y Z iterations [segments]. Prints the simulated seconds; bench/run
 * times both.
 *
 * As under smpirun no software takes time: a rank sends its faces, waits for those that it gets and for its
 * own, and goes on. Who sends is one iteration ahead at most, so two counters of arrivals are enough. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sim.h"
#include "fabric/transport.h"

enum { FACES = 6, RANKS_A_NODE = 6, MOST_STACK = 8192 };

static const int64_t face_bytes[] = {96 * 64 * 8, 96 * 64 * 8, 96 * 96 * 8};

struct halo {
    struct sim *sim;
    struct transport *transport;
    int sides[3];
    int64_t iterations;
    struct rank *ranks;
};

struct rank {
    struct halo *halo;
    struct process *process;
    int number, neighbours[FACES];
    int8_t expected;   /* ends an iteration: of faces that come, and of those that go */
    int8_t arrived[2]; /* of this iteration and the next, by its number modulo 2 */
    bool waits;
    int64_t iteration;
};

/* A face under way; each direction has two, in turn. */
struct face {
    struct rank *from, *to;
    int64_t iteration;
};

static int neighbour(const int *sides, int rank, int direction)
{
    int at[] = {rank % sides[0], rank / sides[0] % sides[1], rank / (sides[0] * sides[1])};
    int axis = direction / 2;
    at[axis] += direction % 2 ? -1 : 1;
    if (at[axis] < 0 || at[axis] == sides[axis])
        return -1;
    return at[0] + sides[0] * (at[1] + sides[1] * at[2]);
}

static void count(struct rank *rank, int64_t iteration)
{
    rank->arrived[iteration % 2]++;
    if (rank->waits && rank->arrived[rank->iteration % 2] == rank->expected) {
        rank->waits = false;
        process_wake(rank->process);
    }
}

static void face_arrives(void *argument)
{
    const struct face *face = argument;
    count(face->from, face->iteration);
    count(face->to, face->iteration);
}

/* Ranks lie in their nodes' first ports, in order. */
static int port_of(int rank)
{
    return rank / RANKS_A_NODE * (RANKS_A_NODE + 1) + rank % RANKS_A_NODE;
}

static void exchange(struct process *self, void *argument)
{
    struct rank *rank = argument;
    struct halo *halo = rank->halo;
    struct face faces[2][FACES];
    for (; rank->iteration < halo->iterations; rank->iteration++) {
        for (int i = 0; i < FACES; i++) {
            if (rank->neighbours[i] < 0)
                continue;
            struct face *face = &faces[rank->iteration % 2][i];
            *face = (struct face){rank, &halo->ranks[rank->neighbours[i]], rank->iteration};
            transport_send_via(halo->transport, port_of(rank->number), -1, -1,
                               port_of(face->to->number), face_bytes[i / 2],
                               &(struct transport_calls){.done = face_arrives, .argument = face});
        }
        while (rank->arrived[rank->iteration % 2] < rank->expected) {
            rank->waits = true;
            process_suspend(self, "faces");
        }
        rank->arrived[rank->iteration % 2] = 0;
    }
}

static void start_ranks(struct halo *halo)
{
    int count = halo->sides[0] * halo->sides[1] * halo->sides[2];
    halo->ranks = g_new0(struct rank, (size_t)count);
    for (int i = 0; i < count; i++) {
        struct rank *rank = &halo->ranks[i];
        *rank = (struct rank){.halo = halo, .number = i};
        for (int j = 0; j < FACES; j++) {
            rank->neighbours[j] = neighbour(halo->sides, i, j);
            rank->expected = (int8_t)(rank->expected + 2 * (rank->neighbours[j] >= 0));
        }
        rank->process = process_spawn(halo->sim->processes, "rank", exchange, rank, 0, MOST_STACK);
    }
}

/* Six ranks at a switch with a link of 50 GB/s each; 25 GB/s from there, as from a node with two rails. */
static struct platform *cluster(int ranks)
{
    static const char *const ports[] = {"rank0", "rank1", "rank2", "rank3",
                                        "rank4", "rank5", "nic0"};
    static const char *const names[] = {"link0", "link1", "link2", "link3", "link4", "link5"};
    static struct node_link links[RANKS_A_NODE];
    for (int i = 0; i < RANKS_A_NODE; i++)
        links[i] =
            (struct node_link){ports[i], "nic0", {names[i], 125 * PS_PER_NS, 50000000000, false}};
    struct platform_spec spec = {.name = "halo",
                                 .nodes = (ranks + RANKS_A_NODE - 1) / RANKS_A_NODE,
                                 .node = {.ports = ports,
                                          .port_count = RANKS_A_NODE + 1,
                                          .links = links,
                                          .link_count = RANKS_A_NODE,
                                          .gateways = &ports[RANKS_A_NODE],
                                          .gateway_count = 1},
                                 .network = {.topology = NETWORK_FAT_TREE,
                                             .wire.latency_ps = 120 * PS_PER_NS,
                                             .wire.rate_Bps = 25000000000,
                                             .radix = 18,
                                             .uplinks = 18}};
    return platform_get(&spec, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    struct halo halo = {.sides = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3])},
                        .iterations = atoll(argv[4])};
    struct transport_spec spec = {.kind = TRANSPORT_SEGMENT,
                                  .segment_bytes = 4096,
                                  .segments = argc > 5 ? atoll(argv[5]) : 4};
    halo.sim = sim_new(1);
    halo.transport =
        transport_new(halo.sim, cluster(halo.sides[0] * halo.sides[1] * halo.sides[2]), &spec);
    start_ranks(&halo);
    if (sim_run(halo.sim) != SIM_FINISHED)
        return 1;
    printf("%.9f\n", (double)sim_now(halo.sim) / (double)PS_PER_S);
    transport_free(halo.transport);
    sim_free(halo.sim);
    g_free(halo.ranks);
    return 0;
}
