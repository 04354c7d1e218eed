/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/host/parallel.h"

/* The rate of the lines that a core keeps in flight, each for `latency_ps`, limited by its load ports. */
static int64_t in_flight_Bps(const struct host_spec *spec, sim_time latency_ps)
{
    int64_t port_Bps = spec->bytes_per_cycle * spec->core.clock_Hz;
    int64_t lines_bytes = spec->core.loads_in_flight * CACHE_LINE_BYTES;
    return latency_ps == 0 ? port_Bps
                           : MIN(port_Bps, muldiv_ceil(lines_bytes, PS_PER_S, latency_ps));
}

int64_t parallel_thread_Bps(const struct host_spec *spec, int64_t part_bytes, int64_t threads,
                            int64_t sharers)
{
    int64_t l2_cycles = spec->l2.latency_cycles, l3_cycles = l2_cycles + spec->l3.latency_cycles;
    sim_time l3_ps = cycles_ps(l3_cycles, spec->core.clock_Hz);
    if (part_bytes <= spec->l1.size_bytes)
        return spec->bytes_per_cycle * spec->core.clock_Hz;
    if (part_bytes <= spec->l2.size_bytes)
        return in_flight_Bps(spec, cycles_ps(l2_cycles, spec->core.clock_Hz));
    if (part_bytes <= spec->l3.size_bytes / (threads * sharers))
        return in_flight_Bps(spec, l3_ps);
    int64_t share_Bps = MAX(spec->memory_rate_Bps / (threads * sharers), 1);
    return MIN(in_flight_Bps(spec, l3_ps + spec->memory_latency_ps), share_Bps);
}

sim_time parallel_loop_ps(const struct host_spec *spec, const struct parallel_loop *loop,
                          int64_t threads, int64_t sharers)
{
    check_release(threads >= 1 && threads <= spec->cores && sharers >= 1,
                  "%lld threads on %lld cores", (long long)threads, (long long)spec->cores);
    int64_t part_bytes = (loop->working_set_bytes + threads - 1) / threads;
    int64_t rate_Bps = parallel_thread_Bps(spec, part_bytes, threads, sharers);
    sim_time bytes_ps = transfer_ps((loop->bytes + threads - 1) / threads, rate_Bps);
    sim_time flops_ps = cycles_ps((loop->flops + threads * spec->flops_per_cycle - 1) /
                                      (threads * spec->flops_per_cycle),
                                  spec->core.clock_Hz);
    return (threads > 1 ? spec->parallel_region_ps : 0) + MAX(bytes_ps, flops_ps);
}
