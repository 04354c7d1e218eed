/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches messages and receives by MPI's rules: by source and tag, the oldest first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Source or tag of a receive that matches any. */
#define LOGGP_ANY UINT32_MAX

struct loggp_entry {
    uint32_t source, tag;
    uint32_t id; /* id of the receive, or of the message's send */
    uint32_t next;
    uint64_t bytes; /* bytes of the message, or room of the receive */
};

/* The entries of many lists; and one list: receives of a rank that wait for messages, or messages that wait for receives. All
 * zero is empty. */
struct loggp_entries {
    struct loggp_entry *entries; /* from 1 on */
    uint32_t count, room, free;
};
struct loggp_list {
    uint32_t first, last; /* 0: none */
};

void loggp_entries_clear(struct loggp_entries *entries);

/* Appends a copy of `entry`, whose `next` is ignored. */
void loggp_list_append(struct loggp_list *list, struct loggp_entries *entries,
                       const struct loggp_entry *entry);

/* Takes out the first entry that agrees in source and tag, and copies it to `found`. False if there
 * is none. */
bool loggp_list_match(struct loggp_list *list, struct loggp_entries *entries, uint32_t source,
                      uint32_t tag, struct loggp_entry *found);
