/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/shmem.h"

#include "models/nic/nic_queue.h"

/* --- start and end ----------------------------------------------------------------------------- */

static bool is_reserved(const struct shmem_interface *interface)
{
    return interface->design->nic_queue.reserve == RESERVE_ATOMIC;
}

/* The turn of users that reserve places by an atomic: all places before it were announced. (issue_words: the next free place.) */
static address turn_word(const struct shmem_interface *interface)
{
    return interface->completion_words;
}

static void make_mutexes(struct shmem_interface *interface, struct cluster *cluster,
                         struct site *site, enum node_memory memory,
                         const struct mutex_stats *stats)
{
    address lines[4];
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        lines[i] = site_allocate(cluster, site, memory, CACHE_LINE_BYTES, STORE_COARSE_GRAINED);
    struct mutex mutex = {.scope = SCOPE_DEVICE, .software = interface->software, .stats = *stats};
    interface->issuing = interface->completing = mutex;
    interface->issuing.word = lines[0];
    interface->completing.word = lines[1];
    interface->issue_words = lines[2];
    interface->completion_words = lines[3];
}

void shmem_interface_init(struct shmem_interface *interface, struct cluster *cluster,
                          struct site *site, const struct design *design, uint64_t entries,
                          int64_t threads, enum node_memory agent_memory,
                          const struct mutex_stats *stats, uint64_t *contexts)
{
    check_always(threads >= 1 && (uint64_t)threads <= COOKIE_THREADS,
                 "%lld threads share an interface", (long long)threads);
    enum node_memory memory = (enum node_memory)design->nic_queue.memory;
    bool is_trigger = design_is_triggered(design); /* the work-group waits, a host thread posts */
    enum node_memory completion_memory =
        is_trigger ? (enum node_memory)design->queue.memory : memory;
    *interface = (struct shmem_interface){
        .observe = &cluster->sim->observe,
        .nic = site->nic,
        .software = software_of(cluster->spec, cluster->sim),
        .design = design,
        .entries = entries,
        .commands =
            site_allocate(cluster, site, memory, (int64_t)(entries * sizeof(struct nic_command)),
                          STORE_FINE_GRAINED),
        .completions =
            site_allocate(cluster, site, completion_memory,
                          (int64_t)(entries * sizeof(struct nic_completion)), STORE_FINE_GRAINED),
        .outstanding = g_new0(uint64_t, (gsize)threads),
        .threads = threads,
        .contexts = contexts,
    };
    interface->memory = site_store(cluster, site, completion_memory);
    interface->queue = nic_add_queue(interface->nic, interface->commands, interface->completions,
                                     (int64_t)entries);
    if (design->fence == FENCE_NIC || design->signal == SIGNAL_NIC_FENCE)
        nic_queue_set(interface->nic, interface->queue, NIC_QUEUE_IN_TURN);
    if (design->signal == SIGNAL_CHAINED)
        nic_queue_set(interface->nic, interface->queue, NIC_QUEUE_CHAINED);
    if (design->nic_queue.order == ORDER_QUEUE)
        nic_queue_set(interface->nic, interface->queue, NIC_QUEUE_ORDERED);
    if (threads > 1 || is_reserved(interface))
        make_mutexes(interface, cluster, site, agent_memory, stats);
}

/* --- what is shared ---------------------------------------------------------------------------- */

/* Whether a completion is taken by one thread, as an entry of an event queue is. A counter is only waited for, by any number of
 * threads. */
static bool takes_entries(const struct shmem_interface *interface)
{
    return interface->design->quiet_by != QUIET_BY_COUNTER ||
           interface->design->completion == COMPLETION_BY_CONTEXT;
}

/* Takes the mutex and reads the words that it guards. */
static void enter(struct shmem *shmem, struct mutex *mutex, address words)
{
    if (shmem->interface->threads == 1)
        return;
    mutex_lock(mutex, shmem->agent);
    agent_load_word(shmem->agent, words);
}

/* Writes the word that the mutex guards and unlocks the mutex. */
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
    struct shmem_interface *interface = shmem->interface;
    if (takes_entries(interface))
        enter(shmem, &interface->completing, interface->completion_words);
}

static void leave_completing(struct shmem *shmem)
{
    struct shmem_interface *interface = shmem->interface;
    if (!takes_entries(interface))
        return;
    update(shmem, interface->completion_words, interface->completed);
    leave(shmem, &interface->completing);
}

/* --- completions ------------------------------------------------------------------------------- */

