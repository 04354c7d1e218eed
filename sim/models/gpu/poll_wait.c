/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/poll_wait.h"

#include <glib.h>

#include "core/check.h"

/* The rhythm of the polling loop: how long its last poll took, and whether the next polls will take as long. */
struct rhythm {
    sim_time period_ps; /* time of loop and poll */
    uint64_t changes;   /* `changes` of the waiter when the last poll began */
    bool is_steady;     /* two polls took equally long, or the last one the least time */
};

struct poll_waiter;

struct word_watcher {
    struct line_watcher line; /* the first member: the watcher is found by its address */
    struct poll_waiter *waiter;
};

struct poll_waiter {
    struct memory_client *client;
    const address *at; /* addresses of the words, `count` of them */
    size_t count;
    struct poller poller;
    uint64_t changes; /* how often the words' lines have changed since the wait began */
    struct rhythm rhythm;
    sim_time loop_ps, way_ps; /* time of the loop's instructions; way from there to the L2 */
    sim_time least_ps;        /* time of loop and poll if the lines are in the L2 and idle */
    bool has_looked, has_phase;

    /* while it sleeps: */
    sim_time start_ps;
    bool within; /* it goes on within a poll, when the poll reaches the L2 */
};

/* Draws the phase of the polls, once, after the first poll that found nothing. The next poll comes later by this time or, if it
 * is below 0, earlier, while the answer is on its way back. */
static sim_time take_phase(struct poll_waiter *waiter)
{
    sim_time period_ps = MIN(waiter->rhythm.period_ps, 2 * waiter->least_ps);
    if (!waiter->has_looked || waiter->has_phase)
        return 0;
    waiter->has_phase = true;
    return process_draw_phase(waiter->client->process, period_ps, -period_ps / 2);
}

/* Wakes a sleeper, one of whose lines changes now: it goes on with the poll that is under way if that reaches the L2 now or
 * later, else with the next one. A poll does nothing before it reaches the L2. There its turn comes after all other events of
 * the same time, whether the polls before it were made or skipped. */
static void wake_sleeper(struct poll_waiter *waiter)
{
    struct process *process = waiter->client->process;
    sim_time period_ps = waiter->rhythm.period_ps, changed_ps = process_now(process);
    sim_time first_poll_ps = waiter->start_ps + waiter->loop_ps + waiter->way_ps;
    int64_t skipped = 0;
    if (changed_ps > first_poll_ps) {
        waiter->has_looked = true;
        first_poll_ps += take_phase(waiter);
        skipped = (MAX(changed_ps - first_poll_ps, 1) + period_ps - 1) / period_ps;
    }
    waiter->within = true;
    for (size_t i = 0; i < waiter->count; i++)
        memory_client_count_polls(waiter->client, waiter->at[i], skipped);
    poller_wakes(&waiter->poller);
    process_wake_until(process, first_poll_ps + skipped * period_ps, waiter->client->turn);
}

static void line_changed(struct line_watcher *watcher)
{
    struct poll_waiter *waiter = ((struct word_watcher *)watcher)->waiter;
    waiter->changes++;
    if (waiter->poller.is_asleep)
        wake_sleeper(waiter);
}

/* Sleeps through polls that would find the same as the last one. */
static void sleep_until_change(struct poll_waiter *waiter)
{
    struct process *process = waiter->client->process;
    waiter->start_ps = process_now(process) + take_phase(waiter);
    poller_sleeps(&waiter->poller);
    process_take_local_offset(process); /* if woken before start_ps, it sleeps until then */
    process_suspend(process, "a word to change");
}

static bool all_meet(struct word_condition until, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!word_meets(until, words[i]))
            return false;
    return true;
}

/* Whether the next poll would find nothing and take the least time, as would all later ones until a line changes. */
static bool polls_in_vain(struct poll_waiter *waiter, struct word_condition until)
{
    uint64_t words[WAIT_WORDS_MAX];
    for (size_t i = 0; i < waiter->count; i++)
        if (!memory_client_poll_is_still(waiter->client, waiter->at[i], &words[i]))
            return false;
    if (all_meet(until, words, waiter->count))
        return false;
    poller_begins(&waiter->poller);
    waiter->rhythm = (struct rhythm){waiter->least_ps, waiter->changes, true};
    return true;
}

