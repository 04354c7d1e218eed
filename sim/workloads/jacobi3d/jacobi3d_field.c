/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of Jacobi3D, for small grids. They move when the kernels and copies that move them have ended, so that a missing wait
 * between streams shows in the result. A ghost cell beyond the grid keeps its start value. */
#include "core/error.h"
#include "workloads/jacobi3d/jacobi3d.h"

#define MOST_CELLS (1 << 18)

struct jacobi_field {
    double *cells[2];         /* with a layer of ghosts around; iteration i reads [i % 2] */
    double *sent[FACES];      /* packed on the GPU, */
    double *sent_host[FACES]; /* and copied to the host */
    double *got[FACES], *got_host[FACES];
    /* Payloads have no contents in the models, so a message's data wait here until its receiver has seen it arrive. */
    GQueue under_way[FACES];
};

/* Start values that differ from cell to cell. */
static double start_value(int64_t x, int64_t y, int64_t z)
{
    return (double)(((x + 3) * 7919 + (y + 5) * 104729 + (z + 7) * 1299709) % 1000) / 8;
}

static int64_t index_of(const int64_t cells[AXES], int64_t x, int64_t y, int64_t z)
{
    return ((z + 1) * (cells[1] + 2) + y + 1) * (cells[0] + 2) + x + 1;
}

static int64_t with_ghosts(const int64_t cells[AXES])
{
    return (cells[0] + 2) * (cells[1] + 2) * (cells[2] + 2);
}

/* Start values of a box of the grid with its ghosts, the box's first cell at `at`. */
static void fill(double *to, const int64_t cells[AXES], const int64_t at[AXES])
{
    for (int64_t z = -1; z <= cells[2]; z++)
        for (int64_t y = -1; y <= cells[1]; y++)
            for (int64_t x = -1; x <= cells[0]; x++)
                to[index_of(cells, x, y, z)] = start_value(at[0] + x, at[1] + y, at[2] + z);
}

/* The mean of a cell and its six neighbours. */
static double relaxed(const double *from, const int64_t cells[AXES], int64_t x, int64_t y,
                      int64_t z)
{
    return (from[index_of(cells, x, y, z)] + from[index_of(cells, x - 1, y, z)] +
            from[index_of(cells, x + 1, y, z)] + from[index_of(cells, x, y - 1, z)] +
            from[index_of(cells, x, y + 1, z)] + from[index_of(cells, x, y, z - 1)] +
            from[index_of(cells, x, y, z + 1)]) /
           7;
}

static bool is_inner(const int64_t cells[AXES], int64_t x, int64_t y, int64_t z)
{
    return x > 0 && y > 0 && z > 0 && x + 1 < cells[0] && y + 1 < cells[1] && z + 1 < cells[2];
}

static void relax(const double *from, double *to, const int64_t cells[AXES], enum jacobi_part part)
{
    for (int64_t z = 0; z < cells[2]; z++)
        for (int64_t y = 0; y < cells[1]; y++)
            for (int64_t x = 0; x < cells[0]; x++)
                if (part == PART_ALL || is_inner(cells, x, y, z) == (part == PART_INTERIOR))
                    to[index_of(cells, x, y, z)] = relaxed(from, cells, x, y, z);
}

/* --- faces ---------------------------------------------------------------------------------------- */

/* Moves a block's cells at a face, or the ghosts beyond it, in an order that both sides know. */
static void move_face(double *cells, const struct block_grid *grid, int face, double *buffer,
                      bool is_ghost)
{
    int axis = face / 2, one = (axis + 1) % AXES, other = (axis + 2) % AXES;
    int64_t at[AXES], i = 0;
    at[axis] = face % 2 == 0 ? (is_ghost ? -1 : 0) : grid->cells[axis] - (is_ghost ? 0 : 1);
    for (at[one] = 0; at[one] < grid->cells[one]; at[one]++)
        for (at[other] = 0; at[other] < grid->cells[other]; at[other]++, i++) {
            double *cell = &cells[index_of(grid->cells, at[0], at[1], at[2])];
            if (is_ghost)
                *cell = buffer[i];
            else
                buffer[i] = *cell;
        }
}

