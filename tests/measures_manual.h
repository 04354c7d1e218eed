/* SPDX-License-Identifier: BSD-3-Clause */
/* The manual of measures (views/measures.lua) as tests of workloads read it. */
#pragma once

#include <glib.h>
#include <string.h>

#include "core/units.h"

#define MANUAL_RATIO (UNIT_COUNT + 1) /* behind the kinds of quantities */

/* From each measure's name to 1 + its enum unit_kind or MANUAL_RATIO. It is never freed. */
static inline GHashTable *measures_manual(void)
{
    static const char *const units[] = {
        [UNIT_TIME] = "time",           [UNIT_BYTES] = "bytes",  [UNIT_RATE] = "rate",
        [UNIT_FREQUENCY] = "frequency", [UNIT_POWER] = "power",  [UNIT_ENERGY] = "energy",
        [UNIT_COUNT] = "count",         [MANUAL_RATIO] = "ratio"};
    static GHashTable *manual;
    if (manual)
        return manual;
    g_autofree char *path =
        g_build_filename(g_getenv("GPUNETSIM_ROOT"), "views", "measures.lua", NULL);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_autoptr(GRegex) row =
        g_regex_new("^  \\{ \"(\\w+)\", \"(\\w+)\", ", G_REGEX_MULTILINE, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    manual = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (g_regex_match(row, text, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        g_autofree char *unit = g_match_info_fetch(match, 2);
        guint kind = 0;
        while (strcmp(units[kind], unit) != 0)
            g_assert_cmpuint(++kind, <, G_N_ELEMENTS(units));
        g_hash_table_insert(manual, g_match_info_fetch(match, 1), GUINT_TO_POINTER(kind + 1));
    }
    return manual;
}

/* The kind of a measure; -1 if the manual does not have it. A spread or median is of the kind of what it belongs to, a share a number, a
 * percentile a time. */
static inline int measures_manual_kind(const char *name)
{
    static const char *const of_means[] = {"_spread", "_lower", "_upper"};
    const char *at = g_strrstr(name, "_p");
    gpointer kind = g_hash_table_lookup(measures_manual(), name);
    if (kind)
        return GPOINTER_TO_INT(kind) - 1;
    if (g_str_has_suffix(name, "_lower_share"))
        return MANUAL_RATIO;
    for (size_t i = 0; i < G_N_ELEMENTS(of_means); i++)
        if (g_str_has_suffix(name, of_means[i])) {
            g_autofree char *mean = g_strndup(name, strlen(name) - strlen(of_means[i]));
            return measures_manual_kind(mean);
        }
    return at && g_ascii_isdigit(at[2]) && at[2 + strspn(at + 2, "0123456789_")] == '\0' ? UNIT_TIME
                                                                                         : -1;
}
