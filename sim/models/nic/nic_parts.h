/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the NIC: what its fronts and its back share.
 *
 *   nic.c            the NICs of a machine, registers, statistics
 *   nic_operation.c  the back: pipeline, and what commands do on both sides
 *   nic_payload.c    payloads with contents: bus requests
 *   nic_block.c      payloads without contents: times
 *   nic_packet.c     packets on the wires, turns of payloads
 *   nic_queue.c, nic_trigger.c, verbs.c   the fronts
 *
 * A new front is a file with a struct nic_front, and a line in NIC_FRONTS. */
#pragma once

#include "core/pool.h"
#include "core/rng.h"
#include "core/stat.h"
#include "models/nic/nic.h"

/* --- lists --------------------------------------------------------------------------------------
 *
 * Lists (core/list.h) of items that wait in a NIC, in the order of their keys.
 *
 * Keys count upwards and may wrap: of two keys the lesser is the one from which the other is fewer than
 * 2^31 steps ahead. */

/* The first field of a struct that can be in a list, in one list at a time. */
struct nic_item {
    struct list_link link;
    uint32_t key;
};

static inline bool nic_key_exceeds(uint32_t key, uint32_t limit)
{
    return (int32_t)(key - limit) > 0;
}

static inline struct nic_item *nic_list_first(const struct list *list)
{
    return LIST_FIRST(list, struct nic_item, link);
}

/* Inserts the item behind those whose keys do not exceed its own, in a list in the order of keys. */
static inline void nic_list_insert(struct list *list, struct nic_item *item)
{
    struct nic_item *before = LIST_LAST(list, struct nic_item, link), *next = NULL;
    while (before != NULL && nic_key_exceeds(before->key, item->key)) {
        next = before;
        before = LIST_PREVIOUS(before, struct nic_item, link);
    }
    list_insert(list, &item->link, next != NULL ? &next->link : NULL);
}

/* Removes and returns the first item whose key does not exceed `limit`; NULL if there is none. */
static inline struct nic_item *nic_list_take_up_to(struct list *list, uint32_t limit)
{
    struct nic_item *first = nic_list_first(list);
    if (first == NULL || nic_key_exceeds(first->key, limit))
        return NULL;
    list_remove(list, &first->link);
    return first;
}

struct nic_operation;

/* --- fronts ------------------------------------------------------------------------------------ */

/* A function that a front does not need is NULL. */
struct nic_front {
    /* Handles an 8-byte store to register `number` of the front end. */
    void (*store)(struct nic *nic, uint64_t number, uint64_t value);
    /* Time from an operation's end in the NIC until `complete` is called. */
    sim_time (*completion_ps)(const struct nic_operation *operation);
    /* Completes an operation that has ended; it is given back afterwards. */
    void (*complete)(struct nic_operation *operation);
    /* Frees nic->fronts[number of the front], unless that is NULL. */
    void (*free)(void *own);
};

/* The fronts, in the order of their registers. */
#define NIC_FRONTS(FRONT)                                                                          \
    FRONT(queue)                                                                                   \
    FRONT(trigger)                                                                                 \
    FRONT(verbs)

#define NIC_FRONT_NUMBER(name) NIC_FRONT_##name,
enum nic_front_number { NIC_FRONTS(NIC_FRONT_NUMBER) NIC_FRONT_COUNT };
#undef NIC_FRONT_NUMBER

#define NIC_FRONT_DECLARED(name) extern const struct nic_front nic_front_##name;
NIC_FRONTS(NIC_FRONT_DECLARED)
#undef NIC_FRONT_DECLARED

extern const struct nic_front *const nic_fronts[NIC_FRONT_COUNT]; /* by number */

/* --- NICs -------------------------------------------------------------------------------------- */

/* Reads a value of the NIC's spec, and notes that it was read. */
#define NIC_READ(nic, field) PARAM_READ((nic)->network->used, (nic)->kind->spec, field)

/* The parameters of the NICs of a kind of nodes. */
struct nic_kind {
    const struct nic_spec *spec;
    const struct bus_spec *bus;
    sim_time *latencies_ps; /* latencies between two slots of a node; -1 until asked for */
};

struct nic_receiver {
    nic_receive_fn *receive; /* NULL: nobody */
    void *argument;
};

