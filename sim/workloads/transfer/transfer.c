/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes a workload's calls to the world of its design; has the operations that both worlds build from simpler ones. */
#include "workloads/transfer/transfer.h"

#include "core/error.h"
#include "workloads/transfer/transfer_device.h"
#include "workloads/transfer/transfer_messenger.h"

static bool is_kernel(const struct design *design)
{
    return design != NULL && design->initiator != INITIATOR_HOST;
}

bool transfer_accepts(const struct design *design, GError **error)
{
    return is_kernel(design) ? transfer_accepts_kernel(design, error)
                             : messenger_accepts(design, error);
}

#define NAME_OF_KIND(name) #name,
const char *const transfer_server_names[] = {"design", AGENT_KINDS(NAME_OF_KIND) NULL};
#undef NAME_OF_KIND

bool transfer_runs_on(const struct design *design, int64_t server, GError **error)
{
    struct design other = *design;
    char text[PARAM_TEXT_SIZE];
    if (is_kernel(design))
        return error_set(error,
                         "ranks have cores of their own; the parties of design %s are work-groups, "
                         "which its server = %s serves",
                         design_text(design, text), transfer_server_names[design->server]);
    other.server = server;
    return design_valid(&other, error);
}

/* Whether the ranks of all places may run on their servers. */
static bool have_servers(const struct world_setup *setup, GError **error)
{
    for (int64_t i = 0; setup->servers != NULL && i < setup->place_count; i++)
        if (setup->servers[i] != NO_SERVER &&
            !transfer_runs_on(setup->design, setup->servers[i], error))
            return false;
    return true;
}

/* Copies the setup. Defaults: one party on the first GPU of each node, all served. */
static void take_setup(struct world *world, const struct world_setup *setup)
{
    world->setup = *setup;
    world->setup.groups = MAX(setup->groups, 1);
    if (setup->queues == 0)
        world->setup.queues = world->setup.groups;
    if (setup->served_places == 0)
        world->setup.served_places = setup->place_count;
    world->places = g_new0(struct job_place, (gsize)setup->place_count);
    for (int64_t i = 0; i < setup->place_count; i++)
        world->places[i] = setup->places != NULL ? setup->places[i] : (struct job_place){.node = i};
    world->setup.places = world->places;
}

static int64_t nodes_of(const struct world_setup *setup)
{
    struct map nodes = {0};
    for (int64_t i = 0; i < setup->place_count; i++)
        map_add(&nodes, (uint64_t)setup->places[i].node);
    int64_t count = (int64_t)nodes.count;
    map_clear(&nodes);
    return count;
}

static bool makes_noise(const struct noise_spec *noise)
{
    return noise->period_ps > 0 || noise->slow_gpus != 0;
}

/* The machine of the run: the given one, or a copy that noise reaches. A guest is interrupted as its host world is. */
static const struct machine_spec *machine_of(struct world *world,
                                             const struct machine_spec *machine)
{
    const struct world_setup *setup = &world->setup;
    if (setup->beside != NULL || !makes_noise(&machine->noise) ||
        !noise_reaches(&machine->noise, nodes_of(setup), setup->is_application))
        return machine;
    world->noisy = g_memdup2(machine, sizeof *machine);
    world->noisy->has_noise = true;
    return world->noisy;
}

static void note_noise(struct world *world, const struct noise_spec *noise)
{
    const struct world_setup *setup = &world->setup;
    if (setup->beside != NULL)
        return;
    uint64_t *used = param_use_of(&world_sim(world)->uses, &noise_params);
    if (makes_noise(noise))
        PARAM_NOTE(used, noise, nodes);
    if (noise_reaches(noise, nodes_of(setup), setup->is_application)) {
        PARAM_NOTE(used, noise, period_ps);
        PARAM_NOTE(used, noise, slow_gpus);
    }
}

