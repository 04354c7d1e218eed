/* SPDX-License-Identifier: BSD-3-Clause */
/* Two GPUs: iterations of a 5-point stencil on a square of floats, the upper half on one GPU and the lower half on the other. Host
 * threads launch a kernel for each iteration and copy the halo, or one kernel on each GPU stays and stores the halo into the
 * other's memory. */
#include <cooperative_groups.h>
#include <thread>

#include "meeting.h"
#include "words.h"

/* The rows of one GPU with a row of the halo above and one below, in the iterations' states in turn. */
struct part {
    float *field[2];
    int edge, rows;
    int border;     // the row beside the other GPU's
    float *halo[2]; // where the other GPU has a row for it, by state
    flag *come,
        *tell; // the halo has come, by parity: that GPU may be one iteration ahead; its flags
};

constexpr int launched_threads = 256, persistent_threads = 1024;

/* --- the stencil -------------------------------------------------------------------------------- */

__host__ __device__ static inline float mean(float above, float left, float right, float below)
{
    return (above + left + right + below) * 0.25F;
}

/* Four cells of a row; beyond the square there is 0. */
static __device__ float4 mean_of_four(const float *in, int edge, int row, int column)
{
    const float *at = in + (size_t)row * edge + column;
    float4 above = *(const float4 *)(at - edge), own = *(const float4 *)at,
           below = *(const float4 *)(at + edge);
    float left = column > 0 ? at[-1] : 0, right = column + 4 < edge ? at[4] : 0;
    return {mean(above.x, left, own.y, below.x), mean(above.y, own.x, own.z, below.y),
            mean(above.z, own.y, own.w, below.z), mean(above.w, own.z, right, below.w)};
}

static __device__ const float *state_of(const part &part, int state)
{
    return state == 0 ? part.field[0] : part.field[1];
}

static __device__ void update_four(const part &part, int state, int row, int column)
{
    float *out = (float *)state_of(part, 1 - state) + (size_t)row * part.edge + column;
    *(float4 *)out = mean_of_four(state_of(part, state), part.edge, row, column);
}

static __global__ void update(part part, int state)
{
    int four = (int)(blockIdx.x * blockDim.x + threadIdx.x), fours = part.edge / 4;
    if (four < part.rows * fours)
        update_four(part, state, 1 + four / fours, four % fours * 4);
}

/* One block: the border goes to the other GPU as it is computed. */
static __device__ void update_border(const part &part, int state, uint32_t iteration)
{
    float *halo = state == 0 ? part.halo[1] : part.halo[0];
    float *out = (float *)state_of(part, 1 - state) + (size_t)part.border * part.edge;
    for (int column = (int)threadIdx.x * 4; column < part.edge; column += (int)blockDim.x * 4) {
        float4 four = mean_of_four(state_of(part, state), part.edge, part.border, column);
        *(float4 *)(out + column) = four;
        *(float4 *)(halo + column) = four;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        system_word(part.tell[iteration % 2].value).store(iteration, cuda::memory_order_release);
}

/* Blocks share what lies beyond the border equally, each a piece of its own. If patience runs out, a block still comes to the
 * barriers, since the others wait there. Cycles of each iteration are noted by the first block. */
static __global__ void __launch_bounds__(persistent_threads)
    iterate(part part, int iterations, float *cycles, uint32_t *lost)
{
    int fours = part.edge / 4, count = (part.rows - 1) * fours;
    int share = (count + (int)gridDim.x - 1) / (int)gridDim.x, first = (int)blockIdx.x * share;
    int end = min(first + share, count), top = part.border == 1 ? 2 : 1;
    patience patience;
    for (int i = 0; i < iterations; i++) {
        uint64_t start = clock64();
        if (blockIdx.x == 0)
            update_border(part, i % 2, (uint32_t)i + 1);
        for (int four = first + (int)threadIdx.x; four < end; four += (int)blockDim.x)
            update_four(part, i % 2, top + four / fours, four % fours * 4);
        if (blockIdx.x == 0 && threadIdx.x == 0 &&
            !wait_for(system_word(part.come[(i + 1) % 2].value), (uint32_t)i + 1,
                      cuda::memory_order_acquire, patience))
            *lost = 1;
        cooperative_groups::this_grid().sync();
        if (cycles && blockIdx.x == 0 && threadIdx.x == 0)
            cycles[i] = (float)(clock64() - start);
    }
}

__host__ __device__ static inline float start_value(int row, int column)
{
    return (float)((row * 13 + column * 7) % 101);
}

/* Both states, with zeros around the square; `above`: rows of the square before these. */
static __global__ void fill(part part, int above)
{
    int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (int row = (int)blockIdx.y; row < part.rows + 2; row += (int)gridDim.y) {
        int global = above + row - 1;
        bool is_inside = global >= 0 && global < 2 * part.rows;
        for (float *field : part.field)
            field[(size_t)row * part.edge + column] = is_inside ? start_value(global, column) : 0;
    }
}

/* --- both ways ---------------------------------------------------------------------------------- */

struct square {
    part parts[2];
    cudaStream_t streams[2];
    flag *flags[2];
};

static square make_square(int edge)
{
    square square;
    int rows = edge / 2;
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        part &part = square.parts[gpu];
        part.edge = edge;
        part.rows = rows;
        part.border = gpu == 0 ? rows : 1;
        for (float *&field : part.field)
            CUDA(cudaMalloc((void **)&field, sizeof(float) * (size_t)(rows + 2) * (size_t)edge));
        square.flags[gpu] = device_alloc<flag>(2);
        CUDA(cudaStreamCreateWithFlags(&square.streams[gpu], cudaStreamNonBlocking));
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        part &part = square.parts[gpu];
        size_t row = gpu == 0 ? 0 : (size_t)rows + 1; // above the lower half, below the upper one
        for (int state = 0; state < 2; state++)
            part.halo[state] = square.parts[1 - gpu].field[state] + row * (size_t)edge;
        part.come = square.flags[gpu];
        part.tell = square.flags[1 - gpu];
    }
    CUDA(cudaSetDevice(0));
    return square;
}

