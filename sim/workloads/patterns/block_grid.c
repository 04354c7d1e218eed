/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/block_grid.h"

/* The sum of a block's three faces. */
static double surface(const int64_t cells[AXES], const int64_t blocks[AXES])
{
    double sum = 0;
    for (int axis = 0; axis < AXES; axis++) {
        int one = (axis + 1) % AXES, other = (axis + 2) % AXES;
        sum += (double)(cells[one] * cells[other]) / (double)(blocks[one] * blocks[other]);
    }
    return sum;
}

struct block_grid block_grid_find(const int64_t cells[AXES], int64_t count)
{
    struct block_grid best = {.blocks = {0}};
    double least = -1;
    for (int64_t x = 1; x <= count; x++)
        for (int64_t y = 1; count % x == 0 && y <= count / x; y++) {
            if (count / x % y != 0)
                continue;
            const int64_t blocks[AXES] = {x, y, count / x / y};
            double sum = surface(cells, blocks);
            if (least >= 0 && sum >= least)
                continue;
            least = sum;
            for (int axis = 0; axis < AXES; axis++)
                best.blocks[axis] = blocks[axis];
        }
    for (int axis = 0; axis < AXES; axis++)
        best.cells[axis] = cells[axis] / best.blocks[axis];
    return best;
}

int64_t block_grid_number(const struct block_grid *grid, const int64_t at[AXES])
{
    return (at[0] * grid->blocks[1] + at[1]) * grid->blocks[2] + at[2];
}

void block_grid_place(const struct block_grid *grid, int64_t number, int64_t at[AXES])
{
    at[2] = number % grid->blocks[2];
    at[1] = number / grid->blocks[2] % grid->blocks[1];
    at[0] = number / grid->blocks[2] / grid->blocks[1];
}

int64_t block_grid_neighbour(const struct block_grid *grid, int64_t number, int face)
{
    int64_t at[AXES];
    block_grid_place(grid, number, at);
    int64_t *along = &at[face / 2];
    *along += face % 2 == 0 ? -1 : 1;
    if (*along < 0 || *along >= grid->blocks[face / 2])
        return -1;
    return block_grid_number(grid, at);
}

int64_t block_grid_face_cells(const struct block_grid *grid, int face)
{
    int axis = face / 2;
    return grid->cells[(axis + 1) % AXES] * grid->cells[(axis + 2) % AXES];
}
