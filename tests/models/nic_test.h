/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of the NIC's fronts share: three nodes; commands that are put into their queues, and stores
 * to registers, without a processor's time; when commands pass their stages. */
#pragma once

#include "model_test.h"
#include "models/nic/nic_queue.h"
#include "models/nic/nic_trigger.h"
#include "models/nic/verbs.h"

#define RIG_NODES 3
/* Slots of a node of one socket, GPU and NIC. */
#define RIG_HOST_SLOT 0
#define RIG_GPU_SLOT 1
#define RIG_SLOTS 3

#define RIG_ENTRIES 64
#define RIG_ROUNDING_PS 20 /* every link of a way rounds up */

struct rig {
    struct bench bench;
    struct observe_listener listener;
    struct rig_queue {
        address commands;
        int number;
        uint64_t posted;
    } queues[RIG_NODES];                                 /* one each */
    address words[RIG_NODES];                            /* a block of fine-grained memory each */
    address payloads[RIG_NODES];                         /* a large one */
    sim_time stage_ps[RIG_ENTRIES][STAGE_DELIVERED + 1]; /* by cookie; -1: not passed */
    int order[RIG_ENTRIES], delivered;                   /* cookies */
};

static inline void rig_note(void *observer, uint64_t cookie, enum stage stage, sim_time at_ps)
{
    struct rig *rig = observer;
    g_assert_cmpint(rig->stage_ps[cookie][stage], ==, -1);
    rig->stage_ps[cookie][stage] = at_ps;
    if (stage == STAGE_DELIVERED)
        rig->order[rig->delivered++] = (int)cookie;
}

static inline struct nic *rig_nic(struct rig *rig, int node)
{
    return nic_network_nic(rig->bench.cluster->nics, node, 0);
}

#define RIG_PAYLOAD_BYTES (INT64_C(1) << 20)

static inline void rig_start(struct rig *rig)
{
    GError *error = NULL;
    *rig = (struct rig){.bench.sim = sim_new(1)};
    machine_spec_init(&rig->bench.spec, NULL);
    rig->bench.spec.nodes = RIG_NODES;
    rig->bench.cluster = cluster_new(rig->bench.sim, &rig->bench.spec, NODE_DISCRETE, &error);
    g_assert_no_error(error);
    for (int node = 0; node < RIG_NODES; node++) {
        struct cluster *cluster = rig->bench.cluster;
        struct rig_queue *queue = &rig->queues[node];
        queue->commands = site_allocate(cluster, cluster_site(cluster, node, 0), MEMORY_HOST,
                                        RIG_ENTRIES * 64, STORE_FINE_GRAINED);
        address completions = site_allocate(cluster, cluster_site(cluster, node, 0), MEMORY_HOST,
                                            RIG_ENTRIES * 16, STORE_FINE_GRAINED);
        queue->number =
            nic_add_queue(rig_nic(rig, node), queue->commands, completions, RIG_ENTRIES);
        rig->words[node] = site_allocate(cluster, cluster_site(cluster, node, 0), MEMORY_HOST, 4096,
                                         STORE_FINE_GRAINED);
        rig->payloads[node] = site_allocate(cluster, cluster_site(cluster, node, 0), MEMORY_HOST,
                                            RIG_PAYLOAD_BYTES, STORE_PAYLOAD);
    }
    rig->listener = (struct observe_listener){.self = rig, .stage = rig_note};
    observe_listen(&rig->bench.sim->observe, &rig->listener);
    memset(rig->stage_ps, -1, sizeof rig->stage_ps);
}

static inline void rig_run(struct rig *rig)
{
    g_assert_cmpint(sim_run(rig->bench.sim), ==, SIM_FINISHED);
}

static inline struct store *rig_memory(struct rig *rig, int node)
{
    return host_directory(cluster_site(rig->bench.cluster, node, 0)->host)->store;
}

/* An 8-byte store of the device in `slot`, from `delay_ps` on. */
static inline void rig_store(struct rig *rig, int node, int slot, address at, uint64_t value,
                             sim_time delay_ps)
{
    struct bus *bus = cluster_site(rig->bench.cluster, node, 0)->bus;
    struct bus_request *request = bus_request(bus);
    request->op = BUS_WRITE;
    request->from_slot = slot;
    request->at = at;
    request->bytes = sizeof value;
    memcpy(request->data, &value, sizeof value);
    bus_send(bus, request, delay_ps);
}

/* Puts a command into the queue of the node; then rings for all that are there. */
static inline void rig_write(struct rig *rig, int node, struct nic_command command)
{
    struct rig_queue *queue = &rig->queues[node];
    address place = queue->commands + queue->posted++ % RIG_ENTRIES * sizeof command;
    store_write(rig_memory(rig, node), place, &command, sizeof command);
}

static inline void rig_ring(struct rig *rig, int node)
{
    const struct rig_queue *queue = &rig->queues[node];
    rig_store(rig, node, RIG_HOST_SLOT, nic_doorbell(rig_nic(rig, node), queue->number),
              queue->posted, 0);
}

/* A verbs operation on host memory of both nodes. */
static inline struct verbs_operation rig_verbs(int node, int remote_node, int64_t bytes,
                                               uint64_t cookie)
{
    return (struct verbs_operation){.node = node,
                                    .remote_node = remote_node,
                                    .core_port = node * RIG_SLOTS + RIG_HOST_SLOT,
                                    .local_port = node * RIG_SLOTS + RIG_HOST_SLOT,
                                    .remote_port = remote_node * RIG_SLOTS + RIG_HOST_SLOT,
                                    .bytes = bytes,
                                    .cookie = cookie};
}

static inline sim_time rig_between(const struct rig *rig, int cookie, enum stage from,
                                   enum stage to)
{
    g_assert_cmpint(rig->stage_ps[cookie][from], >=, 0);
    g_assert_cmpint(rig->stage_ps[cookie][to], >=, 0);
    return rig->stage_ps[cookie][to] - rig->stage_ps[cookie][from];
}

/* One way over the network for the payload and headers of a packet: both cables' latency, and its bytes. */
static inline sim_time rig_wire_ps(const struct rig *rig, int64_t payload)
{
    const struct machine_spec *spec = &rig->bench.spec;
    return 2 * spec->network.wire.latency_ps +
           transfer_ps(payload + spec->nic.packet_header_bytes, spec->network.wire.rate_Bps);
}

static inline void rig_assert_near(sim_time found_ps, sim_time expected_ps)
{
    g_test_message("expected %" G_GINT64_FORMAT " ps, found %" G_GINT64_FORMAT " ps", expected_ps,
                   found_ps);
    g_assert_cmpint(found_ps, >=, expected_ps - RIG_ROUNDING_PS);
    g_assert_cmpint(found_ps, <=, expected_ps + RIG_ROUNDING_PS);
}
