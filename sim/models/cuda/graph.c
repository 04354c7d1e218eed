/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs: chains of kernels that one call launches (M-046, M-101).
 *
 * Between two nodes the GPU goes on by itself, sooner than between two kernels of a stream. Parameters of nodes are those of
 * the capture: a program that swaps buffers from launch to launch needs two graphs (M-047). */
#include "models/cuda/cuda_parts.h"

/* The GPU's channels, to which branches are dealt out: the default of CUDA_DEVICE_MAX_CONNECTIONS (CUDA programming guide). */
#define CHANNELS 8

struct cuda_graph {
    struct cuda *cuda;
    bool is_under_way;
    int64_t branches;
    size_t count;
    struct cuda_graph_node nodes[];
};

struct cuda_graph *cuda_graph_new(struct cuda *cuda, struct cpu *cpu,
                                  const struct cuda_graph_node *nodes, size_t count)
{
    check_release(count >= 1, "a graph without nodes");
    struct cuda_graph *graph = g_malloc(sizeof *graph + count * sizeof *nodes);
    *graph = (struct cuda_graph){.cuda = cuda, .count = count, .branches = 1};
    for (size_t i = 0; i < count; i++)
        graph->nodes[i] = nodes[i];
    cpu_spend(cpu, CPU_CUDA, (sim_time)count * CUDA_READ(cuda, graph_instantiate_ps));
    return graph;
}

void cuda_graph_branches(struct cuda_graph *graph, int64_t branches)
{
    graph->branches = branches;
}

/* Whether channels wait. The call gives branch after branch to the GPU: each channel but the stream's own waits for the
 * previous launch if that has not ended when the call begins. */
static bool waits_for_turns(const struct cuda_graph *graph, const struct cuda_stream *stream,
                            struct cpu *cpu)
{
    if (graph->branches == 1)
        return false;
    cpu_settle(cpu);
    return cuda_stream_is_launching(stream);
}

void cuda_graph_launch(struct cuda_stream *stream, struct cpu *cpu, struct cuda_graph *graph,
                       struct cuda_completion *completion)
{
    struct cuda *cuda = graph->cuda;
    sim_time call_ps = CUDA_READ(cuda, graph_launch_ps);
    bool is_turned = waits_for_turns(graph, stream, cpu);
    check_release(cuda->gpu_of != NULL, "a graph where there are copies only");
    if (graph->count > 1)
        call_ps += (sim_time)(graph->count - 1) * CUDA_READ(cuda, graph_node_ps);
    if (graph->branches > 1)
        call_ps += (graph->branches - 1) * CUDA_READ(cuda, graph_branch_ps);
    cuda_enter(stream, cpu, call_ps);
    struct cuda_operation *operation = cuda_operation_new(stream, CUDA_GRAPH, completion);
    operation->graph = graph;
    operation->is_turned = is_turned;
    operation->kernel = pool_take(&cuda->kernels);
    cuda_note_launch(operation, cpu);
    cuda_operation_push(operation);
}

/* The time in which the front end lets all waiting channels go on, one after the other. */
sim_time cuda_graph_turn_ps(const struct cuda_graph *graph)
{
    const struct cuda *cuda = graph->cuda;
    int64_t channels = MIN(graph->branches, CHANNELS);
    return (channels - 1) * CUDA_READ(cuda, graph_turn_ps);
}

void cuda_graph_begin(struct cuda_operation *operation)
{
    check_release(!operation->graph->is_under_way, "a graph that is under way was launched again");
    operation->graph->is_under_way = true;
    *operation->kernel = operation->graph->nodes[0].kernel;
}

bool cuda_graph_goes_on(struct cuda_operation *operation)
{
    struct cuda_graph *graph = operation->graph;
    struct cuda *cuda = graph->cuda;
    const struct cuda_graph_node *ended = &graph->nodes[operation->node++];
    bool goes_on = (size_t)operation->node < graph->count;
    graph->is_under_way = goes_on;
    if (goes_on) {
        *operation->kernel = graph->nodes[operation->node].kernel;
        sim_time start_ps = CUDA_READ(cuda, graph_node_start_ps) + operation->kernel->chain_ps;
        event_schedule(cuda->sim->events, sim_now(cuda->sim) + start_ps, cuda_kernel_begin,
                       operation);
    }
    if (ended->done != NULL)
        ended->done(ended->argument);
    return goes_on;
}