static void free_square(square &square)
{
    for (int gpu = 0; gpu < 2; gpu++) {
        for (float *field : square.parts[gpu].field)
            CUDA(cudaFree(field));
        CUDA(cudaFree(square.flags[gpu]));
        CUDA(cudaStreamDestroy(square.streams[gpu]));
    }
}

static void start_again(const square &square)
{
    for (int gpu = 0; gpu < 2; gpu++) {
        const part &part = square.parts[gpu];
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaMemset(square.flags[gpu], 0, 2 * sizeof(flag)));
        fill<<<dim3((unsigned)part.edge / 256, 1024), 256>>>(part, gpu * part.rows);
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
    }
    CUDA(cudaSetDevice(0));
}

/* An iteration of one GPU's thread: kernel, synchronise, copy the halo, synchronise, meet. */
static void launched_iteration(const square &square, int gpu, int state, meeting &meeting)
{
    const part &part = square.parts[gpu];
    cudaStream_t stream = square.streams[gpu];
    int blocks = part.rows * (part.edge / 4) / launched_threads;
    update<<<(unsigned)blocks, launched_threads, 0, stream>>>(part, state);
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpyAsync(part.halo[1 - state],
                         part.field[1 - state] + (size_t)part.border * (size_t)part.edge,
                         (size_t)part.edge * sizeof(float), cudaMemcpyDefault, stream));
    CUDA(cudaStreamSynchronize(stream));
    meeting.wait();
}

static void launched_side(const square &square, int gpu, int iterations, meeting &meeting,
                          samples *times)
{
    CUDA(cudaSetDevice(gpu));
    pin_to_cpu(1 + gpu);
    meeting.wait();
    for (int i = 0; i < iterations; i++) {
        double start = now_ns();
        launched_iteration(square, gpu, i % 2, meeting);
        if (times)
            times->add(now_ns() - start);
    }
}

static samples run_launched(const square &square, int iterations)
{
    samples times;
    meeting meeting(2);
    std::thread other([&] { launched_side(square, 1, iterations, meeting, nullptr); });
    launched_side(square, 0, iterations, meeting, &times);
    other.join();
    pin_to_cpu(1);
    CUDA(cudaSetDevice(0));
    return times;
}

