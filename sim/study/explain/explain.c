/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/explain/explain.h"

#include <string.h>

#include "core/check.h"
#include "study/explain/path.h"

static void free_part(gpointer data)
{
    struct explained_part *part = data;
    g_free(part->last_ps);
    g_free(part);
}

static void free_origin(gpointer data)
{
    struct explained *origin = data;
    if (origin->places) {
        g_ptr_array_unref(origin->places);
        g_ptr_array_unref(origin->iterations);
    }
    g_free(origin->design);
    g_free(origin->path);
    g_free(origin->told_path);
    g_free(origin->callers);
    g_free(origin);
}

/* Programs that run beside each other each have a design, and are told apart by it. */
static bool is_of(const struct explained *origin, const struct observe_origin *told)
{
    bool is_same = origin->design == NULL || told->design == NULL
                       ? origin->design == told->design
                       : memcmp(origin->design, told->design, sizeof *told->design) == 0;
    return is_same && strcmp(origin->told_path, told->path) == 0;
}

static struct explained *origin_of(struct explanation *explanation,
                                   const struct observe_origin *told)
{
    for (guint i = 0; i < explanation->origins->len; i++) {
        struct explained *origin = g_ptr_array_index(explanation->origins, i);
        if (is_of(origin, told))
            return origin;
    }
    struct explained *origin = g_new0(struct explained, 1);
    char design[PARAM_TEXT_SIZE];
    origin->design = told->design ? g_memdup2(told->design, sizeof *told->design) : NULL;
    origin->told_path = g_strdup(told->path);
    origin->path = explanation_of(explanation, told->path) && told->design
                       ? g_strconcat(told->path, "@", design_text(told->design, design), NULL)
                       : g_strdup(told->path);
    origin->callers = g_strdup(told->callers);
    if (told->is_iteration) {
        origin->places = g_ptr_array_new_with_free_func(free_part);
        origin->iterations = g_ptr_array_new_with_free_func(g_free);
    }
    g_ptr_array_add(explanation->origins, origin);
    return origin;
}

/* The part of that number, and those below it. */
static struct explained_part *part_of(GPtrArray *parts, uint64_t number)
{
    while (parts->len <= number) {
        struct explained_part *part = g_new0(struct explained_part, 1);
        part->number = parts->len;
        g_ptr_array_add(parts, part);
    }
    return g_ptr_array_index(parts, number);
}

static void add_to_part(struct explained_part *part, const sim_time *spent_ps, sim_time latency_ps)
{
    part->count++;
    part->latency_ps += latency_ps;
    for (int stage = 0; stage < STAGES; stage++)
        part->stages_ps[stage] += spent_ps[stage];
}

static void add_operation(void *self, const struct observed_operation *operation)
{
    if (!operation->is_measured)
        return;
    struct explained *origin = origin_of(self, operation->origin);
    sim_time spent_ps[STAGES] = {0};
    for (size_t i = 0; i < operation->part_count; i++) {
        const struct observed_part *part = &operation->parts[i];
        spent_ps[part->stage] += part->to_ps - part->from_ps;
    }
    for (int stage = 0; stage < STAGES; stage++)
        stat_record(&origin->stages[stage], spent_ps[stage]);
    sim_time latency_ps = operation->to_ps - operation->from_ps;
    stat_record(&origin->latency, latency_ps);
    if (!origin->places)
        return;
    struct explained_part *place = part_of(origin->places, operation->caller);
    if (place->last_ps == NULL)
        place->last_ps = g_malloc(EXPLAINED_LAST * sizeof *place->last_ps);
    memcpy(place->last_ps[place->count % EXPLAINED_LAST], spent_ps, sizeof spent_ps);
    add_to_part(part_of(origin->iterations, place->count), spent_ps, latency_ps);
    add_to_part(place, spent_ps, latency_ps);
}

static void record_evenly(struct stat_histogram *histogram, sim_time sum_ps, int64_t count)
{
    sim_time more = sum_ps % count;
    stat_record_many(histogram, sum_ps / count + 1, (uint32_t)more);
    stat_record_many(histogram, sum_ps / count, (uint32_t)(count - more));
}

static const sim_time *stages_of(const struct explained_part *place, int64_t iteration)
{
    return place->last_ps[iteration % EXPLAINED_LAST];
}

/* All as the mean of those that they are like. Sums are rounded, not stages, so that those of stages stay that of the latency. */
static void add_mean(struct explained *origin, struct explained_part *place,
                     const struct observe_repeat *repeat)
{
    sim_time sum_ps = 0, before_ps = 0;
    for (int stage = 0; stage < STAGES; stage++) {
        for (int64_t i = 0; i < repeat->like; i++)
            sum_ps += stages_of(place, repeat->first + i)[stage];
        sim_time up_to_ps = muldiv_ceil(sum_ps, repeat->left, repeat->like);
        place->stages_ps[stage] += up_to_ps - before_ps;
        record_evenly(&origin->stages[stage], up_to_ps - before_ps, repeat->left);
        before_ps = up_to_ps;
    }
    place->latency_ps += before_ps;
    record_evenly(&origin->latency, before_ps, repeat->left);
}

