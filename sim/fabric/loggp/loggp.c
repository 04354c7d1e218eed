/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of fabric/loggp/loggp.h, one function for each kind of operation.
 *
 * An operation that is due while its CPU or NIC is busy is postponed to the time when that will be free, and keeps its serial.
 * LogGOPSim postpones all waiting operations again each time one of them starts. Here the operations of one rank and kind wait
 * in a line, and only the first, the leader, stands in the queue. That gives the same ends as long as a busy CPU or NIC never
 * becomes free earlier than announced: then time does not run backwards, the line is in the order of serials (calculations and
 * sends join it when they become ready, which is when they get their serials; messages join when they arrive, all of them the
 * same time after they got theirs), and no operation can start before the one with the least serial. Two cases break the
 * condition and are postponed one by one: several streams (waiting operations do not need the same stream, and the successor of
 * a calculation on one CPU begins when its own CPU is free, which may be long ago), and messages of 0 bytes where o < O, o < G
 * or g < G (s - 1 is negative). */
#include "fabric/loggp/loggp.h"

#include <glib.h>

#include "core/simtime.h"
#include "fabric/loggp/loggp_queue.h"

/* Operations of one rank and kind that wait for the same CPU and NIC. */
struct loggp_line {
    /* serial of the leader, which is in the queue; NO_LEADER: the line is empty */
    uint64_t leader;
    uint32_t first, last; /* operations behind the leader, linked by `next`; LOGGP_NONE: none */
};
#define NO_LEADER UINT64_MAX
#define LINES 3 /* lines of a rank: sends, calculations, messages */

struct loggp {
    struct loggp_spec spec;
    struct loggp_program program;
    const struct loggp_model *model; /* NULL: the spec's costs */
    struct loggp_ports *ports;
    struct loggp_shares *shares; /* NULL: the model has no NICs that are shared */
    uint64_t *end;               /* with a model: by rank, the end of its last operation so far */
    bool in_lines;
    bool waits_for_ends; /* set by loggp_wait_for_ends */
    uint64_t now;        /* the time of the current event if waits_for_ends; else 0 */

    uint64_t *cpu_free;     /* time at which it is free, by rank and CPU stream */
    uint64_t *send_free;    /* the same by rank and NIC stream: its sending side */
    uint64_t *receive_free; /* its receiving side */
    /* by rank: receives and messages that wait for each other */
    struct loggp_list *receives, *messages;
    struct loggp_entries entries;

    struct loggp_records records;
    struct loggp_queue *queue;
    struct loggp_line *lines; /* by rank and kind */
    uint64_t serial;          /* the next one */
    uint64_t message_count;
    struct loggp_fault fault;
    /* operations of up to `safe_bytes` that start before `safe_until` end in time */
    uint64_t safe_bytes, safe_until;

    struct loggp_ready ready;
};

static inline uint64_t *cpu(struct loggp *machine, uint32_t rank, uint16_t stream)
{
    return &machine->cpu_free[(size_t)rank * machine->program.cpus + stream];
}
static inline uint64_t *sender(struct loggp *machine, uint32_t rank, uint16_t stream)
{
    return &machine->send_free[(size_t)rank * machine->program.nics + stream];
}
static inline uint64_t *receiver(struct loggp *machine, uint32_t rank, uint16_t stream)
{
    return &machine->receive_free[(size_t)rank * machine->program.nics + stream];
}

/* --- life ------------------------------------------------------------------------------------- */

static bool time_runs_forward(const struct loggp_spec *spec, const struct loggp_program *program)
{
    return !program->empty_messages ||
           (spec->o >= spec->O && spec->o >= spec->G && spec->g >= spec->G);
}

struct loggp *loggp_new(const struct loggp_spec *spec, const struct loggp_program *program)
{
    struct loggp *machine = g_new0(struct loggp, 1);
    machine->spec = *spec;
    machine->safe_bytes = LOGGP_LAST / 4 / MAX(MAX(spec->G, spec->O), 1);
    machine->safe_until = MAX(MAX(spec->L, spec->o), spec->g) < LOGGP_LAST / 8 ? LOGGP_LAST / 4 : 0;
    machine->program = *program;
    machine->in_lines =
        program->cpus == 1 && program->nics == 1 && time_runs_forward(spec, program);
    machine->cpu_free = g_new0(uint64_t, (size_t)program->ranks * program->cpus);
    machine->send_free = g_new0(uint64_t, (size_t)program->ranks * program->nics);
    machine->receive_free = g_new0(uint64_t, (size_t)program->ranks * program->nics);
    machine->receives = g_new0(struct loggp_list, program->ranks);
    machine->messages = g_new0(struct loggp_list, program->ranks);
    machine->records.free = LOGGP_NONE;
    machine->queue = loggp_queue_new(&machine->records);
    machine->lines = g_new(struct loggp_line, (size_t)program->ranks * LINES);
    for (size_t i = 0; i < (size_t)program->ranks * LINES; i++)
        machine->lines[i] = (struct loggp_line){NO_LEADER, LOGGP_NONE, LOGGP_NONE};
    return machine;
}

