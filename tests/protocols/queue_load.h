/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of services share: a machine and the spec of a queue_service on it. */
#pragma once

#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../software_test.h"
#include "protocols/design.h"
#include "workloads/workloads.h"

struct load {
    struct machine_spec machine;
    _Alignas(max_align_t) char spec[1024]; /* of queue_service */
    struct workload_result result;
    char text[256]; /* what it is, for messages */
};

/* All defaults. */
static inline void load_init(struct load *load)
{
    memset(load, 0, sizeof *load);
    machine_spec_init(&load->machine, software_tables());
    param_set_defaults(queue_service_workload.params, load->spec);
}

static inline void set(struct load *load, const char *name, const char *text)
{
    g_autoptr(GError) error = NULL;
    const struct param_table *table = queue_service_workload.params;
    if (!param_set_text(table, param_find(table, name), load->spec, text, &error))
        g_error("%s", error->message);
}

/* The design with so many service threads, if it has a server that takes them. */
static inline void set_design(struct load *load, const char *design, int threads)
{
    const struct param_table *table = queue_service_workload.params;
    const char *end = strrchr(design, '}');
    int length = end != NULL ? (int)(end - design) : (int)strlen(design);
    g_autofree char *text = g_strdup_printf("%.*s%sservice_threads=%d}", length, design,
                                            end != NULL ? "," : "{", threads);
    if (!param_set_text(table, param_find(table, "design"), load->spec, text, NULL))
        set(load, "design", design);
}

static inline void load_run(struct load *load)
{
    g_autoptr(GError) error = NULL;
    load->result = (struct workload_result){.count = 0};
    if (!queue_service_workload.run(&load->machine, load->spec, 1, &load->result, &error))
        g_error("%s", error->message);
}
