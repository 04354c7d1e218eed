/* A command's way through the NIC:
 *
 *   doorbell -> fetch over the bus -> command pipeline (one every command_gap)
 *   get:  request packet -> the other NIC reads its node's memory -> payload -> written to memory here
 *   put:  memory read here (unless inline) -> payload -> written to memory there, and behind it, if
 *         asked for, a signal word -> acknowledgement
 *   atomic: request packet -> atomic in the other node's memory -> old value -> written here, if
 *         asked for; else an acknowledgement
 *   then a completion entry behind the payload.
 *
 * Payloads of up to a line travel with their contents, read and written as bus requests; larger ones
 * stream from memory to the receiving NIC as one transfer of the transport, and only their last line
 * is written as a bus request, so that whatever is ordered behind it is ordered behind them all.
 * A put completes when the other NIC has acknowledged that its payload is in memory. */
#include "models/nic/nic.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "core/pool.h"

#define SPEC struct nic_spec
static const struct param params[] = {
    PARAM_TIME(doorbell_latency, SPEC, "20ns", "0ns", "10us",
               "From the doorbell register to the command fetch."),
    PARAM_TIME(command_latency, SPEC, "50ns", "0ns", "10us",
               "From a fetched command to its first packet or memory read."),
    PARAM_TIME(command_gap, SPEC, "10ns", "0ns", "10us",
               "Between two commands: the reciprocal of the message rate."),
    PARAM_TIME(packet_latency, SPEC, "50ns", "0ns", "10us",
               "From a packet's arrival to what it causes."),
    PARAM_BYTES(packet_header, SPEC, "42B", "0B", "1KiB", "Headers and checks of a packet."),
    PARAM_BYTES(packet_payload, SPEC, "4KiB", "64B", "64KiB", "Largest payload of a packet."),
    PARAM_COUNT(fetch_depth, SPEC, "8", "1", "1024", "Command fetches in flight."),
};
#undef SPEC
PARAM_TABLE(nic_params, "nic", struct nic_spec, params,
            "A NIC: doorbell, command fetch over the bus, DMA, packets, completions.");

static const struct stat_info commands_info = {"commands", "1", "commands carried out"};
static const struct stat_info payload_info = {"payload_bytes", "B",
                                              "payload of the commands carried out"};

struct work_queue {
    struct nic *nic;
    int number;
    address commands, completions;
    int64_t entries;
    uint64_t announced;    /* commands, by the doorbells that have arrived */
    uint64_t rung;         /* commands, by the doorbells that have been seen */
    uint64_t fetched;      /* commands asked for */
    uint64_t completed;    /* completion entries written */
    sim_time *doorbell_ps; /* by entry: when its doorbell arrived */
};

/* A command being carried out; `home` issued it, `away` serves it. */
struct nic_operation {
    struct nic *home, *away;
    int queue;
    uint64_t index; /* of the command in its queue */
    struct nic_command command;
    uint8_t data[BUS_DATA_BYTES];
    void (*then)(struct nic_operation *operation); /* after the wait that is on */
};

struct nic {
    struct sim *sim;
    const struct nic_spec *spec;
    struct bus *bus;
    int slot;
    struct transport *transport;
    int first_port; /* of its node, on the platform */
    int rail;
    nic_peer_fn *peer;
    void *peer_argument;
    int64_t peer_count;
    GPtrArray *queues; /* of struct work_queue */
    int64_t fetches;   /* in flight */
    sim_time pipeline_free_ps;
    struct pool operations; /* of struct nic_operation */
    nic_observer_fn *observer;
    void *observer_argument;
    struct stat_counter *commands, *payload;
};

/* --- small parts ------------------------------------------------------------------------------- */

static void observe(const struct nic_operation *operation, enum nic_stage stage, sim_time at_ps)
{
    struct nic *nic = operation->home;
    if (nic->observer != NULL)
        nic->observer(nic->observer_argument, operation->command.cookie, stage, at_ps);
}

static void go_on(void *argument)
{
    struct nic_operation *operation = argument;
    operation->then(operation);
}

