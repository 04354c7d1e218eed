/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/noise/noise.h"

#include "core/check.h"
#include "core/error.h"
#include "core/units.h"

/* --- the description ------------------------------------------------------------------------------ */

/* Appends a class of durations, written as "10us 580463". */
static bool add_class(struct noise_source *source, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 2);
    struct noise_class *next = &source->classes[source->count];
    sim_time before_ps = source->count > 0 ? next[-1].end_ps : 0;
    guint64 weight = 0;
    if (source->count == NOISE_CLASSES_MOST)
        return error_set(error, "more than %d durations", NOISE_CLASSES_MOST);
    if (g_strv_length(words) != 2 || !unit_parse(words[0], UNIT_TIME, &next->end_ps, NULL) ||
        !g_ascii_string_to_unsigned(words[1], 10, 0, G_MAXUINT32, &weight, NULL))
        return error_set(error, "\"%s\" is no duration and its weight, as in \"10us 580463\"",
                         text);
    if (next->end_ps <= before_ps)
        return error_set(error, "\"%s\": durations rise from entry to entry, from above 0", text);
    next->weight = weight + (source->count > 0 ? next[-1].weight : 0);
    source->count++;
    return true;
}

static bool read_classes(struct noise_source *source, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    source->count = 0;
    for (GStrv part = parts; *part != NULL; part++)
        if (!add_class(source, g_strstrip(*part), error))
            return false;
    if (source->count == 0)
        return error_set(error, "there is no duration, as in \"10us 580463\"");
    return source->classes[source->count - 1].weight > 0 ||
           error_set(error, "all weights of \"%s\" are 0", text);
}

static bool words_valid(const void *text, GError **error)
{
    struct noise_source source;
    return read_classes(&source, text, error);
}

static const struct param_record durations_words = {.valid = words_valid};

#define SPEC struct noise_spec
static const struct param params[] = {
    PARAM_TIME(
        period, SPEC, "0s", "0s", "1000s",
        "Between the beginnings of two interruptions of a host core by its operating system; 0: there are none."),
    PARAM_WORD_LIST(
        durations, SPEC, &durations_words,
        "Histogram of how long interruptions take, such as { \"10us 9\", \"20us 1\" }: upper end of a class, which begins at the end "
        "of the one before, and its weight."),
    PARAM_COUNT(
        nodes, SPEC, "64", "1", "65536",
        "Applications (jacobi2d, jacobi3d, moe, allreduce) on this many nodes or more are interrupted; benchmarks and programs "
        "are not. 1: all workloads are interrupted."),
};
#undef SPEC
PARAM_TABLE(noise_params, "noise", struct noise_spec, params,
            "Interruptions of host cores by their operating system.");

bool noise_spec_valid(const struct noise_spec *spec, GError **error)
{
    struct noise_source source;
    char period[UNIT_TEXT_SIZE], longest[UNIT_TEXT_SIZE];
    if (spec->period_ps == 0)
        return true;
    if (spec->durations == 0)
        return error_set(error, "noise.period needs noise.durations");
    noise_source_init(&source, spec, 0);
    sim_time longest_ps = source.classes[source.count - 1].end_ps;
    return longest_ps < spec->period_ps ||
           error_set(error, "noise.durations of up to %s do not fit into noise.period = %s",
                     unit_format(longest_ps, UNIT_TIME, longest),
                     unit_format(spec->period_ps, UNIT_TIME, period));
}

/* --- the source ----------------------------------------------------------------------------------- */

void noise_source_init(struct noise_source *source, const struct noise_spec *spec, uint64_t seed)
{
    *source = (struct noise_source){.period_ps = spec->period_ps, .seed = seed};
    check_always(read_classes(source, param_words(spec->durations), NULL),
                 "noise.durations are not valid");
}

static sim_time draw_ps(struct noise *noise)
{
    const struct noise_source *source = noise->source;
    const struct noise_class *class = source->classes;
    uint64_t place = rng_below(&noise->rng, source->classes[source->count - 1].weight);
    while (place >= class->weight)
        class ++;
    sim_time begin_ps = class > source->classes ? class[-1].end_ps : 0;
    return begin_ps + 1 + (sim_time)rng_below(&noise->rng, (uint64_t)(class->end_ps - begin_ps));
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
        sim_time over_ps = noise->next_ps + draw_ps(noise);
        end_ps += MAX(over_ps - MAX(noise->next_ps, from_ps), 0);
        noise->next_ps += noise->source->period_ps;
    }
    return end_ps - from_ps - work_ps;
}
