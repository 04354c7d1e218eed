/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI directly on a library with tag matching: Open MPI on UCX (ParCo22 section 4.1), Spectrum MPI
 * on PAMI, MVAPICH2-GDR on its own channel. A call maps to a tagged send or receive; matching is the library's. */
#include "protocols/runtimes/mpi.h"

#include <glib.h>

#include "protocols/runtimes/messenger.h"
#include "protocols/runtimes/mpi_tag.h"
#include "protocols/ucx/ucx.h"

#define SPEC struct mpi_spec
static const struct param mpi_parameters[] = {
    PARAM_TIME(send, SPEC, "100ns", "0ns", "1ms",
               "The core in MPI_Isend, in addition to the library."),
    PARAM_TIME(receive, SPEC, "100ns", "0ns", "1ms",
               "The core in MPI_Irecv, in addition to the library."),
    PARAM_TIME(wait, SPEC, "50ns", "0ns", "1ms", "The core, for each request found complete."),
    PARAM_TIME(device, SPEC, "100ns", "0ns", "1ms", "Additional time of a call with GPU memory."),
};
#undef SPEC
PARAM_TABLE(openmpi_params, "openmpi", struct mpi_spec, mpi_parameters, "Open MPI above UCX.");
PARAM_TABLE(spectrum_params, "spectrum", struct mpi_spec, mpi_parameters,
            "Spectrum MPI above its library (component pami).");
PARAM_TABLE(mvapich_params, "mvapich", struct mpi_spec, mpi_parameters,
            "MVAPICH2-GDR above its channel (component mrail).");

struct mpi {
    struct job *job;
    struct ucx *library;
    const struct mpi_spec *spec;
};

static struct mpi *open_mpi(struct job *job, const struct param_table *library,
                            const struct param_table *table)
{
    struct mpi *mpi = g_new0(struct mpi, 1);
    mpi->job = job;
    mpi->library = ucx_new(job, library);
    mpi->spec = machine_part(job->spec, table);
    param_uses(&job->sim->uses, table);
    return mpi;
}

static void *open_openmpi(struct job *job, const struct design *design)
{
    (void)design;
    return open_mpi(job, &ucx_params, &openmpi_params);
}

static void *open_spectrum(struct job *job, const struct design *design)
{
    (void)design;
    return open_mpi(job, &pami_params, &spectrum_params);
}

static void *open_mvapich(struct job *job, const struct design *design)
{
    (void)design;
    return open_mpi(job, &mrail_params, &mvapich_params);
}

static void close_mpi(void *state)
{
    struct mpi *mpi = state;
    ucx_free(mpi->library);
    g_free(mpi);
}

static struct ucx *mpi_library(void *state)
{
    return ((struct mpi *)state)->library;
}

/* --- operations ------------------------------------------------------------------------------- */

static void spend_call(const struct mpi *mpi, int32_t rank, const struct message *message,
                       sim_time call_ps)
{
    sim_time device_ps = block_is_device(message->wire) ? mpi->spec->device_ps : 0;
    cpu_spend(&mpi->job->processes[rank].cpu, CPU_PACK, call_ps + device_ps);
}

static void note_done(const struct ucx_result *result, void *argument)
{
    struct message *message = argument;
    message->operation = result->operation;
    message_finish(message);
}

static void send(void *state, int32_t rank, struct message *message)
{
    struct mpi *mpi = state;
    spend_call(mpi, rank, message, mpi->spec->send_ps);
    ucx_tag_send(ucx_worker(mpi->library, rank), message->peer, message->wire,
                 mpi_tag(MPI_WORLD, rank, message->tag), NULL, note_done, message);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct mpi *mpi = state;
    spend_call(mpi, rank, message, mpi->spec->receive_ps);
    ucx_tag_receive(ucx_worker(mpi->library, rank), message->wire,
                    mpi_tag(MPI_WORLD, message->peer, message->tag), UINT64_MAX, note_done,
                    message);
}

/* MPI_Waitall: progress until all have ended, then each request is given back. */
static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct mpi *mpi = state;
    struct ucx_worker *worker = ucx_worker(mpi->library, rank);
    for (size_t i = 0; i < count; i++) {
        while (!messages[i].is_done)
            if (!ucx_progress(worker))
                ucx_wait(worker);
    }
    cpu_spend(&mpi->job->processes[rank].cpu, CPU_CALLBACK, (sim_time)count * mpi->spec->wait_ps);
}

static void turn(void *state, int32_t rank)
{
    struct ucx_worker *worker = ucx_worker(((struct mpi *)state)->library, rank);
    if (!ucx_progress(worker))
        ucx_wait(worker);
}

const struct runtime_ops openmpi_ops = {
    .tables = {&ucx_params, &openmpi_params},
    .open = open_openmpi,
    .close = close_mpi,
    .ucx = mpi_library,
    .send = send,
    .receive = receive,
    .wait = wait,
    .turn = turn,
};

const struct runtime_ops spectrum_ops = {
    .tables = {&pami_params, &spectrum_params},
    .open = open_spectrum,
    .close = close_mpi,
    .ucx = mpi_library,
    .send = send,
    .receive = receive,
    .wait = wait,
    .turn = turn,
};

const struct runtime_ops mvapich_ops = {
    .tables = {&mrail_params, &mvapich_params},
    .open = open_mvapich,
    .close = close_mpi,
    .ucx = mpi_library,
    .send = send,
    .receive = receive,
    .wait = wait,
    .turn = turn,
};
