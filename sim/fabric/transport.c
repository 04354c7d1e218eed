/* SPDX-License-Identifier: BSD-3-Clause */
/* What all kinds of transport share: transfers from sending to arrival, and the counting of bytes.
 *
 * A transfer that occupies no link (0 bytes, or a port to itself) takes its latency alone. Arrivals have the early priority of
 * completions, so that an event that reacts to them at the same time sees all of them. A transfer is given back before its
 * `done` is called, which may send the next one. */
#include "fabric/transport.h"

#include <inttypes.h>

#include "core/check.h"
#include "core/param_use.h"
#include "core/pool.h"
#include "fabric/adaptive.h"
#include "fabric/link_use.h"
#include "fabric/transport_kind.h"

static const struct transport_kind_ops *const kind_ops[] = {&flow_ops, &segment_ops};

PARAM_TABLE_OF(transport_params, "transport", struct transport_spec, TRANSPORT_ROWS,
               "How bulk payloads move over the links.");

static void note_uses(struct param_use *uses, const struct transport_spec *spec)
{
    param_uses_only(uses, &transport_params, "kind", NULL);
    if (spec->kind == TRANSPORT_SEGMENT)
        param_uses_only(uses, &transport_params, "segment", "segments", NULL);
}

struct transport *transport_new(struct sim *sim, struct platform *platform,
                                const struct transport_spec *spec)
{
    check_always(spec->kind >= TRANSPORT_FLOW && spec->kind <= TRANSPORT_SEGMENT,
                 "unknown kind of transport %d", (int)spec->kind);
    check_always(spec->kind != TRANSPORT_SEGMENT || (spec->segment_bytes > 0 && spec->segments > 0),
                 "%" PRId64 " segments of %" PRId64 " bytes", spec->segments, spec->segment_bytes);
    struct transport *transport = g_new0(struct transport, 1);
    transport->sim = sim;
    transport->platform = platform;
    transport->spec = *spec;
    transport->use.platform = platform;
    transport->ops = kind_ops[spec->kind];
    transport->link_bytes = g_new0(int64_t, 2 * platform_link_count(platform));
    pool_init(&transport->transfers, transport->ops->transfer_bytes);
    transport->adaptive = adaptive_new(platform);
    transport->kind = transport->ops->open(transport);
    return transport;
}

void transport_free(struct transport *transport)
{
    if (!transport)
        return;
    LIST_EACH (struct transfer, transfer, &transport->transfers_alive, link)
        if (!event_cancel(transport->sim->events, transfer->arrival))
            transport->ops->drop(transport->kind, transfer);
    transport->ops->close(transport->kind);
    adaptive_free(transport->adaptive);
    pool_clear(&transport->transfers);
    link_use_clear(&transport->use);
    g_free(transport->link_bytes);
    g_free(transport->tracks);
    g_free(transport);
}

/* --- a transfer's life ------------------------------------------------------------------------ */

static struct transfer *transfer_new(struct transport *transport, int from, int gateway,
                                     int to_gateway, int to, int64_t bytes,
                                     const struct transport_calls *calls)
{
    if (transport->next_number == 0)
        note_uses(&transport->sim->uses, &transport->spec);
    check_release(bytes >= 0, "a transfer of %" PRId64 " bytes", bytes);
    struct transfer *transfer = pool_take(&transport->transfers);
    transfer->transport = transport;
    transfer->route = platform_route_via(transport->platform, from, gateway, to_gateway, to);
    transfer->from = from;
    transfer->to = to;
    transfer->bytes = bytes;
    transfer->number = transport->next_number++;
    transfer->calls = *calls;
    transfer->sent_ps = sim_now(transport->sim);
    list_append(&transport->transfers_alive, &transfer->link);
    check_always(!__builtin_add_overflow(transport->bytes_sent, bytes, &transport->bytes_sent),
                 "more than 2^63 - 1 bytes are sent over the links");
    if (transport->adaptive && bytes > 0)
        transfer->route = adaptive_enter(transport->adaptive, transfer->route, bytes);
    return transfer;
}

