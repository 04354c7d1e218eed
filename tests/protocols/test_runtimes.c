/* SPDX-License-Identifier: BSD-3-Clause */
/* Every runtime: messages meet their receives in order whatever the size, the place and who comes first; and
 * what the papers say of each step shows in the counts and in the accounts of the cores. */
#include "../designs.h"
#include "../software_test.h"
#include "core/rng.h"
#include "protocols/runtimes/charm.h"
#include "runtime_test.h"

/* --- a ping-pong, whose one-way time is a closed form's to explain ------------------------------ */

struct ping_pong {
    int64_t bytes;
    int rounds;
    bool posts_first;    /* receives are posted a millisecond before their messages */
    sim_time one_way_ps; /* of the last round */
};

static void play(struct trial *trial, struct job_process *process)
{
    struct ping_pong *game = trial->argument;
    struct block block = job_device_block(process, 1, game->bytes);
    struct message out, in;
    int32_t rank = process->rank;
    for (int i = 0; i < game->rounds; i++) {
        sim_time begin_ps = cpu_now(&process->cpu);
        messenger_receive(trial->runtime, rank, &in, 1 - rank, 0, block);
        if (rank == 0) {
            if (game->posts_first) {
                cpu_spend(&process->cpu, CPU_APPLICATION, PS_PER_MS);
                cpu_settle(&process->cpu);
            }
            begin_ps = cpu_now(&process->cpu);
            messenger_send(trial->runtime, rank, &out, 1, 0, block);
            messenger_wait(trial->runtime, rank, &in, 1);
        } else {
            messenger_wait(trial->runtime, rank, &in, 1);
            messenger_send(trial->runtime, rank, &out, 0, 0, block);
        }
        if (rank == 0)
            game->one_way_ps = (cpu_now(&process->cpu) - begin_ps) / 2;
        messenger_wait(trial->runtime, rank, &out, 1);
    }
}

static struct ping_pong ping_pong(struct trial *trial, const char *design, int64_t bytes)
{
    struct ping_pong game = {.bytes = bytes, .rounds = 20, .posts_first = true};
    trial_run(trial, design, 2, play, &game);
    return game;
}

/* Device transfers that end at once leave the runtime and its host message: AMPI's own steps are what a
 * message of host data with the same size costs, and the records and callbacks of both sides. */
static void test_outside_ucx(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    CHARM(trial.spec)->device_transfers = 0;
    sim_time messaging_ps = ping_pong(&trial, "charm-messaging", 8).one_way_ps;
    trial_end(&trial);
    sim_time ampi_ps = ping_pong(&trial, "ampi-d", 8).one_way_ps;
    trial_end(&trial);

    const struct charm_spec *charm = CHARM(trial.spec);
    const struct ampi_spec *ampi = AMPI(trial.spec);
    /* beyond the Messaging API: the call and its check, records on both sides, a search, the message to the
     * sender, and the rank's thread that goes on; a callback instead of the entry method */
    sim_time more_ps = ampi->call_ps + ampi->device_check_ps + 2 * ampi->device_request_ps +
                       ampi->match_ps + charm->pack_ps + charm->callback_ps - charm->schedule_ps +
                       ampi->switch_ps;
    const struct ucx_spec *ucx = UCX(trial.spec);
    g_assert_cmpint(ampi_ps - messaging_ps, >=, more_ps - trial.spec.host_copy.allocate_ps);
    /* that message is sent and may stand in the way where it arrives */
    g_assert_cmpint(ampi_ps - messaging_ps, <=,
                    more_ps + ucx->send_ps + ucx->memory_type_ps + ucx->progress_ps + ucx->poll_ps +
                        charm->schedule_ps + PS_PER_US);
}

/* The Messaging API, and AMPI on it, post their receive when the metadata are there: the data were there before
 * (M-015). The Channel API's receive waits for them (M-017). */
