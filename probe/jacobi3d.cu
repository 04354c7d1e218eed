/* SPDX-License-Identifier: BSD-3-Clause */
/* One GPU and two: iterations of a 7-point stencil, driven by a host thread for each GPU, as a program with MPI drives
 * them: exchange faces, synchronise, kernels, synchronise. */
#include <thread>

#include "jacobi3d.h"
#include "meeting.h"

struct block {
    stencil stencil;
    int gpu, first[3];    // first: its first cell's place in the grid
    int neighbour[faces]; // its number; -1: none
    double *host[faces];  // pinned, where a staged face lies between the copies
    cudaStream_t kernels, copies;
    cudaGraphExec_t graphs[2]; // by parity; null: launches
};

struct variant {
    int gpus;
    int n; // cells along each dimension of the whole grid
    bool staged;
    fusion fusion;
    bool graph;
    int blocks; // of a GPU
};

/* --- blocks ------------------------------------------------------------------------------------- */

/* The grids of least surface: GPUs side by side in z, each with one block or with 2 x 2 x 2. */
static void place_block(block &block, const variant &variant, int number)
{
    int side = variant.blocks == 8 ? 2 : 1, grid[3] = {side, side, side * variant.gpus};
    int at[3] = {number / grid[2] / grid[1], number / grid[2] % grid[1], number % grid[2]};
    block.gpu = at[2] / side;
    for (int axis = 0; axis < 3; axis++) {
        block.stencil.cells[axis] = variant.n / grid[axis];
        block.first[axis] = at[axis] * block.stencil.cells[axis];
    }
    for (int face = 0; face < faces; face++) {
        int there[3] = {at[0], at[1], at[2]};
        int along = there[face / 2] += face % 2 == 0 ? -1 : 1;
        bool is_inside = along >= 0 && along < grid[face / 2];
        block.neighbour[face] =
            is_inside ? (there[0] * grid[1] + there[1]) * grid[2] + there[2] : -1;
    }
}

static cudaGraphExec_t record(const block &block, int parity, fusion fusion)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA(cudaStreamBeginCapture(block.kernels, cudaStreamCaptureModeThreadLocal));
    launch_iteration(block.stencil, parity, fusion, block.kernels);
    CUDA(cudaStreamEndCapture(block.kernels, &graph));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return executable;
}

static void make_block(block &block, const variant &variant, int number)
{
    block = {};
    place_block(block, variant, number);
    stencil &stencil = block.stencil;
    CUDA(cudaSetDevice(block.gpu));
    for (double *&field : stencil.field)
        CUDA(cudaMalloc((void **)&field, sizeof(double) * (size_t)(stencil.cells[0] + 2) *
                                             (size_t)(stencil.cells[1] + 2) *
                                             (size_t)(stencil.cells[2] + 2)));
    for (int face = 0; face < faces; face++) {
        if (block.neighbour[face] < 0)
            continue;
        stencil.send[face] = device_alloc<double>(face_cells(stencil, face));
        stencil.receive[face] = device_alloc<double>(face_cells(stencil, face));
        block.host[face] = pinned_alloc<double>(face_cells(stencil, face));
    }
    CUDA(cudaStreamCreateWithFlags(&block.kernels, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&block.copies, cudaStreamNonBlocking));
}

/* Starts again from the first state, with its faces packed. */
static void start_block(block &block, const variant &variant)
{
    CUDA(cudaSetDevice(block.gpu));
    launch_fill(block.stencil, block.first, block.kernels);
    launch_first_pack(block.stencil, block.kernels);
    CUDA(cudaStreamSynchronize(block.kernels));
    for (int parity = 0; parity < 2; parity++) {
        if (block.graphs[parity])
            CUDA(cudaGraphExecDestroy(block.graphs[parity]));
        block.graphs[parity] = variant.graph ? record(block, parity, variant.fusion) : nullptr;
    }
}

static void free_block(block &block)
{
    CUDA(cudaSetDevice(block.gpu));
    for (double *field : block.stencil.field)
        CUDA(cudaFree(field));
    for (int face = 0; face < faces; face++) {
        CUDA(cudaFree(block.stencil.send[face]));
        CUDA(cudaFree(block.stencil.receive[face]));
        CUDA(cudaFreeHost(block.host[face]));
    }
    for (cudaGraphExec_t graph : block.graphs)
        if (graph)
            CUDA(cudaGraphExecDestroy(graph));
    CUDA(cudaStreamDestroy(block.kernels));
    CUDA(cudaStreamDestroy(block.copies));
}

