/* The way of an RDMA operation:
 *
 *   write  doorbell -> command pipeline -> payload fetched -> wire -> landed -> delivered, in the order
 *          of its queue -> acknowledgement -> completion entry
 *   read   doorbell -> command pipeline -> request -> payload fetched there -> wire -> completion entry
 *
 * A payload occupies all links from memory to memory at once (fabric/transport.h); what the NICs add is in
 * front of it and behind it. Left out: retransmission, credits, reads that wait for the responder's own
 * commands. */
#include "models/nic/verbs.h"

#include <glib.h>
#include <stdio.h>

#include "core/check.h"
#include "core/pool.h"
#include "core/stat.h"

static const struct stat_info writes_info = {"writes", "1", "RDMA writes posted"};
static const struct stat_info reads_info = {"reads", "1", "RDMA reads posted"};
static const struct stat_info bytes_info = {"payload_bytes", "B", "payload of what was posted"};

struct verbs {
    struct sim *sim;
    struct platform *platform;
    struct transport *transport;
    const struct nic_spec *nic;
    const struct bus_spec *bus;
    int64_t nics_per_node;
    int ports_per_node;
    int *nic_slots;         /* by rail: its port is that of its node's first port plus this */
    sim_time *latencies_ps; /* between two ports of a node; -1 until asked for */
    sim_time *free_ps;      /* by NIC: when it takes its next command */
    struct pool transfers;  /* of struct verbs_transfer */
    struct stat_counter *writes, *reads, *bytes;
};

/* An operation under way. */
struct verbs_transfer {
    struct verbs_operation operation;
    struct verbs *verbs;
    struct verbs_transfer *next;      /* in its queue */
    struct verbs_transfer *next_held; /* behind it, waiting for the wires */
    bool is_read;
    bool has_landed;
};

struct verbs *verbs_new(struct sim *sim, struct platform *platform, struct transport *transport,
                        const struct nic_spec *nic, const struct bus_spec *bus,
                        int64_t nics_per_node)
{
    struct verbs *verbs = g_new0(struct verbs, 1);
    verbs->sim = sim;
    verbs->platform = platform;
    verbs->transport = transport;
    verbs->nic = nic;
    verbs->bus = bus;
    verbs->nics_per_node = nics_per_node;
    verbs->nic_slots = g_new(int, (gsize)nics_per_node);
    for (int64_t rail = 0; rail < nics_per_node; rail++) {
        char name[32];
        snprintf(name, sizeof name, "nic%lld", (long long)rail);
        verbs->nic_slots[rail] = platform_port(platform, 0, name);
        check_always(verbs->nic_slots[rail] >= 0, "no port %s on the platform", name);
    }
    int next_node = platform_port(platform, 1, "nic0");
    int ports = platform_port_count(platform);
    verbs->ports_per_node = next_node < 0 ? ports : next_node - verbs->nic_slots[0];
    int pairs = verbs->ports_per_node * verbs->ports_per_node;
    verbs->latencies_ps = g_new(sim_time, (gsize)pairs);
    for (int pair = 0; pair < pairs; pair++)
        verbs->latencies_ps[pair] = -1;
    verbs->free_ps = g_new0(sim_time, (gsize)(ports / verbs->ports_per_node * nics_per_node));
    pool_init(&verbs->transfers, sizeof(struct verbs_transfer));
    verbs->writes = stat_counter_new(sim->stats, "verbs", &writes_info);
    verbs->reads = stat_counter_new(sim->stats, "verbs", &reads_info);
    verbs->bytes = stat_counter_new(sim->stats, "verbs", &bytes_info);
    return verbs;
}

void verbs_free(struct verbs *verbs)
{
    if (verbs == NULL)
        return;
    pool_clear(&verbs->transfers);
    g_free(verbs->free_ps);
    g_free(verbs->latencies_ps);
    g_free(verbs->nic_slots);
    g_free(verbs);
}

/* --- small parts -------------------------------------------------------------------------------- */

static int nic_port(const struct verbs *verbs, int64_t node, int32_t rail)
{
    return (int)node * verbs->ports_per_node + verbs->nic_slots[rail];
}

static int local_nic(const struct verbs_transfer *transfer)
{
    return nic_port(transfer->verbs, transfer->operation.node, transfer->operation.rail);
}

static int remote_nic(const struct verbs_transfer *transfer)
{
    const struct verbs_operation *operation = &transfer->operation;
    return nic_port(transfer->verbs, operation->remote_node, operation->remote_rail);
}

/* Between two ports of a node; nodes are alike. */
static sim_time latency_ps(struct verbs *verbs, int from, int to)
{
    int ports = verbs->ports_per_node;
    sim_time *known_ps = &verbs->latencies_ps[from % ports * ports + to % ports];
    if (*known_ps < 0)
        *known_ps = platform_route(verbs->platform, from, to)->latency_ps;
    return *known_ps;
}

