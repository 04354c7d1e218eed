/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.h"

/* Blocks that copy through memory beyond the L2, or compute in registers, in a stream of their own of the GPU that was current when this
 * was made, from `begin` to `end`. Between the two nothing may be allocated or freed, since that can wait for all that runs. */
struct streaming {
    /* Blocks copy `bytes` in pieces: block i the pieces i, i + blocks, .... No two have the same if there are as many. */
    struct shape {
        size_t bytes = (size_t)256 << 20, piece_bytes = (size_t)1 << 20;
        int shared_bytes = 0; // of a block: more than half of an SM's keep each on an SM of its own
        bool computes =
            false; // a piece is as many multiplications with additions as it would have bytes
    };
    streaming() : streaming(shape())
    {
    }
    explicit streaming(const shape &shape);
    ~streaming();
    streaming(const streaming &) = delete;
    streaming &operator=(const streaming &) = delete;
    void begin(int blocks); // returns when they stream
    double end();           // bytes that they read and wrote, or operations, in a nanosecond

  private:
    void tell(bool to_stop);
    static constexpr int most_blocks = 1024;
    shape shape_of;
    flag *stop, *begun, *told;
    unsigned long long *copied; // pieces, by each block
    char *memory;
    cudaStream_t stream, tells;
    float *results; // which the compiler believes to be wanted
    int blocks = 0, gpu = 0;
    double begun_ns = 0;
};

/* The table of queues that agents serve beside such blocks. */
void agents_beside_streams(const std::string &folder);
/* The table of several agents beside so many that they need all of the memory's bandwidth. */
void agents_at_saturation(const std::string &folder);
/* The table of loads beside them, by SM. */
void loads_beside_streams(const std::string &folder);
