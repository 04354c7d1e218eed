/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts from files and scripts that are kept until the program ends. */
#pragma once

/* The one copy of a text, which is never freed: equal texts have the same address. NULL for NULL. It is for texts that users
 * give, and replaces GLib's interned strings: GLib leaks the tables of those as they grow. */
const char *text_kept(const char *text);