/* A payload of that many bytes on the wires of the bus. */
static sim_time bus_ps(const struct verbs *verbs, int64_t bytes)
{
    return transfer_ps(bus_wire_bytes(verbs->bus, bytes), verbs->bus->rate_Bps);
}

/* The first packet, whole, on a bus. */
static sim_time first_packet_ps(const struct verbs_transfer *transfer)
{
    const struct verbs *verbs = transfer->verbs;
    return bus_ps(verbs, MIN(transfer->operation.bytes, verbs->nic->packet_payload_bytes));
}

/* From a NIC's read request until it has the first packet; what the bytes take from the memory to the
 * NIC is the transport's. */
static sim_time fetch_ps(const struct verbs_transfer *transfer, int nic, int memory)
{
    struct verbs *verbs = transfer->verbs;
    return latency_ps(verbs, nic, memory) +
           transfer_ps(verbs->bus->header_bytes, verbs->bus->rate_Bps) + first_packet_ps(transfer);
}

static void after(struct verbs_transfer *transfer, sim_time delay_ps, event_fn *then)
{
    struct sim *sim = transfer->verbs->sim;
    event_schedule(sim->events, sim_now(sim) + delay_ps, then, transfer);
}

/* --- the end ------------------------------------------------------------------------------------ */

static void completed(void *argument)
{
    struct verbs_transfer *transfer = argument;
    struct verbs_operation operation = transfer->operation;
    pool_give(&transfer->verbs->transfers, transfer);
    if (operation.completed != NULL)
        operation.completed(operation.argument);
}

/* The initiator's NIC handles the acknowledgement and writes the completion entry. */
static void acknowledged(void *argument)
{
    struct verbs_transfer *transfer = argument;
    struct verbs *verbs = transfer->verbs;
    after(transfer,
          verbs->nic->packet_latency_ps +
              latency_ps(verbs, local_nic(transfer), transfer->operation.core_port) +
              bus_ps(verbs, sizeof(struct nic_completion)),
          completed);
}

static void deliver(struct verbs_transfer *transfer)
{
    struct verbs *verbs = transfer->verbs;
    struct verbs_operation operation = transfer->operation;
    if (operation.completed == NULL)
        pool_give(&verbs->transfers, transfer);
    else
        transport_send_via(verbs->transport, remote_nic(transfer), operation.remote_rail,
                           operation.rail, local_nic(transfer), 0, acknowledged, transfer);
    if (operation.delivered != NULL)
        operation.delivered(operation.argument);
}

/* A write's last byte is in the other memory; it is seen when those before it in its queue are. */
static void landed(void *argument)
{
    struct verbs_transfer *transfer = argument;
    struct verbs_queue *queue = transfer->operation.queue;
    transfer->has_landed = true;
    if (queue == NULL) {
        deliver(transfer);
        return;
    }
    while (queue->first != NULL && queue->first->has_landed) {
        struct verbs_transfer *first = queue->first;
        queue->first = first->next;
        if (queue->first == NULL)
            queue->last = NULL;
        deliver(first);
    }
}

/* --- the beginning ------------------------------------------------------------------------------ */

static int64_t wire_bytes(const struct verbs *verbs, int64_t bytes)
{
    int64_t payload = verbs->nic->packet_payload_bytes;
    int64_t packets = bytes > 0 ? (bytes + payload - 1) / payload : 1;
    return bytes + packets * verbs->nic->packet_header_bytes;
}

static bool is_with_command(const struct verbs_transfer *transfer)
{
    return transfer->operation.is_inline || transfer->operation.bytes == 0;
}

/* Much more than any link carries in the latency of a way. Two payloads that began together end together,
 * and for that latency the links then are idle: with 1 MiB and more between such gaps it does not count. */
#define QUEUE_WINDOW_BYTES (INT64_C(1) << 20)

static bool is_full(const struct verbs_queue *queue)
{
    return queue->on_wire >= 2 && queue->on_wire_bytes >= QUEUE_WINDOW_BYTES;
}

static void arrived(void *argument);

static void put_on_wire(struct verbs_transfer *transfer)
{
    struct verbs *verbs = transfer->verbs;
    const struct verbs_operation *operation = &transfer->operation;
    int64_t bytes = wire_bytes(verbs, operation->bytes);
    if (operation->queue != NULL) {
        operation->queue->on_wire++;
        operation->queue->on_wire_bytes += operation->bytes;
    }
    if (transfer->is_read)
        transport_send_via(verbs->transport, operation->remote_port, operation->remote_rail,
                           operation->rail, operation->local_port, bytes, arrived, transfer);
    else
        transport_send_via(verbs->transport,
                           is_with_command(transfer) ? local_nic(transfer) : operation->local_port,
                           operation->rail, operation->remote_rail, operation->remote_port, bytes,
                           arrived, transfer);
}

static void send_payload(void *argument)
{
    struct verbs_transfer *transfer = argument;
    struct verbs_queue *queue = transfer->operation.queue;
    if (queue == NULL || (queue->first_held == NULL && !is_full(queue))) {
        put_on_wire(transfer);
        return;
    }
    *(queue->first_held != NULL ? &queue->last_held->next_held : &queue->first_held) = transfer;
    queue->last_held = transfer;
}

