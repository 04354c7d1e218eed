/* SPDX-License-Identifier: BSD-3-Clause */
/* Observation: models and protocols say what happens, listeners that they have never heard of make books, explanations
 * and timelines of it. What nobody listens to costs a load and a predicted branch.
 *
 *   operation   something that was asked for (a put, a message, a copy), from the call until who asked has noticed its
 *               end. It passes stages; the time between two is that of the later one, so stages sum up to the latency.
 *   span        a track (a core, a CU, an engine, a link, a NIC) was at work from one time to another
 *   change      of a level on a track: entries of a queue, draw of a core
 *   call        a party's, of what workloads may ask for: sends, waits; what it does between two is its own work
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/list.h"
#include "core/simtime.h"

/* --- stages ------------------------------------------------------------------------------------ */

/* Each names what has just been reached. The first ones up to STAGE_NOTICED are those of an operation that is served, in
 * the order in which it passes them. */
enum stage {
    STAGE_POSTED,
    STAGE_SEEN,
    STAGE_MUTEX,
    STAGE_SERVED,
    STAGE_DOORBELL,
    STAGE_FETCHED,
    STAGE_ON_WIRE,
    STAGE_DELIVERED,
    STAGE_COMPLETED,
    STAGE_NOTICED,
    STAGE_STORED, /* of a served one that the caller's own loads and stores carry out, in place of what servers and NICs do */
    STAGE_STAGED,
    STAGE_PACKED,
    STAGE_TAKEN,
    STAGE_LATE_RECEIVE,
    STAGE_MATCHED,
    STAGE_COPIED,
    STAGE_CALLBACK,
    STAGE_SCHEDULED,
    STAGE_LAUNCHED,
    STAGE_STARTED,
    STAGE_COPY,
    STAGE_KERNEL,
    STAGE_BUSY,
    STAGE_EXPOSED,
    STAGE_IDLE,
    STAGES,
};
#define STAGES_SERVED (STAGE_NOTICED + 1)

struct stage_info {
    const char *name;        /* "posted" */
    const char *component;   /* who works or is waited for until then: "server" */
    const char *description; /* "until the server has seen it" */
};
extern const struct stage_info stage_infos[STAGES];

/* --- what listeners are told ------------------------------------------------------------------- */

struct design; /* protocols/design.h, of which nothing is known here */

/* Who begins operations: of a service, of a world of messages. The owner's, who outlives its operations. */
struct observe_origin {
    const char *path;    /* "node0.operations" */
    const char *callers; /* what its callers are called: "work-group" */
    bool
        is_served; /* its operations pass the stages of a served one, once each and in their order: one that is
                            passed before another that stands ahead of it counts at the time of that one. Else stages
                            are passed any number of times, and the order is that of time */
    bool is_iteration;           /* of an application's place */
    bool tells_steps;            /* an iteration's parties tell what they do (observe_step) */
    const struct design *design; /* that carries them out; NULL: none does */
};

/* A part of an operation's time. */
struct observed_part {
    enum stage stage;
    sim_time from_ps, to_ps;
};

/* An operation that has ended. Its parts follow one another from `from_ps` to `to_ps`. */
struct observed_operation {
    const struct observe_origin *origin;
    uint64_t number;
    uint32_t caller; /* of the origin: number of a work-group, a rank */
    uint32_t
        ender; /* who noticed its end: of a message its receiver; of an iteration the last of its parties */
    const void *server; /* who served it, one at a time; NULL: nobody, or not told */
    bool is_measured;
    sim_time from_ps, to_ps;
    const struct observed_part *parts; /* valid during the call */
    size_t part_count;
};

/* What one of an application's parties did, and what it waited for: an operation; or another party, until that came there. */
struct observed_step {
    const struct observe_origin *origin; /* of the iterations */
    uint32_t actor;                      /* the party */
    enum stage stage;
    sim_time from_ps, to_ps;
    uint64_t operation; /* 0: none */
    uint32_t
        after; /* the party that posted the operation, or that was waited for: `actor`, nobody else */
    sim_time after_ps; /* when that came, without an operation */
};

struct observed_span {
    uint32_t track;
    const char *name; /* static */
    sim_time from_ps, to_ps;
    uint64_t operation; /* that it is for, or 0; in its lower 32 bits */
};

