/* SPDX-License-Identifier: BSD-3-Clause */
/* A poll that finds nothing is an event, without its process: the process is woken by the poll that finds what it waits for. */
#include "models/gpu/poll_wait.h"

/* The rhythm of the polling loop: how long its last poll took, and whether the next polls will take as long. */
struct rhythm {
    sim_time period_ps; /* time of loop and poll */
    uint64_t changes;   /* `changes` of the waiter when the last poll began */
    bool is_steady;     /* two polls took equally long, or the last one the least time */
};

/* Bytes of a work-group's stack that its return from a wait touches. Hundreds of others have been at work since it touched them. */
#define FRAMES_FETCHED 768

struct poll_waiter;

struct word_watcher {
    struct line_watcher line; /* the first member: the watcher is found by its address */
    struct poll_waiter *waiter;
};

struct poll_waiter {
    struct memory_client *client;
    const address *at; /* addresses of the words, `count` of them */
    size_t count;
    struct word_condition until;
    bool skips; /* polls that would find the same as the last one */
    struct poller poller;
    uint64_t changes; /* how often the words' lines have changed since the wait began */
    struct rhythm rhythm;
    sim_time loop_ps, way_ps; /* time of the loop's instructions; way from there to the L2 */
    sim_time least_ps;        /* time of loop and poll if the lines are in the L2 and idle */
    bool has_looked, has_phase;
    sim_time start_ps; /* when the poll that is made began, or the first of those slept through */
    size_t looked;     /* words whose lines the poll has seen at the L2 */
    sim_time wait_ps;  /* of the poll: from the L2 to the data */
    sim_time way_home_ps; /* of the poll that found what it waited for: what is left of its time */
    struct line_waiter waiter;
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

static struct event_queue *events_of(const struct poll_waiter *waiter)
{
    return waiter->client->memory->sim->events;
}

static sim_time now_of(const struct poll_waiter *waiter)
{
    return sim_now(waiter->client->memory->sim);
}

static void look(void *argument);

/* Wakes a sleeper, one of whose lines changes now: it goes on with the poll that is under way if that reaches the L2 now or
 * later, else with the next one. A poll does nothing before it reaches the L2. There its turn comes after all other events of
 * the same time, whether the polls before it were made or skipped. */
static void wake_sleeper(struct poll_waiter *waiter)
{
    sim_time period_ps = waiter->rhythm.period_ps, changed_ps = now_of(waiter);
    sim_time first_poll_ps = waiter->start_ps + waiter->loop_ps + waiter->way_ps;
    int64_t skipped = 0;
    if (changed_ps > first_poll_ps) {
        waiter->has_looked = true;
        first_poll_ps += take_phase(waiter);
        skipped = (MAX(changed_ps - first_poll_ps, 1) + period_ps - 1) / period_ps;
    }
    for (size_t i = 0; i < waiter->count; i++)
        memory_client_count_polls(waiter->client, waiter->at[i], skipped);
    poller_wakes(&waiter->poller);
    event_fetch(waiter, FRAMES_FETCHED); /* the frames to which it will return */
    first_poll_ps += skipped * period_ps;
    waiter->start_ps = first_poll_ps - waiter->loop_ps - waiter->way_ps;
    event_schedule_priority(events_of(waiter), first_poll_ps, waiter->client->turn, look, waiter);
}

static void line_changed(struct line_watcher *watcher)
{
    struct poll_waiter *waiter = ((struct word_watcher *)watcher)->waiter;
    waiter->changes++;
    if (waiter->poller.is_asleep)
        wake_sleeper(waiter);
}

/* Sleeps from `from_ps` on through polls that would find the same as the last one. */
static void sleep_until_change(struct poll_waiter *waiter, sim_time from_ps)
{
    waiter->start_ps = from_ps + take_phase(waiter);
    poller_sleeps(&waiter->poller);
}

static bool all_meet(struct word_condition until, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!word_meets(until, words[i]))
            return false;
    return true;
}

/* Whether the next poll would find nothing and take the least time, as would all later ones until a line changes. */
static G_GNUC_NO_INLINE bool polls_in_vain(struct poll_waiter *waiter)
{
    uint64_t words[WAIT_WORDS_MAX];
    for (size_t i = 0; i < waiter->count; i++)
        if (!memory_client_poll_is_still(waiter->client, waiter->at[i], &words[i]))
            return false;
    if (all_meet(waiter->until, words, waiter->count))
        return false;
    poller_begins(&waiter->poller);
    waiter->rhythm = (struct rhythm){waiter->least_ps, waiter->changes, true};
    return true;
}

/* Begins a poll at `from_ps`. */
static void begin_poll(struct poll_waiter *waiter, sim_time from_ps)
{
    waiter->start_ps = from_ps + take_phase(waiter);
    poller_begins(&waiter->poller);
    event_schedule_priority(events_of(waiter), waiter->start_ps + waiter->loop_ps + waiter->way_ps,
                            waiter->client->turn, look, waiter);
}

/* The poll, which will be back at `end_ps`, has found nothing. */
static void go_on(struct poll_waiter *waiter, sim_time end_ps)
{
    poller_found_nothing(&waiter->poller);
    if (waiter->skips && waiter->rhythm.is_steady && waiter->rhythm.changes == waiter->changes)
        sleep_until_change(waiter, end_ps);
    else
        begin_poll(waiter, end_ps);
}

