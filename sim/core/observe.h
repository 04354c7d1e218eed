/* SPDX-License-Identifier: BSD-3-Clause */
/* Observation: models and protocols report what happens, and listeners, which they know nothing of, make logs, explanations and
 * timelines of it. A report without a listener costs a load and a predicted branch.
 *
 *   operation   a put, a message, a copy, from the call until the caller has noticed its end. It passes stages; the time
 *               between two counts as that of the later one, so stages sum up to the latency.
 *   span        a track (a core, a CU, an engine, a link, a NIC) was at work from one time to another
 *   change      of a level on a track: entries of a queue, draw of a core
 *   call        a party's call of an operation of workloads: a send, a wait; between two calls the party does its own work */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/list.h"
#include "core/simtime.h"

/* --- stages ------------------------------------------------------------------------------------ */

/* A stage names the step that has just been reached. The first ones up to STAGE_NOTICED are those of an operation that is
 * served, in the order in which it passes them. */
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
    STAGE_STORED, /* of a served operation that the caller's own loads and stores carry out instead of servers and NICs */
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
    const char *component;   /* the component that works or is waited for until then: "server" */
    const char *description; /* "until the server has seen it" */
};
extern const struct stage_info stage_infos[STAGES];

/* --- what listeners are told ------------------------------------------------------------------- */

struct design; /* declared in protocols/design.h; its contents are not used here */

/* The origin of operations: a service, or a world of messages. Its owner keeps it as long as its operations are under way. */
struct observe_origin {
    const char *path;    /* "node0.operations" */
    const char *callers; /* the word for its callers: "work-group" */
    /* Its operations pass the stages of a served operation, once each and in their order: a stage that is reached before one
     * that precedes it in the order counts at the time of that one. If false, a stage may be passed any number of times, and
     * stages are in the order of time. */
    bool is_served;
    bool is_iteration;           /* its operations are iterations of an application's place */
    bool tells_steps;            /* an iteration's parties tell what they do (observe_step) */
    const struct design *design; /* the design that carries the operations out; NULL: none */
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
    uint32_t caller; /* number of the work-group or rank of the origin */
    /* The caller that noticed the end: a message's receiver; the last of an iteration's parties. */
    uint32_t ender;
    const void *server; /* the server, which serves one at a time; NULL: none, or unknown */
    bool is_measured;
    sim_time from_ps, to_ps;
    const struct observed_part *parts; /* valid during the call */
    size_t part_count;
};

/* What a party of an application did, and what it waited for: an operation, or another party that had to reach the same point. */
struct observed_step {
    const struct observe_origin *origin; /* of the iterations */
    uint32_t actor;                      /* the party */
    enum stage stage;
    sim_time from_ps, to_ps;
    uint64_t operation; /* 0: none */
    /* The party that posted the operation, or that was waited for; `actor` if there is no other. */
    uint32_t after;
    sim_time after_ps; /* without an operation: when party `after` came */
};

struct observed_span {
    uint32_t track;
    const char *name; /* static */
    sim_time from_ps, to_ps;
    uint64_t operation; /* the operation that the span is for, in the lower 32 bits; 0: none */
};

struct observed_change {
    uint32_t track;
    const char *name, *unit; /* static: "power", "mW" */
    sim_time at_ps;
    int64_t change;
};

/* Calls, and the fields that they fill in beside actor and times. `handle` is the address by which a wait names what it waits
 * for; the next CALL_QUIET waits for the calls without a handle. */
enum observed_call_kind {
    CALL_OPEN, /* parties begin on a machine whose nodes have `bytes` GPUs; channel 1: they are work-groups */
    CALL_BEGIN, /* the party begins: on GPU `channel` of node `peer`, one of `bytes` of its place */
    CALL_END,   /* the party has ended */
    CALL_WORK,  /* until now the party worked */
    CALL_NOTICE, /* until now the party waited, or others worked on its core: for `handle`, if any */
    CALL_SEND,   /* peer, channel, bytes, handle: a send begins */
    CALL_RECEIVE,     /* likewise a receive */
    CALL_WAIT,        /* handle: the wait for it is over */
    CALL_PUT,         /* peer, bytes, handle: the peer's program does not notice it */
    CALL_GET,         /* likewise */
    CALL_QUIET,       /* all calls without a handle are over */
    CALL_ARRIVE,      /* the party waits until all parties of its place have come */
    CALL_MEET,        /* all parties of its place have come */
    CALL_WORDS,       /* the party loads, stores or changes words that are no signals */
    CALL_BESIDE,      /* handle: something begins beside the party, on its GPU */
    CALL_BESIDE_OVER, /* handle: the party has noticed the end */
};

struct observed_call {
    enum observed_call_kind kind;
    uint32_t actor, peer; /* parties by their number */
    int64_t channel, bytes;
    const void *handle;
    bool is_in_gpu;          /* whether a rank's message leaves or reaches the memory of a GPU */
    sim_time from_ps, to_ps; /* beginning and end of the call */
};

