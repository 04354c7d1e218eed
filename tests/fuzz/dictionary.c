/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a dictionary for libFuzzer: every word of the parameter tables, as the tables have it. */
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "study/model/machine.h"
#include "workloads/workloads.h"

/* A word a line, quoted, each once. */
static void print_word(const char *word)
{
    static GHashTable *known;
    if (!known)
        known = g_hash_table_new(g_str_hash, g_str_equal);
    if (!word || !*word || !g_hash_table_add(known, (gpointer)(guintptr)g_intern_string(word)))
        return;
    putchar('"');
    for (; *word; word++)
        if (*word == '"' || *word == '\\')
            printf("\\%c", *word);
        else
            putchar(*word);
    puts("\"");
}

static void print_table(const struct param_table *table)
{
    print_word(table->component);
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        print_word(param->name);
        print_word(param->default_text);
        print_word(param->low);
        print_word(param->high);
        for (size_t j = 0; param->choices && param->choices[j]; j++)
            print_word(param->choices[j]);
    }
}

int main(void)
{
    if (!workloads_load(NULL))
        return 1;
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++)
        print_table(machine_section(machine_defaults(), i).table);
    for (size_t i = 0; workloads[i]; i++)
        print_table(workloads[i]->params);
    for (int kind = UNIT_TIME; kind <= UNIT_COUNT; kind++) {
        g_auto(GStrv) suffixes = g_strsplit(unit_suffixes((enum unit_kind)kind), ", ", -1);
        for (char **suffix = suffixes; *suffix; suffix++)
            print_word(*suffix);
    }
    return 0;
}