static samples run_persistent(const square &square, int iterations)
{
    static const double ratio = cycles_per_ns(0);
    float *cycles = pinned_alloc<float>((size_t)iterations), *none = nullptr;
    uint32_t *lost = pinned_alloc<uint32_t>(1);
    for (int gpu = 1; gpu >= 0; gpu--) {
        cudaDeviceProp properties;
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaGetDeviceProperties(&properties, gpu));
        part part = square.parts[gpu];
        void *arguments[] = {&part, &iterations, gpu == 0 ? &cycles : &none, &lost};
        CUDA(cudaLaunchCooperativeKernel((void *)iterate, (unsigned)properties.multiProcessorCount,
                                         persistent_threads, arguments, 0, square.streams[gpu]));
    }
    for (cudaStream_t stream : square.streams)
        CUDA(cudaStreamSynchronize(stream));
    if (*lost)
        fail("jacobi2d: the other GPU's halo did not come");
    samples times;
    for (int i = 0; i < iterations; i++)
        times.add(cycles[i] / ratio);
    CUDA(cudaFreeHost(cycles));
    CUDA(cudaFreeHost(lost));
    return times;
}

/* --- the plain loop ----------------------------------------------------------------------------- */

static std::vector<float> plain_loop(int edge, int iterations)
{
    size_t row = (size_t)edge + 2;
    std::vector<float> states[2];
    for (std::vector<float> &state : states)
        state.assign(row * row, 0);
    for (int y = 0; y < edge; y++)
        for (int x = 0; x < edge; x++)
            states[0][(size_t)(y + 1) * row + (size_t)x + 1] = start_value(y, x);
    for (int i = 0; i < iterations; i++)
        for (int y = 0; y < edge; y++)
            for (int x = 0; x < edge; x++) {
                size_t at = (size_t)(y + 1) * row + (size_t)x + 1;
                const std::vector<float> &in = states[i % 2];
                states[1 - i % 2][at] = mean(in[at - row], in[at - 1], in[at + 1], in[at + row]);
            }
    return states[iterations % 2];
}

/* Every cell of both halves as the plain loop has it. */
static void check(const char *way, samples (*run)(const square &, int))
{
    constexpr int edge = 512, iterations = 9;
    std::vector<float> expected = plain_loop(edge, iterations);
    square square = make_square(edge);
    start_again(square);
    run(square, iterations);
    for (int gpu = 0; gpu < 2; gpu++) {
        const part &part = square.parts[gpu];
        std::vector<float> field((size_t)(part.rows + 2) * edge);
        CUDA(cudaMemcpy(field.data(), part.field[iterations % 2], field.size() * sizeof(float),
                        cudaMemcpyDefault));
        for (int y = 0; y < part.rows; y++)
            for (int x = 0; x < edge; x++)
                if (field[(size_t)(y + 1) * edge + (size_t)x] !=
                    expected[(size_t)(gpu * part.rows + y + 1) * (edge + 2) + (size_t)x + 1])
                    fail("jacobi2d: %s: cell %d of row %d of GPU %d is wrong", way, x, y, gpu);
    }
    free_square(square);
}

void probe_jacobi2d(const std::string &folder)
{
    static const struct {
        const char *name;
        samples (*run)(const square &, int);
    } ways[] = {{"launched", run_launched}, {"persistent", run_persistent}};
    if (!reach_each_other()) {
        puts("jacobi2d     left out: these two GPUs cannot reach each other's memory");
        return;
    }
    for (const auto &way : ways)
        check(way.name, way.run);
    table table(
        folder, "jacobi2d",
        "an iteration of a 5-point stencil of floats, edge^2 cells, half of the rows on each of two GPUs; launched: a\n"
        "host thread for each launches a kernel (four cells a thread, blocks of 256), synchronises, copies the row of\n"
        "the halo to the other GPU, synchronises, meets the other thread; persistent: a cooperative kernel on each,\n"
        "a block of 1024 threads an SM; the first block stores the halo into the other GPU's memory first and sets a\n"
        "flag, and waits for its own flag after its share; a barrier of the grid",
        "way edge median_us p10_us p90_us n_iterations");
    for (int edge = 256; edge <= 16384; edge *= 2) {
        square square = make_square(edge);
        for (const auto &way : ways) {
            start_again(square);
            samples times = way.run(square, edge >= 8192 ? 44 : 204);
            times.drop_first(4);
            table.row("%s\t%d\t%.3f\t%.3f\t%.3f\t%zu", way.name, edge, 1e-3 * times.median(),
                      1e-3 * times.quantile(0.1), 1e-3 * times.quantile(0.9), times.count());
        }
        free_square(square);
    }
}
