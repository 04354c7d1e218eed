/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts the ends of all messages by receiver, source and tag, and counts in each group. */
#include "workloads/goal/goal_check.h"

#include <stdlib.h>

#include "core/error.h"

#define SHOWN 3 /* faults that are told one by one */

/* One end of a message. */
struct end {
    uint32_t receiver, source, tag;
    uint32_t rank, op; /* where it stands */
};

/* Sends, or receives. */
struct ends {
    struct end *list;
    size_t count;
};

/* Faults of one kind, found so far. */
struct faults {
    const struct goal_schedule *schedule;
    uint32_t first_line;
    size_t sends, receives;
    GString *shown;
};

static void add_fault(struct faults *faults, uint32_t rank, uint32_t number)
{
    const struct goal_op *op = goal_schedule_op(faults->schedule, rank, number);
    bool is_send = op->kind == LOGGP_SEND;
    if (faults->sends + faults->receives == 0)
        faults->first_line = op->line;
    if (faults->sends + faults->receives < SHOWN) {
        g_string_append_printf(faults->shown, "%sline %u: rank %u %s ",
                               faults->shown->len ? ", " : "", op->line, rank,
                               is_send ? "sends to" : "receives from");
        g_string_append_printf(faults->shown, op->peer == LOGGP_ANY ? "any" : "%u", op->peer);
        g_string_append_printf(faults->shown, op->tag == LOGGP_ANY ? " any tag" : " tag %u",
                               op->tag);
    } else if (faults->sends + faults->receives == SHOWN) {
        g_string_append(faults->shown, ", ...");
    }
    *(is_send ? &faults->sends : &faults->receives) += 1;
}

/* Makes the error, if there are faults: "... 2 sends and 1 receive WHAT (line 3: ...)". */
static bool conclude(struct faults *faults, const char *name, const char *what, GError **error)
{
    bool clean = faults->sends + faults->receives == 0;
    if (!clean)
        error_set(error, "%s:%u: %zu send%s and %zu receive%s %s (%s)", name, faults->first_line,
                  faults->sends, faults->sends == 1 ? "" : "s", faults->receives,
                  faults->receives == 1 ? "" : "s", what, faults->shown->str);
    g_string_free(faults->shown, TRUE);
    return clean;
}

/* --- ranks that do not exist ------------------------------------------------------------------ */

static bool check_peers(const struct goal_schedule *schedule, const char *name, GError **error)
{
    struct faults faults = {.schedule = schedule, .shown = g_string_new(NULL)};
    uint32_t ranks = goal_schedule_ranks(schedule);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        for (uint32_t i = 0; i < goal_schedule_count(schedule, rank); i++) {
            const struct goal_op *op = goal_schedule_op(schedule, rank, i);
            bool any = op->kind == LOGGP_RECEIVE && op->peer == LOGGP_ANY;
            if (op->kind != LOGGP_CALCULATE && op->peer >= ranks && !any)
                add_fault(&faults, rank, i);
        }
    }
    g_autofree char *what = g_strdup_printf("name a rank beyond the last one, %u", ranks - 1);
    return conclude(&faults, name, what, error);
}

/* --- sends without receives and the reverse --------------------------------------------------- */

static void collect(const struct goal_schedule *schedule, uint8_t kind, struct ends *ends)
{
    size_t room = 0;
    for (uint32_t rank = 0; rank < goal_schedule_ranks(schedule); rank++) {
        for (uint32_t i = 0; i < goal_schedule_count(schedule, rank); i++) {
            const struct goal_op *op = goal_schedule_op(schedule, rank, i);
            if (op->kind != kind)
                continue;
            if (ends->count == room) {
                room += MAX((size_t)1024, room / 2);
                ends->list = g_renew(struct end, ends->list, room);
            }
            bool is_send = kind == LOGGP_SEND;
            ends->list[ends->count++] = (struct end){is_send ? op->peer : rank,
                                                     is_send ? rank : op->peer, op->tag, rank, i};
        }
    }
}

