-- Lassen: the node of Summit with two GPUs a socket.

local ac922 = require "configs.ac922"

return ac922 {
  name = "lassen",
  node = { gpus_per_socket = published(2, "Lassen: 4 V100 a node (BenchPress)") },
}
