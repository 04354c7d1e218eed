/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed rows, results, calls and points: what comes from other processes and out of stores. The first byte
 * says what the rest is. What is read is packed, and read again is packed as the same bytes. */
#include "fuzz.h"
#include "fuzz_table.h"
#include "study/model/study.h"
#include "study/store/pack.h"

enum kind { ROW, RESULT, CALL, POINT, KINDS };

static GBytes *repack_row(GBytes *bytes)
{
    struct row *row = g_new0(struct row, 1);
    row->axis_index = g_new0(size_t, 1);
    GBytes *packed = NULL;
    if (unpack_row(bytes, row)) {
        fuzz_table(NULL, 0, &row, 1);
        packed = pack_row(row);
    }
    row_free(row);
    return packed;
}

static GBytes *repack_result(GBytes *bytes)
{
    struct workload_result result;
    return unpack_result(bytes, &result) ? pack_result(&result) : NULL;
}

static GBytes *repack_call(GBytes *bytes)
{
    struct workload_call call;
    GBytes *result;
    GVariant *holder;
    if (!unpack_call(bytes, &call, &result, &holder))
        return NULL;
    GBytes *packed = pack_call(&call, result);
    g_bytes_unref(result);
    g_variant_unref(holder);
    return packed;
}

/* A point as it comes is not packed again: its row is, like any other. */
static GBytes *repack_point(GBytes *bytes)
{
    GBytes *packed_row;
    g_autofree char *name = NULL, *machine = NULL;
    struct row *row = g_new0(struct row, 1);
    GBytes *packed = NULL;
    if (unpack_point(bytes, &packed_row, &name, &machine, row)) {
        packed = repack_row(packed_row);
        g_bytes_unref(packed_row);
    }
    row_free(row);
    return packed;
}

static GBytes *repack(enum kind kind, GBytes *bytes)
{
    switch (kind) {
    case ROW:
        return repack_row(bytes);
    case RESULT:
        return repack_result(bytes);
    case CALL:
        return repack_call(bytes);
    default:
        return repack_point(bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes input = {data, size};
    enum kind kind = (enum kind)(fuzz_byte(&input) % KINDS);
    g_autoptr(GBytes) bytes = g_bytes_new(input.data, input.left);
    g_autoptr(GBytes) packed = repack(kind, bytes);
    if (packed) {
        g_autoptr(GBytes) again = repack(kind == POINT ? ROW : kind, packed);
        fuzz_expect(again && g_bytes_equal(packed, again), "what was packed is read otherwise");
    }
    return 0;
}
