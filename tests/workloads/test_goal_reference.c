/* SPDX-License-Identifier: BSD-3-Clause */
/* Random schedules on the machine and on a second one that is written for clarity alone: all pending
 * operations in one array, the next one found by looking at all, everything that waits put off each
 * time, one list of messages and one of receives. Ties, rendezvous, wildcards, empty messages,
 * several streams and time that runs backwards included. */
#include "core/rng.h"
#include "goal_test.h"

/* --- the second machine ----------------------------------------------------------------------- */

struct event {
    uint64_t time, serial;
    struct loggp_op op;
};

struct reference {
    const struct loggp_spec *spec;
    const struct loggp_program *program;
    GArray *events;   /* of struct event */
    GArray *messages; /* of struct loggp_op, that nobody receives yet */
    GArray *receives; /* of struct loggp_op, that have no message yet */
    uint64_t *cpu, *out, *in;
    uint64_t serial;
    bool outside; /* a time was below 0 or above LOGGP_LAST: nothing goes on */
    struct loggp_ready ready;
};

static uint64_t *stream(struct reference *r, uint64_t *table, uint32_t rank, uint32_t number)
{
    return &table[rank * MAX(r->program->cpus, r->program->nics) + number];
}

static uint64_t possible(struct reference *r, const struct loggp_op *op)
{
    uint64_t at = *stream(r, r->cpu, op->rank, op->cpu);
    if (op->kind == LOGGP_SEND)
        at = MAX(at, *stream(r, r->out, op->rank, op->nic));
    if (op->kind == LOGGP_MESSAGE)
        at = MAX(at, *stream(r, r->in, op->rank, op->nic));
    return at;
}

static void add_event(struct reference *r, const struct loggp_op *op, uint64_t time)
{
    struct event event = {time, r->serial++, *op};
    g_array_append_val(r->events, event);
}

/* Batches here are small, so that their order is plain: rank, kind, text. */
static void add_ready(struct reference *r)
{
    const struct loggp_batch *batches[2];
    loggp_ready_order(&r->ready, batches);
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < batches[b]->count; i++)
            add_event(r, &batches[b]->ops[i], possible(r, &batches[b]->ops[i]));
    }
}

static struct event take_next(struct reference *r)
{
    guint best = 0;
    for (guint i = 1; i < r->events->len; i++) {
        const struct event *a = &g_array_index(r->events, struct event, i);
        const struct event *b = &g_array_index(r->events, struct event, best);
        if (a->time < b->time || (a->time == b->time && a->serial < b->serial))
            best = i;
    }
    struct event event = g_array_index(r->events, struct event, best);
    g_array_remove_index(r->events, best);
    return event;
}

/* Takes the first of `list` at this rank that agrees. */
static bool find(GArray *list, const struct loggp_op *op, struct loggp_op *found)
{
    for (guint i = 0; i < list->len; i++) {
        *found = g_array_index(list, struct loggp_op, i);
        bool source = op->peer == LOGGP_ANY || found->peer == LOGGP_ANY || op->peer == found->peer;
        bool tag = op->tag == LOGGP_ANY || found->tag == LOGGP_ANY || op->tag == found->tag;
        if (found->rank == op->rank && source && tag) {
            g_array_remove_index(list, i);
            return true;
        }
    }
    return false;
}

static void raise_to(uint64_t *value, uint64_t least)
{
    *value = MAX(*value, least);
}

__extension__ typedef __int128 wide;

static uint64_t time_at(struct reference *r, wide exact)
{
    r->outside |= exact < 0 || exact > LOGGP_LAST;
    return (uint64_t)exact;
}

static void meet(struct reference *r, const struct loggp_op *op, const struct loggp_op *message,
                 const struct loggp_op *receive, uint64_t now)
{
    const struct loggp_program *p = r->program;
    if (message->size > r->spec->S) {
        p->done(p->state, message->peer, message->id, &r->ready);
        raise_to(stream(r, r->cpu, message->peer, op->cpu), now);
        raise_to(stream(r, r->out, message->peer, op->nic), now);
    }
    p->done(p->state, receive->rank, receive->id, &r->ready);
}

