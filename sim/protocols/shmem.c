#include "protocols/shmem.h"

#include <glib.h>

#include "core/check.h"

/* The upper bits of a NIC's cookie say whose operation it is: 6 bits of thread, 16 of context. */
#define COOKIE_BITS 42
#define CONTEXT_BITS 16

/* --- start and end ----------------------------------------------------------------------------- */

static const struct store *memory_at(const struct cluster *cluster, int64_t node, address at)
{
    const struct node *here = &cluster->nodes[node];
    return address_slot(at) == SLOT_GPU ? gpu_memory(here->gpu)->store
                                        : host_directory(here->host)->store;
}

static void make_mutexes(struct shmem_interface *interface, struct cluster *cluster, int64_t node,
                         enum node_memory memory, const struct mutex_stats *stats)
{
    address lines[4];
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        lines[i] = node_allocate(cluster, node, memory, CACHE_LINE_BYTES, STORE_COARSE_GRAINED);
    struct mutex mutex = {.scope = SCOPE_DEVICE, .software = interface->software, .stats = *stats};
    interface->issuing = interface->completing = mutex;
    interface->issuing.word = lines[0];
    interface->completing.word = lines[1];
    interface->issue_words = lines[2];
    interface->completion_words = lines[3];
}

void shmem_interface_init(struct shmem_interface *interface, struct cluster *cluster, int64_t node,
                          enum node_memory memory, uint64_t entries, int64_t threads,
                          enum node_memory agent_memory, const struct mutex_stats *stats,
                          uint64_t *contexts)
{
    *interface = (struct shmem_interface){
        .nic = cluster->nodes[node].nic,
        .software = &cluster->spec->software,
        .entries = entries,
        .commands =
            node_allocate(cluster, node, memory, (int64_t)(entries * sizeof(struct nic_command)),
                          STORE_FINE_GRAINED),
        .completions =
            node_allocate(cluster, node, memory, (int64_t)(entries * sizeof(struct nic_completion)),
                          STORE_FINE_GRAINED),
        .outstanding = g_new0(uint64_t, (gsize)threads),
        .threads = threads,
        .contexts = contexts,
    };
    interface->memory = memory_at(cluster, node, interface->completions);
    interface->queue = nic_add_queue(interface->nic, interface->commands, interface->completions,
                                     (int64_t)entries);
    if (threads > 1)
        make_mutexes(interface, cluster, node, agent_memory, stats);
}

void shmem_interface_clear(struct shmem_interface *interface)
{
    g_free(interface->outstanding);
}

/* --- what is shared ---------------------------------------------------------------------------- */

/* Takes the mutex and reads what it guards. */
static void enter(struct shmem *shmem, struct mutex *mutex, address words)
{
    if (shmem->interface->threads == 1)
        return;
    mutex_lock(mutex, shmem->agent);
    agent_load_word(shmem->agent, words);
}

/* Writes what the mutex guards; gives the mutex back. */
static void update(struct shmem *shmem, address words, uint64_t word)
{
    if (shmem->interface->threads > 1)
        agent_store_word(shmem->agent, words, word);
}

static void leave(struct shmem *shmem, struct mutex *mutex)
{
    if (shmem->interface->threads > 1)
        mutex_unlock(mutex, shmem->agent);
}

static void enter_completing(struct shmem *shmem)
{
    enter(shmem, &shmem->interface->completing, shmem->interface->completion_words);
}

static void leave_completing(struct shmem *shmem)
{
    struct shmem_interface *interface = shmem->interface;
    update(shmem, interface->completion_words, interface->completed);
    leave(shmem, &interface->completing);
}

/* --- completions ------------------------------------------------------------------------------- */

static address next_completion(const struct shmem_interface *interface)
{
    return interface->completions +
           interface->completed % interface->entries * sizeof(struct nic_completion);
}

/* What the valid word of the next completion will be. */
static uint64_t next_valid(const struct shmem_interface *interface)
{
    return 1 - interface->completed / interface->entries % 2;
}

