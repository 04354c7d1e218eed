/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines with all software, and their parts as tests read and change them. */
#pragma once

#include "core/param_instance.h"
#include "models/node.h"
#include "protocols/runtimes/ampi.h"
#include "protocols/runtimes/charm.h"
#include "protocols/runtimes/charm4py.h"
#include "protocols/runtimes/mpi.h"
#include "protocols/runtimes/software_tables.h"
#include "protocols/shmem/software.h"
#include "protocols/ucx/ucx_params.h"

#define PART_OF(spec, type, table) ((struct type *)(uintptr_t)machine_part(&(spec), &(table)))
#define INSTANCE_OF(spec, type, kind, name) PART_OF(spec, type, *param_instance(&(kind), name))
#define LIBRARY(spec, name) INSTANCE_OF(spec, ucx_spec, message_library_params, name)
#define OPENMPI(spec) INSTANCE_OF(spec, mpi_spec, mpi_params, "openmpi")
#define SOFTWARE(spec) PART_OF(spec, software_spec, software_params)
#define UCX(spec) PART_OF(spec, ucx_spec, ucx_params)
#define CHARM(spec) PART_OF(spec, charm_spec, charm_params)
#define AMPI(spec) PART_OF(spec, ampi_spec, ampi_params)
#define CHARM4PY(spec) PART_OF(spec, charm4py_spec, charm4py_params)
