/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim-mpi FILE.lua --store STORE.db: a sweep whose points are run by the ranks of an MPI job.
 *
 * Rank 0 plans, keeps the store and hands out points; each other rank asks for one whenever it is idle, so
 * that uneven points balance. A rank runs its points as any worker pool does, in processes forked from
 * it; only its functions that keep results go over MPI. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "core/error.h"
#include "script/commands/command.h"
#include "study/system/interrupt.h"
#include "study/system/standard_streams.h"

enum tag {
    TAG_REQUEST,
    TAG_REPLY,
    TAG_STOP, /* from rank 0, at most one to each rank, with nothing in it: the sweep is over */
};

/* Kinds of requests, each answered by one reply. */
enum request {
    REQUEST_NEXT = 'N',  /* a point's number, or nothing: there is none left */
    REQUEST_ASK = 'A',   /* 'K' and the answer, or 'B' */
    REQUEST_TELL = 'T',  /* 'K', or 'E' and a sentence: the sweep is over */
    REQUEST_DONE = 'D',  /* the same */
    REQUEST_LEAVE = 'L', /* a rank's last, with a code of enum error_code and a sentence if it could
                            not go on; the reply is 'S' if rank 0 has sent it TAG_STOP */
};

#define IDLE_US 200 /* between two looks for messages */

/* --- messages ---------------------------------------------------------------------------------- */

/* A message: its kind, then bytes. */
static GByteArray *message_new(char kind)
{
    GByteArray *message = g_byte_array_new();
    g_byte_array_append(message, (const guint8 *)&kind, 1);
    return message;
}

static void append_bytes(GByteArray *message, GBytes *bytes)
{
    gsize length = 0;
    const guint8 *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
    if (length > 0)
        g_byte_array_append(message, data, (guint)length);
}

static void send_message(GByteArray *message, int rank, enum tag tag)
{
    MPI_Send(message->data, (int)message->len, MPI_BYTE, rank, (int)tag, MPI_COMM_WORLD);
    g_byte_array_unref(message);
}

