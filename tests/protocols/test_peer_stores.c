/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between GPUs of a node without a NIC, for each agent that may move the data (axis `peer`): their times follow
 * formulas, and they are compared with transfers by a NIC. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../fabric/fabric_test.h"
#include "../last_error.h"
#include "../models/ac922_test.h"
#include "../software_test.h"
#include "workloads/transfer/transfer.h"

#define MOST_BYTES (1 << 20)

static struct machine_spec machine;

static void machine_open(void)
{
    struct machine_spec devices = ac922_spec();
    machine_spec_init(&machine, software_tables());
    machine.nodes = 2;
    machine.node = devices.node;
    machine.nvlink = devices.nvlink;
    machine.socket_link = devices.socket_link;
}

struct run {
    struct world *world;
    struct transfer_buffer buffer;
    struct transfer_signals signals;
    int64_t bytes;
    bool is_get;
    sim_time took_ps, signalled_ps;
};

static void program(struct party *party, void *argument)
{
    struct run *run = argument;
    sim_time start_ps = party_now(party);
    if (party->place == 1) {
        transfer_wait_signal(party, &(struct party_call){.buffer = run->buffer,
                                                         .bytes = run->bytes,
                                                         .signals = run->signals,
                                                         .index = 0,
                                                         .value = 7});
        run->signalled_ps = party_now(party);
        return;
    }
    if (run->is_get)
        transfer_get(party,
                     &(struct party_call){.place = 1, .buffer = run->buffer, .bytes = run->bytes});
    else
        transfer_put(party,
                     &(struct party_call){.place = 1, .buffer = run->buffer, .bytes = run->bytes});
    run->took_ps = party_now(party) - start_ps;
    transfer_put_signal(party, &(struct party_call){.place = 1,
                                                    .buffer = run->buffer,
                                                    .bytes = run->bytes,
                                                    .signals = run->signals,
                                                    .index = 0,
                                                    .value = 7});
    transfer_quiet(party);
}

/* A put or get of the first GPU to another one of its node, or of the other node; and a signal behind a put. */
static struct run go_here(const char *name, bool is_near, bool is_get, int64_t bytes)
{
    static struct design design;
    const struct job_place places[] = {{.node = 0}, {.node = is_near ? 0 : 1, .gpu = is_near}};
    struct run run = {.bytes = bytes, .is_get = is_get};
    design = test_design(name);
    struct world_setup setup = {.design = &design,
                                .seed = 1,
                                .places = places,
                                .place_count = 2,
                                .groups = 1,
                                .threads = 64,
                                .served_places = 2,
                                .heap_bytes = transfer_heap_bytes(1, MOST_BYTES) +
                                              transfer_signal_bytes(1, 1)};
    run.world = world_new(&machine, &setup, fresh_error());
    if (run.world == NULL)
        g_error("%s: %s", name, last_words());
    run.buffer = world_buffer(run.world, MOST_BYTES, TRANSFER_PAYLOAD);
    run.signals = world_signals(run.world, 1);
    if (!world_run(run.world, program, (void *[]){&run, &run}, fresh_error()))
        g_error("%s: %s", name, last_words());
    world_free(run.world);
    return run;
}

/* What go is to do, and its outcome: shared with a child, since a process holds one platform. */
static struct {
    const char *name;
    bool is_near, is_get;
    int64_t bytes;
    struct run run;
} * asked;

static void go_as_asked(void)
{
    asked->run = go_here(asked->name, asked->is_near, asked->is_get, asked->bytes);
}

static struct run go(const char *name, bool is_near, bool is_get, int64_t bytes)
{
    if (asked == NULL)
        asked = shared_memory(sizeof *asked);
    asked->name = name;
    asked->is_near = is_near;
    asked->is_get = is_get;
    asked->bytes = bytes;
    run_in_child((gconstpointer)(uintptr_t)go_as_asked);
    return asked->run;
}

/* What a longer NVLink adds: to a put the store's way and that of the read which pushes it, there and back; to a get its
 * load's, there and back, and the release that ends it. */
