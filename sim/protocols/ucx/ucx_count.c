#include "protocols/ucx/ucx.h"

const char *const ucx_count_names[UCX_COUNTS] = {
    [UCX_EAGER] = "eager",
    [UCX_EAGER_DEVICE] = "eager_device",
    [UCX_CROSS_ATTACH] = "cross_attach",
    [UCX_IPC] = "ipc",
    [UCX_RDMA] = "rdma",
    [UCX_GPU_DIRECT] = "gpu_direct",
    [UCX_STAGED] = "staged",
    [UCX_UNEXPECTED] = "unexpected",
};
