/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/observe_place.h"

#include <glib.h>

/* From `at_ps` on the level of a stage is one higher, or one lower. */
struct place_change {
    sim_time at_ps;
    uint8_t stage;
    int8_t change;
};

/* The end of an iteration of which listeners have not been told yet. */
struct place_cut {
    sim_time end_ps;
    bool is_measured;
};

struct observe_place {
    struct observe *observe;
    const struct observe_origin *origin;
    uint32_t number;
    enum stage otherwise;
    sim_time from_ps;
    GArray *cuts;    /* of struct place_cut */
    GArray *changes; /* of struct place_change, not swept yet */
    GArray *parts;   /* of struct observed_part, of the iteration that ends */
    int32_t levels[STAGES];
    enum stage core_stage; /* the core's last stage, */
    sim_time core_end_ps;  /* the end of that stage, */
    guint core_end;        /* and that end's index in `changes` + 1; 0: swept */
};

/* The order in which stages claim a time when several hold: the GPU's, then the core's, then those of waiting. */
static const enum stage gpu_stages[] = {STAGE_KERNEL, STAGE_COPY, STAGE_STAGED};
static const enum stage wait_stages[] = {STAGE_STARTED, STAGE_LATE_RECEIVE, STAGE_EXPOSED};

struct observe_place *observe_place_new(struct observe *observe,
                                        const struct observe_origin *origin, uint32_t number,
                                        enum stage otherwise, sim_time from_ps)
{
    if (!observe_wants_operations(observe))
        return NULL;
    struct observe_place *place = g_new0(struct observe_place, 1);
    place->observe = observe;
    place->origin = origin;
    place->number = number;
    place->otherwise = otherwise;
    place->cuts = g_array_new(FALSE, FALSE, sizeof(struct place_cut));
    place->from_ps = from_ps;
    place->changes = g_array_new(FALSE, FALSE, sizeof(struct place_change));
    place->parts = g_array_new(FALSE, FALSE, sizeof(struct observed_part));
    return place;
}

void observe_place_free(struct observe_place *place)
{
    if (place == NULL)
        return;
    g_array_unref(place->cuts);
    g_array_unref(place->changes);
    g_array_unref(place->parts);
    g_free(place);
}

void observe_place_change(struct observe_place *place, enum stage what, sim_time at_ps, int change)
{
    const struct place_change told = {MAX(at_ps, place->from_ps), (uint8_t)what, (int8_t)change};
    g_array_append_val(place->changes, told);
}

void observe_place_core(struct observe_place *place, enum stage stage, sim_time from_ps,
                        sim_time to_ps)
{
    if (to_ps <= from_ps)
        return;
    bool goes_on =
        place->core_end > 0 && place->core_stage == stage && place->core_end_ps == from_ps;
    if (goes_on) {
        g_array_index(place->changes, struct place_change, place->core_end - 1).at_ps = to_ps;
    } else {
        observe_place_change(place, stage, from_ps, 1);
        observe_place_change(place, stage, to_ps, -1);
        place->core_end = place->changes->len;
    }
    place->core_stage = stage;
    place->core_end_ps = to_ps;
}

void observe_end_at(struct observe *observe, uint64_t number, sim_time at_ps,
                    struct observe_place *place)
{
    size_t count = place != NULL ? observe_end_by(observe, number, at_ps, place->number)
                                 : observe_end(observe, number, at_ps);
    for (size_t i = 0; place != NULL && i < count; i++) {
        const struct observed_part *part = &observe->parts[i];
        if (part->stage != STAGE_LATE_RECEIVE || part->to_ps <= place->from_ps)
            continue;
        observe_place_change(place, STAGE_LATE_RECEIVE, part->from_ps, 1);
        observe_place_change(place, STAGE_LATE_RECEIVE, part->to_ps, -1);
    }
}

/* --- the partition ------------------------------------------------------------------------------- */

