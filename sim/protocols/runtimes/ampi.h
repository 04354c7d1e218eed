/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps of AMPI cost on a core, and where it changes its way. */
#pragma once

#include "core/param.h"
#include "core/simtime.h"

/* Messages that AMPI keeps ready, and their size (AMPI's sources). */
#define AMPI_POOL_MESSAGES 32
#define AMPI_POOL_MESSAGE_BYTES 128

/* Host payloads of at least this size go by the Zero Copy API (AMPI_RDMA_THRESHOLD_DEFAULT). */
#define AMPI_ZERO_COPY_BYTES 102400

/* Component "ampi": AMPI on Charm++ (M-020 to M-024, M-115, M-116, M-128, M-129). */
struct ampi_spec {
    sim_time call_ps;           /* a send or receive call: datatype, communicator, request */
    sim_time match_ps;          /* putting into or searching the request and unexpected queues */
    sim_time device_check_ps;   /* whether a pointer is GPU memory that is known already */
    sim_time device_request_ps; /* records and callbacks of a device transfer, each side */
    sim_time switch_ps;         /* suspending or resuming a rank's user-level thread */
    sim_time zero_copy_cost_ps; /* metadata of such a transfer, each side, beside registration */
};
extern const struct param_table ampi_params;
