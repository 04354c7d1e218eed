/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/noise/noise.h"

#include <string.h>

#include "core/check.h"
#include "core/error.h"

/* --- the description ------------------------------------------------------------------------------ */

/* What classes are of. An end is a time in ps, or of a slowdown a share in millionths. */
struct class_kind {
    const char *name, *example;
    bool (*parse)(const char *text, int64_t *end);
};

static bool parse_time(const char *text, int64_t *end)
{
    return unit_parse(text, UNIT_TIME, end, NULL);
}

static bool parse_slowdown(const char *text, int64_t *end)
{
    char *rest;
    double percent = g_ascii_strtod(text, &rest);
    if (rest == text || strcmp(rest, "%") != 0 || !(percent >= 0 && percent <= 1e4)) // nor nan
        return false;
    *end = (int64_t)(percent * 1e4);
    return true;
}

static const struct class_kind durations = {"duration", "10us 580463", parse_time},
                               slowdowns = {"slowdown", "8% 99", parse_slowdown};

/* Appends a class, written as in the kind's example. */
static bool add_class(struct noise_source *source, const char *text, const struct class_kind *kind,
                      GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 2);
    struct noise_class *next = &source->classes[source->count];
    int64_t before = source->count > 0 ? next[-1].end : 0;
    guint64 weight = 0;
    if (source->count == NOISE_CLASSES_MOST)
        return error_set(error, "more than %d %ss", NOISE_CLASSES_MOST, kind->name);
    if (g_strv_length(words) != 2 || !kind->parse(words[0], &next->end) ||
        !g_ascii_string_to_unsigned(words[1], 10, 0, G_MAXUINT32, &weight, NULL))
        return error_set(error, "\"%s\" is no %s and its weight, as in \"%s\"", text, kind->name,
                         kind->example);
    if (next->end <= before)
        return error_set(error, "\"%s\": %ss rise from entry to entry, from above 0", text,
                         kind->name);
    next->weight = weight + (source->count > 0 ? next[-1].weight : 0);
    source->count++;
    return true;
}

static bool read_classes(struct noise_source *source, const char *text,
                         const struct class_kind *kind, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    source->count = 0;
    for (GStrv part = parts; *part != NULL; part++)
        if (!add_class(source, g_strstrip(*part), kind, error))
            return false;
    if (source->count == 0)
        return error_set(error, "there is no %s, as in \"%s\"", kind->name, kind->example);
    return source->classes[source->count - 1].weight > 0 ||
           error_set(error, "all weights of \"%s\" are 0", text);
}

static bool durations_valid(const void *text, GError **error)
{
    struct noise_source source;
    return read_classes(&source, text, &durations, error);
}

static bool slowdowns_valid(const void *text, GError **error)
{
    struct noise_source source;
    return read_classes(&source, text, &slowdowns, error);
}

static const struct param_record durations_words = {.valid = durations_valid};
static const struct param_record slowdown_words = {.valid = slowdowns_valid};

#define SPEC struct noise_spec
static const struct param params[] = {
    PARAM_TIME(
        period, SPEC, "0s", "0s", "1000s",
        "Between the beginnings of two interruptions of a host core by its operating system; 0: there are none."),
    PARAM_WORD_LIST(
        durations, SPEC, &durations_words,
        "Histogram of how long interruptions take, such as { \"10us 9\", \"20us 1\" }: upper end of a class, which begins at the end "
        "of the one before, and its weight."),
    PARAM_WORD_LIST(
        slow_gpus, SPEC, &slowdown_words,
        "Histogram of how much longer kernels take on a GPU than on the fastest, such as { \"8% 99\", \"50% 1\" }: upper end of a class, "
        "which begins at the end of the one before, and its weight. Each GPU has a clock that is lower by what is drawn for it."),
    PARAM_COUNT(
        nodes, SPEC, "64", "1", "65536",
        "Applications (jacobi2d, jacobi3d, moe, allreduce) on this many nodes or more are interrupted and have slow GPUs; "
        "benchmarks and programs are not. 1: all workloads are."),
};
#undef SPEC
PARAM_TABLE(
    noise_params, "noise", struct noise_spec, params,
    "Interruptions of host cores by their operating system, and GPUs that are slower than others.");

bool noise_spec_valid(const struct noise_spec *spec, GError **error)
{
    struct noise_source source;
    char period[UNIT_TEXT_SIZE], longest[UNIT_TEXT_SIZE];
    if (spec->period_ps == 0)
        return true;
    if (spec->durations == 0)
        return error_set(error, "noise.period needs noise.durations");
    noise_source_init(&source, spec, 0);
    sim_time longest_ps = source.classes[source.count - 1].end;
    return longest_ps < spec->period_ps ||
           error_set(error, "noise.durations of up to %s do not fit into noise.period = %s",
                     unit_format(longest_ps, UNIT_TIME, longest),
                     unit_format(spec->period_ps, UNIT_TIME, period));
}

/* --- the source ----------------------------------------------------------------------------------- */

void noise_source_init(struct noise_source *source, const struct noise_spec *spec, uint64_t seed)
{
    *source = (struct noise_source){.period_ps = spec->period_ps, .seed = seed};
    check_always(read_classes(source, param_words(spec->durations), &durations, NULL),
                 "noise.durations are not valid");
}

/* A value of a histogram, evenly distributed over its class. */
static int64_t draw(const struct noise_source *source, struct rng *rng)
{
    const struct noise_class *class = source->classes;
    uint64_t place = rng_below(rng, source->classes[source->count - 1].weight);
    while (place >= class->weight)
        class ++;
    int64_t begin = class > source->classes ? class[-1].end : 0;
    return begin + 1 + (int64_t)rng_below(rng, (uint64_t)(class->end - begin));
}

/* --- of a core ------------------------------------------------------------------------------------ */

void noise_init(struct noise *noise, const struct noise_source *source, const char *path)
{
    g_autofree char *name = g_strconcat(path, ".noise", NULL);
    noise->source = source;
    rng_init(&noise->rng, source->seed, name);
    noise->next_ps = (sim_time)rng_below(&noise->rng, (uint64_t)source->period_ps);
}

/* Skips interruptions that ended before `from_ps`, since each is shorter than the period. */
static void pass_over(struct noise *noise, sim_time from_ps)
{
    sim_time period_ps = noise->source->period_ps;
    if (from_ps - noise->next_ps > period_ps)
        noise->next_ps += (from_ps - noise->next_ps) / period_ps * period_ps;
}

sim_time noise_delay_ps(struct noise *noise, sim_time from_ps, sim_time work_ps)
{
    sim_time end_ps = from_ps + work_ps;
    if (noise->source == NULL)
        return 0;
    pass_over(noise, from_ps);
    while (noise->next_ps < end_ps) {
        sim_time over_ps = noise->next_ps + draw(noise->source, &noise->rng);
        end_ps += MAX(over_ps - MAX(noise->next_ps, from_ps), 0);
        noise->next_ps += noise->source->period_ps;
    }
    return end_ps - from_ps - work_ps;
}

/* --- GPUs ------------------------------------------------------------------------------------------- */

double noise_slowdown(const struct noise_spec *spec, uint64_t seed, const char *path)
{
    struct noise_source source;
    struct rng rng;
    if (spec->slow_gpus == 0)
        return 1;
    g_autofree char *name = g_strconcat(path, ".clock", NULL);
    check_always(read_classes(&source, param_words(spec->slow_gpus), &slowdowns, NULL),
                 "noise.slow_gpus is not valid");
    rng_init(&rng, seed, name);
    return 1 + (double)draw(&source, &rng) * 1e-6;
}
