/* The list of runtimes: a new one is its file, and its line here. */
#include "protocols/runtimes/messenger.h"

const struct runtime_ops *const runtime_kinds[] = {
    &openmpi_ops, &spectrum_ops, &charm_host_ops, &gpu_messaging_ops,
    &channel_ops, &ampi_ops,     &charm4py_ops,   NULL,
};
