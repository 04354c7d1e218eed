-- SPDX-License-Identifier: BSD-3-Clause
-- Dispatch of tokens and all to all, as in the benchmark of pplx-kernels on 16 GPUs, by a proxy and by the kernel. With
-- one set of costs, the kernel wins the dispatch and the proxy wins the all to all. parts/pplx_kernels.lua says what is
-- run.

return require("scenarios.libraries.parts.pplx_kernels").study { title = "pplx-kernels on 16 GPUs", gpus = { 16 } }
