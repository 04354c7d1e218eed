-- SPDX-License-Identifier: BSD-3-Clause
-- What the probe's table `concurrent` calls copies on several streams at once: the number of GPUs that copy to the host, and from it.
return {
  ["D2H_gpu0"] = { to_host = 1, to_device = 0 },
  ["H2D_gpu0"] = { to_host = 0, to_device = 1 },
  ["D2H+H2D_gpu0"] = { to_host = 1, to_device = 1 },
  ["D2H_gpu0+D2H_gpu1"] = { to_host = 2, to_device = 0 },
  ["H2D_gpu0+H2D_gpu1"] = { to_host = 0, to_device = 2 },
  ["D2H_gpu0+H2D_gpu1"] = { to_host = 1, to_device = 1, apart = true },
  ["D2H+H2D_both_gpus"] = { to_host = 2, to_device = 2 },
}
