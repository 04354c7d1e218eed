/* What an explanation says in words. A reason is the mechanism that the design's axes choose for a stage: a row for each, the
 * first that fits holds. */
#include <math.h>
#include <string.h>

#include "models/node.h"
#include "study/explain/explain.h"

static bool over_bus(const struct design *d)
{
    return d->form == NODE_DISCRETE;
}

static bool is_host(const struct design *d)
{
    return d->server == SERVER_HOST_THREAD;
}

static bool polls_calls(const struct design *d)
{
    return is_host(d) && over_bus(d) && d->queue_memory == MEMORY_GPU &&
           d->gpu_queue_polling == POLLING_RUNTIME_CALL;
}

static bool polls_pcie(const struct design *d)
{
    return is_host(d) && over_bus(d) && d->queue_memory == MEMORY_GPU;
}

static bool polls_host_queue(const struct design *d)
{
    return is_host(d) && over_bus(d);
}

static bool polls_coherent(const struct design *d)
{
    return is_host(d);
}

static bool gpu_agent(const struct design *d)
{
    return d->server == SERVER_COMMAND_PROCESSOR || d->server == SERVER_GPU_THREAD ||
           d->server == SERVER_GPU_WARP;
}

static bool gpu_polls_pcie(const struct design *d)
{
    return gpu_agent(d) && d->queue_memory == MEMORY_HOST && over_bus(d);
}

static bool polls_smart_nic(const struct design *d)
{
    return d->server == SERVER_SMART_NIC;
}

static bool queue_is_far(const struct design *d)
{
    return over_bus(d) && d->queue_memory == MEMORY_HOST && d->initiator == INITIATOR_KERNEL;
}

static bool is_served(const struct design *d)
{
    return d->initiator == INITIATOR_KERNEL && d->server != SERVER_NONE;
}

static bool by_itself(const struct design *d)
{
    return d->server == SERVER_INITIATOR;
}

static bool shares_library(const struct design *d)
{
    return d->network_library == LIBRARY_SHARED;
}

static bool is_staged(const struct design *d)
{
    return d->initiator == INITIATOR_HOST && d->payload == PAYLOAD_STAGED;
}

static bool is_message(const struct design *d)
{
    return d->initiator == INITIATOR_HOST;
}

static bool is_messaging(const struct design *d)
{
    return is_message(d) && d->runtime == RUNTIME_MESSAGING;
}

static bool is_ampi(const struct design *d)
{
    return is_message(d) && d->runtime == RUNTIME_AMPI;
}

static bool is_charm4py(const struct design *d)
{
    return is_message(d) && d->runtime == RUNTIME_CHARM4PY;
}

static bool is_charm(const struct design *d)
{
    return is_message(d) && (d->runtime == RUNTIME_CHARM || d->runtime == RUNTIME_MESSAGING ||
                             d->runtime == RUNTIME_CHANNEL || is_ampi(d) || is_charm4py(d));
}