/* The next completion entry has been seen valid; its cookie has come with the word, on its line. */
static void count_completion(struct shmem *shmem)
{
    struct shmem_interface *interface = shmem->interface;
    uint64_t cookie;
    store_read(interface->memory,
               next_completion(interface) + offsetof(struct nic_completion, cookie), &cookie,
               sizeof cookie);
    agent_execute(shmem->agent, interface->software->complete_instructions);
    uint64_t whose = cookie >> COOKIE_BITS;
    uint64_t *of_thread = &interface->outstanding[whose >> CONTEXT_BITS];
    uint64_t *of_context = &interface->contexts[whose % (1 << CONTEXT_BITS)];
    check_release(*of_thread > 0 && *of_context > 0, "more completions than operations");
    --*of_thread;
    --*of_context;
    interface->completed++;
}

/* Waits for the next completion entry and takes it, whosever it is. */
static void take_completion(struct shmem *shmem)
{
    const struct shmem_interface *interface = shmem->interface;
    const struct software_spec *software = interface->software;
    agent_wait_word(
        shmem->agent, next_completion(interface) + offsetof(struct nic_completion, valid),
        next_valid(interface), software->poll_instructions, SCOPE_SYSTEM, software->skip_polls);
    count_completion(shmem);
}

static bool look_for_completion(struct shmem *shmem)
{
    const struct shmem_interface *interface = shmem->interface;
    if (interface->completed == interface->issued)
        return false;
    agent_execute(shmem->agent, interface->software->poll_instructions);
    agent_acquire(shmem->agent, SCOPE_SYSTEM);
    address valid = next_completion(interface) + offsetof(struct nic_completion, valid);
    return agent_load_word(shmem->agent, valid) == next_valid(interface);
}

void shmem_progress(struct shmem *shmem)
{
    if (shmem->interface->outstanding[shmem->thread] == 0)
        return;
    enter_completing(shmem);
    while (look_for_completion(shmem))
        count_completion(shmem);
    leave_completing(shmem);
}

void shmem_quiet(struct shmem *shmem)
{
    const uint64_t *outstanding = &shmem->interface->outstanding[shmem->thread];
    if (*outstanding == 0)
        return;
    enter_completing(shmem);
    while (*outstanding > 0)
        take_completion(shmem);
    leave_completing(shmem);
}

/* --- issue ------------------------------------------------------------------------------------- */

static bool is_full(const struct shmem_interface *interface)
{
    return interface->issued - interface->completed == interface->entries;
}

/* An eighth of the queue at a time, so that the mutex is not taken again at each place. */
static void make_room(struct shmem *shmem)
{
    const struct shmem_interface *interface = shmem->interface;
    if (!is_full(interface))
        return;
    enter_completing(shmem);
    uint64_t enough = (interface->entries + 7) / 8;
    while (interface->issued - interface->completed > interface->entries - enough)
        take_completion(shmem);
    leave_completing(shmem);
}

uint64_t shmem_cookie(uint64_t nic_cookie)
{
    return nic_cookie & ((UINT64_C(1) << COOKIE_BITS) - 1);
}

/* The command, the release that lets the NIC see it (and other threads the index), the doorbell. */
static void ring(struct shmem *shmem, int64_t context, const struct nic_command *command)
{
    struct shmem_interface *interface = shmem->interface;
    struct agent *agent = shmem->agent;
    struct nic_command marked = *command;
    uint64_t whose = (uint64_t)shmem->thread << CONTEXT_BITS | (uint64_t)context;
    marked.cookie |= whose << COOKIE_BITS;
    address place = interface->commands + interface->issued % interface->entries * sizeof marked;
    agent_store(agent, place, &marked, sizeof marked);
    interface->outstanding[shmem->thread]++;
    interface->contexts[context]++;
    interface->issued++;
    update(shmem, interface->issue_words, interface->issued);
    agent_release(agent, SCOPE_SYSTEM);
    agent_store_word(agent, nic_doorbell(interface->nic, interface->queue), interface->issued);
}

void shmem_issue_nbi(struct shmem *shmem, int64_t context, const struct nic_command *command)
{
    struct shmem_interface *interface = shmem->interface;
    const struct software_spec *software = interface->software;
    agent_execute(shmem->agent, command->opcode == NIC_GET ? software->get_instructions
                                                           : software->put_instructions);
    enter(shmem, &interface->issuing, interface->issue_words);
    make_room(shmem);
    ring(shmem, context, command);
    leave(shmem, &interface->issuing);
}
