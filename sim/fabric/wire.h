/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters that every kind of link has in a machine file: PCIe, NVLink, links between sockets and the network's cables.
 * Their tables share these rows (PARAM_SHARE). */
#pragma once

#include "core/param.h"
#include "core/simtime.h"

struct wire_spec {
    sim_time latency_ps;    /* of a link, including the port at its end */
    int64_t rate_Bps;       /* per direction */
    int64_t byte_energy_fJ; /* of a byte on one link, for both ends together */
};
extern const struct param_record wire_rows;
