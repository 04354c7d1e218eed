/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast the engine is, against a yardstick that is measured in the same run.
 *
 * Yardstick Y(n): the simplest event queue there is, a binary heap of 16-byte entries (time,
 * payload) in one loop without calls, handles or ties, in the hold model: take the earliest of n
 * pending entries, put it back a random delay later. Machines differ; the ratio to Y much less.
 *
 * Rates are in millions a second of this thread's processor time, the best of a few rounds; rows
 * that are compared take turns, so that a machine busy with other things slows down both. */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/sim.h"
#include "core/wait.h"

#define ROUNDS 5
#define SECONDS 0.15 /* a round, about */
#define BATCH 20000  /* operations between two looks at the clock */
#define MEAN_PS PS_PER_US

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* xorshift64*: random enough for delays, and cheap beside what is measured. */
static inline uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* --- delays ----------------------------------------------------------------------------------- */

/* Uniform in [0, 2 * MEAN_PS), or one of eight latencies as hardware has them. */
static const sim_time latencies_ps[8] = {1000, 2500, 13750, 75000, 90000, 150000, 500000, 1300000};

static inline sim_time delay_ps(uint64_t *state, bool fixed)
{
    uint64_t bits = draw(state);
    if (fixed)
        return latencies_ps[bits >> 61];
    return (sim_time)(((bits >> 32) * (uint64_t)(2 * MEAN_PS)) >> 32);
}

/* --- what is measured: something that does a batch of operations ------------------------------ */

struct load {
    void (*run_batch)(void *state); /* BATCH operations */
    void *state;
    double best; /* operations a second */
};

static void load_run(struct load *load)
{
    double start = cpu_seconds(), passed;
    uint64_t operations = 0;
    do {
        load->run_batch(load->state);
        operations += BATCH;
        passed = cpu_seconds() - start;
    } while (passed < SECONDS);
    double rate = (double)operations / passed;
    load->best = rate > load->best ? rate : load->best;
}

/* Warms both up, then lets them take turns. */
static void compare(struct load *a, struct load *b)
{
    for (int round = 0; round <= ROUNDS; round++) {
        load_run(a);
        load_run(b);
        if (round == 0)
            a->best = b->best = 0;
    }
}

/* --- the yardstick ---------------------------------------------------------------------------- */

struct heap_entry {
    sim_time time_ps;
    uint64_t payload;
};

struct heap {
    struct heap_entry *entries; /* from 1 on */
    size_t count;
    uint64_t random;
    bool fixed;
};

static void sift_up(struct heap_entry *entries, size_t at, struct heap_entry entry)
{
    for (; at > 1 && entries[at / 2].time_ps > entry.time_ps; at /= 2)
        entries[at] = entries[at / 2];
    entries[at] = entry;
}

static inline void sift_down(struct heap_entry *entries, size_t count, struct heap_entry entry)
{
    size_t at = 1, child;
    while ((child = 2 * at) <= count) {
        child += child < count && entries[child + 1].time_ps < entries[child].time_ps;
        if (entries[child].time_ps >= entry.time_ps)
            break;
        entries[at] = entries[child];
        at = child;
    }
    entries[at] = entry;
}

static void heap_put(struct heap *heap, struct heap_entry entry)
{
    sift_up(heap->entries, ++heap->count, entry);
}

static struct heap_entry heap_take(struct heap *heap)
{
    struct heap_entry first = heap->entries[1];
    struct heap_entry last = heap->entries[heap->count--];
    sift_down(heap->entries, heap->count, last);
    return first;
}

static void heap_batch(void *state)
{
    struct heap *heap = state;
    for (int i = 0; i < BATCH; i++) {
        struct heap_entry entry = heap_take(heap);
        entry.time_ps += delay_ps(&heap->random, heap->fixed);
        heap_put(heap, entry);
    }
}

static struct heap *heap_new(size_t pending, bool fixed)
{
    struct heap *heap = g_new(struct heap, 1);
    *heap = (struct heap){g_new(struct heap_entry, pending + 1), 0, 1, fixed};
    while (heap->count < pending)
        heap_put(heap, (struct heap_entry){delay_ps(&heap->random, fixed), heap->count});
    return heap;
}

static void heap_free(struct heap *heap)
{
    g_free(heap->entries);
    g_free(heap);
}

