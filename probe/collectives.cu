/* SPDX-License-Identifier: BSD-3-Clause */
/* Two, four and eight GPUs: NCCL's collectives, called by a process for each GPU: launched one behind the other as nccl-tests does, out of place,
 * in place and in symmetric memory, or as a graph of as many. */
#include "common.h"
#include "together.h"

#ifdef PROBE_NCCL
#include <cstdlib>
#include <cstring>
#include <nccl.h>

#define NCCL(call) check_nccl((call), #call)

namespace
{
static void check_nccl(ncclResult_t result, const char *call)
{
    if (result != ncclSuccess)
        fail("%s: %s", call, ncclGetErrorString(result));
}

constexpr int operations_in_row = 20, repeats = 8;
constexpr size_t most_bytes = (size_t)1 << 29;

struct element {
    const char *name;
    ncclDataType_t type;
    size_t bytes;
};

/* Where an operation reads and writes; in place: within one array, as each operation defines it. */
struct place {
    char *from, *to;
};

struct caller {
    ncclComm_t comm;
    cudaStream_t stream;
    int gpu, gpus;
};

/* `bytes` of a call is the larger of what a GPU gives and gets, as nccl-tests counts. In place, `from_own_part` and `to_own_part` say
 * whether a GPU gives, or gets, only its own part of the array. */
struct collective {
    const char *name;
    ncclResult_t (*call)(const caller &caller, place place, size_t count, ncclDataType_t type);
    bool from_own_part, to_own_part;
    float (*first)(int gpus),
        (*last)(int gpus); // of what GPU 0 gets of arrays that GPU i fills with i + 1
};

static ncclResult_t all_reduce(const caller &it, place place, size_t count, ncclDataType_t type)
{
    return ncclAllReduce(place.from, place.to, count, type, ncclSum, it.comm, it.stream);
}

static ncclResult_t all_gather(const caller &it, place place, size_t count, ncclDataType_t type)
{
    return ncclAllGather(place.from, place.to, count / (size_t)it.gpus, type, it.comm, it.stream);
}

static ncclResult_t reduce_scatter(const caller &it, place place, size_t count, ncclDataType_t type)
{
    return ncclReduceScatter(place.from, place.to, count / (size_t)it.gpus, type, ncclSum, it.comm,
                             it.stream);
}

static ncclResult_t broadcast(const caller &it, place place, size_t count, ncclDataType_t type)
{
    return ncclBroadcast(place.from, place.to, count, type, 1, it.comm, it.stream);
}

static ncclResult_t alltoall(const caller &it, place place, size_t count, ncclDataType_t type)
{
    size_t part = count / (size_t)it.gpus;
    size_t part_bytes = part * (type == ncclFloat ? 4 : type == ncclHalf ? 2 : 1);
    NCCL(ncclGroupStart());
    for (int peer = 0; peer < it.gpus; peer++) {
        NCCL(
            ncclSend(place.from + (size_t)peer * part_bytes, part, type, peer, it.comm, it.stream));
        NCCL(ncclRecv(place.to + (size_t)peer * part_bytes, part, type, peer, it.comm, it.stream));
    }
    return ncclGroupEnd();
}

constexpr element elements[] = {
    {"float", ncclFloat, 4}, {"half", ncclHalf, 2}, {"int8", ncclInt8, 1}};

static float one(int)
{
    return 1;
}

static float two(int)
{
    return 2;
}

static float number(int gpus)
{
    return (float)gpus;
}

static float sum(int gpus)
{
    return (float)(gpus * (gpus + 1) / 2);
}

constexpr collective collectives[] = {{"all_reduce", all_reduce, false, false, sum, sum},
                                      {"all_gather", all_gather, true, false, one, number},
                                      {"reduce_scatter", reduce_scatter, false, true, sum, sum},
                                      {"broadcast", broadcast, false, false, two, two},
                                      {"alltoall", alltoall, false, false, one, number}};

/* How operations are called. `symmetric`: arrays are windows that NCCL's own kernels reach in each GPU. */
struct way {
    const char *name;
    bool in_place, graph, symmetric;
};
constexpr way ways[] = {{"launched", false, false, false},
                        {"in_place", true, false, false},
                        {"graph", false, true, false},
                        {"symmetric", false, false, true},
                        {"symmetric_graph", false, true, true}};

/* Memory that others reach as NCCL asks for it, and in a window of all. */
struct array {
    char *plain, *window;
    ncclWindow_t of_all;
};

struct side {
    shared_place &shared;
    table *rows; // of the first process
    const char *protocol;
    caller own;
    array from, to;

    void meet()
    {
        pthread_barrier_wait(&shared.barrier);
    }

    array array_alloc()
    {
        array it;
        CUDA(cudaMalloc((void **)&it.plain, most_bytes));
        NCCL(ncclMemAlloc((void **)&it.window, most_bytes));
        NCCL(ncclCommWindowRegister(own.comm, it.window, most_bytes, &it.of_all,
                                    NCCL_WIN_COLL_SYMMETRIC));
        return it;
    }

    void array_free(const array &it)
    {
        NCCL(ncclCommWindowDeregister(own.comm, it.of_all));
        NCCL(ncclMemFree(it.window));
        CUDA(cudaFree(it.plain));
    }

    place place_of(const collective &collective, const way &way, size_t bytes)
    {
        place place = {way.symmetric ? from.window : from.plain,
                       way.symmetric ? to.window : to.plain};
        if (way.in_place) {
            size_t before = (size_t)own.gpu * (bytes / (size_t)own.gpus);
            place.from = place.to;
            place.from += collective.from_own_part ? before : 0;
            place.to += collective.to_own_part ? before : 0;
        }
        return place;
    }

