-- SPDX-License-Identifier: BSD-3-Clause
-- Message libraries and MPIs that every machine has: components of its file, by these names. A machine's file gives their
-- costs (configs/ac922.lua); this file says what they are. Library ucx, which Charm++ uses, is built into the program. A
-- machine file may add others (docs/change/extending.md).

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
