/* SPDX-License-Identifier: BSD-3-Clause */
/* What transfer.h promises, in both worlds: puts are blocking, quiet completes what was put, a fence keeps the order, a
 * barrier holds all, compute takes as long as was said. */
#include "workloads/transfer/transfer.h"

#include <glib.h>

#include "../designs.h"
#include "../fabric/fabric_test.h"
#include "../last_error.h"
#include "../software_test.h"

#define PLACES 4
#define BYTES (64 * 1024)
#define ROUNDS 3
#define STEP_PS (10 * PS_PER_US)

static const char *const design_names[] = {"dgpu",       "apu",           "comp-net",  "gpu-verbs",
                                           "triggered",  "charm-channel", "openmpi-d", "ampi-h",
                                           "spectrum-d", "cp-channel",    "charm4py-h"};

struct scene {
    struct machine_spec machine;
    struct world *world;
    bool has_ranks; /* its parties are no work-groups */
    struct transfer_buffer buffer;
    struct transfer_signals signals;
    sim_time from_ps[PLACES][ROUNDS], to_ps[PLACES][ROUNDS];
};

static bool scene_open(struct scene *scene, const char *name)
{
    static struct design design;
    static const struct job_place places[PLACES] = {
        {.node = 0}, {.node = 1}, {.node = 2}, {.node = 3}};
    *scene = (struct scene){.world = NULL};
    machine_spec_init(&scene->machine, software_tables());
    scene->machine.nodes = PLACES;
    design = test_design(name);
    struct world_setup setup = {.design = &design,
                                .seed = 1,
                                .places = places,
                                .place_count = PLACES,
                                .groups = 1,
                                .threads = 64,
                                .served_places = PLACES,
                                .heap_bytes = transfer_heap_bytes(1, BYTES) +
                                              transfer_signal_bytes(1, ROUNDS),
                                .has_channels = true,
                                .has_barrier = true};
    scene->world = world_new(&scene->machine, &setup, fresh_error());
    if (scene->world == NULL)
        return false;
    scene->has_ranks = design.initiator == INITIATOR_HOST;
    scene->buffer = world_buffer(scene->world, BYTES, TRANSFER_PAYLOAD);
    scene->signals = world_signals(scene->world, ROUNDS);
    return true;
}

/* Runs the program in a world of each design, and `check` on what it left. */
static void each(party_program *program, void (*check)(const struct scene *scene))
{
    for (size_t i = 0; i < G_N_ELEMENTS(design_names); i++) {
        struct scene scene;
        g_test_message("%s", design_names[i]);
        if (!scene_open(&scene, design_names[i]))
            g_error("%s: %s", design_names[i], last_words());
        void *arguments[PLACES] = {&scene, &scene, &scene, &scene};
        if (!world_run(scene.world, program, arguments, fresh_error()))
            g_error("%s: %s", design_names[i], last_words());
        check(&scene);
        world_free(scene.world);
    }
}

/* No payload is faster than a cable. */
static sim_time least_ps(const struct scene *scene, int64_t payloads)
{
    const struct network_spec *network = &scene->machine.network;
    return network->wire.latency_ps + transfer_ps(payloads * BYTES, network->wire.rate_Bps);
}

static void put_program(struct party *party, void *argument)
{
    struct scene *scene = argument;
    if (party->place == 1)
        transfer_serve(party, &(struct party_call){.place = 0});
    if (party->place != 0)
        return;
    for (int i = 0; i < ROUNDS; i++) {
        scene->from_ps[0][i] = party_now(party);
        transfer_put(party,
                     &(struct party_call){.place = 1, .buffer = scene->buffer, .bytes = BYTES});
        scene->to_ps[0][i] = party_now(party);
    }
    transfer_leave(party, &(struct party_call){.place = 1});
}

/* Each comes back when its data are there: no sooner than there and back. */
static void check_put(const struct scene *scene)
{
    for (int i = 0; i < ROUNDS; i++)
        g_assert_cmpint(scene->to_ps[0][i] - scene->from_ps[0][i], >=,
                        least_ps(scene, 1) + scene->machine.network.wire.latency_ps);
}

static void test_put(void)
{
    each(put_program, check_put);
}

/* Place 0 puts with signals, with a fence between them or a quiet behind them. */
static void put_signals(struct party *party, struct scene *scene, bool is_fenced)
{
    scene->from_ps[0][0] = party_now(party);
    for (int i = 0; i < ROUNDS; i++) {
        transfer_put_signal(party, &(struct party_call){.place = 1,
                                                        .buffer = scene->buffer,
                                                        .bytes = BYTES,
                                                        .signals = scene->signals,
                                                        .index = i,
                                                        .value = 1});
        if (is_fenced)
            transfer_fence(party);
    }
    transfer_quiet(party);
    scene->to_ps[0][0] = party_now(party);
    transfer_quiet(party);
    scene->to_ps[0][1] = party_now(party);
}

