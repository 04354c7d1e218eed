/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/goal/goal_binary.h"

#include <inttypes.h>

#include "core/error.h"

#define COOKIE 4223
#define SPENT 2342 /* LogGOPSim's, of a file that a run has changed */
#define HEAD 14    /* bytes before the ranks' table, and of one of its rows */
#define ROW 16
#define COOKIE_BYTES 8
#define OPERATION 39
#define MOST_STREAM 255
#define CHUNK (1 << 20)

static uint64_t number_at(const uint8_t *at, int bytes)
{
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | at[i];
    return number;
}

static uint32_t u32_at(const uint8_t *at)
{
    return (uint32_t)number_at(at, 4);
}

/* --- reading ------------------------------------------------------------------------------------ */

/* A rank's part. */
struct goal_part {
    uint32_t rank, count;
    const uint8_t *operations, *waiters;
    uint64_t waiter_count, waiters_read;
    uint32_t *missing; /* by operation: what it waits for and has not been seen as a waiter */
};

struct goal_binary {
    const char *name;
    GByteArray *bytes;
    uint32_t ranks;
    uint64_t
        part_bytes; /* of the ranks' parts so far: parts that share bytes would be endless work */
    struct goal_schedule *schedule;
    GError **error;
};

static bool fail_in(const struct goal_binary *binary, const struct goal_part *part,
                    uint64_t operation, const char *what)
{
    return error_set(binary->error, "%s: rank %u, operation %" PRIu64 ": %s", binary->name,
                     part->rank, operation, what);
}

static bool read_bytes(FILE *file, struct goal_binary *binary)
{
    size_t got;
    do {
        guint at = binary->bytes->len;
        if (at > G_MAXUINT - CHUNK)
            return error_set(binary->error, "%s: a binary schedule has 4 GiB at most",
                             binary->name);
        g_byte_array_set_size(binary->bytes, at + CHUNK);
        got = fread(binary->bytes->data + at, 1, CHUNK, file);
        g_byte_array_set_size(binary->bytes, at + (guint)got);
    } while (got == CHUNK);
    return !ferror(file) || error_set(binary->error, "%s: cannot be read", binary->name);
}

static bool read_head(struct goal_binary *binary)
{
    const uint8_t *data = binary->bytes->data;
    size_t length = binary->bytes->len;
    uint64_t cookie = length >= HEAD ? number_at(data, COOKIE_BYTES) : 0;
    if (cookie == SPENT)
        return error_set(binary->error, "%s: a run of LogGOPSim has used this schedule up",
                         binary->name);
    if (cookie != COOKIE)
        return error_set(binary->error, "%s: it is neither GOAL's text nor its binary",
                         binary->name);
    binary->ranks = u32_at(data + COOKIE_BYTES);
    if (binary->ranks == 0 || binary->ranks > GOAL_MAX_RANKS ||
        length < HEAD + (size_t)ROW * binary->ranks)
        return error_set(binary->error, "%s: the file is too short for its %u ranks", binary->name,
                         binary->ranks);
    return true;
}

static bool find_part(struct goal_binary *binary, uint32_t rank, struct goal_part *part)
{
    const uint8_t *data = binary->bytes->data + COOKIE_BYTES;
    uint64_t length = binary->bytes->len - COOKIE_BYTES;
    const uint8_t *row = binary->bytes->data + HEAD + (size_t)ROW * rank;
    uint64_t first = number_at(row, 8), end = number_at(row + 8, 8);
    *part = (struct goal_part){.rank = rank};
    if (first > end || end > length || end - first < 8)
        return fail_in(binary, part, 0, "the rank's part lies outside the file");
    binary->part_bytes += end - first;
    if (binary->part_bytes > length)
        return fail_in(binary, part, 0, "the rank's part is in that of another one");
    part->count = u32_at(data + first);
    uint64_t before = 8 + UINT64_C(4) * u32_at(data + first + 4);
    uint64_t size = before + (uint64_t)OPERATION * part->count;
    if (size > end - first)
        return fail_in(binary, part, part->count, "the rank's part is too short");
    part->operations = data + first + before;
    part->waiters = data + first + size;
    part->waiter_count = (end - first - size) / 4;
    return true;
}

