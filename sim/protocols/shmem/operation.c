#include "protocols/shmem/operation.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "protocols/shmem/cookie.h"

static const struct stat_info stage_info[OPERATION_STAGES] = {
    [OPERATION_START] = {"start", "ps", "always 0"},
    [OPERATION_POSTED] = {"posted", "ps", "from the call until the entry's status is stored"},
    [OPERATION_SEEN] = {"seen", "ps", "until the server has seen it"},
    [OPERATION_SERVED] = {"served", "ps", "until the command is written and the doorbell rung"},
    [OPERATION_DOORBELL] = {"doorbell", "ps", "until the doorbell is at the NIC"},
    [OPERATION_FETCHED] = {"fetched", "ps", "until the NIC has the command"},
    [OPERATION_ON_WIRE] = {"on_wire", "ps", "until the first packet sets out"},
    [OPERATION_DELIVERED] = {"delivered", "ps", "until the last byte is in its memory"},
    [OPERATION_COMPLETED] = {"completed", "ps", "until the server marks the entry"},
    [OPERATION_NOTICED] = {"noticed", "ps", "until the work-group has seen the mark"},
};
static const struct stat_info latency_info = {"latency", "ps", "from the call to its return"};

/* A number is a place in the log and how often that has been used, so that what comes late for an
 * operation that has ended is not taken for its successor's. The count of uses starts anew when its
 * bits are full. A work-group has at most one operation in the log. */
#define PLACE_BITS COOKIE_CONTEXT_BITS
#define USE_BITS (COOKIE_OPERATION_BITS - PLACE_BITS)
#define PLACES (UINT32_C(1) << PLACE_BITS)
#define MOST_USES ((UINT32_C(1) << USE_BITS) - 1)
#define NO_PLACE UINT32_MAX
_Static_assert(USE_BITS >= 16 && USE_BITS < 32,
               "nothing is so late that 2^16 operations have begun in its place");

/* An operation under way. */
struct operation {
    uint64_t number;                  /* 0: the place is free */
    uint32_t uses;                    /* of the place */
    uint32_t next_free;               /* place, while it is free */
    sim_time at_ps[OPERATION_STAGES]; /* 0: not passed yet */
};

struct operation_log {
    struct sim *sim;
    GArray *places; /* of struct operation: as many as were ever under way together */
    uint32_t free;  /* place, the last given back */
    struct stat_histogram *stages[OPERATION_STAGES];
    struct stat_histogram *latency;
};

const char *operation_stage_name(enum operation_stage stage)
{
    return stage_info[stage].name;
}

struct operation_log *operation_log_new(struct sim *sim, const char *path)
{
    struct operation_log *log = g_new0(struct operation_log, 1);
    log->sim = sim;
    log->places = g_array_new(FALSE, TRUE, sizeof(struct operation));
    log->free = NO_PLACE;
    for (int stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++)
        log->stages[stage] = stat_histogram_new(sim->stats, path, &stage_info[stage]);
    log->latency = stat_histogram_new(sim->stats, path, &latency_info);
    return log;
}

void operation_log_free(struct operation_log *log)
{
    if (log == NULL)
        return;
    g_array_unref(log->places);
    g_free(log);
}

static struct operation *at_place(const struct operation_log *log, uint32_t place)
{
    return &g_array_index(log->places, struct operation, place);
}

static uint32_t take_place(struct operation_log *log)
{
    uint32_t place = log->free;
    if (place != NO_PLACE) {
        log->free = at_place(log, place)->next_free;
        return place;
    }
    place = log->places->len;
    check_always(place < PLACES, "more than %u operations are under way", PLACES);
    g_array_set_size(log->places, place + 1);
    return place;
}

static uint32_t place_of(uint64_t number)
{
    return (uint32_t)(number % PLACES);
}

static void give_back(struct operation_log *log, struct operation *operation)
{
    uint32_t place = place_of(operation->number);
    operation->number = 0;
    operation->next_free = log->free;
    log->free = place;
}

/* NULL if it is not under way any more. */
static struct operation *find(const struct operation_log *log, uint64_t number)
{
    uint32_t place = place_of(number);
    if (number == 0 || place >= log->places->len || at_place(log, place)->number != number)
        return NULL;
    return at_place(log, place);
}

uint64_t operation_begin(struct operation_log *log)
{
    uint32_t place = take_place(log);
    struct operation *operation = at_place(log, place);
    uint32_t uses = operation->uses % MOST_USES + 1;
    *operation = (struct operation){.number = (uint64_t)uses << PLACE_BITS | place, .uses = uses};
    operation->at_ps[OPERATION_START] = sim_now(log->sim);
    return operation->number;
}

void operation_stamp(struct operation_log *log, uint64_t number, enum operation_stage stage,
                     sim_time at_ps)
{
    struct operation *operation = find(log, number);
    if (operation != NULL)
        operation->at_ps[stage] = at_ps;
}

void operation_end(struct operation_log *log, uint64_t number)
{
    struct operation *operation = find(log, number);
    check_always(operation != NULL, "operation %llu is not under way", (unsigned long long)number);
    operation->at_ps[OPERATION_NOTICED] = sim_now(log->sim);
    sim_time reached_ps = operation->at_ps[OPERATION_START];
    for (int stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++) {
        sim_time at_ps = operation->at_ps[stage];
        sim_time limit_ps = operation->at_ps[OPERATION_NOTICED];
        at_ps = at_ps < reached_ps ? reached_ps : at_ps > limit_ps ? limit_ps : at_ps;
        stat_record(log->stages[stage], at_ps - reached_ps);
        reached_ps = at_ps;
    }
    stat_record(log->latency,
                operation->at_ps[OPERATION_NOTICED] - operation->at_ps[OPERATION_START]);
    give_back(log, operation);
}

void operation_forget(struct operation_log *log, uint64_t number)
{
    struct operation *operation = find(log, number);
    if (operation != NULL)
        give_back(log, operation);
}

void operation_observe_nic(void *observer, uint64_t number, enum nic_stage stage, sim_time at_ps)
{
    static const enum operation_stage of_nic[] = {
        [NIC_STAGE_DOORBELL] = OPERATION_DOORBELL,
        [NIC_STAGE_FETCHED] = OPERATION_FETCHED,
        [NIC_STAGE_ON_WIRE] = OPERATION_ON_WIRE,
        [NIC_STAGE_DELIVERED] = OPERATION_DELIVERED,
    };
    operation_stamp(observer, number, of_nic[stage], at_ps);
}

const struct stat_histogram *operation_stage_times(const struct operation_log *log,
                                                   enum operation_stage stage)
{
    return log->stages[stage];
}

const struct stat_histogram *operation_latencies(const struct operation_log *log)
{
    return log->latency;
}

static void forget(struct stat_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
}

void operation_log_reset(struct operation_log *log)
{
    for (int stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++)
        forget(log->stages[stage]);
    forget(log->latency);
}
