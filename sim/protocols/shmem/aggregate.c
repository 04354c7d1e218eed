/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/aggregate.h"

#define SLOTS 4 /* the most messages to a node that are under way */

/* A message's head, and the head before each payload. They have the same size, so that none straddles two lines. */
struct message_head {
    uint64_t number, puts, bytes, unused;
};
struct put_head {
    uint64_t remote, bytes;
    uint64_t signal, signal_value;
};
_Static_assert(sizeof(struct message_head) == sizeof(struct put_head) &&
                   CACHE_LINE_BYTES % sizeof(struct put_head) == 0,
               "heads fill lines");

/* The puts that are held for one node, and the messages to and from the thread with the same number there. */
struct peer {
    GArray *puts;     /* struct shmem_issue */
    GArray *blocking; /* struct unmarked */
    int64_t bytes;    /* of the puts in a message */
    sim_time since_ps;
    uint64_t sent, answered, unpacked;
    struct {
        int64_t *contexts; /* of its puts */
        size_t count;
    } slots[SLOTS];
};

struct aggregate {
    const struct design *design;
    const struct aggregate_memory *memory;
    struct cluster *cluster;
    struct site *site; /* its own */
    struct shmem *shmem;
    uint64_t *contexts;
    int64_t context, thread, nodes;
    struct peer *peers;
    int64_t held;       /* puts, for all nodes */
    int64_t unanswered; /* messages, to all */
    GArray *unmarked;
};

/* --- where things lie --------------------------------------------------------------------------- */

