/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.h"

struct ring_memory {
    float *data;    // the whole array
    float *staging; // what the other GPU sends to be added; as long as half the array
    flag *flags;    // two for each ring: a half has come to be added; a sum has come
};

/* Allreduce of GPUs 0 and 1 by rings of one block each, in a kernel on each GPU that does round after round. Both reach each other. */
struct resident_rings {
    static constexpr size_t most_bytes = (size_t)64 << 20;
    static constexpr int most_rings = 128, most_rounds = 1000;

    resident_rings();
    ~resident_rings();
    resident_rings(const resident_rings &) = delete;
    resident_rings &operator=(const resident_rings &) = delete;
    /* Fills the arrays; waits for all that runs on the GPUs. */
    void prepare(size_t bytes);
    /* Launches the kernels on streams of their own and waits for them: the first ring's rounds on GPU 0, in nanoseconds. `all_ns`: what a
     * round took until all rings were over, since rings do not get equal shares of a link. */
    samples run(size_t bytes, int rings, int threads, int rounds, double *all_ns = nullptr);
    /* Looks at the first `bytes` of both arrays, which have been through so many rounds. */
    void check(size_t bytes, int rounds) const;

  private:
    ring_memory memory[2];
    cudaStream_t streams[2];
    cudaEvent_t begin, end; // of GPU 0's kernel
    float *cycles;
    double ratio;
};
