/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool: the side of the process that keeps results.
 *
 * Each worker has a channel for messages and a pipe for all output of it and its points, since a failed check prints its
 * sentence on standard error, and the result has to contain it. */
#include "study/run/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "study/run/worker.h"
#include "study/system/channel.h"
#include "study/system/interrupt.h"

#define SPOKEN_BYTES 4096 /* most bytes kept of a point's output; the rest is dropped */
#define MOST_MOVES 2      /* moves of one point from worker to worker */
#define MOST_RUNS 3       /* runs of one point whose process is ended from outside */
#define ALONE_US 50000    /* time after which other workers help the first one; not noticeable */

struct worker {
    pid_t pid; /* 0: none */
    int channel, words;
    struct channel_inbox inbox;
    bool is_busy;
    size_t point;
    unsigned moves; /* how many workers the point did not fit */
    unsigned runs;  /* runs of the point so far */
    gint64 started_us, clock_us;
    GString *spoken;
    GBytes *result;
};

struct worker_pool {
    const struct workers_job *job;
    struct worker *workers;
    bool is_drained; /* no points are left */
    bool is_patient; /* the first worker works alone, as points may be few and short */
    gint64 since_us;
    unsigned busy;
    sigset_t outside;
};

unsigned workers_default(void)
{
    return g_get_num_processors();
}

/* --- starting and ending ---------------------------------------------------------------------- */

_Noreturn static void become_worker(struct worker_pool *pool, int channel, int words)
{
    interrupt_ignore_in_worker();
    interrupt_release(&pool->outside);
    dup2(words, STDOUT_FILENO);
    dup2(words, STDERR_FILENO);
    for (unsigned i = 0; i < pool->job->workers; i++) { /* else they would not end with the pool */
        if (pool->workers[i].pid)
            close(pool->workers[i].channel);
    }
    worker_serve(pool->job, channel);
}

static bool fail_start(GError **error)
{
    error_set_code(error, ERROR_RUN, "cannot start a worker process: %s", g_strerror(errno));
    return false;
}

static bool start_worker(struct worker_pool *pool, struct worker *worker, GError **error)
{
    int ends[2], words[2];
    if (!channel_open(ends))
        return fail_start(error);
    if (pipe2(words, O_CLOEXEC) != 0) {
        close(ends[0]);
        close(ends[1]);
        return fail_start(error);
    }
    worker->pid = worker_fork();
    if (worker->pid == 0) {
        close(ends[0]);
        become_worker(pool, ends[1], words[1]);
    }
    bool is_there = worker->pid > 0 || fail_start(error);
    close(ends[1]);
    close(words[1]);
    worker->channel = ends[0];
    worker->words = words[0];
    fcntl(worker->words, F_SETFL, O_NONBLOCK);
    if (is_there)
        return true;
    close(ends[0]);
    close(words[0]);
    worker->pid = 0;
    return false;
}

/* Ends a worker by closing its channel; returns its wait status. */
static int end_worker(struct worker *worker)
{
    int status = 0;
    close(worker->channel);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(worker->words);
    channel_inbox_clear(&worker->inbox);
    worker->pid = 0;
    return status;
}

/* --- one point -------------------------------------------------------------------------------- */

/* Sends the worker its point, after starting the worker if necessary. Drops what an earlier run of the point has left. */
static bool send_point(struct worker_pool *pool, struct worker *worker, GError **error)
{
    guint64 number = worker->point;
    worker->started_us = g_get_real_time();
    worker->clock_us = g_get_monotonic_time();
    g_string_set_size(worker->spoken, 0);
    g_clear_pointer(&worker->result, g_bytes_unref);
    g_autoptr(GBytes) payload = g_bytes_new(&number, sizeof number);
    if (!worker->pid && !start_worker(pool, worker, error))
        return false;
    channel_send(worker->channel, WORKER_POINT, payload); /* a failure is noticed later */
    return true;
}

static bool start_point(struct worker_pool *pool, struct worker *worker, GError **error)
{
    if (!pool->job->next(pool->job->context, &worker->point)) {
        pool->is_drained = true;
        return true;
    }
    worker->is_busy = true;
    worker->moves = 0;
    worker->runs = 1;
    pool->busy++;
    return send_point(pool, worker, error);
}

static char *first_line(const GString *spoken)
{
    g_auto(GStrv) lines = g_strsplit(spoken->str, "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        if (*g_strstrip(lines[i]))
            return g_utf8_make_valid(lines[i], -1);
    }
    return g_strdup("");
}

/* Signals that a process causes itself say something about its point; other signals do not. */
bool workers_ended_from_outside(int status)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT,
                              SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ, SIGPIPE};
    if (!WIFSIGNALED(status))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(own); i++) {
        if (WTERMSIG(status) == own[i])
            return false;
    }
    return true;
}