static void test_late_receive(void)
{
    static const char *const late[] = {"charm-messaging", "ampi-d"};
    struct trial trial;
    trial_machine(&trial, 2);
    struct ucx_worker *worker;
    for (size_t i = 0; i < G_N_ELEMENTS(late); i++) {
        ping_pong(&trial, late[i], 8);
        worker = ucx_worker(trial.runtime->ucx, 1);
        g_assert_cmpint(ucx_count(worker, UCX_UNEXPECTED), ==, 20);
        trial_end(&trial);
    }
    ping_pong(&trial, "charm-channel", 8);
    worker = ucx_worker(trial.runtime->ucx, 1);
    g_assert_cmpint(ucx_count(worker, UCX_UNEXPECTED), ==, 0);
    trial_end(&trial);
}

/* AMPI packs and unpacks each message and takes memory for it (P-C07): a message costs what that costs. */
static void test_packing(void)
{
    struct trial base, more;
    sim_time more_ps = 30 * PS_PER_US;
    trial_machine(&base, 2);
    sim_time base_ps = ping_pong(&base, "ampi-d", 8).one_way_ps;
    trial_end(&base);
    trial_machine(&more, 2);
    CHARM(more.spec)->pack_ps += more_ps;
    g_assert_cmpint(ping_pong(&more, "ampi-d", 8).one_way_ps - base_ps, >=, more_ps);
    trial_end(&more);
    trial_machine(&more, 2);
    more.spec.host_copy.allocate_ps += more_ps;
    g_assert_cmpint(ping_pong(&more, "ampi-d", 8).one_way_ps - base_ps, >=, more_ps);
    trial_end(&more);
}

/* AMPI and Open MPI hand GPU data to the same layer, by the same way (P-M06). */
static void test_same_lower_layer(void)
{
    static const char *const designs[] = {"openmpi-d", "ampi-d"};
    struct trial trial;
    trial_machine(&trial, 2);
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++) {
        ping_pong(&trial, designs[i], 1 << 20);
        struct ucx_worker *worker = ucx_worker(trial.runtime->ucx, 1);
        g_assert_cmpint(ucx_count(worker, UCX_IPC), ==, 20);
        trial_end(&trial);
    }
}

static sim_time charm4py_ps(struct trial *trial, sim_time callback_ps, sim_time resume_ps)
{
    CHARM(trial->spec)->callback_ps = callback_ps;
    CHARM4PY(trial->spec)->resume_ps = resume_ps;
    sim_time one_way_ps = ping_pong(trial, "charm4py-d", 1 << 20).one_way_ps;
    trial_end(trial);
    return one_way_ps;
}

/* A coroutine that waits for GPU data goes on by a callback, and then by being resumed: each takes its time
 * behind the data's arrival (S-08). */
static void test_callback_wakes(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    sim_time callback_ps = PS_PER_US, resume_ps = 10 * PS_PER_US, more_ps = 30 * PS_PER_US;
    sim_time base_ps = charm4py_ps(&trial, callback_ps, resume_ps);
    g_assert_cmpint(charm4py_ps(&trial, callback_ps, resume_ps + more_ps) - base_ps, ==, more_ps);
    g_assert_cmpint(charm4py_ps(&trial, callback_ps + more_ps, resume_ps) - base_ps, >=, more_ps);
}

/* The lighter the layers above UCX the sooner: P-C01, P-L03, P-C12, with any numbers. */
static void test_order_of_layers(void)
{
    static const char *const light_to_heavy[] = {"openmpi-d", "charm-channel", "charm-messaging",
                                                 "ampi-d", "charm4py-d"};
    struct trial trial;
    trial_machine(&trial, 2);
    for (int64_t bytes = 8; bytes <= 1 << 22; bytes *= 64) {
        sim_time before_ps = 0;
        for (size_t i = 0; i < G_N_ELEMENTS(light_to_heavy); i++) {
            sim_time one_way_ps = ping_pong(&trial, light_to_heavy[i], bytes).one_way_ps;
            trial_end(&trial);
            g_assert_cmpint(one_way_ps, >, before_ps);
            before_ps = one_way_ps;
        }
    }
}