void loggp_free(struct loggp *machine)
{
    loggp_ports_free(machine->ports);
    loggp_shares_free(machine->shares);
    g_free(machine->end);
    g_free(machine->cpu_free);
    g_free(machine->send_free);
    g_free(machine->receive_free);
    g_free(machine->receives);
    g_free(machine->messages);
    loggp_entries_clear(&machine->entries);
    loggp_queue_free(machine->queue);
    loggp_records_clear(&machine->records);
    g_free(machine->lines);
    loggp_ready_clear(&machine->ready);
    g_free(machine);
}

void loggp_wait_for_ends(struct loggp *machine)
{
    machine->waits_for_ends = true;
}

void loggp_put_off_one_by_one(struct loggp *machine)
{
    machine->in_lines = false;
}

/* --- becoming ready --------------------------------------------------------------------------- */

/* The time at which an operation could start if nothing else came before it. */
static inline uint64_t possible_at(struct loggp *machine, const struct loggp_op *op)
{
    uint64_t cpu_free = *cpu(machine, op->rank, op->cpu), nic_free = 0;
    if (op->kind == LOGGP_SEND)
        nic_free = *sender(machine, op->rank, op->nic);
    else if (op->kind == LOGGP_MESSAGE)
        nic_free = *receiver(machine, op->rank, op->nic);
    return MAX(cpu_free, nic_free);
}

/* The same, but not before now: an operation that waited for an end becomes ready when its streams may have been free for long. */
static inline uint64_t possible_from_now(struct loggp *machine, const struct loggp_op *op)
{
    return MAX(machine->now, possible_at(machine, op));
}

static inline struct loggp_line *line_of(struct loggp *machine, const struct loggp_op *op)
{
    size_t kind = op->kind == LOGGP_SEND ? 0 : op->kind == LOGGP_CALCULATE ? 1 : 2;
    return &machine->lines[(size_t)op->rank * LINES + kind];
}

static inline void join_line(struct loggp *machine, struct loggp_line *line, uint32_t record)
{
    struct loggp_record *records = machine->records.at;
    records[record].next = LOGGP_NONE;
    if (line->first == LOGGP_NONE)
        line->first = record;
    else
        records[line->last].next = record;
    line->last = record;
}

static inline uint32_t new_record(struct loggp *machine, const struct loggp_op *op, uint64_t time)
{
    uint32_t record = loggp_record_take(&machine->records);
    struct loggp_record *at = &machine->records.at[record];
    at->time = time;
    at->serial = machine->serial++;
    at->op = *op;
    at->more = LOGGP_NONE;
    return record;
}

static inline uint64_t calculation_ps(const struct loggp *machine, const struct loggp_op *op)
{
    return MIN(op->size, LOGGP_LAST / PS_PER_NS / 2) * PS_PER_NS + machine->model->kernel_ps;
}

/* With a model: the operation begins when its CPU stream is free, and reserves it at once. A message without costs in the model
 * takes no time; it is a fault when it starts. */
static void push_with_model(struct loggp *machine, const struct loggp_op *op)
{
    uint64_t begins = possible_from_now(machine, op), takes = 0;
    const struct loggp_piece *piece = NULL;
    if (op->kind == LOGGP_CALCULATE)
        takes = calculation_ps(machine, op);
    else
        piece = loggp_model_piece(machine->model, op->rank, op->peer, op->size);
    if (piece)
        takes = loggp_cost_ps(piece, op->kind == LOGGP_SEND ? LOGGP_COST_SEND : LOGGP_COST_POST,
                              op->size);
    *cpu(machine, op->rank, op->cpu) = MIN(begins, LOGGP_LAST / 2) + takes;
    loggp_queue_push(machine->queue, new_record(machine, op, begins), true);
}

