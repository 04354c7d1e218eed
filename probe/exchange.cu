/* SPDX-License-Identifier: BSD-3-Clause */
/* What NCCL's small collectives are made of, without NCCL: kernels in a row of a graph by their shape, dependent loads and barriers within
 * them, and two GPUs that exchange words with flags, 8 B of data in 16 B, as its protocol LL does. */
#include "common.h"

#include <algorithm>

namespace
{
constexpr int in_row = 20, repeats = 12, slots = 8, most_threads = 640, most_blocks = 32;
constexpr int lines_a_block = 16;

struct shape {
    int blocks, threads, cluster;
    size_t shared; // dynamic shared memory of a block
    bool as_library =
        false; // blocks of clusters spread, and fences of a domain of their own, as NCCL launches its kernels
};

struct few_arguments {
    uint64_t words[2];
};
struct many_arguments { // as long as NCCL's
    uint64_t words[512];
};

template <typename Arguments> __global__ void nothing(const __grid_constant__ Arguments arguments)
{
    if (arguments.words[threadIdx.x % 2] == 1) // never
        __trap();
}

/* The same with as many registers of a thread as NCCL's kernels have. */
template <typename Arguments>
__global__ void __launch_bounds__(most_threads, 1)
    nothing_wide(const __grid_constant__ Arguments arguments)
{
    if (arguments.words[threadIdx.x % 2] != 1) // always
        return;
    auto *at = (volatile uint64_t *)arguments.words[2];
    uint64_t values[36];
    for (int i = 0; i < 36; i++)
        values[i] = at[i * most_threads + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 36; i++)
        at[i * most_threads + threadIdx.x] = values[35 - i] * values[i];
}

/* One thread of each block follows `amount` loads, each of which gives the place of the next; then it stores to these lines or not. */
__global__ void follow(uint32_t *lines, int amount, bool stores)
{
    uint32_t *mine = lines + (size_t)blockIdx.x * lines_a_block * 32;
    if (threadIdx.x != 0)
        return;
    uint32_t zero = 0;
    for (int i = 0; i < amount; i++)
        zero = *(volatile uint32_t *)(mine + (size_t)i * 32 + zero);
    for (int i = 0; i < amount && stores; i++)
        *(volatile uint32_t *)(mine + (size_t)i * 32) = zero;
}

/* One thread of each block loads a word and stores it elsewhere before its end, `amount` times. */
__global__ void leave(const uint32_t *from, uint32_t *to, int amount)
{
    if (threadIdx.x != 0)
        return;
    uint32_t value = *(const volatile uint32_t *)(from + 32 * blockIdx.x);
    for (int i = 0; i < amount; i++)
        *(volatile uint32_t *)(to + 32 * (blockIdx.x + i * gridDim.x)) = value;
}

__global__ void meet(int amount)
{
    for (int i = 0; i < amount; i++)
        __syncthreads();
}

/* A launch in the stream, which a graph may capture. */
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const shape &shape, cudaStream_t stream,
            Arguments... arguments)
{
    cudaLaunchAttribute attributes[3] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {(unsigned)shape.cluster, 1, 1};
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    attributes[2].id = cudaLaunchAttributeMemSyncDomain;
    attributes[2].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)shape.blocks);
    config.blockDim = dim3((unsigned)shape.threads);
    config.dynamicSmemBytes = shape.shared;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = shape.as_library ? 3 : shape.cluster > 1;
    if (shape.shared > 48 << 10)
        CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)shape.shared));
    CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/* Whether the GPU takes blocks in clusters. */
bool has_clusters(cudaStream_t stream)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    bool has = cudaLaunchKernelEx(&config, meet, 0) == cudaSuccess;
    return cudaStreamSynchronize(stream) == cudaSuccess && cudaGetLastError() == cudaSuccess && has;
}

cudaGraphExec_t row_of(cudaStream_t stream, int count, const std::function<void()> &kernel)
{
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < count; i++)
        kernel();
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&launchable, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return launchable;
}

/* Time of a graph of so many, and of a kernel in it: the difference to a graph of twice as many, a kernel's share. */
struct times {
    samples whole, each;
};

