/* SPDX-License-Identifier: BSD-3-Clause */
/* The halo exchange of bench_halo.c as an MPI program, for SimGrid's smpirun: ranks in a grid of X x Y x
 * Z blocks of 96 x 96 x 64 points, faces inside of it, all at once. Arguments: X Y Z iterations. Rank 0 prints the
 * simulated seconds of the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FACES = 6, LARGEST_BYTES = 96 * 96 * 8 };

/* What faces hold does not matter: all ranks share it, so that no memory of it counts. */
static char out[FACES][LARGEST_BYTES], in[FACES][LARGEST_BYTES];

static int neighbour(const int *sides, int rank, int direction)
{
    int at[] = {rank % sides[0], rank / sides[0] % sides[1], rank / (sides[0] * sides[1])};
    int axis = direction / 2;
    at[axis] += direction % 2 ? -1 : 1;
    if (at[axis] < 0 || at[axis] == sides[axis])
        return MPI_PROC_NULL;
    return at[0] + sides[0] * (at[1] + sides[1] * at[2]);
}

int main(int argc, char **argv)
{
    static const int face_bytes[] = {96 * 64 * 8, 96 * 64 * 8, 96 * 96 * 8};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int sides[] = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3])};
    double start = MPI_Wtime();
    for (int iteration = 0; iteration < atoi(argv[4]); iteration++) {
        MPI_Request requests[2 * FACES];
        for (int i = 0; i < FACES; i++)
            MPI_Irecv(in[i], face_bytes[i / 2], MPI_BYTE, neighbour(sides, rank, i), i ^ 1,
                      MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < FACES; i++)
            MPI_Isend(out[i], face_bytes[i / 2], MPI_BYTE, neighbour(sides, rank, i), i,
                      MPI_COMM_WORLD, &requests[FACES + i]);
        MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
    }
    double took = MPI_Wtime() - start, longest;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.9f\n", longest);
    MPI_Finalize();
    return 0;
}