/* A calculation or send is due when its CPU and NIC are free, and after the operations that wait for them. */
static void push_op(struct loggp *machine, const struct loggp_op *op)
{
    if (machine->model) {
        push_with_model(machine, op);
        return;
    }
    uint32_t record = new_record(machine, op, possible_from_now(machine, op));
    struct loggp_line *line = line_of(machine, op);
    if (machine->in_lines && line->leader != NO_LEADER) {
        join_line(machine, line, record);
        return;
    }
    if (machine->in_lines)
        line->leader = machine->records.at[record].serial;
    loggp_queue_push(machine->queue, record, true);
}

/* Receives that are due at the same time, with consecutive serials, go together: operations that the first of them releases come
 * after the last. */
static size_t push_receives(struct loggp *machine, const struct loggp_op *ops, size_t count)
{
    uint64_t time = possible_from_now(machine, &ops[0]);
    uint32_t first = new_record(machine, &ops[0], time), last = first;
    size_t pushed = 1;
    for (; machine->in_lines && pushed < count && ops[pushed].kind == LOGGP_RECEIVE; pushed++) {
        uint32_t record = new_record(machine, &ops[pushed], time);
        machine->records.at[last].more = record;
        last = record;
    }
    loggp_queue_push(machine->queue, first, true);
    return pushed;
}

static void push_batch(struct loggp *machine, const struct loggp_batch *batch)
{
    for (size_t i = 0; i < batch->count;) {
        if (batch->ops[i].kind == LOGGP_RECEIVE && !machine->model)
            i += push_receives(machine, &batch->ops[i], batch->count - i);
        else
            push_op(machine, &batch->ops[i++]);
    }
}

/* Queues ready operations; the first ones in `ready` get the lower serials. */
static inline void push_ready(struct loggp *machine)
{
    const struct loggp_batch *batches[2];
    loggp_ready_order(&machine->ready, batches);
    push_batch(machine, batches[0]);
    push_batch(machine, batches[1]);
}

static void start_all(struct loggp *machine)
{
    for (uint32_t rank = 0; rank < machine->program.ranks; rank++) {
        loggp_ready_begin(&machine->ready, rank);
        machine->program.start(machine->program.state, rank, &machine->ready);
        push_ready(machine);
    }
}

/* --- going ------------------------------------------------------------------------------------ */

static inline struct loggp_entry entry_of(const struct loggp_op *op)
{
    return (struct loggp_entry){
        .source = op->peer, .tag = op->tag, .id = op->id, .bytes = op->size};
}

/* Keeps the first fault. */
static void note_fault(struct loggp *machine, struct loggp_fault fault)
{
    if (machine->fault.kind == LOGGP_NO_FAULT)
        machine->fault = fault;
}

static void note_time_fault(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    bool is_message = op->kind == LOGGP_MESSAGE;
    bool is_early = op->size == 0 && op->kind != LOGGP_CALCULATE && now < LOGGP_LAST / 2;
    note_fault(machine, (struct loggp_fault){.kind = is_early ? LOGGP_TOO_EARLY : LOGGP_TOO_LATE,
                                             .rank = is_message ? op->peer : op->rank,
                                             .id = op->id});
}

/* now + fixed + more, where `more` may be negative. Sets `outside` if the sum is not a valid time. */
static inline uint64_t time_after(uint64_t now, uint64_t fixed, int64_t more, bool *outside)
{
    int64_t sum;
    *outside |= __builtin_add_overflow((int64_t)now, more, &sum);
    *outside |= __builtin_add_overflow(sum, (int64_t)fixed, &sum) || sum < 0;
    return (uint64_t)sum;
}

/* count * each, where `count` may be -1. */
static inline int64_t cost_of(int64_t count, uint64_t each, bool *outside)
{
    int64_t cost;
    *outside |= __builtin_mul_overflow(count, (int64_t)each, &cost);
    return cost;
}

/* The times until which a send or a message occupies its CPU and NIC, and the time at which the message of a send arrives. */
struct taken {
    uint64_t cpu, nic, arrives;
};