    void call(const collective &collective, const element &element, place place, size_t bytes)
    {
        NCCL(collective.call(own, place, bytes / element.bytes, element.type));
    }

    /* One operation on floats, whose result is looked at. */
    void check(const collective &collective, const way &way)
    {
        constexpr size_t count = 1 << 16, bytes = count * sizeof(float);
        std::vector<float> data(count, (float)own.gpu + 1);
        place place = place_of(collective, way, bytes);
        CUDA(cudaMemcpy(place.from, data.data(), bytes, cudaMemcpyHostToDevice));
        meet();
        call(collective, elements[0], place, bytes);
        CUDA(cudaStreamSynchronize(own.stream));
        size_t got = collective.call == reduce_scatter ? count / (size_t)own.gpus : count;
        CUDA(cudaMemcpy(data.data(), place.to, got * sizeof(float), cudaMemcpyDeviceToHost));
        if (own.gpu == 0 &&
            (data[0] != collective.first(own.gpus) || data[got - 1] != collective.last(own.gpus)))
            fail("collectives: %s %s gives %g and %g", collective.name, way.name, data[0],
                 data[got - 1]);
        meet();
    }

    cudaGraphExec_t graph(const collective &collective, const element &element, place place,
                          size_t bytes)
    {
        cudaGraph_t graph;
        cudaGraphExec_t launchable;
        CUDA(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < operations_in_row; i++)
            call(collective, element, place, bytes);
        CUDA(cudaStreamEndCapture(own.stream, &graph));
        CUDA(cudaGraphInstantiate(&launchable, graph, 0));
        CUDA(cudaGraphDestroy(graph));
        return launchable;
    }

    void row(const collective &collective, const element &element, const way &way, size_t bytes)
    {
        place place = place_of(collective, way, bytes);
        cudaGraphExec_t launchable = way.graph ? graph(collective, element, place, bytes) : nullptr;
        samples times;
        for (int i = 0; i <= repeats; i++) {
            CUDA(cudaStreamSynchronize(own.stream));
            meet();
            double start = now_ns();
            if (way.graph)
                CUDA(cudaGraphLaunch(launchable, own.stream));
            else
                for (int operation = 0; operation < operations_in_row; operation++)
                    call(collective, element, place, bytes);
            CUDA(cudaStreamSynchronize(own.stream));
            times.add((now_ns() - start) / operations_in_row);
        }
        times.drop_first(1);
        if (way.graph)
            CUDA(cudaGraphExecDestroy(launchable));
        if (rows != nullptr)
            rows->row("%s\t%s\t%s\t%s\t%d\t%zu\t%.3f\t%.3f\t%.3f\t%zu", collective.name,
                      element.name, way.name, protocol, own.gpus, bytes, 1e-3 * times.median(),
                      1e-3 * times.quantile(0.1), 1e-3 * times.quantile(0.9), times.count());
    }

    void measure()
    {
        for (const collective &collective : collectives)
            for (const way &way : ways) {
                if (way.in_place && collective.call == alltoall)
                    continue; // it has none
                check(collective, way);
                for (const element &element : elements)
                    if (&element == &elements[1] || !(way.in_place || way.symmetric || way.graph))
                        for (size_t bytes = value<size_t>(512, 1024, 2048); bytes <= most_bytes;
                             bytes *= 4)
                            row(collective, element, way, bytes);
            }
    }
};

static const char *protocol()
{
    const char *asked = getenv("NCCL_PROTO");
    return asked == nullptr ? "auto" : asked;
}

static void run_side(shared_place &shared, int gpu, table *rows)
{
    static_assert(sizeof(ncclUniqueId) <= sizeof shared.id);
    side side = {shared, rows, protocol(), {nullptr, nullptr, gpu, shared.gpus}, {}, {}};
    CUDA(cudaSetDevice(gpu));
    CUDA(cudaStreamCreateWithFlags(&side.own.stream, cudaStreamNonBlocking));
    ncclUniqueId id;
    if (gpu == 0) {
        NCCL(ncclGetUniqueId(&id));
        memcpy(shared.id, &id, sizeof id);
    }
    side.meet();
    memcpy(&id, shared.id, sizeof id);
    NCCL(ncclCommInitRank(&side.own.comm, shared.gpus, id, gpu));
    side.from = side.array_alloc();
    side.to = side.array_alloc();
    side.measure();
    side.meet(); // nobody takes memory away that another one may still look at
    side.array_free(side.from);
    side.array_free(side.to);
    NCCL(ncclCommDestroy(side.own.comm));
    CUDA(cudaStreamDestroy(side.own.stream));
}

} // namespace

void probe_collectives(const std::string &folder)
{
    int version = 0;
    NCCL(ncclGetVersion(&version));
    std::string comment =
        "NCCL " + std::to_string(version) +
        "'s collectives of `gpus` GPUs, 20 one behind the other, a process for each GPU: time of one; bytes: the larger\n"
        "of what a GPU gives and gets; protocol: NCCL_PROTO, or what NCCL chooses";
    table table(folder, "collectives", comment.c_str(),
                "what type how protocol gpus bytes median_us p10_us p90_us n");
    int present = 0;
    CUDA(cudaGetDeviceCount(&present));
    for (int gpus = 2; gpus <= present; gpus *= 2)
        run_together("collectives", gpus,
                     [&](shared_place &shared) { run_side(shared, 0, &table); });
}

void other_of_collectives(shared_place &shared, int gpu)
{
    run_side(shared, gpu, nullptr);
}

#else

void probe_collectives(const std::string &)
{
    puts("collectives  left out: NCCL was not found as this program was built");
}

void other_of_collectives(shared_place &, int)
{
}
#endif
