/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtimes by name, and staging through host memory as the benchmarks' programs do it: copies of a window to
 * host memory before its sends, copies to the GPU after its receives, each side waiting for its copies once (M-027, M-114). */
#include "protocols/runtimes/messenger.h"
#include "core/error.h"

bool messenger_accepts(const struct design *design, GError **error)
{
    char text[PARAM_TEXT_SIZE];
    const char *reason = NULL;
    if (design_has_shmem(design))
        reason =
            "has puts and gets; it takes a runtime that passes messages, such as openmpi or channel";
    else if (design->initiator != INITIATOR_HOST)
        reason = "starts them in a kernel; it takes initiator = host";
    else if (design->node != NODE_DISCRETE)
        reason = "is one of coherent nodes; it takes node = discrete";
    else if (runtime_of(design) == NULL)
        reason =
            "has no runtime for them; it takes one that passes messages, such as openmpi or channel";
    if (reason != NULL)
        error_set(error,
                  "this workload asks processes on the host for sends and receives; design %s %s",
                  design_text(design, text), reason);
    return reason == NULL;
}

/* The program's host buffer is one allocation, used again for every message. */
enum { STAGING_BLOCK_ID = 0x7ffffff0 };

struct runtime *runtime_new(struct job *job, const struct design *design, GError **error)
{
    const struct runtime_ops *ops = runtime_of(design);
    if (ops->is_there != NULL && !ops->is_there(job->spec, design, error))
        return NULL;
    struct runtime *runtime = g_new0(struct runtime, 1);
    runtime->job = job;
    runtime->ops = ops;
    runtime->is_staged = design->payload == PAYLOAD_STAGED;
    runtime->state = ops->open(runtime, design);
    return runtime;
}

void runtime_free(struct runtime *runtime)
{
    if (runtime == NULL)
        return;
    runtime->ops->close(runtime->state);
    g_free(runtime);
}

int64_t runtime_stock(const struct runtime *runtime, int32_t rank)
{
    const struct runtime_ops *ops = runtime->ops;
    return ops->stock ? ops->stock(runtime->state, rank) : 0;
}

/* --- staging ----------------------------------------------------------------------------------- */

static bool stages(const struct runtime *runtime, const struct message *message)
{
    return runtime->is_staged && block_is_device(message->block);
}

/* Spends the interpreter's time for `calls` CUDA calls of the program. */
static void pass_interpreter(const struct runtime *runtime, struct job_process *process,
                             int64_t calls)
{
    const struct runtime_ops *ops = runtime->ops;
    if (ops->interpreter_ps)
        cpu_spend(&process->cpu, CPU_INTERPRETER, calls * ops->interpreter_ps(runtime->state));
}

/* Copies are stages of each message's operation, not of the operation that the core works for at the moment. */
static void copy_out(const struct runtime *runtime, int32_t rank, const struct message *messages,
                     size_t count, const uint64_t *operations)
{
    struct job_process *process = &runtime->job->processes[rank];
    uint64_t before = cpu_work_for(&process->cpu, 0);
    pass_interpreter(runtime, process, (int64_t)count + 1); /* copies, and one synchronize */
    for (size_t i = 0; i < count; i++)
        cuda_copy_async(process->stream, &process->cpu, messages[i].wire, messages[i].block, NULL);
    cuda_stream_synchronize(process->stream, &process->cpu);
    for (size_t i = 0; i < count; i++) {
        cpu_work_for(&process->cpu, operations != NULL ? operations[i] : before);
        cpu_stage(&process->cpu, STAGE_STAGED);
    }
    cpu_work_for(&process->cpu, before);
}

void messenger_copy_in(struct job_process *process, const struct message *message)
{
    uint64_t operation = cpu_work_for(&process->cpu, 0);
    cuda_copy_async(process->stream, &process->cpu, message->block, message->wire, NULL);
    cpu_work_for(&process->cpu, operation);
}

static bool is_staged_receive(const struct runtime *runtime, const struct message *message)
{
    return message->is_receive && stages(runtime, message);
}

/* --- what observers of calls hear ---------------------------------------------------------------- */

static struct observe *observe_of(const struct runtime *runtime)
{
    return &runtime->job->sim->observe;
}

static sim_time now_of(const struct runtime *runtime, int32_t rank)
{
    return cpu_now(&runtime->job->processes[rank].cpu);
}

