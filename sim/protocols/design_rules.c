/* SPDX-License-Identifier: BSD-3-Clause */
/* Which axes of a design do not go together, and why. */
#include <glib.h>

#include "core/error.h"
#include "protocols/design.h"

/* What a rule asks of the server's kind. */
static bool calls_runtime(const struct agent_kind *kind)
{
    return kind->calls_runtime;
}

static bool is_on_board(const struct agent_kind *kind)
{
    return kind->memory == MEMORY_NIC;
}

static bool serves_itself(const struct agent_kind *kind)
{
    return kind->is_initiator && !kind->is_trigger;
}

static bool serves(const struct design *design, bool (*can)(const struct agent_kind *kind))
{
    const struct agent_kind *kind = design_server_kind(design);
    return kind != NULL && can(kind);
}

static bool has_memory_of_gpu_in_apu(const struct design *design)
{
    return design->node == NODE_APU &&
           (design->queue.memory == MEMORY_GPU || design->nic_queue.memory == MEMORY_GPU ||
            design->heap == MEMORY_GPU);
}

static bool kernel_has_nobody(const struct design *design)
{
    return design->initiator == INITIATOR_KERNEL && design->server == NO_SERVER;
}

static bool stages_in_kernel(const struct design *design)
{
    return design->initiator != INITIATOR_HOST && design->payload == PAYLOAD_STAGED;
}

static bool kernel_runs_runtime(const struct design *design)
{
    return design->runtime > RUNTIME_SHMEM && design->initiator != INITIATOR_HOST;
}

static bool charm_is_direct(const struct design *design)
{
    return design->runtime == RUNTIME_CHARM && design->payload == PAYLOAD_DIRECT &&
           !design_is_of_cpu(design);
}

static bool stages_host_data(const struct design *design)
{
    return design->payload == PAYLOAD_STAGED && design_is_of_cpu(design);
}

static bool gpu_api_is_staged(const struct design *design)
{
    return (design->runtime == RUNTIME_MESSAGING || design->runtime == RUNTIME_CHANNEL) &&
           (design->payload == PAYLOAD_STAGED || design_is_of_cpu(design));
}

static bool fences_contexts_together(const struct design *design)
{
    return design->fence == FENCE_BY_CONTEXT && design->completion != COMPLETION_BY_CONTEXT;
}

/* A rank's staging buffers are in the memory of sockets. */
static bool stages_on_gpu(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    return design->initiator == INITIATOR_HOST && design->payload == PAYLOAD_STAGED &&
           kind != NULL && !kind->is_on_host;
}

static bool is_rank_of_nobody(const struct design *design)
{
    return design->initiator == INITIATOR_HOST && design->server != NO_SERVER &&
           design->runtime <= RUNTIME_SHMEM;
}

static bool has_queue_on_no_board(const struct design *design)
{
    return design->nic_queue.memory == MEMORY_NIC && !serves(design, is_on_board);
}

static bool sets_words_elsewhere(const struct design *design)
{
    return (design->word_set_by == WORD_SET_BY_SERVER || design->signal_by == SIGNAL_BY_SERVER) &&
           design->heap != MEMORY_GPU;
}

static bool takes_in_no_round(const struct design *design)
{
    return design->quiet_by == QUIET_BY_EACH_ROUND && !design_has_poller(design);
}

static bool reserves_by_entries(const struct design *design)
{
    return design->nic_queue.reserve == RESERVE_ATOMIC &&
           (design->completion == COMPLETION_BY_CONTEXT || design->quiet_by != QUIET_BY_COUNTER ||
            design_is_triggered(design) || design->coalesce.count > 0);
}

/* A heap that somebody may reach beside the NIC: memory of GPUs, or of coherent nodes' sockets. */
static bool has_no_peers(const struct design *design)
{
    return design->initiator != INITIATOR_KERNEL || design_is_triggered(design) ||
           (design->node == NODE_DISCRETE && design->heap != MEMORY_GPU);
}

/* A CPU's core reaches another socket's memory by its caches, which service threads do not simulate. */
static bool is_served_across_sockets(const struct design *design)
{
    return design_server_moves(design) && design->node != NODE_DISCRETE;
}

static bool stores_from_nowhere(const struct design *design)
{
    return design->peer != PEER_BY_NIC && has_no_peers(design);
}

static bool is_moved_by_nobody(const struct design *design)
{
    return design_server_moves(design) && !design_has_poller(design);
}

static bool copies_without_runtime(const struct design *design)
{
    return design->peer >= PEER_BY_PEER_COPY && !serves(design, calls_runtime);
}

static bool orders_triggers(const struct design *design)
{
    return design_is_triggered(design) &&
           ((design->signal != SIGNAL_WITH_PUT && design->signal != SIGNAL_CHAINED) ||
            design->fence == FENCE_NIC);
}