/* The entry of the completion with number `index`, and the value that its valid word will have. */
static address completion_entry(const struct shmem_interface *interface, uint64_t index)
{
    return interface->completions + index % interface->entries * sizeof(struct nic_completion);
}

static uint64_t valid_value(const struct shmem_interface *interface, uint64_t index)
{
    return 1 - index / interface->entries % 2;
}

/* Counts the next completion, which has been seen. Its cookie arrived with its valid word, on the same line. */
static void count_completion(struct shmem_interface *interface)
{
    uint64_t cookie;
    store_read(interface->memory,
               completion_entry(interface, interface->completed) +
                   offsetof(struct nic_completion, cookie),
               &cookie, sizeof cookie);
    check_release(cookie_thread(cookie) < (uint64_t)interface->threads,
                  "a completion of an operation that nobody issued");
    uint64_t *of_thread = &interface->outstanding[cookie_thread(cookie)];
    uint64_t *of_context = &interface->contexts[cookie_context(cookie)];
    check_release(*of_thread > 0 && *of_context > 0, "more completions than operations");
    --*of_thread;
    --*of_context;
    interface->completed++;
}

static int64_t take_instructions(const struct shmem_interface *interface)
{
    return interface->design->take_instructions > 0
               ? interface->design->take_instructions
               : SOFTWARE_READ(interface->software, complete_instructions);
}

/* Waits until `count` operations of any thread are complete. Entries are written in order, so the valid word of the last one
 * stands for a counter that has reached `count`. */
static void wait_for_count(struct shmem *shmem, uint64_t count)
{
    struct shmem_interface *interface = shmem->interface;
    struct software software = interface->software;
    agent_wait_word(shmem->agent,
                    completion_entry(interface, count - 1) + offsetof(struct nic_completion, valid),
                    word_equals(valid_value(interface, count - 1)),
                    SOFTWARE_READ(software, poll_instructions), SCOPE_SYSTEM,
                    !SOFTWARE_READ(software, exact));
    agent_execute(shmem->agent, take_instructions(interface));
    while (interface->completed < count)
        count_completion(interface);
}

/* Waits until `count` operations are complete, in one wait or entry by entry. */
static void complete_up_to(struct shmem *shmem, uint64_t count)
{
    struct shmem_interface *interface = shmem->interface;
    if (interface->design->quiet_by == QUIET_BY_COUNTER)
        wait_for_count(shmem, count);
    while (interface->completed < count)
        wait_for_count(shmem, interface->completed + 1);
}

/* A counter does not tell whose operations are complete, so all that were issued until now have to be. In a shared event queue
 * later operations of other threads may complete before the thread's own. */
void shmem_quiet(struct shmem *shmem)
{
    struct shmem_interface *interface = shmem->interface;
    const uint64_t *outstanding = &interface->outstanding[shmem->thread];
    if (*outstanding > 0)
        process_sync(shmem->agent->process); /* other threads may have counted them meanwhile */
    if (*outstanding == 0)
        return;
    enter_completing(shmem);
    if (!takes_entries(interface))
        complete_up_to(shmem, interface->issued);
    while (*outstanding > 0)
        complete_up_to(shmem, interface->completed + *outstanding);
    leave_completing(shmem);
}

static bool look_for_completion(struct shmem *shmem)
{
    const struct shmem_interface *interface = shmem->interface;
    uint64_t index = interface->completed;
    if (index == interface->issued)
        return false;
    agent_execute(shmem->agent, SOFTWARE_READ(interface->software, poll_instructions));
    agent_acquire(shmem->agent, SCOPE_SYSTEM);
    address valid = completion_entry(interface, index) + offsetof(struct nic_completion, valid);
    return agent_load_word(shmem->agent, valid) == valid_value(interface, index);
}

void shmem_progress(struct shmem *shmem, int64_t most)
{
    struct shmem_interface *interface = shmem->interface;
    process_sync(shmem->agent->process); /* others count completions, too */
    if (interface->outstanding[shmem->thread] == 0)
        return;
    enter_completing(shmem);
    while (most-- > 0 && look_for_completion(shmem)) {
        agent_execute(shmem->agent, take_instructions(interface));
        count_completion(interface);
    }
    leave_completing(shmem);
}

/* --- issue ------------------------------------------------------------------------------------- */

static bool is_full(const struct shmem_interface *interface)
{
    return interface->issued - interface->completed == interface->entries;
}

