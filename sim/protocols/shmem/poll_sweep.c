/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/poll_sweep.h"

#define WORD_BITS 64
#define NEVER SIZE_MAX

/* The watch on the polled line of one queue. */
struct sweep_watch {
    struct line_watcher line; /* the first member: the watch is found by its address */
    struct poll_sweep *sweep;
    size_t place;
    bool is_watching;
};

struct poll_sweep {
    struct agent *agent;
    const struct agent_sweep_ops *ops;
    struct ring_consumer *consumers;
    size_t stride, count;
    struct poll_rhythm rhythm;
    struct sweep_watch *watches; /* by place */
    struct cached_line *lines;
    uint64_t *changed; /* a bit a place: the next look there has to be made */

    /* while it sleeps: */
    bool is_asleep;
    size_t first;         /* place of the first look that is skipped */
    sim_time start_ps;    /* when that look begins */
    size_t wakes_at;      /* the look that is made: its place + `count` a round in between */
    enum poll_place from; /* where that look goes on */
    event_handle wake;
};

/* --- what has changed -------------------------------------------------------------------------- */

static void set_changed(struct poll_sweep *sweep, size_t place)
{
    sweep->changed[place / WORD_BITS] |= UINT64_C(1) << place % WORD_BITS;
}

/* The first place from `place` on whose line has changed; `count` if none has. */
static size_t next_changed(const struct poll_sweep *sweep, size_t place)
{
    size_t word = place / WORD_BITS;
    uint64_t bits = sweep->changed[word] & (UINT64_MAX << place % WORD_BITS);
    for (; bits == 0 && (word + 1) * WORD_BITS < sweep->count; word++)
        bits = sweep->changed[word + 1];
    return bits == 0 ? sweep->count : word * WORD_BITS + (size_t)__builtin_ctzll(bits);
}

static struct ring_consumer *consumer_at(const struct poll_sweep *sweep, size_t place)
{
    return &sweep->consumers[place * sweep->stride];
}

/* --- sleep ------------------------------------------------------------------------------------- */

/* When the look number `look` begins, counted from the begin of the round of the first skipped look. */
static sim_time begin_of(const struct poll_sweep *sweep, size_t look)
{
    return sweep->start_ps + (sim_time)(look - sweep->first) * sweep->rhythm.period_ps;
}

static void go_on(void *argument)
{
    struct poll_sweep *sweep = argument;
    sweep->is_asleep = false;
    process_wake_at_once(sweep->agent->process);
}

static struct event_queue *events_of(const struct poll_sweep *sweep)
{
    return sweep->agent->poller.of->events;
}

/* Ends the sleep with the look number `look`, which goes on at `from`. */
static void wake_at(struct poll_sweep *sweep, size_t look, enum poll_place from)
{
    sim_time at_ps = begin_of(sweep, look) + (from == POLL_AT_LOOK ? sweep->rhythm.looked_ps : 0);
    struct poller *poller = &sweep->agent->poller;
    if (sweep->wakes_at != NEVER) {
        event_reschedule(events_of(sweep), sweep->wake, at_ps);
    } else {
        sweep->wake =
            event_schedule_priority(events_of(sweep), at_ps, sweep->rhythm.turn, go_on, sweep);
        if (poller->is_asleep)
            poller_wakes(poller);
    }
    sweep->wakes_at = look;
    sweep->from = from;
}

/* The first look at `place` during the sleep that reads its line now or later. */
static size_t next_look(const struct poll_sweep *sweep, size_t place)
{
    sim_time read_ps = sweep->start_ps + sweep->rhythm.looked_ps;
    sim_time passed_ps = event_now(events_of(sweep)) - read_ps;
    sim_time period_ps = sweep->rhythm.period_ps;
    size_t passed = passed_ps > 0 ? (size_t)((passed_ps + period_ps - 1) / period_ps) : 0;
    size_t next = sweep->first + passed;
    return next + (place + sweep->count - next % sweep->count) % sweep->count;
}

/* The line at `place` changes now, while the thread sleeps: the first look that reads the line now or later is made. */
static void wake_for(struct poll_sweep *sweep, size_t place)
{
    size_t look = next_look(sweep, place);
    if (look < sweep->wakes_at)
        wake_at(sweep, look, POLL_AT_LOOK);
}

static void line_changed(struct line_watcher *watcher)
{
    struct sweep_watch *watch = (struct sweep_watch *)watcher;
    set_changed(watch->sweep, watch->place);
    if (watch->sweep->is_asleep)
        wake_for(watch->sweep, watch->place);
}

/* Notes the skipped looks. Of several looks at one line only the last matters for the line's last use. */
static void skip_looks(struct poll_sweep *sweep)
{
    size_t end = sweep->wakes_at, count = sweep->count;
    size_t first = MAX(sweep->first, end > count ? end - count : 0);
    size_t next_round = MIN(end, (first / count + 1) * count);
    sweep->ops->skip(sweep->agent, &sweep->lines[first % count], next_round - first,
                     end - sweep->first);
    sweep->ops->skip(sweep->agent, sweep->lines, end - next_round, 0);
}

/* Sleeps until the look `last` is made: it goes on at the moment at which the cost of its load is found or, if it loads nothing
 * (all entries of its queue are held), at its begin. */
