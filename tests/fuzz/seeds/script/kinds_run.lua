local m = machine { nodes = 2, kinds = { older = { nodes = "1", nic = { command_latency = "1us" }, bus = { latency = "2us" } } } }
return study {
  title = "t",
  machine = function(p) return m { kinds = { older = { nodes = "0", network = { rate = p.rate } } } } end,
  vary = { { "rate", { "1GB/s", "2GB/s" } } },
  run = function(p) return get_latency { design = "dgpu", bytes = "64B", repeats = 2, warmup = 0 } end,
}
