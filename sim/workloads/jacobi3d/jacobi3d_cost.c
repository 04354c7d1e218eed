/* SPDX-License-Identifier: BSD-3-Clause */
/* The costs of Jacobi3D's kernels, by the bytes that they move.
 *
 * The update (work-groups of 8 x 8 x 8) reads a cell once and writes it once, since neighbours come from the caches, as long as
 * these hold the data between two uses. A work-group needs the plane beyond either end of its 8 along z; the planes were loaded
 * last by work-groups a whole layer of work-groups ago, and are loaded again as far as the L2 does not hold a layer, in and
 * out. Memory moves in sectors of 32 B, so that each cell of a face normal to x, whose cells are not contiguous, costs a
 * sector, and more than that for the row that is opened for it (gpu_row_bytes). An update's instructions, most of which compute
 * addresses and compare, can take longer than its memory accesses, most of all if it also unpacks or packs (probe/README.md).
 * Blocks that fit together into the GPU's L2 cost no memory traffic. */
#include "workloads/jacobi3d/jacobi3d.h"

#define SECTOR_BYTES 32 /* V100 and later */
#define EDGE 8          /* edge of the update's work-groups */
#define EDGE_THREADS (EDGE * EDGE * EDGE)
#define FACE_EDGE 16 /* edge of work-groups that pack or unpack a face */
#define FUSED_THREADS 256
/* Operations of an update for each cell: a GPU does GPU_FLOPS_PER_INSTRUCTION of them per instruction. And the cycles of its
 * dependent instructions, without its loads. The same for an update that also packs or unpacks. Measured on an H200
 * (probe/README.md), and an estimate for every other GPU: no measurement on Summit's V100 is known. */
#define UPDATE_FLOPS 50
#define FUSED_FLOPS 127
#define UPDATE_CYCLES 580
#define FUSED_CYCLES 1180

/* If an update fills the GPU many times over, work-groups are combined until it does so 16 times: else a run of large blocks
 * spends its time on simulating work-groups. A kernel of higher priority waits a sixteenth of an update at most. */
#define MOST_ROUNDS 16

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t cells_of(const struct block_grid *grid)
{
    return grid->cells[0] * grid->cells[1] * grid->cells[2];
}

/* Bytes of memory that packing or unpacking a face moves: its cells in the block, and the buffer. */
static int64_t face_bytes(const struct block_grid *grid, int face)
{
    int64_t in_block = face / 2 == 0 ? SECTOR_BYTES : CELL_BYTES;
    return block_grid_face_cells(grid, face) * (in_block + CELL_BYTES);
}

/* Bytes that memory could have moved while it opens rows for a face's cells in the block, from which it is packed, or into which it is
 * unpacked: pieces of one cell normal to x, of a row of cells normal to y, and one piece normal to z. */
static int64_t face_row_bytes(const struct gpu_spec *gpu, const struct block_grid *grid, int face,
                              bool is_unpacked)
{
    const int64_t *cells = grid->cells;
    int64_t row_bytes = cells[0] * CELL_BYTES;
    switch (face / 2) {
    case 0:
        return gpu_row_bytes(
            gpu, &(struct gpu_pieces){cells[1] * cells[2], SECTOR_BYTES, row_bytes, is_unpacked});
    case 1:
        return gpu_row_bytes(
            gpu, &(struct gpu_pieces){cells[2], row_bytes, row_bytes * cells[1], is_unpacked});
    default:
        return 0;
    }
}

static bool fits_l2(const struct jacobi3d *run, const struct gpu_spec *gpu)
{
    int64_t all_bytes = 2 * CELL_BYTES * cells_of(&run->grid) * run->spec->odf;
    PARAM_NOTE(param_use_of(&run->job->sim->uses, &gpu_params), gpu, l2.size_bytes);
    return all_bytes <= gpu->l2.size_bytes;
}

/* Bytes of memory for the update of `cells` cells of a block. The L2 still has its share of a layer from the two planes. */
static int64_t update_bytes(const struct jacobi3d *run, const struct gpu_spec *gpu, int64_t cells)
{
    const struct block_grid *grid = &run->grid;
    int64_t layer_bytes = 2 * CELL_BYTES * EDGE * grid->cells[0] * grid->cells[1];
    double lost_share = 1 - (double)gpu->l2.size_bytes / (double)layer_bytes;
    double again = 2 * MAX(lost_share, 0);
    return (int64_t)((double)(cells * CELL_BYTES) * (2 * EDGE + again) / EDGE);
}

static int64_t inner_cells(const struct block_grid *grid)
{
    int64_t cells = 1;
    for (int axis = 0; axis < AXES; axis++)
        cells *= MAX(grid->cells[axis] - 2, 0);
    return cells;
}

static int64_t updated_cells(const struct block_grid *grid, enum jacobi_part part)
{
    int64_t all = cells_of(grid), inner = inner_cells(grid);
    return part == PART_INTERIOR ? inner : part == PART_EXTERIOR ? all - inner : all;
}