/* A call with a GPU buffer is one host message and one transfer, and is done when the buffer is there. */
static void test_buffer_and_call(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    int64_t bytes = 1 << 20;
    struct ping_pong game = {.bytes = bytes, .rounds = 1, .posts_first = true};
    trial_run(&trial, "charm-messaging", 2, play, &game);
    struct ucx_worker *worker = ucx_worker(trial.runtime->ucx, 1);
    g_assert_cmpint(ucx_count(worker, UCX_IPC), ==, 1);
    g_assert_cmpint(ucx_count(worker, UCX_EAGER), ==, 1);
    g_assert_cmpint(game.one_way_ps, >, transfer_ps(bytes, trial.spec.nvlink.wire.rate_Bps));
    trial_end(&trial);
}

static sim_time ampi_host_ps(struct trial *trial, int64_t bytes, sim_time zero_copy_cost_ps)
{
    AMPI(trial->spec)->zero_copy_cost_ps = zero_copy_cost_ps;
    sim_time one_way_ps = ping_pong(trial, "ampi-h", bytes).one_way_ps;
    trial_end(trial);
    return one_way_ps;
}

/* AMPI sends host data from its threshold on, and no others, by the Zero Copy API, whose cost both sides pay one
 * after the other (M-115). */
static void test_zero_copy(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    int64_t limit = AMPI_ZERO_COPY_BYTES;
    sim_time cost_ps = 20 * PS_PER_US;
    g_assert_cmpint(ampi_host_ps(&trial, limit - 1, cost_ps), ==,
                    ampi_host_ps(&trial, limit - 1, 0));
    g_assert_cmpint(ampi_host_ps(&trial, limit, cost_ps) - ampi_host_ps(&trial, limit, 0), ==,
                    2 * cost_ps);
}

/* A payload that AMPI fetches is read by a NIC, within a node as well (M-128): the CPU copies nothing of it between processes. */
static void test_fetch(void)
{
    static const int64_t bytes[] = {AMPI_ZERO_COPY_BYTES - 1, AMPI_ZERO_COPY_BYTES};
    struct trial trial;
    trial_machine(&trial, 2);
    for (int i = 0; i < 2; i++) {
        ping_pong(&trial, "ampi-h", bytes[i]);
        struct ucx_worker *worker = ucx_worker(trial.runtime->ucx, 1);
        g_assert_cmpint(ucx_count(worker, UCX_RDMA), ==, i == 1 ? 20 : 0);
        g_assert_cmpint(ucx_count(worker, UCX_CROSS_ATTACH), ==, i == 1 ? 0 : 20);
        trial_end(&trial);
    }
}

/* --- windows ------------------------------------------------------------------------------------ */

enum { WINDOW = 16 };

struct window {
    int64_t bytes;
    struct cpu cpus[2]; /* as they were left */
    bool sent_early;    /* the sends were done before the receiver posted anything */
};

/* Rank 0 sends a window, rank 1 receives it a millisecond later. */
static void play_window(struct trial *trial, struct job_process *process)
{
    struct window *window = trial->argument;
    struct block block = job_device_block(process, 1, window->bytes);
    struct message messages[WINDOW];
    int32_t rank = process->rank;
    if (rank == 0) {
        messenger_send_window(trial->runtime, rank, messages, WINDOW, 1, 0, block, NULL);
        messenger_wait(trial->runtime, rank, messages, WINDOW);
        window->sent_early = cpu_now(&process->cpu) < PS_PER_MS;
    } else {
        cpu_spend(&process->cpu, CPU_APPLICATION, PS_PER_MS);
        cpu_settle(&process->cpu);
        for (int i = 0; i < WINDOW; i++)
            messenger_receive(trial->runtime, rank, &messages[i], 0, 0, block);
        messenger_wait(trial->runtime, rank, messages, WINDOW);
    }
    window->cpus[rank] = process->cpu;
}

