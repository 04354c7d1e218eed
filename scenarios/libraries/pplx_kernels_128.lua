-- SPDX-License-Identifier: BSD-3-Clause
-- The same on 128 GPUs, where both are the kernel's.

return require("scenarios.libraries.parts.pplx_kernels").study("pplx-kernels on 128 GPUs", { 128 }, true)
