/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/cuda/cuda.h"

#define WAY struct copy_way
static const struct param ways[] = {
    PARAM_TIME(setup, WAY, "0ns", "0ns", "1ms", "additional setup."),
    PARAM_TIME(ahead, WAY, "0ns", "0ns", "1ms", "additional overlap (copy_ahead)."),
    PARAM_RATE(rate, WAY, "100TB/s", "1MB/s", "100TB/s",
               "they move no faster than this, whatever the link carries."),
};
#undef WAY
static PARAM_TABLE(way_table, "copy_way", struct copy_way, ways, "Copies of a direction.");
static const struct param_record way_rows = {.table = &way_table};

#define LIMIT struct copy_limit
static const struct param limits[] = {
    PARAM_TIME(setup, LIMIT, "0ns", "0ns", "1ms", "additional setup."),
    PARAM_RATE(rate, LIMIT, "100TB/s", "1MB/s", "100TB/s",
               "they move no faster than this, whatever the link carries."),
};
#undef LIMIT
static PARAM_TABLE(limit_table, "copy_limit", struct copy_limit, limits,
                   "Copies with a property more.");
static const struct param_record limit_rows = {.table = &limit_table};

PARAM_TABLE_OF_SHARING(cuda_params, "cuda", struct cuda_spec, CUDA_ROWS,
                       "CUDA as a process sees it: streams, copy engines, handles, mapped memory.");