static const struct reason {
    enum stage stage;
    bool (*holds)(const struct design *design);
    const char *sentence;
} reasons[] = {
    {STAGE_POSTED, queue_is_far,
     "the work-group writes its entry to host memory over PCIe, and its release waits for that"},
    {STAGE_SEEN, polls_calls,
     "the host copies the queues by calls of the GPU's runtime, each of which takes microseconds"},
    {STAGE_SEEN, polls_pcie,
     "polling over PCIe: each look of a host thread at a queue in GPU memory is a read across the bus"},
    {STAGE_SEEN, polls_host_queue,
     "host threads poll queues in their own memory, which the work-groups write over PCIe"},
    {STAGE_SEEN, polls_coherent,
     "threads of the CPU poll memory that it shares coherently with the GPU: no bus lies between"},
    {STAGE_SEEN, gpu_polls_pcie,
     "polling over PCIe: queues are in host memory, and the GPU's agents look at them across the bus"},
    {STAGE_SEEN, gpu_agent,
     "agents on the GPU poll queues through its L2: no bus lies between; they come to each queue in turn"},
    {STAGE_SEEN, polls_smart_nic, "cores of the NIC poll queues over PCIe"},
    {STAGE_MUTEX, shares_library,
     "threads share one network library, and one at a time holds its mutex"},
    {STAGE_SERVED, by_itself,
     "the work-group itself writes the NIC's command and rings its doorbell"},
    {STAGE_SERVED, is_served,
     "instructions of the network library on the server's core; entries that were seen together are served one after the other"},
    {STAGE_DOORBELL, is_served, "a store across PCIe to the NIC"},
    {STAGE_FETCHED, NULL, "the NIC reads the command across PCIe"},
    {STAGE_DELIVERED, NULL, "the network, and memory on both sides"},
    {STAGE_COMPLETED, by_itself, "the work-group polls the NIC's completion queue"},
    {STAGE_COMPLETED, is_served,
     "the server goes on with its other queues before it looks for completions, and handles those of all together"},
    {STAGE_NOTICED, polls_pcie,
     "the mark is written back over PCIe, and the work-group polls for it"},
    {STAGE_NOTICED, is_served, "the work-group polls the mark of its entry"},
    {STAGE_STAGED, is_staged,
     "host staging: the program copies to host memory before it sends, and to the GPU after it has received"},
    {STAGE_STAGED, is_message, "the library stages fragments through host memory, in a pipeline"},
    {STAGE_PACKED, is_charm4py, "Python and Cython, then the calls of the runtime and the library"},
    {STAGE_PACKED, is_message,
     "calls of the runtime and the library, until the NIC or the peer is told"},
    {STAGE_LATE_RECEIVE, is_messaging,
     "late receive: the receive is posted when the metadata message beside the data was picked from the scheduler's queue"},
    {STAGE_LATE_RECEIVE, is_ampi,
     "late receive: AMPI posts it when its own message was picked and matched"},
    {STAGE_LATE_RECEIVE, is_charm4py,
     "late receive: it is posted when the channel's message with the buffer's address has come through the interpreter"},
    {STAGE_LATE_RECEIVE, is_message, "the receiver's program posts it after the message has come"},
    {STAGE_TAKEN, is_message, "a core polls, and handles what it finds one after the other"},
    {STAGE_COPY, is_message, "CUDA IPC: a copy engine moves the data from GPU to GPU"},
    {STAGE_COPIED, is_message,
     "a core copies: host buffers, or GPU memory that is mapped (GDRCopy)"},
    {STAGE_CALLBACK, is_charm, "the runtime makes a callback of the transfer's end"},
    {STAGE_SCHEDULED, is_charm,
     "scheduler wait: the message stands in its queue until the scheduler picks it"},
    {STAGE_NOTICED, is_charm4py, "the future is fulfilled and the coroutine resumed, in Python"},
    {STAGE_COPY, NULL, "the copy engine"},
    {STAGE_LAUNCHED, NULL, "launch overhead: the core in the CUDA call"},
    {STAGE_STARTED, is_message,
     "launch latency: the kernel or copy has been given to the GPU, which has not begun with it"},
    {STAGE_EXPOSED, NULL, "exposed communication: nothing of the place computes while it waits"},
    {STAGE_BUSY, NULL,
     "the core computes, or waits in the CUDA call that tells it of the GPU's end"},
};

const char *explain_reason(enum stage stage, const struct design *design)
{
    for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++) {
        const struct reason *reason = &reasons[i];
        if (reason->stage == stage && (!reason->holds || (design && reason->holds(design))))
            return reason->sentence;
    }
    return NULL;
}

/* --- one point --------------------------------------------------------------------------------- */

/* The stage of the `rank`th greatest number, ties in the order of stages. */
static enum stage ranked(const double *numbers, size_t rank)
{
    bool is_taken[STAGES] = {false};
    int best = 0;
    for (size_t i = 0; i <= rank; i++) {
        best = -1;
        for (int stage = 0; stage < STAGES; stage++)
            if (!is_taken[stage] && (best < 0 || numbers[stage] > numbers[best]))
                best = stage;
        is_taken[best] = true;
    }
    return (enum stage)best;
}

char *explain_why(const struct explained *of, const struct design *design, size_t most)
{
    GString *text = g_string_new(NULL);
    double means_ps[STAGES];
    for (int stage = 0; stage < STAGES; stage++)
        means_ps[stage] = explained_mean_ps(of, (enum stage)stage);
    for (size_t rank = 0; rank < MIN(most, STAGES); rank++) {
        enum stage stage = ranked(means_ps, rank);
        if (means_ps[stage] <= 0)
            break;
        const char *reason = explain_reason(stage, design);
        g_string_append_printf(text, "%s, %.1f %%: %s.\n", stage_infos[stage].name,
                               100 * means_ps[stage] / stat_mean(&of->latency),
                               reason ? reason : stage_infos[stage].description);
    }
    return g_string_free(text, FALSE);
}

static double total(const char *stats, const char *name)
{
    double sum = 0;
    g_auto(GStrv) lines = g_strsplit(stats, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) fields =
            g_strsplit(*line, "\t", -1); /* path, name, unit, description, field, value */
        if (g_strv_length(fields) == 6 && strcmp(fields[1], name) == 0)
            sum += g_ascii_strtod(fields[5], NULL);
    }
    return sum;
}

