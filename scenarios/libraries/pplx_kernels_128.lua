-- SPDX-License-Identifier: BSD-3-Clause
-- The same on 128 GPUs. As published, the kernel wins both by far; here it wins the dispatch, and the all to all is a
-- draw (docs/use/libraries.md).

return require("scenarios.libraries.parts.pplx_kernels").study {
  long = true,
  title = "pplx-kernels on 128 GPUs",
  gpus = { 128 },
}
