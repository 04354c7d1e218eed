/* A pool of forked processes.
 *
 * Each child has two pipes to the parent: one for its packed row, one for whatever it prints, since
 * a failed check explains itself on standard error and that sentence belongs into the row. The
 * parent reads both until they close and then asks how the child ended. */
#include "study/workers.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/error.h"
#include "study/interrupt.h"
#include "study/pack.h"

#define SPOKEN_BYTES 4096 /* of a child's own words; the rest is read and dropped */

enum pipe_number { PIPE_ROW, PIPE_WORDS, PIPES };

struct worker {
    pid_t pid; /* 0: idle */
    size_t point;
    int fds[PIPES]; /* -1 once closed */
    GByteArray *received[PIPES];
};

struct worker_pool {
    const struct workers_job *job;
    struct worker *workers;
    size_t points, started, done, failed;
    struct row **rows;
    sigset_t outside;
};

unsigned workers_default(void)
{
    return g_get_num_processors();
}

static size_t count_points(const struct workers_job *job)
{
    size_t points = 1;
    for (size_t i = 0; i < job->axis_count; i++)
        points *= job->axes[i].count;
    return points;
}

void workers_free_rows(struct row **rows, size_t count)
{
    for (size_t i = 0; rows && i < count; i++)
        row_free(rows[i]);
    g_free(rows);
}

/* --- child --------------------------------------------------------------------------------------
 */

