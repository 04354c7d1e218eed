/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/host/look_ahead.h"

#include "models/host/host_parts.h"

void host_thread_looks_ahead(struct host_thread *thread, look_ahead_next *next, void *argument,
                             size_t places)
{
    const struct host *host = thread->host;
    HOST_NOTE(host, mispredict_cycles);
    HOST_NOTE(host, reorder_instructions);
    bool is_able = HOST_READ(host, core.loads_in_flight) > 1;
    if (thread->ahead == NULL)
        thread->ahead = pool_take_unset(&thread->host->looks);
    *thread->ahead =
        (struct look_ahead){.next = next, .argument = argument, .places = is_able ? places : 0};
}

/* The fill buffer that is free first. */
static struct line_fill *first_free(struct host_thread *thread)
{
    struct line_fill *first = thread->ahead->fills;
    for (int64_t i = 1; i < thread->host->spec->core.loads_in_flight; i++)
        if (thread->ahead->fills[i].ready_ps < first->ready_ps)
            first = &thread->ahead->fills[i];
    return first;
}

/* Begins to fetch the line, from `from_ps` on or when a fill buffer is free. Returns when it comes. */
static sim_time fetch(struct host_thread *thread, address at, sim_time from_ps)
{
    struct line_fill *fill = first_free(thread);
    sim_time begin_ps = MAX(from_ps, fill->ready_ps);
    *fill =
        (struct line_fill){at / CACHE_LINE_BYTES, begin_ps + host_fetch_into_caches(thread, at)};
    store_buffer_line_comes(thread->host, fill->line, fill->ready_ps);
    return fill->ready_ps;
}

/* When the line came or will come, as far as the fill buffers know. */
static sim_time arrival_ps(const struct host_thread *thread, cache_line line)
{
    sim_time ready_ps = 0;
    for (int64_t i = 0; i < thread->host->spec->core.loads_in_flight; i++)
        if (thread->ahead->fills[i].line == line)
            ready_ps = MAX(ready_ps, thread->ahead->fills[i].ready_ps);
    return ready_ps;
}

static bool is_in_l1(const struct host_thread *thread, address at)
{
    return cache_peek(thread->host->cores[thread->core].l1, at / CACHE_LINE_BYTES) != CACHE_MISS;
}

static bool predicts_found(const struct look_ahead *ahead)
{
    return ahead->counter >= 2;
}

/* Restarts the pipeline: the work ahead is lost, but not the lines that were asked for. */
static void restart(struct look_ahead *ahead)
{
    ahead->lead_ps = 0;
    ahead->made = 0;
}

static void mispredicts(struct host_thread *thread)
{
    if (thread->host->mispredict_ps == 0)
        return;
    process_run_ahead(thread->process, thread->host->mispredict_ps);
    restart(thread->ahead);
}

/* When the present look has its data. Its load was made earlier, unless fill buffers were short; if its line was taken away
 * since then, the pipeline restarts with this look. */
static sim_time data_ps(struct host_thread *thread, address at)
{
    struct look_ahead *ahead = thread->ahead;
    sim_time now_ps = process_now(thread->process);
    bool is_made = ahead->made > 0;
    if (is_in_l1(thread, at)) {
        ahead->made -= is_made;
        sim_time hit_ps = now_ps - ahead->lead_ps + host_fetch_into_caches(thread, at);
        return MAX(hit_ps, arrival_ps(thread, at / CACHE_LINE_BYTES));
    }
    if (is_made)
        restart(ahead);
    return fetch(thread, at, now_ps + (is_made ? thread->host->mispredict_ps : 0));
}

/* Makes the loads that the front end gets to by `until_ps`, while the present look waits. */
static void make_loads(struct host_thread *thread, sim_time until_ps)
{
    struct look_ahead *ahead = thread->ahead;
    sim_time now_ps = process_now(thread->process);
    sim_time step_ps = MAX(1, ahead->way_ps[predicts_found(ahead)]);
    for (; ahead->made + 1 < ahead->places; ahead->made++) {
        sim_time distance_ps = (sim_time)(ahead->made + 1) * step_ps;
        sim_time reached_ps = now_ps + distance_ps - ahead->lead_ps;
        address at;
        if (reached_ps > until_ps || distance_ps > thread->host->window_ps)
            return;
        if (!ahead->next(ahead->argument, ahead->made + 1, &at) || is_in_l1(thread, at))
            continue;
        if (first_free(thread)->ready_ps > until_ps)
            return;
        fetch(thread, at, MAX(reached_ps, now_ps));
    }
}

sim_time look_ahead_wait_ps(struct host_thread *thread, address at)
{
    struct look_ahead *ahead = thread->ahead;
    sim_time now_ps = process_now(thread->process);
    ahead->way_ps[ahead->found] = ahead->executed_ps;
    ahead->executed_ps = 0;
    sim_time until_ps = MAX(now_ps, data_ps(thread, at));
    make_loads(thread, until_ps);
    ahead->lead_ps = MIN(ahead->lead_ps + until_ps - now_ps, thread->host->window_ps);
    return until_ps - now_ps;
}

void host_thread_looked(struct host_thread *thread, bool found)
{
    struct look_ahead *ahead = thread->ahead;
    bool is_right = found == predicts_found(ahead);
    ahead->found = found;
    ahead->counter = found ? MIN(ahead->counter + 1, 3) : MAX(ahead->counter - 1, 0);
    if (!is_right)
        mispredicts(thread);
}

void host_thread_waited(struct host_thread *thread)
{
    mispredicts(thread);
}