char *explain_cache(const char *stats)
{
    const double thrashes_below = 0.9;
    double hits = stats ? total(stats, "l2_hits_cp") : 0,
           misses = stats ? total(stats, "l2_misses_cp") : 0;
    if (hits + misses == 0)
        return NULL;
    double rate = hits / (hits + misses);
    return g_strdup_printf(
        "%sommand processors found their lines in the GPU's L2 in %.1f %% of %.0f accesses.",
        rate < thrashes_below ? "Cache thrash: c" : "C", 100 * rate, hits + misses);
}

/* --- two points -------------------------------------------------------------------------------- */

static void append_axes(GString *text, const struct explained_point *a,
                        const struct explained_point *b)
{
    char one[PARAM_TEXT_SIZE], other[PARAM_TEXT_SIZE];
    const char *separator = "Their designs differ in ";
    if (!a->design || !b->design)
        return;
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        param_format_whole(axis, a->design, one);
        param_format_whole(axis, b->design, other);
        if (strcmp(one, other) == 0)
            continue;
        g_string_append_printf(text, "%s%s (%s, %s)", separator, axis->name, one, other);
        separator = ", ";
    }
    if (*separator == ',')
        g_string_append(text, ".\n");
}

static void append_machines(GString *text, const struct explained_point *a,
                            const struct explained_point *b)
{
    const char *separator = "Their machines differ in ";
    for (guint i = 0; a->machine && b->machine && i < a->machine->provenance->len; i++) {
        const struct provenance *one = g_ptr_array_index(a->machine->provenance, i),
                                *other = g_ptr_array_index(b->machine->provenance, i);
        if (strcmp(one->value, other->value) == 0)
            continue;
        g_string_append_printf(text, "%s%s (%s, %s)", separator, one->path, one->value,
                               other->value);
        separator = ", ";
    }
    if (*separator == ',')
        g_string_append(text, ".\n");
}

static void append_whole(GString *text, const struct explained_point *a,
                         const struct explained_point *b)
{
    double a_us = stat_mean(&a->of->latency) / (double)PS_PER_US;
    double b_us = stat_mean(&b->of->latency) / (double)PS_PER_US;
    double change_us = b_us - a_us;
    g_string_append_printf(text, "%s takes %.6f us, %s %.6f us: ", a->name, a_us, b->name, b_us);
    if (change_us == 0)
        g_string_append(text, "the same.\n");
    else
        g_string_append_printf(text, "%.6f us %s, %.2f times as long.\n", fabs(change_us),
                               change_us > 0 ? "more" : "less", b_us / a_us);
}

static void append_reason(GString *text, enum stage stage, const struct explained_point *point)
{
    const char *reason = explain_reason(stage, point->design);
    if (reason && point->of->stages[stage].sum > 0)
        g_string_append_printf(text, "    %s: %s.\n", point->name, reason);
}

static void append_stage(GString *text, enum stage stage, const struct explained_point *a,
                         const struct explained_point *b)
{
    double a_us = explained_mean_ps(a->of, stage) / (double)PS_PER_US;
    double b_us = explained_mean_ps(b->of, stage) / (double)PS_PER_US;
    double all_us = (stat_mean(&b->of->latency) - stat_mean(&a->of->latency)) / (double)PS_PER_US;
    const struct stage_info *info = &stage_infos[stage];
    g_string_append_printf(text, "%s: %.6f us %s %s (%.6f us, then %.6f us", info->name,
                           fabs(b_us - a_us), b_us > a_us ? "more" : "less", info->description,
                           a_us, b_us);
    if (all_us != 0)
        g_string_append_printf(text, "; %.0f %% of the difference", 100 * (b_us - a_us) / all_us);
    g_string_append(text, ").\n");
    append_reason(text, stage, a);
    if (explain_reason(stage, a->design) != explain_reason(stage, b->design) ||
        a->of->stages[stage].sum == 0)
        append_reason(text, stage, b);
}

char *explain_difference(const struct explained_point *a, const struct explained_point *b)
{
    GString *text = g_string_new(NULL);
    double changes_ps[STAGES];
    for (int stage = 0; stage < STAGES; stage++)
        changes_ps[stage] = fabs(explained_mean_ps(b->of, (enum stage)stage) -
                                 explained_mean_ps(a->of, (enum stage)stage));
    append_whole(text, a, b);
    append_axes(text, a, b);
    append_machines(text, a, b);
    for (size_t rank = 0; rank < STAGES; rank++) {
        enum stage stage = ranked(changes_ps, rank);
        if (changes_ps[stage] == 0)
            break;
        append_stage(text, stage, a, b);
    }
    return g_string_free(text, FALSE);
}
