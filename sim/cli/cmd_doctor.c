/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim doctor: whether what the program needs beside itself is there. */
#include <string.h>
#include <sys/statvfs.h>

#include "cli/command.h"
#include "core/home.h"
#include "fabric/platform.h"
#include "study/run/workers.h"
#include "study/table/version.h"

#define LEAST_FREE_BYTES (UINT64_C(1) << 30)

static void add(struct table *table, const char *what, bool is_good, const char *found)
{
    const char *const texts[] = {what, is_good ? "good" : "missing", found};
    table_append(table, texts);
}

/* The first line of what a program says; NULL if it cannot be run. */
static char *first_words(const char *program, const char *argument, const char *other)
{
    char *arguments[] = {(char *)(gsize)program, (char *)(gsize)argument, (char *)(gsize)other,
                         NULL};
    char *words = NULL;
    int status;
    if (!g_spawn_sync(NULL, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                      NULL, &words, NULL, &status, NULL) ||
        !g_spawn_check_wait_status(status, NULL)) {
        g_free(words);
        return NULL;
    }
    words[strcspn(words, "\n")] = '\0';
    return words;
}

static bool check_program(struct table *table, const char *what, const char *program,
                          const char *argument, const char *package)
{
    g_autofree char *words = first_words(program, argument, NULL);
    g_autofree char *advice = g_strdup_printf("Debian package %s", package);
    add(table, what, words != NULL, words ? words : advice);
    return words != NULL;
}

static bool check_font(struct table *table)
{
    g_autofree char *font = first_words("fc-match", "DejaVu Sans", NULL);
    bool is_there = font && strstr(font, "DejaVu Sans");
    add(table, "font of figures", is_there, is_there ? font : "Debian package fonts-dejavu-core");
    return is_there;
}

static bool check_disk(struct table *table)
{
    struct statvfs disk;
    bool is_known = statvfs(".", &disk) == 0;
    uint64_t bytes = is_known ? (uint64_t)disk.f_bavail * disk.f_frsize : 0;
    g_autofree char *text =
        g_strdup_printf("%.1f GiB free here", (double)bytes / (double)LEAST_FREE_BYTES);
    add(table, "disk", bytes >= LEAST_FREE_BYTES, text);
    return bytes >= LEAST_FREE_BYTES;
}

static bool check_project(struct table *table)
{
    g_autofree char *path = home_path("configs/designs.lua", NULL);
    add(table, "machines, designs, scenarios", path != NULL,
        path ? path : "set GPUNETSIM_ROOT to the project's folder");
    return path != NULL;
}

static bool check_simgrid(struct table *table)
{
    g_autoptr(GError) error = NULL;
    const char *version = platform_simgrid_version(&error);
    add(table, "SimGrid at work", version != NULL, version ? version : error->message);
    return version != NULL;
}

static struct table *examine(bool *is_well)
{
    static const char *const names[] = {"what", "state", "found"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names)), *versions = version_table();
    *is_well = true;
    for (size_t i = 0; i < versions->row_count; i++)
        if (strcmp(table_cell(versions, i, 0), "gnuplot") != 0)
            add(table, table_cell(versions, i, 0), true, table_cell(versions, i, 1));
    table_free(versions);
    *is_well &= check_simgrid(table);
    g_autofree char *cores = g_strdup_printf("%u points at a time", workers_default());
    add(table, "cores", true, cores);
    *is_well &= check_project(table);
    *is_well &= check_program(table, "gnuplot, for figures", "gnuplot", "--version", "gnuplot-nox");
    *is_well &= check_font(table);
    *is_well &= check_disk(table);
    check_program(table, "MPI, for gpunetsim-mpi alone", "mpirun", "--version", "openmpi-bin");
    return table;
}

int cmd_doctor(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE, is_parsed;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    bool is_well = true;
    is_parsed = command_parse(command, &argc, &argv, entries, 0, 0, &error);
    if (!is_parsed)
        return command_fail(error);
    struct table *table = examine(&is_well);
    command_print_table(table, as_json);
    table_free(table);
    return is_well ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}
