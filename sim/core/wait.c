/* SPDX-License-Identifier: BSD-3-Clause */
/* First come, first served, without gaps for others to slip into: what a waiter waits for is handed
 * to it at the moment it is given back, not left lying about until the waiter gets to run. So a
 * process that comes in between cannot take it, and nobody waits in a loop.
 *
 * Waiters live on the stacks of the processes that wait: a wait allocates nothing, and a waiter
 * whose deadline has come unlinks itself in O(1). */
#include "core/wait.h"

#include <glib.h>

#include "core/check.h"

/* --- signal ----------------------------------------------------------------------------------- */

struct signal_waiter {
    struct list_link link;
    struct process *process;
    uint64_t item; /* what a bounded queue's putter brings, or its getter takes away */
};

void signal_init(struct signal *signal)
{
    *signal = (struct signal){.waiters = {NULL, NULL}};
}

static struct signal_waiter *first_waiter(const struct signal *signal)
{
    return LIST_FIRST(&signal->waiters, struct signal_waiter, link);
}

void signal_wait(struct signal *signal, struct process *self, const char *reason)
{
    signal_wait_until(signal, self, SIM_TIME_MAX, reason);
}

bool signal_wait_until(struct signal *signal, struct process *self, sim_time deadline_ps,
                       const char *reason)
{
    struct signal_waiter waiter = {.process = self};
    list_append(&signal->waiters, &waiter.link);
    bool signalled = process_suspend_until(self, deadline_ps, reason);
    if (!signalled)
        list_remove(&signal->waiters, &waiter.link);
    return signalled;
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

/* --- bounded queue ---------------------------------------------------------------------------- */

/* A getter waits only while the queue is empty and is handed the next item put; a putter waits only
 * while it is full, and its item is taken in as soon as one has left. */

void bounded_queue_init(struct bounded_queue *queue, size_t capacity)
{
    check_release(capacity >= 1, "a bounded queue of capacity 0");
    *queue = (struct bounded_queue){.items = g_new(uint64_t, capacity), .capacity = capacity};
}

void bounded_queue_clear(struct bounded_queue *queue)
{
    check_release(list_is_empty(&queue->not_full.waiters) &&
                      list_is_empty(&queue->not_empty.waiters),
                  "a bounded queue was cleared while processes wait for it");
    g_free(queue->items);
    *queue = (struct bounded_queue){.items = NULL};
}

static void append(struct bounded_queue *queue, uint64_t item)
{
    size_t end = queue->first + queue->count;
    queue->items[end < queue->capacity ? end : end - queue->capacity] = item;
    queue->count++;
}

bool bounded_queue_try_put(struct bounded_queue *queue, uint64_t item)
{
    struct signal_waiter *getter = first_waiter(&queue->not_empty);
    if (getter) {
        getter->item = item;
        signal_one(&queue->not_empty);
        return true;
    }
    if (queue->count == queue->capacity)
        return false;
    append(queue, item);
    return true;
}

bool bounded_queue_try_get(struct bounded_queue *queue, uint64_t *item)
{
    if (queue->count == 0)
        return false;
    *item = queue->items[queue->first];
    queue->first = queue->first + 1 < queue->capacity ? queue->first + 1 : 0;
    queue->count--;
    const struct signal_waiter *putter = first_waiter(&queue->not_full);
    if (putter) {
        append(queue, putter->item);
        signal_one(&queue->not_full);
    }
    return true;
}

void bounded_queue_put(struct bounded_queue *queue, struct process *self, uint64_t item)
{
    process_sync(self);
    if (bounded_queue_try_put(queue, item))
        return;
    struct signal_waiter waiter = {.process = self, .item = item};
    list_append(&queue->not_full.waiters, &waiter.link);
    process_suspend(self, "queue full");
}

uint64_t bounded_queue_get(struct bounded_queue *queue, struct process *self)
{
    process_sync(self);
    uint64_t item;
    if (bounded_queue_try_get(queue, &item))
        return item;
    struct signal_waiter waiter = {.process = self};
    list_append(&queue->not_empty.waiters, &waiter.link);
    process_suspend(self, "queue empty");
    return waiter.item;
}

/* --- counted resource ------------------------------------------------------------------------- */

struct resource_waiter {
    struct list_link link;
    struct process *process;
    int64_t amount;
};

void resource_init(struct resource *resource, int64_t capacity)
{
    check_release(capacity >= 1, "a resource of capacity %lld", (long long)capacity);
    *resource = (struct resource){.capacity = capacity, .available = capacity};
}

bool resource_try_acquire(struct resource *resource, int64_t amount)
{
    check_release(amount >= 1 && amount <= resource->capacity,
                  "%lld of a resource of %lld were asked for", (long long)amount,
                  (long long)resource->capacity);
    if (!list_is_empty(&resource->waiters) || amount > resource->available)
        return false;
    resource->available -= amount;
    return true;
}

void resource_acquire(struct resource *resource, struct process *self, int64_t amount)
{
    process_sync(self);
    if (resource_try_acquire(resource, amount))
        return;
    struct resource_waiter waiter = {.process = self, .amount = amount};
    list_append(&resource->waiters, &waiter.link);
    process_suspend(self, "resource");
}

/* Gives the first in line what it waits for; false if nobody waits or there is not enough. */
static bool grant_first(struct resource *resource)
{
    struct resource_waiter *waiter = LIST_FIRST(&resource->waiters, struct resource_waiter, link);
    if (waiter == NULL || waiter->amount > resource->available)
        return false;
    list_remove(&resource->waiters, &waiter->link);
    resource->available -= waiter->amount;
    process_wake(waiter->process);
    return true;
}

void resource_release(struct resource *resource, int64_t amount)
{
    check_release(amount >= 1 && amount <= resource->capacity - resource->available,
                  "%lld of a resource were given back, %lld are out", (long long)amount,
                  (long long)(resource->capacity - resource->available));
    resource->available += amount;
    while (grant_first(resource))
        continue;
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