struct observed_change {
    uint32_t track;
    const char *name, *unit; /* static: "power", "mW" */
    sim_time at_ps;
    int64_t change;
};

/* Calls, and what they give beside actor and times. `handle` is the address by which a wait knows what it waits for; of a call without
 * one the next CALL_QUIET waits. */
enum observed_call_kind {
    CALL_OPEN, /* parties begin on a machine whose nodes have `bytes` GPUs; channel 1: they are work-groups */
    CALL_BEGIN, /* the party begins: on GPU `channel` of node `peer`, one of `bytes` of its place */
    CALL_END,   /* it has ended */
    CALL_WORK,  /* until now it worked */
    CALL_NOTICE,      /* until now it waited, or others worked on its core: for `handle`, if any */
    CALL_SEND,        /* peer, channel, bytes, handle; begins */
    CALL_RECEIVE,     /* likewise */
    CALL_WAIT,        /* handle: is over */
    CALL_PUT,         /* peer, bytes, handle: of which the peer's program knows nothing */
    CALL_GET,         /* likewise */
    CALL_QUIET,       /* all without a handle are over */
    CALL_ARRIVE,      /* waits until all parties of its place have come here */
    CALL_MEET,        /* they have */
    CALL_WORDS,       /* loads, stores or changes words that are no signals */
    CALL_BESIDE,      /* handle: something begins beside it, on its GPU */
    CALL_BESIDE_OVER, /* handle: it has noticed the end */
};

struct observed_call {
    enum observed_call_kind kind;
    uint32_t actor, peer; /* parties by their number */
    int64_t channel, bytes;
    const void *handle;
    bool is_in_gpu;          /* a rank's message: the memory that it leaves or comes to */
    sim_time from_ps, to_ps; /* of the call */
};

/* Operations of a caller that were not simulated, since they are like others: numbered from the first measured one on. */
struct observe_repeat {
    int64_t first, like; /* these are the ones, `like` from `first` on, */
    int64_t from, left;  /* and `left` from `from` on are like them: */
    bool
        is_exact; /* each as the one a multiple of `like` before; else all as their mean, rounded up in all */
};

/* A listener. What it does not want is NULL. Not in the order of time: times are those of what happened, and it is told
 * when that is known. */
struct observe_listener {
    void *self;
    const struct observe_origin *origin; /* operations of this one only; NULL: of all */
    void (*stage)(void *self, uint64_t id, enum stage stage, sim_time at_ps); /* as stamped */
    void (*operation)(void *self, const struct observed_operation *operation);
    void (*step)(void *self, const struct observed_step *step);
    void (*call)(void *self, const struct observed_call *call);
    void (*span)(void *self, const struct observed_span *span);
    void (*change)(void *self, const struct observed_change *change);
    void (*track)(void *self, uint32_t track, const char *path, const char *name); /* a new one */
    void (*counted_on)(void *self, const struct observe_origin *origin,
                       const struct observe_repeat *repeat); /* of each caller's */
    void (*reset)(void *self);                               /* what was told so far was warm-up */
    void (*begin)(void *self); /* of a simulation, that it listens to from now on */
    struct list_link link;     /* the simulation's */
};

/* --- a simulation's ---------------------------------------------------------------------------- */

enum observe_wants {
    OBSERVE_STAGES = 1,
    OBSERVE_OPERATIONS = 2,
    OBSERVE_SPANS = 4,
    OBSERVE_CALLS = 8
};

struct observe {
    unsigned wants; /* enum observe_wants, of listeners to all origins */
    bool is_warmup; /* operations begun now are not measured */
    struct list listeners;
    struct observed *operations; /* by place, as many as were ever under way together */
    uint32_t place_count, place_room, free_place;
    struct observed_part *parts; /* of the operation that ends */
    size_t part_room;
    struct observe_track *tracks;
    uint32_t track_count;
};

void observe_init(struct observe *observe);
void observe_clear(struct observe *observe);

/* Adds a listener, which is called after those added before. It belongs to the caller and must exist until
 * observe_clear or observe_leave. */
void observe_listen(struct observe *observe, struct observe_listener *listener);
void observe_leave(struct observe *observe, struct observe_listener *listener);

/* The end of a warm-up. */
void observe_reset(struct observe *observe);

