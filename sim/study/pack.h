/* Rows as bytes, for the way from a worker process to its parent. */
#ifndef GPUNETSIM_STUDY_PACK_H
#define GPUNETSIM_STUDY_PACK_H

#include <glib.h>

#include "script/script.h"

/* The measures and the failure of `row`; numbers keep every bit. */
GBytes *pack_row(const struct row *row);

/* The row for point `point` of a study with these axes. NULL if the bytes are not a packed row, as
 * when the worker ended in the middle of it. */
struct row *unpack_row(GBytes *bytes, const struct axis *axes, size_t axis_count, size_t point);

/* A row for a point that gave none. Takes `failure` over. */
struct row *row_of_failure(const struct axis *axes, size_t axis_count, size_t point, char *failure);

#endif
