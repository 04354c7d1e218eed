/* SPDX-License-Identifier: BSD-3-Clause */
/* GOAL text. A schedule that is read runs on the LogGOPS machine, is written, and read again runs alike. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "workloads/goal/goal_options.h"
#include "workloads/goal/goal_reader.h"
#include "workloads/goal/goal_writer.h"

#define MOST_RANKS 4096
#define MOST_STEPS 100000

static struct goal_schedule *read_text(const void *text, size_t size)
{
    GError *error = NULL;
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    fuzz_expect(file != NULL, "no file in memory");
    struct goal_schedule *schedule = goal_read(file, "t.goal", &error);
    fclose(file);
    fuzz_expect(!error || g_str_has_prefix(error->message, "t.goal:"), "no place is told: %s",
                fuzz_message(error));
    fuzz_expect_told(schedule != NULL, error);
    return schedule;
}

/* The sum of all ranks' ends, whatever it means; 0 if it takes too many steps. */
static uint64_t run(struct goal_schedule *schedule)
{
    struct loggp_program program = goal_schedule_program(schedule);
    struct loggp_spec costs;
    uint64_t sum = 1;
    goal_costs_parse(GOAL_COSTS_DEFAULT, &costs, NULL);
    struct loggp *machine = loggp_new(&costs, &program);
    if (loggp_run(machine, MOST_STEPS))
        sum = 0;
    for (uint32_t rank = 0; sum > 0 && rank < program.ranks; rank++)
        sum = sum * 31 + loggp_end(machine, rank);
    loggp_free(machine);
    return sum;
}

static void run_both(struct goal_schedule *schedule)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool is_written = goal_write(file, schedule);
    fclose(file);
    fuzz_expect(is_written, "a schedule cannot be written");
    struct goal_schedule *again = read_text(text, size);
    fuzz_expect(again != NULL, "a schedule is written as what cannot be read");
    fuzz_expect(run(schedule) == run(again), "a schedule that was written runs otherwise");
    goal_schedule_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct goal_schedule *schedule = read_text(data, size);
    if (schedule && goal_schedule_ranks(schedule) <= MOST_RANKS)
        run_both(schedule);
    if (schedule)
        goal_schedule_free(schedule);
    return 0;
}