/* --- operations -------------------------------------------------------------------------------- */

/* The lower 32 bits of an id, such as the cookie of a NIC's command, are an operation's number; 0: no operation. At
 * most 2^OBSERVE_PLACE_BITS operations are in flight at a time; any beyond these are not observed. */
#define OBSERVE_NUMBER_BITS 32
#define OBSERVE_PLACE_BITS 18

/* Begins one at `at_ps`; returns its number. */
uint64_t observe_begin(struct observe *observe, const struct observe_origin *origin,
                       uint32_t caller, sim_time at_ps);

/* Whether an operation of no served origin is worth beginning. */
static inline bool observe_wants_operations(const struct observe *observe)
{
    return __builtin_expect(observe->wants & OBSERVE_OPERATIONS, 0);
}

/* Whether somebody would like to know what a core or an engine does: on its track, or of its place (observe_place.h). */
static inline bool observe_wants_work(const struct observe *observe)
{
    return __builtin_expect(observe->wants & (OBSERVE_OPERATIONS | OBSERVE_SPANS), 0);
}

/* Whether a stage of the operation would be heard of. */
static inline bool observe_hears(const struct observe *observe, uint64_t id)
{
    return __builtin_expect((uint32_t)id != 0 || (observe->wants & OBSERVE_STAGES), 0);
}

/* The operation has reached a stage at `at_ps`. Ignored for number 0 and for operations that have ended. */
void observe_stamp(struct observe *observe, uint64_t id, enum stage stage, sim_time at_ps);
static inline void observe_stage(struct observe *observe, uint64_t id, enum stage stage,
                                 sim_time at_ps)
{
    if (observe_hears(observe, id))
        observe_stamp(observe, id, stage, at_ps);
}

/* It has been seen by `server`, any address that tells servers apart. */
void observe_server(struct observe *observe, uint64_t id, const void *server);

/* Ends it at `at_ps`, as noticed; number 0 is ignored. Returns how many of observe->parts are its. observe_forget: nobody waits
 * for it, and nothing is told. */
size_t observe_end(struct observe *observe, uint64_t number, sim_time at_ps);
void observe_forget(struct observe *observe, uint64_t number);

/* Likewise; `ender` has noticed the end, and not the caller. */
size_t observe_end_by(struct observe *observe, uint64_t number, sim_time at_ps, uint32_t ender);

/* Tells listeners of a step; to be called only if somebody wants operations. */
static inline void observe_step(const struct observe *observe, const struct observed_step *step)
{
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (l->step)
            l->step(l->self, step);
}

/* Reports an operation that has ended, with its parts, to the listeners. */
static inline void observe_tell(const struct observe *observe,
                                const struct observed_operation *ended)
{
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (l->operation && (!l->origin || l->origin == ended->origin))
            l->operation(l->self, ended);
}

/* --- calls -------------------------------------------------------------------------------------- */

static inline bool observe_wants_calls(const struct observe *observe)
{
    return __builtin_expect(observe->wants & OBSERVE_CALLS, 0);
}

/* To be called only if somebody wants calls. */
static inline void observe_call(const struct observe *observe, const struct observed_call *call)
{
    LIST_EACH (const struct observe_listener, l, &observe->listeners, link)
        if (l->call)
            l->call(l->self, call);
}

/* --- tracks ------------------------------------------------------------------------------------ */

static inline bool observe_wants_spans(const struct observe *observe)
{
    return __builtin_expect(observe->wants & OBSERVE_SPANS, 0);
}

/* The track `name` ("link to cpu0") of a part of the machine ("node0.nic0"), made at the first call with these: > 0. To be
 * called, as the next two, only if somebody wants spans; and once a simulation, since it searches. */
uint32_t observe_track(struct observe *observe, const char *path, const char *name);

/* Tells the listeners that something called `name` (static) occupied `track` from `from_ps` to `to_ps`, for `operation` (0: none). A
 * change is of a counter called `name` on the track, in `unit` (static), by `change` at `at_ps`. Both only copy numbers. */
void observe_span(struct observe *observe, uint32_t track, const char *name, sim_time from_ps,
                  sim_time to_ps, uint64_t operation);
void observe_change(struct observe *observe, uint32_t track, const char *name, const char *unit,
                    sim_time at_ps, int64_t change);
