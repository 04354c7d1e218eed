/* A machine's parameters as one list, those of the top level, then each component's; and struct
 * machine with its provenance in that order. */
#ifndef GPUNETSIM_STUDY_MODEL_MACHINE_SECTIONS_H
#define GPUNETSIM_STUDY_MODEL_MACHINE_SECTIONS_H

#include <stddef.h>

#include "models/node.h"
#include "study/model/study.h"

/* The machine of all defaults, with every part that software brings. */
const struct machine_spec *machine_defaults(void);

/* Section 0 is the top level, the others the components in their order. */
struct machine_section {
    const struct param_table *table;
    size_t offset;     /* of its spec in struct machine_spec */
    const char *outer; /* key under which it stands; NULL for the top level */
};

size_t machine_section_count(void);
struct machine_section machine_section(size_t number);

/* The section's spec inside the machine's. */
static inline void *machine_section_spec(struct machine_spec *spec, struct machine_section part)
{
    return (char *)spec + part.offset;
}

/* A machine with that spec, without name, all of it from the defaults. */
struct machine *machine_new(const struct machine_spec *spec);

#endif
