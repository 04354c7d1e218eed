/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts rows and results of workloads to bytes, for other processes and for the store; numbers keep every bit. */
#pragma once

#include <glib.h>

#include "study/model/study.h"

/* A type of GVariant: failure, read parameters, unread parameters; name, kind, unit, quantity, number and text of each measure. */
#define PACKED_ROW_TYPE "(msmsmsa(suuxdms))"

/* Packs the measures and the failure of `row`, without its point. */
GBytes *pack_row(const struct row *row);

/* Unpacks them into a row of study_new_row. False, and the row unchanged, if the bytes are not a packed row. */
bool unpack_row(GBytes *bytes, struct row *row);

/* Packs the measures of a call and the parameters that it has read; the caller frees the bytes. unpack_result returns false if
 * the bytes are not a packed result; the result must not be used then. */
GBytes *pack_result(const struct workload_result *result);
bool unpack_result(GBytes *bytes, struct workload_result *result);

/* Packs a message to the process that keeps results: a call and its result. */
GBytes *pack_call(const struct workload_call *call, GBytes *result);
/* The call's texts are valid as long as `*holder`, which the caller unrefs with g_variant_unref. */
bool unpack_call(GBytes *bytes, struct workload_call *call, GBytes **result, GVariant **holder);

/* Packs a point's last message: its row with its statistics, and the name and the parameters of its machine (both NULL: none). */
GBytes *pack_point(const struct row *row, const char *machine_name, const char *machine);
/* Fills in the fields of `row` that travel beside its packed form and do not go into the store. The caller frees the texts with
 * g_free. */
bool unpack_point(GBytes *bytes, GBytes **packed_row, char **machine_name, char **machine,
                  struct row *row);