static struct window run_window(struct trial *trial, const char *design, int64_t bytes)
{
    struct window window = {.bytes = bytes};
    trial_run(trial, design, 2, play_window, &window);
    trial_end(trial);
    return window;
}

/* A window of staged messages waits for its copies once on either side, and pays a call for each (M-114): small
 * copies take the engine longer than the calls, so the account is theirs one after the other. */
static void test_staged_window(void)
{
    static const char *const designs[] = {"charm-h", "openmpi-h", "spectrum-h"};
    struct trial trial;
    trial_machine(&trial, 2);
    const struct cuda_spec *cuda = &trial.spec.cuda;
    sim_time least_ps = WINDOW * cuda->copy_call_ps + cuda->synchronize_ps;
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++) {
        struct window window = run_window(&trial, designs[i], 8);
        for (int rank = 0; rank < 2; rank++) {
            g_assert_cmpint(window.cpus[rank].time_ps[CPU_CUDA], >=, least_ps);
            g_assert_cmpint(window.cpus[rank].time_ps[CPU_CUDA], <,
                            least_ps + 2 * cuda->synchronize_ps);
        }
    }
}

/* A thread that waits for a window of the Channel API is resumed once (M-127); nothing of a window is an entry method. */
static void test_channel_window(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    for (int rank = 0; rank < 2; rank++) {
        struct window window = run_window(&trial, "charm-channel", 1 << 20);
        g_assert_cmpint(window.cpus[rank].time_ps[CPU_SCHEDULE], ==, CHARM(trial.spec)->resume_ps);
        g_assert_cmpint(window.cpus[rank].time_ps[CPU_CALLBACK], ==,
                        WINDOW * CHARM(trial.spec)->callback_ps);
    }
}

/* The end of a send of GPU data is a message of the receiver (M-129): eager data that UCX has taken long ago are
 * not sent for AMPI; the Channel API hears of it from UCX. */
static void test_told_by_receiver(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    g_assert_false(run_window(&trial, "ampi-d", 8).sent_early);
    g_assert_true(run_window(&trial, "charm-channel", 8).sent_early);
}

/* AMPI asks the driver about every host buffer that it sends, and keeps the GPU's addresses. */
static void test_host_pointers(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    sim_time before_ps = ping_pong(&trial, "ampi-h", 8).one_way_ps;
    trial_end(&trial);
    sim_time more_ps = 30 * PS_PER_US;
    trial.spec.cuda.pointer_query_ps += more_ps;
    g_assert_cmpint(ping_pong(&trial, "ampi-h", 8).one_way_ps - before_ps, ==, more_ps);
    trial_end(&trial);
}

/* Charm4py runs without UCX's cache of memory types (M-123), so GPU data of 8 B cost pointer queries: host message
 * and payload, on either side. */
static void test_no_memory_type_cache(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    struct window quick = run_window(&trial, "charm4py-d", 8);
    trial.spec.cuda.pointer_query_ps += PS_PER_US;
    struct window slow = run_window(&trial, "charm4py-d", 8);
    g_assert_cmpint(slow.cpus[0].time_ps[CPU_CUDA] - quick.cpus[0].time_ps[CPU_CUDA], >=,
                    2 * WINDOW * PS_PER_US);
}

/* --- random traffic ---------------------------------------------------------------------------- */

enum { RANKS = 12, MESSAGES = 60 };

struct planned {
    int32_t from, to, tag;
    int64_t bytes;
    bool is_device;
};

/* Every rank posts the receives and sends of the plan that are its own, each kind in the plan's order, mixed
 * as its own random numbers say. A message that met another receive than the plan's would have another size. */
