/* SPDX-License-Identifier: BSD-3-Clause */
/* A node and its bus for tests, by numbers that are easy to work with by hand.
 *
 * The node: cpu0, gpu0 and nic0, each on a link of 10 GB/s and 100 ns to a root complex that takes
 * 50 ns; packets of a 24-byte header and at most 32 bytes of payload. 10 GB/s are 100 ps a byte. */
#pragma once

#include "fabric/bus.h"
#include "fabric_test.h"

enum { CPU, GPU, NIC, SLOTS };

#define LINK_PS (100 * PS_PER_NS)
#define SWITCH_PS (50 * PS_PER_NS)
#define BYTE_PS 100

static const struct bus_spec spec = {.wire.latency_ps = LINK_PS,
                                     .wire.rate_Bps = 10 * GBps,
                                     .switch_latency_ps = SWITCH_PS,
                                     .header_bytes = 24,
                                     .max_payload_bytes = 32};

/* From port to port: over two links, each of which takes the whole packet before the next one. */
static inline sim_time way_ps(int64_t wire_bytes)
{
    return 2 * (wire_bytes * BYTE_PS + LINK_PS) + SWITCH_PS;
}

struct device {
    struct machine *machine;
    int slot;
    sim_time delay_ps; /* until what arrives has been performed */
    int arrived;
    sim_time last_ps; /* arrival of the last request */
    uint64_t memory;  /* one word */
};

struct machine {
    struct sim *sim;
    struct bus *bus;
    struct device devices[SLOTS];
};

/* A request whose performing has been put off. */
struct put_off {
    struct device *device;
    struct bus_request *request;
};

static inline void perform(struct device *device, struct bus_request *request)
{
    uint64_t old = device->memory;
    if (request->op == BUS_ATOMIC) {
        if (request->atomic == ATOMIC_ADD)
            device->memory += request->operand;
        else if (request->atomic == ATOMIC_SWAP || old == request->compare)
            device->memory = request->operand;
        request->operand = old;
    } else if (request->op == BUS_READ) {
        memcpy(request->data, &device->memory, sizeof device->memory);
    } else {
        memcpy(&device->memory, request->data, sizeof device->memory);
    }
    bus_performed(device->machine->bus, request, 0);
}

static inline void perform_later(void *argument)
{
    struct put_off *later = argument;
    perform(later->device, later->request);
    g_free(later);
}

static inline void device_arrive(void *argument, struct bus_request *request)
{
    struct device *device = argument;
    struct sim *sim = device->machine->sim;
    device->arrived++;
    device->last_ps = sim_now(sim);
    if (device->delay_ps == 0) {
        perform(device, request);
        return;
    }
    struct put_off *later = g_new(struct put_off, 1);
    *later = (struct put_off){device, request};
    event_schedule(sim->events, sim_now(sim) + device->delay_ps, perform_later, later);
}

/* Two nodes; the bus under test is the second's. */
static inline struct platform *two_nodes(int64_t rate_Bps)
{
    static const char *const ports[] = {"cpu0", "gpu0", "nic0"}, *const root = "root0";
    struct node_link links[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        links[i] = (struct node_link){
            ports[i], root, {ports[i], bus_link_latency_ps(&spec), rate_Bps, false}};
    struct platform_spec platform = {
        .name = "bus",
        .nodes = 2,
        .node = {.ports = ports,
                 .port_count = SLOTS,
                 .switches = &root,
                 .switch_count = 1,
                 .links = links,
                 .link_count = SLOTS,
                 .gateways = &ports[SLOTS - 1],
                 .gateway_count = 1},
        .network = {.topology = NETWORK_STAR, .wire.latency_ps = 1, .wire.rate_Bps = GBps}};
    return get_platform(&platform);
}

static inline void machine_init_at(struct machine *machine, int64_t rate_Bps)
{
    machine->sim = sim_new(1);
    machine->bus = bus_new(machine->sim, two_nodes(rate_Bps), 1, &spec);
    for (int i = 0; i < SLOTS; i++) {
        machine->devices[i] = (struct device){.machine = machine, .slot = i};
        struct endpoint endpoint = {device_arrive, &machine->devices[i], 0};
        bus_attach(machine->bus, i, &endpoint);
    }
}

static inline void machine_init(struct machine *machine)
{
    machine_init_at(machine, 10 * GBps);
}

static inline void machine_clear(struct machine *machine)
{
    bus_free(machine->bus);
    sim_free(machine->sim);
}
