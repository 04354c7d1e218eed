/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/explain/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/error.h"
#include "script/values/values.h"

/* Kinds of records, named as in views/timeline.lua. */
enum record_kind { RECORD_SPAN, RECORD_CHANGE, RECORD_STAGE };
static const char *const kinds[] = {"span", "change", "stage"};
enum record_flow { FLOW_NONE, FLOW_START, FLOW_STEP, FLOW_END };
static const char *const flow_steps[] = {NULL, "s", "t", "f"};

/* A record on a track. Records are sorted by time, then by the order of their report. */
struct record {
    sim_time at_ps;
    uint64_t order;
    int64_t value;    /* duration of a span or stage in ps, or the value of a change */
    uint64_t flow;    /* operation to which it belongs; 0: none */
    const char *name; /* static */
    uint32_t track;   /* of the timeline */
    uint8_t kind, flow_step;
};

struct track {
    char *path, *name;
    bool is_shown;
};

struct timeline {
    struct timeline_filter filter;
    struct observe_listener listener;
    char *point; /* the name before paths, or NULL */
    uint64_t simulations;
    GArray *tracks;      /* struct track, from 0 on */
    GHashTable *numbers; /* "path\nname" -> number + 1 */
    /* uint32_t: tracks of the current simulation, by the simulation's own numbers */
    GArray *simulation_tracks;
    FILE *spool;   /* struct record, in the order of their report */
    uint64_t told; /* number of records in the spool */
    int spool_errno;
    struct record *records; /* the sorted records, once they are given to Lua; else NULL */
    uint64_t given;         /* how many of them were given so far */
};

/* --- tracks ------------------------------------------------------------------------------------ */

static bool is_wanted(const struct timeline *timeline, const char *path, const char *name)
{
    g_autofree char *whole = g_strdup_printf("%s/%s", path, name);
    char *const *only = timeline->filter.only;
    if (!only)
        return true;
    for (; *only; only++)
        if (strstr(whole, *only))
            return true;
    return false;
}

/* Adds a track; takes over the key. */
static uint32_t add_track(struct timeline *timeline, char *key, const char *name, bool is_shown)
{
    struct track track = {.path = g_strndup(key, (gsize)(strchr(key, '\n') - key)),
                          .name = g_strdup(name),
                          .is_shown = is_shown};
    g_array_append_val(timeline->tracks, track);
    g_hash_table_insert(timeline->numbers, key, GUINT_TO_POINTER(timeline->tracks->len));
    return timeline->tracks->len - 1;
}

static uint32_t track_of(struct timeline *timeline, const char *path, const char *name)
{
    g_autofree char *key = timeline->point
                               ? g_strdup_printf("%s: %s\n%s", timeline->point, path, name)
                               : g_strdup_printf("%s\n%s", path, name);
    gpointer known = g_hash_table_lookup(timeline->numbers, key);
    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    return add_track(timeline, g_steal_pointer(&key), name, is_wanted(timeline, path, name));
}

static struct track *track_at(const struct timeline *timeline, uint32_t number)
{
    return &g_array_index(timeline->tracks, struct track, number);
}

/* --- what it is told --------------------------------------------------------------------------- */

static void add(struct timeline *timeline, struct record record)
{
    const struct timeline_filter *filter = &timeline->filter;
    if (record.at_ps < filter->from_ps || record.at_ps > filter->to_ps ||
        !track_at(timeline, record.track)->is_shown || timeline->spool_errno)
        return;
    record.order = timeline->told++;
    if (fwrite(&record, sizeof record, 1, timeline->spool) != 1)
        timeline->spool_errno = errno;
}

static uint64_t flow_id(const struct timeline *timeline, uint64_t operation)
{
    return operation == 0 ? 0 : timeline->simulations << OBSERVE_NUMBER_BITS | operation;
}

static uint32_t told_track(const struct timeline *timeline, uint32_t track)
{
    return g_array_index(timeline->simulation_tracks, uint32_t, track - 1);
}

static void hear_track(void *self, uint32_t track, const char *path, const char *name)
{
    struct timeline *timeline = self;
    uint32_t own = track_of(timeline, path, name);
    g_array_set_size(timeline->simulation_tracks, track);
    g_array_index(timeline->simulation_tracks, uint32_t, track - 1) = own;
}

