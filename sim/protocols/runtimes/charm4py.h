/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps of Charm4py cost on a core. */
#pragma once

#include "core/param.h"

/* Component "charm4py": Charm4py on Charm++ (M-025 to M-027, M-123, M-124, M-126, M-130). */
#define CHARM4PY_ROWS(ROW)                                                                         \
    ROW(TIME, send, "5us", "0ns", "1ms", "Time of a channel send in Python and Cython.")           \
    ROW(TIME, receive, "5us", "0ns", "1ms",                                                        \
        "Time of a channel receive: making the future, suspending the coroutine.")                 \
    ROW(TIME, resume, "5us", "0ns", "1ms", "Time to fulfil the future and resume the coroutine.")  \
    ROW(TIME, cuda_call, "1us", "0ns", "1ms", "Time that the Python binding adds to a CUDA call.") \
    ROW(TIME, kernel_launch, "40us", "0ns", "1ms", "Time that Numba adds to a kernel launch.")
struct charm4py_spec {
    CHARM4PY_ROWS(PARAM_FIELD)
};
extern const struct param_table charm4py_params;
