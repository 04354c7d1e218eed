/* SPDX-License-Identifier: BSD-3-Clause */
/* The axes of designs, and the named designs of this program. views/rules.lua says which axes go together. */
#include "protocols/design.h"

#include <stdio.h>
#include <string.h>

#include "core/param_instance.h"

/* --- axes --------------------------------------------------------------------------------------- */

/* The names of NO_SERVER and of all kinds of agents. */
#define NAME_OF_KIND(name) #name,
static const char *const design_servers[] = {"none", AGENT_KINDS(NAME_OF_KIND) NULL};
#undef NAME_OF_KIND
static const char *const memories[] = {"host", "gpu", NULL}; /* enum node_memory */

#define RUNTIMES_MOST 32
static const char *runtimes[RUNTIMES_MOST + 1] = {"none",    "shmem", "charm",   "messaging",
                                                  "channel", "ampi",  "charm4py"};

bool design_add_runtime(const char *name, GError **error)
{
    return param_choices_add(runtimes, RUNTIMES_MOST, name, error);
}

const char *design_runtime_name(const struct design *design)
{
    return runtimes[design->runtime];
}

#define SPEC struct design

static const struct param axes[] = {
    PARAM_ENUM(
        initiator, SPEC, "kernel", CHOICES("host", "kernel"),
        "Who starts a transfer: a process (a rank), or a work-group within its kernel, which with "
        "server = nic_trigger pulls a trigger."),
    PARAM_ENUM(server, SPEC, "host_thread", design_servers,
               "Who serves transfers. none: the process that starts them, on a CPU core; "
               "initiator: the work-group. A process with a server runs on a core of that kind"
               " itself."),
    PARAM_COUNT(service_threads, SPEC, "1", "1", "64", "Threads of the server on each node."),
    PARAM_ENUM(node, SPEC, "discrete", CHOICES("discrete", "coherent"),
               "The GPU has memory of its own on the bus, or shares the host's coherently (APU)."),
    PARAM_ENUM(queue.memory, SPEC, "gpu", memories,
               "Memory of the queues between work-groups and server."),
    PARAM_COUNT(
        queue.count, SPEC, "0", "0", "1024",
        "Number of queues between the work-groups of a GPU and its server, which the work-groups share: each reserves a place by "
        "an atomic on a queue's index, and waits by reading the queue's read index. 0: each work-group has its own."),
    PARAM_FLAG(
        queue.locked, SPEC, "true",
        "Lines of queues stay in the GPU's L2 until the command processor has read them, where "
        "the GPU can do that (gpu.l2_locking)."),
    PARAM_ENUM(
        queue.room_by, SPEC, "copy", CHOICES("copy", "read_index"),
        "How a work-group learns whether its queue has room for a request: from a copy of the read index, or by reading that index each time."),
    PARAM_ENUM(
        queue.polling, SPEC, "loads", CHOICES("loads", "runtime_call"),
        "A CPU thread polls queues in the memory of a GPU on the bus by loads, or copies their next "
        "entries to host memory by a call of the GPU's runtime, all at once."),
    PARAM_ENUM(
        queue.wait_on, SPEC, "entries", CHOICES("entries", "read_index"),
        "What a waiting work-group polls: the status of all its pending entries, or its queue's read index, which is all that a "
        "shared queue (queue.count) has."),
    PARAM_ENUM(nic_queue.memory, SPEC, "host", CHOICES("host", "gpu", "nic"),
               "Memory of the NIC's work and completion queues; nic: on the board of a SmartNIC."),
    PARAM_COUNT(
        nic_queue.sharers, SPEC, "0", "0", "1024",
        "Number of service threads, or of work-groups that post to the NIC themselves, that share one interface to the NIC, guarded by mutexes; "
        "0: all of them."),
    PARAM_ENUM(
        nic_queue.reserve, SPEC, "mutex", CHOICES("mutex", "atomic"),
        "How users of one NIC queue reserve a slot for a command: under a mutex, which they hold until the doorbell; or by an atomic on the queue's index, after which they ring the doorbell in turn."),
    PARAM_ENUM(nic_queue.order, SPEC, "none", CHOICES("none", "queue"),
               "Commands of one NIC queue to one node are carried out there as soon as "
               "possible, or in the queue's order: a command that arrives early waits at the "
               "receiver."),
    PARAM_COUNT(nic_queue.fences, SPEC, "1", "1", "64",
                "Releases to the system scope after a command is in its queue, until the post "
                "returns: at least the one before the doorbell."),
    PARAM_ENUM(heap, SPEC, "gpu", memories,
               "Memory of the symmetric heap, which holds payloads. For processes that pass "
               "messages: memory of their data, on which the GPU or, in host memory, the CPU's"
               " cores work."),
    PARAM_ENUM(payload, SPEC, "direct", CHOICES("direct", "staged"),
               "GPU data are sent directly, or the program first copies them to host memory."),
    PARAM_ENUM(
        runtime, SPEC, "shmem", runtimes,
        "The software that carries out transfers, with its costs. shmem: one side names the other's memory "
        "(put and get); all others: a send matches a receive."),
    PARAM_COUNT(polling_rounds, SPEC, "8", "1", "1000000",
                "Rounds over its queues that a service thread polls before it completes the "
                "pending blocking operations."),
    PARAM_ENUM(completion, SPEC, "together", CHOICES("together", "by_context"),
               "After its polling rounds, a service thread waits for everything that it has "
               "issued and marks all blocking operations, or it marks those whose context has "
               "nothing pending."),
    PARAM_ENUM(
        marks, SPEC, "awaited", CHOICES("awaited", "asynchronous"),
        "A server marks a request as done by a store to its status word. awaited: it goes on when the work-group can see the mark; asynchronous: while the mark is in flight."),
    PARAM_ENUM(fence, SPEC, "quiet", CHOICES("quiet", "by_context", "order", "nic_fence"),
               "At a fence, the server waits for everything that it has issued; or later "
               "commands of the same context are held back; or the queue's order suffices; or "
               "the next command carries a flag, and the NIC waits until the commands before "
               "it are complete."),
    PARAM_ENUM(signal, SPEC, "with_put",
               CHOICES("with_put", "after", "nic_fence", "quiet", "chained"),
               "The signal after a put's payload: written by the NIC with the put; or a "
               "command of its own, which comes right after the put, carries the NIC's fence "
               "flag, follows a quiet, or is chained: the end of the put triggers it in the "
               "NIC."),
    PARAM_ENUM(
        peer, SPEC, "nic", CHOICES("nic", "work_group", "server", "peer_copy", "copy_engine"),
        "Who moves data to and from other GPUs of the same node: the NIC, as to other nodes; the work-group, or the server, by loads and stores over the link between the GPUs; or a host thread by the GPU's copy engine, waiting for each copy (peer_copy) or going on meanwhile (copy_engine)."),
    PARAM_ENUM(
        quiet_by, SPEC, "counter", CHOICES("counter", "entries", "each_round"),
        "How a quiet waits: for a counter of completions, or by taking completion entries one by one; with each_round a server also takes one in "
        "each round over its queues."),
    PARAM_COUNT(
        copy_unroll, SPEC, "1", "1", "64",
        "Vector loads that each lane keeps in flight when a work-group, or a server's wavefront, "
        "copies to or from another GPU (peer = work_group or server)."),
    PARAM_COUNT(verb_instructions, SPEC, "0", "0", "1000000",
                "Instructions per put or get of whoever writes the NIC's queue, the work-group "
                "itself or a server; 0: those of the library (software)."),
    PARAM_ENUM(
        word_set_by, SPEC, "nic", CHOICES("nic", "server"),
        "Who stores a word that is set without a payload, such as a signal on its own: the receiver's NIC; or the server there, which receives a message, loads the word, stores it and answers."),
    PARAM_ENUM(
        signal_by, SPEC, "put", CHOICES("put", "atomic", "server"),
        "How a signal that is a command of its own is stored: by a put of its value, by an atomic of the receiver's NIC, or by "
        "the server there after a message."),
    PARAM_COUNT(
        take_instructions, SPEC, "0", "0", "1000000",
        "Instructions of a server to take one completion, in addition to the poll that finds it; 0: those of the library (software.complete_instructions)."),
    PARAM_ENUM(
        poll_loop, SPEC, "single", CHOICES("single", "unrolled", "ahead"),
        "How many queues a server polls after one acquire: one; as many as it keeps loads in flight (unrolled); or one, while an out-of-order CPU core already fetches the lines of the next queues (ahead). In a wavefront, each lane polls one queue."),
    PARAM_COUNT(coalesce.count, SPEC, "0", "0", "65536",
                "Puts to one node that the server gathers into one message, which a server "
                "there unpacks; 0: puts are not gathered."),
    PARAM_BYTES(coalesce.size, SPEC, "0B", "0B", "1MiB",
                "Size of a message of gathered puts; a put that does not fit is sent alone. 0: "
                "room for coalesce.count puts of a line."),
    PARAM_TIME(coalesce.timeout, SPEC, "10us", "1ns", "1ms",
               "Longest time for which a put waits to be gathered with others."),
};
#undef SPEC
PARAM_TABLE(design_params, "design", struct design, axes,
            "The axes of a design: who starts and who serves transfers, where queues and "
            "data lie, how the sides agree.");

/* --- what follows from the axes ------------------------------------------------------------------ */

bool design_is_triggered(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    return kind != NULL && kind->is_trigger;
}

bool design_serves_itself(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    return kind != NULL && kind->is_initiator && !kind->is_trigger;
}

int64_t design_nic_queue_sharers(const struct design *design, int64_t users)
{
    if (design_is_triggered(design))
        return 1;
    return design->nic_queue.sharers > 0 ? design->nic_queue.sharers : users;
}

bool design_has_poller(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    return design->initiator != INITIATOR_HOST && kind != NULL && !kind->is_initiator;
}

/* Whether the server is within the GPU, as work-groups that serve themselves are, too. */
static bool is_within_gpu(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    return kind != NULL && (kind->is_initiator || kind->memory == MEMORY_GPU);
}

enum memory_scope design_scope(const struct design *design)
{
    bool is_there = is_within_gpu(design) && design->queue.memory == MEMORY_GPU;
    return is_there ? SCOPE_DEVICE : SCOPE_SYSTEM;
}

static design_rules *rules; /* NULL: none */

void design_set_rules(design_rules *is_valid)
{
    rules = is_valid;
}

bool design_valid(const struct design *design, GError **error)
{
    return rules == NULL || rules(design, error);
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
