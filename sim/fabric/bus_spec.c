/* SPDX-License-Identifier: BSD-3-Clause */
/* The bus parameters of a machine, and values derived from them alone.
 *
 * The defaults are PCIe 3.0 x16: 8 GT/s on 16 lanes in 128b/130b code. Header: 4 B of framing with
 * the sequence number, 16 B of header with a 64-bit address, 4 B of LCRC (PCI Express Base
 * Specification 3.0, sections 2.2, 3.4 and 4.2.2). */
#include "fabric/bus.h"

PARAM_TABLE_OF_SHARING(bus_params, "bus", struct bus_spec, BUS_ROWS,
                       "PCIe within a node: links, root complex, packets.");

int64_t bus_packet_count(const struct bus_spec *spec, int64_t payload_bytes)
{
    if (payload_bytes <= spec->max_payload_bytes)
        return 1;
    return (payload_bytes + spec->max_payload_bytes - 1) / spec->max_payload_bytes;
}