static void exchange(struct trial *trial, struct job_process *process)
{
    const struct planned *plan = trial->argument;
    struct message messages[2 * MESSAGES];
    size_t count = 0;
    struct rng rng;
    rng_init(&rng, 1, process_name(process->cpu.process));
    size_t next_send = 0, next_receive = 0;
    while (next_send < MESSAGES || next_receive < MESSAGES) {
        bool sends = next_receive == MESSAGES || (next_send < MESSAGES && rng_below(&rng, 2) == 0);
        const struct planned *planned = &plan[sends ? next_send++ : next_receive++];
        if ((sends ? planned->from : planned->to) != process->rank)
            continue;
        struct block block = planned->is_device
                                 ? job_device_block(process, 7, planned->bytes)
                                 : job_host_block(process, BLOCK_PINNED, 8, planned->bytes);
        cpu_spend(&process->cpu, CPU_APPLICATION, (sim_time)rng_below(&rng, 20 * PS_PER_US));
        if (sends)
            messenger_send(trial->runtime, process->rank, &messages[count++], planned->to,
                           planned->tag, block);
        else
            messenger_receive(trial->runtime, process->rank, &messages[count++], planned->from,
                              planned->tag, block);
    }
    messenger_wait(trial->runtime, process->rank, messages, count);
    for (size_t i = 0; i < count; i++) {
        g_assert_true(messages[i].is_done);
        if (messages[i].is_receive)
            g_assert_cmpint(messages[i].wire.bytes, ==, messages[i].block.bytes);
    }
}

static void test_random_traffic(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct planned plan[MESSAGES];
        struct rng rng;
        rng_init(&rng, seed, "plan");
        for (int i = 0; i < MESSAGES; i++) {
            int32_t from = (int32_t)rng_below(&rng, RANKS);
            int32_t to = (from + 1 + (int32_t)rng_below(&rng, RANKS - 1)) % RANKS;
            plan[i] = (struct planned){from, to, (int32_t)rng_below(&rng, 3),
                                       INT64_C(1) << rng_below(&rng, 23), rng_below(&rng, 4) > 0};
        }
        for (int i = 0; host_designs()[i] != NULL; i++) {
            trial_run(&trial, host_designs()[i], RANKS, exchange, plan);
            trial_end(&trial);
        }
    }
}

/* --- tags -------------------------------------------------------------------------------------- */

static void test_tags(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    ping_pong(&trial, "charm-messaging", 8);
    struct charm *charm = charm_new(&(struct runtime){.job = trial.job}, NULL);
    uint64_t first = charm_device_tag(&charm->pes[1]), second = charm_device_tag(&charm->pes[1]);
    g_assert_cmphex(first >> 60, ==, CHARM_TAG_DEVICE);
    g_assert_cmphex(first >> 28 & 0xffffffff, ==, 1);
    g_assert_cmphex(first & 0xfffffff, ==, 0);
    g_assert_cmphex(second, ==, first + 1);
    uint64_t tag = charm_channel_tag(charm, 5, 9);
    g_assert_cmphex(tag >> 60, ==, CHARM_TAG_CHANNEL);
    g_assert_cmphex(tag >> 32 & 0xfffffff, ==, 5);
    g_assert_cmphex(tag & 0xffffffff, ==, 9);
    charm_free(charm);
    trial_end(&trial);
}

/* What does not fit a tag ends the run with a sentence. */
static void test_tag_exhausted(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    ping_pong(&trial, "charm-messaging", 8);
    struct charm *charm = charm_new(&(struct runtime){.job = trial.job}, NULL);
    charm->pes[1].device_sends = (1 << 28) - 1;
    charm_device_tag(&charm->pes[1]);
    g_assert_null(trial.sim->failure);
    charm_device_tag(&charm->pes[1]);
    g_assert_cmpstr(
        trial.sim->failure, ==,
        "GPU Messaging tag: GPU send 268435456 does not fit the 28 bits that a tag has for it");
    g_assert_true(trial.sim->stopped);
    charm_free(charm);
    trial_end(&trial);
}

