/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps of AMPI cost on a core, and at which sizes it changes its protocol. */
#pragma once

#include "core/param.h"

/* Messages that AMPI keeps ready, and their size (AMPI's sources). */
#define AMPI_POOL_MESSAGES 32
#define AMPI_POOL_MESSAGE_BYTES 128

/* Host payloads of at least this size go by the Zero Copy API (AMPI_RDMA_THRESHOLD_DEFAULT). */
#define AMPI_ZERO_COPY_BYTES 102400

/* Component "ampi": AMPI on Charm++ (M-020 to M-024, M-115, M-116, M-128, M-129). */
#define AMPI_ROWS(ROW)                                                                             \
    ROW(TIME, call, "500ns", "0ns", "1ms", "Time of a send or receive call of AMPI.")              \
    ROW(TIME, match, "200ns", "0ns", "1ms",                                                        \
        "Time to search or fill the queues of requests and unexpected messages.")                  \
    ROW(TIME, device_check, "100ns", "0ns", "1ms",                                                 \
        "Time to find out whether a pointer is GPU memory that is already known.")                 \
    ROW(TIME, device_request, "500ns", "0ns", "1ms",                                               \
        "Time for the records and callbacks of a device transfer, on each side.")                  \
    ROW(TIME, switch, "1us", "0ns", "1ms",                                                         \
        "Time to suspend or resume a rank's user-level thread.")                                   \
    ROW(TIME, zero_copy_cost, "5us", "0ns", "1ms",                                                 \
        "Time for the metadata of a Zero Copy transfer, on each side, in addition to "             \
        "registration.")
struct ampi_spec {
    AMPI_ROWS(PARAM_FIELD)
};
extern const struct param_table ampi_params;
