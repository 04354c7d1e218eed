/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/ucx_params.h"

#include <glib.h>

PARAM_TABLE_OF(
    message_library_params, "message_library", struct ucx_spec, UCX_ROWS,
    "A library of tagged messages, eager and rendezvous. A machine has several, by name; a machine file adds "
    "one by name = message_library { from = \"ucx\", eager = \"64KiB\" }.");

const struct param_table ucx_params = {"ucx",
                                       "UCX: tagged sends and receives, eager and rendezvous.",
                                       message_library_params_rows,
                                       G_N_ELEMENTS(message_library_params_rows),
                                       sizeof(struct ucx_spec),
                                       &message_library_params};