bool world_open_machine(struct world *world, const struct machine_spec *machine, GError **error)
{
    const struct world_setup *setup = &world->setup;
    enum node_form form =
        is_kernel(setup->design) ? (enum node_form)setup->design->node : NODE_DISCRETE;
    if (setup->beside == NULL) {
        struct sim *sim = sim_new(setup->seed);
        world->cluster = cluster_new(sim, machine, form, error);
        if (world->cluster == NULL)
            sim_free(sim);
        return world->cluster != NULL;
    }
    world->cluster = world_cluster(setup->beside);
    return world->cluster->form == form ||
           error_set(error,
                     "designs of discrete and of coherent nodes do not share a machine; it takes "
                     "node = discrete in all of them or, without ranks, coherent");
}

static void close_machine(const struct world *world)
{
    if (world->setup.beside != NULL || world->cluster == NULL)
        return;
    struct sim *sim = world_sim(world);
    cluster_free(world->cluster);
    sim_free(sim);
}

struct world *world_new(const struct machine_spec *machine, const struct world_setup *setup,
                        GError **error)
{
    bool (*accepts)(const struct design *, GError **) =
        setup->in_kernel ? transfer_accepts_kernel : transfer_accepts;
    if (setup->design != NULL && (!accepts(setup->design, error) || !have_servers(setup, error)))
        return NULL;
    struct world *world = g_new0(struct world, 1);
    take_setup(world, setup);
    world->iterations = (struct observe_origin){.path = "iterations",
                                                .callers = "place",
                                                .is_iteration = true,
                                                .tells_steps = is_kernel(setup->design),
                                                .design = setup->design};
    world->messages =
        (struct observe_origin){.path = "messages",
                                .callers = is_kernel(setup->design) ? "work-group" : "rank",
                                .is_served = is_kernel(setup->design),
                                .design = setup->design};
    world->ops = is_kernel(setup->design) ? &device_world_ops : &messenger_world_ops;
    world->own = world->ops->open(world, machine_of(world, machine), error);
    if (world->own == NULL) {
        world_free(world);
        return NULL;
    }
    note_noise(world, &machine->noise);
    if (setup->has_barrier) {
        world->barrier_buffer = world_buffer(world, BARRIER_BYTES, TRANSFER_PAYLOAD);
        world->barrier_signals = world_signals(world, BARRIER_SIGNALS);
    }
    return world;
}

void world_free(struct world *world)
{
    if (world == NULL)
        return;
    if (world->own != NULL)
        world->ops->close(world->own);
    close_machine(world);
    g_free(world->noisy);
    g_free(world->places);
    g_free(world);
}

struct transfer_buffer world_buffer(struct world *world, int64_t bytes, enum transfer_memory memory)
{
    check_release(bytes > 0, "a buffer of %lld bytes", (long long)bytes);
    world->ops->buffer(world->own, world->buffers, bytes, memory);
    return (struct transfer_buffer){world->buffers++};
}

struct transfer_signals world_signals(struct world *world, int64_t count)
{
    world->ops->signals(world->own, world->signals, count);
    return (struct transfer_signals){world->signals++};
}

struct job_place *world_places(const struct machine_spec *machine, int64_t nodes, const char *name,
                               int64_t gpus_of_node, int64_t *count, GError **error)
{
    int gpus = topology_gpu_count(&machine->node);
    if (gpus_of_node > gpus) {
        error_set(error, "%s = %lld: a node of this machine has %d", name, (long long)gpus_of_node,
                  gpus);
        return NULL;
    }
    g_autofree uint8_t *per_socket = machine_gpus_per_socket(machine);
    struct job_place *places = g_new0(struct job_place, (gsize)(nodes * gpus_of_node));
    *count = 0;
    for (int64_t node = 0; node < nodes; node++) {
        int64_t last = *count + gpus_of_node;
        for (int32_t gpu = 0; gpu < gpus && *count < last; gpu++)
            if (node >= machine->nodes || gpu % machine->node.gpus_per_socket < per_socket[node])
                places[(*count)++] = (struct job_place){.node = node, .gpu = gpu};
    }
    return places;
}

int64_t transfer_heap_bytes(int64_t groups, int64_t bytes)
{
    return groups * symmetric_size(bytes);
}

int64_t transfer_signal_bytes(int64_t groups, int64_t count)
{
    return groups * count * CACHE_LINE_BYTES;
}