static bool read_operation(const struct goal_binary *binary, struct goal_part *part, uint32_t i)
{
    const uint8_t *at = part->operations + (size_t)OPERATION * i;
    struct goal_op op = {.kind = at[4],
                         .peer = u32_at(at + 5),
                         .size = number_at(at + 9, 8),
                         .tag = u32_at(at + 17),
                         .cpu = at[21],
                         .nic = at[22],
                         .line = i + 1};
    if (op.kind < LOGGP_SEND || op.kind > LOGGP_CALCULATE)
        return fail_in(binary, part, i, "it is of no kind; kinds are 1, 2 and 3");
    if (op.size > INT64_MAX)
        return fail_in(binary, part, i, "its size is above 2^63 - 1");
    if (op.kind == LOGGP_SEND && op.peer == LOGGP_ANY)
        return fail_in(binary, part, i, "a send needs a receiver");
    if (op.kind == LOGGP_CALCULATE)
        op.peer = op.tag = op.nic = 0;
    part->missing[i] = u32_at(at);
    goal_schedule_add(binary->schedule, &op);
    return true;
}

/* Those that wait for its end (at byte 23 of it), or for its start (at byte 31). */
static bool read_waiters(const struct goal_binary *binary, struct goal_part *part, uint32_t i,
                         bool start)
{
    const uint8_t *at = part->operations + (size_t)OPERATION * i + (start ? 31 : 23);
    uint64_t count = u32_at(at), first = u32_at(at + 4);
    if (count > 0 && first + count > part->waiter_count)
        return fail_in(binary, part, i, "its waiters lie outside the rank's part");
    part->waiters_read += count;
    if (part->waiters_read > part->waiter_count)
        return fail_in(binary, part, i, "its waiters are in those of another one");
    for (uint64_t k = 0; k < count; k++) {
        uint32_t waiter = u32_at(part->waiters + 4 * (first + k));
        if (waiter >= part->count || part->missing[waiter] == 0)
            return fail_in(binary, part, i, "one waits for it that does not know of it");
        part->missing[waiter]--;
        goal_schedule_require(binary->schedule, waiter, i, start);
    }
    return true;
}

static bool read_operations(const struct goal_binary *binary, struct goal_part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (!read_operation(binary, part, i))
            return false;
    for (uint32_t i = 0; i < part->count; i++)
        if (!read_waiters(binary, part, i, true) || !read_waiters(binary, part, i, false))
            return false;
    for (uint32_t i = 0; i < part->count; i++)
        if (part->missing[i] > 0)
            return fail_in(binary, part, i, "it waits for one that the file does not name");
    uint32_t stuck, count;
    return goal_schedule_end(binary->schedule, &stuck, &count) ||
           fail_in(binary, part, stuck, "it waits for itself, through others");
}

static bool read_ranks(struct goal_binary *binary)
{
    struct goal_part part;
    bool good = true;
    binary->schedule = goal_schedule_new(binary->ranks);
    for (uint32_t rank = 0; good && rank < binary->ranks; rank++) {
        if (!find_part(binary, rank, &part))
            return false;
        goal_schedule_begin(binary->schedule, rank);
        part.missing = g_new0(uint32_t, part.count);
        good = read_operations(binary, &part);
        g_free(part.missing);
    }
    return good;
}

struct goal_schedule *goal_binary_read(FILE *file, const char *name, GError **error)
{
    struct goal_binary binary = {.name = name, .bytes = g_byte_array_new(), .error = error};
    bool good = read_bytes(file, &binary) && read_head(&binary) && read_ranks(&binary);
    g_byte_array_unref(binary.bytes);
    if (good)
        return binary.schedule;
    if (binary.schedule)
        goal_schedule_free(binary.schedule);
    return NULL;
}

