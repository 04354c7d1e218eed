/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program has, for views/help.lua and views/list.lua: tables of parameters and designs. */
#pragma once

#include <glib.h>

/* A dictionary (a{sv}) with a list of each; a floating reference. */
GVariant *catalogue(void);
