/* SPDX-License-Identifier: BSD-3-Clause */
/* The 64-bit tag that Open MPI gives its messages (pml/ucx): 24 bits of the user's tag, 20 of the
 * source's rank, 20 of the communicator's id. Spectrum MPI, which descends from it, has it too. */
#pragma once

#include "core/check.h"

#define MPI_TAG_RANK_BITS 20
#define MPI_TAG_COMMUNICATOR_BITS 20
#define MPI_TAG_MOST ((1 << 23) - 1) /* the highest bit of the 24 marks MPI's own messages */

#define MPI_WORLD 0 /* the communicator of all ranks */

/* A value that does not fit its bits is a failed check: such a message could match the wrong receive. */
static inline uint64_t mpi_tag(int32_t communicator, int32_t source, int32_t tag)
{
    check_always(communicator >= 0 && communicator >> MPI_TAG_COMMUNICATOR_BITS == 0,
                 "communicator %d does not fit the %d bits that a tag has for it", communicator,
                 MPI_TAG_COMMUNICATOR_BITS);
    check_always(source >= 0 && source >> MPI_TAG_RANK_BITS == 0,
                 "rank %d does not fit the %d bits that a tag has for it", source,
                 MPI_TAG_RANK_BITS);
    check_always(tag >= 0 && tag <= MPI_TAG_MOST, "user tag %d is not within 0 to %d", tag,
                 MPI_TAG_MOST);
    return (uint64_t)tag << (MPI_TAG_RANK_BITS + MPI_TAG_COMMUNICATOR_BITS) |
           (uint64_t)source << MPI_TAG_COMMUNICATOR_BITS | (uint64_t)communicator;
}
