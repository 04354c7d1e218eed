/* SPDX-License-Identifier: BSD-3-Clause */
/* What the words of a study mean, such as vary and plot: a paragraph each, for gpunetsim help. */
#ifndef GPUNETSIM_CLI_HELP_WORDS_H
#define GPUNETSIM_CLI_HELP_WORDS_H

#include <glib.h>

size_t help_word_count(void);
const char *help_word_name(size_t i);

/* NULL if it is no word of a study. A word may be the name of a command or a component, too. */
const char *help_word(const char *name);

#endif