/* Whether the program itself stages its buffers in both directions. */
static bool program_stages(const struct runtime *runtime)
{
    return runtime->ops->copy_in != COPY_IN_ON_ARRIVAL;
}

/* Reports the calls for `count` messages, which began at `from_ps`, to observers. */
static void tell_messages(const struct runtime *runtime, int32_t rank, enum observed_call_kind kind,
                          const struct message *messages, size_t count, sim_time from_ps)
{
    struct observed_call call = {.kind = kind, .actor = (uint32_t)rank, .from_ps = from_ps};
    if (!observe_wants_calls(observe_of(runtime)))
        return;
    call.to_ps = now_of(runtime, rank);
    for (size_t i = 0; i < count; i++) {
        call.peer = (uint32_t)messages[i].peer;
        call.channel = messages[i].tag;
        call.bytes = messages[i].block.bytes;
        call.handle = &messages[i];
        call.is_in_gpu =
            block_is_device(program_stages(runtime) ? messages[i].wire : messages[i].block);
        observe_call(observe_of(runtime), &call);
        call.from_ps = call.to_ps;
    }
}

void messenger_tell(const struct runtime *runtime, int32_t rank, enum observed_call_kind kind,
                    const void *handle)
{
    if (!observe_wants_calls(observe_of(runtime)))
        return;
    sim_time now_ps = now_of(runtime, rank);
    observe_call(observe_of(runtime), &(struct observed_call){.kind = kind,
                                                              .actor = (uint32_t)rank,
                                                              .handle = handle,
                                                              .from_ps = now_ps,
                                                              .to_ps = now_ps});
}

/* --- what a workload asks ---------------------------------------------------------------------- */

static void message_init(const struct runtime *runtime, int32_t rank, struct message *message,
                         int32_t peer, int32_t tag, struct block block)
{
    *message = (struct message){.peer = peer, .tag = tag, .block = block, .wire = block};
    if (!stages(runtime, message))
        return;
    message->wire =
        job_host_block(&runtime->job->processes[rank], BLOCK_PINNED, STAGING_BLOCK_ID, block.bytes);
}

void messenger_send_window(struct runtime *runtime, int32_t rank, struct message *messages,
                           size_t count, int32_t to, int32_t tag, struct block block,
                           const uint64_t *operations)
{
    for (size_t i = 0; i < count; i++)
        message_init(runtime, rank, &messages[i], to, tag, block);
    struct cpu *cpu = &runtime->job->processes[rank].cpu;
    sim_time from_ps = cpu_now(cpu);
    if (stages(runtime, messages))
        copy_out(runtime, rank, messages, count, operations);
    if (program_stages(runtime))
        from_ps = cpu_now(cpu);
    uint64_t before = cpu->operation;
    for (size_t i = 0; i < count; i++) {
        cpu_work_for(cpu, operations != NULL ? operations[i] : before);
        runtime->ops->send(runtime->state, rank, &messages[i]);
    }
    cpu_work_for(cpu, before);
    tell_messages(runtime, rank, CALL_SEND, messages, count, from_ps);
}

void messenger_send(struct runtime *runtime, int32_t rank, struct message *message, int32_t to,
                    int32_t tag, struct block block)
{
    messenger_send_window(runtime, rank, message, 1, to, tag, block, NULL);
}

void messenger_receive(struct runtime *runtime, int32_t rank, struct message *message, int32_t from,
                       int32_t tag, struct block block)
{
    const struct runtime_ops *ops = runtime->ops;
    sim_time from_ps = now_of(runtime, rank);
    message_init(runtime, rank, message, from, tag, block);
    message->is_receive = true;
    if (ops->receives_new && stages(runtime, message)) {
        message->wire.kind = BLOCK_PAGEABLE;
        message->wire.id = 0;
    }
    ops->receive(runtime->state, rank, message);
    tell_messages(runtime, rank, CALL_RECEIVE, message, 1, from_ps);
}

void messenger_start(struct runtime *runtime, int32_t rank, struct message *message)
{
    message->wire = message->block;
    tell_messages(
        runtime, rank, message->is_receive ? CALL_RECEIVE : CALL_SEND, message, 1,
        now_of(
            runtime,
            rank)); /* before the call, since the message may have ended and been freed after it */
    if (message->is_receive)
        runtime->ops->receive(runtime->state, rank, message);
    else
        runtime->ops->send(runtime->state, rank, message);
    messenger_tell(runtime, rank, CALL_NOTICE, NULL);
}

