/* gpunetsim export goal PATTERN|TRACE.goal [-o FILE] */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "study/ending.h"
#include "study/error.h"
#include "workloads/goal_reader.h"
#include "workloads/goal_writer.h"

/* A file's text is read and written again; anything else is a pattern. False, with `error` set or
 * with errno. */
static bool write_goal(const char *source, FILE *file, GError **error)
{
    struct goal_pattern_spec spec;
    if (g_file_test(source, G_FILE_TEST_EXISTS) || g_str_has_suffix(source, ".goal")) {
        struct goal_schedule *schedule = goal_read_file(source, error);
        if (!schedule)
            return false;
        bool written = goal_write(file, schedule);
        goal_schedule_free(schedule);
        return written;
    }
    return goal_pattern_parse(source, &spec, error) && goal_write_pattern(file, &spec);
}

/* Beside its final name first: what stands there is whole or as it was. */
static bool write_file(const char *source, const char *path, GError **error)
{
    g_autofree char *partial = g_strconcat(path, ".partial", NULL);
    FILE *file = fopen(partial, "wx");
    ending_partial(file ? partial : NULL);
    bool written = file && write_goal(source, file, error);
    int cause = errno;
    if (file && fclose(file) != 0 && written) {
        written = false;
        cause = errno;
    }
    if (written && rename(partial, path) != 0) {
        written = false;
        cause = errno;
    }
    if (!written && file)
        unlink(partial);
    ending_partial(NULL);
    if (!written && !*error)
        g_set_error(error, STUDY_ERROR, STUDY_ERROR_RUN, "cannot write %s: %s", path,
                    g_strerror(cause));
    return written;
}

static bool export(const char *source, const char *path, GError **error)
{
    if (path && strcmp(path, "-") != 0)
        return write_file(source, path, error);
    if (write_goal(source, stdout, error))
        return true;
    if (!*error)
        g_set_error(error, STUDY_ERROR, STUDY_ERROR_RUN, "cannot write standard output: %s",
                    g_strerror(errno));
    return false;
}

int cmd_export(const struct command *command, int argc, char **argv)
{
    g_autofree char *path = NULL;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &path, "Write to FILE (- is standard output)",
         "FILE"},
        {0},
    };
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 2, 2, &error))
        return command_fail(error);
    if (strcmp(argv[1], "goal") != 0 &&
        !command_misuse(&error, "cannot export \"%s\": accepted is goal", argv[1]))
        return command_fail(error);
    if (export(argv[2], path, &error))
        return EXIT_CODE_OK;
    if (g_error_matches(error, GOAL_ERROR, GOAL_ERROR_INPUT)) {
        g_autoptr(GError) cause = g_steal_pointer(&error);
        command_misuse(&error, "%s", cause->message);
    }
    return command_fail(error);
}