static void go(struct reference *r, const struct loggp_op *op, uint64_t now)
{
    const struct loggp_program *p = r->program;
    const struct loggp_spec *s = r->spec;
    wide rest = (wide)op->size - 1, base = now;
    struct loggp_op other;
    loggp_ready_begin(&r->ready, op->rank);
    if (op->kind != LOGGP_MESSAGE)
        p->started(p->state, op->rank, op->id, &r->ready);
    if (op->kind == LOGGP_CALCULATE) {
        *stream(r, r->cpu, op->rank, op->cpu) = time_at(r, base + (wide)op->size * s->ticks_per_ns);
        p->done(p->state, op->rank, op->id, &r->ready);
    } else if (op->kind == LOGGP_SEND) {
        *stream(r, r->cpu, op->rank, op->cpu) = time_at(r, base + s->o + rest * s->O);
        *stream(r, r->out, op->rank, op->nic) = time_at(r, base + s->g + rest * s->G);
        other = *op;
        other.kind = LOGGP_MESSAGE;
        other.rank = op->peer;
        other.peer = op->rank;
        add_event(r, &other, time_at(r, base + s->o + s->L));
        if (op->size <= s->S)
            p->done(p->state, op->rank, op->id, &r->ready);
    } else if (op->kind == LOGGP_RECEIVE) {
        if (find(r->messages, op, &other))
            meet(r, op, &other, op, now);
        else
            g_array_append_val(r->receives, *op);
    } else {
        wide busy = rest * s->O, on_wire = rest * s->G;
        wide longer =
            rest < 0 && (busy == 0 || on_wire == 0) ? MIN(busy, on_wire) : MAX(busy, on_wire);
        *stream(r, r->cpu, op->rank, op->cpu) = time_at(r, base + s->o + longer);
        *stream(r, r->in, op->rank, op->nic) = time_at(r, base + s->g + on_wire);
        if (find(r->receives, op, &other))
            meet(r, op, op, &other, now);
        else
            g_array_append_val(r->messages, *op);
    }
    add_ready(r);
}

static void reference_run(struct reference *r)
{
    const struct loggp_program *p = r->program;
    for (uint32_t rank = 0; rank < p->ranks; rank++) {
        loggp_ready_begin(&r->ready, rank);
        p->start(p->state, rank, &r->ready);
        add_ready(r);
    }
    while (r->events->len > 0 && !r->outside) {
        struct event event = take_next(r);
        uint64_t at = event.op.kind == LOGGP_RECEIVE ? event.time : possible(r, &event.op);
        if (at <= event.time) {
            go(r, &event.op, event.time);
        } else {
            event.time = at;
            g_array_append_val(r->events, event);
        }
    }
}

/* NULL if a time is no time. */
static uint64_t *reference_ends(const struct loggp_program *program, const struct loggp_spec *spec)
{
    size_t streams = MAX(program->cpus, program->nics), cells = program->ranks * streams;
    struct reference r = {.spec = spec, .program = program};
    uint64_t *ends = g_new0(uint64_t, program->ranks);
    r.events = g_array_new(FALSE, FALSE, sizeof(struct event));
    r.messages = g_array_new(FALSE, FALSE, sizeof(struct loggp_op));
    r.receives = g_array_new(FALSE, FALSE, sizeof(struct loggp_op));
    r.cpu = g_new0(uint64_t, cells);
    r.out = g_new0(uint64_t, cells);
    r.in = g_new0(uint64_t, cells);
    reference_run(&r);
    for (size_t i = 0; i < cells; i++)
        ends[i / streams] = MAX(ends[i / streams], r.cpu[i]);
    g_array_free(r.events, TRUE);
    g_array_free(r.messages, TRUE);
    g_array_free(r.receives, TRUE);
    g_free(r.cpu);
    g_free(r.out);
    g_free(r.in);
    loggp_ready_clear(&r.ready);
    if (r.outside)
        g_clear_pointer(&ends, g_free);
    return ends;
}

