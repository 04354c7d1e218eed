/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs: where processes are placed, which memory they hold, and that they run. */
#include <glib.h>
#include <string.h>

#include "../fabric/fabric_test.h"
#include "ac922_test.h"
#include "job_alone.h"

static struct job *job_of(struct sim *sim, const struct machine_spec *spec,
                          const struct job_place *places, int32_t count)
{
    GError *error = NULL;
    struct job *job = job_alone(sim, spec, places, count, &error);
    g_assert_no_error(error);
    g_assert_nonnull(job);
    return job;
}

/* The ports' names say where they are. */
static void assert_port(const struct job *job, int port, const char *name)
{
    g_assert_cmpstr(platform_port_name(job->cluster->platform, port), ==, name);
}

static void test_placement(void)
{
    struct sim *sim = sim_new(1);
    struct machine_spec spec = ac922_spec();
    const struct job_place places[] = {
        {.node = 0, .gpu = 0}, {.node = 0, .gpu = 2}, {.node = 0, .gpu = 3}, {.node = 2, .gpu = 5}};
    struct job *job = job_of(sim, &spec, places, 4);
    const char *cpus[] = {"node0.cpu0", "node0.cpu0", "node0.cpu1", "node2.cpu1"};
    const char *gpus[] = {"node0.gpu0", "node0.gpu2", "node0.gpu3", "node2.gpu5"};
    const int rails[] = {0, 0, 1, 1};
    for (int rank = 0; rank < 4; rank++) {
        struct job_process *process = &job->processes[rank];
        g_assert_cmpint(process->rank, ==, rank);
        g_assert_cmpint(process->node, ==, places[rank].node);
        g_assert_cmpint(process->rail, ==, rails[rank]);
        g_assert_cmpint(process->socket, ==, rails[rank]);
        assert_port(job, process->core_port, cpus[rank]);
        assert_port(job, process->gpu_port, gpus[rank]);
        g_assert_true(process->device == cuda_device(job->cuda, process->gpu_port));
    }
    g_assert_cmpint(job_distance(job, 0, 0), ==, JOB_SAME_SOCKET);
    g_assert_cmpint(job_distance(job, 0, 1), ==, JOB_SAME_SOCKET);
    g_assert_cmpint(job_distance(job, 1, 2), ==, JOB_SAME_NODE);
    g_assert_cmpint(job_distance(job, 2, 3), ==, JOB_OTHER_NODE);
    job_alone_free(job);
    sim_free(sim);
}

/* Processes that share a GPU use all NICs of its socket, if the policy says so. */
static void test_rails_of_sharers(void)
{
    const struct job_place places[] = {{.node = 0, .gpu = 0}, {.node = 0, .gpu = 0},
                                       {.node = 0, .gpu = 3}, {.node = 1, .gpu = 0},
                                       {.node = 0, .gpu = 0}, {.node = 0, .gpu = 3}};
    const int spread[] = {0, 1, 2, 0, 0, 3}, nearest[] = {0, 0, 2, 0, 0, 2};
    struct machine_spec spec = ac922_spec();
    spec.node.nics_per_socket = 2;
    for (int64_t policy = NIC_NEAREST; policy <= NIC_SPREAD; policy++) {
        spec.node.nic_policy = policy;
        struct sim *sim = sim_new(1);
        struct job *job = job_of(sim, &spec, places, 6);
        for (int rank = 0; rank < 6; rank++)
            g_assert_cmpint(job->processes[rank].rail, ==,
                            policy == NIC_SPREAD ? spread[rank] : nearest[rank]);
        job_alone_free(job);
        sim_free(sim);
    }
}

