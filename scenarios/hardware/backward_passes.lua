-- SPDX-License-Identifier: BSD-3-Clause
-- Backward passes of two GPUs: sixteen layers are kernels in a row; behind each bucket of them NCCL adds up their gradients on a second stream.
-- Predicted before it was measured (probe/predicted_overlap.md).
local h200x2 = require "configs.h200x2"
local beside = require "parts.beside"

return study {
  title = "Backward passes with allreduces of buckets",
  machine = h200x2,
  vary = { { "kind", { "memory", "compute" } }, { "blocks", { 1056, 264 } }, { "bucket", { 1, 2, 4, 8, 16 } } },
  measured = { file = "data/h200x2/backward.tsv", kind = "kind", blocks = "blocks", bucket = "bucket", compute = "compute_us",
               allreduce = "allreduce_us", computed = "computed_us", pass = "pass_us" },
  run = function(p) return beside.backward(p.kind, p.blocks, p.bucket, h200x2) end,
  plot = { x = "bucket", x_label = "Layers of a bucket", y = "pass_us", by = "kind", panels = "blocks", style = "semilogx" },
}
