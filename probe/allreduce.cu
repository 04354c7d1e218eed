/* SPDX-License-Identifier: BSD-3-Clause */
/* Two GPUs: allreduce in a resident kernel by rings of one block each. A ring takes its own part of the array: it
 * sends one half of it to the other GPU, adds what it receives to the other half, and sends that. */
#include "rings.h"
#include "words.h"

static __device__ void copy(float *to, const float *from, size_t count)
{
    if (count % 4 == 0 && ((uintptr_t)to | (uintptr_t)from) % sizeof(float4) == 0)
        for (size_t i = threadIdx.x; i < count / 4; i += blockDim.x)
            ((float4 *)to)[i] = ((const float4 *)from)[i];
    else
        for (size_t i = threadIdx.x; i < count; i += blockDim.x)
            to[i] = from[i];
}

/* Adds the half that came and sends the sum in the same pass. */
static __device__ void add_and_send(float *mine, float *theirs, const float *came, size_t count)
{
    if (count % 4 == 0 && ((uintptr_t)mine | (uintptr_t)theirs | (uintptr_t)came) % 16 == 0)
        for (size_t i = threadIdx.x; i < count / 4; i += blockDim.x) {
            float4 sum = ((float4 *)mine)[i], other = ((const float4 *)came)[i];
            sum = {sum.x + other.x, sum.y + other.y, sum.z + other.z, sum.w + other.w};
            ((float4 *)mine)[i] = sum;
            ((float4 *)theirs)[i] = sum;
        }
    else
        for (size_t i = threadIdx.x; i < count; i += blockDim.x)
            theirs[i] = mine[i] = mine[i] + came[i];
}

static __device__ void signal(flag *flag, uint32_t value)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        system_word(flag->value).store(value, cuda::memory_order_relaxed);
    }
}

static __device__ bool wait_signal(flag *flag, uint32_t value, const patience &patience)
{
    __shared__ bool lost;
    if (threadIdx.x == 0)
        lost = !wait_for(system_word(flag->value), value, cuda::memory_order_acquire, patience);
    __syncthreads();
    return !lost;
}

/* Block r works on elements [r, r + 1) * `per_ring`; cycles of each round are noted by the first block. */
static __global__ void ring_side(ring_memory mine, ring_memory theirs, int gpu, size_t per_ring,
                                 int rounds, float *cycles)
{
    size_t half = per_ring / 2, at = blockIdx.x * per_ring;
    float *keep = mine.data + at + (size_t)gpu * half;
    size_t sent = at + (size_t)(1 - gpu) * half;
    flag *my_flags = mine.flags + 2 * blockIdx.x, *their_flags = theirs.flags + 2 * blockIdx.x;
    float *came = mine.staging + blockIdx.x * half;
    patience patience;
    for (uint32_t i = 1; i <= (uint32_t)rounds; i++) {
        uint64_t start = clock64();
        copy(theirs.staging + blockIdx.x * half, mine.data + sent, half);
        signal(&their_flags[0], i);
        if (!wait_signal(&my_flags[0], i, patience))
            return;
        add_and_send(keep, theirs.data + at + (size_t)gpu * half, came, half);
        signal(&their_flags[1], i);
        if (!wait_signal(&my_flags[1], i, patience))
            return;
        if (cycles && blockIdx.x == 0 && threadIdx.x == 0)
            cycles[i - 1] = (float)(clock64() - start);
    }
}

static __global__ void fill(float *data, size_t count, float value)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        data[i] = value;
}

