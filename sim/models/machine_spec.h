/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine's description: the numbers of all its components, and the network that they draw. */
#pragma once

#include "core/param.h"
#include "fabric/bus.h"
#include "fabric/platform.h"
#include "fabric/transport.h"
#include "models/cp/cp.h"
#include "models/cpu/host_copy.h"
#include "models/cuda/cuda.h"
#include "models/gpu/gpu.h"
#include "models/host/host.h"
#include "models/nic/nic.h"
#include "models/noise/noise.h"
#include "models/smart_nic/smart_nic.h"
#include "models/topology.h"

/* A component of a machine's description: its table, and the place of its spec in struct machine_spec. */
struct machine_component {
    const struct param_table *table;
    size_t offset;
};

/* A kind of nodes, the component "kinds.NAME" of a machine file. */
struct node_kind {
    const char *name; /* stays for good */
    int64_t nodes;    /* the numbers of its nodes: "4..7 9" (param_words) */
};

/* A parameter for which a kind of nodes has its own value. */
struct kind_value {
    int64_t value;
    uint16_t kind, component,
        param; /* numbers of the kind, of the component, and of the parameter in its table */
};

#define MACHINE_KIND_VALUES_MOST 192

/* Limits of a machine, apart from its devices. */
#define MACHINE_PARTS_MOST 64
#define MACHINE_PART_WORDS 1024

/* A machine's numbers: one spec a component. Constant while it runs. A plain value: a copy is a machine of its own, and nothing
 * is to be freed. Beside devices it holds parts that this folder knows nothing of, such as the costs of software; their owners
 * find them by their parameter table. */
struct machine_spec {
    int64_t nodes;
    struct node_shape node;
    struct host_spec host;
    struct gpu_spec gpu;
    struct cp_spec cp;
    struct nic_spec nic;
    struct smart_nic_spec smart_nic;
    struct bus_spec bus;
    struct direct_link_spec nvlink, socket_link;
    struct network_spec network;
    struct transport_spec transport;
    struct host_copy_spec host_copy;
    struct cuda_spec cuda;
    struct noise_spec noise;

    struct node_kind kinds[PLATFORM_KINDS_MOST]; /* kinds of nodes, in the order of their names */
    struct kind_value kind_values[MACHINE_KIND_VALUES_MOST];
    size_t kind_count, kind_value_count;

    struct observe_listener *
        listener; /* observes what runs on the machine (core/observe.h); not a value of the machine's file; NULL: nobody does */

    bool stores_one_by_one; /* as in struct sim; not a value of the machine's file, for tests */

    /* The number of this run among several of a point (workloads/interface/workload.h), by which phases of polling loops and
     * interruptions are drawn; not a value of the machine's file. */
    uint64_t independent_run;

    bool has_noise; /* noise reaches this run (noise_reaches); not a value of the machine's file */

    struct machine_component parts[MACHINE_PARTS_MOST];
    size_t part_count;
    int64_t part_words[MACHINE_PART_WORDS]; /* their specs, one after the other */
};

/* The top level of a machine file ("nodes"). */
extern const struct param_table machine_params;

/* Makes a machine of default values: its devices, and one part for each table of the NULL-ended list (NULL: no parts). */
void machine_spec_init(struct machine_spec *spec, const struct param_table *const *tables);

/* Adds one part of default values. False and one sentence if there is no room. */
bool machine_spec_add(struct machine_spec *spec, const struct param_table *table, GError **error);

/* Its components by number: devices, then parts in the order of the list. */
size_t machine_component_count(const struct machine_spec *spec);
struct machine_component machine_component(const struct machine_spec *spec, size_t number);

/* The spec of the machine's part with that table. */
const void *machine_part(const struct machine_spec *spec, const struct param_table *table);

/* --- kinds of nodes ---
 *
 * What a kind does not say is as the machine says. */

/* The parameters of a kind beside those of components. */
extern const struct param_table node_kind_params;

/* The number of the kind of that name; -1: there is none. machine_kind_add adds one at its place in the order of names; -1 and one
 * sentence if there is no room. */
int machine_kind_find(const struct machine_spec *spec, const char *name);
int machine_kind_add(struct machine_spec *spec, const char *name, GError **error);

/* Whether kinds may differ in that parameter: devices, latency and rate of the network's cables, and how many places for GPUs of
 * a socket are taken. */
bool machine_kind_may_have(const struct param_table *table, const struct param *param);
bool machine_kind_may_have_of(
    const struct param_table *table); /* whether kinds may differ in any parameter of the table */

/* The kind's own value of parameter `param` of component `component`, as a place in struct machine_spec where param_set_text
 * puts it if it is given the place less the parameter's offset; at first the machine's. 0 and one sentence if there is no room. */
size_t machine_kind_value(struct machine_spec *spec, int kind, size_t component, size_t param,
                          GError **error);

/* Fills in, for each node, 0 or 1 + the number of its kind. False and one sentence if a node is of two kinds. */
bool machine_kinds_of_nodes(const struct machine_spec *spec, uint8_t *kind_of, GError **error);

/* How many GPUs a socket has, by node; freed with g_free. All nodes have the machine's shape: a kind's own gpus_per_socket leaves
 * the last places of each socket empty. */
uint8_t *machine_gpus_per_socket(const struct machine_spec *spec);

/* Makes `own` the values that hold for the nodes of a kind (1 + its number; 0: for nodes of no kind), in the machine's shape. `own`
 * has no kinds itself. */
void machine_spec_of_kind(const struct machine_spec *spec, size_t kind, struct machine_spec *own);

/* Whether every kind has the machine's own values, and in a run that noise reaches all GPUs have one clock. */
bool machine_nodes_alike(const struct machine_spec *spec);

/* Whether no kind differs in parameter `name` of the component (NULL: in any); else one sentence with `who`, which reads one value
 * for all nodes. */
bool machine_kinds_share(const struct machine_spec *spec, const struct param_table *table,
                         const char *name, const char *who, GError **error);

/* Checks what the bounds of single parameters cannot: shapes of caches, sums. False comes with one sentence. */
bool machine_spec_valid(const struct machine_spec *spec, GError **error);

/* Whether `bytes` in all pass within days at every rate of the machine, since simulated time ends after 106 days. False comes
 * with one sentence. */
bool machine_can_carry(const struct machine_spec *spec, double bytes, GError **error);

/* The platform that `spec` describes, of any shape of nodes. */
struct platform *machine_platform(const struct machine_spec *spec, GError **error);
