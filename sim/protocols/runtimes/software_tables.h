/* SPDX-License-Identifier: BSD-3-Clause */
/* What the software on a machine brings to its description. */
#ifndef GPUNETSIM_PROTOCOLS_RUNTIMES_SOFTWARE_TABLES_H
#define GPUNETSIM_PROTOCOLS_RUNTIMES_SOFTWARE_TABLES_H

#include "core/param.h"

/* The tables of all software, for machine_spec_init: the network software's, and those of the runtimes, each
 * once. NULL-ended, static. */
const struct param_table *const *software_tables(void);

#endif