/* Makes room for an eighth of the queue at a time, so that the mutex is not taken again for each place. */
static void make_room(struct shmem *shmem)
{
    const struct shmem_interface *interface = shmem->interface;
    if (is_full(interface))
        process_sync(shmem->agent->process); /* other threads may have made room meanwhile */
    if (!is_full(interface))
        return;
    enter_completing(shmem);
    uint64_t enough = (interface->entries + 7) / 8;
    if (interface->issued - interface->completed > interface->entries - enough)
        complete_up_to(shmem, interface->issued - interface->entries + enough);
    leave_completing(shmem);
}

static void count_issued(struct shmem *shmem, int64_t context)
{
    struct shmem_interface *interface = shmem->interface;
    interface->outstanding[shmem->thread]++;
    interface->contexts[context]++;
    interface->issued++;
}

static uint64_t whole_cookie(const struct shmem *shmem, int64_t context, uint64_t cookie)
{
    check_release((uint64_t)context < COOKIE_CONTEXTS && cookie < COOKIE_OPERATIONS,
                  "operation %llu of context %lld does not fit a cookie",
                  (unsigned long long)cookie, (long long)context);
    return cookie_make((uint64_t)shmem->thread, (uint64_t)context, cookie);
}

/* Writes the command into place `index` of the work queue. */
static void write_command(struct shmem *shmem, uint64_t index, const struct shmem_issue *issue)
{
    struct shmem_interface *interface = shmem->interface;
    struct nic_command marked = issue->command;
    marked.cookie = whole_cookie(shmem, issue->context, issue->command.cookie);
    if (shmem->is_fenced)
        marked.is_fenced = true;
    shmem->is_fenced = false;
    address place = interface->commands + index % interface->entries * sizeof marked;
    agent_store(shmem->agent, place, &marked, sizeof marked);
    count_issued(shmem, issue->context);
}

uint64_t shmem_count_nbi(struct shmem *shmem, int64_t context, uint64_t cookie)
{
    make_room(shmem);
    count_issued(shmem, context);
    return whole_cookie(shmem, context, cookie);
}

/* The releases that let the NIC see the commands, and the doorbell that announces `count` of them. */
static void announce(struct shmem *shmem, uint64_t count)
{
    struct shmem_interface *interface = shmem->interface;
    for (int64_t i = 0; i < shmem->design->nic_queue.fences; i++)
        agent_release(shmem->agent, SCOPE_SYSTEM);
    agent_store_word(shmem->agent, nic_doorbell(interface->nic, interface->queue), count);
}

/* Publishes the index of issued commands to other threads, then rings the doorbell. */
static void ring_doorbell(struct shmem *shmem)
{
    update(shmem, shmem->interface->issue_words, shmem->interface->issued);
    announce(shmem, shmem->interface->issued);
}

/* --- places by an atomic: reserve, write, order, ring --------------------------------------------- */

/* Reserves the next `count` places and waits until they are free; returns the first. */
static uint64_t reserve(struct shmem *shmem, uint64_t count)
{
    struct shmem_interface *interface = shmem->interface;
    uint64_t first = agent_atomic(shmem->agent, interface->issue_words, ATOMIC_ADD, count, 0);
    process_sync(shmem->agent->process); /* others count completions, too */
    while (first + count > interface->completed + interface->entries)
        complete_up_to(shmem, first + count - interface->entries);
    return first;
}

/* Waits for the turn of place `first`. A doorbell announces all earlier commands, so threads ring in order of places. */
static void wait_for_turn(struct shmem *shmem, uint64_t first)
{
    struct software software = shmem->interface->software;
    agent_wait_word(shmem->agent, turn_word(shmem->interface), word_equals(first),
                    SOFTWARE_READ(software, poll_instructions), SCOPE_DEVICE,
                    !SOFTWARE_READ(software, exact));
}

/* Rings the doorbell in the order of the places, with the thread's own fences. */
static void ring_in_turn(struct shmem *shmem, uint64_t first, size_t count)
{
    agent_release(shmem->agent, SCOPE_DEVICE);
    wait_for_turn(shmem, first);
    announce(shmem, first + count);
    agent_store_word(shmem->agent, turn_word(shmem->interface), first + count);
}

static void issue_reserved(struct shmem *shmem, const struct shmem_issue *issues, size_t count)
{
    uint64_t first = reserve(shmem, count);
    for (size_t i = 0; i < count; i++)
        write_command(shmem, first + i, &issues[i]);
    ring_in_turn(shmem, first, count);
}