void messenger_turn(struct runtime *runtime, int32_t rank)
{
    messenger_tell(runtime, rank, CALL_WORK, NULL);
    runtime->ops->turn(runtime->state, rank);
    messenger_tell(runtime, rank, CALL_NOTICE, NULL);
}

static size_t first_left(const struct message *messages, size_t count, bool is_done)
{
    size_t i = 0;
    while (i < count && (messages[i].is_taken || (is_done && !messages[i].is_done)))
        i++;
    return i;
}

size_t messenger_wait_any(struct runtime *runtime, int32_t rank, struct message *messages,
                          size_t count)
{
    const struct runtime_ops *ops = runtime->ops;
    struct cpu *cpu = &runtime->job->processes[rank].cpu;
    sim_time from_ps = cpu_now(cpu);
    size_t found = first_left(messages, count, !ops->receives_in_order);
    if (found == count && ops->block_ps != NULL)
        cpu_spend(cpu, CPU_SCHEDULE, ops->block_ps(runtime->state));
    while (found == count) {
        ops->turn(runtime->state, rank);
        found = first_left(messages, count, true);
    }
    ops->wait(runtime->state, rank, &messages[found], 1);
    messages[found].is_taken = true;
    tell_messages(runtime, rank, CALL_WAIT, &messages[found], 1, from_ps);
    return found;
}

enum block_kind messenger_staging_kind(const struct runtime *runtime)
{
    return runtime->ops->receives_new ? BLOCK_PAGEABLE : BLOCK_PINNED;
}

sim_time messenger_launch_ps(const struct runtime *runtime)
{
    return runtime->ops->launch_ps != NULL ? runtime->ops->launch_ps(runtime->state) : 0;
}

sim_time messenger_cuda_call_ps(const struct runtime *runtime)
{
    return runtime->ops->interpreter_ps != NULL ? runtime->ops->interpreter_ps(runtime->state) : 0;
}

size_t messages_first_left(const struct message *messages, size_t count, size_t from)
{
    while (from < count && messages[from].is_done)
        from++;
    return from;
}

/* Waits for the messages, then copies in the received ones that the runtime has not copied in. */
static void wait_and_copy(struct runtime *runtime, int32_t rank, struct message *messages,
                          size_t count)
{
    const struct runtime_ops *ops = runtime->ops;
    struct job_process *process = &runtime->job->processes[rank];
    sim_time from_ps = now_of(runtime, rank);
    ops->wait(runtime->state, rank, messages, count);
    if (program_stages(runtime))
        tell_messages(runtime, rank, CALL_WAIT, messages, count, from_ps);
    if (ops->copy_in == COPY_IN_ON_ARRIVAL)
        return;
    for (size_t i = 0; i < count; i++) {
        if (!is_staged_receive(runtime, &messages[i]))
            continue;
        pass_interpreter(runtime, process, 1);
        messenger_copy_in(process, &messages[i]);
    }
}

static void wait_for_all(struct runtime *runtime, int32_t rank, struct message *messages,
                         size_t count)
{
    struct job_process *process = &runtime->job->processes[rank];
    size_t step = runtime->is_staged && runtime->ops->copy_in == COPY_IN_EACH ? 1 : count;
    bool is_copied = false;
    for (size_t i = 0; i < count; i += step)
        wait_and_copy(runtime, rank, &messages[i], step);
    for (size_t i = 0; i < count; i++)
        is_copied = is_copied || is_staged_receive(runtime, &messages[i]);
    if (!is_copied)
        return;
    pass_interpreter(runtime, process, 1);
    cuda_stream_synchronize(process->stream, &process->cpu);
    uint64_t before = process->cpu.operation;
    for (size_t i = 0; i < count; i++) {
        if (!is_staged_receive(runtime, &messages[i]))
            continue;
        cpu_work_for(&process->cpu, messages[i].operation);
        cpu_stage(&process->cpu, STAGE_STAGED);
    }
    cpu_work_for(&process->cpu, before);
}

void messenger_wait(struct runtime *runtime, int32_t rank, struct message *messages, size_t count)
{
    sim_time from_ps = now_of(runtime, rank);
    wait_for_all(runtime, rank, messages, count);
    if (!program_stages(runtime))
        tell_messages(runtime, rank, CALL_WAIT, messages, count, from_ps);
}
