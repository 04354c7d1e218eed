/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts from outside that stay for good. */
#pragma once

/* The one copy of a text, or NULL of NULL, that nobody frees: equal texts have the same address. For bytes that are not ours, in place
 * of GLib's interned strings, of which GLib counts each for ever and leaks its tables as they grow. */
const char *text_kept(const char *text);
