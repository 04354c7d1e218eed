/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/peer.h"

#define BYTES_A_LANE 16

/* A step of a copy: the loads of its lanes, and the targets of the data. */
struct step {
    struct memory_load loads[LOAD_BATCH_MAX];
    struct bus_load loads_across[LOAD_BATCH_MAX];
    address targets[LOAD_BATCH_MAX];
    uint8_t lines[LOAD_BATCH_MAX][CACHE_LINE_BYTES];
    size_t count;
};

struct peer_room {
    struct cache *registers;
    struct step *steps; /* the steps whose loads are under way together */
};

struct peer_room *peer_room_new(void)
{
    struct peer_room *room = g_new0(struct peer_room, 1);
    room->registers = cache_new(LOAD_BATCH_MAX * CACHE_LINE_BYTES, LOAD_BATCH_MAX, true);
    return room;
}

void peer_room_free(struct peer_room *room)
{
    if (room == NULL)
        return;
    cache_free(room->registers);
    g_free(room->steps);
    g_free(room);
}

void peer_path_init(struct peer_path *peer, struct agent *agent, struct work_group *wg,
                    struct memory_client *stores, int64_t lanes, int64_t node, int64_t unroll,
                    struct peer_room *room)
{
    const struct memory_client *memory = &wg->memory;
    int64_t under_way_bytes = lanes * unroll * BYTES_A_LANE;
    *peer = (struct peer_path){
        .agent = agent, .work_group = wg, .room = room, .node = node, .last = ADDRESS_NONE};
    peer->load_bytes = CLAMP(under_way_bytes, PEER_SECTOR_BYTES, CACHE_LINE_BYTES);
    peer->lines = (size_t)CLAMP(lanes * BYTES_A_LANE / CACHE_LINE_BYTES, 1, LOAD_BATCH_MAX);
    peer->steps = (size_t)MAX(under_way_bytes / CACHE_LINE_BYTES / (int64_t)peer->lines, 1);
    room->steps = g_renew(struct step, room->steps, peer->steps);
    memory_client_init(&peer->loads, memory->memory, room->registers, memory->l1_latency_ps,
                       L2_FROM_CU);
    peer->loads.process = wg->process;
    peer->stores = stores;
    peer->loads.runs_ahead = true;
}

void peer_path_init_core(struct peer_path *peer, struct agent *agent, bool is_across, int64_t node,
                         struct peer_copies *copies, struct peer_room *room)
{
    *peer = (struct peer_path){.agent = agent,
                               .copies = copies,
                               .room = room,
                               .node = node,
                               .load_bytes = CACHE_LINE_BYTES,
                               .reads_back = is_across,
                               .last = ADDRESS_NONE};
    room->steps = g_renew(struct step, room->steps, 1);
}

static bool has_payload_copied(const struct peer_path *peer, const struct queue_entry *entry)
{
    return peer->copies != NULL && !entry->is_inline && entry->bytes > sizeof(uint64_t);
}

bool peer_reaches(const struct peer_path *peer, const struct queue_entry *entry)
{
    bool moves = entry->operation < QUEUE_QUIET || entry->operation == QUEUE_SET;
    bool is_left = entry->operation == QUEUE_ATOMIC && peer->copies != NULL;
    return peer->agent != NULL && entry->node == (uint64_t)peer->node && moves && !is_left;
}

/* --- copies ------------------------------------------------------------------------------------- */

static int64_t to_end_of_line(address at)
{
    return CACHE_LINE_BYTES - (int64_t)(at % CACHE_LINE_BYTES);
}

/* Cuts the next step of a copy, of at most `most` loads; returns its bytes. */
static int64_t cut(const struct peer_path *peer, struct step *step, size_t most, address to,
                   address from, int64_t left)
{
    int64_t done = 0;
    for (step->count = 0; step->count < most && done < left; step->count++) {
        address target = to + (address)done, source = from + (address)done;
        int64_t in_line = MIN(to_end_of_line(target), to_end_of_line(source));
        int64_t bytes = MIN(left - done, MIN(in_line, peer->load_bytes));
        step->targets[step->count] = target;
        step->loads[step->count] =
            (struct memory_load){source, step->lines[step->count], (size_t)bytes};
        done += bytes;
    }
    return done;
}

static void start_across(struct peer_path *peer, struct step *step)
{
    const struct bus_path path = memory_client_bus_path(&peer->loads);
    for (size_t i = 0; i < step->count; i++)
        bus_path_start_read(&path, peer->loads.process, &peer->loads.memory->sim->quiescence,
                            &step->loads_across[i], step->loads[i].at, step->loads[i].data,
                            step->loads[i].bytes);
}

static void load_here(struct peer_path *peer, const struct step *step)
{
    memory_client_acquire(&peer->loads, SCOPE_SYSTEM);
    memory_client_load_all(&peer->loads, step->loads, step->count, (int64_t)peer->lines);
}

