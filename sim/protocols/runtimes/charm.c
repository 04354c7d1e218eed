/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/runtimes/charm.h"

#include "protocols/runtimes/messenger.h"

/* ParCo22, section 3.1: bits of a GPU Messaging tag for the sends of a PE (P-C08), and of a Channel tag for the channel (P-C09). */
#define TAG_COUNTER_BITS 28
#define CHANNEL_ID_BITS 28

/* Receives that are posted in advance for host messages (Charm++, machine layer ucx). */
#define POSTED_RECEIVES 64

PARAM_TABLE_OF(charm_params, "charm", struct charm_spec, CHARM_ROWS,
               "Charm++ in its non-SMP build.");

/* The registration cache knows the receive buffers of eager messages, and blocks of the heap whose pages are already in use; it
 * does not know fresh pages. */
enum { HEAP_BLOCK_ID = 0x7fffff00 };

struct charm_message {
    struct list_link link; /* of a PE */
    charm_entry *entry;
    void *content;
    int64_t allocated_bytes; /* on the heap of the PE that holds the message */
    uint64_t operation;      /* the operation that the message belongs to (cpu_work_for) */
    bool is_own; /* of the PE to itself: charm.callback, its whole cost, has been spent */
};

/* An event of HAPI. */
struct charm_gpu_event {
    struct list_link link; /* of a PE */
    struct cuda_completion recorded;
    charm_entry *entry;
    void *content;
    uint64_t operation;
};

/* The machine layer's record of a device transfer. */
struct transfer_record {
    struct charm_pe *pe;
    charm_device_done *done;
    void *argument;
};

static void note_stats(struct charm *charm)
{
    struct stat_registry *stats = charm->job->sim->stats;
    charm->sent = stat_counter_new(stats, "charm",
                                   STAT("messages_sent", "1", "host messages sent to other PEs"));
    charm->invoked = stat_counter_new(
        stats, "charm",
        STAT("entries_invoked", "1", "entry methods and callbacks that schedulers have invoked"));
    charm->callbacks = stat_counter_new(stats, "charm", STAT("callbacks", "1", "callbacks made"));
    charm->gpu_callbacks = stat_counter_new(
        stats, "charm", STAT("gpu_callbacks", "1", "callbacks for work of the GPU (HAPI)"));
}

struct charm *charm_new(struct runtime *runtime, void *owner)
{
    struct job *job = runtime->job;
    struct charm *charm = runtime->charm = g_new0(struct charm, 1);
    charm->owner = owner;
    charm->job = job;
    charm->spec = machine_part(job->spec, &charm_params);
    charm->used = param_use_of(&job->sim->uses, &charm_params);
    charm->ucx = runtime->ucx = ucx_new(job, &ucx_params);
    note_stats(charm);
    charm->pes = g_new0(struct charm_pe, (gsize)job->count);
    pool_init(&charm->messages, sizeof(struct charm_message));
    pool_init(&charm->transfers, sizeof(struct transfer_record));
    pool_init(&charm->gpu_events, sizeof(struct charm_gpu_event));
    for (int32_t rank = 0; rank < job->count; rank++)
        charm->pes[rank] = (struct charm_pe){.charm = charm,
                                             .process = &job->processes[rank],
                                             .worker = ucx_worker(charm->ucx, rank)};
    return charm;
}

void charm_free(struct charm *charm)
{
    if (charm == NULL)
        return;
    ucx_free(charm->ucx);
    pool_clear(&charm->transfers);
    pool_clear(&charm->gpu_events);
    pool_clear(&charm->messages);
    g_free(charm->pes);
    g_free(charm);
}

/* --- messages ---------------------------------------------------------------------------------- */

struct block charm_allocate_message(struct charm_pe *pe, int64_t bytes)
{
    bool is_fresh = job_allocate(pe->process, bytes);
    return job_host_block(pe->process, BLOCK_PAGEABLE, is_fresh ? 0 : HEAP_BLOCK_ID, bytes);
}

