/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim export goal|goal-binary|program PATTERN|TRACE [-o FILE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chakra.h"
#include "cli/command.h"
#include "core/error.h"
#include "script/views/views.h"
#include "study/table/output.h"
#include "workloads/goal/goal_binary.h"
#include "workloads/goal/goal_reader.h"
#include "workloads/goal/goal_writer.h"

struct export_request {
    char *source, *trace, *path; /* the latter NULL: as they are; standard output */
    gboolean force;
    const struct form *form;
};

static bool write_text(FILE *file, const struct export_request *request,
                       const struct goal_schedule *schedule, GError **error)
{
    (void)request, (void)error;
    return goal_write(file, schedule);
}

static bool write_binary(FILE *file, const struct export_request *request,
                         const struct goal_schedule *schedule, GError **error)
{
    (void)request;
    return goal_binary_write(file, schedule, error);
}

/* A study, which views/schedule.lua makes of the text. */
static bool write_program(FILE *file, const struct export_request *request,
                          const struct goal_schedule *schedule, GError **error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    bool good = memory != NULL && goal_write(memory, schedule);
    if (memory != NULL)
        fclose(memory);
    g_auto(GStrv) made = good ? views_texts("schedule", "program",
                                            g_variant_new("(^ay^ay)", text, request->source), error)
                              : NULL;
    free(text);
    return made != NULL && fputs(*made, file) >= 0;
}

static const struct form {
    const char *name;
    bool (*write)(FILE *file, const struct export_request *request,
                  const struct goal_schedule *schedule, GError **error);
} forms[] = {{"goal", write_text}, {"goal-binary", write_binary}, {"program", write_program}};

static const struct form *form_of(const char *name, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    error_set(error, "cannot export \"%s\": accepted are goal, goal-binary and program", name);
    return NULL;
}

/* A file's text is read and written again; anything else is a pattern. */
static bool is_file(const char *source)
{
    return g_file_test(source, G_FILE_TEST_EXISTS) || g_str_has_suffix(source, ".goal");
}

/* NULL and an error if there is no such source. */
static struct goal_schedule *read_source(const struct export_request *request, GError **error)
{
    struct goal_pattern_spec spec;
    if (chakra_is(request->source))
        return chakra_schedule(request->source, request->trace, NULL, error);
    if (request->trace)
        return error_set(error, "--trace belongs to Chakra traces"), NULL;
    if (is_file(request->source))
        return goal_read_file(request->source, error);
    return goal_pattern_parse(request->source, &spec, error)
               ? goal_pattern_schedule(&spec, spec.ranks)
               : NULL;
}

/* An output_writer. A pattern's text is written rank by rank, as all of it may be too much for the memory. */
static bool write_goal(void *context, FILE *file, GError **error)
{
    const struct export_request *request = context;
    struct goal_pattern_spec spec;
    if (request->form == &forms[0] && !request->trace && !chakra_is(request->source) &&
        !is_file(request->source))
        return goal_pattern_parse(request->source, &spec, error) && goal_write_pattern(file, &spec);
    struct goal_schedule *schedule = read_source(request, error);
    if (!schedule)
        return false;
    bool written = request->form->write(file, request, schedule, error);
    goal_schedule_free(schedule);
    return written;
}

static bool export(struct export_request *request, GError **error)
{
    const char *const inputs[] = {is_file(request->source) ? request->source : NULL, NULL};
    const struct output_rules rules = {.force = request->force, .inputs = inputs};
    return output_write_stream(request->path ? request->path : "-", write_goal, request, &rules,
                               error);
}

int cmd_export(const struct command *command, int argc, char **argv)
{
    struct export_request request = {0};
    const GOptionEntry entries[] = {
        COMMAND_OUTPUT(&request.path, &request.force),
        COMMAND_TRACE(&request.trace),
        {0},
    };
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 2, 2, &error))
        return command_fail(error);
    request.form = form_of(argv[1], &error);
    if (!request.form)
        return command_fail(error);
    request.source = argv[2];
    if (export(&request, &error))
        return EXIT_CODE_OK;
    return command_fail(error);
}
