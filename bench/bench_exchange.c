/* SPDX-License-Identifier: BSD-3-Clause */
/* The halo exchange of a Jacobi3D at scale through the runtimes' transfer path, and nothing else: ranks with a GPU each in
 * a periodic grid, `odf` blocks a rank with six neighbours each, all faces sent and received at once and waited for. Seconds are
 * of the processor, and also told in operations of the yardstick. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../tests/protocols/runtime_test.h"
#include "yardstick.h"

enum { NEIGHBOURS = 6, GPUS_A_NODE = 6 };

struct exchange {
    int32_t sides[3]; /* of the grid of blocks */
    int32_t odf;      /* blocks a rank: neighbours in x */
    int64_t bytes;
    int64_t iterations;
    sim_time end_ps;
};

/* The block next to `block` in `direction` (x+, x-, y+, ...). */
static int32_t neighbour(const struct exchange *exchange, int32_t block, int direction)
{
    const int32_t *sides = exchange->sides;
    int32_t at[] = {block % sides[0], block / sides[0] % sides[1], block / (sides[0] * sides[1])};
    int axis = direction / 2;
    at[axis] = (at[axis] + (direction % 2 ? sides[axis] - 1 : 1)) % sides[axis];
    return at[0] + sides[0] * (at[1] + sides[1] * at[2]);
}

/* Tags tell apart the messages between two ranks: whose block they are for, from which side. */
static int tag_of(const struct exchange *exchange, int32_t to_block, int direction)
{
    return to_block % exchange->odf * NEIGHBOURS + direction;
}

static void iterate(struct trial *trial, struct job_process *process, struct message *messages)
{
    const struct exchange *exchange = trial->argument;
    int32_t rank = process->rank, faces = exchange->odf * NEIGHBOURS;
    for (int32_t face = 0; face < faces; face++) {
        int32_t block = rank * exchange->odf + face / NEIGHBOURS;
        int direction = face % NEIGHBOURS;
        int32_t from = neighbour(exchange, block, direction) / exchange->odf;
        messenger_receive(trial->runtime, rank, &messages[face], from,
                          tag_of(exchange, block, direction ^ 1),
                          job_device_block(process, (uint32_t)face + 1, exchange->bytes));
    }
    for (int32_t face = 0; face < faces; face++) {
        int32_t block = rank * exchange->odf + face / NEIGHBOURS;
        int direction = face % NEIGHBOURS;
        int32_t to = neighbour(exchange, block, direction);
        messenger_send(trial->runtime, rank, &messages[faces + face], to / exchange->odf,
                       tag_of(exchange, to, direction),
                       job_device_block(process, (uint32_t)(faces + face) + 1, exchange->bytes));
    }
    messenger_wait(trial->runtime, rank, messages, (size_t)faces * 2);
}

static void program(struct trial *trial, struct job_process *process)
{
    struct exchange *exchange = trial->argument;
    g_autofree struct message *messages =
        g_new0(struct message, (gsize)exchange->odf * 2 * NEIGHBOURS);
    for (int64_t i = 0; i < exchange->iterations; i++)
        iterate(trial, process, messages);
    exchange->end_ps = MAX(exchange->end_ps, sim_now(trial->sim));
}

static double megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void run(const char *design, int32_t ranks, struct exchange *exchange, int64_t segments)
{
    struct trial trial;
    trial_machine(&trial, ranks / GPUS_A_NODE);
    trial.spec.transport.kind = TRANSPORT_SEGMENT;
    if (segments > 0)
        trial.spec.transport.segments = segments;
    double before = yardstick_seconds();
    trial_run(&trial, design, ranks, program, exchange);
    double took = yardstick_seconds() - before;
    int64_t messages = (int64_t)ranks * exchange->odf * NEIGHBOURS * exchange->iterations;
    printf(
        "%-14s %5d ranks ODF %2d %3d iterations of %8d B %8.2f s %6.2f us a message %6.1f events "
        "%7.0f MB %12.3f us\n",
        design, ranks, exchange->odf, (int)exchange->iterations, (int)exchange->bytes, took,
        took * 1e6 / (double)messages, (double)event_executed(trial.sim->events) / (double)messages,
        megabytes(), (double)exchange->end_ps / (double)PS_PER_US);
    trial_end(&trial);
}

/* DESIGN BYTES ITERATIONS ODF [SEGMENTS]: one of them; else the table. */
int main(int argc, char **argv)
{
    struct exchange exchange = {.sides = {16, 16, 12}, .odf = 1};
    test_designs_load();
    const char *design = argc > 1 ? argv[1] : "charm-channel";
    exchange.bytes = argc > 2 ? atoll(argv[2]) : 98304;
    exchange.iterations = argc > 3 ? atoll(argv[3]) : 20;
    exchange.odf = argc > 4 ? atoi(argv[4]) : 1;
    exchange.sides[0] *= exchange.odf;
    run(design, 3072, &exchange, argc > 5 ? atoll(argv[5]) : 0);
    return 0;
}