times graph_times(const std::function<cudaGraphExec_t(int gpu, int count)> &graph, int gpus,
                  const cudaStream_t *streams)
{
    times result;
    samples taken[2];
    for (int twice = 0; twice < 2; twice++) {
        cudaGraphExec_t graphs[2] = {};
        for (int gpu = 0; gpu < gpus; gpu++) {
            CUDA(cudaSetDevice(gpu));
            graphs[gpu] = graph(gpu, in_row << twice);
        }
        for (int i = 0; i < repeats; i++) {
            double start = now_ns();
            for (int gpu = gpus - 1; gpu >= 0; gpu--) {
                CUDA(cudaSetDevice(gpu));
                CUDA(cudaGraphLaunch(graphs[gpu], streams[gpu]));
            }
            for (int gpu = 0; gpu < gpus; gpu++)
                CUDA(cudaStreamSynchronize(streams[gpu]));
            taken[twice].add(now_ns() - start);
        }
        for (int gpu = 0; gpu < gpus; gpu++)
            CUDA(cudaGraphExecDestroy(graphs[gpu]));
        taken[twice].drop_first(2);
    }
    CUDA(cudaSetDevice(0));
    for (double value : taken[0].values)
        result.whole.add(1e-3 * value);
    for (double fraction : {0.1, 0.5, 0.9})
        result.each.add(1e-3 * (taken[1].quantile(fraction) - taken[0].quantile(fraction)) /
                        in_row);
    return result;
}

void node_row(table &table, const char *what, const shape &shape, size_t arguments, int amount,
              cudaStream_t stream, const std::function<void()> &kernel)
{
    times times =
        graph_times([&](int, int count) { return row_of(stream, count, kernel); }, 1, &stream);
    table.row("%s\t%d\t%d\t%d\t%zu\t%zu\t%d\t%.3f\t%.3f", what, shape.blocks, shape.threads,
              shape.cluster, shape.shared, arguments, amount, times.each.values[1],
              times.whole.median());
}

void nodes(const std::string &folder)
{
    table table(
        folder, "kernel_nodes",
        "kernels one behind the other in a graph: each_us: of a kernel, by 40 less 20 of them; graph_us: launch and end of 20;\n"
        "nothing; follow: `amount` dependent loads of one thread of each block, whose lines it stores to before its end, or not; meet:\n"
        "`amount` barriers of a block; recorded: nothing, and a node behind it that records an event",
        "what blocks threads cluster shared_bytes argument_bytes amount each_us graph_us");
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    bool clusters = has_clusters(stream);
    auto *lines = device_alloc<uint32_t>((size_t)most_blocks * lines_a_block * 32);
    for (int blocks : {1, 2, 4, 8, 16, 22, 24, 32})
        for (int threads : {32, 128, 512, 640})
            for (int cluster : {1, 4})
                for (size_t shared : {(size_t)0, (size_t)64 << 10}) {
                    shape shape = {blocks, threads, cluster, shared};
                    if (blocks % cluster != 0 || (cluster > 1 && !clusters))
                        continue;
                    node_row(table, "nothing", shape, sizeof(few_arguments), 0, stream, [&] {
                        launch(nothing<few_arguments>, shape, stream, few_arguments());
                    });
                    node_row(table, "nothing", shape, sizeof(many_arguments), 0, stream, [&] {
                        launch(nothing<many_arguments>, shape, stream, many_arguments());
                    });
                }
    const shape as_library[] = {{1, 128, 1, 82240, true},  {1, 512, 1, 82240, true},
                                {4, 512, 4, 82240, true},  {16, 512, 4, 82240, true},
                                {22, 512, 1, 82240, true}, {24, 512, 4, 82240, true},
                                {24, 544, 4, 82240, true}, {16, 640, 4, 82240, true}};
    for (const auto &shape : as_library) {
        if (!clusters)
            break;
        auto plain = shape;
        plain.as_library = false;
        node_row(table, "nothing_as_library", shape, sizeof(many_arguments), 0, stream,
                 [&] { launch(nothing<many_arguments>, shape, stream, many_arguments()); });
        node_row(table, "wide", plain, sizeof(many_arguments), 0, stream,
                 [&] { launch(nothing_wide<many_arguments>, plain, stream, many_arguments()); });
        node_row(table, "wide_as_library", shape, sizeof(many_arguments), 0, stream,
                 [&] { launch(nothing_wide<many_arguments>, shape, stream, many_arguments()); });
        node_row(table, "follow_as_library", shape, 24, 2, stream,
                 [&] { launch(follow, shape, stream, lines, 2, true); });
    }
    for (int blocks : {1, 4, 16, 24})
        for (int amount : {1, 2, 4, 8, 12}) {
            shape shape = {blocks, 128, 1, 0};
            for (bool stores : {false, true})
                node_row(table, stores ? "follow_and_store" : "follow", shape, 24, amount, stream,
                         [&] { launch(follow, shape, stream, lines, amount, stores); });
        }
    for (int threads : {128, 512, 640})
        for (int amount : {0, 16, 64}) {
            shape shape = {1, threads, 1, 0};
            node_row(table, "meet", shape, 4, amount, stream,
                     [&] { launch(meet, shape, stream, amount); });
        }
    cudaEvent_t
        event; // that others may wait for, as a library notes in a graph that its kernel has ended
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int blocks : {1, 24})
        for (int threads : {128, 512}) {
            shape shape = {blocks, threads, 1, 0};
            node_row(table, "recorded", shape, sizeof(few_arguments), 0, stream, [&] {
                launch(nothing<few_arguments>, shape, stream, few_arguments());
                CUDA(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
            });
        }
    CUDA(cudaEventDestroy(event));
    CUDA(cudaFree(lines));
    CUDA(cudaStreamDestroy(stream));
}

