/* SPDX-License-Identifier: BSD-3-Clause */
/* The event queue against a reference that is too simple to be wrong: a table of events, searched
 * for the least (time, priority, sequence) at each step. */
#include <glib.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "../run_until.h"
#include "../sanitized.h"
#include "core/event.h"
#include "core/rng.h"
#include "core/wheel.h"

/* --- order, by hand --------------------------------------------------------------------------- */

struct log {
    GString *text;
    struct event_queue *queue;
};

struct letter {
    struct log *log;
    char letter;
};

static void write_letter(void *argument)
{
    const struct letter *letter = argument;
    g_string_append_c(letter->log->text, letter->letter);
}

/* A queue whose events write the letters a, b, c, ... */
struct writer {
    struct log log;
    struct letter letters[26];
};

static void writer_init(struct writer *writer)
{
    writer->log = (struct log){g_string_new(NULL), event_queue_new()};
    for (int i = 0; i < 26; i++)
        writer->letters[i] = (struct letter){&writer->log, (char)('a' + i)};
}

static void writer_clear(struct writer *writer)
{
    event_queue_free(writer->log.queue);
    g_string_free(writer->log.text, TRUE);
}

static event_handle write_at(struct writer *writer, sim_time at_ps, int16_t priority, char letter)
{
    return event_schedule_priority(writer->log.queue, at_ps, priority, write_letter,
                                   &writer->letters[letter - 'a']);
}

static void test_order(void)
{
    struct writer writer;
    writer_init(&writer);
    write_at(&writer, 70000, EVENT_NORMAL, 'd');
    write_at(&writer, 70000, EVENT_LATE, 'f');
    write_at(&writer, 70000, EVENT_NORMAL, 'e');
    write_at(&writer, 70000, EVENT_EARLY, 'c');
    write_at(&writer, 69999, EVENT_LATE, 'b');
    write_at(&writer, 5, EVENT_LATE, 'a');
    write_at(&writer, SIM_TIME_LAST, EVENT_NORMAL, 'g');
    g_assert_cmpuint(event_pending(writer.log.queue), ==, 7);
    event_run(writer.log.queue);
    g_assert_cmpstr(writer.log.text->str, ==, "abcdefg");
    g_assert_cmpint(event_now(writer.log.queue), ==, SIM_TIME_LAST);
    g_assert_cmpuint(event_executed(writer.log.queue), ==, 7);
    g_assert_cmpuint(event_pending(writer.log.queue), ==, 0);
    g_assert_false(event_run_one(writer.log.queue));
    writer_clear(&writer);
}

/* Ties scheduled from near and from far: the first of them while its time lay three levels up. */
static void test_ties_across_levels(void)
{
    struct writer writer;
    writer_init(&writer);
    write_at(&writer, 0x1020304, EVENT_NORMAL, 'd');
    write_at(&writer, 0x1000000, EVENT_NORMAL, 'a');
    write_at(&writer, 0x1020300, EVENT_NORMAL, 'c');
    write_at(&writer, 0x1020000, EVENT_NORMAL, 'b');
    for (int i = 0; i < 3; i++) {
        event_run_one(writer.log.queue);
        write_at(&writer, 0x1020304, EVENT_NORMAL, (char)('e' + i));
    }
    event_run(writer.log.queue);
    g_assert_cmpstr(writer.log.text->str, ==, "abcdefg");
    writer_clear(&writer);
}

/* --- handles ---------------------------------------------------------------------------------- */

static void test_cancel(void)
{
    struct writer writer;
    writer_init(&writer);
    struct event_queue *queue = writer.log.queue;
    event_handle a = write_at(&writer, 10, EVENT_NORMAL, 'a');
    event_handle b = write_at(&writer, 10, EVENT_NORMAL, 'b');
    g_assert_cmpint(event_time(queue, b), ==, 10);
    g_assert_true(event_cancel(queue, b));
    g_assert_false(event_cancel(queue, b));
    g_assert_false(event_cancel(queue, 0));
    g_assert_cmpint(event_time(queue, b), ==, SIM_TIME_MAX);

    event_handle c = write_at(&writer, 10, EVENT_NORMAL, 'c'); /* where b was */
    g_assert_cmpuint(b, !=, c);
    g_assert_false(event_cancel(queue, b));
    g_assert_false(event_reschedule(queue, b, 20));
    event_run(queue);
    g_assert_cmpstr(writer.log.text->str, ==, "ac");
    g_assert_false(event_cancel(queue, a));
    g_assert_false(event_cancel(queue, c));
    g_assert_cmpuint(event_executed(queue), ==, 2);
    writer_clear(&writer);
}

