/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiters live on the stacks of the processes that wait: a wait allocates nothing. */
#include "core/wait.h"

#include "core/check.h"

/* --- signal ----------------------------------------------------------------------------------- */

struct signal_waiter {
    struct list_link link;
    struct process *process;
};

void signal_init(struct signal *signal)
{
    *signal = (struct signal){.waiters = {NULL, NULL}};
}

void signal_wait(struct signal *signal, struct process *self, const char *reason)
{
    struct signal_waiter waiter = {.process = self};
    list_append(&signal->waiters, &waiter.link);
    process_suspend(self, reason);
}

size_t signal_one(struct signal *signal)
{
    struct signal_waiter *first = LIST_TAKE(&signal->waiters, struct signal_waiter, link);
    if (!first)
        return 0;
    process_wake(first->process);
    return 1;
}

size_t signal_all(struct signal *signal)
{
    size_t woken = 0;
    while (signal_one(signal))
        woken++;
    return woken;
}

/* --- bandwidth server ------------------------------------------------------------------------- */

void bandwidth_server_init(struct bandwidth_server *server, int64_t rate_Bps)
{
    check_release(rate_Bps > 0, "a server's rate is %lld B/s", (long long)rate_Bps);
    *server = (struct bandwidth_server){.rate_Bps = rate_Bps};
}

sim_time bandwidth_server_serve(struct bandwidth_server *server, sim_time now_ps, int64_t bytes)
{
    check_debug(bytes >= 0, "a server was given %lld bytes", (long long)bytes);
    sim_time start_ps = now_ps > server->line.free_at_ps ? now_ps : server->line.free_at_ps;
    sim_time sent_ps = bandwidth_line_serve(&server->line, server->rate_Bps, now_ps, bytes);
    server->busy_ps = moment_after(server->busy_ps, server->line.free_at_ps - start_ps);
    if (__builtin_add_overflow(server->bytes_served, bytes, &server->bytes_served))
        server->bytes_served = INT64_MAX;
    return sent_ps;
}
