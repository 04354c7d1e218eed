-- SPDX-License-Identifier: BSD-3-Clause
-- Dispatch of tokens and all to all of pplx-kernels' benchmark on 16 GPUs, by a proxy and by the kernel: dispatch is the kernel's, all to
-- all the proxy's, with one set of costs. parts/pplx_kernels.lua says what is run.

return require("scenarios.libraries.parts.pplx_kernels").study { title = "pplx-kernels on 16 GPUs", gpus = { 16 } }
