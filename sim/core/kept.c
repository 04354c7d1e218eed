/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/kept.h"

#include <glib.h>

const char *text_kept(const char *text)
{
    static GStringChunk *texts;
    if (texts == NULL)
        texts = g_string_chunk_new(4096);
    return text != NULL ? g_string_chunk_insert_const(texts, text) : NULL;
}