/* Notes the mutex's stage of the commands. An interface with one thread takes no mutex and has no such stage. */
static void note_mutex(const struct shmem *shmem, const struct shmem_issue *issues, size_t count)
{
    if (shmem->interface->threads == 1)
        return;
    for (size_t i = 0; i < count; i++)
        observe_stage(shmem->interface->observe, issues[i].command.cookie, STAGE_MUTEX,
                      agent_now(shmem->agent));
}

static int64_t post_instructions(struct shmem_interface *interface,
                                 const struct nic_command *command)
{
    struct software software = interface->software;
    if (command->opcode == NIC_SEND && command->signal == 0)
        return SOFTWARE_READ(software, command_instructions);
    if (interface->design->verb_instructions > 0)
        return interface->design->verb_instructions;
    return SOFTWARE_READ(software, library_instructions);
}

/* Announced commands must have been written: before room is made, a doorbell announces the commands written so far. */
void shmem_issue_all_nbi(struct shmem *shmem, const struct shmem_issue *issues, size_t count)
{
    struct shmem_interface *interface = shmem->interface;
    agent_execute(shmem->agent, post_instructions(interface, &issues[0].command));
    if (is_reserved(interface)) {
        issue_reserved(shmem, issues, count);
        return;
    }
    enter(shmem, &interface->issuing, interface->issue_words);
    note_mutex(shmem, issues, count);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !design_serves_itself(interface->design))
            agent_execute(shmem->agent, SOFTWARE_READ(interface->software, command_instructions));
        if (i > 0 && is_full(interface))
            ring_doorbell(shmem);
        make_room(shmem);
        write_command(shmem, interface->issued, &issues[i]);
    }
    ring_doorbell(shmem);
    leave(shmem, &interface->issuing);
}

void shmem_issue_nbi(struct shmem *shmem, int64_t context, const struct nic_command *command)
{
    shmem_issue_all_nbi(shmem, &(struct shmem_issue){context, *command}, 1);
}

/* --- order --------------------------------------------------------------------------------------- */

static struct nic_command signal_of(const struct design *design, const struct nic_command *put)
{
    struct nic_command word = {.opcode = NIC_PUT_INLINE,
                               .is_fenced = design->signal == SIGNAL_NIC_FENCE,
                               .is_chained = design->signal == SIGNAL_CHAINED,
                               .remote_nic = put->remote_nic,
                               .remote_node = put->remote_node,
                               .local = put->signal_value,
                               .remote = put->signal,
                               .bytes = sizeof put->signal_value,
                               .cookie = put->cookie};
    if (design->signal_by == SIGNAL_BY_ATOMIC) {
        word.opcode = NIC_ATOMIC;
        word.atomic = ATOMIC_SWAP;
        word.operand = word.local;
        word.local = ADDRESS_NONE;
    } else if (design->signal_by == SIGNAL_BY_SERVER) {
        word.opcode = NIC_SEND;
        word.bytes = BUS_DATA_BYTES;
    }
    return word;
}

static bool has_signal(const struct nic_command *command)
{
    return (command->opcode == NIC_PUT || command->opcode == NIC_PUT_INLINE) &&
           command->signal != 0;
}

bool order_split(const struct design *design, struct nic_command *put, struct nic_command *word)
{
    if (!has_signal(put) || design->signal == SIGNAL_WITH_PUT)
        return false;
    *word = signal_of(design, put);
    put->signal = 0;
    return true;
}

void order_issue_nbi(struct shmem *shmem, int64_t context, const struct nic_command *command)
{
    const struct design *design = shmem->design;
    struct nic_command put = *command, word;
    if (!order_split(design, &put, &word)) {
        shmem_issue_nbi(shmem, context, command);
        return;
    }
    if (word.opcode == NIC_SEND)
        word.signal = shmem->self;
    if (design->signal == SIGNAL_QUIET) {
        shmem_issue_nbi(shmem, context, &put);
        shmem_quiet(shmem);
        shmem_issue_nbi(shmem, context, &word);
    } else {
        struct shmem_issue both[] = {{context, put}, {context, word}};
        shmem_issue_all_nbi(shmem, both, 2);
    }
}

bool order_fence(struct shmem *shmem)
{
    int64_t fence = shmem->design->fence;
    shmem->is_fenced = shmem->is_fenced || fence == FENCE_NIC;
    return fence == FENCE_NIC || fence == FENCE_ORDER;
}