/* --- random schedules ------------------------------------------------------------------------- */

struct shape {
    uint32_t ranks, messages, streams;
    uint64_t sizes[3], calc_ns[3]; /* the last size is the greatest: what receives have room for */
    bool any;                      /* some receives take any source */
    bool chained;
};

static void append_streams(GString *text, const struct shape *shape, struct rng *random)
{
    if (shape->streams > 1)
        g_string_append_printf(text, " cpu %u nic %u", (uint32_t)rng_below(random, shape->streams),
                               (uint32_t)rng_below(random, shape->streams));
}

/* One line for an operation and up to two for what it requires. */
static void append_op(GString *text, uint32_t *count, const struct shape *shape, struct rng *random,
                      const char *operation, bool is_message)
{
    uint32_t number = (*count)++;
    g_string_append_printf(text, "l%u: %s", number, operation);
    if (is_message)
        append_streams(text, shape, random);
    g_string_append_c(text, '\n');
    for (int i = 0; i < 2 && number > 0; i++) {
        if (rng_below(random, shape->chained ? 8 : 2) > 0)
            g_string_append_printf(text, "l%u %s l%u\n", number,
                                   rng_below(random, 4) ? "requires" : "irequires",
                                   number - 1 - (uint32_t)rng_below(random, MIN(number, 4)));
    }
}

static char *random_schedule(const struct shape *shape, struct rng *random)
{
    GString *ranks[8];
    uint32_t counts[8] = {0};
    GString *all = g_string_new(NULL);
    for (uint32_t i = 0; i < shape->ranks; i++)
        ranks[i] = g_string_new(NULL);
    for (uint32_t i = 0; i < shape->messages; i++) {
        uint32_t from = (uint32_t)rng_below(random, shape->ranks);
        uint32_t to = (uint32_t)rng_below(random, shape->ranks);
        uint32_t tag = (uint32_t)rng_below(random, 3);
        uint64_t bytes = shape->sizes[rng_below(random, 3)], room = shape->sizes[2];
        g_autofree char *send =
            g_strdup_printf("send %" G_GUINT64_FORMAT "b to %u tag %u", bytes, to, tag);
        g_autofree char *receive =
            shape->any && i % 3 == 0
                ? g_strdup_printf("recv %" G_GUINT64_FORMAT "b from -1 tag -1", room)
                : g_strdup_printf("recv %" G_GUINT64_FORMAT "b from %u tag %u", room, from, tag);
        g_autofree char *calc =
            g_strdup_printf("calc %" G_GUINT64_FORMAT, shape->calc_ns[rng_below(random, 3)]);
        append_op(ranks[from], &counts[from], shape, random, send, true);
        append_op(ranks[to], &counts[to], shape, random, receive, true);
        append_op(ranks[to], &counts[to], shape, random, calc, false);
    }
    g_string_printf(all, "num_ranks %u\n", shape->ranks);
    for (uint32_t i = 0; i < shape->ranks; i++) {
        g_string_append_printf(all, "rank %u {\n%s}\n", i, ranks[i]->str);
        g_string_free(ranks[i], TRUE);
    }
    return g_string_free(all, FALSE);
}

/* Ends alike, or faults alike. Returns whether it ended. */
static bool compare(const char *text, const struct loggp_spec *spec)
{
    GError *error = NULL;
    struct goal_schedule *schedule = read_text(text, &error);
    g_assert_no_error(error);
    struct loggp_program program = goal_schedule_program(schedule);
    g_autofree uint64_t *expected = reference_ends(&program, spec);
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        program = goal_schedule_program(schedule);
        struct loggp *machine = loggp_new(spec, &program);
        if (one_by_one)
            loggp_put_off_one_by_one(machine);
        while (loggp_run(machine, 7))
            ;
        g_assert_true(!expected == (loggp_fault(machine).kind != LOGGP_NO_FAULT));
        for (uint32_t rank = 0; expected && rank < program.ranks; rank++)
            g_assert_cmpuint(loggp_end(machine, rank), ==, expected[rank]);
        loggp_free(machine);
    }
    goal_schedule_free(schedule);
    return expected != NULL;
}