static void test_channel_ids_exhausted(void)
{
    struct trial trial;
    trial_machine(&trial, 2);
    ping_pong(&trial, "charm-channel", 8);
    struct charm *charm = charm_new(&(struct runtime){.job = trial.job}, NULL);
    charm_channel_tag(charm, (INT64_C(1) << 28) - 1, 0);
    g_assert_null(trial.sim->failure);
    charm_channel_tag(charm, INT64_C(1) << 28, 0);
    g_assert_cmpstr(
        trial.sim->failure, ==,
        "Channel tag: channel 268435456 does not fit the 28 bits that a tag has for it");
    charm_free(charm);
    trial_end(&trial);
}

/* --- HAPI ---------------------------------------------------------------------------------------- */

struct callbacks {
    sim_time came_ps[2]; /* of the long kernel's stream, of the short one's */
    int count;
};

static void came_long(struct charm_pe *pe, void *content)
{
    struct callbacks *callbacks = content;
    callbacks->came_ps[0] = cpu_now(&pe->process->cpu);
    callbacks->count++;
}

static void came_short(struct charm_pe *pe, void *content)
{
    struct callbacks *callbacks = content;
    callbacks->came_ps[1] = cpu_now(&pe->process->cpu);
    callbacks->count++;
}

static void two_chares(struct trial *trial, struct job_process *process)
{
    struct charm_pe *pe = &trial->runtime->charm->pes[process->rank];
    struct kernel longer = {.work_groups = 1, .threads = 32, .work = {.latency_ps = PS_PER_MS}};
    struct kernel shorter = {.work_groups = 1, .threads = 32, .work = {.latency_ps = PS_PER_US}};
    struct cuda_stream *one = cuda_stream_new(process->device, 0),
                       *other = cuda_stream_new(process->device, 0);
    struct callbacks *callbacks = trial->argument;
    charm_pe_start(pe);
    cuda_launch(one, &process->cpu, &longer, NULL);
    charm_gpu_callback(pe, one, came_long, callbacks);
    cuda_launch(other, &process->cpu, &shorter, NULL);
    charm_gpu_callback(pe, other, came_short, callbacks);
    while (callbacks->count < 2)
        messenger_turn(trial->runtime, process->rank);
}

/* M-105: events are polled first in, first out, so a kernel that has long ended is told of behind one that has not. */
static void test_gpu_events_block(void)
{
    struct trial trial;
    struct callbacks callbacks = {.count = 0};
    trial_machine(&trial, 2);
    trial_run(&trial, "charm-channel", 1, two_chares, &callbacks);
    g_assert_cmpint(callbacks.came_ps[0], >, PS_PER_MS);
    g_assert_cmpint(callbacks.came_ps[1], >, callbacks.came_ps[0]);
    trial_end(&trial);
}

struct own_calls {
    int count;
    sim_time pack_ps, schedule_ps, callback_ps; /* that the core has spent */
};

static void called(struct charm_pe *pe, void *content)
{
    (void)pe;
    struct own_calls *calls = content;
    calls->count++;
}

static void call_itself(struct trial *trial, struct job_process *process)
{
    struct charm_pe *pe = &trial->runtime->charm->pes[process->rank];
    struct own_calls *calls = trial->argument;
    const struct charm_call call = {.entry = called, .content = calls};
    charm_pe_start(pe);
    charm_send(pe, process->rank, &call);
    charm_callback(pe, called, calls);
    while (calls->count < 2)
        messenger_turn(trial->runtime, process->rank);
    calls->pack_ps = process->cpu.time_ps[CPU_PACK];
    calls->schedule_ps = process->cpu.time_ps[CPU_SCHEDULE];
    calls->callback_ps = process->cpu.time_ps[CPU_CALLBACK];
}

