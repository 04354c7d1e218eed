/* SPDX-License-Identifier: BSD-3-Clause */
/* Who listens, operations under way, and the partition of those that have ended. */
#include "core/observe.h"

#include <glib.h>
#include <string.h>

const struct stage_info stage_infos[STAGES] = {
    [STAGE_POSTED] = {"posted", "work-group", "from the call until the entry's status is stored"},
    [STAGE_SEEN] = {"seen", "server", "until the server has seen it"},
    [STAGE_MUTEX] = {"mutex", "server", "until the server has the network library's mutex"},
    [STAGE_SERVED] = {"served", "server", "until the command is written and the doorbell rung"},
    [STAGE_DOORBELL] = {"doorbell", "bus", "until the doorbell is at the NIC"},
    [STAGE_FETCHED] = {"fetched", "NIC", "until the NIC has the command"},
    [STAGE_ON_WIRE] = {"on_wire", "NIC", "until the first packet sets out"},
    [STAGE_DELIVERED] = {"delivered", "network", "until the last byte is in its memory"},
    [STAGE_COMPLETED] = {"completed", "server", "until its completion has been handled"},
    [STAGE_NOTICED] = {"noticed", "caller", "until the caller has seen the end"},
    [STAGE_STORED] = {"stored", "work-group", "until its own loads and stores have copied it"},
    [STAGE_STAGED] = {"staged", "copy engine", "until it is copied between GPU and host memory"},
    [STAGE_PACKED] = {"packed", "core", "until a core has prepared and posted it"},
    [STAGE_TAKEN] = {"taken", "core", "until a core's poll has found what arrived"},
    [STAGE_LATE_RECEIVE] = {"late_receive", "receiver",
                            "until its receive was posted, later than it came"},
    [STAGE_MATCHED] = {"matched", "core", "until it is matched with its receive"},
    [STAGE_COPIED] = {"copied", "core", "until a core has copied it to its place"},
    [STAGE_CALLBACK] = {"callback", "core", "until the runtime's callback is made"},
    [STAGE_SCHEDULED] = {"scheduled", "core", "until the scheduler has picked its message"},
    [STAGE_LAUNCHED] = {"launched", "core", "until the call has given it to the GPU"},
    [STAGE_STARTED] = {"started", "GPU", "until its stream and engine have begun with it"},
    [STAGE_COPY] = {"copy", "copy engine", "until the engine has copied it"},
    [STAGE_KERNEL] = {"kernel", "GPU", "until the kernel has ended"},
    [STAGE_BUSY] = {"busy", "core", "until its own work is done, or it has seen that the GPU's is"},
    [STAGE_EXPOSED] = {"exposed", "network",
                       "until what it waits for has come, with nothing at work"},
    [STAGE_IDLE] = {"idle", "GPU", "until others, of its place or beside it, have come as far"},
};

/* --- listeners --------------------------------------------------------------------------------- */

#define NO_PLACE UINT32_MAX

struct observe_track {
    char *path, *name;
};

void observe_init(struct observe *observe)
{
    *observe = (struct observe){.free_place = NO_PLACE};
}

static void note_wants(struct observe *observe)
{
    observe->wants = 0;
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link) {
        observe->wants |= l->stage ? OBSERVE_STAGES : 0;
        observe->wants |= l->operation && !l->origin ? OBSERVE_OPERATIONS : 0;
        observe->wants |= l->call ? OBSERVE_CALLS : 0;
        observe->wants |= l->span || l->change ? OBSERVE_SPANS : 0;
    }
}

void observe_listen(struct observe *observe, struct observe_listener *listener)
{
    list_append(&observe->listeners, &listener->link);
    note_wants(observe);
    if (listener->begin)
        listener->begin(listener->self);
}

void observe_leave(struct observe *observe, struct observe_listener *listener)
{
    LIST_EACH (struct observe_listener, l, &observe->listeners, link) {
        if (l != listener)
            continue;
        list_remove(&observe->listeners, &listener->link);
        break;
    }
    note_wants(observe);
}

void observe_reset(struct observe *observe)
{
    observe->is_warmup = false;
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (l->reset)
            l->reset(l->self);
}

/* --- operations -------------------------------------------------------------------------------- */

/* A number is a place and how often that has been used, so that what comes late for an operation that has ended is not
 * taken for its successor's. The count of uses starts anew when its bits are full. */
