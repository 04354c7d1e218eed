/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the module that is linked with SimGrid when a flow first needs it, and passes every call on to it. */
#include "fabric/simgrid_adapter.h"

#include <math.h>
#include <sys/mman.h>

#include "core/check.h"
#include "core/error.h"
#include "core/home.h"
#include "fabric/layout.h"
#include "fabric/simgrid_module.h"

static const struct simgrid_ops *ops; /* NULL: not loaded */
static bool is_started;
static bool *
    is_used; /* whether a process of this family has loaded it, which all of them see; NULL: nobody asks */

/* Loads SimGrid, once a process, which takes some 20 ms of processor time. Returns true, or false with an error. */
static bool load(GError **error)
{
    if (!ops)
        ops = home_module_symbol(SIMGRID_MODULE, "SimGrid", SIMGRID_MODULE_OPS, error);
    if (ops && is_used)
        *is_used = true;
    return ops != NULL;
}

void platform_share_simgrid(void)
{
    if (!is_used) {
        void *memory =
            mmap(NULL, sizeof *is_used, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        is_used = memory == MAP_FAILED ? NULL : memory;
    } else if (*is_used) {
        load(NULL); /* a process that needs it reports an error of loading itself */
    }
}

const char *platform_simgrid_version(GError **error)
{
    return load(error) ? ops->version() : NULL;
}

static void fail(const char *what, const char *why)
{
    check_always(false, "SimGrid %s: %s", what, why);
}

bool adapter_start(const struct layout *layout, GError **error)
{
    const struct simgrid_host host = {layout, layout_link_count, layout_link, fail};
    if (is_started)
        return true;
    if (!load(error))
        return false;
    const char *said = ops->start(&host);
    is_started = said == NULL;
    return is_started || error_set_code(error, ERROR_RUN, "SimGrid does not start: %s", said);
}

bool platform_has_simgrid(void)
{
    return is_started;
}

double adapter_now_s(void)
{
    return is_started ? ops->now_s() : 0;
}

double adapter_next_s(void)
{
    return is_started ? ops->next_s() : HUGE_VAL;
}

struct adapter_flow *adapter_flow_start(const int32_t *hops, size_t count, double bytes,
                                        void *cookie)
{
    check_always(is_started, "a flow before adapter_start");
    return ops->flow_start(hops, count, bytes, cookie);
}

void adapter_flow_cancel(struct adapter_flow *flow)
{
    ops->flow_cancel(flow);
}

void adapter_advance(double to_s, adapter_ended_fn *ended, void *argument)
{
    if (is_started)
        ops->advance(to_s, ended, argument);
}
