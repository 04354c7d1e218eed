-- SPDX-License-Identifier: BSD-3-Clause
-- A proxy by itself, as in V-023 to V-028, V-064 and V-066: the program's own host thread and a flag that the kernel
-- sets, without a library's channel that all blocks share, and without messages from other proxies.

return design {
  from = "nvshmem-ibrc", queue = { count = 0 }, word_set_by = "nic", signal_by = "put", quiet_by = "entries",
  take_instructions = 0, verb_instructions = 0,
}
