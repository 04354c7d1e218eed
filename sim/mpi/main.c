/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim-mpi FILE.lua --store STORE.db: a sweep whose points are run by the ranks of an MPI job.
 *
 * Rank 0 plans, keeps the store and hands out points; each other rank asks for a point whenever it is idle, which balances uneven
 * points. A rank runs its points as any worker pool does, in processes forked from it; only the functions that keep results use
 * MPI. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "script/commands/commands.h"
#include "study/system/interrupt.h"
#include "study/system/standard_streams.h"

enum tag {
    TAG_REQUEST,
    TAG_REPLY,
    TAG_STOP, /* from rank 0, at most one to each rank, empty: the sweep is over */
};

/* Kinds of requests, each answered by one reply. */
enum request {
    REQUEST_NEXT, /* the reply has bytes and the point's number, or neither if no point is left */
    REQUEST_ASK,  /* has the question's bytes; the reply has the answer's bytes, or none */
    REQUEST_TELL, /* has the news' bytes; the reply has a sentence if the sweep is over */
    REQUEST_DONE, /* has a point and its outcome; the reply is as for REQUEST_TELL */
    /* a rank's last request, with a code of enum error_code and a sentence if it could not go on; the reply has a number, 1 if
     * rank 0 has sent it TAG_STOP */
    REQUEST_LEAVE,
};

#define IDLE_US 200 /* pause between two checks for messages */

/* --- messages ---------------------------------------------------------------------------------- */

/* A request or a reply. Each kind uses some of the fields; the others are 0. */
struct rank_message {
    enum request kind;
    guint64 number; /* number of a point; or a code */
    char *sentence; /* the failure */
    GBytes *bytes;
    gint64 started_us, duration_us; /* struct worker_outcome */
    bool is_from_outside;
};

#define MESSAGE_TYPE "(utmaymayxxb)"

static void message_clear(struct rank_message *message)
{
    g_clear_pointer(&message->sentence, g_free);
    g_clear_pointer(&message->bytes, g_bytes_unref);
}

static GVariant *inside(GBytes *bytes)
{
    return bytes ? g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, bytes, TRUE) : NULL;
}

static void send_message(const struct rank_message *message, int rank, enum tag tag)
{
    g_autoptr(GVariant) packed = g_variant_ref_sink(
        g_variant_new("(utm^aym@ayxxb)", (guint32)message->kind, message->number, message->sentence,
                      inside(message->bytes), message->started_us, message->duration_us,
                      message->is_from_outside));
    MPI_Send(g_variant_get_data(packed), (int)g_variant_get_size(packed), MPI_BYTE, rank, (int)tag,
             MPI_COMM_WORLD);
}

