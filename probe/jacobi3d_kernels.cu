/* SPDX-License-Identifier: BSD-3-Clause */
#include "jacobi3d.h"

const char *const fusion_names[4] = {"none", "A", "B", "C"};

/* Kernels choose by comparisons, never by an index that is only known at run time: for that, every thread would write the whole
 * block to memory. */
static __device__ double *state_of(const stencil &block, int state)
{
    return state == 0 ? block.field[0] : block.field[1];
}

/* The cell that lies at place `i` of a face: 0 is the layer of ghosts, 1 the cells beside it. */
static __device__ size_t face_cell(const stencil &block, int face, size_t i, int inner)
{
    int axis = face / 2, at[3];
    int one = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
    at[axis] = face % 2 == 0 ? inner - 1 : block.cells[axis] - inner;
    at[one] = (int)(i % block.cells[one]);
    at[other] = (int)(i / block.cells[one]);
    return cell_index(block.cells, at[0], at[1], at[2]);
}

static __device__ size_t thread_number()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __global__ void pack(stencil block, int state, int first, int end)
{
    size_t i = thread_number();
#pragma unroll
    for (int face = 0; face < faces; face++)
        if (face >= first && face < end && block.send[face] && i < face_cells(block, face))
            block.send[face][i] = state_of(block, state)[face_cell(block, face, i, 1)];
}

static __global__ void unpack(stencil block, int state, int first, int end)
{
    size_t i = thread_number();
#pragma unroll
    for (int face = 0; face < faces; face++)
        if (face >= first && face < end && block.receive[face] && i < face_cells(block, face))
            state_of(block, state)[face_cell(block, face, i, 0)] = block.receive[face][i];
}

static __device__ double mean(const stencil &block, const double *in, size_t at)
{
    size_t row = (size_t)block.cells[0] + 2, plane = row * (block.cells[1] + 2);
    return (in[at] + in[at - 1] + in[at + 1] + in[at - row] + in[at + row] + in[at - plane] +
            in[at + plane]) *
           one_seventh;
}

static __global__ void update(stencil block, int state)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= block.cells[0] || y >= block.cells[1] || z >= block.cells[2])
        return;
    size_t at = cell_index(block.cells, x, y, z);
    state_of(block, 1 - state)[at] = mean(block, state_of(block, state), at);
}

/* A neighbouring cell, taken from the neighbour's face if it lies outside this block. */
static __device__ double beside(const stencil &block, const double *in, const int at[3], int face)
{
    int axis = face / 2, there[3] = {at[0], at[1], at[2]};
    there[axis] += face % 2 == 0 ? -1 : 1;
    if (there[axis] >= 0 && there[axis] < block.cells[axis])
        return in[cell_index(block.cells, there[0], there[1], there[2])];
    int one = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
    size_t i = (size_t)at[other] * block.cells[one] + at[one];
    return block.receive[face] ? block.receive[face][i]
                               : in[cell_index(block.cells, there[0], there[1], there[2])];
}

/* Unpacks, updates and packs in one pass. */
static __global__ void update_with_faces(stencil block, int state)
{
    int at[3] = {(int)(blockIdx.x * blockDim.x + threadIdx.x),
                 (int)(blockIdx.y * blockDim.y + threadIdx.y),
                 (int)(blockIdx.z * blockDim.z + threadIdx.z)};
    if (at[0] >= block.cells[0] || at[1] >= block.cells[1] || at[2] >= block.cells[2])
        return;
    const double *in = state_of(block, state);
    double sum = in[cell_index(block.cells, at[0], at[1], at[2])];
#pragma unroll
    for (int face = 0; face < faces; face++)
        sum += beside(block, in, at, face);
    sum *= one_seventh;
    state_of(block, 1 - state)[cell_index(block.cells, at[0], at[1], at[2])] = sum;
#pragma unroll
    for (int face = 0; face < faces; face++) {
        int axis = face / 2, one = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
        if (block.send[face] && at[axis] == (face % 2 == 0 ? 0 : block.cells[axis] - 1))
            block.send[face][(size_t)at[other] * block.cells[one] + at[one]] = sum;
    }
}

static __global__ void fill(stencil block, int first_x, int first_y, int first_z)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x) - 1;
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y) - 1;
    int z = (int)(blockIdx.z * blockDim.z + threadIdx.z) - 1;
    if (x > block.cells[0] || y > block.cells[1] || z > block.cells[2])
        return;
    bool is_ghost = x < 0 || y < 0 || z < 0 || x == block.cells[0] || y == block.cells[1] ||
                    z == block.cells[2];
    size_t at = cell_index(block.cells, x, y, z);
    for (double *field : block.field)
        field[at] = is_ghost ? 1 : jacobi3d_start(first_x + x, first_y + y, first_z + z);
}

/* --- launches ----------------------------------------------------------------------------------- */

static const dim3 tile(32, 4, 2);

static dim3 tiles(const stencil &block, int more)
{
    return dim3((unsigned)(block.cells[0] + more + 31) / 32,
                (unsigned)(block.cells[1] + more + 3) / 4,
                (unsigned)(block.cells[2] + more + 1) / 2);
}

/* One kernel for all faces that have a neighbour, with threads for the largest, or one for each. */
static void launch_faces(void (*kernel)(stencil, int, int, int), const stencil &block,
                         double *const buffers[faces], int state, bool fused, cudaStream_t stream)
{
    size_t most = 0;
    for (int face = 0; face < faces; face++) {
        if (!buffers[face])
            continue;
        size_t cells = face_cells(block, face);
        most = cells > most ? cells : most;
        if (!fused)
            kernel<<<(unsigned)((cells + 255) / 256), 256, 0, stream>>>(block, state, face,
                                                                        face + 1);
    }
    if (fused && most)
        kernel<<<(unsigned)((most + 255) / 256), 256, 0, stream>>>(block, state, 0, faces);
}

void launch_first_pack(const stencil &block, cudaStream_t stream)
{
    launch_faces(pack, block, block.send, 0, true, stream);
}

void launch_iteration(const stencil &block, int parity, fusion fusion, cudaStream_t stream)
{
    if (fusion == FUSION_C) {
        update_with_faces<<<tiles(block, 0), tile, 0, stream>>>(block, parity);
        return;
    }
    launch_faces(unpack, block, block.receive, parity, fusion == FUSION_B, stream);
    update<<<tiles(block, 0), tile, 0, stream>>>(block, parity);
    launch_faces(pack, block, block.send, 1 - parity, fusion != FUSION_NONE, stream);
}

void launch_fill(const stencil &block, const int first[3], cudaStream_t stream)
{
    fill<<<tiles(block, 2), tile, 0, stream>>>(block, first[0], first[1], first[2]);
}
