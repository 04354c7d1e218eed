-- SPDX-License-Identifier: BSD-3-Clause
-- Message libraries and MPIs that every machine has: components of its file, by these names. What they cost on a machine is said
-- there (configs/ac922.lua); here stands what they are. Library ucx, on which Charm++ stands, is the program's own.
-- A machine file may add others (docs/change/extending.md).

return {
  pami = message_library {
    description = "The library below Spectrum MPI: the same steps as UCX with other numbers.",
  },
  mrail = message_library {
    description = "The channel inside MVAPICH2: the same steps as UCX with other numbers.",
  },

  openmpi = mpi { library = "ucx", description = "Open MPI above UCX." },
  spectrum = mpi { library = "pami", description = "Spectrum MPI above its library (component pami)." },
  mvapich = mpi { library = "mrail", description = "MVAPICH2-GDR above its channel (component mrail)." },
}
