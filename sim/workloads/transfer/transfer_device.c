/* SPDX-License-Identifier: BSD-3-Clause */
/* Parties as work-groups: one kernel at each place, whose requests are carried out as the design says
 * (protocols/shmem/device_library.h).
 *
 * A send is a put into the buffer that both sides know, with the number of the message as its signal; the receiver waits until
 * the word has reached the number of its receive. A short message may overtake a long one, so messages of one channel use
 * several words in turn, and no message overtakes that many others. */

#include "workloads/transfer/transfer_device.h"
#include "models/gpu/streaming.h"
#include "script/deadlock/deadlock.h"

/* The number of words of a channel. */
#define CHANNEL_SLOTS 64

/* The argument of a place's kernel. */
struct device_side {
    struct device_world *own;
    int64_t place;
    void *argument;
};

/* --- start and end ------------------------------------------------------------------------------ */

static const struct world_setup *setup_of(const struct device_world *own)
{
    return &own->world->setup;
}

static bool places_are_first(const struct world_setup *setup)
{
    for (int64_t i = 0; i < setup->place_count; i++)
        if (setup->places[i].node != i || setup->places[i].gpu != 0)
            return false;
    return true;
}

/* Makes an object with `stride` bytes, whole lines, for each group at every place. */
static struct device_object make_object(struct device_world *own, int64_t stride,
                                        enum store_kind kind)
{
    const struct world_setup *setup = setup_of(own);
    struct cluster *cluster = world_cluster(own->world);
    struct device_object object = {g_new(address, (gsize)setup->place_count), stride};
    int64_t bytes = stride * setup->groups;
    address common = own->is_symmetric ? symmetric_allocate(own->heap, bytes, kind) : ADDRESS_NONE;
    for (int64_t i = 0; i < setup->place_count; i++) {
        const struct job_place *place = &setup->places[i];
        object.at[i] = own->is_symmetric
                           ? common
                           : site_allocate(cluster, cluster_site(cluster, place->node, place->gpu),
                                           (enum node_memory)setup->design->heap, bytes, kind);
    }
    return object;
}

/* The number of a party's channels to all places. */
static int64_t channel_count(const struct world_setup *setup)
{
    return setup->has_channels ? setup->place_count * TRANSFER_CHANNELS : 0;
}

static int64_t channel_bytes(const struct world_setup *setup)
{
    return channel_count(setup) * CHANNEL_SLOTS * CACHE_LINE_BYTES;
}

static int64_t heap_bytes(const struct world_setup *setup)
{
    int64_t barrier_bytes = setup->has_barrier
                                ? transfer_heap_bytes(setup->groups, BARRIER_BYTES) +
                                      transfer_signal_bytes(setup->groups, BARRIER_SIGNALS)
                                : 0;
    return setup->heap_bytes + barrier_bytes + setup->groups * channel_bytes(setup);
}

/* Bytes of the buffers that are read, and of those that are written. */
static int64_t stream_bytes(const struct world_setup *setup)
{
    return setup->streams != NULL ? setup->streams->groups * setup->streams->buffer_bytes : 0;
}

/* Makes a word for each place with a kernel; only the place's own work-groups use it. */
static struct device_object make_gates(struct device_world *own)
{
    const struct world_setup *setup = setup_of(own);
    struct device_object gates = {g_new(address, (gsize)setup->served_places), CACHE_LINE_BYTES};
    for (int64_t i = 0; i < setup->served_places; i++) {
        struct site *site =
            cluster_site(world_cluster(own->world), setup->places[i].node, setup->places[i].gpu);
        gates.at[i] = site_allocate(world_cluster(own->world), site, MEMORY_GPU, CACHE_LINE_BYTES,
                                    STORE_COARSE_GRAINED);
    }
    return gates;
}

static void *open_world(struct world *world, const struct machine_spec *machine, GError **error)
{
    const struct world_setup *setup = &world->setup;
    struct device_world *own = g_new0(struct device_world, 1);
    own->world = world;
    own->is_symmetric = places_are_first(setup);
    if (!intra_kernel_start(own, machine, own->is_symmetric ? heap_bytes(setup) : 0,
                            2 * stream_bytes(setup), error)) {
        intra_kernel_end(own);
        g_free(own);
        return NULL;
    }
    service_set_nops(own->services[0], (enum ring_post)setup->post, setup->nop_ps);
    own->buffers = g_array_new(FALSE, FALSE, sizeof(struct device_object));
    own->signals = g_array_new(FALSE, FALSE, sizeof(struct device_object));
    if (setup->has_channels)
        own->channels = make_object(own, channel_bytes(setup), STORE_FINE_GRAINED);
    if (setup->groups > 1)
        own->gates = make_gates(own);
    own->together = g_new0(GPtrArray *, (gsize)setup->groups);
    own->last = g_new0(struct last_come, (gsize)(2 * setup->place_count));
    own->observed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return own;
}