static void set_out(struct transfer *transfer)
{
    struct transport *transport = transfer->transport;
    if (transfer->bytes == 0 || transfer->route->count == 0)
        transport_leave_links(transfer);
    else
        transport->ops->occupy(transport->kind, transfer);
}

void transport_send_via(struct transport *transport, int from, int gateway, int to_gateway, int to,
                        int64_t bytes, const struct transport_calls *calls)
{
    set_out(transfer_new(transport, from, gateway, to_gateway, to, bytes, calls));
}

void transport_send_bulk(struct transport *transport, int from, int gateway, int to_gateway, int to,
                         int64_t bytes, const struct transport_calls *calls)
{
    struct transfer *transfer =
        transfer_new(transport, from, gateway, to_gateway, to, bytes, calls);
    if (transport->use.buses > 0 && bytes > 0)
        transfer->share = link_share_new(&transport->use, transfer->route);
    set_out(transfer);
}

struct link_use *transport_link_use(struct transport *transport)
{
    transport->use.buses++;
    return &transport->use;
}

/* Records a transfer on the track of the port that it left, and as a change of the bytes under way from that port. */
static void observe_transfer(const struct transfer *transfer)
{
    struct transport *transport = transfer->transport;
    struct observe *observe = &transport->sim->observe;
    sim_time now_ps = sim_now(transport->sim);
    if (transport->tracks == NULL)
        transport->tracks = g_new0(uint32_t, (size_t)platform_port_count(transport->platform));
    uint32_t *track = &transport->tracks[transfer->from];
    if (*track == 0)
        *track = observe_track(observe, platform_port_name(transport->platform, transfer->from),
                               "link out");
    observe_span(observe, *track, "transfer", transfer->sent_ps, now_ps, 0);
    observe_change(observe, *track, "link use", "B", transfer->sent_ps, transfer->bytes);
    observe_change(observe, *track, "link use", "B", now_ps, -transfer->bytes);
}

static void arrive(void *argument)
{
    struct transfer *transfer = argument;
    struct transport *transport = transfer->transport;
    struct transport_calls calls = transfer->calls;
    if (observe_wants_spans(&transport->sim->observe))
        observe_transfer(transfer);
    transport->bytes_arrived += transfer->bytes;
    list_remove(&transport->transfers_alive, &transfer->link);
    pool_give(&transport->transfers, transfer);
    calls.done(calls.argument);
}

static void has_paid(void *argument)
{
    transport_leave_links(argument);
}

/* Whether packets of a bus hold the transfer up for longer. */
static bool is_held_up(struct transfer *transfer)
{
    struct transport *transport = transfer->transport;
    sim_time owed_ps = link_share_owed_ps(&transport->use, transfer->share, transfer->route);
    if (owed_ps > 0) {
        transfer->arrival =
            event_schedule_priority(transport->sim->events, sim_now(transport->sim) + owed_ps,
                                    EVENT_EARLY, has_paid, transfer);
        return true;
    }
    link_share_free(&transport->use, transfer->share, transfer->route);
    transfer->share = NULL;
    return false;
}

void transport_leave_links(struct transfer *transfer)
{
    struct transport *transport = transfer->transport;
    if (transfer->share != NULL && is_held_up(transfer))
        return;
    transport_arrive_at(transfer, sim_now(transport->sim) + transfer->route->latency_ps);
    if (transport->adaptive && transfer->bytes > 0)
        adaptive_leave(transport->adaptive, transfer->route, transfer->bytes);
    if (transfer->calls.left != NULL)
        transfer->calls.left(transfer->calls.argument);
}

void transport_arrive_at(struct transfer *transfer, sim_time at_ps)
{
    transfer->arrival = event_schedule_priority(transfer->transport->sim->events, at_ps,
                                                EVENT_EARLY, arrive, transfer);
}

/* --- books ------------------------------------------------------------------------------------ */

int64_t transport_link_bytes(const struct transport *transport, platform_hop hop)
{
    return transport->link_bytes[hop];
}
