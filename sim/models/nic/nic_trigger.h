/* SPDX-License-Identifier: BSD-3-Clause */
/* The front of triggers: a command is posted beforehand, by a work queue or by verbs, and held in the NIC until a counter has
 * reached its threshold (triggered operations of Portals 4; GPU-TN, LeBeane et al., SC 2017). The counter counts 8-byte stores
 * to its trigger address: by a core or a GPU over the bus, or by a packet (a put whose target or signal is that address in its
 * node).
 *
 * A command that names a counter starts at once if the counter has already reached the threshold. Commands of one counter start
 * in the order of their thresholds, then of their arrival. */
#pragma once

#include "models/nic/nic.h"

/* Makes a counter, which is 0. Returns its number, from 1 on, for nic_command.counter. At start-up. */
int nic_add_counter(struct nic *nic);

/* A store of 8 bytes here adds their value. A threshold lies at most 2^31 - 1 ahead of its counter, which
 * wraps after 2^32. */
address nic_trigger_address(const struct nic *nic, int counter);

/* Makes a counter supply the contents of its commands when they are triggered, not when they are posted. A real host that posts
 * beforehand knows what its kernel will ask for. A simulated host does not, but spends the same time, as do its commands on the
 * bus. So it posts commands without contents, with the thresholds 1, 2, ... of such a counter, and nic_counter_tell sets the
 * contents of each before the store that starts it. At most `pending` commands are told and not yet taken up. At start-up. */
void nic_counter_tells(struct nic *nic, int counter, int64_t pending);
void nic_counter_tell(struct nic *nic, int counter, uint32_t threshold,
                      const struct nic_command *command);
