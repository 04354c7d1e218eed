-- SPDX-License-Identifier: BSD-3-Clause
-- A proxy by itself, as in V-023 to V-028 and V-064, V-066: a host thread of the program's own, with a flag that the kernel sets, without a
-- library's channel that blocks share, and without messages from other proxies.

return design {
  from = "nvshmem-ibrc", shared_queues = 0, wait_on = "entries", word_set_by = "nic", signal_by = "put", progress = "asked",
  take_instructions = 0, verb_instructions = 0,
}