/* The size of a slot in whole lines. By default it has room for all puts that are coalesced, with a line of payload each. */
static int64_t slot_bytes(const struct design *design)
{
    int64_t of_lines =
        (int64_t)sizeof(struct message_head) +
        design->coalesce.count * (int64_t)(sizeof(struct put_head) + CACHE_LINE_BYTES);
    int64_t bytes = design->coalesce.size_bytes > 0 ? design->coalesce.size_bytes : of_lines;
    return (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
}

void aggregate_memory_init(struct aggregate_memory *memory, struct cluster *cluster,
                           struct site *site, const struct design *design, int64_t threads,
                           int64_t nodes)
{
    enum node_memory near = design_server_kind(design)->memory;
    int64_t peers = nodes * threads;
    int64_t bytes = peers * SLOTS * slot_bytes(design), lines = peers * SLOTS * CACHE_LINE_BYTES;
    *memory = (struct aggregate_memory){
        .outboxes = site_allocate(cluster, site, near, bytes, STORE_FINE_GRAINED),
        .inboxes = site_allocate(cluster, site, near, bytes, STORE_FINE_GRAINED),
        .arrived = site_allocate(cluster, site, near, lines, STORE_FINE_GRAINED),
        .answered = site_allocate(cluster, site, near, lines, STORE_FINE_GRAINED),
        .threads = threads,
        .nodes = nodes,
    };
}

static int64_t place_of(const struct aggregate *aggregate, int64_t node, uint64_t number)
{
    return (node * aggregate->memory->threads + aggregate->thread) * SLOTS +
           (int64_t)(number % SLOTS);
}

/* The slot of message `number` with `node`, in outbox or inbox, and its word, which becomes number + 1. Each slot has a word of
 * its own: of two puts into one word the earlier could arrive last. */
static address slot_of(const struct aggregate *aggregate, address boxes, int64_t node,
                       uint64_t number)
{
    return boxes + (address)(place_of(aggregate, node, number) * slot_bytes(aggregate->design));
}

static address word_of(const struct aggregate *aggregate, address words, int64_t node,
                       uint64_t number)
{
    return words + (address)(place_of(aggregate, node, number) * CACHE_LINE_BYTES);
}

/* --- lines -------------------------------------------------------------------------------------- */

/* How many of `bytes` bytes from `at` on lie in the line of `at`. */
static size_t of_line(address at, uint64_t bytes)
{
    uint64_t left = CACHE_LINE_BYTES - at % CACHE_LINE_BYTES;
    return (size_t)MIN(left, bytes);
}

/* Copies `bytes` from `from` to `to` through the thread's registers, a line at a time. */
static void copy(struct agent *agent, address to, address from, uint64_t bytes)
{
    uint8_t line[CACHE_LINE_BYTES];
    while (bytes > 0) {
        size_t step = MIN(of_line(from, bytes), of_line(to, bytes));
        agent_load(agent, from, line, step);
        agent_store(agent, to, line, step);
        from += step;
        to += step;
        bytes -= step;
    }
}

/* --- sending ------------------------------------------------------------------------------------ */

static uint64_t payload_bytes(uint64_t bytes)
{
    const uint64_t unit = sizeof(struct put_head);
    return (bytes + unit - 1) / unit * unit;
}

/* The bytes that a put takes up in a message. */
static int64_t bytes_of(const struct nic_command *put)
{
    return (int64_t)(sizeof(struct put_head) + payload_bytes(put->bytes));
}

static void pack_put(struct aggregate *aggregate, address at, const struct nic_command *put)
{
    struct agent *agent = aggregate->shmem->agent;
    struct put_head head = {put->remote, put->bytes, put->signal, put->signal_value};
    agent_execute(agent, SOFTWARE_READ(aggregate->shmem->interface->software, pack_instructions));
    agent_store(agent, at, &head, sizeof head);
    at += sizeof head;
    if (put->opcode == NIC_PUT_INLINE)
        agent_store(agent, at, &put->local, put->bytes);
    else
        copy(agent, at, put->local, put->bytes);
}

static bool is_full(const struct peer *peer)
{
    return peer->sent - peer->answered == SLOTS;
}

/* Counts the puts of a message as under way until the message is answered. */
static void count_puts(struct aggregate *aggregate, struct peer *peer,
                       const struct shmem_issue *puts, size_t count)
{
    int64_t **contexts = &peer->slots[peer->sent % SLOTS].contexts;
    if (*contexts == NULL)
        *contexts = g_new(int64_t, (gsize)aggregate->design->coalesce.count);
    for (size_t i = 0; i < count; i++) {
        (*contexts)[i] = puts[i].context;
        aggregate->contexts[puts[i].context]++;
    }
    peer->slots[peer->sent % SLOTS].count = count;
}

/* Sends puts to one node, as many as have room. */
static void send(struct aggregate *aggregate, const struct shmem_issue *puts, size_t count)
{
    struct agent *agent = aggregate->shmem->agent;
    int64_t node = puts[0].command.remote_node;
    struct peer *peer = &aggregate->peers[node];
    while (is_full(peer))
        aggregate_progress(aggregate);
    address slot = slot_of(aggregate, aggregate->memory->outboxes, node, peer->sent), end = slot;
    struct message_head head = {.number = peer->sent + 1, .puts = count};
    end += sizeof head;
    for (size_t i = 0; i < count; i++) {
        pack_put(aggregate, end, &puts[i].command);
        end += (address)bytes_of(&puts[i].command);
    }
    head.bytes = end - slot;
    agent_store(agent, slot, &head, sizeof head);
    count_puts(aggregate, peer, puts, count);
    struct nic_command message = {
        .opcode = NIC_PUT,
        .remote_node = (uint32_t)node,
        .local = slot,
        .remote = slot_of(aggregate, aggregate->memory->inboxes, aggregate->site->node, peer->sent),
        .bytes = head.bytes,
        .signal = word_of(aggregate, aggregate->memory->arrived, aggregate->site->node, peer->sent),
        .signal_value = peer->sent + 1,
    };
    peer->sent++;
    aggregate->unanswered++;
    shmem_issue_nbi(aggregate->shmem, aggregate->context, &message);
    for (size_t i = 0; i < count; i++)
        observe_stage(&aggregate->cluster->sim->observe, puts[i].command.cookie, STAGE_SERVED,
                      agent_now(agent));
}

/* --- gathering ---------------------------------------------------------------------------------- */

static bool has_room(const struct aggregate *aggregate, int64_t held_bytes,
                     const struct nic_command *put)
{
    return held_bytes + bytes_of(put) <=
           slot_bytes(aggregate->design) - (int64_t)sizeof(struct message_head);
}

bool aggregate_takes(const struct aggregate *aggregate, const struct nic_command *put)
{
    return aggregate != NULL && has_room(aggregate, 0, put);
}

bool aggregate_holds(const struct aggregate *aggregate)
{
    return aggregate != NULL && aggregate->held > 0;
}

static void flush(struct aggregate *aggregate, struct peer *peer)
{
    if (peer->puts == NULL || peer->puts->len == 0)
        return;
    send(aggregate, (const void *)peer->puts->data, peer->puts->len);
    g_array_append_vals(aggregate->unmarked, peer->blocking->data, peer->blocking->len);
    aggregate->held -= peer->puts->len;
    peer->bytes = 0;
    g_array_set_size(peer->puts, 0);
    g_array_set_size(peer->blocking, 0);
}

void aggregate_flush_due(struct aggregate *aggregate, sim_time now_ps)
{
    for (int64_t node = 0; aggregate_holds(aggregate) && node < aggregate->nodes; node++)
        if (now_ps - aggregate->peers[node].since_ps >= aggregate->design->coalesce.timeout_ps)
            flush(aggregate, &aggregate->peers[node]);
}

void aggregate_gather(struct aggregate *aggregate, int64_t context, const struct nic_command *put,
                      const struct unmarked *blocking)
{
    struct peer *peer = &aggregate->peers[put->remote_node];
    const struct shmem_issue issue = {context, *put};
    if (peer->puts == NULL) {
        peer->puts = g_array_new(FALSE, FALSE, sizeof issue);
        peer->blocking = g_array_new(FALSE, FALSE, sizeof *blocking);
    }
    if (!has_room(aggregate, peer->bytes, put))
        flush(aggregate, peer);
    if (peer->puts->len == 0)
        peer->since_ps = agent_now(aggregate->shmem->agent);
    g_array_append_vals(peer->puts, &issue, 1);
    if (blocking != NULL)
        g_array_append_vals(peer->blocking, blocking, 1);
    peer->bytes += bytes_of(put);
    aggregate->held++;
    if (peer->puts->len >= (uint64_t)aggregate->design->coalesce.count)
        flush(aggregate, peer);
}

/* --- receiving ---------------------------------------------------------------------------------- */

/* Reads the contents of the sender's outbox, which a packet of one line would have brought. */
static void contents_of(const struct aggregate *aggregate, int64_t node, address at, void *data,
                        size_t bytes)
{
    struct site *site = cluster_site(aggregate->cluster, node, 0);
    enum node_memory near = design_server_kind(aggregate->design)->memory;
    store_read(site_store(aggregate->cluster, site, near), at, data, bytes);
}

/* Unpacks a payload: the lines are loaded at `at`, while their contents are taken from the outbox at `from`. */
static void unpack_payload(struct aggregate *aggregate, int64_t node, address at, address from,
                           const struct put_head *put)
{
    struct agent *agent = aggregate->shmem->agent;
    uint8_t line[CACHE_LINE_BYTES];
    address to = put->remote;
    for (uint64_t left = put->bytes; left > 0;) {
        size_t step = MIN(of_line(at, left), of_line(to, left));
        agent_load(agent, at, line, step);
        contents_of(aggregate, node, from, line, step);
        agent_store(agent, to, line, step);
        at += step;
        from += step;
        to += step;
        left -= step;
    }
}

/* Stores the put's signal, which is not seen before its payload. */
static void signal_put(struct agent *agent, const struct put_head *put)
{
    if (put->signal == 0)
        return;
    agent_release(agent, SCOPE_SYSTEM);
    agent_store_word(agent, put->signal, put->signal_value);
}

static void unpack(struct aggregate *aggregate, int64_t node, uint64_t number)
{
    struct agent *agent = aggregate->shmem->agent;
    struct software software = aggregate->shmem->interface->software;
    address at = slot_of(aggregate, aggregate->memory->inboxes, node, number);
    address from = slot_of(aggregate, aggregate->memory->outboxes, aggregate->site->node, number);
    struct message_head head;
    agent_load(agent, at, &head, sizeof head);
    contents_of(aggregate, node, from, &head, sizeof head);
    check_release(head.number == number + 1, "message %llu instead of %llu",
                  (unsigned long long)head.number, (unsigned long long)number + 1);
    uint64_t offset = sizeof head;
    for (uint64_t i = 0; i < head.puts; i++) {
        struct put_head put;
        agent_execute(agent, SOFTWARE_READ(software, pack_instructions));
        agent_load(agent, at + offset, &put, sizeof put);
        contents_of(aggregate, node, from + offset, &put, sizeof put);
        offset += sizeof put;
        unpack_payload(aggregate, node, at + offset, from + offset, &put);
        signal_put(agent, &put);
        offset += payload_bytes(put.bytes);
    }
    agent_release(agent, SCOPE_SYSTEM);
}

static void answer(struct aggregate *aggregate, int64_t node, uint64_t number)
{
    struct nic_command command = {
        .opcode = NIC_PUT_INLINE,
        .remote_node = (uint32_t)node,
        .local = number + 1,
        .remote = word_of(aggregate, aggregate->memory->answered, aggregate->site->node, number),
        .bytes = sizeof number,
    };
    shmem_issue_nbi(aggregate->shmem, aggregate->context, &command);
}

/* Unpacks the next message of a node if its word says that the message has arrived. */
static bool unpack_next(struct aggregate *aggregate, int64_t node, uint64_t word)
{
    struct peer *peer = &aggregate->peers[node];
    if (word != peer->unpacked + 1)
        return false;
    agent_acquire(aggregate->shmem->agent, SCOPE_SYSTEM);
    poller_leaves(&aggregate->shmem->agent->poller);
    unpack(aggregate, node, peer->unpacked);
    answer(aggregate, node, peer->unpacked++);
    return true;
}

static bool count_answer(struct aggregate *aggregate, int64_t node, uint64_t word)
{
    struct peer *peer = &aggregate->peers[node];
    if (word != peer->answered + 1)
        return false;
    size_t slot = peer->answered++ % SLOTS;
    for (size_t i = 0; i < peer->slots[slot].count; i++)
        aggregate->contexts[peer->slots[slot].contexts[i]]--;
    aggregate->unanswered--;
    return true;
}

/* The numbers of the next message to be unpacked, and of the next to be answered. */
static uint64_t next_unpacked(const struct peer *peer)
{
    return peer->unpacked;
}

static uint64_t next_answered(const struct peer *peer)
{
    return peer->answered;
}

/* Loads the word of each node's next message, as many loads at a time as the agent can have under way. */
static bool look(struct aggregate *aggregate, address words, uint64_t (*next)(const struct peer *),
                 bool (*found)(struct aggregate *, int64_t node, uint64_t word))
{
    struct agent *agent = aggregate->shmem->agent;
    struct memory_load loads[LOADS_IN_FLIGHT_MAX];
    uint64_t values[LOADS_IN_FLIGHT_MAX];
    int64_t most = agent_loads_in_flight(agent, words);
    bool any = false;
    for (int64_t first = 0; first < aggregate->nodes; first += most) {
        int64_t count = MIN(most, aggregate->nodes - first);
        agent_execute(
            agent, count * SOFTWARE_READ(aggregate->shmem->interface->software, poll_instructions));
        for (int64_t i = 0; i < count; i++) {
            address word = word_of(aggregate, words, first + i, next(&aggregate->peers[first + i]));
            loads[i] = (struct memory_load){word, &values[i], sizeof values[i]};
        }
        agent_load_all(agent, loads, (size_t)count);
        for (int64_t i = 0; i < count; i++)
            any = found(aggregate, first + i, values[i]) || any;
    }
    return any;
}

bool aggregate_progress(struct aggregate *aggregate)
{
    struct agent *agent = aggregate->shmem->agent;
    agent_acquire(agent, SCOPE_SYSTEM);
    bool has_come = look(aggregate, aggregate->memory->arrived, next_unpacked, unpack_next);
    if (aggregate->unanswered == 0)
        return has_come;
    return look(aggregate, aggregate->memory->answered, next_answered, count_answer) || has_come;
}

bool aggregate_is_quiet(const struct aggregate *aggregate)
{
    return aggregate->unanswered == 0;
}

void aggregate_quiet(struct aggregate *aggregate)
{
    struct agent *agent = aggregate->shmem->agent;
    struct poller *poller = &agent->poller;
    while (!aggregate_is_quiet(aggregate)) {
        sim_time start_ps = agent_now(agent);
        poller_begins(poller);
        if (aggregate_progress(aggregate))
            poller_leaves(poller);
        else
            poller_goes_on(poller, agent->process, start_ps);
    }
    poller_leaves(poller);
}

/* --- start and end ------------------------------------------------------------------------------ */

struct aggregate *aggregate_new(struct cluster *cluster, struct site *site,
                                const struct design *design, const struct aggregate_memory *memory,
                                int64_t thread, struct shmem *shmem, uint64_t *contexts,
                                int64_t context, GArray *unmarked)
{
    struct aggregate *aggregate = g_new0(struct aggregate, 1);
    *aggregate = (struct aggregate){.design = design,
                                    .memory = memory,
                                    .cluster = cluster,
                                    .site = site,
                                    .shmem = shmem,
                                    .contexts = contexts,
                                    .context = context,
                                    .thread = thread,
                                    .nodes = memory->nodes,
                                    .unmarked = unmarked};
    aggregate->peers = g_new0(struct peer, (gsize)aggregate->nodes);
    return aggregate;
}

void aggregate_free(struct aggregate *aggregate)
{
    if (aggregate == NULL)
        return;
    for (int64_t node = 0; node < aggregate->nodes; node++) {
        g_clear_pointer(&aggregate->peers[node].puts, g_array_unref);
        g_clear_pointer(&aggregate->peers[node].blocking, g_array_unref);
        for (int slot = 0; slot < SLOTS; slot++)
            g_free(aggregate->peers[node].slots[slot].contexts);
    }
    g_free(aggregate->peers);
    g_free(aggregate);
}
