/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps of MPI cost on a core. */
#ifndef GPUNETSIM_PROTOCOLS_RUNTIMES_MPI_H
#define GPUNETSIM_PROTOCOLS_RUNTIMES_MPI_H

#include <stdint.h>

#include "core/param.h"
#include "core/simtime.h"

/* Components "openmpi", "spectrum" and "mvapich": what MPI itself costs above its library. */
struct mpi_spec {
    sim_time send_ps, receive_ps,
        wait_ps;        /* a call of MPI_Isend, MPI_Irecv; a request found complete */
    sim_time device_ps; /* more of a call with GPU memory */
};
extern const struct param_table openmpi_params, spectrum_params, mvapich_params;

#endif