char *workers_tell_end(int status)
{
    if (WIFSIGNALED(status))
        return g_strdup_printf("its process was ended by signal %d (%s)", WTERMSIG(status),
                               g_strsignal(WTERMSIG(status)));
    return g_strdup_printf("its process ended with exit code %d and no result",
                           WEXITSTATUS(status));
}

static bool took_too_long(const struct workers_job *job, int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM && job->time_limit_us > 0;
}

char *workers_took_longer(gint64 limit_us)
{
    return g_strdup_printf(WORKERS_TOOK_LONGER " of %g s", (double)limit_us / 1e6);
}

static char *why_no_result(const struct workers_job *job, const struct worker *worker, int status)
{
    if (took_too_long(job, status))
        return workers_took_longer(job->time_limit_us);
    g_autofree char *words = first_line(worker->spoken), *end = workers_tell_end(status);
    return g_strconcat(end, *words ? ": " : "", words, NULL);
}

/* Hands on the end of a point; `failure`, which is taken over, if there is no result. */
static bool finish_point(struct worker_pool *pool, struct worker *worker, char *failure,
                         bool is_from_outside, GError **error)
{
    struct worker_outcome outcome = {.result = failure ? NULL : worker->result,
                                     .failure = failure,
                                     .is_from_outside = is_from_outside,
                                     .started_us = worker->started_us,
                                     .duration_us = g_get_monotonic_time() - worker->clock_us};
    worker->is_busy = false;
    pool->busy--;
    bool is_good = pool->job->done(pool->job->context, worker->point, &outcome, error);
    g_clear_pointer(&worker->result, g_bytes_unref);
    g_free(failure);
    return is_good;
}

/* Handles the end of a point's process, or of its worker, with that wait status and without a result. */
static bool finish_without_result(struct worker_pool *pool, struct worker *worker, int status,
                                  GError **error)
{
    bool is_from_outside = workers_ended_from_outside(status) && !took_too_long(pool->job, status);
    if (is_from_outside && worker->runs++ < MOST_RUNS)
        return send_point(pool, worker, error);
    return finish_point(pool, worker, why_no_result(pool->job, worker, status), is_from_outside,
                        error);
}

/* --- messages --------------------------------------------------------------------------------- */

static void read_words(struct worker *worker)
{
    char buffer[4096];
    ssize_t length;
    while ((length = read(worker->words, buffer, sizeof buffer)) > 0) {
        gsize room = SPOKEN_BYTES - MIN(worker->spoken->len, SPOKEN_BYTES);
        g_string_append_len(worker->spoken, buffer, (gssize)MIN(room, (gsize)length));
    }
}

static bool point_ended(struct worker_pool *pool, struct worker *worker, GBytes *payload,
                        GError **error)
{
    gint32 status;
    gsize length;
    memcpy(&status, g_bytes_get_data(payload, &length), sizeof status);
    bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && worker->result;
    read_words(worker);
    return is_good ? finish_point(pool, worker, NULL, false, error)
                   : finish_without_result(pool, worker, status, error);
}

/* The point does not fit its worker: it goes to a new worker, which builds the right ground. */
static bool point_unfit(struct worker_pool *pool, struct worker *worker, GError **error)
{
    end_worker(worker);
    if (++worker->moves > MOST_MOVES)
        return finish_point(
            pool, worker, g_strdup("the machine of the point is not the same twice"), false, error);
    return send_point(pool, worker, error);
}

/* Handles the death of a worker, with or without a point. */
static bool worker_lost(struct worker_pool *pool, struct worker *worker, GError **error)
{
    read_words(worker);
    int status = end_worker(worker);
    return !worker->is_busy || finish_without_result(pool, worker, status, error);
}

static bool answer_question(struct worker_pool *pool, const struct worker *worker, GBytes *question)
{
    const struct workers_job *job = pool->job;
    g_autoptr(GBytes) answer = job->answer ? job->answer(job->context, question) : NULL;
    channel_send(worker->channel, answer ? WORKER_KNOWN : WORKER_BLANK, answer);
    return true;
}

static bool take_message(struct worker_pool *pool, struct worker *worker, char type,
                         GBytes *payload, GError **error)
{
    const struct workers_job *job = pool->job;
    switch ((enum worker_message)type) {
    case WORKER_ASK:
        return answer_question(pool, worker, payload);
    case WORKER_TELL:
        return !job->hear || job->hear(job->context, payload, error);
    case WORKER_RESULT:
        /* result of a process that could not end well */
        g_clear_pointer(&worker->result, g_bytes_unref);
        worker->result = g_bytes_ref(payload);
        return true;
    case WORKER_END:
        return point_ended(pool, worker, payload, error);
    case WORKER_UNFIT:
        return point_unfit(pool, worker, error);
    case WORKER_POINT:
    case WORKER_KNOWN:
    case WORKER_BLANK:
    case WORKER_FREE:
        break; /* these are only sent to workers */
    }
    return true;
}

