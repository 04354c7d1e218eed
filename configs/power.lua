-- SPDX-License-Identifier: BSD-3-Clause
-- The power of the parts of any server, for machines whose own file does not give better values: machine files begin with
-- this one. Data sheets and articles give the power of whole sockets and cards at full load; the values for a core's states
-- and for a byte are estimates from it, with wide ranges.

local core = "a core's share of a busy socket: 3.5 W of a Grace (500 W with its memory for 144; hardwaretimes.com, Nvidia announces Grace CPU), "
  .. "5.8 W of a Xeon Platinum 8490H (350 W for 60; computerbase.de 2022-09); more if it runs alone at its highest clock"
local share = "a share of host.active_power, as of configs/gcn3_node.lua: "
local small = "a command processor's core, as of configs/gcn3_node.lua: "
local board = "10 to 40 W for a SmartNIC's 8 to 16 cores and their memory; states as of a CPU's core"
local serdes = "NVLink-C2C takes 1.3 pJ a bit, and a fifth of what PCIe 5.0 takes (NVIDIA, Grace CPU, as reported of Hot Chips 34): 52 pJ a byte; "
  .. "2 to 10 pJ a bit for a transmitter, its receiver and their link layers"

return machine {
  name = "power",
  host = {
    active_power = estimated("10W", "3W", "20W", core),
    polling_power = estimated("8W", "2W", "20W", share .. "four fifths"),
    stalled_power = estimated("6W", "1W", "15W", share .. "clock and leakage"),
    idle_power = estimated("3W", "200mW", "6W", share .. "leakage; a node of two Xeon E5-2640 takes 12 W a core at rest, with all "
      .. "that is in it (blog.zhaw.ch/icclab, 2014)"),
  },
  cp = {
    active_power = estimated("1W", "500mW", "3W", small .. "2-wide at 2 GHz"),
    polling_power = estimated("800mW", "400mW", "3W", small .. "four fifths of the active power"),
    stalled_power = estimated("600mW", "300mW", "2W", small .. "clock and leakage"),
    idle_power = estimated("300mW", "100mW", "600mW", small .. "clock gated"),
  },
  smart_nic = {
    active_power = estimated("2W", "500mW", "5W", board),
    polling_power = estimated("1.6W", "400mW", "5W", board),
    stalled_power = estimated("1.2W", "300mW", "3W", board),
    idle_power = estimated("600mW", "100mW", "2W", board),
  },
  nic = {
    idle_power = estimated("12W", "8W", "26W", "12.95 W typical of a ConnectX-5 (configs/ac922.lua); 25.9 W told of a ConnectX-7, second hand"),
    active_power = estimated("4W", "2W", "12W", "2.6 W between typical and most of a ConnectX-5, four times the rate in a ConnectX-7"),
  },
  bus = { byte_energy = estimated("40pJ", "16pJ", "80pJ", serdes) },
  nvlink = { byte_energy = estimated("40pJ", "8pJ", "80pJ", serdes) },
  socket_link = { byte_energy = estimated("40pJ", "8pJ", "80pJ", serdes) },
  network = {
    byte_energy = estimated("100pJ", "20pJ", "400pJ", "passive copper takes the SerDes alone, 2.5 pJ a bit at least; an optical module of "
      .. "400 Gbit/s takes 8 to 9 W at each end (NVIDIA, MMA4Z00-NS400 and MMS4X00-NS400), 320 to 360 pJ a byte"),
  },
}