static __attribute__((noinline)) struct taken taken_checked(struct loggp *machine,
                                                            const struct loggp_op *op, uint64_t now)
{
    const struct loggp_spec *spec = &machine->spec;
    int64_t rest = (int64_t)op->size - 1;
    bool outside = false;
    int64_t busy = cost_of(rest, spec->O, &outside), on_wire = cost_of(rest, spec->G, &outside);
    /* Compared without their signs, as LogGOPSim does: -1 is more than 0. */
    if (op->kind == LOGGP_MESSAGE && (uint64_t)on_wire > (uint64_t)busy)
        busy = on_wire;
    struct taken taken = {.cpu = time_after(now, spec->o, busy, &outside),
                          .nic = time_after(now, spec->g, on_wire, &outside)};
    if (op->kind == LOGGP_SEND)
        taken.arrives = time_after(now, spec->o, (int64_t)spec->L, &outside);
    if (outside)
        note_time_fault(machine, op, now);
    return taken;
}

/* The same, without checks if none can fail. A byte takes the CPU for `byte_cpu`. */
static inline struct taken taken_by(struct loggp *machine, const struct loggp_op *op, uint64_t now,
                                    uint64_t byte_cpu)
{
    const struct loggp_spec *spec = &machine->spec;
    uint64_t rest = op->size - 1;
    if (G_UNLIKELY(rest > machine->safe_bytes || now >= machine->safe_until))
        return taken_checked(machine, op, now);
    return (struct taken){.cpu = now + spec->o + rest * byte_cpu,
                          .nic = now + spec->g + rest * spec->G,
                          .arrives = now + spec->o + spec->L};
}

static inline void started(struct loggp *machine, const struct loggp_op *op)
{
    machine->program.started(machine->program.state, op->rank, op->id, &machine->ready);
}
static inline void done(struct loggp *machine, uint32_t rank, uint32_t id)
{
    machine->program.done(machine->program.state, rank, id, &machine->ready);
}

/* The operation is done when it ends (loggp_wait_for_ends), or, as in LogGOPSim, as soon as it has begun. */
static void done_at(struct loggp *machine, const struct loggp_op *op, uint32_t id, uint64_t end)
{
    if (!machine->waits_for_ends) {
        done(machine, op->rank, id);
        return;
    }
    const struct loggp_op ends = {.rank = op->rank, .id = id, .kind = LOGGP_END};
    loggp_queue_push(machine->queue, new_record(machine, &ends, end), true);
}

static void calculate(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    bool outside = false;
    int64_t duration = cost_of((int64_t)op->size, machine->spec.ticks_per_ns, &outside);
    *cpu(machine, op->rank, op->cpu) = time_after(now, 0, duration, &outside);
    if (G_UNLIKELY(outside))
        note_time_fault(machine, op, now);
    started(machine, op);
    done_at(machine, op, op->id, *cpu(machine, op->rank, op->cpu));
}

static void send(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    const struct taken taken = taken_by(machine, op, now, machine->spec.O);
    started(machine, op);
    *cpu(machine, op->rank, op->cpu) = taken.cpu;
    *sender(machine, op->rank, op->nic) = taken.nic;
    struct loggp_op message = *op;
    message.kind = LOGGP_MESSAGE;
    message.rank = op->peer;
    message.peer = op->rank;
    uint32_t record = new_record(machine, &message, taken.arrives);
    loggp_queue_push(machine->queue, record, true);
    if (op->size <= machine->spec.S)
        done(machine, op->rank, op->id);
}

/* A rendezvous has met its receive: the send is done, and streams that were free before are free from now. `op` is the receive or
 * the message, whose streams are used. */
static void finish_rendezvous(struct loggp *machine, uint32_t rank, uint32_t id,
                              const struct loggp_op *op, uint64_t now)
{
    uint64_t *cpu_free = cpu(machine, rank, op->cpu);
    uint64_t *nic_free = sender(machine, rank, op->nic);
    done(machine, rank, id);
    *cpu_free = MAX(*cpu_free, now);
    *nic_free = MAX(*nic_free, now);
}

/* A receive must have room for its message. */
static void meet(struct loggp *machine, uint32_t rank, const struct loggp_entry *receive,
                 const struct loggp_entry *message)
{
    if (G_UNLIKELY(receive->bytes < message->bytes))
        note_fault(machine, (struct loggp_fault){.kind = LOGGP_TRUNCATES,
                                                 .rank = rank,
                                                 .id = receive->id,
                                                 .source = message->source,
                                                 .source_id = message->id});
}

static void receive(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    struct loggp_entry message, entry = entry_of(op);
    started(machine, op);
    if (!loggp_list_match(&machine->messages[op->rank], &machine->entries, op->peer, op->tag,
                          &message)) {
        loggp_list_append(&machine->receives[op->rank], &machine->entries, &entry);
        return;
    }
    meet(machine, op->rank, &entry, &message);
    if (message.bytes > machine->spec.S)
        finish_rendezvous(machine, message.source, message.id, op, now);
    done(machine, op->rank, op->id);
}