/* Lets the process go on, ahead of time or when the poll is back. Returns whether it has to be woken at once. */
static bool end_wait(struct poll_waiter *waiter, sim_time end_ps)
{
    struct memory_client *client = waiter->client;
    waiter->way_home_ps = end_ps - now_of(waiter);
    if (client->runs_ahead || waiter->way_home_ps == 0)
        return true;
    process_wake_until(client->process, end_ps, EVENT_NORMAL);
    waiter->way_home_ps = 0;
    return false;
}

/* The words are read now. Returns whether the process has to be woken at once. */
static bool read_words(struct poll_waiter *waiter)
{
    struct device_memory *memory = waiter->client->memory;
    struct rhythm *rhythm = &waiter->rhythm;
    uint64_t words[WAIT_WORDS_MAX];
    for (size_t i = 0; i < waiter->count; i++)
        device_memory_read(memory, waiter->at[i], &words[i], sizeof words[i]);
    sim_time end_ps = now_of(waiter) + waiter->wait_ps + memory->half_way_ps;
    sim_time period_ps = end_ps - waiter->start_ps;
    rhythm->is_steady = period_ps == rhythm->period_ps || period_ps == waiter->least_ps;
    rhythm->period_ps = period_ps;
    if (all_meet(waiter->until, words, waiter->count))
        return end_wait(waiter, end_ps);
    go_on(waiter, end_ps);
    return false;
}

static void words_are_visible(void *argument)
{
    struct poll_waiter *waiter = argument;
    if (read_words(waiter))
        process_wake_at_once(waiter->client->process);
}

/* Looks at the lines one after the other, as far as they are not locked. The load is back when the words of all its lanes are
 * back. Returns whether the process has to be woken at once. */
static bool look_at_lines(void *argument)
{
    struct poll_waiter *waiter = argument;
    struct memory_client *client = waiter->client;
    for (; waiter->looked < waiter->count; waiter->looked++)
        if (!memory_client_look(client, waiter->at[waiter->looked], &waiter->waiter,
                                &waiter->wait_ps))
            return false;
    sim_time back_ps = device_memory_visible_after(client->memory, waiter->at[0]);
    if (back_ps == 0 || waiter->wait_ps <= back_ps)
        return read_words(waiter);
    event_schedule(events_of(waiter), now_of(waiter) + waiter->wait_ps - back_ps, words_are_visible,
                   waiter);
    waiter->wait_ps = back_ps;
    return false;
}

/* A poll has reached the L2. */
static void look(void *argument)
{
    struct poll_waiter *waiter = argument;
    poller_begins(&waiter->poller);
    waiter->has_looked = true;
    waiter->rhythm.changes = waiter->changes;
    waiter->looked = 0;
    waiter->wait_ps = 0;
    if (look_at_lines(waiter))
        process_wake_at_once(waiter->client->process);
}

static G_GNUC_NO_INLINE void wait_across_bus(struct memory_client *client, const address *at,
                                             size_t count, struct word_condition until,
                                             sim_time loop_ps)
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
                       struct word_condition until, sim_time loop_ps, bool skip,
                       struct word_watcher *watchers)
{
    struct process *process = client->process;
    struct poll_waiter waiter = {.client = client,
                                 .at = at,
                                 .count = count,
                                 .until = until,
                                 .skips = skip,
                                 .poller.of = &client->memory->sim->quiescence,
                                 .loop_ps = loop_ps,
                                 .way_ps = client->l1_latency_ps + client->memory->half_way_ps};
    waiter.least_ps = waiter.loop_ps + waiter.way_ps + client->memory->half_way_ps;
    waiter.waiter =
        (struct line_waiter){.process = process, .acts = look_at_lines, .argument = &waiter};
    for (size_t i = 0; i < count; i++) {
        watchers[i] = (struct word_watcher){.line.changed = line_changed, .waiter = &waiter};
        device_memory_watch(client->memory, at[i], &watchers[i].line);
    }
    if (skip && polls_in_vain(&waiter))
        sleep_until_change(&waiter, process_now(process));
    else
        begin_poll(&waiter, process_now(process));
    process_take_local_offset(
        process); /* it is not woken before a poll that began at its own time */
    process_suspend(process, "a word to change");
    process_run_ahead(process, waiter.way_home_ps);
    poller_leaves(&waiter.poller);
    for (size_t i = 0; i < count; i++)
        device_memory_unwatch(client->memory, &watchers[i].line);
}

/* A function of its own, so that the stack of a work-group that waits for one word stays small: hundreds of them take turns, and
 * a computer's caches hold what few lines they have. */
static G_GNUC_NO_INLINE void wait_for_many(struct memory_client *client, const address *at,
                                           size_t count, struct word_condition until,
                                           sim_time loop_ps, bool skip)
{
    struct word_watcher watchers[WAIT_WORDS_MAX];
    wait_at_l2(client, at, count, until, loop_ps, skip, watchers);
}

void memory_client_wait_words(struct memory_client *client, const address *at, size_t count,
                              struct word_condition until, sim_time loop_ps, bool skip)
{
    check_release(count >= 1 && count <= WAIT_WORDS_MAX, "a wait for %zu words", count);
    struct word_watcher watcher;
    if (!device_memory_serves(client->memory, at[0]))
        wait_across_bus(client, at, count, until, loop_ps);
    else if (count == 1)
        wait_at_l2(client, at, 1, until, loop_ps, skip, &watcher);
    else
        wait_for_many(client, at, count, until, loop_ps, skip);
    memory_client_acquire(client, SCOPE_DEVICE);
}
