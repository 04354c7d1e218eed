/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of fabric/loggp/loggp.h, one function for each kind of operation.
 *
 * An operation that comes up while its CPU or NIC is taken is put off to when that will be free, and
 * keeps its serial. LogGOPSim puts off all that wait again each time one of them goes. Here those of
 * one rank and kind wait in a line, and only the first of them, the leader, stands in the queue. That
 * gives the same ends as long as what is taken never becomes free earlier than it was said to: then
 * time does not run backwards, the line is in the order of serials (calculations and sends join it
 * when they become ready, at which time they get their serials; messages when they arrive, all of
 * them the same time after they got theirs), and none can go before the one with the least serial.
 *
 * Two cases break the condition and are put off one by one: several streams (those that wait do not
 * need the same thing, and what follows a calculation of one CPU begins when its own CPU is free,
 * which may be long ago), and messages of 0 bytes where o < O, o < G or g < G (s - 1 is negative). */
#include "fabric/loggp/loggp.h"

#include <glib.h>

#include "core/simtime.h"
#include "fabric/loggp/loggp_queue.h"

/* Operations of one rank and kind that wait for the same CPU and NIC. */
struct loggp_line {
    uint64_t leader;      /* the serial of the one in the queue; NO_LEADER: the line is empty */
    uint32_t first, last; /* of those behind it, by `next`; LOGGP_NONE */
};
#define NO_LEADER UINT64_MAX
#define LINES 3 /* a rank's: sends, calculations, messages */

struct loggp {
    struct loggp_spec spec;
    struct loggp_program program;
    const struct loggp_model *model; /* NULL: the spec's costs */
    struct loggp_ports *ports;
    uint64_t *end; /* with a model: by rank, when its last operation so far ends */
    bool in_lines;
    bool waits_for_ends; /* loggp_wait_for_ends */
    uint64_t now;        /* the time of the event that is served, if waits_for_ends; else 0 */

    uint64_t *cpu_free;                     /* by rank and CPU stream */
    uint64_t *send_free;                    /* by rank and NIC stream: its sending side */
    uint64_t *receive_free;                 /* its receiving side */
    struct loggp_list *receives, *messages; /* by rank: waiting for each other */
    struct loggp_entries entries;

