/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of 1 to 128 empty kernels, one after the other or all at once, beside the same kernels launched one by one. */
#include "common.h"

static __global__ void empty_node()
{
}

static cudaGraph_t make_graph(int nodes, bool chain)
{
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)empty_node;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(32);
    cudaGraphNode_t before, node;
    for (int i = 0; i < nodes; i++) {
        bool follows = chain && i > 0;
        CUDA(cudaGraphAddKernelNode(&node, graph, follows ? &before : nullptr, follows ? 1 : 0,
                                    &kernel));
        before = node;
    }
    return graph;
}

static void one_graph(table &table, cudaStream_t stream, int nodes, bool chain)
{
    std::string name = "nodes=" + std::to_string(nodes) + (chain ? "_chain" : "_parallel");
    cudaGraph_t graph = make_graph(nodes, chain);
    cudaGraphExec_t executable;
    double start = now_ns();
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    samples instantiate;
    instantiate.add(now_ns() - start);
    launch_row(table, "graph_instantiate", name, instantiate);
    samples call, total;
    for (int i = 0; i < 220; i++) {
        start = now_ns();
        CUDA(cudaGraphLaunch(executable, stream));
        double returned = now_ns();
        CUDA(cudaStreamSynchronize(stream));
        call.add(returned - start);
        total.add(now_ns() - start);
    }
    call.drop_first(20);
    total.drop_first(20);
    launch_row(table, "graph_launch_call", name, call);
    launch_row(table, "graph_launch_plus_sync", name, total);
    constexpr int count = 50;
    samples period;
    for (int repeat = 0; repeat < 12; repeat++) {
        start = now_ns();
        for (int i = 0; i < count; i++)
            CUDA(cudaGraphLaunch(executable, stream));
        CUDA(cudaStreamSynchronize(stream));
        period.add((now_ns() - start) / count);
    }
    period.drop_first(2);
    launch_row(table, "graph_back_to_back_per_graph", name, period);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
}

static void one_by_one(table &table, cudaStream_t stream, int kernels)
{
    std::string name = "kernels=" + std::to_string(kernels);
    samples call, total;
    for (int i = 0; i < 110; i++) {
        double start = now_ns();
        for (int kernel = 0; kernel < kernels; kernel++)
            empty_node<<<1, 32, 0, stream>>>();
        double returned = now_ns();
        CUDA(cudaStreamSynchronize(stream));
        call.add(returned - start);
        total.add(now_ns() - start);
    }
    call.drop_first(10);
    total.drop_first(10);
    launch_row(table, "stream_k_launches_enqueue", name, call);
    launch_row(table, "stream_k_launches_plus_sync", name, total);
}

void probe_graphs(table &table, cudaStream_t stream)
{
    for (int nodes :
         values({1, 2, 4, 8, 16, 32, 64, 128}, {3, 6, 12, 24, 48, 96}, {5, 7, 10, 20, 40, 80})) {
        one_graph(table, stream, nodes, true);
        one_by_one(table, stream, nodes);
        one_graph(table, stream, nodes, false);
    }
}
