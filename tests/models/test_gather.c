/* SPDX-License-Identifier: BSD-3-Clause */
/* The server that gathers requests into batches: which requests share a batch, and when a batch ends. Each script has
 * exactly one timeline, which follows from the rules in the header. */
#include <glib.h>

#include "core/event.h"
#include "core/process.h"
#include "models/gpu/gather.h"

#define SERVICE_PS 1000

struct script {
    struct gather gather;
    GString *text;
};

/* Says whether it is the first of its batch, and when the batch has ended. */
static void serve(struct process *self, void *argument)
{
    struct script *script = argument;
    bool is_first = gather_enter(&script->gather, self);
    process_sleep(self, SERVICE_PS);
    gather_leave(&script->gather, self);
    g_string_append_printf(script->text, "%s%s@%d ", process_name(self), is_first ? "!" : "",
                           (int)process_now(self));
}

static void expect(const sim_time *starts_ps, int count, const char *text)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct event_queue *queue = event_queue_new();
    struct process_system *system = process_system_new(queue);
    struct script script = {.text = g_string_new(NULL)};
    gather_init(&script.gather, 100);
    for (int i = 0; i < count; i++)
        process_spawn(system, names[i], serve, &script, starts_ps[i], 0);
    event_run(queue);
    g_assert_cmpstr(script.text->str, ==, text);
    g_assert_true(gather_is_idle(&script.gather));
    process_system_free(system);
    event_queue_free(queue);
    g_string_free(script.text, TRUE);
}

/* Within the window they go as one, and end when the last has done its part, which need not wait and so is told first. */
static void test_joins(void)
{
    expect((sim_time[]){0, 50, 99}, 3, "c@1099 a!@1099 b@1099 ");
}

/* Those that come later go together, from the end of the batch before on. */
static void test_takes_turns(void)
{
    expect((sim_time[]){0, 100, 900}, 3, "a!@1000 c@2000 b!@2000 ");
}

/* A batch of those that have waited is complete: one that comes within its window waits for the next. */
static void test_is_complete(void)
{
    expect((sim_time[]){0, 500, 1050}, 3, "a!@1000 b!@2000 c!@3000 ");
}

/* An idle server begins anew. */
static void test_is_idle_again(void)
{
    expect((sim_time[]){0, 5000, 5050}, 3, "a!@1000 c@6050 b!@6050 ");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gather/joins", test_joins);
    g_test_add_func("/gather/takes_turns", test_takes_turns);
    g_test_add_func("/gather/is_complete", test_is_complete);
    g_test_add_func("/gather/is_idle_again", test_is_idle_again);
    return g_test_run();
}