static bool orders_gathered(const struct design *design)
{
    return design->coalesce.count > 0 &&
           (design->fence == FENCE_ORDER || design->fence == FENCE_NIC);
}

/* What makes no sense, and why; a reason that ends with "takes " goes on with the kinds of servers that can. */
static const struct design_rule {
    bool (*is_broken)(const struct design *design);
    const char *reason;
    bool (*can)(const struct agent_kind *kind);
} rules[] = {
    {has_memory_of_gpu_in_apu,
     "on a coherent node GPU and host share the host's memory; it takes queue.memory, nic_queue.memory and heap = host",
     NULL},
    {kernel_has_nobody,
     "a kernel's requests need a server; where the work-group serves itself, that is ",
     serves_itself},
    {stages_in_kernel,
     "a work-group's payload is sent directly; payload = staged is what programs on "
     "the host do",
     NULL},
    {kernel_runs_runtime,
     "work-groups cannot run that runtime: ranks pass its messages, on the server's "
     "cores if there is a server; it takes initiator = host, or runtime = shmem",
     NULL},
    {charm_is_direct,
     "entry methods of runtime = charm carry host data (payload = staged); GPU data go by "
     "runtime = messaging or channel",
     NULL},
    {gpu_api_is_staged,
     "runtimes messaging and channel are for GPU data, payload = direct and heap = gpu; host data go "
     "by runtime = charm",
     NULL},
    {stages_host_data,
     "payload = staged copies GPU data through host memory; with heap = host they are there", NULL},
    {fences_contexts_together,
     "fence = by_context is lifted context by context; it takes completion = "
     "by_context",
     NULL},
    {stages_on_gpu,
     "payload = staged takes data through the host's memory, for ranks on its cores; a command "
     "processor reaches GPU data where they lie, payload = direct",
     NULL},
    {is_rank_of_nobody,
     "initiator = host with a server is a rank on the server's core; it takes a runtime of "
     "messages: runtime = charm, messaging, channel, ampi, charm4py, openmpi, spectrum or mvapich",
     NULL},
    {has_queue_on_no_board, "nic_queue.memory = nic is the memory of a SmartNIC's board; it takes ",
     is_on_board},
    {sets_words_elsewhere,
     "a server is told to set words of its GPU; word_set_by and signal_by = server take heap = gpu",
     NULL},
    {takes_in_no_round,
     "quiet_by = each_round takes completions in the rounds of a server who polls; there is none",
     NULL},
    {reserves_by_entries,
     "nic_queue.reserve = atomic is for a server or work-group that issues commands and waits "
     "for a counter of completions; it takes quiet_by = counter, completion = "
     "together, coalesce.count = 0 and no server = nic_trigger",
     NULL},
    {stores_from_nowhere,
     "what moves between GPUs of a node is asked for by a kernel, and lies in memory of GPUs; a peer that is not the NIC takes "
     "initiator = kernel, no server = nic_trigger, and heap = gpu or node = coherent",
     NULL},
    {is_served_across_sockets,
     "on a coherent node peer = server, peer_copy and copy_engine are not simulated; it takes peer = work_group or nic",
     NULL},
    {is_moved_by_nobody,
     "a server that polls moves data with peer = server, peer_copy and copy_engine; where work-groups serve themselves it takes peer = work_group or nic",
     NULL},
    {copies_without_runtime,
     "copies of the GPU's runtime are calls of a thread on the host; peer = peer_copy and copy_engine take ",
     calls_runtime},
    {orders_triggers,
     "a trigger starts one command that was posted beforehand; it takes signal = with_put or chained, and no "
     "fence = nic_fence",
     NULL},
    {orders_gathered,
     "a server writes gathered puts to memory, not in the order of a NIC's queue; "
     "they take fence = quiet or by_context",
     NULL},
};

/* --- axes that nothing would read ---------------------------------------------------------------- */

static bool has_kernel(const struct design *design)
{
    return design->initiator != INITIATOR_HOST;
}

/* On a coherent node these memories are the host's. */
static bool has_kernel_or_one_memory(const struct design *design)
{
    return has_kernel(design) || design->node == NODE_APU;
}

static bool is_not_triggered(const struct design *design)
{
    return !design_is_triggered(design);
}

static bool is_on_gpu(const struct agent_kind *kind)
{
    return kind->is_on_gpu;
}

static bool has_lanes_that_copy(const struct design *design)
{
    return design->peer == PEER_BY_WORK_GROUP ||
           (design->peer == PEER_BY_SERVER && serves(design, is_on_gpu));
}

static bool gathers(const struct design *design)
{
    return design->coalesce.count > 0;
}

