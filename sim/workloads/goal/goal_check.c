/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts the ends of all messages by receiver, source and tag, and counts in each group. */
#include "workloads/goal/goal_check.h"

#include "core/error.h"

#define SHOWN 3 /* faults that are told one by one */

/* One end of a message: by which ends are sorted, the first three of which both ends of one share. */
enum { RECEIVER, SOURCE, TAG, RANK, OP, NUMBERS };
#define KEY_NUMBERS RANK

struct end {
    uint32_t numbers[NUMBERS]; /* the last two say where it stands */
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

static int compare(const struct end *a, const struct end *b, int numbers)
{
    for (int i = 0; i < numbers; i++)
        if (a->numbers[i] != b->numbers[i])
            return a->numbers[i] < b->numbers[i] ? -1 : 1;
    return 0;
}

static int compare_ends(const void *left, const void *right)
{
    return compare(left, right, NUMBERS);
}

/* Sends, or receives, sorted: those of one key stand in the order of their text. */
static GArray *collect(const struct goal_schedule *schedule, uint8_t kind)
{
    GArray *ends = g_array_sized_new(FALSE, FALSE, sizeof(struct end), 1024);
    for (uint32_t rank = 0; rank < goal_schedule_ranks(schedule); rank++) {
        for (uint32_t i = 0; i < goal_schedule_count(schedule, rank); i++) {
            const struct goal_op *op = goal_schedule_op(schedule, rank, i);
            bool is_send = kind == LOGGP_SEND;
            const struct end end = {
                {is_send ? op->peer : rank, is_send ? rank : op->peer, op->tag, rank, i}};
            if (op->kind == kind)
                g_array_append_val(ends, end);
        }
    }
    g_array_sort(ends, compare_ends);
    return ends;
}

/* The ends of one receiver. */
struct ends {
    const struct end *first;
    size_t count;
    bool takes_any; /* one of them takes any source or tag */
};

/* Of the ends from `at` on. */
static struct ends ends_at(const GArray *ends, size_t at, uint32_t receiver)
{
    struct ends group = {.first = &g_array_index(ends, struct end, at)};
    for (; at + group.count < ends->len; group.count++) {
        const uint32_t *numbers = group.first[group.count].numbers;
        if (numbers[RECEIVER] != receiver)
            break;
        group.takes_any |= numbers[SOURCE] == LOGGP_ANY || numbers[TAG] == LOGGP_ANY;
    }
    return group;
}

static void add_fault_of(struct faults *faults, const struct end *end)
{
    add_fault(faults, end->numbers[RANK], end->numbers[OP]);
}

/* Pairs one receiver's ends; where it takes any, only as many. */
static void pair(struct faults *faults, const struct ends *sends, const struct ends *receives)
{
    size_t s = 0, r = 0;
    int numbers = sends->takes_any || receives->takes_any ? 0 : KEY_NUMBERS;
    while (s < sends->count && r < receives->count) {
        int order = compare(&sends->first[s], &receives->first[r], numbers);
        if (order != 0)
            add_fault_of(faults, order < 0 ? &sends->first[s] : &receives->first[r]);
        s += order <= 0;
        r += order >= 0;
    }
    for (; s < sends->count; s++)
        add_fault_of(faults, &sends->first[s]);
    for (; r < receives->count; r++)
        add_fault_of(faults, &receives->first[r]);
}

static bool check_pairs(const struct goal_schedule *schedule, const char *name, GError **error)
{
    struct faults faults = {.schedule = schedule, .shown = g_string_new(NULL)};
    g_autoptr(GArray) sends = collect(schedule, LOGGP_SEND);
    g_autoptr(GArray) receives = collect(schedule, LOGGP_RECEIVE);
    size_t s = 0, r = 0;
    for (uint32_t rank = 0; rank < goal_schedule_ranks(schedule); rank++) {
        struct ends sent = ends_at(sends, s, rank), received = ends_at(receives, r, rank);
        pair(&faults, &sent, &received);
        s += sent.count;
        r += received.count;
    }
    return conclude(&faults, name, "have no partner", error);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* A machine keeps numbers for every stream of every rank. */
static bool check_streams(const struct goal_schedule *schedule, const char *name, GError **error)
{
    uint32_t cpus, nics, streams = goal_schedule_streams(schedule, &cpus, &nics);
    uint32_t ranks = goal_schedule_ranks(schedule);
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