static int compare_keys(const struct end *a, const struct end *b)
{
    if (a->receiver != b->receiver)
        return a->receiver < b->receiver ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->tag == b->tag ? 0 : a->tag < b->tag ? -1 : 1;
}

/* Ends of one key stand in the order of their text. */
static int compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    int keys = compare_keys(a, b);
    if (keys != 0)
        return keys;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->op == b->op ? 0 : a->op < b->op ? -1 : 1;
}

/* How many of the ends from `at` on are the same receiver's, and whether one of them takes any. */
static size_t receiver_group(const struct ends *ends, size_t at, uint32_t receiver, bool *any)
{
    size_t end = at;
    for (; end < ends->count && ends->list[end].receiver == receiver; end++)
        *any |= ends->list[end].source == LOGGP_ANY || ends->list[end].tag == LOGGP_ANY;
    return end - at;
}

static void all_faults(struct faults *faults, const struct end *ends, size_t from, size_t count)
{
    for (size_t i = from; i < count; i++)
        add_fault(faults, ends[i].rank, ends[i].op);
}

/* Pairs one receiver's ends, both sorted. */
static void pair(struct faults *faults, const struct end *sends, size_t send_count,
                 const struct end *receives, size_t receive_count)
{
    size_t s = 0, r = 0;
    while (s < send_count && r < receive_count) {
        int order = compare_keys(&sends[s], &receives[r]);
        if (order < 0)
            add_fault(faults, sends[s].rank, sends[s].op);
        else if (order > 0)
            add_fault(faults, receives[r].rank, receives[r].op);
        s += order <= 0;
        r += order >= 0;
    }
    all_faults(faults, sends, s, send_count);
    all_faults(faults, receives, r, receive_count);
}

static void check_receiver(struct faults *faults, const struct end *sends, size_t send_count,
                           const struct end *receives, size_t receive_count, bool any)
{
    if (!any) {
        pair(faults, sends, send_count, receives, receive_count);
        return;
    }
    size_t pairs = MIN(send_count, receive_count);
    all_faults(faults, sends, pairs, send_count);
    all_faults(faults, receives, pairs, receive_count);
}

static bool check_pairs(const struct goal_schedule *schedule, const char *name, GError **error)
{
    struct faults faults = {.schedule = schedule, .shown = g_string_new(NULL)};
    struct ends sends = {0}, receives = {0};
    collect(schedule, LOGGP_SEND, &sends);
    collect(schedule, LOGGP_RECEIVE, &receives);
    if (sends.count > 0)
        qsort(sends.list, sends.count, sizeof *sends.list, compare_ends);
    if (receives.count > 0)
        qsort(receives.list, receives.count, sizeof *receives.list, compare_ends);
    size_t s = 0, r = 0;
    for (uint32_t rank = 0; rank < goal_schedule_ranks(schedule); rank++) {
        bool any = false;
        size_t s_count = receiver_group(&sends, s, rank, &any);
        size_t r_count = receiver_group(&receives, r, rank, &any);
        check_receiver(&faults, sends.list + s, s_count, receives.list + r, r_count, any);
        s += s_count;
        r += r_count;
    }
    g_free(sends.list);
    g_free(receives.list);
    return conclude(&faults, name, "have no partner", error);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* A machine keeps numbers for every stream of every rank. */
static bool check_streams(const struct goal_schedule *schedule, const char *name, GError **error)
{
    uint32_t streams = goal_schedule_streams(schedule), ranks = goal_schedule_ranks(schedule);
    if ((uint64_t)streams * ranks <= UINT64_C(1) << 28)
        return true;
    return error_set(error, "%s: %u ranks with %u streams each are more than 2^28 streams", name,
                     ranks, streams);
}

bool goal_check(const struct goal_schedule *schedule, const char *name, GError **error)
{
    return check_streams(schedule, name, error) && check_peers(schedule, name, error) &&
           check_pairs(schedule, name, error);
}
