/* SPDX-License-Identifier: BSD-3-Clause */
/* What a word of a study means, such as vary or plot (views/words.lua). */
#ifndef GPUNETSIM_CLI_HELP_WORD_H
#define GPUNETSIM_CLI_HELP_WORD_H

/* NULL if it is none. The caller frees it with g_free. */
char *help_word(const char *name);

#endif