/* Whether the run of these worlds has ended well; else false with a reason. */
static bool have_ended(struct world *const *worlds, size_t count, enum sim_end end, GError **error)
{
    if (sim_tell_end(world_sim(worlds[0]), end, error))
        return false;
    if (end != SIM_FINISHED) {
        size_t stuck = 0;
        while (stuck + 1 < count && worlds[stuck]->ops->is_over(worlds[stuck]->own))
            stuck++;
        worlds[stuck]->ops->explain(worlds[stuck]->own, error);
    }
    return end == SIM_FINISHED;
}

bool worlds_run(struct world *const *worlds, size_t count, party_program *const *programs,
                void *const *const *arguments, GError **error)
{
    for (size_t i = 0; i < count; i++)
        transfer_tell_parties(worlds[i]);
    for (size_t i = 0; i < count; i++)
        if (!worlds[i]->ops->begin(worlds[i]->own, programs[i], arguments[i], error))
            return false;
    return have_ended(worlds, count, sim_run(world_sim(worlds[0])), error);
}

bool world_run(struct world *world, party_program *program, void *const *arguments, GError **error)
{
    return worlds_run(&world, 1, &program, &arguments, error);
}

struct cluster *world_cluster(const struct world *world)
{
    return world->cluster;
}

struct sim *world_sim(const struct world *world)
{
    return world_cluster(world)->sim;
}

bool transfer_can_be_timed(const struct design *design, GError **error)
{
    return design->initiator != INITIATOR_HOST ||
           error_set(
               error,
               "timed_by = events is of a kernel's work-groups; it takes a design whose initiator is kernel or "
               "trigger");
}

sim_time transfer_seen_by_events_ps(const struct world *world)
{
    param_uses_only(&world_sim(world)->uses, &cuda_params, "timed_kernel", NULL);
    return world_cluster(world)->spec->cuda.timed_kernel_ps;
}

void world_reset(struct world *world, sim_time now_ps)
{
    observe_reset(&world_sim(world)->observe);
    run_energy_begins(world_cluster(world), now_ps);
}

void world_report(const struct world *world, double units, struct workload_result *result)
{
    world->ops->report(world->own, units, result);
}

/* --- of a party --------------------------------------------------------------------------------- */

sim_time party_now(const struct party *party)
{
    return party->world->ops->now(party);
}

/* --- iterations, as observers know them --- */

/* A rank's core; NULL for a work-group. */
static struct cpu *core_of(const struct party *party)
{
    return party->world->ops->is_kernel ? NULL : &messenger_process(messenger_of(party))->cpu;
}

/* A core reports everything that it does, so the place's time is divided by that. */
static void begin_on_core(struct party *party, struct cpu *core)
{
    struct sim *sim = world_sim(party->world);
    party->is_iterating = true;
    if (core->place == NULL)
        core->place = observe_place_new(&sim->observe, &party->world->iterations,
                                        (uint32_t)party->place, STAGE_EXPOSED, party_now(party));
    else
        observe_place_cut(core->place, party_now(party), false, sim_now(sim));
}

void transfer_begin_iteration(struct party *party)
{
    struct observe *observe = &world_sim(party->world)->observe;
    struct cpu *core = core_of(party);
    if (!observe_wants_operations(observe))
        return;
    if (core != NULL)
        begin_on_core(party, core);
    else
        party->iteration = observe_begin(observe, &party->world->iterations, (uint32_t)party->place,
                                         party_now(party));
}

void transfer_stamp(struct party *party, enum stage stage)
{
    struct observe *observe = &world_sim(party->world)->observe;
    if (!observe_wants_operations(observe))
        return;
    if (party->iteration != 0)
        observe_stage(observe, party->iteration, stage, party_now(party));
    if (party->world->ops->is_kernel)
        device_stepped(party, stage);
}

void transfer_end_iteration(struct party *party, sim_time at_ps)
{
    struct sim *sim = world_sim(party->world);
    if (party->is_iterating)
        observe_place_cut(core_of(party)->place, at_ps, true, sim_now(sim));
    party->is_iterating = false;
    if (party->iteration == 0)
        return;
    observe_stage(&sim->observe, party->iteration, STAGE_IDLE, at_ps);
    int64_t number = party->place * party->world->setup.groups + party->group;
    observe_end_by(&sim->observe, party->iteration, at_ps, (uint32_t)number);
    party->iteration = 0;
}

