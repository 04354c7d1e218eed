/* SPDX-License-Identifier: BSD-3-Clause */
/* Streaming wavefronts: a work-group that reads (and writes) a large buffer once, line by line, with
 * several lines of each wavefront in flight. This is what thrashes an L2 (ComPNet18 section 4.2.3;
 * M-073).
 *
 * Every line is an access of its own: it goes through L1 and L2, pushes out what stood there, and takes its
 * turn at the L2's bank, at device memory and on its CU's port. No process is switched to for it: an event
 * a line, or a few lines with a statistical L2; the process that called waits for the last. */
#pragma once

#include "models/gpu/gpu.h"

/* What to stream: the caller's, filled in and kept until work_group_stream returns. */
struct streaming {
    address source; /* read from here on, one line after the other; ADDRESS_NONE: nothing is read */
    address
        target; /* written in the same way, each line after its source has come; or ADDRESS_NONE */
    int64_t bytes;                 /* bytes of each, in whole lines (>= 1) of device memory */
    int64_t lines_in_flight;       /* of each wavefront, >= 1 */
    const bool *stop;              /* begins no further line once it is true; NULL: streams all */
    struct stat_counter *streamed; /* counts bytes read and written; NULL for none */
};

/* Streams with all wavefronts of the work-group; returns when every line begun has come. */
void work_group_stream(struct work_group *wg, const struct streaming *what);
