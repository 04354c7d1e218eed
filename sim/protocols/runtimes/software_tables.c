/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/runtimes/software_tables.h"

#include <string.h>

#include "core/param_instance.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/runtimes/mpi.h"
#include "protocols/shmem/software.h"
#include "protocols/ucx/ucx_params.h"

/* Appends `table` to the list of `count` tables if it is not in it, and returns the new count. */
static size_t add(const struct param_table **tables, size_t count, const struct param_table *table)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i] == table)
            return count;
    check_always(count < MACHINE_PARTS_MOST, "no room for component %s", table->component);
    tables[count] = table;
    return count + 1;
}

const struct param_table *const software_kinds[] = {&message_library_params, &mpi_params, NULL};

const struct param_table *software_declare(const struct param_table *kind, const char *name,
                                           GError **error)
{
    bool good = kind == &mpi_params
                    ? design_add_runtime(name, error)
                    : param_choices_add(mpi_libraries, MPI_LIBRARIES_MOST, name, error);
    return good ? param_instance(kind, name) : NULL;
}

static GPtrArray *records; /* of struct param_table */

void software_records_set(GPtrArray *instances)
{
    if (records != NULL)
        g_ptr_array_unref(records);
    records = instances;
}

const struct param_table *const *software_tables(void)
{
    static const struct param_table *tables[MACHINE_PARTS_MOST + 1];
    memset(tables, 0, sizeof tables);
    size_t count = add(tables, 0, &software_params);
    for (size_t i = 0; i < RUNTIMES; i++)
        for (size_t k = 0; runtime_kinds[i] && runtime_kinds[i]->tables[k]; k++)
            count = add(tables, count, runtime_kinds[i]->tables[k]);
    for (guint i = 0; records != NULL && i < records->len; i++)
        count = add(tables, count, g_ptr_array_index(records, i));
    return tables;
}
