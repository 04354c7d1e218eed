-- SPDX-License-Identifier: BSD-3-Clause
-- Table 1's gem5 node: configs/gcn3_node.lua, the host of ComPNet18's Fig 4, with what Figs 7 to 11 may have otherwise: a library on
-- Portals 4 in a simulator, cores that look ahead, powers from McPAT. Ranges are as wide as the words allow (claims/readings.lua).

local node = require "configs.gcn3_node"

local portals = "a layer over a modelled NIC, without a driver: tens of instructions to what a host's library takes"
local cp_share = "a tenth to seven tenths of what a CPU core draws: McPAT, from statistics that nobody printed"

return node {
  name = "gem5-node",
  host = {
    device_loads_in_flight = estimated(10, 1, 16, "an out-of-order window holds looks at several queues"),
    loads_in_flight = estimated(16, 4, 16, "as configs/gcn3_node.lua"),
    stalled_power = estimated("6W", "1W", "9W", "clock and leakage: a tenth to nine tenths of an active core"),
  },
  gpu = {
    memory_rate = estimated("153.6GB/s", "96GB/s", "512GB/s", "Table 1 prints one DRAM"),
  },
  cp = {
    loads_in_flight = estimated(8, 1, 16, "an out-of-order window; miss registers of a data cache"),
    private_data = estimated("16KiB", "4KiB", "64KiB", "tables of a library"),
    private_data_a_queue = estimated("64B", "16B", "192B", "read index, place of the queue, counters"),
    active_power = estimated("5W", "1W", "7W", cp_share),
    polling_power = estimated("4W", "800mW", "7W", cp_share),
    stalled_power = estimated("1W", "300mW", "5W", cp_share),
  },
  nic = {
    command_gap = estimated("100ns", "5ns", "200ns", "5 to 200 million commands a second"),
    fetch_depth = estimated(32, 1, 64, "one read at a time to many"),
  },
  software = {
    library_instructions = estimated(200, 50, 2000, portals),
  },
}
