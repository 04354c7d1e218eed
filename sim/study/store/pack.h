/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows and results of workloads as bytes, for transport between processes and for the store; numbers keep every bit. */
#pragma once

#include <glib.h>

#include "study/model/study.h"

/* Of GVariant: failure, what was read and what was not; name, kind, unit, quantity, number and text of each measure. */
#define PACKED_ROW_TYPE "(msmsmsa(suuxdms))"

/* The measures and the failure of `row`; which point it is is known from elsewhere. */
GBytes *pack_row(const struct row *row);

/* Puts them into a row of study_new_row. False, and the row unchanged, if the bytes are not a
 * packed row. */
bool unpack_row(GBytes *bytes, struct row *row);

/* The measures of a call, and which parameters it has read. The caller frees the bytes. False if the bytes are not a packed result; the
 * result is then not to be used. */
GBytes *pack_result(const struct workload_result *result);
bool unpack_result(GBytes *bytes, struct workload_result *result);

/* A message to the process that keeps results: what a call gave. */
GBytes *pack_call(const struct workload_call *call, GBytes *result);
/* The call's texts are good as long as `*holder`, which the caller unrefs with g_variant_unref. */
bool unpack_call(GBytes *bytes, struct workload_call *call, GBytes **result, GVariant **holder);

/* A point's last message: its row with its statistics, and its machine as name and parameters, or NULL twice. */
GBytes *pack_point(const struct row *row, const char *machine_name, const char *machine);
/* Fills what of `row` goes with its packed form, and not into the store. The caller frees the texts with g_free. */
bool unpack_point(GBytes *bytes, GBytes **packed_row, char **machine_name, char **machine,
                  struct row *row);