/* Each round doubles the sum, but for the first, which adds 1 and 2. */
void resident_rings::check(size_t bytes, int rounds) const
{
    std::vector<float> data(bytes / sizeof(float));
    float expected = ldexpf(3, rounds - 1);
    for (const ring_memory &of : memory) {
        CUDA(cudaMemcpy(data.data(), of.data, bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < data.size(); i++)
            if (data[i] != expected)
                fail("allreduce: element %zu of %zu is %g after %d rounds", i, data.size(), data[i],
                     rounds);
    }
}

resident_rings::resident_rings()
{
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        memory[gpu].data = device_alloc<float>(most_bytes / sizeof(float));
        memory[gpu].staging = device_alloc<float>(most_bytes / 2 / sizeof(float));
        memory[gpu].flags = device_alloc<flag>(2 * most_rings);
        CUDA(cudaStreamCreateWithFlags(&streams[gpu], cudaStreamNonBlocking));
    }
    CUDA(cudaSetDevice(0));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    cycles = pinned_alloc<float>(most_rounds);
    ratio = cycles_per_ns(0);
}

resident_rings::~resident_rings()
{
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaFree(memory[gpu].data));
        CUDA(cudaFree(memory[gpu].staging));
        CUDA(cudaFree(memory[gpu].flags));
        CUDA(cudaStreamDestroy(streams[gpu]));
    }
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    CUDA(cudaFreeHost(cycles));
}

void resident_rings::prepare(size_t bytes)
{
    for (int gpu = 1; gpu >= 0; gpu--) {
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaMemset(memory[gpu].flags, 0, 2 * most_rings * sizeof(flag)));
        fill<<<128, 256>>>(memory[gpu].data, bytes / sizeof(float), gpu + 1.0F);
        CUDA(cudaDeviceSynchronize());
    }
}

samples resident_rings::run(size_t bytes, int rings, int threads, int rounds, double *all_ns)
{
    for (int gpu = 1; gpu >= 0; gpu--) {
        CUDA(cudaSetDevice(gpu));
        if (gpu == 0)
            CUDA(cudaEventRecord(begin, streams[0]));
        ring_side<<<rings, threads, 0, streams[gpu]>>>(memory[gpu], memory[1 - gpu], gpu,
                                                       bytes / sizeof(float) / (size_t)rings,
                                                       rounds, gpu == 0 ? cycles : nullptr);
    }
    CUDA(cudaEventRecord(end, streams[0]));
    for (int gpu = 0; gpu < 2; gpu++)
        CUDA(cudaStreamSynchronize(streams[gpu]));
    float took_ms = 0;
    CUDA(cudaEventElapsedTime(&took_ms, begin, end));
    if (all_ns != nullptr)
        *all_ns = 1e6 * took_ms / rounds;
    samples times;
    for (int i = rounds / 10; i < rounds; i++)
        times.add(cycles[i] / ratio);
    return times;
}

static void ring_row(table &table, resident_rings &of, size_t bytes, int rings, int threads)
{
    int rounds = bytes <= (1 << 20) ? 100 : 20;
    of.prepare(bytes);
    samples times = of.run(bytes, rings, threads, rounds);
    of.check(bytes, rounds);
    table.row("%zu\t%d\t%d\t%.3f\t%.3f\t%.3f\t%zu\t%.3f", bytes, rings, threads,
              1e-3 * times.median(), 1e-3 * times.quantile(0.1), 1e-3 * times.quantile(0.9),
              times.count(), (double)bytes / times.median());
}

void probe_allreduce(const std::string &folder)
{
    if (!reach_each_other()) {
        puts("allreduce    left out: these two GPUs cannot reach each other's memory");
        return;
    }
    resident_rings all;
    table table(
        folder, "allreduce",
        "allreduce of floats by two GPUs in a resident kernel, `rings` blocks, each on its part of the array:\n"
        "half of it is stored into the other GPU's memory, fence, flag; added and stored back; the first ring's\n"
        "rounds one behind the other; GBps: bytes of the array in the time of a round",
        "bytes rings threads median_us p10_us p90_us n GBps");
    for (int threads : values({256, 1024}, {128, 512}, {192, 768}))
        for (int rings : values({1, 4, 16, 64, 128}, {2, 8, 32}, {2, 8, 32}))
            for (size_t bytes = value<size_t>(8, 1024, 2048); bytes <= resident_rings::most_bytes;
                 bytes *= 8)
                if (bytes / 8 >= (size_t)rings)
                    ring_row(table, all, bytes, rings, threads);
}