static void test_reschedule(void)
{
    struct writer writer;
    writer_init(&writer);
    struct event_queue *queue = writer.log.queue;
    event_handle c = write_at(&writer, 10, EVENT_NORMAL, 'c');
    write_at(&writer, 10, EVENT_NORMAL, 'b');
    event_handle a = write_at(&writer, 1000000, EVENT_NORMAL, 'a');
    g_assert_true(event_reschedule(queue, c, 10)); /* behind its ties */
    g_assert_true(event_reschedule(queue, a, 9));
    g_assert_cmpint(event_time(queue, a), ==, 9);
    event_run(queue);
    g_assert_cmpstr(writer.log.text->str, ==, "abc");
    g_assert_false(event_reschedule(queue, c, 11));
    writer_clear(&writer);
}

/* --- limits and stops ------------------------------------------------------------------------- */

/* After a run up to a limit the queue must take events from that limit on, also ones that come
 * before all that is pending: looking for the next event must not have moved the time ahead. */
static void test_run_until(void)
{
    struct writer writer;
    writer_init(&writer);
    struct event_queue *queue = writer.log.queue;
    write_at(&writer, 0x30500, EVENT_NORMAL, 'c');
    write_at(&writer, 0x30400, EVENT_NORMAL, 'b');
    run_until(queue, 0x303ff);
    g_assert_cmpint(event_now(queue), ==, 0x303ff);
    g_assert_cmpstr(writer.log.text->str, ==, "");
    write_at(&writer, 0x303ff, EVENT_NORMAL, 'a');
    run_until(queue, 0x30400);
    g_assert_cmpstr(writer.log.text->str, ==, "ab");
    run_until(queue, 0x30400);
    g_assert_cmpint(event_now(queue), ==, 0x30400);
    run_until(queue, 0x40000);
    g_assert_cmpstr(writer.log.text->str, ==, "abc");
    g_assert_cmpint(event_now(queue), ==, 0x40000);
    writer_clear(&writer);
}

static void stop(void *argument)
{
    struct log *log = argument;
    g_string_append_c(log->text, '.');
    event_stop(log->queue);
}

static void test_stop(void)
{
    struct writer writer;
    writer_init(&writer);
    struct event_queue *queue = writer.log.queue;
    event_schedule(queue, 10, stop, &writer.log);
    write_at(&writer, 10, EVENT_NORMAL, 'a');
    event_schedule(queue, 30, stop, &writer.log);
    write_at(&writer, 40, EVENT_NORMAL, 'b');
    event_run(queue);
    g_assert_cmpstr(writer.log.text->str, ==, ".");
    run_until(queue, 100);
    g_assert_cmpstr(writer.log.text->str, ==, ".a.");
    g_assert_cmpint(event_now(queue), ==, 30);
    run_until(queue, 100);
    g_assert_cmpstr(writer.log.text->str, ==, ".a.b");
    g_assert_cmpint(event_now(queue), ==, 100);
    writer_clear(&writer);
}

/* --- going on by itself ----------------------------------------------------------------------- */

static void write_and_take(void *argument)
{
    void *next = argument;
    do {
        const struct letter *letter = next;
        g_string_append_printf(letter->log->text, "%c%d ", letter->letter,
                               (int)event_now(letter->log->queue));
    } while (event_take_next(((struct letter *)argument)->log->queue, write_and_take, &next));
    g_string_append(((struct letter *)argument)->log->text, "| ");
}