/* --- an iteration ------------------------------------------------------------------------------- */

/* The blocks of one GPU, and what its thread does with them. */
struct side {
    std::vector<block> &blocks; // of all GPUs
    const variant &variant;
    int gpu;
    meeting &meeting;

    template <typename Action> void each(Action action)
    {
        for (block &block : blocks)
            if (block.gpu == gpu)
                action(block);
    }

    void copy(double *to, const double *from, const block &block, int face)
    {
        CUDA(cudaMemcpyAsync(to, from, face_cells(block.stencil, face) * sizeof(double),
                             cudaMemcpyDefault, block.copies));
    }

    void finish_copies()
    {
        each([](block &block) { CUDA(cudaStreamSynchronize(block.copies)); });
        meeting.wait();
    }

    /* A face goes to the neighbour's memory, or to the host's, from where the neighbour fetches it. */
    void exchange()
    {
        each([this](block &block) {
            for (int face = 0; face < faces; face++)
                if (block.neighbour[face] >= 0)
                    copy(variant.staged
                             ? block.host[face]
                             : blocks[(size_t)block.neighbour[face]].stencil.receive[face ^ 1],
                         block.stencil.send[face], block, face);
        });
        finish_copies();
        if (!variant.staged)
            return;
        each([this](block &block) {
            for (int face = 0; face < faces; face++)
                if (block.neighbour[face] >= 0)
                    copy(block.stencil.receive[face],
                         blocks[(size_t)block.neighbour[face]].host[face ^ 1], block, face);
        });
        finish_copies();
    }

    void iterate(int parity)
    {
        exchange();
        each([this, parity](block &block) {
            if (variant.graph)
                CUDA(cudaGraphLaunch(block.graphs[parity], block.kernels));
            else
                launch_iteration(block.stencil, parity, variant.fusion, block.kernels);
        });
        each([](block &block) { CUDA(cudaStreamSynchronize(block.kernels)); });
        meeting.wait();
    }

    void run(int iterations, samples *times)
    {
        CUDA(cudaSetDevice(gpu));
        pin_to_cpu(1 + gpu);
        meeting.wait();
        for (int i = 0; i < iterations; i++) {
            double start = now_ns();
            iterate(i % 2);
            if (times)
                times->add(now_ns() - start);
        }
    }
};

static samples iterate(std::vector<block> &blocks, const variant &variant, int iterations)
{
    for (block &block : blocks)
        start_block(block, variant);
    samples times;
    meeting meeting(variant.gpus);
    std::thread other;
    if (variant.gpus == 2)
        other = std::thread([&] { side{blocks, variant, 1, meeting}.run(iterations, nullptr); });
    side{blocks, variant, 0, meeting}.run(iterations, &times);
    if (variant.gpus == 2)
        other.join();
    pin_to_cpu(1);
    CUDA(cudaSetDevice(0));
    return times;
}

static std::vector<block> make_blocks(const variant &variant)
{
    std::vector<block> blocks((size_t)(variant.gpus * variant.blocks));
    for (size_t i = 0; i < blocks.size(); i++)
        make_block(blocks[i], variant, (int)i);
    return blocks;
}

/* --- the plain loop ----------------------------------------------------------------------------- */

static std::vector<double> plain_loop(int n, int iterations)
{
    const int cells[3] = {n, n, n};
    std::vector<double> states[2];
    for (std::vector<double> &state : states)
        state.assign((size_t)(n + 2) * (n + 2) * (n + 2), 1);
    auto each = [n](auto action) {
        for (int z = 0; z < n; z++)
            for (int y = 0; y < n; y++)
                for (int x = 0; x < n; x++)
                    action(x, y, z);
    };
    each([&](int x, int y, int z) {
        states[0][cell_index(cells, x, y, z)] = jacobi3d_start(x, y, z);
    });
    for (int i = 0; i < iterations; i++) {
        const std::vector<double> &in = states[i % 2];
        each([&](int x, int y, int z) {
            auto at = [&](int dx, int dy, int dz) {
                return in[cell_index(cells, x + dx, y + dy, z + dz)];
            };
            states[1 - i % 2][cell_index(cells, x, y, z)] =
                (at(0, 0, 0) + at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) +
                 at(0, 0, -1) + at(0, 0, 1)) *
                one_seventh;
        });
    }
    return states[iterations % 2];
}

