/* SPDX-License-Identifier: BSD-3-Clause */
/* The front of triggers: a command is posted beforehand, by a work queue or by verbs, and held in the NIC
 * until a counter has come to its threshold (triggered operations of Portals 4; GPU-TN, LeBeane et al.,
 * SC 2017). What makes the counter count is an 8-byte store to the counter's trigger address: by a core
 * or a GPU over the bus, or by a packet, namely a put whose target or signal is that address in its node.
 *
 * A command that names a counter starts at once if the counter has come so far already. Commands of one
 * counter start in the order of their thresholds, then of their coming. */
#pragma once

#include "models/nic/nic.h"

/* A counter at 0. Returns its number, from 1 on, for nic_command.counter. At start-up. */
int nic_add_counter(struct nic *nic);

/* A store of 8 bytes here adds their value. A threshold lies at most 2^31 - 1 ahead of its counter, which
 * wraps after 2^32. */
address nic_trigger_address(const struct nic *nic, int counter);

/* Commands whose contents are told when they are triggered, not when they are posted. Whoever posts
 * beforehand knows what his kernel will ask for; a simulated host does not, though his time and that of his
 * commands on the bus pass all the same. So he posts commands without contents, with the thresholds 1, 2, ... of a counter that tells:
 * each is told before the store that starts it. At most `pending` are told and not taken up; at start-up. */
void nic_counter_tells(struct nic *nic, int counter, int64_t pending);
void nic_counter_tell(struct nic *nic, int counter, uint32_t threshold,
                      const struct nic_command *command);
