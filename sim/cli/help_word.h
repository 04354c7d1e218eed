/* SPDX-License-Identifier: BSD-3-Clause */
/* What a word of a study means, such as vary or plot (views/words.lua). */
#pragma once

/* NULL if it is none. The caller frees it with g_free. */
char *help_word(const char *name);
