/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of the L2 share: a machine with an L2 of their own shape, and kernels run to their end. */
#pragma once

#include <glib.h>

#include "model_test.h"

/* All defaults, for the caller to change before bench_build. */
static inline void bench_prepare(struct bench *bench)
{
    bench->sim = sim_new(1);
    machine_spec_init(&bench->spec, NULL);
}

static inline void bench_build(struct bench *bench)
{
    GError *error = NULL;
    bench->cluster = cluster_new(bench->sim, &bench->spec, NODE_DISCRETE, &error);
    g_assert_no_error(error);
}

/* One CU, and an L2 of `sets` sets of `ways` ways in one bank. */
static inline void bench_small_l2(struct bench *bench, int64_t sets, int64_t ways, bool locking)
{
    bench_prepare(bench);
    bench->spec.gpu.compute_units = 1;
    bench->spec.gpu.l2.size_bytes = sets * ways * CACHE_LINE_BYTES;
    bench->spec.gpu.l2.ways = ways;
    bench->spec.gpu.l2_locking = locking;
    bench_build(bench);
}

static inline struct gpu *bench_gpu(const struct bench *bench)
{
    return cluster_site(bench->cluster, 0, 0)->gpu;
}

static inline struct device_memory *bench_memory(const struct bench *bench)
{
    return gpu_memory(bench_gpu(bench));
}

static inline address bench_allocate(const struct bench *bench, int64_t bytes, enum store_kind kind)
{
    return store_allocate(bench_memory(bench)->store, bytes, kind);
}

static inline void bench_launch(const struct bench *bench, struct kernel *kernel)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(gpu_launch(bench_gpu(bench), kernel, &error));
}

static inline sim_time gpu_l1_ps(const struct bench *bench)
{
    return cycles_ps(bench->spec.gpu.l1.latency_cycles, bench->spec.gpu.clock_Hz);
}

static inline sim_time cp_l1_ps(const struct bench *bench)
{
    return cycles_ps(bench->spec.cp.dcache.latency_cycles, bench->spec.cp.core.clock_Hz);
}

/* From an L1 to the L2, or back. */
static inline sim_time l2_half_way_ps(const struct bench *bench)
{
    return cycles_ps(bench->spec.gpu.l2.latency_cycles, bench->spec.gpu.clock_Hz) / 2;
}

/* Device memory for one line, idle. */
static inline sim_time idle_memory_line_ps(const struct bench *bench)
{
    return bench->spec.gpu.memory_latency_ps +
           transfer_ps(CACHE_LINE_BYTES, bench->spec.gpu.memory_rate_Bps);
}
