/* SPDX-License-Identifier: BSD-3-Clause */
/* Matching of messages and receives, as MPI does it: by source and tag, the oldest first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* As source or tag of a receive: any. */
#define LOGGP_ANY UINT32_MAX

struct loggp_entry {
    uint32_t source, tag;
    uint32_t id; /* of the receive, or of the send that the message came from */
    uint32_t next;
    uint64_t bytes; /* of the message, or room for it */
};

/* The entries of many lists, and one list: the receives that wait for messages at a rank, or the
 * messages that wait for receives. All zero is empty. */
struct loggp_entries {
    struct loggp_entry *entries; /* from 1 on */
    uint32_t count, room, free;
};
struct loggp_list {
    uint32_t first, last; /* 0: none */
};

void loggp_entries_clear(struct loggp_entries *entries);

/* Puts a copy of `entry`, whose `next` does not matter, at the end. */
void loggp_list_append(struct loggp_list *list, struct loggp_entries *entries,
                       const struct loggp_entry *entry);

/* Takes out the first entry that agrees in source and tag, and copies it to `found`. False if there
 * is none. */
bool loggp_list_match(struct loggp_list *list, struct loggp_entries *entries, uint32_t source,
                      uint32_t tag, struct loggp_entry *found);
