/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim check FILE.lua */
#include <stdio.h>

#include "cli/command.h"
#include "core/home.h"
#include "core/json.h"
#include "core/shown.h"
#include "script/script.h"
#include "study/claims/claims.h"
#include "study/experiment.h"
#include "study/model/study.h"
#include "study/rehearsal.h"

/* What can be known of the claims without an answer. */
static bool check_claims(const struct study *study, GError **error)
{
    g_autofree char *path = home_path("claims/claims.tsv", NULL);
    if (!path || study->claim_count == 0)
        return true;
    struct claims *claims = claims_open(path, NULL, NULL, error);
    bool good = claims && experiment_has_claims(study, claims, error);
    claims_free(claims);
    return good;
}

/* {"file": "s.lua", "kind": "study", "points": 12} */
static void print_json(const char *path, const struct study *study)
{
    struct json json = {.file = stdout, .is_spaced = true};
    g_autofree char *shown = shown_text(path);
    json_begin_object(&json, NULL);
    json_text(&json, "file", shown);
    json_text(&json, "kind", study ? "study" : "machine");
    if (study)
        json_number(&json, "points", "%zu", study->point_count);
    json_end_object(&json);
    putchar('\n');
}

static bool check(const char *path, char *const *overrides, bool as_json, GError **error)
{
    struct study *study;
    if (!script_read(path, (const char *const *)overrides, &study, error))
        return false;
    g_autofree char *doubt = NULL;
    bool good = !study || (check_claims(study, error) && rehearse(study, &doubt, error));
    if (doubt)
        shown_print(stderr, "gpunetsim: %s\n", doubt);
    if (good && as_json)
        print_json(path, study);
    else if (good && study)
        shown_print(stdout, "%s: no faults found; %zu point%s\n", path, study->point_count,
                    study->point_count == 1 ? "" : "s");
    else if (good)
        shown_print(stdout, "%s: no faults found\n", path);
    study_free(study);
    return good;
}

int cmd_check(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    char **overrides = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), COMMAND_SET(&overrides), {0}};
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error) ||
        !check(argv[1], overrides, as_json, &error))
        return command_fail(error);
    return EXIT_CODE_OK;
}
