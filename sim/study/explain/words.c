/* SPDX-License-Identifier: BSD-3-Clause */
/* What an explanation says in words. A reason is the mechanism that the design's axes choose for a stage: a row for each, the
 * first that fits holds. No kind of agent and no runtime is named here: what is particular to one is in its own file. */
#include <math.h>
#include <string.h>

#include "models/node.h"
#include "protocols/runtimes/messenger.h"
#include "study/explain/explain.h"

/* --- what reasons ask of a design ---------------------------------------------------------------- */

/* Traits of a design, by which a reason holds. */
enum {
    KERNEL = 1 << 0,  /* work-groups start transfers; else processes do: */
    MESSAGE = 1 << 1, /* and what they transfer are messages */
    STAGED = 1 << 2,  /* of which the program itself copies those of the GPU */
    BY_SELF = 1 << 3, /* work-groups serve their transfers themselves; else, of those of kernels: */
    POLLED = 1 << 4,  /* a server polls queues */
    COHERENT = 1 << 5, /* that no bus divides from the work-groups; else: */
    ACROSS = 1 << 6,   /* server or work-groups are across the bus */
    IN_HOST = 1 << 7,  /* queues in memory of the host; else: */
    IN_GPU = 1 << 8,   /* of the GPU */
    NEAR = 1 << 9,     /* they are in the server's own memory; else: */
    FAR = 1 << 10,
    CALLS = 1 << 11,    /* it looks at queues by calls of the GPU's runtime */
    GATHERS = 1 << 12,  /* puts into one message */
    TOGETHER = 1 << 13, /* completes those of all work-groups together */
    SHARED = 1 << 14,   /* threads share one network library */
    ON_NIC = 1 << 15,   /* the NIC's queues are in its own memory */
};

static unsigned if_so(bool is_so, unsigned traits)
{
    return is_so ? traits : 0;
}

static unsigned polling_traits(const struct design *d)
{
    const struct agent_kind *kind = design_server_kind(d);
    bool is_coherent = d->node == NODE_APU, in_gpu = d->queue.memory == MEMORY_GPU;
    bool calls = kind->calls_runtime && d->queue.polling == POLLING_RUNTIME_CALL;
    return POLLED | (is_coherent ? COHERENT : ACROSS) |
           if_so(d->queue.memory == MEMORY_HOST, IN_HOST) | if_so(in_gpu, IN_GPU) |
           (kind->memory == d->queue.memory ? NEAR : FAR) |
           if_so(calls && in_gpu && !is_coherent, CALLS) | if_so(d->coalesce.count > 0, GATHERS) |
           if_so(d->completion == COMPLETION_TOGETHER, TOGETHER);
}

static unsigned traits_of(const struct design *d)
{
    if (d->initiator == INITIATOR_HOST)
        return MESSAGE | if_so(d->payload == PAYLOAD_STAGED, STAGED);
    return KERNEL | (design_has_poller(d) ? polling_traits(d) : BY_SELF) |
           if_so(design_nic_queue_sharers(d, 2) > 1, SHARED) |
           if_so(d->nic_queue.memory == MEMORY_NIC, ON_NIC);
}

/* The first reason of a stage whose traits the design has is said; "%s" in it is who serves. Its axes are those that make the stage what it
 * is: before the bar they are always said, behind it where they depart from their defaults. All of a stage's reasons
 * together name the axes that act on it. */
