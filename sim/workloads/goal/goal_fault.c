/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/goal/goal_fault.h"

#include <inttypes.h>

#include "core/error.h"

static const struct goal_op *op_of(const struct goal_source *source, uint32_t rank, uint32_t id)
{
    return source->schedule ? goal_schedule_op(source->schedule, rank, id) : NULL;
}

/* "FILE:LINE", or the pattern. */
static char *place_of(const struct goal_source *source, uint32_t rank, uint32_t id)
{
    const struct goal_op *op = op_of(source, rank, id);
    return op ? g_strdup_printf("%s:%u", source->name, op->line) : g_strdup(source->name);
}

static const char *kind_of(const struct goal_op *op)
{
    return op == NULL                    ? "operation"
           : op->kind == LOGGP_CALCULATE ? "calculation"
           : op->kind == LOGGP_SEND      ? "send"
                                         : "receive";
}

/* The text of a truncation. Patterns cannot truncate, since all their sizes are equal. */
static char *truncation(const struct loggp_fault *fault, const struct goal_source *source)
{
    const struct goal_op *receive = op_of(source, fault->rank, fault->id);
    const struct goal_op *send = op_of(source, fault->source, fault->source_id);
    return g_strdup_printf("rank %u receives %" PRIu64 " bytes here, and the message from rank %u "
                           "(line %u) has %" PRIu64 "; a receive may be as long or longer",
                           fault->rank, receive->size, fault->source, send->line, send->size);
}

static char *sentence(const struct loggp_fault *fault, const struct goal_source *source,
                      int64_t last, uint64_t ticks_per_ns)
{
    const char *kind = kind_of(op_of(source, fault->rank, fault->id));
    switch (fault->kind) {
    case LOGGP_TOO_EARLY:
        return g_strdup_printf(
            "the %s of 0 bytes of rank %u is charged s - 1 = -1 bytes, which "
            "takes it to before the time 0; o and g must not be less than O and G",
            kind, fault->rank);
    case LOGGP_TRUNCATES:
        return truncation(fault, source);
    case LOGGP_TOO_MANY_BYTES:
        return g_strdup_printf("with the %s of rank %u more than 2^63 - 1 bytes are sent", kind,
                               fault->rank);
    default:
        return g_strdup_printf("the %s of rank %u ends after %" PRId64
                               " ns, the latest time that can be simulated",
                               kind, fault->rank, last / (int64_t)ticks_per_ns);
    }
}

bool goal_fault_fail(const struct loggp_fault *fault, const struct goal_source *source,
                     int64_t last, uint64_t ticks_per_ns, GError **error)
{
    if (fault->kind == LOGGP_NO_FAULT)
        return true;
    g_autofree char *place = place_of(source, fault->rank, fault->id);
    g_autofree char *what = sentence(fault, source, last, ticks_per_ns);
    return error_set(error, "%s: %s", place, what);
}

/* "any", or the number. */
static char *number_or_any(uint32_t number)
{
    return number == LOGGP_ANY ? g_strdup("any") : g_strdup_printf("%u", number);
}

bool goal_leftover_fail(const struct goal_leftover *leftover, const struct goal_source *source,
                        GError **error)
{
    const struct loggp_entry *entry = &leftover->entry;
    if (leftover->count == 0)
        return true;
    g_autofree char *place =
        place_of(source, leftover->is_receive ? leftover->rank : entry->source, entry->id);
    g_autofree char *from = number_or_any(entry->source), *tag = number_or_any(entry->tag);
    error_set_code(error, ERROR_RUN,
                   "%s: the schedule does not end: %zu %s wait for ever, the first %s at rank %u, "
                   "from %s with tag %s",
                   place, leftover->count, leftover->what,
                   leftover->is_receive ? "a receive" : "a message", leftover->rank, from, tag);
    return false;
}

/* Counts what was left over and keeps the first entry. */
static void see_leftover(void *argument, uint32_t rank, bool is_receive,
                         const struct loggp_entry *entry)
{
    struct goal_leftover *leftover = argument;
    if (leftover->count++ > 0)
        return;
    leftover->rank = rank;
    leftover->is_receive = is_receive;
    leftover->entry = *entry;
}

bool goal_check_end(const struct loggp *machine, const struct goal_source *source, GError **error)
{
    struct goal_leftover leftover = {.what = "messages and receives"};
    loggp_unmatched(machine, see_leftover, &leftover);
    return goal_leftover_fail(&leftover, source, error);
}