/* Takes the data of a step whose loads were under way with those of an earlier step. */
static void take_here(struct peer_path *peer, const struct step *step)
{
    for (size_t i = 0; i < step->count; i++)
        device_memory_read(peer->loads.memory, step->loads[i].at, step->loads[i].data,
                           step->loads[i].bytes);
}

static void store_word(struct peer_path *peer, address at, const void *data, size_t bytes)
{
    agent_store(peer->agent, at, data, bytes);
    peer->last = at;
}

static void store(struct peer_path *peer, const struct step *step)
{
    for (size_t i = 0; i < step->count; i++)
        store_word(peer, step->targets[i], step->lines[i], step->loads[i].bytes);
}

/* Carries out the steps whose loads are under way together; returns their bytes. */
static int64_t put_together(struct peer_path *peer, address to, address from, int64_t left)
{
    struct step *step = peer->room->steps;
    int64_t done = 0;
    for (size_t i = 0; i < peer->steps && done < left; i++) {
        address offset = (address)done;
        done += cut(peer, step, peer->lines, to + offset, from + offset, left - done);
        agent_execute(peer->agent, PEER_STEP_INSTRUCTIONS);
        (i == 0 ? load_here : take_here)(peer, step);
        store(peer, step);
    }
    return done;
}

/* As put_together, but from another GPU. */
static int64_t get_together(struct peer_path *peer, address to, address from, int64_t left)
{
    struct step *steps = peer->room->steps;
    int64_t done = 0;
    size_t count = 0;
    for (; count < peer->steps && done < left; count++) {
        address offset = (address)done;
        done += cut(peer, &steps[count], peer->lines, to + offset, from + offset, left - done);
        agent_execute(peer->agent, PEER_STEP_INSTRUCTIONS);
        start_across(peer, &steps[count]);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t line = 0; line < steps[i].count; line++)
            bus_path_finish_read(&steps[i].loads_across[line], peer->loads.process);
        store(peer, &steps[i]);
    }
    return done;
}

/* One step of a core, with as many loads as it keeps under way. */
static int64_t move_by_core(struct peer_path *peer, address to, address from, int64_t left)
{
    struct step *step = peer->room->steps;
    int64_t most = CLAMP(agent_loads_in_flight(peer->agent, from), 1, LOADS_IN_FLIGHT_MAX);
    int64_t done = cut(peer, step, (size_t)most, to, from, left);
    agent_execute(peer->agent, PEER_STEP_INSTRUCTIONS);
    agent_acquire(peer->agent, SCOPE_SYSTEM);
    agent_load_all(peer->agent, step->loads, step->count);
    store(peer, step);
    return done;
}

/* --- copies as blocks --------------------------------------------------------------------------
 *
 * Copies of payload to another GPU as blocks. Payload has no simulated contents, so nobody can see a part of it. The stores of
 * a step, which set out together, are one request of the bus; and steps of a work-group that has its compute unit for itself,
 * and whose loads hit, go at a pace that is known from the first one on: their stores are one flow over the link, with a start
 * and an end, which shares the link with what it meets there (fabric/lane.h). A step that misses ends the flow. Over several
 * links, and over one that may be more than half full, steps go one by one.
 *
 * Left out: that a flow's loads meet others at the banks of the L2, and that others may come to the compute unit
 * meanwhile. With sim->stores_one_by_one each store is simulated: the test workloads/peer_blocks compares both. */

/* Whether a copy by the lanes of peer->work_group goes in blocks: whole lines of payload, from this GPU to another one. */
static bool goes_in_blocks(const struct peer_path *peer, address to, address from)
{
    const struct device_memory *memory = peer->loads.memory;
    return !memory->sim->stores_one_by_one && store_is_payload(to) && store_is_payload(from) &&
           (to | from) % CACHE_LINE_BYTES == 0 && peer->load_bytes == CACHE_LINE_BYTES &&
           address_slot(from) == memory->slot && !device_memory_serves(memory, to);
}

static int64_t step_bytes(const struct peer_path *peer)
{
    return (int64_t)peer->lines * CACHE_LINE_BYTES;
}

static int64_t move_bytes(const struct peer_path *peer)
{
    return step_bytes(peer) * (int64_t)peer->steps;
}

static int64_t parts_of(int64_t bytes, int64_t part_bytes)
{
    return (bytes + part_bytes - 1) / part_bytes;
}

/* Time from the start of a move to its first stores, if its loads hit and find no other traffic. */
static sim_time to_stores_ps(const struct peer_path *peer, int64_t bytes)
{
    const struct device_memory *memory = peer->loads.memory;
    int64_t lines = MIN(cache_lines_of(bytes), (int64_t)peer->lines);
    return work_group_time_ps(peer->work_group, PEER_STEP_INSTRUCTIONS) +
           peer->loads.l1_latency_ps + 2 * memory->half_way_ps +
           device_memory_banks_ps(memory, lines);
}

