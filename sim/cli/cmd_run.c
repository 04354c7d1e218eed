/* gpunetsim run FILE.lua */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/run_options.h"
#include "study/export.h"
#include "study/interrupt.h"
#include "study/output.h"
#include "study/project.h"

struct request {
    struct run_options common;
    char **outputs;   /* "csv:FILE", "json:FILE" */
    char **overrides; /* "nic.doorbell_latency=5ns" */
    char *folder;
};

static void request_clear(struct request *request)
{
    run_options_clear(&request->common);
    g_strfreev(request->outputs);
    g_strfreev(request->overrides);
    g_free(request->folder);
}

static bool parse(const struct command *command, int *argc, char ***argv, struct request *request,
                  GError **error)
{
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->outputs,
         "Write the results to FILE (- is standard output) instead of results.csv",
         "csv:FILE|json:FILE"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &request->overrides,
         "Change a parameter of the machine", "COMPONENT.PARAMETER=VALUE"},
        RUN_OPTIONS_ENTRIES(request->common),
        {0},
    };
    return command_parse(command, argc, argv, entries, 1, 1, error);
}

/* --- where results go ---------------------------------------------------------------------------
 */

/* The file of an output "csv:FILE", and whether it is CSV or JSON. */
static const char *output_file(const char *output, bool *is_json)
{
    *is_json = g_str_has_prefix(output, "json:");
    if (*is_json || g_str_has_prefix(output, "csv:"))
        return strchr(output, ':') + 1;
    return NULL;
}

static bool prepare_outputs(const struct request *request, GError **error)
{
    for (char **output = request->outputs; output && *output; output++) {
        bool is_json;
        const char *file = output_file(*output, &is_json);
        if (!file || !*file)
            return command_misuse(error, "-o %s: accepted are csv:FILE and json:FILE", *output);
        if (!output_prepare_file(file, error))
            return false;
    }
    bool needs_folder = !request->outputs || !request->common.no_plot;
    return !needs_folder || output_prepare_folder(request->folder, error);
}

static bool writes_to_stdout(const struct request *request)
{
    return request->outputs && (g_strv_contains((const char *const *)request->outputs, "csv:-") ||
                                g_strv_contains((const char *const *)request->outputs, "json:-"));
}

static bool write_outputs(const struct request *request, const struct experiment *experiment,
                          GError **error)
{
    if (!request->outputs)
        return run_options_write_results(experiment, request->folder, error);
    for (char **output = request->outputs; *output; output++) {
        bool is_json;
        const char *file = output_file(*output, &is_json);
        g_autofree char *text =
            is_json ? export_json(experiment->table) : export_csv(experiment->table);
        if (!output_write(file, text, strlen(text), error))
            return false;
    }
    return true;
}

/* --- what is shown ------------------------------------------------------------------------------
 */

static bool print_claims(const struct experiment *experiment, GError **error)
{
    g_autofree char *path = project_path("claims/claims.tsv", NULL);
    if (!path || experiment->study->claim_count == 0)
        return true;
    struct claim_list *claims = claims_read(path, error);
    bool good = claims && experiment_answer(experiment, claims, error);
    for (size_t i = 0; good && i < experiment->study->claim_count; i++) {
        const struct claim *claim = claims_find(claims, experiment->study->claims[i].id);
        g_autofree char *obtained = claim_obtained(claim);
        printf("%s %s%s%s: %s%s%s\n", claim->id, claim_status_name(claim->status),
               *obtained ? ", obtained " : "", obtained, claim->paraphrase, claim->note ? " " : "",
               claim->note ? claim->note : "");
    }
    claims_free(claims);
    return good;
}

static bool show(const struct request *request, const struct experiment *experiment, GError **error)
{
    if (writes_to_stdout(request))
        return true;
    g_autofree char *text = experiment_text(experiment);
    printf("%s\n%s\n", experiment->study->title, text);
    return print_claims(experiment, error);
}

static void show_places(const struct request *request, const struct experiment *experiment)
{
    if (writes_to_stdout(request))
        return;
    if (!request->outputs)
        printf("Results: %s/results.csv\n", request->folder);
    if (experiment->study->plot_count && experiment->figures[0])
        printf("Figure%s: %s/figure%s.svg and .png\n", experiment->study->plot_count > 1 ? "s" : "",
               request->folder, experiment->study->plot_count > 1 ? "-*" : "");
}

/* --- the command --------------------------------------------------------------------------------
 */

static bool finish(const struct request *request, struct experiment *experiment, GError **error)
{
    if (!write_outputs(request, experiment, error) || !show(request, experiment, error))
        return false;
    if (!request->common.no_plot && !run_options_draw(experiment, request->folder, error))
        return false;
    show_places(request, experiment);
    return true;
}

static bool run(struct request *request, const char *path, bool *failed, GError **error)
{
    struct experiment_options options;
    if (!run_options_resolve(&request->common, &options, error))
        return false;
    struct study *study = study_load(path, (const char *const *)request->overrides, error);
    if (!study)
        return false;
    request->folder = request->common.out ? g_strdup(request->common.out)
                                          : g_build_filename("out", study->name, NULL);
    if (!prepare_outputs(request, error)) {
        study_free(study);
        return false;
    }
    struct experiment *experiment = experiment_run(study, &options, error);
    if (!experiment)
        return false;
    g_autofree char *failure = experiment_failure(experiment);
    *failed = failure != NULL;
    bool good = finish(request, experiment, error) && !interrupt_pending(error);
    if (failure)
        fprintf(stderr, "gpunetsim: %s\n", failure);
    experiment_free(experiment);
    return good;
}

int cmd_run(const struct command *command, int argc, char **argv)
{
    struct request request = {.common = RUN_OPTIONS_DEFAULT};
    GError *error = NULL;
    bool failed = false;
    bool good =
        parse(command, &argc, &argv, &request, &error) && run(&request, argv[1], &failed, &error);
    request_clear(&request);
    if (!good)
        return command_fail(error);
    return failed ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