/* One call after the other in one go, ended by another function's event, a limit or a stop. */
static void test_take_next(void)
{
    struct writer writer;
    writer_init(&writer);
    struct event_queue *queue = writer.log.queue;
    const sim_time times_ps[] = {10, 10, 5000, 70000, 70001, 90000};
    for (int i = 0; i < 6; i++)
        event_schedule(queue, times_ps[i], write_and_take, &writer.letters[i]);
    write_at(&writer, 5000, EVENT_NORMAL, 'x');
    event_schedule_priority(queue, 70001, EVENT_EARLY, stop, &writer.log);
    event_run_one(queue);
    g_assert_cmpstr(writer.log.text->str, ==, "a10 | ");
    run_until(queue, 70000);
    g_assert_cmpstr(writer.log.text->str, ==, "a10 | b10 c5000 | xd70000 | ");
    g_assert_cmpint(event_now(queue), ==, 70000);
    event_run(queue);
    event_run(queue);
    g_assert_cmpstr(writer.log.text->str, ==, "a10 | b10 c5000 | xd70000 | .e70001 f90000 | ");
    g_assert_cmpuint(event_executed(queue), ==, 9);
    writer_clear(&writer);
}

/* --- against the reference -------------------------------------------------------------------- */

#define MOST_EVENTS 4000
#define MOST_PENDING 300

struct table;

struct entry {
    struct table *table;
    sim_time time_ps;
    int16_t priority;
    uint64_t sequence;
    event_handle handle;
    bool pending;
};

struct table {
    struct event_queue *queue;
    struct rng rng;
    struct entry entries[MOST_EVENTS];
    size_t used, first; /* entries before `first` are no longer pending */
    size_t pending;
    uint64_t sequence, executed;
    sim_time limit_ps; /* of the run under way */
    bool one_only;
};

/* Whether `a` is due before `b`. */
static bool precedes(const struct entry *a, const struct entry *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->sequence < b->sequence;
}

static struct entry *table_next(struct table *table)
{
    struct entry *best = NULL;
    while (table->first < table->used && !table->entries[table->first].pending)
        table->first++;
    for (size_t i = table->first; i < table->used; i++) {
        struct entry *entry = &table->entries[i];
        if (entry->pending && (!best || precedes(entry, best)))
            best = entry;
    }
    return best;
}

/* A time from now on. Half of them lie on a coarse grid, so that many tie; the others differ from
 * now in any of the eight bytes, though rarely in the highest, which would use up time itself. */
static sim_time any_time(struct table *table)
{
    sim_time now_ps = event_now(table->queue);
    uint64_t kind = rng_below(&table->rng, 16);
    uint64_t ahead = rng_next(&table->rng);
    if (kind < 2)
        return now_ps;
    unsigned bits = 4 + (unsigned)rng_below(&table->rng, kind == 15 ? 58 : 24);
    ahead >>= 64 - bits;
    if (kind < 9) {
        unsigned coarse = bits - 2;
        ahead = ((((uint64_t)now_ps + ahead) >> coarse) + 1) << coarse;
        return ahead <= (uint64_t)SIM_TIME_LAST ? (sim_time)ahead : now_ps;
    }
    return ahead <= (uint64_t)(SIM_TIME_LAST - now_ps) ? now_ps + (sim_time)ahead : now_ps;
}

static void fire(void *argument);

static void table_schedule(struct table *table)
{
    static const int16_t priorities[] = {EVENT_EARLY, EVENT_NORMAL,  EVENT_NORMAL, EVENT_LATE,
                                         INT16_MIN,   INT16_MAX - 1, EVENT_NORMAL, EVENT_NORMAL};
    if (table->used == MOST_EVENTS || table->pending == MOST_PENDING)
        return;
    struct entry *entry = &table->entries[table->used++];
    *entry = (struct entry){.table = table,
                            .time_ps = any_time(table),
                            .priority = priorities[rng_below(&table->rng, 8)],
                            .sequence = table->sequence++,
                            .pending = true};
    entry->handle =
        event_schedule_priority(table->queue, entry->time_ps, entry->priority, fire, entry);
    table->pending++;
}

/* Cancels or moves one of the events so far, pending or not. */
static void table_disturb(struct table *table, bool cancel)
{
    if (table->used == 0)
        return;
    struct entry *entry = &table->entries[rng_below(&table->rng, table->used)];
    if (cancel) {
        g_assert_true(event_cancel(table->queue, entry->handle) == entry->pending);
        table->pending -= entry->pending;
        entry->pending = false;
        return;
    }
    sim_time at_ps = any_time(table);
    g_assert_true(event_reschedule(table->queue, entry->handle, at_ps) == entry->pending);
    entry->time_ps = at_ps;
    entry->sequence = table->sequence++;
}

