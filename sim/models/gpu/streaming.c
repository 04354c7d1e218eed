/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines in flight are slots that go round: read, write, next line. A slot's events are its arrivals at the L2. There it also
 * takes its turn on the way back to the CU, so that all turns are taken in the order of time. Its next arrival follows after
 * the answer's way back and the next request's way to the L2.
 *
 * With a statistical L2 lines do not move tags one by one: a slot then carries up to BATCH_LINES lines at once, and there are
 * fewer slots accordingly. */
#include "models/gpu/streaming.h"

#include "models/gpu/gpu_parts.h"

#define BATCH_LINES 16

struct stream_slot {
    struct stream *stream;
    struct line_waiter waiter;
    int64_t line, count; /* lines of source and target */
    bool is_writing;     /* whether their write is under way, else their read */
};

/* One call of work_group_stream. */
struct stream {
    const struct streaming *what;
    struct work_group *wg;
    struct device_memory *memory;
    struct compute_unit *unit;
    sim_time to_l2_ps; /* way from the CU, through the L1 */
    sim_time port_ps;  /* a line's turn on the CU's port takes a cycle */
    int64_t lines, begun;
    int64_t batch; /* lines a slot */
    int64_t slots_at_work;
};

static address at_of(const struct stream_slot *slot)
{
    const struct streaming *what = slot->stream->what;
    return (slot->is_writing ? what->target : what->source) +
           (address)slot->line * CACHE_LINE_BYTES;
}

/* Gives the slot its next lines; returns false if none are left. */
static bool begin_lines(struct stream_slot *slot)
{
    struct stream *stream = slot->stream;
    const struct streaming *what = stream->what;
    if (stream->begun == stream->lines || (what->stop != NULL && *what->stop))
        return false;
    int64_t left = stream->lines - stream->begun;
    slot->line = stream->begun;
    slot->count = left < stream->batch ? left : stream->batch;
    slot->is_writing = what->source == ADDRESS_NONE;
    stream->begun += slot->count;
    return true;
}

/* Returns how long the slot's lines wait for their turn on the port. */
static sim_time take_port(const struct stream_slot *slot)
{
    const struct stream *stream = slot->stream;
    sim_time now_ps = sim_now(stream->memory->sim);
    sim_time *free_ps = &stream->unit->port_free_ps;
    sim_time start_ps = *free_ps > now_ps ? *free_ps : now_ps;
    *free_ps = start_ps + slot->count * stream->port_ps;
    return start_ps - now_ps;
}

/* Puts a line that was read into the L1, with its current contents at the L2. */
static void keep_in_l1(const struct stream *stream, address at)
{
    struct cache *l1 = stream->unit->l1;
    cache_line line = at / CACHE_LINE_BYTES;
    cache_way way = cache_find(l1, line);
    if (way == CACHE_MISS)
        way = cache_insert(l1, line, NULL);
    device_memory_read(stream->memory, at, cache_data(l1, way), CACHE_LINE_BYTES);
}

/* Carries out the slot's access at the L2; returns how long it takes until the answer is back. */
static sim_time perform(const struct stream_slot *slot)
{
    const struct stream *stream = slot->stream;
    struct device_memory *memory = stream->memory;
    address at = at_of(slot);
    sim_time wait_ps = device_memory_stream(memory, at, slot->count, slot->is_writing);
    if (!slot->is_writing)
        for (int64_t i = 0; i < slot->count; i++)
            keep_in_l1(stream, at + (address)i * CACHE_LINE_BYTES);
    if (stream->what->streamed != NULL)
        stat_count(stream->what->streamed, slot->count * CACHE_LINE_BYTES);
    return wait_ps + take_port(slot) + memory->half_way_ps;
}

static void slot_ends(void *argument)
{
    struct stream_slot *slot = argument;
    struct stream *stream = slot->stream;
    if (--stream->slots_at_work == 0)
        process_wake(stream->wg->process);
}

static void slot_reaches_l2(void *argument)
{
    struct stream_slot *slot = argument;
    struct stream *stream = slot->stream;
    struct device_memory *memory = stream->memory;
    if (device_memory_make_wait(memory, at_of(slot), &slot->waiter))
        return;
    sim_time back_ps = sim_now(memory->sim) + perform(slot);
    bool writes_next = !slot->is_writing && stream->what->target != ADDRESS_NONE;
    if (writes_next)
        slot->is_writing = true;
    if (writes_next || begin_lines(slot))
        event_schedule(memory->sim->events, back_ps + stream->to_l2_ps, slot_reaches_l2, slot);
    else
        event_schedule(memory->sim->events, back_ps, slot_ends, slot);
}

static void start_slots(struct stream *stream, struct stream_slot *slots, int64_t count)
{
    struct sim *sim = stream->memory->sim;
    for (int64_t i = 0; i < count; i++) {
        slots[i] = (struct stream_slot){.stream = stream};
        slots[i].waiter = (struct line_waiter){.arrives = slot_reaches_l2, .argument = &slots[i]};
        if (!begin_lines(&slots[i]))
            return;
        stream->slots_at_work++;
        event_schedule(sim->events, sim_now(sim) + stream->to_l2_ps, slot_reaches_l2, &slots[i]);
    }
}

void work_group_stream(struct work_group *wg, const struct streaming *what)
{
    process_sync(wg->process);
    struct gpu *gpu = wg->gpu;
    const struct gpu_spec *spec = gpu->spec;
    check_release(what->bytes >= CACHE_LINE_BYTES && what->bytes % CACHE_LINE_BYTES == 0,
                  "a stream of %lld bytes is not one of whole lines", (long long)what->bytes);
    GPU_NOTE(gpu, l1.latency_cycles);
    sim_time l1_ps = cycles_ps(spec->l1.latency_cycles, spec->clock_Hz);
    struct stream stream = {
        .what = what,
        .wg = wg,
        .memory = &gpu->memory,
        .unit = &gpu->compute_units[wg->compute_unit],
        .to_l2_ps = l1_ps + gpu->memory.half_way_ps,
        .port_ps = cycles_ps(1, spec->clock_Hz),
        .lines = what->bytes / CACHE_LINE_BYTES,
        .batch = spec->l2_model == L2_STATISTICAL ? BATCH_LINES : 1,
    };
    int64_t in_flight = wg->waves * what->lines_in_flight;
    if (stream.batch > in_flight)
        stream.batch = in_flight;
    int64_t count = in_flight / stream.batch;
    struct stream_slot *slots = g_new(struct stream_slot, (gsize)count);
    start_slots(&stream, slots, count);
    if (stream.slots_at_work > 0)
        process_suspend(wg->process, "its streamed lines");
    g_free(slots);
}
