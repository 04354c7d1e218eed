/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/runtimes/software_tables.h"

#include "core/check.h"
#include "models/node.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/shmem/software.h"

/* Appends `table` to the `count` of the list if it is not there, and returns how many there are. */
static size_t add(const struct param_table **tables, size_t count, const struct param_table *table)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i] == table)
            return count;
    check_always(count < MACHINE_PARTS_MOST, "no room for component %s", table->component);
    tables[count] = table;
    return count + 1;
}

const struct param_table *const *software_tables(void)
{
    static const struct param_table *tables[MACHINE_PARTS_MOST + 1];
    if (tables[0] != NULL)
        return tables;
    size_t count = add(tables, 0, &software_params);
    for (size_t i = 0; i < RUNTIMES; i++)
        for (size_t k = 0; runtime_kinds[i] && runtime_kinds[i]->tables[k]; k++)
            count = add(tables, count, runtime_kinds[i]->tables[k]);
    return tables;
}