#define PLACES (UINT32_C(1) << OBSERVE_PLACE_BITS)
#define MOST_USES ((UINT32_C(1) << (OBSERVE_NUMBER_BITS - OBSERVE_PLACE_BITS)) - 1)

struct stamp {
    sim_time at_ps;
    enum stage stage;
};

struct observed {
    uint64_t number;    /* 0: the place is free */
    uint32_t uses;      /* of the place */
    uint32_t next_free; /* place, while it is free */
    uint32_t caller;
    const void *server;
    bool is_measured;
    bool is_stored; /* STAGE_STORED */
    const struct observe_origin *origin;
    sim_time from_ps;
    sim_time reached_ps[STAGES_SERVED]; /* of a served one; 0: not passed yet */
    struct stamp *stamps;               /* of another; kept for the next operation in the place */
    uint32_t stamp_count, stamp_room;
};

void observe_clear(struct observe *observe)
{
    for (uint32_t i = 0; i < observe->place_count; i++)
        g_free(observe->operations[i].stamps);
    for (uint32_t i = 0; i < observe->track_count; i++) {
        g_free(observe->tracks[i].path);
        g_free(observe->tracks[i].name);
    }
    g_free(observe->operations);
    g_free(observe->parts);
    g_free(observe->tracks);
    observe_init(observe);
}

static uint32_t take_place(struct observe *observe)
{
    uint32_t place = observe->free_place;
    if (place != NO_PLACE) {
        observe->free_place = observe->operations[place].next_free;
        return place;
    }
    if (observe->place_count == PLACES)
        return NO_PLACE;
    if (observe->place_count == observe->place_room) {
        observe->place_room = MAX(64, 2 * observe->place_room);
        observe->operations = g_renew(struct observed, observe->operations, observe->place_room);
    }
    place = observe->place_count++;
    observe->operations[place] = (struct observed){.number = 0};
    return place;
}

/* NULL if it is not under way any more. */
static struct observed *find(const struct observe *observe, uint64_t id)
{
    uint32_t number = (uint32_t)id, place = number % PLACES;
    if (number == 0 || place >= observe->place_count || observe->operations[place].number != number)
        return NULL;
    return &observe->operations[place];
}

static void give_back(struct observe *observe, struct observed *operation)
{
    operation->number = 0;
    operation->next_free = observe->free_place;
    observe->free_place = (uint32_t)(operation - observe->operations);
}

uint64_t observe_begin(struct observe *observe, const struct observe_origin *origin,
                       uint32_t caller, sim_time at_ps)
{
    uint32_t place = take_place(observe);
    if (place == NO_PLACE)
        return 0;
    struct observed *operation = &observe->operations[place];
    operation->uses = operation->uses % MOST_USES + 1;
    operation->number = operation->uses << OBSERVE_PLACE_BITS | place;
    operation->caller = caller;
    operation->is_measured = !observe->is_warmup;
    operation->origin = origin;
    operation->from_ps = at_ps;
    operation->server = NULL;
    operation->stamp_count = 0;
    operation->is_stored = false;
    memset(operation->reached_ps, 0, sizeof operation->reached_ps);
    return operation->number;
}

static void add_stamp(struct observed *operation, enum stage stage, sim_time at_ps)
{
    if (operation->stamp_count == operation->stamp_room) {
        operation->stamp_room = MAX(16, 2 * operation->stamp_room);
        operation->stamps = g_renew(struct stamp, operation->stamps, operation->stamp_room);
    }
    operation->stamps[operation->stamp_count++] = (struct stamp){at_ps, stage};
}

void observe_stamp(struct observe *observe, uint64_t id, enum stage stage, sim_time at_ps)
{
    if (observe->wants & OBSERVE_STAGES)
        LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
            if (l->stage)
                l->stage(l->self, id, stage, at_ps);
    struct observed *operation = find(observe, id);
    if (operation == NULL)
        return;
    if (!operation->origin->is_served)
        add_stamp(operation, stage, at_ps);
    else if (stage < STAGES_SERVED)
        operation->reached_ps[stage] = at_ps;
    else if (stage == STAGE_STORED)
        operation->is_stored = true;
}

void observe_server(struct observe *observe, uint64_t id, const void *server)
{
    struct observed *operation = find(observe, id);
    if (operation != NULL)
        operation->server = server;
}

void observe_forget(struct observe *observe, uint64_t number)
{
    struct observed *operation = find(observe, number);
    if (operation != NULL)
        give_back(observe, operation);
}

/* --- the partition ----------------------------------------------------------------------------- */

