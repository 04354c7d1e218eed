/* SPDX-License-Identifier: BSD-3-Clause */
/* Which axes of a design do not go together, and why. */
#include <glib.h>

#include "core/error.h"
#include "protocols/design.h"

/* What a rule asks of the server's kind. */
static bool frees_locked(const struct agent_kind *kind)
{
    return kind->frees_locked;
}

static bool calls_runtime(const struct agent_kind *kind)
{
    return kind->calls_runtime;
}

static bool is_on_board(const struct agent_kind *kind)
{
    return kind->memory == MEMORY_NIC;
}

static bool is_trigger(const struct agent_kind *kind)
{
    return kind->is_trigger;
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
    return design->form == NODE_APU &&
           (design->queue_memory == MEMORY_GPU || design->nic_memory == MEMORY_GPU ||
            design->heap_memory == MEMORY_GPU);
}

static bool kernel_has_nobody(const struct design *design)
{
    return design->initiator == INITIATOR_KERNEL && design->server == NO_SERVER;
}

static bool triggers_elsewhere(const struct design *design)
{
    return design_is_triggered(design) && design->nic_memory != MEMORY_HOST;
}

static bool shares_triggers(const struct design *design)
{
    return design_is_triggered(design) && design->network_library == LIBRARY_SHARED;
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

static bool locks_in_host_memory(const struct design *design)
{
    return design->locked == LOCKED_TRUE && design->queue_memory != MEMORY_GPU;
}

static bool locks_for_others(const struct design *design)
{
    return design->locked == LOCKED_TRUE && !serves(design, frees_locked);
}

static bool copies_what_is_near(const struct design *design)
{
    return design->gpu_queue_polling == POLLING_RUNTIME_CALL &&
           (!serves(design, calls_runtime) || design->queue_memory != MEMORY_GPU);
}

static bool marks_by_calls(const struct design *design)
{
    return design->marks == MARKS_ASYNCHRONOUS && design->gpu_queue_polling == POLLING_RUNTIME_CALL;
}

static bool fences_contexts_together(const struct design *design)
{
    return design->fence == FENCE_BY_CONTEXT && design->completion != COMPLETION_BY_CONTEXT;
}

static bool shares_without_server(const struct design *design)
{
    return (design->server == NO_SERVER || design->initiator == INITIATOR_HOST) &&
           (design->network_library != LIBRARY_SHARED || design->quiet_by != QUIET_BY_COUNTER);
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
    return design->nic_memory == MEMORY_NIC && !serves(design, is_on_board);
}

static bool gathers_without_end(const struct design *design)
{
    return design->coalesce_count > 0 && design->coalesce_timeout_ps == 0;
}

static bool waits_for_nobody(const struct design *design)
{
    return design->coalesce_count == 0 &&
           (design->coalesce_timeout_ps > 0 || design->coalesce_size_bytes > 0);
}

static bool copies_nothing(const struct design *design)
{
    return design->copy_unroll > 1 && design->peer != PEER_STORES;
}

static bool shares_nobodys_queue(const struct design *design)
{
    return design->queue_sharers > 1 &&
           (!design_serves_itself(design) || design->network_library == LIBRARY_SHARED);
}

static bool sets_words_elsewhere(const struct design *design)
{
    return design->word_set_by == WORD_SET_BY_SERVER && design->heap_memory != MEMORY_GPU;
}

static bool waits_on_others_places(const struct design *design)
{
    return design->shared_queues > 0 && design->wait_on != WAIT_ON_READ_INDEX;
}

static bool takes_counts_each_round(const struct design *design)
{
    return design->progress == PROGRESS_EACH_ROUND && design->quiet_by != QUIET_BY_ENTRIES;
}

static bool has_no_own_signal(const struct design *design)
{
    return design->signal_by != SIGNAL_BY_PUT &&
           (design->signal == SIGNAL_WITH_PUT || design->signal == SIGNAL_CHAINED);
}

static bool signals_nobodys_server(const struct design *design)
{
    return design->signal_by == SIGNAL_BY_SERVER && design->word_set_by != WORD_SET_BY_SERVER;
}

static bool reserves_by_entries(const struct design *design)
{
    return design->reserve == RESERVE_ATOMIC &&
           (design->completion == COMPLETION_BY_CONTEXT || design->quiet_by == QUIET_BY_ENTRIES ||
            design_is_triggered(design) || design->coalesce_count > 0);
}

static bool stores_from_nowhere(const struct design *design)
{
    return design->peer == PEER_STORES &&
           (design->initiator != INITIATOR_KERNEL || design_is_triggered(design) ||
            design->form != NODE_DISCRETE || design->heap_memory != MEMORY_GPU);
}

static bool orders_triggers(const struct design *design)
{
    return design_is_triggered(design) &&
           ((design->signal != SIGNAL_WITH_PUT && design->signal != SIGNAL_CHAINED) ||
            design->fence == FENCE_NIC);
}

static bool orders_gathered(const struct design *design)
{
    return design->coalesce_count > 0 &&
           (design->fence == FENCE_ORDER || design->fence == FENCE_NIC);
}

/* What makes no sense, and why. */
static const struct design_rule {
    bool (*is_broken)(const struct design *design);
    const char *reason;
} rules[] = {
    {has_memory_of_gpu_in_apu,
     "on a coherent node GPU and host share the host's memory; it takes queue, command and heap = host"},
    {kernel_has_nobody,
     "a kernel's requests need a server; where the work-group serves itself, that is "},
    {stages_in_kernel,
     "a work-group's payload is sent directly; payload = staged is what programs on "
     "the host do"},
    {kernel_runs_runtime,
     "work-groups cannot run that runtime: ranks pass its messages, on the server's "
     "cores if there is a server; it takes initiator = host, or runtime = shmem"},
    {charm_is_direct,
     "entry methods of runtime = charm carry host data (payload = staged); GPU data go by "
     "runtime = messaging or channel"},
    {gpu_api_is_staged,
     "runtimes messaging and channel are for GPU data, payload = direct and heap = gpu; host data go "
     "by runtime = charm"},
    {stages_host_data,
     "payload = staged copies GPU data through host memory; with heap = host they are there"},
    {locks_in_host_memory,
     "locked = true keeps lines of the queue in the GPU's L2; it takes queue = gpu"},
    {locks_for_others,
     "locked = true keeps lines until a command processor has read them; it takes "},
    {copies_what_is_near,
     "gpu_queue_polling = runtime_call copies queues of GPU memory to the host; it takes queue = gpu and "},
    {marks_by_calls,
     "gpu_queue_polling = runtime_call marks by a call that is waited for; it takes marks = awaited"},
    {fences_contexts_together,
     "fence = by_context is lifted context by context; it takes completion = "
     "by_context"},
    {shares_without_server,
     "network_library and quiet_by are for servers of kernels; a process's runtime "
     "has its own: they stay at shared and counter"},
    {stages_on_gpu,
     "payload = staged takes data through the host's memory, for ranks on its cores; a command "
     "processor reaches GPU data where they lie, payload = direct"},
    {is_rank_of_nobody,
     "initiator = host with a server is a rank on the server's core; it takes a runtime of "
     "messages: runtime = charm, messaging, channel, ampi, charm4py, openmpi, spectrum or mvapich"},
    {has_queue_on_no_board, "command = nic is the memory of a SmartNIC's board; it takes "},
    {gathers_without_end,
     "coalesce_count takes a coalesce_timeout: the last puts would wait forever"},
    {waits_for_nobody, "coalesce_timeout and coalesce_size take a coalesce_count"},
    {copies_nothing, "copy_unroll is for copies by the work-group itself: it takes peer = stores"},
    {shares_nobodys_queue,
     "queue_sharers are work-groups that serve themselves, some to a queue; it takes network_library = per_thread and "},
    {sets_words_elsewhere,
     "a server is told to set words of its GPU; word_set_by = server takes heap = gpu"},
    {waits_on_others_places,
     "a place of a queue that work-groups share is another's as soon as it is done; shared_queues takes wait_on = read_index"},
    {takes_counts_each_round,
     "a counter is waited for, not taken; progress = each_round takes quiet_by = entries"},
    {has_no_own_signal,
     "a signal by an atomic or by a server is a command of its own; signal_by takes signal = after, nic_fence or quiet"},
    {signals_nobodys_server,
     "a server that stores signals takes messages from others; signal_by = server takes word_set_by = server"},
    {reserves_by_entries,
     "reserve = atomic is for a server or work-group that issues commands and waits "
     "for a counter of completions; it takes quiet_by = counter, completion = "
     "together, coalesce_count = 0 and no "},
    {stores_from_nowhere,
     "loads and stores between GPUs are a kernel's, into memory of GPUs; peer = stores takes "
     "initiator = kernel, node = discrete and heap = gpu"},
    {orders_triggers,
     "a trigger starts one command that was posted beforehand; it takes signal = with_put or chained, and no "
     "fence = nic_fence"},
    {orders_gathered, "a server writes gathered puts to memory, not in the order of a NIC's queue; "
                      "they take fence = quiet or by_context"},
    {triggers_elsewhere,
     "a trigger starts what the host has posted beforehand, from its own memory; it takes "
     "command = host"},
    {shares_triggers,
     "a trigger's counter and queue are a work-group's own; it takes network_library = "
     "per_thread"},
};

/* Axes that only a server who polls reads: without one they stay at their defaults. */
static const char *const of_poller[] = {
    "service_threads", "locked",   "polling_rounds",   "completion",  "marks",
    "poll_loop",       "wait_on",  "coalesce_count",   "word_set_by", "shared_queues",
    "room_by",         "progress", "take_instructions"};

/* Likewise those that only a kernel's requests read; first those that a coherent node settles. */
#define OF_NODE 2
static const char *const of_kernel[] = {"queue", "command", "order",       "signal",
                                        "fence", "reserve", "post_fences", "verb_instructions"};

static bool is_default(const struct param *axis, const struct design *design)
{
    struct design defaults;
    param_set_defaults(&design_params, &defaults);
    return param_compare(axis, design, &defaults) == 0;
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

/* The first of the axes that departs from its default, or NULL. */
static const struct param *first_set(const struct design *design, const char *const *names,
                                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct param *axis = param_find(&design_params, names[i]);
        if (!is_default(axis, design))
            return axis;
    }
    return NULL;
}

static bool poller_is_there(const struct design *design, GError **error)
{
    const struct param *axis = first_set(design, of_poller, G_N_ELEMENTS(of_poller));
    char text[UNIT_TEXT_SIZE], server[UNIT_TEXT_SIZE];
    if (design_has_poller(design) || axis == NULL)
        return true;
    return error_set(error, "%s = %s is for a server who polls; with %sserver = %s there is none",
                     axis->name, param_format(axis, design, text),
                     design->initiator == INITIATOR_HOST && design->server != NO_SERVER
                         ? "initiator = host, "
                         : "",
                     param_format(param_find(&design_params, "server"), design, server));
}

static bool kernel_is_there(const struct design *design, GError **error)
{
    size_t settled = design->form == NODE_APU ? OF_NODE : 0;
    const struct param *axis =
        first_set(design, of_kernel + settled, G_N_ELEMENTS(of_kernel) - settled);
    char text[UNIT_TEXT_SIZE];
    if (design->initiator != INITIATOR_HOST || axis == NULL)
        return true;
    return error_set(error,
                     "%s = %s is for what a kernel asks for; with initiator = host a process's "
                     "runtime has its own",
                     axis->name, param_format(axis, design, text));
}

/* Rules whose reason ends with the kinds of servers of which this holds. */
static const struct {
    bool (*is_broken)(const struct design *design);
    bool (*can)(const struct agent_kind *kind);
} asks_kinds[] = {
    {kernel_has_nobody, serves_itself},    {locks_for_others, frees_locked},
    {copies_what_is_near, calls_runtime},  {has_queue_on_no_board, is_on_board},
    {shares_nobodys_queue, serves_itself}, {reserves_by_entries, is_trigger},
};

/* " server = gpu_thread or gpu_warp" */
static void append_kinds(GString *text, bool (*can)(const struct agent_kind *kind))
{
    const char *before = "server = ";
    for (size_t i = 0; agent_kinds[i] != NULL; i++) {
        if (!can(agent_kinds[i]))
            continue;
        g_string_append_printf(text, "%s%s", before, agent_kinds[i]->name);
        before = " or ";
    }
}

static bool refuse(const struct design_rule *rule, GError **error)
{
    g_autoptr(GString) text = g_string_new(rule->reason);
    for (size_t i = 0; i < G_N_ELEMENTS(asks_kinds); i++)
        if (asks_kinds[i].is_broken == rule->is_broken)
            append_kinds(text, asks_kinds[i].can);
    return error_set(error, "%s", text->str);
}

bool design_valid(const struct design *design, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (!rules[i].is_broken(design))
            continue;
        return refuse(&rules[i], error);
    }
    return rank_has_core(design, error) && poller_is_there(design, error) &&
           kernel_is_there(design, error);
}
