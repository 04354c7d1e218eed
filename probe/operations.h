/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of a GPU thread on one word that holds zero and keeps it. Each takes what the one before returned,
 * zero, as part of its address or operand, so that it cannot start before that one has ended. */
#pragma once

#include "words.h"

template <cuda::thread_scope scope> struct scoped {
    using word = cuda::atomic_ref<uint32_t, scope>;

    struct load {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            return word(words[zero]).load(cuda::memory_order_relaxed);
        }
    };
    struct load_acquire {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            return word(words[zero]).load(cuda::memory_order_acquire);
        }
    };
    struct store_release {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            word(words[zero]).store(0, cuda::memory_order_release);
            return zero;
        }
    };
    struct store_relaxed {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            word(words[zero]).store(0, cuda::memory_order_relaxed);
            return zero;
        }
    };
    struct store_then_fence {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            word(words[zero]).store(0, cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_seq_cst, scope);
            return zero;
        }
    };
    struct fence {
        static __device__ uint32_t run(uint32_t *, uint32_t zero)
        {
            cuda::atomic_thread_fence(cuda::memory_order_seq_cst, scope);
            return zero;
        }
    };
    struct atomic_add {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            return word(words[zero]).fetch_add(zero, cuda::memory_order_relaxed);
        }
    };
    struct atomic_exchange {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            return word(words[zero]).exchange(zero, cuda::memory_order_relaxed);
        }
    };
    struct atomic_compare_exchange {
        static __device__ uint32_t run(uint32_t *words, uint32_t zero)
        {
            uint32_t expected = zero;
            word(words[zero]).compare_exchange_strong(expected, zero, cuda::memory_order_relaxed);
            return expected;
        }
    };
};

using at_system = scoped<cuda::thread_scope_system>;
using at_device = scoped<cuda::thread_scope_device>;

/* Each operation of a batch is on a different line, since the paths of lines through the L2 differ. */
constexpr int batch = 16;
constexpr int batches = 120;

template <typename Operation> static __global__ void repeat(flag *words, float *cycles)
{
    uint32_t zero = 0;
    for (int i = 0; i < batches; i++) {
        uint64_t start = clock64();
        for (int j = 0; j < batch; j++)
            zero = Operation::run(&words[j].value, zero);
        if (zero != 0)
            return; // never: it makes the clock's reading wait for the last operation
        cycles[i] = (float)(clock64() - start) / batch;
    }
}

/* How long one operation of one thread takes, in nanoseconds; `words` has a batch of lines, all zero. */
template <typename Operation> static samples operation_times(flag *words, double ratio)
{
    float *cycles = pinned_alloc<float>(batches);
    repeat<Operation><<<1, 1>>>(words, cycles);
    CUDA(cudaDeviceSynchronize());
    samples times;
    for (int i = batches / 10; i < batches; i++)
        times.add(cycles[i] / ratio);
    CUDA(cudaFreeHost(cycles));
    return times;
}
