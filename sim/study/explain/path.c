/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/explain/path.h"

#include <glib.h>

#include "protocols/design.h"

/* What was told of an operation. */
struct kept {
    uint64_t number;
    const struct design *design; /* whose pointer tells programs apart */
    uint32_t caller;
    const void *server;
    sim_time from_ps, to_ps;
    guint part, part_count; /* of the log's */
    guint before;           /* the kept one before it with the same number + 1; 0: none */
};

struct kept_step {
    enum stage stage;
    bool is_told; /* with what it waited for; else it is a part of a rank's iteration */
    sim_time from_ps, to_ps;
    uint64_t operation;
    uint32_t after;
    sim_time after_ps;
};

/* One that executes: a work-group, a rank, a PE. */
struct path_actor {
    const struct design *design;
    uint32_t number;
    GArray *steps;      /* of struct kept_step, by time */
    GArray *operations; /* guint: of the log's, those that it began or whose end it noticed */
};

struct interval {
    struct observe_origin origin; /* the path and the design may be gone */
    uint32_t place, actor;
    sim_time from_ps, to_ps;
};

struct path_log {
    GPtrArray *actors;
    GArray *operations, *parts, *intervals;
    GHashTable *by_number; /* the last kept one of a number + 1 */
    GHashTable *designs;   /* copies, by where they were */
    GHashTable
        *turns; /* of each server, GArray of struct observed_part: when it served, by their ends */
    guint steps;
};

/* --- what is told ------------------------------------------------------------------------------- */

static void free_actor(gpointer data)
{
    struct path_actor *actor = data;
    g_array_unref(actor->steps);
    g_array_unref(actor->operations);
    g_free(actor);
}

struct path_log *path_log_new(void)
{
    struct path_log *log = g_new0(struct path_log, 1);
    log->actors = g_ptr_array_new_with_free_func(free_actor);
    log->operations = g_array_new(FALSE, FALSE, sizeof(struct kept));
    log->parts = g_array_new(FALSE, FALSE, sizeof(struct observed_part));
    log->intervals = g_array_new(FALSE, FALSE, sizeof(struct interval));
    log->by_number = g_hash_table_new(NULL, NULL);
    log->designs = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    log->turns = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    return log;
}

static void forget(struct path_log *log)
{
    g_ptr_array_set_size(log->actors, 0);
    g_array_set_size(log->operations, 0);
    g_array_set_size(log->parts, 0);
    g_array_set_size(log->intervals, 0);
    g_hash_table_remove_all(log->by_number);
    g_hash_table_remove_all(log->designs);
    g_hash_table_remove_all(log->turns);
    log->steps = 0;
}

void path_log_free(struct path_log *log)
{
    g_ptr_array_unref(log->actors);
    g_array_unref(log->operations);
    g_array_unref(log->parts);
    g_array_unref(log->intervals);
    g_hash_table_unref(log->by_number);
    g_hash_table_unref(log->designs);
    g_hash_table_unref(log->turns);
    g_free(log);
}

void path_log_reset(struct path_log *log)
{
    g_array_set_size(log->intervals, 0);
}

static struct path_actor *actor_of(struct path_log *log, const struct design *design,
                                   uint32_t number)
{
    for (guint i = 0; i < log->actors->len; i++) {
        struct path_actor *actor = g_ptr_array_index(log->actors, i);
        if (actor->number == number && actor->design == design)
            return actor;
    }
    struct path_actor *actor = g_new0(struct path_actor, 1);
    actor->design = design;
    actor->number = number;
    actor->steps = g_array_new(FALSE, FALSE, sizeof(struct kept_step));
    actor->operations = g_array_new(FALSE, FALSE, sizeof(guint));
    g_ptr_array_add(log->actors, actor);
    return actor;
}

void path_log_step(struct path_log *log, const struct observed_step *step)
{
    const struct kept_step kept = {step->stage,   step->origin->tells_steps, step->from_ps,
                                   step->to_ps,   step->operation,           step->after,
                                   step->after_ps};
    if (log->steps++ < PATH_MOST)
        g_array_append_val(actor_of(log, step->origin->design, step->actor)->steps, kept);
}

