/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/flush_port.h"

#include "core/event.h"

void flush_port_init(struct flush_port *port)
{
    signal_init(&port->turn);
}

bool flush_port_serves(const struct flush_port *port, address at)
{
    return port->gather_ps > 0 &&
           (!port->is_flushing || address_slot(at) == address_slot(port->at));
}

static void begin(struct flush_port *port);

static void is_back(struct bus_request *request, void *argument)
{
    struct flush_port *port = argument;
    (void)request;
    int64_t served = port->served;
    port->is_flushing = port->later > 0;
    if (port->is_flushing)
        begin(port);
    for (int64_t i = 0; i < served; i++)
        signal_one(&port->turn);
}

static void send_read(void *argument)
{
    struct flush_port *port = argument;
    struct bus_request *request = bus_request(port->bus);
    port->served = port->later;
    port->later = 0;
    request->op = BUS_READ;
    request->from_slot = port->slot;
    request->is_flush = true;
    request->at = port->at & ~UINT64_C(3);
    request->bytes = sizeof(uint32_t);
    request->done = is_back;
    request->argument = port;
    bus_send(port->bus, request, 0);
}

static void begin(struct flush_port *port)
{
    port->is_flushing = true;
    event_schedule(port->sim->events, sim_now(port->sim) + port->gather_ps, send_read, port);
}

void flush_port_flush(struct flush_port *port, struct process *self, address at)
{
    process_sync(self);
    port->later++;
    if (!port->is_flushing) {
        port->at = at;
        begin(port);
    }
    signal_wait(&port->turn, self, "a flush of what its GPU has posted");
}