static void arrive(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    const struct taken taken = taken_by(machine, op, now, MAX(machine->spec.O, machine->spec.G));
    struct loggp_entry waiting, entry = entry_of(op);
    *cpu(machine, op->rank, op->cpu) = taken.cpu;
    *receiver(machine, op->rank, op->nic) = taken.nic;
    machine->message_count++;
    if (!loggp_list_match(&machine->receives[op->rank], &machine->entries, op->peer, op->tag,
                          &waiting)) {
        loggp_list_append(&machine->messages[op->rank], &machine->entries, &entry);
        return;
    }
    meet(machine, op->rank, &waiting, &entry);
    if (op->size > machine->spec.S)
        finish_rendezvous(machine, op->peer, op->id, op, now);
    done_at(machine, op, waiting.id, taken.cpu);
}

/* --- going, with a model ------------------------------------------------------------------------ */

/* The operation is over at `end`. */
static void ends_at(struct loggp *machine, uint32_t rank, uint32_t id, uint64_t end)
{
    const struct loggp_op ends = {.rank = rank, .id = id, .kind = LOGGP_END};
    if (G_UNLIKELY(end > LOGGP_MODEL_LAST_PS))
        note_fault(machine, (struct loggp_fault){.kind = LOGGP_TOO_LATE, .rank = rank, .id = id});
    machine->end[rank] = MAX(machine->end[rank], end);
    loggp_queue_push(machine->queue, new_record(machine, &ends, end), true);
}

/* Where a message is; stored instead of the stream of its receiver's NIC, which a model does not have. */
enum { ON_ITS_WAY, TAKEN_UP, STARTS_ITS_WAY, STARTS_TO_FINISH };

static void push_message(struct loggp *machine, const struct loggp_op *op, int where,
                         uint64_t at_ps, uint64_t waited_ps)
{
    struct loggp_op message = *op;
    message.nic = (uint16_t)where;
    uint32_t record = new_record(machine, &message, at_ps);
    machine->records.at[record].waited_ns = (uint32_t)MIN(waited_ps / PS_PER_NS, UINT32_MAX);
    loggp_queue_push(machine->queue, record, true);
}

/* The time that a message occupies its NICs, if it is alone on them: a part of the time in which its bytes move. */
static uint64_t nic_ps(const struct loggp *machine, const struct loggp_piece *piece, uint64_t bytes)
{
    if (!machine->shares)
        return 0;
    uint64_t within = loggp_seen_ps(piece, bytes);
    if (piece->waits)
        within = MIN(loggp_cost_ps(piece, LOGGP_COST_BUSY, bytes),
                     loggp_cost_ps(piece, LOGGP_COST_LATE, bytes));
    return MIN(loggp_cost_ps(piece, LOGGP_COST_SHARED, bytes), within);
}

static void calculate_with_model(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    started(machine, op);
    ends_at(machine, op->rank, op->id, now + calculation_ps(machine, op));
}

/* When a message's first part, which is all of a message that does not wait for its receiver, moves from NIC to NIC if it is alone,
 * since it left its GPU's port; and whether its send is done only after that, because the message is not copied before. */
struct move {
    bool is_shared; /* else the message uses no NICs that are shared */
    bool ends_send;
    uint64_t begins_ps, takes_ps;
};

static struct move move_of(const struct loggp *machine, const struct loggp_piece *piece,
                           const struct loggp_op *op)
{
    uint32_t per_node = machine->model->gpus_per_node;
    if (!machine->shares || op->rank / per_node == op->peer / per_node)
        return (struct move){.is_shared = false};
    uint64_t takes = piece->waits ? 0 : nic_ps(machine, piece, op->size);
    uint64_t begins = MIN(loggp_cost_ps(piece, LOGGP_COST_SEND, op->size),
                          loggp_seen_ps(piece, op->size) - takes);
    uint64_t sent = loggp_cost_ps(piece, LOGGP_COST_SENT, op->size);
    return (struct move){true, takes > 0 && sent >= begins + takes, begins, takes};
}

