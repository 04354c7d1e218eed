/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D's decomposition into blocks and their placement agree with facts derived from the published programs. */
#include <glib.h>

#include "jacobi3d_facts.h"
#include "workloads/patterns/block_grid.h"

#define GPUS 6
#define GPUS_A_SOCKET 3

static int64_t face_bytes(const struct block_grid *grid, int face)
{
    return 8 * block_grid_face_cells(grid, face);
}

static int64_t most_neighbours(const struct block_grid *grid)
{
    int64_t most = 0, count = grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
    for (int64_t block = 0; block < count; block++) {
        int64_t neighbours = 0;
        for (int face = 0; face < FACES; face++)
            neighbours += block_grid_neighbour(grid, block, face) >= 0;
        most = MAX(most, neighbours);
    }
    return most;
}

static void test_decomposition(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(decomposition_facts); i++) {
        const struct decomposition_fact *fact = &decomposition_facts[i];
        g_test_message("%s, %d nodes, %d a GPU", fact->workload, (int)fact->nodes, (int)fact->odf);
        struct block_grid grid = block_grid_find(fact->cells, fact->nodes * GPUS * fact->odf);
        for (int axis = 0; axis < AXES; axis++) {
            g_assert_cmpint(grid.blocks[axis], ==, fact->blocks[axis]);
            g_assert_cmpint(grid.cells[axis], ==, fact->block[axis]);
            g_assert_cmpint(face_bytes(&grid, 2 * axis), ==, fact->face_bytes[axis]);
        }
        g_assert_cmpint(most_neighbours(&grid), ==, fact->most_neighbours);
    }
}

struct traffic {
    int64_t off_node, off_node_messages, cross_socket, same_socket, same_pe;
};

static void add_block(const struct block_grid *grid, int64_t odf, int64_t block,
                      struct traffic *node)
{
    int64_t pe = block / odf;
    for (int face = 0; face < FACES; face++) {
        int64_t neighbour = block_grid_neighbour(grid, block, face), other = neighbour / odf;
        if (neighbour < 0)
            continue;
        int64_t *at = other / GPUS != pe / GPUS                     ? &node->off_node
                      : other / GPUS_A_SOCKET != pe / GPUS_A_SOCKET ? &node->cross_socket
                      : other != pe                                 ? &node->same_socket
                                                                    : &node->same_pe;
        *at += face_bytes(grid, face);
        node->off_node_messages += at == &node->off_node;
    }
}

static const int64_t *cells_of(const struct traffic_fact *fact)
{
    for (size_t i = 0; i < G_N_ELEMENTS(decomposition_facts); i++)
        if (g_str_equal(decomposition_facts[i].workload, fact->workload) &&
            decomposition_facts[i].nodes == fact->nodes)
            return decomposition_facts[i].cells;
    g_error("no decomposition of %s on %d nodes", fact->workload, (int)fact->nodes);
}

/* Blocks in order, so many a PE, PEs in order over sockets and nodes. */
static void test_traffic(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(traffic_facts); i++) {
        const struct traffic_fact *fact = &traffic_facts[i];
        g_test_message("%s, %d nodes, %d a GPU", fact->workload, (int)fact->nodes, (int)fact->odf);
        int64_t count = fact->nodes * GPUS * fact->odf;
        struct block_grid grid = block_grid_find(cells_of(fact), count);
        g_autofree struct traffic *nodes = g_new0(struct traffic, (gsize)fact->nodes);
        struct traffic all = {0}, most = {0};
        for (int64_t block = 0; block < count; block++)
            add_block(&grid, fact->odf, block, &nodes[block / fact->odf / GPUS]);
        for (int64_t node = 0; node < fact->nodes; node++) {
            most.off_node = MAX(most.off_node, nodes[node].off_node);
            most.off_node_messages = MAX(most.off_node_messages, nodes[node].off_node_messages);
            all.off_node += nodes[node].off_node;
            all.cross_socket += nodes[node].cross_socket;
            all.same_socket += nodes[node].same_socket;
            all.same_pe += nodes[node].same_pe;
        }
        g_assert_cmpint(most.off_node, ==, fact->most_off_node_bytes);
        g_assert_cmpint(most.off_node_messages, ==, fact->most_off_node_messages);
        g_assert_cmpint(all.off_node / fact->nodes, ==, fact->off_node_bytes);
        g_assert_cmpint(all.cross_socket / fact->nodes, ==, fact->cross_socket_bytes);
        g_assert_cmpint(all.same_socket / fact->nodes, ==, fact->same_socket_bytes);
        g_assert_cmpint(all.same_pe / fact->nodes, ==, fact->same_pe_bytes);
    }
}

/* A neighbour's neighbour the other way is the block itself. */
static void test_neighbours(void)
{
    const int64_t cells[AXES] = {30, 20, 10};
    struct block_grid grid = block_grid_find(cells, 60);
    for (int64_t block = 0; block < 60; block++)
        for (int face = 0; face < FACES; face++) {
            int64_t at[AXES], other = block_grid_neighbour(&grid, block, face);
            block_grid_place(&grid, block, at);
            g_assert_cmpint(block_grid_number(&grid, at), ==, block);
            if (other >= 0)
                g_assert_cmpint(block_grid_neighbour(&grid, other, block_face_opposite(face)), ==,
                                block);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/block_grid/decomposition", test_decomposition);
    g_test_add_func("/block_grid/traffic", test_traffic);
    g_test_add_func("/block_grid/neighbours", test_neighbours);
    return g_test_run();
}