/* --- writing ------------------------------------------------------------------------------------ */

/* How many each operation of a rank waits for; the caller frees it. And how many wait for none, and waiters in all. */
static uint32_t *count_required(const struct goal_schedule *schedule, uint32_t rank,
                                uint32_t *roots, uint64_t *waiters)
{
    uint32_t count = goal_schedule_count(schedule, rank), number;
    uint32_t *required = g_new0(uint32_t, count);
    *waiters = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        const uint32_t *list = goal_schedule_waiters(schedule, rank, i / 2, i % 2, &number);
        for (uint32_t k = 0; k < number; k++)
            required[list[k]]++;
        *waiters += number;
    }
    *roots = 0;
    for (uint32_t i = 0; i < count; i++)
        *roots += required[i] == 0;
    return required;
}

static void put(FILE *file, uint64_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        fputc((int)(number & 0xff), file);
}

static void put_operation(FILE *file, const struct goal_op *op, uint32_t required,
                          const uint32_t waiters[2], uint32_t *next)
{
    put(file, required, 4);
    put(file, op->kind, 1);
    put(file, op->peer, 4);
    put(file, op->size, 8);
    put(file, op->tag, 4);
    put(file, op->cpu, 1);
    put(file, op->nic, 1);
    for (int start = 0; start < 2; start++) {
        put(file, waiters[start], 4);
        put(file, *next, 4);
        *next += waiters[start];
    }
}

static void put_rank(FILE *file, const struct goal_schedule *schedule, uint32_t rank)
{
    uint32_t count = goal_schedule_count(schedule, rank), roots, next = 0, waiters[2], number;
    uint64_t all;
    g_autofree uint32_t *required = count_required(schedule, rank, &roots, &all);
    put(file, count, 4);
    put(file, roots, 4);
    for (uint32_t i = 0; i < count; i++)
        if (required[i] == 0)
            put(file, i, 4);
    for (uint32_t i = 0; i < count; i++) {
        goal_schedule_waiters(schedule, rank, i, false, &waiters[0]);
        goal_schedule_waiters(schedule, rank, i, true, &waiters[1]);
        put_operation(file, goal_schedule_op(schedule, rank, i), required[i], waiters, &next);
    }
    for (uint32_t i = 0; i < 2 * count; i++) {
        const uint32_t *list = goal_schedule_waiters(schedule, rank, i / 2, i % 2, &number);
        for (uint32_t k = 0; k < number; k++)
            put(file, list[k], 4);
    }
}

static void put_table(FILE *file, const struct goal_schedule *schedule)
{
    uint32_t ranks = goal_schedule_ranks(schedule), roots;
    uint64_t at = HEAD - COOKIE_BYTES + (uint64_t)ROW * ranks, waiters;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        g_free(count_required(schedule, rank, &roots, &waiters));
        put(file, at, 8);
        at += 8 + UINT64_C(4) * roots + 4 * waiters +
              (uint64_t)OPERATION * goal_schedule_count(schedule, rank);
        put(file, at, 8);
    }
}

bool goal_binary_write(FILE *file, const struct goal_schedule *schedule, GError **error)
{
    uint32_t cpus, nics, streams = goal_schedule_streams(schedule, &cpus, &nics);
    if (streams > MOST_STREAM + 1)
        return error_set(error, "GOAL's binary has streams 0 to %d, and the schedule one of %u",
                         MOST_STREAM, streams - 1);
    put(file, COOKIE, COOKIE_BYTES);
    put(file, goal_schedule_ranks(schedule), 4);
    put(file, cpus - 1, 1);
    put(file, nics - 1, 1);
    put_table(file, schedule);
    for (uint32_t rank = 0; rank < goal_schedule_ranks(schedule) && !ferror(file); rank++)
        put_rank(file, schedule, rank);
    return fflush(file) == 0 && !ferror(file);
}