/* A call of the PE's own chare is a message to itself, as a completion is (CkCallback::send, case sendArray): both cost the same, and
 * nothing of what is fitted to messages between processes. */
static void test_own_messages(void)
{
    struct trial trial;
    struct own_calls calls = {.count = 0};
    trial_machine(&trial, 2);
    CHARM(trial.spec)->callback_ps = 7 * PS_PER_US;
    trial_run(&trial, "charm-channel", 1, call_itself, &calls);
    g_assert_cmpint(calls.callback_ps, ==, 2 * 7 * PS_PER_US);
    g_assert_cmpint(calls.pack_ps, ==, 0);
    g_assert_cmpint(calls.schedule_ps, ==, 0);
    trial_end(&trial);
}

/* An MPI that no file of this machine describes, and a library that is not there, are refused in a sentence. */
static void test_not_of_the_machine(void)
{
    GError *error = NULL;
    struct trial trial;
    trial_machine(&trial, 2);
    struct sim *sim = sim_new(1);
    struct job *job = job_alone(sim, &trial.spec, (struct job_place[]){{.node = 0}}, 1, &error);
    g_assert_nonnull(software_declare(&mpi_params, "elsewhere", &error));
    g_assert_nonnull(software_declare(&message_library_params, "faraway", &error));
    struct design design = test_design("openmpi-d{runtime=elsewhere}");
    g_assert_null(runtime_new(job, &design, &error));
    g_assert_cmpstr(
        error->message, ==,
        "design openmpi-d{runtime=elsewhere} takes runtime = elsewhere, which is no mpi "
        "of the machine; accepted: mvapich, openmpi, spectrum");
    g_clear_error(&error);
    design = test_design("openmpi-d");
    while (strcmp(mpi_libraries[OPENMPI(trial.spec)->library], "faraway") != 0)
        OPENMPI(trial.spec)->library++;
    g_assert_null(runtime_new(job, &design, &error));
    g_assert_cmpstr(error->message, ==,
                    "openmpi takes library = faraway, which is no message_library of the machine; "
                    "accepted: ucx, mrail, pami");
    g_clear_error(&error);
    job_alone_free(job);
    sim_free(sim);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/runtimes/outside_ucx", test_outside_ucx);
    g_test_add_func("/runtimes/late_receive", test_late_receive);
    g_test_add_func("/runtimes/packing", test_packing);
    g_test_add_func("/runtimes/same_lower_layer", test_same_lower_layer);
    g_test_add_func("/runtimes/callback_wakes", test_callback_wakes);
    g_test_add_func("/runtimes/order_of_layers", test_order_of_layers);
    g_test_add_func("/runtimes/buffer_and_call", test_buffer_and_call);
    g_test_add_func("/runtimes/zero_copy", test_zero_copy);
    g_test_add_func("/runtimes/fetch", test_fetch);
    g_test_add_func("/runtimes/staged_window", test_staged_window);
    g_test_add_func("/runtimes/channel_window", test_channel_window);
    g_test_add_func("/runtimes/told_by_receiver", test_told_by_receiver);
    g_test_add_func("/runtimes/host_pointers", test_host_pointers);
    g_test_add_func("/runtimes/no_memory_type_cache", test_no_memory_type_cache);
    g_test_add_func("/runtimes/not_of_the_machine", test_not_of_the_machine);
    g_test_add_func("/runtimes/random_traffic", test_random_traffic);
    g_test_add_func("/runtimes/gpu_events_block", test_gpu_events_block);
    g_test_add_func("/runtimes/own_messages", test_own_messages);
    g_test_add_func("/runtimes/tags", test_tags);
    g_test_add_func("/runtimes/tag_exhausted", test_tag_exhausted);
    g_test_add_func("/runtimes/channel_ids_exhausted", test_channel_ids_exhausted);
    return g_test_run();
}