void transfer_end_last(struct party *party, struct place_end *end, int64_t parties)
{
    if (party->group == 0)
        end->iteration = party->iteration;
    end->last_ps = MAX(end->last_ps, party_now(party));
    if (++end->count < parties)
        return;
    party->iteration = end->iteration;
    transfer_end_iteration(party, end->last_ps);
}

void world_counted_on(struct world *world, const struct observe_repeat *repeat)
{
    if (world->ops->end_places != NULL)
        world->ops->end_places(world->own);
    observe_counted_on(&world_sim(world)->observe, &world->iterations, repeat);
}

/* Makes a blocking call, and tells observers of it and of its end. */
static void call_blocking(struct party *party, transfer_call *call, const struct party_call *what,
                          enum observed_call_kind kind)
{
    bool is_signal = kind == CALL_SEND || kind == CALL_RECEIVE;
    sim_time from_ps = transfer_told_from(party);
    call(party, what);
    (is_signal ? transfer_tell_signal : transfer_tell)(party, from_ps, kind, what, party);
    transfer_tell(party, transfer_told_from(party), CALL_WAIT, NULL, party);
}

/* Stamps that the party has posted a send or a request. */
static void stamp_posted(struct party *party)
{
    if (party->world->ops->is_kernel)
        transfer_stamp(party, device_context_of(party)->posted);
}

void transfer_get(struct party *party, const struct party_call *what)
{
    call_blocking(party, party->world->ops->get, what, CALL_GET);
    transfer_stamp(party, STAGE_EXPOSED);
}

void transfer_put(struct party *party, const struct party_call *what)
{
    call_blocking(party, party->world->ops->put, what, CALL_PUT);
    transfer_stamp(party, STAGE_EXPOSED);
}

void transfer_serve(struct party *party, const struct party_call *what)
{
    if (!party->world->ops->is_kernel)
        messenger_serve(party, what);
}

void transfer_leave(struct party *party, const struct party_call *what)
{
    if (!party->world->ops->is_kernel)
        messenger_leave(party, what);
}

void transfer_put_signal(struct party *party, const struct party_call *what)
{
    call_blocking(party, party->world->ops->put_signal, what, CALL_SEND);
    stamp_posted(party);
}

void transfer_wait_signal(struct party *party, const struct party_call *what)
{
    call_blocking(party, party->world->ops->wait_signal, what, CALL_RECEIVE);
    transfer_stamp(party, STAGE_EXPOSED);
}

static void check_channel(int64_t channel)
{
    check_release(channel >= 0 && channel < TRANSFER_CHANNELS, "channel %d of %d", (int)channel,
                  TRANSFER_CHANNELS);
}

void transfer_send_window(struct party *party, struct message *messages, size_t count,
                          const struct party_call *what)
{
    check_channel(what->channel);
    sim_time from_ps = transfer_told_from(party);
    party->world->ops->send(party, messages, count, what);
    for (size_t i = 0; i < count; i++)
        transfer_tell(party, i == 0 ? from_ps : transfer_told_from(party), CALL_SEND, what,
                      &messages[i]);
    stamp_posted(party);
}

void transfer_send(struct party *party, struct message *message, const struct party_call *what)
{
    transfer_send_window(party, message, 1, what);
}

void transfer_receive(struct party *party, struct message *message, const struct party_call *what)
{
    check_channel(what->channel);
    sim_time from_ps = transfer_told_from(party);
    party->world->ops->receive(party, message, what);
    transfer_tell(party, from_ps, CALL_RECEIVE, what, message);
    stamp_posted(party);
}

void transfer_wait(struct party *party, struct message *messages, size_t count)
{
    sim_time from_ps = transfer_told_from(party);
    party->world->ops->wait(party, messages, count);
    for (size_t i = 0; i < count; i++)
        transfer_tell(party, i == 0 ? from_ps : transfer_told_from(party), CALL_WAIT, NULL,
                      &messages[i]);
    transfer_stamp(party, STAGE_EXPOSED);
}

