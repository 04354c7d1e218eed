/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI directly on a library with tag matching. A call maps to a tagged send or receive; matching is the library's. Which MPIs
 * there are, and what each stands on, is data: Open MPI on UCX (ParCo22 section 4.1), Spectrum MPI on PAMI, MVAPICH2-GDR on its own
 * channel (configs/runtimes.lua), and those that machine files add. */
#include "protocols/runtimes/mpi.h"

#include <string.h>

#include "core/error.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/runtimes/mpi_tag.h"
#include "protocols/ucx/ucx.h"

const char *mpi_libraries[MPI_LIBRARIES_MOST + 1] = {"ucx"};

PARAM_TABLE_OF(
    mpi_params, "mpi", struct mpi_spec, MPI_ROWS,
    "An MPI above a message library. A machine has several, by name; a machine file adds one by name = mpi { "
    "library = \"ucx\", call = \"100ns\" }, and a design takes it by runtime = \"name\".");

struct mpi {
    struct job *job;
    struct ucx *library;
    const struct mpi_spec *spec;
    uint64_t *used; /* marks the spec's values that were read (READ) */
};

#define READ(mpi, field) PARAM_READ((mpi)->used, (mpi)->spec, field)

/* The machine's instance `name` of the kind; otherwise NULL and an error sentence that begins with `who`. */
static const struct param_table *instance_of(const struct machine_spec *machine,
                                             const struct param_table *kind, const char *name,
                                             const char *who, GError **error)
{
    const struct param_table *found = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (size_t i = 0; i < machine->part_count; i++) {
        const struct param_table *table = machine->parts[i].table;
        if (table->kind != kind)
            continue;
        g_ptr_array_add(names, (gpointer)(gsize)table->component);
        if (strcmp(table->component, name) == 0)
            found = table;
    }
    if (found != NULL)
        return found;
    g_autofree char *known = param_suggestion(name, (const char *const *)names->pdata, names->len);
    error_set(error, "%s %s, which is no %s of the machine%s", who, name, kind->component, known);
    return NULL;
}

/* Finds the tables of the design's MPI and of its library on the machine. */
static bool find_tables(const struct machine_spec *machine, const struct design *design,
                        const struct param_table **mpi, const struct param_table **library,
                        GError **error)
{
    char text[PARAM_TEXT_SIZE];
    g_autofree char *who = g_strdup_printf("design %s takes runtime =", design_text(design, text));
    *mpi = instance_of(machine, &mpi_params, design_runtime_name(design), who, error);
    if (*mpi == NULL)
        return false;
    const struct mpi_spec *spec = machine_part(machine, *mpi);
    g_autofree char *on = g_strdup_printf("%s takes library =", (*mpi)->component);
    *library =
        instance_of(machine, &message_library_params, mpi_libraries[spec->library], on, error);
    return *library != NULL;
}

static bool is_there(const struct machine_spec *machine, const struct design *design,
                     GError **error)
{
    const struct param_table *mpi, *library;
    return find_tables(machine, design, &mpi, &library, error);
}

static bool stands_on(const struct machine_spec *machine, const struct design *design,
                      const struct param_table *table)
{
    const struct param_table *mpi, *library;
    return find_tables(machine, design, &mpi, &library, NULL) && (table == mpi || table == library);
}

static void *open_mpi(struct runtime *runtime, const struct design *design)
{
    const struct param_table *table, *library;
    struct job *job = runtime->job;
    bool is_found = find_tables(job->spec, design, &table, &library, NULL);
    check_always(is_found, "the machine has no %s", design_runtime_name(design));
    struct mpi *mpi = g_new0(struct mpi, 1);
    mpi->job = job;
    mpi->library = runtime->ucx = ucx_new(job, library);
    mpi->spec = machine_part(job->spec, table);
    mpi->used = param_use_of(&job->sim->uses, table);
    return mpi;
}

static void close_mpi(void *state)
{
    struct mpi *mpi = state;
    ucx_free(mpi->library);
    g_free(mpi);
}

/* The rank's worker in the library. Notes `library` as used, since a run without messages is the same with any library. */
static struct ucx_worker *worker_of(const struct mpi *mpi, int32_t rank)
{
    PARAM_NOTE(mpi->used, mpi->spec, library);
    return ucx_worker(mpi->library, rank);
}

/* --- operations ------------------------------------------------------------------------------- */

static void spend_call(const struct mpi *mpi, int32_t rank, const struct message *message,
                       sim_time call_ps)
{
    sim_time device_ps = block_is_device(message->wire) ? READ(mpi, device_ps) : 0;
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
    spend_call(mpi, rank, message, READ(mpi, call_ps));
    ucx_tag_send(worker_of(mpi, rank), message->peer, message->wire,
                 mpi_tag(MPI_WORLD, rank, message->tag), NULL, note_done, message);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct mpi *mpi = state;
    spend_call(mpi, rank, message, READ(mpi, call_ps));
    ucx_tag_receive(worker_of(mpi, rank), message->wire,
                    mpi_tag(MPI_WORLD, message->peer, message->tag), note_done, message);
}

/* MPI_Waitall: progress until all messages have ended, then each request is given back. */
static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct mpi *mpi = state;
    struct ucx_worker *worker = ucx_worker(mpi->library, rank);
    for (size_t i = 0; i < count; i++) {
        while (!messages[i].is_done)
            if (!ucx_progress(worker))
                ucx_wait(worker);
    }
    cpu_spend(&mpi->job->processes[rank].cpu, CPU_CALLBACK, (sim_time)count * READ(mpi, wait_ps));
}

static void turn(void *state, int32_t rank)
{
    struct ucx_worker *worker = ucx_worker(((struct mpi *)state)->library, rank);
    if (!ucx_progress(worker))
        ucx_wait(worker);
}

const struct runtime_ops mpi_ops = {
    .is_there = is_there,
    .stands_on = stands_on,
    .open = open_mpi,
    .close = close_mpi,
    .send = send,
    .receive = receive,
    .wait = wait,
    .turn = turn,
};
