/* SPDX-License-Identifier: BSD-3-Clause */
/* The axes of designs, and the named designs of this program. design_rules.c says which axes go together. */
#include "protocols/design.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"

/* --- axes --------------------------------------------------------------------------------------- */

static const char *const initiators[] = {"host", "kernel", "trigger", NULL};

/* In the order of enum design_server. */
#define NAME_OF_KIND(capitals, name) #name,
static const char *const design_servers[] = {"none", AGENT_KINDS(NAME_OF_KIND) NULL};
#undef NAME_OF_KIND
static const char *const nodes[] = {"discrete", "coherent", NULL};
static const char *const memories[] = {"host", "gpu", NULL}; /* enum node_memory */
static const char *const command_memories[] = {"host", "gpu", "nic", NULL};
static const char *const locked[] = {"auto", "true", "false", NULL};
static const char *const payloads[] = {"direct", "staged", NULL};
static const char *const agreements[] = {"put_get", "send_receive", NULL};
static const char *const runtimes[] = {"none",     "shmem",   "charm",    "messaging",
                                       "channel",  "ampi",    "charm4py", "openmpi",
                                       "spectrum", "mvapich", NULL};
static const char *const completions[] = {"together", "by_context", NULL};
static const char *const fences[] = {"quiet", "by_context", "order", "nic_fence", NULL};
static const char *const marks[] = {"awaited", "asynchronous", NULL};
static const char *const orders[] = {"none", "queue", NULL};
static const char *const reserves[] = {"mutex", "atomic", NULL};
static const char *const signals[] = {"with_put", "after", "nic_fence", "quiet", "chained", NULL};
static const char *const quiets[] = {"counter", "entries", NULL};
static const char *const libraries[] = {"per_thread", "shared", NULL};
static const char *const peers[] = {"as_others", "stores", NULL};
static const char *const words_set_by[] = {"nic", "server", NULL};
static const char *const signals_by[] = {"put", "atomic", "server", NULL};
static const char *const rooms_by[] = {"copy", "read_index", NULL};
static const char *const progresses[] = {"asked", "each_round", NULL};
static const char *const pollings[] = {"loads", "runtime_call", NULL};

static const char *const poll_loops[] = {"single", "unrolled", "ahead", NULL};
static const char *const waits_on[] = {"entries", "read_index", NULL};

#define SPEC struct design

/* An axis whose field has another name. */
#define AXIS(name, field, default_text, choices, description)                                      \
    {                                                                                              \
        name, PARAM_CHOICE, UNIT_COUNT, offsetof(SPEC, field), default_text, NULL, NULL, choices,  \
            description, NULL                                                                      \
    }

