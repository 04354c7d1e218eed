/* SPDX-License-Identifier: BSD-3-Clause */
/* Words by which threads of GPUs and hosts tell each other something, and a GPU thread's ways to wait for one. Apart from common.h, since
 * nvcc takes longer to read <cuda/atomic> than to compile most experiments. */
#pragma once

#include <cuda/atomic>

#include "common.h"

using system_word = cuda::atomic_ref<uint32_t, cuda::thread_scope_system>;
using device_word = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

__device__ inline uint64_t global_timer_ns()
{
    uint64_t time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

/* A GPU thread's patience: when it runs out, the thread stops waiting for ever. */
struct patience {
    uint64_t until_ns;

    __device__ patience() : until_ns(global_timer_ns() + patience_ns)
    {
    }
    __device__ bool lost() const
    {
        return global_timer_ns() > until_ns;
    }
};

/* Whether the host has set `stop`: one thread of a block looks, since all of them would keep the bus busy. */
__device__ inline bool told_to_stop(flag *stop, uint64_t until)
{
    __shared__ bool told;
    __syncthreads();
    if (threadIdx.x == 0)
        told = system_word(stop->value).load(cuda::memory_order_relaxed) != 0 ||
               global_timer_ns() > until;
    __syncthreads();
    return told;
}

/* Waits until the flag has this value; false if patience ran out. The timer is read at every 64th look. */
template <typename Word>
__device__ bool wait_for(Word word, uint32_t value, cuda::memory_order order,
                         const patience &patience)
{
    for (uint32_t look = 1; word.load(order) != value; look++)
        if (look % 64 == 0 && patience.lost())
            return false;
    return true;
}
