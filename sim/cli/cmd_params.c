/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim params MACHINE, and gpunetsim params STUDY --point AXIS=VALUE,... */
#include "cli/answers.h"
#include "cli/command.h"
#include "script/script.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"
#include "study/model/machine.h"
#include "study/table/provenance.h"

/* Nobody reads more tables. */
#define MOST_POINTS 64

static bool print_machine(const struct run_options *options, const char *path, GError **error)
{
    struct machine *machine = machine_load(path, (const char *const *)options->overrides, error);
    if (!machine)
        return false;
    struct table *table = provenance_table(machine);
    command_print_table(table, options->as_json);
    table_free(table);
    machine_free(machine);
    return true;
}

/* What sensitivity.unsourced of views/ is asked. */
static GVariant *asked(const struct run_options *options, const GArray *points)
{
    GVariantBuilder asked, numbers;
    g_variant_builder_init(&asked, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_init(&numbers, G_VARIANT_TYPE("ax"));
    for (guint i = 0; i < points->len; i++)
        g_variant_builder_add(&numbers, "x", (gint64)g_array_index(points, guint, i));
    views_add_text(&asked, "measure", options->measure);
    g_variant_builder_add(&asked, "{sv}", "points", g_variant_builder_end(&numbers));
    return g_variant_new("(@a{sv})", g_variant_builder_end(&asked));
}

/* On which estimated values points of a study depend. */
static bool print_unsourced(const struct run_options *options, const char *path, GError **error)
{
    struct runner_options resolved = {0};
    g_auto(GStrv) texts = NULL;
    struct variants *variants = answers_variants(options, path, &resolved, error);
    g_autoptr(GArray) points = variants ? run_options_points(options, variants->study, MOST_POINTS,
                                                             "changed at a time", error)
                                        : NULL;
    if (points)
        texts = search_texts("sensitivity", "unsourced", variants, asked(options, points), error);
    bool good = texts && answers_give(options, path, texts, error);
    variants_free(variants);
    run_options_close(&resolved);
    return good;
}

int cmd_params(const struct command *command, int argc, char **argv)
{
    struct run_options options = RUN_OPTIONS_DEFAULT;
    GError *error = NULL;
    g_autofree GOptionEntry *entries =
        run_options_entries(&options, "point measure set workers seed store progress json", NULL);
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    bool is_of_study = options.points || options.measure;
    bool good = (is_of_study ? print_unsourced : print_machine)(&options, argv[1], &error);
    return good ? EXIT_CODE_OK : command_fail(error);
}
