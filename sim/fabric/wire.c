/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/wire.h"

#define WIRE struct wire_spec
static const struct param rows[] = {
    PARAM_TIME(latency, WIRE, NULL, "0", "1s", "latency, with the port at its end."),
    PARAM_RATE(rate, WIRE, NULL, "1B/s", "1000TB/s", "bandwidth, per direction."),
    PARAM_ENERGY(byte_energy, WIRE, NULL, "0pJ", "100nJ",
                 "energy of a byte, at both ends together."),
};
#undef WIRE
static PARAM_TABLE(wire_table, "wire", struct wire_spec, rows, "A link.");
const struct param_record wire_rows = {.table = &wire_table};