/* A place that is told of by its iterations alone does what their parts say. */
static void keep_iteration(struct path_log *log, const struct observed_operation *operation)
{
    const struct observe_origin *origin = operation->origin;
    const struct interval interval = {*origin, operation->caller, operation->ender,
                                      operation->from_ps, operation->to_ps};
    for (size_t i = 0; !origin->tells_steps && i < operation->part_count; i++)
        path_log_step(log, &(struct observed_step){.origin = origin,
                                                   .actor = operation->caller,
                                                   .stage = operation->parts[i].stage,
                                                   .from_ps = operation->parts[i].from_ps,
                                                   .to_ps = operation->parts[i].to_ps,
                                                   .after = operation->caller});
    if (origin->design != NULL && !g_hash_table_contains(log->designs, origin->design))
        g_hash_table_insert(log->designs, (void *)(uintptr_t)origin->design,
                            g_memdup2(origin->design, sizeof *origin->design));
    if (operation->is_measured && log->steps < PATH_MOST && log->operations->len < PATH_MOST)
        g_array_append_val(log->intervals, interval);
}

/* What its server did for it is what others waited for meanwhile. */
static void keep_turns(struct path_log *log, const struct observed_operation *operation)
{
    GArray *turns = g_hash_table_lookup(log->turns, operation->server);
    if (operation->server == NULL)
        return;
    if (turns == NULL) {
        turns = g_array_new(FALSE, FALSE, sizeof(struct observed_part));
        g_hash_table_insert(log->turns, (void *)(uintptr_t)operation->server, turns);
    }
    for (size_t i = 0; i < operation->part_count; i++) {
        const struct observed_part *part = &operation->parts[i];
        bool is_of_server = part->stage == STAGE_MUTEX || part->stage == STAGE_SERVED;
        if (is_of_server && part->to_ps > part->from_ps)
            g_array_append_vals(turns, part, 1);
    }
}

void path_log_operation(struct path_log *log, const struct observed_operation *operation)
{
    const struct design *design = operation->origin->design;
    if (operation->origin->is_iteration) {
        keep_iteration(log, operation);
        return;
    }
    if (log->operations->len >= PATH_MOST)
        return;
    gpointer number = GSIZE_TO_POINTER(operation->number);
    guint place = log->operations->len;
    const struct kept kept = {.number = operation->number,
                              .design = design,
                              .caller = operation->caller,
                              .server = operation->server,
                              .from_ps = operation->from_ps,
                              .to_ps = operation->to_ps,
                              .part = log->parts->len,
                              .part_count = (guint)operation->part_count,
                              .before =
                                  GPOINTER_TO_UINT(g_hash_table_lookup(log->by_number, number))};
    g_array_append_val(log->operations, kept);
    g_array_append_vals(log->parts, operation->parts, (guint)operation->part_count);
    g_hash_table_insert(log->by_number, number, GUINT_TO_POINTER(place + 1));
    keep_turns(log, operation);
    if (operation->origin->is_served) /* steps of work-groups name what they waited for */
        return;
    g_array_append_val(actor_of(log, design, operation->caller)->operations, place);
    if (operation->ender != operation->caller)
        g_array_append_val(actor_of(log, design, operation->ender)->operations, place);
}

/* --- the way back ------------------------------------------------------------------------------- */

/* Where the path is: at this time it was up to `actor`. */
struct path_walk {
    struct path_log *log;
    const struct interval *interval;
    struct path_actor *actor;
    sim_time at_ps;
    sim_time spent_ps[STAGES];
};

static const struct kept *kept_at(const struct path_log *log, guint place)
{
    return &g_array_index(log->operations, struct kept, place);
}

/* Numbers are used again: the operation of that number that had begun by then. NULL: none is kept. */
static const struct kept *named(const struct path_log *log, uint64_t number, sim_time by_ps)
{
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(log->by_number, GSIZE_TO_POINTER(number)));
    while (place > 0 && kept_at(log, place - 1)->from_ps >= by_ps)
        place = kept_at(log, place - 1)->before;
    return place > 0 ? kept_at(log, place - 1) : NULL;
}