/* Receives the next message with the tag, and its sender's rank; the caller clears it. */
static struct rank_message receive_message(int rank, enum tag tag, int *sender)
{
    MPI_Status status;
    int length;
    struct rank_message message;
    guint32 kind;
    gboolean is_from_outside;
    g_autoptr(GVariant) bytes = NULL;
    MPI_Probe(rank, (int)tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    char *data = g_malloc((gsize)length);
    MPI_Recv(data, length, MPI_BYTE, status.MPI_SOURCE, (int)tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    g_autoptr(GVariant) packed = g_variant_ref_sink(g_variant_new_from_data(
        G_VARIANT_TYPE(MESSAGE_TYPE), data, (gsize)length, TRUE, g_free, data));
    g_variant_get(packed, "(utm^aym@ayxxb)", &kind, &message.number, &message.sentence, &bytes,
                  &message.started_us, &message.duration_us, &is_from_outside);
    message.kind = (enum request)kind;
    message.bytes = bytes ? g_variant_get_data_as_bytes(bytes) : NULL;
    message.is_from_outside = is_from_outside;
    *sender = status.MPI_SOURCE;
    return message;
}

/* --- a rank that runs points ------------------------------------------------------------------- */

/* Sends a request to rank 0 and returns the reply; the caller clears it. */
static struct rank_message request(struct rank_message message)
{
    int root;
    send_message(&message, 0, TAG_REQUEST);
    return receive_message(0, TAG_REPLY, &root);
}

static bool next_of_root(void *context, size_t *point)
{
    (void)context;
    struct rank_message reply = request((struct rank_message){.kind = REQUEST_NEXT});
    bool is_there = reply.bytes != NULL;
    *point = (size_t)reply.number;
    message_clear(&reply);
    return is_there;
}

static GBytes *answer_of_root(void *context, GBytes *question)
{
    (void)context;
    return request((struct rank_message){.kind = REQUEST_ASK, .bytes = question}).bytes;
}

/* Whether rank 0 took the message; else its sentence, so that this rank stops, too. */
static bool was_taken(struct rank_message message, GError **error)
{
    struct rank_message reply = request(message);
    bool is_taken = reply.sentence == NULL;
    if (!is_taken)
        error_set_code(error, ERROR_RUN, "%s", reply.sentence);
    message_clear(&reply);
    return is_taken;
}

static bool tell_root(void *context, GBytes *news, GError **error)
{
    (void)context;
    return was_taken((struct rank_message){.kind = REQUEST_TELL, .bytes = news}, error);
}

static bool done_to_root(void *context, size_t point, const struct worker_outcome *outcome,
                         GError **error)
{
    (void)context;
    return was_taken((struct rank_message){.kind = REQUEST_DONE,
                                           .number = point,
                                           .sentence = outcome->failure,
                                           .bytes = outcome->result,
                                           .started_us = outcome->started_us,
                                           .duration_us = outcome->duration_us,
                                           .is_from_outside = outcome->is_from_outside},
                     error);
}

static bool was_stopped(void *context, GError **error)
{
    int is_there;
    (void)context;
    MPI_Iprobe(0, TAG_STOP, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (is_there)
        error_set_code(error, ERROR_RUN, "rank 0 has stopped");
    return is_there;
}

/* Tells rank 0 that this rank sends no more requests, and takes rank 0's last message. */
static void leave_root(const GError *why)
{
    struct rank_message message = {.kind = REQUEST_LEAVE};
    if (why) {
        bool is_interrupt = g_error_matches(why, ERROR_DOMAIN, ERROR_INTERRUPTED);
        message.number = is_interrupt ? ERROR_INTERRUPTED : ERROR_RUN;
        message.sentence = why->message;
    }
    if (request(message).number == 1)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Runs points for rank 0, which reports errors of this rank. */
static bool run_for_root(const struct workers_job *job)
{
    g_autoptr(GError) why = NULL;
    struct workers_job mine = *job;
    mine.workers = 1;
    mine.next = next_of_root;
    mine.answer = answer_of_root;
    mine.hear = tell_root;
    mine.done = done_to_root;
    mine.is_stopped = was_stopped;
    workers_run(&mine, &why);
    leave_root(why);
    return true;
}

/* --- rank 0 ------------------------------------------------------------------------------------ */

/* The state of rank 0 while it serves. */
struct root {
    const struct workers_job *job;
    int ranks, left;          /* ranks that have left */
    bool *has_left, *is_told; /* by rank: it has left; it was told to stop */
    GError *error;            /* why all ranks have to stop */
};

static struct rank_message reply_next(const struct root *root)
{
    size_t point;
    if (root->error || !root->job->next(root->job->context, &point))
        return (struct rank_message){0};
    return (struct rank_message){.number = point, .bytes = g_bytes_new_static("", 0)};
}

static void take_outcome(struct root *root, const struct rank_message *message)
{
    const struct worker_outcome outcome = {.result = message->bytes,
                                           .failure = message->sentence,
                                           .is_from_outside = message->is_from_outside,
                                           .started_us = message->started_us,
                                           .duration_us = message->duration_us};
    if (!root->error)
        root->job->done(root->job->context, (size_t)message->number, &outcome, &root->error);
}

/* A rank that leaves with an error, interrupted or unable to go on, stops all others. */
static void take_leave(struct root *root, const struct rank_message *message, int sender)
{
    if (message->sentence && !root->error)
        error_set_code(&root->error, (enum error_code)message->number, "rank %d: %s", sender,
                       message->sentence);
    root->has_left[sender] = true;
    root->left++;
}

/* The reply to a request; the caller clears it. */
static struct rank_message reply_to(struct root *root, const struct rank_message *message,
                                    int sender)
{
    const struct workers_job *job = root->job;
    switch (message->kind) {
    case REQUEST_NEXT:
        return reply_next(root);
    case REQUEST_ASK:
        return (struct rank_message){
            .bytes = job->answer ? job->answer(job->context, message->bytes) : NULL};
    case REQUEST_TELL:
        if (!root->error && job->hear)
            job->hear(job->context, message->bytes, &root->error);
        break;
    case REQUEST_DONE:
        take_outcome(root, message);
        break;
    case REQUEST_LEAVE:
        take_leave(root, message, sender);
        return (struct rank_message){.number = root->is_told[sender]};
    }
    return (struct rank_message){.sentence = root->error ? g_strdup(root->error->message) : NULL};
}

/* Tells all ranks to stop, since a rank in the middle of a point sends no requests. */
static void stop_ranks(struct root *root)
{
    for (int rank = 1; rank < root->ranks; rank++) {
        if (root->has_left[rank] || root->is_told[rank])
            continue;
        MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_STOP, MPI_COMM_WORLD);
        root->is_told[rank] = true;
    }
}

/* Answers a request if there is one. Else it sleeps a little, instead of waiting in MPI, which would neither end at a signal nor
 * leave the core to another rank. */
static void serve_one(struct root *root)
{
    int is_there, sender;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_REQUEST, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (!is_there) {
        g_usleep(IDLE_US);
        return;
    }
    struct rank_message message = receive_message(MPI_ANY_SOURCE, TAG_REQUEST, &sender);
    struct rank_message reply = reply_to(root, &message, sender);
    send_message(&reply, sender, TAG_REPLY);
    message_clear(&reply);
    message_clear(&message);
}

/* Serves the ranks until all have left. */
static bool serve_ranks(int ranks, const struct workers_job *job, GError **error)
{
    g_autofree bool *has_left = g_new0(bool, (gsize)ranks), *is_told = g_new0(bool, (gsize)ranks);
    struct root root = {.job = job, .ranks = ranks, .has_left = has_left, .is_told = is_told};
    while (root.left < ranks - 1) {
        if (interrupt_asked() && job->tell)
            job->tell(job->context);
        if (!root.error)
            interrupt_pending(&root.error);
        if (root.error)
            stop_ranks(&root);
        serve_one(&root);
    }
    if (root.error)
        g_propagate_error(error, root.error);
    return !root.error;
}

/* --- the program ------------------------------------------------------------------------------- */

struct mpi_part {
    int rank, ranks;
    bool has_begun; /* the other ranks can rely on this one */
};

static bool dispatch(void *context, const struct workers_job *job, GError **error)
{
    struct mpi_part *part = context;
    part->has_begun = true;
    if (part->ranks == 1)
        return workers_run(job, error);
    return part->rank == 0 ? serve_ranks(part->ranks, job, error) : run_for_root(job);
}

/* Finalises MPI when the program ends early, as with --help. */
static void finalize(void)
{
    int is_over;
    MPI_Finalized(&is_over);
    if (!is_over)
        MPI_Finalize();
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct mpi_part part = {.has_begun = false};
    standard_streams_take();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &part.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &part.ranks);
    atexit(finalize);
    if (part.rank > 0 && asks_for_help(argc, argv)) /* only rank 0 prints it */
        return EXIT_CODE_OK;
    interrupt_install();
    const struct commands_sweep sweep = {"gpunetsim-mpi",
                                         "Runs a study's points on the ranks of an MPI job.",
                                         dispatch, &part, part.rank > 0};
    int code = commands_run(argc, argv, &sweep);
    if (code != EXIT_CODE_OK && !part.has_begun)
        MPI_Abort(MPI_COMM_WORLD, code); /* else the others would wait for this rank */
    interrupt_uninstall();               /* a rank that waits for the others is ended by a signal */
    finalize();
    return part.rank == 0 ? standard_streams_close(code) : EXIT_CODE_OK;
}
