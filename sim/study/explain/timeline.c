/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/explain/timeline.h"

#include <errno.h>
#include <string.h>

#include "core/error.h"
#include "core/json.h"
#include "core/map.h"

/* Records kept in memory, of 48 bytes; and read at a time of each run when they are merged. */
#define RUN_RECORDS 65536
#define BLOCK_RECORDS 512

enum record_kind { RECORD_SPAN, RECORD_CHANGE, RECORD_STAGE };
enum record_flow { FLOW_NONE, FLOW_START, FLOW_STEP, FLOW_END };

/* Something of a track. Sorted by time, then as told. */
struct record {
    sim_time at_ps;
    uint64_t order;
    int64_t value;    /* a span's or stage's duration in ps, a change */
    uint64_t flow;    /* operation that it belongs to; 0: none */
    const char *name; /* static */
    uint32_t track;   /* of the timeline */
    uint8_t kind, flow_step;
};

struct timeline_lane {
    sim_time free_ps; /* its last span's end */
    uint32_t thread;
};

struct track {
    char *path, *name;
    bool is_shown;
    struct timeline_lane *lanes; /* spans that overlap go side by side */
    guint lane_count;
    int64_t level;
};

struct run {
    int64_t offset, left; /* in the spool, of records */
    struct record block[BLOCK_RECORDS];
    size_t at, count;
};

struct timeline {
    struct timeline_filter filter;
    struct observe_listener listener;
    char *point; /* the name before paths, or NULL */
    uint64_t simulations;
    GArray *tracks;            /* struct track, from 0 on */
    GHashTable *numbers;       /* "path\nname" -> number + 1 */
    GArray *simulation_tracks; /* uint32_t: of the simulation at work, by its own number */
    GArray *records;           /* struct record, not spooled yet */
    FILE *spool;
    GArray *runs; /* guint64: records of each */
    uint64_t told;
    int spool_errno;

