-- SPDX-License-Identifier: BSD-3-Clause
-- Of the machines that do as well as the best of scenarios/compnet/inferred.lua (`gpunetsim solve` as its head says, `-o`): those with the
-- least and with the most of each value that was searched for, by what they have most or least of; of several, the one that does best.

local paths = {
  { "nic", "command_gap" }, { "nic", "fetch_depth" }, { "software", "library_instructions" }, { "cp", "loads_in_flight" },
  { "host", "device_loads_in_flight" }, { "cp", "private_data_a_queue" }, { "cp", "active_power" }, { "cp", "stalled_power" },
  { "host", "stalled_power" }, { "gpu", "bus_outbound" },
}

local machines = {
  { "least command gap", "102ns", 45, 66, 12, 9, "46B", "4.958W", "323mW", "1.466W", "185.7ns" },
  { "most command gap, least fetch depth", "200ns", 10, 77, 14, 15, "86B", "6.187W", "2.439W", "5.496W", "114.7ns" },
  { "most fetch depth, least stalled host, most way to the bus", "113.8ns", 51, 63, 13, 9, "46B", "5.096W", "336mW", "1.36W", "191.4ns" },
  { "least instructions", "114.6ns", 50, 59, 13, 9, "49B", "4.979W", "328mW", "1.427W", "181.1ns" },
  { "most instructions, most stalled host", "200ns", 14, 106, 16, 16, "94B", "5.898W", "2.666W", "6.453W", "120.2ns" },
  { "least CP's loads, least active CP", "200ns", 18, 65, 12, 12, "22B", "3.702W", "2.655W", "4.071W", "115.2ns" },
  { "most CP's loads", "200ns", 14, 83, 16, 16, "92B", "5.898W", "2.298W", "5.586W", "120.2ns" },
  { "least host's loads", "107.8ns", 45, 69, 13, 9, "47B", "4.975W", "319mW", "1.45W", "182.1ns" },
  { "most host's loads, least private data", "183.5ns", 18, 66, 14, 16, "21B", "4.279W", "2.818W", "4.235W", "117.3ns" },
  { "most private data", "200ns", 14, 82, 14, 15, "115B", "6.216W", "2.248W", "5.505W", "114.9ns" },
  { "most active CP", "200ns", 14, 89, 14, 15, "87B", "6.501W", "2.195W", "5.497W", "116.1ns" },
  { "least stalled CP", "115.2ns", 48, 61, 13, 9, "48B", "4.979W", "300mW", "1.417W", "181.7ns" },
  { "most stalled CP", "197ns", 18, 68, 14, 16, "21B", "4.211W", "2.991W", "4.789W", "112.9ns" },
  { "least way to the bus", "200ns", 21, 71, 15, 14, "26B", "4.292W", "2.821W", "4.458W", "107.7ns" },
}

local as_good = { names = {} }

local by_name = {}
for i, machine in ipairs(machines) do
  as_good.names[i], by_name[machine[1]] = machine[1], machine
end

-- What a design reads of these values of the machine `name`.
function as_good.changes(name, design)
  local changes = { nic = {}, software = {}, cp = {}, host = {}, gpu = {} }
  for i, path in ipairs(paths) do changes[path[1]][path[2]] = by_name[name][i + 1] end
  if design == "comp-net" then changes.host = nil else changes.cp, changes.gpu = nil, nil end
  if design == "apu" then changes.host.device_loads_in_flight = nil end
  return changes
end

return as_good