static void send_with_model(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    const struct loggp_piece *piece =
        loggp_model_piece(machine->model, op->rank, op->peer, op->size);
    started(machine, op);
    if (G_UNLIKELY(!piece)) {
        note_fault(machine, (struct loggp_fault){.kind = LOGGP_OUTSIDE_MODEL,
                                                 .rank = op->rank,
                                                 .id = op->id,
                                                 .source = op->peer,
                                                 .bytes = op->size});
        return;
    }
    uint64_t left = loggp_ports_out(machine->ports, piece, op->rank, op->size, now);
    const struct move move = move_of(machine, piece, op);
    struct loggp_op message = *op;
    message.kind = LOGGP_MESSAGE;
    message.rank = op->peer;
    message.peer = op->rank;
    push_message(machine, &message, move.is_shared ? STARTS_ITS_WAY : ON_ITS_WAY,
                 left + (move.is_shared ? move.begins_ps : loggp_seen_ps(piece, op->size)), 0);
    if (!piece->waits && !move.ends_send)
        ends_at(machine, op->rank, op->id, left + loggp_cost_ps(piece, LOGGP_COST_SENT, op->size));
}

/* A message and its receive have met at `now`, the later of both. The receiver's CPU stream handles the message when it is free, and
 * has handled meanwhile what came of one that others delayed. The rest stores the receive instead of the message's tag. */
static void meet_with_model(struct loggp *machine, const struct loggp_op *message,
                            const struct loggp_entry *receive, bool is_late, uint64_t now,
                            uint64_t waited_ps)
{
    uint64_t bytes = message->size, *cpu_free = cpu(machine, message->rank, message->cpu);
    const struct loggp_piece *piece =
        loggp_model_piece(machine->model, message->peer, message->rank, bytes);
    uint64_t first = loggp_ports_first(machine->ports, piece, message->peer, message->rank, bytes);
    uint64_t begins = MIN(MAX(now - waited_ps, *cpu_free), 2 * LOGGP_MODEL_LAST_PS);
    uint64_t handled = MAX(begins, now);
    struct loggp_entry sent = entry_of(message);
    meet(machine, message->rank, receive, &sent);
    *cpu_free = begins + loggp_cost_ps(piece, LOGGP_COST_RECEIVE, bytes) + first;
    uint64_t takes_ps = loggp_cost_ps(piece, is_late ? LOGGP_COST_LATE : LOGGP_COST_BUSY, bytes);
    uint64_t moves_ps = piece->waits ? nic_ps(machine, piece, bytes) : 0;
    struct loggp_op rest = *message;
    rest.tag = receive->id;
    push_message(machine, &rest, moves_ps > 0 ? STARTS_TO_FINISH : TAKEN_UP,
                 handled + first + takes_ps - moves_ps, handled - begins);
}

/* A receive begins when it has its CPU stream for its posting; a message that comes during the posting finds it posted. */
static void receive_with_model(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    struct loggp_entry found, entry = entry_of(op);
    started(machine, op);
    if (!loggp_list_match(&machine->messages[op->rank], &machine->entries, op->peer, op->tag,
                          &found)) {
        loggp_list_append(&machine->receives[op->rank], &machine->entries, &entry);
        return;
    }
    const struct loggp_op message = {.kind = LOGGP_MESSAGE,
                                     .size = found.bytes,
                                     .rank = op->rank,
                                     .peer = found.source,
                                     .tag = found.tag,
                                     .id = found.id,
                                     .cpu = op->cpu};
    meet_with_model(machine, &message, &entry, true, now, 0);
}

/* The whole message has arrived, unless it has to wait at the receiver's port. */
static void finish_with_model(struct loggp *machine, const struct loggp_op *rest, uint64_t now,
                              uint64_t waited_ps)
{
    const struct loggp_piece *piece =
        loggp_model_piece(machine->model, rest->peer, rest->rank, rest->size);
    uint64_t end = loggp_ports_in(machine->ports, piece, rest->rank, rest->size, now - waited_ps);
    end = MAX(end, now);
    ends_at(machine, rest->rank, rest->tag, end);
    if (piece->waits) {
        uint64_t told = end + loggp_cost_ps(piece, LOGGP_COST_SENT, rest->size);
        uint64_t arrive = loggp_cost_ps(piece, LOGGP_COST_ARRIVE, rest->size);
        ends_at(machine, rest->peer, rest->id, told > now + arrive ? told - arrive : now);
    }
}

