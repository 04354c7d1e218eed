/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/measured.h"

static void free_names(struct measured_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_free(names[i].name);
        g_free(names[i].column);
        g_free(names[i].unit);
    }
    g_free(names);
}

void measured_clear(struct measured *measured)
{
    free_names(measured->names, measured->name_count);
    free_names(measured->only, measured->only_count);
    g_strfreev(measured->every);
    delimited_clear(&measured->table);
}