/* A word of 8 B with its two flags. */
struct alignas(16) flagged {
    uint32_t low, flag, high, other_flag;
};

__device__ inline void store_flagged(flagged *to, uint32_t value, uint32_t flag)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value),
                 "r"(flag), "r"(value), "r"(flag)
                 : "memory");
}

__device__ inline bool take_flagged(const flagged *from, uint32_t flag, uint32_t *value)
{
    uint32_t low, first, high, second;
    for (int looks = 0; looks < 1 << 24; looks++) {
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(low), "=r"(first), "=r"(high), "=r"(second)
                     : "l"(from)
                     : "memory");
        if (first == flag && second == flag) {
            *value = low + high;
            return true;
        }
    }
    return false;
}

struct side {
    flagged *words;  // `slots` times those of all blocks
    uint32_t *steps; // of each block, on lines of their own, how many rounds there were
    float *cycles;   // of each block, of its rounds in the last kernel
};

/* Each thread of each block sends a word and takes one, `rounds` times; `meets`: with barriers of its block before it sends and behind what it
 * takes. */
__global__ void exchange(side mine, side theirs, int rounds, bool meets)
{
    uint32_t step = *(volatile uint32_t *)(mine.steps + 32 * blockIdx.x), value = step;
    __syncthreads();
    uint64_t start = clock64();
    for (int i = 0; i < rounds; i++) {
        step++;
        size_t at = (step % slots * most_blocks + blockIdx.x) * most_threads + threadIdx.x;
        if (meets)
            __syncthreads();
        store_flagged(theirs.words + at, value, step);
        if (!take_flagged(mine.words + at, step, &value))
            __trap();
        if (meets)
            __syncthreads();
    }
    if (threadIdx.x == 0) {
        *(volatile uint32_t *)(mine.steps + 32 * blockIdx.x) = step;
        mine.cycles[blockIdx.x] = (float)(clock64() - start);
    }
}

void resident_row(table &table, const side sides[2], cudaStream_t streams[2], double ratio,
                  const shape &shape, bool meets)
{
    constexpr int rounds = 400;
    for (int repeat = 0; repeat < 2; repeat++) {
        for (int gpu = 1; gpu >= 0; gpu--) {
            CUDA(cudaSetDevice(gpu));
            launch(exchange, shape, streams[gpu], sides[gpu], sides[1 - gpu], rounds, meets);
        }
        for (int gpu = 0; gpu < 2; gpu++)
            CUDA(cudaStreamSynchronize(streams[gpu]));
    }
    samples times;
    for (int block = 0; block < shape.blocks; block++)
        times.add(1e-3 * sides[0].cycles[block] / ratio / rounds);
    table.row("resident\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f", shape.blocks, shape.threads,
              shape.cluster, rounds, meets, times.median(), times.quantile(1));
}