/* Sorts changes by time, and changes of one time in the order of the calls. Most are in order already. */
static void sort_changes(GArray *changes)
{
    struct place_change *all = (struct place_change *)(void *)changes->data;
    for (guint i = 1; i < changes->len; i++) {
        struct place_change change = all[i];
        guint at = i;
        for (; at > 0 && all[at - 1].at_ps > change.at_ps; at--)
            all[at] = all[at - 1];
        all[at] = change;
    }
}

static bool is_of_core(enum stage stage)
{
    for (size_t i = 0; i < G_N_ELEMENTS(gpu_stages); i++)
        if (stage == gpu_stages[i] || stage == wait_stages[i])
            return false;
    return true;
}

static enum stage stage_now(const struct observe_place *place)
{
    for (size_t i = 0; i < G_N_ELEMENTS(gpu_stages); i++)
        if (place->levels[gpu_stages[i]] > 0)
            return gpu_stages[i];
    for (int stage = 0; stage < STAGES; stage++)
        if (place->levels[stage] > 0 && is_of_core((enum stage)stage))
            return (enum stage)stage;
    for (size_t i = 0; i < G_N_ELEMENTS(wait_stages); i++)
        if (place->levels[wait_stages[i]] > 0)
            return wait_stages[i];
    return place->otherwise;
}

static void add_part(struct observe_place *place, sim_time from_ps, sim_time to_ps)
{
    if (to_ps <= from_ps)
        return;
    enum stage stage = stage_now(place);
    struct observed_part part = {stage, from_ps, to_ps};
    guint count = place->parts->len;
    if (count > 0 && g_array_index(place->parts, struct observed_part, count - 1).stage == stage)
        g_array_index(place->parts, struct observed_part, count - 1).to_ps = to_ps;
    else
        g_array_append_val(place->parts, part);
}

/* Divides the time up to `end_ps` into parts. */
static void sweep(struct observe_place *place, sim_time end_ps)
{
    guint done = 0;
    sim_time from_ps = place->from_ps;
    g_array_set_size(place->parts, 0);
    sort_changes(place->changes);
    for (; done < place->changes->len; done++) {
        const struct place_change *change =
            &g_array_index(place->changes, struct place_change, done);
        if (change->at_ps > end_ps)
            break;
        add_part(place, from_ps, change->at_ps);
        from_ps = change->at_ps;
        place->levels[change->stage] += change->change;
    }
    add_part(place, from_ps, end_ps);
    g_array_remove_range(place->changes, 0, done);
    place->core_end = 0;
    place->from_ps = end_ps;
}

static void tell(struct observe_place *place, sim_time end_ps, bool is_measured)
{
    sim_time from_ps = place->from_ps;
    struct observe *observe = place->observe;
    sweep(place, end_ps);
    if (!is_measured)
        return;
    uint64_t number = observe_begin(observe, place->origin, place->number, from_ps);
    const struct observed_operation ended = {.origin = place->origin,
                                             .number = number,
                                             .caller = place->number,
                                             .ender = place->number,
                                             .is_measured = true,
                                             .from_ps = from_ps,
                                             .to_ps = end_ps,
                                             .parts = (const void *)place->parts->data,
                                             .part_count = place->parts->len};
    observe_forget(observe, number);
    observe_tell(observe, &ended);
}

/* Tells listeners of the iterations that have ended by `now_ps`. */
static void tell_ended(struct observe_place *place, sim_time now_ps)
{
    guint told = 0;
    for (; told < place->cuts->len; told++) {
        const struct place_cut *cut = &g_array_index(place->cuts, struct place_cut, told);
        if (cut->end_ps > now_ps)
            break;
        tell(place, cut->end_ps, cut->is_measured);
    }
    if (told > 0)
        g_array_remove_range(place->cuts, 0, told);
}

void observe_place_cut(struct observe_place *place, sim_time end_ps, bool is_measured,
                       sim_time now_ps)
{
    const struct place_cut cut = {end_ps, is_measured};
    g_array_append_val(place->cuts, cut);
    tell_ended(place, now_ps);
}

void observe_place_finish(struct observe_place *place)
{
    if (place != NULL)
        tell_ended(place, INT64_MAX);
}
