/* A machine's parameters as one list, those of the top level, then each component's; and struct
 * machine with its provenance in that order. */
#ifndef GPUNETSIM_SCRIPT_MACHINE_PARTS_H
#define GPUNETSIM_SCRIPT_MACHINE_PARTS_H

#include <stddef.h>

#include "models/node.h"
#include "script/script.h"

/* Part 0 is the top level, the others the components in their order. */
struct machine_part {
    const struct param_table *table;
    size_t offset;     /* of its spec in struct machine_spec */
    const char *outer; /* key under which it stands; NULL for the top level */
};

size_t machine_part_count(void);
struct machine_part machine_part(size_t number);

/* The part's spec inside the machine's. */
static inline void *machine_part_spec(struct machine_spec *spec, struct machine_part part)
{
    return (char *)spec + part.offset;
}

/* A machine with that spec, without name, all of it from the defaults. */
struct machine *machine_new(const struct machine_spec *spec);

#endif
