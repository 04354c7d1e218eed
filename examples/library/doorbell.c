/* SPDX-License-Identifier: BSD-3-Clause */
/* How much does a slow doorbell cost a remote get? Runs one workload on four variants of a machine. */
#include <stdio.h>

#include <gpunetsim.h>

static bool latency_us(const char *doorbell, double *latency)
{
    char setting[64], *error = NULL;
    snprintf(setting, sizeof setting, "nic.doorbell_latency=%s", doorbell);
    const char *const settings[] = {setting, NULL};
    const char *const arguments[] = {"design=comp-net", "bytes=8B", NULL};
    struct gpunetsim_machine *machine = gpunetsim_machine_open("gcn3_node", settings, &error);
    struct gpunetsim_result *result =
        machine ? gpunetsim_machine_run(machine, "get_latency", arguments, 1, &error) : NULL;
    if (result)
        *latency = gpunetsim_result_value(result, "latency_us", &error);
    if (error)
        fprintf(stderr, "doorbell: %s\n", error);
    bool is_good = !error;
    gpunetsim_free_text(error);
    gpunetsim_result_free(result);
    gpunetsim_machine_close(machine);
    return is_good;
}

int main(void)
{
    static const char *const doorbells[] = {"0ns", "20ns", "200ns", "2us"};
    printf("gpunetsim %s\n", gpunetsim_version());
    for (size_t i = 0; i < sizeof doorbells / sizeof doorbells[0]; i++) {
        double latency;
        if (!latency_us(doorbells[i], &latency))
            return 1;
        printf("%-6s %.3f us\n", doorbells[i], latency);
    }
    return 0;
}
