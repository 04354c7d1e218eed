/* The list of those who listen. A model's cost without listeners is in trace_point (trace.h). */
#include "core/trace.h"

#include <glib.h>

struct trace_listener {
    struct trace_listener *next;
    trace_listener_fn *listener;
    void *argument;
};

void trace_init(struct trace *trace)
{
    *trace = (struct trace){.active = false, .listeners = NULL};
}

void trace_clear(struct trace *trace)
{
    while (trace->listeners) {
        struct trace_listener *first = trace->listeners;
        trace->listeners = first->next;
        g_free(first);
    }
    trace->active = false;
}

void trace_listen(struct trace *trace, trace_listener_fn *listener, void *argument)
{
    struct trace_listener **end = &trace->listeners;
    while (*end)
        end = &(*end)->next;
    *end = g_new(struct trace_listener, 1);
    **end = (struct trace_listener){NULL, listener, argument};
    trace->active = true;
}

void trace_emit(struct trace *trace, const struct trace_record *record)
{
    for (const struct trace_listener *l = trace->listeners; l; l = l->next)
        l->listener(record, l->argument);
}
