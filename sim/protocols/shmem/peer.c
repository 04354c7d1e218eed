/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/peer.h"

#include <glib.h>

#include "models/gpu/load_batch.h"
#include "models/memory/bus_wait.h"
#include "protocols/shmem/peer_blocks.h"

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

/* Steps of a wavefront, which take at least the time in which its compute unit copies their bytes. */
static int64_t move_by_lanes(struct peer_path *peer, address to, address from, int64_t left)
{
    struct process *process = peer->loads.process;
    sim_time start_ps = process_now(process);
    if (peer_goes_in_blocks(peer, to, from))
        return peer_put_block(peer, to, from, left);
    bool is_here = device_memory_serves(peer->loads.memory, from);
    int64_t moved = (is_here ? put_together : get_together)(peer, to, from, left);
    sim_time end_ps = work_group_copies(peer->work_group, start_ps, moved);
    if (end_ps > process_now(process))
        process_run_ahead(process, end_ps - process_now(process));
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