static bool polls_by_loads(const struct design *design)
{
    return design->queue.polling == POLLING_LOADS;
}

static bool polls_across_bus(const struct design *design)
{
    return serves(design, calls_runtime) && design->queue.memory == MEMORY_GPU;
}

static bool has_own_signal(const struct design *design)
{
    return design->signal != SIGNAL_WITH_PUT && design->signal != SIGNAL_CHAINED;
}

/* Axes that act in some designs only. In others they stay at their defaults, since a setting without effect is refused: with the sentence
 * "AXIS = VALUE is for ...". */
static const struct design_scope {
    bool (*acts)(const struct design *design);
    const char *axes; /* names, apart by a space */
    const char *is_for;
    bool (*can)(const struct agent_kind *kind); /* as of rules */
} scopes[] = {
    {design_has_poller,
     "service_threads queue.locked polling_rounds completion marks poll_loop queue.wait_on coalesce.count "
     "word_set_by queue.count queue.room_by take_instructions",
     "a server who polls; there is none", NULL},
    {has_kernel_or_one_memory, "queue.memory nic_queue.memory",
     "what a kernel asks for; with initiator = host a process's runtime has its own", NULL},
    {has_kernel,
     "nic_queue.order nic_queue.sharers nic_queue.reserve nic_queue.fences signal fence quiet_by "
     "verb_instructions",
     "what a kernel asks for; with initiator = host a process's runtime has its own", NULL},
    {is_not_triggered, "nic_queue.memory nic_queue.sharers",
     "commands that are posted when they are asked for; those of triggers lie in host memory, in a queue for each work-group",
     NULL},
    {has_lanes_that_copy, "copy_unroll",
     "copies by lanes of a wavefront; it takes peer = work_group, or peer = server and ",
     is_on_gpu},
    {gathers, "coalesce.size coalesce.timeout", "gathered puts; it takes coalesce.count > 0", NULL},
    {polls_by_loads, "marks",
     "marks by stores; queue.polling = runtime_call marks by a call that is waited for", NULL},
    {polls_across_bus, "queue.polling",
     "a CPU thread and queues in GPU memory; it takes queue.memory = gpu and ", calls_runtime},
    {has_own_signal, "signal_by",
     "a signal that is a command of its own; it takes signal = after, nic_fence or quiet", NULL},
};

/* The first of the axes that departs from its default, or NULL. */
static const struct param *first_set(const struct design *design, const struct design *defaults,
                                     const char *axes)
{
    g_auto(GStrv) names = g_strsplit(axes, " ", -1);
    for (char **name = names; *name != NULL; name++) {
        const struct param *axis = param_find(&design_params, *name);
        if (param_compare(axis, design, defaults) != 0)
            return axis;
    }
    return NULL;
}

/* Sets the error, with the kinds that can: "... it takes server = gpu_thread or gpu_warp". */
static bool refuse(GString *text, bool (*can)(const struct agent_kind *kind), GError **error)
{
    const char *before = "server = ";
    for (size_t i = 0; can != NULL && agent_kinds[i] != NULL; i++) {
        if (!can(agent_kinds[i]))
            continue;
        g_string_append_printf(text, "%s%s", before, agent_kinds[i]->name);
        before = " or ";
    }
    return error_set(error, "%s", text->str);
}

/* A process runs on a core of the server's kind, if that can run one. */
static bool rank_has_core(const struct design *design, GError **error)
{
    const struct agent_kind *kind = design_server_kind(design);
    if (design->initiator != INITIATOR_HOST || kind == NULL || kind->rank_core != NULL)
        return true;
    return error_set(error, "%s",
                     kind->no_rank != NULL ? kind->no_rank
                                           : "agents of this kind run no processes");
}

static bool is_read(const struct design *design, const struct design *defaults,
                    const struct design_scope *scope, GError **error)
{
    const struct param *axis =
        scope->acts(design) ? NULL : first_set(design, defaults, scope->axes);
    if (axis == NULL)
        return true;
    char value[UNIT_TEXT_SIZE];
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "%s = %s is for %s", axis->name, param_format(axis, design, value),
                    scope->is_for);
    return refuse(text, scope->can, error);
}

bool design_valid(const struct design *design, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (!rules[i].is_broken(design))
            continue;
        g_autoptr(GString) text = g_string_new(rules[i].reason);
        return refuse(text, rules[i].can, error);
    }
    if (!rank_has_core(design, error))
        return false;
    struct design defaults;
    param_set_defaults(&design_params, &defaults);
    for (size_t i = 0; i < G_N_ELEMENTS(scopes); i++)
        if (!is_read(design, &defaults, &scopes[i], error))
            return false;
    return true;
}