static void move_faces(struct jacobi_block *block, double *cells, uint8_t faces, bool is_ghost)
{
    struct jacobi_field *field = block->field;
    for (int face = 0; face < FACES; face++)
        if (faces >> face & 1)
            move_face(cells, &block->run->grid, face,
                      is_ghost ? field->got[face] : field->sent[face], is_ghost);
}

void jacobi_field_kernel(struct jacobi_block *block, struct jacobi_work work, int parity)
{
    struct jacobi_field *field = block->field;
    if (field == NULL)
        return;
    move_faces(block, field->cells[parity], work.unpacked, true);
    if (work.updated != PART_NONE)
        relax(field->cells[parity], field->cells[1 - parity], block->run->grid.cells, work.updated);
    int packed = work.updated != PART_NONE ? 1 - parity : parity;
    move_faces(block, field->cells[packed], work.packed, false);
}

static gsize size_of(const struct jacobi_block *block, int face)
{
    return sizeof(double) * (gsize)block_grid_face_cells(&block->run->grid, face);
}

void jacobi_field_to_host(struct jacobi_block *block, int face)
{
    if (block->field != NULL)
        memcpy(block->field->sent_host[face], block->field->sent[face], size_of(block, face));
}

void jacobi_field_to_device(struct jacobi_block *block, int face)
{
    if (block->field != NULL)
        memcpy(block->field->got[face], block->field->got_host[face], size_of(block, face));
}

void jacobi_field_from_neighbour(struct jacobi_block *block, int face)
{
    const struct jacobi3d *run = block->run;
    if (block->field == NULL)
        return;
    int sent = run->spec->check == FAULT_WRONG_FACE ? face : block_face_opposite(face);
    const struct jacobi_field *from = run->blocks[block->neighbours[face]].field;
    memcpy(block->field->got[face], run->is_staged ? from->sent_host[sent] : from->sent[sent],
           size_of(block, face));
}

/* --- messages ------------------------------------------------------------------------------------- */

static void note_wrong(struct jacobi3d *run, const char *what, int64_t block, int64_t iteration)
{
    if (run->wrong == NULL)
        run->wrong = g_strdup_printf("the pattern is wrong: %s, at block %lld in iteration %lld",
                                     what, (long long)block, (long long)iteration);
}

void jacobi_field_send(struct jacobi_block *block, int face)
{
    struct jacobi_field *field = block->field;
    if (field == NULL)
        return;
    int taken = block->run->spec->check == FAULT_WRONG_FACE ? block_face_opposite(face) : face;
    const double *data = block->run->is_staged ? field->sent_host[taken] : field->sent[taken];
    g_queue_push_tail(&field->under_way[face], g_memdup2(data, size_of(block, face)));
}

void jacobi_field_receive(struct jacobi_block *block, int face)
{
    struct jacobi_field *field = block->field;
    if (field == NULL)
        return;
    struct jacobi_field *from = block->run->blocks[block->neighbours[face]].field;
    g_autofree double *data = g_queue_pop_head(&from->under_way[block_face_opposite(face)]);
    if (data == NULL)
        note_wrong(block->run, "a face was not sent", block->number, block->iteration);
    else
        memcpy(block->run->is_staged ? field->got_host[face] : field->got[face], data,
               size_of(block, face));
}

/* --- blocks --------------------------------------------------------------------------------------- */

bool jacobi_field_fits(const struct jacobi3d *run, GError **error)
{
    const struct jacobi3d_spec *spec = run->spec;
    int64_t cells = run->block_count;
    for (int axis = 0; axis < AXES; axis++)
        cells *= run->grid.cells[axis];
    if (!spec->check || (cells <= MOST_CELLS && spec->tolerance == 0))
        return true;
    return error_set(error, "check = true takes at most %d cells in all and tolerance = 0",
                     MOST_CELLS);
}