static void test_crossings(void)
{
    const sim_time more_ps = 100 * PS_PER_NS;
    machine_open();
    sim_time put_ps = go("rocshmem-ipc", true, false, 8).took_ps;
    sim_time get_ps = go("rocshmem-ipc", true, true, 8).took_ps;
    machine.nvlink.wire.latency_ps += more_ps;
    g_assert_cmpint(go("rocshmem-ipc", true, false, 8).took_ps - put_ps, ==, 2 * more_ps);
    g_assert_cmpint(go("rocshmem-ipc", true, true, 8).took_ps - get_ps, ==, 2 * more_ps);
}

/* No NIC has a part in it within the node; beyond, it carries all. */
static void test_nic(void)
{
    const sim_time more_ps = 10 * PS_PER_US;
    machine_open();
    struct run near = go("rocshmem-ipc", true, false, 256),
               far = go("rocshmem-ipc", false, false, 256);
    machine.nic.doorbell_latency_ps += more_ps;
    g_assert_cmpint(go("rocshmem-ipc", true, false, 256).took_ps, ==, near.took_ps);
    sim_time later_ps = go("rocshmem-ipc", false, false, 256).took_ps - far.took_ps;
    g_assert_cmpint(later_ps, >, more_ps - PS_PER_US); /* it polls for its end */
    g_assert_cmpint(later_ps, <, more_ps + PS_PER_US);
}

/* Large ones go no faster than the link, and a get as fast as a put within a factor: loads of a step are under way
 * together. */
static void test_rate(void)
{
    machine_open();
    sim_time link_ps = transfer_ps(MOST_BYTES, machine.nvlink.wire.rate_Bps);
    sim_time put_ps = go("rocshmem-ipc", true, false, MOST_BYTES).took_ps;
    sim_time get_ps = go("rocshmem-ipc", true, true, MOST_BYTES).took_ps;
    g_assert_cmpint(put_ps, >, link_ps);
    g_assert_cmpint(get_ps, >, link_ps);
    g_assert_cmpint(get_ps, <, 16 * put_ps);
}

/* Small puts: in less than half the time that a host thread or a NIC of one's own (V-271, V-272: 0.78
 * and 11.6 us). A signal comes behind its payload on each. */
static void test_against_proxy(void)
{
    machine_open();
    struct run stores = go("rocshmem-ipc", true, false, 4),
               proxy = go("rocshmem-ro", true, false, 4);
    struct run verbs = go("rocshmem-ipc{peer=nic}", true, false, 4);
    g_assert_cmpint(2 * stores.took_ps, <, proxy.took_ps);
    g_assert_cmpint(stores.took_ps, <, verbs.took_ps);
    g_assert_cmpint(stores.signalled_ps, >, stores.took_ps);
    g_assert_cmpint(proxy.signalled_ps, >, proxy.took_ps);
}

#define GPU_AGENT "gpu-warp{polling_rounds=1,peer=server}"
#define CORE "comp-net{polling_rounds=1,peer=server}"
#define HOST "dgpu-host-queue{polling_rounds=1,peer=server}"
#define PEER_COPY "dgpu-host-queue{polling_rounds=1,peer=peer_copy}"
#define COPY_ENGINE "dgpu-host-queue{polling_rounds=1,peer=copy_engine}"
static const char *const servers[] = {GPU_AGENT, CORE, HOST, PEER_COPY, COPY_ENGINE};

/* Whoever serves: within the node the NIC has no part in it, a signal comes behind its payload, and beyond the node all goes
 * as with peer = nic. */
static void test_servers(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(servers); i++) {
        g_autofree char *by_nic = g_strdup_printf(
            "%.*s,peer=nic}", (int)(strstr(servers[i], ",peer") - servers[i]), servers[i]);
        machine_open();
        struct run near = go(servers[i], true, false, 256), far = go(servers[i], false, false, 256);
        g_assert_cmpint(near.signalled_ps, >, near.took_ps);
        g_assert_cmpint(far.took_ps, ==, go(by_nic, false, false, 256).took_ps);
        g_assert_cmpint(near.took_ps, !=, go(by_nic, true, false, 256).took_ps);
        machine.nic.doorbell_latency_ps += 10 * PS_PER_US;
        g_assert_cmpint(go(servers[i], true, false, 256).took_ps, ==, near.took_ps);
        g_assert_cmpint(go(servers[i], false, false, 256).took_ps, >, far.took_ps);
    }
}