_Noreturn static void child(const struct worker_pool *pool, size_t point, int row_fd, int words_fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_ignore_in_worker();
    interrupt_release(&pool->outside);
    dup2(words_fd, STDOUT_FILENO);
    dup2(words_fd, STDERR_FILENO);
    g_autoptr(GBytes) packed = pack_row(pool->job->run(pool->job->context, point));
    gsize length;
    const char *bytes = g_bytes_get_data(packed, &length);
    while (length > 0) {
        ssize_t written = write(row_fd, bytes, length);
        if (written < 0 && errno != EINTR)
            _exit(1);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    _exit(0);
}

/* --- parent -------------------------------------------------------------------------------------
 */

static void close_pipe(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool start(struct worker_pool *pool, struct worker *worker, GError **error)
{
    int ends[PIPES][2] = {{-1, -1}, {-1, -1}};
    if (pipe(ends[PIPE_ROW]) == 0 && pipe(ends[PIPE_WORDS]) == 0)
        worker->pid = fork();
    else
        worker->pid = -1;
    if (worker->pid == 0)
        child(pool, pool->started, ends[PIPE_ROW][1], ends[PIPE_WORDS][1]);
    int number = errno;
    for (int i = 0; i < PIPES; i++) {
        close_pipe(&ends[i][1]);
        worker->fds[i] = ends[i][0];
        g_byte_array_set_size(worker->received[i], 0);
    }
    if (worker->pid < 0) {
        worker->pid = 0;
        close_pipe(&worker->fds[PIPE_ROW]);
        close_pipe(&worker->fds[PIPE_WORDS]);
        g_set_error(error, STUDY_ERROR, STUDY_ERROR_RUN, "cannot start a worker process: %s",
                    g_strerror(number));
        return false;
    }
    worker->point = pool->started++;
    return true;
}

static char *first_line(const GByteArray *words)
{
    if (words->len == 0)
        return g_strdup("");
    const char *text = (const char *)words->data;
    const char *end = memchr(text, '\n', words->len);
    g_autofree char *line = g_strndup(text, end ? (gsize)(end - text) : words->len);
    return g_utf8_make_valid(g_strstrip(line), -1);
}

static char *why_no_row(const struct worker *worker, int status)
{
    g_autofree char *words = first_line(worker->received[PIPE_WORDS]);
    const char *colon = *words ? ": " : "";
    if (WIFSIGNALED(status))
        return g_strdup_printf("its process was ended by signal %d (%s)%s%s", WTERMSIG(status),
                               g_strsignal(WTERMSIG(status)), colon, words);
    return g_strdup_printf("its process ended with exit code %d and no result%s%s",
                           WEXITSTATUS(status), colon, words);
}

static void finish(struct worker_pool *pool, struct worker *worker)
{
    const struct workers_job *job = pool->job;
    int status = 0;
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    worker->pid = 0;
    const GByteArray *received = worker->received[PIPE_ROW];
    g_autoptr(GBytes) bytes = g_bytes_new(received->data, received->len);
    struct row *row = NULL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        row = unpack_row(bytes, job->axes, job->axis_count, worker->point);
    if (!row)
        row = row_of_failure(job->axes, job->axis_count, worker->point, why_no_row(worker, status));
    pool->rows[worker->point] = row;
    pool->done++;
    if (row->failure)
        pool->failed++;
    if (job->progress)
        job->progress(job->progress_context, pool->done, pool->failed);
}

/* Reads what there is; at the end of the stream the pipe is closed. */
static void receive(struct worker *worker, int pipe_number)
{
    guint8 buffer[4096];
    ssize_t length = read(worker->fds[pipe_number], buffer, sizeof buffer);
    if (length < 0 && errno == EINTR)
        return;
    if (length <= 0) {
        close_pipe(&worker->fds[pipe_number]);
        return;
    }
    GByteArray *received = worker->received[pipe_number];
    if (pipe_number == PIPE_WORDS && received->len >= SPOKEN_BYTES)
        return;
    g_byte_array_append(received, buffer, (guint)length);
}

/* Waits until a worker has something to say or a signal comes. */
static void listen_to_workers(struct worker_pool *pool, struct pollfd *polled)
{
    unsigned count = pool->job->workers;
    for (unsigned i = 0; i < count * PIPES; i++) {
        const struct worker *worker = &pool->workers[i / PIPES];
        int fd = worker->pid ? worker->fds[i % PIPES] : -1;
        polled[i] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    if (ppoll(polled, (nfds_t)count * PIPES, NULL, &pool->outside) < 0)
        return;
    for (unsigned i = 0; i < count * PIPES; i++) {
        if (polled[i].revents)
            receive(&pool->workers[i / PIPES], (int)(i % PIPES));
    }
    for (unsigned i = 0; i < count; i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->pid && worker->fds[PIPE_ROW] < 0 && worker->fds[PIPE_WORDS] < 0)
            finish(pool, worker);
    }
}

static bool start_idle(struct worker_pool *pool, GError **error)
{
    for (unsigned i = 0; i < pool->job->workers && pool->started < pool->points; i++) {
        if (!pool->workers[i].pid && !start(pool, &pool->workers[i], error))
            return false;
    }
    return true;
}

static bool run_all(struct worker_pool *pool, GError **error)
{
    g_autofree struct pollfd *polled = g_new(struct pollfd, pool->job->workers * PIPES);
    while (pool->done < pool->points) {
        if (interrupt_pending(error) || !start_idle(pool, error))
            return false;
        listen_to_workers(pool, polled);
    }
    return true;
}

static void end_workers(struct worker_pool *pool)
{
    for (unsigned i = 0; i < pool->job->workers; i++) {
        struct worker *worker = &pool->workers[i];
        if (worker->pid) {
            kill(worker->pid, SIGKILL);
            close_pipe(&worker->fds[PIPE_ROW]);
            close_pipe(&worker->fds[PIPE_WORDS]);
            while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
                continue;
        }
        for (int p = 0; p < PIPES; p++)
            g_byte_array_unref(worker->received[p]);
    }
    g_free(pool->workers);
}

struct row **workers_run(const struct workers_job *job, GError **error)
{
    struct worker_pool pool = {.job = job, .points = count_points(job)};
    pool.rows = g_new0(struct row *, pool.points);
    pool.workers = g_new0(struct worker, job->workers);
    for (unsigned i = 0; i < job->workers; i++) {
        for (int p = 0; p < PIPES; p++) {
            pool.workers[i].fds[p] = -1;
            pool.workers[i].received[p] = g_byte_array_new();
        }
    }
    interrupt_hold(&pool.outside);
    bool ran = run_all(&pool, error);
    end_workers(&pool);
    interrupt_release(&pool.outside);
    if (ran)
        return pool.rows;
    for (size_t i = 0; i < pool.points; i++) {
        if (pool.rows[i])
            row_free(pool.rows[i]);
    }
    g_free(pool.rows);
    return NULL;
}
