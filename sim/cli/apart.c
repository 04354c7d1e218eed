#include "cli/apart.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "study/run/worker.h"
#include "study/system/channel.h"

_Noreturn static void run_in_child(apart_work *work, void *argument, int channel)
{
    GVariant *given = g_variant_ref_sink(work(argument));
    bool good = channel_send(channel, WORKER_RESULT, g_variant_get_data_as_bytes(given));
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

GVariant *apart_run(apart_work *work, void *argument, const char *type, GError **error)
{
    int ends[2];
    char kind;
    GBytes *payload = NULL;
    if (!channel_open(ends)) {
        error_set_code(error, ERROR_RUN, "no more sockets: %s", g_strerror(errno));
        return NULL;
    }
    pid_t pid = worker_fork();
    if (pid == 0)
        run_in_child(work, argument, ends[1]);
    close(ends[1]);
    bool has_come = pid > 0 && channel_await(ends[0], &kind, &payload);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (!has_come) {
        error_set_code(error, ERROR_RUN, "the process that runs the point ended before its time");
        return NULL;
    }
    GVariant *given =
        g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), payload, TRUE));
    g_bytes_unref(payload);
    return given;
}
