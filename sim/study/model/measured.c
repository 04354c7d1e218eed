/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/measured.h"

const struct text_kind measured_file = {
    .name = "a table of measurements", .most_bytes = 16 << 20, .is_utf8 = true};

void measured_clear(struct measured *measured)
{
    g_free(measured->path);
    g_clear_pointer(&measured->value, g_variant_unref);
}
