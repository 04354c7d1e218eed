/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as described, where each of its numbers comes from, and its parameters as one list: those of the top
 * level, then each component's. Machines may have instances of software's kinds that others have not, behind what all have. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "models/node.h"

/* The machine of all defaults, with every part that software brings. */
const struct machine_spec *machine_defaults(void);

/* Section 0 is the top level, the others the components of the machine in their order. What a kind of nodes says stands in none of
 * them: each of its values is a row of provenance with a section for itself. */
struct machine_section {
    const struct param_table *table;
    size_t offset;     /* of its spec in struct machine_spec */
    const char *outer; /* key under which it stands; NULL for the top level */
    size_t kind;       /* 1 + the number of the kind of nodes; 0: of none */
};

size_t machine_section_count(const struct machine_spec *spec);
struct machine_section machine_section(const struct machine_spec *spec, size_t number);

/* The section's spec inside the machine's. */
static inline void *machine_section_spec(struct machine_spec *spec, struct machine_section part)
{
    return (char *)spec + part.offset;
}

/* Where a number of a machine comes from; a row of `gpunetsim params`. */
enum source_kind {
    SOURCE_DEFAULT, /* not given: the parameter table's default */
    SOURCE_GIVEN,   /* a plain value, no source stated */
    SOURCE_PUBLISHED,
    SOURCE_MEASURED,
    SOURCE_ESTIMATED,
    SOURCE_FITTED,
    SOURCE_INFERRED,
    SOURCE_KINDS,
};

/* "default", "given", or the word of machine files: "published", "estimated", ... */
const char *source_kind_name(enum source_kind kind);

struct provenance {
    struct machine_section section;
    size_t index; /* of its parameter in the section's table */
    char *path;   /* "gpu.l2_latency" */
    char *value;  /* as a user would write it */
    enum source_kind kind;
    char *low, *high; /* estimated, fitted and inferred; else NULL */
    char *source;     /* source or why; NULL if none */
    char *claims;     /* fitted and inferred: "N-05 N-44"; else NULL */
    bool is_set;      /* by the study's own file or the command line, not by a machine file */
};

/* A machine as described, with the origin of every number in it. */
struct machine {
    char *name;
    struct machine_spec spec;
    GPtrArray *provenance; /* of struct provenance, in the order of the parameter tables */
};

/* The parameter that it is of. */
static inline const struct param *provenance_param(const struct provenance *provenance)
{
    return &provenance->section.table->params[provenance->index];
}

/* The entry of that path; NULL: the machine has no such parameter. */
struct provenance *machine_find(const struct machine *machine, const char *path);

/* The same; a kind of nodes of the machine that says nothing of "kinds.NAME.COMPONENT.PARAMETER" does so from then on, and one that is
 * not there yet comes with "kinds.NAME.nodes". NULL and one sentence. */
struct provenance *machine_find_or_add(struct machine *machine, const char *path, GError **error);

/* A machine with that spec, without name, all of it from the defaults. */
struct machine *machine_new(const struct machine_spec *spec);

void machine_free(struct machine *machine);

/* What has been said of it so far describes it, and is not what a user set for a run. */
void machine_is_described(struct machine *machine);

/* Every parameter with its value, by path: {"nodes":"2","host.cores":"4",...}. Equal texts are
 * equal machines, whatever their names and sources. The caller frees it with g_free. */
char *machine_json(const struct machine *machine);
