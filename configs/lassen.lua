-- SPDX-License-Identifier: BSD-3-Clause
-- Lassen: the node of Summit with two GPUs a socket, and a Spectrum MPI that does not stage large GPU messages.

local ac922 = require "configs.ac922"

return ac922 {
  name = "lassen",
  node = { gpus_per_socket = published(2, "Lassen: 4 V100 a node (BenchPress)") },
  pami = {
    gpu_direct = measured("1TiB", "BenchPress, Lassen: GPU buffers off-node take 45.6 us for 512 KiB, no jump"),
  },
}
