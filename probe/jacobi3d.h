/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of the 7-point stencil on a GPU, and its kernels. */
#pragma once

#include "common.h"

constexpr int faces = 6; // -x, +x, -y, +y, -z, +z

/* A block's cells with one layer of ghosts around them, x contiguous, and its faces' buffers; null: no neighbour. */
struct stencil {
    int cells[3];
    double *field[2]; // the iterations' states in turn
    double *send[faces], *receive[faces];
};

enum fusion { FUSION_NONE, FUSION_A, FUSION_B, FUSION_C };
extern const char *const fusion_names[4];

/* Packs the faces of the first state, before any iteration. */
void launch_first_pack(const stencil &block, cudaStream_t stream);
/* An iteration's kernels: unpack, update, pack; `parity` is the state that is read. A fuses the kernels that pack, B also
 * those that unpack, C all (13, 8, 3 and 1 kernels with six neighbours). */
void launch_iteration(const stencil &block, int parity, fusion fusion, cudaStream_t stream);
/* Fills both states, ghosts too: cells by `jacobi3d_start`, ghosts with 1. `first`: the first cell's place in the grid. */
void launch_fill(const stencil &block, const int first[3], cudaStream_t stream);

/* The mean of seven, as the published program takes it: a division would be the slowest part of the kernel. */
constexpr double one_seventh = 0.14285714285714285714;

__host__ __device__ inline double jacobi3d_start(int x, int y, int z)
{
    return (x * 7 + y * 13 + z * 29) % 101;
}

__host__ __device__ inline size_t cell_index(const int cells[3], int x, int y, int z)
{
    return ((size_t)(z + 1) * (cells[1] + 2) + (y + 1)) * (cells[0] + 2) + (x + 1);
}

__host__ __device__ inline size_t face_cells(const stencil &block, int face)
{
    int axis = face / 2;
    return (size_t)block.cells[(axis + 1) % 3] * block.cells[(axis + 2) % 3];
}
