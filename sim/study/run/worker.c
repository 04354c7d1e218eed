/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker. It never runs a point itself: its memory stays as it was at its fork, except for the ground. A point's process whose
 * point ended without traces waits for another point. Even the ground is determined in a separate process, the surveyor, since a
 * script has to run for that. */
#include "study/run/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabric/platform.h"
#include "study/system/channel.h"

#define EXIT_UNFIT 77
#define EXIT_AGAIN 78 /* the point needs a fresh process */
#define EXIT_LACKS                                                                                 \
    79 /* the point has run, but had to make something that the worker can make for later points */

/* The most points that one process runs, so that memory kept by the C library stays small. */
#define PROCESS_POINTS 1000

/* Whether this worker has made what its points lacked. */
static bool is_supplied;

struct worker_link {
    int channel;
};

GBytes *worker_ask(struct worker_link *link, GBytes *question)
{
    char type;
    GBytes *answer;
    if (!channel_send(link->channel, WORKER_ASK, question) ||
        !channel_await(link->channel, &type, &answer))
        _exit(EXIT_FAILURE); /* the pool is gone */
    if (type == WORKER_KNOWN)
        return answer;
    g_bytes_unref(answer);
    return NULL;
}

void worker_tell(struct worker_link *link, GBytes *news)
{
    if (!channel_send(link->channel, WORKER_TELL, news))
        _exit(EXIT_FAILURE);
}

