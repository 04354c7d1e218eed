/* SPDX-License-Identifier: BSD-3-Clause */
/* What the numbers are that workloads give: the manual of measures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/units.h"

struct measure_info {
    const char *name;
    bool is_ratio; /* a plain number; else a quantity of this unit */
    enum unit_kind unit;
    const char *description;
};

/* By name. */
extern const struct measure_info measure_infos[];
extern const size_t measure_info_count;

/* NULL if no workload gives a measure of that name. */
const struct measure_info *measure_info_find(const char *name);