    struct loggp_records records;
    struct loggp_queue *queue;
    struct loggp_line *lines; /* by rank and kind */
    uint64_t serial;          /* the next one */
    uint64_t message_count;
    struct loggp_fault fault;
    uint64_t safe_bytes, safe_until; /* operations of so many bytes before then end in time */

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

struct loggp *loggp_new_model(const struct loggp_model *model, const struct loggp_program *program)
{
    struct loggp *machine = loggp_new(&(struct loggp_spec){.ticks_per_ns = PS_PER_NS}, program);
    machine->model = model;
    machine->ports = loggp_ports_new(model, program->ranks);
    machine->end = g_new0(uint64_t, program->ranks);
    machine->in_lines = false;
    machine->waits_for_ends = true;
    return machine;
}

void loggp_free(struct loggp *machine)
{
    loggp_ports_free(machine->ports);
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

/* When an operation could go if nothing else came in between. */
static inline uint64_t possible_at(struct loggp *machine, const struct loggp_op *op)
{
    uint64_t cpu_free = *cpu(machine, op->rank, op->cpu), nic_free = 0;
    if (op->kind == LOGGP_SEND)
        nic_free = *sender(machine, op->rank, op->nic);
    else if (op->kind == LOGGP_MESSAGE)
        nic_free = *receiver(machine, op->rank, op->nic);
    return MAX(cpu_free, nic_free);
}

/* The same, and no sooner than now: what waited for an end becomes ready when its streams may long have been free. */
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

/* With a model: the operation begins when its CPU stream is free, which it takes at once. A message of which the model says nothing
 * takes nothing; it is the fault when it goes. */
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

/* A calculation or send is due when its CPU and NIC are free, and behind those that wait for them. */
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

/* Receives that are due at the same time, with one serial after the other, go together: what the
 * first of them sets free comes later than the last. */
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

/* Those that come first in `ready` get the lesser serials. */
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

/* now + fixed + more, where `more` may be negative. Sets `outside` if that is no time. */
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

/* Until when a send or a message takes its CPU and NIC, and when the message of a send arrives. */
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

/* The same, without checks where none can fail. A byte takes the CPU for `byte_cpu`. */
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

/* A rendezvous has met its receive: the send is done, and what was free before is free now. `op` is
 * the receive or the message, whose streams count. */
static void finish_rendezvous(struct loggp *machine, uint32_t rank, uint32_t id,
                              const struct loggp_op *op, uint64_t now)
{
    uint64_t *cpu_free = cpu(machine, rank, op->cpu);
    uint64_t *nic_free = sender(machine, rank, op->nic);
    done(machine, rank, id);
    *cpu_free = MAX(*cpu_free, now);
    *nic_free = MAX(*nic_free, now);
}

/* A receive must have room for what it receives. */
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

/* Where a message is: in place of the stream of its receiver's NIC, which a model does not have. */
enum { ON_ITS_WAY, IN_NODE, TAKEN_UP };

static void calculate_with_model(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    started(machine, op);
    ends_at(machine, op->rank, op->id, now + calculation_ps(machine, op));
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
    struct loggp_op message = *op;
    message.kind = LOGGP_MESSAGE;
    message.rank = op->peer;
    message.peer = op->rank;
    message.nic = ON_ITS_WAY;
    uint64_t seen = left + loggp_seen_ps(piece, op->size);
    loggp_queue_push(machine->queue, new_record(machine, &message, seen), true);
    if (!piece->waits)
        ends_at(machine, op->rank, op->id, left + loggp_cost_ps(piece, LOGGP_COST_SENT, op->size));
}

/* The rest of a message whose receive is known, and which passes the receiver's ports at `now`: `receive` takes the place of its tag. */
static void push_rest(struct loggp *machine, const struct loggp_op *message, uint32_t receive,
                      uint64_t now)
{
    struct loggp_op rest = *message;
    rest.tag = receive;
    rest.nic = TAKEN_UP;
    loggp_queue_push(machine->queue, new_record(machine, &rest, now), true);
}

/* A message and its receive have met, at `now`, the later of both. The receiver's CPU stream takes it up when it is free. */
static void meet_with_model(struct loggp *machine, const struct loggp_op *message,
                            const struct loggp_entry *receive, bool is_late, uint64_t now)
{
    uint64_t bytes = message->size, *cpu_free = cpu(machine, message->rank, message->cpu);
    const struct loggp_piece *piece =
        loggp_model_piece(machine->model, message->peer, message->rank, bytes);
    uint64_t first = loggp_ports_first(machine->ports, piece, message->peer, message->rank, bytes);
    uint64_t begins = MIN(MAX(now, *cpu_free), 2 * LOGGP_MODEL_LAST_PS);
    struct loggp_entry sent = entry_of(message);
    meet(machine, message->rank, receive, &sent);
    *cpu_free = begins + loggp_cost_ps(piece, LOGGP_COST_RECEIVE, bytes) + first;
    push_rest(machine, message, receive->id,
              begins + first +
                  loggp_cost_ps(piece, is_late ? LOGGP_COST_LATE : LOGGP_COST_BUSY, bytes));
}

/* A receive begins when it has taken its CPU stream for its posting; what comes in that time finds it posted. */
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
    meet_with_model(machine, &message, &entry, true, now);
}

/* The whole message is there, unless it has to wait at the receiver's ports. */
static void finish_with_model(struct loggp *machine, const struct loggp_op *rest, uint64_t now)
{
    const struct loggp_piece *piece =
        loggp_model_piece(machine->model, rest->peer, rest->rank, rest->size);
    uint64_t end = loggp_ports_in(machine->ports, piece, rest->rank, rest->size, now);
    ends_at(machine, rest->rank, rest->tag, end);
    if (piece->waits) {
        uint64_t told = end + loggp_cost_ps(piece, LOGGP_COST_SENT, rest->size);
        uint64_t arrive = loggp_cost_ps(piece, LOGGP_COST_ARRIVE, rest->size);
        ends_at(machine, rest->peer, rest->id, told > now + arrive ? told - arrive : now);
    }
}

/* Whether a message that waits for nobody has to wait for others on its way into the node; it comes again then. */
static bool waits_on_way_in(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    const struct loggp_piece *piece =
        loggp_model_piece(machine->model, op->peer, op->rank, op->size);
    if (op->nic != ON_ITS_WAY || piece->waits)
        return false;
    uint64_t passed = loggp_ports_shared_in(machine->ports, piece, op->rank, op->size, now);
    struct loggp_op message = *op;
    message.nic = IN_NODE;
    if (passed > now)
        loggp_queue_push(machine->queue, new_record(machine, &message, passed), true);
    return passed > now;
}

static void arrive_with_model(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    struct loggp_entry waiting, entry = entry_of(op);
    if (op->nic == TAKEN_UP) {
        finish_with_model(machine, op, now);
        return;
    }
    if (waits_on_way_in(machine, op, now))
        return;
    machine->message_count++;
    if (loggp_list_match(&machine->receives[op->rank], &machine->entries, op->peer, op->tag,
                         &waiting))
        meet_with_model(machine, op, &waiting, false, now);
    else
        loggp_list_append(&machine->messages[op->rank], &machine->entries, &entry);
}

/* Whether a model refuses that time. */
static bool is_too_late(struct loggp *machine, const struct loggp_op *op, uint64_t now)
{
    bool is_message = op->kind == LOGGP_MESSAGE;
    if (G_LIKELY(!machine->model || now <= LOGGP_MODEL_LAST_PS))
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
        has_model ? arrive_with_model(machine, &op, now) : arrive(machine, &op, now);
        break;
    case LOGGP_END:
        done(machine, op.rank, op.id);
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

/* What comes up in vain is the line's leader, or a message that has just arrived. */
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

/* The leader has gone: the next one leads. */
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