/* The next message of the tag and who sent it; the caller unrefs it. */
static GByteArray *receive_message(int rank, enum tag tag, int *sender)
{
    MPI_Status status;
    int length;
    MPI_Probe(rank, (int)tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    GByteArray *message = g_byte_array_new();
    g_byte_array_set_size(message, (guint)length);
    MPI_Recv(message->data, length, MPI_BYTE, status.MPI_SOURCE, (int)tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (sender)
        *sender = status.MPI_SOURCE;
    return message;
}

/* What follows the first `skipped` bytes. */
static GBytes *rest_of(const GByteArray *message, guint skipped)
{
    return g_bytes_new(message->data + skipped, message->len - skipped);
}

/* --- a rank that runs points ------------------------------------------------------------------- */

/* Sends a request to rank 0 and gives the reply; the caller unrefs it. */
static GByteArray *request(GByteArray *message)
{
    send_message(message, 0, TAG_REQUEST);
    return receive_message(0, TAG_REPLY, NULL);
}

static bool next_of_root(void *context, size_t *point)
{
    (void)context;
    guint64 number;
    GByteArray *reply = request(message_new(REQUEST_NEXT));
    bool is_there = reply->len == sizeof number;
    if (is_there) {
        memcpy(&number, reply->data, sizeof number);
        *point = (size_t)number;
    }
    g_byte_array_unref(reply);
    return is_there;
}

static GBytes *answer_of_root(void *context, GBytes *question)
{
    (void)context;
    GByteArray *message = message_new(REQUEST_ASK);
    append_bytes(message, question);
    GByteArray *reply = request(message);
    GBytes *answer = reply->data[0] == 'K' ? rest_of(reply, 1) : NULL;
    g_byte_array_unref(reply);
    return answer;
}

/* Whether rank 0 took it; its sentence otherwise, so that this rank stops too. */
static bool was_taken(GByteArray *reply, GError **error)
{
    bool is_taken = reply->data[0] == 'K';
    if (!is_taken)
        error_set_code(error, ERROR_RUN, "%s", (const char *)reply->data + 1);
    g_byte_array_unref(reply);
    return is_taken;
}

static bool tell_root(void *context, GBytes *news, GError **error)
{
    (void)context;
    GByteArray *message = message_new(REQUEST_TELL);
    append_bytes(message, news);
    return was_taken(request(message), error);
}

/* A point's end: number, times, whether there is a result, and the result or the failure. */
struct outcome_header {
    guint64 point;
    gint64 started_us, duration_us;
    guint64 has_result, is_from_outside;
};

static bool done_to_root(void *context, size_t point, const struct worker_outcome *outcome,
                         GError **error)
{
    (void)context;
    struct outcome_header header = {point, outcome->started_us, outcome->duration_us,
                                    outcome->result != NULL, outcome->is_from_outside};
    GByteArray *message = message_new(REQUEST_DONE);
    g_byte_array_append(message, (const guint8 *)&header, sizeof header);
    if (outcome->result)
        append_bytes(message, outcome->result);
    else
        g_byte_array_append(message, (const guint8 *)outcome->failure,
                            (guint)strlen(outcome->failure) + 1);
    return was_taken(request(message), error);
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

/* Tells rank 0 that it gets no more requests from here, and takes its last message. */
static void leave_root(const GError *why)
{
    GByteArray *message = message_new(REQUEST_LEAVE);
    if (why) {
        bool is_interrupt = g_error_matches(why, ERROR_DOMAIN, ERROR_INTERRUPTED);
        guint8 code = is_interrupt ? ERROR_INTERRUPTED : ERROR_RUN;
        g_byte_array_append(message, &code, 1);
        g_byte_array_append(message, (const guint8 *)why->message, (guint)strlen(why->message) + 1);
    }
    GByteArray *reply = request(message);
    if (reply->data[0] == 'S')
        g_byte_array_unref(receive_message(0, TAG_STOP, NULL));
    g_byte_array_unref(reply);
}

/* What goes wrong here is rank 0's to say. */
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

/* What serving needs to know. */
struct root {
    const struct workers_job *job;
    int ranks, left;          /* those that have said so */
    bool *has_left, *is_told; /* by rank; to stop */
    GError *error;            /* why all have to stop */
};

static GByteArray *reply_next(struct root *root)
{
    size_t point;
    GByteArray *reply = g_byte_array_new();
    if (root->error || !root->job->next(root->job->context, &point))
        return reply;
    guint64 number = point;
    g_byte_array_append(reply, (const guint8 *)&number, sizeof number);
    return reply;
}

static GByteArray *reply_ask(struct root *root, const GByteArray *message)
{
    g_autoptr(GBytes) question = rest_of(message, 1);
    g_autoptr(GBytes) answer =
        root->job->answer ? root->job->answer(root->job->context, question) : NULL;
    GByteArray *reply = message_new(answer ? 'K' : 'B');
    append_bytes(reply, answer);
    return reply;
}

static GByteArray *reply_taken(struct root *root)
{
    GByteArray *reply = message_new(root->error ? 'E' : 'K');
    if (root->error)
        g_byte_array_append(reply, (const guint8 *)root->error->message,
                            (guint)strlen(root->error->message) + 1);
    return reply;
}

static GByteArray *reply_tell(struct root *root, const GByteArray *message)
{
    g_autoptr(GBytes) news = rest_of(message, 1);
    if (!root->error && root->job->hear)
        root->job->hear(root->job->context, news, &root->error);
    return reply_taken(root);
}

static GByteArray *reply_done(struct root *root, const GByteArray *message)
{
    struct outcome_header header;
    memcpy(&header, message->data + 1, sizeof header);
    g_autoptr(GBytes) rest = rest_of(message, 1 + sizeof header);
    gsize length;
    struct worker_outcome outcome = {
        .result = header.has_result ? rest : NULL,
        .failure = header.has_result ? NULL : (char *)(gsize)g_bytes_get_data(rest, &length),
        .is_from_outside = header.is_from_outside != 0,
        .started_us = header.started_us,
        .duration_us = header.duration_us};
    if (!root->error)
        root->job->done(root->job->context, (size_t)header.point, &outcome, &root->error);
    return reply_taken(root);
}

/* A rank that leaves with an error stops all others: it was interrupted, or cannot go on. */
static GByteArray *reply_leave(struct root *root, const GByteArray *message, int sender)
{
    if (message->len > 2 && !root->error)
        error_set_code(&root->error, (enum error_code)message->data[1], "rank %d: %s", sender,
                       (const char *)message->data + 2);
    root->has_left[sender] = true;
    root->left++;
    return message_new(root->is_told[sender] ? 'S' : 'K');
}

static GByteArray *reply_to(struct root *root, const GByteArray *message, int sender)
{
    switch ((enum request)message->data[0]) {
    case REQUEST_NEXT:
        return reply_next(root);
    case REQUEST_ASK:
        return reply_ask(root, message);
    case REQUEST_TELL:
        return reply_tell(root, message);
    case REQUEST_DONE:
        return reply_done(root, message);
    case REQUEST_LEAVE:
        return reply_leave(root, message, sender);
    }
    return g_byte_array_new();
}

/* Those that are in the middle of a point ask for nothing: they are told. */
static void stop_ranks(struct root *root)
{
    for (int rank = 1; rank < root->ranks; rank++) {
        if (root->has_left[rank] || root->is_told[rank])
            continue;
        MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_STOP, MPI_COMM_WORLD);
        root->is_told[rank] = true;
    }
}

/* Answers a request if there is one. Sleeps a little if not, instead of waiting in MPI, which would
 * neither end at a signal nor leave the core to a rank beside it. */
static void serve_one(struct root *root)
{
    int is_there, sender;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_REQUEST, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (!is_there) {
        g_usleep(IDLE_US);
        return;
    }
    GByteArray *message = receive_message(MPI_ANY_SOURCE, TAG_REQUEST, &sender);
    send_message(reply_to(root, message, sender), sender, TAG_REPLY);
    g_byte_array_unref(message);
}

/* Serves the ranks until each has left. */
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
    bool has_begun; /* the others can count on this one */
};

static bool dispatch(void *context, const struct workers_job *job, GError **error)
{
    struct mpi_part *part = context;
    part->has_begun = true;
    if (part->ranks == 1)
        return workers_run(job, error);
    return part->rank == 0 ? serve_ranks(part->ranks, job, error) : run_for_root(job);
}

/* What ends the program early, as --help does, leaves MPI in order. */
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
    static const struct command command = {"gpunetsim-mpi", "FILE.lua",
                                           "Runs a study's points on the ranks of an MPI job."};
    struct mpi_part part = {.has_begun = false};
    standard_streams_take();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &part.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &part.ranks);
    atexit(finalize);
    if (part.rank > 0 && asks_for_help(argc, argv)) /* one rank tells */
        return EXIT_CODE_OK;
    interrupt_install();
    GError *error = NULL;
    int code = command_load_designs(&error)
                   ? sweep_with(&command, argc, argv, dispatch, &part, part.rank > 0)
                   : command_fail(error);
    if (code != EXIT_CODE_OK && !part.has_begun)
        MPI_Abort(MPI_COMM_WORLD, code); /* or the others would wait for it */
    interrupt_uninstall();               /* one that waits for the others is ended by a signal */
    finalize();
    return part.rank == 0 ? standard_streams_close(code) : EXIT_CODE_OK;
}