static void push(struct charm_pe *pe, struct charm_message *message)
{
    list_append(&pe->arrived, &message->link);
}

static struct charm_message *pop(struct charm_pe *pe)
{
    return LIST_TAKE(&pe->arrived, struct charm_message, link);
}

static struct charm_message *message_new(struct charm_pe *pe, charm_entry *entry, void *content,
                                         int64_t bytes)
{
    struct charm_message *message = pool_take(&pe->charm->messages);
    message->entry = entry;
    message->content = content;
    message->allocated_bytes = bytes;
    message->operation = pe->process->cpu.operation;
    message->is_own = false;
    return message;
}

static void message_sent(const struct ucx_result *result, void *argument)
{
    struct charm_pe *pe = argument;
    job_free_memory(pe->process, result->bytes);
}

static uint64_t typed_tag(enum charm_tag_type type)
{
    return (uint64_t)type << (64 - CHARM_TAG_TYPE_BITS);
}

static struct block message_block(struct charm_pe *pe, int64_t bytes, bool is_pooled)
{
    if (is_pooled)
        return job_host_block(pe->process, BLOCK_PAGEABLE, HEAP_BLOCK_ID, bytes);
    return charm_allocate_message(pe, bytes);
}

void charm_send(struct charm_pe *pe, int32_t to, const struct charm_call *call)
{
    const struct charm *charm = pe->charm;
    int64_t bytes = CHARM_READ(charm, header_bytes) + call->payload_bytes;
    if (call->has_device)
        bytes += CHARM_DEVICE_METADATA_BYTES;
    bool is_own = to == pe->process->rank;
    charm_spend(pe, is_own ? CPU_CALLBACK : CPU_PACK,
                is_own ? CHARM_READ(charm, callback_ps) : CHARM_READ(charm, pack_ps));
    struct block block = message_block(pe, bytes, call->is_pooled);
    if (call->payload_bytes > 0)
        job_copy(pe->process, call->payload_bytes);
    struct charm_message *message =
        message_new(pe, call->entry, call->content, call->is_pooled ? 0 : bytes);
    if (is_own) {
        message->is_own = true;
        push(pe, message);
        return;
    }
    stat_count(pe->charm->sent, 1);
    uint64_t tag = typed_tag(bytes <= CHARM_EAGER_BYTES ? CHARM_TAG_EAGER : CHARM_TAG_PROBE);
    ucx_tag_send(pe->worker, to, block, tag, message, call->is_pooled ? NULL : message_sent, pe);
}

void charm_enqueue(struct charm_pe *pe, charm_entry *entry, void *content)
{
    push(pe, message_new(pe, entry, content, 0));
}

void charm_callback(struct charm_pe *pe, charm_entry *entry, void *content)
{
    charm_spend(pe, CPU_CALLBACK, CHARM_READ(pe->charm, callback_ps));
    cpu_stage(&pe->process->cpu, STAGE_CALLBACK);
    stat_count(pe->charm->callbacks, 1);
    charm_enqueue(pe, entry, content);
    LIST_LAST(&pe->arrived, struct charm_message, link)->is_own = true;
}

/* --- arrivals ---------------------------------------------------------------------------------- */

static void post_eager(struct charm_pe *pe);

static void arrived(struct charm_pe *pe, const struct ucx_result *result, int64_t allocated_bytes)
{
    struct charm_message *message = result->content;
    message->allocated_bytes = allocated_bytes;
    push(pe, message);
}

static void eager_arrived(const struct ucx_result *result, void *argument)
{
    struct charm_pe *pe = argument;
    pe->new_receives -=
        pe->new_receives > 0; /* the receive that was posted first is matched first */
    arrived(pe, result, CHARM_EAGER_BYTES);
    post_eager(pe);
}

static void large_arrived(const struct ucx_result *result, void *argument)
{
    arrived(argument, result, result->bytes);
}