static const struct reason {
    enum stage stage;
    unsigned traits; /* 0: holds always, of an unknown design, too */
    const char *sentence;
    const char *axes;
} reasons[] = {
    {STAGE_POSTED, POLLED | ACROSS | IN_HOST,
     "the work-group writes its entry to host memory over PCIe, and its release waits for that",
     "queue.memory | queue.count queue.room_by"},
    {STAGE_POSTED, POLLED, "the work-group writes an entry of its queue and makes it visible",
     "queue.memory | queue.count queue.room_by node"},
    {STAGE_STORED, KERNEL,
     "the work-group itself loads and stores the bytes, line by line, between the memories of two GPUs",
     "peer | copy_unroll"},
    {STAGE_SEEN, CALLS,
     "the host copies the queues by calls of the GPU's runtime, each of which takes microseconds",
     "server queue.memory queue.polling"},
    {STAGE_SEEN, POLLED | COHERENT,
     "%s poll memory that the CPU shares coherently with the GPU: no bus lies between",
     "server node | service_threads poll_loop completion polling_rounds"},
    {STAGE_SEEN, POLLED | IN_GPU | NEAR,
     "%s on the GPU poll queues through its L2: no bus lies between; they come to each queue in turn",
     "server queue.memory | service_threads queue.locked poll_loop completion polling_rounds"},
    {STAGE_SEEN, POLLED | IN_HOST | NEAR,
     "%s poll queues in their own memory, which the work-groups write over PCIe",
     "server queue.memory | service_threads poll_loop completion polling_rounds"},
    {STAGE_SEEN, POLLED | IN_GPU,
     "polling over PCIe: each look of %s at a queue in GPU memory is a read across the bus",
     "server queue.memory | service_threads poll_loop completion polling_rounds"},
    {STAGE_SEEN, POLLED,
     "polling over PCIe: each look of %s at a queue in host memory is a read across the bus",
     "server queue.memory | service_threads poll_loop completion polling_rounds quiet_by take_instructions marks"},
    {STAGE_MUTEX, KERNEL | SHARED,
     "threads share one network library, and one at a time holds its mutex",
     "nic_queue.sharers | service_threads nic_queue.reserve"},
    {STAGE_SERVED, BY_SELF, NULL,
     "server | nic_queue.sharers nic_queue.reserve nic_queue.fences verb_instructions initiator"},
    {STAGE_SERVED, GATHERS,
     "puts to one node wait for others that go in the same message, at most until their timeout",
     "server coalesce.count coalesce.timeout | coalesce.size service_threads"},
    {STAGE_SERVED, KERNEL,
     "instructions of the network library on the server's core; entries that were seen together are served one after the other",
     "server | service_threads nic_queue.sharers nic_queue.reserve nic_queue.fences nic_queue.order fence signal"},
    {STAGE_DOORBELL, KERNEL | ON_NIC, "a store to the NIC on the server's own board",
     "nic_queue.memory"},
    {STAGE_DOORBELL, KERNEL, "a store across PCIe to the NIC", "nic_queue.memory"},
    {STAGE_FETCHED, KERNEL | ON_NIC, "the NIC reads the command on its own board",
     "nic_queue.memory"},
    {STAGE_FETCHED, KERNEL, "the NIC reads the command across PCIe",
     "nic_queue.memory | nic_queue.order fence signal"},
    {STAGE_FETCHED, 0, "the NIC has the command", ""},
    {STAGE_ON_WIRE, KERNEL, "the NIC's pipeline, and its reads of what it sends",
     "heap | nic_queue.order fence signal"},
    {STAGE_DELIVERED, KERNEL, "the network, and memory on both sides",
     "heap | signal signal_by word_set_by"},
    {STAGE_DELIVERED, 0, "the network, and memory on both sides", ""},
    {STAGE_COMPLETED, BY_SELF, NULL, "server | quiet_by signal fence"},
    {STAGE_COMPLETED, TOGETHER,
     "the server first goes on with its other queues; then it waits for all that it has issued, of all work-groups, before it "
     "marks anything as done",
     "completion polling_rounds | quiet_by marks take_instructions fence"},
    {STAGE_COMPLETED, KERNEL,
     "the server goes on with its other queues before it looks for completions, and marks each call when its own context has "
     "nothing pending",
     "completion polling_rounds | quiet_by marks take_instructions fence"},
    {STAGE_NOTICED, BY_SELF, NULL, "server"},
    {STAGE_NOTICED, POLLED | ACROSS | IN_GPU | FAR,
     "the mark is written back over PCIe, and the work-group polls for it",
     "server queue.memory | marks queue.wait_on"},
    {STAGE_NOTICED, POLLED | ACROSS | IN_HOST,
     "the work-group polls the mark of its entry in host memory, across PCIe",
     "queue.memory | marks queue.wait_on"},
    {STAGE_NOTICED, POLLED, "the work-group polls the mark of its entry",
     "queue.memory | marks queue.wait_on"},
    {STAGE_NOTICED, 0, NULL, "runtime"},
    {STAGE_MATCHED, MESSAGE, "the message is compared with the receives that are posted",
     "runtime"},
    {STAGE_STAGED, STAGED,
     "host staging: the program copies to host memory before it sends, and to the GPU after it has received",
     "payload"},
    {STAGE_STAGED, MESSAGE, "the library stages fragments through host memory, in a pipeline",
     "payload runtime | server"},
    {STAGE_PACKED, MESSAGE,
     "calls of the runtime and the library, until the NIC or the peer is told",
     "runtime | payload"},
    {STAGE_LATE_RECEIVE, MESSAGE, "the receiver's program posts it after the message has come",
     "runtime"},
    {STAGE_TAKEN, MESSAGE, "a core polls, and handles what it finds one after the other",
     "runtime"},
    {STAGE_COPY, MESSAGE, "CUDA IPC: a copy engine moves the data from GPU to GPU", "payload"},
    {STAGE_COPIED, MESSAGE, "a core copies: host buffers, or GPU memory that is mapped (GDRCopy)",
     "payload"},
    {STAGE_CALLBACK, MESSAGE, "the runtime makes a callback of the transfer's end", "runtime"},
    {STAGE_SCHEDULED, MESSAGE,
     "scheduler wait: the message stands in its queue until the scheduler picks it", "runtime"},
    {STAGE_COPY, 0, "the copy engine", ""},
    {STAGE_LAUNCHED, 0, "launch overhead: the core in the CUDA call", "initiator runtime"},
    {STAGE_STARTED, MESSAGE,
     "launch latency: the kernel or copy has been given to the GPU, which has not begun with it",
     ""},
    {STAGE_EXPOSED, 0, "exposed communication: nothing of the place computes while it waits", ""},
    {STAGE_BUSY, 0, "the core computes, or waits in the CUDA call that tells it of the GPU's end",
     ""},
};

