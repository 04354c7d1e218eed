/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/memory/bus_wait.h"

#include <string.h>

struct waiting {
    struct process *process;
    void *data; /* NULL for an atomic */
    size_t bytes;
    uint64_t old;
};

static void completion_is_back(struct bus_request *request, void *argument)
{
    struct waiting *waiting = argument;
    if (waiting->data != NULL)
        memcpy(waiting->data, request->data, waiting->bytes);
    waiting->old = request->operand;
    process_wake_at_once(waiting->process);
}

struct bus_request *bus_path_request(const struct bus_path *path, enum bus_op op, address at,
                                     size_t bytes)
{
    struct bus_request *request = bus_request(path->bus);
    request->op = op;
    request->from_slot = path->slot;
    request->shift_ps = path->shift_ps;
    request->is_flush = path->is_flush;
    request->at = at;
    request->bytes = (int64_t)bytes;
    return request;
}

static void there_and_back(const struct bus_path *path, struct bus_request *request,
                           struct waiting *waiting)
{
    request->done = completion_is_back;
    request->argument = waiting;
    request->homeward_ps = path->homeward_ps;
    request->ahead_ps = process_take_local_offset(waiting->process);
    bus_send(path->bus, request, request->ahead_ps + path->outward_ps);
    process_suspend(waiting->process, "a completion over the bus");
}

void bus_path_read(const struct bus_path *path, struct process *self, address at, void *data,
                   size_t bytes)
{
    struct waiting waiting = {.process = self, .data = data, .bytes = bytes};
    struct bus_request *request = bus_path_request(path, BUS_READ, at, bytes);
    if (!path->is_flush)
        request->shift_ps = process_take_shift_over_bus(self);
    there_and_back(path, request, &waiting);
}

uint64_t bus_path_atomic(const struct bus_path *path, struct process *self, address at,
                         enum atomic_op op, uint64_t operand, uint64_t compare)
{
    struct waiting waiting = {.process = self};
    struct bus_request *request = bus_path_request(path, BUS_ATOMIC, at, sizeof operand);
    request->atomic = op;
    request->operand = operand;
    request->compare = compare;
    there_and_back(path, request, &waiting);
    return waiting.old;
}

/* --- several at a time ------------------------------------------------------------------------- */

static void load_is_home(struct bus_request *request, void *argument)
{
    struct bus_load *load = argument;
    memcpy(load->data, request->data, load->bytes);
    load->is_done = true;
    load->quiescence->under_way--;
    if (load->awaiting == NULL)
        return;
    load->quiescence->waiting_for_it--;
    process_wake_at_once(load->awaiting);
}

void bus_path_start_read(const struct bus_path *path, struct process *self,
                         struct quiescence *quiescence, struct bus_load *load, address at,
                         void *data, size_t bytes)
{
    struct bus_request *request = bus_path_request(path, BUS_READ, at, bytes);
    *load = (struct bus_load){.quiescence = quiescence, .data = data, .bytes = bytes};
    request->done = load_is_home;
    request->argument = load;
    request->homeward_ps = path->homeward_ps;
    request->ahead_ps = process_local_offset_ps(self);
    quiescence->under_way++;
    bus_send(path->bus, request, request->ahead_ps + path->outward_ps);
}

void bus_path_finish_read(struct bus_load *load, struct process *self)
{
    if (load->is_done)
        return;
    load->awaiting = self;
    load->quiescence->waiting_for_it++;
    process_take_local_offset(self); /* the local offset counts as part of the load's way */
    process_suspend(self, "a completion over the bus");
}

void bus_path_load_all(struct bus_path path, struct process *self, struct quiescence *quiescence,
                       const struct memory_load *loads, size_t count, size_t step, size_t window)
{
    struct bus_load under_way[LOADS_IN_FLIGHT_MAX];
    size_t started = 0, finished = 0;
    path.shift_ps = process_take_shift_over_bus(self);
    for (size_t i = 0; i < count; i++)
        for (size_t done = 0; done < loads[i].bytes; done += step) {
            size_t left = loads[i].bytes - done;
            if (started - finished == window) {
                bus_path_finish_read(&under_way[finished++ % window], self);
                path.shift_ps = 0; /* the first loads have taken the shift */
            }
            bus_path_start_read(&path, self, quiescence, &under_way[started++ % window],
                                loads[i].at + done, (uint8_t *)loads[i].data + done,
                                left < step ? left : step);
        }
    while (finished < started)
        bus_path_finish_read(&under_way[finished++ % window], self);
}