/* --- the event queue -------------------------------------------------------------------------- */

struct hold {
    struct event_queue *queue;
    uint64_t random;
    bool fixed;
    int left; /* of the batch */
    event_handle timeout;
};

static void count_event(struct hold *hold)
{
    if (--hold->left == 0)
        event_stop(hold->queue);
}

static void hold_event(void *argument)
{
    struct hold *hold = argument;
    event_schedule(hold->queue, event_now(hold->queue) + delay_ps(&hold->random, hold->fixed),
                   hold_event, hold);
    count_event(hold);
}

/* As above; each event also cancels the timeout that the one before has set, and sets its own. */
static void hold_event_with_timeout(void *argument)
{
    struct hold *hold = argument;
    sim_time now_ps = event_now(hold->queue);
    event_cancel(hold->queue, hold->timeout);
    hold->timeout = event_schedule(hold->queue, now_ps + PS_PER_MS, hold_event, hold);
    event_schedule(hold->queue, now_ps + delay_ps(&hold->random, hold->fixed),
                   hold_event_with_timeout, hold);
    count_event(hold);
}

static void queue_batch(void *state)
{
    struct hold *hold = state;
    hold->left = BATCH;
    event_run(hold->queue);
}

static struct hold *hold_new(size_t pending, bool fixed, event_fn *event)
{
    struct hold *hold = g_new(struct hold, 1);
    *hold = (struct hold){event_queue_new(), 1, fixed, 0, 0};
    for (size_t i = 0; i < pending; i++)
        event_schedule(hold->queue, delay_ps(&hold->random, fixed), event, hold);
    return hold;
}

static void hold_free(struct hold *hold)
{
    event_queue_free(hold->queue);
    g_free(hold);
}

/* --- processes -------------------------------------------------------------------------------- */

struct crowd {
    struct sim *sim;
    uint64_t random;
    struct signal server;
    size_t at_server; /* clients that are served or wait */
    size_t left;      /* operations of the batch */
};

static void count_operation(struct crowd *crowd)
{
    if (--crowd->left == 0)
        sim_stop(crowd->sim);
}

static void sleeper(struct process *self, void *argument)
{
    struct crowd *crowd = argument;
    for (;;) {
        process_sleep(self, delay_ps(&crowd->random, false));
        count_operation(crowd);
    }
}

/* Thinks, queues at the one server, is served for 100 ns, waits for 2 us. */
static void client(struct process *self, void *argument)
{
    struct crowd *crowd = argument;
    for (;;) {
        process_sleep(self, delay_ps(&crowd->random, false));
        if (crowd->at_server++ > 0)
            signal_wait(&crowd->server, self, "server");
        process_sleep(self, 100 * PS_PER_NS);
        if (--crowd->at_server > 0)
            signal_one(&crowd->server); /* the server is the next one's at once */
        process_sleep(self, 2 * PS_PER_US);
        count_operation(crowd);
    }
}

static void crowd_batch(void *state)
{
    struct crowd *crowd = state;
    crowd->left = BATCH;
    sim_run(crowd->sim);
}

static struct crowd *crowd_new(size_t processes, process_fn *fn)
{
    struct crowd *crowd = g_new(struct crowd, 1);
    *crowd = (struct crowd){.sim = sim_new(1), .random = 1};
    signal_init(&crowd->server);
    for (size_t i = 0; i < processes; i++) {
        char name[32];
        g_snprintf(name, sizeof name, "process%zu", i);
        process_spawn(crowd->sim->processes, name, fn, crowd, 0, 0);
    }
    return crowd;
}

static void crowd_free(struct crowd *crowd)
{
    sim_free(crowd->sim);
    g_free(crowd);
}

/* --- the table -------------------------------------------------------------------------------- */

static void print_row(const char *what, size_t n, double rate, double yardstick, size_t yardstick_n,
                      double asked)
{
    printf("%-38s %8zu %8.2f %8.2f of Y(%zu)", what, n, rate / 1e6, rate / yardstick, yardstick_n);
    if (asked > 0)
        printf(", asked %.1f%s", asked, rate < asked * yardstick ? "  MISSED" : "");
    printf("\n");
    fflush(stdout);
}