static const char *const machines[] = {
    "L=2500,o=1500,g=1000,G=6,O=0,S=65535",
    "L=700,o=200,g=100,G=1,O=1,S=50",
    "L=0,o=0,g=0,G=0,O=0,S=0",
    "L=10,o=5,g=5,G=3,O=7,S=100",
    "L=100,o=0,g=0,G=1,O=0,S=1000",
    "L=4611686018427387ns,o=1ps,g=1us,G=1ps,O=1s,S=1TiB",
    "L=9000000000000us,o=0,g=0,G=0,O=0,S=0",
};

static void test_random(const void *argument)
{
    const struct shape *shape = argument;
    struct rng random;
    uint64_t ended = 0;
    rng_init(&random, 1, "schedules");
    for (int round = 0; round < 40; round++) {
        g_autofree char *text = random_schedule(shape, &random);
        for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
            struct loggp_spec spec = costs(machines[i]);
            ended += compare(text, &spec);
        }
    }
    g_assert_cmpuint(ended, >, 40);
}

/* Numbers of any magnitude: hardly any schedule ends, and none with a number that wrapped around. */
static void test_extremes(const void *argument)
{
    struct rng random;
    uint64_t ended = 0;
    rng_init(&random, 2, "extremes");
    for (int round = 0; round < 400; round++) {
        struct shape shape = *(const struct shape *)argument;
        unsigned digits = (unsigned)rng_below(&random, 64);
        for (int i = 0; i < 3; i++) {
            shape.sizes[i] >>= digits;
            shape.calc_ns[i] >>= digits;
        }
        shape.messages = 1 + (uint32_t)rng_below(&random, 20);
        g_autofree char *text = random_schedule(&shape, &random);
        for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
            struct loggp_spec spec = costs(machines[i]);
            ended += compare(text, &spec);
        }
    }
    g_assert_cmpuint(ended, >, 200);
    g_assert_cmpuint(ended, <, 400 * G_N_ELEMENTS(machines));
}

int main(int argc, char **argv)
{
    static const struct shape ties = {5, 60, 1, {100, 100, 100}, {0, 100, 100}, false, true};
    static const struct shape sizes = {4, 50, 1, {1, 60, 9000}, {1, 77, 500}, false, true};
    static const struct shape loose = {8, 40, 1, {8, 64, 512}, {10, 20, 30}, false, false};
    static const struct shape wildcards = {3, 40, 1, {1, 1, 200}, {0, 5, 9}, true, true};
    static const struct shape empty = {4, 40, 1, {0, 1, 64}, {0, 5, 9}, false, true};
    static const struct shape huge = {
        4, 20, 2, {0, INT64_MAX / 9, INT64_MAX}, {0, INT64_MAX / 5, INT64_MAX}, false, true};
    static const struct shape streams = {4, 50, 3, {0, 100, 4000}, {0, 50, 900}, false, true};
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/goal/reference/ties", &ties, test_random);
    g_test_add_data_func("/goal/reference/sizes", &sizes, test_random);
    g_test_add_data_func("/goal/reference/loose", &loose, test_random);
    g_test_add_data_func("/goal/reference/wildcards", &wildcards, test_random);
    g_test_add_data_func("/goal/reference/empty", &empty, test_random);
    g_test_add_data_func("/goal/reference/streams", &streams, test_random);
    g_test_add_data_func("/goal/reference/huge", &huge, test_extremes);
    return g_test_run();
}
