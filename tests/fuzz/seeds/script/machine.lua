return machine { name = "m", nodes = 3, nic = { doorbell_latency = estimated("5ns", "1ns", "9ns", "why") },
  network = { rate = published("12.5GB/s", "source"), latency = measured("100ns", "bench") } }
