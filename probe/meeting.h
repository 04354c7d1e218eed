/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the host threads of the GPUs wait for one another. */
#pragma once

#include <atomic>

#include "common.h"

/* No thread goes on before all have come here. */
class meeting
{
    std::atomic<uint32_t> arrived{0};
    const uint32_t threads;

  public:
    explicit meeting(int threads) : threads((uint32_t)threads)
    {
    }

    void wait()
    {
        uint32_t round = arrived.fetch_add(1) / threads;
        double until = now_ns() + (double)patience_ns;
        for (uint32_t look = 1; arrived.load() / threads == round; look++)
            if (look % 4096 == 0 && now_ns() > until)
                fail("the other GPU's thread did not come");
    }
};
