#include "models/host/inbound.h"

#include "core/event.h"

struct inbound_request {
    struct bus_request *request;
    struct inbound_request *next;
};

/* A line whose last writer is a device. */
struct written_line {
    gint64 line; /* first: it is the key */
    sim_time at_ps;
    bool by_device;
};

void inbound_init(struct inbound *inbound)
{
    pool_init(&inbound->requests, sizeof(struct inbound_request));
    if (inbound->bounced_line_ps > 0 || inbound->written_line_ps > 0)
        inbound->lines = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

void inbound_clear(struct inbound *inbound)
{
    if (inbound->lines != NULL)
        g_hash_table_destroy(inbound->lines);
    line_gap_clear(&inbound->atomics);
    pool_clear(&inbound->requests);
}

static struct written_line *find(const struct inbound *inbound, address at)
{
    const gint64 line = (gint64)(at / CACHE_LINE_BYTES);
    return inbound->lines != NULL ? g_hash_table_lookup(inbound->lines, &line) : NULL;
}

static void device_writes(struct inbound *inbound, address at)
{
    struct written_line *line = find(inbound, at);
    if (line == NULL) {
        line = g_new0(struct written_line, 1);
        line->line = (gint64)(at / CACHE_LINE_BYTES);
        g_hash_table_add(inbound->lines, line);
    } else if (line->by_device && directory_others_hold(inbound->directory, DIRECTORY_DEVICE, at)) {
        inbound->free_ps = sim_now(inbound->sim) + inbound->bounced_line_ps;
    }
    line->at_ps = sim_now(inbound->sim);
    line->by_device = true;
}

static void perform(struct inbound *inbound, struct bus_request *request)
{
    if (request->op == BUS_WRITE && inbound->lines != NULL)
        device_writes(inbound, request->at);
    inbound->perform(inbound->owner, request);
}

static void go_on(void *argument)
{
    struct inbound *inbound = argument;
    while (inbound->first != NULL && inbound->free_ps <= sim_now(inbound->sim)) {
        struct inbound_request *head = inbound->first;
        struct bus_request *request = head->request;
        inbound->first = head->next;
        pool_give(&inbound->requests, head);
        perform(inbound, request);
    }
    if (inbound->first != NULL)
        event_schedule(inbound->sim->events, inbound->free_ps, go_on, inbound);
}

void inbound_arrives(struct inbound *inbound, struct bus_request *request)
{
    if (inbound->first == NULL && inbound->free_ps <= sim_now(inbound->sim)) {
        perform(inbound, request);
        return;
    }
    struct inbound_request *place = pool_take(&inbound->requests);
    place->request = request;
    place->next = NULL;
    if (inbound->first == NULL) {
        inbound->first = place;
        event_schedule(inbound->sim->events, inbound->free_ps, go_on, inbound);
    } else {
        inbound->last->next = place;
    }
    inbound->last = place;
}

void inbound_core_writes(struct inbound *inbound, address at)
{
    struct written_line *line = find(inbound, at);
    if (line != NULL)
        line->by_device = false;
}

sim_time inbound_read_wait(const struct inbound *inbound, address at)
{
    const struct written_line *line = find(inbound, at);
    if (line == NULL)
        return 0;
    return MAX(0, line->at_ps + inbound->written_line_ps - sim_now(inbound->sim));
}

sim_time inbound_atomic_wait(struct inbound *inbound, address at)
{
    return line_gap_take(&inbound->atomics, at / CACHE_LINE_BYTES, sim_now(inbound->sim),
                         inbound->atomic_gap_ps);
}