/* Operations of a caller that were not simulated, since they are like others. Numbers count from the first measured one. */
struct observe_repeat {
    int64_t first, like; /* `like` simulated operations from `first` on; */
    int64_t from, left;  /* `left` operations from `from` on are like them */
    /* Each equals the operation a multiple of `like` before it; if false, each takes their mean, and the sum is rounded up. */
    bool is_exact;
};

/* A listener; functions that it does not need are NULL. Events are reported when they are known, not in the order of time. */
struct observe_listener {
    void *self;
    const struct observe_origin *origin; /* operations of this origin only; NULL: of all origins */
    void (*stage)(void *self, uint64_t id, enum stage stage, sim_time at_ps); /* as stamped */
    void (*operation)(void *self, const struct observed_operation *operation);
    void (*step)(void *self, const struct observed_step *step);
    void (*call)(void *self, const struct observed_call *call);
    void (*span)(void *self, const struct observed_span *span);
    void (*change)(void *self, const struct observed_change *change);
    void (*track)(void *self, uint32_t track, const char *path, const char *name); /* a new track */
    void (*counted_on)(void *self, const struct observe_origin *origin,
                       const struct observe_repeat *repeat); /* of each caller */
    void (*reset)(void *self); /* earlier reports were of the warm-up */
    void (*begin)(void *self); /* a simulation begins to which it listens */
    struct list_link link;     /* in the simulation's list */
};

/* --- a simulation's ---------------------------------------------------------------------------- */

enum observe_wants {
    OBSERVE_STAGES = 1,
    OBSERVE_OPERATIONS = 2,
    OBSERVE_SPANS = 4,
    OBSERVE_CALLS = 8
};

struct observe {
    unsigned wants; /* enum observe_wants: wishes of listeners to all origins */
    bool is_warmup; /* operations begun now are not measured */
    struct list listeners;
    struct observed *operations; /* by place; places are as many as operations ever overlapped */
    uint32_t place_count, place_room, free_place;
    struct observed_part *parts; /* parts of the operation that ends */
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

/* Ends the warm-up. */
void observe_reset(struct observe *observe);

/* --- operations -------------------------------------------------------------------------------- */

/* The lower 32 bits of an id, such as the cookie of a NIC's command, are an operation's number; 0: no operation. At
 * most 2^OBSERVE_PLACE_BITS operations are in flight at a time; any beyond these are not observed. */
#define OBSERVE_NUMBER_BITS 32
#define OBSERVE_PLACE_BITS 18

/* Begins an operation at `at_ps`; returns its number. */
uint64_t observe_begin(struct observe *observe, const struct observe_origin *origin,
                       uint32_t caller, sim_time at_ps);

/* Whether a listener wants operations of origins that are not served. */
static inline bool observe_wants_operations(const struct observe *observe)
{
    return __builtin_expect(observe->wants & OBSERVE_OPERATIONS, 0);
}

/* Whether a listener wants to know what a core or an engine does: on its track, or for its place (observe_place.h). */
static inline bool observe_wants_work(const struct observe *observe)
{
    return __builtin_expect(observe->wants & (OBSERVE_OPERATIONS | OBSERVE_SPANS), 0);
}

/* Whether a listener hears of the operation's stages. */
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

/* The operation has been seen by `server`, any address that tells servers apart. */
void observe_server(struct observe *observe, uint64_t id, const void *server);

/* Ends an operation at `at_ps`, when its caller has noticed the end; number 0 is ignored. Returns how many of observe->parts it
 * has. observe_forget ends an operation for whose end nobody waits, and tells no listener. */
size_t observe_end(struct observe *observe, uint64_t number, sim_time at_ps);
void observe_forget(struct observe *observe, uint64_t number);

/* Likewise, when `ender` has noticed the end and not the caller. */
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

/* Tells listeners of a call; to be called only if somebody wants calls. */
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

/* The number (> 0) of the track `name` ("link to cpu0") of a part of the machine ("node0.nic0"), which the first call with
 * these makes. This and the next two are to be called only if somebody wants spans; this one only once, since it searches. */
uint32_t observe_track(struct observe *observe, const char *path, const char *name);

/* observe_span tells the listeners that something called `name` (static) occupied `track` from `from_ps` to `to_ps`, for
 * `operation` (0: none). observe_change tells them that the counter `name` on the track, in `unit` (static), changes by
 * `change` at `at_ps`. Both only copy numbers. */
void observe_span(struct observe *observe, uint32_t track, const char *name, sim_time from_ps,
                  sim_time to_ps, uint64_t operation);
void observe_change(struct observe *observe, uint32_t track, const char *name, const char *unit,
                    sim_time at_ps, int64_t change);
