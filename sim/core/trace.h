/* Trace points: a model says what happened, listeners it has never heard of write it down. With no
 * listener a trace point costs a load and a predicted branch. */
#ifndef GPUNETSIM_CORE_TRACE_H
#define GPUNETSIM_CORE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/simtime.h"

enum trace_kind {
    TRACE_INSTANT, /* something happened at time_ps */
    TRACE_SPAN,    /* something lasted from time_ps - value to time_ps; value in ps */
    TRACE_LEVEL,   /* a level is `value` from time_ps on */
};

struct trace_record {
    sim_time time_ps;
    enum trace_kind kind;
    const char *component; /* path; valid during the call only */
    const char *name;      /* static */
    int64_t value;
    uint64_t id;           /* operation, packet, work-group: what belongs together; 0 if none */
};

typedef void trace_listener_fn(const struct trace_record *record, void *argument);

struct trace {
    bool active; /* true while anybody listens; read by trace_point */
    struct trace_listener *listeners;
};

void trace_init(struct trace *trace);
void trace_clear(struct trace *trace); /* forgets all listeners */

/* Adds a listener; they are called in the order they came. */
void trace_listen(struct trace *trace, trace_listener_fn *listener, void *argument);

/* Hands the record to all listeners; use trace_point. */
void trace_emit(struct trace *trace, const struct trace_record *record);

#define trace_point(trace, ...)                                                                    \
    do {                                                                                           \
        if (__builtin_expect((trace)->active, 0))                                                  \
            trace_emit((trace), &(struct trace_record){__VA_ARGS__});                              \
    } while (0)

#endif