static void after(struct nic_operation *operation, sim_time delay_ps,
                  void (*then)(struct nic_operation *))
{
    struct sim *sim = operation->home->sim;
    operation->then = then;
    event_schedule(sim->events, sim_now(sim) + delay_ps, go_on, operation);
}

static bool is_large(const struct nic_operation *operation)
{
    return operation->command.bytes > BUS_DATA_BYTES;
}

static int64_t wire_bytes(const struct nic *nic, int64_t payload_bytes)
{
    int64_t packets =
        (payload_bytes + nic->spec->packet_payload_bytes - 1) / nic->spec->packet_payload_bytes;
    return payload_bytes + (packets > 0 ? packets : 1) * nic->spec->packet_header_bytes;
}

/* Sends a packet or a stream from `from_port`; `then` follows its handling at the other NIC. */
static void packet_has_arrived(void *argument)
{
    struct nic_operation *operation = argument;
    after(operation, operation->home->spec->packet_latency_ps, operation->then);
}

static void send(struct nic_operation *operation, int from_port, int to_port, int64_t payload_bytes,
                 void (*then)(struct nic_operation *))
{
    struct nic *nic = operation->home;
    operation->then = then;
    transport_send_via(nic->transport, from_port, nic->rail, nic->rail, to_port,
                       wire_bytes(nic, payload_bytes), packet_has_arrived, operation);
}

static int port_of(const struct nic *nic)
{
    return nic->first_port + nic->slot;
}

static struct bus_request *request_of(struct nic *nic, enum bus_op op, address at, size_t bytes)
{
    struct bus_request *request = bus_request(nic->bus);
    request->op = op;
    request->from_slot = nic->slot;
    request->at = at;
    request->bytes = (int64_t)bytes;
    return request;
}

/* --- payload in and out of a node's memory ----------------------------------------------------- */

static void payload_is_read(struct bus_request *request, void *argument)
{
    struct nic_operation *operation = argument;
    memcpy(operation->data, request->data, (size_t)request->bytes);
    operation->then(operation);
}

static void stream_may_start(struct bus_request *request, void *argument)
{
    (void)request;
    struct nic_operation *operation = argument;
    operation->then(operation);
}

/* Reads the payload at `at` in the node of `nic`; `then` goes on when its first bytes are at the NIC,
 * or, for a large payload, ready to stream from their memory. */
static void read_payload(struct nic *nic, struct nic_operation *operation, address at,
                         void (*then)(struct nic_operation *))
{
    bool large = is_large(operation);
    struct bus_request *request = request_of(nic, large ? BUS_READ_STREAM : BUS_READ, at,
                                             large ? BUS_DATA_BYTES : operation->command.bytes);
    operation->then = then;
    request->done = large ? stream_may_start : payload_is_read;
    request->argument = operation;
    bus_send(nic->bus, request, 0);
}

static void payload_is_written(struct bus_request *request, void *argument)
{
    (void)request;
    struct nic_operation *operation = argument;
    observe(operation, NIC_STAGE_DELIVERED, sim_now(operation->home->sim));
    operation->then(operation);
}

/* Writes the payload, or the last line of a large one, to `at`; `then` follows when it is in memory. */
static void write_payload(struct nic *nic, struct nic_operation *operation, address at,
                          void (*then)(struct nic_operation *))
{
    uint64_t bytes = operation->command.bytes;
    uint64_t last_line = is_large(operation) ? (bytes - 1) / BUS_DATA_BYTES * BUS_DATA_BYTES : 0;
    struct bus_request *request =
        request_of(nic, BUS_WRITE, at + last_line, (size_t)(bytes - last_line));
    memcpy(request->data, operation->data, (size_t)(bytes - last_line));
    operation->then = then;
    request->done = payload_is_written;
    request->argument = operation;
    bus_send(nic->bus, request, 0);
}

/* --- completion -------------------------------------------------------------------------------- */

static struct work_queue *queue_of(const struct nic_operation *operation)
{
    return g_ptr_array_index(operation->home->queues, (guint)operation->queue);
}

