/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters that every kind of link has in a machine file: PCIe, NVLink, links between sockets and the network's cables.
 * Their tables share these rows (PARAM_SHARE). */
#pragma once

#include "core/param.h"
#include "core/simtime.h"

#define WIRE_ROWS(ROW)                                                                             \
    ROW(TIME, latency, NULL, "0", "1s", "latency, with the port at its end.")                      \
    ROW(RATE, rate, NULL, "1B/s", "1000TB/s", "bandwidth, per direction.")                         \
    ROW(ENERGY, byte_energy, NULL, "0pJ", "100nJ", "energy of a byte, at both ends together.")
struct wire_spec {
    WIRE_ROWS(PARAM_FIELD)
};
extern const struct param_record wire_rows;
