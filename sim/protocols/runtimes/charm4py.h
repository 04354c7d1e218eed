/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps of Charm4py cost on a core. */
#pragma once

#include "core/param.h"
#include "core/simtime.h"

/* Component "charm4py": Charm4py on Charm++ (M-025 to M-027, M-123, M-124, M-126, M-130). */
struct charm4py_spec {
    sim_time send_ps;      /* channel.send: Python and Cython, of host data or of GPU addresses */
    sim_time receive_ps;   /* channel.recv: future, suspending the coroutine */
    sim_time resume_ps;    /* fulfilling the future, resuming the coroutine */
    sim_time cuda_call_ps; /* a CUDA call through the Python binding, beside the call itself */
    sim_time kernel_launch_ps; /* a kernel launch through Numba, beside the launch itself */
};
extern const struct param_table charm4py_params;
