/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as described, with the source of each number, and its parameters as one list: first the top level's, then each
 * component's. Components that only some machines have (instances of kinds of software) come last. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "models/node.h"

/* The machine with all defaults, including every component that software adds. */
const struct machine_spec *machine_defaults(void);

/* Section 0 is the top level, the others are the machine's components in order. A kind of nodes has no section here: each of
 * its values is a row of provenance with its own section. */
struct machine_section {
    const struct param_table *table;
    size_t offset;     /* of the section's spec in struct machine_spec */
    const char *outer; /* key of the section in a machine file; NULL: the top level */
    size_t kind;       /* 1 + the number of the kind of nodes; 0: no kind */
};

size_t machine_section_count(const struct machine_spec *spec);
struct machine_section machine_section(const struct machine_spec *spec, size_t number);

/* The section's spec within the machine's spec. */
static inline void *machine_section_spec(struct machine_spec *spec, struct machine_section part)
{
    return (char *)spec + part.offset;
}

/* Where a number of a machine comes from; a row of `gpunetsim params`. */
enum source_kind {
    SOURCE_DEFAULT, /* the default of the parameter table */
    SOURCE_GIVEN,   /* a plain value without a source */
    SOURCE_PUBLISHED,
    SOURCE_MEASURED,
    SOURCE_ESTIMATED,
    SOURCE_FITTED,
    SOURCE_INFERRED,
    SOURCE_KINDS,
};

/* "default", "given", or the word used in machine files: "published", "estimated", ... */
const char *source_kind_name(enum source_kind kind);

struct provenance {
    struct machine_section section;
    size_t index;     /* the parameter's index in the section's table */
    const char *path; /* "gpu.l2_latency"; interned */
    enum source_kind kind;
    char *low, *high; /* for estimated, fitted and inferred values; else NULL */
    char *source;     /* the source or the reason; NULL: none */
    char *claims;     /* for fitted and inferred values: "N-05 N-44"; else NULL */
    bool is_set;      /* set by the study's own file or the command line, not a machine file */
};

/* A machine as described, with the origin of every number in it. */
struct machine {
    char *name;
    struct machine_spec spec;
    GPtrArray *provenance;   /* struct provenance, in the order of the parameter tables */
    struct provenance *rows; /* where all of them are but those of kinds of nodes, as one piece */
    size_t row_count;
};

/* The parameter of this row. */
static inline const struct param *provenance_param(const struct provenance *provenance)
{
    return &provenance->section.table->params[provenance->index];
}

/* The row's value, as a user would write it, in `text`, which has PARAM_TEXT_SIZE bytes. */
const char *provenance_value(const struct machine *machine, const struct provenance *row,
                             char *text);

/* The row with that path; NULL: the machine has no such parameter. */
struct provenance *machine_find(const struct machine *machine, const char *path);

/* As machine_find, but adds a missing row of a kind of nodes: "kinds.NAME.COMPONENT.PARAMETER" of an existing kind, or
 * "kinds.NAME.nodes", which adds the kind itself. NULL and one sentence on failure. */
struct provenance *machine_find_or_add(struct machine *machine, const char *path, GError **error);

/* An unnamed machine with that spec, all values marked as defaults. */
struct machine *machine_new(const struct machine_spec *spec);

void machine_free(struct machine *machine);

/* Marks all values set so far as the machine's description, rather than as set by a user for a run. */
void machine_is_described(struct machine *machine);

/* All parameters with their values, by path: {"nodes":"2","host.cores":"4",...}. Equal texts mean equal machines, whatever
 * their names and sources. The caller frees it with g_free. */
char *machine_json(const struct machine *machine);
