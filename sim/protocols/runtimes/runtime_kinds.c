/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of runtimes: a new one is its file, and its line here. */
#include "protocols/runtimes/messenger.h"

const struct runtime_ops *const runtime_kinds[RUNTIMES] = {
    [RUNTIME_CHARM] = &charm_host_ops,  [RUNTIME_MESSAGING] = &gpu_messaging_ops,
    [RUNTIME_CHANNEL] = &channel_ops,   [RUNTIME_AMPI] = &ampi_ops,
    [RUNTIME_CHARM4PY] = &charm4py_ops, [RUNTIME_OPENMPI] = &openmpi_ops,
    [RUNTIME_SPECTRUM] = &spectrum_ops, [RUNTIME_MVAPICH] = &mvapich_ops,
};

const struct runtime_ops *runtime_of(const struct design *design)
{
    return runtime_kinds[design->runtime];
}