static void post_eager(struct charm_pe *pe)
{
    struct block buffer = charm_allocate_message(pe, CHARM_EAGER_BYTES);
    pe->new_receives += buffer.id == 0;
    ucx_tag_receive(pe->worker, buffer, typed_tag(CHARM_TAG_EAGER), eager_arrived, pe);
}

void charm_pe_start(struct charm_pe *pe)
{
    if (pe->is_started)
        return;
    pe->is_started = true;
    for (int64_t i = 0; i < POSTED_RECEIVES; i++)
        post_eager(pe);
}

static bool probe(struct charm_pe *pe)
{
    struct ucx_result found;
    uint64_t tag = typed_tag(CHARM_TAG_PROBE);
    if (!ucx_tag_probe(pe->worker, tag, &found))
        return false;
    charm_spend(pe, CPU_LIBRARY, CHARM_READ(pe->charm, probe_ps));
    ucx_tag_receive_probed(pe->worker, charm_allocate_message(pe, found.bytes), tag, large_arrived,
                           pe);
    return true;
}

/* --- device transfers -------------------------------------------------------------------------- */

static void device_done(const struct ucx_result *result, void *argument)
{
    (void)result;
    struct transfer_record transfer = *(struct transfer_record *)argument;
    pool_give(&transfer.pe->charm->transfers, argument);
    transfer.done(transfer.pe, transfer.argument);
}

/* The record of a transfer; NULL, and the transfer is done, where only records are kept (charm.device_transfers). */
static struct transfer_record *record(struct charm_pe *pe, charm_device_done *done, void *argument)
{
    charm_spend(pe, CPU_ALLOCATE, CHARM_READ(pe->charm, metadata_ps));
    struct transfer_record *transfer = pool_take(&pe->charm->transfers);
    *transfer = (struct transfer_record){pe, done, argument};
    if (CHARM_READ(pe->charm, device_transfers))
        return transfer;
    device_done(NULL, transfer);
    return NULL;
}

void charm_device_send(struct charm_pe *pe, int32_t to, struct block block, uint64_t tag,
                       charm_device_done *done, void *argument)
{
    struct transfer_record *transfer = record(pe, done, argument);
    if (transfer != NULL)
        ucx_tag_send(pe->worker, to, block, tag, NULL, device_done, transfer);
}

void charm_device_receive(struct charm_pe *pe, struct block block, uint64_t tag,
                          charm_device_done *done, void *argument)
{
    struct transfer_record *transfer = record(pe, done, argument);
    if (transfer != NULL)
        ucx_tag_receive(pe->worker, block, tag, device_done, transfer);
}

void charm_get(struct charm_pe *pe, struct block block, uint64_t tag, charm_device_done *done,
               void *argument)
{
    struct transfer_record *transfer = record(pe, done, argument);
    if (transfer != NULL)
        ucx_get(pe->worker, block, tag, device_done, transfer);
}

/* Whether `number` fits into `bits` bits; otherwise fails the simulation with a sentence that begins with `what`. */
static bool fits(const struct charm *charm, uint64_t number, int64_t bits, const char *what)
{
    bool is_small = number >> bits == 0;
    if (!is_small)
        sim_fail(charm->job->sim, "%s %llu does not fit the %lld bits that a tag has for it", what,
                 (unsigned long long)number, (long long)bits);
    return is_small;
}

/* A tag of two numbers: `high` above the `low_bits` bits of `low`; 0 if one does not fit. */
static uint64_t two_numbers(const struct charm *charm, uint64_t high, const char *what_high,
                            uint64_t low, int64_t low_bits, const char *what_low)
{
    int64_t high_bits = 64 - CHARM_TAG_TYPE_BITS - low_bits;
    return fits(charm, low, low_bits, what_low) && fits(charm, high, high_bits, what_high)
               ? high << low_bits | low
               : 0;
}