/* Each as the one that it repeats. */
static void add_repeated(struct explained *origin, struct explained_part *place,
                         const struct observe_repeat *repeat)
{
    for (int64_t i = 0; i < MIN(repeat->like, repeat->left); i++) {
        int64_t times = (repeat->left - i + repeat->like - 1) / repeat->like;
        int64_t of = repeat->first + (repeat->from + i - repeat->first) % repeat->like;
        sim_time latency_ps = 0;
        for (int stage = 0; stage < STAGES; stage++) {
            sim_time spent_ps = stages_of(place, of)[stage];
            place->stages_ps[stage] += times * spent_ps;
            stat_record_many(&origin->stages[stage], spent_ps, (uint32_t)times);
            latency_ps += spent_ps;
        }
        place->latency_ps += times * latency_ps;
        stat_record_many(&origin->latency, latency_ps, (uint32_t)times);
    }
}

static void count_on(void *self, const struct observe_origin *told,
                     const struct observe_repeat *repeat)
{
    struct explained *origin = origin_of(self, told);
    check_release(origin->places && repeat->like >= 1 && repeat->left <= UINT32_MAX,
                  "iterations like %lld", (long long)repeat->like);
    origin->repeat = *repeat;
    for (guint i = 0; i < origin->places->len; i++) {
        struct explained_part *place = g_ptr_array_index(origin->places, i);
        int64_t count = (int64_t)place->count;
        if (count == 0)
            continue;
        check_release(repeat->first >= count - EXPLAINED_LAST &&
                          repeat->first + repeat->like <= count,
                      "iterations from %lld of %lld", (long long)repeat->first, (long long)count);
        if (repeat->is_exact)
            add_repeated(origin, place, repeat);
        else
            add_mean(origin, place, repeat);
        place->count += (uint64_t)repeat->left;
    }
}

static void forget(void *self)
{
    struct explanation *explanation = self;
    path_log_reset(explanation->paths);
    g_ptr_array_set_size(explanation->origins, 0);
}

static void hear_operation(void *self, const struct observed_operation *operation)
{
    struct explanation *explanation = self;
    path_log_operation(explanation->paths, operation);
    add_operation(self, operation);
}

static void hear_step(void *self, const struct observed_step *step)
{
    struct explanation *explanation = self;
    path_log_step(explanation->paths, step);
}

void explanation_follow(struct explanation *explanation)
{
    const struct observe_listener adds = {.self = explanation, .operation = add_operation};
    path_log_walk(explanation->paths, &adds);
}

/* Another simulation. */
static void begin(void *self)
{
    explanation_follow(self);
}

struct explanation *explanation_new(void)
{
    struct explanation *explanation = g_new0(struct explanation, 1);
    explanation->origins = g_ptr_array_new_with_free_func(free_origin);
    explanation->paths = path_log_new();
    explanation->listener = (struct observe_listener){.self = explanation,
                                                      .operation = hear_operation,
                                                      .step = hear_step,
                                                      .counted_on = count_on,
                                                      .reset = forget,
                                                      .begin = begin};
    return explanation;
}

void explanation_free(struct explanation *explanation)
{
    if (!explanation)
        return;
    g_ptr_array_unref(explanation->origins);
    path_log_free(explanation->paths);
    g_free(explanation);
}

const struct explained *explanation_of(const struct explanation *explanation, const char *path)
{
    for (guint i = 0; i < explanation->origins->len; i++) {
        const struct explained *origin = g_ptr_array_index(explanation->origins, i);
        if (strcmp(origin->path, path) == 0)
            return origin;
    }
    return NULL;
}

const struct explained *explanation_path(const struct explanation *explanation,
                                         const struct explained *iterations)
{
    for (guint i = 0; iterations->places && i < explanation->origins->len; i++) {
        const struct explained *origin = g_ptr_array_index(explanation->origins, i);
        bool is_of_it = iterations->design && origin->design &&
                        memcmp(origin->design, iterations->design, sizeof *origin->design) == 0;
        if (is_of_it && g_str_has_prefix(origin->path, "critical_path"))
            return origin;
    }
    return NULL;
}

const struct explained *explanation_main(const struct explanation *explanation)
{
    static const char *const first[] = {"iterations", "messages"};
    const struct explained *found = NULL;
    for (size_t i = 0; !found && i < G_N_ELEMENTS(first); i++)
        found = explanation_of(explanation, first[i]);
    if (found)
        return found;
    for (guint i = 0; i < explanation->origins->len; i++) {
        const struct explained *origin = g_ptr_array_index(explanation->origins, i);
        if (!found || strcmp(origin->path, found->path) < 0)
            found = origin;
    }
    return found;
}

char *explanation_others(const struct explanation *explanation, const struct explained *shown)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < explanation->origins->len; i++) {
        const struct explained *origin = g_ptr_array_index(explanation->origins, i);
        char mean[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(mean, sizeof mean, "%.3f", stat_mean(&origin->latency) / (double)PS_PER_US);
        if (origin != shown)
            g_string_append_printf(text, "%s%s (%" G_GUINT64_FORMAT ", %s us each)",
                                   text->len ? ", " : "", origin->path, origin->latency.count,
                                   mean);
    }
    return g_string_free(text, text->len == 0);
}

double explained_mean_ps(const struct explained *of, enum stage stage)
{
    return stat_mean(&of->stages[stage]);
}
