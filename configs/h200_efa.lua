-- SPDX-License-Identifier: BSD-3-Clause
-- A cluster of AWS p5en: eight H200 a node, and for each GPU 400 Gbit/s of EFA (two ports of 200, here one). EFA's transport (SRD)
-- sprays packets over many paths and keeps no order between messages; GPUs cannot post to it themselves, so that designs with
-- host threads and nic_queue = { order = "none" } are meant. The rest is configs/h200_cluster.lua. The NIC's rate of messages is from
-- tests of the network by itself (UCCL, ep/bench/alltoall/efa_alltoall_results.md, p5en, messages of 8 KB), not from dispatches.
local cluster = require "configs.h200_cluster"

return cluster {
  name = "h200-efa",
  nic = {
    command_gap = estimated("825ns", "523ns", "1330ns", "8 KB at 9.9 GB/s a GPU (to all GPUs of the other node); 523 ns along rails, 1,330 ns if all send to one GPU at a time"),
    packet_spread = estimated("5us", "1us", "20us", "a part of a round trip of SRD, some 15 us (Shalev et al., IEEE Micro 2020)"),
    packet_payload = published("8KiB", "AWS, EFA: the largest transfer unit of the network, 8,928 B with headers"),
  },
  network = {
    latency = estimated("3us", "1us", "7us", "half a round trip of SRD of some 15 us, less both NICs and hosts; later generations are shorter"),
  },
}
