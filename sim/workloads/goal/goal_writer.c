/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's operations come first, in order, then the operations that wait for each of them, also in order: both orders decide
 * ties. */
#include "workloads/goal/goal_writer.h"

#include <inttypes.h>

static void write_number_or_any(FILE *file, const char *before, uint32_t number)
{
    if (number == LOGGP_ANY)
        fprintf(file, " %s -1", before);
    else
        fprintf(file, " %s %u", before, number);
}

static void write_operation(FILE *file, uint32_t number, const struct goal_op *op)
{
    if (op->kind == LOGGP_CALCULATE) {
        fprintf(file, "l%u: calc %" PRIu64, number + 1, op->size);
    } else {
        bool is_send = op->kind == LOGGP_SEND;
        fprintf(file, "l%u: %s %" PRIu64 "b", number + 1, is_send ? "send" : "recv", op->size);
        write_number_or_any(file, is_send ? "to" : "from", op->peer);
        write_number_or_any(file, "tag", op->tag);
    }
    if (op->cpu > 0)
        fprintf(file, " cpu %u", op->cpu);
    if (op->nic > 0)
        fprintf(file, " nic %u", op->nic);
    fputc('\n', file);
}

static void write_waiters(FILE *file, const struct goal_schedule *schedule, uint32_t rank,
                          uint32_t op, bool start)
{
    uint32_t count;
    const uint32_t *waiters = goal_schedule_waiters(schedule, rank, op, start, &count);
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "l%u %s l%u\n", waiters[i] + 1, start ? "irequires" : "requires", op + 1);
}

static void write_rank(FILE *file, const struct goal_schedule *schedule, uint32_t rank)
{
    uint32_t count = goal_schedule_count(schedule, rank);
    fprintf(file, "\nrank %u {\n", rank);
    for (uint32_t op = 0; op < count; op++)
        write_operation(file, op, goal_schedule_op(schedule, rank, op));
    for (uint32_t op = 0; op < count; op++) {
        write_waiters(file, schedule, rank, op, true);
        write_waiters(file, schedule, rank, op, false);
    }
    fputs("}\n", file);
}

static bool written(FILE *file)
{
    return fflush(file) == 0 && !ferror(file);
}

bool goal_write(FILE *file, const struct goal_schedule *schedule)
{
    fprintf(file, "num_ranks %u\n", goal_schedule_ranks(schedule));
    for (uint32_t rank = 0; rank < goal_schedule_ranks(schedule) && !ferror(file); rank++)
        write_rank(file, schedule, rank);
    return written(file);
}

bool goal_write_pattern(FILE *file, const struct goal_pattern_spec *spec)
{
    fprintf(file, "num_ranks %u\n", spec->ranks);
    for (uint32_t rank = 0; rank < spec->ranks && !ferror(file); rank++) {
        struct goal_schedule *one = goal_pattern_schedule(spec, rank);
        write_rank(file, one, rank);
        goal_schedule_free(one);
    }
    return written(file);
}