/* What the kind of the server, or the runtime, says of the stage itself; NULL: nothing. */
static const char *own_sentence(enum stage stage, const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    const struct runtime_ops *runtime = runtime_of(design);
    if (design->initiator == INITIATOR_HOST)
        return runtime != NULL ? runtime->reasons[stage] : NULL;
    return kind != NULL ? kind->reasons[stage] : NULL;
}

static const struct reason *reason_of(enum stage stage, const struct design *design)
{
    unsigned traits = design ? traits_of(design) : 0;
    for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++)
        if (reasons[i].stage == stage && (reasons[i].traits & ~traits) == 0)
            return &reasons[i];
    return NULL;
}

static bool is_default(const struct param *axis, const struct design *design)
{
    struct design defaults;
    param_set_defaults(&design_params, &defaults);
    return param_compare(axis, design, &defaults) == 0;
}

/* " (completion = together, polling_rounds = 8)" */
static void append_own_axes(GString *text, const struct design *design, const char *axes)
{
    const char *before = " (";
    bool is_said = true;
    g_auto(GStrv) names = g_strsplit(axes, " ", -1);
    for (char **name = names; *name; name++) {
        char value[PARAM_TEXT_SIZE];
        const struct param *axis = param_find(&design_params, *name);
        is_said = is_said && strcmp(*name, "|") != 0;
        if (!axis || (!is_said && is_default(axis, design)))
            continue;
        param_format_whole(axis, design, value);
        g_string_append_printf(text, "%s%s = %s", before, axis->name, value);
        before = ", ";
    }
    if (*before == ',')
        g_string_append_c(text, ')');
}

/* Why a stage takes what it takes in that design (NULL: unknown), as the mechanism says, with the axes that choose it: "... (queue =
 * gpu)"; NULL: nothing particular. The caller frees it. */
static char *reason_text(enum stage stage, const struct design *design)
{
    const struct reason *reason = reason_of(stage, design);
    const char *own = design ? own_sentence(stage, design) : NULL;
    const char *sentence = own ? own : reason ? reason->sentence : NULL;
    if (!sentence)
        return NULL;
    const struct agent_kind *kind = design ? design_server_kind(design) : NULL;
    g_auto(GStrv) parts = g_strsplit(sentence, "%s", 2);
    GString *text = g_string_new(parts[0]);
    if (parts[1])
        g_string_append_printf(text, "%s%s", kind->threads ? kind->threads : kind->name, parts[1]);
    if (design && reason)
        append_own_axes(text, design, reason->axes);
    return g_string_free(text, FALSE);
}

