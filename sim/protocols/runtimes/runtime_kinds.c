/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of runtimes of the program: a new runtime takes a file of its own and a line here. MPIs share a file, and are data. */
#include "protocols/runtimes/messenger.h"

const struct runtime_ops *const runtime_kinds[RUNTIMES] = {
    [RUNTIME_CHARM] = &charm_host_ops,  [RUNTIME_MESSAGING] = &gpu_messaging_ops,
    [RUNTIME_CHANNEL] = &channel_ops,   [RUNTIME_AMPI] = &ampi_ops,
    [RUNTIME_CHARM4PY] = &charm4py_ops, [RUNTIME_MPI] = &mpi_ops,
};

bool runtime_takes(const struct runtime_ops *runtime, const struct param_table *table)
{
    for (size_t i = 0; runtime->tables[i] != NULL; i++)
        if (runtime->tables[i] == table)
            return true;
    return false;
}

const struct runtime_ops *runtime_of(const struct design *design)
{
    return runtime_kinds[MIN(design->runtime, RUNTIME_MPI)];
}
