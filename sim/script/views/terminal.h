/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts for a terminal. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Columns of the terminal behind `stream`; else what COLUMNS says; else 80. */
size_t terminal_width(FILE *stream);