static void write_completion(struct nic_operation *operation)
{
    struct nic *nic = operation->home;
    struct work_queue *queue = queue_of(operation);
    uint64_t index = queue->completed++;
    struct nic_completion entry = {
        .cookie = operation->command.cookie,
        .valid = 1 - index / (uint64_t)queue->entries % 2,
    };
    address at = queue->completions + index % (uint64_t)queue->entries * sizeof entry;
    struct bus_request *request = request_of(nic, BUS_WRITE, at, sizeof entry);
    memcpy(request->data, &entry, sizeof entry);
    bus_send(nic->bus, request, 0);
    stat_count(nic->commands, 1);
    stat_count(nic->payload, (int64_t)operation->command.bytes);
}

static void free_operation(struct nic_operation *operation)
{
    pool_give(&operation->home->operations, operation);
}

/* --- get --------------------------------------------------------------------------------------- */

/* What a get or an atomic has brought: the completion entry follows it on the bus, behind it but
 * without waiting for it. */
static void payload_is_here(struct nic_operation *operation)
{
    write_payload(operation->home, operation, operation->command.local, free_operation);
    write_completion(operation);
}

static void get_payload_sets_out(struct nic_operation *operation)
{
    const struct nic *away = operation->away;
    int from =
        is_large(operation) ? away->first_port + address_slot(operation->command.remote) : port_of(away);
    send(operation, from, port_of(operation->home), (int64_t)operation->command.bytes,
         payload_is_here);
}

static void get_request_is_there(struct nic_operation *operation)
{
    read_payload(operation->away, operation, operation->command.remote, get_payload_sets_out);
}

static void start_get(struct nic_operation *operation)
{
    observe(operation, NIC_STAGE_ON_WIRE, sim_now(operation->home->sim));
    send(operation, port_of(operation->home), port_of(operation->away), 0, get_request_is_there);
}

/* --- put --------------------------------------------------------------------------------------- */

static void put_is_acknowledged(struct nic_operation *operation)
{
    write_completion(operation);
    free_operation(operation);
}

static void put_acknowledge(struct nic_operation *operation)
{
    send(operation, port_of(operation->away), port_of(operation->home), 0, put_is_acknowledged);
}

static void nothing_more(struct nic_operation *operation)
{
    (void)operation; /* the signal behind the payload acknowledges */
}

static void signal_is_written(struct bus_request *request, void *argument)
{
    (void)request;
    put_acknowledge(argument);
}

/* The signal follows the payload on the same way, so it cannot be seen before it. */
static void write_signal(struct nic_operation *operation)
{
    const struct nic_command *command = &operation->command;
    struct nic *away = operation->away;
    struct bus_request *request =
        request_of(away, BUS_WRITE, command->signal, sizeof command->signal_value);
    memcpy(request->data, &command->signal_value, sizeof command->signal_value);
    request->done = signal_is_written;
    request->argument = operation;
    bus_send(away->bus, request, 0);
}

static void put_payload_is_there(struct nic_operation *operation)
{
    bool has_signal = operation->command.signal != 0;
    write_payload(operation->away, operation, operation->command.remote,
                  has_signal ? nothing_more : put_acknowledge);
    if (has_signal)
        write_signal(operation);
}

static void put_payload_sets_out(struct nic_operation *operation)
{
    const struct nic *home = operation->home;
    int from =
        is_large(operation) ? home->first_port + address_slot(operation->command.local) : port_of(home);
    observe(operation, NIC_STAGE_ON_WIRE, sim_now(home->sim));
    send(operation, from, port_of(operation->away), (int64_t)operation->command.bytes,
         put_payload_is_there);
}

static void start_put(struct nic_operation *operation)
{
    if (operation->command.opcode == NIC_PUT_INLINE) {
        memcpy(operation->data, &operation->command.local, sizeof operation->command.local);
        put_payload_sets_out(operation);
    } else {
        read_payload(operation->home, operation, operation->command.local, put_payload_sets_out);
    }
}