static const struct param axes[] = {
    PARAM_ENUM(
        initiator, SPEC, "kernel", initiators,
        "Who starts a transfer: a process (a rank), a work-group within its kernel, or a trigger that "
        "the work-group pulls."),
    PARAM_ENUM(
        server, SPEC, "host_thread", design_servers,
        "Who serves what was started. none: the process that starts it, on a CPU core; initiator: the "
        "work-group. A process with a server runs on a core of that kind itself."),
    PARAM_COUNT(service_threads, SPEC, "1", "1", "64", "Threads of the server on each node."),
    AXIS("node", form, "discrete", nodes,
         "The GPU has memory of its own on the bus, or shares the host's coherently (APU)."),
    AXIS("queue", queue_memory, "gpu", memories,
         "Memory of the queues between work-groups and server."),
    PARAM_COUNT(
        shared_queues, SPEC, "0", "0", "1024",
        "So many queues between the work-groups of a GPU and its server, which they share: each finds a place by an atomic "
        "on a queue's index; 0: each work-group has its own."),
    AXIS("command", nic_memory, "host", command_memories,
         "Memory of the NIC's work and completion queues; nic: on the board of a SmartNIC."),
    AXIS(
        "heap", heap_memory, "gpu", memories,
        "Memory of the symmetric heap, that is of payloads; of processes that pass messages, their data's, which the "
        "GPU or, in host memory, the CPU's cores work on."),
    PARAM_ENUM(
        locked, SPEC, "auto", locked,
        "Lines of queues stay in the GPU's L2 until the command processor has read them. auto: where "
        "the GPU can (gpu.l2_locking)."),
    PARAM_ENUM(
        payload, SPEC, "direct", payloads,
        "GPU data go from where they lie, or through a copy of the program's in host memory."),
    PARAM_ENUM(
        agreement, SPEC, "put_get", agreements,
        "What the two sides agree on: one names the other's memory, or a send meets a receive."),
    PARAM_ENUM(runtime, SPEC, "shmem", runtimes,
               "Whose software carries it out, and at whose costs."),
    PARAM_COUNT(
        polling_rounds, SPEC, "8", "1", "1000000",
        "Rounds over its queues that a service thread polls before it completes the blocking "
        "operations under way."),
    PARAM_ENUM(
        completion, SPEC, "together", completions,
        "After its polling rounds a service thread waits for all that it has issued and marks all "
        "blocking operations, or marks those whose context has nothing under way."),
    PARAM_ENUM(
        marks, SPEC, "awaited", marks,
        "A server that has answered waits until its marks are where work-groups see them, or "
        "goes on while they are on their way."),
    PARAM_ENUM(
        fence, SPEC, "quiet", fences,
        "A fence lets who serves wait for all that he has issued; holds back what comes behind it in the "
        "same context; relies on the queue's order; or is a flag of the next command, for which the NIC "
        "waits until those before it are complete."),
    PARAM_ENUM(
        order, SPEC, "none", orders,
        "Commands of one queue of the NIC to one node are carried out there each as soon as it can be, or "
        "in the queue's order: what comes early waits at the receiver."),
    PARAM_ENUM(
        signal, SPEC, "with_put", signals,
        "The signal behind a put's payload: written by the NIC with the put; or a command of its own, "
        "right after the put, with the NIC's fence flag, after a quiet, or chained: triggered in the NIC by the "
        "end of the put."),
    PARAM_ENUM(
        peer, SPEC, "as_others", peers,
        "Puts, gets and atomics to a GPU of the same node go as to all others, or by loads and stores of the "
        "work-group itself over what joins the GPUs."),
    PARAM_ENUM(
        quiet_by, SPEC, "counter", quiets,
        "The library waits for a counter of completions, or takes completion entries one by one."),
    PARAM_ENUM(
        network_library, SPEC, "shared", libraries,
        "Several service threads have an interface to the NIC each, or share one, guarded by "
        "mutexes."),
    PARAM_ENUM(
        reserve, SPEC, "mutex", reserves,
        "Users of one queue of the NIC find a place for a command behind a mutex, held until the "
        "doorbell, or by an atomic on its index, and ring in turn."),
    PARAM_COUNT(
        copy_unroll, SPEC, "1", "1", "64",
        "Vector loads that each lane of a work-group's copy to or from another GPU keeps under way "
        "(peer = \"stores\")."),
    PARAM_COUNT(
        queue_sharers, SPEC, "1", "1", "1024",
        "Work-groups that serve themselves and share a queue of the NIC, such as those that stand for "
        "the warps of a block."),
    PARAM_COUNT(
        post_fences, SPEC, "1", "1", "64",
        "Releases to the system between a command in its queue and the return of who posts it: at least "
        "that before the doorbell."),
    PARAM_COUNT(
        verb_instructions, SPEC, "0", "0", "1000000",
        "Instructions of who writes the NIC's queue, the work-group itself or a server, a put or get; 0: as the library's "
        "(software)."),
    PARAM_ENUM(
        word_set_by, SPEC, "nic", words_set_by,
        "A word that is set without a payload, such as a signal by itself, is stored by the receiver's NIC, "
        "or by the server there, which takes a message, loads the word, stores it and answers."),
    PARAM_ENUM(
        signal_by, SPEC, "put", signals_by,
        "A signal that is a command of its own: a put of its value, an atomic of the receiver's NIC, or a message to the server "
        "there, as words are set (word_set_by)."),
    PARAM_ENUM(
        room_by, SPEC, "copy", rooms_by,
        "A work-group that posts knows the room of its queue by a copy of the read index, or reads that index each time."),
    PARAM_ENUM(
        progress, SPEC, "asked", progresses,
        "A server takes completions when somebody waits for them or the NIC's queue is full, or besides one in each "
        "round over its queues."),
    PARAM_COUNT(
        take_instructions, SPEC, "0", "0", "1000000",
        "Instructions of a server that takes one completion, beside its look; 0: as the library "
        "(software.complete_instructions)."),
    PARAM_ENUM(
        gpu_queue_polling, SPEC, "loads", pollings,
        "A CPU thread polls queues in the memory of a GPU on the bus by loads, or copies their next "
        "entries to host memory by a call of the GPU's runtime, all at once."),
    PARAM_ENUM(
        poll_loop, SPEC, "single", poll_loops,
        "A server looks at one queue behind one acquire, or at as many as it keeps loads under way; "
        "ahead: at one, while a CPU core out of order fetches the lines of the next ones. Wavefronts "
        "look at a queue a lane."),
    PARAM_ENUM(
        wait_on, SPEC, "entries", waits_on,
        "A work-group that waits polls the status of all its pending entries, or the read index."),
    PARAM_COUNT(
        coalesce_count, SPEC, "0", "0", "65536",
        "Puts to one node that the server gathers and sends as one message, which a server there unpacks; 0: "
        "each on its own."),
    PARAM_BYTES(
        coalesce_size, SPEC, "0B", "0B", "1MiB",
        "Size of a message of gathered puts; a put that does not fit goes on its own. 0: room for "
        "coalesce_count puts of a line."),
    PARAM_TIME(coalesce_timeout, SPEC, "0s", "0s", "1ms",
               "No put waits longer than this for others."),
};
#undef SPEC
PARAM_TABLE(design_params, "design", struct design, axes,
            "The axes of a design: who starts, who serves, where things lie, what is agreed on.");