static void leave_wire(struct verbs_queue *queue, int64_t bytes)
{
    queue->on_wire--;
    queue->on_wire_bytes -= bytes;
    while (queue->first_held != NULL && !is_full(queue)) {
        struct verbs_transfer *next = queue->first_held;
        queue->first_held = next->next_held;
        put_on_wire(next);
    }
}

/* A read's completion entry follows its data. */
static void arrived(void *argument)
{
    struct verbs_transfer *transfer = argument;
    const struct verbs *verbs = transfer->verbs;
    if (transfer->operation.queue != NULL)
        leave_wire(transfer->operation.queue, transfer->operation.bytes);
    sim_time handled_ps = verbs->nic->packet_latency_ps + first_packet_ps(transfer);
    if (transfer->is_read)
        after(transfer, handled_ps + bus_ps(verbs, sizeof(struct nic_completion)), completed);
    else
        after(transfer, handled_ps, landed);
}

static void request_arrived(void *argument)
{
    struct verbs_transfer *transfer = argument;
    after(transfer,
          transfer->verbs->nic->packet_latency_ps +
              fetch_ps(transfer, remote_nic(transfer), transfer->operation.remote_port),
          send_payload);
}

static void send_request(void *argument)
{
    struct verbs_transfer *transfer = argument;
    const struct verbs_operation *operation = &transfer->operation;
    transport_send_via(transfer->verbs->transport, local_nic(transfer), operation->rail,
                       operation->remote_rail, remote_nic(transfer), 0, request_arrived, transfer);
}

/* The doorbell has arrived. */
static void take_command(void *argument)
{
    struct verbs_transfer *transfer = argument;
    struct verbs *verbs = transfer->verbs;
    const struct verbs_operation *operation = &transfer->operation;
    sim_time *free_ps = &verbs->free_ps[operation->node * verbs->nics_per_node + operation->rail];
    sim_time now_ps = sim_now(verbs->sim);
    sim_time wait_ps = MAX(0, *free_ps - now_ps);
    *free_ps = now_ps + wait_ps + verbs->nic->command_gap_ps;
    sim_time ready_ps = wait_ps + verbs->nic->command_latency_ps;
    if (transfer->is_read)
        after(transfer, ready_ps, send_request);
    else if (is_with_command(transfer))
        after(transfer, ready_ps, send_payload);
    else
        after(transfer, ready_ps + fetch_ps(transfer, local_nic(transfer), operation->local_port),
              send_payload);
}

static void check_operation(const struct verbs *verbs, const struct verbs_operation *operation)
{
    check_release(operation->bytes >= 0, "an RDMA operation of %lld bytes",
                  (long long)operation->bytes);
    check_release(operation->node != operation->remote_node, "RDMA within node %lld",
                  (long long)operation->node);
    check_release(operation->rail >= 0 && operation->rail < verbs->nics_per_node &&
                      operation->remote_rail >= 0 && operation->remote_rail < verbs->nics_per_node,
                  "rails %d and %d of %lld", (int)operation->rail, (int)operation->remote_rail,
                  (long long)verbs->nics_per_node);
    check_release(operation->core_port / verbs->ports_per_node == operation->node &&
                      operation->local_port / verbs->ports_per_node == operation->node &&
                      operation->remote_port / verbs->ports_per_node == operation->remote_node,
                  "ports %d, %d and %d are not of nodes %lld and %lld", (int)operation->core_port,
                  (int)operation->local_port, (int)operation->remote_port,
                  (long long)operation->node, (long long)operation->remote_node);
}

static struct verbs_transfer *post(struct verbs *verbs, const struct verbs_operation *operation,
                                   bool is_read)
{
    check_operation(verbs, operation);
    struct verbs_transfer *transfer = pool_take(&verbs->transfers);
    transfer->operation = *operation;
    transfer->verbs = verbs;
    transfer->is_read = is_read;
    int64_t inline_bytes = !is_read && operation->is_inline ? operation->bytes : 0;
    after(transfer,
          latency_ps(verbs, operation->core_port, local_nic(transfer)) +
              bus_ps(verbs, (int64_t)sizeof(struct nic_command) + inline_bytes),
          take_command);
    stat_count(is_read ? verbs->reads : verbs->writes, 1);
    stat_count(verbs->bytes, operation->bytes);
    return transfer;
}

void verbs_write(struct verbs *verbs, const struct verbs_operation *operation)
{
    struct verbs_transfer *transfer = post(verbs, operation, false);
    struct verbs_queue *queue = operation->queue;
    if (queue == NULL)
        return;
    *(queue->last != NULL ? &queue->last->next : &queue->first) = transfer;
    queue->last = transfer;
}

void verbs_read(struct verbs *verbs, const struct verbs_operation *operation)
{
    post(verbs, operation, true);
}
