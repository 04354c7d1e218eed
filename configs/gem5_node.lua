-- SPDX-License-Identifier: BSD-3-Clause
-- Table 1's gem5 node: configs/gcn3_node.lua, which is also the host of ComPNet18's Fig 4, with the parts in which Figs 7 to
-- 11 may differ: a library on Portals 4 in a simulator, cores that look ahead, powers from McPAT. Inferred are the values of
-- the best of 419 machines (scenarios/compnet/inferred.lua) within wide ranges; the range of each is that of the 175
-- machines that do equally well. On the best one N-39 to N-41 and N-44 to N-47 hold together. Figs 7, 9, 10 and 11 determine
-- no value (scenarios/compnet/inferred_applications.lua).

local node = require "configs.gcn3_node"

local claims = { "N-39", "N-40", "N-41", "N-42", "N-44", "N-45", "N-46", "N-47" }

local function of_set(value, low, high, searched)
  return inferred(value, low, high, claims, "searched from " .. searched .. " with nine others, gpunetsim solve --target least")
end

return node {
  name = "gem5-node",
  host = {
    device_loads_in_flight = of_set(16, 9, 16, "1 to 16"),
    loads_in_flight = estimated(16, 4, 16, "as configs/gcn3_node.lua"),
    stalled_power = of_set("4.2W", "1.4W", "6.5W", "1 to 9 W"),
  },
  gpu = {
    memory_rate = published("153.6GB/s", "ComPNet18, Table 1 prints one DRAM: 8 channels of DDR4-2400"),
    memory_channels = published(8, "ComPNet18, Table 1"),
    bus_outbound = of_set("117ns", "107ns", "192ns", "60 to 320 ns"),
  },
  cp = {
    loads_in_flight = of_set(14, 12, 16, "1 to 16"),
    private_data = estimated("16KiB", "4KiB", "64KiB", "tables of a library"),
    private_data_a_queue = of_set("21B", "21B", "115B", "16 to 192 B"),
    active_power = of_set("4.3W", "3.7W", "6.6W", "1 to 7 W, a tenth to seven tenths of a CPU core"),
    polling_power = estimated("4W", "800mW", "7W", "two fifths of a CPU core; not searched for"),
    stalled_power = of_set("2.8W", "300mW", "3W", "0.3 to 5 W"),
  },
  nic = {
    command_gap = of_set("184ns", "102ns", "200ns", "5 to 200 ns"),
    fetch_depth = of_set(18, 10, 51, "1 to 64"),
  },
  software = {
    library_instructions = of_set(66, 59, 106, "50 to 2,000"),
  },
}