/* Every cell of the grid as the plain loop has it. */
static void check(std::vector<block> &blocks, const variant &variant)
{
    constexpr int iterations = 6;
    const int n = variant.n, cells[3] = {n, n, n};
    std::vector<double> expected = plain_loop(n, iterations);
    iterate(blocks, variant, iterations);
    for (block &block : blocks) {
        const int *size = block.stencil.cells;
        std::vector<double> field((size_t)(size[0] + 2) * (size[1] + 2) * (size[2] + 2));
        CUDA(cudaMemcpy(field.data(), block.stencil.field[iterations % 2],
                        field.size() * sizeof(double), cudaMemcpyDeviceToHost));
        for (int z = 0; z < size[2]; z++)
            for (int y = 0; y < size[1]; y++)
                for (int x = 0; x < size[0]; x++)
                    if (field[cell_index(size, x, y, z)] !=
                        expected[cell_index(cells, block.first[0] + x, block.first[1] + y,
                                            block.first[2] + z)])
                        fail("jacobi3d: %s fusion, graph %d, %d blocks: a cell is wrong",
                             fusion_names[variant.fusion], variant.graph, variant.blocks);
    }
}

static void variant_row(table &table, std::vector<block> &blocks, const variant &variant)
{
    samples times = iterate(blocks, variant, variant.n >= 768 ? 24 : 104);
    times.drop_first(4);
    table.row("%d\t%d\t%s\t%s\t%d\t%d\t%.3f\t%.3f\t%.3f\t%zu", variant.gpus, variant.n,
              variant.staged ? "staged" : "peer", fusion_names[variant.fusion], variant.graph,
              variant.blocks, 1e-3 * times.median(), 1e-3 * times.quantile(0.1),
              1e-3 * times.quantile(0.9), times.count());
}

/* Includes room for the faces, which is small beside the fields. */
static bool fits(int gpus, int n)
{
    size_t free_bytes, all_bytes, cells = (size_t)(n + 2) * (n + 2) * (n + 2);
    CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    return 2 * sizeof(double) * cells / (size_t)gpus < free_bytes / 10 * 9;
}

/* Memory is allocated once for all variants of a size, since each piece is also mapped into the other GPU, which takes long. */
static void each_variant(int gpus, int n,
                         const std::function<void(std::vector<block> &, const variant &)> &action)
{
    for (int count : {1, 8}) {
        std::vector<block> blocks = make_blocks({gpus, n, true, FUSION_NONE, false, count});
        for (bool staged : {false, true})
            for (fusion fusion : {FUSION_NONE, FUSION_A, FUSION_B, FUSION_C})
                for (bool graph : {false, true})
                    if (gpus * count > 1 || !staged)
                        action(blocks, {gpus, n, staged, fusion, graph, count});
        for (block &block : blocks)
            free_block(block);
    }
}

void probe_jacobi3d(const std::string &folder)
{
    int most = 0;
    CUDA(cudaGetDeviceCount(&most));
    if (most > 1 && !reach_each_other()) {
        puts("jacobi3d     two GPUs left out: they cannot reach each other's memory");
        most = 1;
    }
    most = std::min(most, 2);
    for (int gpus = 1; gpus <= most; gpus++)
        each_variant(gpus, 24, check);
    table table(
        folder, "jacobi3d",
        "an iteration of a 7-point stencil of doubles, n^3 cells on one or two GPUs, a host thread each: copy the faces,\n"
        "synchronise, meet (staged: to the host, then from it), launch unpack, update, pack, synchronise, meet;\n"
        "GPUs side by side; blocks: of a GPU, 8 are 2 x 2 x 2; peer: from GPU memory to GPU memory, also of one GPU;\n"
        "graph: a block's kernels in one graph",
        "gpus n path fusion graph blocks median_us p10_us p90_us n_iterations");
    for (int gpus = 1; gpus <= most; gpus++)
        for (int n : {96, 192, 384, 768, 1536})
            if (fits(gpus, n))
                each_variant(gpus, n, [&](std::vector<block> &blocks, const variant &variant) {
                    variant_row(table, blocks, variant);
                });
}
