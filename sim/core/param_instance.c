/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/param_instance.h"

#include <string.h>

#include "core/check.h"
#include "core/error.h"

static GPtrArray *instances(void)
{
    static GPtrArray *made; /* of struct param_table */
    if (made == NULL)
        made = g_ptr_array_new();
    return made;
}

size_t param_instance_count(void)
{
    return instances()->len;
}

const struct param_table *param_instance_at(size_t number)
{
    return g_ptr_array_index(instances(), number);
}

static const struct param_table *find(const struct param_table *kind, const char *name)
{
    for (size_t i = 0; i < param_instance_count(); i++) {
        const struct param_table *made = param_instance_at(i);
        if (made->kind == kind && strcmp(made->component, name) == 0)
            return made;
    }
    return NULL;
}

bool param_instance_is_made(const struct param_table *kind, const char *name)
{
    return find(kind, name) != NULL;
}

const struct param_table *param_instance(const struct param_table *kind, const char *name)
{
    const struct param_table *made = find(kind, name);
    if (made)
        return made;
    struct param_table *instance = g_memdup2(kind, sizeof *kind);
    instance->component = g_strdup(name);
    instance->kind = kind;
    g_ptr_array_add(instances(), instance);
    return instance;
}

static void forget_description(struct param_table *instance)
{
    if (instance->params == instance->kind->params)
        return;
    for (size_t i = 0; i < instance->count; i++)
        g_free((gpointer)(gsize)instance->params[i].default_text);
    g_free((gpointer)(gsize)instance->params);
    g_free((gpointer)(gsize)instance->description);
}

void param_instance_describe(const struct param_table *instance, const char *description,
                             const void *spec)
{
    guint number;
    check_always(g_ptr_array_find(instances(), instance, &number), "%s is no instance",
                 instance->component);
    struct param_table *own = g_ptr_array_index(instances(), number);
    forget_description(own);
    struct param *params = g_memdup2(own->params, own->count * sizeof *params);
    for (size_t i = 0; i < own->count; i++) {
        char text[UNIT_TEXT_SIZE];
        params[i].default_text = g_strdup(param_format(&own->params[i], spec, text));
    }
    own->description = g_strdup(description);
    own->params = params;
}

bool param_choices_add(const char **choices, size_t most, const char *name, GError **error)
{
    size_t count = 0;
    while (choices[count] != NULL)
        if (strcmp(choices[count++], name) == 0)
            return true;
    if (count == most)
        return error_set(error,
                         "there is no room for \"%s\": a program knows %zu such names at most",
                         name, most);
    choices[count] = g_strdup(name);
    return true;
}