static void hear_span(void *self, const struct observed_span *span)
{
    struct timeline *timeline = self;
    add(timeline, (struct record){.at_ps = span->from_ps,
                                  .value = span->to_ps - span->from_ps,
                                  .flow = flow_id(timeline, span->operation),
                                  .flow_step = FLOW_STEP,
                                  .name = span->name,
                                  .track = told_track(timeline, span->track),
                                  .kind = RECORD_SPAN});
}

static void add_change(struct timeline *timeline, uint32_t track, sim_time at_ps, int64_t change,
                       const char *name)
{
    add(timeline,
        (struct record){
            .at_ps = at_ps, .value = change, .name = name, .track = track, .kind = RECORD_CHANGE});
}

static void hear_change(void *self, const struct observed_change *change)
{
    add_change(self, told_track(self, change->track), change->at_ps, change->change, change->name);
}

/* An operation's stages are spans on the track of its caller; an operation that is posted and not seen yet is in a queue. */
static void hear_operation(void *self, const struct observed_operation *operation)
{
    struct timeline *timeline = self;
    g_autofree char *name = g_strdup_printf("%s %u", operation->origin->callers, operation->caller);
    uint32_t track = track_of(timeline, operation->origin->path, name);
    uint32_t queue = track_of(timeline, operation->origin->path, "queue occupancy");
    size_t last = operation->part_count;
    while (last > 1 && operation->parts[last - 1].to_ps == operation->parts[last - 1].from_ps)
        last--;
    bool is_first = true;
    for (size_t i = 0; i < last; i++) {
        const struct observed_part *part = &operation->parts[i];
        if (part->to_ps == part->from_ps)
            continue;
        add(timeline, (struct record){.at_ps = part->from_ps,
                                      .value = part->to_ps - part->from_ps,
                                      .flow = flow_id(timeline, operation->number),
                                      .flow_step = is_first        ? FLOW_START
                                                   : i + 1 == last ? FLOW_END
                                                                   : FLOW_NONE,
                                      .name = stage_infos[part->stage].name,
                                      .track = track,
                                      .kind = RECORD_STAGE});
        is_first = false;
        if (operation->origin->is_served && part->stage == STAGE_SEEN) {
            add_change(timeline, queue, part->from_ps, 1, "entries");
            add_change(timeline, queue, part->to_ps, -1, "entries");
        }
    }
}

static void hear_begin(void *self)
{
    struct timeline *timeline = self;
    timeline->simulations++;
    g_array_set_size(timeline->simulation_tracks, 0);
}

/* --- life -------------------------------------------------------------------------------------- */

static void clear_track(gpointer data)
{
    struct track *track = data;
    g_free(track->path);
    g_free(track->name);
}

struct timeline *timeline_new(const struct timeline_filter *filter)
{
    struct timeline *timeline = g_new0(struct timeline, 1);
    timeline->filter = *filter;
    timeline->spool = tmpfile();
    timeline->spool_errno = timeline->spool ? 0 : errno;
    timeline->tracks = g_array_new(FALSE, FALSE, sizeof(struct track));
    g_array_set_clear_func(timeline->tracks, clear_track);
    timeline->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    timeline->simulation_tracks = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    timeline->listener = (struct observe_listener){.self = timeline,
                                                   .operation = hear_operation,
                                                   .span = hear_span,
                                                   .change = hear_change,
                                                   .track = hear_track,
                                                   .begin = hear_begin};
    return timeline;
}

void timeline_free(struct timeline *timeline)
{
    if (!timeline)
        return;
    if (timeline->records)
        munmap(timeline->records, timeline->told * sizeof *timeline->records);
    if (timeline->spool)
        fclose(timeline->spool);
    g_strfreev(timeline->filter.only);
    g_array_unref(timeline->tracks);
    g_hash_table_unref(timeline->numbers);
    g_array_unref(timeline->simulation_tracks);
    g_free(timeline->point);
    g_free(timeline);
}

struct observe_listener *timeline_listener(struct timeline *timeline, const char *name)
{
    g_free(timeline->point);
    timeline->point = g_strdup(name);
    return &timeline->listener;
}

/* --- between processes --------------------------------------------------------------------------- */