/* What is asked of the event queue: at `pending` events, a rate of `asked` times Y(yardstick). */
enum { SIZES = 4 };
static const struct {
    size_t pending, yardstick;
    double asked;
} sizes[SIZES] = {
    {1000, 1000, 0.8}, {3072, 1000, 0.8}, {100000, 100000, 1.5}, {1000000, 1000000, 1.1}};

/* Measures heap and queue side by side. Returns the heap's rate and stores the queue's. */
static double measure_pair(size_t pending, bool fixed, event_fn *event, double *rate)
{
    struct heap *heap = heap_new(pending, fixed);
    struct hold *hold = hold_new(pending, fixed, event);
    struct load yardstick = {heap_batch, heap, 0}, load = {queue_batch, hold, 0};
    compare(&yardstick, &load);
    heap_free(heap);
    hold_free(hold);
    *rate = load.best;
    return yardstick.best;
}

/* Y(sizes[i].yardstick), from the Y of all sizes up to i. */
static double yardstick_for(const double *y, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (sizes[k].pending == sizes[i].yardstick)
            return y[k];
    return y[i];
}

/* The queue with random delays; stores Y of each size. */
static void measure_random(double *y)
{
    for (size_t i = 0; i < SIZES; i++) {
        double rate;
        y[i] = measure_pair(sizes[i].pending, false, hold_event, &rate);
        print_row("Y: binary heap", sizes[i].pending, y[i], y[i], sizes[i].pending, 0);
        print_row("events, random delays", sizes[i].pending, rate, yardstick_for(y, i),
                  sizes[i].yardstick, sizes[i].asked);
    }
}

/* The queue with eight latencies, against the same Y; the heap with these latencies stands beside
 * it. It gains from the many ties that they bring. */
static void measure_fixed(const double *y)
{
    for (size_t i = 0; i < SIZES; i++) {
        double rate, heap = measure_pair(sizes[i].pending, true, hold_event, &rate);
        print_row("binary heap, eight fixed latencies", sizes[i].pending, heap, y[i],
                  sizes[i].pending, 0);
        print_row("events, eight fixed latencies", sizes[i].pending, rate, yardstick_for(y, i),
                  sizes[i].yardstick, sizes[i].asked);
    }
}

static void measure_timeouts(void)
{
    double rate, y = measure_pair(1000, false, hold_event_with_timeout, &rate);
    print_row("events, each with a cancelled timeout", 1000, rate, y, 1000, 0);
}

static void measure_processes(const char *what, size_t n, process_fn *fn, double asked)
{
    struct heap *heap = heap_new(1000, false);
    struct crowd *crowd = crowd_new(n, fn);
    struct load yardstick = {heap_batch, heap, 0}, load = {crowd_batch, crowd, 0};
    compare(&yardstick, &load);
    print_row(what, n, load.best, yardstick.best, 1000, asked);
    heap_free(heap);
    crowd_free(crowd);
}

/* Resident memory of this program: the second number of /proc/self/statm, in pages. */
static double resident_bytes(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    if (statm)
        fclose(statm);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void measure_memory(size_t n)
{
    double before = resident_bytes();
    struct crowd *crowd = crowd_new(n, sleeper);
    crowd->left = 3 * n;
    sim_run(crowd->sim);
    double each = (resident_bytes() - before) / (double)n;
    printf("%zu processes, three sleeps each: %.0f resident bytes a process, its pages of stack "
           "(%ld bytes at least) and its event included; asked: 5000 beside the stack%s\n",
           n, each, sysconf(_SC_PAGESIZE),
           each - (double)sysconf(_SC_PAGESIZE) > 5000 ? "  MISSED" : "");
    printf("  (growth of the resident set in /proc/self/statm, divided by their number)\n");
    crowd_free(crowd);
}

int main(void)
{
    double y[SIZES];
    measure_memory(100000);
    printf("%-38s %8s %8s %8s\n", "", "n", "M/s", "ratio");
    measure_random(y);
    measure_fixed(y);
    measure_timeouts();
    measure_processes("process wake-ups", 1000, sleeper, 0.6);
    measure_processes("process wake-ups", 3072, sleeper, 0.5);
    measure_processes("process wake-ups", 30000, sleeper, 0.2);
    measure_processes("think, queue, wait: operations", 480, client, 0.2);
    return 0;
}
