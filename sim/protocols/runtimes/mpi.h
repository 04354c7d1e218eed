/* SPDX-License-Identifier: BSD-3-Clause */
/* Which message library an MPI uses, and what its steps cost on a core. */
#pragma once

#include "core/param.h"

/* A component of kind "mpi": the message library that it uses, and what it costs beyond that. */
#define MPI_ROWS(ROW)                                                                              \
    ROW(ENUM, library, "ucx", mpi_libraries,                                                       \
        "The message library on which this MPI stands, by its name on the machine.")               \
    ROW(TIME, call, "100ns", "0ns", "1ms",                                                         \
        "Time that the core spends in MPI_Isend or MPI_Irecv, in addition to the message "         \
        "library.")                                                                                \
    ROW(TIME, wait, "50ns", "0ns", "1ms",                                                          \
        "Time that the core spends in MPI_Wait for each request that is complete.")                \
    ROW(TIME, device, "100ns", "0ns", "1ms", "Additional time of an MPI call with GPU memory.")
struct mpi_spec {
    MPI_ROWS(PARAM_FIELD)
};
extern const struct param_table mpi_params;

#define MPI_LIBRARIES_MOST 24
extern const char
    *mpi_libraries[MPI_LIBRARIES_MOST + 1]; /* NULL-ended; software_declare adds to it */
