/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain tables, as the files in views/tables make them (script/sandbox/modules.h), to C and to files in views/: those have no other
 * fields than C knows, of the types that it expects. */
#pragma once

#include <lua.h>
#include <stddef.h>

#include "study/model/study.h"

/* A field of a plain table, and where it goes in a struct. One that is missing leaves NULL or false. */
struct table_field {
    const char *name; /* NULL: the end of an array of such */
    enum { FIELD_TEXT, FIELD_FLAG } type;
    size_t offset; /* of a char *, a bool */
};

/* Reads the table on top, which stays there. What is read belongs to the struct from then on, even if an error ends the reading. */
void tables_read(lua_State *L, const struct table_field *fields, void *into);

/* Pops the table on top and makes it *value for files in views/: a dictionary or, if it has a list part, a list, of texts, numbers,
 * switches and such tables. The caller owns it, even if an error ends the call. */
void tables_variant(lua_State *L, GVariant **value);