/* Time from the first to the last stores of a move: instructions of the other steps. */
static sim_time later_stores_ps(const struct peer_path *peer, int64_t bytes)
{
    return (parts_of(bytes, step_bytes(peer)) - 1) *
           work_group_time_ps(peer->work_group, PEER_STEP_INSTRUCTIONS);
}

/* How long a move of all its bytes takes. */
static sim_time move_ps(const struct peer_path *peer)
{
    int64_t bytes = move_bytes(peer);
    sim_time stores_ps = to_stores_ps(peer, bytes) + later_stores_ps(peer, bytes);
    return MAX(stores_ps, work_group_copy_ps(peer->work_group, bytes));
}

/* A run of moves: the moves of a flow (possibly none), and the last move, whose steps are stored one by one. */
struct peer_run {
    int64_t flowed_bytes, last_bytes;
    sim_time flow_ps, stores_ps; /* the first stores of the flow; those of the last move */
    sim_time end_ps;             /* when the compute unit has passed the run on */
};

/* Loads the first step of a move; returns when it will be back. */
static sim_time load_first(struct peer_path *peer, address from, int64_t left)
{
    agent_execute(peer->agent, PEER_STEP_INSTRUCTIONS);
    sim_time back_ps = block_load(&peer->loads, from, MIN(left, step_bytes(peer)));
    return process_now(peer->loads.process) + back_ps;
}

/* Whether a run's moves go at a steady pace: no other work-group on the compute unit does so, and all of the GPU's work-groups
 * together would take at most half of the link. Bursts, unlike even flows, wait for one another, but then for less than half a
 * burst (the mean wait of M/D/1 at a load of a half). */
static bool keeps_pace(const struct peer_path *peer, address to)
{
    const struct device_memory *memory = peer->loads.memory;
    int64_t one_Bps = muldiv_ceil(move_bytes(peer), PS_PER_S, move_ps(peer));
    int64_t groups = 1 + work_groups_beside(peer->work_group, false);
    return work_groups_beside(peer->work_group, true) == 0 &&
           one_Bps <= bus_link_rate_Bps(memory->bus, memory->slot, address_slot(to)) / 2 / groups;
}

/* How many of `left` bytes go in the first move and the following moves whose loads hit. */
static int64_t that_hit(struct peer_path *peer, address from, int64_t left)
{
    int64_t done = move_bytes(peer);
    for (; done < left; done += move_bytes(peer)) {
        int64_t lines = cache_lines_of(MIN(left - done, step_bytes(peer)));
        if (!device_memory_loads_block(peer->loads.memory, from + (address)done, lines))
            break;
    }
    return MIN(done, left);
}

/* The first move began at `start_ps`, and its loads are back at run->flow_ps; the other moves take as long as they do
 * undisturbed. */
static void plan(const struct peer_path *peer, struct peer_run *run, int64_t bytes,
                 sim_time start_ps)
{
    struct work_group *wg = peer->work_group;
    int64_t moves = parts_of(bytes, move_bytes(peer));
    run->flowed_bytes = (moves - 1) * move_bytes(peer);
    run->last_bytes = bytes - run->flowed_bytes;
    run->stores_ps = run->flow_ps;
    if (moves > 1) {
        sim_time copied_ps = work_group_copies(wg, start_ps, move_bytes(peer));
        sim_time stored_ps = run->flow_ps + later_stores_ps(peer, move_bytes(peer));
        start_ps = MAX(copied_ps, stored_ps) + (moves - 2) * move_ps(peer);
        run->stores_ps = start_ps + to_stores_ps(peer, run->last_bytes);
    }
    run->end_ps = work_group_copies(wg, start_ps, run->last_bytes);
}

static struct bus_flow *begin_flow(const struct peer_path *peer, address to,
                                   const struct peer_run *run)
{
    if (run->flowed_bytes == 0)
        return NULL;
    return block_flow_begin(peer->stores, to, run->flowed_bytes, run->stores_ps - run->flow_ps,
                            run->flow_ps - process_now(peer->loads.process));
}

/* Stores the steps of the last move. The first of them ends the flow. */
static void store_steps(struct peer_path *peer, address to, const struct peer_run *run,
                        struct bus_flow *flow)
{
    struct block_store store = {to, run->flowed_bytes, 0, flow};
    for (int64_t done = 0; done < run->last_bytes; done += store.bytes) {
        if (done > 0) {
            agent_execute(peer->agent, PEER_STEP_INSTRUCTIONS);
            store = (struct block_store){.at = to + (address)(run->flowed_bytes + done)};
        }
        store.bytes = MIN(run->last_bytes - done, step_bytes(peer));
        block_store(peer->stores, &store);
    }
    peer->last = to;
}