    /* while it is written */
    struct json json;
    struct timeline_end end;
    uint32_t threads;
    GHashTable *processes; /* path -> number */
    struct map flows;      /* open: by id the struct flow_place that it was on last */
    sim_time last_ps;
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

/* Takes over the key. */
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

static gint compare_records(gconstpointer one, gconstpointer other)
{
    const struct record *a = one, *b = other;
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void spool_run(struct timeline *timeline)
{
    guint64 count = timeline->records->len;
    if (count == 0)
        return;
    g_array_sort(timeline->records, compare_records);
    if (!timeline->spool ||
        fwrite(timeline->records->data, sizeof(struct record), count, timeline->spool) != count)
        timeline->spool_errno = errno;
    g_array_append_val(timeline->runs, count);
    g_array_set_size(timeline->records, 0);
}

static void add(struct timeline *timeline, struct record record)
{
    const struct timeline_filter *filter = &timeline->filter;
    if (record.at_ps < filter->from_ps || record.at_ps > filter->to_ps ||
        !track_at(timeline, record.track)->is_shown || timeline->spool_errno)
        return;
    record.order = timeline->told++;
    g_array_append_val(timeline->records, record);
    if (timeline->records->len == RUN_RECORDS)
        spool_run(timeline);
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

/* An operation's stages are spans on the track of its caller; what is posted and not seen yet is in a queue. */
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
    g_free(track->lanes);
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
    timeline->records = g_array_sized_new(FALSE, FALSE, sizeof(struct record), RUN_RECORDS);
    timeline->runs = g_array_new(FALSE, FALSE, sizeof(guint64));
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
    if (timeline->spool)
        fclose(timeline->spool);
    g_array_unref(timeline->tracks);
    g_hash_table_unref(timeline->numbers);
    g_array_unref(timeline->simulation_tracks);
    g_array_unref(timeline->records);
    g_array_unref(timeline->runs);
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

/* Names of records are static, and both processes are of one program; records are in the file that they share. */
GVariant *timeline_pack(struct timeline *timeline)
{
    GVariantBuilder runs, tracks;
    g_variant_builder_init(&runs, G_VARIANT_TYPE("at"));
    g_variant_builder_init(&tracks, G_VARIANT_TYPE("a(ssb)"));
    spool_run(timeline);
    if (timeline->spool && fflush(timeline->spool) != 0)
        timeline->spool_errno = errno;
    for (guint i = 0; i < timeline->runs->len; i++)
        g_variant_builder_add(&runs, "t", g_array_index(timeline->runs, guint64, i));
    for (guint i = 0; i < timeline->tracks->len; i++) {
        const struct track *track = track_at(timeline, i);
        g_variant_builder_add(&tracks, "(ssb)", track->path, track->name, track->is_shown);
    }
    return g_variant_new("(ttiata(ssb))", timeline->told, timeline->simulations,
                         timeline->spool_errno, &runs, &tracks);
}

void timeline_take(struct timeline *timeline, GVariant *packed)
{
    GVariantIter *runs, *tracks;
    const char *path, *name;
    gboolean is_shown;
    guint64 count;
    g_array_set_size(timeline->runs, 0);
    g_variant_get(packed, "(ttiata(ssb))", &timeline->told, &timeline->simulations,
                  &timeline->spool_errno, &runs, &tracks);
    while (g_variant_iter_next(runs, "t", &count))
        g_array_append_val(timeline->runs, count);
    for (guint number = 0; g_variant_iter_next(tracks, "(&s&sb)", &path, &name, &is_shown);
         number++)
        if (number >= timeline->tracks->len) /* the first ones were this one's */
            add_track(timeline, g_strconcat(path, "\n", name, NULL), name, is_shown);
    g_variant_iter_free(runs);
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

/* --- writing ----------------------------------------------------------------------------------- */

/* Begins an event, which is an object; the caller ends it. */
static struct json *begin_event(struct timeline *timeline, const char *phase, uint32_t process,
                                uint32_t thread)
{
    struct json *json = &timeline->json;
    timeline->end.events++;
    json_begin_object(json, NULL);
    json_text(json, "ph", phase);
    json_number(json, "pid", "%u", process);
    json_number(json, "tid", "%u", thread);
    return json;
}

static void write_time(struct json *json, const char *key, sim_time time_ps)
{
    json_number(json, key, "%" G_GINT64_FORMAT ".%06d", time_ps / PS_PER_US,
                (int)(time_ps % PS_PER_US));
}

static void name_it(struct timeline *timeline, const char *what, uint32_t process, uint32_t thread,
                    const char *name)
{
    struct json *json = begin_event(timeline, "M", process, thread);
    json_text(json, "name", what);
    json_begin_object(json, "args");
    json_text(json, "name", name);
    json_end_object(json);
    json_end_object(json);
}

/* The process of a track's path, named at its first event. */
static uint32_t process_of(struct timeline *timeline, const struct track *track)
{
    gpointer known = g_hash_table_lookup(timeline->processes, track->path);
    if (known)
        return GPOINTER_TO_UINT(known);
    uint32_t process = g_hash_table_size(timeline->processes) + 1;
    g_hash_table_insert(timeline->processes, track->path, GUINT_TO_POINTER(process));
    name_it(timeline, "process_name", process, 0, track->path);
    return process;
}

/* The thread of the first lane that is free at `from_ps`; named at its first event. */
static uint32_t thread_of(struct timeline *timeline, struct track *track, uint32_t process,
                          sim_time from_ps, sim_time to_ps)
{
    guint at = 0;
    while (at < track->lane_count && track->lanes[at].free_ps > from_ps)
        at++;
    if (at == track->lane_count) {
        track->lanes = g_renew(struct timeline_lane, track->lanes, ++track->lane_count);
        track->lanes[at].thread = ++timeline->threads;
        g_autofree char *name =
            at == 0 ? g_strdup(track->name) : g_strdup_printf("%s #%u", track->name, at + 1);
        name_it(timeline, "thread_name", process, timeline->threads, name);
    }
    track->lanes[at].free_ps = to_ps;
    return track->lanes[at].thread;
}

/* Where a flow was last: it ends there if its own end is left out. */
struct flow_place {
    uint32_t process, thread;
};

static void write_flow(struct timeline *timeline, const char *phase, uint64_t flow,
                       struct flow_place place, sim_time at_ps)
{
    struct json *json = begin_event(timeline, phase, place.process, place.thread);
    write_time(json, "ts", at_ps);
    json_text(json, "cat", "operation");
    json_text(json, "name", "operation");
    json_number(json, "id", "%" G_GUINT64_FORMAT, flow);
    if (*phase != 's')
        json_text(json, "bp", "e");
    json_end_object(json);
}

static void follow(struct timeline *timeline, const struct record *record, struct flow_place place)
{
    const union map_value *known = map_find(&timeline->flows, record->flow);
    struct flow_place *open = known ? known->pointer : NULL;
    if (record->flow_step == FLOW_START && !open) {
        map_at(&timeline->flows, record->flow)->pointer = g_memdup2(&place, sizeof place);
        write_flow(timeline, "s", record->flow, place, record->at_ps);
    } else if (open && record->flow_step == FLOW_END) {
        write_flow(timeline, "f", record->flow, place, record->at_ps);
        g_free(open);
        map_remove(&timeline->flows, record->flow);
    } else if (open && record->flow_step == FLOW_STEP) {
        *open = place;
        write_flow(timeline, "t", record->flow, place, record->at_ps);
    }
}

static void write_span(struct timeline *timeline, const struct record *record)
{
    struct track *track = track_at(timeline, record->track);
    struct flow_place place = {.process = process_of(timeline, track)};
    place.thread =
        thread_of(timeline, track, place.process, record->at_ps, record->at_ps + record->value);
    struct json *json = begin_event(timeline, "X", place.process, place.thread);
    write_time(json, "ts", record->at_ps);
    write_time(json, "dur", record->value);
    json_text(json, "cat", record->kind == RECORD_STAGE ? "stage" : "span");
    json_text(json, "name", record->name);
    json_end_object(json);
    if (record->flow != 0)
        follow(timeline, record, place);
}

static void write_level(struct timeline *timeline, const struct record *record)
{
    struct track *track = track_at(timeline, record->track);
    uint32_t process = process_of(timeline, track);
    track->level += record->value;
    struct json *json = begin_event(timeline, "C", process, 0);
    write_time(json, "ts", record->at_ps);
    g_autofree char *name = g_strdup_printf("%s %s", track->name, record->name);
    json_text(json, "name", name);
    json_begin_object(json, "args");
    json_number(json, "value", "%" G_GINT64_FORMAT, track->level);
    json_end_object(json);
    json_end_object(json);
}

static void write_record(struct timeline *timeline, const struct record *record)
{
    struct timeline_end *end = &timeline->end;
    if (end->left_out == 0) /* a file's position is asked for only while there is room */
        end->bytes = ftell(timeline->json.file);
    if (end->bytes >= timeline->filter.most_bytes) {
        end->stopped_ps = end->left_out++ == 0 ? record->at_ps : end->stopped_ps;
        return;
    }
    timeline->last_ps = record->at_ps;
    if (record->kind == RECORD_CHANGE)
        write_level(timeline, record);
    else
        write_span(timeline, record);
}

/* Arrows whose ends are left out end where they were last. */
static void close_flows(struct timeline *timeline)
{
    g_autofree uint64_t *ids = map_keys(&timeline->flows);
    for (size_t i = 0; i < timeline->flows.count; i++) {
        const struct flow_place *place = map_find(&timeline->flows, ids[i])->pointer;
        write_flow(timeline, "f", ids[i], *place, timeline->last_ps);
    }
}

/* --- merging ----------------------------------------------------------------------------------- */

/* The next record of a run; NULL at its end. */
static const struct record *peek(struct timeline *timeline, struct run *run)
{
    if (run->at < run->count)
        return &run->block[run->at];
    if (run->left == 0 || timeline->spool_errno)
        return NULL;
    size_t wanted = (size_t)MIN(run->left, BLOCK_RECORDS);
    if (fseek(timeline->spool, (long)(run->offset * (int64_t)sizeof(struct record)), SEEK_SET) !=
            0 ||
        fread(run->block, sizeof(struct record), wanted, timeline->spool) != wanted) {
        timeline->spool_errno = errno ? errno : EIO;
        return NULL;
    }
    run->offset += (int64_t)wanted;
    run->left -= (int64_t)wanted;
    run->count = wanted;
    run->at = 0;
    return run->block;
}

static struct run *open_runs(const struct timeline *timeline)
{
    struct run *runs = g_new0(struct run, timeline->runs->len + 1);
    int64_t offset = 0;
    for (guint i = 0; i < timeline->runs->len; i++) {
        runs[i].offset = offset;
        runs[i].left = (int64_t)g_array_index(timeline->runs, guint64, i);
        offset += runs[i].left;
    }
    return runs;
}

/* Runs are few: a million records are fifteen. */
static void merge(struct timeline *timeline)
{
    struct run *runs = open_runs(timeline);
    for (;;) {
        struct run *least = NULL;
        for (guint i = 0; i < timeline->runs->len; i++) {
            const struct record *record = peek(timeline, &runs[i]);
            if (record && (!least || compare_records(record, &least->block[least->at]) < 0))
                least = &runs[i];
        }
        if (!least)
            break;
        write_record(timeline, &least->block[least->at]);
        least->at++;
    }
    g_free(runs);
}

bool timeline_write(struct timeline *timeline, FILE *file, struct timeline_end *end, GError **error)
{
    spool_run(timeline);
    struct json *json = &timeline->json;
    *json = (struct json){.file = file};
    timeline->processes = g_hash_table_new(g_str_hash, g_str_equal);
    json_begin_object(json, NULL);
    json_text(json, "displayTimeUnit", "ns");
    json_begin_rows(json, "traceEvents", "\n");
    merge(timeline);
    close_flows(timeline);
    json_end_rows(json);
    json_end_object(json);
    fputc('\n', file);
    g_hash_table_unref(timeline->processes);
    map_clear_with(&timeline->flows, g_free);
    timeline->end.bytes = ftell(file);
    *end = timeline->end;
    return timeline->spool_errno == 0 ||
           error_set_code(error, ERROR_RUN, "the timeline's temporary file: %s",
                          g_strerror(timeline->spool_errno));
}
