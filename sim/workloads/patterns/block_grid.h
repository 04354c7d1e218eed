/* SPDX-License-Identifier: BSD-3-Clause */
/* A grid of cells cut into equal blocks, and the blocks' places: Jacobi3D's decomposition (M-053, M-089, M-090). */
#pragma once

#include <stdint.h>

#define AXES 3  /* x, which is contiguous in memory, y, z */
#define FACES 6 /* face 2 * axis looks down that axis, 2 * axis + 1 up */

struct block_grid {
    int64_t blocks[AXES]; /* of the grid */
    int64_t cells[AXES];  /* cells of a block; cells that do not fill equal blocks are dropped */
};

/* Divides a grid of `cells` into `count` (at least 1) blocks: takes the first factor triple, in the order of x, then y, with
 * the smallest sum of a block's three faces. If a block would have no cell along an axis, the result is 0 there. */
struct block_grid block_grid_find(const int64_t cells[AXES], int64_t count);

/* The number of the block at a place, z fastest, and back. */
int64_t block_grid_number(const struct block_grid *grid, const int64_t at[AXES]);
void block_grid_place(const struct block_grid *grid, int64_t number, int64_t at[AXES]);

/* The block beyond a face, or -1 at the end of the grid, which is not periodic. */
int64_t block_grid_neighbour(const struct block_grid *grid, int64_t number, int face);

/* The opposite face. */
static inline int block_face_opposite(int face)
{
    return face ^ 1;
}

/* Cells of a block's face. */
int64_t block_grid_face_cells(const struct block_grid *grid, int face);
