/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/runtime_copy.h"

/* The lines of a call that are under way. */
struct copying {
    struct process *process;
    struct quiescence *quiescence;
    size_t left;
};

static void line_has_arrived(struct bus_request *request, void *argument)
{
    struct copying *copying = argument;
    (void)request;
    copying->quiescence->under_way--;
    if (--copying->left > 0)
        return;
    copying->quiescence->waiting_for_it--;
    process_wake(copying->process);
}

static void send_line(struct site *site, const struct line_copy *copy, struct copying *copying)
{
    struct bus_request *request = bus_request(site->bus);
    request->op = BUS_WRITE;
    request->from_slot = site->gpu_slot;
    request->at = copy->to;
    request->bytes = CACHE_LINE_BYTES;
    store_read(gpu_memory(site->gpu)->store, copy->from, request->data, CACHE_LINE_BYTES);
    request->done = line_has_arrived;
    request->argument = copying;
    bus_send(site->bus, request, 0);
}

void runtime_copy_to_host(struct agent *agent, struct site *site, struct software software,
                          const struct line_copy *copies, size_t count)
{
    sim_time call_ps = SOFTWARE_READ(software, runtime_call_ps);
    sim_time shift_ps = CLAMP(process_take_shift_over_bus(agent->process), -call_ps, call_ps);
    process_sleep(agent->process, call_ps + shift_ps);
    if (count == 0)
        return;
    struct quiescence *quiescence = agent->poller.of;
    struct copying copying = {agent->process, quiescence, count};
    for (size_t i = 0; i < count; i++)
        send_line(site, &copies[i], &copying);
    quiescence->under_way += (int64_t)count;
    quiescence->waiting_for_it++;
    process_suspend(agent->process, "a copy by the GPU's runtime");
}