static void table_act(struct table *table)
{
    for (uint64_t acts = rng_below(&table->rng, 4); acts > 0; acts--) {
        uint64_t what = rng_below(&table->rng, 8);
        if (what < 5)
            table_schedule(table);
        else
            table_disturb(table, what == 5);
    }
}

static void fire_one(struct table *table, struct entry *entry)
{
    g_assert_true(entry->pending);
    g_assert_true(entry == table_next(table));
    g_assert_cmpint(event_now(table->queue), ==, entry->time_ps);
    g_assert_cmpint(entry->time_ps, <=, table->limit_ps);
    g_assert_false(event_cancel(table->queue, entry->handle));
    entry->pending = false;
    table->pending--;
    table->executed++;
    table_act(table);
}

/* Every other event goes on by itself, as long as it may: not if one event was asked for. */
static void fire(void *argument)
{
    struct table *table = ((struct entry *)argument)->table;
    fire_one(table, argument);
    void *next;
    if (rng_below(&table->rng, 2) == 0)
        while (event_take_next(table->queue, fire, &next)) {
            g_assert_false(table->one_only);
            fire_one(table, next);
        }
}

/* Runs one event, or all up to a limit that is any time. */
static void table_run(struct table *table)
{
    if (rng_below(&table->rng, 2) == 0) {
        table->limit_ps = SIM_TIME_LAST;
        table->one_only = true;
        bool some = table->pending > 0;
        g_assert_true(event_run_one(table->queue) == some);
        return;
    }
    table->limit_ps = any_time(table);
    table->one_only = false;
    run_until(table->queue, table->limit_ps);
    table->executed++; /* run_until's own */
    g_assert_cmpint(event_now(table->queue), ==, table->limit_ps);
    const struct entry *next = table_next(table);
    g_assert_true(!next || next->time_ps > table->limit_ps);
}

static void test_against_reference(void)
{
    struct table *table = g_new(struct table, 1);
    for (uint64_t seed = 0; seed < 100; seed += IS_SANITIZED ? 4 : 1) {
        *table = (struct table){.queue = event_queue_new()};
        rng_init(&table->rng, seed, "reference");
        while (table->used < MOST_EVENTS) {
            table_act(table);
            if (rng_below(&table->rng, 4) == 0)
                table_run(table);
            g_assert_cmpuint(event_pending(table->queue), ==, table->pending);
        }
        table->limit_ps = SIM_TIME_LAST;
        table->one_only = false;
        event_run(table->queue);
        g_assert_null(table_next(table));
        g_assert_cmpuint(event_executed(table->queue), ==, table->executed);
        event_queue_free(table->queue);
    }
    g_free(table);
}

/* --- many ------------------------------------------------------------------------------------- */

struct holder {
    struct event_queue *queue;
    struct rng rng;
    sim_time last_ps;
};

static void hold(void *argument)
{
    struct holder *holder = argument;
    sim_time now_ps = event_now(holder->queue);
    g_assert_cmpint(now_ps, >=, holder->last_ps);
    holder->last_ps = now_ps;
    sim_time delay_ps = (sim_time)rng_below(&holder->rng, 50 * PS_PER_US);
    event_schedule(holder->queue, now_ps + delay_ps, hold, holder);
}

/* 10^5 pending events; once they are there, running and rescheduling asks for no more memory. */
static void test_steady_state(void)
{
    struct holder holder = {.queue = event_queue_new()};
    rng_init(&holder.rng, 1, "steady");
    for (int i = 0; i < 100000; i++)
        event_schedule(holder.queue, (sim_time)rng_below(&holder.rng, PS_PER_US), hold, &holder);
    size_t in_use = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int i = 0; i < 1000000; i++)
        event_run_one(holder.queue);
    g_assert_cmpuint(mallinfo2().uordblks + mallinfo2().hblkhd, ==, in_use);
    g_assert_cmpuint(event_pending(holder.queue), ==, 100000);
    event_queue_free(holder.queue);
}

/* --- refused ---------------------------------------------------------------------------------- */

/* --- fetching ahead --------------------------------------------------------------------------- */

static int fetched[26]; /* steps seen so far, by letter */
static bool fetched_in_order = true;

