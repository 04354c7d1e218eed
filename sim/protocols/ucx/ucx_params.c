/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/ucx_params.h"

#include <glib.h>

#define SPEC struct ucx_spec
static const struct param library_parameters[] = {UCX_ROWS(PARAM_ENTRY)};
#undef SPEC
PARAM_TABLE(
    message_library_params, "message_library", struct ucx_spec, library_parameters,
    "A library of tagged messages, eager and rendezvous. A machine has several, by name; a machine file adds "
    "one by name = message_library { from = \"ucx\", eager = \"64KiB\" }.");

const struct param_table ucx_params = {"ucx",
                                       "UCX: tagged sends and receives, eager and rendezvous.",
                                       library_parameters,
                                       G_N_ELEMENTS(library_parameters),
                                       sizeof(struct ucx_spec),
                                       &message_library_params};