/* The message has reached its destination's NIC. */
static void has_moved(struct loggp *machine, const struct loggp_op *op, uint64_t now,
                      uint64_t waited_ps)
{
    if (op->nic == STARTS_TO_FINISH) {
        push_message(machine, op, TAKEN_UP, now, waited_ps);
        return;
    }
    const struct loggp_piece *piece =
        loggp_model_piece(machine->model, op->peer, op->rank, op->size);
    const struct move move = move_of(machine, piece, op);
    uint64_t left = now - move.begins_ps - move.takes_ps; /* its GPU's port, had it been alone */
    push_message(machine, op, ON_ITS_WAY, left + loggp_seen_ps(piece, op->size), waited_ps);
    if (move.ends_send)
        ends_at(machine, op->peer, op->id, left + loggp_cost_ps(piece, LOGGP_COST_SENT, op->size));
}

static void begin_to_move(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    const struct loggp_model *model = machine->model;
    const struct loggp_piece *piece = loggp_model_piece(model, op->peer, op->rank, op->size);
    bool is_first = op->nic == STARTS_ITS_WAY;
    uint64_t takes_ps =
        is_first ? move_of(machine, piece, op).takes_ps : nic_ps(machine, piece, op->size);
    if (!loggp_shares_begin(machine->shares, op, is_first, loggp_model_nic(model, op->peer),
                            loggp_model_nic(model, op->rank), takes_ps, now))
        has_moved(machine, op, now, 0);
}

/* A message that moves may have reached its destination's NIC. */
static void move(struct loggp *machine, const struct loggp_op *moves, uint64_t now)
{
    struct loggp_moving *message = (struct loggp_moving *)(uintptr_t)moves->size;
    struct loggp_op op;
    uint64_t waited_ps;
    if (loggp_shares_take(machine->shares, message, now, &op, &waited_ps))
        has_moved(machine, &op, now, waited_ps);
}

static void arrive_with_model(struct loggp *machine, const struct loggp_op *op, uint64_t now,
                              uint64_t waited_ps)
{
    struct loggp_entry waiting, entry = entry_of(op);
    if (op->nic == TAKEN_UP) {
        finish_with_model(machine, op, now, waited_ps);
        return;
    }
    if (op->nic != ON_ITS_WAY) {
        begin_to_move(machine, op, now);
        return;
    }
    machine->message_count++;
    if (loggp_list_match(&machine->receives[op->rank], &machine->entries, op->peer, op->tag,
                         &waiting))
        meet_with_model(machine, op, &waiting, false, now, waited_ps);
    else
        loggp_list_append(&machine->messages[op->rank], &machine->entries, &entry);
}

static void wake(void *state, struct loggp_moving *message, uint64_t at_ps)
{
    struct loggp *machine = state;
    const struct loggp_op moves = {.size = (uintptr_t)message, .kind = LOGGP_MOVES};
    loggp_queue_push(machine->queue, new_record(machine, &moves, at_ps), true);
}

struct loggp *loggp_new_model(const struct loggp_model *model, const struct loggp_program *program)
{
    struct loggp *machine = loggp_new(&(struct loggp_spec){.ticks_per_ns = PS_PER_NS}, program);
    machine->model = model;
    machine->ports = loggp_ports_new(model, program->ranks);
    if (model->gpus_sharing > 1)
        machine->shares = loggp_shares_new(program->ranks, wake, machine);
    machine->end = g_new0(uint64_t, program->ranks);
    machine->in_lines = false;
    machine->waits_for_ends = true;
    return machine;
}

/* Whether that time is later than a model allows. */
static bool is_too_late(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    bool is_message = op->kind == LOGGP_MESSAGE;
    if (G_LIKELY(!machine->model || now <= LOGGP_MODEL_LAST_PS) || op->kind == LOGGP_MOVES)
        return false;
    note_fault(machine, (struct loggp_fault){.kind = LOGGP_TOO_LATE,
                                             .rank = is_message ? op->peer : op->rank,
                                             .id = op->id});
    return true;
}

static void go(struct loggp *machine, uint32_t record)
{
    const struct loggp_op op = machine->records.at[record].op;
    uint64_t now = machine->records.at[record].time;
    uint64_t waited_ps = (uint64_t)machine->records.at[record].waited_ns * PS_PER_NS;
    bool has_model = machine->model != NULL;
    loggp_record_give_back(&machine->records, record);
    if (machine->waits_for_ends)
        machine->now = now;
    loggp_ready_begin(&machine->ready, op.rank);
    switch (is_too_late(machine, &op, now) ? 0 : op.kind) {
    case LOGGP_CALCULATE:
        has_model ? calculate_with_model(machine, &op, now) : calculate(machine, &op, now);
        break;
    case LOGGP_SEND:
        has_model ? send_with_model(machine, &op, now) : send(machine, &op, now);
        break;
    case LOGGP_RECEIVE:
        has_model ? receive_with_model(machine, &op, now) : receive(machine, &op, now);
        break;
    case LOGGP_MESSAGE:
        has_model ? arrive_with_model(machine, &op, now, waited_ps) : arrive(machine, &op, now);
        break;
    case LOGGP_END:
        done(machine, op.rank, op.id);
        break;
    case LOGGP_MOVES:
        move(machine, &op, now);
        break;
    }
    push_ready(machine);
}

