#include "models/gpu/poll_wait.h"

struct poll_waiter {
    struct line_watcher watcher; /* first: the waiter is found from it */
    struct process *process;
    struct poller poller;
    uint64_t changes; /* of the line, since the wait began */
};

static void line_changed(struct line_watcher *watcher)
{
    struct poll_waiter *waiter = (struct poll_waiter *)watcher;
    waiter->changes++;
    if (waiter->poller.is_asleep) {
        poller_wakes(&waiter->poller);
        process_wake(waiter->process);
    }
}

/* What is known of the loop: how long its last poll took, and whether that can be relied on. */
struct rhythm {
    sim_time period_ps; /* loop and poll */
    uint64_t changes;   /* of the line when the last poll began */
    bool is_steady;     /* the last two polls took the same time */
};

/* Sleeps through polls that would find what the last one found. Returns true if it woke within a
 * poll: the process is then at the moment at which that poll reaches the L2. */
static bool sleep_until_change(struct memory_client *client, struct poll_waiter *waiter,
                               const struct rhythm *rhythm, sim_time loop_ps)
{
    struct process *process = client->process;
    sim_time start_ps = process_now(process);
    sim_time first_poll_ps =
        start_ps + loop_ps + client->l1_latency_ps + client->memory->half_way_ps;
    poller_sleeps(&waiter->poller);
    process_take_local_offset(process); /* woken before start_ps, it sleeps until then */
    process_suspend(process, "a word to change");
    sim_time changed_ps = process_now(process);
    int64_t skipped = 0;
    if (changed_ps > first_poll_ps)
        skipped = (changed_ps - first_poll_ps + rhythm->period_ps - 1) / rhythm->period_ps;
    memory_client_count_polls(client, waiter->watcher.line * CACHE_LINE_BYTES, skipped);
    sim_time loop_start_ps = start_ps + skipped * rhythm->period_ps;
    if (loop_start_ps >= changed_ps) {
        process_sleep_until(process, loop_start_ps);
        return false;
    }
    process_sleep_until(process, first_poll_ps + skipped * rhythm->period_ps);
    return true;
}

/* One turn of the loop; `within` says that the poll has reached the L2 already. Its look comes
 * after all else that happens at the same moment, whether the polls before it were made or skipped.
 */
static uint64_t turn(struct memory_client *client, struct poll_waiter *waiter, address at,
                     struct rhythm *rhythm, sim_time loop_ps, bool within)
{
    uint64_t word;
    sim_time way_ps = client->l1_latency_ps + client->memory->half_way_ps;
    sim_time start_ps = process_now(client->process);
    poller_begins(&waiter->poller);
    if (within)
        start_ps -= loop_ps + way_ps;
    else
        process_sleep(client->process, loop_ps + way_ps);
    if (client->turn > 0)
        process_take_turn(client->process, client->turn);
    else
        process_sleep(client->process, 0);
    rhythm->changes = waiter->changes;
    memory_client_poll_at_l2(client, at, &word, sizeof word);
    sim_time period_ps = process_now(client->process) - start_ps;
    rhythm->is_steady = period_ps == rhythm->period_ps;
    rhythm->period_ps = period_ps;
    return word;
}

static void wait_across_bus(struct memory_client *client, address at, struct word_condition until,
                            sim_time loop_ps)
{
    struct poller poller = {.of = &client->memory->sim->quiescence};
    uint64_t word;
    while (true) {
        poller_begins(&poller);
        process_run_ahead(client->process, loop_ps);
        memory_client_poll(client, at, &word, sizeof word);
        if (word_meets(until, word))
            break;
        poller_found_nothing(&poller);
    }
    poller_leaves(&poller);
}

static void wait_at_l2(struct memory_client *client, address at, struct word_condition until,
                       sim_time loop_ps, bool skip)
{
    struct poll_waiter waiter = {.watcher.changed = line_changed,
                            .process = client->process,
                            .poller.of = &client->memory->sim->quiescence};
    struct rhythm rhythm = {0};
    bool within = false;
    device_memory_watch(client->memory, at, &waiter.watcher);
    while (!word_meets(until, turn(client, &waiter, at, &rhythm, loop_ps, within))) {
        within = false;
        poller_found_nothing(&waiter.poller);
        if (skip && rhythm.is_steady && rhythm.changes == waiter.changes)
            within = sleep_until_change(client, &waiter, &rhythm, loop_ps);
    }
    poller_leaves(&waiter.poller);
    device_memory_unwatch(client->memory, &waiter.watcher);
}

void memory_client_wait_word(struct memory_client *client, address at, struct word_condition until,
                             sim_time loop_ps, bool skip)
{
    if (device_memory_serves(client->memory, at))
        wait_at_l2(client, at, until, loop_ps, skip);
    else
        wait_across_bus(client, at, until, loop_ps);
    memory_client_acquire(client, SCOPE_DEVICE);
}