/* A longer link: its stores' way and that of what pushes them, there and back, as far as the work-group's next look. */
static void test_servers_crossings(void)
{
    const sim_time more_ps = 10 * PS_PER_US;
    static const char *const stores[] = {GPU_AGENT, CORE};
    for (size_t i = 0; i < G_N_ELEMENTS(stores); i++) {
        machine_open();
        sim_time put_ps = go(stores[i], true, false, 8).took_ps;
        machine.nvlink.wire.latency_ps += more_ps;
        sim_time later_ps = go(stores[i], true, false, 8).took_ps - put_ps;
        g_assert_cmpint(later_ps, >, 2 * more_ps - PS_PER_US);
        g_assert_cmpint(later_ps, <, 2 * more_ps + PS_PER_US);
    }
}

/* A copy takes the call, the setup and the wait for its end once each; words take none of them. */
static void test_copies(void)
{
    const sim_time more_ps = 50 * PS_PER_US;
    static const char *const copies[] = {PEER_COPY, COPY_ENGINE};
    for (size_t i = 0; i < G_N_ELEMENTS(copies); i++) {
        machine_open();
        sim_time put_ps = go(copies[i], true, false, 4096).took_ps;
        sim_time word_ps = go(copies[i], true, false, 8).took_ps;
        machine.cuda.copy_setup_ps += more_ps;
        machine.cuda.synchronize_ps += more_ps;
        machine.cuda.copy_call_ps += more_ps;
        sim_time later_ps = go(copies[i], true, false, 4096).took_ps - put_ps;
        g_assert_cmpint(later_ps, >, 3 * more_ps - PS_PER_US);
        g_assert_cmpint(later_ps, <, 3 * more_ps + PS_PER_US);
        g_assert_cmpint(go(copies[i], true, false, 8).took_ps, ==, word_ps);
    }
}

/* Large ones: no engine and no wavefront is faster than the link, and an engine is within a fifth of it. */
static void test_servers_rate(void)
{
    machine_open();
    sim_time link_ps = transfer_ps(MOST_BYTES, machine.nvlink.wire.rate_Bps);
    sim_time copy_ps = go(PEER_COPY, true, false, MOST_BYTES).took_ps;
    g_assert_cmpint(copy_ps, >, link_ps);
    g_assert_cmpint(copy_ps, <, link_ps + link_ps / 5 + 30 * PS_PER_US);
    g_assert_cmpint(go(GPU_AGENT, true, false, MOST_BYTES).took_ps, >, link_ps);
    g_assert_cmpint(go(GPU_AGENT, true, true, MOST_BYTES).took_ps, >, link_ps);
}

static void test_refusals(void)
{
    static const struct {
        const char *point, *says;
    } refused[] = {
        {"triggered{peer=work_group}", "a peer that is not the NIC takes initiator = kernel"},
        {"apu{peer=server}", "it takes peer = work_group or nic"},
        {"charm-channel{peer=server}", "a peer that is not the NIC takes initiator = kernel"},
        {"gpu-verbs{heap=host,peer=work_group}", "a peer that is not the NIC takes"},
        {"gpu-verbs{peer=server}", "takes peer = work_group or nic"},
        {"comp-net{peer=copy_engine}", "take server = host_thread"},
        {"smart-nic{peer=peer_copy}", "take server = host_thread"},
        {"comp-net{peer=server,copy_unroll=4}", "it takes peer = work_group, or peer = server and"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        struct design design;
        g_autoptr(GError) error = NULL;
        if (param_record_set_text(&design_record, &design, refused[i].point, &error))
            g_error("%s is taken", refused[i].point);
        if (strstr(error->message, refused[i].says) == NULL)
            g_error("%s: %s", refused[i].point, error->message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/peer_stores/crossings", test_crossings);
    g_test_add_func("/peer_stores/nic", test_nic);
    g_test_add_func("/peer_stores/rate", test_rate);
    g_test_add_func("/peer_stores/against_proxy", test_against_proxy);
    g_test_add_func("/peer_stores/servers", test_servers);
    g_test_add_func("/peer_stores/servers/crossings", test_servers_crossings);
    g_test_add_func("/peer_stores/copies", test_copies);
    g_test_add_func("/peer_stores/servers/rate", test_servers_rate);
    g_test_add_func("/peer_stores/refusals", test_refusals);
    return g_test_run();
}
