/* SPDX-License-Identifier: BSD-3-Clause */
/* The tags of Open MPI: each field in bits of its own, and nothing that does not fit them. */
#include <glib.h>

#include "protocols/runtimes/mpi_tag.h"

static void test_fields(void)
{
    g_assert_cmphex(mpi_tag(0, 0, 0), ==, 0);
    g_assert_cmphex(mpi_tag(0, 0, 1), ==, UINT64_C(0x0000010000000000));
    g_assert_cmphex(mpi_tag(0, 1, 0), ==, UINT64_C(0x0000000000100000));
    g_assert_cmphex(mpi_tag(1, 0, 0), ==, UINT64_C(1));
    g_assert_cmphex(mpi_tag((1 << 20) - 1, 0, 0), ==, UINT64_C(0x00000000000fffff));
    g_assert_cmphex(mpi_tag(0, (1 << 20) - 1, 0), ==, UINT64_C(0x000000fffff00000));
    g_assert_cmphex(mpi_tag(0, 0, MPI_TAG_MOST), ==, UINT64_C(0x7fffff0000000000));
}

static const int32_t too_much[][3] = {
    {1 << 20, 0, 0}, {0, 1 << 20, 0}, {0, 0, MPI_TAG_MOST + 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1},
};

static void test_overflow(void)
{
    if (g_test_subprocess()) {
        gint64 i = g_ascii_strtoll(g_getenv("FIELD"), NULL, 10);
        mpi_tag(too_much[i][0], too_much[i][1], too_much[i][2]);
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(too_much); i++) {
        g_autofree char *field = g_strdup_printf("%zu", i);
        g_setenv("FIELD", field, TRUE);
        g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
        g_test_trap_assert_failed();
        g_test_trap_assert_stderr("*check failed*not*");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mpi_tag/fields", test_fields);
    g_test_add_func("/mpi_tag/overflow", test_overflow);
    return g_test_run();
}
