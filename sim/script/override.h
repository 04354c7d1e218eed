/* Overrides from the command line: "nic.doorbell_latency=5ns", or "nodes=4" for the top level. */
#ifndef GPUNETSIM_SCRIPT_OVERRIDE_H
#define GPUNETSIM_SCRIPT_OVERRIDE_H

#include <stdbool.h>

#include "script/script.h"

/* Applies each of a NULL-ended list (NULL is none) to the machine and notes it in the provenance.
 * False and an error at the first that is wrong. */
bool override_all(struct machine *machine, const char *const *overrides, GError **error);

/* Checks overrides by themselves, before there is a machine. */
bool overrides_valid(const char *const *overrides, GError **error);

#endif
