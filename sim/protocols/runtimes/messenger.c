/* The runtimes by name, and staging through host memory as the benchmark's programs do it: a blocking copy to
 * host memory before each send, and one to the GPU after each receive (M-027, M-114). */
#include "protocols/runtimes/messenger.h"

#include <glib.h>

bool messenger_accepts(const struct design *design, char *why, size_t why_size)
{
    char text[PARAM_TEXT_SIZE];
    const char *reason = NULL;
    if (design->agreement != AGREEMENT_SEND_RECEIVE)
        reason = "agrees on put_get";
    else if (design->initiator != INITIATOR_HOST)
        reason = "starts them in a kernel";
    else if (design->server != SERVER_NONE)
        reason = "has them served by others than the rank";
    else if (design->form != NODE_DISCRETE)
        reason = "is one of coherent nodes";
    else if (runtime_kinds[design->runtime] == NULL)
        reason = "has no runtime for them";
    if (reason != NULL)
        g_snprintf(why, (gulong)why_size,
                   "this workload asks processes on the host for sends and receives; design %s %s",
                   design_text(design, text), reason);
    return reason == NULL;
}

struct runtime {
    struct job *job;
    const struct runtime_ops *ops;
    bool is_staged; /* the program copies GPU buffers to host memory and back */
    int32_t fragments; /* of every message */
    void *state;       /* of the ops */
};

/* The program's host buffer: one allocation, used again and again. */
enum { STAGING_BLOCK_ID = 0x7ffffff0 };

struct runtime *runtime_new(struct job *job, const struct design *design)
{
    struct runtime *runtime = g_new0(struct runtime, 1);
    runtime->job = job;
    runtime->ops = runtime_kinds[design->runtime];
    runtime->is_staged = design->payload == PAYLOAD_STAGED;
    runtime->fragments = 1;
    runtime->state = runtime->ops->open(job, design);
    return runtime;
}

void runtime_free(struct runtime *runtime)
{
    if (runtime == NULL)
        return;
    runtime->ops->close(runtime->state);
    g_free(runtime);
}

struct ucx *runtime_ucx(const struct runtime *runtime)
{
    return runtime->ops->ucx(runtime->state);
}

int64_t runtime_stock(const struct runtime *runtime, int32_t rank)
{
    const struct runtime_ops *ops = runtime->ops;
    return ops->stock ? ops->stock(runtime->state, rank) : 0;
}

bool messenger_set_fragments(struct runtime *runtime, int32_t fragments)
{
    if (fragments > 1 && !runtime->ops->takes_fragments)
        return false;
    runtime->fragments = fragments;
    return true;
}

/* --- staging ----------------------------------------------------------------------------------- */

static bool stages(const struct runtime *runtime, const struct message *message)
{
    return runtime->is_staged && block_is_device(message->block);
}

static void pass_interpreter(const struct runtime *runtime, struct job_process *process)
{
    const struct runtime_ops *ops = runtime->ops;
    if (ops->interpreter_ps)
        cpu_spend(&process->cpu, CPU_INTERPRETER,
                  2 * ops->interpreter_ps(runtime->state)); /* copy and synchronize */
}

/* To an operation the copy, from the call to its return, is one stage. */
static void copy(struct job_process *process, struct block to, struct block from)
{
    uint64_t operation = cpu_work_for(&process->cpu, 0);
    cuda_copy(process->stream, &process->cpu, to, from);
    cpu_work_for(&process->cpu, operation);
    cpu_stage(&process->cpu, STAGE_STAGED);
}

static void copy_out(const struct runtime *runtime, struct job_process *process,
                     const struct message *message)
{
    pass_interpreter(runtime, process);
    copy(process, message->wire, message->block);
}

void messenger_copy_in(struct job_process *process, const struct message *message)
{
    copy(process, message->block, message->wire);
}

/* --- what a workload asks ---------------------------------------------------------------------- */

static void message_init(const struct runtime *runtime, int32_t rank, struct message *message,
                         int32_t peer, int32_t tag, struct block block)
{
    *message = (struct message){
        .peer = peer, .tag = tag, .block = block, .wire = block, .fragments = runtime->fragments};
    if (!stages(runtime, message))
        return;
    message->wire =
        job_host_block(&runtime->job->processes[rank], BLOCK_PINNED, STAGING_BLOCK_ID, block.bytes);
}

void messenger_send(struct runtime *runtime, int32_t rank, struct message *message, int32_t to,
                    int32_t tag, struct block block)
{
    message_init(runtime, rank, message, to, tag, block);
    if (stages(runtime, message)) {
        if (runtime->ops->sends_pageable)
            message->wire.kind = BLOCK_PAGEABLE;
        copy_out(runtime, &runtime->job->processes[rank], message);
    }
    runtime->ops->send(runtime->state, rank, message);
}

void messenger_receive(struct runtime *runtime, int32_t rank, struct message *message, int32_t from,
                       int32_t tag, struct block block)
{
    const struct runtime_ops *ops = runtime->ops;
    message_init(runtime, rank, message, from, tag, block);
    message->is_receive = true;
    if (stages(runtime, message)) {
        if (ops->receives_pageable)
            message->wire.kind = BLOCK_PAGEABLE;
        if (ops->receives_new)
            message->wire.id = 0;
    }
    ops->receive(runtime->state, rank, message);
}

bool messages_done(const struct message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!messages[i].is_done)
            return false;
    return true;
}

void messenger_wait(struct runtime *runtime, int32_t rank, struct message *messages, size_t count)
{
    const struct runtime_ops *ops = runtime->ops;
    struct job_process *process = &runtime->job->processes[rank];
    if (!runtime->is_staged || ops->copies_in) {
        ops->wait(runtime->state, rank, messages, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ops->wait(runtime->state, rank, &messages[i], 1);
        if (!messages[i].is_receive || !stages(runtime, &messages[i]))
            continue;
        uint64_t operation = cpu_work_for(&process->cpu, messages[i].operation);
        pass_interpreter(runtime, process);
        messenger_copy_in(process, &messages[i]);
        cpu_work_for(&process->cpu, operation);
    }
}