struct nic_network {
    struct sim *sim;
    struct platform *platform;
    struct transport *transport;
    struct nic_kind kinds[1 + PLATFORM_KINDS_MOST];
    int kind_count;
    const uint8_t *kind_of; /* by node; NULL: all are of kind 0 */
    uint64_t *used;         /* which values of NICs' specs were read (core/param_use.h) */
    uint64_t *bus_used;     /* the same for buses */
    nic_bus_fn *bus_of;
    dram_at_fn *memory_at;
    void *machine; /* argument of both */
    int64_t nodes;
    int nics_per_node, ports_per_node;
    int *slots;        /* by the index of a NIC in its node */
    struct nic **nics; /* by number: node * nics_per_node + index; NULL until asked for */
    struct rng ways;   /* draws the ways that packets take */
    struct nic_receiver *receivers; /* receivers of messages, by node and slot; NULL: none */
    struct pool operations, packets;
};

struct nic {
    struct nic_network *network;
    const struct nic_kind *kind;
    int32_t number, index;
    int32_t first_port; /* of its node */
    int32_t slot;       /* the NIC's own slot: on the bus, and behind first_port */
    struct bus *bus;    /* NULL until the NIC needs it */
    sim_time pipeline_free_ps;
    void *fronts[NIC_FRONT_COUNT]; /* the state of each front end; NULL until it is used */
    struct stat_counter *commands, *payload;
    uint32_t track; /* the track of its pipeline's spans; 0: none yet */
};

/* A request from the NIC; the caller sets what happens at its end, and sends it with bus_send. */
struct bus_request *nic_bus_request(struct nic *nic, enum bus_op op, address at, size_t bytes);

/* The address of a front's register. */
address nic_register(const struct nic *nic, enum nic_front_number front, uint64_t number);

/* The NIC with `number` (struct nic_network), made when it is first asked for. */
struct nic *nic_make(struct nic_network *network, int32_t number);
static inline struct nic *nic_numbered(struct nic_network *network, int32_t number)
{
    struct nic *nic = network->nics[number];
    return nic != NULL ? nic : nic_make(network, number);
}

/* The number of the NIC that a command of `nic` is for. */
int32_t nic_remote_number(const struct nic *nic, const struct nic_command *command);

/* --- operations: what a NIC knows of a command that it carries out ------------------------------ */

struct nic_operation {
    struct nic_item item; /* the first member, for a list of a front */
    struct nic *nic;
    const struct nic_front *front;
    struct nic_command command;
    struct queue_pair *pair; /* NULL: no turns on the wires, and no order at the far side */
    uint32_t turn;           /* its turn at the far side, if has_turn */
    bool is_ordered;         /* gets a turn at the far side, now or when it is taken up */
    bool has_turn;
    bool is_block;      /* payload without contents, `local` and `remote` with slots only */
    bool is_unanswered; /* no process waits for the completion */
    sim_time doorbell_ps;
    void (*delivered)(void *argument); /* NULL, or passed on to the packet */
    void *argument;
    union { /* the front's own */
        struct {
            struct work_queue *queue;
            uint64_t index; /* the command's index in its queue */
        };
        struct {
            void (*completed)(void *argument);
            int32_t core_slot;
        };
        uint64_t own[2];
    };
};

/* nic_queue.c: whether a chained operation has to wait for the previous one, at whose completion it is taken up again. */
bool nic_queue_holds(struct nic_operation *operation);

/* A new operation of `front`, all other fields zero. The back gives it back when it has ended. */
struct nic_operation *nic_operation_new(struct nic *nic, enum nic_front_number front);

/* Gives the operation the next turn of its pair, unless it has one. */
void nic_operation_take_turn(struct nic_operation *operation);

/* Carries out a command that is in the NIC, once its counter allows; the operation's doorbell_ps is set. */
void nic_operation_start(struct nic_operation *operation);

/* Takes up an operation that waits for nothing any more; the store or command that starts it arrived at `doorbell_ps`. */
void nic_operation_take_up(struct nic_operation *operation, sim_time doorbell_ps);

/* Keeps an operation until its counter has reached its threshold. */
void nic_trigger_hold(struct nic_operation *operation);

/* --- packets ----------------------------------------------------------------------------------- */

enum nic_packet_kind {
    NIC_PACKET_PUT,    /* payload */
    NIC_PACKET_GET,    /* request */
    NIC_PACKET_ATOMIC, /* request */
    NIC_PACKET_DATA,   /* the answer to get and atomic, with the payload */
    NIC_PACKET_ACKNOWLEDGEMENT,
};

