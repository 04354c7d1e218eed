/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/trees.h"

/* --- between nodes ------------------------------------------------------------------------------ */

/* The lowest set bit of a node's number: inner nodes have more zeros below it than their children. For the root, a bit above all
 * numbers. */
static int64_t lowest_bit(int64_t number, int64_t nodes)
{
    int64_t bit = 1;
    while (bit < nodes && (number & bit) == 0)
        bit *= 2;
    return bit;
}

static int64_t parent_of(int64_t number, int64_t nodes)
{
    int64_t bit = lowest_bit(number, nodes), near = number ^ bit;
    if (number == 0)
        return TREE_NOBODY;
    return (near | bit << 1) < nodes ? near | bit << 1 : near;
}

static int64_t mirrored(int64_t number, int64_t nodes)
{
    return nodes - 1 - number;
}

static int64_t shifted(int64_t number, int64_t by, int64_t nodes)
{
    return (number + by + nodes) % nodes;
}

/* A node's number in a tree: in the second tree the numbers are mirrored, or shifted if there is an odd number of nodes, so that
 * leaves become inner nodes. */
static int64_t number_of(int64_t node, int64_t nodes, int64_t tree)
{
    if (tree == 0)
        return node;
    return nodes % 2 == 0 ? mirrored(node, nodes) : shifted(node, -1, nodes);
}

static int64_t node_of(int64_t number, int64_t nodes, int64_t tree)
{
    if (tree == 0)
        return number;
    return nodes % 2 == 0 ? mirrored(number, nodes) : shifted(number, 1, nodes);
}

/* The children of a node, nearer numbers first. */
static int children_of(int64_t number, int64_t nodes, int64_t children[2])
{
    int count = 0;
    for (int64_t half = lowest_bit(number, nodes) / 2; half > 0; half /= 2)
        for (int side = -1; side <= 1; side += 2) {
            int64_t child = number + side * half;
            if (child > 0 && child < nodes && parent_of(child, nodes) == number)
                children[count++] = child;
        }
    return count;
}

/* --- places ------------------------------------------------------------------------------------- */

struct tree_place tree_place_of(int64_t places, int64_t gpus, int64_t place, int64_t tree,
                                int64_t first)
{
    int64_t nodes = places / gpus, node = place / gpus, children[2];
    int64_t position = (place % gpus - first % gpus + gpus) % gpus;
    struct tree_place at = {.up = TREE_NOBODY};
    if (position + 1 < gpus)
        at.down[at.count++] = node * gpus + (position + 1 + first) % gpus;
    if (position > 0) {
        at.up = node * gpus + (position - 1 + first) % gpus;
        return at;
    }
    int64_t number = number_of(node, nodes, tree), parent = parent_of(number, nodes);
    if (parent != TREE_NOBODY)
        at.up = node_of(parent, nodes, tree) * gpus + first % gpus;
    int count = children_of(number, nodes, children);
    for (int i = 0; i < count; i++)
        at.down[at.count++] = node_of(children[i], nodes, tree) * gpus + first % gpus;
    return at;
}

int64_t tree_steps(int64_t places, int64_t gpus)
{
    int64_t steps = gpus - 1;
    for (int64_t nodes = places / gpus, reach = 1; reach < nodes; reach *= 2)
        steps++;
    return steps;
}