/* The last step that began before `at_ps`; NULL: none. */
static const struct kept_step *step_before(const struct path_actor *actor, sim_time at_ps)
{
    guint low = 0, high = actor->steps->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(actor->steps, struct kept_step, middle).from_ps < at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &g_array_index(actor->steps, struct kept_step, low - 1) : NULL;
}

/* When the operation last came further, up to `by_ps`; that somebody notices its end brings it no further. */
static sim_time came_on_ps(const struct path_log *log, const struct kept *kept, sim_time by_ps)
{
    sim_time last_ps = kept->from_ps;
    for (guint i = 0; i < kept->part_count; i++) {
        const struct observed_part *part =
            &g_array_index(log->parts, struct observed_part, kept->part + i);
        if (part->to_ps <= by_ps && part->stage != STAGE_NOTICED)
            last_ps = MAX(last_ps, part->to_ps);
    }
    return last_ps;
}

/* Operations are told of about in the order of their ends: one that ends at `at_ps` or later is not far before the first that does,
 * and one that was under way then is not far behind it. */
#define FIRST_BEFORE 64
#define LAST_BEHIND 512

static guint first_to_look_at(const struct path_log *log, const struct path_actor *actor,
                              sim_time at_ps)
{
    guint low = 0, high = actor->operations->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (kept_at(log, g_array_index(actor->operations, guint, middle))->to_ps < at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low > FIRST_BEFORE ? low - FIRST_BEFORE : 0;
}

/* What ended an actor's wait at `at_ps`: of its operations that were under way, the one that came further last. */
static const struct kept *arrival(const struct path_log *log, const struct path_actor *actor,
                                  sim_time at_ps)
{
    const struct kept *found = NULL;
    sim_time found_ps = -1;
    guint first = first_to_look_at(log, actor, at_ps);
    for (guint i = first; i < MIN(actor->operations->len, first + LAST_BEHIND); i++) {
        const struct kept *kept = kept_at(log, g_array_index(actor->operations, guint, i));
        if (kept->from_ps >= at_ps || kept->to_ps < at_ps)
            continue;
        sim_time last_ps = came_on_ps(log, kept, at_ps);
        if (last_ps > found_ps && last_ps > kept->from_ps) {
            found = kept;
            found_ps = last_ps;
        }
    }
    return found;
}

static bool is_wait(enum stage stage)
{
    return stage == STAGE_EXPOSED || stage == STAGE_IDLE;
}

/* Somebody of the same program who was at work then; NULL: nobody. */
static struct path_actor *at_work(const struct path_walk *walk)
{
    for (guint i = 0; i < walk->log->actors->len; i++) {
        struct path_actor *actor = g_ptr_array_index(walk->log->actors, i);
        const struct kept_step *step = step_before(actor, walk->at_ps);
        if (actor->design == walk->actor->design && step != NULL && step->to_ps >= walk->at_ps &&
            !is_wait(step->stage))
            return actor;
    }
    return NULL;
}

/* The time from `from_ps` on, or from where the iteration began, is of that stage. */
static void spend(struct path_walk *walk, enum stage stage, sim_time from_ps)
{
    from_ps = MAX(from_ps, walk->interval->from_ps);
    if (from_ps >= walk->at_ps)
        return;
    walk->spent_ps[stage] += walk->at_ps - from_ps;
    walk->at_ps = from_ps;
}

static gint by_end(gconstpointer a, gconstpointer b)
{
    const struct observed_part *one = a, *other = b;
    return (one->to_ps > other->to_ps) - (one->to_ps < other->to_ps);
}

/* The number of turns that end at `at_ps` or before. */
static guint turns_until(const GArray *turns, sim_time at_ps)
{
    guint low = 0, high = turns->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(turns, struct observed_part, middle).to_ps <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Until its server has seen an entry it has served others, which is what the entry waited for; the rest is looking for it. */
static void wait_for_server(struct path_walk *walk, const struct kept *kept,
                            const struct observed_part *part)
{
    const GArray *turns = g_hash_table_lookup(walk->log->turns, kept->server);
    for (guint i = turns != NULL ? turns_until(turns, walk->at_ps) : 0; i > 0; i--) {
        const struct observed_part *turn = &g_array_index(turns, struct observed_part, i - 1);
        if (turn->to_ps <= part->from_ps)
            break;
        spend(walk, part->stage, turn->to_ps);
        spend(walk, turn->stage, MAX(turn->from_ps, part->from_ps));
    }
    spend(walk, part->stage, part->from_ps);
}

/* Back through the stages of an operation to the time at which it was posted. */
static void follow(struct path_walk *walk, const struct kept *kept, enum stage after)
{
    spend(walk, after, kept->to_ps);
    for (guint i = kept->part_count; i > 0; i--) {
        const struct observed_part *part =
            &g_array_index(walk->log->parts, struct observed_part, kept->part + i - 1);
        if (part->stage == STAGE_SEEN)
            wait_for_server(walk, kept, part);
        else
            spend(walk, part->stage, part->from_ps);
    }
    spend(walk, after, kept->from_ps);
}

/* One step back. */
static void go_back(struct path_walk *walk)
{
    const struct design *design = walk->actor->design;
    const struct kept_step *step = step_before(walk->actor, walk->at_ps);
    if (step == NULL || step->to_ps < walk->at_ps) {
        spend(walk, STAGE_IDLE, step != NULL ? step->to_ps : 0);
        return;
    }
    bool is_ranks = !step->is_told;
    const struct kept *kept = is_ranks && is_wait(step->stage)
                                  ? arrival(walk->log, walk->actor, walk->at_ps)
                                  : named(walk->log, step->operation, walk->at_ps);
    bool has_come = kept != NULL && came_on_ps(walk->log, kept, walk->at_ps) > step->from_ps;
    if (has_come) {
        follow(walk, kept, step->stage);
        walk->actor = actor_of(walk->log, design, is_ranks ? kept->caller : step->after);
    } else if (kept != NULL && step->is_told && step->stage == STAGE_EXPOSED) {
        spend(walk, STAGE_NOTICED, step->from_ps); /* it had come before: this is the look */
    } else if (step->after != walk->actor->number && step->after_ps > step->from_ps) {
        spend(walk, step->stage, step->after_ps);
        walk->actor = actor_of(walk->log, design, step->after);
    } else if (is_ranks && step->stage == STAGE_IDLE && at_work(walk) != NULL) {
        walk->actor = at_work(walk);
    } else {
        spend(walk, step->stage, step->from_ps);
    }
}

static void tell(const struct path_walk *walk, const struct observe_listener *listener)
{
    const struct interval *interval = walk->interval;
    struct observed_part parts[STAGES];
    struct observe_origin origin = interval->origin;
    origin.path = "critical_path";
    origin.design = g_hash_table_lookup(walk->log->designs, interval->origin.design);
    origin.is_iteration = false;
    sim_time at_ps = interval->from_ps;
    for (int stage = 0; stage < STAGES; stage++) {
        parts[stage] =
            (struct observed_part){(enum stage)stage, at_ps, at_ps + walk->spent_ps[stage]};
        at_ps = parts[stage].to_ps;
    }
    const struct observed_operation path = {.origin = &origin,
                                            .caller = interval->place,
                                            .is_measured = true,
                                            .from_ps = interval->from_ps,
                                            .to_ps = interval->to_ps,
                                            .parts = parts,
                                            .part_count = STAGES};
    listener->operation(listener->self, &path);
}

static void sort_turns(gpointer server, gpointer turns, gpointer unused)
{
    (void)server;
    (void)unused;
    g_array_sort(turns, by_end);
}

void path_log_walk(struct path_log *log, const struct observe_listener *listener)
{
    g_hash_table_foreach(log->turns, sort_turns, NULL);
    for (guint i = 0; i < log->intervals->len; i++) {
        const struct interval *interval = &g_array_index(log->intervals, struct interval, i);
        struct path_walk walk = {.log = log,
                                 .interval = interval,
                                 .actor = actor_of(log, interval->origin.design, interval->actor),
                                 .at_ps = interval->to_ps};
        while (walk.at_ps > interval->from_ps)
            go_back(&walk);
        tell(&walk, listener);
    }
    forget(log);
}
