/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/peer_blocks.h"

#include <glib.h>

#include "models/gpu/block_access.h"

bool peer_goes_in_blocks(const struct peer_path *peer, address to, address from)
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

int64_t peer_put_block(struct peer_path *peer, address to, address from, int64_t left)
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
