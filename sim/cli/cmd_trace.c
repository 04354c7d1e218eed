/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim trace FILE.lua --point AXIS=VALUE,... -o trace.json: a timeline for Perfetto or Chrome. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "cli/apart.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "core/shown.h"
#include "core/units.h"
#include "script/script.h"
#include "study/explain/timeline.h"
#include "study/model/select.h"
#include "study/rehearsal.h"
#include "study/table/output.h"

#define MOST_POINTS 8

struct trace_request {
    struct run_options common;
    char **only;
    char *output, *from, *to, *limit;
    struct timeline_filter filter;
};

static bool read_quantity(const char *option, const char *text, enum unit_kind unit,
                          int64_t *quantity, GError **error)
{
    if (!text || unit_parse(text, unit, quantity, error))
        return true;
    g_prefix_error(error, "%s %s: ", option, text);
    return false;
}

#define LEAST_BYTES 4096

static bool check_filter(const struct timeline_filter *filter, GError **error)
{
    if (filter->from_ps < 0 || filter->to_ps < 0)
        return error_set(error, "--from and --to: times of a simulation are 0 or more");
    if (filter->from_ps > filter->to_ps)
        return error_set(error, "--from, --to: the window ends before it begins");
    return filter->most_bytes >= LEAST_BYTES ||
           error_set(error, "--limit: a file has %d bytes at least", LEAST_BYTES);
}

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct trace_request *request, GError **error)
{
    const GOptionEntry own[] = {
        {"point", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->common.points,
         "The points with these values of axes; if given several times, the timelines are overlaid",
         "AXIS=VALUE,..."},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &request->output, "Where to write", "FILE.json"},
        {"from", 0, 0, G_OPTION_ARG_STRING, &request->from, "Leave out what begins before", "TIME"},
        {"to", 0, 0, G_OPTION_ARG_STRING, &request->to, "Leave out what begins after", "TIME"},
        {"only", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->only,
         "Tracks whose path and name (node0.nic0/pipeline) contain TEXT; may be given again",
         "TEXT"},
        {"limit", 0, 0, G_OPTION_ARG_STRING, &request->limit,
         "Size of the file beyond which later events are left out (100MiB)", "BYTES"},
        {0},
    };
    g_autofree GOptionEntry *entries = run_options_entries(&request->common, "set seed force", own);
    request->filter =
        (struct timeline_filter){.to_ps = SIM_TIME_MAX, .most_bytes = INT64_C(100) << 20};
    if (!command_parse(command, argc, argv, entries, 1, 1, error) ||
        !run_options_check_seed(&request->common, error))
        return false;
    request->filter.only = request->only;
    if (!request->output)
        return error_set(error, "trace needs -o FILE.json");
    return read_quantity("--from", request->from, UNIT_TIME, &request->filter.from_ps, error) &&
           read_quantity("--to", request->to, UNIT_TIME, &request->filter.to_ps, error) &&
           read_quantity("--limit", request->limit, UNIT_BYTES, &request->filter.most_bytes,
                         error) &&
           check_filter(&request->filter, error);
}

static GVariant *pack_timeline(void *context, const struct row *row)
{
    (void)row;
    return timeline_pack(context);
}

static bool run_point(struct study *study, guint point, const struct trace_request *request,
                      bool is_named, struct timeline *timeline, GError **error)
{
    g_autofree char *name = is_named ? point_label(study, point) : NULL;
    const struct apart_point call = {.study = study,
                                     .point = point,
                                     .seed = run_options_seed(&request->common),
                                     .listener = timeline_listener(timeline, name),
                                     .pack = pack_timeline,
                                     .context = timeline,
                                     .type = TIMELINE_TYPE};
    g_autoptr(GVariant) packed = timeline_is_open(timeline, error) ? apart_run(&call, error) : NULL;
    if (packed)
        timeline_take(timeline, packed);
    return packed != NULL;
}

static bool run_points(struct study *study, const struct trace_request *request,
                       struct timeline *timeline, GError **error)
{
    g_autoptr(GArray) points =
        run_options_points(&request->common, study, MOST_POINTS, "drawn over each other", error);
    for (guint i = 0; points && i < points->len; i++)
        if (!run_point(study, g_array_index(points, guint, i), request, points->len > 1, timeline,
                       error))
            return false;
    return points && timeline_shows(timeline, error);
}

struct writing {
    struct timeline *timeline;
    char *said; /* of what was written */
};

static bool write_timeline(void *context, FILE *file, GError **error)
{
    struct writing *writing = context;
    writing->said = timeline_write(writing->timeline, file, error);
    return writing->said != NULL;
}

static bool trace(const char *path, struct trace_request *request, GError **error)
{
    struct study *study = study_load(path, (const char *const *)request->common.overrides, error);
    g_auto(GStrv) inputs = study ? outputs_inputs(study, path, NULL) : NULL;
    const struct output_rules rules = {.force = request->common.force,
                                       .inputs = (const char *const *)inputs};
    struct writing writing = {.timeline = timeline_new(&request->filter)};
    bool good = study && rehearse_apart(study, false, error) &&
                output_prepare_file(request->output, &rules, error) &&
                run_points(study, request, writing.timeline, error) &&
                output_write_stream(request->output, write_timeline, &writing, &rules, error);
    if (good && strcmp(request->output, "-") != 0)
        shown_print(stdout, "%s: %s", request->output, writing.said);
    g_free(writing.said);
    timeline_free(writing.timeline);
    study_free(study);
    return good;
}

int cmd_trace(const struct command *command, int argc, char **argv)
{
    struct trace_request request = {.common = RUN_OPTIONS_DEFAULT};
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) && trace(argv[1], &request, &error);
    return good ? EXIT_CODE_OK : command_fail(error);
}
