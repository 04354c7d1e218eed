/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/chakra.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "script/views/views.h"
#include "workloads/goal/goal_reader.h"

#define ENDING ".et"
#define MOST_RANKS 65536
#define MOST_BYTES (INT64_C(4) << 30) /* of a file, all of which is read at once */

static char *file_of(const char *prefix, size_t rank)
{
    return g_strdup_printf("%s.%zu" ENDING, prefix, rank);
}

bool chakra_is(const char *path)
{
    g_autofree char *first = file_of(path, 0);
    return g_str_has_suffix(path, ENDING) || g_file_test(first, G_FILE_TEST_EXISTS);
}

/* PREFIX of PREFIX.0.et; PREFIX itself; NULL of a file whose name has no rank. */
static char *prefix_of(const char *path)
{
    if (!g_str_has_suffix(path, ENDING))
        return g_strdup(path);
    size_t end = strlen(path) - strlen(ENDING), at = end;
    while (at > 0 && g_ascii_isdigit(path[at - 1]))
        at--;
    return at == end || at == 0 || path[at - 1] != '.' ? NULL : g_strndup(path, at - 1);
}

/* A FIFO or a device may never end. */
static bool check_file(const char *path, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return error_set(error, "%s: there is no such file", path);
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return error_set(error, "%s is no regular file", path);
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
    if (file && (int64_t)g_mapped_file_get_length(file) > MOST_BYTES)
        return error_set(error, "%s: a Chakra trace has 4 GiB at most", path);
    return true;
}

/* The files of all ranks. NULL and an error if one cannot be read. */
static GPtrArray *files_of(const char *path, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *prefix = prefix_of(path), *one = prefix ? NULL : g_strdup(path);
    for (size_t rank = 0; prefix && rank < MOST_RANKS; rank++) {
        char *file = file_of(prefix, rank);
        g_ptr_array_add(files, file);
        if (rank > 0 && !g_file_test(file, G_FILE_TEST_EXISTS)) {
            g_ptr_array_set_size(files, (int)files->len - 1);
            break;
        }
    }
    if (one)
        g_ptr_array_add(files, g_steal_pointer(&one));
    bool has_path = prefix == NULL || !g_str_has_suffix(path, ENDING);
    for (guint i = 0; i < files->len; i++) {
        has_path = has_path || strcmp(files->pdata[i], path) == 0;
        if (!check_file(files->pdata[i], error))
            return NULL;
    }
    if (!has_path)
        return error_set(error, "%s: the trace of a rank before it, %s.%u" ENDING ", is missing",
                         path, prefix, files->len),
               NULL;
    return g_steal_pointer(&files);
}

/* What the machine's GPU does in a second. */
static GVariant *rates(const struct machine_spec *machine)
{
    GVariantBuilder of;
    g_variant_builder_init(&of, G_VARIANT_TYPE_VARDICT);
    if (machine) {
        const struct gpu_spec *gpu = &machine->gpu;
        double lanes = (double)(gpu->compute_units * gpu->simds_per_cu * gpu->lanes);
        double flops = lanes * GPU_FLOPS_PER_INSTRUCTION * (double)gpu->clock_Hz /
                       (double)gpu->instruction_cycles;
        g_variant_builder_add(&of, "{sv}", "flops", g_variant_new_double(flops));
        g_variant_builder_add(&of, "{sv}", "memory",
                              g_variant_new_double((double)gpu->memory_rate_Bps));
    }
    return g_variant_builder_end(&of);
}

static char **ask(const char *function, const char *path, const char *options,
                  const struct machine_spec *machine, GError **error)
{
    g_autoptr(GPtrArray) files = files_of(path, error);
    if (!files)
        return NULL;
    GVariant *names = g_variant_new_bytestring_array((void *)files->pdata, (gssize)files->len);
    return views_texts(
        "chakra", function,
        g_variant_new("(@aay^ay@a{sv})", names, options ? options : "", rates(machine)), error);
}

struct goal_schedule *chakra_schedule(const char *path, const char *options,
                                      const struct machine_spec *machine, GError **error)
{
    if (machine != NULL &&
        !machine_kinds_share(machine, &gpu_params, NULL, "a trace's calculation", error))
        return NULL;
    g_auto(GStrv) text = ask("goal", path, options, machine, error);
    if (!text)
        return NULL;
    FILE *file = fmemopen(*text, strlen(*text), "r");
    if (!file) {
        error_set_code(error, ERROR_RUN, "%s as GOAL: %s", path, g_strerror(errno));
        return NULL;
    }
    g_autofree char *name = g_strdup_printf("%s as GOAL", path);
    struct goal_schedule *schedule = goal_read(file, name, error);
    fclose(file);
    return schedule;
}

char **chakra_info(const char *path, const char *options, GError **error)
{
    if (!chakra_is(path))
        return error_set(error,
                         "%s: a Chakra trace is a file that ends in " ENDING
                         ", or PREFIX of PREFIX.0" ENDING,
                         path),
               NULL;
    return ask("info", path, options, NULL, error);
}