pid_t worker_fork(void)
{
    platform_share_simgrid();
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent died before that took effect */
        _exit(EXIT_FAILURE);
    return 0;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

GBytes *worker_apart(void (*work)(void *context, int channel), void *context, int *status)
{
    int ends[2];
    char type;
    GBytes *payload = NULL;
    *status = -1;
    if (!channel_open(ends))
        return NULL;
    pid_t pid = worker_fork();
    if (pid == 0) {
        work(context, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    if (pid > 0 && !channel_await(ends[0], &type, &payload))
        payload = NULL;
    close(ends[0]);
    if (pid > 0)
        *status = wait_for(pid);
    return payload;
}

/* Waits for the next point; false at the end of the run. Drops answers for a process that was ended before it could read them. */
static bool receive_point(int channel, guint64 *point)
{
    char type;
    GBytes *payload;
    while (channel_await(channel, &type, &payload)) {
        gsize length;
        const void *bytes = g_bytes_get_data(payload, &length);
        bool is_point = type == WORKER_POINT && length == sizeof *point;
        if (is_point)
            memcpy(point, bytes, length);
        g_bytes_unref(payload);
        if (is_point)
            return true;
    }
    return false;
}

/* --- processes of points ---------------------------------------------------------------------- */

static void limit_memory(guint64 bytes)
{
    struct rlimit space = {bytes, bytes}, core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    if (bytes > 0)
        setrlimit(RLIMIT_AS, &space);
}

/* At the limit SIGALRM ends the process, even if it hangs. */
static void limit_time(gint64 limit_us)
{
    struct itimerval timer = {.it_value = {limit_us / G_USEC_PER_SEC, limit_us % G_USEC_PER_SEC}};
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Runs the point and sends its result. Returns whether the process may run another point. */
static bool run_point(const struct workers_job *job, size_t point, int channel, bool is_used)
{
    struct worker_link link = {channel};
    limit_time(job->time_limit_us);
    if (job->fits && !job->fits(job->context, point))
        _exit(is_used ? EXIT_AGAIN : EXIT_UNFIT);
    g_autoptr(GBytes) result = job->run(job->context, point, &link);
    enum point_traces traces = job->traces ? job->traces(job->context) : POINT_LEFT_TRACES;
    if (is_used && traces == POINT_IS_DOUBTFUL)
        _exit(EXIT_AGAIN);
    if (!channel_send(channel, WORKER_RESULT, result))
        _exit(EXIT_FAILURE);
    limit_time(0);
    return traces == POINT_LEFT_NONE;
}

/* A point's process: takes points from its worker through `own`, and reports each time that it can take another. */
_Noreturn static void run_points(const struct workers_job *job, int channel, int own)
{
    guint64 point;
    limit_memory(job->memory_limit_bytes);
    for (unsigned count = 1; receive_point(own, &point); count++) {
        if (!run_point(job, point, channel, count > 1) || count == PROCESS_POINTS)
            break; /* the worker takes the end of the process for the answer */
        channel_send(own, WORKER_FREE, NULL);
    }
    _exit(job->supply && !is_supplied && job->lacks(job->context) ? EXIT_LACKS : EXIT_SUCCESS);
}

/* --- the worker ------------------------------------------------------------------------------- */

struct surveyed {
    const struct workers_job *job;
    size_t point;
};

static void survey_point(void *context, int channel)
{
    const struct surveyed *of = context;
    limit_memory(of->job->memory_limit_bytes);
    limit_time(of->job->time_limit_us);
    GBytes *ground = of->job->survey(of->job->context, of->point);
    if (ground)
        channel_send(channel, WORKER_KNOWN, ground);
}

/* The ground of a point; NULL if it has none, or if its surveyor fails: then the point will fail, too, and report why. */
static GBytes *survey(const struct workers_job *job, size_t point)
{
    int status;
    return job->survey ? worker_apart(survey_point, &(struct surveyed){job, point}, &status) : NULL;
}

static void send_end(int channel, int status)
{
    gint32 number = status;
    g_autoptr(GBytes) payload = g_bytes_new(&number, sizeof number);
    if (!channel_send(channel, WORKER_END, payload))
        _exit(EXIT_FAILURE);
}

/* A point's process, from its worker's side. */
struct point_process {
    pid_t pid; /* 0: none */
    int end;   /* the worker's end of the channel to it */
};

static void start_process(const struct workers_job *job, int channel, struct point_process *process)
{
    int ends[2];
    if (!channel_open(ends))
        _exit(EXIT_FAILURE);
    pid_t pid = worker_fork();
    if (pid == 0) {
        close(ends[0]);
        run_points(job, channel, ends[1]);
    }
    if (pid < 0)
        _exit(EXIT_FAILURE);
    close(ends[1]);
    *process = (struct point_process){pid, ends[0]};
}

/* Whether the process has run the point and waits for another one. */
static bool has_run(const struct point_process *process, guint64 point)
{
    char type;
    GBytes *nothing;
    g_autoptr(GBytes) payload = g_bytes_new(&point, sizeof point);
    if (!channel_send(process->end, WORKER_POINT, payload) ||
        !channel_await(process->end, &type, &nothing))
        return false;
    g_bytes_unref(nothing);
    return true;
}

static int end_process(const struct workers_job *job, struct point_process *process)
{
    close(process->end);
    int status = wait_for(process->pid);
    process->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_LACKS)
        return status;
    job->supply(job->context);
    is_supplied = true;
    return 0;
}

/* Runs the point in a process. Returns the process's wait status; 0: it goes on. If a process ends that has run other points
 * before, those may be the cause: then the point runs again in a new process. */
static int serve_point(const struct workers_job *job, int channel, struct point_process *process,
                       guint64 point)
{
    while (true) {
        bool was_used = process->pid > 0;
        if (!was_used)
            start_process(job, channel, process);
        if (has_run(process, point))
            return 0;
        int status = end_process(job, process);
        if (!was_used || status == 0)
            return status;
    }
}

void worker_serve(const struct workers_job *job, int channel)
{
    struct point_process process = {.pid = 0};
    guint64 point;
    for (bool is_first = true; receive_point(channel, &point); is_first = false) {
        if (is_first && job->fits_alike)
            job->fits(job->context, point);
        g_autoptr(GBytes) ground = is_first ? survey(job, point) : NULL;
        if (ground)
            job->build(job->context, ground);
        int status = serve_point(job, channel, &process, point);
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNFIT) {
            channel_send(channel, WORKER_UNFIT, NULL);
            _exit(EXIT_SUCCESS);
        }
        send_end(channel, status);
    }
    if (process.pid)
        end_process(job, &process);
    _exit(EXIT_SUCCESS);
}