static void note_fetch(const void *argument, int step)
{
    const struct letter *letter = argument;
    int *steps = &fetched[letter->letter - 'a'];
    fetched_in_order = fetched_in_order && (step == 0 || *steps > 0);
    (*steps)++;
}

static void ignore(void *argument)
{
    (void)argument;
}

/* Runs "abc" with `others` further events pending until then, and counts what is fetched. */
static void run_fetching(int others)
{
    struct writer writer;
    writer_init(&writer);
    memset(fetched, 0, sizeof fetched);
    event_queue_fetch_by(writer.log.queue, write_letter, note_fetch);
    write_at(&writer, 5, EVENT_NORMAL, 'a'); /* of level 0 */
    write_at(&writer, 70002, EVENT_NORMAL, 'c');
    write_at(&writer, 70001, EVENT_NORMAL, 'b');
    event_handle dropped = write_at(&writer, 70003, EVENT_NORMAL, 'x');
    g_assert_true(event_cancel(writer.log.queue, dropped));
    for (int i = 0; i < others; i++)
        event_schedule(writer.log.queue, 200000, ignore, NULL);
    event_run(writer.log.queue);
    g_assert_cmpstr(writer.log.text->str, ==, "abc");
    writer_clear(&writer);
}

/* Among many, events from beyond a level's reach are fetched in steps before they run, others and cancelled ones are not; among
 * few, whose data stay in the cache, none is. The order stays. */
static void test_fetch(void)
{
    run_fetching(1000);
    g_assert_true(fetched_in_order);
    g_assert_cmpint(fetched['a' - 'a'], ==, 0);
    g_assert_cmpint(fetched['b' - 'a'], >=, 2);
    g_assert_cmpint(fetched['c' - 'a'], >=, 2);
    g_assert_cmpint(fetched['x' - 'a'], ==, 0);
    run_fetching(100);
    for (size_t i = 0; i < G_N_ELEMENTS(fetched); i++)
        g_assert_cmpint(fetched[i], ==, 0);
}

static void test_past(void)
{
    if (g_test_subprocess()) {
        struct writer writer;
        writer_init(&writer);
        run_until(writer.log.queue, 100);
        write_at(&writer, 97, EVENT_NORMAL, 'a');
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*an event was scheduled 3 ps in the past*event.c:*");
}

/* Of any time from now on: it agrees with now above its slot's byte, and the slot begins no later than it. Of two slots
 * the lower one begins first. */
static void test_wheel(void)
{
    static struct wheel wheel;
    struct rng rng;
    rng_init(&rng, 1, "wheel");
    for (int i = 0; i < 10000; i++) {
        wheel.now = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 63)));
        int64_t after = (int64_t)(rng_next(&rng) >> (2 + rng_below(&rng, 61))), time;
        if (__builtin_add_overflow(wheel.now, after, &time))
            continue;
        unsigned number = wheel_place(&wheel, time), level = number / WHEEL_SLOTS;
        g_assert_cmpint((time ^ wheel.now) >> 8 * level >> 8 * (level < 7), <=,
                        level < 7 ? 0 : 255);
        g_assert_cmpint(number % WHEEL_SLOTS, ==, time >> 8 * level & 255);
        g_assert_cmpint(wheel_base(&wheel, number), <=, time);
        g_assert_cmpint(wheel_base(&wheel, number) >> 8 * level, ==, time >> 8 * level);
        wheel_mark(&wheel, number);
        g_assert_true(wheel_is_marked(&wheel, number));
        g_assert_cmpuint(wheel_lowest(&wheel), ==, number);
        wheel_unmark(&wheel, number);
        g_assert_true(wheel_is_empty(&wheel));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/event/order", test_order);
    g_test_add_func("/event/ties-across-levels", test_ties_across_levels);
    g_test_add_func("/event/cancel", test_cancel);
    g_test_add_func("/event/reschedule", test_reschedule);
    g_test_add_func("/event/run-until", test_run_until);
    g_test_add_func("/event/stop", test_stop);
    g_test_add_func("/event/take-next", test_take_next);
    g_test_add_func("/event/against-reference", test_against_reference);
    g_test_add_func("/event/steady-state", test_steady_state);
    g_test_add_func("/event/fetch", test_fetch);
    g_test_add_func("/event/past", test_past);
    g_test_add_func("/event/wheel", test_wheel);
    return g_test_run();
}
