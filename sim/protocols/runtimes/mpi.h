/* SPDX-License-Identifier: BSD-3-Clause */
/* What an MPI stands on, and what its steps cost on a core. */
#pragma once

#include <stdint.h>

#include "core/param.h"
#include "core/simtime.h"

/* A component of kind "mpi": what it stands on, and what it costs above that. */
struct mpi_spec {
    int64_t library; /* index into mpi_libraries: the name of a message library of the machine */
    sim_time call_ps, wait_ps; /* a call of MPI_Isend, MPI_Irecv; a request found complete */
    sim_time device_ps;        /* more of a call with GPU memory */
};
extern const struct param_table mpi_params;

#define MPI_LIBRARIES_MOST 24
extern const char
    *mpi_libraries[MPI_LIBRARIES_MOST + 1]; /* NULL-ended; software_declare adds to it */