/* Stages in their order, each where it was reached but not before the one ahead of it. What the caller has moved by itself was
 * neither served nor completed by anybody else. */
static size_t part_served(const struct observed *operation, sim_time end_ps,
                          struct observed_part *parts)
{
    sim_time from_ps = operation->from_ps;
    for (int stage = 0; stage < STAGES_SERVED; stage++) {
        sim_time at_ps = stage == STAGE_NOTICED ? end_ps : operation->reached_ps[stage];
        at_ps = CLAMP(at_ps, from_ps, end_ps);
        bool is_own = operation->is_stored && stage != STAGE_NOTICED;
        parts[stage] =
            (struct observed_part){is_own ? STAGE_STORED : (enum stage)stage, from_ps, at_ps};
        from_ps = at_ps;
    }
    return STAGES_SERVED;
}

/* By time; those of one time in the order in which they were stamped. Most come in order already. */
static void sort_stamps(struct stamp *stamps, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct stamp stamp = stamps[i];
        uint32_t at = i;
        for (; at > 0 && stamps[at - 1].at_ps > stamp.at_ps; at--)
            stamps[at] = stamps[at - 1];
        stamps[at] = stamp;
    }
}

static size_t part_by_time(struct observed *operation, sim_time end_ps, struct observed_part *parts)
{
    sim_time from_ps = operation->from_ps;
    size_t count = 0;
    sort_stamps(operation->stamps, operation->stamp_count);
    for (uint32_t i = 0; i < operation->stamp_count; i++) {
        sim_time at_ps = CLAMP(operation->stamps[i].at_ps, from_ps, end_ps);
        if (at_ps > from_ps)
            parts[count++] = (struct observed_part){operation->stamps[i].stage, from_ps, at_ps};
        from_ps = at_ps;
    }
    if (end_ps > from_ps || count == 0)
        parts[count++] = (struct observed_part){STAGE_NOTICED, from_ps, end_ps};
    return count;
}

static void make_parts_room(struct observe *observe, size_t count)
{
    if (count <= observe->part_room)
        return;
    observe->part_room = 2 * count;
    observe->parts = g_renew(struct observed_part, observe->parts, observe->part_room);
}

size_t observe_end(struct observe *observe, uint64_t number, sim_time at_ps)
{
    const struct observed *operation = find(observe, number);
    return operation ? observe_end_by(observe, number, at_ps, operation->caller) : 0;
}

size_t observe_end_by(struct observe *observe, uint64_t number, sim_time at_ps, uint32_t ender)
{
    struct observed *operation = find(observe, number);
    if (operation == NULL)
        return 0;
    make_parts_room(observe, MAX(operation->stamp_count + 1, STAGES_SERVED));
    struct observed_operation ended = {.origin = operation->origin,
                                       .number = number,
                                       .caller = operation->caller,
                                       .ender = ender,
                                       .server = operation->server,
                                       .is_measured = operation->is_measured,
                                       .from_ps = operation->from_ps,
                                       .to_ps = at_ps,
                                       .parts = observe->parts};
    ended.part_count = operation->origin->is_served
                           ? part_served(operation, at_ps, observe->parts)
                           : part_by_time(operation, at_ps, observe->parts);
    give_back(observe, operation);
    observe_tell(observe, &ended);
    return ended.part_count;
}

/* --- tracks ------------------------------------------------------------------------------------ */

uint32_t observe_track(struct observe *observe, const char *path, const char *name)
{
    for (uint32_t i = 0; i < observe->track_count; i++)
        if (strcmp(observe->tracks[i].path, path) == 0 &&
            strcmp(observe->tracks[i].name, name) == 0)
            return i + 1;
    uint32_t track = ++observe->track_count;
    observe->tracks = g_renew(struct observe_track, observe->tracks, track);
    observe->tracks[track - 1] = (struct observe_track){g_strdup(path), g_strdup(name)};
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (l->track)
            l->track(l->self, track, path, name);
    return track;
}

void observe_span(struct observe *observe, uint32_t track, const char *name, sim_time from_ps,
                  sim_time to_ps, uint64_t operation)
{
    const struct observed_span span = {track, name, from_ps, to_ps, (uint32_t)operation};
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (l->span)
            l->span(l->self, &span);
}

void observe_change(struct observe *observe, uint32_t track, const char *name, const char *unit,
                    sim_time at_ps, int64_t change)
{
    const struct observed_change told = {track, name, unit, at_ps, change};
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (l->change)
            l->change(l->self, &told);
}