void transfer_wait_received(struct party *party, struct message *messages, size_t count)
{
    if (!party->world->ops->is_kernel) {
        transfer_wait(party, messages, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (messages[i].is_receive)
            transfer_wait(party, &messages[i], 1);
}

void transfer_quiet(struct party *party)
{
    sim_time from_ps = transfer_told_from(party);
    party->world->ops->quiet(party);
    transfer_tell(party, from_ps, CALL_QUIET, NULL, NULL);
    transfer_stamp(party, STAGE_EXPOSED);
}

void transfer_fence(struct party *party)
{
    party->world->ops->fence(party);
}

/* Dissemination: in round k each party signals the one 2^k places ahead, and waits for the one 2^k places behind. A party may
 * be one barrier ahead of another, but not two: so with two signals for each round, used in turn, none is overwritten before it
 * is seen. */
void transfer_barrier(struct party *party)
{
    const struct world *world = party->world;
    int64_t places = world->setup.place_count, round = 0;
    uint64_t epoch = ++party->barriers;
    check_release(world->setup.has_barrier, "a barrier in a world without");
    struct party_call what = {.group = party->group,
                              .buffer = world->barrier_buffer,
                              .bytes = BARRIER_BYTES,
                              .signals = world->barrier_signals,
                              .value = (int64_t)epoch};
    for (int64_t step = 1; step < places; step *= 2, round++) {
        check_release(round < BARRIER_ROUNDS, "a barrier of %lld places", (long long)places);
        what.index = 2 * round + (int64_t)(epoch % 2);
        what.place = (party->place + step) % places;
        transfer_put_signal(party, &what);
        what.place = (party->place + places - step) % places;
        transfer_wait_signal(party, &what);
    }
}

void transfer_begin_repeat(struct party *party, bool is_whole)
{
    const struct world_ops *ops = party->world->ops;
    if (is_whole)
        transfer_group_barrier(party);
    if (!is_whole || party->group == 0) {
        transfer_barrier(party);
        if (ops->go_together != NULL)
            ops->go_together(party);
    }
    if (is_whole)
        transfer_group_barrier(party);
    else
        transfer_stamp(party, STAGE_IDLE);
}

void transfer_compute(struct party *party, sim_time duration_ps)
{
    party->world->ops->compute(party, duration_ps);
    transfer_stamp(party, party->world->ops->is_kernel ? STAGE_KERNEL : STAGE_BUSY);
}

void transfer_group_barrier(struct party *party)
{
    sim_time from_ps = transfer_told_from(party);
    transfer_tell(party, from_ps, CALL_ARRIVE, NULL, NULL);
    party->world->ops->group_barrier(party);
    transfer_tell(party, from_ps, CALL_MEET, NULL, NULL);
    transfer_stamp(party, STAGE_IDLE);
}

void transfer_barrier_all(struct party *party)
{
    transfer_group_barrier(party);
    if (party->group == 0)
        transfer_barrier(party);
    transfer_group_barrier(party);
}

struct gpu_work transfer_loop_work(const struct transfer_loop *loop, int64_t elements,
                                   int64_t l2_bytes)
{
    int64_t bytes = elements * loop->bytes;
    return (struct gpu_work){.flops = elements * loop->flops,
                             .bytes = bytes,
                             .memory_bytes = loop->working_set_bytes > l2_bytes ? bytes : 0,
                             .in_flight_bytes = loop->in_flight_bytes,
                             .is_mixed = loop->is_mixed};
}

void transfer_loop(struct party *party, int lane, const struct transfer_loop *loop)
{
    check_release(lane >= 0 && lane < TRANSFER_LANES && loop->groups >= 1,
                  "a loop of %lld work-groups on lane %d", (long long)loop->groups, lane);
    if (loop->elements > 0)
        party->world->ops->loop(party, lane, loop);
    transfer_stamp(party, party->world->ops->is_kernel ? STAGE_KERNEL : STAGE_BUSY);
}

void transfer_finish(struct party *party, int lane)
{
    if (party->world->ops->finish != NULL)
        party->world->ops->finish(party, lane);
    transfer_stamp(party, STAGE_BUSY);
}
