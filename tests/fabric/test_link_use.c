/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers of ranks and packets of a bus on the same links: each delays the other as the link's arbitration says, and no
 * bytes are lost or added. Writes of 32 bytes, which are 56 bytes on the wire, start one by one while 1 MB goes from cpu0 to
 * gpu0. */
#include "bus_test.h"
#include "fabric/link_use.h"

#define BULK_BYTES INT64_C(1000000)
#define WRITES 20
#define WIRE_BYTES 56

struct shared {
    struct machine machine;
    struct transport *transport;
    int from, to; /* slots of the writes */
    int64_t left; /* of them */
    sim_time sent_ps, greatest_ps, least_ps, bulk_end_ps;
};

static void write_done(struct bus_request *request, void *argument);

static void write_next(void *argument)
{
    struct shared *shared = argument;
    struct bus_request *request = bus_request(shared->machine.bus);
    request->op = BUS_WRITE;
    request->from_slot = shared->from;
    request->at = address_make(shared->to, 0);
    request->bytes = 32;
    request->done = write_done;
    request->argument = shared;
    shared->sent_ps = sim_now(shared->machine.sim);
    bus_send(shared->machine.bus, request, 0);
}

static void write_done(struct bus_request *request, void *argument)
{
    struct shared *shared = argument;
    sim_time took_ps = sim_now(shared->machine.sim) - shared->sent_ps;
    (void)request;
    shared->greatest_ps = MAX(shared->greatest_ps, took_ps);
    shared->least_ps = shared->least_ps > 0 ? MIN(shared->least_ps, took_ps) : took_ps;
    if (--shared->left > 0)
        event_schedule(shared->machine.sim->events, sim_now(shared->machine.sim) + PS_PER_US,
                       write_next, shared);
}

static void bulk_ends(void *argument)
{
    struct shared *shared = argument;
    shared->bulk_end_ps = sim_now(shared->machine.sim);
}

/* Sums up "write_bytes". */
static void add_bytes(const char *path, const struct stat_info *info, const char *field,
                      double value, void *argument)
{
    (void)path, (void)field;
    if (strcmp(info->name, "write_bytes") == 0)
        *(int64_t *)argument += (int64_t)value;
}

static int64_t write_bytes(const struct sim *sim)
{
    int64_t bytes = 0;
    stat_visit(sim->stats, sim_now(sim), add_bytes, &bytes);
    return bytes;
}

static int64_t bytes_on_links(const struct shared *shared, const struct platform *platform)
{
    int64_t bytes = 0;
    for (size_t hop = 0; hop < 2 * platform_link_count(platform); hop++)
        bytes += transport_link_bytes(shared->transport, (platform_hop)hop);
    return bytes;
}

/* `writes` from slot to slot, and the bulk if `bulk_bytes` > 0. */
static struct shared run(int kind, int from, int to, int64_t writes, int64_t bulk_bytes)
{
    const struct transport_spec transport = {
        .kind = kind, .segment_bytes = 4096, .segments = NO_MOST_SEGMENTS};
    struct shared shared = {.from = from, .to = to, .left = writes};
    machine_init(&shared.machine);
    struct platform *platform = two_nodes(10 * GBps);
    shared.transport = transport_new(shared.machine.sim, platform, &transport);
    bus_share_links(shared.machine.bus, transport_link_use(shared.transport));
    if (bulk_bytes > 0)
        transport_send_bulk(shared.transport, SLOTS + CPU, -1, -1, SLOTS + GPU, bulk_bytes,
                            &(struct transport_calls){.done = bulk_ends, .argument = &shared});
    if (writes > 0)
        write_next(&shared);
    g_assert_cmpint(sim_run(shared.machine.sim), ==, SIM_FINISHED);
    g_assert_cmpint(write_bytes(shared.machine.sim), ==, writes * WIRE_BYTES);
    g_assert_cmpint(bytes_on_links(&shared, platform), ==, 2 * bulk_bytes);
    g_assert_cmpint(shared.transport->bytes_arrived, ==, bulk_bytes);
    transport_free(shared.transport);
    machine_clear(&shared.machine);
    return shared;
}

static void both_slow_down(int kind)
{
    sim_time alone_ps = run(kind, CPU, GPU, 0, BULK_BYTES).bulk_end_ps;
    struct shared both = run(kind, CPU, GPU, WRITES, BULK_BYTES);
    g_assert_cmpint(run(kind, CPU, GPU, WRITES, 0).greatest_ps, ==, way_ps(WIRE_BYTES));
    g_assert_cmpint(both.least_ps, ==, way_ps(2 * WIRE_BYTES));
    g_assert_cmpint(both.greatest_ps, ==, way_ps(2 * WIRE_BYTES));
    g_assert_cmpint(both.bulk_end_ps - alone_ps, ==, WRITES * WIRE_BYTES * BYTE_PS);
}

static void flow(void)
{
    both_slow_down(TRANSPORT_FLOW);
}

static void segment(void)
{
    both_slow_down(TRANSPORT_SEGMENT);
}

/* Each direction of a link is one of its own; and so are other links. */
static void others_do_not(void)
{
    sim_time alone_ps = run(TRANSPORT_SEGMENT, CPU, GPU, 0, BULK_BYTES).bulk_end_ps;
    struct shared back = run(TRANSPORT_SEGMENT, GPU, CPU, WRITES, BULK_BYTES);
    g_assert_cmpint(back.greatest_ps, ==, way_ps(WIRE_BYTES));
    g_assert_cmpint(back.bulk_end_ps, ==, alone_ps);
    struct shared aside = run(TRANSPORT_SEGMENT, NIC, CPU, WRITES, BULK_BYTES);
    g_assert_cmpint(aside.greatest_ps, ==, way_ps(WIRE_BYTES));
    g_assert_cmpint(aside.bulk_end_ps, ==, alone_ps);
}

/* One link of the two in common: it alone counts. */
static void one_link(void)
{
    sim_time alone_ps = run(TRANSPORT_SEGMENT, CPU, GPU, 0, BULK_BYTES).bulk_end_ps;
    struct shared both = run(TRANSPORT_SEGMENT, NIC, GPU, WRITES, BULK_BYTES);
    g_assert_cmpint(both.greatest_ps, ==, way_ps(WIRE_BYTES) + WIRE_BYTES * BYTE_PS);
    g_assert_cmpint(both.bulk_end_ps - alone_ps, ==, WRITES * WIRE_BYTES * BYTE_PS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/link_use/flow", flow);
    add_test("/link_use/segment", segment);
    add_test("/link_use/others", others_do_not);
    add_test("/link_use/one-link", one_link);
    return g_test_run();
}