static void test_blocks(void)
{
    struct sim *sim = sim_new(1);
    struct machine_spec spec = ac922_spec();
    const struct job_place place = {.node = 1, .gpu = 4};
    struct job *job = job_of(sim, &spec, &place, 1);
    struct block host = job_host_block(job->processes, BLOCK_PINNED, 7, 100);
    struct block device = job_device_block(job->processes, 8, 200);
    assert_port(job, host.port, "node1.cpu1");
    assert_port(job, device.port, "node1.gpu4");
    g_assert_false(block_is_device(host));
    g_assert_true(block_is_device(device));
    g_assert_cmpint(host.id, ==, 7);
    g_assert_cmpint(device.bytes, ==, 200);
    job_alone_free(job);
    sim_free(sim);
}

static void assert_refused(const struct machine_spec *spec, const struct job_place *places,
                           int32_t count, const char *sentence)
{
    GError *error = NULL;
    struct sim *sim = sim_new(1);
    g_assert_null(job_alone(sim, spec, places, count, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, ==, sentence);
    g_error_free(error);
    sim_free(sim);
}

static void test_places_off_the_machine(void)
{
    struct machine_spec spec = ac922_spec();
    const struct job_place no_gpu[] = {{.node = 0, .gpu = 0}, {.node = 2, .gpu = 7}},
                           no_node[] = {{.node = 3, .gpu = 0}}, below[] = {{.node = 0, .gpu = -1}};
    assert_refused(&spec, no_gpu, 2, "place 1: node 2 has no GPU 7; it has 6");
    assert_refused(&spec, no_node, 1, "place 0: the machine has no node 3; it has 3");
    assert_refused(&spec, below, 1, "place 0: node 0 has no GPU -1; it has 6");
    assert_refused(&spec, no_node, 0, "a job of 0 processes");
}

/* Jobs and services of a socket share its cores: the fifth of four is refused, on the other socket it is not. */
static void test_cores_run_out(void)
{
    const struct job_place three[] = {{.node = 0, .gpu = 0},
                                      {.node = 0, .gpu = 1},
                                      {.node = 0, .gpu = 2}},
                           two[] = {{.node = 0, .gpu = 3}, {.node = 0, .gpu = 2}};
    struct machine_spec spec = ac922_spec();
    GError *error = NULL;
    struct sim *sim = sim_new(1);
    spec.host.cores = 4;
    struct cluster *cluster = cluster_new(sim, &spec, NODE_DISCRETE, &error);
    struct job *job = job_new(cluster, three, 3, &error);
    g_assert_no_error(error);
    for (int rank = 0; rank < 3; rank++)
        g_assert_cmpint(job->processes[rank].core, ==, rank);
    g_assert_cmpint(cluster_cores_left(cluster, CORES_OF_HOST, 0, 0), ==, 1);
    g_assert_cmpint(cluster_cores_left(cluster, CORES_OF_HOST, 0, 3), ==, 4);
    g_assert_cmpint(cluster_cores_left(cluster, CORES_OF_HOST, 1, 0), ==, 4);
    g_assert_cmpint(cluster_take_core(cluster, CORES_OF_HOST, 0, 0), ==,
                    3); /* as a service thread does */
    g_assert_null(job_new(cluster, two, 2, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, ==,
                    "place 1: all cores of socket 0 of node 0 are taken (host.cores is 4)");
    g_clear_error(&error);
    job_free(job);
    cluster_free(cluster);
    sim_free(sim);
}

/* --- processes at work ---------------------------------------------------------------------------- */

struct work {
    struct job_process *process;
    sim_time took_ps;
    bool is_delivered;
};

static void allocates_and_copies(struct process *self, void *argument)
{
    struct work *work = argument;
    struct job_process *process = work->process;
    g_assert_cmpstr(process_name(self), ==, "rank1");
    job_allocate(process, 10000);
    job_copy(process, 10000);
    job_free_memory(process, 10000);
    cpu_settle(&process->cpu);
    work->took_ps = process_now(self);
}

static void test_copy_and_heap(void)
{
    struct sim *sim = sim_new(1);
    struct machine_spec spec = ac922_spec();
    const struct job_place places[] = {{.node = 0, .gpu = 0}, {.node = 0, .gpu = 1}};
    struct job *job = job_of(sim, &spec, places, 2);
    struct work work = {.process = &job->processes[1]};
    job_start(job, 1, allocates_and_copies, &work);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    const struct host_copy_spec *host = &spec.host_copy;
    int64_t pages = (10000 + host->page_bytes - 1) / host->page_bytes;
    sim_time heap_ps = host->allocate_ps + pages * host->page_fault_ps;
    sim_time copy_ps = host->call_ps + transfer_ps(10000, host->rate_Bps);
    g_assert_cmpint(work.process->cpu.time_ps[CPU_ALLOCATE], ==, heap_ps);
    g_assert_cmpint(work.process->cpu.time_ps[CPU_COPY], ==, copy_ps);
    g_assert_cmpint(work.took_ps, ==, heap_ps + copy_ps);
    job_alone_free(job);
    sim_free(sim);
}

/* Two processes, a copy from the GPU, a write to the other node, a copy to the GPU there. */
static void is_delivered(void *argument)
{
    struct work *work = argument;
    work->is_delivered = true;
    cpu_notify(&work->process->cpu);
}

static void sends(struct process *self, void *argument)
{
    (void)self;
    struct work *receiver = argument;
    struct job *job = receiver->process->job;
    struct job_process *me = &job->processes[0], *other = receiver->process;
    struct cuda_stream *stream = cuda_stream_new(me->device, 0);
    cuda_copy(stream, &me->cpu, job_host_block(me, BLOCK_PINNED, 1, 5000),
              job_device_block(me, 2, 5000));
    cpu_settle(&me->cpu);
    const struct verbs_operation write = {.node = me->node,
                                          .remote_node = other->node,
                                          .rail = me->rail,
                                          .remote_rail = me->rail,
                                          .core_port = me->core_port,
                                          .local_port = me->core_port,
                                          .remote_port = other->core_port,
                                          .bytes = 5000,
                                          .delivered = is_delivered,
                                          .argument = receiver};
    verbs_write(job->nics, &write);
}

static void receives(struct process *self, void *argument)
{
    struct work *work = argument;
    struct job_process *me = work->process;
    while (!work->is_delivered)
        cpu_wait(&me->cpu, "message");
    cuda_copy(cuda_stream_new(me->device, 0), &me->cpu, job_device_block(me, 3, 5000),
              job_host_block(me, BLOCK_PINNED, 4, 5000));
    cpu_settle(&me->cpu);
    work->took_ps = process_now(self);
}

static void test_devices_together(void)
{
    struct sim *sim = sim_new(1);
    struct machine_spec spec = ac922_spec();
    const struct job_place places[] = {{.node = 0, .gpu = 1}, {.node = 1, .gpu = 4}};
    struct job *job = job_of(sim, &spec, places, 2);
    struct work work = {.process = &job->processes[1]};
    job_start(job, 0, sends, &work);
    job_start(job, 1, receives, &work);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    /* The waiting ends with the message; what comes after it is one copy. */
    const struct cuda_spec *cuda = &spec.cuda;
    sim_time copy_ps = cuda->copy_call_ps + cuda->copy_setup_ps + spec.nvlink.wire.latency_ps +
                       2 * transfer_ps(5000, spec.nvlink.wire.rate_Bps) + cuda->synchronize_ps;
    g_assert_cmpint(work.took_ps - work.process->cpu.time_ps[CPU_WAIT], ==, copy_ps);
    g_assert_cmpint(work.process->cpu.time_ps[CPU_WAIT], >, copy_ps);
    job_alone_free(job);
    sim_free(sim);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/job/rails-of-sharers", test_rails_of_sharers);
    g_test_add_func("/job/placement", test_placement);
    g_test_add_func("/job/blocks", test_blocks);
    g_test_add_func("/job/places_off_the_machine", test_places_off_the_machine);
    g_test_add_func("/job/cores_run_out", test_cores_run_out);
    g_test_add_func("/job/copy_and_heap", test_copy_and_heap);
    g_test_add_func("/job/devices_together", test_devices_together);
    return g_test_run();
}
