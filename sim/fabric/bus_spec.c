/* SPDX-License-Identifier: BSD-3-Clause */
/* The bus parameters of a machine, and values derived from them alone.
 *
 * The defaults are PCIe 3.0 x16: 8 GT/s on 16 lanes in 128b/130b code. Header: 4 B of framing with
 * the sequence number, 16 B of header with a 64-bit address, 4 B of LCRC (PCI Express Base
 * Specification 3.0, sections 2.2, 3.4 and 4.2.2). */
#include "fabric/bus.h"

static const struct param parameters[] = {
    PARAM_SHARE("", wire, struct bus_spec, &wire_rows,
                "latency=90ns,rate=15.754GB/s,byte_energy=40pJ",
                "Link between a device and the root complex or switch: "),
    PARAM_COUNT(root_links, struct bus_spec, "1", "1", "64",
                "Bandwidth between root complex and CPU, as a number of links."),
    PARAM_TIME(
        switch_latency, struct bus_spec, "50ns", "0", "1ms",
        "Time in which a packet or the head of a payload passes the root complex or a switch."),
    PARAM_BYTES(
        header, struct bus_spec, "24B", "0", "4KiB",
        "Bytes that the transaction, link and physical layers add to the payload of a packet."),
    PARAM_BYTES(max_payload, struct bus_spec, "256B", "1B", "64KiB",
                "Largest payload of one packet."),
};
PARAM_TABLE_SHARING(bus_params, "bus", struct bus_spec, parameters,
                    "PCIe within a node: links, root complex, packets.");

int64_t bus_packet_count(const struct bus_spec *spec, int64_t payload_bytes)
{
    if (payload_bytes <= spec->max_payload_bytes)
        return 1;
    return (payload_bytes + spec->max_payload_bytes - 1) / spec->max_payload_bytes;
}