/* --- being put off ---------------------------------------------------------------------------- */

static void put_off(struct loggp *machine, uint32_t record, uint64_t until)
{
    machine->records.at[record].time = until;
    loggp_queue_push(machine->queue, record, false);
}

/* The record that cannot start is the line's leader, or a message that has just arrived. */
static void wait_in_line(struct loggp *machine, uint32_t record, uint64_t until)
{
    const struct loggp_record *at = &machine->records.at[record];
    struct loggp_line *line = line_of(machine, &at->op);
    if (at->serial > line->leader) {
        join_line(machine, line, record);
        return;
    }
    line->leader = at->serial;
    put_off(machine, record, until);
}

/* The leader has started: the next operation becomes the leader. */
static void move_up(struct loggp *machine, struct loggp_line *line)
{
    uint32_t record = line->first;
    line->leader = NO_LEADER;
    if (record == LOGGP_NONE)
        return;
    const struct loggp_record *at = &machine->records.at[record];
    line->first = at->next;
    line->leader = at->serial;
    put_off(machine, record, possible_from_now(machine, &at->op));
}

static void receives_due(struct loggp *machine, uint32_t record)
{
    while (record != LOGGP_NONE) {
        uint32_t more = machine->records.at[record].more;
        go(machine, record);
        record = more;
    }
}

static void due(struct loggp *machine, uint32_t record)
{
    const struct loggp_record *at = &machine->records.at[record];
    uint64_t possible = possible_at(machine, &at->op);
    struct loggp_line *line = line_of(machine, &at->op);
    bool leads = line->leader == at->serial;
    if (possible > at->time && machine->in_lines) {
        wait_in_line(machine, record, possible);
    } else if (possible > at->time) {
        put_off(machine, record, possible);
    } else {
        go(machine, record);
        if (leads)
            move_up(machine, line);
    }
}

/* --- the run ---------------------------------------------------------------------------------- */

bool loggp_run(struct loggp *machine, uint64_t steps)
{
    if (machine->serial == 0)
        start_all(machine);
    for (; steps > 0; steps--) {
        uint32_t record = loggp_queue_pop(machine->queue);
        if (record == LOGGP_NONE)
            return false;
        if (machine->records.at[record].op.kind == LOGGP_RECEIVE)
            receives_due(machine, record);
        else if (machine->model || machine->records.at[record].op.kind == LOGGP_END)
            go(machine, record);
        else
            due(machine, record);
        if (G_UNLIKELY(machine->fault.kind != LOGGP_NO_FAULT))
            return false;
    }
    return true;
}

struct loggp_fault loggp_fault(const struct loggp *machine)
{
    return machine->fault;
}

uint64_t loggp_end(const struct loggp *machine, uint32_t rank)
{
    if (machine->model)
        return machine->end[rank];
    const uint64_t *streams = &machine->cpu_free[(size_t)rank * machine->program.cpus];
    uint64_t end = 0;
    for (uint32_t i = 0; i < machine->program.cpus; i++)
        end = MAX(end, streams[i]);
    return end;
}

uint64_t loggp_messages(const struct loggp *machine)
{
    return machine->message_count;
}

size_t loggp_unmatched(const struct loggp *machine,
                       void (*tell)(void *argument, uint32_t rank, bool is_receive,
                                    const struct loggp_entry *entry),
                       void *argument)
{
    const struct loggp_entry *entries = machine->entries.entries;
    size_t count = 0;
    for (uint32_t i = 0; i < 2 * machine->program.ranks; i++) {
        bool is_receive = i % 2;
        const struct loggp_list *lists = is_receive ? machine->receives : machine->messages;
        for (uint32_t at = lists[i / 2].first; at; at = entries[at].next, count++) {
            if (tell)
                tell(argument, i / 2, is_receive, &entries[at]);
        }
    }
    return count;
}
