/* SPDX-License-Identifier: BSD-3-Clause */
/* 3,072 ranks on 512 nodes exchange messages with six neighbours each, with every runtime (192 ranks under sanitizers), as
 * in a large halo exchange: the run ends, and all bytes are received. Its time and memory are measured by bench
 * (bench/README.md). */
#include "../designs.h"
#include "../sanitized.h"
#include "runtime_test.h"

enum {
    SIDE_X = IS_SANITIZED ? 8 : 16,
    SIDE_Y = IS_SANITIZED ? 6 : 16,
    SIDE_Z = IS_SANITIZED ? 4 : 12,
    RANKS = SIDE_X * SIDE_Y * SIDE_Z,
    NEIGHBOURS = 6
};

static int32_t neighbour(int32_t rank, int direction)
{
    static const int sides[] = {SIDE_X, SIDE_Y, SIDE_Z};
    int at[] = {rank % SIDE_X, rank / SIDE_X % SIDE_Y, rank / (SIDE_X * SIDE_Y)};
    int axis = direction / 2;
    at[axis] = (at[axis] + (direction % 2 ? sides[axis] - 1 : 1)) % sides[axis];
    return at[0] + SIDE_X * (at[1] + SIDE_Y * at[2]);
}

struct halo {
    int64_t bytes;
    int64_t received;
};

static void exchange(struct trial *trial, struct job_process *process)
{
    struct halo *halo = trial->argument;
    struct message messages[2 * NEIGHBOURS];
    for (int direction = 0; direction < NEIGHBOURS; direction++) {
        struct block block = job_device_block(process, (uint32_t)direction + 1, halo->bytes);
        messenger_receive(trial->runtime, process->rank, &messages[direction],
                          neighbour(process->rank, direction), direction ^ 1, block);
    }
    for (int direction = 0; direction < NEIGHBOURS; direction++) {
        struct block block = job_device_block(process, (uint32_t)direction + 11, halo->bytes);
        messenger_send(trial->runtime, process->rank, &messages[NEIGHBOURS + direction],
                       neighbour(process->rank, direction), direction, block);
    }
    messenger_wait(trial->runtime, process->rank, messages, G_N_ELEMENTS(messages));
    for (int direction = 0; direction < NEIGHBOURS; direction++)
        halo->received += messages[direction].wire.bytes;
}

static void test_halo(gconstpointer data)
{
    struct trial trial;
    struct halo halo = {.bytes = 96 << 10};
    trial_machine(&trial, RANKS / 6);
    trial.spec.transport.kind = TRANSPORT_SEGMENT;
    trial.spec.transport.segment_bytes = 16 << 10;
    trial_run(&trial, data, RANKS, exchange, &halo);
    g_assert_cmpint(halo.received, ==, (int64_t)RANKS * NEIGHBOURS * halo.bytes);
    trial_end(&trial);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    for (int i = 0; host_designs()[i] != NULL; i++) {
        g_autofree char *path = g_strdup_printf("/neighbours/%s", host_designs()[i]);
        g_test_add_data_func(path, host_designs()[i], test_halo);
    }
    return g_test_run();
}
