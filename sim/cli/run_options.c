/* Options and steps that `run` and `reproduce` share. */
#include "cli/run_options.h"

#include <string.h>

#include "cli/command.h"
#include "study/export.h"
#include "study/output.h"
#include "study/workers.h"

#define MOST_WORKERS 1024

bool run_options_resolve(const struct run_options *options, struct experiment_options *resolved,
                         GError **error)
{
    const char *progress = options->progress ? options->progress : "auto";
    if (options->workers < 0 || options->workers > MOST_WORKERS)
        return command_misuse(error, "-j %d: the number of workers is 1 to %d", options->workers,
                              MOST_WORKERS);
    if (options->seed < 0)
        return command_misuse(error, "--seed %" G_GINT64_FORMAT ": a seed is 0 or more",
                              options->seed);
    if (!progress_parse(progress, &resolved->progress))
        return command_misuse(error, "--progress %s: accepted are auto, plain, json, none",
                              progress);
    resolved->workers = options->workers ? (unsigned)options->workers : workers_default();
    resolved->seed = (uint64_t)options->seed;
    return true;
}

void run_options_clear(struct run_options *options)
{
    g_free(options->progress);
    g_free(options->out);
}

bool run_options_draw(struct experiment *experiment, const char *folder, GError **error)
{
    if (experiment->failed == experiment->row_count)
        return true;
    return experiment_draw(experiment, error) && experiment_save_figures(experiment, folder, error);
}

bool run_options_write_results(const struct experiment *experiment, const char *folder,
                               GError **error)
{
    g_autofree char *path = g_build_filename(folder, "results.csv", NULL);
    g_autofree char *csv = export_csv(experiment->table);
    return output_write(path, csv, strlen(csv), error);
}
