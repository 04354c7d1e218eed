return machine { name = "m", nodes = 4, kinds = { older = { nodes = "1..2", gpu = { clock = "1GHz" }, network = { rate = "1GB/s" } },
  b = { nodes = "3", nic = { command_latency = estimated("5ns", "1ns", "9ns", "why") } } } }