/* --- atomics ----------------------------------------------------------------------------------- */

/* The old value is with the other NIC in any case: an atomic over the bus is non-posted. */
static void atomic_is_performed(struct bus_request *request, void *argument)
{
    struct nic_operation *operation = argument;
    if (operation->command.local == ADDRESS_NONE) {
        observe(operation, NIC_STAGE_DELIVERED, sim_now(operation->home->sim));
        put_acknowledge(operation);
        return;
    }
    memcpy(operation->data, &request->operand, sizeof request->operand);
    send(operation, port_of(operation->away), port_of(operation->home),
         (int64_t)sizeof request->operand, payload_is_here);
}

static void atomic_is_there(struct nic_operation *operation)
{
    const struct nic_command *command = &operation->command;
    struct bus_request *request =
        request_of(operation->away, BUS_ATOMIC, command->remote, sizeof command->operand);
    request->atomic = (enum atomic_op)command->atomic;
    request->operand = command->operand;
    request->compare = command->compare;
    request->done = atomic_is_performed;
    request->argument = operation;
    bus_send(operation->away->bus, request, 0);
}

static int64_t operand_bytes(const struct nic_command *command)
{
    bool compares = command->atomic == ATOMIC_COMPARE_SWAP;
    return (int64_t)(sizeof command->operand + (compares ? sizeof command->compare : 0));
}

static void start_atomic(struct nic_operation *operation)
{
    observe(operation, NIC_STAGE_ON_WIRE, sim_now(operation->home->sim));
    send(operation, port_of(operation->home), port_of(operation->away),
         operand_bytes(&operation->command), atomic_is_there);
}

/* --- doorbell, fetch, pipeline ----------------------------------------------------------------- */

static void fetch_commands(struct nic *nic, int queue_number);

static void enter_pipeline(struct nic_operation *operation)
{
    struct nic *nic = operation->home;
    const struct nic_command *command = &operation->command;
    check_always(command->remote_node < (uint64_t)nic->peer_count, "a command for node %u of %lld",
                 command->remote_node, (long long)nic->peer_count);
    check_always(command->opcode != NIC_PUT_INLINE || command->bytes <= sizeof command->local,
                 "%llu bytes inline", (unsigned long long)command->bytes);
    check_always(command->opcode != NIC_ATOMIC || command->bytes == sizeof command->operand,
                 "an atomic of %llu bytes", (unsigned long long)command->bytes);
    operation->away = nic->peer(nic->peer_argument, command->remote_node, nic->rail);
    sim_time now_ps = sim_now(nic->sim);
    sim_time start_ps = nic->pipeline_free_ps > now_ps ? nic->pipeline_free_ps : now_ps;
    nic->pipeline_free_ps = start_ps + nic->spec->command_gap_ps;
    after(operation, start_ps - now_ps + nic->spec->command_latency_ps,
          command->opcode == NIC_GET      ? start_get
          : command->opcode == NIC_ATOMIC ? start_atomic
                                          : start_put);
}

static void command_is_fetched(struct bus_request *request, void *argument)
{
    struct nic_operation *operation = argument;
    struct nic *nic = operation->home;
    struct work_queue *queue = queue_of(operation);
    memcpy(&operation->command, request->data, sizeof operation->command);
    observe(operation, NIC_STAGE_DOORBELL,
            queue->doorbell_ps[operation->index % (uint64_t)queue->entries]);
    observe(operation, NIC_STAGE_FETCHED, sim_now(nic->sim));
    nic->fetches--;
    enter_pipeline(operation);
    for (guint i = 0; i < nic->queues->len; i++)
        fetch_commands(nic, (int)i);
}

