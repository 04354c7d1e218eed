/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of runtimes of the program: a new one is its file, and its line here. MPIs share one, and are data. */
#include "protocols/runtimes/messenger.h"

const struct runtime_ops *const runtime_kinds[RUNTIME_KINDS] = {
    [RUNTIME_CHARM] = &charm_host_ops,  [RUNTIME_MESSAGING] = &gpu_messaging_ops,
    [RUNTIME_CHANNEL] = &channel_ops,   [RUNTIME_AMPI] = &ampi_ops,
    [RUNTIME_CHARM4PY] = &charm4py_ops, [RUNTIME_MPI] = &mpi_ops,
};

const struct runtime_ops *runtime_of(const struct design *design)
{
    return runtime_kinds[MIN(
        design->runtime,
        RUNTIME_MPI)]; /* each MPI of configs/runtimes.lua has a number behind it */
}
