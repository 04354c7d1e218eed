/* Trace points: silent without listeners, and heard by all of them in order. */
#include <glib.h>

#include "core/trace.h"

struct ear {
    const char *name;
    GString *text;
};

static void hear(const struct trace_record *record, void *argument)
{
    struct ear *ear = argument;
    g_string_append_printf(ear->text, "%s:%s.%s@%d=%d#%d kind %d\n", ear->name, record->component,
                           record->name, (int)record->time_ps, (int)record->value, (int)record->id,
                           (int)record->kind);
}

/* What a trace point's arguments cost when nobody listens: nothing, they are not evaluated. */
static int64_t count_call(int *calls)
{
    return ++*calls;
}

static void test_listeners(void)
{
    struct trace trace;
    int calls = 0;
    GString *text = g_string_new(NULL);
    struct ear a = {"a", text}, b = {"b", text};
    trace_init(&trace);
    trace_point(&trace, .time_ps = 1, .name = "unheard", .value = count_call(&calls));
    g_assert_cmpint(calls, ==, 0);

    trace_listen(&trace, hear, &a);
    trace_point(&trace, .time_ps = 2, .kind = TRACE_SPAN, .component = "nic", .name = "send",
                .value = count_call(&calls), .id = 9);
    trace_listen(&trace, hear, &b);
    trace_point(&trace, .time_ps = 3, .kind = TRACE_LEVEL, .component = "nic", .name = "queue",
                .value = count_call(&calls));
    g_assert_cmpint(calls, ==, 2);
    g_assert_cmpstr(text->str, ==,
                    "a:nic.send@2=1#9 kind 1\na:nic.queue@3=2#0 kind 2\n"
                    "b:nic.queue@3=2#0 kind 2\n");

    trace_clear(&trace);
    trace_point(&trace, .time_ps = 4, .name = "unheard", .value = count_call(&calls));
    g_assert_cmpint(calls, ==, 2);
    g_string_free(text, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace/listeners", test_listeners);
    return g_test_run();
}