static int64_t update_groups(const struct jacobi3d *run, const struct gpu_spec *gpu,
                             enum jacobi_part part)
{
    const struct block_grid *grid = &run->grid;
    const struct kernel one = {.threads = EDGE_THREADS};
    int64_t most = MOST_ROUNDS * gpu_kernel_occupancy(gpu, &one), groups = 1;
    for (int axis = 0; axis < AXES; axis++)
        groups *= ceil_div(grid->cells[axis], EDGE);
    if (part != PART_ALL)
        groups = MAX(ceil_div(updated_cells(grid, part), EDGE_THREADS), 1);
    return MIN(groups, most);
}

/* The time of a load or a store, given where the block lies. */
static sim_time access_ps(const struct jacobi3d *run, const struct gpu_spec *gpu)
{
    sim_time l2_ps = cycles_ps(gpu->l1.latency_cycles + gpu->l2.latency_cycles, gpu->clock_Hz);
    return l2_ps + (fits_l2(run, gpu) ? 0 : gpu->memory_latency_ps);
}

/* The shape of kernels that pack or unpack faces: for one face the face's shape; for several, work-groups of 256 threads, which
 * go from face to face, or which are as many as the faces have cells. */
static void shape_faces(const struct jacobi3d *run, const struct gpu_spec *gpu, uint8_t faces,
                        struct kernel *kernel)
{
    const struct block_grid *grid = &run->grid;
    int64_t most = 0, sum = 0, count = 0;
    int last = 0;
    for (int face = 0; face < FACES; face++) {
        if ((faces >> face & 1) == 0)
            continue;
        most = MAX(most, block_grid_face_cells(grid, face));
        sum += block_grid_face_cells(grid, face);
        last = face;
        count++;
    }
    bool is_sum = run->spec->fused_threads == THREADS_SUM;
    if (count == 1) {
        int64_t one = grid->cells[(last / 2 + 1) % AXES],
                other = grid->cells[(last / 2 + 2) % AXES];
        kernel->threads = FACE_EDGE * FACE_EDGE;
        kernel->work_groups = ceil_div(one, FACE_EDGE) * ceil_div(other, FACE_EDGE);
    } else {
        kernel->threads = FUSED_THREADS;
        kernel->work_groups = ceil_div(is_sum ? sum : most, FUSED_THREADS);
    }
    kernel->work.latency_ps = (is_sum ? 1 : count) * 2 * access_ps(run, gpu); /* load, then store */
}

/* Whether an update's kernel also unpacks or packs; the same for a block without neighbours. */
static bool is_fused(const struct jacobi3d *run)
{
    return run->spec->fusion == FUSION_C || run->spec->fusion == FUSION_UPDATE_PACK;
}

/* The time of a thread's dependent instructions, besides its load and store; counted once for a kernel, since those of later
 * threads hide behind the memory traffic of earlier ones. */
static sim_time chain_ps(const struct jacobi3d *run, const struct gpu_spec *gpu)
{
    return cycles_ps(is_fused(run) ? FUSED_CYCLES : UPDATE_CYCLES, gpu->clock_Hz);
}

struct kernel jacobi_kernel(const struct jacobi3d *run, const struct gpu_spec *gpu,
                            struct jacobi_work work)
{
    struct kernel kernel = {.work_groups = 1};
    int64_t bytes = 0, rows_bytes = 0, flops = 0;
    uint8_t faces = work.unpacked | work.packed;
    if (work.updated == PART_NONE) {
        shape_faces(run, gpu, faces, &kernel);
        for (int face = 0; face < FACES; face++) {
            if ((faces >> face & 1) == 0)
                continue;
            bytes += face_bytes(&run->grid, face);
            rows_bytes += face_row_bytes(gpu, &run->grid, face, work.unpacked != 0);
        }
    } else { /* threads read ghosts from the buffers, and write faces into them */
        kernel.threads = EDGE_THREADS;
        kernel.work_groups = update_groups(run, gpu, work.updated);
        int64_t cells = updated_cells(&run->grid, work.updated);
        bytes = update_bytes(run, gpu, cells);
        kernel.chain_ps = chain_ps(run, gpu);
        kernel.work.latency_ps = 2 * access_ps(run, gpu);
        flops = (is_fused(run) ? FUSED_FLOPS : UPDATE_FLOPS) * cells;
        for (int face = 0; face < FACES; face++)
            bytes += ((work.unpacked >> face & 1) + (work.packed >> face & 1)) * CELL_BYTES *
                     block_grid_face_cells(&run->grid, face);
    }
    kernel.work.flops = ceil_div(flops, kernel.work_groups);
    kernel.work.bytes = ceil_div(bytes, kernel.work_groups);
    if (fits_l2(run, gpu))
        return kernel;
    kernel.work.memory_bytes = kernel.work.bytes;
    kernel.work.row_bytes = ceil_div(rows_bytes, kernel.work_groups);
    return kernel;
}