/* --- what follows from the axes ------------------------------------------------------------------ */

const struct agent_kind *design_server_kind(const struct design *design)
{
    return design->server != SERVER_NONE ? agent_kinds[design->server - SERVER_NONE - 1] : NULL;
}

bool design_has_poller(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    return design->initiator != INITIATOR_HOST && kind != NULL && !kind->is_initiator;
}

/* Work-groups that serve themselves are there, too. */
static bool is_within_gpu(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    return kind != NULL && (kind->is_initiator || kind->memory == MEMORY_GPU);
}

enum memory_scope design_scope(const struct design *design)
{
    bool is_there = is_within_gpu(design) && design->queue_memory == MEMORY_GPU;
    return is_there ? SCOPE_DEVICE : SCOPE_SYSTEM;
}

bool design_is_of_cpu(const struct design *design)
{
    return design->initiator == INITIATOR_HOST && design->form == NODE_DISCRETE &&
           design->heap_memory == MEMORY_HOST;
}

/* --- named designs ------------------------------------------------------------------------------ */

static struct {
    struct named_design *named;
    size_t count;
} known;

void named_design_clear(struct named_design *named)
{
    g_free(named->name);
    g_free(named->label);
    g_free(named->description);
    g_free(named->source);
    for (size_t i = 0; named->axis_sources != NULL && i < design_params.count; i++)
        g_free(named->axis_sources[i]);
    g_free(named->axis_sources);
}

void designs_set(struct named_design *named, size_t count)
{
    for (size_t i = 0; i < known.count; i++)
        named_design_clear(&known.named[i]);
    g_free(known.named);
    known.named = named;
    known.count = count;
    for (size_t i = 0; i < count; i++)
        named[i].design.base = (int64_t)i + 1;
}

size_t designs_count(void)
{
    return known.count;
}

const struct named_design *designs_at(size_t number)
{
    check_always(number < known.count, "there is no design %zu", number);
    return &known.named[number];
}

const struct design *design_named(const char *name)
{
    for (size_t i = 0; i < known.count; i++)
        if (strcmp(known.named[i].name, name) == 0)
            return &known.named[i].design;
    return NULL;
}

static const char *record_name(size_t number)
{
    return designs_at(number)->name;
}

static const void *record_value(size_t number)
{
    return &designs_at(number)->design;
}

static bool record_valid(const void *value, GError **error)
{
    return design_valid(value, error);
}

const struct param_record design_record = {
    .table = &design_params,
    .base_offset = offsetof(struct design, base),
    .count = designs_count,
    .name = record_name,
    .value = record_value,
    .file = "configs/designs.lua",
    .valid = record_valid,
};

char *design_text(const struct design *design, char *text)
{
    return param_record_format(&design_record, design, false, text);
}
