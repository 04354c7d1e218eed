-- SPDX-License-Identifier: BSD-3-Clause
-- The same on 128 GPUs: both are published as the kernel's by far; here dispatch is, and all to all is level (docs/libraries.md).

return require("scenarios.libraries.parts.pplx_kernels").study {
  long = true,
  title = "pplx-kernels on 128 GPUs",
  gpus = { 128 },
}