/* A packet, or all packets of one payload. An answer is the request's packet sent back: only one NIC has it at a time. */
struct nic_packet {
    struct nic_item item; /* the first member, for a list of the queue pair */
    struct nic_network *network;
    struct nic_operation *operation; /* the initiator's, for the answer; NULL: no answer */
    struct queue_pair *pair;
    int32_t home, away; /* NICs: the one that issued the command, and the other */
    uint8_t kind;       /* enum nic_packet_kind */
    uint8_t writes;     /* writes over the bus that are under way */
    bool is_ordered;    /* its turn is the item's key */
    bool is_block;
    struct nic_command command;
    void (*delivered)(void *argument);
    void *argument;
    struct dram_flow flows[2]; /* of the memories that the payload leaves and enters */
    event_handle turn_end;     /* the event at the end of its queue pair's turn */
    uint8_t data[BUS_DATA_BYTES];
};

static inline bool nic_packet_is_answer(const struct nic_packet *packet)
{
    return packet->kind >= NIC_PACKET_DATA;
}

static inline bool nic_packet_has_payload(const struct nic_packet *packet)
{
    return packet->kind == NIC_PACKET_PUT || packet->kind == NIC_PACKET_DATA;
}

/* The NIC that sends the packet, and the one that handles it. */
static inline struct nic *nic_packet_sender(const struct nic_packet *packet)
{
    return nic_numbered(packet->network,
                        nic_packet_is_answer(packet) ? packet->away : packet->home);
}
static inline struct nic *nic_packet_receiver(const struct nic_packet *packet)
{
    return nic_numbered(packet->network,
                        nic_packet_is_answer(packet) ? packet->home : packet->away);
}

/* The addresses that the packet's payload comes from and goes to. */
static inline address nic_packet_source(const struct nic_packet *packet)
{
    return packet->kind == NIC_PACKET_PUT ? packet->command.local : packet->command.remote;
}
static inline address nic_packet_target(const struct nic_packet *packet)
{
    return packet->kind == NIC_PACKET_PUT ? packet->command.remote : packet->command.local;
}

/* Whether the transport writes the whole payload to its memory; otherwise the receiver writes it, or its last line, as a bus request. */
bool nic_packet_enters_memory(const struct nic_packet *packet);

/* Sends the packet to the other NIC, where nic_packet_handle is called after the time of its handling. */
void nic_packet_send(struct nic_packet *packet);
void nic_packet_handle(struct nic_packet *packet);

/* Time from a packet's arrival until it is handled. */
sim_time nic_packet_handling_ps(const struct nic_packet *packet);

/* Reports a stage of the initiator's operation to observers. */
void nic_packet_observe(const struct nic_packet *packet, enum stage stage);

/* --- payloads with contents -------------------------------------------------------------------- */

/* Reads the payload at the sender; sends the packet when its first bytes are at the NIC or, if it is large, when they are ready
 * to stream from their memory. */
void nic_payload_read(struct nic_packet *packet);

/* Writes the payload, or the last line of a large one, at the receiver, and then, if `signal` is not 0,
 * the command's signal word; nic_payload_written is called when all of this is in memory. */
void nic_payload_write(struct nic_packet *packet, address signal);
void nic_payload_written(struct nic_packet *packet);

/* Carries out the packet's atomic; nic_atomic_performed is called when the word's old value is in
 * packet->data. */
void nic_payload_atomic(struct nic_packet *packet);
void nic_atomic_performed(struct nic_packet *packet);

/* Whether the payload is too large to travel with its contents. */
static inline bool nic_payload_is_large(const struct nic_packet *packet)
{
    return packet->command.bytes > BUS_DATA_BYTES;
}

/* --- payloads without contents ----------------------------------------------------------------- */

/* The largest payload of a packet that the NIC sends, noted as read if `bytes` may be more than one. */
int64_t nic_most_payload_bytes(const struct nic *nic, int64_t bytes);

/* Time that a packet of `bytes` occupies a link of the NIC's bus. */
sim_time nic_block_bus_ps(const struct nic *nic, int64_t bytes);

/* The latency between two slots of the NIC's node. */
sim_time nic_block_latency_ps(const struct nic *nic, int from, int to);

/* Time from the NIC's read request until it has the first packet. The transport counts the time of the bytes from the memory to
 * the NIC. */
sim_time nic_block_fetch_ps(const struct nic *nic, address memory, int64_t bytes);

/* Time that the first packet of a payload from `sender` occupies the NIC's bus. */
static inline sim_time nic_block_first_packet_ps(const struct nic *nic, const struct nic *sender,
                                                 int64_t bytes)
{
    return nic_block_bus_ps(nic, MIN(bytes, nic_most_payload_bytes(sender, bytes)));
}
