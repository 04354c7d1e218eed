/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks send a message to and fro. Rank 0 prints, for each size in bytes given as an argument,
 * the size and the seconds of one way. Plain MPI, for any MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 10 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; i++) {
        int bytes = atoi(argv[i]);
        char *buffer = malloc((size_t)bytes);
        double start = MPI_Wtime();
        for (int repeat = 0; repeat < 2 * REPEATS; repeat++)
            if (repeat % 2 == rank)
                MPI_Send(buffer, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(buffer, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0)
            printf("%d %.17g\n", bytes, (MPI_Wtime() - start) / (2 * REPEATS));
        free(buffer);
    }
    MPI_Finalize();
    return 0;
}
