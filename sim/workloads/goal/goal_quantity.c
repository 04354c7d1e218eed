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

static bool parse_value(const struct goal_option *option, const char *text, uint64_t *value,
                        GError **error)
{
    const char *digits = text + (*text == '-');
    bool bare = *digits != '\0' && strspn(digits, "0123456789") == strlen(digits);
    g_autofree char *with_unit = g_strconcat(text, bare ? bare_suffix(option->unit) : "", NULL);
    int64_t piece = option->unit == UNIT_TIME ? option->piece_ps : 1, base = 0;
    if (!unit_parse(with_unit, option->unit, &base, error))
        g_prefix_error(error, "%s=%s: ", option->name, text);
    else if (base < 0)
        error_set(error, "%s=%s is negative; it may be 0 or more", option->name, text);
    else if (base % piece != 0)
        error_set(error, "%s=%s is no whole number of nanoseconds", option->name, text);
    else {
        *value = (uint64_t)(base / piece);
        return true;
    }
    return false;
}

/* Another part before this one with the same key; NULL: none. */
static const char *same_before(const char *const *parts, const char *const *part)
{
    size_t length = strcspn(*part, "=") + 1;
    for (const char *const *other = parts; other < part; other++)
        if (strncmp(*part, *other, length) == 0)
            return *other;
    return NULL;
}

bool goal_options_parse(const char *const *parts, const struct goal_option *options, size_t count,
                        void *spec, const char *before, const char *behind, GError **error)
{
    for (const char *const *part = parts; *part; part++) {
        const char *same = same_before(parts, part);
        if (same)
            return error_set(error, "%s and %s: which of the two?", same, *part);
    }
    for (const char *const *part = parts; *part; part++) {
        size_t length = strcspn(*part, "="), i = 0;
        while (i < count && (strncmp(*part, options[i].name, length) != 0 ||
                             options[i].name[length] != '\0' || (*part)[length] == '\0'))
            i++;
        if (i == count)
            return error_set(error, "%s\"%.*s\"%s", before, (int)length, *part, behind);
        void *field = (char *)spec + options[i].offset;
        if (!parse_value(&options[i], *part + length + 1, field, error))
            return false;
    }
    return true;
}