bool timeline_is_open(const struct timeline *timeline, GError **error)
{
    return timeline->spool != NULL || error_set_code(error, ERROR_RUN, "no temporary file: %s",
                                                     g_strerror(timeline->spool_errno));
}

/* Names of records are static, and both processes run the same program; the records are in the file that they share. */
GVariant *timeline_pack(struct timeline *timeline)
{
    GVariantBuilder tracks;
    g_variant_builder_init(&tracks, G_VARIANT_TYPE("a(ssb)"));
    if (fflush(timeline->spool) != 0)
        timeline->spool_errno = errno;
    for (guint i = 0; i < timeline->tracks->len; i++) {
        const struct track *track = track_at(timeline, i);
        g_variant_builder_add(&tracks, "(ssb)", track->path, track->name, track->is_shown);
    }
    return g_variant_new("(ttia(ssb))", timeline->told, timeline->simulations,
                         timeline->spool_errno, &tracks);
}

void timeline_take(struct timeline *timeline, GVariant *packed)
{
    GVariantIter *tracks;
    const char *path, *name;
    gboolean is_shown;
    g_variant_get(packed, TIMELINE_TYPE, &timeline->told, &timeline->simulations,
                  &timeline->spool_errno, &tracks);
    for (guint number = 0; g_variant_iter_next(tracks, "(&s&sb)", &path, &name, &is_shown);
         number++)
        if (number >= timeline->tracks->len) /* the parent knew the first ones already */
            add_track(timeline, g_strconcat(path, "\n", name, NULL), name, is_shown);
    g_variant_iter_free(tracks);
}

bool timeline_shows(const struct timeline *timeline, GError **error)
{
    for (guint i = 0; i < timeline->tracks->len; i++)
        if (track_at(timeline, i)->is_shown)
            return true;
    if (timeline->tracks->len == 0)
        return error_set_code(error, ERROR_RUN, "nothing was at work: no track has anything");
    const struct track *some = track_at(timeline, timeline->tracks->len / 2);
    return error_set(error,
                     "--only: no track has any of these in its name; one of the %u that there are "
                     "is %s/%s",
                     timeline->tracks->len, some->path, some->name);
}

/* --- records for Lua --------------------------------------------------------------------------- */

static int compare_records(const void *one, const void *other)
{
    const struct record *a = one, *b = other;
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Sorts the spool's records in memory that is backed by the file. False and an error if the file cannot be read. */
static bool sort_records(struct timeline *timeline, GError **error)
{
    size_t bytes = timeline->told * sizeof(struct record);
    void *records = NULL;
    if (!timeline->spool_errno && bytes > 0)
        records = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(timeline->spool), 0);
    if (records == MAP_FAILED)
        timeline->spool_errno = errno;
    if (timeline->spool_errno)
        return error_set_code(error, ERROR_RUN, "the timeline's temporary file: %s",
                              g_strerror(timeline->spool_errno));
    timeline->records = records;
    if (records)
        qsort(records, timeline->told, sizeof(struct record), compare_records);
    return true;
}

/* Returns the kind of the next record, its name, its step of an operation's arrow, the number of its track, its time, its value and
 * its operation; nothing at the end. */
static int next_record(lua_State *L)
{
    struct timeline *timeline = lua_touserdata(L, lua_upvalueindex(1));
    if (timeline->given == timeline->told)
        return 0;
    const struct record *record = &timeline->records[timeline->given++];
    const int64_t numbers[] = {record->track + 1, record->at_ps, record->value,
                               (int64_t)record->flow};
    lua_pushstring(L, kinds[record->kind]);
    lua_pushstring(L, record->name);
    lua_pushstring(L, flow_steps[record->flow_step]);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        lua_pushinteger(L, numbers[i]);
    return 3 + G_N_ELEMENTS(numbers);
}

bool timeline_push(lua_State *L, struct timeline *timeline, GError **error)
{
    if (!sort_records(timeline, error))
        return false;
    lua_pushlightuserdata(L, timeline);
    lua_pushcclosure(L, next_record, 1);
    lua_createtable(L, (int)timeline->tracks->len, 0);
    for (guint i = 0; i < timeline->tracks->len; i++) {
        lua_newtable(L);
        lua_set_text(L, "path", track_at(timeline, i)->path);
        lua_set_text(L, "name", track_at(timeline, i)->name);
        lua_append(L);
    }
    return true;
}
