/* SPDX-License-Identifier: BSD-3-Clause */
/* Transport by LogGP: no links to contend for, only each port's own processor and NIC are taken.
 *
 * With t the time at which a transfer of s bytes goes, which is when both the sender's are free:
 *
 *   sender     processor taken until t + o + (s - 1) O, NIC until t + g + (s - 1) G
 *   wire       the first byte arrives at t + o + L
 *   receiver   from u, when it has arrived and both are free: processor taken until
 *              u + o + (s - 1) max(O, G), NIC until u + g + (s - 1) G; the transfer is done with the
 *              processor
 *
 * Every receive counts as posted. Above S (rendezvous) the sender's processor and NIC are not free before u:
 * it waits until the receiver takes the message. These are the rules of the LogGOPS machine
 * (fabric/loggp/loggp.h) for sends as they come; schedules with their own order of readiness, and ties by
 * LogGOPSim's rules, run on that machine.
 *
 * Source: Alexandrov et al., "LogGP", SPAA 1995; Hoefler et al., LogGOPSim, 2010. */
#include <glib.h>
#include <stdbool.h>

#include "core/check.h"
#include "fabric/transport_kind.h"

/* What is taken at a port, and what it has still to send. */
struct port_use {
    sim_time processor_free_ps, nic_free_ps;
    struct list waiting;  /* not gone yet, in the order of sending */
    bool awaits_receiver; /* its last transfer went by rendezvous */
};

struct ports_loggp {
    struct transport *transport;
    struct sim *sim;
    const struct transport_spec *spec;
    struct port_use *ports;
};

/* A transfer; its event is that of its first byte's arrival. */
struct loggp_transfer {
    struct transfer base;
    struct ports_loggp *on;
    event_handle first_byte;
    struct list_link link; /* at its port */
};

static sim_time later(sim_time one, sim_time other)
{
    return one > other ? one : other;
}

/* (s - 1) at a rate; a rate of 0 costs nothing. */
static sim_time further_bytes_ps(int64_t bytes, int64_t rate_Bps)
{
    return rate_Bps == 0 || bytes <= 1 ? 0 : transfer_ps(bytes - 1, rate_Bps);
}

static void count_links(struct ports_loggp *on, const struct transfer *transfer)
{
    for (size_t i = 0; i < transfer->route->count; i++)
        transport_count(on->transport, transfer->route->hops[i], transfer->bytes);
}

static bool is_rendezvous(const struct ports_loggp *on, const struct transfer *transfer)
{
    return transfer->bytes > on->spec->loggp_eager_bytes;
}

static void send_what_can_go(struct ports_loggp *on, struct port_use *from);

/* The receiver takes the message as soon as it is free. */
static void first_byte_arrives(void *argument)
{
    struct loggp_transfer *transfer = argument;
    struct ports_loggp *on = transfer->on;
    const struct transport_spec *spec = on->spec;
    struct port_use *from = &on->ports[transfer->base.from], *to = &on->ports[transfer->base.to];
    int64_t bytes = transfer->base.bytes;
    sim_time gap_ps = further_bytes_ps(bytes, spec->loggp_rate_Bps);
    sim_time work_ps = later(gap_ps, further_bytes_ps(bytes, spec->loggp_overhead_rate_Bps));
    sim_time taken_ps = later(sim_now(on->sim), later(to->processor_free_ps, to->nic_free_ps));
    to->processor_free_ps = moment_after(taken_ps, spec->loggp_overhead_ps + work_ps);
    to->nic_free_ps = moment_after(taken_ps, spec->loggp_gap_ps + gap_ps);
    count_links(on, &transfer->base);
    transport_arrive_at(&transfer->base, to->processor_free_ps);
    if (is_rendezvous(on, &transfer->base)) {
        from->processor_free_ps = later(from->processor_free_ps, taken_ps);
        from->nic_free_ps = later(from->nic_free_ps, taken_ps);
        from->awaits_receiver = false;
        send_what_can_go(on, from);
    }
}

/* Lets the port's transfers go one after the other, up to one by rendezvous. */
static void send_what_can_go(struct ports_loggp *on, struct port_use *from)
{
    const struct transport_spec *spec = on->spec;
    while (!list_is_empty(&from->waiting) && !from->awaits_receiver) {
        struct loggp_transfer *transfer = LIST_TAKE(&from->waiting, struct loggp_transfer, link);
        int64_t bytes = transfer->base.bytes;
        sim_time goes_ps =
            later(sim_now(on->sim), later(from->processor_free_ps, from->nic_free_ps));
        sim_time overhead_ps = further_bytes_ps(bytes, spec->loggp_overhead_rate_Bps);
        sim_time gap_ps = further_bytes_ps(bytes, spec->loggp_rate_Bps);
        from->processor_free_ps = moment_after(goes_ps, spec->loggp_overhead_ps + overhead_ps);
        from->nic_free_ps = moment_after(goes_ps, spec->loggp_gap_ps + gap_ps);
        from->awaits_receiver = is_rendezvous(on, &transfer->base);
        transfer->first_byte = event_schedule(
            on->sim->events, goes_ps + spec->loggp_overhead_ps + spec->loggp_latency_ps,
            first_byte_arrives, transfer);
    }
}

static void *open_ports(struct transport *transport)
{
    struct ports_loggp *on = g_new0(struct ports_loggp, 1);
    on->transport = transport;
    on->sim = transport_sim(transport);
    on->spec = transport_spec(transport);
    on->ports = g_new0(struct port_use, (gsize)platform_port_count(transport_platform(transport)));
    return on;
}

static void occupy(void *kind, struct transfer *base)
{
    struct ports_loggp *on = kind;
    struct loggp_transfer *transfer = (struct loggp_transfer *)base;
    struct port_use *from = &on->ports[base->from];
    transfer->on = on;
    list_append(&from->waiting, &transfer->link);
    send_what_can_go(on, from);
}

static void drop(void *kind, struct transfer *base)
{
    struct ports_loggp *on = kind;
    event_cancel(on->sim->events, ((struct loggp_transfer *)base)->first_byte);
}

static void close_ports(void *kind)
{
    struct ports_loggp *on = kind;
    g_free(on->ports);
    g_free(on);
}

const struct transport_kind_ops loggp_ops = {
    .transfer_bytes = sizeof(struct loggp_transfer),
    .takes_empty = true,
    .open = open_ports,
    .occupy = occupy,
    .drop = drop,
    .close = close_ports,
};
