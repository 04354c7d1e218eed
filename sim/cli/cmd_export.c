/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim export goal PATTERN|TRACE.goal [-o FILE] */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "study/table/output.h"
#include "workloads/goal/goal_reader.h"
#include "workloads/goal/goal_writer.h"

/* A file's text is read and written again; anything else is a pattern. */
static bool is_file(const char *source)
{
    return g_file_test(source, G_FILE_TEST_EXISTS) || g_str_has_suffix(source, ".goal");
}

/* An output_writer. */
static bool write_goal(void *context, FILE *file, GError **error)
{
    const char *source = context;
    struct goal_pattern_spec spec;
    if (!is_file(source))
        return goal_pattern_parse(source, &spec, error) && goal_write_pattern(file, &spec);
    struct goal_schedule *schedule = goal_read_file(source, error);
    if (!schedule)
        return false;
    bool written = goal_write(file, schedule);
    goal_schedule_free(schedule);
    return written;
}

static bool export(char *source, const char *path, bool force, GError **error)
{
    const char *const inputs[] = {is_file(source) ? source : NULL, NULL};
    const struct output_rules rules = {.force = force, .inputs = inputs};
    return output_write_stream(path ? path : "-", write_goal, source, &rules, error);
}

int cmd_export(const struct command *command, int argc, char **argv)
{
    char *path = NULL;
    gboolean force = FALSE;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &path, "Write to FILE (- is standard output)",
         "FILE"},
        {"force", 0, 0, G_OPTION_ARG_NONE, &force, "Replace a file that gpunetsim did not write",
         NULL},
        {0},
    };
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 2, 2, &error))
        return command_fail(error);
    if (strcmp(argv[1], "goal") != 0 &&
        !error_set(&error, "cannot export \"%s\": accepted is goal", argv[1]))
        return command_fail(error);
    if (export(argv[2], path, force, &error))
        return EXIT_CODE_OK;
    return command_fail(error);
}
