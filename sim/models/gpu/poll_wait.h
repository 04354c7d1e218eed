/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a word to meet a condition by polling it: exactly as if every poll were made,
 * without making those that cannot find anything new.
 *
 * A poll's cost is a function of its line's state (memory_client_poll). So a poller whose last two
 * polls took the same time will go on in that step until its line changes; it sleeps, is told of
 * the change, and takes up its loop at the first poll that reaches the L2 at or after it. The
 * polls in between are counted. With `skip` false every poll is made; a test holds the two against
 * each other. */
#pragma once

#include "models/gpu/memory_client.h"
#include "models/memory/word_condition.h"

/* Polls the `count` (1 to WAIT_WORDS_MAX) 8-byte words of one memory at `at` until all of them meet `until`; each poll loads
 * all of them by one vector load, and `loop_ps` is the time of the loop's instructions before it. Acts as an acquire at
 * device scope when it has found them. Words that lie across the bus are polled one by one in either case. */
void memory_client_wait_words(struct memory_client *client, const address *at, size_t count,
                              struct word_condition until, sim_time loop_ps, bool skip);
