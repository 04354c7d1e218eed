/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/apart.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "script/study/point.h"
#include "study/model/select.h"
#include "study/run/worker.h"
#include "study/system/channel.h"

/* "(msmv)": why the point failed, or what is handed on. */
#define HANDED_TYPE "(msmv)"

static GVariant *run_point(const struct apart_point *call)
{
    GError *error = NULL;
    struct machine *machine = study_machine(call->study, call->point, &error);
    if (!machine)
        return g_variant_new(HANDED_TYPE, error->message, NULL);
    machine->spec.listener = call->listener;
    struct row *row = study_run_point(call->study, call->point, machine, call->seed);
    return g_variant_new(HANDED_TYPE, row->failure,
                         row->failure ? NULL : call->pack(call->context, row));
}

_Noreturn static void run_in_child(const struct apart_point *call, int channel)
{
    GVariant *handed = g_variant_ref_sink(run_point(call));
    bool good = channel_send(channel, WORKER_RESULT, g_variant_get_data_as_bytes(handed));
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* What the child hands on, of HANDED_TYPE; NULL and an error if there is nothing. */
static GVariant *await_child(const struct apart_point *call, GError **error)
{
    int ends[2];
    char kind;
    g_autoptr(GBytes) payload = NULL;
    if (!channel_open(ends)) {
        error_set_code(error, ERROR_RUN, "no more sockets: %s", g_strerror(errno));
        return NULL;
    }
    pid_t pid = worker_fork();
    if (pid == 0)
        run_in_child(call, ends[1]);
    close(ends[1]);
    bool has_come = pid > 0 && channel_await(ends[0], &kind, &payload);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (has_come)
        return g_variant_ref_sink(
            g_variant_new_from_bytes(G_VARIANT_TYPE(HANDED_TYPE), payload, TRUE));
    error_set_code(error, ERROR_RUN, "the process that runs the point ended before its time");
    return NULL;
}

GVariant *apart_run(const struct apart_point *call, GError **error)
{
    g_autoptr(GVariant) handed = await_child(call, error), given = NULL;
    g_autofree char *failure = NULL;
    if (!handed)
        return NULL;
    g_variant_get(handed, HANDED_TYPE, &failure, &given);
    if (given && g_variant_is_of_type(given, G_VARIANT_TYPE(call->type)))
        return g_steal_pointer(&given);
    g_autofree char *name = point_label(call->study, call->point);
    error_set_code(error, ERROR_RUN, "at %s: %s", name, failure);
    return NULL;
}
