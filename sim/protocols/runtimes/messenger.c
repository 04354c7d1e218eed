/* Designs by name, and staging through host memory as the benchmark's programs do it: a blocking copy to
 * host memory before each send, and one to the GPU after each receive (M-027, M-114). */
#include "protocols/runtimes/messenger.h"

#include <glib.h>

const struct runtime_design runtime_designs[] = {
    {"charm-h", "Charm++, entry methods with host data", true, &charm_host_ops},
    {"charm-messaging", "Charm++ GPU Messaging API", false, &gpu_messaging_ops},
    {"charm-channel", "Charm++ Channel API", false, &channel_ops},
    {"ampi-h", "AMPI with host buffers", true, &ampi_ops},
    {"ampi-d", "AMPI with GPU buffers", false, &ampi_ops},
    {"charm4py-h", "Charm4py channels with host data", true, &charm4py_ops},
    {"charm4py-d", "Charm4py channels with GPU buffers", false, &charm4py_ops},
    {"openmpi-h", "Open MPI with host buffers", true, &openmpi_ops},
    {"openmpi-d", "Open MPI with GPU buffers", false, &openmpi_ops},
    {"spectrum-h", "Spectrum MPI with host buffers", true, &spectrum_ops},
    {"spectrum-d", "Spectrum MPI with GPU buffers", false, &spectrum_ops},
};

const char *const runtime_design_names[] = {
    "charm-h",    "charm-messaging", "charm-channel", "ampi-h",     "ampi-d",     "charm4py-h",
    "charm4py-d", "openmpi-h",       "openmpi-d",     "spectrum-h", "spectrum-d", NULL};

struct runtime {
    struct job *job;
    const struct runtime_design *design;
    int32_t fragments; /* of every message */
    void *state;    /* of the design's ops */
};

/* The program's host buffer: one allocation, used again and again. */
enum { STAGING_BLOCK_ID = 0x7ffffff0 };

struct runtime *runtime_new(struct job *job, const struct runtime_design *design)
{
    struct runtime *runtime = g_new0(struct runtime, 1);
    runtime->job = job;
    runtime->design = design;
    runtime->fragments = 1;
    runtime->state = design->ops->open(job, design);
    return runtime;
}

void runtime_free(struct runtime *runtime)
{
    if (runtime == NULL)
        return;
    runtime->design->ops->close(runtime->state);
    g_free(runtime);
}

struct ucx *runtime_ucx(const struct runtime *runtime)
{
    return runtime->design->ops->ucx(runtime->state);
}

int64_t runtime_stock(const struct runtime *runtime, int32_t rank)
{
    const struct runtime_ops *ops = runtime->design->ops;
    return ops->stock ? ops->stock(runtime->state, rank) : 0;
}

bool messenger_set_fragments(struct runtime *runtime, int32_t fragments)
{
    if (fragments > 1 && !runtime->design->ops->takes_fragments)
        return false;
    runtime->fragments = fragments;
    return true;
}

/* --- staging ----------------------------------------------------------------------------------- */

static bool stages(const struct runtime *runtime, const struct message *message)
{
    return runtime->design->is_staged && block_is_device(message->block);
}

static void pass_interpreter(const struct runtime *runtime, struct job_process *process)
{
    const struct runtime_ops *ops = runtime->design->ops;
    if (ops->interpreter_ps)
        cpu_spend(&process->cpu, CPU_INTERPRETER,
                  2 * ops->interpreter_ps(runtime->state)); /* copy and synchronize */
}

static void copy_out(const struct runtime *runtime, struct job_process *process,
                     const struct message *message)
{
    pass_interpreter(runtime, process);
    cuda_copy(process->stream, &process->cpu, message->wire, message->block);
}

void messenger_copy_in(struct job_process *process, const struct message *message)
{
    cuda_copy(process->stream, &process->cpu, message->block, message->wire);
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
        if (runtime->design->ops->sends_pageable)
            message->wire.kind = BLOCK_PAGEABLE;
        copy_out(runtime, &runtime->job->processes[rank], message);
    }
    runtime->design->ops->send(runtime->state, rank, message);
}

void messenger_receive(struct runtime *runtime, int32_t rank, struct message *message, int32_t from,
                       int32_t tag, struct block block)
{
    const struct runtime_ops *ops = runtime->design->ops;
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
    const struct runtime_ops *ops = runtime->design->ops;
    struct job_process *process = &runtime->job->processes[rank];
    if (!runtime->design->is_staged || ops->copies_in) {
        ops->wait(runtime->state, rank, messages, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ops->wait(runtime->state, rank, &messages[i], 1);
        if (!messages[i].is_receive || !stages(runtime, &messages[i]))
            continue;
        pass_interpreter(runtime, process);
        messenger_copy_in(process, &messages[i]);
    }
}
