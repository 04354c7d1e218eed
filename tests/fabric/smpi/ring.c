/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank sends to the next one and receives from the one before, as often as the second
 * argument says, messages of as many bytes as the first says. Every rank prints its number and the
 * seconds that it took. Plain MPI, for any MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 3) {
        int bytes = atoi(argv[1]), rounds = atoi(argv[2]);
        char *out = malloc((size_t)bytes), *in = malloc((size_t)bytes);
        double start = MPI_Wtime();
        for (int round = 0; round < rounds; round++)
            MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % ranks, 0, in, bytes, MPI_CHAR,
                         (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %.17g\n", rank, MPI_Wtime() - start);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