uint64_t charm_device_tag(struct charm_pe *pe)
{
    return typed_tag(CHARM_TAG_DEVICE) |
           two_numbers(pe->charm, (uint64_t)pe->process->rank, "GPU Messaging tag: PE",
                       pe->device_sends++, TAG_COUNTER_BITS, "GPU Messaging tag: GPU send");
}

uint64_t charm_channel_tag(const struct charm *charm, uint64_t id, uint64_t count)
{
    return typed_tag(CHARM_TAG_CHANNEL) | two_numbers(charm, id, "Channel tag: channel", count,
                                                      64 - CHARM_TAG_TYPE_BITS - CHANNEL_ID_BITS,
                                                      "Channel tag: operation of a channel");
}

/* --- HAPI ---------------------------------------------------------------------------------------- */

void charm_gpu_callback(struct charm_pe *pe, struct cuda_stream *stream, charm_entry *entry,
                        void *content)
{
    struct cpu *cpu = &pe->process->cpu;
    struct charm_gpu_event *event = pool_take(&pe->charm->gpu_events);
    cuda_event_create(cpu);
    *event = (struct charm_gpu_event){.recorded = {.notify = cpu},
                                      .entry = entry,
                                      .content = content,
                                      .operation = cpu->operation};
    list_append(&pe->gpu_events, &event->link);
    cuda_event_record(stream, cpu, &event->recorded);
    stat_count(pe->charm->gpu_callbacks, 1);
}

/* Polls the events in order, up to the first that has not occurred. */
static bool poll_gpu_events(struct charm_pe *pe)
{
    bool found = false;
    struct charm_gpu_event *event;
    while ((event = LIST_FIRST(&pe->gpu_events, struct charm_gpu_event, link)) != NULL &&
           cuda_event_query(pe->charm->job->cuda, &pe->process->cpu, &event->recorded)) {
        struct charm_gpu_event come = *event;
        list_remove(&pe->gpu_events, &event->link);
        pool_give(&pe->charm->gpu_events, event);
        uint64_t operation = cpu_work_for(&pe->process->cpu, come.operation);
        charm_callback(pe, come.entry, come.content);
        cpu_work_for(&pe->process->cpu, operation);
        found = true;
    }
    return found;
}

/* --- the scheduler ----------------------------------------------------------------------------- */

/* Lets the machine layer progress until nothing is pending. */
static bool advance(struct charm_pe *pe)
{
    bool is_busy = false;
    while (ucx_progress(pe->worker) || probe(pe))
        is_busy = true;
    return is_busy;
}

void charm_schedule(struct charm_pe *pe)
{
    bool is_busy = poll_gpu_events(pe);
    is_busy = advance(pe) || is_busy;
    struct charm_message *message = pop(pe);
    if (message == NULL) {
        if (!is_busy)
            ucx_wait(pe->worker);
        return;
    }
    if (!message->is_own)
        charm_spend(pe, CPU_SCHEDULE, CHARM_READ(pe->charm, schedule_ps));
    struct charm_message picked = *message;
    pool_give(&pe->charm->messages, message);
    uint64_t operation = cpu_work_for(&pe->process->cpu, picked.operation);
    cpu_stage(&pe->process->cpu, STAGE_SCHEDULED);
    stat_count(pe->charm->invoked, 1);
    picked.entry(pe, picked.content);
    cpu_work_for(&pe->process->cpu, operation);
    if (picked.allocated_bytes > 0)
        job_free_memory(pe->process, picked.allocated_bytes);
}

/* --- under a runtime ----------------------------------------------------------------------------- */

void charm_turn(void *state, int32_t rank)
{
    charm_schedule(charm_pe_of(state, rank));
}

struct charm_pe *charm_pe_of(void *state, int32_t rank)
{
    struct charm_pe *pe = &charm_below(state)->pes[rank];
    charm_pe_start(pe);
    return pe;
}