static void wait_signals(struct party *party, struct scene *scene)
{
    for (int i = 0; i < ROUNDS; i++) {
        transfer_wait_signal(party, &(struct party_call){.buffer = scene->buffer,
                                                         .bytes = BYTES,
                                                         .signals = scene->signals,
                                                         .index = i,
                                                         .value = 1});
        scene->to_ps[1][i] = party_now(party);
    }
}

static void quiet_program(struct party *party, void *argument)
{
    if (party->place == 0)
        put_signals(party, argument, false);
    else if (party->place == 1)
        wait_signals(party, argument);
}

static void fence_program(struct party *party, void *argument)
{
    if (party->place == 0)
        put_signals(party, argument, true);
    else if (party->place == 1)
        wait_signals(party, argument);
}

/* All payloads have passed the cable by then, and nothing is left for a second one. */
static void check_quiet(const struct scene *scene)
{
    sim_time took_ps = scene->to_ps[0][0] - scene->from_ps[0][0];
    g_assert_cmpint(took_ps, >=, least_ps(scene, ROUNDS));
    g_assert_cmpint(scene->to_ps[0][1] - scene->to_ps[0][0], <, took_ps / 4);
}

static void test_quiet(void)
{
    each(quiet_program, check_quiet);
}

/* A signal that is seen has its payload, and those of all puts before it, behind it. */
static void check_fence(const struct scene *scene)
{
    for (int i = 0; i < ROUNDS; i++)
        g_assert_cmpint(scene->to_ps[1][i] - scene->from_ps[0][0], >=, least_ps(scene, i + 1));
}

static void test_fence(void)
{
    each(fence_program, check_fence);
}

/* Place p computes for p + 1 steps, and in the next round one less than the most. */
static void barrier_program(struct party *party, void *argument)
{
    struct scene *scene = argument;
    for (int i = 0; i < ROUNDS; i++) {
        sim_time start_ps = party_now(party);
        int64_t steps = (party->place + i) % PLACES + 1;
        transfer_compute(party, steps * STEP_PS);
        g_assert_cmpint(party_now(party) - start_ps, ==, steps * STEP_PS);
        scene->from_ps[party->place][i] = party_now(party);
        transfer_barrier(party);
        scene->to_ps[party->place][i] = party_now(party);
    }
}

/* Nobody leaves before the last has come, or long after: the last round's messages are two ways. */
static void check_barrier(const struct scene *scene)
{
    for (int i = 0; i < ROUNDS; i++) {
        sim_time last_ps = 0;
        for (int place = 0; place < PLACES; place++)
            last_ps = MAX(last_ps, scene->from_ps[place][i]);
        for (int place = 0; place < PLACES; place++) {
            g_assert_cmpint(scene->to_ps[place][i], >=,
                            last_ps + scene->machine.network.wire.latency_ps);
            g_assert_cmpint(scene->to_ps[place][i], <, last_ps + 2 * PS_PER_MS);
        }
    }
}

static void test_barrier(void)
{
    each(barrier_program, check_barrier);
}

/* Place 0 signals place 1 and sends it a message; when both have long come, place 1 waits for the one and then for
 * the other. */
static void receive_program(struct party *party, void *argument)
{
    struct scene *scene = argument;
    struct message message;
    if (party->place == 0) {
        transfer_put_signal(party, &(struct party_call){.place = 1,
                                                        .buffer = scene->buffer,
                                                        .bytes = BYTES,
                                                        .signals = scene->signals,
                                                        .index = 0,
                                                        .value = 1});
        transfer_send(party, &message,
                      &(struct party_call){
                          .place = 1, .buffer = scene->buffer, .bytes = BYTES, .channel = 0});
        transfer_wait(party, &message, 1);
    } else if (party->place == 1) {
        transfer_receive(
            party, &message,
            &(struct party_call){.buffer = scene->buffer, .bytes = BYTES, .channel = 0});
        transfer_compute(party, PS_PER_MS);
        scene->from_ps[1][0] = party_now(party);
        transfer_wait_signal(party, &(struct party_call){.buffer = scene->buffer,
                                                         .bytes = BYTES,
                                                         .signals = scene->signals,
                                                         .index = 0,
                                                         .value = 1});
        scene->to_ps[1][0] = scene->from_ps[1][1] = party_now(party);
        transfer_wait(party, &message, 1);
        scene->to_ps[1][1] = party_now(party);
    }
}

/* To a work-group both are a word that it has to look at once. */
static void check_receive(const struct scene *scene)
{
    sim_time signal_ps = scene->to_ps[1][0] - scene->from_ps[1][0];
    sim_time receive_ps = scene->to_ps[1][1] - scene->from_ps[1][1];
    g_assert_cmpint(scene->from_ps[1][0], >=, PS_PER_MS);
    if (!scene->has_ranks)
        g_assert_cmpint(receive_ps, ==, signal_ps);
}

static void test_receive(void)
{
    each(receive_program, check_receive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    add_test("/transfer/put", test_put);
    add_test("/transfer/quiet", test_quiet);
    add_test("/transfer/fence", test_fence);
    add_test("/transfer/barrier", test_barrier);
    g_test_add_func("/transfer/a-receive-is-waited-for-once", test_receive);
    return g_test_run();
}