static bool receive(struct worker_pool *pool, struct worker *worker, GError **error)
{
    char type;
    GBytes *payload;
    switch (channel_receive(worker->channel, &worker->inbox, &type, &payload)) {
    case CHANNEL_PART:
        return true;
    case CHANNEL_END:
        return worker_lost(pool, worker, error);
    case CHANNEL_MESSAGE:
        break;
    }
    bool is_good = take_message(pool, worker, type, payload, error);
    g_bytes_unref(payload);
    return is_good;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Waits until a worker sends a message or a signal comes. */
static bool listen_to_workers(struct worker_pool *pool, struct pollfd *polled, GError **error)
{
    static const struct timespec between_looks = {.tv_nsec = 50000000},
                                 alone = {.tv_nsec = ALONE_US * 1000};
    unsigned count = pool->job->workers;
    for (unsigned i = 0; i < count; i++) {
        const struct worker *worker = &pool->workers[i];
        polled[2 * i] = (struct pollfd){.fd = worker->pid ? worker->channel : -1, .events = POLLIN};
        polled[2 * i + 1] =
            (struct pollfd){.fd = worker->is_busy ? worker->words : -1, .events = POLLIN};
    }
    const struct timespec *until = pool->is_patient        ? &alone
                                   : pool->job->is_stopped ? &between_looks
                                                           : NULL;
    if (ppoll(polled, (nfds_t)count * 2, until, &pool->outside) < 0)
        return true;
    for (unsigned i = 0; i < count; i++) {
        if (polled[2 * i + 1].revents)
            read_words(&pool->workers[i]);
        if (polled[2 * i].revents && !receive(pool, &pool->workers[i], error))
            return false;
    }
    return true;
}

/* The number of workers allowed now: at first one, unless earlier workers of this process were busy for longer. */
static unsigned workers_allowed(struct worker_pool *pool)
{
    static bool had_more_to_do;
    if (pool->is_patient && g_get_monotonic_time() - pool->since_us >= ALONE_US)
        had_more_to_do = true;
    pool->is_patient = !had_more_to_do && pool->job->workers > 1;
    return pool->is_patient ? 1 : pool->job->workers;
}

static bool start_idle(struct worker_pool *pool, GError **error)
{
    unsigned allowed = workers_allowed(pool);
    for (unsigned i = 0; i < allowed && !pool->is_drained; i++) {
        if (!pool->workers[i].is_busy && !start_point(pool, &pool->workers[i], error))
            return false;
    }
    return true;
}

static bool must_end(const struct worker_pool *pool, GError **error)
{
    const struct workers_job *job = pool->job;
    return interrupt_pending(error) || (job->is_stopped && job->is_stopped(job->context, error));
}

static bool run_all(struct worker_pool *pool, GError **error)
{
    g_autofree struct pollfd *polled = g_new(struct pollfd, pool->job->workers * 2);
    while (true) {
        if (interrupt_asked() && pool->job->tell)
            pool->job->tell(pool->job->context);
        if (must_end(pool, error) || !start_idle(pool, error))
            return false;
        if (pool->busy == 0)
            return true;
        if (!listen_to_workers(pool, polled, error))
            return false;
    }
}

/* Ends the workers. A worker that waits for a point ends when its channel closes, after its point's process, whose processor
 * time is thereby counted for this process's children. */
static void end_workers(struct worker_pool *pool)
{
    for (unsigned i = 0; i < pool->job->workers; i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->is_busy && worker->pid)
            kill(worker->pid, SIGKILL);
        if (worker->pid)
            end_worker(worker);
        g_clear_pointer(&worker->result, g_bytes_unref);
        g_string_free(worker->spoken, TRUE);
    }
    g_free(pool->workers);
}

bool workers_run(const struct workers_job *job, GError **error)
{
    struct worker_pool pool = {.job = job,
                               .workers = g_new0(struct worker, job->workers),
                               .is_patient = true,
                               .since_us = g_get_monotonic_time()};
    for (unsigned i = 0; i < job->workers; i++)
        pool.workers[i].spoken = g_string_new(NULL);
    interrupt_hold(&pool.outside);
    bool is_done = run_all(&pool, error);
    end_workers(&pool);
    interrupt_release(&pool.outside);
    return is_done;
}