static void fetch_commands(struct nic *nic, int queue_number)
{
    struct work_queue *queue = g_ptr_array_index(nic->queues, (guint)queue_number);
    while (queue->fetched < queue->rung && nic->fetches < nic->spec->fetch_depth) {
        struct nic_operation *operation = pool_take(&nic->operations);
        operation->home = nic;
        operation->queue = queue_number;
        operation->index = queue->fetched++;
        address at = queue->commands +
                     operation->index % (uint64_t)queue->entries * sizeof(struct nic_command);
        struct bus_request *request = request_of(nic, BUS_READ, at, sizeof(struct nic_command));
        request->done = command_is_fetched;
        request->argument = operation;
        nic->fetches++;
        bus_send(nic->bus, request, 0);
    }
}

static void doorbell_is_seen(void *argument)
{
    struct work_queue *queue = argument;
    queue->rung = queue->announced;
    fetch_commands(queue->nic, queue->number);
}

static void request_arrives(void *device, struct bus_request *request)
{
    struct nic *nic = device;
    check_always(request->op == BUS_WRITE && request->bytes == sizeof(uint64_t) &&
                     address_is_register(request->at),
                 "a NIC takes 8-byte doorbell writes only");
    uint64_t number = (address_offset(request->at) - ADDRESS_REGISTERS) / sizeof(uint64_t);
    check_always(number < nic->queues->len, "a doorbell for queue %llu of %u",
                 (unsigned long long)number, nic->queues->len);
    struct work_queue *queue = g_ptr_array_index(nic->queues, (guint)number);
    uint64_t announced;
    memcpy(&announced, request->data, sizeof announced);
    sim_time now_ps = sim_now(nic->sim);
    for (; queue->announced < announced; queue->announced++)
        queue->doorbell_ps[queue->announced % (uint64_t)queue->entries] = now_ps;
    event_schedule(nic->sim->events, now_ps + nic->spec->doorbell_latency_ps, doorbell_is_seen,
                   queue);
    bus_performed(nic->bus, request, 0);
}

/* --- start and end ----------------------------------------------------------------------------- */

static void free_queue(void *argument)
{
    struct work_queue *queue = argument;
    g_free(queue->doorbell_ps);
    g_free(queue);
}

struct nic *nic_new(struct sim *sim, const struct nic_spec *spec, struct bus *bus, int slot,
                    struct transport *transport, int first_port, int rail, const char *path)
{
    struct nic *nic = g_new0(struct nic, 1);
    nic->sim = sim;
    nic->spec = spec;
    param_uses(&sim->uses, &nic_params);
    nic->bus = bus;
    nic->slot = slot;
    nic->transport = transport;
    nic->first_port = first_port;
    nic->rail = rail;
    pool_init(&nic->operations, sizeof(struct nic_operation));
    nic->queues = g_ptr_array_new_with_free_func(free_queue);
    nic->commands = stat_counter_new(sim->stats, path, &commands_info);
    nic->payload = stat_counter_new(sim->stats, path, &payload_info);
    struct endpoint endpoint = {request_arrives, nic, 0};
    bus_attach(bus, slot, &endpoint);
    return nic;
}

void nic_free(struct nic *nic)
{
    if (nic == NULL)
        return;
    pool_clear(&nic->operations);
    g_ptr_array_unref(nic->queues);
    g_free(nic);
}

void nic_connect(struct nic *nic, nic_peer_fn *peer, void *argument, int64_t count)
{
    nic->peer = peer;
    nic->peer_argument = argument;
    nic->peer_count = count;
}

int nic_add_queue(struct nic *nic, address commands, address completions, int64_t entries)
{
    struct work_queue *queue = g_new0(struct work_queue, 1);
    queue->nic = nic;
    queue->number = (int)nic->queues->len;
    queue->commands = commands;
    queue->completions = completions;
    queue->entries = entries;
    queue->doorbell_ps = g_new0(sim_time, (gsize)entries);
    g_ptr_array_add(nic->queues, queue);
    return queue->number;
}

address nic_doorbell(const struct nic *nic, int queue)
{
    return address_make(nic->slot, ADDRESS_REGISTERS + (uint64_t)queue * sizeof(uint64_t));
}

void nic_observe(struct nic *nic, nic_observer_fn *observer, void *argument)
{
    nic->observer = observer;
    nic->observer_argument = argument;
}