void graph_row(table &table, const side sides[2], cudaStream_t streams[2], const shape &shape,
               int rounds, bool meets)
{
    times times = graph_times(
        [&](int gpu, int count) {
            return row_of(streams[gpu], count, [&] {
                launch(exchange, shape, streams[gpu], sides[gpu], sides[1 - gpu], rounds, meets);
            });
        },
        2, streams);
    table.row("graph\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f", shape.blocks, shape.threads, shape.cluster,
              rounds, meets, times.each.values[1], times.whole.median());
}

/* Kernels of one GPU that end behind a store to their own memory, the other GPU's, the host's. */
void leaving_rows(table &table, const side sides[2], cudaStream_t stream)
{
    auto *host = pinned_alloc<uint32_t>(32 * 8 * most_blocks);
    struct {
        const char *name;
        uint32_t *to;
    } const places[] = {{"leave_own", (uint32_t *)sides[0].words},
                        {"leave_peer", (uint32_t *)sides[1].words},
                        {"leave_host", host}};
    for (const auto &place : places)
        for (int blocks : {1, 16, 24})
            for (int amount : {0, 1, 8}) {
                shape shape = {blocks, 128, 1, 0};
                times times = graph_times(
                    [&](int, int count) {
                        return row_of(stream, count, [&] {
                            launch(leave, shape, stream, sides[0].steps, place.to, amount);
                        });
                    },
                    1, &stream);
                table.row("%s\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f", place.name, blocks, shape.threads,
                          shape.cluster, amount, 0, times.each.values[1], times.whole.median());
            }
    CUDA(cudaFreeHost(host));
}

void exchanges(const std::string &folder)
{
    side sides[2];
    cudaStream_t streams[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        sides[gpu] = {device_alloc<flagged>((size_t)slots * most_blocks * most_threads),
                      device_alloc<uint32_t>(32 * most_blocks), pinned_alloc<float>(most_blocks)};
        CUDA(cudaStreamCreateWithFlags(&streams[gpu], cudaStreamNonBlocking));
    }
    CUDA(cudaSetDevice(0));
    double ratio = cycles_per_ns(0);
    bool clusters = has_clusters(streams[0]);
    table table(
        folder, "exchanges",
        "two GPUs whose threads send each other a word with flags and take one, `rounds` times in a kernel. resident: time of a round of the\n"
        "median and the slowest block; graph: of a kernel in a row of 40 less one of 20, and a graph of 20;\n"
        "leave: kernels of one GPU that store `rounds` words before they end",
        "how blocks threads cluster rounds meets each_us other_us");
    for (int threads : {32, 128, 256, 512})
        for (int blocks : {1, 2, 4, 8, 16, 24})
            for (bool meets : {false, true}) {
                shape shape = {blocks, threads, 1, 0};
                resident_row(table, sides, streams, ratio, shape, meets);
                for (int rounds : {1, 2, 4})
                    graph_row(table, sides, streams, shape, rounds, meets);
                if (clusters) {
                    shape.as_library = true;
                    shape.cluster = blocks % 4 == 0 ? 4 : 1;
                    graph_row(table, sides, streams, shape, 1, meets);
                }
            }
    leaving_rows(table, sides, streams[0]);
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaFree(sides[gpu].words));
        CUDA(cudaFree(sides[gpu].steps));
        CUDA(cudaFreeHost(sides[gpu].cycles));
        CUDA(cudaStreamDestroy(streams[gpu]));
    }
}
} // namespace

void probe_exchange(const std::string &folder)
{
    int gpus;
    CUDA(cudaGetDeviceCount(&gpus));
    nodes(folder);
    if (gpus > 1 && reach_each_other())
        exchanges(folder);
}
