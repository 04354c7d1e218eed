local node = require "configs.gcn3_node"
return study {
  title = "t",
  machine = node { gpu = { compute_units = 4 } },
  vary = { { "bytes", { "8B", "64B" } }, design = { "dgpu", "comp-net" } },
  where = function(p) return p.design ~= "" end,
  run = function(p) return get_latency { design = p.design, bytes = p.bytes, repeats = 2, warmup = 0 } end,
  plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog", title = "f" },
  claims = { ["N-01"] = function(r) return { obtained = r:value { bytes = "8B", design = "dgpu" }.latency_us, holds = true, note = "n" } end },
}
