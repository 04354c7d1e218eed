/* SPDX-License-Identifier: BSD-3-Clause */
/* GOAL's own numbers have no units, so its users expect plain numbers; a unit is better and allowed. */
#include "workloads/goal/goal_quantity.h"

#include <glib.h>
#include <string.h>

#include "core/error.h"

static const char *bare_suffix(enum unit_kind unit)
{
    return unit == UNIT_TIME ? "ns" : unit == UNIT_BYTES ? "B" : "";
}

bool goal_quantity(const char *name, const char *text, enum unit_kind unit, sim_time piece_ps,
                   uint64_t *value, GError **error)
{
    const char *digits = text + (*text == '-');
    bool bare = *digits != '\0' && strspn(digits, "0123456789") == strlen(digits);
    g_autofree char *with_unit = g_strconcat(text, bare ? bare_suffix(unit) : "", NULL);
    int64_t piece = unit == UNIT_TIME ? piece_ps : 1, base = 0;
    if (!unit_parse(with_unit, unit, &base, error))
        g_prefix_error(error, "%s=%s: ", name, text);
    else if (base < 0)
        error_set(error, "%s=%s is negative; it may be 0 or more", name, text);
    else if (base % piece != 0)
        error_set(error, "%s=%s is no whole number of nanoseconds", name, text);
    else {
        *value = (uint64_t)(base / piece);
        return true;
    }
    return false;
}

bool goal_keys_differ(const char *const *parts, GError **error)
{
    for (const char *const *part = parts; *part; part++) {
        size_t length = strcspn(*part, "=") + 1;
        for (const char *const *other = parts; other < part; other++) {
            if (strncmp(*part, *other, length) != 0)
                continue;
            return error_set(error, "%s and %s: which of the two?", *other, *part);
        }
    }
    return true;
}
