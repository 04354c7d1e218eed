/* SPDX-License-Identifier: BSD-3-Clause */
/* The error of the call made last, for tests that ask for its words later on. */
#pragma once

#include <glib.h>

static GError *last_error;

/* Where the next call is to put its error; the one before is gone. */
static inline GError **fresh_error(void)
{
    g_clear_error(&last_error);
    return &last_error;
}

/* Its words; "" if there is none. */
static inline const char *last_words(void)
{
    return last_error ? last_error->message : "";
}