void jacobi_field_open(struct jacobi_block *block)
{
    const struct jacobi3d *run = block->run;
    if (!run->spec->check)
        return;
    struct jacobi_field *field = block->field = g_new0(struct jacobi_field, 1);
    int64_t at[AXES];
    block_grid_place(&run->grid, block->number, at);
    for (int axis = 0; axis < AXES; axis++)
        at[axis] *= run->grid.cells[axis];
    for (int i = 0; i < 2; i++) {
        field->cells[i] = g_new0(double, (gsize)with_ghosts(run->grid.cells));
        fill(field->cells[i], run->grid.cells, at);
    }
    for (int face = 0; face < FACES; face++) {
        gsize count = (gsize)block_grid_face_cells(&run->grid, face);
        field->sent[face] = g_new0(double, count);
        field->sent_host[face] = g_new0(double, count);
        field->got[face] = g_new0(double, count);
        field->got_host[face] = g_new0(double, count);
    }
}

void jacobi_field_close(struct jacobi_block *block)
{
    struct jacobi_field *field = block->field;
    if (field == NULL)
        return;
    g_free(field->cells[0]);
    g_free(field->cells[1]);
    for (int face = 0; face < FACES; face++) {
        g_free(field->sent[face]);
        g_free(field->sent_host[face]);
        g_free(field->got[face]);
        g_free(field->got_host[face]);
        g_queue_clear_full(&field->under_way[face], g_free);
    }
    g_free(field);
}

/* --- the check ------------------------------------------------------------------------------------ */

/* The whole grid in one piece. */
static double *relax_plainly(const int64_t cells[AXES], int64_t iterations)
{
    const int64_t origin[AXES] = {0};
    double *fields[2];
    for (int i = 0; i < 2; i++) {
        fields[i] = g_new0(double, (gsize)with_ghosts(cells));
        fill(fields[i], cells, origin);
    }
    for (int64_t i = 0; i < iterations; i++)
        relax(fields[i % 2], fields[1 - i % 2], cells, PART_ALL);
    g_free(fields[1 - iterations % 2]);
    return fields[iterations % 2];
}

static bool is_equal(const struct jacobi_block *block, const int64_t all[AXES], const double *plain,
                     const double *own)
{
    const struct block_grid *grid = &block->run->grid;
    int64_t at[AXES];
    block_grid_place(grid, block->number, at);
    for (int axis = 0; axis < AXES; axis++)
        at[axis] *= grid->cells[axis];
    for (int64_t z = 0; z < grid->cells[2]; z++)
        for (int64_t y = 0; y < grid->cells[1]; y++)
            for (int64_t x = 0; x < grid->cells[0]; x++)
                if (own[index_of(grid->cells, x, y, z)] !=
                    plain[index_of(all, at[0] + x, at[1] + y, at[2] + z)])
                    return false;
    return true;
}

void jacobi_field_compare(struct jacobi3d *run, int64_t iterations)
{
    if (!run->spec->check)
        return;
    int64_t all[AXES];
    for (int axis = 0; axis < AXES; axis++)
        all[axis] = run->grid.blocks[axis] * run->grid.cells[axis];
    g_autofree double *plain = relax_plainly(all, iterations);
    guint left = 0;
    for (int64_t i = 0; i < run->block_count; i++) {
        for (int face = 0; face < FACES; face++)
            left += g_queue_get_length(&run->blocks[i].field->under_way[face]);
        if (!is_equal(&run->blocks[i], all, plain, run->blocks[i].field->cells[iterations % 2]))
            note_wrong(run, "a cell differs from a plain loop's", i, iterations);
    }
    if (left != 0)
        note_wrong(run, "messages were sent that nobody received", 0, iterations);
}
