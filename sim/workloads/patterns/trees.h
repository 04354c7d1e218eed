/* SPDX-License-Identifier: BSD-3-Clause */
/* Two trees over the same places, as NCCL has them (src/graph/trees.cc, 2.18 to 2.28): within a node a chain of GPUs; the first
 * GPUs of the chains form a binary tree. Inner nodes of one tree are leaves of the other, so that each tree carries half of the
 * data and all links are used. Source: Sanders et al., Two-tree algorithms for full bandwidth broadcast, reduction and scan,
 * Parallel Computing 35 (2009). */
#pragma once

#include <stdint.h>

#define TREE_COUNT 2
#define TREE_NOBODY (-1)
#define TREE_CHILDREN_MOST 3

/* Where a place stands in a tree. */
struct tree_place {
    int64_t up; /* a place, or TREE_NOBODY at the root */
    int64_t down[TREE_CHILDREN_MOST];
    int count; /* of `down` */
};

/* The position in tree 0 or 1 over `places`, numbered node by node, with `gpus` for each node; its chains begin with GPU
 * `first` of each node. */
struct tree_place tree_place_of(int64_t places, int64_t gpus, int64_t place, int64_t tree,
                                int64_t first);

/* The most steps from any place to the root. */
int64_t tree_steps(int64_t places, int64_t gpus);
