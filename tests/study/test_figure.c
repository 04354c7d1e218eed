/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a figure: each function of figure.lua has a test. */
#include <glib.h>

#include "script/views/views.h"

static void run(gconstpointer name)
{
    GError *error = NULL;
    g_auto(GStrv) none = views_texts("../tests/study/figure", name, g_variant_new("()"), &error);
    g_assert_no_error(error);
    g_assert_nonnull(none);
}

int main(int argc, char **argv)
{
    static const char *const tests[] = {"y",
                                        "bytes",
                                        "counts",
                                        "labels",
                                        "units",
                                        "coincident_curves",
                                        "value_words",
                                        "smaller_svg",
                                        "room",
                                        "texts",
                                        "page",
                                        "names_turn",
                                        "sizes_are_thinned_out",
                                        "look_is_checked",
                                        "gnuplot_settings_are_safe",
                                        "axis_ends_where_asked",
                                        "least",
                                        "ratios",
                                        "follows",
                                        "page_height",
                                        "measures"};
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
        g_autofree char *path = g_strconcat("/figure/", tests[i], NULL);
        g_test_add_data_func(path, tests[i], run);
    }
    return g_test_run();
}
