/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring allreduce of `gpunetsim goal --generate ring:N,bytes=4096,iterations=10` as an MPI
 * program, for SimGrid's smpirun: bench/run times the two beside each other. */
#include <mpi.h>

#define BLOCK_BYTES 4096
#define ITERATIONS 10

static char out[BLOCK_BYTES], in[BLOCK_BYTES];

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int phase = 0; phase < ITERATIONS * 2 * (ranks - 1); phase++)
        MPI_Sendrecv(out, BLOCK_BYTES, MPI_BYTE, right, 0, in, BLOCK_BYTES, MPI_BYTE, left, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