static void sleep_over_looks(struct poll_sweep *sweep, size_t first, size_t last)
{
    address at;
    bool loads = last != NEVER && ring_polled_line(consumer_at(sweep, last % sweep->count), &at);
    struct agent *agent = sweep->agent;
    const struct poll_rhythm *rhythm = &sweep->rhythm;
    sweep->first = first;
    sweep->start_ps = agent_now(agent);
    energy_alternate(agent->energy, sweep->start_ps, AGENT_POLLING, rhythm->loop_ps, AGENT_STALLED,
                     rhythm->period_ps - rhythm->loop_ps);
    sweep->wakes_at = NEVER;
    if (last == NEVER)
        poller_sleeps(&agent->poller);
    else
        wake_at(sweep, last, loads ? POLL_AT_LOOK : POLL_WHOLE);
    sweep->is_asleep = true;
    process_take_local_offset(agent->process); /* the thread is not woken before its local time */
    process_suspend(agent->process, "a queue to change");
    agent_resumes(agent); /* ends the alternation of states, even if no load follows */
    skip_looks(sweep);
}

/* The next look that has to be made: the first one that may find an entry, else the last one after `rounds` more rounds. */
static size_t next_made(const struct poll_sweep *sweep, size_t place, size_t rounds)
{
    size_t made = next_changed(sweep, place);
    if (made < sweep->count)
        return made;
    made = rounds > 0 ? next_changed(sweep, 0) : sweep->count;
    if (made < sweep->count)
        return sweep->count + made;
    return rounds == POLL_ROUNDS_ENDLESS ? NEVER : (rounds + 1) * sweep->count - 1;
}

size_t poll_sweep_to_next(struct poll_sweep *sweep, size_t place, size_t rounds,
                          enum poll_place *from)
{
    size_t look = next_made(sweep, place, rounds);
    *from = POLL_WHOLE;
    if (look > place) {
        sleep_over_looks(sweep, place, look);
        look = sweep->wakes_at;
        *from = sweep->from;
    }
    address at;
    size_t made = look % sweep->count;
    sweep->changed[made / WORD_BITS] &= ~(UINT64_C(1) << made % WORD_BITS);
    if (!ring_polled_line(consumer_at(sweep, made), &at))
        set_changed(sweep, made); /* a look without a load takes another time, so it is made */
    return look;
}

/* Lets the sleep end with its round. The last look may already have read its line and not be over. */
void poll_sweep_end_round(struct poll_sweep *sweep)
{
    if (sweep == NULL || !sweep->is_asleep)
        return;
    size_t look = next_look(sweep, sweep->count - 1), begun = look + 1 - sweep->count;
    if (begun > sweep->first && begin_of(sweep, begun) >= event_now(events_of(sweep)))
        wake_at(sweep, begun, POLL_WHOLE);
    else if (look < sweep->wakes_at)
        wake_at(sweep, look, POLL_AT_LOOK);
}

void poll_sweep_settle(struct poll_sweep *sweep)
{
    if (sweep == NULL || !sweep->is_asleep)
        return;
    sim_time passed_ps = event_now(events_of(sweep)) - sweep->start_ps - sweep->rhythm.looked_ps;
    if (passed_ps <= 0)
        return;
    size_t period_ps = (size_t)sweep->rhythm.period_ps;
    size_t polls = ((size_t)passed_ps + period_ps - 1) / period_ps;
    sweep->ops->skip(sweep->agent, &sweep->lines[sweep->first % sweep->count], 0, polls);
    sweep->start_ps = begin_of(sweep, sweep->first + polls);
    sweep->first += polls;
}

/* --- start and end ----------------------------------------------------------------------------- */

void poll_sweep_moves(struct poll_sweep *sweep, size_t place)
{
    struct sweep_watch *watch = &sweep->watches[place];
    address at;
    if (watch->is_watching)
        sweep->ops->unwatch(sweep->agent, &watch->line);
    ring_polled_line(consumer_at(sweep, place), &at);
    sweep->ops->watch(sweep->agent, at, &watch->line);
    watch->is_watching = true;
    sweep->lines[place].line = at / CACHE_LINE_BYTES;
    set_changed(sweep, place);
}

struct poll_sweep *poll_sweep_new(struct agent *agent, struct ring_consumer *consumers,
                                  size_t stride, size_t count, int64_t instructions)
{
    struct poll_rhythm rhythm;
    address at;
    ring_polled_line(consumers, &at);
    if (agent->ops->sweep == NULL || !agent->ops->sweep->rhythm(agent, at, instructions, &rhythm))
        return NULL;
    struct poll_sweep *sweep = g_new0(struct poll_sweep, 1);
    *sweep = (struct poll_sweep){.agent = agent,
                                 .ops = agent->ops->sweep,
                                 .consumers = consumers,
                                 .stride = stride,
                                 .count = count,
                                 .rhythm = rhythm,
                                 .watches = g_new0(struct sweep_watch, count),
                                 .lines = g_new0(struct cached_line, count),
                                 .changed = g_new0(uint64_t, count / WORD_BITS + 1)};
    for (size_t place = 0; place < count; place++) {
        sweep->watches[place] =
            (struct sweep_watch){.line.changed = line_changed, .sweep = sweep, .place = place};
        poll_sweep_moves(sweep, place);
    }
    return sweep;
}

void poll_sweep_free(struct poll_sweep *sweep)
{
    if (sweep == NULL)
        return;
    g_free(sweep->watches);
    g_free(sweep->lines);
    g_free(sweep->changed);
    g_free(sweep);
}