static void run_ahead_to(struct process *process, sim_time until_ps)
{
    if (until_ps > process_now(process))
        process_run_ahead(process, until_ps - process_now(process));
}

/* Stores the next part of such a copy, of which `left` bytes are left. Returns the bytes of that part, which the compute unit has
 * passed on. */
static int64_t put_block(struct peer_path *peer, address to, address from, int64_t left)
{
    struct process *process = peer->loads.process;
    sim_time start_ps = process_now(process);
    struct peer_run run = {.flow_ps = load_first(peer, from, left)};
    int64_t bytes = keeps_pace(peer, to) ? that_hit(peer, from, left) : MIN(left, move_bytes(peer));
    plan(peer, &run, bytes, start_ps);
    struct bus_flow *flow = begin_flow(peer, to, &run);
    run_ahead_to(process, run.stores_ps);
    store_steps(peer, to, &run, flow);
    run_ahead_to(process, run.end_ps);
    return bytes;
}

/* --- any copy ------------------------------------------------------------------------------------ */

/* Steps of a wavefront, which take at least the time in which its compute unit copies their bytes. */
static int64_t move_by_lanes(struct peer_path *peer, address to, address from, int64_t left)
{
    struct process *process = peer->loads.process;
    sim_time start_ps = process_now(process);
    if (goes_in_blocks(peer, to, from))
        return put_block(peer, to, from, left);
    bool is_here = device_memory_serves(peer->loads.memory, from);
    int64_t moved = (is_here ? put_together : get_together)(peer, to, from, left);
    run_ahead_to(process, work_group_copies(peer->work_group, start_ps, moved));
    return moved;
}

static void copy(struct peer_path *peer, address to, address from, int64_t bytes)
{
    int64_t moved;
    for (int64_t done = 0; done < bytes; done += moved) {
        address offset = (address)done;
        moved = (peer->work_group != NULL ? move_by_lanes : move_by_core)(
            peer, to + offset, from + offset, bytes - done);
    }
}

/* --- operations --------------------------------------------------------------------------------- */

static void put(struct peer_path *peer, const struct queue_entry *entry)
{
    if (entry->is_inline)
        store_word(peer, entry->remote, &entry->value, (size_t)entry->bytes);
    else
        copy(peer, entry->remote, entry->local, (int64_t)entry->bytes);
    if (entry->operation != QUEUE_PUT_SIGNAL)
        return;
    peer_push(peer);
    store_word(peer, entry->signal, &entry->signal_value, sizeof entry->signal_value);
}

static void change(struct peer_path *peer, const struct queue_entry *entry)
{
    peer->returned = agent_atomic(peer->agent, entry->remote, (enum atomic_op)entry->atomic,
                                  entry->value, entry->compare);
    if (entry->local != ADDRESS_NONE)
        agent_store_word(peer->agent, entry->local, peer->returned);
}

static void copy_by_engine(struct peer_path *peer, const struct queue_entry *entry,
                           uint64_t operation, uint64_t *under_way)
{
    bool is_get = entry->operation == QUEUE_GET;
    bool has_signal = entry->operation == QUEUE_PUT_SIGNAL;
    peer_copies_start(peer->copies,
                      &(struct peer_copy){.to = is_get ? entry->local : entry->remote,
                                          .from = is_get ? entry->remote : entry->local,
                                          .bytes = (int64_t)entry->bytes,
                                          .signal = has_signal ? entry->signal : 0,
                                          .signal_value = has_signal ? entry->signal_value : 0,
                                          .under_way = under_way,
                                          .operation = operation});
}

void peer_carry_out(struct peer_path *peer, const struct queue_entry *entry, uint64_t operation,
                    uint64_t *under_way)
{
    if (has_payload_copied(peer, entry)) {
        copy_by_engine(peer, entry, operation, under_way);
        return;
    }
    agent_execute(peer->agent, PEER_STEP_INSTRUCTIONS);
    if (entry->operation == QUEUE_GET)
        copy(peer, entry->local, entry->remote, (int64_t)entry->bytes);
    else if (entry->operation == QUEUE_ATOMIC)
        change(peer, entry);
    else
        put(peer, entry);
}

void peer_push(struct peer_path *peer)
{
    uint8_t byte;
    agent_release(peer->agent, SCOPE_SYSTEM);
    if (peer->reads_back && peer->last != ADDRESS_NONE)
        agent_load(peer->agent, peer->last, &byte, sizeof byte);
    peer->last = ADDRESS_NONE;
}

void peer_finish(struct peer_path *peer)
{
    peer_copies_finish(peer->copies);
    peer_push(peer);
}
