/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's named designs (configs/designs.lua) and its workloads for tests and benches in C. */
#pragma once

#include <glib.h>

#include "core/home.h"
#include "protocols/design.h"
#include "script/machine/designs.h"
#include "workloads/workloads.h"

/* To be called before anything names a design. */
static inline void test_designs_load(void)
{
    GError *error = NULL;
    g_autofree char *file = home_path("configs/designs.lua", &error);
    if (!file || (designs_count() == 0 && !(designs_load(file, &error) && workloads_load(&error))))
        g_error("%s", error->message);
    g_assert_cmpuint(designs_count(), >, 0);
}

/* The design of this text, such as "comp-net{queue.memory=host}". */
static inline struct design test_design(const char *text)
{
    struct design design;
    g_autoptr(GError) error = NULL;
    test_designs_load();
    if (!param_record_set_text(&design_record, &design, text, &error))
        g_error("%s: %s", text, error->message);
    return design;
}

/* Names of those whose initiator is a host, or is none; NULL behind the last. The caller frees the array. */
static inline const char **test_designs_of(bool is_host)
{
    test_designs_load();
    GPtrArray *names = g_ptr_array_new();
    for (size_t i = 0; i < designs_count(); i++)
        if ((designs_at(i)->design.initiator == INITIATOR_HOST) == is_host)
            g_ptr_array_add(names, designs_at(i)->name);
    g_ptr_array_add(names, NULL);
    return (const char **)(void *)g_ptr_array_free(names, FALSE);
}

/* Those whose kernels communicate, and those whose hosts do; all program long. */
static inline const char *const *kernel_designs(void)
{
    static const char **names;
    return names ? names : (names = test_designs_of(false));
}
static inline const char *const *host_designs(void)
{
    static const char **names;
    return names ? names : (names = test_designs_of(true));
}