/* Whether the axis of that name acts on the stage in some design. */
static bool acts_on(const char *axis, enum stage stage)
{
    for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++) {
        g_auto(GStrv) names = g_strsplit(reasons[i].axes, " ", -1);
        if (reasons[i].stage == stage && g_strv_contains((const char *const *)names, axis))
            return true;
    }
    return false;
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

char *explain_why(const struct explained *of, size_t most)
{
    GString *text = g_string_new(NULL);
    double means_ps[STAGES];
    for (int stage = 0; stage < STAGES; stage++)
        means_ps[stage] = explained_mean_ps(of, (enum stage)stage);
    for (size_t rank = 0; rank < MIN(most, STAGES); rank++) {
        enum stage stage = ranked(means_ps, rank);
        if (means_ps[stage] <= 0)
            break;
        g_autofree char *reason = reason_text(stage, of->design);
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

/* Names of the axes in which their designs differ; NULL-ended, to be freed with g_strfreev. */
static char **differing_axes(const struct explained_point *a, const struct explained_point *b)
{
    GPtrArray *names = g_ptr_array_new();
    for (size_t i = 0; a->of->design && b->of->design && i < design_params.count; i++)
        if (param_compare(&design_params.params[i], a->of->design, b->of->design) != 0)
            g_ptr_array_add(names, g_strdup(design_params.params[i].name));
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static void append_values(GString *text, const char *axis_name, const struct explained_point *a,
                          const struct explained_point *b)
{
    char one[PARAM_TEXT_SIZE], other[PARAM_TEXT_SIZE];
    const struct param *axis = param_find(&design_params, axis_name);
    param_format_whole(axis, a->of->design, one);
    param_format_whole(axis, b->of->design, other);
    g_string_append_printf(text, "%s (%s, %s)", axis_name, one, other);
}

static void append_axes(GString *text, char **axes, const struct explained_point *a,
                        const struct explained_point *b)
{
    for (char **axis = axes; *axis; axis++) {
        g_string_append(text, axis == axes ? "Their designs differ in " : ", ");
        append_values(text, *axis, a, b);
    }
    if (*axes)
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

/* Of the axes that differ, those that act on the stage; a single one makes all the difference. */
static void append_causes(GString *text, enum stage stage, char **axes,
                          const struct explained_point *a, const struct explained_point *b)
{
    bool is_only = axes[0] && !axes[1];
    const char *before = "    by ";
    for (char **axis = axes; *axis; axis++) {
        if (!is_only && !acts_on(*axis, stage))
            continue;
        g_string_append(text, before);
        append_values(text, *axis, a, b);
        before = ", ";
    }
    if (*before == ',')
        g_string_append(text, "\n");
}

static void append_reason(GString *text, const char *reason, enum stage stage,
                          const struct explained_point *point)
{
    if (reason && point->of->stages[stage].sum > 0)
        g_string_append_printf(text, "    %s: %s.\n", point->name, reason);
}

static void append_stage(GString *text, enum stage stage, char **axes,
                         const struct explained_point *a, const struct explained_point *b)
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
    append_causes(text, stage, axes, a, b);
    g_autofree char *one = reason_text(stage, a->of->design),
                    *other = reason_text(stage, b->of->design);
    append_reason(text, one, stage, a);
    if (g_strcmp0(one, other) != 0 || a->of->stages[stage].sum == 0)
        append_reason(text, other, stage, b);
}

char *explain_difference(const struct explained_point *a, const struct explained_point *b)
{
    GString *text = g_string_new(NULL);
    double changes_ps[STAGES];
    for (int stage = 0; stage < STAGES; stage++)
        changes_ps[stage] = fabs(explained_mean_ps(b->of, (enum stage)stage) -
                                 explained_mean_ps(a->of, (enum stage)stage));
    append_whole(text, a, b);
    g_auto(GStrv) axes = differing_axes(a, b);
    append_axes(text, axes, a, b);
    append_machines(text, a, b);
    for (size_t rank = 0; rank < STAGES; rank++) {
        enum stage stage = ranked(changes_ps, rank);
        if (changes_ps[stage] == 0)
            break;
        append_stage(text, stage, axes, a, b);
    }
    return g_string_free(text, FALSE);
}
