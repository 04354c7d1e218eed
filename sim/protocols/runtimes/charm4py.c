/* SPDX-License-Identifier: BSD-3-Clause */
/* Charm4py: channels in Python, on the GPU Messaging API of Charm++ (ParCo22 sections 2.5 and 3.4, Figs 9 and
 * 10; M-025 to M-027, M-124).
 *
 * channel.send passes Python and Cython; an array of host memory is not pickled but copied into the message, and out of it
 * (M-130); for a GPU buffer the message carries the address, and the data travel apart. channel.recv makes a future and
 * suspends the coroutine; the message, or the callback of the transfer that was requested when the message came, fulfils the
 * future and resumes the coroutine. Host data are received into a new array in pageable memory. */
#include "protocols/runtimes/charm4py.h"

#include "protocols/runtimes/envelope.h"

PARAM_TABLE_OF(charm4py_params, "charm4py", struct charm4py_spec, CHARM4PY_ROWS,
               "Charm4py above Charm++.");

struct charm4py {
    struct mailbox mailbox;
    const struct charm4py_spec *spec;
    uint64_t *used; /* marks the spec's values that were read (READ) */
};

#define READ(charm4py, field) PARAM_READ((charm4py)->used, (charm4py)->spec, field)

static void *open_charm4py(struct runtime *runtime, const struct design *design)
{
    (void)design;
    const struct job *job = runtime->job;
    struct charm4py *charm4py = g_new0(struct charm4py, 1);
    mailbox_open(&charm4py->mailbox, runtime, charm4py);
    charm4py->spec = machine_part(job->spec, &charm4py_params);
    charm4py->used = param_use_of(&job->sim->uses, &charm4py_params);
    /* The scripts of Charm4py's benchmarks set UCX_MEMTYPE_CACHE=n (M-123). */
    ucx_drop_memory_type_cache(charm4py->mailbox.charm->ucx);
    return charm4py;
}

static sim_time cuda_call_ps(void *state)
{
    return READ((struct charm4py *)state, cuda_call_ps);
}

static sim_time launch_ps(void *state)
{
    const struct charm4py *charm4py = state;
    return READ(charm4py, kernel_launch_ps);
}

static struct charm4py *charm4py_of(struct charm_pe *pe)
{
    return pe->charm->owner;
}

static void interpret(struct charm_pe *pe, sim_time duration_ps)
{
    cpu_spend(&pe->process->cpu, CPU_INTERPRETER, duration_ps);
}

/* The payload of a message is copied into a new array; the previous array has been freed. */
static void copy_out(struct charm_pe *pe, int64_t bytes)
{
    job_allocate(pe->process, bytes);
    job_copy(pe->process, bytes);
    job_free_memory(pe->process, bytes);
}

/* --- the receiving side ------------------------------------------------------------------------ */

static void resume_coroutine(struct charm_pe *pe, void *content)
{
    struct charm4py *charm4py = charm4py_of(pe);
    interpret(pe, READ(charm4py, resume_ps));
    envelope_finish(&charm4py->mailbox, content);
}

static void transfer_received(struct charm_pe *pe, void *argument)
{
    charm_callback(pe, resume_coroutine, argument);
}

/* The message has been matched with the receive that waits for it. */
static void accept(struct charm_pe *pe, struct envelope *envelope)
{
    if (envelope->travels_apart) {
        charm_device_receive(pe, envelope->message->wire, envelope->device_tag, transfer_received,
                             envelope);
        return;
    }
    copy_out(pe, envelope->bytes);
    resume_coroutine(pe, envelope);
}

static void message_arrived(struct charm_pe *pe, void *content)
{
    envelope_arrive(&charm4py_of(pe)->mailbox, pe, content, accept, NULL);
}

/* channel.recv suspends the coroutine until its data have arrived, so a program's receives follow one another: a receive that
 * is asked for here is carried out when the program waits. */
static void receive(void *state, int32_t rank, struct message *message)
{
    (void)state, (void)rank, (void)message;
}

static void receive_now(struct charm4py *charm4py, struct charm_pe *pe, struct message *message)
{
    interpret(pe, READ(charm4py, receive_ps));
    envelope_expect(&charm4py->mailbox, pe, message, accept);
    while (!message->is_done)
        charm_schedule(pe);
}

/* --- the sending side -------------------------------------------------------------------------- */

static void send(void *state, int32_t rank, struct message *message)
{
    struct charm4py *charm4py = state;
    struct charm_pe *pe = charm_pe_of(charm4py, rank);
    const struct envelope_path way = {.arrived = message_arrived,
                                      .sent = envelope_payload_sent,
                                      .travels_apart = block_is_device(message->wire)};
    interpret(pe, READ(charm4py, send_ps));
    envelope_send(&charm4py->mailbox, pe, message, &way);
}

static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct charm4py *charm4py = state;
    struct charm_pe *pe = charm_pe_of(charm4py, rank);
    for (size_t i = 0; i < count; i++)
        if (messages[i].is_receive && !messages[i].is_done)
            receive_now(charm4py, pe, &messages[i]);
    mailbox_wait(charm4py, rank, messages, count);
}

const struct runtime_ops charm4py_ops = {
    .reasons =
        {[STAGE_PACKED] = "Python and Cython, then the calls of the runtime and the library",
         [STAGE_LATE_RECEIVE] =
             "late receive: it is posted when the channel's message with the buffer's address has come through the interpreter",
         [STAGE_NOTICED] = "the future is fulfilled and the coroutine resumed, in Python"},
    .tables = {&ucx_params, &charm_params, &charm4py_params},
    .open = open_charm4py,
    .close = mailbox_free,
    .turn = charm_turn,
    .stock = charm_stock,
    .send = send,
    .receive = receive,
    .wait = wait,
    .copy_in = COPY_IN_EACH,
    .receives_new = true,
    .receives_in_order = true,
    .interpreter_ps = cuda_call_ps,
    .launch_ps = launch_ps,
};