/* Makes one turn of the loop, or the rest of it. Returns whether the condition is met. The process is ahead by the way back. */
static bool turn(struct poll_waiter *waiter, struct word_condition until)
{
    struct memory_client *client = waiter->client;
    struct process *process = client->process;
    struct rhythm *rhythm = &waiter->rhythm;
    sim_time way_ps = waiter->loop_ps + waiter->way_ps;
    sim_time start_ps = process_now(process) + (waiter->within ? -way_ps : take_phase(waiter));
    uint64_t words[WAIT_WORDS_MAX];
    poller_begins(&waiter->poller);
    if (!waiter->within)
        process_sleep_until_turn(process, start_ps + way_ps, client->turn);
    waiter->within = false;
    waiter->has_looked = true;
    rhythm->changes = waiter->changes;
    process_run_ahead(process,
                      memory_client_poll_words_at_l2(client, waiter->at, waiter->count, words));
    sim_time period_ps = process_now(process) - start_ps;
    rhythm->is_steady = period_ps == rhythm->period_ps || period_ps == waiter->least_ps;
    rhythm->period_ps = period_ps;
    return all_meet(until, words, waiter->count);
}

static void wait_across_bus(struct memory_client *client, const address *at, size_t count,
                            struct word_condition until, sim_time loop_ps)
{
    struct poller poller = {.of = &client->memory->sim->quiescence};
    uint64_t words[WAIT_WORDS_MAX];
    while (true) {
        sim_time start_ps = process_now(client->process);
        poller_begins(&poller);
        process_run_ahead(client->process, loop_ps);
        memory_client_poll_words_across_bus(client, at, count, words);
        if (all_meet(until, words, count))
            break;
        poller_goes_on(&poller, client->process, start_ps);
    }
    poller_leaves(&poller);
}

static void wait_at_l2(struct memory_client *client, const address *at, size_t count,
                       struct word_condition until, sim_time loop_ps, bool skip)
{
    struct poll_waiter waiter = {.client = client,
                                 .at = at,
                                 .count = count,
                                 .poller.of = &client->memory->sim->quiescence,
                                 .loop_ps = loop_ps,
                                 .way_ps = client->l1_latency_ps + client->memory->half_way_ps};
    waiter.least_ps = waiter.loop_ps + waiter.way_ps + client->memory->half_way_ps;
    struct word_watcher watchers[WAIT_WORDS_MAX];
    for (size_t i = 0; i < count; i++) {
        watchers[i] = (struct word_watcher){.line.changed = line_changed, .waiter = &waiter};
        device_memory_watch(client->memory, at[i], &watchers[i].line);
    }
    if (skip && polls_in_vain(&waiter, until))
        sleep_until_change(&waiter);
    while (!turn(&waiter, until)) {
        poller_found_nothing(&waiter.poller);
        if (skip && waiter.rhythm.is_steady && waiter.rhythm.changes == waiter.changes)
            sleep_until_change(&waiter);
    }
    if (!client->runs_ahead)
        process_sync(client->process);
    poller_leaves(&waiter.poller);
    for (size_t i = 0; i < count; i++)
        device_memory_unwatch(client->memory, &watchers[i].line);
}

void memory_client_wait_words(struct memory_client *client, const address *at, size_t count,
                              struct word_condition until, sim_time loop_ps, bool skip)
{
    check_release(count >= 1 && count <= WAIT_WORDS_MAX, "a wait for %zu words", count);
    if (device_memory_serves(client->memory, at[0]))
        wait_at_l2(client, at, count, until, loop_ps, skip);
    else
        wait_across_bus(client, at, count, until, loop_ps);
    memory_client_acquire(client, SCOPE_DEVICE);
}
