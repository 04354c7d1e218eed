-- SPDX-License-Identifier: BSD-3-Clause
-- What ComP-Net's figures call the designs, and in which order they stand.

return {
  order = { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" },
  labels = { cpu = "CPU", ["inter-kernel"] = "Inter-kernel", dgpu = "dGPU", apu = "APU", ["comp-net"] = "ComP-Net" },
}