static void free_objects(GArray *objects)
{
    for (guint i = 0; i < objects->len; i++)
        g_free(g_array_index(objects, struct device_object, i).at);
    g_array_unref(objects);
}

static void close_world(void *own_world)
{
    struct device_world *own = own_world;
    intra_kernel_end(own);
    g_free(own->sides);
    free_objects(own->buffers);
    free_objects(own->signals);
    g_free(own->channels.at);
    g_free(own->gates.at);
    for (int64_t i = 0; i < setup_of(own)->groups; i++)
        g_clear_pointer(&own->together[i], g_ptr_array_unref);
    g_free(own->together);
    g_free(own->last);
    g_hash_table_unref(own->observed);
    map_clear(&own->counts);
    g_free(own);
}

static void add_buffer(void *own_world, int32_t number, int64_t bytes, enum transfer_memory memory)
{
    struct device_world *own = own_world;
    check_always(number == (int32_t)own->buffers->len, "buffer %d", (int)number);
    check_release(memory == TRANSFER_PAYLOAD,
                  "work-groups have no buffers of a rank's host memory");
    struct device_object object = make_object(own, symmetric_size(bytes), STORE_PAYLOAD);
    g_array_append_val(own->buffers, object);
}

static void add_signals(void *own_world, int32_t number, int64_t count)
{
    struct device_world *own = own_world;
    check_always(number == (int32_t)own->signals->len, "signals %d", (int)number);
    struct device_object object = make_object(own, count * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    g_array_append_val(own->signals, object);
}

/* --- running ------------------------------------------------------------------------------------ */

static void stream(struct work_group *wg, const struct device_world *own)
{
    const struct world_setup *setup = setup_of(own);
    const struct transfer_streams *streams = setup->streams;
    address offset = (address)((wg->index - setup->groups) * streams->buffer_bytes);
    struct streaming what = {.source = own->stream_source + offset,
                             .target = own->stream_target + offset,
                             .bytes = streams->buffer_bytes / CACHE_LINE_BYTES * CACHE_LINE_BYTES,
                             .lines_in_flight = streams->lines,
                             .stop = &streams->is_over,
                             .streamed = streams->streamed};
    while (!streams->is_over)
        work_group_stream(wg, &what);
}

static void run_party(struct work_group *wg, void *argument)
{
    struct device_side *side = argument;
    struct device_world *own = side->own;
    if (wg->index >= setup_of(own)->groups) {
        stream(wg, own);
        return;
    }
    struct device_party device = {.work_group = wg};
    struct party party = {
        .world = own->world, .place = side->place, .group = wg->index, .own = &device};
    if (wg->index < setup_of(own)->queues)
        device_context_create(&device.context, own->services[side->place], wg);
    else
        agent_init_work_group(&device.context.agent, wg);
    own->program(&party, side->argument);
    transfer_tell(&party, transfer_told_from(&party), CALL_END, NULL, NULL);
}

static void allocate_streams(struct device_world *own)
{
    int64_t bytes = stream_bytes(setup_of(own));
    struct store *store = gpu_memory(own->sites[0]->gpu)->store;
    if (bytes == 0)
        return;
    check_release(setup_of(own)->served_places == 1,
                  "work-groups stream beside the kernel of one place");
    own->stream_source = store_allocate(store, bytes, STORE_PAYLOAD);
    own->stream_target = store_allocate(store, bytes, STORE_PAYLOAD);
}

static bool begin(void *own_world, party_program *program, void *const *arguments, GError **error)
{
    struct device_world *own = own_world;
    const struct world_setup *setup = setup_of(own);
    gsize served = (gsize)setup->served_places;
    own->program = program;
    allocate_streams(own);
    own->sides = g_new0(struct device_side, served);
    g_autofree void **side_arguments = g_new(void *, served);
    for (gsize i = 0; i < served; i++) {
        own->sides[i] = (struct device_side){own, (int64_t)i, arguments[i]};
        side_arguments[i] = &own->sides[i];
    }
    return intra_kernel_begin(own, run_party, side_arguments, error);
}

static bool is_over(void *own_world)
{
    return ((struct device_world *)own_world)->running == 0;
}

static void explain(void *own_world, GError **error)
{
    deadlock_explain(world_cluster(((struct device_world *)own_world)->world), error);
}

static void report(void *own_world, double units, struct workload_result *result)
{
    intra_kernel_report_stages(own_world, units, result);
}

/* --- transfers ---------------------------------------------------------------------------------- */

struct device_context *device_context_of(const struct party *party)
{
    return &((struct device_party *)party->own)->context;
}

static address address_of(const struct device_object *object, int64_t place, int64_t group)
{
    return object->at[place] + (address)(group * object->stride);
}

/* The address of a buffer of party (place, group), or of its lines of signals (by the complement of their number). */
static address buffer_at(const struct party *party, int32_t number, int64_t place, int64_t group)
{
    const struct device_world *own = world_own(party);
    const GArray *objects = number >= 0 ? own->buffers : own->signals;
    guint index = (guint)(number >= 0 ? number : ~number); /* transfer_lines */
    return address_of(&g_array_index(objects, struct device_object, index), place, group);
}

struct device_transfer device_way(const struct party *party, const struct party_call *what)
{
    int32_t buffer = what->buffer.number;
    return (struct device_transfer){.node = device_node(party, what->place),
                                    .local = buffer_at(party, buffer, party->place, party->group),
                                    .remote = buffer_at(party, buffer, what->place, what->group),
                                    .bytes = what->bytes};
}

static address signal_at(const struct party *party, const struct party_call *what, int64_t place,
                         int64_t group)
{
    return buffer_at(party, ~what->signals.number, place, group) +
           (address)(what->index * CACHE_LINE_BYTES);
}

address device_signal_there(const struct party *party, const struct party_call *what)
{
    return signal_at(party, what, what->place, what->group);
}

address device_signal_here(const struct party *party, const struct party_call *what)
{
    return signal_at(party, what, party->place, party->group);
}

static sim_time now(const struct party *party)
{
    return process_now(device_context_of(party)->agent.process);
}

static void get(struct party *party, const struct party_call *what)
{
    struct device_transfer way = device_way(party, what);
    device_get(device_context_of(party), &way);
    device_waited_for_own(party);
}

static void put(struct party *party, const struct party_call *what)
{
    struct device_transfer way = device_way(party, what);
    device_put(device_context_of(party), &way);
    device_waited_for_own(party);
}

static void put_signal(struct party *party, const struct party_call *what)
{
    struct device_transfer way = device_way(party, what);
    way.signal = device_signal_there(party, what);
    way.value = (uint64_t)what->value;
    device_begin_signal(party, way.signal, what->place, way.value);
    device_put_signal(device_context_of(party), &way);
    device_context_of(party)->operation = 0;
    device_waited_for_own(party);
}

static void wait_signal(struct party *party, const struct party_call *what)
{
    address signal = device_signal_here(party, what);
    uint64_t value = (uint64_t)what->value;
    device_wait_until_from(device_context_of(party), signal, COMPARE_EQUAL, value,
                           device_node(party, what->place), what->group);
    device_waited_for_signal(party, signal, what->place, what->group, value);
}

/* --- messages --- */

/* The word of a receiver that message `number` of `sender` on a channel writes. */
static address channel_word(const struct party *party, int64_t sender, int32_t channel,
                            int64_t receiver, int64_t group, uint64_t number)
{
    const struct device_world *own = world_own(party);
    int64_t slot =
        (sender * TRANSFER_CHANNELS + channel) * CHANNEL_SLOTS + (int64_t)(number % CHANNEL_SLOTS);
    return address_of(&own->channels, receiver, group) + (address)(slot * CACHE_LINE_BYTES);
}

/* The key of the count of messages that a party has sent to a place on a channel, or received from there. */
static uint64_t count_key(const struct party *party, int64_t place, int32_t channel,
                          bool is_receive)
{
    const struct world_setup *setup = &party->world->setup;
    int64_t number = party->place * setup->groups + party->group;
    return (uint64_t)((2 * number + is_receive) * channel_count(setup) + place * TRANSFER_CHANNELS +
                      channel);
}

/* Numbers the messages with a peer on a channel, from 1 on. */
static void message_init(const struct party *party, struct message *message,
                         const struct party_call *what, bool is_receive)
{
    struct device_world *own = world_own(party);
    int32_t channel = (int32_t)what->channel;
    *message = (struct message){.peer = (int32_t)what->place,
                                .tag = channel,
                                .group = (int32_t)what->group,
                                .is_receive = is_receive};
    message->number =
        ++map_at(&own->counts, count_key(party, what->place, channel, is_receive))->number;
}

static void send_one(struct party *party, struct message *message, const struct party_call *what)
{
    struct device_context *context = device_context_of(party);
    message_init(party, message, what, false);
    struct device_transfer way = device_way(party, what);
    way.signal =
        channel_word(party, party->place, message->tag, what->place, what->group, message->number);
    way.value = message->number;
    device_begin_set(party, way.signal, what->place, message->number);
    device_put_signal_nbi(context, &way);
    context->operation = 0;
}

static void send(struct party *party, struct message *messages, size_t count,
                 const struct party_call *what)
{
    for (size_t i = 0; i < count; i++)
        send_one(party, &messages[i], what);
}

static void receive(struct party *party, struct message *message, const struct party_call *what)
{
    message_init(party, message, what, true);
}

static void wait(struct party *party, struct message *messages, size_t count)
{
    bool has_sent = false;
    for (size_t i = 0; i < count; i++) {
        const struct message *message = &messages[i];
        has_sent = has_sent || !message->is_receive;
        if (!message->is_receive)
            continue;
        address word = channel_word(party, message->peer, message->tag, party->place, party->group,
                                    message->number);
        device_wait_until_from(device_context_of(party), word, COMPARE_GREATER_EQUAL,
                               message->number, device_node(party, message->peer), message->group);
        device_end_message(party, word, message);
    }
    if (!has_sent)
        return;
    device_quiet(device_context_of(party));
    device_waited_for_own(party);
}

static void quiet(struct party *party)
{
    device_quiet(device_context_of(party));
    device_waited_for_own(party);
}

static void fence(struct party *party)
{
    device_fence(device_context_of(party));
}

static void compute(struct party *party, sim_time duration_ps)
{
    process_sleep(device_context_of(party)->agent.process, duration_ps);
}

/* Each work-group adds one to a word in the L2, and polls until all have; held work-groups add one after the other. */
static void group_barrier(struct party *party)
{
    struct device_party *device = party->own;
    const struct device_world *own = world_own(party);
    const struct gpu_spec *spec = gpu_spec_of(device->work_group->gpu);
    const struct world_setup *setup = setup_of(own);
    if (setup->groups == 1)
        return;
    struct software software = service_software(own->services[0]);
    address word = own->gates.at[party->place];
    struct word_condition until = {COMPARE_GREATER_EQUAL,
                                   ++device->gates * (uint64_t)setup->groups};
    if (party->group == setup->groups - 1)
        process_sleep(device->work_group->process, cycles_ps(setup->held_groups, spec->clock_Hz));
    struct last_come *last = &own->last[2 * party->place + (int64_t)(device->gates % 2)];
    if (now(party) >= last->at_ps)
        *last = (struct last_come){device_actor(party, party->place, party->group), now(party)};
    agent_atomic(&device->context.agent, word, ATOMIC_ADD, 1, 0);
    agent_wait_word(&device->context.agent, word, until, SOFTWARE_READ(software, wait_instructions),
                    SCOPE_DEVICE, !SOFTWARE_READ(software, exact));
    device->step.after = last->actor;
    device->step.after_ps = last->at_ps;
}

static void wake(gpointer process, gpointer nothing)
{
    (void)nothing;
    process_wake(process);
}

/* The last one releases the others. */
static void go_together(struct party *party)
{
    struct device_world *own = world_own(party);
    struct process *process = device_context_of(party)->agent.process;
    GPtrArray **come = &own->together[party->group];
    if (*come == NULL)
        *come = g_ptr_array_new();
    process_sync(process);
    if ((int64_t)(*come)->len + 1 < setup_of(own)->place_count) {
        g_ptr_array_add(*come, process);
        process_suspend(process, "all places to begin");
        return;
    }
    g_ptr_array_foreach(*come, wake, NULL);
    g_ptr_array_set_size(*come, 0);
}

/* Data that the L2 keeps from one run of the loop to the next do not come from memory. */
static void loop(struct party *party, int lane, const struct transfer_loop *what)
{
    struct device_party *device = party->own;
    const struct gpu_spec *gpu = gpu_spec_of(device->work_group->gpu);
    int64_t l2_bytes =
        PARAM_READ(param_use_of(&world_sim(party->world)->uses, &gpu_params), gpu, l2.size_bytes);
    int64_t elements = (what->elements + what->groups - 1) / what->groups;
    struct gpu_work work = transfer_loop_work(what, elements, l2_bytes);
    (void)lane;
    if (what->groups == 1)
        work_group_compute(device->work_group, &work);
    else
        work_group_compute_many(device->work_group, &work, what->groups);
}

const struct world_ops device_world_ops = {
    .is_kernel = true,
    .open = open_world,
    .close = close_world,
    .buffer = add_buffer,
    .signals = add_signals,
    .begin = begin,
    .is_over = is_over,
    .explain = explain,
    .report = report,
    .now = now,
    .get = get,
    .put = put,
    .put_signal = put_signal,
    .wait_signal = wait_signal,
    .send = send,
    .receive = receive,
    .wait = wait,
    .quiet = quiet,
    .fence = fence,
    .group_barrier = group_barrier,
    .go_together = go_together,
    .compute = compute,
    .loop = loop,
};
