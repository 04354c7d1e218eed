/* SPDX-License-Identifier: BSD-3-Clause */
/* The report: one HTML file that needs nothing beside it, neither files nor a network. */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "study/claims/claims.h"
#include "study/experiment.h"

struct report {
    const GPtrArray *experiments; /* of struct experiment */
    const GPtrArray *left_out;    /* of struct study: scenarios that were not run; NULL: none */
    const struct claims *claims;
    const char *command; /* that makes it again */
    uint64_t seed;
};

/* The page, from the template plots/report.html: figures, claims, parameters with their sources,
 * versions, seed, command. Nothing of the time or the machine of the run is in it, so two runs give
 * the same bytes. NULL and an error if there is no template; the caller frees it with g_free. */
char *report_html(const struct report *report, GError **error);
